//! Arguments for reading files of concepts, shared by `kb import` and `kb update`.

use super::TableArguments;
use clap::{Args, ValueEnum};
use truename::{Columns, Format, ImportOptions, SynonymScopes};

/// Options for reading files of concepts.
#[derive(Args)]
pub struct Reading {
    /// Format of the files [default: told by content and extension]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<Format>,
          long_help = "Format of the files: jsonl, csv, tsv, obo, obograph, turtle, jsonld, rdfxml, owlxml, rrf, rf2, omop, loinc, hgnc, ncbi-gene, uniprot, geonames, icd10cm, ncit-flat, ctd, mesh, gilda, sssom, dictionary, wordnet or clusters [default: told by content and extension]")]
    pub format: Option<Format>,
    /// Encoding of text files that are not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub encoding: Option<String>,
    /// Stop at the first malformed entry
    #[arg(long)]
    pub strict: bool,
    /// Column with the concept id, in tables: by name or by number from 1
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
    /// Column with the name, in tables
    #[arg(long, value_name = "COLUMN")]
    pub name_column: Option<String>,
    /// Column with further names, in tables; may be given several times
    #[arg(long = "synonyms-column", value_name = "COLUMN")]
    pub synonyms_columns: Vec<String>,
    /// Column with types, in tables
    #[arg(long, value_name = "COLUMN")]
    pub type_column: Option<String>,
    /// Separator of several values in one cell, \n for a line end [default: |, except in names; ; in lists of further names that have no |]
    #[arg(long, value_name = "TEXT")]
    pub separator: Option<String>,
    #[command(flatten)]
    pub table: TableArguments,
    /// Keep placeholders, such as N/A, NULL and -, as names and ids
    #[arg(long)]
    pub keep_placeholders: bool,
    /// Longest line or value, which bounds the memory that a compressed file can take [default: 67108864]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: Option<u64>,
    /// Name classes without a label by the last part of their IRIs (HeartAttack as "Heart Attack")
    #[arg(long)]
    pub label_from_iri: bool,
    /// Property of RDF or OWL whose values are names too; may be given several times
    #[arg(long = "synonym-property", value_name = "IRI")]
    pub synonym_properties: Vec<String>,
    /// Language to keep, ENG in RRF and en in RDF, * for all; may be given several times [default: English]
    #[arg(long = "language", value_name = "CODE")]
    pub languages: Vec<String>,
    /// Source vocabulary of UMLS (SAB) or OMOP (vocabulary_id) to keep; may be given several times [default: all]
    #[arg(long = "source", value_name = "SAB")]
    pub sources: Vec<String>,
    /// Synonym scopes of ontologies to keep beside the exact ones [default: related]
    #[arg(long = "scope", value_name = "SCOPE", value_enum)]
    pub scopes: Vec<Scope>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Broad,
    Narrow,
    Related,
    Exact,
}

impl Reading {
    pub fn options(&self) -> ImportOptions {
        let has = |scope| self.scopes.contains(&scope);
        let scopes =
            SynonymScopes { broad: has(Scope::Broad), narrow: has(Scope::Narrow), related: has(Scope::Related) };
        let columns = Columns {
            id: self.id_column.clone(),
            name: self.name_column.clone(),
            synonyms: self.synonyms_columns.clone(),
            types: self.type_column.clone(),
            separator: self.separator.as_ref().map(|said| said.replace("\\n", "\n").replace("\\t", "\t")),
            delimiter: self.table.delimiter.map(|said| said.0),
            skip_rows: self.table.skip_rows,
            no_header: self.table.no_header,
        };
        ImportOptions {
            format: self.format,
            encoding: self.encoding.clone(),
            strict: self.strict,
            columns,
            languages: self.languages.clone(),
            sources: self.sources.clone(),
            scopes: if self.scopes.is_empty() { SynonymScopes::default() } else { scopes },
            synonym_properties: self.synonym_properties.clone(),
            label_from_iri: self.label_from_iri,
            keep_placeholders: self.keep_placeholders,
            max_line_bytes: self.max_line_bytes,
            progress: crate::interrupt::progress(),
            ..ImportOptions::default()
        }
    }
}
