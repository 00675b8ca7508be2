"""Records that stand for the same thing, and tables of texts."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from typing_extensions import Unpack

from . import _tables, _truename
from ._open import Kb, knowledge_base
from ._types import RecordOptions


class Pair(NamedTuple):
    """Two rows that stand for the same thing."""

    left: int
    """Row of the left table, from 0."""
    right: int
    """Row of the right table, from 0."""
    probability: float
    """Probability that both stand for the same thing."""


def dedupe(table: Any, **options: Unpack[RecordOptions]) -> Any:
    """Find the rows of a table that stand for the same thing, as `truename dedupe` does.

    `table`: a data frame of pandas or polars, a table of pyarrow, or a list of dicts. Returns it with the columns `cluster`, a number, and
    `probability`, that of the likeliest match, missing for a row alone.
    """
    _tables.refuse_taken(table, ("cluster", "probability"))
    [(clusters, probabilities)], _ = _truename._dedupe(_tables.strings(table), None, **options)
    return _tables.with_columns(table, {"cluster": [cluster + 1 for cluster in clusters], "probability": probabilities})


def match_tables(left: Any, right: Any, *, one_to_one: bool = False, **options: Unpack[RecordOptions]) -> list[Pair]:
    """Find the rows of two tables that stand for the same thing, as `truename dedupe LEFT RIGHT` does.

    Returns pairs of rows; `one_to_one` pairs each row with one of the other table at most. The other options are those of `dedupe`.
    """
    tables = _tables.strings(left), _tables.strings(right)
    return [Pair(*pair) for pair in _truename._dedupe(*tables, one_to_one=one_to_one, **options)[1]]


def link_table(table: Any, *, text: str, id: str | None = None, kb: Kb = None, batch: int = 256, **options: Any) -> Any:
    """Link the column `text` of a table. Returns a table of its kind with a row for each mention.

    Its columns are `row` (the number of the row in the table, from 0) or, with the column `id`, that column; then `start`, `end`, `text`,
    `types`, `concept_id`, `preferred_name`, `probability` and `assertions`. Keyword arguments are the options of a linker.
    """
    texts = _tables.column(table, text)
    keys = list(range(len(texts))) if id is None else _tables.column(table, id)
    linker = knowledge_base(kb).linker(**options)
    docs = linker.link_many((value if isinstance(value, str) else "" for value in texts), batch=batch)
    key = "row" if id is None else id
    found: dict[str, list[Any]] = {
        name: []
        for name in (key, "start", "end", "text", "types", "concept_id", "preferred_name", "probability", "assertions")
    }
    for at, doc in zip(keys, docs, strict=True):
        for mention in doc:
            values = (
                at,
                mention.start,
                mention.end,
                mention.text,
                mention.types,
                mention.id,
                mention.name,
                mention.probability,
                mention.assertions,
            )
            for values_of, value in zip(found.values(), values, strict=True):
                values_of.append(value)
    return _tables.made(table, found)


def write_documents(documents: Any, path: str | os.PathLike[str]) -> int:
    """Write documents, such as those of `truename.hf.from_dataset`, as JSONL that `train` and the command read. Returns their number."""
    import json

    count = 0
    with open(path, "w", encoding="utf-8") as file:
        for document in documents:
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
            count += 1
    return count
