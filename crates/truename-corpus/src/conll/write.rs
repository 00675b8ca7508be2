//! Writes documents as CoNLL: `# newdoc id = X`, a token and its tag of IOB2 a line, a blank line after each sentence.

use std::cmp::Reverse;
use std::io::{self, Write};

use truename_text::{Document, Mention, Sentences, Span};

/// A token of a text.
struct Token {
    span: Span,
    /// True if it is the first of a sentence.
    begins_sentence: bool,
}

/// Writes a document. Returns the number of mentions that others overlap, which are left out.
///
/// A token is a run of letters and digits, or another character; the borders of mentions part tokens too.
pub(crate) fn write(out: &mut impl Write, document: &Document) -> io::Result<u64> {
    let kept = flat(&document.mentions);
    writeln!(out, "# newdoc id = {}", document_id(&document.id))?;
    let mut mentions = kept.iter().peekable();
    for (place, token) in tokens(document, &kept).iter().enumerate() {
        if token.begins_sentence && place > 0 {
            writeln!(out)?;
        }
        while mentions.next_if(|mention| mention.span.end <= token.span.start).is_some() {}
        let around = mentions.peek().filter(|mention| mention.span.start <= token.span.start);
        let tag = around.map_or("O".into(), |mention| tag(mention, token.span, &document.text));
        writeln!(out, "{}\t{tag}", &document.text[token.span.range()])?;
    }
    writeln!(out)?;
    Ok((document.mentions.len() - kept.len()) as u64)
}

/// Returns mentions of which none overlaps another, in order: of those that do the first, of those the longest.
fn flat(mentions: &[Mention]) -> Vec<&Mention> {
    let mut sorted: Vec<&Mention> = mentions.iter().collect();
    sorted.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
    let mut end = 0;
    sorted.retain(|mention| {
        let is_kept = mention.span.start >= end;
        end = if is_kept { mention.span.end } else { end };
        is_kept
    });
    sorted
}

/// Returns the tag of a token within a mention; a mention without a type has the letter alone.
fn tag(mention: &Mention, token: Span, text: &str) -> String {
    let is_first = text[mention.span.start..token.start].trim().is_empty();
    let letter = if is_first { 'B' } else { 'I' };
    match mention.mention_type.trim() {
        "" => letter.to_string(),
        mention_type => format!("{letter}-{}", without_blanks(mention_type)),
    }
}

fn document_id(id: &str) -> String {
    if id.trim().is_empty() { "_".into() } else { without_blanks(id.trim()).replace('=', "_") }
}

fn without_blanks(text: &str) -> String {
    text.replace(char::is_whitespace, "_")
}

fn tokens(document: &Document, mentions: &[&Mention]) -> Vec<Token> {
    let text = &document.text;
    let passages: Vec<usize> = document.passages.iter().map(|passage| passage.span.start).collect();
    let sentences = Sentences::of(text);
    let words: Vec<Span> = sentences.words().collect();
    let mut tokens: Vec<Token> =
        spans(text, mentions).into_iter().map(|span| Token { span, begins_sentence: false }).collect();
    let (mut word, mut mention, mut end) = (0, 0, None);
    for token in &mut tokens {
        let Span { start, .. } = token.span;
        word += words[word..].iter().take_while(|word| word.start < start).count();
        mention += mentions[mention..].iter().take_while(|mention| mention.span.end <= start).count();
        let is_within = mentions.get(mention).is_some_and(|mention| mention.span.start < start);
        // An opening bracket or quote stands with the word that it adjoins.
        let adjoins = |word: &&Span| !text[start..word.start].contains(char::is_whitespace);
        let begins = |word: &Span| sentences.begins(*word);
        let begins_sentence = end != Some(start) && words.get(word).filter(adjoins).is_some_and(begins);
        token.begins_sentence = !is_within && (begins_sentence || passages.binary_search(&start).is_ok());
        end = Some(token.span.end);
    }
    tokens
}

/// Returns the spans of tokens.
fn spans(text: &str, mentions: &[&Mention]) -> Vec<Span> {
    let borders: Vec<usize> = mentions.iter().flat_map(|mention| [mention.span.start, mention.span.end]).collect();
    let (mut spans, mut continues): (Vec<Span>, _) = (Vec::new(), false);
    for (start, letter) in text.char_indices() {
        let end = start + letter.len_utf8();
        match spans.last_mut() {
            Some(last) if continues && letter.is_alphanumeric() && borders.binary_search(&start).is_err() => {
                last.end = end;
            }
            _ if letter.is_whitespace() => {}
            _ => spans.push(Span::new(start, end)),
        }
        continues = letter.is_alphanumeric();
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::read_bytes;
    use crate::{Format, ReadOptions};

    fn written(document: &Document) -> (String, u64) {
        let mut out = Vec::new();
        let left_out = write(&mut out, document).unwrap();
        (String::from_utf8(out).unwrap(), left_out)
    }

    fn document(text: &str, mentions: &[(&str, &str)]) -> Document {
        let mention = |(surface, mention_type): &(&str, &str)| {
            let start = text.find(surface).unwrap();
            Mention::new(Span::new(start, start + surface.len()), *mention_type, Some("D1".into()))
        };
        Document { mentions: mentions.iter().map(mention).collect(), ..Document::new("a = 1", text) }
    }

    #[test]
    fn tokens_have_tags_and_sentences_blank_lines() {
        let document = document("No heart attack.\n(Aspirin helps.)", &[("heart attack", "My Type"), ("Aspirin", "")]);
        let text = "# newdoc id = a___1\nNo\tO\nheart\tB-My_Type\nattack\tI-My_Type\n.\tO\n\n(\tO\nAspirin\tB\nhelps\tO\n.\tO\n)\tO\n\n";
        assert_eq!(written(&document), (text.into(), 0));
    }

    #[test]
    fn borders_of_mentions_part_tokens() {
        let document = document("β1integrins", &[("integrin", "Gene")]);
        assert_eq!(written(&document).0, "# newdoc id = a___1\nβ1\tO\nintegrin\tB-Gene\ns\tO\n\n");
    }

    #[test]
    fn the_first_and_longest_of_overlapping_mentions_is_kept() {
        let mentions =
            [("cancer", "A"), ("breast", "B"), ("breast cancer", "C"), ("cancer cells", "D"), ("cells", "E")];
        let (text, left_out) = written(&document("breast cancer cells", &mentions));
        assert_eq!(text, "# newdoc id = a___1\nbreast\tB-C\ncancer\tI-C\ncells\tB-E\n\n");
        assert_eq!(left_out, 3);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let first = document("# No cold, no U.S. fever. -DOCSTART- O", &[("cold", "Disease"), ("fever", "Disease")]);
        let second = Document::new("2", "A cough.");
        let text = [written(&first).0, written(&second).0].concat();
        let options = ReadOptions { input_format: Some(Format::Conll), ..ReadOptions::default() };
        let (documents, problems) = read_bytes("a", text.as_bytes(), &options);
        assert_eq!(problems, [""; 0]);
        let surfaces = |document: &Document| -> Vec<String> {
            document.mentions.iter().map(|mention| document.text[mention.span.range()].to_owned()).collect()
        };
        assert_eq!(documents.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a___1", "2"]);
        assert_eq!(surfaces(&documents[0]), ["cold", "fever"]);
        assert_eq!(documents[1].text, "A cough .");
    }
}
