"""The component of spaCy pipelines."""

import pytest

spacy = pytest.importorskip("spacy")

TEXTS = ["No fever, T2DM.", "🤒 ASA and type 2 diabetes", "nothing"] * 3


def pipeline(folder, **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("truename", config={"kb": str(folder), **config})
    return nlp


def ents(doc):
    return [(ent.text, ent.label_, ent.kb_id_) for ent in doc.ents]


def test_mentions_become_entities(folder):
    doc = pipeline(folder)("No fever, T2DM.")
    assert ents(doc) == [("fever", "sign", "D:1"), ("T2DM", "disease", "D:2")]
    assert doc.ents[1]._.candidates[0]["id"] == "D:2" and doc.ents[1]._.candidates[0]["probability"] > 0.5
    assert [span.text for span in doc.spans["truename"]] == ["fever", "T2DM"]
    assert doc.ents[0]._.assertions == ("negated",)


def test_entities_are_added_linked_or_left(folder):
    def with_ents(ents):
        nlp = spacy.blank("en")
        ruler = nlp.add_pipe("entity_ruler")
        ruler.add_patterns([{"label": "SIGN", "pattern": "fever"}, {"label": "WORD", "pattern": "No"}])
        nlp.add_pipe("truename", config={"kb": str(folder), "ents": ents})
        return [(ent.text, ent.label_, ent.kb_id_) for ent in nlp("No fever, T2DM.").ents]

    assert with_ents("link") == [("No", "WORD", ""), ("fever", "SIGN", "D:1")]
    assert with_ents("add") == [("No", "WORD", ""), ("fever", "SIGN", ""), ("T2DM", "disease", "D:2")]
    assert with_ents("off") == [("No", "WORD", ""), ("fever", "SIGN", "")]
    with pytest.raises(ValueError, match="ents"):
        with_ents("some")


def test_options_are_those_of_a_linker(folder):
    assert ents(pipeline(folder, options={"types": ["chemical"]})("fever, ASA")) == [("ASA", "chemical", "C:1")]


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("processes", [1, 2])
def test_streams_are_linked_in_order(folder, processes):
    nlp = pipeline(folder)
    expected = [ents(nlp(text)) for text in TEXTS]
    docs = list(nlp.pipe(TEXTS, n_process=processes, batch_size=2))
    assert [ents(doc) for doc in docs] == expected
    assert docs[0].ents[0]._.candidates[0]["id"] == "D:1"


def test_a_pipeline_is_written_and_read(folder, tmp_path):
    nlp = pipeline(folder, options={"top": 2})
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    assert ents(again(TEXTS[0])) == ents(nlp(TEXTS[0]))
    assert again.get_pipe("truename").kb == str(tmp_path / "nlp" / "truename" / "kb")
    assert again.get_pipe("truename").options == {"top": 2}
    other = spacy.blank("en")
    other.add_pipe("truename")
    other.from_bytes(nlp.to_bytes())
    assert ents(other(TEXTS[0])) == ents(nlp(TEXTS[0]))


def test_the_bundled_knowledge_base_is_the_default(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("truename")
    nlp.to_disk(tmp_path / "nlp")
    assert [ent.kb_id_ for ent in spacy.load(tmp_path / "nlp")("No fever.").ents] == ["D005334"]
