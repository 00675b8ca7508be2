"""Data frames of Spark: `truename.spark.match(df, "dx", kb="/data/mykb")` and `truename.spark.link(df, "note", kb="/data/mykb")`.

The work is done where Spark runs its Python: truename and the folder of the knowledge base are there on every machine. An answer is the one
that a single process gives. A row that fails is marked in a column and fails no task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._open import Kb, knowledge_base
from ._truename import Document, Linker, Matcher

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from ._types import LinkOptions, MatchOptions

__all__ = ["LinkBatch", "MatchBatch", "link", "match"]

_NAME = "truename_name"
"""Column of the distinct names, while they are joined to the rows."""
_CANDIDATE = (
    ("id", pa.string()),
    ("preferred_name", pa.string()),
    ("matched_name", pa.string()),
    ("probability", pa.float64()),
)
_MENTION = (
    ("start", pa.int32()),
    ("end", pa.int32()),
    ("text", pa.string()),
    ("types", pa.list_(pa.string())),
    ("id", pa.string()),
    ("preferred_name", pa.string()),
    ("probability", pa.float64()),
)


class _Batch:
    """A function of a record batch that adds columns. It can be pickled."""

    def __init__(self, column: str, kept: Sequence[str] | None, options: dict[str, Any]) -> None:
        self.column, self.kept = column, kept
        self.candidates, self.explain = (options.get("top") or 1) > 1, bool(options.get("explain"))

    @property
    def added(self) -> list[pa.Field]:
        """The columns that are added."""
        raise NotImplementedError

    def answers(self, texts: pa.Array) -> list[pa.Array]:
        """Return the added columns of texts, all but that of errors. Raises an exception if one of them fails."""
        raise NotImplementedError

    def _fields(self, standard: Sequence[tuple[str, pa.DataType]]) -> list[tuple[str, pa.DataType]]:
        """Return the fields of an answer: the standard ones, and those that the options ask for."""
        fields = list(standard)
        if self.candidates:
            fields.append(("candidates", pa.list_(pa.struct(_CANDIDATE))))
        if self.explain:
            fields.append(("explanation", pa.string()))
        return fields

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with the added columns. A row that fails has nulls and the error."""
        texts = batch.column(batch.schema.get_field_index(self.column))
        try:
            texts.validate(full=True)
            answers, errors = self.answers(texts), pa.nulls(len(texts), pa.string())
        except Exception:
            answers, errors = self._row_by_row(texts)
        kept = [name for name in batch.schema.names if self.kept is None or name in self.kept]
        fields = [batch.schema.field(name) for name in kept] + self.added
        return pa.RecordBatch.from_arrays([*(batch[name] for name in kept), *answers, errors], schema=pa.schema(fields))

    def _row_by_row(self, texts: pa.Array) -> tuple[list[pa.Array], pa.Array]:
        none = pa.nulls(1, pa.string())
        rows, errors = list[list[pa.Array]](), list[str | None]()
        for at in range(len(texts)):
            try:
                texts[at : at + 1].validate(full=True)
                rows.append(self.answers(texts[at : at + 1]))
                errors.append(None)
            except Exception as error:
                rows.append(self.answers(none))
                errors.append(f"{type(error).__name__}: {error}")
        return [pa.concat_arrays(column) for column in zip(*rows, strict=True)], pa.array(errors, pa.string())

    def map(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches with the added columns, for `DataFrame.mapInArrow`."""
        return map(self, batches)


class MatchBatch(_Batch):
    """Matches the names in a column of a record batch: a function for `mapInArrow` that can be pickled."""

    def __init__(self, matcher: Matcher, column: str, **options: Any) -> None:
        super().__init__(column, None, options)
        self.matcher = matcher

    @property
    def added(self) -> list[pa.Field]:
        """The columns that are added: those of an answer, with the name of the column before them."""
        fields = [*self._fields(_CANDIDATE), ("error", pa.string())]
        return [pa.field(f"{self.column}_{name}", kind) for name, kind in fields]

    def answers(self, texts: pa.Array) -> list[pa.Array]:
        """Return the answers to names. Raises an exception if one of them fails."""
        columns = pa.array(self.matcher.match(texts)).flatten()
        return [column.cast(field.type) for column, field in zip(columns, self.added, strict=False)]


class LinkBatch(_Batch):
    """Links the texts in a column of a record batch: a function for `mapInArrow` that can be pickled."""

    def __init__(self, linker: Linker, column: str, kept: Sequence[str] | None = None, **options: Any) -> None:
        super().__init__(column, kept, options)
        self.linker = linker

    @property
    def added(self) -> list[pa.Field]:
        """The columns that are added: `mentions` and `error`."""
        return [pa.field("mentions", pa.list_(pa.struct(self._fields(_MENTION)))), pa.field("error", pa.string())]

    def answers(self, texts: pa.Array) -> list[pa.Array]:
        """Return the mentions of texts. Raises an exception if one of them fails."""
        known = texts.to_pylist()
        docs = self.linker.link_many(text for text in known if text is not None)
        mentions = [None if text is None else self._mentions(next(docs)) for text in known]
        return [pa.array(mentions, self.added[0].type)]

    def _mentions(self, doc: Document) -> list[dict[str, Any]]:
        return [
            {
                "start": mention.start,
                "end": mention.end,
                "text": mention.text,
                "types": mention.types,
                "id": mention.id,
                "preferred_name": mention.name,
                "probability": mention.probability,
                "candidates": [candidate.to_dict() for candidate in mention.candidates] if self.candidates else None,
                "explanation": mention.explanation,
            }
            for mention in doc
        ]


def match(
    df: DataFrame, column: str, *, kb: Kb = None, distinct: bool = True, **options: Unpack[MatchOptions]
) -> DataFrame:
    """Match the names in a column. Returns the frame with the columns of the answers, each with the name of the column before it.

    With the column `dx` they are `dx_id`, `dx_preferred_name`, `dx_matched_name`, `dx_probability` and `dx_error`, and with `top` above 1
    `dx_candidates`. A null has no answer. `kb`: a knowledge base, its folder, or None for the bundled one. Equal names are matched once;
    `distinct=False` matches every row, without a shuffle. Keyword arguments are the options of a matcher; one thread works for each task.
    """
    options.setdefault("threads", 1)
    _check(df, column)
    work = MatchBatch(knowledge_base(kb).matcher(**options), column, **options)
    _refuse_taken(df.columns, work)
    if not distinct:
        return _mapped(df, work)
    name = df[_quoted(column)]
    answers = _mapped(df.select(name).where(name.isNotNull()).distinct(), work).withColumnRenamed(column, _NAME)
    joined = df.join(answers, name == answers[_NAME], "left")
    return joined.select(*map(_quoted, [*df.columns, *(field.name for field in work.added)]))


def link(
    df: DataFrame, text: str, *, kb: Kb = None, id: str | Sequence[str] | None = None, **options: Unpack[LinkOptions]
) -> DataFrame:
    """Link the texts in a column. Returns the frame with the columns `mentions`, an array of structs, and `error`.

    A null has no mentions, and not an empty array. `id`: the columns that are kept, as those that name a text; all if they are not given.
    `kb`: a knowledge base, its folder, or None for the bundled one. Keyword arguments are the options of a linker; one thread works for
    each task.
    """
    options.setdefault("threads", 1)
    kept = None if id is None else [id] if isinstance(id, str) else list(id)
    for column in [text, *(kept or [])]:
        _known(df, column)
    _check(df, text)
    work = LinkBatch(knowledge_base(kb).linker(**options), text, kept, **options)
    _refuse_taken(kept or df.columns, work)
    return _mapped(df if kept is None else df.select(*map(_quoted, dict.fromkeys([*kept, text]))), work)


def _mapped(df: DataFrame, work: _Batch) -> DataFrame:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    kept = [field for field in df.schema.fields if work.kept is None or field.name in work.kept]
    added = [StructField(field.name, from_arrow_type(field.type)) for field in work.added]
    return df.mapInArrow(work.map, StructType(kept + added))


def _known(df: DataFrame, column: str) -> None:
    if column not in df.columns:
        raise KeyError(f"the frame has no column {column!r}; it has {', '.join(df.columns)}")


def _check(df: DataFrame, column: str) -> None:
    _known(df, column)
    kind = df.schema[column].dataType.typeName()
    if kind not in ("string", "char", "varchar"):
        raise TypeError(f"the column {column!r} holds {kind}, and not strings; cast it first")


def _refuse_taken(columns: Sequence[str], work: _Batch) -> None:
    taken = sorted({field.name for field in work.added}.intersection(columns))
    if taken:
        raise ValueError(f"the frame has a column {taken[0]!r} already; rename it")


def _quoted(column: str) -> str:
    """Return the name of a column that may hold dots."""
    return "`" + column.replace("`", "``") + "`"
