"""Columns of pandas: `series.truename.match(kb="mykb")`.

The accessor is there once both pandas and truename are imported; where truename was the first, `import truename.pandas` adds it.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ._open import Kb, knowledge_base

__all__ = ["TruenameAccessor"]


@pd.api.extensions.register_series_accessor("truename")
class TruenameAccessor:
    """Names of a series, matched to the concepts of a knowledge base."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def match(self, kb: Kb = None, *, progress: Any = None, **options: Any) -> Any:
        """Match the names. Returns a data frame with the index of the series: `id`, `preferred_name`, `matched_name` and `probability`.

        `kb`: a knowledge base, its folder, or None for the bundled one. Keyword arguments are the options of a matcher; with `top` above 1
        there is the column `candidates`, with `explain` the column `explanation`.
        """
        matches = knowledge_base(kb).matcher(**options).match(self._series, progress=progress)
        links = list(matches)
        columns: dict[str, list[Any]] = {
            "id": matches.ids,
            "preferred_name": [None if link is None else link.name for link in links],
            "matched_name": [None if link is None else link.matched_name for link in links],
            "probability": [None if link is None else link.probability for link in links],
        }
        if (options.get("top") or 1) > 1:
            columns["candidates"] = [None if link is None else link.candidates for link in links]
        if options.get("explain"):
            columns["explanation"] = [None if link is None else link.explanation for link in links]
        return pd.DataFrame(columns, index=self._series.index)
