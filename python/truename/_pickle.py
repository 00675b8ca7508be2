"""Functions by which pickles open knowledge bases and models again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._truename import Encoder, KnowledgeBase, Linker, Matcher, bundled


def knowledge_base(folder: Path | None, encoder: Path | bool | None) -> KnowledgeBase:
    """Open the knowledge base in a folder, the bundled one if there is none."""
    if folder is None:
        return bundled(encoder=encoder)
    return KnowledgeBase.open(folder, encoder=encoder)


def linker(kb: KnowledgeBase, options: dict[str, Any] | None) -> Linker:
    """Open the linker of a knowledge base with options."""
    return kb.linker(**(options or {}))


def matcher(kb: KnowledgeBase, options: dict[str, Any] | None) -> Matcher:
    """Open the matcher of a knowledge base with options."""
    return kb.matcher(**(options or {}))


def encoder(folder: Path, adapters: str | None) -> Encoder:
    """Open the encoder in a folder."""
    return Encoder.open(folder, adapters=adapters)
