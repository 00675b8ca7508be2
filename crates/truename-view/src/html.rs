//! Documents with their mentions in colour.

use std::fmt;
use std::io::{self, Write};

use askama::Template;
use truename::{Document, LinkedDocument, LinkedMention, OffsetUnit, Span};
use truename_plot::EscapedText;

use crate::DocumentLine;
use crate::asset::{script, style};
use crate::layout::{Legend, Piece, Step, label, pieces, steps};
use truename_error::{counted, grouped};

/// Bytes of a page that are written at once.
const PART: usize = 64 << 10;
/// Content security policy: loads and runs nothing but the page's own style and script, whatever a document contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The first lines of a page that loads nothing.
#[derive(Template)]
#[template(path = "head.html")]
pub struct Head<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// Content security policy.
    pub policy: &'a str,
    /// Style of the page, trusted.
    pub style: &'a str,
}

/// The start of a piece of a mention.
#[derive(Template)]
#[template(path = "mark.html")]
struct Mark<'a> {
    document: usize,
    mention: &'a LinkedMention,
    piece: Piece,
    colour: ColourClass,
}

/// The card of a mention, shown on hover and focus. Only phrasing elements are allowed within `<mark>`.
#[derive(Template)]
#[template(path = "card.html")]
struct Card<'a> {
    mention: &'a LinkedMention,
    name: &'a str,
    verdict: String,
}

/// The types of a page's mentions with their colours and counts.
#[derive(Template)]
#[template(path = "legend.html")]
struct LegendList<'a> {
    legend: &'a Legend,
    documents: usize,
}

// Templates pass numbers by reference.
impl LegendList<'_> {
    fn colour(&self, colour: &Option<usize>) -> ColourClass {
        ColourClass(*colour)
    }

    fn grouped(&self, number: &usize) -> String {
        grouped(*number as u64)
    }

    fn counted(&self, number: &usize, noun: &str) -> String {
        counted(*number as u64, noun)
    }
}

/// Writes documents with their mentions in colour while they come, so that memory does not grow with them. The legend is written last,
/// once its counts are known; the style moves it to the top.
pub struct HtmlWriter<W: Write> {
    out: W,
    legend: Legend,
    documents: usize,
    is_page: bool,
    has_data: bool,
    /// True if mentions without a link were written, which are not judged.
    is_recognized: bool,
}

impl<W: Write> HtmlWriter<W> {
    /// Begins a page that is complete in itself. Its mentions can be judged, and saved as documents, if they were linked.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(mut out: W, title: &str) -> io::Result<Self> {
        Head { title, policy: POLICY, style: &style() }.write_into(&mut out)?;
        writeln!(out, "<body>\n<header><h1 dir=\"auto\">{}</h1></header>\n<main>", EscapedText(title))?;
        Ok(Self { is_page: true, ..Self::fragment(out).with_data() })
    }

    /// Begins a fragment of a page that has [`STYLE`](crate::STYLE): articles, and a legend behind them.
    pub fn fragment(out: W) -> Self {
        Self { out, legend: Legend::default(), documents: 0, is_page: false, has_data: false, is_recognized: false }
    }

    /// Adds to each article its document as the JSON of a [`DocumentLine`] whose offsets count UTF-16 units, from which a script lets
    /// mentions be judged.
    #[must_use]
    pub fn with_data(self) -> Self {
        Self { has_data: true, ..self }
    }

    /// Adds a document.
    ///
    /// # Errors
    /// If the page cannot be written.
    pub fn write(&mut self, document: &LinkedDocument) -> io::Result<()> {
        self.documents += 1;
        self.legend.count(document);
        self.is_recognized |= document.mentions.iter().any(|mention| !mention.is_linked());
        let mut page = Vec::new();
        self.write_heading(&mut page, document)?;
        for block in blocks(&document.document, pieces(document, &passage_starts(&document.document))) {
            self.write_block(&mut page, document, block)?;
        }
        if self.has_data && !self.is_recognized {
            write_data(&mut page, document)?;
        }
        writeln!(page, "</article>")?;
        self.hand_over(&mut page, 0)
    }

    /// Writes the legend, and the end of a page.
    ///
    /// # Errors
    /// If the page cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.is_page {
            writeln!(self.out, "</main>")?;
        }
        LegendList { legend: &self.legend, documents: self.documents }.write_into(&mut self.out)?;
        if self.is_page && !self.is_recognized {
            writeln!(self.out, "<script type=\"module\">\n{}</script>", script())?;
        }
        if self.is_page {
            writeln!(self.out, "</body>\n</html>")?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_heading(&self, page: &mut Vec<u8>, document: &LinkedDocument) -> io::Result<()> {
        let number = self.documents;
        write!(page, "<article id=\"document-{number}\">\n<h2><bdi>")?;
        match document.document.id.as_str() {
            "" => write!(page, "Document {number}")?,
            id => write!(page, "{}", EscapedText(id))?,
        }
        writeln!(page, "</bdi> <small>{}</small></h2>", counted(document.mentions.len() as u64, "mention"))
    }

    /// Writes what is ready, if it is more than some bytes.
    fn hand_over(&mut self, page: &mut Vec<u8>, most: usize) -> io::Result<()> {
        if page.len() > most {
            self.out.write_all(page)?;
            page.clear();
        }
        Ok(())
    }

    fn write_block(&mut self, page: &mut Vec<u8>, document: &LinkedDocument, block: Block) -> io::Result<()> {
        let class = if block.is_title { "text title" } else { "text" };
        write!(page, "<div class=\"{class}\" dir=\"auto\">")?;
        for step in steps(&document.document.text, block.span, block.pieces) {
            match step {
                Step::Text(text) => write!(page, "{}", EscapedText(text))?,
                Step::Open(piece) => self.open_mark(page, &document.mentions[piece.mention], piece)?,
                Step::Close(piece) => self.close_mark(page, document, piece)?,
            }
            self.hand_over(page, PART)?;
        }
        writeln!(page, "</div>")
    }

    fn open_mark(&self, page: &mut Vec<u8>, mention: &LinkedMention, piece: Piece) -> io::Result<()> {
        let colour = ColourClass(self.legend.colour(mention));
        // Following a link to the mention focuses its first piece.
        Mark { document: self.documents, mention, piece, colour }.write_into(page)
    }

    fn close_mark(&self, page: &mut Vec<u8>, document: &LinkedDocument, piece: Piece) -> io::Result<()> {
        let mention = &document.mentions[piece.mention];
        if piece.is_last {
            write!(page, "<span class=\"label\">{}</span>", EscapedText(label(mention)))?;
        }
        Card::new(mention).write_into(page)?;
        write!(page, "</mark>")
    }
}

/// Writes a document as data of a page. Nothing in it ends the element or begins a comment.
fn write_data(page: &mut Vec<u8>, document: &LinkedDocument) -> io::Result<()> {
    let data = serde_json::to_string(&DocumentLine::new(document, OffsetUnit::Utf16))?;
    writeln!(page, "<script type=\"application/json\" class=\"data\">{}</script>", data.replace('<', "\\u003c"))
}

impl<'a> Card<'a> {
    fn new(mention: &'a LinkedMention) -> Self {
        let verdict = match mention.link.answer() {
            Some(answer) => format!("probability {}", percent(answer.probability)),
            None if mention.link.candidates.is_empty() => "no candidate".into(),
            None => "no candidate is likely enough".into(),
        };
        let name = mention.link.answer().map_or("Not linked", |answer| &answer.preferred_name);
        Self { mention, name, verdict }
    }

    fn percent(&self, probability: &f64) -> String {
        percent(*probability)
    }
}

/// Returns the text of a mention for screen readers.
fn spoken(mention: &LinkedMention) -> String {
    let said = mention.types.iter().map(String::as_str).chain(mention.assertions.names());
    let types: String = said.map(|word| format!(", {word}")).collect();
    match mention.link.answer() {
        Some(answer) => format!("{}, {}{types}, {}", answer.preferred_name, answer.id, percent(answer.probability)),
        None if !mention.is_linked() => format!("mention{types}"),
        None => format!("not linked{types}"),
    }
}

/// Formats a probability to a tenth of a percent, never rounding to 0 or 100 %.
fn percent(probability: f64) -> String {
    match probability {
        1.0 => "100 %".into(),
        almost if almost > 0.999 => "> 99.9 %".into(),
        hardly if hardly < 0.001 => "< 0.1 %".into(),
        other => format!("{:.1} %", other * 100.0),
    }
}

/// Formats the class of an element's colour, with a leading space; nothing for elements without a type.
struct ColourClass(Option<usize>);

impl fmt::Display for ColourClass {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.map_or(Ok(()), |colour| write!(formatter, " colour-{colour}"))
    }
}

/// A passage with the text up to the next one; blocks cover the whole text.
struct Block {
    span: Span,
    is_title: bool,
    pieces: Vec<Piece>,
}

/// Returns the starts of all blocks but the first.
fn passage_starts(document: &Document) -> Vec<usize> {
    let text = &document.text;
    let mut starts: Vec<usize> = document.passages.iter().map(|passage| passage.span.start).collect();
    starts.sort_unstable();
    starts.dedup();
    // White space before the first passage forms no block.
    if starts.first().and_then(|first| text.get(..*first)).is_some_and(|before| before.trim().is_empty()) {
        starts.remove(0);
    }
    starts.retain(|start| *start < text.len() && text.is_char_boundary(*start));
    starts
}

fn blocks(document: &Document, mut pieces: Vec<Piece>) -> Vec<Block> {
    pieces.sort_unstable();
    let starts = passage_starts(document);
    let ends = starts.iter().copied().chain([document.text.len()]);
    let titles: Vec<Span> =
        document.passages.iter().filter(|passage| passage.kind == "title").map(|passage| passage.span).collect();
    let (mut start, mut at) = (0, 0);
    let mut blocks = Vec::new();
    for end in ends {
        let after = at + pieces[at..].partition_point(|piece| piece.start < end);
        let is_title = titles.iter().any(|title| title.overlaps(Span::new(start, end)));
        blocks.push(Block { span: Span::new(start, end), is_title, pieces: pieces[at..after].to_vec() });
        (start, at) = (end, after);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use truename::{Candidate, Link, Passage};

    use super::*;
    use crate::{COLOURS, read_document};

    fn candidate(id: &str, probability: f64) -> Candidate {
        // No id holds a control character; names may.
        let letters: String = id.chars().filter(|letter| !letter.is_control()).collect();
        let mut candidate = Candidate::new(letters.parse().unwrap(), format!("{id} preferred"), probability);
        candidate.matched_name = format!("{id} matched");
        candidate.scores.exact = 1.0;
        candidate
    }

    fn mention(start: usize, end: usize, mention_type: &str, id: Option<&str>) -> LinkedMention {
        let candidates = id.map(|id| candidate(id, 0.973)).into_iter().collect();
        let link = Link::new("", candidates, id.is_none());
        let types = if mention_type.is_empty() { Vec::new() } else { vec![mention_type.into()] };
        LinkedMention { types, ..LinkedMention::new(Span::new(start, end), "", link.into()) }
    }

    fn linked(text: &str, mentions: Vec<LinkedMention>) -> LinkedDocument {
        LinkedDocument { document: Document::new("doc", text), mentions }
    }

    fn page(documents: &[&LinkedDocument]) -> String {
        let mut page = HtmlWriter::new(Vec::new(), "Title").unwrap();
        documents.iter().for_each(|document| page.write(document).unwrap());
        String::from_utf8(page.finish().unwrap()).unwrap()
    }

    const VOID: [&str; 3] = ["meta", "!DOCTYPE", "rect"];

    /// Returns the text of the documents: `.text` without labels and cards. Panics if tags do not match.
    fn visible(page: &str) -> String {
        let page = page.replace(&script(), "");
        let (mut seen, mut open) = (String::new(), Vec::<&str>::new());
        for (position, part) in page.split('<').enumerate().skip(1) {
            let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("no tag {position}: {part}"));
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().unwrap().split(' ').next(), Some(name)),
                None if VOID.contains(&tag.split(' ').next().unwrap()) => {}
                None => open.push(tag),
            }
            let lies_in = |class: &str| open.iter().any(|tag| tag.contains(&format!("class=\"{class}")));
            if lies_in("text") && !lies_in("card") && !lies_in("label") {
                // The line end after `</div>` lies outside.
                seen.push_str(text);
            }
        }
        assert!(open.is_empty(), "{open:?}");
        unescaped(&seen)
    }

    fn unescaped(text: &str) -> String {
        let quotes = text.replace("&#39;", "'").replace("&quot;", "\"");
        let ends = quotes.replace("&#13;", "\r");
        ends.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
    }

    #[test]
    fn the_text_is_that_of_the_document() {
        for text in
            ["", "plain", "\n leading\n\n  and trailing \r\n", "🧠 שבץ מוחי", "a <b> & \"c\" 'd' ]]> &amp; --> <!--"]
        {
            assert_eq!(visible(&page(&[&linked(text, Vec::new())])), text);
        }
    }

    #[test]
    fn mentions_and_passages_may_lie_in_any_way() {
        let text = "aé🧠b"; // Also with spans that cut a character.
        let spans = || (0..=9).flat_map(|start| (0..=9).map(move |end| (start, end)));
        for (start, end) in spans() {
            for (other_start, other_end) in spans() {
                let mentions = vec![mention(start, end, "A", Some("1")), mention(other_start, other_end, "", None)];
                let mut document = linked(text, mentions);
                let passage = |kind: &str, start, end| Passage { kind: kind.into(), span: Span::new(start, end) };
                document.document.passages = vec![passage("title", 0, other_start), passage("abstract", end, 8)];
                assert_eq!(visible(&page(&[&document])), text, "{start}..{end}, {other_start}..{other_end}");
            }
        }
    }

    #[test]
    fn three_mentions_may_cross() {
        let text = "0123456789";
        let at = |start, end| mention(start, end, "A", Some("1"));
        let page = page(&[&linked(text, vec![at(0, 5), at(2, 9), at(4, 7), at(4, 7)])]);
        assert_eq!(visible(&page), text);
        assert_eq!(page.matches("class=\"label\"").count(), 4);
        assert_eq!(page.matches("id=\"mention-1-").count(), 4);
    }

    #[test]
    fn inner_mentions_stand_in_outer_ones() {
        let document = linked("type 2 diabetes", vec![mention(0, 15, "A", Some("1")), mention(7, 15, "B", Some("2"))]);
        let page = page(&[&document]);
        let (outer, inner) = (page.find("mention-1-1").unwrap(), page.find("mention-1-2").unwrap());
        assert!(outer < inner);
        assert!(!page[outer..inner].contains("</mark>"));
    }

    #[test]
    fn a_discontinuous_mention_has_one_label_at_its_end() {
        let mut gap = mention(0, 17, "A", Some("1"));
        gap.fragments = vec![Span::new(0, 6), Span::new(11, 17)];
        let page = page(&[&linked("breast and cancer", vec![gap])]);
        assert_eq!(visible(&page), "breast and cancer");
        assert_eq!(page.matches("class=\"label\"").count(), 1);
        assert!(page.contains(" continues\" id=\"mention-1-1\""));
        assert!(page.contains(" follows\" tabindex"));
    }

    #[test]
    fn titles_are_blocks_and_no_white_space_is_lost() {
        let mut document = linked(" A title\n\nThe text.\n", vec![mention(3, 13, "A", Some("1"))]);
        let passage = |kind: &str, start, end| Passage { kind: kind.into(), span: Span::new(start, end) };
        document.document.passages = vec![passage("title", 1, 8), passage("abstract", 10, 19)];
        let page = page(&[&document]);
        assert_eq!(visible(&page), document.document.text);
        assert_eq!(page.matches("<div class=\"text title\"").count(), 1);
        assert_eq!(page.matches("<div class=\"text\"").count(), 1);
    }

    #[test]
    fn nothing_given_becomes_markup() {
        let evil = "<script>'\"&]]>\u{0}\u{1b}";
        let mut mention = mention(0, 5, evil, Some(evil));
        mention.long_form = Some(evil.into());
        std::sync::Arc::make_mut(&mut mention.link).explanation = Some(evil.into());
        let document = LinkedDocument { document: Document::new(evil, evil), mentions: vec![mention] };
        let mut page = HtmlWriter::new(Vec::new(), evil).unwrap();
        page.write(&document).unwrap();
        let page = String::from_utf8(page.finish().unwrap()).unwrap();
        assert_eq!(visible(&page), "<script>'\"&]]>\u{FFFD}\u{FFFD}");
        let given = page.replace(&style(), "").replace(&script(), "").replace(POLICY, "");
        assert_eq!(given.matches("<script").count(), 2, "{given}");
        assert!(!given.contains(['\u{0}', '\u{1b}']));
        let (data, others) = of_data(&given);
        assert!(!others.contains('\''));
        assert!(!data.contains('<'));
        assert_eq!(read_document(&data, OffsetUnit::Utf16).unwrap().document.text, evil);
    }

    /// Returns the data of the page's first document, and the page without it.
    fn of_data(page: &str) -> (String, String) {
        let (before, rest) = page.split_once("class=\"data\">").unwrap();
        let (data, after) = rest.split_once("</script>").unwrap();
        (data.to_owned(), before.to_owned() + after)
    }

    #[test]
    fn a_fragment_has_data_if_asked_to() {
        let document = linked("a cold", vec![mention(2, 6, "A", Some("1"))]);
        let fragment = |mut writer: HtmlWriter<Vec<u8>>| {
            writer.write(&document).unwrap();
            String::from_utf8(writer.finish().unwrap()).unwrap()
        };
        assert!(!fragment(HtmlWriter::fragment(Vec::new())).contains("<script"));
        let (data, _) = of_data(&fragment(HtmlWriter::fragment(Vec::new()).with_data()));
        assert_eq!(read_document(&data, OffsetUnit::Utf16).unwrap().mentions[0].span, Span::new(2, 6));
    }

    #[test]
    fn a_card_says_what_is_known() {
        let mut long = mention(0, 2, "Disease", Some("D1"));
        long.long_form = Some("myocardial infarction".into());
        std::sync::Arc::make_mut(&mut long.link).explanation = Some("It is so.".into());
        std::sync::Arc::make_mut(&mut long.link).candidates.push(candidate("D2", 0.0004));
        let page = page(&[&linked("MI x", vec![long, mention(3, 4, "", None)])]);
        for said in [
            "D1 preferred",
            "97.3 %",
            "myocardial infarction",
            "It is so.",
            "D2 matched",
            "&lt; 0.1 %",
            "<rect width=\"97\"",
        ] {
            assert!(page.contains(said), "{said}");
        }
        assert!(page.contains(">Not linked</span>") && page.contains(">NIL</span>"));
    }

    #[test]
    fn the_legend_counts_types() {
        let mentions = || vec![mention(0, 1, "A&B", Some("1")), mention(1, 2, "", None), mention(2, 3, "C", Some("2"))];
        let first = linked("abc", mentions());
        let page = page(&[&first, &linked("a", mentions()[..1].to_vec())]);
        assert!(page.contains("<bdi>A&amp;B</bdi> <b>2</b>"));
        assert!(page.contains("<bdi>no type</bdi> <b>1</b>"));
        assert!(page.contains("not linked (NIL) <b>1</b>"));
        assert!(page.contains("4 mentions in 2 documents"));
    }

    #[test]
    fn an_empty_page_is_whole() {
        assert_eq!(visible(&page(&[])), "");
        assert!(page(&[]).contains("0 mentions in 0 documents"));
    }

    #[test]
    fn types_have_colours_of_their_own_while_there_are_any() {
        let types: Vec<String> = (0..=COLOURS).map(|number| format!("kind {number}")).collect();
        let mentions: Vec<_> = types.iter().map(|mention_type| mention(0, 1, mention_type, None)).collect();
        let mut legend = Legend::default();
        legend.count(&linked("a", mentions.clone()));
        let colours: std::collections::BTreeSet<_> =
            mentions[..COLOURS].iter().map(|mention| legend.colour(mention)).collect();
        assert_eq!(colours.len(), COLOURS);
        assert!(legend.colour(&mentions[COLOURS]).is_some());
    }

    #[test]
    fn percentages_are_never_certain_by_rounding() {
        let cases = [(1.0, "100 %"), (0.9999, "> 99.9 %"), (0.9731, "97.3 %"), (0.0, "< 0.1 %"), (0.001, "0.1 %")];
        for (probability, shown) in cases {
            assert_eq!(percent(probability), shown);
        }
    }
}
