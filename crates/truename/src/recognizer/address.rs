//! Addresses of mail, pages and papers, whose parts are no mentions.

use truename_text::Span;

/// The addresses of a text.
pub(super) struct Addresses(Vec<Span>);

impl Addresses {
    /// Finds the addresses of a text: `anna@asthma.org`, `https://diabetes.org/asthma`, `www.fever.org`, `10.1016/j.asthma.2010`.
    pub fn of(text: &str) -> Self {
        let is_candidate = text.contains(['@', '/']) || text.contains("www.");
        Self(if is_candidate {
            pieces(text).filter(|span| is_address(&text[span.range()])).collect()
        } else {
            Vec::new()
        })
    }

    /// Returns whether a span is a part of an address.
    pub fn have(&self, span: Span) -> bool {
        let next = self.0.partition_point(|address| address.start <= span.start);
        let address = next.checked_sub(1).map(|before| self.0[before]);
        address.is_some_and(|address| address.contains(span) && address != span)
    }
}

/// Returns the pieces between blanks, brackets and quotes, without the marks of a sentence behind them.
fn pieces(text: &str) -> impl Iterator<Item = Span> {
    let is_around =
        |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '"' | ',' | ';' | '|');
    text.split(is_around).map(|piece| {
        let start = piece.as_ptr().addr() - text.as_ptr().addr();
        Span::new(start, start + piece.trim_end_matches(['.', ':', '!', '?']).len())
    })
}

fn is_address(piece: &str) -> bool {
    let begins = |prefix: &str| piece.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let is_page = || {
        piece
            .split_once("://")
            .is_some_and(|(scheme, rest)| scheme.ends_with(|c: char| c.is_ascii_alphabetic()) && !rest.is_empty())
    };
    let is_mail = || piece.split_once('@').is_some_and(|(user, host)| !user.is_empty() && is_host(host));
    let is_paper = || {
        let doi = piece.split_once("10.").filter(|(before, _)| before.is_empty() || before.ends_with([':', '/']));
        let registrant = doi.and_then(|(_, rest)| rest.split_once('/')).map(|(registrant, _)| registrant);
        registrant.is_some_and(|digits| digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    begins("www.") || is_page() || is_mail() || is_paper()
}

/// Returns whether a name of a host ends with a domain of letters, unlike a version (`react@16.8.0`).
fn is_host(host: &str) -> bool {
    let is_domain = |last: &str| last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    host.rsplit_once('.').is_some_and(|(before, last)| !before.is_empty() && is_domain(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses_are_no_mentions() {
        let has = |text: &str, part: &str| {
            let start = text.find(part).unwrap();
            Addresses::of(text).have(Span::new(start, start + part.len()))
        };
        for text in [
            "Write to anna.fever@clinic.org.",
            "<mailto:fever@clinic.org>",
            "see https://clinic.org/fever, or call",
            "(www.fever.org)",
            "doi:10.1016/j.fever.2010",
            "https://doi.org/10.1016/fever",
        ] {
            assert!(has(text, "fever"), "{text}");
        }
        for text in ["fever", "fever/cough", "fever @ home", "react@16.8.0/fever", "fever, a@b.org", "10.5/fever"] {
            assert!(!has(text, "fever"), "{text}");
        }
        assert!(!has("about www.fever.org", "www.fever.org"));
    }
}
