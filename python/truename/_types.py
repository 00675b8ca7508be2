"""Types of keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

Path = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int], Any] | None
"""True for a bar by `tqdm`, or a function of phase, steps done and steps in all, 0 where their number is not known."""


class MatchOptions(TypedDict, total=False):
    """Options of a matcher."""

    types: Sequence[str] | None
    """Types of the concepts that may be answered; all where this is empty."""
    without_aliases: Sequence[str] | None
    """Sources whose aliases are left out, `*` for all."""
    top: int | None
    """Number of candidates given for each name; 1."""
    explain: bool | None
    """True if each answer is explained in words."""
    min_probability: float | None
    """Probability below which the answer is NIL; None for the fitted threshold."""
    nil_share: float | None
    """Expected share of names without a concept, from which the fitted threshold follows; 0.1."""
    placeholders: Path | None
    """File of further words that stand for no name."""
    vote: int | None
    """Number of nearest names by vectors that vote for their concepts; 0 lets the ranker decide."""
    threads: int | None
    """Number of threads; one for each processor where this is 0 or None."""


class LinkOptions(MatchOptions, total=False):
    """Options of a linker."""

    nested: bool | None
    """True if mentions within mentions are kept."""
    composites: bool | None
    """True if coordinations (`breast and ovarian cancer`) are read as each of their names that the knowledge base has."""
    abbreviations: bool | None
    """True if abbreviations that a text defines are expanded, as they are by default."""
    ambiguous: Literal["best", "all", "nil"] | None
    """Answer to a name that several concepts share; "best"."""
    one_sense: bool | None
    """True if the mentions of a text that are written alike have one answer."""
    neighbours: float | None
    """Gain in the logit of a candidate that is the certain answer of a mention with another name in the text; 0."""
    typed: bool | None
    """True if candidates have the type that the recognizer gave, where concepts have that type."""
    context: bool | None
    """False to link by names alone, without the models of the knowledge base that read the text."""
    encode_in_context: bool | None
    """True if an encoder that did not learn it reads a mention in its sentence too."""
    stop_names: Sequence[str] | None
    """Names that are never mentions."""
    recognizer: Path | None
    """Folder of a recognizer, "bundled" for the one that is part of the package, or "dictionary" for the names of the knowledge base."""
    min_margin: float | None
    """Smallest difference of score and threshold of a trained recognizer's mentions; 0. Above it fewer are found and more are right."""
    assertions: Path | None
    """File of triggers that tell what a text says of its mentions, in place of those of English; "none" for no assertions."""
    asserted: bool | None
    """True if mentions that the text negates, only supposes or has of somebody else are left out."""
    type_name: str | None
    """Type of mentions whose recognizer and concept have none; they have no type without it."""


class RecordOptions(TypedDict, total=False):
    """Options of a comparison of records."""

    column: str | Sequence[str] | None
    """Columns that are compared; all that do not identify rows where this is empty."""
    id_column: str | None
    """Column with the ids of the rows, which is not compared."""
    compare: str | Sequence[str] | None
    """Columns that are compared although their values identify rows."""
    types: dict[str, str]
    """Types of columns where those found are wrong, for the Fellegi–Sunter model: `{"name": "company"}`."""
    scorer: str | None
    """Scorer: `fellegi-sunter` or `lexical`; chosen by the types of the columns where this is None."""
    model: Path | None
    """Folder of a classifier of pairs, or file of a Fellegi–Sunter model."""
    save_model: Path | None
    """File to write the fitted Fellegi–Sunter model to."""
    labels: Path | None
    """Labelled pairs to fit the scorer to, where that is better on held-out ones; the logger `truename` has what changed."""
    threshold: float | None
    """Lowest probability of a match; 0.5."""
    neighbours: int | None
    """Number of nearest others that each row is compared with; 10, and for more than 100,000 rows the rules that are found in their columns."""
    block: str | Sequence[str] | None
    """Rules of blocking, as `postcode + soundex(last)`, which propose pairs too."""
    encoder: Path | None
    """Folder of an encoder, whose vectors propose pairs too."""


class ReadingOptions(TypedDict, total=False):
    """How files of concepts are read."""

    format: str | None
    """Format of the files; told by content and extension where this is None."""
    encoding: str | None
    """Encoding of text that is not UTF-8."""
    strict: bool | None
    """True if the first malformed entry is an error."""
    id_column: str | None
    """Column with the id, by name or by number from 1, in tables."""
    name_column: str | None
    """Column with the name."""
    synonyms_columns: Sequence[str] | None
    """Columns with further names."""
    type_column: str | None
    """Column with types."""
    separator: str | None
    """Separator of several values in a cell."""
    delimiter: str | None
    """Character between two cells."""
    skip_rows: int | None
    """Number of rows above the header."""
    no_header: bool | None
    """True if the first row is none of column names."""
    keep_placeholders: bool | None
    """True if placeholders, such as N/A, are kept as names."""
    max_line_bytes: int | None
    """Longest line or value in bytes."""
    label_from_iri: bool | None
    """True if classes without a label are named by the last part of their IRIs."""
    synonym_properties: Sequence[str] | None
    """Properties of RDF or OWL whose values are names too."""
    languages: Sequence[str] | None
    """Languages that are kept, `*` for all; English."""
    sources: Sequence[str] | None
    """Source vocabularies of UMLS or OMOP that are kept; all."""
    scopes: Sequence[Literal["broad", "narrow", "related", "exact"]] | None
    """Synonym scopes that are kept beside the exact ones; related."""


class MappingMetadata(TypedDict, total=False):
    """Metadata of a set of mappings."""

    mapping_set_id: str | None
    """IRI of the set; one that the ids decide."""
    license: str | None
    """IRI of the licence; SSSOM's for an unspecified one."""
    mapping_date: str | None
    """Day on which the mappings are made, as 2026-11-27."""
    subject_source: str | None
    """IRI or CURIE of the source."""
    subject_source_version: str | None
    """Version of the source."""
    object_source: str | None
    """IRI or CURIE of the target."""
    object_source_version: str | None
    """Version of the target."""
    prefixes: dict[str, str]
    """IRIs of prefixes of ids; others are those of the OBO Foundry and the Bioregistry."""
