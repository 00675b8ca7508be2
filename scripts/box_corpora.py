#!/usr/bin/env python3
"""Writes the corpora that the bundled recognizer learns from, without the documents of parts that figures are reported on.

    python3 scripts/box_corpora.py DATA WORK

DATA holds the files that crates/truename/models/README.md names, plain or gzipped; all that lie in its folder `held-out` give documents to leave out,
by their PubMed ids. WORK gets a file for each corpus, and biored-dev.pubtator to calibrate with.
"""

import gzip
import re
import shutil
import sys
from pathlib import Path

# Files of DATA, and what WORK calls them.
CORPORA = {
    "CDR_TrainingSet.PubTator.txt": "cdr",
    "NCBItrainset_corpus.txt": "ncbi",
    "NLMgene_Train.PubTator": "nlm-gene",
    "GNormPlus_Train.PubTator": "gnormplus",
}
BIORED = "BioRED_TrainDev.PubTator"
# The last documents of BioRED, its development part, are held out.
BIORED_DEV = 100
# Documents of JNLPBA, whose folder has a .txt and an .ann file for each.
JNLPBA_DOCUMENTS = 400


def read(path):
    path = path if path.exists() else path.with_name(path.name + ".gz")
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        blocks = file.read().replace("\r", "").split("\n\n")
    return [block.strip("\n") for block in blocks if block.strip()]


def pmid(document):
    return re.match(r"\s*(\d+)", document).group(1)


def write(documents, path):
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(documents)} documents")


def main():
    data, work = Path(sys.argv[1]), Path(sys.argv[2])
    held = {pmid(document) for path in sorted((data / "held-out").iterdir()) for document in read(path)}
    biored = read(data / BIORED)
    write(biored[-BIORED_DEV:], work / "biored-dev.pubtator")
    write([document for document in biored[:-BIORED_DEV] if pmid(document) not in held], work / "biored.pubtator")
    held |= {pmid(document) for document in biored[-BIORED_DEV:]}
    for name, short in CORPORA.items():
        write([document for document in read(data / name) if pmid(document) not in held], work / f"{short}.pubtator")
    folder = work / "jnlpba"
    folder.mkdir(exist_ok=True)
    for text in sorted((data / "JNLPBA").glob("*.txt"))[:JNLPBA_DOCUMENTS]:
        shutil.copy(text, folder)
        shutil.copy(text.with_suffix(".ann"), folder)


if __name__ == "__main__":
    main()
