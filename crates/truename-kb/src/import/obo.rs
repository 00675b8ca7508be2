//! OBO 1.4 and its forerunners, line by line: names, synonyms, `is_a`, cross-references, definitions, retired ids.
//!
//! A line that cannot be read is listed and left out, and its term is kept: `fastobo`, which checks the whole
//! grammar, drops a term for one such line.

use std::borrow::Cow;

use truename_error::{HintPart, hint};
use truename_read::Source;

use super::collector::{Collector, Entry};
use super::graph::{is_part_of, is_synonym};
use super::lines::for_each_row;
use crate::{Error, SynonymScope, error};

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let path = source.path().to_owned();
    let (mut term, mut has_header) = (None::<Term>, false);
    let mut take = |number: u64, line: &str, collector: &mut Collector| {
        if let Some(stanza) = stanza(line) {
            has_header = true;
            let opened = stanza.eq_ignore_ascii_case("Term").then(|| Term { line: number, ..Term::default() });
            if opened.is_none() && !stanza.eq_ignore_ascii_case("Typedef") {
                collector.add_unread(&format!("[{stanza}]"));
            }
            return std::mem::replace(&mut term, opened).map_or(Ok(()), |term| term.finish(collector));
        }
        let clause = line.split_once(':').filter(|(tag, _)| !tag.is_empty() && !tag.contains(char::is_whitespace));
        match (clause, &mut term) {
            (None, None) if !has_header => Err(error::syntax(
                &path,
                Some(number),
                format!("not OBO: no `tag: value` but \"{}\"", truename_text::excerpt(line)),
            )
            .with_hint(hint![
                "an OBO file begins with a header such as `format-version: 1.4`; name another format with ",
                HintPart::setting("format")
            ])),
            (Some(("id", value)), Some(open)) if open.has_other_id(value) => {
                collector.problem(Some(number), value, "a second id, so a new term begins here")?;
                let opened = Term { line: number, ..Term::default() };
                std::mem::replace(open, opened).finish(collector)?;
                open.take(number, "id", value.trim(), collector)
            }
            (Some((tag, value)), Some(term)) => term.take(number, tag, value.trim(), collector),
            (None, Some(term)) => term.skip(number, line, "not a `tag: value` line", collector),
            _ => {
                has_header = true;
                Ok(())
            }
        }
    };
    // Number and beginning of a line that goes on in the next one.
    let mut begun = None::<(u64, String)>;
    for_each_row(
        source,
        collector,
        |_| false,
        |number, line, collector| {
            // A file that begins with a byte order mark may stand within another.
            let line = line.trim_start_matches('\u{FEFF}').trim();
            if line.is_empty() || line.starts_with('!') {
                return Ok(());
            }
            let (number, line) = match begun.take() {
                Some((first, beginning)) if stanza(line).is_some() => {
                    take(first, &beginning, collector)?;
                    (number, Cow::Borrowed(line))
                }
                Some((first, beginning)) => (first, Cow::Owned(beginning + line)),
                None => (number, Cow::Borrowed(line)),
            };
            match continued(&line) {
                Some(beginning) => {
                    begun = Some((number, beginning.to_owned()));
                    Ok(())
                }
                None => take(number, &line, collector),
            }
        },
    )?;
    begun.map_or(Ok(()), |(number, line)| take(number, &line, collector))?;
    term.map_or(Ok(()), |term| term.finish(collector))
}

/// Returns what stands before the backslash by which a line is continued (OBO 1.2, section "escape characters").
fn continued(line: &str) -> Option<&str> {
    line.strip_suffix('\\').filter(|beginning| !beginning.ends_with('\\'))
}

/// Returns the name of the stanza that a line begins, as `Term` of `[Term]`; the last bracket of a known one may be missing.
fn stanza(line: &str) -> Option<&str> {
    const KNOWN: [&str; 4] = ["Term", "Typedef", "Instance", "Annotation"];
    let inner = without_comment(line).strip_prefix('[')?;
    let name = inner.strip_suffix(']').unwrap_or(inner).trim();
    let is_stanza = inner.ends_with(']') || KNOWN.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_stanza.then_some(name)
}

/// A `[Term]` being read.
#[derive(Default)]
struct Term {
    entry: Entry,
    line: u64,
}

impl Term {
    fn has_other_id(&self, value: &str) -> bool {
        !self.entry.id.is_empty() && self.entry.id != first_word(value.trim())
    }

    fn take(&mut self, line: u64, tag: &str, value: &str, collector: &mut Collector) -> Result<(), Error> {
        let entry = &mut self.entry;
        match tag {
            "id" => entry.id = first_word(value),
            "name" if entry.name.is_empty() => entry.name = unescaped(without_comment(without_qualifiers(value))),
            "name" => {
                collector.problem(Some(line), value, format!("a second name, kept as a synonym of {}", entry.id))?;
                entry.synonyms.push(unescaped(without_comment(without_qualifiers(value))));
            }
            "namespace" => entry.types.push(first_word(value)),
            "is_obsolete" => entry.is_removed = first_word(value).eq_ignore_ascii_case("true"),
            "xref" => entry.xrefs.push(first_word(value)),
            "alt_id" => entry.replaces.push(first_word(value)),
            "replaced_by" => entry.replaced_by.push(first_word(value)),
            "consider" | "use_term" => entry.consider.push(first_word(value)),
            "is_a" => entry.parents.push(first_word(value)),
            "disjoint_from" => entry.disjoint_from.push(first_word(value)),
            "relationship" if is_part_of(&first_word(value)) => {
                let whole = value.trim_start().split_once(char::is_whitespace).map_or("", |(_, whole)| whole);
                entry.part_of.push(first_word(whole));
            }
            "def" => match quoted(value) {
                Some((text, _)) => entry.definition = Some(text),
                None => return self.skip(line, value, "a definition without its quotes", collector),
            },
            "property_value" => self.take_property(value, collector),
            tag if tag.ends_with("synonym") => match quoted(value) {
                Some((text, after)) => match scope(tag, after) {
                    word if collector.options.scopes.keeps(scope_of(word)) => entry.add_synonym(text, scope_of(word)),
                    scope => collector.add_unread(&format!("synonym {scope}")),
                },
                None => return self.skip(line, value, "a synonym without its quotes", collector),
            },
            _ => collector.add_unread(tag),
        }
        Ok(())
    }

    /// Takes `RELATION "VALUE" DATATYPE` or `RELATION ID` (OBO 1.4, section "property_value").
    fn take_property(&mut self, value: &str, collector: &mut Collector) {
        let (property, value) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
        let text = quoted(value.trim_start()).map(|(text, _)| text);
        match text.filter(|_| is_synonym(property, collector)) {
            Some(text) => self.entry.synonyms.push(text),
            None => collector.add_unread(&format!("property_value {property}")),
        }
    }

    fn skip(&self, line: u64, value: &str, reason: &str, collector: &mut Collector) -> Result<(), Error> {
        collector.problem(Some(line), value, format!("{reason}, so it was skipped (term {})", self.entry.id))
    }

    fn finish(self, collector: &mut Collector) -> Result<(), Error> {
        if self.entry.id.is_empty() {
            return collector.problem(Some(self.line), &self.entry.name, "a term without an id, so it was skipped");
        }
        collector.add(Some(self.line), self.entry)
    }
}

/// Returns the scope of a synonym; without one it is a related one (OBO 1.2, section "synonym"). OBO 1.0 has it in the tag.
fn scope<'a>(tag: &str, after: &'a str) -> &'a str {
    match tag {
        "exact_synonym" => "EXACT",
        "broad_synonym" => "BROAD",
        "narrow_synonym" => "NARROW",
        _ => after.split_whitespace().next().filter(|scope| !scope.starts_with('[')).unwrap_or("RELATED"),
    }
}

/// Returns the scope that a word names; `None` is that of synonyms that mean exactly the concept.
fn scope_of(word: &str) -> Option<SynonymScope> {
    match word {
        "EXACT" => None,
        "BROAD" => Some(SynonymScope::Broad),
        "NARROW" => Some(SynonymScope::Narrow),
        _ => Some(SynonymScope::Related),
    }
}

/// Returns the text in double quotes at the beginning of a value, and the rest of the value.
///
/// Texts have quotes without a backslash too, as in `4,4',4"-acid`. The text ends at the first quote behind which the value goes on
/// as its syntax says, else at the only one; a value with several that all go on otherwise has no text.
fn quoted(value: &str) -> Option<(String, &str)> {
    let inner = value.strip_prefix('"')?;
    let mut escaped = false;
    let ends = inner.bytes().enumerate().filter(|(_, byte)| {
        let is_end = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_end
    });
    let ends: Vec<usize> = ends.map(|(at, _)| at).collect();
    let plain = |at: &&usize| !before_xrefs(&inner[**at + 1..]).contains('"');
    let end = ends.iter().find(|at| is_tail(&inner[**at + 1..])).or_else(|| ends.iter().find(plain))?;
    Some((unescaped(&inner[..*end]), &inner[*end + 1..]))
}

fn before_xrefs(tail: &str) -> &str {
    tail.split_once('[').map_or(tail, |(before, _)| before)
}

/// Returns true if a value may go on like this behind its text: words, references in brackets, qualifiers, a comment (OBO 1.4,
/// section "synonym").
fn is_tail(tail: &str) -> bool {
    let before = before_xrefs(tail);
    let is_apart = before.is_empty() || before.starts_with(char::is_whitespace);
    let is_word = |word: &str| word.chars().all(|letter| letter.is_alphanumeric() || "_-:.".contains(letter));
    let Some(xrefs) = tail.get(before.len() + 1..) else {
        return is_apart && without_comment(without_qualifiers(tail)).split_whitespace().all(is_word);
    };
    let mut is_described = false;
    let end = xrefs.find(|letter| {
        is_described ^= letter == '"';
        letter == ']' && !is_described
    });
    let Some(end) = end else { return false };
    let after = xrefs[end + 1..].trim_start();
    is_apart && before.split_whitespace().all(is_word) && (after.is_empty() || after.starts_with(['{', '!']))
}

/// Returns the first word of a value: an id without the comment, description or qualifiers behind it.
fn first_word(value: &str) -> String {
    let mut escaped = false;
    let end = value.find(|c: char| {
        let ends = c.is_whitespace() && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    unescaped(&value[..end.unwrap_or(value.len())])
}

/// Returns a value without the comment that ` !` begins.
fn without_comment(value: &str) -> &str {
    value.split_once(" !").map_or(value, |(before, _)| before).trim_end()
}

/// Returns a value without the qualifiers that end it (`{source="PMID:1"}`).
fn without_qualifiers(value: &str) -> &str {
    let Some((before, block)) = value.rsplit_once(" {") else { return value };
    let has_qualifier = block.split_once("=\"").is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/'))
    });
    if has_qualifier && without_comment(block).ends_with('}') { before.trim_end() } else { value }
}

/// Returns a value with its escapes resolved (OBO 1.4, section "escape characters").
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('W') => text.push(' '),
                // No escape of OBO, but written by tools that know those of Java and JSON.
                Some('u') => match unicode(characters.as_str()) {
                    Some(decoded) => {
                        text.push(decoded);
                        characters.nth(UNICODE_DIGITS - 1);
                    }
                    None => text.push('u'),
                },
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            other => text.push(other),
        }
    }
    text
}

/// Hexadecimal digits of `\\u03b1`.
const UNICODE_DIGITS: usize = 4;

/// Returns the character of the four hexadecimal digits that a text begins with.
fn unicode(text: &str) -> Option<char> {
    let digits = text.get(..UNICODE_DIGITS).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_java_are_read_too() {
        for (value, text) in [
            (r"\u03b1-tocopherol", "α-tocopherol"),
            (r"a\Wb\:c", "a b:c"),
            (r"\u03", "u03"),
            (r"\ud800x", "ud800x"),
            (r"\uα", "uα"),
        ] {
            assert_eq!(unescaped(value), text, "{value}");
        }
    }

    #[test]
    fn a_text_ends_where_the_value_goes_on_as_it_should() {
        for (value, text, after) in [
            (r#""asthma" EXACT []"#, "asthma", " EXACT []"),
            (r#""4,4',4"-acid" EXACT IUPAC_NAME [IUPAC:]"#, r#"4,4',4"-acid"#, " EXACT IUPAC_NAME [IUPAC:]"),
            (r#""pipe 5" wide" EXACT []"#, r#"pipe 5" wide"#, " EXACT []"),
            (r#""5" [3H]-label" RELATED [A:1 "a b]"]"#, r#"5" [3H]-label"#, r#" RELATED [A:1 "a b]"]"#),
            (r#""a \"b\" c" BROAD [] {source="x"} ! d"#, r#"a "b" c"#, r#" BROAD [] {source="x"} ! d"#),
            (r#""12"" []"#, r#"12""#, " []"),
            // References that do not end take nothing from the text.
            (r#""asthma" EXACT [A:1"#, "asthma", " EXACT [A:1"),
            (r#""asthma" EXACT"#, "asthma", " EXACT"),
            (r#""asthma"[A:1]"#, "asthma", "[A:1]"),
        ] {
            assert_eq!(quoted(value), Some((text.to_owned(), after)), "{value}");
        }
        for value in ["asthma", r#""asthma EXACT []"#] {
            assert_eq!(quoted(value), None, "{value}");
        }
    }
}
