"""Datasets of Ray: `truename.ray.match(ds, "dx", kb="/data/mykb")`, `link(ds, "note")` and `recognize(ds, "note")`.

An answer is the one that a single process gives, and a row that fails is marked in a column. The metadata of the schema of each block has the
version of Truename and the fingerprint of the knowledge base.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._batch import DICTIONARY, LinkBatch, MatchBatch, RecognizeBatch, TextBatch, names
from ._open import Kb

if TYPE_CHECKING:
    from ray.data import Dataset
    from typing_extensions import Unpack

    from ._types import LinkOptions, MatchOptions

__all__ = ["link", "match", "recognize"]


def match(ds: Dataset, column: str, *, kb: Kb = None, **options: Unpack[MatchOptions]) -> Dataset:
    """Match the names in a column, as `truename.spark.match` does.

    Equal names of a batch are matched once. Across batches they are not: Ray's shuffles of a data set cost more than they would save.
    """
    return _mapped(ds, MatchBatch(kb, column, **options))


def link(
    ds: Dataset,
    text: str,
    *,
    kb: Kb = None,
    id: str | Sequence[str] | None = None,
    explode: bool = False,
    **options: Unpack[LinkOptions],
) -> Dataset:
    """Link the texts in a column, as `truename.spark.link` does."""
    return _mapped(ds, LinkBatch(kb, text, names(id), explode=explode, **options))


def recognize(
    ds: Dataset,
    text: str,
    *,
    recognizer: str | os.PathLike[str] = DICTIONARY,
    kb: Kb = None,
    id: str | Sequence[str] | None = None,
    explode: bool = False,
    **options: Any,
) -> Dataset:
    """Find the mentions of the texts in a column, as `truename.spark.recognize` does."""
    return _mapped(ds, RecognizeBatch(recognizer, kb, text, names(id), explode=explode, **options))


def _mapped(ds: Dataset, work: TextBatch) -> Dataset:
    work.check(ds.columns())
    return ds.map_batches(work.table, batch_format="pyarrow", udf_modifying_row_count=work.explode)
