"""Columns of polars: `series.truename.match(kb="mykb")` and `pl.col("dx").truename.match(kb="mykb")`.

The namespaces are there once both polars and truename are imported; where truename was the first, `import truename.polars` adds them.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from ._open import Kb, knowledge_base

__all__ = ["TruenameExpression", "TruenameSeries"]

_CANDIDATE = {"id": pl.String, "preferred_name": pl.String, "matched_name": pl.String, "probability": pl.Float64}


def _kind(options: dict[str, Any]) -> Any:
    fields: dict[str, Any] = dict(_CANDIDATE)
    if (options.get("top") or 1) > 1:
        fields["candidates"] = pl.List(pl.Struct(_CANDIDATE))
    if options.get("explain"):
        fields["explanation"] = pl.String
    return pl.Struct(fields)


@pl.api.register_series_namespace("truename")
class TruenameSeries:
    """Names of a series, matched to the concepts of a knowledge base."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def match(self, kb: Kb = None, *, progress: Any = None, **options: Any) -> Any:
        """Match the names. Returns a series of structs with `id`, `preferred_name`, `matched_name` and `probability`.

        `kb`: a knowledge base, its folder, or None for the bundled one. Keyword arguments are the options of a matcher; with `top` above 1
        there is the field `candidates`, with `explain` the field `explanation`.
        """
        matches = knowledge_base(kb).matcher(**options).match(self._series, progress=progress)
        return pl.Series(self._series.name, matches)


@pl.api.register_expr_namespace("truename")
class TruenameExpression:
    """Names of an expression, matched to the concepts of a knowledge base."""

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def match(self, kb: Kb = None, **options: Any) -> Any:
        """Match the names, as `TruenameSeries.match` does; also in a lazy frame."""
        return self._expression.map_batches(
            lambda series: TruenameSeries(series).match(kb, **options), return_dtype=_kind(options), is_elementwise=True
        )
