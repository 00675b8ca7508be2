"""Functions of a record batch that data frames of Spark, Daft, Ray and Dask share.

Such a function can be pickled, and answers on any host as a single process does: a null has no answer, a row that fails has nulls and the
error, and a host whose program, knowledge base or models differ from those that the driver opened is refused.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import _pickle
from ._open import Kb
from ._place import on_this_host, shared
from ._truename import _LONGEST_NAME_BYTES, KnowledgeBase, Linker, Matcher, Recognizer, __version__

METADATA = "truename"
"""Key of the metadata of a schema or a field: what the answers are of."""
DICTIONARY = "dictionary"
"""Recognizer that finds the names of the knowledge base."""
_NO_PLACES = (None, DICTIONARY, "none")
"""Values of options that are no place."""
_CANDIDATE = (
    ("id", pa.string()),
    ("preferred_name", pa.string()),
    ("matched_name", pa.string()),
    ("probability", pa.float64()),
)
_SPAN = (("start", pa.int32()), ("end", pa.int32()), ("text", pa.string()), ("types", pa.list_(pa.string())))
_MENTION = (
    *_SPAN,
    ("id", pa.string()),
    ("preferred_name", pa.string()),
    ("probability", pa.float64()),
    ("assertions", pa.list_(pa.string())),
)
_RECOGNIZED = (*_SPAN, ("score", pa.float64()))
_FOLDERS = ("recognizer", "placeholders", "assertions")
"""Options that name a file or folder of each host."""


class TextBatch:
    """Adds the answers to a column of texts to a record batch."""

    def __init__(
        self, kb: Kb, column: str, kept: Sequence[str] | None, explode: bool, options: Mapping[str, Any]
    ) -> None:
        self.column, self.kept, self.explode = column, kept, explode
        self.options: dict[str, Any] = {
            name: _shared(value) if name in _FOLDERS else value for name, value in options.items()
        }
        self.kb = _place_of(kb)
        opened = _open(type(self), self.kb, self.options)
        # An option that is wrong is an error here, and not one of each row.
        self.answers(opened, pa.nulls(0, pa.string()))
        self.provenance = _provenance(opened)

    @property
    def answer_fields(self) -> list[pa.Field]:
        """The columns of the answers to texts, without that of errors."""
        raise NotImplementedError

    @staticmethod
    def opened(kb: Any, options: dict[str, Any]) -> Any:
        """Open what answers."""
        raise NotImplementedError

    def answers(self, opened: Any, texts: pa.Array) -> list[pa.Array]:
        """Return the answers to texts. Raises ValueError if one of them cannot be answered."""
        raise NotImplementedError

    @property
    def error_name(self) -> str:
        """Name of the column of errors."""
        return "error"

    @property
    def added(self) -> list[pa.Field]:
        """The columns that are added."""
        fields = self.answer_fields
        if self.explode:
            fields = [pa.field(f"mention_{field.name}", field.type) for field in fields[0].type.value_type]
        return [*fields, pa.field(self.error_name, pa.string())]

    def check(self, columns: Sequence[str]) -> None:
        """Raise KeyError if columns lack one that is read or kept, ValueError if they have one that is added."""
        for column in [self.column, *(self.kept or [])]:
            if column not in columns:
                raise KeyError(f"the frame has no column {column!r}; it has {', '.join(columns)}")
        taken = {field.name for field in self.added}.intersection(self.kept_of(columns))
        if taken:
            raise ValueError(f"the frame has a column {min(taken)!r} already; rename it")

    def kept_of(self, columns: Iterable[str]) -> list[str]:
        """Return those of columns that are kept."""
        return [column for column in columns if self.kept is None or column in self.kept]

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with the added columns."""
        opened = self._checked()
        texts = _texts(batch, self.column)
        answers = self._answered(opened, texts)
        # An update of the knowledge base while the batch was answered.
        self._checked()
        kept = batch.select(self.kept_of(batch.schema.names))
        if self.explode:
            rows, answers = _exploded(*answers)
            kept = kept.take(rows)
        said = json.loads((batch.schema.metadata or {}).get(METADATA.encode(), "{}")) | {self.column: self.provenance}
        metadata = {**(batch.schema.metadata or {}), METADATA.encode(): json.dumps(said).encode()}
        return pa.RecordBatch.from_arrays(
            [*kept.columns, *answers], schema=pa.schema([*kept.schema, *self.added], metadata=metadata)
        )

    def map(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches with the added columns, for `DataFrame.mapInArrow`."""
        return map(self, batches)

    def table(self, table: pa.Table) -> pa.Table:
        """Return a table with the added columns."""
        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
        return pa.Table.from_batches(list(map(self, batches)))

    def _checked(self) -> Any:
        """Return what answers. Raises RuntimeError if its answers may differ from those of the driver."""
        opened = _opened(pickle.dumps((type(self), self.kb, self.options, self.provenance)))
        here = _provenance(opened)
        if here != self.provenance:
            raise RuntimeError(
                f"the host {socket.gethostname()} would answer by {_said(here)}, the job began with {_said(self.provenance)}\n"
                "hint: install one version of truename on all hosts, update no knowledge base while a job runs, and begin the job anew"
            )
        return opened

    def _answered(self, opened: Any, texts: pa.Array) -> list[pa.Array]:
        """Return the answers to texts and the errors; halves that fail are answered by halves, down to the rows that fail."""
        try:
            texts.validate(full=True)
            return [*self.answers(opened, texts), pa.nulls(len(texts), pa.string())]
        except BaseException as error:
            # Where the machine fails, the task is to be tried anew. The library's panics are of a text.
            if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
                raise
            if len(texts) < 2:
                none = [pa.nulls(len(texts), field.type) for field in self.answer_fields]
                return [*none, pa.array([f"{type(error).__name__}: {error}"] * len(texts), pa.string())]
            middle = len(texts) // 2
            halves = [self._answered(opened, half) for half in (texts[:middle], texts[middle:])]
            return [pa.concat_arrays(columns) for columns in zip(*halves, strict=True)]

    def _fields(self, standard: Sequence[tuple[str, pa.DataType]]) -> list[tuple[str, pa.DataType]]:
        """Return the fields of an answer: the standard ones, and those that the options ask for."""
        fields = list(standard)
        if (self.options.get("top") or 1) > 1:
            fields.append(("candidates", pa.list_(pa.struct(_CANDIDATE))))
        if self.options.get("explain"):
            fields.append(("explanation", pa.string()))
        return fields


class MatchBatch(TextBatch):
    """Matches the names in a column of a record batch.

    The columns that are added have the name of the column before them: with `dx` they are `dx_id`, `dx_preferred_name`, `dx_matched_name`,
    `dx_probability` and `dx_error`.
    """

    def __init__(self, kb: Kb, column: str, **options: Any) -> None:
        super().__init__(kb, column, None, False, {"threads": 1, **options})

    @property
    def answer_fields(self) -> list[pa.Field]:
        """The columns of the answers to names."""
        return [pa.field(f"{self.column}_{name}", kind) for name, kind in self._fields(_CANDIDATE)]

    @property
    def error_name(self) -> str:
        """Name of the column of errors."""
        return f"{self.column}_error"

    @staticmethod
    def opened(kb: Any, options: dict[str, Any]) -> Matcher:
        """Open the matcher."""
        return _knowledge_base(kb).matcher(**options)

    def answers(self, opened: Matcher, texts: pa.Array) -> list[pa.Array]:
        """Return the answers to names. Raises ValueError if one of them cannot be answered."""
        longest = pc.max(pc.binary_length(texts)).as_py() or 0
        if longest > _LONGEST_NAME_BYTES:
            raise ValueError(f"a name of {longest} bytes (at most {_LONGEST_NAME_BYTES})")
        columns = pa.array(opened.match(texts)).flatten()
        return [column.cast(field.type) for column, field in zip(columns, self.answer_fields, strict=True)]


class _MentionBatch(TextBatch):
    """Adds the mentions of texts: the column `mentions`, or with `explode` a row and columns `mention_…` for each mention."""

    @property
    def answer_fields(self) -> list[pa.Field]:
        """The column of mentions."""
        return [pa.field("mentions", pa.list_(pa.struct(self.fields)))]

    @property
    def fields(self) -> list[tuple[str, pa.DataType]]:
        """The fields of a mention."""
        raise NotImplementedError

    def mentions_of(self, opened: Any, texts: list[str]) -> Iterable[list[dict[str, Any]]]:
        """Return the mentions of each text."""
        raise NotImplementedError

    def answers(self, opened: Any, texts: pa.Array) -> list[pa.Array]:
        """Return the mentions of texts. Raises ValueError if one of them cannot be read."""
        found = iter(self.mentions_of(opened, texts.drop_null().to_pylist()))
        mentions = [next(found) if is_text else None for is_text in texts.is_valid().to_pylist()]
        return [pa.array(mentions, self.answer_fields[0].type)]


class LinkBatch(_MentionBatch):
    """Links the texts in a column of a record batch."""

    def __init__(
        self, kb: Kb, column: str, kept: Sequence[str] | None = None, *, explode: bool = False, **options: Any
    ) -> None:
        super().__init__(kb, column, kept, explode, {"threads": 1, **options})

    @property
    def fields(self) -> list[tuple[str, pa.DataType]]:
        """The fields of a mention."""
        return self._fields(_MENTION)

    @staticmethod
    def opened(kb: Any, options: dict[str, Any]) -> Linker:
        """Open the linker."""
        return _knowledge_base(kb).linker(**options)

    def mentions_of(self, opened: Linker, texts: list[str]) -> Iterable[list[dict[str, Any]]]:
        """Return the linked mentions of each text."""
        return ([self._mention(mention) for mention in doc] for doc in opened.link_many(texts))

    def _mention(self, mention: Any) -> dict[str, Any]:
        return {
            **_span(mention),
            "id": mention.id,
            "preferred_name": mention.name,
            "probability": mention.probability,
            "assertions": mention.assertions,
            "candidates": [candidate.to_dict() for candidate in mention.candidates],
            "explanation": mention.explanation,
        }


class RecognizeBatch(_MentionBatch):
    """Finds the mentions of the texts in a column of a record batch, by a recognizer or by the dictionary of a knowledge base."""

    def __init__(
        self,
        recognizer: str | os.PathLike[str],
        kb: Kb,
        column: str,
        kept: Sequence[str] | None = None,
        *,
        explode: bool = False,
        **options: Any,
    ) -> None:
        options["recognizer"] = os.fspath(recognizer)
        super().__init__(kb, column, kept, explode, options)

    @property
    def fields(self) -> list[tuple[str, pa.DataType]]:
        """The fields of a mention."""
        return list(_RECOGNIZED)

    @staticmethod
    def opened(kb: Any, options: dict[str, Any]) -> Linker | Recognizer:
        """Open the recognizer, or the linker whose dictionary finds mentions."""
        if options["recognizer"] == DICTIONARY:
            return _knowledge_base(kb).linker(**{"threads": 1, **options})
        return Recognizer.open(options["recognizer"])

    def mentions_of(self, opened: Linker | Recognizer, texts: list[str]) -> Iterable[list[dict[str, Any]]]:
        """Return the mentions of each text. A mention of the dictionary has no score."""
        if isinstance(opened, Linker):
            return ([{**_span(mention), "score": mention.score} for mention in doc] for doc in opened.link_many(texts))
        options = {name: value for name, value in self.options.items() if name != "recognizer"}
        found = opened.batch_predict_entities(texts, **options)
        return ([{**one, "types": [one["label"]]} for one in entities] for entities in found)


def names(columns: str | Sequence[str] | None) -> list[str] | None:
    """Return a list of the names of columns; None if there are none."""
    return columns if columns is None else [columns] if isinstance(columns, str) else list(columns)


def _span(mention: Any) -> dict[str, Any]:
    return {"start": mention.start, "end": mention.end, "text": mention.text, "types": mention.types}


def _texts(batch: pa.RecordBatch, column: str) -> pa.Array:
    """Return a column of strings. Raises TypeError if it holds anything else."""
    texts = batch.column(batch.schema.get_field_index(column))
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_decode()
    if pa.types.is_null(texts.type):
        texts = texts.cast(pa.string())
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        raise TypeError(f"the column {column!r} holds {texts.type}, and not strings; cast it first")
    return texts


def _exploded(mentions: pa.Array, errors: pa.Array) -> tuple[pa.Array, list[pa.Array]]:
    """Return the row of each mention and of each text that failed, in the order of the texts, with the fields of the mention and the error."""
    failed = pc.indices_nonzero(errors.is_valid()).cast(pa.int64())
    rows = pa.concat_arrays([pc.list_parent_indices(mentions).cast(pa.int64()), failed])
    order = pc.array_sort_indices(rows)
    structs = pa.concat_arrays([mentions.flatten(), pa.nulls(len(failed), mentions.type.value_type)]).take(order)
    rows = rows.take(order)
    return rows, [*structs.flatten(), errors.take(rows)]


def _place_of(kb: Kb) -> tuple[str | None, Any]:
    """Return the place of a knowledge base, None for the bundled one, and its encoder."""
    opened: Any = kb
    path, encoder = opened.__reduce__()[1] if isinstance(kb, KnowledgeBase) else (kb, None)
    return _shared(path), encoder if isinstance(encoder, bool) else _shared(encoder)


def _shared(path: Any) -> str | None:
    return path if path in _NO_PLACES else shared(path)


def _here(place: Any) -> Any:
    return on_this_host(place) if isinstance(place, str) and place not in _NO_PLACES else place


def _knowledge_base(kb: tuple[str | None, Any]) -> KnowledgeBase:
    folder, encoder = map(_here, kb)
    return _pickle.knowledge_base(folder, encoder)


def _open(kind: type[TextBatch], kb: tuple[str | None, Any], options: dict[str, Any]) -> Any:
    """Open what answers."""
    return kind.opened(kb, {name: _here(value) if name in _FOLDERS else value for name, value in options.items()})


@lru_cache(maxsize=4)
def _opened(work: bytes) -> Any:
    """Return what answers, opened once a process for all its tasks."""
    kind, kb, options, _ = pickle.loads(work)
    return _open(kind, kb, options)


def _provenance(opened: Any) -> dict[str, str]:
    """Return what answers are of: the version of the program, and the fingerprints of knowledge base and models."""
    found = {"version": __version__, "fingerprint": opened.fingerprint}
    return found if isinstance(opened, Recognizer) else {**found, "knowledge_base": opened.kb.fingerprint}


def _said(provenance: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in provenance.items())
