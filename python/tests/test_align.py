"""Alignment of vocabularies: the answers of the command."""

import json
import os
from pathlib import Path

import pytest

import truename as tn
from conftest import run

OTHER = """id,name,synonyms
X:1,Pyrexia,
X:2,Heart attack,MI
X:3,Type 2 diabetes mellitus,
X:4,Acetylsalicylic acid,
X:5,Broken leg,
"""


@pytest.fixture
def other(tmp_path: Path) -> Path:
    (tmp_path / "other.csv").write_text(OTHER, encoding="utf-8")
    return tmp_path / "other.csv"


def test_mappings_are_those_of_the_command(folder, kb, other, tmp_path):
    found = tn.align(
        kb, other, threshold=0.3, metadata={"mapping_date": "2026-11-27", "prefixes": {"X": "http://x.example/"}}
    )
    given = "--threshold", 0.3, "--mapping-date", "2026-11-27", "--prefix", "X=http://x.example/", "--quiet"
    expected = json.loads(run("align", folder, other, *given, "--format", "json").stdout)
    assert found.to_list() == expected["mappings"] and len(found) >= 3
    assert ("D:3", "X:2") in [pair[:2] for pair in found.pairs] and found[-1] == found.to_list()[-1]
    run("align", folder, other, *given, "--out", tmp_path / "command.sssom.tsv")
    for name in ("own.sssom.tsv", "own.sssom.tsv.gz"):
        found.write(tmp_path / name)
    table = (tmp_path / "own.sssom.tsv").read_bytes()
    assert table == (tmp_path / "command.sssom.tsv").read_bytes()
    assert not [name for name in os.listdir(tmp_path) if "partial" in name]
    scores = [tn.evaluate.mappings(tmp_path / "own.sssom.tsv.gz", one) for one in (found, tmp_path / "own.sssom.tsv")]
    assert scores[0] == scores[1] and scores[0]["f1"] == 1.0


def test_a_vocabulary_is_a_knowledge_base_its_folder_or_files(folder, kb, other, tmp_path):
    further = tmp_path / "further.csv"
    further.write_text("id,name\nX:6,Metformin\n")
    of_kb, of_folder = tn.align(kb, [other, further]), tn.align(folder, [other, further])
    assert of_kb.to_list() == of_folder.to_list()
    assert ("C:2", "X:6") in [pair[:2] for pair in of_kb.pairs]


def test_judgements_relations_and_background(kb, other):
    found = tn.align(kb, other, known=[("D:4", "X:5")], exclude=[("D:3", "X:2")], background=[other])
    pairs = [pair[:2] for pair in found.pairs]
    assert ("D:4", "X:5") in pairs and ("D:3", "X:2") not in pairs
    known = next(row for row in found.to_list() if row["subject_id"] == "D:4")
    assert known["mapping_justification"] == "semapv:ManualMappingCuration" and known["confidence"] == 1
    every = tn.align(kb, other, many=True, threshold=0)
    assert len(every) == every.compared > len(tn.align(kb, other))
    assert len(tn.align(kb, other, predicates=["broad"])) == 0 and found.removed == []


def test_mappings_are_a_table_of_arrow(kb, other):
    pa = pytest.importorskip("pyarrow")
    found = tn.align(kb, other)
    table = pa.table(found)
    assert table.num_rows == len(found) == len(found.pairs)
    rows = [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]
    assert rows == found.to_list()


def test_candidates_are_ranked(kb, other, tmp_path):
    lists = tmp_path / "test.cands.tsv"
    lists.write_text("SrcEntity\tTgtEntity\tTgtCandidates\nD:3\tX:2\t('X:2', 'X:5')\nD:9\tX:1\t('X:1', 'X:2', 'X:3')\n")
    scores = tn.evaluate.mappings([], tn.align(kb, other, many=True, threshold=0), candidates=lists)
    # The second concept is unknown: its three candidates share the middle rank, 2.
    assert scores == {"ranking": {"lists": 2, "absent": 1, "mrr": 0.75, "hits@1": 0.5, "hits@5": 1, "hits@10": 1}}


def test_wrong_arguments_are_refused(kb, other, tmp_path):
    with pytest.raises(ValueError, match="threshold"):
        tn.align(kb, other, threshold=2)
    with pytest.raises(ValueError, match="neighbours"):
        tn.align(kb, other, neighbours=0)
    with pytest.raises(ValueError, match="use exact, broad, narrow or related"):
        tn.align(kb, other, predicates=["same"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        tn.align(kb, other, colour="red")
    with pytest.raises(ValueError, match="sssom, oaei, owl or json"):
        tn.align(kb, other).write(tmp_path / "x", format="csv")
    with pytest.raises(FileNotFoundError):
        tn.align(kb, tmp_path / "missing.csv")
