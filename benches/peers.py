#!/usr/bin/env python3
"""Other programs on the cases that `truename-bench ... --dump DIR` wrote, and at a million names.

    pip install gilda==1.6.1 rapidfuzz==3.14.6 scikit-learn==1.9.1
    python3 benches/peers.py accuracy DIR        # every case in DIR, cases NAME-0, NAME-1, ... taken together
    python3 benches/peers.py scale KB.jsonl      # names a second, one thread

Everything a program can do without being taught: Gilda by its own matching, rapidfuzz by a scan with each of two
scorers, scikit-learn by TF-IDF over character n-grams (char_wb, 2 to 3, binary; the best of those tried).
"""

import collections
import json
import os
import re
import sys
import tempfile
import time

os.environ.setdefault("PYSTOW_HOME", tempfile.mkdtemp())  # where Gilda would make a folder

import gilda
import numpy
from gilda.process import normalize
from rapidfuzz import fuzz, process, utils
from rapidfuzz.distance import JaroWinkler
from sklearn.feature_extraction.text import TfidfVectorizer

DEPTHS = (1, 3, 5)


def tfidf(names):
    plain = lambda text: " ".join(re.sub(r"[\W_]+", " ", text.lower()).split()) or text
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), preprocessor=plain, binary=True)
    matrix = vectorizer.fit_transform(names)
    return lambda queries: (vectorizer.transform(queries) @ matrix.T).toarray()


def rapidfuzz_by(scorer):
    return lambda names: lambda queries: process.cdist(
        queries, names, scorer=scorer, processor=utils.default_process, workers=1, dtype=numpy.float32
    )


def grounder(pairs):
    first = {}
    terms = []
    for identifier, name in pairs:
        first.setdefault(identifier, name)
        if normalize(name).strip():
            status = "name" if first[identifier] == name else "synonym"
            terms.append(gilda.Term(normalize(name), name, "KB", identifier, first[identifier], status, "KB"))
    return gilda.make_grounder(terms)


def ranked_by_scores(make):
    def rank(pairs, queries):
        score = make([name for _, name in pairs])
        for start in range(0, len(queries), 200):
            for row in score(queries[start : start + 200]):
                order = numpy.argsort(-row, kind="stable")[:200]
                yield list(dict.fromkeys(pairs[at][0] for at in order if row[at] > 0))[: DEPTHS[-1]]

    return rank


def ranked_by_gilda(pairs, queries):
    found = grounder(pairs)
    for query in queries:
        yield [match.term.id for match in found.ground(query)]


PEERS = {
    "scikit-learn TF-IDF": ranked_by_scores(tfidf),
    "rapidfuzz WRatio": ranked_by_scores(rapidfuzz_by(fuzz.WRatio)),
    "rapidfuzz Jaro-Winkler": ranked_by_scores(rapidfuzz_by(JaroWinkler.normalized_similarity)),
    "Gilda": ranked_by_gilda,
}


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file]


def accuracy(folder):
    cases = collections.defaultdict(list)
    for name in sorted(os.listdir(folder)):
        cases[name.rsplit("-", 1)[0]].append(os.path.join(folder, name))
    for title, parts in cases.items():
        loaded = [(rows(os.path.join(part, "kb.tsv")), rows(os.path.join(part, "gold.tsv"))) for part in parts]
        asked = sum(len(gold) for _, gold in loaded)
        print(f"{title}: {asked} names\n{'':24} acc@1  acc@3  acc@5  seconds")
        for peer, rank in PEERS.items():
            start, hits = time.time(), [0, 0, 0]
            for pairs, gold in loaded:
                for (_, ids), found in zip(gold, rank(pairs, [name for name, _ in gold])):
                    for at, depth in enumerate(DEPTHS):
                        hits[at] += bool(ids) and any(one in ids.split("|") for one in found[:depth])
            shares = " ".join(f"{100 * count / asked:6.2f}" for count in hits)
            print(f"{peer:24}{shares} {time.time() - start:8.1f}", flush=True)


def scale(path):
    pairs = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            concept = json.loads(line)
            pairs += [(concept["id"], name) for name in [concept["name"], *concept["synonyms"]]]
    names = [name for _, name in pairs]
    step = len(names) // 2000
    sample = [name[: len(name) // 2] + name[len(name) // 2 + 1 :] for name in names[::step]]
    print(f"{len(names)} names; queries with a letter left out, but for Gilda, which needs the very name")
    for peer, make, count in (
        ("scikit-learn TF-IDF", tfidf, 50),
        ("rapidfuzz WRatio", rapidfuzz_by(fuzz.WRatio), 10),
        ("rapidfuzz Jaro-Winkler", rapidfuzz_by(JaroWinkler.normalized_similarity), 20),
    ):
        start = time.time()
        score = make(names)
        built = time.time() - start
        start = time.time()
        for query in sample[:count]:
            score([query]).argmax()
        print(f"{peer:24} built in {built:6.1f} s, {count / (time.time() - start):10.1f} names/s", flush=True)
    start = time.time()
    found = grounder(pairs)
    built = time.time() - start
    start = time.time()
    for name in names[::step]:
        found.ground(name)
    print(f"{'Gilda':24} built in {built:6.1f} s, {len(names[::step]) / (time.time() - start):10.1f} names/s")


if __name__ == "__main__":
    {"accuracy": accuracy, "scale": scale}[sys.argv[1]](sys.argv[2])
