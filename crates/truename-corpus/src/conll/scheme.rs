//! Schemes by which tags make mentions (IOB1, IOB2, IOE1, IOE2, BIOES), told by counts of tags.

use super::tag::{Place, Tag};

/// The rules by which tags make mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Every mention begins with `B` (Ratnaparkhi 1998; CoNLL 2002).
    Iob2,
    /// A mention of several tokens begins with `B` and ends with `E`; one of a single token is `S`.
    Bioes,
    /// IOB1 (Ramshaw and Marcus 1995), IOE1 and IOE2 (Tjong Kim Sang and Veenstra 1999), and tags that keep no rules: `I`
    /// and `E` may begin a mention too.
    Lenient,
}

/// A mention of a sentence, in tokens.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run<'t> {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) mention_type: &'t str,
}

/// A tag that its scheme does not allow.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MisplacedTag {
    pub(super) token: usize,
    pub(super) reason: &'static str,
}

impl Scheme {
    /// Returns the mentions of a sentence.
    pub(super) fn runs(self, tags: &[Tag]) -> Result<Vec<Run<'_>>, MisplacedTag> {
        let (mut runs, mut open) = (Vec::new(), None::<usize>);
        for (token, tag) in tags.iter().enumerate() {
            let continues = tag.place == Place::Inside || (tag.place == Place::End && self != Self::Iob2);
            if !continues || open.is_none_or(|first| tags[first].mention_type != tag.mention_type) {
                if let Some(first) = open {
                    runs.push(self.ended(tags, first, token - 1)?);
                }
                open = self.begun(tag, token)?;
            }
            if let Some(first) = open.filter(|_| matches!(tag.place, Place::End | Place::Single)) {
                runs.push(Run { first, last: token, mention_type: &tag.mention_type });
                open = None;
            }
        }
        if let Some(first) = open {
            runs.push(self.ended(tags, first, tags.len() - 1)?);
        }
        Ok(runs)
    }

    /// Returns the first token of the mention that a tag begins; none for `O`.
    fn begun(self, tag: &Tag, token: usize) -> Result<Option<usize>, MisplacedTag> {
        let reason = match (self, tag.place) {
            (_, Place::Outside) => return Ok(None),
            (Self::Iob2, Place::End | Place::Single) => "is no tag of IOB2, the scheme of the others",
            (Self::Lenient, _) | (_, Place::Begin | Place::Single) => return Ok(Some(token)),
            (_, Place::End) => "ends no mention of its type",
            (_, Place::Inside) => "continues no mention of its type",
        };
        Err(MisplacedTag { token, reason })
    }

    /// Returns a mention that no `E` ends.
    fn ended(self, tags: &[Tag], first: usize, last: usize) -> Result<Run<'_>, MisplacedTag> {
        match self {
            Self::Bioes => Err(MisplacedTag { token: first, reason: "begins a mention that no E or L ends" }),
            _ => Ok(Run { first, last, mention_type: &tags[first].mention_type }),
        }
    }
}

/// Counts of tags that tell schemes apart.
#[derive(Default)]
pub(super) struct Votes {
    begins: usize,
    ends: usize,
    singles: usize,
    /// `B` that IOB1 writes as `I`, because no mention of its type comes right before.
    free_begins: usize,
    /// `I` that IOB2 writes as `B`.
    free_insides: usize,
}

impl Votes {
    /// Counts the tags of a sentence.
    pub(super) fn count(&mut self, tags: &[Tag]) {
        for (token, tag) in tags.iter().enumerate() {
            let is_free =
                token == 0 || tags[token - 1].is_outside() || tags[token - 1].mention_type != tag.mention_type;
            match tag.place {
                Place::Outside => {}
                Place::Begin => {
                    self.begins += 1;
                    self.free_begins += usize::from(is_free);
                }
                Place::Inside => self.free_insides += usize::from(is_free),
                Place::End => self.ends += 1,
                Place::Single => self.singles += 1,
            }
        }
    }

    /// Returns the scheme that most mentions follow; none before the first mention.
    ///
    /// A strict scheme needs no more mentions against it than for it, so that a few that break its rules are problems. In
    /// IOB1 `B` stands only right after a mention of its type, so any other `B` counts for IOB2.
    pub(super) fn scheme(&self) -> Option<Scheme> {
        let Self { begins, ends, singles, free_begins, free_insides } = *self;
        let closers = ends + singles;
        if begins + closers + free_insides == 0 {
            None
        } else if begins + singles >= free_insides.max(1) && closers > 0 && begins.saturating_sub(ends) <= closers {
            Some(Scheme::Bioes)
        } else if ends == 0 && free_begins > 0 && free_begins >= free_insides + singles {
            Some(Scheme::Iob2)
        } else {
            Some(Scheme::Lenient)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(labels: &str) -> Vec<Tag> {
        labels.split(' ').map(|label| Tag::parse(label).unwrap()).collect()
    }

    fn scheme(sentences: &[&str]) -> Option<Scheme> {
        let mut votes = Votes::default();
        sentences.iter().for_each(|labels| votes.count(&tags(labels)));
        votes.scheme()
    }

    /// Returns the mentions as `0–1 X`, or the misplaced token with the reason.
    fn runs(scheme: Scheme, labels: &str) -> Result<Vec<String>, (usize, &'static str)> {
        match scheme.runs(&tags(labels)) {
            Ok(runs) => Ok(runs.iter().map(|run| format!("{}–{} {}", run.first, run.last, run.mention_type)).collect()),
            Err(MisplacedTag { token, reason }) => Err((token, reason)),
        }
    }

    #[test]
    fn most_tags_tell_the_scheme() {
        let (iob2, bioes, lenient) = (Some(Scheme::Iob2), Some(Scheme::Bioes), Some(Scheme::Lenient));
        for (sentences, wanted) in [
            (&["O O", "O"][..], None),
            (&["B-X I-X O"], iob2),
            (&["B-X I-X B-X"], iob2),
            (&["B-X O I-X"], iob2),
            (&["B-X O", "B-X O", "S-X O"], iob2),
            (&["B I O"], iob2),
            (&["I O I"], lenient),
            (&["I-X B-X"], lenient),
            (&["I-X O I-Y B-Y I-Y O"], lenient),
            (&["I-X O I-X", "I-X", "B-X"], lenient),
            (&["I-X E-X O E-X"], lenient),
            (&["I-X E-X O E-X", "I-X E-X", "S-X"], lenient),
            (&["B-X O B-X", "B-X O B-X E-X"], lenient),
            (&["B-X E-X O"], bioes),
            (&["B-X I-X E-X O S-X"], bioes),
            (&["B-X L-X U-X"], bioes),
            (&["B-X M-X E-X W-X"], bioes),
            (&["S-X O", "B-X O"], bioes),
            (&["B-X E-X O", "B-X O"], bioes),
        ] {
            assert_eq!(scheme(sentences), wanted, "{sentences:?}");
        }
    }

    #[test]
    fn each_scheme_has_its_mentions() {
        for (scheme, labels, wanted) in [
            (Scheme::Iob2, "B-X I-X B-X O B-Y", &["0–1 X", "2–2 X", "4–4 Y"][..]),
            (Scheme::Iob2, "B I B O", &["0–1 ", "2–2 "]),
            (Scheme::Bioes, "B-X I-X E-X S-X O S-Y B-X E-X", &["0–2 X", "3–3 X", "5–5 Y", "6–7 X"]),
            (Scheme::Bioes, "B-X M-X L-X U-X W-X", &["0–2 X", "3–3 X", "4–4 X"]),
            // IOB1: B only between two mentions of a type.
            (Scheme::Lenient, "I-X I-X B-X I-Y O I-X", &["0–1 X", "2–2 X", "3–3 Y", "5–5 X"]),
            // IOE2: every mention ends with E. IOE1: only before another of its type.
            (Scheme::Lenient, "I-X E-X E-X O I-Y E-Y", &["0–1 X", "2–2 X", "4–5 Y"]),
            (Scheme::Lenient, "I-X E-X I-X O I-Y I-X", &["0–1 X", "2–2 X", "4–4 Y", "5–5 X"]),
            (Scheme::Lenient, "S-X I-X U-X O", &["0–0 X", "1–1 X", "2–2 X"]),
            (Scheme::Lenient, "B-X O B-X E-X", &["0–0 X", "2–3 X"]),
        ] {
            assert_eq!(runs(scheme, labels).unwrap(), wanted, "{scheme:?} {labels}");
        }
    }

    #[test]
    fn strict_schemes_refuse_tags_that_make_no_mention() {
        for (scheme, labels, token, reason) in [
            (Scheme::Iob2, "O I-X", 1, "continues no mention of its type"),
            (Scheme::Iob2, "B-X I-Y", 1, "continues no mention of its type"),
            (Scheme::Iob2, "B-X O S-X", 2, "is no tag of IOB2, the scheme of the others"),
            (Scheme::Iob2, "B-X E-X", 1, "is no tag of IOB2, the scheme of the others"),
            (Scheme::Iob2, "O E-X", 1, "is no tag of IOB2, the scheme of the others"),
            (Scheme::Bioes, "O M-X", 1, "continues no mention of its type"),
            (Scheme::Bioes, "S-X I-X E-X", 1, "continues no mention of its type"),
            (Scheme::Bioes, "O E-X", 1, "ends no mention of its type"),
            (Scheme::Bioes, "B-X E-X E-X", 2, "ends no mention of its type"),
            (Scheme::Bioes, "B-X E-Y", 0, "begins a mention that no E or L ends"),
            (Scheme::Bioes, "O B-X", 1, "begins a mention that no E or L ends"),
            (Scheme::Bioes, "B-X O E-X", 0, "begins a mention that no E or L ends"),
            (Scheme::Bioes, "B-X B-X E-X", 0, "begins a mention that no E or L ends"),
            (Scheme::Bioes, "B-X S-X", 0, "begins a mention that no E or L ends"),
        ] {
            assert_eq!(runs(scheme, labels), Err((token, reason)), "{scheme:?} {labels}");
        }
    }
}
