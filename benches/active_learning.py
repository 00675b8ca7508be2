#!/usr/bin/env python3
"""What judgements in the order of the server's review are worth, beside judgements in random order, on ESAppMod.

    python3 benches/active_learning.py --data DIR [--seeds 10] [--out RUNS] [--threads N] [--truename PATH]

The knowledge base has the preferred names alone. For each seed, half of the other names are a column to review, and the other half are asked for.
The server matches the column and says the order and the chances (`/v1/review/order`); a person is stood in for by the labels. After 50, 100 and 200 judgements
the ranker is fitted to them (`calibrate --gold`) and the names of the other half are asked for; the rest of the column is then matched anew, and
its order is made again. Printed, in %: accuracy at 1, mean reciprocal rank and expected calibration error of the other half; accuracy at 1 of the column,
where judged names are right; mean over seeds, and mean and standard error of the difference to random order.
"""

import argparse
import csv
import json
import random
import re
import shutil
import statistics
import subprocess
import urllib.request
from pathlib import Path

import few_labels

COUNTS = [50, 100, 200]
KEYS = ["acc@1", "mrr", "ece"]
COLUMN = "column"
# Share of the first draws that goes by no doubt; that of the page.
SHARE = 0.1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="the folder with the folder esappmod")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("active-learning"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--truename", default="truename")
    arguments = parser.parse_args()
    names = few_labels.read(arguments.data / "esappmod", arguments.out)
    run(arguments, "kb", "import", arguments.out / "kb.jsonl", "--out", arguments.out / "kb", "--force")
    results = {}
    for seed in range(arguments.seeds):
        for order in ["doubtful", "random"]:
            file = arguments.out / f"{order}-{seed}.json"
            if not file.exists():
                file.write_text(json.dumps(reviewed(arguments, names, seed, order)))
            results[order, seed] = {int(count): scores for count, scores in json.loads(file.read_text()).items()}
        print(f"seed {seed} done", flush=True)
    report(results, arguments.seeds)


def reviewed(arguments, names, seed, order):
    """The scores after each number of judgements."""
    drawn = list(names)
    random.Random(seed).shuffle(drawn)
    column, asked = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
    kb, gold = arguments.out / f"kb-{order}-{seed}", arguments.out / f"gold-{order}-{seed}.csv"
    shutil.rmtree(kb, ignore_errors=True)
    shutil.copytree(arguments.out / "kb", kb)
    few_labels.write(arguments.out / f"asked-{seed}.csv", asked)
    server = Server(arguments, kb)
    judged, rest = [], column
    scores = {0: evaluated(arguments, kb, seed) | of_column(arguments, kb, judged, rest)}
    for count in COUNTS:
        drawn = server.order([name for name, _ in rest], seed) if order == "doubtful" else [(place, 1.0) for place in range(len(rest))]
        first = drawn[: count - len(judged)]
        judged += [(*rest[place], chance) for place, chance in first]
        taken = {place for place, _ in first}
        rest = [name for place, name in enumerate(rest) if place not in taken]
        write_drawn(gold, judged)
        run(arguments, "calibrate", "--kb", kb, "--gold", gold)
        scores[count] = evaluated(arguments, kb, seed) | of_column(arguments, kb, judged, rest)
    server.end()
    shutil.rmtree(kb)
    return scores


class Server:
    def __init__(self, arguments, kb):
        command = [arguments.truename, "--threads", str(arguments.threads), "serve", "--kb", f"kb={kb}", "--port", "0"]
        self.child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http://\S+", self.child.stderr.readline())[0].rstrip("/")

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def order(self, names, seed):
        links = []
        for start in range(0, len(names), 500):
            links += self.post("/v1/match", {"names": names[start : start + 500]})["links"]
        answers = []
        for link in links:
            probabilities = [candidate["probability"] for candidate in link["candidates"]] + [0, 0]
            answers.append({"probability": probabilities[0], "next": probabilities[1]})
        found = self.post("/v1/review/order", {"answers": answers, "seed": seed, "share": SHARE})
        return list(zip(found["order"], found["chances"]))

    def end(self):
        self.child.terminate()
        self.child.wait()


def write_drawn(path, judged):
    """Writes judgements with the chance with which each name was drawn."""
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", "id", "chance"])
        table.writerows((name, "|".join(sorted(ids)), chance) for name, ids, chance in judged)


def evaluated(arguments, kb, seed):
    """The scores of the names of the other half."""
    scores = scored(arguments, kb, arguments.out / f"asked-{seed}.csv")
    return {key: 100 * scores[key] for key in KEYS}


def of_column(arguments, kb, judged, rest):
    """The accuracy of the column, where judged names are right."""
    few_labels.write(arguments.out / "rest.csv", rest)
    right = len(judged) + len(rest) * scored(arguments, kb, arguments.out / "rest.csv")["acc@1"]
    return {COLUMN: 100 * right / (len(judged) + len(rest))}


def scored(arguments, kb, gold):
    out = arguments.out / "scores.json"
    run(arguments, "evaluate", "names", "--kb", kb, "--gold", gold, "--json", out)
    return json.loads(out.read_text())


def run(arguments, *command):
    subprocess.run([arguments.truename, "-q", "--threads", str(arguments.threads), *map(str, command)], check=True, stdout=subprocess.DEVNULL)


def report(results, seeds):
    for key in [*KEYS, COLUMN]:
        print(f"\n{key:12}{'random':>10}{'doubtful':>10}{'difference':>12}")
        for count in [0, *COUNTS]:
            found = {order: [results[order, seed][count][key] for seed in range(seeds)] for order in ["random", "doubtful"]}
            mean = {order: statistics.mean(values) for order, values in found.items()}
            differences = [doubtful - plain for doubtful, plain in zip(found["doubtful"], found["random"])]
            error = statistics.stdev(differences) / seeds**0.5 if seeds > 1 else 0.0
            difference = statistics.mean(differences)
            print(f"{count:<12}{mean['random']:10.2f}{mean['doubtful']:10.2f}{difference:+12.2f} ± {error:.2f}")


if __name__ == "__main__":
    main()
