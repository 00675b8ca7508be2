//! Texts with simpler words in place, and with the articles before them made to agree.

use truename_text::Span;

use super::SimplifiedWord;

/// Returns a text with the replacements of words in their places. "A" and "an" before a word follow its new first letter.
///
/// # Panics
/// If a span is not of the text.
pub fn replaced(text: &str, words: &[SimplifiedWord]) -> String {
    let mut ordered: Vec<&SimplifiedWord> = words.iter().filter(|word| word.replacement.is_some()).collect();
    ordered.sort_by_key(|word| word.span.start);
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for word in ordered {
        let (Some(replacement), Span { start, end }) = (&word.replacement, word.span) else { continue };
        if start < at {
            continue;
        }
        result.push_str(&text[at..start]);
        agree_article(&mut result, replacement);
        result.push_str(replacement);
        at = end;
    }
    result + &text[at..]
}

/// Changes the article at the end of a text to that before a word.
fn agree_article(text: &mut String, word: &str) {
    let Some(before) = text.strip_suffix(' ') else { return };
    let article = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let takes_an = word.chars().next().is_some_and(|letter| "aeiouAEIOU".contains(letter));
    let agreed = match (article, takes_an) {
        ("a", true) => "an",
        ("A", true) => "An",
        ("an", false) => "a",
        ("An", false) => "A",
        _ => return,
    };
    let start = before.len() - article.len();
    text.replace_range(start..start + article.len(), agreed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, word: &str, replacement: Option<&str>) -> SimplifiedWord {
        let start = text.find(word).unwrap();
        let span = Span::new(start, start + word.len());
        SimplifiedWord { span, word: word.into(), replacement: replacement.map(str::to_owned), substitutes: Vec::new() }
    }

    #[test]
    fn words_are_replaced_in_their_places_and_articles_agree() {
        let text = "An imminent, a perilous and the arid — a storm";
        let words = [
            word(text, "perilous", Some("unsafe")),
            word(text, "imminent", Some("close")),
            word(text, "arid", None),
            word(text, "storm", Some("wind")),
        ];
        assert_eq!(replaced(text, &words), "A close, an unsafe and the arid — a wind");
        assert_eq!(replaced(text, &[]), text);
    }

    #[test]
    fn overlapping_words_are_replaced_once() {
        let text = "ice cream";
        assert_eq!(
            replaced(text, &[word(text, "ice cream", Some("dessert")), word(text, "cream", Some("fat"))]),
            "dessert"
        );
    }
}
