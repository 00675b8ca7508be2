#!/usr/bin/env python3
"""Writes the corpora that the bundled recognizer learns from, without the documents of parts that figures are reported on.

    python3 scripts/box_corpora.py DATA WORK

DATA holds the files that crates/truename/models/README.md names, plain or gzipped; all that lie in its folder `held-out` give documents to leave out,
by their PubMed ids and titles: test parts, and development parts too where figures on these are wanted. WORK gets a file for each corpus, biored-dev.pubtator to calibrate with, and texts.pubtator: the texts of all of these and
of the files in DATA's folder `texts` (PubTator, or lines of id, title and abstract), without annotations, for a student to learn from.
"""

import gzip
import re
import shutil
import sys
from pathlib import Path

# What WORK calls a corpus, and its files in DATA.
CORPORA = {
    "cdr": ["CDR_TrainingSet.PubTator.txt", "CDR_DevelopmentSet.PubTator.txt"],
    "ncbi": ["NCBItrainset_corpus.txt", "NCBIdevelopset_corpus.txt"],
    "nlm-gene": ["NLMgene_Train.PubTator"],
    "gnormplus": ["GNormPlus_Train.PubTator"],
}
BIORED = "BioRED_TrainDev.PubTator"
# The last documents of BioRED, its development part, are held out.
BIORED_DEV = 100
# Documents of JNLPBA, whose folder has a .txt and an .ann file for each.
JNLPBA_DOCUMENTS = 400


def read(path):
    path = path if path.exists() else path.with_name(path.name + ".gz")
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        # Abstracts may have empty lines.
        blocks = re.split(r"\n\n+(?=\s*\d+(?:\||\n))", file.read().replace("\r", ""))
    return [block.strip("\n") for block in blocks if block.strip()]


def pmid(document):
    return re.match(r"\s*(\d+)", document).group(1)


def passages(document):
    """Title and abstract of a PubTator document, or of a record of lines."""
    parts = re.findall(r"^\d+\|[ta]\|(.*)$", document, re.M) or [*document.split("\n")[1:], ""]
    return [parts[0].strip(), " ".join(part.strip() for part in parts[1:])]


def key(title):
    return re.sub(r"[^a-z0-9]", "", title.lower())


def write(documents, path):
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(documents)} documents")


def main():
    data, work = Path(sys.argv[1]), Path(sys.argv[2])
    held_documents = [document for path in sorted((data / "held-out").iterdir()) for document in read(path)]
    held = {pmid(document) for document in held_documents}
    biored = read(data / BIORED)
    write(biored[-BIORED_DEV:], work / "biored-dev.pubtator")
    write([document for document in biored[:-BIORED_DEV] if pmid(document) not in held], work / "biored.pubtator")
    held |= {pmid(document) for document in biored[-BIORED_DEV:]}
    held_titles = {key(passages(document)[0]) for document in held_documents + biored[-BIORED_DEV:]}
    records = []
    for short, names in CORPORA.items():
        documents = [document for name in names for document in read(data / name)]
        write([document for document in documents if pmid(document) not in held], work / f"{short}.pubtator")
        records += documents
    folder = work / "jnlpba"
    folder.mkdir(exist_ok=True)
    for text in sorted((data / "JNLPBA").glob("*.txt"))[:JNLPBA_DOCUMENTS]:
        shutil.copy(text, folder)
        shutil.copy(text.with_suffix(".ann"), folder)

    records += biored
    records += [f"{text.stem}\n{text.read_text(encoding='utf-8')}" for text in sorted((data / "JNLPBA").glob("*.txt"))]
    records += [document for path in sorted((data / "texts").iterdir()) for document in read(path)]
    texts = []
    for record in records:
        title, abstract = passages(record)
        if pmid(record) not in held and key(title) not in held_titles:
            held.add(pmid(record))
            held_titles.add(key(title))
            texts.append(f"{pmid(record)}|t|{title}\n{pmid(record)}|a|{abstract}")
    write(texts, work / "texts.pubtator")


if __name__ == "__main__":
    main()
