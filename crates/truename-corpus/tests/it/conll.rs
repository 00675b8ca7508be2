//! Mentions that are written as tags of any scheme are read back.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use truename_corpus::{Document, Format, ReadOptions, read_from};

/// Mentions of a sentence, in tokens: first, last and type.
type Mentions = Vec<(usize, usize, &'static str)>;

#[derive(Clone, Copy, Debug)]
enum Scheme {
    Iob1,
    Iob2,
    Ioe1,
    Ioe2,
    Bioes,
    Bilou,
    Bmewo,
    TieOrBreak,
}

const SCHEMES: [Scheme; 8] = [
    Scheme::Iob1,
    Scheme::Iob2,
    Scheme::Ioe1,
    Scheme::Ioe2,
    Scheme::Bioes,
    Scheme::Bilou,
    Scheme::Bmewo,
    Scheme::TieOrBreak,
];

/// Returns the letter of a token in a mention that has one of its own type right before or after it.
fn letter(scheme: Scheme, is_first: bool, is_last: bool, touches_before: bool, touches_after: bool) -> char {
    let [single, inside, last] = match scheme {
        Scheme::Bioes => ['S', 'I', 'E'],
        Scheme::Bilou => ['U', 'I', 'L'],
        Scheme::Bmewo => ['W', 'M', 'E'],
        Scheme::Iob1 => return if is_first && touches_before { 'B' } else { 'I' },
        Scheme::Iob2 => return if is_first { 'B' } else { 'I' },
        Scheme::Ioe1 => return if is_last && touches_after { 'E' } else { 'I' },
        Scheme::Ioe2 => return if is_last { 'E' } else { 'I' },
        Scheme::TieOrBreak => return if is_first { 'I' } else { 'O' },
    };
    match (is_first, is_last) {
        (true, true) => single,
        (true, false) => 'B',
        (false, true) => last,
        (false, false) => inside,
    }
}

fn label(scheme: Scheme, token: usize, mentions: &Mentions) -> String {
    let at = mentions.iter().position(|(first, last, _)| (*first..=*last).contains(&token));
    let Some((at, (first, last, kind))) = at.map(|at| (at, mentions[at])) else {
        return if matches!(scheme, Scheme::TieOrBreak) { "I\tNone".into() } else { "O".into() };
    };
    let touches_before = at > 0 && mentions[at - 1].1 + 1 == first && mentions[at - 1].2 == kind;
    let touches_after = mentions.get(at + 1).is_some_and(|next| last + 1 == next.0 && next.2 == kind);
    let letter = letter(scheme, token == first, token == last, touches_before, touches_after);
    match scheme {
        Scheme::TieOrBreak => format!("{letter}\t{kind}"),
        _ => format!("{letter}-{kind}"),
    }
}

/// A sentence: its tokens, and mentions that do not overlap.
fn sentence() -> impl Strategy<Value = (Vec<String>, Mentions)> {
    let token = prop::sample::select(vec!["a", "cold", "#", "naïve", "😀", "O", "B-X", "'s", "漢字", "-"]);
    let piece = (1_usize..4, prop::option::of(prop::sample::select(vec!["X", "Y-z", "Größe"])));
    (prop::collection::vec(piece, 1..6), prop::collection::vec(token, 20)).prop_map(|(pieces, tokens)| {
        let (mut mentions, mut count) = (Vec::new(), 0);
        for (length, kind) in pieces {
            mentions.extend(kind.map(|kind| (count, count + length - 1, kind)));
            count += length;
        }
        (tokens[..count].iter().map(|token| (*token).to_owned()).collect(), mentions)
    })
}

fn read(text: String) -> Vec<Document> {
    let (mut documents, options) =
        (Vec::new(), ReadOptions { input_format: Some(Format::Conll), ..ReadOptions::default() });
    read_from(Path::new("a"), Cursor::new(text.into_bytes()), &options, &mut |read| {
        documents.push(read.unwrap_or_else(|problem| panic!("{problem}")));
        ControlFlow::Continue(())
    })
    .unwrap();
    documents
}

/// Returns the mentions of a document in tokens.
fn found(document: &Document) -> Vec<(usize, usize, &str)> {
    let token = |byte: usize| document.text[..byte].matches(' ').count();
    let of = |span: truename_corpus::Span| (token(span.start), token(span.end));
    let mentions = document.mentions.iter().map(|mention| (of(mention.span), &*mention.mention_type));
    mentions.map(|((first, last), kind)| (first, last, kind)).collect()
}

proptest! {
    #[test]
    fn mentions_of_every_scheme_are_read_back(sentences in prop::collection::vec(sentence(), 1..6)) {
        for scheme in SCHEMES {
            let rows = |(tokens, mentions): &(Vec<String>, Mentions)| {
                let row = |(at, token): (usize, &String)| format!("{token}\t{}\n", label(scheme, at, mentions));
                tokens.iter().enumerate().map(row).collect::<String>() + "\n"
            };
            let documents = read(sentences.iter().map(rows).collect());
            prop_assert_eq!(documents.len(), sentences.len());
            for (document, (tokens, mentions)) in documents.iter().zip(&sentences) {
                prop_assert_eq!(&document.text, &tokens.join(" "));
                prop_assert_eq!(&found(document), mentions, "{:?}", scheme);
            }
        }
    }
}
