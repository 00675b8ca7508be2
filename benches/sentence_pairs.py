#!/usr/bin/env python3
"""Pearson's and Spearman's correlation, in percent, of the cosines of pairs of sentences with their scores.

    python3 benches/sentence_pairs.py DIR/glue/STS-B/dev.tsv MODEL [INT8 ...]

The file is GLUE's; the package `truename` encodes by each model folder, which `truename model quantize` may have made.
"""

import csv
import sys

import numpy
import truename


def ranks(values):
    """Returns the rank of each value; equal ones share the mean of theirs."""
    _, places, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - counts / 2)[places]


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    scores = numpy.array([float(row["score"]) for row in rows])
    for folder in sys.argv[2:]:
        encoder = truename.Encoder.open(folder)
        first, second = (numpy.array(encoder.encode([row[column] for row in rows])) for column in ("sentence1", "sentence2"))
        cosines = (first * second).sum(axis=1)
        pearson, spearman = numpy.corrcoef(cosines, scores)[0, 1], numpy.corrcoef(ranks(cosines), ranks(scores))[0, 1]
        print(f"{folder}: {len(rows)} pairs, {100 * pearson:.2f} / {100 * spearman:.2f}")


if __name__ == "__main__":
    main()
