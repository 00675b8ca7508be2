"""Vocabularies against themselves: every preferred name is asked for, and its own concept is the right answer.

    python3 benches/self_match.py --data DIR --out DIR [--truename PATH]

Prints, for each vocabulary, the preferred names asked for, the share answered with their own concept, and the others: names that another concept
prefers too, which no name alone can tell apart, NIL, and wrong answers. OUT/VOCABULARY.tsv lists all that are not right. The sources of the data
stand in benches/data.md.
"""

import argparse
import csv
import gzip
import json
import subprocess
from collections import Counter
from pathlib import Path

ONTOLOGIES = ["doid", "efo", "go", "hp", "mondo"]
HGNC_NAMES = ["Approved name", "Alias symbols", "Previous symbols"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--truename", default="truename")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = {name: [arguments.data / f"synonyms-ontologies/{name}.json.gz"] for name in ONTOLOGIES}
    files["mesh"] = [mesh(arguments.data / "dict-mesh/mesh_id_label_mappings.tsv.gz", arguments.out / "mesh.jsonl")]
    columns = ["--id-column", "HGNC ID", "--name-column", "Approved symbol", "--separator", ", "]
    columns += [flag for name in HGNC_NAMES for flag in ("--synonyms-column", name)]
    files["hgnc"] = [arguments.data / "dict-entrez-gene-human/hgnc_entries.tsv.gz", *columns]
    print("| vocabulary | preferred names | own concept (%) | another concept prefers the name too | NIL | wrong |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, imported in files.items():
        print(f"| {name} | {row(arguments, name, imported)} |", flush=True)


def mesh(path, target):
    """Writes the descriptors with their entry terms."""
    with gzip.open(path, "rt") as rows, target.open("w") as out:
        for row in rows:
            id, name, synonyms = (row.rstrip("\n").split("\t") + ["", ""])[:3]
            out.write(json.dumps({"id": id, "name": name, "synonyms": [name for name in synonyms.split("|") if name]}) + "\n")
    return target


def row(arguments, name, imported):
    call = lambda *command, **more: subprocess.run([arguments.truename, "-q", *map(str, command)], check=True, capture_output=True, text=True, **more).stdout
    kb = arguments.out / name
    call("kb", "import", *imported, "--out", kb, "--force")
    concepts = [json.loads(line) for line in call("kb", "export", "--kb", kb).splitlines()]
    preferred = Counter(concept["name"].casefold() for concept in concepts)
    asked = "".join(json.dumps({"name": concept["name"]}) + "\n" for concept in concepts)
    answers = map(json.loads, call("match", "-", "--kb", kb, "--format", "jsonl", "--input-format", "jsonl", input=asked).splitlines())
    counts, others = Counter(), []
    for concept, answer in zip(concepts, answers, strict=True):
        found = answer.get("id")
        kind = "right" if found == concept["id"] else "shared" if preferred[concept["name"].casefold()] > 1 else "wrong" if found else "nil"
        counts[kind] += 1
        if kind != "right":
            others.append([kind, concept["id"], concept["name"], found or "NIL"])
    with (arguments.out / f"{name}.tsv").open("w", newline="") as out:
        csv.writer(out, delimiter="\t").writerows([["kind", "id", "name", "answer"], *others])
    share = 100 * counts["right"] / len(concepts)
    return f"{len(concepts):,} | {share:.2f} | {counts['shared']:,} | {counts['nil']:,} | {counts['wrong']:,}"


if __name__ == "__main__":
    main()
