"""Data frames of Spark: `truename.spark.match(df, "dx", kb="/data/mykb")`, `link(df, "note")` and `recognize(df, "note")`.

The work is done where Spark runs its Python, and an answer is the one that a single process gives. A row that fails is marked in a column and
fails no task. The metadata of the added fields, which Parquet keeps, has the version of Truename and the fingerprint of the knowledge base.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._batch import DICTIONARY, METADATA, LinkBatch, MatchBatch, RecognizeBatch, TextBatch, names
from ._open import Kb
from ._spark_records import RecordWork, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from ._types import LinkOptions, MatchOptions

__all__ = ["LinkBatch", "MatchBatch", "RecognizeBatch", "dedupe", "link", "match", "recognize"]

_NAME = "truename_name"
"""Column of the distinct names, while they are joined to the rows."""


def match(
    df: DataFrame, column: str, *, kb: Kb = None, distinct: bool = True, **options: Unpack[MatchOptions]
) -> DataFrame:
    """Match the names in a column. Returns the frame with the columns of the answers, each with the name of the column before it.

    With the column `dx` they are `dx_id`, `dx_preferred_name`, `dx_matched_name`, `dx_probability` and `dx_error`, and with `top` above 1
    `dx_candidates`. A null has no answer. `kb`: a knowledge base, its folder or pack, a file sent by Spark, the URL of a pack, or None for
    the bundled one. Equal names are matched once; `distinct=False` matches every row, without a shuffle, and reads the frame once. Keyword
    arguments are the options of a matcher; one thread works for each task.
    """
    work = MatchBatch(kb, column, **options)
    _check(df, work)
    if not distinct:
        return _mapped(df, work)
    # Two names that a collation holds to be equal may have two answers.
    name = df[quoted(column)].cast("string")
    asked = df.select(name.alias(column)).where(name.isNotNull()).distinct()
    answers = _mapped(asked, work).withColumnRenamed(column, _NAME)
    joined = df.join(answers, name == answers[_NAME], "left")
    return joined.select(*map(quoted, [*df.columns, *(field.name for field in work.added)]))


def link(
    df: DataFrame,
    text: str,
    *,
    kb: Kb = None,
    id: str | Sequence[str] | None = None,
    explode: bool = False,
    **options: Unpack[LinkOptions],
) -> DataFrame:
    """Link the texts in a column. Returns the frame with the columns `mentions`, an array of structs, and `error`.

    A null has no mentions, and not an empty array. With `explode` there is a row for each mention, with the columns `mention_start`,
    `mention_end`, `mention_text`, `mention_types`, `mention_id`, `mention_preferred_name`, `mention_probability` and `mention_assertions`,
    and one for each text that failed. `id`: the columns that are kept, as those that name a text; all if they are not given. `kb`: as that of
    `match`. Keyword arguments are the options of a linker; one thread works for each task.
    """
    return _texts(df, LinkBatch(kb, text, names(id), explode=explode, **options))


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
    """Find the mentions of the texts in a column, as `link` does, without linking them: `start`, `end`, `text`, `types` and `score`.

    `recognizer`: a recognizer, its folder or that sent by Spark, whose options are those of `predict_entities`; or "dictionary" for the names
    of the knowledge base, with the options of a linker and without scores.
    """
    return _texts(df, RecognizeBatch(recognizer, kb, text, names(id), explode=explode, **options))


def dedupe(
    df: DataFrame,
    id: str,
    *,
    column: str | Sequence[str] | None = None,
    types: dict[str, str] | None = None,
    model: str | os.PathLike[str] | None = None,
    save_model: str | os.PathLike[str] | None = None,
    block: str | Sequence[str] | None = None,
    threshold: float = 0.5,
    sample: int = 500_000,
) -> DataFrame:
    """Find the rows that stand for the same thing, by a Fellegi–Sunter model.

    Returns the frame with the columns `cluster`, the least id of the rows of a cluster, and `probability`, that of the likeliest match, null for
    a row alone. `id`: a column of ids without nulls, each once. `column`: the columns that are compared; all others that do not identify rows
    where it is None. `types`: types of columns where those found are wrong. `block`: rules of blocking, as `postcode + soundex(last)`; found
    where it is None. `model`: the file of a model; where it is None one is fitted without labels, and `save_model` writes it. Models are fitted
    and rules are found in about `sample` rows, chosen by the hashes of their ids. The answer is that of `truename.dedupe` with this model,
    these rules and `neighbours=0` for the rows in the order of their ids.
    """
    work = RecordWork(df, id, names(column), types or {})
    parts = work.fitted(sample, threshold, model=model, save_model=save_model, block=block)
    if parts is None:
        return work.unanswered()
    return work.answered(parts)


def _texts(df: DataFrame, work: TextBatch) -> DataFrame:
    _check(df, work)
    return _mapped(df.select(*map(quoted, dict.fromkeys([*work.kept_of(df.columns), work.column]))), work)


def _mapped(df: DataFrame, work: TextBatch) -> DataFrame:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    kept = [df.schema[name] for name in work.kept_of(df.columns)]
    metadata = {METADATA: work.provenance}
    added = [StructField(field.name, from_arrow_type(field.type), metadata=metadata) for field in work.added]
    return df.mapInArrow(work.map, StructType(kept + added))


def _check(df: DataFrame, work: TextBatch) -> None:
    work.check(df.columns)
    kind = df.schema[work.column].dataType.typeName()
    if kind not in ("string", "char", "varchar"):
        raise TypeError(f"the column {work.column!r} holds {kind}, and not strings; cast it first")
