"""Knowledge bases in other processes: pickles, spawn, fork."""

import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import truename as tn

NAMES = ["fever", "heart atack", "qqqq", "ASA", "metformine"]


def ids(linker, name):
    return linker.link_name(name).id


def test_pickles_open_anew(kb, folder):
    for original in (kb, tn.KnowledgeBase.open(folder, encoder=False), tn.bundled()):
        again = pickle.loads(pickle.dumps(original))
        assert again.path == original.path and repr(again) == repr(original)
    linker = kb.linker(types=["disease"], top=3, threads=1)
    again = pickle.loads(pickle.dumps(linker))
    assert again.link("fever, NIDDM") == linker.link("fever, NIDDM")
    assert len(again.link_name("MI").candidates) == 2
    matcher = pickle.loads(pickle.dumps(kb.matcher(top=2)))
    assert len(matcher.one("MI").candidates) == 2


@pytest.mark.parametrize(
    "method", [m for m in ("spawn", "fork", "forkserver") if m in multiprocessing.get_all_start_methods()]
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_every_kind_of_process_answers_the_same(kb, method):
    linker = kb.linker(threads=2)
    expected = [ids(linker, name) for name in NAMES]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(ids, [linker] * len(NAMES), NAMES)) == expected
    assert [ids(linker, name) for name in NAMES] == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_objects_of_the_parent_answer_in_the_child(kb, tmp_path):
    linker, matcher = kb.linker(), kb.matcher()
    docs = linker.link_many(["fever", "ASA"], batch=1)
    expected = (linker.link("No fever."), matcher.match(NAMES).ids, next(docs).text)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = linker.link("No fever.") == expected[0] and matcher.match(NAMES).ids == expected[1]
            code = 0 if same and next(docs)[0].id == "C:1" and kb["D:1"] and tn.bundled().types() else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert linker.link("No fever.") == expected[0] and next(docs)[0].id == "C:1"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_may_change_a_knowledge_base(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("id,name\n1,aspirin\n")
    kb = tn.KnowledgeBase.build([table], tmp_path / "kb")
    matcher = kb.matcher()
    table.write_text("id,name\n2,heparin\n")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if kb.update([table])["added"] == 1 and matcher.one("heparin").id == "2" else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert matcher.one("heparin").id == "2"


def test_threads_share_a_linker(kb):
    linker = kb.linker(threads=2)
    expected = [ids(linker, name) for name in NAMES]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda name: ids(linker, name), NAMES * 20)) == expected * 20
    assert threading.active_count() < 20
