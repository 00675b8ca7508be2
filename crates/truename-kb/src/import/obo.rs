//! OBO 1.4, by the `fastobo` parser: names, synonyms, `is_a`, cross-references, definitions.

use std::io::Read;

use fastobo::ast::{Frame, Ident, SynonymScope, TermClause, TermFrame};
use fastobo::error::{Error as OboError, SyntaxError};
use fastobo::parser::{Parser, SequentialParser};
use fastobo::syntax::pest::error::LineColLocation;

use super::{Collector, Entry, Source};
use crate::Error;

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let path = source.path.clone();
    // The grammar wants a line end behind the last clause.
    let text = std::io::BufReader::new(source.reader().chain(&b"\n"[..]));
    let mut first = true;
    for frame in SequentialParser::new(text) {
        match frame {
            Ok(Frame::Term(term)) => add_term(&term, collector)?,
            Ok(_) => {}
            Err(OboError::IOError { error }) => return Err(Error::io("read", &path, error)),
            Err(error) if first => {
                return Err(Error::syntax(&path, line_of(&error), format!("not an OBO header: {}", message(&error))));
            }
            Err(error) => collector.problem(line_of(&error), "", format!("a malformed frame: {}", message(&error)))?,
        }
        first = false;
    }
    Ok(())
}

fn add_term(term: &TermFrame, collector: &mut Collector<'_>) -> Result<(), Error> {
    let mut entry = Entry { id: id_of(term.id().as_inner().as_ref()), ..Entry::default() };
    for clause in term.clauses() {
        match clause.as_inner() {
            TermClause::IsObsolete(true) => return collector.remove(None, &entry.id),
            TermClause::Name(name) => entry.name = name.as_str().to_owned(),
            TermClause::Namespace(namespace) => entry.types.push(id_of((**namespace).as_ref())),
            TermClause::Def(definition) => entry.definition = Some(definition.text().as_str().to_owned()),
            TermClause::Synonym(synonym) => {
                let scopes = collector.options.scopes;
                let kept = match synonym.scope() {
                    SynonymScope::Exact => true,
                    SynonymScope::Broad => scopes.broad,
                    SynonymScope::Narrow => scopes.narrow,
                    SynonymScope::Related => scopes.related,
                };
                if kept {
                    entry.synonyms.push(synonym.description().as_str().to_owned());
                }
            }
            TermClause::Xref(xref) => entry.xrefs.push(id_of(xref.id())),
            TermClause::AltId(id) => entry.xrefs.push(id_of(id)),
            TermClause::IsA(parent) => entry.parents.push(id_of((**parent).as_ref())),
            _ => {}
        }
    }
    collector.add(None, entry)
}

/// The id as written; the parser's own form would escape it again.
fn id_of(id: &Ident) -> String {
    match id {
        Ident::Prefixed(id) => format!("{}:{}", id.prefix(), id.local()),
        Ident::Unprefixed(id) => id.as_str().to_owned(),
        Ident::Url(id) => id.as_str().to_owned(),
    }
}

fn line_of(error: &OboError) -> Option<u64> {
    match error {
        OboError::SyntaxError { error: SyntaxError::ParserError { error } } => match error.line_col {
            LineColLocation::Pos((line, _)) | LineColLocation::Span((line, _), _) => Some(line as u64),
        },
        _ => None,
    }
}

/// The parser's message without its drawing of the place.
fn message(error: &OboError) -> String {
    match error {
        OboError::SyntaxError { error: SyntaxError::ParserError { error } } => error.variant.message().into_owned(),
        other => other.to_string(),
    }
}
