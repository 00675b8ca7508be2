"""Data frames of Daft: `truename.daft.match(df, "dx", kb="/data/mykb")`, `link(df, "note")` and `recognize(df, "note")`.

An answer is the one that a single process gives, and a row that fails is marked in a column. The rows of a join come in another order. A frame
of Daft has no metadata.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._batch import DICTIONARY, LinkBatch, MatchBatch, RecognizeBatch, TextBatch, names
from ._open import Kb

if TYPE_CHECKING:
    from daft import DataFrame
    from typing_extensions import Unpack

    from ._types import LinkOptions, MatchOptions

__all__ = ["link", "match", "recognize"]

_NAME = "truename_name"
"""Column of the distinct names, while they are joined to the rows."""


def match(
    df: DataFrame, column: str, *, kb: Kb = None, distinct: bool = True, **options: Unpack[MatchOptions]
) -> DataFrame:
    """Match the names in a column, as `truename.spark.match` does.

    Equal names are matched once, and joined to the rows; `distinct=False` matches every row where it lies.
    """
    work = MatchBatch(kb, column, **options)
    _check(df, work)
    if not distinct:
        return _answered(df, work)
    asked = df.select(column).where(df[column].not_null()).distinct()
    answers = _answered(asked, work).with_column_renamed(column, _NAME)
    joined = df.join(answers, left_on=column, right_on=_NAME, how="left")
    return joined.select(*df.column_names, *(field.name for field in work.added))


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
    from daft import col

    _check(df, work)
    # A function of Daft gives a row for each row that it takes.
    explode, work.explode = work.explode, False
    kept = work.kept_of(df.column_names)
    found = _answered(df, work).select(*kept, "mentions", "error")
    if not explode:
        return found
    fields = [(field.name, f"mention_{field.name}") for field in work.answer_fields[0].type.value_type]
    rows = found.explode("mentions").where(col("mentions").not_null() | col("error").not_null())
    return rows.select(*kept, *(col("mentions").get(name).alias(new) for name, new in fields), "error")


def _answered(df: DataFrame, work: TextBatch) -> DataFrame:
    """Return the frame with the added columns."""
    import daft

    kind = daft.DataType.from_arrow_type(pa.struct(work.added))

    def answers(texts: daft.Series) -> pa.StructArray:
        found = work(pa.RecordBatch.from_arrays([texts.to_arrow()], [work.column]))
        return pa.StructArray.from_arrays(found.columns[-len(work.added) :], fields=work.added)

    function = daft.func.batch(return_dtype=kind, unnest=True)(answers)
    return df.select(*df.column_names, function(df[work.column]))


def _check(df: DataFrame, work: TextBatch) -> None:
    work.check(df.column_names)
    kind = df.schema()[work.column].dtype
    if not kind.is_string():
        raise TypeError(f"the column {work.column!r} holds {kind}, and not strings; cast it first")
