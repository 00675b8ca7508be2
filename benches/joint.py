"""One reading that finds and links (`task.kind = "joint"`) beside two models and beside names alone: NCBI's test part over MEDIC, and BC5CDR's
development part over MeSH's descriptors.

    python3 benches/joint.py --data DIR --encoder MODEL --out RUNS [--only SET …] [--threads N] [--truename PATH]

Trains on the train part the model of `recipes/joint-bc5cdr.toml` (with NCBI's one type), a recognizer by the same schedule, and the encoder of
`recipes/in-context.toml`; a model that is there is not trained again, a broken run goes on. NCBI's development part, and a tenth of BC5CDR's train
part, which no model learns, choose nothing but the mapping of the scores in context. Prints for each set-up the scores of `evaluate link`, the
abstracts a second of `link` on one thread (median of three), accuracy and recall of given mentions as `benches/prompt_bioel.py` counts them, and the
interval of the difference in F1 of mentions and ids between one model and two, by 2,000 bootstrap samples of the abstracts. The sources of the data
stand in benches/data.md.
"""

import argparse
import json
import random
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from prompt_bioel import CASES, RECIPES, call, line, linked, local, recalls, scored, set_all

SETS = ["ncbi", "bc5cdr"]
# The types of NCBI's corpus, which are kinds of one.
TYPES = {name: "Disease" for name in ["SpecificDisease", "DiseaseClass", "Modifier", "CompositeMention"]}
MEASURES = ["mentions, strict", "mention and id", "id of given mentions"]
# The recognizer of a set-up, and its encoder; without one, names are linked by MiniLM-L6.
SETUPS = {"names alone": ("recognizer", None), "two models": ("recognizer", "encoder"), "one model": ("joint", "joint")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--truename", default="truename")
    arguments = parser.parse_args()
    for name in arguments.only:
        out = arguments.out / name
        out.mkdir(parents=True, exist_ok=True)
        case = CASES[name](arguments, out)
        train(arguments, out, case, typed(case) if name == "ncbi" else plain(case))
        print(name)
        compare(arguments, out, case)


def compare(arguments, out, case):
    kbs = {name: attached(arguments, out, case, name, *models) for name, models in SETUPS.items()}
    answers, seconds = {}, {name: [] for name in SETUPS}
    for _ in range(3):
        for name, kb in kbs.items():
            begun = time.time()
            answers[name] = run(arguments, "--threads", 1, "link", case["gold"], "--kb", kb)
            seconds[name].append(time.time() - begun)
    known, counted = case["ids"](), {}
    for name, kb in kbs.items():
        report = run(arguments, "evaluate", "link", "--gold", case["gold"], "--kb", kb)
        scores = [re.search(rf"^{measure} +(.*)$", report, re.M)[1] for measure in MEASURES]
        counted[name] = counts(answers[name], gold(case), known)
        rate = len(counted[name]) / statistics.median(seconds[name])
        print(f"{name:12}" + "; ".join(f"{measure} {' '.join(found.split())}" for measure, found in zip(MEASURES, scores)) + f"; {rate:.1f} abstracts/s")
        given = list(linked(arguments, out, case, kb, name.replace(" ", "-"), top=64))
        print(line(f"{name}, given mentions", scored(given)), recalls(given))
    print("one model less two: F1 of mention and id {:+.2f} to {:+.2f} (95 %)".format(*interval(counted["one model"], counted["two models"])))


def typed(case):
    types = json.dumps(TYPES).replace('": "', '" = "')
    parts = [f"data.{part}=[{{path = {json.dumps(case[part][0])}, types = {types}}}]" for part in ["train", "dev"]]
    return [*parts, "types.Chemical="]


def plain(case):
    return [f"data.{part}={json.dumps(case[part])}" for part in ["train", "dev"]]


def train(arguments, out, case, corpora):
    runs = {
        "joint": ("joint-bc5cdr.toml", ["--kb", case["kb"]], corpora),
        "recognizer": ("joint-bc5cdr.toml", [], ['task.kind="recognize"', *corpora]),
        "encoder": ("in-context.toml", ["--kb", case["kb"]], plain(case)),
    }
    for name, (recipe, flags, keys) in runs.items():
        if not (out / name / "done").exists():
            command = ["train", RECIPES / recipe, "--encoder", arguments.encoder, *flags, "--out", out / name, "--resume", *set_all(keys)]
            use = call(arguments, command, out / f"{name}.log")
            (out / name / "done").write_text(json.dumps(use))


def attached(arguments, out, case, name, recognizer, encoder):
    kb, making = out / f"kb-{name.replace(' ', '-')}", out / "making"
    if not kb.exists():
        shutil.rmtree(making, ignore_errors=True)
        shutil.copytree(case["kb"], making)
        call(arguments, ["kb", "models", "add", out / recognizer, "--kb", making])
        if encoder:
            call(arguments, ["kb", "embed", "--kb", making, "--encoder", out / encoder])
        making.rename(kb)
    return kb


def run(arguments, *command):
    command = [str(part) for part in [arguments.truename, "-q", *command]]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def gold(case):
    """The mentions of each abstract: their places and ids."""
    mentions = {}
    for mention in case["mentions"]():
        ((document, *place),) = mention["places"]
        mentions.setdefault(document, []).append((tuple(place), {local(id) for id in mention["ids"]}))
    return mentions


def counts(answers, gold, known):
    """The found, gold and right mentions of each abstract."""
    found = {}
    for document in map(json.loads, answers.splitlines()):
        answered = {(one["start"], one["end"]): known[local(one["id"])] for one in document["mentions"] if one.get("id")}
        right = sum(bool(ids & answered.get(place, set())) for place, ids in gold[document["id"]])
        found[document["id"]] = (len(answered), len(gold[document["id"]]), right)
    return found


def f1(counts):
    found, gold, right = map(sum, zip(*counts))
    return 200 * right / (found + gold)


def interval(one, other):
    draw, documents, differences = random.Random(0), list(one), []
    for _ in range(2000):
        drawn = draw.choices(documents, k=len(documents))
        differences.append(f1([one[document] for document in drawn]) - f1([other[document] for document in drawn]))
    differences.sort()
    return differences[50], differences[-50]


if __name__ == "__main__":
    main()
