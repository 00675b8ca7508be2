"""Scores of names, links, mentions and clusters, as `truename evaluate` computes them.

Each function returns what the command writes by `--json`: a dict of scores. Keyword arguments are the flags of the command.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._command import flags, run
from ._open import Kb, knowledge_base

__all__ = ["clusters", "link", "mentions", "names", "pairs"]

PathLike = str | os.PathLike[str]


def _evaluate(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        run("evaluate", kind, *flags({**options, "json": report}))
        scores: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return scores


def names(
    gold: PathLike | Iterable[tuple[str, str | None]], kb: Kb = None, *, encoder: PathLike | None = None, **options: Any
) -> dict[str, Any]:
    """Score the answers to names: `gold` is a table with the columns `name` and `id`, or pairs of a name and an id, None for NIL."""
    given = {"kb": knowledge_base(kb).path, "encoder": encoder, **options}
    if isinstance(gold, (str, os.PathLike)):
        return _evaluate("names", {"gold": gold, **given})
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "gold.csv")
        with table.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["name", "id"])
            rows.writerows((name, id or "") for name, id in gold)
        return _evaluate("names", {"gold": table, **given})


def link(gold: PathLike, kb: Kb = None, **options: Any) -> dict[str, Any]:
    """Score the mentions and ids of documents: `gold` is a corpus with mentions that have ids."""
    return _evaluate("link", {"gold": gold, "kb": knowledge_base(kb).path, **options})


def mentions(gold: PathLike, kb: Kb = None, **options: Any) -> dict[str, Any]:
    """Score the mentions of documents, by the recognizer of the knowledge base or of the option `recognizer`."""
    return _evaluate("mentions", {"gold": gold, "kb": knowledge_base(kb).path, **options})


def clusters(gold: PathLike, **options: Any) -> dict[str, Any]:
    """Score clusters of names: `gold` is a table with the columns `name` and `cluster`."""
    return _evaluate("clusters", {"gold": gold, **options})


def pairs(gold: PathLike, **options: Any) -> dict[str, Any]:
    """Score matches of records: `gold` is a table of pairs with labels."""
    return _evaluate("pairs", {"gold": gold, **options})
