#!/usr/bin/env python3
"""Matches names on a cluster of Spark on this machine, whose executors fetch the knowledge base as a pack, and compares with one process.

    python3 scripts/spark_cluster.py [--rows 200000] [--distinct 10000] [--names 100000]

The knowledge base has the first concepts of the bundled one, the rows are its names as somebody may type them. A third of them have one name.
Among the rows are nulls, a cell of 1 MB and one that is not UTF-8. An executor is killed in the middle, and slow tasks have copies.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pyspark
from pyspark.sql import SparkSession

import truename as tn
import truename.spark

CORES, MEMORY = 1, 1024
KEPT = "kb"


def concepts(folder, most):
    """Return concepts of the bundled knowledge base until they have so many names."""
    exported, kept, count = folder / "bundled.jsonl", [], 0
    subprocess.run([sys.executable, "-m", "truename", "kb", "export", "--out", exported, "--quiet"], check=True)
    with exported.open(encoding="utf-8") as lines:
        for concept in map(json.loads, lines):
            count += 1 + len(concept.get("synonyms", ())) if "name" in concept else 0
            if count > most:
                break
            kept.append(concept)
    return kept


def typed(name):
    """Return a name as somebody may type it, with a letter left out."""
    return name[: len(name) // 2] + name[len(name) // 2 + 1 :]


def asked(concepts, rows, distinct):
    """Return the names of rows: a third have one name, a hundredth are null, and few names stand in most others."""
    chance = random.Random(0)
    known = list(dict.fromkeys(typed(concept["name"]) for concept in concepts if "name" in concept))
    known = chance.sample(known, min(distinct, len(known)))
    names = [known[int(len(known) * chance.random() ** 3)] for _ in range(rows)]
    names[::3] = ["heart atack"] * len(names[::3])
    names[::100] = [None] * len(names[::100])
    names[7] = "x" * 1_000_000
    return names


def session(folder, **settings):
    """Return a session on a cluster of two executors."""
    home = os.path.dirname(pyspark.__file__)
    os.environ.update(SPARK_HOME=home, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.host": "127.0.0.1",
        "spark.pyspark.python": sys.executable,
        "spark.executor.memory": "700m",
        "spark.executorEnv.TRUENAME_CACHE": str(folder / "cache"),
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        **settings,
    }
    builder = SparkSession.builder.master(f"local-cluster[2,{CORES},{MEMORY}]")
    return builder.config(map=settings).getOrCreate()


def executors(application):
    """Return the processes of the executors of an application."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path("/proc", process, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in command and application.encode() in command:
            found.append(int(process))
    return found


def kill_one(application, running):
    """Kill an executor when tasks run."""
    while not running():
        time.sleep(0.1)
    time.sleep(2)
    process = executors(application)[0]
    os.kill(process, signal.SIGKILL)
    print(f"killed the executor {process}", flush=True)


def same(found, names, matcher):
    """Raise AssertionError unless a table has the answers of one process."""
    found = found.sort_by("row")
    expected = pa.array(matcher.match([name if name is None or len(name) <= 4096 else None for name in names]))
    assert found["row"].to_pylist() == list(range(len(names))) and found["dx"].to_pylist() == names
    for field in expected.type:
        column = found[f"dx_{field.name}"].combine_chunks()
        assert column.equals(expected.field(field.name).cast(column.type)), field.name
    errors = [(row, error) for row, error in enumerate(found["dx_error"].to_pylist()) if error]
    assert [row for row, _ in errors] == [7] and "1000000 bytes" in errors[0][1], errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--distinct", type=int, default=10_000)
    parser.add_argument("--names", type=int, default=100_000, help="number of names of the knowledge base")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        run(Path(place), options)


def run(folder, options):
    kept = concepts(folder, options.names)
    table = folder / "concepts.jsonl"
    table.write_text("".join(json.dumps(concept) + "\n" for concept in kept), encoding="utf-8")
    kb = tn.KnowledgeBase.build([table], folder / KEPT)
    packs = folder / "packs"
    packs.mkdir()
    kb.pack(packs)
    names = asked(kept, options.rows, options.distinct)
    url = f"file://{packs}/{KEPT}"
    rows = folder / "rows.parquet"
    pa.parquet.write_table(pa.table({"row": pa.array(range(len(names)), pa.int64()), "dx": names}), rows)
    print(f"{kb.info()['names']} names, {len(names)} rows, {len(set(names))} of them distinct", flush=True)

    spark = session(folder)
    try:
        df = spark.read.parquet(str(rows)).repartition(8)
        tracker = spark.sparkContext.statusTracker()
        running = lambda: any(tracker.getStageInfo(stage).numActiveTasks for stage in tracker.getActiveStageIds())
        for distinct in (True, False):
            part, asked_here = (df, names) if distinct else (df.where("row < 20000"), names[:20_000])
            killer = threading.Thread(target=kill_one, args=(spark.sparkContext.applicationId, running), daemon=True)
            start = time.perf_counter()
            matched = truename.spark.match(part, "dx", kb=url, top=3, distinct=distinct)
            killer.start()
            found = matched.toArrow()
            killer.join(timeout=60)
            same(found, asked_here, kb.matcher(top=3))
            print(f"distinct={distinct}: {len(asked_here)} rows in {time.perf_counter() - start:.0f} s, as one process answers", flush=True)
        assert len([name for name in os.listdir(folder / "cache" / "packs") if name.startswith(f"{KEPT}-")]) == 1
        broken = spark.sql("select cast(x'fffe' as string) as x union all select 'ASA' union all select null")
        for row in truename.spark.match(broken, "x", kb=url).drop("x").collect():
            assert row["x_error"] is None or ("UTF" in row["x_error"] and row["x_id"] is None)
        notes = spark.createDataFrame([(f"v{at}", f"No {name}, but fever.") for at, name in enumerate(names[1:50]) if name], "visit string, note string")
        linked = truename.spark.link(notes, "note", kb=url, id="visit", explode=True)
        expected = [mention.id for row in notes.collect() for mention in kb.linker().link(row["note"])]
        assert sorted(map(str, expected)) == sorted(str(row["mention_id"]) for row in linked.collect())
        print("marked what is not UTF-8, linked notes", flush=True)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
