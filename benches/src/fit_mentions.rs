//! Fits the decision on the forms that the dictionary finds, to annotated abstracts and to plain English.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::Context;
use truename::{
    Concept, DictionaryRecognizer, Document, FitOptions, FormExample, KnowledgeBase, Mention, MentionExamples,
    MentionModel, Progress, Span, bundled_recognizer, recognize_all,
};
use truename_eval::calibration_error;
use truename_text::stable_hash;

use crate::biosyn::human_genes;
use crate::data::{chemical_ids, descriptors, documents, medic, supplementary, unzipped};
use crate::labelled::known_ids;
use crate::{reference_sets, self_match};

/// File of the model that comes with Truename.
const SHIPPED: &str = "crates/truename/src/recognizer/decision/mentions.bin";
/// Weight of a corpus, in forms.
const WEIGHT: f32 = 3000.0;
/// Forms below which a corpus weighs less.
const FEW_FORMS: usize = 300;
/// Root of MONDO.
const DISEASE: &str = "0000001";
/// One gloss in so many is kept for the figures.
const REPORTED_ONE_IN: u64 = 5;

/// Texts with their mentions, read by the names of a knowledge base.
struct Corpus {
    name: String,
    fold: usize,
    concepts: Vec<Concept>,
    documents: Vec<Document>,
    labels: Labels,
    /// Concepts that the corpus does not annotate.
    undecided: BTreeSet<String>,
    weight: f32,
    /// Part of the vocabulary that it is read by; `None` for all of it.
    size: Option<&'static Size>,
}

/// Labels of the forms of a corpus, by its mentions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    /// A form with the span and the id of a mention is one.
    Ids,
    /// A form with the span of a mention is one; the ids are of another vocabulary.
    Spans,
    /// As `Spans`, where a recognizer found the mentions; a form that overlaps one otherwise is left out.
    Recognized,
}

/// Features of a form and whether it is a mention.
struct Row {
    features: Vec<f32>,
    is_mention: bool,
    /// True if it is written as the name is, and no longer name is around it.
    is_usual: bool,
}

/// Fits the shipped model, and prints how trees that did not see a fold decide the forms of its corpora.
pub fn run(data: &Path) -> anyhow::Result<()> {
    let mut examples = MentionExamples::default();
    let mut parts: Vec<(String, u32, Vec<Row>)> = Vec::new();
    for corpus in corpora(data)? {
        let is_small = corpus.size.is_some_and(|size| size.is_small);
        for Labelled { name, share, rows, missed } in labelled(&corpus)? {
            // Few forms weigh no more than each form of a larger part.
            let usual = rows.iter().filter(|row| row.is_usual).count().max(FEW_FORMS);
            let weight = corpus.weight * share / usual as f32;
            for Row { features, is_mention, .. } in &rows {
                examples.add(features, *is_mention, weight, corpus.fold, is_small);
            }
            examples.add_missed(f64::from(weight) * missed as f64, is_small);
            parts.push((name, if is_small { MentionModel::SMALL } else { MentionModel::LARGE }, rows));
        }
    }
    let options = FitOptions { rounds: 120, leaves: 32, ..FitOptions::default() };
    let (model, probabilities) = examples.fit(&options, &Progress::default());
    std::fs::write(SHIPPED, model.to_bytes()).with_context(|| SHIPPED.to_owned())?;
    let thresholds = [MentionModel::SMALL, MentionModel::LARGE].map(|names| model.threshold(names));
    println!("thresholds {thresholds:.3?}");
    println!("{:36} {:>6} {:>9} {:>6} {:>6} {:>6}", "left out", "forms", "as named", "right", "above", "error");
    let mut probabilities = probabilities.into_iter();
    for (name, names, rows) in parts {
        let mut judged: Vec<(f64, bool)> =
            rows.iter().zip(probabilities.by_ref()).map(|(row, probability)| (probability, row.is_mention)).collect();
        let usual: Vec<bool> = rows.iter().filter(|row| row.is_usual).map(|row| row.is_mention).collect();
        let above: Vec<bool> =
            judged.iter().filter(|one| one.0 >= model.threshold(names)).map(|(_, is_mention)| *is_mention).collect();
        let right = |rows: &[bool]| rows.iter().filter(|is_mention| **is_mention).count();
        let percent = |rows: &[bool]| 100.0 * right(rows) as f64 / rows.len().max(1) as f64;
        judged.sort_by(|one, other| one.0.total_cmp(&other.0));
        println!(
            "{name:36} {:6} {:9} {:6.2} {:6.2} {:6.3}   {} of {} mentions kept",
            rows.len(),
            usual.len(),
            percent(&usual),
            percent(&above),
            calibration_error(&judged),
            right(&above),
            rows.iter().filter(|row| row.is_mention).count(),
        );
    }
    Ok(())
}

/// The forms of a corpus.
struct Labelled {
    name: String,
    /// Weight, of that of the corpus as it is written.
    share: f32,
    rows: Vec<Row>,
    /// Number of mentions that no form finds.
    missed: usize,
}

/// Writes a text in other capitals; offsets stay.
type Rewrite = fn(&mut str);

/// Other capitals that texts are written in, which make a form of any word: notes, messages and headings.
const REWRITTEN: [(&str, Rewrite); 3] = [
    ("in capitals", str::make_ascii_uppercase),
    ("in small letters", str::make_ascii_lowercase),
    ("in words with capitals", capitalize_words),
];
/// One document in so many is read in other capitals.
const REWRITTEN_ONE_IN: usize = 4;
/// Weight of a corpus in other capitals, of that of the corpus.
const REWRITTEN_SHARE: f32 = 0.2;

fn capitalize_words(text: &mut str) {
    let starts: Vec<usize> = text.match_indices(char::is_whitespace).map(|(at, blank)| at + blank.len()).collect();
    for start in starts {
        if let Some(first) = text.get_mut(start..=start) {
            first.make_ascii_uppercase();
        }
    }
}

/// Returns the forms of a corpus with their labels: as it is written and, where it is read by a whole vocabulary, in other capitals.
fn labelled(corpus: &Corpus) -> anyhow::Result<Vec<Labelled>> {
    let folder = tempfile::tempdir()?;
    let kb = KnowledgeBase::create(corpus.concepts.clone(), &folder.path().join("kb"))?;
    let likely = match corpus.labels {
        Labels::Recognized => likely(&kb, &corpus.documents)?,
        Labels::Ids | Labels::Spans => vec![Vec::new(); corpus.documents.len()],
    };
    let dictionary = DictionaryRecognizer::new(kb);
    let read: Vec<(&Document, &[Span])> = corpus.documents.iter().zip(likely.iter().map(Vec::as_slice)).collect();
    let mut found = vec![of_texts(corpus, &dictionary, &read, ("", 1.0), |_| ())?];
    if corpus.size.is_none() {
        let some: Vec<(&Document, &[Span])> = read.into_iter().step_by(REWRITTEN_ONE_IN).collect();
        for (name, rewrite) in REWRITTEN {
            found.push(of_texts(corpus, &dictionary, &some, (name, REWRITTEN_SHARE), rewrite)?);
        }
    }
    Ok(found)
}

/// Returns the forms of documents of a corpus that are written otherwise, each with the spans that are likely mentions.
fn of_texts(
    corpus: &Corpus,
    dictionary: &DictionaryRecognizer,
    documents: &[(&Document, &[Span])],
    (written, share): (&str, f32),
    rewrite: Rewrite,
) -> anyhow::Result<Labelled> {
    let known = known_ids(&corpus.concepts);
    let texts: Vec<Document> = documents
        .iter()
        .map(|(document, _)| {
            let mut document = (*document).clone();
            rewrite(&mut document.text);
            document
        })
        .collect();
    let (mut rows, mut missed) = (Vec::new(), 0);
    for ((document, likely), forms) in documents.iter().zip(dictionary.examples(&texts)?) {
        let is_known = |mention: &&Mention| !ids(mention, &known).is_empty();
        let is_asked = |mention: &&Mention| is_decided(mention) && (corpus.labels != Labels::Ids || is_known(mention));
        let is_found = |mention: &Mention| forms.iter().any(|form| form.span == mention.span);
        missed += document.mentions.iter().filter(is_asked).filter(|mention| !is_found(mention)).count();
        for form in forms {
            let is_likely = likely.iter().any(|span| span.overlaps(form.span));
            let label = label(corpus, &form, document, &known).filter(|is_mention| *is_mention || !is_likely);
            if let Some(is_mention) = label {
                let is_usual = form.is_usual && !form.is_within();
                rows.push(Row { features: form.features, is_mention, is_usual });
            }
        }
    }
    // The names that a part of a vocabulary lacks are not known where mentions have no ids of it.
    let is_told = corpus.labels == Labels::Ids || corpus.labels == Labels::Spans && corpus.size.is_none();
    let name = if written.is_empty() { corpus.name.clone() } else { format!("{}, {written}", corpus.name) };
    Ok(Labelled { name, share, rows, missed: if is_told { missed } else { 0 } })
}

/// Returns the mentions that the recognizer finds where names of a knowledge base are likelier.
fn likely(kb: &KnowledgeBase, documents: &[Document]) -> anyhow::Result<Vec<Vec<Span>>> {
    let model = bundled_recognizer()?.context("the program was built without models")?;
    let model = model.with_names(DictionaryRecognizer::new(kb.clone()).with_model(None).typed(true));
    let found = recognize_all(&model, documents.to_vec(), true)?;
    Ok(found.into_iter().map(|found| found.mentions.iter().map(|one| one.span).collect()).collect())
}

/// Returns the proteins and nucleic acids of MeSH, which corpora of chemicals do not annotate.
fn macromolecules(data: &Path) -> anyhow::Result<BTreeSet<String>> {
    const TREES: [&str; 6] = ["D05.500", "D08", "D12.644", "D12.776", "D13", "D23.050"];
    let text = unzipped(&data.join("dict-mesh/mesh_id_label_mappings.tsv.gz"))?;
    let is_one = |trees: &str| trees.split('|').any(|tree| TREES.iter().any(|one| tree.starts_with(one)));
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let id = columns.next()?.to_owned();
        columns.nth(2).is_some_and(is_one).then_some(id)
    };
    Ok(text.lines().filter_map(row).collect())
}

/// Families of genes and parts of proteins have no ids, and are neither mentions nor mistakes.
fn is_decided(mention: &Mention) -> bool {
    !["FamilyName", "DomainMotif", "OTHER"].contains(&mention.mention_type.as_str())
}

fn ids<'k>(mention: &Mention, known: &HashMap<&str, &'k str>) -> BTreeSet<&'k str> {
    let ids = mention.id.as_deref().unwrap_or_default().split(['|', '+', ',', ';']).map(str::trim);
    ids.filter_map(|id| known.get(id.strip_prefix("MESH:").unwrap_or(id)).copied()).collect()
}

/// Returns whether a form is a mention; `None` where the corpus does not tell.
fn label(corpus: &Corpus, form: &FormExample, document: &Document, known: &HashMap<&str, &str>) -> Option<bool> {
    let mut around = document.mentions.iter().filter(|mention| mention.span.overlaps(form.span));
    if around.clone().any(|mention| !is_decided(mention)) {
        return None;
    }
    let same = around.clone().find(|mention| mention.span == form.span);
    match (corpus.labels, same) {
        _ if form.ids.iter().all(|id| corpus.undecided.contains(id.as_str())) => None,
        (Labels::Ids, Some(mention)) => {
            let ids = ids(mention, known);
            // Another version of the vocabulary had the concept.
            let is_other =
                ids.is_empty() && mention.id.as_ref().is_some_and(|id| !["-", "-1", ""].contains(&id.as_str()));
            (!is_other).then(|| form.ids.iter().any(|id| ids.contains(id.as_str())))
        }
        (_, Some(_)) => Some(true),
        (Labels::Recognized, None) if around.next().is_some() => None,
        (_, None) => Some(false),
    }
}

fn corpora(data: &Path) -> anyhow::Result<Vec<Corpus>> {
    let mesh = descriptors(data)?;
    let chemical_ids = chemical_ids(&mesh);
    let mut with_supplements = mesh.clone();
    with_supplements.extend(supplementary(data, &chemical_ids)?);
    let chemicals: Vec<Concept> =
        mesh.iter().filter(|concept| chemical_ids.contains(concept.id.as_str())).cloned().collect();
    let (medic, mondo, genes) = (medic(data)?, self_match::concepts(data, "mondo")?, human_genes(data)?);
    let undecided = macromolecules(data)?;
    let read = |file: &str| documents(&data.join(file));
    let cdr = read("bc5cdr/CDR_TrainingSet.PubTator.txt.gz")?;
    let ncbi = read("ncbi-disease/NCBItrainset_corpus.txt.gz")?;
    let of = |name, fold, concepts: &[Concept], documents: &[Document], labels, share| Corpus {
        name,
        fold,
        concepts: concepts.to_vec(),
        documents: documents.to_vec(),
        labels,
        undecided: undecided.clone(),
        weight: WEIGHT * share,
        size: None,
    };
    let mut english = plain_english(data, false)?;
    let model = bundled_recognizer()?.context("the program was built without models")?;
    let recognized = recognize_all(&model, english.clone(), true)?;
    for (document, found) in english.iter_mut().zip(recognized) {
        document.mentions = found.mentions.iter().map(|one| Mention::new(one.span, &one.types[0], None)).collect();
    }
    let (sentences, glosses): (Vec<_>, Vec<_>) = english.into_iter().partition(|one| one.id.starts_with("glue"));
    let full_texts = read("nlm-chem/NLMchem_Test.PubTator.gz")?;
    let [human, species] = ["gnormplus-bc2gn/GNormPlus_Train.PubTator", "nlm-gene/NLMgene_Train.PubTator.gz"].map(read);
    let (human, species) = (human?, species?);
    let (chebi, go) = (reference_sets::chebi(data)?, self_match::concepts(data, "go")?);
    let mut craft: Vec<Vec<Document>> = ["chebi", "mondo", "go"]
        .iter()
        .map(|vocabulary| read(&format!("craft/{vocabulary}-train.jsonl")))
        .collect::<anyhow::Result<_>>()?;
    // The word `disease` alone is a mention in CRAFT and in no other corpus.
    for document in &mut craft[1] {
        document.mentions.retain(|mention| mention.id.as_deref() != Some(DISEASE));
    }
    let wholes = [
        ("bc5cdr, MeSH", 0, &mesh, &cdr, Labels::Ids, 0.5),
        ("bc5cdr, supplements", 0, &with_supplements, &cdr, Labels::Ids, 0.5),
        ("ncbi, MEDIC", 1, &medic, &ncbi, Labels::Ids, 0.5),
        ("ncbi, MONDO", 1, &mondo, &ncbi, Labels::Spans, 0.5),
        ("nlm-chem, MeSH", 2, &chemicals, &full_texts, Labels::Ids, 1.0),
        ("gnormplus, Entrez", 3, &genes, &human, Labels::Ids, 0.5),
        ("nlm-gene, Entrez", 4, &genes, &species, Labels::Spans, 0.5),
        ("craft, ChEBI", 7, &chebi, &craft[0], Labels::Ids, 0.5),
        ("craft, MONDO", 7, &mondo, &craft[1], Labels::Ids, 0.25),
        ("craft, GO", 7, &go, &craft[2], Labels::Ids, 0.25),
        ("glue, MeSH", 5, &mesh, &sentences, Labels::Recognized, 0.15),
        ("glue, MONDO", 5, &mondo, &sentences, Labels::Recognized, 0.15),
        ("glue, Entrez", 5, &genes, &sentences, Labels::Recognized, 0.15),
        ("glosses, MeSH", 6, &mesh, &glosses, Labels::Recognized, 0.15),
        ("glosses, MONDO", 6, &mondo, &glosses, Labels::Recognized, 0.15),
        ("glosses, Entrez", 6, &genes, &glosses, Labels::Recognized, 0.15),
    ];
    let mut corpora = Vec::new();
    for (name, fold, concepts, documents, labels, share) in wholes {
        corpora.push(of(name.to_owned(), fold, concepts, documents, labels, share));
        for size in SIZES.iter().filter(|size| labels != Labels::Recognized || size.concepts > 0) {
            let name = format!("{name}, {}", size.name);
            let part = of(name, fold, &size.part(concepts, documents), documents, labels, share * size.share);
            corpora.push(Corpus { size: Some(size), ..part });
        }
    }
    Ok(corpora)
}

/// A part of a vocabulary, which stands for a smaller knowledge base: concepts that some of the documents mention, and others by chance.
struct Size {
    name: &'static str,
    /// One document in so many has its concepts.
    documents: usize,
    /// The part keeps one in so many of the other concepts; 0 keeps none.
    concepts: u64,
    share: f32,
    is_small: bool,
}

static SIZES: [Size; 3] = [
    Size { name: "a tenth", documents: 4, concepts: 10, share: 0.5, is_small: false },
    Size { name: "few names", documents: 20, concepts: 50, share: 0.5, is_small: true },
    Size { name: "fewest names", documents: 100, concepts: 0, share: 0.3, is_small: true },
];

impl Size {
    fn part(&self, concepts: &[Concept], documents: &[Document]) -> Vec<Concept> {
        let mentioned: BTreeSet<&str> = (documents.iter().step_by(self.documents))
            .flat_map(|document| &document.mentions)
            .flat_map(|mention| mention.id.as_deref().unwrap_or_default().split(['|', ',', ';']))
            .map(|id| id.trim().trim_start_matches("MESH:"))
            .collect();
        let is_kept = |concept: &&Concept| {
            self.concepts > 0 && stable_hash(concept.id.as_str()).is_multiple_of(self.concepts)
                || mentioned.contains(concept.id.as_str())
                || concept.xrefs.iter().any(|xref| mentioned.contains(xref.trim_start_matches("MESH:")))
        };
        concepts.iter().filter(is_kept).cloned().collect()
    }
}

/// Prints the forms that the dictionary finds in plain English as TSV: source, probability, form, concept, text; those of the development
/// parts of GLUE and of a fifth of WordNet's glosses, about `words` words of each.
pub fn english(data: &Path, words: usize, by_rules: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let kb = KnowledgeBase::create(self_match::concepts(data, "mesh")?, &folder.path().join("kb"))?;
    let model = MentionModel::standard();
    let dictionary = DictionaryRecognizer::new(kb).with_model((!by_rules).then(|| model.clone()));
    let mut left: BTreeMap<bool, usize> = [(true, words), (false, words)].into();
    for document in plain_english(data, true)? {
        let count = document.text.split_whitespace().count();
        let left = left.get_mut(&document.id.starts_with("glue")).expect("two kinds");
        if *left < count {
            continue;
        }
        *left -= count;
        let found = recognize_all(&dictionary, vec![document.clone()], true)?.remove(0);
        for form in dictionary.examples(std::slice::from_ref(&document))?.remove(0) {
            if found.mentions.iter().any(|one| one.span == form.span) {
                let (id, piece) = (&form.ids[0], form.span.of(&document.text).unwrap_or_default());
                let probability = model.probability(&form.features);
                println!("{}\t{probability:.3}\t{piece}\t{id}\t{}", document.id, document.text);
            }
        }
    }
    Ok(())
}

/// Reads sentences of GLUE and glosses of WordNet, those for the figures or the others, in an order of chance.
fn plain_english(data: &Path, reported: bool) -> anyhow::Result<Vec<Document>> {
    let part = if reported { "dev" } else { "train" };
    let mut texts: Vec<(String, String)> = Vec::new();
    for (set, columns, one_in) in
        [("SST-2", &[0][..], 12), ("MRPC", &[3, 4], 1), ("CoLA", &[3], 1), ("RTE", &[1, 2], 1)]
    {
        let path = data.join("glue").join(set).join(format!("{part}.tsv"));
        let zipped = path.with_extension("tsv.gz");
        let text = if path.exists() { std::fs::read_to_string(&path)? } else { unzipped(&zipped)? };
        for (number, line) in text.lines().enumerate() {
            let cells: Vec<&str> = line.split('\t').collect();
            for column in columns {
                let sentence = cells.get(*column).map_or("", |cell| cell.trim());
                if sentence.split_whitespace().count() > 3 && (reported || stable_hash(sentence).is_multiple_of(one_in))
                {
                    texts.push((format!("glue-{set}-{number}-{column}"), sentence.to_owned()));
                }
            }
        }
    }
    for part in ["noun", "verb", "adj", "adv"] {
        for line in unzipped(&data.join(format!("synonyms-wordnet/data.{part}.gz")))?.lines() {
            let Some((offset, gloss)) = line.split_once(" | ") else { continue };
            let hash = stable_hash(gloss);
            if hash.is_multiple_of(REPORTED_ONE_IN) == reported && (reported || hash % 7 == 1) {
                let id = offset.split(' ').next().unwrap_or_default();
                texts.push((format!("wordnet-{part}-{id}"), gloss.trim().to_owned()));
            }
        }
    }
    texts.sort_by_cached_key(|(_, text)| stable_hash(text));
    texts.dedup_by(|one, other| one.1 == other.1);
    Ok(texts.into_iter().map(|(id, text)| Document::new(id, text)).collect())
}
