"""Knowledge bases by their folders, opened once."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from ._truename import KnowledgeBase, bundled

Kb = KnowledgeBase | str | os.PathLike[str] | None
"""A knowledge base, its folder, or None for the bundled one."""


def knowledge_base(kb: Kb) -> KnowledgeBase:
    """Return the knowledge base itself, that in a folder, or the bundled one for None."""
    if isinstance(kb, KnowledgeBase):
        return kb
    return _opened(None if kb is None else os.path.abspath(kb))


@lru_cache(maxsize=8)
def _opened(folder: str | None) -> KnowledgeBase:
    return bundled() if folder is None else KnowledgeBase.open(folder)


def stored(kb: Kb) -> str | None:
    """Return the folder of a knowledge base, None for the bundled one."""
    if isinstance(kb, KnowledgeBase):
        folder: Any = kb.__reduce__()[1][0]
        return None if folder is None else str(folder)
    return None if kb is None else os.path.abspath(kb)
