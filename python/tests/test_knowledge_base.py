import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import truename as tn
from conftest import CONCEPTS, run


def test_concepts_and_statistics_are_those_of_the_command(kb, folder):
    assert kb["D:1"] == json.loads(run("kb", "show", "D:1", "--kb", folder).stdout)
    assert kb.info() == json.loads(run("kb", "info", "--json", "--kb", folder).stdout)
    assert kb.get("D:1")["name"] == "Fever" and "D:1" in kb
    assert kb.get("none") is None and kb.get("none", 1) == 1 and "none" not in kb
    with pytest.raises(KeyError, match="none"):
        kb["none"]
    assert kb.types() == ["chemical", "disease", "sign"]
    assert kb.path == folder


def test_a_pack_is_the_same_knowledge_base(kb, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUENAME_CACHE", str(tmp_path / "cache"))
    pack = kb.pack(tmp_path / "packs")
    assert isinstance(pack, str) and kb.pack(str(tmp_path / "packs")) == pack
    own = tn.KnowledgeBase.unpack(pack, into=tmp_path / "own")
    copy, opened = tn.KnowledgeBase.open(own), tn.KnowledgeBase.open(pack)
    assert opened.path == Path(tn.KnowledgeBase.unpack(pack)) == tmp_path / "cache" / "packs" / Path(own).name
    assert len(kb.fingerprint) == 16 and kb.info()["fingerprint"] == kb.fingerprint
    assert copy.fingerprint == opened.fingerprint == kb.fingerprint
    assert copy.matcher(top=3).fingerprint == opened.linker().fingerprint == kb.linker(explain=True).fingerprint
    assert copy.matcher(top=2).match(["hart failure"]).to_list() == kb.matcher(top=2).match(["hart failure"]).to_list()
    with pytest.raises(RuntimeError, match="is a pack, which is not written to"):
        opened.update(remove=["D:1"])
    copy.update(remove=["D:1"])
    assert copy.fingerprint != kb.fingerprint and copy.matcher().fingerprint != kb.matcher().fingerprint
    Path(pack).write_bytes(Path(pack).read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="is not whole or was changed"):
        tn.KnowledgeBase.unpack(pack, tmp_path / "other")


def test_shards_answer_as_the_whole(kb, tmp_path):
    concepts = sorted(
        (json.loads(line) for line in run("kb", "export", "--kb", kb.path).stdout.splitlines()),
        key=lambda one: one["id"],
    )
    shards = []
    for shard in range(2):
        table = tmp_path / f"{shard}.jsonl"
        table.write_text("".join(json.dumps(concept) + "\n" for concept in concepts[shard::2]), encoding="utf-8")
        shards.append(tn.KnowledgeBase.build([table], out=tmp_path / f"shard-{shard}"))
    names = ["hart failure", None, "heart atack", "D:1", "MI"]
    with pytest.raises(RuntimeError, match="not weighed by the names of the same shards") as refused:
        tn.KnowledgeBase.gather(shards, names, tmp_path / "none")
    assert any("KnowledgeBase.weigh(" in note for note in refused.value.__notes__)
    assert tn.KnowledgeBase.weigh(shards) == kb.info()["names"]
    second = tn.KnowledgeBase.gather(shards, names, tmp_path / "second", progress=lambda *step: None)
    assert (
        second.matcher(top=5, explain=True).match(names).to_list()
        == kb.matcher(top=5, explain=True).match(names).to_list()
    )
    files = [tmp_path / "0.frequencies", tmp_path / "1.frequencies"]
    for shard, file in zip(shards, files, strict=True):
        shard.frequencies(file)
    assert tn.KnowledgeBase.weigh(shards[:1], frequencies=files) == kb.info()["names"]
    with pytest.raises(RuntimeError, match="not of all its names"):
        tn.KnowledgeBase.weigh(shards[:1], frequencies=files[1:])


def test_search_lists_what_the_command_lists(kb, folder):
    found = kb.search("hart failure", top=3)
    lines = run("kb", "search", "hart failure", "--top", 3, "--kb", folder, "--quiet").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == [candidate.id for candidate in found]
    assert found[0].id == "D:4" and 0 < found[0].probability <= 1 and found[0].scores["exact"] >= 0
    assert found[0].to_dict()["preferred_name"] == "Heart Failure" and "D:4" in repr(found[0])
    assert [one.id for one in kb.search("MI", types=["chemical"])] != ["D:3", "D:5"]


def test_a_knowledge_base_is_built_updated_and_replaced(tmp_path, caplog):
    table = tmp_path / "a.csv"
    table.write_text("id,name\n1,aspirin\n2,\n", encoding="utf-8")
    told = []
    with caplog.at_level(logging.INFO, "truename"):
        kb = tn.KnowledgeBase.build([table], out=tmp_path / "kb", progress=lambda *step: told.append(step))
    assert "a.csv:3" in caplog.text
    assert told and all(done <= total or total == 0 for _, done, total in told)
    with pytest.raises(FileExistsError, match="exists") as raised:
        tn.KnowledgeBase.build([table], tmp_path / "kb")
    assert "`force`" in raised.value.__notes__[0] and "kb.update" in raised.value.__notes__[0]
    table.write_text("id,name\n1,aspirin\n3,heparin\n", encoding="utf-8")
    assert kb.update([table]) == {"added": 1, "changed": 0, "removed": 0}
    assert kb.update(remove=["1"])["removed"] == 1
    assert kb.matcher().one("heparin").id == "3" and "1" not in kb
    tn.KnowledgeBase.check(tmp_path / "kb", deep=True)
    table.write_text("A;x|y\n", encoding="utf-8")
    other = tn.KnowledgeBase.build([table], tmp_path / "kb", force=True, delimiter=";", no_header=True, separator="|")
    assert other.matcher().one("y").id == "A"


def test_judgements_are_learnt_and_forgotten(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("id,name,synonyms\n1,aspirin,ASA\n2,heparin,\n", encoding="utf-8")
    kb = tn.KnowledgeBase.build([table], tmp_path / "kb")
    matcher = kb.matcher(explain=True)
    assert matcher.one("blood thinner").id is None
    judged = [("blood thinner", "2"), ("ASA", None), ("plan", "never a mention"), ("x", "9")]
    assert kb.learn(judged) == {"learnt": 3, "unchanged": 0, "unknown": 1}
    assert matcher.one("Blood-thinner").id == "2" and matcher.one("ASA").id is None
    [(name, _, date)] = [row for row in kb.judgements() if row[1] == "2"]
    assert name == "blood thinner"
    assert f"You judged this on {date}." in matcher.one("blood thinner").explanation
    file = tmp_path / "gold.csv"
    file.write_text("name,id,date\nblood thinner,1,2026-11-26\n", encoding="utf-8")
    assert kb.learn(file)["learnt"] == 1
    assert matcher.one("blood thinner").candidates[0].alias_source == "judged 2026-11-26"
    assert kb.forget(["blood thinner", "flu"]) == 1
    assert sorted(name for name, _, _ in kb.judgements()) == ["ASA", "plan"]
    table.write_text("id,name\n1,acetylsalicylic acid\n", encoding="utf-8")
    with pytest.raises(ValueError, match="would take from 1 of 1 replaced concept") as raised:
        kb.update([table])
    assert "kb.learn" in raised.value.__notes__[0] and "`replace`" in raised.value.__notes__[0]
    assert kb.update([table], replace=True)["changed"] == 1
    assert matcher.one("ASA").id is None


def test_options_of_reading_are_checked(tmp_path):
    with pytest.raises(ValueError, match="no format"):
        tn.KnowledgeBase.build(["a"], tmp_path / "kb", format="word")
    with pytest.raises(ValueError, match="scope"):
        tn.KnowledgeBase.build(["a"], tmp_path / "kb", scopes=["wide"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'collumn'") as raised:
        tn.KnowledgeBase.build(["a"], tmp_path / "kb", collumn="x")
    assert "id_column" in raised.value.__notes__[0]
    with pytest.raises(TypeError, match="argument 'skip_rows'"):
        tn.KnowledgeBase.build(["a"], tmp_path / "kb", skip_rows="x")


def test_the_bundled_knowledge_base_is_there(tmp_path):
    kb = tn.bundled()
    assert kb["D005334"]["name"] == "Fever" and "bundled" in repr(kb)
    assert kb.linker().link("No fever.")[0].id == "D005334"


def test_the_package_is_imported_quickly_and_needs_no_other():
    code = (
        "import sys, time; start = time.perf_counter(); import truename; print(time.perf_counter() - start);"
        "print([name for name in ('numpy', 'pandas', 'polars', 'pyarrow') if name in sys.modules])"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert all(run.stdout.splitlines()[1] == "[]" for run in runs)
    # A machine that is busy is slower; the best of three is what the import takes.
    assert min(float(run.stdout.splitlines()[0]) for run in runs) < 0.05


def test_a_closed_set_of_names_is_public():
    assert set(tn.__all__) <= set(dir(tn))
    assert tn.__version__ == run("--version").stdout.split()[-1]
    with pytest.raises(AttributeError):
        tn.nothing  # noqa: B018


def test_tables_are_read_as_the_command_reads_them(tmp_path, folder):
    (tmp_path / "concepts.csv").write_text(CONCEPTS, encoding="utf-8")
    run("kb", "import", tmp_path / "concepts.csv", "--out", tmp_path / "kb")
    assert Path(folder, "data.mdb").stat().st_size == Path(tmp_path, "kb", "data.mdb").stat().st_size
