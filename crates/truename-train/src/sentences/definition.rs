//! Sentences that a concept's own definition makes.

use truename_text::Span;

use super::MarkedSentence;
use super::sentence_ends::{sentences, window};
use truename_kb::Concept;

/// Source of sentences out of definitions.
const DEFINITION: &str = "definition";
/// Source of sentences out of quoted examples in definitions.
const EXAMPLE: &str = "example";
/// Source of sentences that name the parents.
const PARENTS: &str = "parents";
/// Largest number of parents that describe a concept.
const MAX_PARENTS: usize = 3;
/// Shortest name that is looked for in a definition, in bytes.
const SHORTEST_NAME: usize = 2;

/// Returns the sentences of a definition, at most `limit` characters long.
///
/// Quoted pieces are examples, as in WordNet's glosses. A sentence or example with a name of the concept is marked there, at the
/// longest name; the rest of the definition becomes `NAME: DEFINITION` where no sentence of it has a name.
pub(super) fn of_definition(concept: &Concept, definition: &str, limit: usize) -> Vec<MarkedSentence> {
    let text = flat(definition);
    let (body, examples) = without_examples(&text);
    let mut names: Vec<&str> = concept.names().filter(|name| name.len() >= SHORTEST_NAME).collect();
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    let mut found: Vec<MarkedSentence> = Vec::new();
    let mut add = |text: &str, source: &str| {
        for sentence in sentences(text, Span::new(0, text.len())) {
            let sentence = sentence.of(text).unwrap_or_default();
            if let Some(span) = names.iter().find_map(|name| place_of(name, sentence)) {
                found.extend(marked(concept, sentence, span, source, limit));
            }
        }
    };
    add(&body, DEFINITION);
    examples.iter().for_each(|example| add(example, EXAMPLE));
    let has_own = found.iter().any(|sentence| sentence.source == DEFINITION);
    let template = if has_own || body.is_empty() { None } else { described(concept, &body, DEFINITION, limit) };
    template.into_iter().chain(found).collect()
}

/// Returns the sentence `NAME: a kind of PARENT and PARENT`; none where there is no parent.
pub(super) fn of_parents(concept: &Concept, parents: &[String], limit: usize) -> Option<MarkedSentence> {
    let parents: Vec<&str> = parents.iter().take(MAX_PARENTS).map(String::as_str).collect();
    if parents.is_empty() {
        return None;
    }
    described(concept, &format!("a kind of {}", parents.join(" and ")), PARENTS, limit)
}

fn described(concept: &Concept, description: &str, source: &str, limit: usize) -> Option<MarkedSentence> {
    let name = flat(&concept.name);
    marked(concept, &format!("{name}: {description}"), Span::new(0, name.len()), source, limit)
}

/// Returns a sentence with a span marked, cut around it where it is too long; none where the span itself is.
pub(super) fn marked(concept: &Concept, text: &str, span: Span, source: &str, limit: usize) -> Option<MarkedSentence> {
    of_sentence(concept.id.as_str(), text, Span::new(0, text.len()), span, source, limit)
}

/// Returns a sentence of a text with a span marked, as [`marked`] does.
pub(super) fn of_sentence(
    concept: &str,
    text: &str,
    sentence: Span,
    span: Span,
    source: &str,
    limit: usize,
) -> Option<MarkedSentence> {
    let cut = window(text, sentence, span, limit)?;
    let span = Span::new(span.start - cut.start, span.end - cut.start);
    let text = flat(cut.of(text)?);
    Some(MarkedSentence { concept: concept.to_owned(), text, span, source: source.to_owned() })
}

/// Returns a text on one line: each control character of ASCII is a blank.
pub(super) fn flat(text: &str) -> String {
    text.chars().map(|character| if character.is_ascii_control() { ' ' } else { character }).collect()
}

/// Returns a definition without its quoted pieces, and these: `a lasting illness; "he fell ill"`.
fn without_examples(definition: &str) -> (String, Vec<String>) {
    let (mut body, mut examples) = (String::new(), Vec::new());
    let pieces: Vec<&str> = definition.split('"').collect();
    // Quotes that do not close are part of the definition.
    if pieces.len().is_multiple_of(2) {
        return (definition.trim().to_owned(), examples);
    }
    for (number, piece) in pieces.iter().enumerate() {
        let is_example =
            number % 2 == 1 && piece.contains(' ') && pieces[number - 1].trim_end().ends_with([';', ':', ',', '.']);
        match (number % 2 == 1, is_example) {
            (_, true) => examples.push(piece.trim().to_owned()),
            (true, false) => body.push_str(&format!("\"{piece}\"")),
            (false, _) => body.push_str(piece),
        }
    }
    let body = body.trim_matches(|character: char| character.is_whitespace() || matches!(character, ';' | ':' | ','));
    let mut body = body.to_owned();
    // What stood between examples.
    while body.contains("; ;") {
        body = body.replace("; ;", ";");
    }
    (body.trim_end_matches([';', ' ']).to_owned(), examples)
}

/// Returns the first place of a name in a text, whatever the case of ASCII letters, between other characters than letters and
/// digits.
fn place_of(name: &str, text: &str) -> Option<Span> {
    let (lower, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    lower.match_indices(&name).map(|(at, name)| Span::new(at, at + name.len())).find(|span| {
        let is_free = |character: Option<char>| character.is_none_or(|character| !character.is_alphanumeric());
        is_free(text[..span.start].chars().next_back()) && is_free(text[span.end..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(names: &[&str]) -> Concept {
        let mut concept = Concept::new("X:1".parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept
    }

    fn found(names: &[&str], definition: &str) -> Vec<(String, String, String)> {
        let found = of_definition(&concept(names), definition, 60).into_iter();
        found.map(|sentence| (sentence.entity().to_owned(), sentence.source.clone(), sentence.text)).collect()
    }

    fn wanted(rows: &[[&str; 3]]) -> Vec<(String, String, String)> {
        rows.iter().map(|row| (row[0].to_owned(), row[1].to_owned(), row[2].to_owned())).collect()
    }

    #[test]
    fn a_gloss_is_a_template_and_its_examples_are_sentences() {
        let gloss = "the act of digging something up; \"the Digging up of graves\"; \"they dug\"";
        let rows = [
            ["exhumation", "definition", "exhumation: the act of digging something up"],
            ["Digging up", "example", "the Digging up of graves"],
        ];
        assert_eq!(found(&["exhumation", "digging up"], gloss), wanted(&rows));
        assert_eq!(
            found(&["able"], "(followed by `to') fit"),
            wanted(&[["able", "definition", "able: (followed by `to') fit"]])
        );
        let quoted = "a \"so called\" cold";
        assert_eq!(found(&["flu"], quoted), wanted(&[["flu", "definition", "flu: a \"so called\" cold"]]));
        assert_eq!(found(&["flu"], "an open \" quote"), wanted(&[["flu", "definition", "flu: an open \" quote"]]));
        assert_eq!(found(&["flu"], "\t"), []);
    }

    #[test]
    fn a_sentence_with_the_longest_name_is_marked_there() {
        let definition = "A viral flu.\nThe avian flu, or flu, is one. It passes.";
        let rows =
            [["flu", "definition", "A viral flu."], ["avian flu", "definition", "The avian flu, or flu, is one."]];
        assert_eq!(found(&["flu", "avian flu"], definition), wanted(&rows));
        // Within other words there is no name.
        assert_eq!(found(&["flu"], "an influenza"), wanted(&[["flu", "definition", "flu: an influenza"]]));
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = "word ".repeat(30);
        let cut = &found(&["flu"], &long)[0];
        assert!(cut.2.starts_with("flu: word") && cut.2.chars().count() <= 60);
        assert_eq!(found(&[&"f".repeat(61)], "ill"), []);
    }

    #[test]
    fn parents_describe_a_concept() {
        let parents = ["lipoma", "tumor", "mass", "thing"].map(str::to_owned);
        let sentence = of_parents(&concept(&["angiolipoma"]), &parents, 100).unwrap();
        assert_eq!(sentence.text, "angiolipoma: a kind of lipoma and tumor and mass");
        assert_eq!((sentence.entity(), sentence.source.as_str()), ("angiolipoma", "parents"));
        assert_eq!(of_parents(&concept(&["angiolipoma"]), &[], 100), None);
    }
}
