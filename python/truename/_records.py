"""Records that stand for the same thing, and tables of texts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
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


class Extension(NamedTuple):
    """New rows in the clusters of a table that is done."""

    table: Any
    """The new rows with the columns `cluster` and `probability`."""
    joined: dict[Any, Any]
    """Ids of clusters that are a part of another one now, with the id of that."""


def dedupe_against(table: Any, done: Any, *, cluster: str = "cluster", **options: Unpack[RecordOptions]) -> Extension:
    """Find the clusters of new rows among those of a table that is done, as `truename dedupe --against` does.

    `done`: a table with the column `cluster`, as `dedupe` returns it. Its clusters keep their ids, and new ones get the next numbers; of two
    clusters that a new row joins the older id stays. The other options are those of `dedupe`.
    """
    _tables.refuse_taken(table, (cluster, "probability"))
    known = [value for value in _tables.column(done, cluster) if value is not None and value == value]
    # Numbers beside missing ones are floating in some data frames.
    are_numbers = all(isinstance(value, (int, float)) for value in known)
    columns, rows = _tables.strings(done)
    if are_numbers:
        place = columns.index(cluster)
        rows = [[*row[:place], row[place].removesuffix(".0"), *row[place + 1 :]] for row in rows]
    ids, probabilities, joined = _truename._dedupe_against(_tables.strings(table), (columns, rows), cluster, **options)
    read = int if are_numbers else str
    found: dict[str, list[Any]] = {cluster: [read(text) for text in ids], "probability": probabilities}
    return Extension(_tables.with_columns(table, found), {read(gone): read(kept) for gone, kept in joined})


def match_tables(left: Any, right: Any, *, one_to_one: bool = False, **options: Unpack[RecordOptions]) -> list[Pair]:
    """Find the rows of two tables that stand for the same thing, as `truename dedupe LEFT RIGHT` does.

    Returns pairs of rows; `one_to_one` pairs each row with one of the other table at most. The other options are those of `dedupe`.
    """
    tables = _tables.strings(left), _tables.strings(right)
    return [Pair(*pair) for pair in _truename._dedupe(*tables, one_to_one=one_to_one, **options)[1]]


def link_tables(tables: Sequence[Any], *, one_to_one: bool = False, **options: Unpack[RecordOptions]) -> list[Any]:
    """Find the rows of several tables that stand for the same thing, as `truename dedupe A B C` does.

    Returns the tables with the columns `cluster`, a number that rows of all tables share, and `probability`. Rows of one table are not compared
    with each other; with `one_to_one` a cluster has one row of each table at most. The other options are those of `dedupe`.
    """
    for table in tables:
        _tables.refuse_taken(table, ("cluster", "probability"))
    texts = [_tables.strings(table) for table in tables]
    found = iter(_truename._dedupe_linked(texts, one_to_one=one_to_one, **options))
    linked = []
    for table, (_, rows) in zip(tables, texts, strict=True):
        of = [next(found) for _ in rows]
        added: dict[str, list[Any]] = {
            "cluster": [cluster + 1 for cluster, _ in of],
            "probability": [probability for _, probability in of],
        }
        linked.append(_tables.with_columns(table, added))
    return linked


def explain_match(
    table: Any, left: int, right: int, other: Any = None, **options: Unpack[RecordOptions]
) -> dict[str, Any]:
    """Return the weight of each column in the probability that two rows stand for the same thing, in bits.

    `left` and `right`: rows of the table from 0, or with `other` a row of each table. The weights are those of a Fellegi–Sunter model.
    """
    further = None if other is None else _tables.strings(other)
    return _truename._explain_match(_tables.strings(table), further, (left, right), **options)


def label_pairs(
    table: Any,
    file: str | os.PathLike[str],
    ask: Callable[[dict[str, str], dict[str, str], float], bool | None],
    other: Any = None,
    **options: Unpack[RecordOptions],
) -> int:
    """Ask which pairs of rows stand for the same thing, doubtful ones sooner, as `truename dedupe --label` does.

    `ask`: a function of two rows, as dicts of texts, and the probability by the answers so far. It returns True or False, None where it is not
    sure, and raises StopIteration to stop. Each five answers fit the scorer anew, by which the next pairs are chosen. `file`: the table of the
    answers, which has each of them before the next question; those that it has already count. Returns their number. `other`: a further
    table, whose rows are compared with those of the first. The other options are those of `dedupe`, which takes the file as `labels`.
    """
    left = _tables.strings(table)
    right = None if other is None else _tables.strings(other)

    def rows(left_row: int, right_row: int, probability: float) -> bool | None:
        (columns, texts), (others, further) = left, right or left
        pair = zip(columns, texts[left_row], strict=True), zip(others, further[right_row], strict=True)
        return ask(dict(pair[0]), dict(pair[1]), probability)

    return _truename._label_pairs(left, right, file, rows, **options)[0]


def merge_clusters(
    table: Any, *, cluster: str = "cluster", rule: str = "most-frequent", rules: dict[str, str] | None = None
) -> Any:
    """Return one row a cluster, as `truename dedupe --format merged` does, with the column `count`.

    `cluster`: column with the numbers of the clusters, as `dedupe` adds it; a row without one is left out. `rule`: "most-frequent",
    "longest", "first" or "newest(COLUMN)", with a column of dates. `rules`: rules of single columns.
    """
    _tables.refuse_taken(table, ("count",))
    members: dict[Any, list[int]] = {}
    for at, number in enumerate(_tables.column(table, cluster)):
        if number is not None and number == number:
            members.setdefault(number, []).append(at)
    texts = [rule, *(f"{name}={of}" for name, of in (rules or {}).items())]
    chosen = _truename._merge_rows(_tables.strings(table), list(members.values()), texts)
    found: dict[str, list[Any]] = {}
    for place, name in enumerate(_tables.columns(table)):
        values = _tables.column(table, name)
        found[name] = [None if at is None else values[at] for at in (row[place] for row in chosen)]
    found["count"] = [len(rows) for rows in members.values()]
    return _tables.made(table, found)


def cluster_table(table: Any, column: str, **options: Any) -> Any:
    """Group the names of a column that stand for one thing, as `truename cluster --format table` does.

    Returns the table with the columns `canonical` (the name of the cluster), `cluster` (its number) and `count` (its rows), missing for a
    row without a name. Keyword arguments are those of `truename.cluster`.
    """
    added = ("canonical", "cluster", "count")
    _tables.refuse_taken(table, added)
    values = _tables.column(table, column)
    found = _truename.cluster([value if isinstance(value, str) else None for value in values], **options)
    counts = Counter(one[0] for one in found if one)
    rows = [(one[1], one[0] + 1, counts[one[0]]) if one else (None, None, None) for one in found]
    return _tables.with_columns(table, {name: [row[at] for row in rows] for at, name in enumerate(added)})


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
