"""Answers in the shape of Gilda (https://github.com/gyorilab/gilda): scored matches of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._truename import Candidate, Link

__all__ = ["ScoredMatch", "Term", "scored_matches"]


@dataclass(frozen=True)
class Term:
    """A name of a concept."""

    db: str
    """Namespace of the id, such as `MESH`; empty where the id has none."""
    id: str
    """Id without its namespace."""
    entry_name: str
    """Preferred name of the concept."""
    text: str
    """The name that matched."""
    status: str
    """`name` for the preferred name, else `synonym`."""
    source: str
    """Source of the name if it is an alias, else the namespace."""

    def get_curie(self) -> str:
        """Return the id with its namespace."""
        return f"{self.db}:{self.id}" if self.db else self.id

    def to_json(self) -> dict[str, str]:
        """Return the term as a dict."""
        return dict(vars(self))


@dataclass(frozen=True)
class ScoredMatch:
    """A term with the probability that it is meant."""

    term: Term
    score: float
    """Calibrated probability."""
    candidate: Candidate
    """The candidate with the scores of all stages."""

    def get_grounding(self) -> tuple[str, str]:
        """Return the namespace and the id."""
        return self.term.db, self.term.id

    def to_json(self) -> dict[str, Any]:
        """Return the match as a dict."""
        return {"term": self.term.to_json(), "score": self.score}


def scored_matches(link: Link, namespace: str | None = None) -> list[ScoredMatch]:
    """Return the candidates of an answer as scored matches, best first. `namespace`: that of ids without one."""
    return [_scored_match(candidate, namespace or "") for candidate in link.candidates]


def _scored_match(candidate: Candidate, namespace: str) -> ScoredMatch:
    db, colon, local = candidate.id.partition(":")
    if not colon:
        db, local = namespace, candidate.id
    is_preferred = candidate.matched_name == candidate.name
    term = Term(
        db=db,
        id=local,
        entry_name=candidate.name,
        text=candidate.matched_name,
        status="name" if is_preferred else "synonym",
        source=candidate.alias_source or db,
    )
    return ScoredMatch(term, candidate.probability, candidate)
