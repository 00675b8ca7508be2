//! `truename corpus`.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use truename::{DictionaryRecognizer, LinkOptions, Linker, RecognizerOptions};
use truename_error::{counted, grouped};
use truename_train::{CorpusOptions, CorpusReport, CorpusTexts, Start, build_corpus};

use crate::arguments::{Corpus, CorpusBuild, EncoderChoice, RecognizerChoices};
use crate::command::open_linker;
use crate::command::recognizer::recognizer;
use crate::progress::watched;
use crate::{interrupt, problems};

pub fn run(command: Corpus, quiet: bool) -> anyhow::Result<()> {
    match command {
        Corpus::Build(arguments) => build(&arguments, quiet),
    }
}

fn build(arguments: &CorpusBuild, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let texts = CorpusTexts {
        texts: arguments.texts.clone(),
        reading: arguments.reading.options()?,
        exclude: arguments.exclude.clone(),
        licences: arguments.licences.clone(),
        linker: described(arguments),
        strict: arguments.strict,
    };
    let linker = linker(arguments, quiet)?;
    let begun = if arguments.resume { Start::Resumed } else { Start::Anew };
    interrupt::keeps("the sentences found are kept, and `--resume` goes on from there");
    let report = watched(quiet, || {
        build_corpus(&linker, &texts, &options(arguments), &arguments.out, begun, &interrupt::progress())
    })?;
    problems::show(&report.read.first_problems, report.read.problems);
    let unknown = &report.left_out.first_unknown_exclusions;
    let unknown: Vec<String> = unknown.iter().map(|line| format!("--exclude: no concept has \"{line}\"")).collect();
    problems::show(&unknown, report.left_out.unknown_exclusions);
    if !quiet {
        tell(&report, start);
    }
    writeln!(std::io::stdout(), "{}", arguments.out.display())?;
    Ok(())
}

fn options(arguments: &CorpusBuild) -> CorpusOptions {
    CorpusOptions {
        link: arguments.link.into(),
        min_probability: arguments.min_probability,
        min_edit_distance: arguments.min_edit_distance as usize,
        max_pairs: arguments.max_per_concept as usize,
        max_length: arguments.max_length as usize,
        parents: arguments.parents,
        seed: arguments.seed,
    }
}

fn linker(arguments: &CorpusBuild, quiet: bool) -> anyhow::Result<Linker> {
    let min_probability = Some(arguments.min_probability);
    let options = LinkOptions { top: 1, min_probability, ..LinkOptions::default() };
    let linker = open_linker(&arguments.kb, quiet)?.with_options(options)?;
    let kb = linker.knowledge_base().clone();
    if arguments.recognizer.are_default() {
        return Ok(match linker.trained_recognizer()? {
            Some(_) => linker,
            None => linker.with_recognizer(Arc::new(DictionaryRecognizer::new(kb))),
        });
    }
    let recognizer = recognizer(&arguments.recognizer, || Ok(kb), RecognizerOptions::default())?;
    Ok(linker.with_recognizer(recognizer))
}

/// Describes recognizer and encoder for the data sheet.
fn described(arguments: &CorpusBuild) -> String {
    let RecognizerChoices { entity_types, entity_type, joint, min_margin, recognizer_precision, .. } =
        &arguments.recognizer;
    let mut parts: Vec<String> = arguments.recognizer.names().iter().map(|name| name.display().to_string()).collect();
    if parts.is_empty() {
        parts.push("the knowledge base's own, else the dictionary".to_owned());
    }
    parts.extend(recognizer_precision.map(|precision| format!("in {precision}")));
    parts.extend(entity_types.iter().map(|path| format!("types of {}", path.display())));
    parts.extend(entity_type.iter().map(|kind| format!("type {kind}")));
    parts.extend(joint.then(|| "joint".to_owned()));
    parts.extend(min_margin.map(|margin| format!("margin {margin} and above")));
    let encoder = match &arguments.kb.encoder.encoder {
        None => "the knowledge base's own, where it has one".to_owned(),
        Some(EncoderChoice::None) => "none".to_owned(),
        Some(EncoderChoice::Folder(folder)) => folder.display().to_string(),
    };
    format!("recognizer {}; encoder {encoder}", parts.join(", "))
}

fn tell(report: &CorpusReport, start: Instant) {
    let (written, read, left_out) = (&report.written, &report.read, &report.left_out);
    crate::say!(
        "{}: {} with a concept, {} ({} read by the linker)",
        counted(read.documents, "document"),
        counted(read.annotations, "annotation"),
        counted(read.links, "link"),
        grouped(read.linked_documents)
    );
    let not_used = [
        (read.without_id, "annotations without an id"),
        (read.unknown_id, "annotations without a concept of the knowledge base, or with several"),
        (read.in_pieces, "mentions in pieces"),
        (read.too_long, "mentions longer than --max-length"),
        (left_out.repeated_sentences, "repeated sentences"),
        (left_out.further_sentences, "sentences of concepts with more than are drawn from"),
        (left_out.excluded_concepts, "excluded concepts"),
        (left_out.concepts_without_sentence, "concepts without a sentence"),
        (left_out.concepts_without_pair, "concepts without two names that differ enough"),
        (left_out.near_names, "pairs of names that differ too little"),
    ];
    let not_used: Vec<String> = not_used
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(count)))
        .collect();
    if !not_used.is_empty() {
        crate::say!("left out: {}", not_used.join(", "));
    }
    crate::say!(
        "{} of {}, {} of sentences ({:.1} a concept, mean edit distance {:.1}; {:.1} s)",
        counted(written.sentences, "sentence"),
        counted(written.concepts, "concept"),
        counted(written.pairs, "pair"),
        written.pairs_per_concept,
        written.mean_edit_distance,
        start.elapsed().as_secs_f64()
    );
}
