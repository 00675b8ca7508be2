//! Recognizes mentions by several recognizers, those of earlier ones first.

use truename_text::Span;

use super::{Reading, RecognizedMention, Recognizer};
use crate::Error;

/// Finds the mentions of several recognizers: all of the first, then those of each other that fit between them.
pub struct UnionRecognizer {
    recognizers: Vec<Box<dyn Recognizer>>,
    nested: bool,
}

impl UnionRecognizer {
    /// Creates a recognizer of the mentions of several; those of earlier ones come first.
    pub fn new(recognizers: Vec<Box<dyn Recognizer>>) -> Self {
        Self { recognizers, nested: false }
    }

    /// Sets whether a mention may lie within one of an earlier recognizer, or around it. No mention crosses one.
    #[must_use]
    pub fn nested(self, nested: bool) -> Self {
        Self { nested, ..self }
    }

    fn fits(&self, span: Span, before: &[RecognizedMention]) -> bool {
        before.iter().all(|other| {
            let is_around = span.contains(other.span) || other.span.contains(span);
            !span.overlaps(other.span) || self.nested && is_around && span != other.span
        })
    }
}

impl Recognizer for UnionRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let mut all: Vec<Vec<RecognizedMention>> = readings.iter().map(|_| Vec::new()).collect();
        for recognizer in &self.recognizers {
            for (all, found) in all.iter_mut().zip(recognizer.recognize(readings)?) {
                let before = all.len();
                let fitting: Vec<RecognizedMention> =
                    found.into_iter().filter(|one| self.fits(one.span, &all[..before])).collect();
                all.extend(fitting);
            }
        }
        Ok(all)
    }

    fn fingerprint(&self) -> Option<String> {
        let parts: Vec<_> = self.recognizers.iter().map(|recognizer| recognizer.fingerprint()).collect();
        Some(format!("{parts:?}"))
    }

    fn nil_share(&self) -> f64 {
        self.recognizers.iter().map(|recognizer| recognizer.nil_share()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use truename_text::Document;

    use super::*;

    struct Given(Vec<(usize, usize)>);

    impl Recognizer for Given {
        fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
            let mentions =
                || self.0.iter().map(|(start, end)| RecognizedMention::new(Span::new(*start, *end))).collect();
            Ok(readings.iter().map(|_| mentions()).collect())
        }
    }

    #[test]
    fn later_mentions_fit_between_earlier_ones() {
        let document = Document::new("1", "0123456789");
        let union = |nested| {
            let given = |spans: &[(usize, usize)]| Box::new(Given(spans.to_vec())) as Box<dyn Recognizer>;
            let recognizers =
                vec![given(&[(2, 5), (3, 4)]), given(&[(0, 2), (2, 5), (2, 3), (4, 6), (1, 6), (7, 9), (7, 8)])];
            let found = UnionRecognizer::new(recognizers).nested(nested).recognize(&mut [Reading::new(&document)]);
            found.unwrap().remove(0).into_iter().map(|one| (one.span.start, one.span.end)).collect::<Vec<_>>()
        };
        assert_eq!(union(false), [(2, 5), (3, 4), (0, 2), (7, 9), (7, 8)]);
        assert_eq!(union(true), [(2, 5), (3, 4), (0, 2), (2, 3), (1, 6), (7, 9), (7, 8)]);
    }
}
