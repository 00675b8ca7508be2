//! `truename evaluate link`.

use std::collections::HashMap;
use std::io::Write;

use truename::{Document, KnowledgeBase, LinkOptions, LinkedDocument, Linker, Span};
use truename_eval::linked::{
    Answer, FoundMention, JudgedDocument, LinkError, LinkErrorKind, LinkedScores, LinkingScores, PrecisionRecall,
    link_errors,
};

use crate::arguments::EvaluateLink;
use crate::atomic_file;
use crate::command::link::of_documents;
use crate::command::{open_kb, with_encoder};
use crate::count::{counted, grouped};
use crate::documents::read;
use crate::problems::TruncatedNames;

/// Number of candidates examined for each gold mention.
const DEPTH: usize = 5;

pub fn run(arguments: &EvaluateLink, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.documents.options()?;
    let kb = with_encoder(open_kb(&arguments.kb.kb)?, &arguments.kb.encoder, quiet)?;
    let finding = of_documents(Linker::new(kb)?, &arguments.linking, LinkOptions { top: 1, ..LinkOptions::default() })?;
    let linking = finding.with_options(LinkOptions { top: DEPTH, ..finding.options().clone() })?;
    let judge = Judge { finding, linking };
    let (mut judged, mut truncated) = (Vec::new(), TruncatedNames::default());
    let problems = read(&arguments.gold, &options, quiet, |mut documents| {
        documents.iter_mut().for_each(|document| keep_types(document, &arguments.gold_types));
        judged.extend(judge.all(documents, &mut truncated)?);
        Ok(())
    })?;
    if !quiet {
        truncated.say();
    }
    let gold = judged.iter().map(|document| document.gold.len()).sum::<usize>();
    if gold == 0 {
        problems.report(quiet)?;
    }
    anyhow::ensure!(gold > 0, "the corpus has no mention to compare with{}", type_note(&arguments.gold_types));
    let mut scores = LinkedScores::of(&judged, &judge.finding.knowledge_base().types()?);
    scores.unknown_ids = unknown_ids(judge.finding.knowledge_base(), &judged)?;
    print(&scores, &link_errors(&judged), arguments.errors as usize)?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&scores)? + "\n"))?;
    }
    problems.report(quiet)
}

/// Counts gold mentions none of whose ids is in the knowledge base.
fn unknown_ids(kb: &KnowledgeBase, judged: &[JudgedDocument]) -> Result<usize, truename::Error> {
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    kb.for_each_concept(|concept| {
        for id in std::iter::once(concept.id.to_string()).chain(concept.xrefs) {
            known.entry(local(&id).to_owned()).or_default().push(id);
        }
        Ok::<_, truename::Error>(())
    })?;
    let is_known = |id: &str| known.get(local(id)).is_some_and(|ids| Answer { ids: ids.clone() }.is(id));
    let gold = judged.iter().flat_map(|document| &document.gold);
    Ok(gold.filter(|mention| mention.id.is_some() && !mention.ids().any(is_known)).count())
}

/// Returns an id without its prefix.
fn local(id: &str) -> &str {
    id.split_once(':').map_or(id, |(_, local)| local)
}

fn keep_types(document: &mut Document, types: &[String]) {
    if !types.is_empty() {
        document.mentions.retain(|mention| types.contains(&mention.mention_type));
    }
}

/// Returns the end of a message that names the types asked for.
pub(super) fn type_note(types: &[String]) -> String {
    if types.is_empty() { String::new() } else { format!(" of the type {}", types.join(" or ")) }
}

/// Links documents twice: as they are, and with their gold mentions.
struct Judge {
    finding: Linker,
    linking: Linker,
}

impl Judge {
    /// Links all documents. Adds the names that are longer than the window of a model to `truncated`.
    fn all(&self, documents: Vec<Document>, truncated: &mut TruncatedNames) -> anyhow::Result<Vec<JudgedDocument>> {
        let given = self.linking.link_mentions(documents.clone())?;
        let found = self.finding.link_documents(documents)?;
        let mentions = given.iter().chain(&found).flat_map(|document| &document.mentions);
        truncated.count(mentions.map(|mention| &*mention.link));
        let mut answers = Answers { kb: self.finding.knowledge_base(), known: HashMap::new() };
        found.into_iter().zip(given).map(|(found, given)| answers.judged(found, &given)).collect()
    }
}

/// Concepts by all their ids, each looked up once.
struct Answers<'a> {
    kb: &'a KnowledgeBase,
    known: HashMap<String, Answer>,
}

impl Answers<'_> {
    fn of(&mut self, id: &str) -> anyhow::Result<Answer> {
        if let Some(answer) = self.known.get(id) {
            return Ok(answer.clone());
        }
        let concept = self.kb.concept(&id.parse()?)?;
        let answer = Answer { ids: std::iter::once(id.to_owned()).chain(concept.xrefs).collect() };
        self.known.insert(id.to_owned(), answer.clone());
        Ok(answer)
    }

    fn judged(&mut self, found: LinkedDocument, given: &LinkedDocument) -> anyhow::Result<JudgedDocument> {
        let mut judged = JudgedDocument { id: found.document.id, text: found.document.text, ..Default::default() };
        for mention in found.mentions {
            let answer = mention.link.id().map(|id| self.of(id.as_str())).transpose()?;
            let truename::LinkedMention { span, fragments, types, .. } = mention;
            judged.found.push(FoundMention { span, fragments, types, answer });
        }
        let place = |span: &Span, fragments: &[Span]| (*span, fragments.to_vec());
        let given: HashMap<_, _> =
            given.mentions.iter().map(|linked| (place(&linked.span, &linked.fragments), &linked.link)).collect();
        for gold in &found.document.mentions {
            let link = given.get(&place(&gold.span, &gold.fragments));
            let candidates = link.map_or(&[][..], |link| &link.candidates);
            judged
                .given
                .push(candidates.iter().map(|candidate| self.of(candidate.id.as_str())).collect::<Result<_, _>>()?);
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
    if scores.unknown_ids > 0 {
        let count = counted(scores.unknown_ids as u64, "mention");
        writeln!(out, "of these, {count} cannot be found: the knowledge base does not have the id")?;
    }
    header(&mut out)?;
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
    linking_row(&mut out, "id of given mentions", all.linking)?;
    let others: Vec<&str> = scores
        .types
        .keys()
        .filter(|mention_type| !scores.types_compared.contains(*mention_type))
        .map(String::as_str)
        .collect();
    if !others.is_empty() {
        writeln!(out, "(not compared: the knowledge base has no type {})", others.join(" or "))?;
    }
    for (mention_type, of_type) in &scores.types {
        writeln!(out, "\n{}", if mention_type.is_empty() { "without a type" } else { mention_type })?;
        if scores.types_compared.contains(mention_type) {
            row(&mut out, "  mentions, strict", of_type.mentions.strict)?;
            row(&mut out, "  mention and id", of_type.end_to_end)?;
        } else {
            let PrecisionRecall { recall, gold, .. } = of_type.mentions.strict;
            writeln!(out, "  mentions, strict {:27.2}{:>30}", 100.0 * recall, gold)?;
        }
        linking_row(&mut out, "  id of given mentions", of_type.linking)?;
    }
    if shown > 0 && !errors.is_empty() {
        writeln!(out, "\nthe commonest errors")?;
    }
    errors.iter().take(shown).try_for_each(|error| print_error(&mut out, error))
}

/// Writes the heads of the columns of [`row`].
pub(super) fn header(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "\n{:24}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "precision", "recall", "F1", "found", "gold")
}

/// Writes a row of scores in percent; none if there is no gold mention.
pub(super) fn row(out: &mut impl Write, name: &str, score: PrecisionRecall) -> std::io::Result<()> {
    let PrecisionRecall { precision, recall, f1, found, gold, .. } = score;
    if gold == 0 {
        return Ok(());
    }
    writeln!(out, "{name:24}{:10.2}{:10.2}{:10.2}{found:10}{gold:10}", 100.0 * precision, 100.0 * recall, 100.0 * f1)
}

/// Writes a row of linking scores; none if no gold mention has an id.
fn linking_row(out: &mut impl Write, name: &str, scores: LinkingScores) -> std::io::Result<()> {
    if scores.mentions == 0 {
        return Ok(());
    }
    let [first, fifth] = [scores.accuracy_1, scores.accuracy_5].map(|share| 100.0 * share);
    writeln!(out, "{name:24}acc@1 {first:.2} %  acc@5 {fifth:.2} %")
}

fn print_error(out: &mut impl Write, error: &LinkError) -> std::io::Result<()> {
    let LinkError { kind, text, gold, found, count, example } = error;
    let said = match kind {
        LinkErrorKind::Missed => format!("missed “{text}” ({gold})"),
        LinkErrorKind::Spurious => format!("found “{text}” ({found}), where the corpus has no mention"),
        LinkErrorKind::Bounds => format!("found “{found}” for “{gold}”"),
        LinkErrorKind::WrongId => format!("“{text}” is {gold}, answered {found}"),
    };
    writeln!(out, "{count:6}  {said}; first in document {} at byte {}", example.0, example.1)
}
