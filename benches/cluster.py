#!/usr/bin/env python3
"""Scores `truename cluster` on ReVerb-base, ReVerb-ambiguous and CanonicNELL, beside PICSO's Table 6.

    python3 benches/cluster.py --data DIR --truename target/release/truename --encoder "$MODEL" --out DIR

`DIR/kg-canonicalization` has CUVA's folders (IBM/Open-KG-canonicalization, `data/*_canonicalize`). The names of gold are clustered:
the subjects of ReVerb's triples, as CESI does, and the labelled names of CanonicNELL. The threshold is that of the valid part of
CanonicNELL (`--labelled`), and in a second row that of the silhouette, without labels. Without `--encoder`, names are clustered
by letters. Further arguments behind `--` go to `truename evaluate clusters`, as `-- --words 0`. F1 in %, on one thread.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SETS = {
    "ReVerb-base": "reverb_base_canonicalize/test",
    "ReVerb-ambiguous": "reverb_ambiguous_canonicalize/test",
    "CanonicNELL": "nell165_canonicalize/test",
}
VALID = "nell165_canonicalize/valid"
# PICSO, Table 6: macro and micro F1. The paper gives no pairwise F1.
PAPER = {
    "BERT": {"ReVerb-base": (69.83, 92.35), "ReVerb-ambiguous": (60.10, 81.62), "CanonicNELL": (63.19, 66.93)},
    "SAPBERT": {"ReVerb-base": (82.41, 93.10), "ReVerb-ambiguous": (61.92, 87.98), "CanonicNELL": (74.57, 80.54)},
    "PICSO(W+U)": {"ReVerb-base": (89.21, 93.56), "ReVerb-ambiguous": (62.67, 88.11), "CanonicNELL": (76.39, 81.98)},
}


def evaluate(given, gold, arguments):
    with tempfile.TemporaryDirectory() as folder:
        scores = pathlib.Path(folder) / "scores.json"
        command = [given.truename, "evaluate", "clusters", "--quiet", "--threads", str(given.threads)]
        command += ["--gold", str(gold / "gold_npclust.txt"), "--json", str(scores), *arguments]
        start = time.perf_counter()
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}: {ran.stderr}")
        return json.loads(scores.read_text()) | {"seconds": time.perf_counter() - start}


def row(name, values, rest=""):
    print(f"  {name:<22}" + "".join(f"{value:>9}" for value in values) + f"  {rest}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--truename", default=os.environ.get("TRUENAME", "target/release/truename"))
    parser.add_argument("--encoder", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, help="folder for cluster.json")
    parser.add_argument("flags", nargs="*", help="further arguments of `truename evaluate clusters`, behind --")
    given = parser.parse_args()
    data = given.data / "kg-canonicalization"
    encoder = ["--encoder", str(given.encoder)] if given.encoder else []
    choices = {
        "labelled valid part": ["--labelled", str(data / VALID / "gold_npclust.txt")],
        "silhouette": [],
    }
    found = {}
    valid = evaluate(given, data / VALID, choices["labelled valid part"] + encoder + given.flags)
    print(f"CanonicNELL valid: mean F1 {100 * valid['mean_f1']:.2f} at threshold {valid['threshold']:.4g}, the highest")
    for name, folder in SETS.items():
        print(f"\n{name}")
        row("F1 in %", ["macro", "micro", "pairwise", "mean"])
        for choice, flags in choices.items():
            scores = evaluate(given, data / folder, flags + encoder + given.flags)
            found[f"{name}, {choice}"] = scores
            f1 = [100 * scores[key]["f1"] for key in ["macro", "micro", "pairwise"]] + [100 * scores["mean_f1"]]
            rest = f"threshold {scores['threshold']:.4g}, {scores['names']} names, {scores['seconds']:.1f} s"
            row(choice, [f"{value:.2f}" for value in f1], rest)
        for system, figures in PAPER.items():
            row(f"paper: {system}", [f"{value:.2f}" for value in figures[name]] + ["–", "–"])
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        report = {"encoder": str(given.encoder), "flags": given.flags, "valid": valid, "scores": found}
        (given.out / "cluster.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
