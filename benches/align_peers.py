#!/usr/bin/env python3
"""Mappings between vocabularies by Truename, LogMap and text2term: precision, recall, F1, seconds and peak memory.

    pip install text2term==4.6.0; pip download --no-deps deeponto==0.9.3; unzip deeponto-*.whl 'deeponto/align/logmap/*'
    python3 benches/align_peers.py --data DIR --truename BIN --logmap deeponto/align/logmap [--text2term-python PYTHON]

The sets are the OAEI's anatomy track, and MONDO, DOID, EFO and the diseases of MeSH, whose cross-references are hidden and asked for; where
these are a part of all right mappings, only mappings of concepts that have one count. All systems read the same OWL files.
text2term maps labels; its best mapping of each concept counts where its score is at least --min-score. Peers that are not given are left out.
`--made N` writes two made-up vocabularies of N concepts each and aligns them by Truename alone.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape, quoteattr

SETS = ["anatomy", "mondo-doid", "doid-mesh", "mondo-mesh", "efo-mondo"]
PARTIAL = SETS[2:]
NAMESPACES = {"MESH": "http://id.nlm.nih.gov/mesh/", "EFO": "http://www.ebi.ac.uk/efo/EFO_"}
OBO = "http://purl.obolibrary.org/obo/"
TEXT2TERM = """
import sys, text2term
source, target, out, least = sys.argv[1:]
terms = dict(line.rstrip("\\n").split("\\t") for line in open(source, encoding="utf-8"))
found = text2term.map_terms(list(terms.values()), target, source_terms_ids=list(terms), max_mappings=1, min_score=float(least))
with open(out, "w", encoding="utf-8") as file:
    for row in found.itertuples(index=False):
        row = dict(zip(found.columns, row))
        file.write(f"{row['Source Term ID']}\\t{row['Mapped Term IRI']}\\n")
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--truename", default="truename")
    parser.add_argument("--logmap", type=pathlib.Path, help="folder of logmap-matcher-4.0.jar")
    parser.add_argument("--text2term-python", help="interpreter that has text2term")
    parser.add_argument("--min-score", type=float, default=0.3)
    parser.add_argument("--only", choices=SETS, action="append")
    parser.add_argument("--made", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.made:
            made(options, folder)
            return
        print("set | system | precision | recall | F1 | mappings | seconds | peak MiB")
        for name in options.only or SETS:
            compare(name, options, folder)


def compare(name, options, folder):
    source, target = folder / f"{name}-source.owl", folder / f"{name}-target.owl"
    read = anatomy if name == "anatomy" else diseases
    gold = read(name, options.data, source, target)
    sources, targets = ({pair[side] for pair in gold} for side in range(2))
    systems = [("truename", truename)]
    systems += [("LogMap", logmap)] if options.logmap else []
    systems += [("text2term", text2term)] if options.text2term_python else []
    for system, align in systems:
        found, seconds, peak = align(options, source, target, folder)
        if name in PARTIAL:
            found = {pair for pair in found if pair[0] in sources or pair[1] in targets}
        right = len(found & gold)
        shares = (right / max(len(found), 1), right / len(gold), 2 * right / (len(found) + len(gold)))
        words = " | ".join(f"{100 * share:.2f}" for share in shares)
        print(f"{name} | {system} | {words} | {len(found)} | {seconds:.1f} | {peak:.0f}", flush=True)


def truename(options, source, target, folder):
    out = folder / "truename.rdf"
    command = [options.truename, "-q", "align", source, target, "--format", "oaei", "--out", out]
    seconds, peak = timed(command)
    # Ids of MeSH are kept without their namespace.
    found = {tuple(re.sub("^urn:(source|target):", NAMESPACES["MESH"], id) for id in pair) for pair in alignment(out)}
    return found, seconds, peak


def logmap(options, source, target, folder):
    out = folder / "logmap"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    jar = options.logmap / "logmap-matcher-4.0.jar"
    heap = ["-Xms500m", "-Xmx8g", "-DentityExpansionLimit=100000000", "--add-opens=java.base/java.lang=ALL-UNNAMED"]
    places = [f"file:{source}", f"file:{target}", f"{out}/", "true"]
    seconds, peak = timed(["java", *heap, "-jar", jar.resolve(), "MATCHER", *places], cwd=folder)
    return alignment(out / "logmap2_mappings.rdf"), seconds, peak


def text2term(options, source, target, folder):
    labels, out = folder / "labels.tsv", folder / "text2term.tsv"
    labels.write_text("".join(f"{iri}\t{label}\n" for iri, label in labelled(source)), encoding="utf-8")
    command = [options.text2term_python, "-c", TEXT2TERM, labels, target, out, str(options.min_score)]
    seconds, peak = timed(command, cwd=folder)
    return {tuple(line.split("\t")) for line in out.read_text(encoding="utf-8").splitlines()}, seconds, peak


def timed(command, cwd=None):
    """Run a command; return its seconds and its peak memory in MiB."""
    with open(os.devnull, "w") as sink, tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=sink, stderr=said, cwd=cwd)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status != 0:
            said.seek(0)
            sys.exit(f"{command[0]} failed: {said.read().decode(errors='replace')[-2000:]}")
    return seconds, usage.ru_maxrss / 1024


def alignment(path):
    text = path.read_text(encoding="utf-8")
    cells = re.findall(
        r"<entity1 rdf:resource=\"([^\"]*)\"/>\s*<entity2 rdf:resource=\"([^\"]*)\"/>(.*?)</Cell>", text, re.DOTALL
    )
    return {(one, other) for one, other, rest in cells if "<relation>=</relation>" in rest}


def labelled(path):
    classes = re.findall(
        r"<owl:Class rdf:about=\"([^\"]*)\">(.*?)</owl:Class>", path.read_text(encoding="utf-8"), re.DOTALL
    )
    for iri, body in classes:
        label = re.search(r"<rdfs:label[^>]*>([^<]*)</rdfs:label>", body)
        if label:
            yield iri, label.group(1).replace("_", " ").strip()


def anatomy(_, data, *paths):
    for side, path in zip(("source", "target"), paths, strict=True):
        path.write_bytes(gzip.decompress((data / f"oaei-anatomy/{side}.xml.gz").read_bytes()))
    reference = paths[0].with_name("reference.rdf")
    reference.write_bytes(gzip.decompress((data / "oaei-anatomy/reference.xml.gz").read_bytes()))
    return alignment(reference)


def diseases(names, data, *paths):
    """Write two vocabularies without their cross-references; return these."""
    source, target = names.split("-")
    terms = {name: mesh(data) if name == "mesh" else terms_of(data, name) for name in (source, target)}
    ids = {name: {term["id"] for term in terms[name]} for name in terms}
    gold = set()
    for name, other in ((source, target), (target, source)):
        for term in terms[name]:
            pairs = ((term["id"], xref) for xref in map(curie, term.get("xrefs", [])) if xref in ids[other])
            gold.update(pair if name == source else pair[::-1] for pair in pairs)
    for name, path in zip(terms, paths, strict=True):
        rows = (
            (t["id"], t["name"], t.get("synonyms", []), t.get("relations", {}).get("is_a", [])) for t in terms[name]
        )
        write(path, f"{OBO}{name}.owl", rows)
    return {(iri(one), iri(other)) for one, other in gold}


def curie(xref):
    namespace = xref["namespace"].upper()
    return f"{'MESH' if namespace == 'MSH' else namespace}:{xref['id'].split(':')[-1]}"


def mesh(data):
    """Return the diseases of MeSH: descriptors of the trees C and F03, and supplementary records that are mapped to them."""

    def rows(name):
        with gzip.open(data / "dict-mesh" / name, "rt", encoding="utf-8") as file:
            return [(line.rstrip("\n").split("\t") + ["", ""])[:4] for line in file]

    def listed(cell):
        return [value for value in cell.split("|") if value]

    descriptors = rows("mesh_id_label_mappings.tsv.gz")
    trees = {tree: row[0] for row in descriptors for tree in listed(row[3])}
    terms, known = [], set()
    for identifier, name, synonyms, places in descriptors:
        if any(tree.startswith(("C", "F03")) for tree in listed(places)):
            known.add(identifier)
            parents = {trees.get(tree.rpartition(".")[0]) for tree in listed(places)} - {None, identifier}
            terms.append((identifier, name, synonyms, parents))
    for identifier, name, synonyms, mapped in rows("mesh_supp_id_label_mappings.tsv.gz"):
        parents = known.intersection(listed(mapped))
        if parents:
            terms.append((identifier, name, synonyms, parents))
    return [
        {
            "id": f"MESH:{identifier}",
            "name": name,
            "synonyms": listed(synonyms),
            "relations": {"is_a": [f"MESH:{parent}" for parent in sorted(parents)]},
        }
        for identifier, name, synonyms, parents in terms
    ]


def terms_of(data, name):
    with gzip.open(data / f"synonyms-ontologies/{name}.json.gz", "rt", encoding="utf-8") as file:
        terms = [term for term in json.load(file) if term.get("name")]

    def whole(local):
        return local if ":" in local else f"{name.upper()}:{local}"

    for term in terms:
        term["id"] = whole(term["id"])
        relations = term.setdefault("relations", {})
        relations["is_a"] = [whole(parent) for parent in relations.get("is_a", [])]
    return terms


def iri(curie):
    prefix, local = curie.split(":", 1)
    return NAMESPACES.get(prefix, f"{OBO}{prefix}_") + local


def write(path, ontology, rows):
    """Write terms (id, name, synonyms, parents) as OWL in RDF/XML."""
    with open(path, "w", encoding="utf-8") as out:
        out.write(
            '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
            ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"'
            ' xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">\n'
            f"<owl:Ontology rdf:about={quoteattr(ontology)}/>\n"
            '<owl:AnnotationProperty rdf:about="http://www.geneontology.org/formats/oboInOwl#hasExactSynonym"/>\n'
        )
        for identifier, name, synonyms, parents in rows:
            out.write(f'<owl:Class rdf:about="{iri(identifier)}">\n<rdfs:label>{escape(name)}</rdfs:label>\n')
            out.writelines(
                f"<oboInOwl:hasExactSynonym>{escape(synonym)}</oboInOwl:hasExactSynonym>\n" for synonym in synonyms
            )
            out.writelines(f'<rdfs:subClassOf rdf:resource="{iri(parent)}"/>\n' for parent in parents)
            out.write("</owl:Class>\n")
        out.write("</rdf:RDF>\n")


def made(options, folder):
    """Align two made-up vocabularies: half of the names are equal, the others differ in the order of words or in one word."""
    draw = random.Random(7)
    syllables = [one + two for one in "bcdfghklmnprstvz" for two in ("a", "e", "i", "o", "u", "al", "er", "in", "os")]
    words = ["".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(options.made // 4)]
    names = [[draw.choice(words) for _ in range(draw.randint(2, 4))] for _ in range(options.made)]

    def changed(name):
        kind = draw.random()
        if kind < 0.5:
            return name
        return name[::-1] if kind < 0.75 else [draw.choice(words), *name[1:]]

    paths = []
    for side, of_side in (("MADEA", names), ("MADEB", [changed(name) for name in names])):
        paths.append(folder / f"{side}.jsonl")
        with open(paths[-1], "w", encoding="utf-8") as out:
            for number, name in enumerate(of_side):
                parents = [f"{side}:{(number - 1) // 4}"] if number else []
                row = {
                    "id": f"{side}:{number}",
                    "name": " ".join(name),
                    "synonyms": [" ".join(name[:2])],
                    "parents": parents,
                }
                out.write(json.dumps(row) + "\n")
    out = folder / "made.rdf"
    seconds, peak = timed([options.truename, "-q", "align", *paths, "--format", "oaei", "--out", out])
    found = {(one.rsplit("_", 1)[1], other.rsplit("_", 1)[1]) for one, other in alignment(out)}
    right = sum(one == other for one, other in found)
    print(
        f"{options.made} x {options.made}: {len(found)} mappings, {right} right, {seconds:.1f} s, peak {peak:.0f} MiB"
    )


if __name__ == "__main__":
    main()
