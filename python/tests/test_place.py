"""Places of knowledge bases."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest

import truename as tn

pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")

from truename._batch import MatchBatch
from truename._place import on_this_host, shared


@pytest.fixture(scope="module")
def pack(kb, tmp_path_factory):
    """A pack of the small knowledge base."""
    return Path(kb.pack(tmp_path_factory.mktemp("packs")))


@pytest.fixture
def packs(tmp_path, monkeypatch):
    """The folder of unpacked packs of a host."""
    monkeypatch.setenv("TRUENAME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "packs"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Counts what is fetched."""

    fetched: ClassVar[list[str]] = []

    def do_GET(self):
        self.fetched.append(self.path)
        super().do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(pack):
    """The address of a server of the folder of the pack."""
    pytest.importorskip("aiohttp")
    Handler.fetched.clear()
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(pack.parent)))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    served.server_close()


def left(packs):
    """Return what a host has, but for locks."""
    return sorted(name for name in os.listdir(packs) if not name.endswith(".lock"))


def test_a_pack_of_an_object_store_is_unpacked_once(pack, packs, kb, server):
    files = fsspec.filesystem("memory")
    files.pipe(f"/bucket/{pack.name}", pack.read_bytes())
    name = kb.path.name
    folder = str(packs / pack.name.removesuffix(".tar.zst"))
    for url in (f"file://{pack.parent}", "memory://bucket", server):
        place = shared(f"{url}/{name}")
        assert place == f"{url}/{pack.name}" == shared(f"{url}/{pack.name}")
        assert on_this_host(place) == folder == on_this_host(place)
        assert tn.KnowledgeBase.open(folder).fingerprint == kb.fingerprint
        assert left(packs) == [os.path.basename(folder)]
        shutil.rmtree(packs)
    assert MatchBatch(f"memory://bucket/{name}", "dx").provenance["knowledge_base"] == kb.fingerprint
    files.rm("/bucket", recursive=True)


def test_the_pack_without_a_hash_is_one(pack, kb):
    files, name = fsspec.filesystem("memory"), kb.path.name
    with pytest.raises(FileNotFoundError, match=f"has no pack of the name {name}"):
        shared(f"memory://none/{name}")
    other = f"{name}-{'0' * 32}.tar.zst"
    for stored in (pack.name, f"{name}-notes.tar.zst", f"my{pack.name}"):
        files.pipe(f"/several/{stored}", b"")
    assert shared(f"memory://several/{name}") == f"memory://several/{pack.name}"
    files.pipe(f"/several/{other}", b"")
    with pytest.raises(ValueError, match="several packs") as raised:
        shared(f"memory://several/{name}")
    assert pack.name in str(raised.value) and other in str(raised.value)
    with pytest.raises(ValueError, match="nosuch://bucket"):
        shared("nosuch://bucket/kb")


def test_a_pack_that_is_changed_or_cut_off_is_removed(pack, packs, tmp_path):
    whole = pack.read_bytes()
    middle = len(whole) // 2
    for content in (whole[:middle], b"", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]):
        (tmp_path / pack.name).write_bytes(content)
        with pytest.raises(RuntimeError, match="not whole or was changed"):
            on_this_host(f"file://{tmp_path / pack.name}")
        assert left(packs) == []


def test_a_pack_on_a_path_and_a_folder_are_opened(pack, packs, folder, monkeypatch):
    assert MatchBatch(pack, "dx").provenance["knowledge_base"] == tn.KnowledgeBase.open(folder).fingerprint
    assert left(packs) == [pack.name.removesuffix(".tar.zst")]
    monkeypatch.chdir(folder.parent)
    assert on_this_host(shared(folder.name)) == str(folder)
    with pytest.raises(FileNotFoundError, match="is not on the host"):
        on_this_host(shared("none"))


def test_processes_of_a_host_download_once_and_a_killed_one_harms_nobody(pack, packs, server):
    packs.mkdir(parents=True)
    hold = "import sys; from truename import _place\nwith _place._locked(_place.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    killed = subprocess.Popen(
        [sys.executable, "-c", hold, str(packs / f".{pack.name}.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert killed.stdout.readline() == b"held\n"
    (packs / f".{pack.name}.download").mkdir()
    (packs / f".{pack.name}.download" / pack.name).write_bytes(b"half")
    fetch = f"from truename._place import on_this_host; print(on_this_host('{server}/{pack.name}'))"
    others = [subprocess.Popen([sys.executable, "-c", fetch], stdout=subprocess.PIPE) for _ in range(3)]
    with pytest.raises(subprocess.TimeoutExpired):
        others[0].wait(1)
    killed.kill()
    killed.wait()
    folders = {other.communicate(timeout=60)[0].decode().strip() for other in others}
    assert folders == {str(packs / pack.name.removesuffix(".tar.zst"))}
    assert left(packs) == [pack.name.removesuffix(".tar.zst")]
    # Before it reads, fsspec asks whether the file is there.
    assert Handler.fetched.count(f"/{pack.name}") <= 2
