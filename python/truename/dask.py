"""Data frames of Dask: `truename.dask.match(df, "dx", kb="/data/mykb")`, `link(df, "note")` and `recognize(df, "note")`.

An answer is the one that a single process gives, and a row that fails is marked in a column. The added columns have types of Arrow. The rows of
a join keep their index, and come in another order. A frame of Dask has no metadata.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from ._batch import DICTIONARY, LinkBatch, MatchBatch, RecognizeBatch, TextBatch, names
from ._open import Kb

if TYPE_CHECKING:
    from dask.dataframe import DataFrame
    from typing_extensions import Unpack

    from ._types import LinkOptions, MatchOptions

__all__ = ["link", "match", "recognize"]

_INDEX = "truename_index"
"""Column of the index, while answers are joined to the rows, and of the numbers of the rows of a partition."""


def match(
    df: DataFrame, column: str, *, kb: Kb = None, distinct: bool = True, **options: Unpack[MatchOptions]
) -> DataFrame:
    """Match the names in a column, as `truename.spark.match` does.

    Equal names are matched once, and joined to the rows; `distinct=False` matches every row where it lies, and keeps the order.
    """
    work = MatchBatch(kb, column, **options)
    work.check(df.columns)
    if not distinct:
        return _mapped(df, work)
    answers = _mapped(df[[column]].dropna().drop_duplicates(split_out=df.npartitions), work)
    rows = df.map_partitions(lambda frame: frame.assign(**{_INDEX: frame.index}), enforce_metadata=False)
    joined = rows.merge(answers, on=column, how="left")
    return joined.map_partitions(_with_index, df.index.name)


def link(
    df: DataFrame,
    text: str,
    *,
    kb: Kb = None,
    id: str | Sequence[str] | None = None,
    explode: bool = False,
    **options: Unpack[LinkOptions],
) -> DataFrame:
    """Link the texts in a column, as `truename.spark.link` does."""
    return _mentions(df, LinkBatch(kb, text, names(id), explode=explode, **options))


def recognize(
    df: DataFrame,
    text: str,
    *,
    recognizer: str | os.PathLike[str] = DICTIONARY,
    kb: Kb = None,
    id: str | Sequence[str] | None = None,
    explode: bool = False,
    **options: Any,
) -> DataFrame:
    """Find the mentions of the texts in a column, as `truename.spark.recognize` does."""
    return _mentions(df, RecognizeBatch(recognizer, kb, text, names(id), explode=explode, **options))


def _mentions(df: DataFrame, work: TextBatch) -> DataFrame:
    work.check(df.columns)
    kept = work.kept_of(df.columns)
    # Rows are kept by their numbers, so that the columns stay those of pandas.
    work.kept = None
    found = _mapped(df[list(dict.fromkeys([*kept, work.column]))], work)
    return found[[*kept, *(field.name for field in work.added)]]


def _mapped(df: DataFrame, work: TextBatch) -> DataFrame:
    return df.map_partitions(_answered, work, meta=_answered(df._meta, work))


def _answered(frame: pd.DataFrame, work: TextBatch) -> pd.DataFrame:
    """Return a frame of pandas with the added columns."""
    texts = pa.array(frame[work.column], pa.string(), from_pandas=True)
    rows = pa.array(range(len(frame)), pa.int64())
    found = work.table(pa.table([rows, texts], [_INDEX, work.column]))
    added = {field.name: pd.arrays.ArrowExtensionArray(found[field.name]) for field in work.added}
    return frame.iloc[found[_INDEX].to_numpy()].assign(**added)


def _with_index(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    return frame.set_index(_INDEX).rename_axis(index=name)
