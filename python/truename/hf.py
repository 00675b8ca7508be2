"""Datasets of Hugging Face: functions for `Dataset.map`, and documents from tagged tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._open import Kb, knowledge_base, stored
from ._truename import KnowledgeBase

__all__ = ["from_dataset", "linker", "matcher"]


class _Mapped:
    """A function of a batch that can be pickled and hashed by its knowledge base and options."""

    def __init__(self, kb: Kb, column: str, options: dict[str, Any]) -> None:
        # An open one is pickled with its encoder.
        self.kb: Kb = kb if isinstance(kb, KnowledgeBase) else stored(kb)
        self.column, self.options = column, options

    def __reduce__(self) -> Any:
        return (type(self), (self.kb, self.column, self.options))


class _Matcher(_Mapped):
    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        matches = knowledge_base(self.kb).matcher(**self.options).match(list(batch[self.column]))
        links, column = list(matches), self.column
        return {
            f"{column}_id": matches.ids,
            f"{column}_name": [None if link is None else link.name for link in links],
            f"{column}_probability": [None if link is None else link.probability for link in links],
        }


class _Linker(_Mapped):
    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        docs = knowledge_base(self.kb).linker(**self.options).link_many(text or "" for text in batch[self.column])
        return {"mentions": [[_mention(mention) for mention in doc] for doc in docs]}


def _mention(mention: Any) -> dict[str, Any]:
    return {
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "types": mention.types,
        "id": mention.id,
        "name": mention.name,
        "probability": mention.probability,
        "assertions": mention.assertions,
    }


def matcher(kb: Kb, column: str, **options: Any) -> _Matcher:
    """Return a function for `Dataset.map(…, batched=True)` that adds `COLUMN_id`, `COLUMN_name` and `COLUMN_probability`."""
    return _Matcher(kb, column, options)


def linker(kb: Kb, column: str, **options: Any) -> _Linker:
    """Return a function for `Dataset.map(…, batched=True)` that adds `mentions`, a list of dicts for each text."""
    return _Linker(kb, column, options)


def from_dataset(
    dataset: Any, *, tokens: str = "tokens", tags: str = "ner_tags", names: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Return the documents of a dataset of tagged tokens: dicts with `id`, `text` and `mentions`, for `truename.write_documents`.

    `names`: names of the tags, such as `B-Disease`; those of the dataset's features by default. Tokens are joined by spaces.
    """
    if names is None:
        feature = dataset.features[tags]
        names = getattr(getattr(feature, "feature", feature), "names", None)
    for number, row in enumerate(dataset):
        labels = [tag if isinstance(tag, str) else _name(names, tag, tags) for tag in row[tags]]
        yield {"id": str(row.get("id", number)), **_document(row[tokens], labels)}


def _name(names: Sequence[str] | None, tag: int, column: str) -> str:
    if names is None:
        raise ValueError(f"the tags of the column {column!r} are numbers without names; give names=[…]")
    return names[tag]


def _document(tokens: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    text, mentions = "", list[dict[str, Any]]()
    before = "O"
    for token, label in zip(tokens, labels, strict=True):
        start = len(text) + bool(text)
        text += (" " if text else "") + token
        prefix, _, kind = label.partition("-")
        goes_on = prefix in ("I", "E", "M", "L") and before.partition("-")[2] == kind
        if label == "O":
            pass
        elif goes_on:
            mentions[-1]["end"] = len(text)
        else:
            mentions.append({"start": start, "end": len(text), "type": kind or prefix})
        before = label
    return {"text": text, "mentions": mentions}
