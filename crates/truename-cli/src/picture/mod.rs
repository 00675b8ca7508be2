//! A picture of names as points, as SVG and as a page.

mod label;
mod marker;
mod page;
mod svg;

pub use page::page;
pub use svg::svg;

/// Names in the plane.
pub struct Picture {
    /// What is drawn, in a line.
    pub title: String,
    /// How it was made and is to be read, in a line.
    pub caption: String,
    /// Concepts whose names are in colour, in the order of the legend.
    pub concepts: Vec<ChosenConcept>,
    /// Points, the later ones above the earlier.
    pub points: Vec<Point>,
}

/// A concept whose names are in colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenConcept {
    /// Its identifier.
    pub id: String,
    /// Its preferred name.
    pub preferred_name: String,
}

/// A name in the plane.
pub struct Point {
    /// Where it lies, in any unit; the second number grows upwards.
    pub place: [f32; 2],
    /// The name.
    pub name: String,
    /// Why it is drawn.
    pub role: Role,
}

/// Why a name is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// It is of the sample.
    Sample(ChosenConcept),
    /// It is of a concept in colour, by its position in the legend.
    Chosen(usize),
    /// It was asked for.
    Query(Vec<DrawnNear>),
}

/// A drawn name near a query.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNear {
    /// The name.
    pub name: String,
    /// The concept it is of.
    pub id: String,
    /// The cosine of the vectors; higher is closer.
    pub cosine: f32,
}

impl Picture {
    /// What is said of a point, line by line, its name first.
    fn card(&self, point: &Point) -> String {
        let of = |concept: &ChosenConcept| format!("{}\n{}\n{}", point.name, concept.preferred_name, concept.id);
        match &point.role {
            Role::Sample(concept) => of(concept),
            Role::Chosen(concept) => of(&self.concepts[*concept]),
            Role::Query(nearest) => nearest.iter().fold(format!("{}\na query; near it:", point.name), |card, near| {
                format!("{card}\n{:.3}  {} ({})", near.cosine, near.name, near.id)
            }),
        }
    }
}

/// A text cut to so many characters.
fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
