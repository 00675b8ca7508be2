"""Functions of a record batch."""

import json
import pickle

import pytest

import truename as tn
from conftest import CONCEPTS
from test_models import RECOGNIZE, unmarked

pa = pytest.importorskip("pyarrow")

from truename._batch import LinkBatch, MatchBatch, RecognizeBatch

NAMES = ["heart atack", None, "qqqq", "heart atack", "ASA", "", "😀", "MI", "hart failure"]
NOTES = ["No fever, T2DM.", None, "🤒 ASA and type 2 diabetes", "", "nothing"]


def batch(name, values, kind=None):
    """Return a record batch with a number for each value."""
    return pa.RecordBatch.from_pydict({"row": pa.array(range(len(values)), pa.int64()), name: pa.array(values, kind)})


def broken(values):
    """Return strings that are not all UTF-8."""
    raw = pa.array(values, pa.binary())
    return pa.StringArray.from_buffers(len(raw), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])


def sent(work):
    """Return the function as another process has it."""
    return pickle.loads(pickle.dumps(work))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_names_have_the_answers_of_one_process(kb, folder, kind):
    for place in (kb, folder, str(folder)):
        work = sent(MatchBatch(place, "dx", top=3))
        found = work(batch("dx", NAMES, kind))
        answers = pa.array(kb.matcher(top=3).match(NAMES))
        assert found.schema.names[:2] == ["row", "dx"] and found["dx"].to_pylist() == NAMES
        assert found["dx_error"].null_count == len(NAMES)
        for name in answers.type.names:
            assert found[f"dx_{name}"].to_pylist() == answers.field(name).to_pylist()
        assert found["dx_id"][1].as_py() is None and found["dx_candidates"][1].as_py() is None
        assert work(batch("dx", [], kind)).schema == found.schema == work(batch("dx", [None], kind)).schema
    assert work(batch("dx", [None])).num_rows == 1
    with pytest.raises(TypeError, match="int64"):
        work(batch("dx", [1]))


def test_texts_have_the_mentions_of_one_process(kb):
    found = sent(LinkBatch(kb, "note", ["row"], top=2))(batch("note", NOTES))
    assert found.schema.names == ["row", "mentions", "error"]
    for text, mentions in zip(NOTES, found["mentions"].to_pylist(), strict=True):
        if text is None:
            assert mentions is None
            continue
        expected = list(kb.linker(top=2).link(text))
        assert [(one["start"], one["end"], one["id"], one["probability"], one["assertions"]) for one in mentions] == [
            (one.start, one.end, one.id, one.probability, one.assertions) for one in expected
        ]
        assert [[c["id"] for c in one["candidates"]] for one in mentions] == [
            [c.id for c in one.candidates] for one in expected
        ]


def test_mentions_that_a_text_denies_are_left_out(kb):
    rows = batch("note", ["No fever. Takes ASA."])
    asserted = sent(LinkBatch(kb, "note", asserted=True))(rows)["mentions"].to_pylist()
    assert [[one["id"] for one in mentions] for mentions in asserted] == [["C:1"]]
    untold = sent(LinkBatch(kb, "note", assertions="none"))(rows)["mentions"].to_pylist()
    assert [[one["assertions"] for one in mentions] for mentions in untold] == [[[], []]]


def test_each_mention_has_a_row(kb):
    work = LinkBatch(kb, "note", ["row"], explode=True)
    notes = [text and text.encode() for text in NOTES]
    rows = pa.RecordBatch.from_arrays([pa.array(range(6)), broken([*notes[:2], b"\xff", *notes[2:]])], ["row", "note"])
    found = work(rows)
    assert found.schema.names[:4] == ["row", "mention_start", "mention_end", "mention_text"]
    shown = zip(*(found[name].to_pylist() for name in ("row", "mention_text", "mention_id")), strict=True)
    assert list(shown) == [
        (0, "fever", "D:1"),
        (0, "T2DM", "D:2"),
        (2, None, None),
        (3, "ASA", "C:1"),
        (3, "type 2 diabetes", "D:2"),
    ]
    assert [error is None for error in found["error"].to_pylist()] == [True, True, False, True, True]
    assert work(rows.slice(0, 0)).schema == found.schema
    assert LinkBatch(kb, "note", [], explode=True)(rows).num_rows == 5


def test_a_row_that_fails_is_marked(kb):
    rows = pa.RecordBatch.from_arrays([broken([b"ASA", b"\xff\xfe", None, b"fever", b"x" * 1_000_000])], names=["x"])
    names = MatchBatch(kb, "x")(rows)
    assert names["x_id"].to_pylist() == ["C:1", None, None, "D:1", None]
    errors = names["x_error"].to_pylist()
    assert [error is None for error in errors] == [True, False, True, True, False]
    assert "UTF" in errors[1] and "1000000 bytes (at most 4096)" in errors[4]
    texts = LinkBatch(kb, "x", [])(rows)
    ids = [mentions and mentions[0]["id"] for mentions in texts["mentions"].to_pylist()]
    assert ids == ["C:1", None, None, "D:1", []]
    assert "UTF" in texts["error"][1].as_py() and texts["error"].null_count == 4


def test_failures_of_the_machine_are_no_answers(kb, monkeypatch):
    def fails(self, opened, texts):
        raise OSError("no space left")

    work = MatchBatch(kb, "x")
    monkeypatch.setattr(MatchBatch, "answers", fails)
    with pytest.raises(OSError, match="space"):
        work(batch("x", ["ASA"]))


def test_answers_say_what_they_are_of(kb):
    linked = LinkBatch(kb, "note")(MatchBatch(kb, "dx")(batch("dx", NAMES).append_column("note", pa.array(NAMES))))
    said = json.loads(linked.schema.metadata[b"truename"])
    assert said["dx"] == {
        "version": tn.__version__,
        "fingerprint": kb.matcher().fingerprint,
        "knowledge_base": kb.fingerprint,
    }
    assert said["note"]["fingerprint"] == kb.linker().fingerprint


def test_a_host_with_another_knowledge_base_is_refused(tmp_path):
    (tmp_path / "concepts.csv").write_text(CONCEPTS, encoding="utf-8")
    kb = tn.KnowledgeBase.build([tmp_path / "concepts.csv"], tmp_path / "kb")
    work, before = sent(MatchBatch(str(tmp_path / "kb"), "dx")), kb.fingerprint
    assert work(batch("dx", ["ASA"]))["dx_id"].to_pylist() == ["C:1"]
    kb.update(remove=["C:1"])
    with pytest.raises(RuntimeError) as raised:
        work(batch("dx", ["ASA"]))
    assert before in str(raised.value) and kb.fingerprint in str(raised.value)


def test_what_a_frame_lacks_or_has_already_is_named(kb):
    with pytest.raises(KeyError, match="no column 'y'; it has x"):
        MatchBatch(kb, "y").check(["x"])
    with pytest.raises(KeyError, match="no column 'id'"):
        LinkBatch(kb, "x", ["id"]).check(["x"])
    with pytest.raises(ValueError, match="'mention_end' already"):
        LinkBatch(kb, "x", explode=True).check(["x", "mention_end"])
    LinkBatch(kb, "x", ["x"], explode=True).check(["x", "mention_end"])
    with pytest.raises(TypeError, match="topp"):
        MatchBatch(kb, "x", topp=3)
    with pytest.raises(FileNotFoundError, match="no-such-kb is not on the host"):
        MatchBatch("no-such-kb", "x")


def test_mentions_are_recognized(kb, tmp_path):
    by_names = sent(RecognizeBatch("dictionary", kb, "note", ["row"], types=["disease"]))(batch("note", NOTES))
    found = [mentions and [one["text"] for one in mentions] for mentions in by_names["mentions"].to_pylist()]
    assert found == [["T2DM"], None, ["type 2 diabetes"], [], []]
    assert by_names["mentions"][0][0]["score"].as_py() is None
    texts = [
        unmarked(one)["text"] for one in ("The [Disease:flu] of 😀 guests.", "[Drug:Aspirin] against [Disease:gout].")
    ]
    documents = [
        unmarked("The [Disease:flu] of 😀 guests is no [Disease:gout]."),
        unmarked("[Drug:Aspirin] against [Disease:gout]."),
    ]
    tn.write_documents(documents * 3, tmp_path / "corpus.jsonl")
    (tmp_path / "recipe.toml").write_text(RECOGNIZE)
    made = tn.train(tmp_path / "recipe.toml", out=tmp_path / "mine", set={"schedule.epochs": 2})
    recognizer = tn.Recognizer.open(made)
    with pytest.raises(ValueError, match="threshold is 1"):
        RecognizeBatch(recognizer, None, "note", threshold=1)
    with pytest.raises(TypeError, match="treshold"):
        RecognizeBatch(recognizer, None, "note", treshold=0.5)
    options = {"labels": ["disease"], "threshold": 0.01, "flat_ner": False}
    work = sent(RecognizeBatch(recognizer, None, "note", explode=True, **options))
    found = work(batch("note", [*texts, None]))
    expected = [
        (row, one["start"], one["text"], [one["label"]], one["score"])
        for row, text in enumerate(texts)
        for one in recognizer.predict_entities(text, **options)
    ]
    names = ("row", "mention_start", "mention_text", "mention_types", "mention_score")
    assert list(zip(*(found[name].to_pylist() for name in names), strict=True)) == expected != []
    assert json.loads(found.schema.metadata[b"truename"])["note"]["fingerprint"] == recognizer.fingerprint
