"""Records that stand for the same thing, by functions of the parts of a table.

A pair has the probability that one process gives it: its two records and the frequencies of values in the whole table decide. Records that
match are connected, and each connected component is clustered as one process does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from ._truename import __version__, _RecordParts

_TEXTS = pa.schema([("column", pa.int32()), ("text", pa.string()), ("count", pa.int64())])
_TERMS = pa.schema([("term", pa.int64()), ("count", pa.int64())])
_ROWS = 10_000
"""Records that are resolved in one call, as far as they are of several components."""


class RecordParts:
    """Functions of the parts of a table of records with the columns `id` and `c0`, `c1` and so on; they can be pickled."""

    def __init__(
        self,
        columns: Sequence[str],
        model: str,
        rules: Sequence[str],
        threshold: float,
        frequencies: bytes | None = None,
    ) -> None:
        self.columns, self.model, self.rules = tuple(columns), model, tuple(rules)
        self.threshold, self.frequencies, self.version = threshold, frequencies, __version__
        self.fields = [f"c{at}" for at in range(len(columns))]

    def with_frequencies(self, frequencies: bytes) -> RecordParts:
        """Return the functions with the frequencies of the values of the whole table."""
        return RecordParts(self.columns, self.model, self.rules, self.threshold, frequencies)

    def _opened(self) -> _RecordParts:
        if self.version != __version__:
            message = f"the driver has truename {self.version}, this host {__version__}"
            raise RuntimeError(f"{message}\nhint: install one version of truename on all hosts")
        return _opened(self.columns, self.model, self.rules, self.frequencies)

    def _records(self, batch: pa.RecordBatch, prefix: str = "") -> pa.RecordBatch:
        return batch.select([prefix + field for field in self.fields])

    def keys(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns `rule`, `key` and `id`: a row for each rule by which a record is compared."""
        for batch in batches:
            rules, rows, keys = self._opened().keys(self._records(batch))
            ids = batch.column("id").take(pa.array(rows, pa.int32()))
            columns = {"rule": pa.array(rules, pa.int32()), "key": pa.array(keys, pa.string()), "id": ids}
            yield pa.RecordBatch.from_pydict(columns)

    def value_texts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns `column`, `text` and `count`: the distinct texts of a batch with the number of their records."""
        for batch in batches:
            columns, texts, counts = self._opened().value_texts(self._records(batch))
            yield _typed(_TEXTS, columns, texts, counts)

    def value_terms(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns `term` and `count` of distinct texts."""
        for batch in batches:
            columns = (batch.column(name).to_pylist() for name in _TEXTS.names)
            yield _typed(_TERMS, *self._opened().value_terms(*columns))

    @staticmethod
    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the terms whose counts are kept."""
        for batch in batches:
            kept = _RecordParts.tells(*(batch.column(name).to_pylist() for name in _TERMS.names))
            yield batch.filter(pa.array(kept, pa.bool_()))

    def score(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns `left`, `right` and `probability` of pairs, whose records have the columns `left_c0`, `right_c0` and so on."""
        for batch in batches:
            scores = self._opened().score(self._records(batch, "left_"), self._records(batch, "right_"))
            ids = [batch.column("left"), batch.column("right")]
            yield pa.RecordBatch.from_arrays([*ids, pa.array(scores, pa.float64())], ["left", "right", "probability"])

    def resolve(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the columns `id`, `cluster`, `is_shared`, `best` and `best_equal` of records that are sorted by their components."""
        for part in _whole_components(batches):
            ids = part.column("id").to_pylist()
            rows = {id: row for row, id in enumerate(ids)}
            others = part.column("others").to_pylist()
            pairs = [(row, rows[other]) for row, of in enumerate(others) for other in of or ()]
            repeated = [row for row, is_repeated in enumerate(part.column("repeated").to_pylist()) if is_repeated]
            found = self._opened().resolve(self._records(part), repeated, pairs, self.threshold)
            clusters, best, shared, further = found
            is_shared: list[bool] = [False] * len(ids)
            best_equal: list[float | None] = [None] * len(ids)
            for row, is_of_cluster, probability in zip(repeated, shared, further, strict=True):
                is_shared[row], best_equal[row] = is_of_cluster, probability
            of = part.column("id")
            columns = [of, of.take(pa.array(clusters, pa.int32())), pa.array(is_shared), pa.array(best, pa.float64())]
            names = ["id", "cluster", "is_shared", "best", "best_equal"]
            yield pa.RecordBatch.from_arrays([*columns, pa.array(best_equal, pa.float64())], names)


@lru_cache(maxsize=4)
def _opened(columns: tuple[str, ...], model: str, rules: tuple[str, ...], frequencies: bytes | None) -> _RecordParts:
    return _RecordParts(list(columns), model, list(rules), frequencies)


def _typed(schema: pa.Schema, *columns: list[Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(dict(zip(schema.names, columns, strict=True)), schema=schema)


def _whole_components(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches that each have all records of their components, of rows that are sorted by the column `component`."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) < _ROWS:
            continue
        rows = pa.Table.from_batches(held).combine_chunks().to_batches()[0]
        components = rows.column("component").to_pylist()
        end = next((at for at in range(len(rows) - 1, 0, -1) if components[at - 1] != components[at]), 0)
        if end:
            yield rows.slice(0, end)
        held = [rows.slice(end)]
    held = [batch for batch in held if len(batch)]
    if held:
        yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]
