"""Encoders, recognizers, training, calibration, scores."""

import csv
import json
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import truename as tn
from conftest import run

RECIPE = """[task]
kind = "groups"
[encoder]
characters = "convolution"
hidden = 16
[schedule]
epochs = 2
"""

BERT = Path(__file__).parents[2] / "crates" / "truename-infer" / "tests" / "models" / "bert"

RECOGNIZE = f"""[task]
kind = "recognize"
[data]
train = ["corpus.jsonl"]
[types]
Disease = ["diseases", "illness"]
Drug = "drugs"
[encoder]
from = {json.dumps(str(BERT))}
dropout = 0.0
[text]
batch = 100
[spans]
dimensions = 16
[schedule]
epochs = 12
learning_rate = 0.01
"""

TITLES = ["mining association", "mining asociation", "the r*-tree", "mining association", "r-tree", "query"]

MARKED = [
    "The [Disease:flu] of 😀 guests is not a [Disease:heart attack].",
    "[Drug:Aspirin] against a [Disease:heart attack], café.",
    "No one had [Disease:gout] or [Disease:fever].",
    "[Drug:Lithium] and [Drug:aspirin] for guests with the [Disease:flu].",
    "The guests are not here.",
    "A [Disease:fever] after [Drug:lithium].",
]


@pytest.fixture(scope="session")
def trained(tmp_path_factory, folder):
    """A small encoder, with what was told while it was trained."""
    place = tmp_path_factory.mktemp("encoder")
    (place / "recipe.toml").write_text(RECIPE)
    told = []
    made = tn.train(
        place / "recipe.toml", kb=folder, out=place / "mine", set={"schedule.epochs": 3}, on_step=told.append
    )
    return made, told


def test_an_encoder_is_trained(trained):
    made, told = trained
    assert made.folder.joinpath("model.safetensors").exists() and made.folders[0] == made.folder
    steps = [event for event in told if event["event"] == "step"]
    assert told[0]["event"] == "begin" and told[-1]["event"] == "end"
    assert made.steps == len(steps) == steps[-1]["step"] and steps[0]["loss"] > 0
    assert "3" in (made.folder / "recipe.toml").read_text()


def test_a_student_has_fewer_layers_than_its_teacher(tmp_path, folder):
    (tmp_path / "recipe.toml").write_text('[task]\nkind = "distil"\n[schedule]\nmax_steps = 2\n')
    made = tn.train(
        tmp_path / "recipe.toml", kb=folder, encoder=BERT, out=tmp_path / "student", set={"student.layers": 1}
    )
    config = [json.loads((path / "config.json").read_text()) for path in [BERT, made.folder]]
    assert [of["num_hidden_layers"] for of in config] == [2, 1]
    [student, teacher] = [tn.Encoder.open(path).encode(["fever", "heart attack"]) for path in [made.folder, BERT]]
    assert student.shape == teacher.shape


def test_errors_of_a_recipe_name_the_arguments(tmp_path, folder):
    (tmp_path / "recipe.toml").write_text(RECIPE)
    with pytest.raises(ValueError, match="epohcs") as raised:
        tn.train(tmp_path / "recipe.toml", kb=folder, out=tmp_path / "mine", set={"schedule.epohcs": 3})
    assert "--" not in str(raised.value) + "".join(getattr(raised.value, "__notes__", []))
    with pytest.raises(FileNotFoundError):
        tn.train(tmp_path / "none.toml", out=tmp_path / "mine")


def test_an_exception_of_on_step_ends_the_run(tmp_path, folder):
    (tmp_path / "recipe.toml").write_text(RECIPE)

    def fails(event):
        if event["event"] == "step":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tn.train(
            tmp_path / "recipe.toml", kb=folder, out=tmp_path / "mine", set={"schedule.epochs": 10000}, on_step=fails
        )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_a_checkpoint(tmp_path, folder):
    (tmp_path / "recipe.toml").write_text(RECIPE)
    arguments = f"{str(tmp_path / 'recipe.toml')!r}, kb={str(folder)!r}, out={str(tmp_path / 'mine')!r}"
    code = f"import truename as tn; tn.train({arguments}, set={{'schedule.epochs': 10000}}, on_step=print)"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    steps = 0

    def stop(event):
        nonlocal steps
        steps = event.get("step") or 0  # an evaluation between epochs has none
        if steps:
            raise StopIteration

    with pytest.raises(StopIteration):
        tn.train(
            tmp_path / "recipe.toml",
            kb=folder,
            out=tmp_path / "mine",
            set={"schedule.epochs": 10000},
            resume=True,
            on_step=stop,
        )
    assert steps > 1


def test_texts_are_encoded(trained):
    np = pytest.importorskip("numpy")
    encoder = tn.Encoder.open(trained[0])
    assert len(encoder.fingerprint) == 32 and encoder.fingerprint == tn.Encoder.open(trained[0]).fingerprint
    vectors = encoder.encode(["fever", "pyrexia", "fever", "😀"])
    assert vectors.shape == (4, encoder.dimensions) and vectors.dtype == np.float32 and vectors.flags.writeable
    assert np.allclose((vectors**2).sum(axis=1), 1, atol=1e-5) and (vectors[0] == vectors[2]).all()
    plain = encoder.encode(["fever", "pyrexia"], normalize=False)
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    assert (abs(lengths - 1) > 1e-3).all() and np.allclose(plain / lengths, vectors[:2], atol=1e-5)
    assert encoder.encode([]).shape == (0, encoder.dimensions)
    assert encoder.window > 0 and encoder.path == trained[0].folder and "mine" in repr(encoder)
    assert (pickle.loads(pickle.dumps(encoder)).encode(["fever"])[0] == vectors[0]).all()
    assert (encoder.encode([f"name {n}" for n in range(600)])[599] == encoder.encode(["name 599"], threads=1)[0]).all()
    with pytest.raises(FileNotFoundError):
        tn.Encoder.open(trained[0].folder / "none")


def test_a_knowledge_base_gets_vectors_and_is_calibrated(trained, folder, tmp_path):
    (tmp_path / "concepts.csv").write_bytes((folder.parent / "concepts.csv").read_bytes())
    kb = tn.KnowledgeBase.build([tmp_path / "concepts.csv"], tmp_path / "kb")
    with pytest.raises(ValueError, match="no encoder") as raised:
        kb.embed()
    assert "kb.embed" in raised.value.__notes__[0]
    told = []
    counts = kb.embed(trained[0], progress=lambda *step: told.append(step))
    assert counts["encoded"] == kb.info()["names"] and told[-1][1] == told[-1][2] == counts["encoded"]
    assert kb.embed()["encoded"] == 0
    assert kb.matcher(vote=3).one("fevr").candidates
    assert "dense" in kb.matcher().one("hart failur").candidates[0].scores
    lexical = tn.KnowledgeBase.open(tmp_path / "kb", encoder=False).matcher().one("hart failur")
    assert "dense" not in lexical.candidates[0].scores


def test_the_ranker_is_calibrated(tmp_path):
    words = ["red", "blue", "green", "cold", "warm", "old", "new", "small", "large", "dry"]
    things = ["fever", "cough", "rash", "pain", "cramp", "ulcer", "tremor", "spasm", "edema", "sepsis"]
    table = tmp_path / "kb.csv"
    names = [
        (f"{number}{other}", f"{word} {thing}")
        for number, word in enumerate(words)
        for other, thing in enumerate(things)
    ]
    table.write_text("id,name,synonyms\n" + "".join(f"{id},{name},{name}s|acute {name}\n" for id, name in names))
    kb = tn.KnowledgeBase.build([table], tmp_path / "kb")
    gold = [("a red fever", "00"), ("cold coughs", "31"), ("a thing", None), ("bleu rash", "12")] * 5
    gains = kb.calibrate(gold=gold, names=200)
    assert gains["gold"] > 0 and 0 <= gains["threshold"][1] <= 1 and isinstance(gains["kept"], bool)
    before, after = gains["answers"]
    assert gains["junk"] > 80 and (after["as_judged"] >= before["as_judged"] or not gains["kept"])
    file = tmp_path / "gold.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("name", "id"), *gold])
    assert kb.calibrate(gold=file, names=200)["gold"] == gains["gold"]
    with pytest.raises(FileNotFoundError):
        kb.calibrate(gold=tmp_path / "none.csv")


def unmarked(marked):
    """Return the document of a text with marked mentions."""
    text, mentions = "", []
    for before, kind, mention in re.findall(r"([^[]*)(?:\[(\w+):([^]]+)\])?", marked):
        text += before + mention
        if mention:
            mentions.append({"start": len(text) - len(mention), "end": len(text), "type": kind})
    return {"text": text, "mentions": mentions}


@pytest.fixture(scope="session")
def recognizer_folder(tmp_path_factory):
    """A small recognizer."""
    place = tmp_path_factory.mktemp("recognizer")
    documents = [unmarked(marked) for marked in MARKED]
    assert tn.write_documents(documents, place / "corpus.jsonl") == len(documents)
    (place / "recipe.toml").write_text(RECOGNIZE)
    return tn.train(place / "recipe.toml", out=place / "mine")


def test_a_recognizer_finds_mentions_in_the_shape_of_gliner(kb, recognizer_folder):
    documents = [unmarked(marked) for marked in MARKED]
    made = recognizer_folder
    recognizer = tn.Recognizer.open(made)
    assert len(recognizer.fingerprint) == 32
    assert kb.linker(recognizer=made).fingerprint != kb.linker().fingerprint
    assert recognizer.types == {"Disease": ["diseases", "illness"], "Drug": ["drugs"]}
    assert recognizer.path == made.folder
    text = documents[0]["text"]
    assert [(m.start, m.end, m.types) for m in recognizer.recognize(text)] == [
        (one["start"], one["end"], [one["type"]]) for one in documents[0]["mentions"]
    ]
    found = recognizer.predict_entities(text, ["disease"])
    assert [one["text"] for one in found] == ["flu", "heart attack"]
    assert all(set(one) == {"start", "end", "text", "label", "score"} for one in found)
    assert all(text[one["start"] : one["end"]] == one["text"] and one["label"] == "disease" for one in found)
    assert all(0.5 <= one["score"] <= 1 for one in found)
    assert len(recognizer.predict_entities(text, threshold=0.001, flat_ner=False)) >= len(found)
    assert len(recognizer.predict_entities(text, {"Illness": "diseases"})) <= len(text)
    assert recognizer.batch_predict_entities([text, ""])[1] == []
    again = pickle.loads(pickle.dumps(recognizer))
    assert again.predict_entities(text) == recognizer.predict_entities(text)
    with pytest.raises(ValueError, match="threshold"):
        recognizer.predict_entities(text, threshold=1)


def test_names_are_clustered():
    column = ["type 2 diabetes", "diabetes type 2", None, "fever", "type 2 diabetes"]
    clusters = tn.cluster(column, threshold=0.5)
    assert clusters[2] is None and clusters[0] == clusters[1] == clusters[4] == (0, "type 2 diabetes")
    assert clusters[3] == (1, "fever")
    assert tn.cluster([]) == [] and tn.cluster(["a", "b", "a b"])
    with pytest.raises(ValueError, match="linkage"):
        tn.cluster(column, linkage="ward")
    with pytest.raises(ValueError, match="words"):
        tn.cluster(column, words=2)


def test_clusters_become_one_row_each():
    rows = [
        {"name": "A. Woods", "age": 30, "changed": "2023-04-01", "cluster": 2},
        {"name": "Anna Woods", "age": 31, "changed": "2024-06-05", "cluster": 2},
        {"name": "Zoe Kaya", "age": None, "changed": "", "cluster": 5},
    ]
    merged = tn.merge_clusters(rows, rule="newest(changed)")
    assert merged[0] == {"name": "Anna Woods", "age": 31, "changed": "2024-06-05", "cluster": 2, "count": 2}
    assert merged[1] == {"name": "Zoe Kaya", "age": None, "changed": None, "cluster": 5, "count": 1}
    assert tn.merge_clusters(rows, rule="first", rules={"name": "longest"})[0]["age"] == 30
    with pytest.raises(ValueError, match="no rule"):
        tn.merge_clusters(rows, rule="oldest")


def test_names_with_equal_keys_are_clustered():
    column = ["Miller, Anna", "anna miller", None, "Anna Müller"]
    assert tn.cluster(column, key="fingerprint") == [(0, "Miller, Anna"), (0, "Miller, Anna"), None, (1, "Anna Müller")]
    rows = [{"shop": name, "id": at} for at, name in enumerate(column)]
    found = tn.cluster_table(rows, "shop", key="cologne")
    assert [row["count"] for row in found] == [3, 3, None, 3] and found[3]["canonical"] == "Miller, Anna"
    assert found[2] == {"shop": None, "id": 2, "canonical": None, "cluster": None, "count": None}
    with pytest.raises(ValueError, match="fingerprint, ngram-fingerprint"):
        tn.cluster(column, key="soundex")
    with pytest.raises(ValueError, match="threshold"):
        tn.cluster(column, key="cologne", threshold=0.3)
    with pytest.raises(ValueError, match="canonical"):
        tn.cluster_table([{"shop": "a", "canonical": "b"}], "shop")


def test_clusters_are_those_of_the_command(tmp_path):
    names = ["type 2 diabetes", "diabetes type 2", "heart attack", "heart attacks", "fever", "fevers", "cough"]
    (tmp_path / "names.txt").write_text("\n".join(names))
    lines = list(csv.DictReader(run("cluster", tmp_path / "names.txt", "--quiet").stdout.splitlines()))
    expected = [(int(line["cluster"]) - 1, line["canonical"]) for line in lines]
    assert tn.cluster(names) == expected


PEOPLE = [(given, family) for given in ("Anna", "Igor", "Zoe") for family in ("Woods", "Kaya", "Heath", "Doering")]


def test_records_are_matched():
    rows = [
        {"name": "Anna Schmidt", "town": "Berlin Mitte"},
        {"name": "Bert Meier", "town": "Hamburg Altona"},
        {"name": "Ana Schmidt", "town": "Berlin Mitte"},
        {"name": "Carla Vogel", "town": None},
    ]
    found = tn.dedupe(rows)
    assert found[0]["cluster"] == found[2]["cluster"] != found[1]["cluster"]
    assert found[0]["probability"] > 0.5 and found[3]["probability"] is None and found[0]["name"] == "Anna Schmidt"
    pairs = tn.match_tables(rows[:2], rows[2:], one_to_one=True)
    assert [(pair.left, pair.right) for pair in pairs] == [(0, 0)] and pairs[0].probability > 0.5
    with pytest.raises(ValueError, match="no type of column"):
        tn.dedupe(rows, types={"name": "person"})
    with pytest.raises(ValueError, match="cluster"):
        tn.dedupe([{"name": "a", "cluster": 1}, {"name": "b", "cluster": 2}])
    with pytest.raises(TypeError, match="treshold"):
        tn.dedupe(rows, treshold=1)
    with pytest.raises(ValueError, match="no column"):
        tn.dedupe(rows, column="nam")


def test_pairs_are_labelled_one_by_one(tmp_path):
    rows = [{"id": f"{at}", "name": f"{given} {family}", "town": "Ulm"} for at, (given, family) in enumerate(PEOPLE)]
    rows += [{**row, "id": f"{row['id']}b", "name": row["name"][:-1]} for row in rows]
    labels, asked = tmp_path / "labels.csv", []

    def ask(left, right, probability):
        if len(asked) == 12:
            raise StopIteration
        # The file has every answer before the next question.
        known = labels.read_text(encoding="utf-8").count("\n") - 1 if labels.exists() else 0
        assert known == sum(answer is not None for answer in asked)
        asked.append(None if len(asked) == 3 else left["id"].strip("b") == right["id"].strip("b"))
        assert 0 <= probability <= 1 and set(left) == {"id", "name", "town"}
        return asked[-1]

    assert tn.label_pairs(rows, labels, ask, id_column="id", scorer="lexical") == 11
    first = labels.read_text(encoding="utf-8")
    assert first.startswith("left,right,label,chance\n") and tn.dedupe(rows, id_column="id", labels=labels)
    # A further run goes on where the last one stopped.
    asked.clear()
    assert tn.label_pairs(rows, labels, lambda *question: next(iter(())), id_column="id") == 11
    with pytest.raises(ValueError, match="of its file alone"):
        tn.label_pairs(rows, labels, ask, labels=labels)
    with pytest.raises(ZeroDivisionError):
        tn.label_pairs(rows, labels, lambda *question: 1 / 0, id_column="id")
    with pytest.raises(TypeError):
        tn.label_pairs(rows, labels, lambda *question: "yes", id_column="id")
    assert labels.read_text(encoding="utf-8") == first
    with pytest.raises(KeyboardInterrupt):
        tn.label_pairs(rows, labels, lambda *question: signal.raise_signal(signal.SIGINT), id_column="id")
    pairs = tn.label_pairs(
        rows[:12],
        tmp_path / "two.csv",
        lambda left, right, _: left["id"] + "b" == right["id"],
        rows[12:],
        id_column="id",
    )
    assert pairs >= 12


def test_new_rows_join_the_clusters_of_a_table_that_is_done(tmp_path):
    done = tn.dedupe(
        [{"name": f"{given} {family}", "phone": f"030 {1000 + 7919 * at}"} for at, (given, family) in enumerate(PEOPLE)]
    )
    new = [{"name": done[2]["name"], "phone": "+49 " + done[2]["phone"][1:]}, {"name": "Nora Zwei", "phone": "0511 2"}]
    found = tn.dedupe_against(new, done)
    assert [row["cluster"] for row in found.table] == [done[2]["cluster"], len(PEOPLE) + 1] and found.joined == {}
    assert found.table[0]["probability"] > 0.5 and found.table[1]["probability"] is None
    # The command has the same answers.
    for name, rows in [("done", done), ("new", new)]:
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            out = csv.DictWriter(file, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
    command = run("dedupe", tmp_path / "new.csv", "--against", tmp_path / "done.csv", "--format", "table", "--quiet")
    table = list(csv.DictReader(command.stdout.splitlines()))
    assert [row["cluster"] for row in table] == [str(row["cluster"]) for row in [*done, *found.table]]
    named = [{**row, "cluster": f"c{row['cluster']}"} for row in done]
    assert [row["cluster"] for row in tn.dedupe_against(new, named).table] == ["c3", "1"]
    with pytest.raises(ValueError, match="already"):
        tn.dedupe_against(done, done)


def test_rows_of_several_tables_share_clusters():
    people = [
        {"name": f"{given} {family}", "phone": f"030 {1000 + 7919 * at}"} for at, (given, family) in enumerate(PEOPLE)
    ]
    linked = tn.link_tables([people[:6], people[3:], [*people[2:5], people[4]]], one_to_one=True)
    clusters = [[row["cluster"] for row in table] for table in linked]
    assert clusters[1][:3] == clusters[0][3:6] and clusters[2][:3] == clusters[0][2:5]
    assert len(set(clusters[2])) == 4 and linked[0][0]["probability"] is None


def test_a_model_without_labels_is_saved_applied_and_explained(tmp_path):
    rows = [
        {"name": f"{given} {family}", "phone": f"030 {1000 + 7919 * at}{at}"}
        for at, (given, family) in enumerate(PEOPLE)
    ]
    rows.append({"name": rows[0]["name"], "phone": rows[0]["phone"].replace("030", "+49 30")})
    found = tn.dedupe(rows, save_model=tmp_path / "model.json")
    assert found[0]["cluster"] == found[-1]["cluster"] and len({row["cluster"] for row in found}) == len(PEOPLE)
    assert tn.dedupe(rows, model=tmp_path / "model.json") == found
    explained = tn.explain_match(rows, 0, len(rows) - 1)
    assert [column["level"] for column in explained["columns"]] == ["equal", "equal"]
    assert f"{explained['probability']:.9f}" == f"{found[0]['probability']:.9f}"
    assert tn.explain_match(rows[:-1], 0, 0, rows[-1:], scorer="fellegi-sunter")["columns"][1]["column"] == "phone"
    with pytest.raises(ValueError, match="no scorer"):
        tn.dedupe(rows, scorer="best")
    with pytest.raises(ValueError, match="explained and saved"):
        tn.explain_match(rows, 0, 1, scorer="lexical")
    with pytest.raises(ValueError, match="no pair"):
        tn.explain_match(rows, 0, 0)


def test_records_are_those_of_the_command(tmp_path):
    rows = [{"id": str(row), "title": f"{title} rules", "year": "1993"} for row, title in enumerate(TITLES)]
    for name, part in [("all", rows), ("left", rows[:3]), ("right", rows[3:])]:
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            out = csv.DictWriter(file, ["id", "title", "year"])
            out.writeheader()
            out.writerows(part)
    table = csv.DictReader(run("dedupe", tmp_path / "all.csv", "--format", "table", "--quiet").stdout.splitlines())
    expected = [(int(row["cluster"]), row["probability"]) for row in table]
    shown = lambda probability: "" if probability is None else f"{probability:.4f}"  # noqa: E731
    assert [(row["cluster"], shown(row["probability"])) for row in tn.dedupe(rows)] == expected
    assert len({cluster for cluster, _ in expected}) < len(rows)
    pairs = csv.DictReader(run("dedupe", tmp_path / "left.csv", tmp_path / "right.csv", "--quiet").stdout.splitlines())
    expected = [(int(pair["left"]), int(pair["right"]), pair["probability"]) for pair in pairs]
    found = tn.match_tables(rows[:3], rows[3:])
    assert [(pair.left + 1, pair.right + 1, shown(pair.probability)) for pair in found] == expected != []
    # A row without a value is a row.
    assert len(tn.dedupe([{"name": "Anna"}, {"name": None}, {"name": "Ana"}])) == 3


def test_scores_are_those_of_the_command(kb, folder, tmp_path):
    def reported(*arguments):
        run("evaluate", *arguments, "--json", tmp_path / "report.json", "--quiet")
        return json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))

    gold = tmp_path / "gold.csv"
    gold.write_text("name,id\nfevers,D:1\nhart failure,D:4\nnothing at all,\n")
    scores = tn.evaluate.names(gold, kb)
    assert scores == reported("names", "--gold", gold, "--kb", folder)
    assert tn.evaluate.names([("fevers", "D:1"), ("hart failure", "D:4"), ("nothing at all", None)], folder) == scores
    narrow = tn.evaluate.names(gold, kb, types=["sign"], nil_share=0.3, errors=1)
    assert narrow == reported(
        "names", "--gold", gold, "--kb", folder, "--type", "sign", "--nil-share", "0.3", "--errors", "1"
    )
    with pytest.raises(FileNotFoundError, match="none"):
        tn.evaluate.names(tmp_path / "none.csv", kb)

    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        '{"id": "1", "text": "a fever, MI", "mentions": [{"start": 2, "end": 7, "type": "sign", "id": "D:1"}, '
        '{"start": 9, "end": 11, "type": "disease", "id": "D:5"}]}\n'
    )
    assert tn.evaluate.link(corpus, kb) == reported("link", "--gold", corpus, "--kb", folder)
    signs = tn.evaluate.link([corpus], kb, gold_types=["sign"])
    assert signs == reported("link", "--gold", corpus, "--kb", folder, "--gold-type", "sign")
    assert tn.evaluate.mentions(corpus, kb) == reported("mentions", "--gold", corpus, "--kb", folder)
    given = tn.evaluate.mentions(corpus, kb, found=corpus, train=corpus)
    assert given == reported("mentions", "--gold", corpus, "--kb", folder, "--found", corpus, "--train", corpus)
    with pytest.raises(ValueError, match="no mention to compare with of the type gene"):
        tn.evaluate.mentions(corpus, kb, gold_types=["gene"])

    sentences = tmp_path / "sentences.tsv"
    sentences.write_text("sentence\tconcept\tnegation\nNo FEVER.\tfever\tNegated\nA cough.\tcough\tNegated\n")
    assert tn.evaluate.assertions(sentences) == reported("assertions", "--gold", sentences)
    assert tn.evaluate.assertions(sentences, assertions="none")["assertions"]["negated"]["recall"] == 0

    names = tmp_path / "names.csv"
    names.write_text("name,cluster\nHarvard University,1\nharvard,1\nYale,2\nYale University,2\nMIT,3\n")
    assert tn.evaluate.clusters(names, words=0.3) == reported("clusters", "--gold", names, "--words", "0.3")
    labelled = tn.evaluate.clusters(names, labelled=names)
    assert labelled == reported("clusters", "--gold", names, "--labelled", names)
    assert tn.evaluate.clusters(names, found=names)["mean_f1"] == 1

    pairs = tmp_path / "pairs.csv"
    pairs.write_text("left,right,label\nAnna Schmidt,Ana Schmidt,1\nBert Meier,Berta Maier,0\n")
    assert tn.evaluate.pairs(pairs, threshold=0.3) == reported("pairs", "--gold", pairs, "--threshold", "0.3")
    fitted = tn.evaluate.pairs(pairs, labels=pairs)
    assert fitted == reported("pairs", "--gold", pairs, "--labels", pairs)


def test_simpler_words_are_those_of_the_command(kb, folder, tmp_path):
    note, synonyms, frequencies = (tmp_path / name for name in ("note.txt", "synonyms.csv", "frequencies.tsv"))
    note.write_text("🤒 An arid place had pyrexia. ARID it was.", encoding="utf-8")
    synonyms.write_text("arid,dry\narid,waterless\n")
    frequencies.write_text("dry\t900\nfever\t500\nthe\t1000000\narid\t1\n")
    simplifier = tn.Simplifier(synonyms=synonyms, kb=kb, frequencies=[frequencies])
    sources = ("--synonyms", synonyms, "--kb", folder, "--frequencies", frequencies)
    lines = run("simplify", note, *sources, "--words", "arid,pyrexia").stdout.splitlines()
    found = simplifier.simplify(note.read_text(encoding="utf-8"), ["Arid", "pyrexia"])
    assert [{"document": "note", **word} for word in found] == [json.loads(line) for line in lines]
    assert [(word["start"], word["word"], word["replacement"]) for word in found] == [
        (5, "arid", "dry"),
        (20, "pyrexia", "fever"),
        (29, "ARID", "DRY"),
    ]
    assert simplifier.replace("An arid place.") == "A dry place."
    gold = tmp_path / "gold.tsv"
    gold.write_text("sentence\tword\tsubstitutes\nAn arid place.\tarid\tdry\tparched\n")
    run("evaluate", "substitutes", "--gold", gold, *sources, "--json", tmp_path / "report.json", "--quiet")
    scores = tn.evaluate.substitutes(gold, simplifier)
    assert scores == json.loads((tmp_path / "report.json").read_text()) and scores["accuracy"] == 1
    with pytest.raises(ValueError, match="no source of substitutes"):
        tn.Simplifier(frequencies=frequencies).simplify("An arid place.")
    with pytest.raises(ValueError, match="name the words"):
        tn.Simplifier(synonyms=synonyms).simplify("An arid place.")
    with pytest.raises(ValueError, match="masked_alone"):
        tn.Simplifier(synonyms=synonyms, mask_original=0.5, masked_alone=True)


def test_a_student_answers_as_its_teacher(recognizer_folder, tmp_path):
    (tmp_path / "texts.txt").write_text("\n\n".join(unmarked(marked)["text"] for marked in MARKED), encoding="utf-8")
    told = []
    run = tn.distil(
        recognizer_folder,
        tmp_path / "texts.txt",
        out=tmp_path / "student",
        layers=1,
        set={"schedule.epochs": 2},
        on_step=told.append,
    )
    assert run.steps > 0 and told[-1]["event"] == "end"
    student = tn.Recognizer.open(run)
    assert student.types == tn.Recognizer.open(recognizer_folder).types
    assert json.loads((run.folder / "config.json").read_text(encoding="utf-8"))["num_hidden_layers"] == 1
    with pytest.raises(ValueError, match="layers, hidden or vocabulary"):
        tn.distil(recognizer_folder, tmp_path / "texts.txt", out=tmp_path / "other")


def test_a_model_is_quantised(recognizer_folder, tmp_path):
    out = tmp_path / "int8"
    tn.quantize(recognizer_folder, out, trained_types=True)
    assert not (out / "network-2").exists()
    size = [folder.joinpath("model.safetensors").stat().st_size for folder in (recognizer_folder.folder, out)]
    assert size[1] < size[0]
    text = "No one had gout or fever."
    found = [tn.Recognizer.open(folder).predict_entities(text, ["Disease"]) for folder in (recognizer_folder, out)]
    assert [[one["text"] for one in mentions] for mentions in found] == [["gout", "fever"]] * 2
    with pytest.raises(FileExistsError):
        tn.quantize(recognizer_folder, out)


def test_mentions_have_the_share_of_right_ones_as_their_probability(kb, recognizer_folder, tmp_path):
    folder = tmp_path / "calibrated"
    shutil.copytree(recognizer_folder.folder, folder)
    text = "No one had gout or fever."
    gout = {"start": 11, "end": 15, "type": "Disease"}
    documents = [{"id": str(number), "text": text, "mentions": [gout]} for number in range(60)]
    tn.write_documents(documents, tmp_path / "gold.jsonl")
    (before,) = [m for m in kb.linker(recognizer=folder).link(text) if m.text == "fever"]
    assert before.mention_probability is None
    assert tn.calibrate_recognizer(folder, [tmp_path / "gold.jsonl"], kb) == 120
    gout, fever = kb.linker(recognizer=folder).link(text)
    assert gout.mention_probability + fever.mention_probability == pytest.approx(1, abs=0.01)
    assert fever.probability == pytest.approx(before.probability * fever.mention_probability)
    tn.write_documents(documents[:5], tmp_path / "few.jsonl")
    with pytest.raises(ValueError, match="5 right and 5 wrong mentions are too few"):
        tn.calibrate_recognizer(folder, [tmp_path / "few.jsonl"], kb)


def test_general_english_is_linked():
    kb = tn.KnowledgeBase.open("general")
    for known in [kb, pickle.loads(pickle.dumps(kb))]:
        found = known.linker().link("Albert Einstein worked in Berlin.")
        assert [(one.text, one.id, one.types) for one in found] == [
            ("Albert Einstein", "Q937", ["person"]),
            ("Berlin", "Q64", ["location"]),
        ]
    assert {"person", "event"} <= set(tn.Recognizer.open("general").types)


def test_bundled_models_say_what_they_learnt_from():
    model, general = tn.bundled_models()
    assert general["name"] == "general" and general["bytes"] < 17_000_000
    assert model["name"] == "bundled" and model["licence"] and model["trained_on"] and model["bytes"] > 10_000_000
