"""pandas, polars, pyarrow, datasets."""

import pickle
import subprocess
import sys

import pytest

import truename as tn

NOTES = ["No fever, T2DM.", "ASA 🤒", None]


def test_pandas_series_are_matched(kb, folder):
    pd = pytest.importorskip("pandas")
    import truename.pandas

    assert truename.pandas.TruenameAccessor
    frame = pd.DataFrame({"dx": ["heart atack", None, "qqqq"]}, index=[7, 8, 9])
    answers = frame["dx"].truename.match(kb=str(folder))
    assert list(answers.index) == [7, 8, 9] and list(answers.columns) == [
        "id",
        "preferred_name",
        "matched_name",
        "probability",
    ]
    assert answers.loc[7, "id"] == "D:3" and pd.isna(answers.loc[8, "id"]) and answers.loc[9, "probability"] >= 0
    assert len(frame["dx"].truename.match(kb, top=2, explain=True).loc[7, "candidates"]) >= 1
    assert frame["dx"].truename.match(kb, explain=True).loc[7, "explanation"]


def test_polars_columns_are_matched(kb, folder):
    pl = pytest.importorskip("polars")
    import truename.polars  # noqa: F401

    frame = pl.DataFrame({"dx": ["heart atack", None, "qqqq"]})
    answers = frame.with_columns(pl.col("dx").truename.match(kb=folder).alias("answer"))
    assert answers["answer"].struct.field("id").to_list() == ["D:3", None, None]
    lazy = frame.lazy().select(pl.col("dx").truename.match(kb, top=2, explain=True))
    assert lazy.collect_schema() == lazy.collect().schema
    assert frame["dx"].truename.match(kb).struct.field("matched_name").to_list()[0] == "heart attack"


def test_libraries_that_are_imported_first_get_their_methods():
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        code = f"import {library}; import truename; {library}.Series(['a']).truename"
        subprocess.run([sys.executable, "-c", code], check=True)
        code = f"import truename, {library}, truename.{library}; {library}.Series(['a']).truename"
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("library", ["list", "pandas", "polars", "pyarrow"])
def test_tables_of_texts_are_linked(kb, library):
    rows = [{"note": note, "patient": f"p{number}"} for number, note in enumerate(NOTES)]
    if library == "list":
        table = rows
    else:
        module = pytest.importorskip(library)
        table = module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)
    found = tn.link_table(table, text="note", kb=kb)
    found = {
        "list": lambda: found,
        "pandas": lambda: found.to_dict("records"),
        "polars": lambda: found.to_dicts(),
        "pyarrow": lambda: found.to_pylist(),
    }[library]()
    assert [(row["row"], row["text"], row["concept_id"]) for row in found] == [
        (0, "fever", "D:1"),
        (0, "T2DM", "D:2"),
        (1, "ASA", "C:1"),
    ]
    named = tn.link_table(table, text="note", id="patient", kb=kb)
    assert len(named) == 3
    with pytest.raises(KeyError, match="no column 'text'"):
        tn.link_table(table, text="text", kb=kb)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_deduplicated(library):
    rows = [
        {"name": "Anna Schmidt", "town": "Berlin"},
        {"name": "Bert Meier", "town": None},
        {"name": "Ana Schmidt", "town": "Berlin"},
    ]
    module = pytest.importorskip(library)
    table = module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)
    found = tn.dedupe(table)
    clusters = found["cluster"].to_pylist() if library == "pyarrow" else list(found["cluster"])
    assert type(found) is type(table) and clusters[0] == clusters[2] != clusters[1]


def test_datasets_are_mapped(kb, folder):
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"dx": ["heart atack", None], "note": ["No fever.", ""]})
    mapped = data.map(tn.hf.matcher(kb, "dx"), batched=True)
    assert mapped["dx_id"][:] == ["D:3", None] and mapped["dx_name"][0] == "Myocardial Infarction"
    assert data.map(tn.hf.matcher(str(folder), "dx"), batched=True, num_proc=2)["dx_id"][:] == ["D:3", None]
    linked = data.map(tn.hf.linker(kb, "note"), batched=True)
    assert linked["mentions"][0][0]["id"] == "D:1" and linked["mentions"][1] == []
    again = pickle.loads(pickle.dumps(tn.hf.matcher(tn.KnowledgeBase.open(folder, encoder=False), "dx", top=2)))
    assert again.options == {"top": 2} and again.kb.__reduce__()[1][1] is False


def test_tagged_tokens_become_documents():
    rows = [
        {"tokens": ["No", "type", "2", "diabetes", "fever"], "ner_tags": [0, 1, 2, 2, 1]},
        {"tokens": [], "ner_tags": []},
    ]
    documents = list(tn.hf.from_dataset(rows, names=["O", "B-Disease", "I-Disease"]))
    assert documents[0]["text"] == "No type 2 diabetes fever" and documents[1]["text"] == ""
    assert documents[0]["mentions"] == [
        {"start": 3, "end": 18, "type": "Disease"},
        {"start": 19, "end": 24, "type": "Disease"},
    ]
    textual = [{"id": "x", "tokens": ["a", "b"], "tags": ["I-X", "I-Y"]}]
    assert [m["type"] for m in next(tn.hf.from_dataset(textual, tags="tags", names=[]))["mentions"]] == ["X", "Y"]
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "tokens": datasets.List(datasets.Value("string")),
            "ner_tags": datasets.List(datasets.ClassLabel(names=["O", "B-X"])),
        }
    )
    data = datasets.Dataset.from_dict({"tokens": [["a", "b"]], "ner_tags": [[0, 1]]}, features=features)
    assert next(tn.hf.from_dataset(data))["mentions"] == [{"start": 2, "end": 3, "type": "X"}]
