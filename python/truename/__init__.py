"""Entity linking: names and texts in, identifiers of your knowledge base with calibrated probabilities out.

>>> import truename as tn
>>> kb = tn.bundled()
>>> [(mention.text, mention.id) for mention in kb.linker().link("No fever.")]
[('fever', 'D005334')]
"""

import os as _os
import sys as _sys
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _truename
from ._truename import (
    Candidate,
    Document,
    Encoder,
    KnowledgeBase,
    Link,
    LinkedDocuments,
    Linker,
    Mappings,
    Matcher,
    Matches,
    Mention,
    Recognizer,
    Simplifier,
    __version__,
    align,
    bundled,
    bundled_models,
    calibrate_recognizer,
    cluster,
    quantize,
)

if _TYPE_CHECKING:
    from . import evaluate, gilda, hf
    from ._records import (
        cluster_table,
        dedupe,
        dedupe_against,
        explain_match,
        label_pairs,
        link_table,
        link_tables,
        match_tables,
        merge_clusters,
        write_documents,
    )
    from ._training import distil, train

__all__ = [
    "Candidate",
    "Document",
    "Encoder",
    "KnowledgeBase",
    "Link",
    "LinkedDocuments",
    "Linker",
    "Mappings",
    "Matcher",
    "Matches",
    "Mention",
    "Recognizer",
    "Simplifier",
    "__version__",
    "align",
    "bundled",
    "bundled_models",
    "calibrate_recognizer",
    "cluster",
    "cluster_table",
    "dedupe",
    "dedupe_against",
    "distil",
    "evaluate",
    "explain_match",
    "gilda",
    "hf",
    "label_pairs",
    "link_table",
    "link_tables",
    "match_tables",
    "merge_clusters",
    "quantize",
    "train",
    "write_documents",
]

_MODULES = ("evaluate", "gilda", "hf")
"""Modules that are imported when they are first used."""
_FUNCTIONS = {
    "cluster_table": "_records",
    "dedupe": "_records",
    "dedupe_against": "_records",
    "distil": "_training",
    "explain_match": "_records",
    "label_pairs": "_records",
    "link_table": "_records",
    "link_tables": "_records",
    "match_tables": "_records",
    "merge_clusters": "_records",
    "train": "_training",
    "write_documents": "_records",
}
"""Functions with the modules that they are imported from when they are first used."""

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_truename._before_fork,
        after_in_parent=_truename._after_fork_in_parent,
        after_in_child=_truename._after_fork_in_child,
    )


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name in _FUNCTIONS:
        return getattr(_import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_FUNCTIONS})


# Series and expressions get their methods where their library is imported already.
for _library in ("pandas", "polars"):
    if _library in _sys.modules:
        _import_module(f"{__name__}.{_library}")
