//! Writes a document for a terminal, with its mentions in colour.

use std::fmt;
use std::io::{self, Write};

use truename::{LinkedDocument, LinkedMention, Span};
use truename_error::counted;
use truename_view::{COLOURS, Legend, Piece, Step, label, pieces, steps};

use crate::harmless::{Harmless, OneLine};

/// Backgrounds of the 256-colour palette, light enough for black text, in the hues of the page.
const BACKGROUNDS: [u8; COLOURS] = [210, 117, 150, 183, 221, 80, 212, 186, 215, 79];
/// Background of a mention without a type.
const GREY: u8 = 252;
const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";

/// Writes a document: its id, its text with the mentions marked, a legend, an empty line.
///
/// With `colour` a mention has the background of its type, or is underlined if it is NIL; without colour it is in
/// guillemets. Its id follows in brackets; `[…]` if the mention continues.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(out: &mut impl Write, document: &LinkedDocument, colour: bool) -> io::Result<()> {
    let mut legend = Legend::default();
    legend.count(document);
    let mut terminal = Terminal { out, document, legend, colour, open: Vec::new() };
    terminal.write_heading()?;
    terminal.write_text()?;
    terminal.write_legend()
}

struct Terminal<'a, W> {
    out: &'a mut W,
    document: &'a LinkedDocument,
    legend: Legend,
    colour: bool,
    /// Mentions that cover the next piece of text.
    open: Vec<usize>,
}

impl<W: Write> Terminal<'_, W> {
    fn write_heading(&mut self) -> io::Result<()> {
        let id = match self.document.document.id.as_str() {
            "" => "(no id)",
            id => id,
        };
        let mentions = counted(self.document.mentions.len() as u64, "mention");
        self.styled(BOLD, format_args!("{}", OneLine(id)))?;
        self.styled(DIM, format_args!(" · {mentions}"))?;
        writeln!(self.out)
    }

    fn write_text(&mut self) -> io::Result<()> {
        let text = &self.document.document.text;
        for step in steps(text, Span::new(0, text.len()), pieces(self.document, &[])) {
            match step {
                Step::Text(text) => self.write_piece(text)?,
                Step::Open(piece) => self.open_mention(piece)?,
                Step::Close(piece) => self.close_mention(piece)?,
            }
        }
        if text.is_empty() || text.ends_with('\n') { Ok(()) } else { writeln!(self.out) }
    }

    /// Writes a piece of text. Line ends are unstyled; some terminals would otherwise colour the rest of the line.
    fn write_piece(&mut self, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let Some(line) = line.strip_suffix('\n') else {
                return write!(self.out, "{}", Harmless(line));
            };
            write!(self.out, "{}", Harmless(line.strip_suffix('\r').unwrap_or(line)))?;
            if !self.open.is_empty() {
                self.style(RESET)?;
            }
            writeln!(self.out)?;
            self.resume()?;
        }
        Ok(())
    }

    fn open_mention(&mut self, piece: Piece) -> io::Result<()> {
        self.open.push(piece.mention);
        if self.colour { self.resume() } else { write!(self.out, "«") }
    }

    fn close_mention(&mut self, piece: Piece) -> io::Result<()> {
        self.open.pop();
        write!(self.out, "{}", if self.colour { RESET } else { "»" })?;
        let mention = &self.document.mentions[piece.mention];
        let id = if piece.is_last { label(mention) } else { "…" };
        let assertions = if piece.is_last { mention.assertions.names() } else { Vec::new() };
        let assertions: String = assertions.iter().map(|assertion| format!(" {assertion}")).collect();
        self.styled(DIM, format_args!("[{}{assertions}]", OneLine(id)))?;
        self.resume()
    }

    /// Sets the style of the innermost open mention.
    fn resume(&mut self) -> io::Result<()> {
        let Some(innermost) = self.open.last() else { return Ok(()) };
        let style = self.mention_style(&self.document.mentions[*innermost]);
        self.style(&style)
    }

    /// Returns a background, underlined within another mention; only an underline for NIL.
    fn mention_style(&self, mention: &LinkedMention) -> String {
        let underline = if self.open.len() > 1 { ";4" } else { "" };
        if mention.link.is_nil { "\x1b[4m".into() } else { background(self.legend.colour(mention), underline) }
    }

    /// Writes the types in their colours, and an empty line.
    fn write_legend(&mut self) -> io::Result<()> {
        let mut entries: Vec<String> = Vec::new();
        for (mention_type, colour, count) in self.legend.entries() {
            let mention_type = OneLine(mention_type.unwrap_or("no type"));
            entries.push(match self.colour {
                true => format!("{} {mention_type} {RESET} {count}", background(colour, "")),
                false => format!("{mention_type} {count}"),
            });
        }
        if self.legend.nil > 0 {
            entries.push(format!("NIL {}", self.legend.nil));
        }
        entries.extend(self.legend.assertions().map(|(assertion, count)| format!("{assertion} {count}")));
        if !entries.is_empty() {
            writeln!(self.out, "{}", entries.join("  "))?;
        }
        writeln!(self.out)
    }

    fn styled(&mut self, style: &str, text: fmt::Arguments) -> io::Result<()> {
        self.style(style)?;
        self.out.write_fmt(text)?;
        self.style(RESET)
    }

    fn style(&mut self, style: &str) -> io::Result<()> {
        if self.colour { write!(self.out, "{style}") } else { Ok(()) }
    }
}

/// Returns the style of black text on the colour of a type.
fn background(colour: Option<usize>, underline: &str) -> String {
    let colour = colour.map_or(GREY, |colour| BACKGROUNDS[colour]);
    format!("\x1b[38;5;16;48;5;{colour}{underline}m")
}

#[cfg(test)]
mod tests {
    use truename::{Candidate, Document, Link};

    use super::*;

    fn mention(start: usize, end: usize, mention_type: &str, id: Option<&str>) -> LinkedMention {
        let candidate = |id: &str| {
            // No id holds a control character; names may.
            let letters: String = id.chars().filter(|letter| !letter.is_control()).collect();
            Candidate::new(letters.parse().unwrap(), format!("{id} preferred"), 0.973)
        };
        let link = Link::new("", id.map(candidate).into_iter().collect(), id.is_none());
        let types = if mention_type.is_empty() { Vec::new() } else { vec![mention_type.into()] };
        LinkedMention { types, ..LinkedMention::new(Span::new(start, end), "", link.into()) }
    }

    fn linked(text: &str, mentions: Vec<LinkedMention>) -> LinkedDocument {
        LinkedDocument { document: Document::new("doc", text), mentions }
    }

    fn written(document: &LinkedDocument, colour: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, document, colour).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Removes our own styles; any other escape stays.
    fn without_styles(text: &str) -> String {
        let mut parts = text.split("\x1b[");
        let mut kept = parts.next().unwrap().to_owned();
        for part in parts {
            let digits = part.trim_start_matches(|character: char| character.is_ascii_digit() || character == ';');
            kept.push_str(digits.strip_prefix('m').unwrap_or("\x1b"));
        }
        kept
    }

    #[test]
    fn without_colour_mentions_stand_in_guillemets() {
        let mentions = vec![
            mention(0, 15, "Disease", Some("D1")),
            mention(7, 15, "Disease", Some("D2")),
            mention(20, 23, "Chemical", None),
        ];
        assert_eq!(
            written(&linked("type 2 diabetes and xyz", mentions), false),
            "doc · 3 mentions\n«type 2 «diabetes»[D2]»[D1] and «xyz»[NIL]\nDisease 2  Chemical 1  NIL 1\n\n"
        );
    }

    #[test]
    fn crossing_and_discontinuous_mentions_go_on() {
        let mut gap = mention(0, 9, "A", Some("3"));
        gap.fragments = vec![Span::new(0, 1), Span::new(8, 9)];
        let mentions = vec![gap, mention(2, 5, "A", Some("1")), mention(4, 7, "A", Some("2"))];
        let text = written(&linked("a bcdef g", mentions), false);
        assert!(text.contains("\n«a»[…] «bc«d»[…]»[1]«ef»[2] «g»[3]\n"), "{text}");
    }

    #[test]
    fn colour_changes_nothing_but_the_marks() {
        let mentions = vec![mention(0, 2, "A", Some("1")), mention(4, 7, "", None), mention(9, 13, "B", Some("2"))];
        let text = without_styles(&written(&linked("ab\r\nc\nd, \u{1f9e0} שבץ", mentions), true));
        assert_eq!(text, "doc · 3 mentions\nab[1]\nc\nd[NIL], 🧠[2] שבץ\n A  1   B  1   no type  1  NIL 1\n\n");
    }

    #[test]
    fn nothing_given_commands_the_terminal() {
        let evil = "\x1b]0;title\x07\x1b[31m\u{9b}2J\r\u{8}\u{7f}\u{0}x";
        let mut document = linked(evil, vec![mention(0, 5, evil, Some(evil)), mention(2, 20, evil, None)]);
        document.document.id = format!("{evil}\n\u{202e}");
        for colour in [false, true] {
            let text = written(&document, colour);
            let text = if colour { without_styles(&text) } else { text };
            assert!(!text.contains(|character: char| character.is_control() && character != '\n'), "{text:?}");
            assert_eq!(text.lines().count(), 4);
        }
    }

    #[test]
    fn an_empty_document_has_a_heading() {
        let mut document = linked("", Vec::new());
        document.document.id.clear();
        assert_eq!(written(&document, false), "(no id) · 0 mentions\n\n");
    }
}
