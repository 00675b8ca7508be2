import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import truename as tn


def test_errors_are_pythons_own(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        tn.KnowledgeBase.open(tmp_path / "none")
    assert raised.value.errno == 2 and "none" in str(raised.value)
    with pytest.raises(FileNotFoundError):
        tn.KnowledgeBase.build([tmp_path / "none.csv"], tmp_path / "kb")
    table = tmp_path / "a.csv"
    table.write_bytes("id,name\n1,Sjögren\n".encode("latin-1"))
    with pytest.raises(ValueError) as raised:
        tn.KnowledgeBase.build([table], tmp_path / "kb")
    assert "not UTF-8" in str(raised.value) and "`id_column`" in raised.value.__notes__[0]
    with pytest.raises(LookupError):
        tn.KnowledgeBase.build([table], tmp_path / "kb", encoding="klingon")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="not a knowledge base"):
        tn.KnowledgeBase.open(tmp_path / "empty")
    with pytest.raises(ValueError, match="empty"):
        tn.bundled().get("")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_what_may_not_be_written_is_a_permission_error(tmp_path):
    tmp_path.chmod(0o500)
    (tmp_path / "a.csv").write_text("id,name\n1,a\n")
    with pytest.raises(PermissionError):
        tn.KnowledgeBase.build([tmp_path / "a.csv"], tmp_path / "kb")


def test_a_damaged_knowledge_base_is_an_error(kb, folder, tmp_path):
    data = (folder / "data.mdb").read_bytes()
    (tmp_path / "data.mdb").write_bytes(data[: len(data) // 2])
    with pytest.raises(RuntimeError, match="damaged"):
        tn.KnowledgeBase.open(tmp_path)


def interrupted(code: str) -> float:
    """Run code that prints a line and works; send Ctrl-C; return the seconds until it has ended."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begin\n"
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert "KeyboardInterrupt" in error, error
    return time.monotonic() - start


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_long_work_within_a_second(folder, tmp_path):
    match = (
        "import truename as tn; matcher = tn.bundled().matcher(); print('begin')\n"
        "matcher.match([f'diabtes {n} melitus of type {n}' for n in range(1000000)])"
    )
    assert interrupted(match) < 2
    link = (
        "import truename as tn; linker = tn.bundled().linker(); print('begin')\n"
        "for doc in linker.link_many(('fever and diabetes ' * 3000 for _ in range(100000))): pass"
    )
    assert interrupted(link) < 2
    table = tmp_path / "large.csv"
    with table.open("w") as file:
        file.write("id,name\n")
        file.writelines(f"{number},name number {number} of many names\n" for number in range(600_000))
    build = f"import truename as tn; print('begin'); tn.KnowledgeBase.build([{str(table)!r}], {str(tmp_path / 'kb')!r})"
    assert interrupted(build) < 2
    assert not (tmp_path / "kb" / "data.mdb").exists()


def test_other_threads_go_on_while_the_library_works(kb):
    ticks, done = 0, threading.Event()

    def work():
        kb.matcher().match([f"hart failure {number}" for number in range(20000)])
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 10
