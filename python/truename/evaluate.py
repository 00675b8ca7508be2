"""Scores of names, links, mentions, clusters, pairs, substitutes, mappings, classes and assertions, as `truename evaluate` computes them.

Each function returns what the command writes by `--json`: a dict of scores. Files have the formats that the command reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from typing_extensions import Unpack

from . import _truename
from ._open import Kb, knowledge_base
from ._truename import Encoder, KnowledgeBase, Mappings, Simplifier
from ._types import LinkOptions, Path

__all__ = ["assertions", "classes", "clusters", "link", "mappings", "mentions", "names", "pairs", "substitutes"]

Paths = Path | Sequence[Path]


def _paths(paths: Paths) -> list[Path]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _with_encoder(kb: Kb, encoder: Path | None) -> KnowledgeBase:
    opened = knowledge_base(kb)
    return opened if encoder is None else KnowledgeBase.open(opened.path, encoder=encoder)


def names(
    gold: Path | Iterable[tuple[str, str | None]],
    kb: Kb = None,
    *,
    encoder: Path | None = None,
    errors: int = 5,
    **options: Unpack[LinkOptions],
) -> dict[str, Any]:
    """Score the answers to names: `gold` is a table with the columns `name` and `id`, or pairs of a name and an id, None for NIL.

    `errors`: number of errors of each kind. The other options are those of a linker.
    """
    pairs = gold if isinstance(gold, (str, os.PathLike)) else list(gold)
    return _truename._evaluate_names(_with_encoder(kb, encoder).linker(**options), pairs, errors)


def link(
    gold: Paths,
    kb: Kb = None,
    *,
    encoder: Path | None = None,
    gold_types: Sequence[str] = (),
    **options: Unpack[LinkOptions],
) -> dict[str, Any]:
    """Score the mentions and ids of documents: `gold` are corpora with mentions that have ids.

    `gold_types`: only gold mentions of these types. The other options are those of a linker.
    """
    return _truename._evaluate_link(_with_encoder(kb, encoder).linker(**options), _paths(gold), list(gold_types))


def mentions(
    gold: Paths,
    kb: Kb = None,
    *,
    recognizer: Paths = (),
    found: Paths = (),
    train: Paths = (),
    gold_types: Sequence[str] = (),
    nested: bool = False,
    abbreviations: bool = True,
    errors: int = 20,
) -> dict[str, Any]:
    """Score the mentions of documents, by the recognizer of the knowledge base.

    `recognizer`: folders, "bundled", "dictionary" or "both" in its place. `found`: the same documents with the mentions of another tool,
    which are scored instead. `train`: training corpora, for the frequency of the texts of errors. `gold_types`: only mentions of these types.
    """
    given = (_paths(recognizer), _paths(found), _paths(train), list(gold_types), nested, abbreviations, errors)
    return _truename._evaluate_mentions(knowledge_base(kb), _paths(gold), *given)


def clusters(
    gold: Path,
    *,
    found: Path | None = None,
    encoder: Encoder | Path | None = None,
    threshold: float | None = None,
    linkage: str = "average",
    words: float | None = None,
    labelled: Path | None = None,
) -> dict[str, Any]:
    """Score clusters of the names of `gold`, a table with the columns `name` and `cluster`, or those of the table `found`.

    `labelled`: names by which the threshold is chosen. The other options are those of `truename.cluster`.
    """
    opened = encoder if encoder is None or isinstance(encoder, Encoder) else Encoder.open(encoder)
    return _truename._evaluate_clusters(gold, found, opened, threshold, linkage, words, labelled)


def pairs(
    gold: Path,
    *,
    model: Path | None = None,
    labels: Path | None = None,
    scorer: str | None = None,
    threshold: float = 0.5,
    errors: int = 5,
) -> dict[str, Any]:
    """Score matches of records: `gold` is a table of pairs with labels.

    `model`: folder of a classifier of pairs, or file of a Fellegi–Sunter model. `labels`: labelled pairs to fit the scorer to.
    `scorer`: scorer, as of `truename.dedupe`. `threshold`: lowest probability of a match. `errors`: number of errors.
    """
    return _truename._evaluate_pairs(gold, model, labels, scorer, threshold, errors)


def substitutes(gold: Path, simplifier: Simplifier, *, encoding: str | None = None) -> dict[str, Any]:
    """Score the substitutes of words in sentences: `gold` has the form of LexMTurk, BenchLS or NNSeval.

    `encoding`: its encoding where that is not UTF-8, as "windows-1252".
    """
    return _truename._evaluate_substitutes(gold, simplifier, encoding)


def mappings(
    gold: Paths,
    found: Mappings | Path,
    *,
    threshold: float = 0.0,
    partial: bool = False,
    candidates: Path | None = None,
) -> dict[str, Any]:
    """Score mappings between two vocabularies: `gold` are files of right ones, `found` those of `truename.align` or of a file.

    `threshold`: lowest probability of a mapping that counts. `partial`: True if gold is a part of all right mappings, so that a mapping
    counts only if gold maps one of its concepts. `candidates`: table of candidates to rank, as Bio-ML has them; `gold` may then be empty.
    """
    return _truename._evaluate_mappings(_paths(gold), found, threshold, partial, candidates)


def classes(
    gold: Path,
    model: Path,
    *,
    first: str | None = None,
    second: str | None = None,
    label: str | None = None,
    positive: str | None = None,
) -> dict[str, Any]:
    """Score a classifier, or a regression, on texts with labels.

    `first`, `second`, `label`: columns of the texts and the label; those that the model learnt from where they are left out. `positive`:
    label that precision, recall and F1 are of.
    """
    return _truename._evaluate_classes(gold, model, first, second, label, positive)


def assertions(gold: Path, *, assertions: Path | None = None) -> dict[str, Any]:
    """Score what triggers say of mentions, those of English or of the file `assertions`.

    `gold`: a table with the columns `sentence` and `concept`, and with `negation`, `temporality` and `experiencer`, or with `assertions`.
    """
    return _truename._evaluate_assertions(gold, assertions)
