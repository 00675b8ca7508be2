//! `truename evaluate link`.

use std::collections::HashMap;
use std::io::Write;

use truename::{Document, KnowledgeBase, LinkedDocument, Pipeline};
use truename_corpus::ReadOptions;
use truename_eval::linked::{
    Answer, FoundMention, JudgedDocument, LinkError, LinkErrorKind, LinkedScores, PrecisionRecall, link_errors,
};

use crate::arguments::EvaluateLink;
use crate::atomic_file;
use crate::command::link::pipeline;
use crate::command::open_linker;
use crate::documents::read;
use crate::progress::{counted, grouped};

/// Candidates looked at for each gold mention.
const DEPTH: usize = 5;

pub fn run(arguments: &EvaluateLink, quiet: bool) -> anyhow::Result<()> {
    let options = ReadOptions {
        format: arguments.input_format,
        offsets: arguments.offsets,
        encoding: arguments.encoding.clone(),
        mentions: true,
    };
    let [finding, linking] = [(false, 1), (true, DEPTH)]
        .map(|(given, top)| pipeline(open_linker(arguments.kb.kb.as_ref())?, &arguments.linking, given, top, false));
    let judge = Judge { finding: finding?, linking: linking? };
    let mut judged = Vec::new();
    let problems = read(&arguments.gold, &options, quiet, |mut documents| {
        documents.iter_mut().for_each(|document| keep_types(document, &arguments.gold_types));
        judged.extend(judge.all(documents)?);
        Ok(())
    })?;
    let gold = judged.iter().map(|document| document.gold.len()).sum::<usize>();
    if gold == 0 {
        problems.report(quiet)?;
    }
    anyhow::ensure!(gold > 0, "the corpus has no mention to compare with{}", type_note(&arguments.gold_types));
    let scores = LinkedScores::of(&judged);
    print(&scores, &link_errors(&judged), arguments.errors)?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&scores)? + "\n"))?;
    }
    problems.report(quiet)
}

fn keep_types(document: &mut Document, types: &[String]) {
    if !types.is_empty() {
        document.mentions.retain(|mention| types.contains(&mention.kind));
    }
}

fn type_note(types: &[String]) -> String {
    if types.is_empty() { String::new() } else { format!(" of the type {}", types.join(" or ")) }
}

/// Links documents twice: as they are, and with the mentions of their annotators.
struct Judge {
    finding: Pipeline,
    linking: Pipeline,
}

impl Judge {
    fn all(&self, documents: Vec<Document>) -> anyhow::Result<Vec<JudgedDocument>> {
        let given = self.linking.link_all(documents.clone())?;
        let found = self.finding.link_all(documents)?;
        let mut answers = Answers { kb: self.finding.linker().knowledge_base(), known: HashMap::new() };
        found.into_iter().zip(given).map(|(found, given)| answers.judged(found, &given)).collect()
    }
}

/// Concepts under all their ids, each looked up once.
struct Answers<'a> {
    kb: &'a KnowledgeBase,
    known: HashMap<String, Answer>,
}

impl Answers<'_> {
    fn of(&mut self, id: &str) -> anyhow::Result<Answer> {
        if let Some(answer) = self.known.get(id) {
            return Ok(answer.clone());
        }
        let concept = self.kb.concept(&id.parse().map_err(truename::Error::from)?)?;
        let answer = Answer { ids: std::iter::once(id.to_owned()).chain(concept.xrefs).collect() };
        self.known.insert(id.to_owned(), answer.clone());
        Ok(answer)
    }

    fn judged(&mut self, found: LinkedDocument, given: &LinkedDocument) -> anyhow::Result<JudgedDocument> {
        let mut judged = JudgedDocument { id: found.document.id, text: found.document.text, ..Default::default() };
        for mention in found.mentions {
            let answer = mention.link.id().map(|id| self.of(id)).transpose()?;
            judged.found.push(FoundMention { span: mention.span, types: mention.types, answer });
        }
        for gold in &found.document.mentions {
            let same =
                |linked: &&truename::LinkedMention| linked.span == gold.span && linked.fragments == gold.fragments;
            let candidates = given.mentions.iter().find(same).map_or(&[][..], |linked| &linked.link.candidates);
            judged.given.push(candidates.iter().map(|candidate| self.of(&candidate.id)).collect::<Result<_, _>>()?);
        }
        judged.gold = found.document.mentions;
        Ok(judged)
    }
}

fn print(scores: &LinkedScores, errors: &[LinkError], shown: usize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let all = &scores.all;
    writeln!(
        out,
        "{}, {}, {} of them with an id",
        counted(scores.document_count as u64, "document"),
        counted(all.mentions.strict.gold as u64, "mention"),
        grouped(all.linking.mentions as u64)
    )?;
    writeln!(out, "\n{:24}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "precision", "recall", "F1", "found", "gold")?;
    let rows = [
        ("mentions, strict", all.mentions.strict),
        ("mentions, start", all.mentions.start),
        ("mentions, end", all.mentions.end),
        ("mentions, loose", all.mentions.loose),
        ("mention and id", all.end_to_end),
        ("concepts by document", scores.documents),
    ];
    for (name, score) in rows {
        row(&mut out, name, score)?;
    }
    writeln!(
        out,
        "id of given mentions    acc@1 {:.2} %  acc@5 {:.2} %",
        100.0 * all.linking.accuracy_1,
        100.0 * all.linking.accuracy_5
    )?;
    if !scores.types_compared {
        writeln!(out, "(types are not compared: the corpus and the knowledge base share none)")?;
    }
    for (kind, of_type) in &scores.types {
        writeln!(out, "\n{}", if kind.is_empty() { "without a type" } else { kind })?;
        if scores.types_compared {
            row(&mut out, "  mentions, strict", of_type.mentions.strict)?;
            row(&mut out, "  mention and id", of_type.end_to_end)?;
        } else {
            let PrecisionRecall { recall, gold, .. } = of_type.mentions.strict;
            writeln!(out, "  mentions, strict {:27.2}{:>30}", 100.0 * recall, gold)?;
        }
        let linking = of_type.linking;
        writeln!(
            out,
            "  id of given mentions  acc@1 {:.2} %  acc@5 {:.2} %",
            100.0 * linking.accuracy_1,
            100.0 * linking.accuracy_5
        )?;
    }
    if shown > 0 && !errors.is_empty() {
        writeln!(out, "\nthe commonest errors")?;
    }
    errors.iter().take(shown).try_for_each(|error| print_error(&mut out, error))
}

fn row(out: &mut impl Write, name: &str, score: PrecisionRecall) -> std::io::Result<()> {
    let PrecisionRecall { precision, recall, f1, found, gold } = score;
    writeln!(out, "{name:24}{:10.2}{:10.2}{:10.2}{found:10}{gold:10}", 100.0 * precision, 100.0 * recall, 100.0 * f1)
}

fn print_error(out: &mut impl Write, error: &LinkError) -> std::io::Result<()> {
    let LinkError { kind, text, gold, found, count, example } = error;
    let said = match kind {
        LinkErrorKind::Missed => format!("missed “{text}” ({gold})"),
        LinkErrorKind::Spurious => format!("found “{text}” ({found}), which is none"),
        LinkErrorKind::Bounds => format!("found “{found}” for “{gold}”"),
        LinkErrorKind::WrongId => format!("“{text}” is {gold}, answered {found}"),
    };
    writeln!(out, "{count:6}  {said}; first in document {} at byte {}", example.0, example.1)
}
