#!/usr/bin/env python3
"""Writes the mentions of ChEBI, MONDO and GO in the articles of CRAFT, for `truename-bench fit-mentions` and `link`.

    python3 scripts/craft.py CHECKOUT OUT

CHECKOUT is one of https://github.com/UCDenver-ccp/CRAFT (CC BY 3.0). OUT gets a file of JSON lines for each vocabulary and part, such as
chebi-test.jsonl; the parts are CRAFT's, with its development part in that for training.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# The folders of a vocabulary's annotations, and the prefix that its ids have in CRAFT alone. Mentions of CRAFT's own classes (CHEBI_EXT:…) stand for
# concepts that are not annotated by themselves.
VOCABULARIES = {
    "chebi": (["CHEBI/CHEBI+extensions/knowtator"], ""),
    "mondo": (["MONDO/MONDO_without_genotype_annotations/knowtator-2"], "MONDO:"),
    "go": ([f"{part}/{part}+extensions/knowtator" for part in ("GO_BP", "GO_CC", "GO_MF")], ""),
}
PARTS = {"train": ["train", "dev"], "test": ["test"]}


def annotations(file):
    """Yields the bounds of the fragments and the class of each annotation of a file of Knowtator, of version 1 or 2."""
    root = ElementTree.parse(file).getroot()
    classes = {mention.get("id"): mention.find("mentionClass") for mention in root.iter("classMention")}
    for annotation in root.iter("annotation"):
        spans = {(int(span.get("start")), int(span.get("end"))) for span in annotation.iter("span")}
        fragments = sorted((start, end) for start, end in spans if start < end)
        named = annotation.find("class")
        named = classes[annotation.find("mention").get("id")] if named is None else named
        if fragments:
            yield fragments, named.get("id").rsplit("/", 1)[-1].replace("MONDO_", "MONDO:")


def document(checkout, article, folders, prefix):
    text = (checkout / f"articles/txt/{article}.txt").read_text(encoding="utf-8")
    mentions = []
    for folder in folders:
        [file] = (checkout / "concept-annotation" / folder).glob(f"{article}.*")
        for fragments, concept in annotations(file):
            end = max(end for _, end in fragments)
            mention = {"start": fragments[0][0], "end": end, "id": concept.removeprefix(prefix)}
            if len(fragments) > 1:
                mention["fragments"] = fragments
            mentions.append(mention)
    mentions.sort(key=lambda mention: (mention["start"], -mention["end"]))
    return {"id": article, "text": text, "mentions": mentions}


def main():
    checkout, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    for part, lists in PARTS.items():
        ids = [(checkout / f"articles/ids/craft-ids-{name}.txt").read_text().split() for name in lists]
        for vocabulary, (folders, prefix) in VOCABULARIES.items():
            documents = [document(checkout, article, folders, prefix) for articles in ids for article in articles]
            lines = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
            path = out / f"{vocabulary}-{part}.jsonl"
            path.write_text(lines, encoding="utf-8")
            print(f"{path.name}: {len(documents)} documents, {sum(len(one['mentions']) for one in documents)} mentions")


if __name__ == "__main__":
    main()
