#!/usr/bin/env python3
"""Splits ESAppMod's training file into a knowledge base of preferred names, labelled names, and names to ask for.

    python3 benches/few_labels.py DATA/esappmod DIR          # DIR/kb.jsonl, DIR/labelled.csv (50), DIR/asked.csv (1,000)
    cd DIR
    truename kb import kb.jsonl --out kb --encoder "$MODEL"
    truename evaluate names --kb kb --encoder "$MODEL" --gold asked.csv
    truename train RECIPES/cosines-esappmod.toml --kb kb --names labelled.csv --encoder "$MODEL" --out mine
    truename kb embed --kb kb --encoder mine
    truename calibrate --kb kb --encoder mine --gold labelled.csv
    truename evaluate names --kb kb --encoder mine --gold asked.csv

Names are drawn once, with a fixed seed, from those that differ from every preferred name. Of concepts with one preferred name, `Linux` and
`Linux|*`, a name may mean either: all their ids are right.
"""

import collections
import csv
import json
import pathlib
import random
import sys

LABELLED, ASKED = 50, 1000


def write(path, rows):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", "id"])
        table.writerows((name, "|".join(sorted(ids))) for name, ids in rows)


def read(data, out):
    """Writes the knowledge base of preferred names; returns the names that differ from all of them, with their ids."""
    out.mkdir(parents=True, exist_ok=True)
    entities = json.loads((data / "tca_entities.json").read_text())["data"].values()
    mentions = json.loads((data / "train.json").read_text())["data"].values()
    preferred = {str(entity["entity_id"]): entity["entity_name"] for entity in entities}
    with open(out / "kb.jsonl", "w") as file:
        for concept_id, name in preferred.items():
            print(json.dumps({"id": concept_id, "name": name}), file=file)
    same = collections.defaultdict(set)
    for concept_id, name in preferred.items():
        same[form(name)].add(concept_id)
    known = {name.lower() for name in preferred.values()}
    names = {}
    for entry in mentions:
        for name in entry["mentions"]:
            key = " ".join(name.lower().split())
            if key not in known:
                names.setdefault(key, (name, set()))[1].update(same[form(preferred[str(entry["entity_id"])])])
    return [names[key] for key in sorted(names)]


def form(name):
    """The form that concepts with one name share: without capitals, hyphens and the mark of any version."""
    return " ".join(name.lower().removesuffix("|*").replace("-", " ").split())


def main():
    data, out = map(pathlib.Path, sys.argv[1:])
    drawn = read(data, out)
    random.Random(1).shuffle(drawn)
    write(out / "labelled.csv", drawn[:LABELLED])
    write(out / "asked.csv", drawn[LABELLED:LABELLED + ASKED])


if __name__ == "__main__":
    main()
