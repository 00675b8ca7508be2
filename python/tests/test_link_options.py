"""Options of a linker: coordinations whose names share words, names that are no mentions."""

from __future__ import annotations

import pickle
from pathlib import Path

import truename as tn


def test_stop_names_are_no_mentions(kb: tn.KnowledgeBase) -> None:
    text = "Heart attack or failure."
    assert not list(kb.linker(stop_names=["heart-attack"]).link(text))


def test_coordinated_names_are_read_each(kb: tn.KnowledgeBase) -> None:
    text = "Heart attack or failure."
    assert [mention.id for mention in kb.linker().link(text)] == ["D:3"]
    linker = kb.linker(composites=True)
    doc = linker.link(text)
    assert [(mention.text, mention.id) for mention in doc] == [
        ("Heart attack or failure", "D:4"),
        ("Heart attack", "D:3"),
    ]
    assert [mention.fragments for mention in doc] == [[(0, 5), (16, 23)], []]
    assert tn.Document.from_json(doc.to_json()) == doc
    assert pickle.loads(pickle.dumps(linker)).link(text) == doc
    dictionary = kb.linker(composites=True, recognizer="dictionary").link(text)
    assert [mention.id for mention in dictionary] == ["D:4", "D:3"]


def test_mentions_without_a_type_get_one(tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("id\tname\nD:1\taspirin\n")
    kb = tn.KnowledgeBase.build([tmp_path / "names.tsv"], tmp_path / "kb")
    assert [mention.types for mention in kb.linker().link("Aspirin.")] == [[]]
    assert [mention.types for mention in kb.linker(type_name="Drug").link("Aspirin.")] == [["Drug"]]
