//! Text with links as Wikipedia writes them: `[[Title]]` and `[[Title|words]]`.
//!
//! A file is one document. Of a link its words stay, as a mention with the title for its id, written as in [`wned`]; the first letter of a title is
//! a capital, and a section behind `#` is no part of it. Small letters right behind a link are of its words (`[[fever]]s`). Links to files,
//! images and categories are left out with their words. Brackets that are never closed, and all other markup, stay as they are.

use truename_read::Source;
use truename_text::{Document, Mention, Span};

use crate::Error;
use crate::output::Output;
use crate::source::{stem, text};
use crate::wned;

/// Name spaces whose links show no words within the text.
const NOT_SHOWN: [&str; 3] = ["file", "image", "category"];
const OPEN: &str = "[[";
const CLOSE: &str = "]]";

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let (id, keeps_mentions) = (stem(source.path()), output.options.mentions);
    let read = text(source, &output.options)?.map(|markup| {
        let mut document = parsed(&id, &markup);
        if !keeps_mentions {
            document.mentions.clear();
        }
        document.into()
    });
    output.give_one(&id, read);
    Ok(())
}

fn parsed(id: &str, markup: &str) -> Document {
    let mut document = Document::new(id, String::with_capacity(markup.len()));
    let mut at = 0;
    for (open, close) in links(markup) {
        if open < at {
            continue;
        }
        let Some(link) = Link::of(&markup[open + OPEN.len()..close]) else { continue };
        document.text += &markup[at..open];
        at = close + CLOSE.len();
        let Link::Shown { words, title } = link else { continue };
        let behind = &markup[at..];
        let trail = &behind[..behind.find(|sign: char| !sign.is_lowercase()).unwrap_or(behind.len())];
        at += trail.len();
        let begin = document.text.len() + words.len() - words.trim_start().len();
        document.text += words;
        document.text += trail;
        let end = document.text.trim_end().len();
        if let Some(id) = wned::id(&title).filter(|_| begin < end) {
            document.mentions.push(Mention { span: Span::new(begin, end), id: Some(id), ..Mention::default() });
        }
    }
    document.text += &markup[at..];
    document
}

/// Returns where the brackets of each link begin and where those that close it do, by their beginning.
fn links(markup: &str) -> Vec<(usize, usize)> {
    let (mut open, mut links, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(found) = markup[at..].find(['[', ']']) {
        at += found;
        let rest = &markup[at..];
        if rest.starts_with(OPEN) {
            open.push(at);
        } else if rest.starts_with(CLOSE)
            && let Some(begun) = open.pop()
        {
            links.push((begun, at));
        } else {
            at += 1;
            continue;
        }
        at += OPEN.len();
    }
    links.sort_unstable();
    links
}

enum Link<'a> {
    /// Words of the text, and the title that they stand for.
    Shown { words: &'a str, title: String },
    /// A picture or a category.
    Hidden,
}

impl<'a> Link<'a> {
    /// Returns the link that stands between brackets; `None` where these are around other links.
    fn of(inside: &'a str) -> Option<Self> {
        let colon = inside.find([':', '|', '[']).filter(|at| inside[*at..].starts_with(':'));
        let name_space = colon.map_or("", |colon| inside[..colon].trim());
        if NOT_SHOWN.iter().any(|hidden| name_space.eq_ignore_ascii_case(hidden)) {
            return Some(Self::Hidden);
        }
        if inside.contains(OPEN) {
            return None;
        }
        let (target, words) = inside.split_once('|').map_or((inside, None), |(target, words)| (target, Some(words)));
        // A colon before a title links to a picture or a category in the text.
        let target = target.strip_prefix(':').unwrap_or(target);
        let title = capitalized(target.split('#').next().unwrap_or_default().trim());
        let words = match words {
            // Written "[[Mercury (planet)|]]", the words are "Mercury".
            Some(words) if words.trim().is_empty() => target.split(" (").next().unwrap_or_default(),
            Some(words) => words,
            None => target,
        };
        Some(Self::Shown { words, title })
    }
}

fn capitalized(title: &str) -> String {
    let mut signs = title.chars();
    signs.next().into_iter().flat_map(char::to_uppercase).chain(signs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::read_str;
    use crate::{Format, ReadOptions};

    /// The text, and the words of each mention with its id.
    fn read(markup: &str) -> (String, Vec<(String, String)>) {
        let (documents, problems) = read_str("note.wiki", markup, &ReadOptions::default());
        assert!(problems.is_empty(), "{problems:?}");
        let document = &documents[0];
        let mention = |mention: &Mention| {
            (mention.span.of(&document.text).unwrap().to_owned(), mention.id.clone().unwrap_or_default())
        };
        (document.text.clone(), document.mentions.iter().map(mention).collect())
    }

    fn check(markup: &str, text: &str, mentions: &[(&str, &str)]) {
        let owned = mentions.iter().map(|(words, id)| ((*words).to_owned(), (*id).to_owned())).collect();
        assert_eq!(read(markup), (text.to_owned(), owned), "{markup}");
    }

    #[test]
    fn links_are_mentions() {
        check("No [[fever]] today.", "No fever today.", &[("fever", "Fever")]);
        check(
            "A [[myocardial infarction|heart attack]].",
            "A heart attack.",
            &[("heart attack", "Myocardial_infarction")],
        );
        check("[[Fever]]s and [[cough]]", "Fevers and cough", &[("Fevers", "Fever"), ("cough", "Cough")]);
        check("[[Evandale, Tasmania|]]", "Evandale, Tasmania", &[("Evandale, Tasmania", "Evandale%2C_Tasmania")]);
        check("[[Mercury (planet)|]]", "Mercury", &[("Mercury", "Mercury_(planet)")]);
        check("[[Fever#Treatment| its cure ]]x", " its cure x", &[("its cure x", "Fever")]);
        check("[[éclair]]", "éclair", &[("éclair", "Éclair")]);
    }

    #[test]
    fn pictures_and_categories_are_left_out() {
        check("[[File:a.jpg|thumb|A [[fever]] chart]]Text[[Category:Ills]]", "Text", &[]);
        check("see [[:Category:Ills]]", "see Category:Ills", &[("Category:Ills", "Category:Ills")]);
        check(
            "[[Star Wars: A New Hope]]",
            "Star Wars: A New Hope",
            &[("Star Wars: A New Hope", "Star_Wars:_A_New_Hope")],
        );
    }

    #[test]
    fn what_is_no_link_stays() {
        for text in ["[[ open", "]] closed [[", "[one] ''two'' {{three}}", "[[[[[[", "a [[", "[ [a] ]"] {
            check(text, text, &[]);
        }
        check("[[open [[fever]]", "[[open fever", &[("fever", "Fever")]);
        check("[[a|b [[fever]] c]]", "[[a|b fever c]]", &[("fever", "Fever")]);
        check("[[#Cause|the cause]], [[]]", "the cause, ", &[]);
    }

    #[test]
    fn mentions_may_be_left_out() {
        let options = ReadOptions { mentions: false, input_format: Some(Format::Wiki), ..ReadOptions::default() };
        let document = &read_str("a.txt", "No [[fever]].", &options).0[0];
        assert_eq!((document.text.as_str(), document.mentions.len()), ("No fever.", 0));
    }
}
