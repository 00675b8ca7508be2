#!/usr/bin/env python3
"""Scores assertions beside medspaCy and negspacy: what sentences of clinical reports say of a concept.

    pip install medspacy==1.3.1 negspacy==1.1.0
    python3 benches/assertions.py --data DIR --truename BIN [--half 1]

`DIR/negex-context/annotations-odd.tsv.gz` are 1,188 sentences of the corpus of ConText's authors (chapmanbe/negex,
genConText/rsAnnotations-1-120-random.txt; the rows of odd number). Every second one (--half 0) was there to develop the triggers, the others
(--half 1, the default) report. Peers that are not installed are left out.
"""

import argparse
import csv
import gzip
import json
import pathlib
import subprocess
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--truename", default="truename")
    parser.add_argument("--half", type=int, choices=[0, 1], default=1)
    options = parser.parse_args()
    with gzip.open(options.data / "negex-context/annotations-odd.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[options.half :: 2]
    print("system | seconds | assertion | precision | recall | F1 | gold | found")
    own(rows, options.truename)
    judged = [placed for row in rows if (placed := place(row))]
    for name, peer in (("medspacy", medspacy_context), ("negspacy", negspacy_negex)):
        try:
            assertions = peer()
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        start = time.perf_counter()
        found = [assertions(text, start_, end) for text, start_, end, _ in judged]
        show(name, time.perf_counter() - start, found, [gold for *_, gold in judged])


def place(row):
    """Return the sentence with its concept in the concept's own letters, the place of the concept, and its assertions; None without a place."""
    sentence, concept = row["sentence"], row["concept"].strip()
    start = sentence.find(concept.upper())
    if start < 0:
        start = sentence.lower().find(concept.lower())
    if start < 0:
        return None
    end = start + len(concept)
    gold = {
        "negated": row["negation"] == "Negated",
        "historical": row["temporality"] == "Historical",
        "hypothetical": row["temporality"] == "Not particular",
        "family": row["experiencer"] != "Patient",
    }
    return sentence[:start] + concept + sentence[end:], start, end, {name for name, is_so in gold.items() if is_so}


def own(rows, truename):
    with tempfile.TemporaryDirectory() as folder:
        gold, scores = pathlib.Path(folder, "gold.tsv"), pathlib.Path(folder, "scores.json")
        lines = ["\t".join(rows[0])] + ["\t".join(row.values()) for row in rows]
        gold.write_text("\n".join(lines) + "\n", encoding="utf-8")
        start = time.perf_counter()
        subprocess.run([truename, "-q", "evaluate", "assertions", "--gold", gold, "--json", scores], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        for name, score in json.loads(scores.read_text())["assertions"].items():
            line("truename", seconds, name, score["precision"], score["recall"], score["f1"], score["gold"], score["found"])


def medspacy_context():
    import medspacy
    from spacy.tokens import Span

    nlp = medspacy.load(medspacy_enable=["medspacy_pyrush", "medspacy_context"])
    attributes = {"negated": "is_negated", "historical": "is_historical", "hypothetical": "is_hypothetical", "family": "is_family"}

    def assertions(text, start, end):
        doc = nlp.make_doc(text)
        for name, component in nlp.pipeline:
            if name == "medspacy_context":
                span = doc.char_span(start, end, alignment_mode="expand")
                doc.ents = [Span(doc, span.start, span.end, label="CONCEPT")]
            doc = component(doc)
        return {name for name, attribute in attributes.items() if getattr(doc.ents[0]._, attribute)}

    return assertions


def negspacy_negex():
    import spacy
    from negspacy.negation import Negex  # noqa: F401
    from spacy.tokens import Span

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("negex", config={"ent_types": ["CONCEPT"]})

    def assertions(text, start, end):
        doc = nlp.get_pipe("sentencizer")(nlp.make_doc(text))
        span = doc.char_span(start, end, alignment_mode="expand")
        doc.ents = [Span(doc, span.start, span.end, label="CONCEPT")]
        doc = nlp.get_pipe("negex")(doc)
        return {"negated"} if doc.ents[0]._.negex else set()

    return assertions


def show(system, seconds, found, gold):
    for name in ("negated", "historical", "hypothetical", "family"):
        right = sum(name in one and name in other for one, other in zip(found, gold, strict=True))
        all_found, all_gold = sum(name in one for one in found), sum(name in one for one in gold)
        precision, recall = right / max(all_found, 1), right / max(all_gold, 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        line(system, seconds, name, precision, recall, f1, all_gold, all_found)


def line(system, seconds, name, precision, recall, f1, gold, found):
    shares = " | ".join(f"{100 * share:.2f}" for share in (precision, recall, f1))
    print(f"{system} | {seconds:.2f} | {name} | {shares} | {gold} | {found}")


if __name__ == "__main__":
    main()
