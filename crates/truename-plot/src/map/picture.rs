/// Names in the plane, with a legend.
pub struct Picture {
    /// Title, one line.
    pub title: String,
    /// Advice for reading the picture, one line.
    pub caption: String,
    /// Concepts whose names are in colour, in the order of the legend.
    pub concepts: Vec<ChosenConcept>,
    /// Points; later ones are drawn above earlier ones.
    pub points: Vec<Point>,
}

/// A concept whose names are in colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenConcept {
    /// Id.
    pub id: String,
    /// Preferred name.
    pub preferred_name: String,
}

/// A name in the plane.
pub struct Point {
    /// Coordinates in any unit; the second grows upwards.
    pub place: [f32; 2],
    /// The name.
    pub name: String,
    /// Reason why the point is drawn.
    pub role: Role,
}

/// Reason why a name is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Member of the sample, with its concept.
    Sample(ChosenConcept),
    /// Name of a concept in colour, by its position in the legend.
    Chosen(usize),
    /// Query, with the nearest drawn names, best first.
    Query(Vec<DrawnNear>),
}

/// A drawn name near a query.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNear {
    /// The name.
    pub name: String,
    /// Id of the name's concept.
    pub id: String,
    /// Cosine of the vectors; higher is closer.
    pub cosine: f32,
}

impl Picture {
    /// Returns the tooltip of a point, with its name in the first line.
    pub(super) fn card(&self, point: &Point) -> String {
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
