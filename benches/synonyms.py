#!/usr/bin/env python3
"""Builds the two corpora of contextual synonyms that adapters are trained on, by `truename corpus build`.

    python3 benches/synonyms.py general --data DATA --out DIR [--truename PATH] [--min-edit-distance N]
    python3 benches/synonyms.py biomedical --data DATA --out DIR

Each command writes a knowledge base, texts and a list of excluded concepts into DIR/NAME-parts, and the corpus into DIR/NAME. Go on with
an interrupted build by the same command. DATA is described in benches/data.md.

general: synsets of WordNet with glosses and examples, PPDB's clusters, and half of WIKI: documents in even places, by sorted docName, are
read; the titles that documents in odd places link to are excluded, for these documents evaluate. Glosses are also texts.

biomedical: MeSH (descriptors and supplementary concepts), MONDO, DOID, HPO, EFO and FamPlex; entries that refer to each other, one to
one, are one concept. Texts are the train parts of NCBI Disease, BC5CDR, NLM-Gene, GNormPlus (BC2GN), JNLPBA, BC2GM and Bio-ID, MED1250's abstracts
and NLM-Chem's articles, without documents that are in the development or test parts of NCBI Disease and BC5CDR. Concepts of NCBI Disease's test
part and of BC5CDR's development part are excluded, with the entries that refer to them.
"""

import argparse
import csv
import gzip
import html
import io
import json
import pathlib
import re
import shutil
import subprocess
import zipfile
from collections import defaultdict

ONTOLOGIES = {"MONDO": "mondo", "DOID": "doid", "HP": "hp", "EFO": "efo"}
ORDER = ["MESH", *ONTOLOGIES]
# Corpora whose ids are those of genes: their texts alone are read, for a number may also be one of OMIM.
GENES = {"nlm-gene", "gnormplus"}
# What sources call each other.
NAMESPACES = {"MSH": "MESH", "MESH": "MESH", "MeSH": "MESH", "DOID": "DOID", "MONDO": "MONDO", "EFO": "EFO", "HP": "HP", "OMIM": "OMIM"}


def main():
    arguments = parse()
    parts = arguments.out / f"{arguments.corpus}-parts"
    parts.mkdir(parents=True, exist_ok=True)
    kb_files, texts, flags = {"general": general, "biomedical": biomedical}[arguments.corpus](arguments.data, parts)
    run(arguments, "kb", "import", *kb_files, "--force", "--out", parts / "kb")
    flags += ["--exclude", parts / "exclude.txt", "--min-edit-distance", arguments.min_edit_distance, "--link", "always", "--resume"]
    run(arguments, "corpus", "build", "--kb", parts / "kb", *texts, *flags, "--out", arguments.out / arguments.corpus)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", choices=["general", "biomedical"])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--truename", default="truename")
    parser.add_argument("--min-edit-distance", type=int, default=10)
    return parser.parse_args()


def run(arguments, *command):
    command = [arguments.truename, *map(str, command)]
    print(*command, flush=True)
    subprocess.run(command, check=True)


def opened(path):
    return io.TextIOWrapper(gzip.open(path), encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


# General.


def general(data, parts):
    kb_files, glosses = [], []
    for part in ["noun", "verb", "adj", "adv"]:
        file = parts / f"data.{part}"
        file.write_bytes(gzip.open(data / "synonyms-wordnet" / f"data.{part}.gz").read())
        kb_files.append(file)
        lines = file.read_text().splitlines()
        glosses += [{"id": f"{part}-{line[:8]}", "text": line.split(" | ", 1)[1].strip()} for line in lines if not line.startswith("  ")]
    texts = [write_lines(parts / "glosses.jsonl", map(json.dumps, glosses))]
    archive = zipfile.ZipFile(data / "synonyms-ppdb" / "xxxl_clusters.zip")
    clusters = parts / "ppdb.txt"
    clusters.write_bytes(archive.read(archive.namelist()[0]))
    kb_files.append(clusters)
    titles, wiki = wikipedia(data / "entity-linking", parts)
    kb_files.append(titles)
    licences = ["WordNet: WordNet licence", "PPDB: CC BY 3.0", "WIKI: text of Wikipedia, CC BY-SA"]
    return kb_files, [*texts, wiki], [flag for licence in licences for flag in ("--licence", licence)]


def wikipedia(data, parts):
    """Writes the even half of WIKI, the concepts that it links to, and the titles of the odd half."""
    folder = parts / "wiki"
    folder.mkdir(exist_ok=True)
    untar(data / "wikipedia-RawText.tar.zst", folder)
    xml = gzip.open(data / "wikipedia.xml.gz").read().decode()
    documents = sorted(re.findall(r'<document docName="[^"]*">.*?</document>', xml, re.S), key=lambda text: text.split('"')[1])
    even, odd = documents[::2], documents[1::2]
    root = "wikipediaData.entityAnnotation"
    (folder / "wiki.xml").write_text("\n".join([f"<{root}>", *even, f"</{root}>"]) + "\n")
    names = defaultdict(dict)
    for mention, title in links(even):
        names[title][mention] = None
    concepts = [{"id": wned_id(title), "name": plain(title), "synonyms": list(names[title])} for title in sorted(names)]
    held_out = sorted({title for _, title in links(odd)})
    write_lines(parts / "exclude.txt", sorted({wned_id(title) for title in held_out} | {plain(title) for title in held_out}))
    return write_lines(parts / "titles.jsonl", map(json.dumps, concepts)), folder / "wiki.xml"


def links(documents):
    pattern = re.compile(r"<mention>(.*?)</mention>\s*<wikiName>(.*?)</wikiName>", re.S)
    for document in documents:
        for mention, title in pattern.findall(document):
            title = html.unescape(title).strip()
            if title and title != "NIL":
                yield " ".join(html.unescape(mention).split()), title


def wned_id(title):
    """The id of a title in documents of the format `wned`."""
    return re.sub(r"[,;+|%]", lambda match: f"%{ord(match[0]):02X}", re.sub(r"\s", "_", title))


def plain(title):
    return re.sub(r" \([^()]*\)$", "", title)


def untar(path, folder):
    """Unpacks a .tar.zst; `tar` and `zstd` must be installed."""
    subprocess.run(["tar", "--zstd", "-xf", path, "-C", folder], check=True)


# Biomedical.


def biomedical(data, parts):
    entries = {**mesh(data / "dict-mesh"), **ontologies(data / "synonyms-ontologies")}
    held_out = ids_of(data / "ncbi-disease" / "NCBItestset_corpus.txt") | ids_of(data / "bc5cdr" / "CDR_DevelopmentSet.PubTator.txt.gz")
    write_lines(parts / "exclude.txt", excluded(entries, held_out))
    concepts = [*merged(entries), *famplex(data / "synonyms-famplex")]
    kb = write_lines(parts / "concepts.jsonl", map(json.dumps, concepts))
    texts = biomedical_texts(data, parts)
    licences = [
        "MeSH: NLM, with attribution", "MONDO: CC BY 4.0", "DOID: CC0", "HPO: own licence, with attribution", "EFO: Apache-2.0", "FamPlex: CC0",
        "NCBI Disease, BC5CDR, NLM-Gene, NLM-Chem, GNormPlus, MED1250: public domain or MIT", "JNLPBA: GENIA Project License", "BC2GM: CC BY 4.0",
    ]
    return [kb], texts, ["--parents", *(flag for licence in licences for flag in ("--licence", licence))]


def mesh(folder):
    """Entries of descriptors, whose parents are one number above in the tree, and of supplementary concepts, under the descriptors they map to."""
    entries, by_number, numbers = {}, {}, {}
    for row in csv.reader(opened(folder / "mesh_id_label_mappings.tsv.gz"), delimiter="\t", quoting=csv.QUOTE_NONE):
        entries[f"MESH:{row[0]}"] = entry(row)
        numbers[f"MESH:{row[0]}"] = list(filter(None, row[3].split("|"))) if len(row) > 3 else []
        by_number.update((number, f"MESH:{row[0]}") for number in numbers[f"MESH:{row[0]}"])
    for key, own in numbers.items():
        above = [by_number.get(number.rsplit(".", 1)[0]) for number in own if "." in number]
        entries[key]["parents"] = sorted({parent for parent in above if parent})
    for row in csv.reader(opened(folder / "mesh_supp_id_label_mappings.tsv.gz"), delimiter="\t", quoting=csv.QUOTE_NONE):
        parents = row[3].split("|") if len(row) > 3 else []
        entries[f"MESH:{row[0]}"] = {**entry(row), "parents": [f"MESH:{parent.lstrip('*')}" for parent in parents if parent]}
    return entries


def entry(row):
    return {"name": row[1], "synonyms": list(filter(None, row[2].split("|"))) if len(row) > 2 else [], "parents": [], "xrefs": []}


def ontologies(folder):
    entries = {}
    for vocabulary, name in ONTOLOGIES.items():
        for term in json.load(opened(folder / f"{name}.json.gz")):
            if not term.get("name") or namespace(curie(vocabulary, term["id"])) != vocabulary:
                continue
            xrefs = [(NAMESPACES[xref["namespace"]], xref["id"]) for xref in term.get("xrefs", []) if xref["namespace"] in NAMESPACES]
            entries[curie(vocabulary, term["id"])] = {
                "name": term["name"], "synonyms": term.get("synonyms", []),
                "parents": [curie(vocabulary, parent) for parent in term.get("relations", {}).get("is_a", [])],
                "xrefs": sorted({curie(*xref) for xref in xrefs}),
            }
    return entries


def curie(namespace, local):
    return local if ":" in local else f"{namespace}:{local}"


def merged(entries):
    """Concepts: entries joined where one refers to the other, the only such pair of both in the two vocabularies."""
    forward, backward = defaultdict(set), defaultdict(set)
    for key, value in entries.items():
        for xref in value["xrefs"]:
            if xref in entries and namespace(xref) != namespace(key):
                forward[key, namespace(xref)].add(xref)
                backward[xref, namespace(key)].add(key)
    group = {key: [key] for key in entries}
    for (key, other), targets in sorted(forward.items()):
        if len(targets) == 1 and len(backward[next(iter(targets)), namespace(key)]) == 1:
            one, two = group[key], group[next(iter(targets))]
            if one is not two and not {namespace(member) for member in one} & {namespace(member) for member in two}:
                one += two
                for member in two:
                    group[member] = one
    chosen = {member: min(members, key=lambda name: (ORDER.index(namespace(name)), name)) for members in group.values() for member in members}
    for key in sorted(entries):
        if chosen[key] == key:
            members = sorted(group[key], key=lambda name: (ORDER.index(namespace(name)), name))
            yield concept(key, members, entries, chosen)


def concept(key, members, entries, chosen):
    names = dict.fromkeys(name for member in members for name in (entries[member]["name"], *entries[member]["synonyms"]))
    own = entries[key]["name"]
    parents = dict.fromkeys(chosen.get(parent, parent) for member in members for parent in entries[member]["parents"])
    omim = [xref for member in members for xref in entries[member]["xrefs"] if namespace(xref) == "OMIM"]
    return {
        "id": key, "name": own, "synonyms": [name for name in names if name != own and name.strip()],
        "parents": [parent for parent in parents if parent != key and len(parent) < 100],
        "xrefs": [member for member in members if member != key] + (omim if len(omim) == 1 else []),
    }


def namespace(key):
    return key.split(":", 1)[0]


def famplex(folder):
    names = defaultdict(list)
    for row in csv.reader(opened(folder / "grounding_map.csv")):
        if len(row) > 2 and row[1] == "FPLX" and not any(row[3:]):
            names[row[2]].append(row[0])
    for name in opened(folder / "entities.csv").read().split():
        yield {"id": f"FPLX:{name}", "name": name.replace("_", " "), "synonyms": names[name], "types": ["family"]}


def ids_of(path):
    """The ids of a PubTator file as CURIEs."""
    ids = set()
    for line in opened(path):
        cells = line.rstrip("\n").split("\t")
        if len(cells) >= 6:
            ids.update(part.strip() for part in re.split(r"[|+]", cells[5]))
    return {part if ":" in part else f"MESH:{part}" for part in ids if part not in ("", "-1")}


def excluded(entries, ids):
    """Ids, the entries that refer to them, and the preferred names of both."""
    keys = ids | {key for key, value in entries.items() if ids & set(value["xrefs"])}
    names = {entries[key]["name"] for key in keys if key in entries}
    return sorted(keys) + sorted(names)


def biomedical_texts(data, parts):
    folder = parts / "texts"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    evaluated = set()
    for path in ["ncbi-disease/NCBIdevelopset_corpus.txt", "ncbi-disease/NCBItestset_corpus.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt.gz"]:
        evaluated |= {line.split("|")[0] for line in opened(data / path) if re.match(r"\d+\|t\|", line)}
    texts = []
    for name, path in {
        "ncbi-disease": "ncbi-disease/NCBItrainset_corpus.txt.gz", "bc5cdr": "bc5cdr/CDR_TrainingSet.PubTator.txt.gz",
        "nlm-gene": "nlm-gene/NLMgene_Train.PubTator.gz", "gnormplus": "gnormplus-bc2gn/GNormPlus_Train.PubTator",
        "nlm-chem": "nlm-chem/NLMchem_Test.PubTator.gz",
    }.items():
        blocks = re.split(r"\n\s*\n", opened(data / path).read().strip())
        kept = [block.strip() for block in blocks if block.strip().split("|")[0] not in evaluated]
        if name in GENES:
            kept = ["\n".join(line for line in block.split("\n") if "\t" not in line) for block in kept]
        texts.append(write_lines(folder / f"{name}.pubtator", (f"{block}\n" for block in kept)))
    abstracts = opened(data / "abbreviations-med1250" / "MED1250_unlabeled.gz").read()
    texts.append(plain_texts(folder / "med1250.jsonl", medline(abstracts, evaluated)))
    texts.append(plain_texts(folder / "jnlpba.jsonl", standoff(data / "blurb-ner" / "JNLPBA" / "standoff.tar.zst", parts / "jnlpba", evaluated)))
    texts.append(plain_texts(folder / "bc2gm.jsonl", sentences(data / "blurb-ner" / "BC2GM-IOB" / "train.tsv.gz")))
    texts.append(plain_texts(folder / "bio-id.jsonl", sentences(data / "bio-id" / "train.final.txt.gz")))
    return texts


def plain_texts(path, texts):
    return write_lines(path, (json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts)))


def medline(text, evaluated):
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.strip().split("\n")
        if len(lines) > 2 and lines[0].strip() not in evaluated:
            yield "\n\n".join(lines[1:3])


def standoff(archive, folder, evaluated):
    """Texts of the train part of a packed folder of brat files, named by PMID."""
    folder.mkdir(exist_ok=True)
    untar(archive, folder)
    for path in sorted(path for path in folder.rglob("*.txt") if "train" in path.parts):
        if path.stem.split("-")[-1] not in evaluated:
            yield path.read_text()


def sentences(path):
    """Sentences of a CoNLL file: tokens joined by blanks, without the blanks before punctuation and within brackets."""
    tokens = []
    for line in opened(path):
        if line.strip():
            tokens.append(line.split()[0])
        elif tokens:
            text = re.sub(r" ([,.;:?!%)\]])", r"\1", " ".join(tokens))
            yield re.sub(r"([(\[]) ", r"\1", text).replace(" - ", "-").replace(" / ", "/")
            tokens = []


if __name__ == "__main__":
    main()
