#!/usr/bin/env python3
"""Measures the Python package beside the command, beside other packages, on threads, and its memory.

    pip install gilda==1.6.1 rapidfuzz==3.14.6 scikit-learn==1.9.1 sentence-transformers==6.2.0 scispacy==0.6.2    # and truename
    python3 benches/python.py command --truename BIN --data DIR       # names and abstracts a second, in turns with the command
    python3 benches/python.py peers --data DIR --model MINILM         # --only NAME, --seconds 60
    python3 benches/python.py threads --data DIR                      # one and two threads of Python, one and two processes
    python3 benches/python.py memory --data DIR                       # resident memory after more and more work; --recognizer bundled

The knowledge base is the bundled one. Its names, each with a letter left out or in another order, are the names that are asked for: 41,643
of them; `gold` of `peers` are the distinct mentions of BC5CDR's development part that have one id. `DIR` is the folder with the data sets
(benches/data.md), `MINILM` a folder of all-MiniLM-L6-v2. Each package runs in a process of its own. Names that do not fit into `--seconds`
are left out, and accuracy is of those that were asked for, a random sample. Truename gives the
best concept, not NIL. Seconds of `peers` are those of the processor, on all its cores together. A ratio is of two figures taken in turns, for
`peers` with Truename right after each package. Other work on the machine changes neither much.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.metadata
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = 41_643
MARKS = (50_000, 200_000)  # documents or names after which the memory is looked at


def concepts():
    with gzip.open(ROOT / "crates/truename/kb/mesh.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def known_names():
    """Return pairs of an id and a name."""
    return [(one["id"], name) for one in concepts() for name in dict.fromkeys([one["name"], *one.get("synonyms", ())])]


def typed(number, name):
    """Return a name as somebody may type it: a letter left out, or its words in another order."""
    words = name.split()
    if number % 2 and len(words) > 1:
        return " ".join([*words[1:], words[0]]).lower()
    return name[: len(name) // 2] + name[len(name) // 2 + 1 :]


def asked_names():
    """Return pairs of an id and a name as somebody may type it, no name twice."""
    asked = {}
    for number, (id, name) in enumerate(known_names()):
        if len(name) > 3:
            asked.setdefault(typed(number, name), id)
    return random.Random(0).sample([(id, name) for name, id in asked.items()], NAMES)


def pubtator(path):
    """Return the texts of a corpus, and its mentions as pairs of a text and its ids."""
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    texts, mentions = {}, []
    with opened as file:
        for line in file:
            if part := re.match(r"(\d+)\|[ta]\|(.*)", line):
                texts[part[1]] = (texts.get(part[1], "") + " " + part[2]).strip()
            elif len(cells := line.rstrip("\n").split("\t")) >= 6:
                mentions.append((cells[3], cells[5].strip()))
    return list(texts.values()), mentions


def abstracts(data):
    return pubtator(data / "ncbi-disease/NCBItestset_corpus.txt")[0] + pubtator(dev(data))[0]


def dev(data):
    return data / "bc5cdr/CDR_DevelopmentSet.PubTator.txt.gz"


def gold(data):
    """Return pairs of an id and a mention of BC5CDR."""
    known = {one["id"] for one in concepts()}
    pairs = [(id, text) for text, id in dict.fromkeys(pubtator(dev(data))[1]) if id in known]
    return random.Random(0).sample(pairs, len(pairs))


def peak_mib(who=resource.RUSAGE_SELF):
    return resource.getrusage(who).ru_maxrss / 1024


def resident_mib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


# -- beside the command


MATCH = """
import csv, sys, truename as tn
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    names = [row["name"] for row in csv.DictReader(file)]
answers = tn.bundled().matcher(threads=int(sys.argv[3])).match(names)
with open(sys.argv[2], "w", encoding="utf-8", newline="") as file:
    out = csv.writer(file)
    out.writerows([one.text, one.id, one.matched_name, one.name, one.probability] for one in answers)
"""
LINK = """
import json, sys, truename as tn
linker = tn.bundled().linker(recognizer="dictionary", threads=int(sys.argv[3]))
with open(sys.argv[1], encoding="utf-8") as texts, open(sys.argv[2], "w", encoding="utf-8") as out:
    for doc in linker.link_many((line["id"], line["text"]) for line in map(json.loads, texts)):
        out.write(doc.to_json() + "\\n")
"""


def seconds(command):
    """Return the seconds that a command takes, and those of the processor."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def beside_the_command(options):
    with tempfile.TemporaryDirectory() as folder:
        names, texts, out = Path(folder, "names.csv"), Path(folder, "texts.jsonl"), Path(folder, "out")
        with names.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["name"])
            rows.writerows([name] for _, name in asked_names())
        documents = abstracts(options.data) * 25
        with texts.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": str(at), "text": text}) + "\n" for at, text in enumerate(documents))
        work = [("names", NAMES, "match", names, MATCH), ("abstracts", len(documents), "link", texts, LINK)]
        for threads in (1, 2):
            for what, count, verb, file, code in work:
                command = [options.truename, verb, file, "--out", out, "--threads", threads, "--quiet"] + ["--no-models"] * (verb == "link")
                script = [sys.executable, "-c", code, file, out, threads]
                turns = [(seconds(command), seconds(script)) for _ in range(options.rounds)]
                by_command, by_python = (statistics.median(turn[at][0] for turn in turns) for at in (0, 1))
                wall, processor = (statistics.median(one[at] / other[at] for one, other in turns) for at in (0, 1))
                print(
                    f"{count} {what}, {threads} threads: command {count / by_command:6.0f}/s, Python {count / by_python:6.0f}/s, "
                    f"ratio {wall:.2f}, of the processor's time {processor:.2f}",
                    flush=True,
                )


# -- beside other packages


def truename_matcher(pairs, options):
    import truename as tn

    matcher = tn.bundled().matcher(min_probability=0)
    return lambda names: matcher.match(names).ids, 2048


def truename_with_vectors(pairs, options):
    import shutil

    import truename as tn

    folder = Path(tempfile.mkdtemp(), "kb")
    shutil.copytree(tn.bundled().path, folder, ignore=shutil.ignore_patterns("lock.mdb"))
    kb = tn.KnowledgeBase.open(folder)
    kb.embed(options.model)
    matcher = kb.matcher(min_probability=0)
    return lambda names: matcher.match(names).ids, 2048


def gilda_grounder(pairs, options):
    import gilda
    from gilda.process import normalize

    first, terms = {}, []
    for id, name in pairs:
        first.setdefault(id, name)
        if normalize(name).strip():
            status = "name" if first[id] == name else "synonym"
            terms.append(gilda.Term(normalize(name), name, "KB", id, first[id], status, "KB"))
    grounder = gilda.make_grounder(terms)
    return lambda names: [next((found.term.id for found in grounder.ground(name)), None) for name in names], 256


def rapidfuzz_extract_one(pairs, options):
    from rapidfuzz import fuzz, process, utils

    known = [utils.default_process(name) for _, name in pairs]

    def one(name):
        found = process.extractOne(utils.default_process(name), known, scorer=fuzz.WRatio)
        return pairs[found[2]][0] if found else None

    return lambda names: list(map(one, names)), 8


def rapidfuzz_cdist(pairs, options):
    import numpy
    from rapidfuzz import process, utils
    from rapidfuzz.distance import JaroWinkler

    known = [utils.default_process(name) for _, name in pairs]

    def answer(names):
        asked = [utils.default_process(name) for name in names]
        scores = process.cdist(asked, known, scorer=JaroWinkler.normalized_similarity, workers=-1, dtype=numpy.float32)
        return [pairs[at][0] for at in scores.argmax(axis=1)]

    return answer, 128


def nearest_by_tfidf(pairs, options):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import NearestNeighbors

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3))
    nearest = NearestNeighbors(n_neighbors=1, metric="cosine", n_jobs=-1)
    nearest.fit(vectorizer.fit_transform(name for _, name in pairs))

    def answer(names):
        return [pairs[at][0] for at in nearest.kneighbors(vectorizer.transform(names), return_distance=False)[:, 0]]

    return answer, 256


def sentence_vectors(pairs, options):
    import numpy
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(options.model), device="cpu")
    encode = lambda names: model.encode(names, batch_size=128, normalize_embeddings=True, show_progress_bar=False)
    known = encode([name for _, name in pairs])
    return lambda names: [pairs[at][0] for at in numpy.argmax(encode(names) @ known.T, axis=1)], 256


def scispacy_candidates(pairs, options):
    from scispacy import candidate_generation
    from scispacy.candidate_generation import CandidateGenerator, create_tfidf_ann_index
    from scispacy.linking_utils import Entity, KnowledgeBase

    entities = {}
    for id, name in pairs:
        entities.setdefault(id, Entity(id, name, [], [], None)).aliases.append(name)
    kb = KnowledgeBase(list(entities.values()))
    # Needed where an index is written to a file alone.
    candidate_generation.scipy_supports_sparse_float16 = lambda: True
    names, vectorizer, index = create_tfidf_ann_index(None, kb)
    generator = CandidateGenerator(index, vectorizer, names, kb)

    def best(candidates):
        return max(candidates, key=lambda one: max(one.similarities)).concept_id if candidates else None

    return lambda asked: [best(candidates) for candidates in generator(asked, 10)], 256


PEERS = {
    "truename": ("truename", truename_matcher),
    "truename, MiniLM's vectors": ("truename", truename_with_vectors),
    "gilda": ("gilda", gilda_grounder),
    "rapidfuzz extractOne, WRatio": ("rapidfuzz", rapidfuzz_extract_one),
    "rapidfuzz cdist, Jaro-Winkler": ("rapidfuzz", rapidfuzz_cdist),
    "scikit-learn TF-IDF, nearest": ("scikit-learn", nearest_by_tfidf),
    "sentence-transformers, numpy": ("sentence-transformers", sentence_vectors),
    "scispacy candidates": ("scispacy", scispacy_candidates),
}
MODULES = {"scikit-learn": "sklearn.neighbors", "sentence-transformers": "sentence_transformers", "scispacy": "scispacy.candidate_generation"}


def answered(answer, size, asked, limit):
    """Return the number of names asked for, of right answers, and the seconds of the processor."""
    start, count, right = time.process_time(), 0, 0
    for at in range(0, len(asked), size):
        part = asked[at : at + size]
        found = answer([name for _, name in part])
        count += len(part)
        right += sum(id == one for (id, _), one in zip(part, found, strict=True))
        if time.process_time() - start > limit:
            break
    return count, right, time.process_time() - start


def measure_peer(options):
    """Print the figures of one package as JSON."""
    package, make = PEERS[options.peer]
    pairs, sets = known_names(), {"typed": asked_names(), "gold": gold(options.data)}
    figures, start = {"script_mib": peak_mib()}, time.process_time()
    answer, size = make(pairs, options)
    figures["open"] = time.process_time() - start
    answer([name for _, name in pairs[:size]])
    for what, asked in sets.items():
        count, right, seconds = answered(answer, size, asked, options.seconds)
        figures |= {f"{what}_names": count, f"{what}_accuracy": 100 * right / count, f"{what}_per_second": count / seconds}
    print(json.dumps(figures | {"peak_mib": peak_mib(), "version": importlib.metadata.version(package)}))


def installed_mib(package, seen):
    """Return the size of a package and all that it needs, as installed."""
    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return 0.0
    name = distribution.metadata["Name"].lower()
    if name in seen:
        return 0.0
    seen.add(name)
    size = sum(path.locate().stat().st_size for path in distribution.files or () if path.locate().is_file())
    needed = [one for one in distribution.requires or () if "extra ==" not in one]
    return size / 2**20 + sum(installed_mib(re.match(r"[\w.-]+", one)[0], seen) for one in needed)


def beside_others(options):
    def measured(peer):
        command = [sys.executable, __file__, "peer", "--peer", peer, *options.given]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1])

    print(
        "package | version | installed MiB | import s | open s | names/s typed, gold | times Truename's seconds | accuracy@1 typed, gold | "
        "peak MiB, of it the script's | names asked"
    )
    idle = statistics.median(seconds([sys.executable, "-c", "pass"])[1] for _ in range(3))
    for peer in options.only or PEERS:
        package = PEERS[peer][0]
        code = f"import {MODULES.get(package, package)}"
        try:
            imported = statistics.median(seconds([sys.executable, "-c", code])[1] for _ in range(3)) - idle
            found = measured(peer)
        except subprocess.CalledProcessError as error:
            print(f"{peer} | left out: {str(error.stderr or error).strip().splitlines()[-1]}", flush=True)
            continue
        ours = measured("truename")
        times = [ours[f"{what}_per_second"] / found[f"{what}_per_second"] for what in ("typed", "gold")]
        print(
            f"{peer} | {found['version']} | {installed_mib(package, set()):.0f} | {imported:.2f} | {found['open']:.2f} | "
            f"{found['typed_per_second']:.0f}, {found['gold_per_second']:.0f} | {times[0]:.2f}, {times[1]:.2f} | "
            f"{found['typed_accuracy']:.2f}, {found['gold_accuracy']:.2f} | {found['peak_mib']:.0f}, {found['script_mib']:.0f} | "
            f"{found['typed_names']}, {found['gold_names']}",
            flush=True,
        )


# -- threads and memory


def on_threads(options):
    import truename as tn

    linker, texts = tn.bundled().linker(recognizer="dictionary", threads=1), abstracts(options.data) * 10

    def link():
        for _ in linker.link_many(texts):
            pass

    def process():
        if child := os.fork():
            return child
        try:
            link()
        finally:
            os._exit(0)

    def by_threads(count):
        threads = [threading.Thread(target=link) for _ in range(count)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start

    def by_processes(count):
        start = time.perf_counter()
        for child in [process() for _ in range(count)]:
            os.waitpid(child, 0)
        return time.perf_counter() - start

    link()
    turns = [(by_threads(1), by_threads(2), by_processes(1), by_processes(2)) for _ in range(options.rounds)]
    threads, processes, ratio = (
        statistics.median(one) for one in zip(*((2 * a / b, 2 * c / d, d / b) for a, b, c, d in turns), strict=True)
    )
    print(f"two threads link {threads:.2f} times as much as one, two processes {processes:.2f} times as much as one")
    print(f"two threads link {ratio:.2f} times as much as two processes")


def in_memory(options):
    import truename as tn

    kb, texts = tn.bundled(), abstracts(options.data)
    linker, done, start = kb.linker(recognizer=options.recognizer), 0, time.perf_counter()
    for _ in linker.link_many(texts[at % len(texts)] for at in range(options.documents)):
        done += 1
        if done in {*MARKS, options.documents}:
            print(f"link_many: {resident_mib():.0f} MiB after {done} documents, {time.perf_counter() - start:.0f} s", flush=True)
    matcher, done, start = kb.matcher(), 0, time.perf_counter()
    known = [name for _, name in asked_names()]
    while done < options.names:
        batch = [f"{known[(done + at) % len(known)]} {done // len(known) or ''}".strip() for at in range(10_000)]
        matcher.match(batch)
        done += len(batch)
        if done in {*MARKS, options.names}:
            print(f"match: {resident_mib():.0f} MiB after {done} names, {time.perf_counter() - start:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("command", "peers", "peer", "threads", "memory"))
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--truename", type=Path, help="the command")
    parser.add_argument("--model", type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--only", action="append", choices=list(PEERS), help="a package; all by default")
    parser.add_argument("--peer", choices=list(PEERS), help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=60, help="longest time of the processor for one set of names")
    parser.add_argument("--rounds", type=int, default=5, help="number of turns")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--recognizer", default="dictionary", help="recognizer of memory")
    parser.add_argument("--names", type=int, default=1_000_000)
    options = parser.parse_args()
    options.given = ["--data", str(options.data), "--seconds", str(options.seconds)]
    options.given += ["--model", str(options.model)] if options.model else []
    run = {"command": beside_the_command, "peers": beside_others, "peer": measure_peer, "threads": on_threads, "memory": in_memory}
    run[options.what](options)


if __name__ == "__main__":
    main()
