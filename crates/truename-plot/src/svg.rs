//! Pictures as SVG text: lines, discs and texts, with styles for light and dark and titles for screen readers.

use std::fmt::{self, Write};

use crate::EscapedText;

/// Classes of lines and dots: `axis`, `chance` (dashed), `curve` and `dot`.
const STYLE: &str = "svg{background:#fff;color:#222}text{fill:currentColor}.axis{stroke:currentColor;fill:none}\
    .chance{stroke:#888;stroke-dasharray:4;fill:none}.curve{stroke:#1f6fb2;stroke-width:2;fill:none}\
    .dot{fill:#1f6fb2;fill-opacity:.8}\
    @media(prefers-color-scheme:dark){svg{background:#181818;color:#ddd}.curve{stroke:#6cb4ee}.dot{fill:#6cb4ee}}";

/// A picture being drawn. Positions are pixels from the upper left corner.
pub struct Svg(String);

/// Alignment of a text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Text starts at the position.
    Start,
    /// Text is centred at the position.
    Middle,
    /// Text ends at the position.
    End,
}

impl Svg {
    /// Begins a picture. Screen readers read `title`; `style` is CSS appended to the built-in style.
    pub fn new(width: f64, height: f64, title: &str, style: &str) -> Self {
        let title = EscapedText(title);
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<style>{STYLE}{style}</style>\n"
        ))
    }

    /// Writes a line of text.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let text = EscapedText(text);
        self.draw(format_args!("<text x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"));
    }

    /// Writes the heading of a picture, centred at a position.
    pub fn heading(&mut self, x: f64, y: f64, text: &str) {
        let (text, middle) = (EscapedText(text), Anchor::Middle);
        self.draw(format_args!("<text x=\"{x}\" y=\"{y}\"{middle} font-size=\"14\">{text}</text>"));
    }

    /// Writes a line of text from bottom to top, centred at a position.
    pub fn text_upwards(&mut self, x: f64, y: f64, text: &str) {
        let (text, middle) = (EscapedText(text), Anchor::Middle);
        self.draw(format_args!("<text transform=\"translate({x} {y}) rotate(-90)\"{middle}>{text}</text>"));
    }

    /// Draws a rectangle.
    pub fn rectangle(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        let size = format_args!("width=\"{width}\" height=\"{height}\"");
        self.draw(format_args!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" {size}/>"));
    }

    /// Draws a line through positions.
    pub fn polyline(&mut self, class: &str, places: impl Iterator<Item = (f64, f64)>) {
        let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.draw(format_args!("<polyline class=\"{class}\" points=\"{}\"/>", places.join(" ")));
    }

    /// Draws a disc with a tooltip.
    pub fn disc(&mut self, class: &str, (x, y): (f64, f64), radius: f64, tooltip: &str) {
        let tooltip = EscapedText(tooltip);
        self.draw(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{tooltip}</title></circle>"
        ));
    }

    /// Returns the finished picture.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn draw(&mut self, element: fmt::Arguments<'_>) {
        writeln!(self.0, "{element}").expect("a string takes all that is written");
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        })
    }
}
