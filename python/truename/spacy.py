"""A component of spaCy pipelines: `nlp.add_pipe("truename", config={"kb": "mykb"})`.

It links the text of a document. Mentions become `doc.ents` with `kb_id_`, the candidates in `ent._.candidates` and what the text says of
them, such as `negated`, in `ent._.assertions`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ._open import knowledge_base, stored
from ._truename import Document, Linker

__all__ = ["TruenameLinker", "make_linker"]

_ENTS = ("set", "add", "link", "off")
_SPANS = "truename"

for _name in ("candidates", "assertions"):
    if not Span.has_extension(_name):
        Span.set_extension(_name, default=())


@Language.factory(
    "truename",
    assigns=["doc.ents", "doc.spans", "span._.candidates", "span._.assertions"],
    default_config={"kb": None, "ents": "set", "options": {}},
)
def make_linker(nlp: Language, name: str, kb: str | None, ents: str, options: dict[str, Any]) -> TruenameLinker:
    """Make the component. `kb`: folder of a knowledge base, None for the bundled one. `options`: those of a linker.

    `ents`: "set" replaces `doc.ents`, "add" adds to them, "link" links them and finds no others, "off" leaves them. All mentions,
    overlapping ones too, are in `doc.spans["truename"]`.
    """
    return TruenameLinker(kb, ents, options)


def _batches(stream: Iterable[Doc], size: int) -> Iterator[list[Doc]]:
    docs = iter(stream)
    while batch := list(islice(docs, size)):
        yield batch


class TruenameLinker:
    """Links the mentions of documents to the concepts of a knowledge base."""

    def __init__(self, kb: str | None = None, ents: str = "set", options: dict[str, Any] | None = None) -> None:
        if ents not in _ENTS:
            raise ValueError(f"ents is {ents!r}; use one of {', '.join(_ENTS)}")
        self.kb, self.ents, self.options = stored(kb), ents, {"top": 5, **(options or {})}
        self._linker: Linker | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_linker": None}

    @property
    def linker(self) -> Linker:
        """The linker, opened when it is first needed."""
        if self._linker is None:
            self._linker = knowledge_base(self.kb).linker(**self.options)
        return self._linker

    def __call__(self, doc: Doc) -> Doc:
        """Link one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 256) -> Iterator[Doc]:
        """Link documents, a batch at a time."""
        for docs in _batches(stream, batch_size):
            if self.ents == "link":
                linked: Iterable[Document] = (self._link(doc) for doc in docs)
            else:
                linked = self.linker.link_many((doc.text for doc in docs), batch=batch_size)
            for doc, found in zip(docs, linked, strict=True):
                self._annotate(doc, found)
                yield doc

    def _link(self, doc: Doc) -> Document:
        known = [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]
        return self.linker.link_mentions(doc.text, known)

    def _annotate(self, doc: Doc, found: Document) -> None:
        spans = []
        for mention in found:
            label, kb_id = (mention.types or [""])[0], mention.id or ""
            # A mention within a token is that token.
            span = doc.char_span(mention.start, mention.end, label=label, kb_id=kb_id, alignment_mode="expand")
            if span is not None:
                span._.candidates = tuple(candidate.to_dict() for candidate in mention.candidates)
                span._.assertions = tuple(mention.assertions)
                spans.append(span)
        doc.spans[_SPANS] = spans
        if self.ents in ("set", "link"):
            doc.ents = filter_spans(spans)
        elif self.ents == "add":
            taken = {token.i for ent in doc.ents for token in ent}
            free = [span for span in spans if not taken.intersection(range(span.start, span.end))]
            doc.ents = [*doc.ents, *filter_spans(free)]

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the options and a copy of the knowledge base to a folder."""
        path = Path(path)
        path.mkdir(parents=True, exist_ok=True)
        (path / "truename.json").write_bytes(self.to_bytes())
        if self.kb is not None and "kb" not in exclude:
            shutil.copytree(self.kb, path / "kb", dirs_exist_ok=True, ignore=shutil.ignore_patterns("lock.mdb"))

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> TruenameLinker:
        """Read the options and the knowledge base of a folder."""
        path = Path(path)
        self.from_bytes((path / "truename.json").read_bytes())
        if (path / "kb").is_dir() and "kb" not in exclude:
            self.kb = str((path / "kb").absolute())
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the options; the knowledge base is named by its folder."""
        return json.dumps({"kb": self.kb, "ents": self.ents, "options": self.options}).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> TruenameLinker:
        """Read the options."""
        read = json.loads(data)
        self.kb, self.ents, self.options, self._linker = read["kb"], read["ents"], read["options"], None
        return self
