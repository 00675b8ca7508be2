#!/usr/bin/env python3
"""Tables, files and kills that once stopped truename: scripts/hostile/tables.py

Prints `ok` or `FAIL` for each check; the exit code is 1 after a failure. The binary is $TRUENAME, or the release build.
"""

import csv, os, pathlib, resource, shutil, signal, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
TRUENAME = pathlib.Path(os.environ.get("TRUENAME", f"{TARGET}/release/truename")).resolve()
ENCODER = ROOT / "crates/truename-infer/tests/models/bert"
SECONDS, MEGABYTES, ROWS, KILLS = 10, 512, 40_000, 5
RECIPE = '[task]\nkind = "groups"\n[sampler]\ngroup = 2\ngroups = 8\n[schedule]\nepochs = 6\n[evaluation]\nshare = 0\n'

failed = 0


def check(what, holds, found=""):
    global failed
    failed += not holds
    print("ok  " if holds else "FAIL", what, "" if holds else f": {found}", flush=True)


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES << 20,) * 2)


def dedupe(folder, name, header, rows):
    """The pairs that `dedupe` lists within its time and memory; none where it does not end well."""
    (folder / name).write_text("".join(f"{row}\n" for row in [header, *rows]))
    command = [TRUENAME, "dedupe", folder / name, "--out", folder / "pairs.csv", "--threads", "2"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None, f"no end within {SECONDS} s"
    if done.returncode:
        return None, done.stderr.strip()[-300:]
    with open(folder / "pairs.csv") as file:
        return list(csv.DictReader(file)), done.stderr


def tables(folder):
    same = "Acme Tools Ltd,12 Main Street,Springfield"
    for what, header, rows in [
        ("equal rows", "name,street,town", [same] * ROWS),
        ("equal rows that differ in an id", "id,name,street,town", [f"{row},{same}" for row in range(ROWS)]),
    ]:
        pairs, said = dedupe(folder, "rows.csv", header, rows)
        listed = pairs is not None and len(pairs) == ROWS - 1 and {pair["cluster"] for pair in pairs} == {"1"}
        check(f"{ROWS:,} {what} are one cluster within {SECONDS} s and {MEGABYTES} MB", listed, said)
    check("the column of ids is named", 'column "id" identifies the rows' in said, said)
    rows = [f"Acme Tools Ltd,{row} Main Street,Springfield" for row in range(ROWS // 4)]
    pairs, said = dedupe(folder, "rows.csv", "name,street,town", rows)
    check(f"{ROWS // 4:,} rows that differ in a number end in time", pairs is not None, said)


def imported(folder, name, text):
    """The exit code of an import, what it says, and the concepts."""
    (folder / name).write_text(text)
    kb = folder / "kb"
    shutil.rmtree(kb, ignore_errors=True)
    done = subprocess.run([TRUENAME, "kb", "import", folder / name, "--out", kb], capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
    exported = subprocess.run([TRUENAME, "kb", "export", "--kb", kb], capture_output=True, text=True).stdout
    return done.returncode, done.stderr, exported


def files(folder):
    row = "norm_text\ttext\tdb\tid\tentry_name\nflu\tflu\t{}\t{}\tinfluenza\n"
    _, said, exported = imported(folder, "terms.tsv", row.format("", "") + "cold\tcold\tmesh\tD003139\tcold\n")
    check("a Gilda row without db and id is listed and no concept", '"id":":"' not in exported and "terms.tsv:2" in said, said)
    head = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
    classes = "".join(f"<owl:Class{about}><rdfs:label>{name}</rdfs:label></owl:Class>" for about, name in [(' rdf:about="http://x.org/1"', "flu"), ("", "cold")])
    _, said, _ = imported(folder, "classes.owl", f"{head}{classes}</rdf:RDF>")
    check("a class without rdf:about is counted", "without an IRI" in said, said)
    code, said, _ = imported(folder, "blank.jsonl", "\n" * (256 << 20))
    check(f"256 MB of blank lines are refused within {SECONDS} s", code == 1, said)
    (folder / "names.csv").write_text('name,note\n"=HYPERLINK(""http://x.org"")",+1\n@SUM(1),-2+3\n')
    safe = subprocess.run([TRUENAME, "-q", "match", folder / "names.csv", "--csv-safe"], capture_output=True, text=True).stdout
    cells = [cell for line in csv.reader(safe.splitlines()) for cell in line]
    check("--csv-safe leaves no formula", len(cells) > 4 and not any(cell[:1] in "=@" and cell or cell == "-2+3" for cell in cells), safe)


def train(folder, out):
    return [TRUENAME, "-q", "train", folder / "recipe.toml", "--kb", folder / "few.jsonl", "--encoder", ENCODER, "--out", out, "--resume"]


def killed_at(command, file):
    """Kills a command as soon as a file is there."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not file.exists():
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()


def trainings(folder):
    (folder / "recipe.toml").write_text(RECIPE)
    names = (f'{{"id":"C{n}","name":"thing {n} of old","synonyms":["old item {n}"]}}\n' for n in range(40))
    (folder / "few.jsonl").write_text("".join(names))
    whole, run = folder / "whole", folder / "run"
    subprocess.run(train(folder, whole), check=True, stdout=subprocess.DEVNULL)
    weights = (whole / "model.safetensors").read_bytes()
    for file in ["recipe.toml", "config.json", "checkpoint.new", "checkpoint", "model.safetensors.new", "model.safetensors"]:
        errors = []
        for _ in range(KILLS):
            shutil.rmtree(run, ignore_errors=True)
            killed_at(train(folder, run), run / file)
            done = subprocess.run(train(folder, run), capture_output=True, text=True)
            if done.returncode or (run / "model.safetensors").read_bytes() != weights:
                errors.append(done.stderr.strip() or "other weights")
        check(f"{KILLS} trainings killed at {file} go on to the same weights", not errors, f"{len(errors)} do not: {errors[:1]}")
    theirs = folder / "theirs"
    shutil.copytree(ENCODER, theirs)
    before = {path.name: path.read_bytes() for path in theirs.iterdir() if path.is_file()}
    code = subprocess.run(train(folder, theirs), capture_output=True).returncode
    after = {path.name: path.read_bytes() for path in theirs.iterdir() if path.is_file()}
    check("a folder with somebody's model is refused and stays as it was", code != 0 and before == after, code)


start = time.time()
with tempfile.TemporaryDirectory(prefix="hostile-") as temporary:
    tables(pathlib.Path(temporary))
    files(pathlib.Path(temporary))
    trainings(pathlib.Path(temporary))
print(f"{time.time() - start:.0f} s")
sys.exit(failed > 0)
