"""Places of knowledge bases and models, by which all hosts of a job open the same one.

A place is a path that all hosts share, a file that Spark sends to its workers, or the URL of a pack. A pack comes to a host once: one process
downloads and unpacks it under a lock that the system releases when the process ends, and the others find the folder.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ._truename import KnowledgeBase, _cache_folder

_ENDING = ".tar.zst"
"""Ending of the name of a pack."""
_PACK = re.compile(r".+-[0-9a-f]{32}" + re.escape(_ENDING))
"""Name of a pack: that of the folder, and the hash of the pack."""


def shared(path: str | os.PathLike[str]) -> str:
    """Return the place that stands for a path, a file sent by Spark or a URL on every host.

    A URL without a hash is completed here, once for all workers. Raises FileNotFoundError if no pack has it, ValueError if several have.
    """
    path = os.fspath(path)
    if _is_url(path):
        return _pack_at(path)
    return os.path.abspath(path) if os.path.exists(path) else path


def on_this_host(place: str) -> str:
    """Return the path of a place on this host; the pack of a URL is downloaded and unpacked where it is not there yet."""
    if _is_url(place):
        return _downloaded(place)
    return place if os.path.exists(place) else _sent_by_spark(place)


def _is_url(path: str) -> bool:
    return "://" in path


def _sent_by_spark(place: str) -> str:
    """Return the path of a file or archive that Spark sent. Raises FileNotFoundError if it sent none of the name."""
    if "pyspark" in sys.modules:
        from pyspark import SparkFiles

        # There is no folder of files where no session is.
        with suppress(AssertionError):
            for name in (place, os.path.basename(place)):
                path = os.path.join(SparkFiles.getRootDirectory(), name)
                if os.path.exists(path):
                    return path
    raise FileNotFoundError(
        f"{place} is not on the host {socket.gethostname()}\n"
        "hint: give a path that all hosts have, the URL of a pack (KnowledgeBase.pack makes one), or the name of a file sent by "
        "SparkContext.addFile"
    )


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, that of fsspec or else of pyarrow, and the path of the URL in it."""
    from pyarrow import fs

    try:
        from fsspec.core import url_to_fs

        found, path = url_to_fs(url)
        return fs.PyFileSystem(fs.FSSpecHandler(found)), path
    except (ImportError, ValueError) as error:
        try:
            found, path = fs.FileSystem.from_uri(url)
        except ValueError:
            raise ValueError(f"{url} cannot be read: {error}") from error
        return found, path


def _pack_at(url: str) -> str:
    """Return the URL of the one pack that a URL names, with its hash or without."""
    from pyarrow.fs import FileSelector

    folder, _, name = url.rstrip("/").rpartition("/")
    if _PACK.fullmatch(name):
        return url
    files, path = _filesystem(folder)
    hashed = re.compile(re.escape(name.removesuffix(_ENDING)) + r"-[0-9a-f]{32}" + re.escape(_ENDING))
    listed = files.get_file_info(FileSelector(path, allow_not_found=True))
    found = sorted({file.base_name for file in listed if hashed.fullmatch(file.base_name)})
    if len(found) == 1:
        return f"{folder}/{found[0]}"
    if found:
        raise ValueError(f"{url} stands for several packs: {', '.join(found)}\nhint: give the URL of one of them")
    raise FileNotFoundError(
        f"{folder} has no pack of the name {name}\nhint: KnowledgeBase.pack makes one; copy it there as it is named"
    )


def _downloaded(url: str) -> str:
    """Return the folder of the pack at a URL, which one process of the host downloads."""
    packs, name = _cache_folder() / "packs", url.rpartition("/")[2]
    folder = packs / name.removesuffix(_ENDING)
    if folder.exists():
        return str(folder)
    packs.mkdir(parents=True, exist_ok=True)
    with _locked(packs / f".{name}.lock"):
        if folder.exists():
            return str(folder)
        download = packs / f".{name}.download"
        # A process that was killed here left what it had.
        shutil.rmtree(download, ignore_errors=True)
        download.mkdir()
        try:
            files, path = _filesystem(url)
            with files.open_input_stream(path, compression=None) as source, open(download / name, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            return KnowledgeBase.unpack(download / name, packs)
        finally:
            shutil.rmtree(download, ignore_errors=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file. The system releases that of a process that ends, however it ends."""
    with open(path, "ab") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            while True:
                # Waits ten seconds at the longest.
                with suppress(OSError):
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
