//! `truename map`.

use std::collections::{BinaryHeap, HashSet};
use std::path::Path;
use std::sync::Arc;

use truename::{Concept, ConceptId, Encoder, ErrorKind, KnowledgeBase};
use truename_error::{counted, grouped};
use truename_plot::{Anchor, Frame, Svg};
use truename_read::{Dialect, Source, SourceOptions, files};
use truename_text::SplitMix64;

use crate::arguments::Map;
use crate::command::{embed, open_kb};
use crate::problems::say_truncated;
use crate::tsne::Tsne;
use crate::{atomic_file, interrupt};

/// Largest number of names in a picture; the layout compares each with all others.
const MAX_POINTS: usize = 5000;
/// Concepts drawn for a query that is near none of those asked for, and the nearest names among which they are sought.
const NEAR_CONCEPTS: usize = 3;
const NEAR_NAMES: usize = 100;

pub fn run(arguments: &Map, quiet: bool) -> anyhow::Result<()> {
    let kb = open_kb(&arguments.kb)?;
    let encoder = match &arguments.encoder {
        Some(folder) => Arc::new(arguments.adapter.open(folder)?),
        None => embed::own_encoder(&kb)?,
    };
    let kb = for_queries(kb, &encoder)?;
    let queries = queries(arguments)?;
    let concepts = chosen(&kb, &arguments.concepts, &queries, quiet)?;
    let mut points = points(sample(&kb, &concepts, arguments)?, &concepts, queries);
    let (count, most) = (grouped(points.len() as u64), grouped(MAX_POINTS as u64));
    anyhow::ensure!(points.len() <= MAX_POINTS, "{count} names are too many for a picture: at most {most}");
    let vectors = encoder.encode(&points.iter().map(|point| &point.name).collect::<Vec<_>>())?;
    if !quiet {
        say_truncated(vectors.truncated().len() as u64);
    }
    let tsne = Tsne { perplexity: arguments.perplexity, seed: arguments.seed };
    let Some(places) = tsne.lay_out(&vectors.rows().collect::<Vec<_>>(), interrupt::asked) else {
        return interrupt::check();
    };
    points.iter_mut().zip(places).for_each(|(point, place)| point.place = place.map(f64::from));
    let picture = plot(&title(arguments, &encoder), &caption(&tsne, points.len()), &points, &concepts);
    let _committing = interrupt::commit()?;
    atomic_file::write(&arguments.out.with_extension("svg"), &picture)?;
    atomic_file::write(&arguments.out.with_extension("csv"), &table(&points))?;
    if !quiet {
        crate::say!("{}", summary(&points, concepts.len()));
    }
    Ok(())
}

/// Returns the knowledge base with the encoder in use, if its vectors are by this encoder.
fn for_queries(kb: KnowledgeBase, encoder: &Arc<Encoder>) -> Result<KnowledgeBase, truename::Error> {
    match kb.check_encoder(encoder) {
        Ok(()) => kb.with_encoder(Arc::clone(encoder)),
        Err(error) if error.kind() == ErrorKind::EncoderMismatch => Ok(kb.without_encoder()),
        Err(error) => Err(error),
    }
}

/// Returns the names asked for, each once.
fn queries(arguments: &Map) -> anyhow::Result<Vec<String>> {
    let mut queries = arguments.name.clone();
    if let Some(path) = &arguments.names {
        for file in files(path)? {
            queries.extend(read_lines(&file)?);
        }
    }
    let mut seen = HashSet::new();
    let queries = queries.into_iter().map(|name| name.trim().to_owned());
    let queries: Vec<String> = queries.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect();
    anyhow::ensure!(!queries.is_empty() || !arguments.concepts.is_empty(), "there is no name to draw");
    Ok(queries)
}

fn read_lines(path: &Path) -> anyhow::Result<Vec<String>> {
    Ok(Source::open(path, &SourceOptions::default())?.into_string()?.lines().map(str::to_owned).collect())
}

/// Returns the concepts asked for, and those near to queries whose nearest concept is none of these.
fn chosen(kb: &KnowledgeBase, asked: &[ConceptId], queries: &[String], quiet: bool) -> anyhow::Result<Vec<Concept>> {
    let mut ids: Vec<ConceptId> = asked.to_vec();
    if !queries.is_empty() && kb.encoder()?.is_none() && !quiet {
        crate::say!("the knowledge base has no vectors by this encoder; the nearest concepts are found by letters");
        crate::say!("hint: `truename kb embed` makes the vectors");
    }
    for query in queries {
        let near = near_ids(kb, query)?;
        if near.first().is_none_or(|nearest| !asked.contains(nearest)) {
            ids.extend(near);
        }
    }
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(ids.iter().map(|id| kb.concept(id)).collect::<Result<_, _>>()?)
}

/// Returns the concepts nearest to a name, best first.
fn near_ids(kb: &KnowledgeBase, name: &str) -> Result<Vec<ConceptId>, truename::Error> {
    let near = match kb.encoder()? {
        Some(_) => kb.nearest_by_vectors(name, NEAR_NAMES)?,
        None => kb.nearest_by_ngrams(name, NEAR_NAMES)?,
    };
    let mut seen = HashSet::new();
    let ids = near.into_iter().map(|near| near.id).filter(|id| seen.insert(id.clone())).take(NEAR_CONCEPTS);
    Ok(ids.collect())
}

/// A name of the knowledge base with its concept; in the order in which it was drawn by lot.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SampledName {
    lot: u64,
    name: String,
    id: String,
}

/// Samples names of the other concepts: those with the lowest lots.
fn sample(kb: &KnowledgeBase, chosen: &[Concept], arguments: &Map) -> Result<Vec<SampledName>, truename::Error> {
    let chosen: HashSet<&ConceptId> = chosen.iter().map(|concept| &concept.id).collect();
    let (mut lowest, mut number, most) = (BinaryHeap::<SampledName>::new(), 0_u64, usize::from(arguments.sample));
    kb.for_each_concept(|concept| -> Result<(), truename::Error> {
        for name in concept.names() {
            let lot = SplitMix64::at(arguments.seed, number);
            number += 1;
            let is_low = lowest.len() < most || lowest.peek().is_some_and(|highest| lot < highest.lot);
            if !is_low || chosen.contains(&concept.id) {
                continue;
            }
            lowest.push(SampledName { lot, name: name.to_owned(), id: concept.id.to_string() });
            if lowest.len() > most {
                lowest.pop();
            }
        }
        Ok(())
    })?;
    Ok(lowest.into_sorted_vec())
}

/// A name in the plane.
struct Point {
    name: String,
    /// Id of its concept; empty for a query.
    id: String,
    group: Group,
    /// Coordinates; the second grows upwards.
    place: [f64; 2],
}

/// Reason why a name is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// Member of the sample of other names.
    Sample,
    /// Name of a concept, by its position in the legend.
    Concept(usize),
    /// Queried name.
    Query,
}

/// Returns the points in the order of drawing: the sample, the names of the concepts, and above all others the queries.
fn points(sample: Vec<SampledName>, concepts: &[Concept], queries: Vec<String>) -> Vec<Point> {
    let point = |name, id, group| Point { name, id, group, place: [0.0; 2] };
    let sampled = sample.into_iter().map(|SampledName { name, id, .. }| point(name, id, Group::Sample));
    let names = |(number, concept): (usize, &Concept)| -> Vec<Point> {
        let names = concept.names().map(str::to_owned);
        names.map(|name| point(name, concept.id.to_string(), Group::Concept(number))).collect()
    };
    let queried = queries.into_iter().map(|name| point(name, String::new(), Group::Query));
    sampled.chain(concepts.iter().enumerate().flat_map(names)).chain(queried).collect()
}

fn summary(points: &[Point], concepts: usize) -> String {
    let among = |group: fn(&Group) -> bool| points.iter().filter(|point| group(&point.group)).count() as u64;
    format!(
        "{} drawn: {} of {}, {} and {} of the others",
        counted(points.len() as u64, "name"),
        grouped(among(|group| matches!(group, Group::Concept(_)))),
        counted(concepts as u64, "concept"),
        counted(among(|group| *group == Group::Query), "queried name"),
        grouped(among(|group| *group == Group::Sample))
    )
}

fn title(arguments: &Map, encoder: &Encoder) -> String {
    let last = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let kb = arguments.kb.kb.as_deref().map_or("the bundled knowledge base".into(), last);
    format!("Names of {kb} as {} sees them", last(arguments.encoder.as_deref().unwrap_or(encoder.folder())))
}

fn caption(tsne: &Tsne, names: usize) -> String {
    let perplexity = (tsne.perplexity_among(names) * 10.0).round() / 10.0;
    format!(
        "t-SNE of {} (perplexity {perplexity}, seed {}). Names close together have similar vectors; \
         how far apart groups lie means little.",
        counted(names as u64, "name"),
        tsne.seed
    )
}

/// Returns the points as a table.
fn table(points: &[Point]) -> String {
    let row = |Point { name, id, group, place: [x, y] }: &Point| {
        let group = match group {
            Group::Sample => "sample",
            Group::Concept(_) => "concept",
            Group::Query => "query",
        };
        Dialect::of(b',').row([id, name, &x.to_string(), &y.to_string(), group], false) + "\n"
    };
    std::iter::once("id,name,x,y,group\n".to_owned()).chain(points.iter().map(row)).collect()
}

/// Side of the square with the points, the room around it, and width and row height of the legend, in pixels.
const SIDE: f64 = 640.0;
const MARGIN: f64 = 48.0;
const LEGEND: f64 = 340.0;
const ROW: f64 = 20.0;
/// Longest name in the legend, in characters.
const MAX_CHARACTERS: usize = 36;
/// Classes of discs. The six colours differ for all kinds of colour blindness (Machado et al. 2009), on white and on black.
const STYLE: &str = ".sample{fill:#8a8a8a;fill-opacity:.55}.query{fill:#ffd23f;stroke:currentColor;stroke-width:1.5}\
    .concept{fill:currentColor;stroke:currentColor;stroke-width:1.5}.hollow{fill-opacity:0}\
    .c0{color:#00539c}.c1{color:#d95f02}.c2{color:#0a9d78}.c3{color:#d0609f}.c4{color:#6b4a00}.c5{color:#3b9ae4}\
    @media(prefers-color-scheme:dark){.c0{color:#2f86d6}.c1{color:#ee6c1a}.c2{color:#10b085}.c3{color:#e08cc0}\
    .c4{color:#f0e442}.c5{color:#8fd3f7}}";

impl Group {
    /// Returns the class and the radius of the group's discs. Twelve concepts in a row have discs of their own.
    fn disc(self) -> (String, f64) {
        match self {
            Self::Sample => ("sample".into(), 2.2),
            Self::Concept(number) => {
                (format!("concept c{}{}", number % 6, if number / 6 % 2 == 1 { " hollow" } else { "" }), 4.0)
            }
            Self::Query => ("query".into(), 6.0),
        }
    }
}

/// Draws the points, with the names of the queries, and a legend.
fn plot(title: &str, caption: &str, points: &[Point], concepts: &[Concept]) -> String {
    let entry = |(number, concept): (usize, &Concept)| (Group::Concept(number), entry_text(concept));
    let mut legend: Vec<(Group, String)> = concepts.iter().enumerate().map(entry).collect();
    for (group, text) in [(Group::Query, "queries"), (Group::Sample, "other names of the knowledge base, a sample")] {
        legend.extend(points.iter().any(|point| point.group == group).then(|| (group, text.to_owned())));
    }
    let (width, height) = (SIDE + LEGEND + 2.0 * MARGIN, SIDE.max(ROW * legend.len() as f64) + 2.0 * MARGIN);
    let mut svg = Svg::new(width, height, title, STYLE);
    svg.heading(width / 2.0, 28.0, title);
    svg.text(MARGIN, height - 18.0, Anchor::Start, caption);
    let frame = frame(points);
    frame.outline(&mut svg);
    for Point { name, id, group, place: [x, y] } in points {
        let ((x, y), (class, radius)) = (frame.place((*x, *y)), group.disc());
        svg.disc(&class, (x, y), radius, format!("{name} {id}").trim_end());
        if *group == Group::Query {
            let (beside, anchor) = if x < MARGIN + 0.7 * SIDE { (9.0, Anchor::Start) } else { (-9.0, Anchor::End) };
            svg.text((x + beside).round(), (y + 4.0).round(), anchor, name);
        }
    }
    for (row, (group, text)) in legend.iter().enumerate() {
        let (x, y, (class, radius)) = (MARGIN + SIDE + 24.0, MARGIN + ROW * (row as f64 + 0.5), group.disc());
        svg.disc(&class, (x, y), radius, text);
        svg.text(x + 14.0, y + 4.0, Anchor::Start, text);
    }
    svg.finish()
}

fn entry_text(concept: &Concept) -> String {
    let mut name: String = concept.name.chars().take(MAX_CHARACTERS).collect();
    if name.len() < concept.name.len() {
        name.push('…');
    }
    format!("{name} ({})", concept.id)
}

/// Returns a frame around all points, with one scale for both axes.
fn frame(points: &[Point]) -> Frame {
    let bounds = [0, 1].map(|axis: usize| {
        let values = points.iter().map(|point| point.place[axis]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    });
    let extent = bounds.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    let half = if extent > 0.0 { 0.55 * extent } else { 1.0 };
    let [x, y] = bounds.map(|(low, high)| f64::midpoint(low, high)).map(|middle| (middle - half, middle + half));
    Frame { left: MARGIN, top: MARGIN, width: SIDE, height: SIDE, x, y }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a point of each group, the first two at one place, and the concept.
    fn drawn() -> (Vec<Point>, Vec<Concept>) {
        let sampled = SampledName { lot: 1, name: "cough, dry".into(), id: "X:9".into() };
        let mut concept = Concept::new("X:1".parse().unwrap(), "heart attack");
        concept.synonyms.push("infarct".into());
        let mut points = points(vec![sampled], std::slice::from_ref(&concept), vec!["<hart>".into()]);
        points[3].place = [1.0, 2.0];
        (points, vec![concept])
    }

    #[test]
    fn points_are_a_table() {
        let (points, _) = drawn();
        let expected = "id,name,x,y,group\nX:9,\"cough, dry\",0,0,sample\nX:1,heart attack,0,0,concept\n\
                        X:1,infarct,0,0,concept\n,<hart>,1,2,query\n";
        assert_eq!(table(&points), expected);
        assert_eq!(summary(&points, 1), "4 names drawn: 2 of 1 concept, 1 queried name and 1 of the others");
    }

    #[test]
    fn points_and_legend_are_drawn_and_no_name_is_markup() {
        let (points, concepts) = drawn();
        let svg = plot("a < b", "", &points, &concepts);
        for (class, count) in [("sample", 2), ("concept c0", 3), ("query", 2)] {
            assert_eq!(svg.matches(&format!("class=\"{class}\"")).count(), count, "{class}");
        }
        assert!(svg.contains("<title>&lt;hart&gt;</title>") && !svg.contains("<hart"));
        assert!(svg.contains(">heart attack (X:1)</text>") && svg.contains("<title>infarct X:1</title>"));
    }

    #[test]
    fn points_keep_their_shape_and_stay_within() {
        let (points, _) = drawn();
        let frame = frame(&points);
        let [low, high] = [(0.0, 0.0), (1.0, 2.0)].map(|point| frame.place(point));
        assert!(((low.1 - high.1) / (high.0 - low.0) - 2.0).abs() < 1e-9, "{low:?} {high:?}");
        assert!([low.0, low.1, high.0, high.1].iter().all(|at| (MARGIN..=MARGIN + SIDE).contains(at)));
        let one = super::frame(&points[..2]);
        assert_eq!(one.place((0.0, 0.0)), (MARGIN + SIDE / 2.0, MARGIN + SIDE / 2.0));
    }
}
