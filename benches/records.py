#!/usr/bin/env python3
"""Entity resolution on public pairs of records, and on made-up tables.

    python3 benches/records.py run --data DATA --truename target/release/truename --out DIR      # all systems, one table
    python3 benches/records.py make DIR --rows 100000                                            # DIR/left.csv, right.csv, gold.csv
    truename dedupe DIR/left.csv DIR/right.csv --id-column id --gold DIR/gold.csv --out DIR/pairs.csv

`run` needs scikit-learn and PyPI `dedupe` (`pip install scikit-learn dedupe`). Every system decides the same pairs in a process
of its own, on one thread; fitting is part of its seconds. Fitted on the train part, reported on the test part of DBLP-ACM and
DBLP-Scholar, and on the valid part of WDC computers (medium). `lexical` is not fitted; its standard weights were fitted to these
train parts among others (`truename-bench record-weights`).
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import time

SETS = {
    "DBLP-ACM": ("dblp-acm/train.txt.gz", "dblp-acm/test.txt"),
    "DBLP-Scholar": ("dblp-scholar/train.txt.balance.gz", "dblp-scholar/test.txt.gz"),
    "WDC computers": ("wdc-lspc/computers/train.txt.medium.gz", "wdc-lspc/computers/valid.txt.medium"),
}
# Further parts whose records are in the tables that blocking is measured on.
FURTHER = {"DBLP-ACM": ["dblp-acm/valid.txt"], "DBLP-Scholar": ["dblp-scholar/valid.txt.gz"], "WDC computers": []}
THREADS = {name: "1" for name in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]}


def lines(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip()]


def record(text):
    """The columns of a serialised record."""
    fields = {}
    for field in (" " + text.strip()).split(" COL ")[1:]:
        name, _, value = field.partition(" VAL")
        fields[name.strip()] = value.strip()
    return fields


def scores(labels, found):
    right = sum(label and guess for label, guess in zip(labels, found))
    precision = right / max(1, sum(found))
    recall = right / max(1, sum(labels))
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(1e-12, precision + recall)}


def tfidf(train, test):
    """Logistic regression over TF-IDF vectors of words and n-grams: their products, their differences and cosines."""
    import numpy
    import scipy.sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    def values(text):
        return " ".join(record(text).values())

    vectorizers = [TfidfVectorizer(), TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3))]
    texts = [values(text) for row in train for text in row[:2]]
    for vectorizer in vectorizers:
        vectorizer.fit(texts)

    def features(rows):
        parts = []
        for vectorizer in vectorizers:
            left, right = (vectorizer.transform([values(row[side]) for row in rows]) for side in (0, 1))
            products = left.multiply(right).tocsr()
            parts += [products, abs(left - right), scipy.sparse.csr_matrix(numpy.asarray(products.sum(axis=1)))]
        return scipy.sparse.hstack(parts).tocsr()

    model = LogisticRegression(max_iter=2000, C=10.0)
    model.fit(features(train), [row[2] == "1" for row in train])
    return [bool(found) for found in model.predict(features(test))]


def pypi_dedupe(train, test):
    """The distances and the classifier of PyPI `dedupe`, fitted to the labelled pairs."""
    import dedupe
    import dedupe.variables
    import numpy

    columns = list(record(train[0][0]))
    kinds = [dedupe.variables.String(column, has_missing=True) for column in columns]
    linker = dedupe.RecordLink(kinds, num_cores=1, in_memory=True)

    def distances(rows):
        pairs = [tuple({column: record(row[side]).get(column) or None for column in columns} for side in (0, 1)) for row in rows]
        return linker.data_model.distances(pairs)

    linker.classifier.fit(distances(train), numpy.array([int(row[2] == "1") for row in train]))
    return [probability >= 0.5 for probability in linker.classifier.predict_proba(distances(test))[:, 1]]


def one(arguments):
    """Runs a system of Python on a set, and prints its scores."""
    train, test = (lines(arguments.data / path) for path in SETS[arguments.set])
    found = {"tfidf": tfidf, "dedupe": pypi_dedupe}[arguments.system](train, test)
    print(json.dumps(scores([row[2] == "1" for row in test], found)))


def measured(command):
    """Runs a command on one thread; returns its output and its seconds, seconds of the processor and MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | THREADS, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    cost = {"seconds": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime, "mib": usage.ru_maxrss / 1024}
    return output, cost


def shown(cost):
    return f"{cost['seconds']:.1f} | {cost['cpu']:.1f} | {cost['mib']:.0f}"


def run(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    report = []
    print("| set | system | precision | recall | F1 | seconds | CPU | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (train, test) in SETS.items():
        train, test = arguments.data / train, arguments.data / test
        scored = arguments.out / "scores.json"
        evaluate = [arguments.truename, "-q", "--threads", "1", "evaluate", "pairs", "--gold", test, "--json", scored]
        systems = {"lexical": evaluate, "lexical, fitted": [*evaluate, "--labels", train]}
        for model in arguments.model:
            systems[model.name] = [*evaluate, "--model", model]
        for system in ["tfidf", "dedupe"]:
            systems[system] = [sys.executable, __file__, "one", system, name, "--data", arguments.data]
        for system, command in systems.items():
            output, cost = measured(command)
            of = json.loads(output if system in ("tfidf", "dedupe") else scored.read_text())
            row = {"set": name, "system": system} | cost
            row |= {key: of[key] for key in ("precision", "recall", "f1")}
            report.append(row)
            shares = " | ".join(f"{100 * row[key]:.1f}" for key in ("precision", "recall", "f1"))
            print(f"| {name} | {system} | {shares} | {shown(cost)} |", flush=True)
        report.append(blocking(arguments, name))
    (arguments.out / "records.json").write_text(json.dumps(report, indent=1) + "\n")


def blocking(arguments, name):
    """Recall of blocking among all records of a set, by n-grams and by the encoder."""
    pairs = [row for path in [*SETS[name], *FURTHER[name]] for row in lines(arguments.data / path)]
    for side, table in enumerate(["left", "right"]):
        texts = list(dict.fromkeys(row[side].strip() for row in pairs))
        columns = list(dict.fromkeys(column for text in texts for column in record(text)))
        with open(arguments.out / f"{table}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([record(text).get(column, "") for column in columns] for text in texts)
    with open(arguments.out / "gold.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right", "label"])
        writer.writerows(row[:3] for row in pairs if row[2] == "1")
    result = {"set": name, "system": "blocking"}
    for index, further in {"n-grams": [], "both": ["--encoder", arguments.encoder]}.items():
        if further == ["--encoder", None]:
            continue
        summary = arguments.out / "summary.json"
        tables = [arguments.out / "left.csv", arguments.out / "right.csv"]
        command = [arguments.truename, "-q", "--threads", "1", "dedupe", *tables, "--gold", arguments.out / "gold.csv"]
        _, cost = measured([*command, "--json", summary, "--out", arguments.out / "pairs.csv", *further])
        of = json.loads(summary.read_text())
        gold = of["gold"]
        result[index] = of | cost
        print(
            f"| {name} | dedupe, {index} | blocking recall {100 * gold['blocking_recall']:.2f} of {gold['gold']} | found "
            f"{100 * gold['recall']:.1f} | {of['records']} records, {of['candidates']} pairs | {shown(cost)} |",
            flush=True,
        )
    return result


SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo vu".split()


def make(arguments):
    """Two tables of made-up products: half of the rows of one are in the other, with typos, other words and other prices."""
    draw = random.Random(arguments.seed)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(2, 4))) for _ in range(20_000)]
    makers = ["".join(draw.choices(SYLLABLES, k=3)).title() for _ in range(500)]

    def product():
        number = f"{draw.choice('ABCDEFGHKLMNPRSTVWXZ')}{draw.choice('ABCDEFGHKLMNPRSTVWXZ')}{draw.randint(100, 99999)}"
        return {
            "title": " ".join(draw.choices(words, k=draw.randint(4, 9))) + f" {number}",
            "maker": draw.choice(makers),
            "price": f"{draw.lognormvariate(4, 1):.2f}",
        }

    def typo(text):
        at = draw.randrange(len(text))
        return text[:at] + draw.choice(["", draw.choice("abcdefghijklmnopqrstuvwxyz")]) + text[at + 1:]

    def changed(row):
        title = row["title"].split()
        if draw.random() < 0.5:
            title.pop(draw.randrange(len(title) - 1))
        if draw.random() < 0.5:
            title.insert(draw.randrange(len(title)), draw.choice(words))
        title = " ".join(title)
        return {
            "title": typo(title) if draw.random() < 0.5 else title,
            "maker": "" if draw.random() < 0.2 else row["maker"],
            "price": row["price"] if draw.random() < 0.6 else f"{float(row['price']) * draw.uniform(0.9, 1.1):.2f}",
        }

    rows = arguments.rows
    left = [product() for _ in range(rows)]
    shared = draw.sample(range(rows), rows // 2)
    right = [(changed(left[at]), at) for at in shared] + [(product(), None) for _ in range(rows - len(shared))]
    draw.shuffle(right)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for table, products in (("left", left), ("right", [row for row, _ in right])):
        with open(arguments.folder / f"{table}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "title", "maker", "price"])
            writer.writerows([f"{table[0]}{number}", *row.values()] for number, row in enumerate(products))
    with open(arguments.folder / "gold.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right"])
        writer.writerows([f"l{at}", f"r{number}"] for number, (_, at) in enumerate(right) if at is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_run = commands.add_parser("run")
    of_run.add_argument("--data", type=pathlib.Path, required=True)
    of_run.add_argument("--truename", type=pathlib.Path, required=True)
    of_run.add_argument("--out", type=pathlib.Path, required=True)
    of_run.add_argument("--encoder", type=pathlib.Path, help="an encoder for blocking")
    of_run.add_argument("--model", type=pathlib.Path, action="append", default=[], help="a classifier; may be given several times")
    of_run.set_defaults(run=run)
    of_one = commands.add_parser("one")
    of_one.add_argument("system", choices=["tfidf", "dedupe"])
    of_one.add_argument("set", choices=list(SETS))
    of_one.add_argument("--data", type=pathlib.Path, required=True)
    of_one.set_defaults(run=one)
    of_make = commands.add_parser("make")
    of_make.add_argument("folder", type=pathlib.Path)
    of_make.add_argument("--rows", type=int, default=100_000)
    of_make.add_argument("--seed", type=int, default=1)
    of_make.set_defaults(run=make)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
