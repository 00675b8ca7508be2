import json
import pickle

import pytest

import truename as tn

TEXT = "🤒 No fever 👩‍⚕️, T2DM; ASA"


def test_mentions_are_pieces_of_the_text(kb):
    doc = kb.linker(threads=2).link(TEXT, id="n1", top=3, explain=True)
    assert (doc.text, doc.id, len(doc)) == (TEXT, "n1", 3)
    for mention in doc:
        assert TEXT[mention.start : mention.end] == mention.text
    assert [(mention.text, mention.id) for mention in doc] == [("fever", "D:1"), ("T2DM", "D:2"), ("ASA", "C:1")]
    first = doc[0]
    assert (first.name, first.matched_name, first.types, first.is_nil) == ("Fever", "Fever", ["sign"], False)
    assert first.probability > 0.5 and first.explanation and first.candidates[0].id == "D:1"
    assert (first.fragments, first.score, first.threshold, first.long_form) == ([], None, None, None)
    assert first.link.text == "fever" and first.link.id == "D:1"
    assert first == doc.mentions[0] and first != doc[1] and doc[-1].id == "C:1"
    assert [mention.id for mention in doc[:2]] == ["D:1", "D:2"]
    assert repr(first).startswith("Mention(") and "3 mentions" in repr(doc)
    assert first.to_dict() == doc.to_dict()["mentions"][0]
    with pytest.raises(IndexError):
        doc[3]


def test_what_a_text_says_of_its_mentions_is_told(kb, tmp_path):
    text = "No fever. His mother had a heart attack. Takes ASA."
    doc = kb.linker().link(text)
    assert [mention.assertions for mention in doc] == [["negated"], ["family"], []]
    assert doc.to_dict()["mentions"][0]["assertions"] == ["negated"]
    assert tn.Document.from_json(doc.to_json()) == doc
    assert [mention.id for mention in kb.linker(asserted=True).link(text)] == ["C:1"]
    assert not any(mention.assertions for mention in kb.linker(assertions="none").link(text))
    (tmp_path / "rules.tsv").write_text("takes\thistorical\tforward\n")
    own = kb.linker(assertions=tmp_path / "rules.tsv").link(text)
    assert [mention.assertions for mention in own] == [[], [], ["historical"]]


def test_a_document_goes_there_and_back(kb):
    doc = kb.linker().link(TEXT, id="n1", top=2, explain=True)
    assert json.loads(doc.to_json()) == doc.to_dict()
    again = tn.Document.from_json(doc.to_json())
    assert again == doc and again.to_json() == doc.to_json()
    assert pickle.loads(pickle.dumps(doc)) == doc
    with pytest.raises(ValueError, match="no linked document"):
        tn.Document.from_json("{}")


def test_a_page_shows_the_mentions(kb):
    doc = kb.linker().link("No fever <b>")
    assert doc.to_html().startswith("<!DOCTYPE html>") and "&lt;b&gt;" in doc.to_html(title="A & B")
    assert "A &amp; B" in doc.to_html(title="A & B")
    shown = doc._repr_html_()
    assert "D:1" in shown and "<script" not in shown and "<!DOCTYPE" not in shown
    # The style is that of the element alone, and a notebook puts no template to use.
    assert "@scope" in shown and ":root" not in shown and "<template" not in shown


def test_many_texts_are_linked_as_one_by_one(kb):
    linker = kb.linker()
    texts = [f"{number} fever, aspirin" for number in range(50)]
    read = []

    def source():
        for text in texts:
            read.append(text)
            yield text

    docs = linker.link_many(source(), batch=8)
    assert iter(docs) is docs and read == []
    assert next(docs) == linker.link(texts[0]) and len(read) == 8
    assert [doc.text for doc in docs] == texts[1:]
    assert list(linker.link_many([])) == [] and next(docs, None) is None
    assert [doc.id for doc in linker.link_many([("a", "fever"), ("b", "")], batch=1, top=2)] == ["a", "b"]
    with pytest.raises(ValueError, match="batch"):
        linker.link_many([], batch=0)
    with pytest.raises(TypeError, match="int"):
        next(linker.link_many(["fever", 1]))

    def broken():
        yield "fever"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(linker.link_many(broken()))


def test_known_mentions_are_linked(kb):
    linker = kb.linker()
    doc = linker.link_mentions("🤒 fever x", [(2, 7), (8, 9, "sign")])
    assert [(mention.text, mention.id) for mention in doc] == [("fever", "D:1"), ("x", None)]
    assert doc[1].types == ["sign"] and doc[1].is_nil
    with pytest.raises(ValueError, match="9 characters"):
        linker.link_mentions("🤒 fever x", [(2, 10)])
    with pytest.raises(ValueError, match=r"3\.\.3"):
        linker.link_mentions("🤒 fever x", [(3, 3)])
    with pytest.raises(TypeError, match="no mention"):
        linker.link_mentions("fever", ["fever"])


def test_options_choose_what_is_answered(kb):
    assert [mention.id for mention in kb.linker(types=["chemical"]).link("fever, ASA")] == ["C:1"]
    assert kb.linker(min_probability=1.0).link_name("hart failur").is_nil
    assert kb.linker(ambiguous="nil").link("An MI.")[0].is_nil
    assert len(kb.linker(top=2).link_name("MI").candidates) == 2
    assert len(kb.linker().link_name("MI", top=2).candidates) == 2
    assert kb.linker(recognizer="dictionary").link("fever")[0].id == "D:1"
    assert kb.linker(explain=True).link_name("fever").explanation
    assert kb.linker(explain=True).link_name("fever", explain=False).explanation is None
    for wrong in ({"nil_share": 2}, {"min_probability": -1.0}, {"top": 0}, {"ambiguous": "some"}, {"types": ["place"]}):
        with pytest.raises(ValueError):
            kb.linker(**wrong)
    with pytest.raises(TypeError, match="argument 'types'"):
        kb.linker(types="disease")
    with pytest.raises(ValueError, match="vote") as raised:
        kb.linker(vote=3)
    assert "kb.embed" in raised.value.__notes__[0]


def test_gilda_is_answered_in_its_shape(kb):
    matches = kb.linker().ground("pyrexia")
    assert (matches[0].term.db, matches[0].term.id, matches[0].term.entry_name) == ("D", "1", "Fever")
    assert matches[0].term.status == "synonym" and matches[0].term.get_curie() == "D:1"
    assert matches[0].get_grounding() == ("D", "1") and 0 < matches[0].score <= 1
    assert matches[0].to_json()["term"]["text"] == "pyrexia"
    assert tn.bundled().linker().ground("fever", namespace="MESH")[0].term.get_curie() == "MESH:D005334"
    assert tn.gilda.scored_matches(kb.linker().link_name("qqqq")) == []
