#!/usr/bin/env bash
# Changes one byte of a store's file N times and counts the results of all commands on it: scripts/damage.sh [N].
# `kb check` must report every change, and no command may end by a signal, panic or hang. The binary is
# $TRUENAME; without it the release build is made and used.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${TRUENAME:-}" ]; then
    cargo build --release --quiet -p truename-cli
    TRUENAME="${CARGO_TARGET_DIR:-$PWD/target}/release/truename"
fi
export TRUENAME
exec python3 - "${1:-1000}" "$PWD/crates/truename-infer/tests/models/bert" <<'PYTHON'
import collections, concurrent.futures, json, os, random, shutil, subprocess, sys, tempfile, time

CHANGES, ENCODER = int(sys.argv[1]), sys.argv[2]
CUTS = max(CHANGES // 50, 4)
TRUENAME, SECONDS, PAGE = os.environ["TRUENAME"], 20, 4096
ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "2"}
WORDS = "acute alpha beta cell chronic disease factor fever gamma heart infection kinase liver lung pain protein receptor syndrome tumor type".split()
folder = tempfile.mkdtemp(prefix="damage-")


def run(arguments, at=folder, seconds=SECONDS):
    done = subprocess.run([TRUENAME, "-q", *arguments], cwd=at, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds)
    return done.returncode, done.stdout, done.stderr


def must(*arguments):
    code, _, errors = run(arguments, seconds=None)
    assert code == 0, (arguments, errors)


def concepts(numbers, word):
    chosen = random.Random(7)
    for number in numbers:
        name = " ".join(chosen.sample(WORDS, 3))
        yield json.dumps({"id": f"X:{number}", "name": f"{name} {number}", "synonyms": [f"{word} {number} {name}"], "types": ["disease"], "definition": name * 3}) + "\n"


def write(name, lines):
    with open(os.path.join(folder, name), "w") as file:
        file.writelines(lines)


write("a.jsonl", concepts(range(1500), "old"))
write("b.jsonl", concepts(range(1000, 1800), "new"))
write("c.jsonl", concepts(range(10), "newer"))
write("names.txt", ["heart fever kinase 17\n", "acute lung pain\n", "new 1500 tumor\n", "no such thing\n"])
write("text.txt", ["A patient with acute lung pain 12 and heart fever kinase 17 (HFK). HFK is rare.\n"])
must("kb", "import", "a.jsonl", "--out", "kb", "--encoder", ENCODER)
must("kb", "update", "b.jsonl", "--replace", "--kb", "kb", "--encoder", ENCODER)
must("calibrate", "--kb", "kb")
with open(os.path.join(folder, "kb", "data.mdb"), "rb") as file:
    whole = file.read()

COMMANDS = {
    "kb check": ["kb", "check", "--kb", "kb"],
    "kb check --deep": ["kb", "check", "--deep", "--kb", "kb"],
    "kb info": ["kb", "info", "--kb", "kb"],
    "kb search": ["kb", "search", "heart", "fever", "--kb", "kb"],
    "kb show": ["kb", "show", "X:17", "--kb", "kb"],
    "kb export": ["kb", "export", "--kb", "kb"],
    "match": ["match", "../names.txt", "--kb", "kb"],
    "match --encoder": ["match", "../names.txt", "--kb", "kb", "--encoder", ENCODER],
    "link": ["link", "../text.txt", "--kb", "kb"],
    "link --encoder": ["link", "../text.txt", "--kb", "kb", "--encoder", ENCODER],
    "kb update": ["kb", "update", "../c.jsonl", "--replace", "--kb", "kb"],
    # As a store of an older version, without checksums: only its records can be read.
    "check without sums": ["kb", "check", "--kb", "kb"],
}


def outcome(code, errors):
    if code == 101 or "panicked" in errors:
        return "panic"
    if code < 0 or code >= 128:
        return "signal"
    return "answer" if code == 0 else "error" if "error:" in errors else "silent"


def change(number):
    """Runs every command on a copy with one changed byte; half of the bytes are in a page header."""
    chosen = random.Random(number)
    at = chosen.randrange(len(whole))
    if number % 2:
        at = at // PAGE * PAGE + chosen.randrange(64)
    with tempfile.TemporaryDirectory(dir=folder) as copy:
        shutil.copytree(os.path.join(folder, "kb"), os.path.join(copy, "kb"))
        with open(os.path.join(copy, "kb", "data.mdb"), "r+b") as file:
            file.seek(at)
            file.write(bytes([whole[at] ^ chosen.randrange(1, 256)]))
        found = {}
        for name, arguments in COMMANDS.items():
            if name == "check without sums":
                os.remove(os.path.join(copy, "kb", "data.sum"))
            try:
                code, out, errors = run(arguments, copy)
            except subprocess.TimeoutExpired:
                found[name] = "hang"
                continue
            found[name] = outcome(code, errors)
            if name == "kb check":
                reported = code == 1 and "is damaged" in errors or "others differ" in out
                found["found"] = ("in use" if code else "unused") if reported else "missed"
            if found[name] in ("panic", "signal", "silent"):
                print(f"change {number}, byte {at}: {name}: {found[name]}: {code} {errors.strip()[:300]}", file=sys.stderr)
        return at, found


def cut(number):
    """Cuts the file while `match` reads it."""
    chosen = random.Random(number)
    with tempfile.TemporaryDirectory(dir=folder) as copy:
        shutil.copytree(os.path.join(folder, "kb"), os.path.join(copy, "kb"))
        command = [TRUENAME, "-q", "match", "-", "--kb", "kb"]
        process = subprocess.Popen(command, cwd=copy, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stdin.write(b"name\n" + b"acute lung pain 12\n" * 1000)
        process.stdin.flush()
        time.sleep(chosen.uniform(0.05, 0.5))
        os.truncate(os.path.join(copy, "kb", "data.mdb"), chosen.randrange(len(whole)))
        try:
            names = "".join(f"{chosen.choice(WORDS)} {chosen.choice(WORDS)} {n}\n" for n in range(3000))
            _, errors = process.communicate(names.encode(), timeout=SECONDS * 3)
            return outcome(process.returncode, errors.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            process.kill()
            return "hang"


try:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        changes = list(pool.map(change, range(CHANGES)))
        cuts = collections.Counter(pool.map(cut, range(CUTS)))
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"{CHANGES} changed bytes in a file of {len(whole):,}")
counted = collections.Counter(found["found"] for _, found in changes)
print(f"kb check found {counted['in use']} in use and {counted['unused']} not in use, and missed {counted['missed']}")
kinds = ["answer", "error", "silent", "panic", "signal", "hang"]
print("".join(f"{kind:>8}" for kind in kinds))
bad = counted["missed"]
for name, counted in [(name, collections.Counter(found[name] for _, found in changes)) for name in COMMANDS] + [(f"match, file cut ({CUTS})", cuts)]:
    print("".join(f"{counted[kind]:8}" for kind in kinds) + f"  {name}")
    bad += sum(counted[kind] for kind in kinds[2:])
sys.exit(bad > 0)
PYTHON
