"""Answers of Python and of the command, byte for byte."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import run

PIECES = [
    "fever", "Fevers", "pyrexia", "type 2 diabetes (T2DM)", "T2DM", "heart attack", "MI", "hart failure", "Sjögren", "ASA",
    "myocardial infarction (MI)", "mitral regurgitation", "no", "and", ", ", ". ", "\n", "😀", "👩‍⚕️", "e\u0301", "漢字", "\u200f", "\ufeff", "ﬁ",
    "\U0001f9ec", "𝔣𝔢𝔳𝔢𝔯", "\t", "'", '"', "\\", "<", "&", "(", ")", "-", "0", "n/a",
]  # fmt: skip

text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=14).map(" ".join)
glued = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
few = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@few
@given(st.lists(text | glued, min_size=1, max_size=30))
def test_documents_are_those_of_the_command(kb, folder, tmp_path, texts):
    file = tmp_path / "documents.jsonl"
    lines = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = run("link", file, "--kb", folder, "--top", 3, "--explain", "--quiet").stdout
    linker = kb.linker(top=3, explain=True)
    given = [(str(number), text) for number, text in enumerate(texts)]
    docs = list(linker.link_many(given, batch=7))
    assert "".join(doc.to_json() + "\n" for doc in docs) == expected
    for doc, (id, text) in zip(docs, given, strict=True):
        assert doc == linker.link(text, id=id)
        for mention in doc:
            assert text[mention.start : mention.end] == mention.text
        known = [(mention.start, mention.end) for mention in doc]
        assert [(m.start, m.end) for m in linker.link_mentions(text, known)] == known


names = st.one_of(st.sampled_from(PIECES), glued, st.text(min_size=1, max_size=12))


@few
@given(st.lists(names.filter(lambda name: name.strip() == name and name), min_size=1, max_size=60))
def test_names_are_those_of_the_command(kb, folder, tmp_path, names):
    file = tmp_path / "names.jsonl"
    file.write_text("".join(json.dumps({"name": name}) + "\n" for name in names), encoding="utf-8")
    expected = run("match", file, "--kb", folder, "--format", "jsonl", "--top", 4, "--quiet").stdout
    matcher = kb.matcher(top=4)
    matches = matcher.match(names)
    assert "".join(match.to_json() + "\n" for match in matches) == expected
    assert [matcher.one(name) for name in names] == list(matches)


def test_a_parquet_table_is_matched_in_parts(folder, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["fever", "pyrexia", None, "heart atack", "aspirin"]
    pq.write_table(pa.table({"row": range(5), "dx": names}), tmp_path / "names.parquet", row_group_size=2)
    run(
        "batch",
        "match",
        tmp_path / "names.parquet",
        "--column",
        "dx",
        "--kb",
        folder,
        "--out",
        tmp_path / "out",
        "--rows",
        2,
        "--quiet",
    )
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(parts) == 3
    table = pa.concat_tables([pq.read_table(part) for part in parts])
    assert table["row"].to_pylist() == list(range(5))
    assert table["dx"].to_pylist() == names
    assert table["id"].to_pylist() == ["D:1", "D:1", None, "D:3", "C:1"]


def test_a_batch_has_processes_of_its_own(folder, tmp_path):
    for name in ["a", "b"]:
        (tmp_path / f"{name}.txt").write_text(f"fever {name}\npyrexia\n", encoding="utf-8")
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    run("batch", "match", *files, "--kb", folder, "--out", tmp_path / "out", "--workers", 2)
    for number, file in enumerate(files):
        part = (tmp_path / "out" / f"part-0000{number}.tsv").read_text(encoding="utf-8")
        assert part == run("match", file, "--kb", folder, "--quiet").stdout


def test_the_command_ends_as_it_does_elsewhere(folder, tmp_path):
    assert "no such" in run("link", tmp_path / "none.txt", code=1).stderr.lower()
    assert run("nonsense", code=2).stderr
    assert run("--help").stdout.startswith("Links") or "Usage" in run("--help").stdout
