"""Knowledge bases in other processes: pickles, spawn, fork."""

import multiprocessing
import os
import pickle
import signal
import threading
import time
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


def forked(child):
    """Run a function in a child of a fork. Return what it returned; fail if it hangs or crashes."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = child()
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_amid_calls_of_other_threads_neither_hangs_nor_crashes(kb):
    linker, matcher, ends = kb.linker(), kb.matcher(threads=2), threading.Event()
    expected = [ids(linker, name) for name in NAMES]

    def work():
        while not ends.is_set():
            list(linker.link_many(["No fever.", "Takes ASA."] * 50))
            matcher.match(NAMES * 50)

    def child():
        try:
            return 0 if matcher.match(NAMES).ids == expected and linker.link("fever")[0].id == "D:1" else 1
        except RuntimeError as error:
            # A call took longer than a fork waits.
            return 0 if "forked" in str(error) else 2

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        assert [forked(child) for _ in range(20)] == [0] * 20
    finally:
        ends.set()
        for worker in workers:
            worker.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_what_a_long_call_uses_is_an_error_in_the_child(kb):
    matcher, begun, ends = kb.matcher(), threading.Event(), threading.Event()

    def progress(phase, done, total):
        begun.set()
        if ends.is_set():
            raise StopIteration

    def work():
        with pytest.raises(StopIteration):
            matcher.match([f"hart failure {number}" for number in range(500_000)], progress=progress)

    def child():
        try:
            matcher.one("fever")
        except RuntimeError as error:
            said = "forked" in str(error) and "spawn" in error.__notes__[0]
            return 0 if said and tn.bundled().matcher().one("fever").id == "D005334" else 1
        return 2

    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert begun.wait(60) and forked(child) == 0
        assert matcher.one("fever").id == "D:1"
    finally:
        ends.set()
        worker.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_within_a_call_ends_the_call_of_the_child(kb):
    codes = []

    def progress(phase, done, total):
        if not codes:
            codes.append(None)
            codes[0] = forked(lambda: 7)

    def child():
        forks = []

        def fork(phase, done, total):
            if not forks:
                forks.append(os.fork())

        try:
            kb.matcher().match([f"hart failure {number}" for number in range(100_000)], progress=fork)
        except RuntimeError as error:
            os._exit(0 if "forked" in str(error) else 3)
        return os.waitstatus_to_exitcode(os.waitpid(forks[0], 0)[1])

    assert len(kb.matcher().match([f"hart failure {number}" for number in range(10_000)], progress=progress)) == 10_000
    assert codes == [7]
    assert forked(child) == 0
