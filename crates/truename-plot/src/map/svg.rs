use std::fmt::Write;

use super::label::Labels;
use super::marker::{COLOURS, Marker};
use super::picture::{Picture, Point, Role};
use crate::Escaped;

/// Side of the square with the points, in pixels.
const SIDE: f64 = 640.0;
/// Margin around the square, in pixels.
const MARGIN: f64 = 24.0;
/// Space above the square for the title, in pixels.
const TOP: f64 = 48.0;
/// Padding between the points and the edge of the square, in pixels.
const PADDING: f64 = 28.0;
/// Width of the legend, height of its entries in pixels, and maximum number of entries.
const LEGEND: f64 = 300.0;
const ROW: f64 = 34.0;
const MAX_ROWS: usize = 40;
/// Maximum characters of a name in the legend, of a label, and of the lines above and below the points.
const LEGEND_CHARACTERS: usize = 38;
const LABEL_CHARACTERS: usize = 32;
const LINE_CHARACTERS: usize = 150;

const STYLE: &str = ".map{background:#fff;color:#222}.map text{fill:currentColor;unicode-bidi:plaintext}\
    .map .frame{fill:none;stroke:#bbb}.map .quiet{fill:#666}.map .dot{fill:#8a8a8a;fill-opacity:.55}\
    .map .mark{stroke:#fff;stroke-width:.8}.map .star{fill:#ffd23f;stroke:#222;stroke-width:1.4;stroke-linejoin:round}\
    .map .label{stroke:#fff;stroke-width:3;stroke-linejoin:round;paint-order:stroke;font-weight:600}";
const DARK_STYLE: &str = ".map{background:#181818;color:#ddd}.map .frame{stroke:#555}.map .quiet{fill:#aaa}\
    .map .mark,.map .label{stroke:#181818}.map .star{stroke:#fff}";

/// Returns a picture as SVG, readable without colour, light and dark.
pub fn svg(picture: &Picture) -> String {
    let (width, height) = (SIDE + LEGEND + 3.0 * MARGIN, height(picture));
    let (title, caption) = (Escaped(&picture.title), Escaped(&picture.caption));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" viewBox=\"0 0 {width} {height}\" role=\"group\" \
         aria-label=\"{title}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n<desc>{caption}</desc>\n<style>{}</style>\n",
        style()
    );
    line(&mut svg, 32.0, &picture.title, "font-size=\"16\"");
    draw_points(&mut svg, picture);
    draw_legend(&mut svg, picture);
    line(&mut svg, height - 14.0, &picture.caption, "class=\"quiet\"");
    svg.push_str("</svg>\n");
    svg
}

fn height(picture: &Picture) -> f64 {
    let rows = picture.concepts.len().min(MAX_ROWS) + 3;
    TOP + SIDE.max(ROW * rows as f64) + 2.0 * MARGIN
}

fn style() -> String {
    let colours = |ground: usize| -> String {
        let rule = |(number, colour): (usize, &[&str; 2])| format!(".map .colour-{number}{{fill:{}}}", colour[ground]);
        COLOURS.iter().enumerate().map(rule).collect()
    };
    format!("{STYLE}{}@media(prefers-color-scheme:dark){{{DARK_STYLE}{}}}", colours(0), colours(1))
}

fn line(svg: &mut String, down: f64, text: &str, attributes: &str) {
    let text = shortened(text, LINE_CHARACTERS);
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{down}\" {attributes}>{}</text>", Escaped(&text));
}

/// Draws the square with the points. The page's script moves and scales `map-points`.
fn draw_points(svg: &mut String, picture: &Picture) {
    let _ = writeln!(
        svg,
        "<svg x=\"{MARGIN}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" id=\"map-frame\">\n\
         <rect class=\"frame\" x=\".5\" y=\".5\" width=\"{0}\" height=\"{0}\" pointer-events=\"all\"/>\n\
         <g id=\"map-points\">",
        SIDE - 1.0
    );
    let places = places(&picture.points);
    let of_query = |point: &Point| matches!(point.role, Role::Query(_));
    let stars: Vec<[f64; 2]> =
        picture.points.iter().zip(&places).filter(|(point, _)| of_query(point)).map(|(_, place)| *place).collect();
    let mut labels = Labels::among(&stars, SIDE);
    for (point, place) in picture.points.iter().zip(&places) {
        draw_point(svg, picture, point, *place, &mut labels);
    }
    svg.push_str("</g>\n</svg>\n");
}

fn draw_point(svg: &mut String, picture: &Picture, point: &Point, [across, down]: [f64; 2], labels: &mut Labels) {
    let (marker, focus) = match point.role {
        Role::Sample(_) => (Marker::Dot, ""),
        Role::Chosen(concept) => (Marker::Concept(concept), ""),
        Role::Query(_) => (Marker::Star, " tabindex=\"0\""),
    };
    let card = picture.card(point);
    let _ = write!(
        svg,
        "<g class=\"point\" role=\"img\"{focus} transform=\"translate({across:.2} {down:.2})\">{marker}\
         <title>{}</title>",
        Escaped(&card)
    );
    if marker == Marker::Star {
        let text = shortened(&point.name, LABEL_CHARACTERS);
        let spot = labels.place([across, down], &text);
        let _ = write!(
            svg,
            "<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            spot.across,
            spot.down,
            spot.anchor,
            Escaped(&text)
        );
    }
    svg.push_str("</g>\n");
}

/// Returns the positions of points in the square, spread as far as it allows, with the same scale on both axes.
fn places(points: &[Point]) -> Vec<[f64; 2]> {
    let bounds = [0, 1].map(|axis: usize| {
        let values = points.iter().map(|point| f64::from(point.place[axis]));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    });
    let extent = bounds.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    let scale = if extent > 0.0 { (SIDE - 2.0 * PADDING) / extent } else { 0.0 };
    let from_middle = |point: &Point, axis: usize| {
        let (low, high) = bounds[axis];
        scale * (f64::from(point.place[axis]) - f64::midpoint(low, high))
    };
    points.iter().map(|point| [SIDE / 2.0 + from_middle(point, 0), SIDE / 2.0 - from_middle(point, 1)]).collect()
}

fn draw_legend(svg: &mut String, picture: &Picture) {
    let _ = writeln!(svg, "<g transform=\"translate({} {TOP})\">", 2.0 * MARGIN + SIDE);
    let mut row = 0;
    let mut entry = |marker: Option<Marker>, name: &str, id: &str| {
        draw_entry(svg, ROW * row as f64 + 12.0, marker, name, id);
        row += 1;
    };
    for (number, concept) in picture.concepts.iter().enumerate().take(MAX_ROWS) {
        entry(Some(Marker::Concept(number)), &concept.preferred_name, &concept.id);
    }
    if picture.concepts.len() > MAX_ROWS {
        entry(None, &format!("and {} more", picture.concepts.len() - MAX_ROWS), "");
    }
    if picture.points.iter().any(|point| matches!(point.role, Role::Query(_))) {
        entry(Some(Marker::Star), "queries", "");
    }
    if picture.points.iter().any(|point| matches!(point.role, Role::Sample(_))) {
        entry(Some(Marker::Dot), "other names of the knowledge base, a sample", "");
    }
    svg.push_str("</g>\n");
}

fn draw_entry(svg: &mut String, down: f64, marker: Option<Marker>, name: &str, id: &str) {
    let marker = marker.map(|marker| marker.to_string()).unwrap_or_default();
    let shown = shortened(name, LEGEND_CHARACTERS + if id.is_empty() { 8 } else { 0 });
    let _ = writeln!(
        svg,
        "<g transform=\"translate(10 {down})\">{marker}<text x=\"16\" y=\"4\">{}</text>\
         <text class=\"quiet\" x=\"16\" y=\"18\" font-size=\"10.5\">{}</text><title>{}</title></g>",
        Escaped(&shown),
        Escaped(&shortened(id, LEGEND_CHARACTERS)),
        Escaped(name)
    );
}

/// Shortens a text to a number of characters.
fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::map::{ChosenConcept, DrawnNear};

    pub const EVIL: &str = "<script>&\"'";

    /// Returns a picture with a point of each kind, whose texts all contain markup.
    pub fn picture() -> Picture {
        let concept = ChosenConcept { id: format!("X:1{EVIL}"), preferred_name: EVIL.into() };
        let near = DrawnNear { name: EVIL.into(), id: EVIL.into(), cosine: 0.5 };
        let point = |across: f32, role| Point { place: [across, 2.0 * across], name: EVIL.into(), role };
        let roles = [Role::Sample(concept.clone()), Role::Chosen(0), Role::Query(vec![near])];
        Picture {
            title: EVIL.into(),
            caption: EVIL.into(),
            concepts: vec![concept],
            points: roles.into_iter().zip([0.0, 1.0, -3.0]).map(|(role, across)| point(across, role)).collect(),
        }
    }

    #[test]
    fn nothing_given_becomes_markup() {
        let drawn = svg(&picture());
        assert!(!drawn.contains("<script") && !drawn.contains("&\"") && !drawn.contains('\''));
        assert!(drawn.contains("&lt;script&gt;&amp;&quot;&#39;\na query; near it:\n0.500  &lt;script"), "{drawn}");
        assert_eq!(drawn.matches("class=\"point\"").count(), 3);
        assert_eq!(drawn.matches("<g").count(), drawn.matches("</g>").count());
    }

    #[test]
    fn points_keep_their_shape_and_stay_within() {
        let places = places(&picture().points);
        for place in &places {
            assert!(place.iter().all(|value| (PADDING - 0.01..=SIDE - PADDING + 0.01).contains(value)), "{place:?}");
        }
        let (across, up) = (places[1][0] - places[0][0], places[0][1] - places[1][1]);
        assert!((up / across - 2.0).abs() < 1e-9);
        let point = || Point { place: [7.0, 7.0], name: String::new(), role: Role::Chosen(0) };
        assert_eq!(super::places(&[point(), point()]), [[SIDE / 2.0; 2]; 2]);
        assert!(super::places(&[]).is_empty());
    }

    #[test]
    fn a_long_legend_ends() {
        let concept = |number| ChosenConcept { id: format!("X:{number}"), preferred_name: "a".repeat(99) };
        let drawn = svg(&Picture { concepts: (0..50).map(concept).collect(), ..picture() });
        assert!(drawn.contains("X:39<") && !drawn.contains("X:40<") && drawn.contains(">and 10 more<"));
    }
}
