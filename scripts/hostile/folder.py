#!/usr/bin/env python3
"""Runs truename on knowledge bases whose folder somebody else has filled: scripts/hostile/folder.py

Links, pipes, hard links, foreign files and patched records must lead no command outside the folder, make it wait, or make it
take much memory. Prints a line a check, and ends with 1 if one fails. The binary is $TRUENAME."""
import os, pathlib, re, resource, shutil, struct, subprocess, sys, tempfile

TRUENAME, SECONDS, MOST_BYTES = os.path.realpath(os.environ["TRUENAME"]), 10, 1 << 30
ENCODER = pathlib.Path(__file__).resolve().parents[2] / "crates/truename-infer/tests/models/bert"
ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "1"}
DIARY = b"dear diary\nwithout an end"
failures = 0


def run(*arguments):
    """Returns the exit code and all that was printed."""
    command = [TRUENAME, "-q", *map(str, arguments)]
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    return done.returncode, done.stdout + done.stderr


def must(*arguments):
    code, printed = run(*arguments)
    assert code == 0, (arguments, printed)


def check(what, body):
    """Runs `body` in a fresh folder with a knowledge base `k`, a `diary` and a folder `victim`."""
    global failures
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(made, folder, dirs_exist_ok=True, symlinks=True)
        os.chdir(folder)
        try:
            wrong = body()
        except subprocess.TimeoutExpired as late:
            wrong = f"{' '.join(late.cmd[2:])} does not end"
        except AssertionError as error:
            wrong = str(error)
        if pathlib.Path("diary").read_bytes() != DIARY or os.listdir("victim") != ["photos"]:
            wrong = f"a file outside was changed; {wrong}"
        os.chdir("/")
    failures += bool(wrong)
    print(f"FAIL  {what}: {wrong}" if wrong else f"ok    {what}")


COMMANDS = [
    ["kb", "info", "--kb", "k"], ["kb", "check", "--kb", "k"], ["kb", "search", "heart", "--kb", "k"], ["match", "kb.tsv", "--kb", "k", "--column", "name"],
    ["kb", "update", "more.tsv", "--kb", "k"], ["kb", "embed", "--kb", "k", "--encoder", ENCODER], ["kb", "compact", "--kb", "k"],
    ["kb", "models", "--kb", "k", "remove", "encoder"], ["review", "export", "--kb", "k"], ["kb", "import", "kb.tsv", "--out", "k", "--force"],
]


def all_end():
    for command in COMMANDS:
        code, printed = run(*command)
        if code not in (0, 1, 2) or b"panicked" in printed:
            return f"{' '.join(map(str, command))} ended with {code}: {printed!r}"


def in_place_of(file, make):
    def body():
        path = pathlib.Path("k", file)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        make(path)
        return all_end()
    return body


def own_folder(file):
    def body():
        pathlib.Path("k", file, "mine").mkdir(parents=True)
        return all_end() or not pathlib.Path("k", file, "mine").is_dir() and "it was removed"
    return body


def model():
    return next(pathlib.Path("k/models").glob("encoder-*"))


def snapshot():
    must("kb", "info", "--kb", "k")
    shutil.copytree("k", "s", copy_function=os.link)
    was = pathlib.Path("s/data.mdb").read_bytes()
    if run("kb", "update", "more.tsv", "--kb", "k")[0] != 1:
        return "an update wrote to both"
    must("kb", "compact", "--kb", "k")
    must("kb", "update", "more.tsv", "--kb", "k")
    must("kb", "check", "--kb", "s")
    return pathlib.Path("s/data.mdb").read_bytes() != was and "the snapshot was changed"


def foreign_files():
    pathlib.Path("k/models/mine").mkdir()
    pathlib.Path("k/models/mine/model.safetensors").touch()
    pathlib.Path("k/models/.DS_Store").touch()
    for command in COMMANDS[4:8]:
        must(*command)
    return sorted(os.listdir("k/models")) != [".DS_Store", "mine"] and f"models holds {os.listdir('k/models')}"


def within_a_model(file, make):
    def body():
        path = model() / file
        path.unlink(missing_ok=True)
        make(path)
        code, printed = run(*COMMANDS[3])
        return code != 1 and f"match ended with {code}" or b"it is a" not in printed and repr(printed)
    return body


def link_in_a_model():
    (model() / "folds").symlink_to("../../../victim")
    must(*COMMANDS[7])


def patch(change):
    """Changes the bytes of the store, as somebody does who leaves its checksums out."""
    path = pathlib.Path("k/data.mdb")
    path.write_bytes(change(path.read_bytes()))
    pathlib.Path("k/data.sum").unlink()


def hash_of(hostile):
    def body():
        own, digits = b'"hash":"', model().name[8:].encode()
        patch(lambda store: re.sub(own + digits + b"." * (len(hostile) - len(digits)), own + hostile, store))
        for command in (*COMMANDS[:2], COMMANDS[3], COMMANDS[7]):
            code, printed = run(*command)
            if code != 1 or b"is damaged" not in printed:
                return f"{' '.join(map(str, command))} ended with {code}: {printed!r}"
    return body


def far_posting():
    """Gives the last posting of each leaf page the last block of names there can be."""
    def change(store):
        store = bytearray(store)
        for page in range(0, len(store), 4096):
            flags, lower = struct.unpack_from("<HH", store, page + 10)
            nodes = [page + struct.unpack_from("<H", store, page + at)[0] for at in range(16, lower, 2)] if flags == 2 else []
            if nodes and all(node + 18 < len(store) and store[node + 6 : node + 8] == b"\x0a\0" and store[node + 16 : node + 18] == b"\0\0" for node in nodes):
                store[nodes[-1] + 16 : nodes[-1] + 18] = b"\xff\xff"
        return store
    patch(change)
    code, printed = run(*COMMANDS[4])
    bytes_taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    return code != 1 and f"update ended with {code}" or bytes_taken > MOST_BYTES and f"a command took {bytes_taken >> 20} MiB" or b"is damaged" not in printed and repr(printed)


def escape_codes():
    patch(lambda store: store.replace(b"myocardial", b"\x1b]0;owned\x07"))
    for command in COMMANDS[0], COMMANDS[2], ["kb", "search", "--names", "infarction", "--kb", "k"], ["kb", "search", "infarction", "--kb", "k"]:
        if b"\x1b" in (printed := run(*command)[1]):
            return repr(printed)


def permissions(mask):
    def body():
        before = os.umask(mask)
        try:
            must("kb", "import", "kb.tsv", "--out", "new")
            must("kb", "embed", "--kb", "new", "--encoder", ENCODER)
            must("kb", "export", "--kb", "new", "--out", "out.jsonl")
            must("match", "kb.tsv", "--kb", "new", "--column", "name", "--out", "out.csv")
        finally:
            os.umask(before)
        written = [file for file in pathlib.Path("new").rglob("*") if file.is_file()]
        for file in [*written, pathlib.Path("out.jsonl"), pathlib.Path("out.csv")]:
            if (mode := file.stat().st_mode & 0o777) != 0o666 & ~mask:
                return f"{file} has the permissions {mode:o}"
    return body


with tempfile.TemporaryDirectory() as made:
    os.chdir(made)
    pathlib.Path("kb.tsv").write_text("id\tname\nX:1\tmyocardial infarction\nX:1\theart attack\nX:2\theart failure\n")
    pathlib.Path("more.tsv").write_text("id\tname\nX:3\tstroke\n")
    pathlib.Path("diary").write_bytes(DIARY)
    pathlib.Path("victim/photos").mkdir(parents=True)
    must("kb", "import", "kb.tsv", "--out", "k", "--encoder", ENCODER)
    for file in ["lock.mdb", "data.mdb", "data.sum", "data.sum.partial", ".data.mdb.compact", "judgements.jsonl"]:
        check(f"a link as {file}", in_place_of(file, lambda path: path.symlink_to("../diary")))
        check(f"a pipe as {file}", in_place_of(file, os.mkfifo))
        check(f"a hard link as {file}", in_place_of(file, lambda path: path.hardlink_to("diary")))
    for file in ["data.sum.partial", ".data.mdb.compact", "models/mine"]:
        check(f"an own folder as {file}", own_folder(file))
    check("a snapshot of hard links", snapshot)
    check("a link as models", in_place_of("models", lambda path: path.symlink_to("../victim")))
    check("foreign files in models", foreign_files)
    check("a link in a model", link_in_a_model)
    for file in ["model.safetensors", "tokenizer.json", "more"]:
        check(f"a link as {file} of a model", within_a_model(file, lambda path: path.symlink_to("/dev/zero")))
        check(f"a pipe as {file} of a model", within_a_model(file, os.mkfifo))
    check("a model's hash that leads outside", hash_of(b"/../../../x/"))
    check("a model's hash of other letters", hash_of("0123456789aé".encode()))
    check("a posting of a name that never was", far_posting)
    check("escape codes in names", escape_codes)
    for mask in 0o022, 0o002, 0o077:
        check(f"permissions under umask {mask:03o}", permissions(mask))
    os.chdir("/")
sys.exit(failures > 0)
