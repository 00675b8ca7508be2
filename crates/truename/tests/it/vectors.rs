//! Knowledge bases with vectors, by small encoders with random weights.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename::{
    AttachedRetriever, CalibrateOptions, Concept, ContextRetriever, Date, Document, EmbedReport, Encoder, ErrorKind,
    FitOptions, ImportOptions, Judgement, KnowledgeBase, Link, LinkOptions, Linker, ModelRole, Progress, Query,
    Reading, RecognizedMention, Recognizer, Span, TrainedRetriever, Verdict,
};
use truename_infer::{Checkpoint, RetrieverConfig, Tensors};

const DAYS: usize = 40;

fn encoder(family: &str) -> Arc<Encoder> {
    let models = Path::new("../truename-infer/tests/models");
    Arc::new(Encoder::open(&models.join(family)).unwrap())
}

/// Concepts of two names each. No vocabulary has the last one's letters, so that its vector is that of any such name.
fn concepts() -> Vec<Concept> {
    let concept = |id: String, name: String, synonym: String| {
        let mut concept = Concept::new(id.parse().unwrap(), name);
        concept.synonyms = vec![synonym];
        concept
    };
    let day = |at: usize| concept(format!("D:{at:03}"), format!("fever on day {at}"), format!("pyrexia, {at}th day"));
    let mut concepts: Vec<Concept> = (0..DAYS).map(day).collect();
    concepts.push(concept("D:999".into(), "жжж".into(), "the patient had no жж".into()));
    concepts
}

struct Fixture {
    kb: KnowledgeBase,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kb = KnowledgeBase::create(concepts(), &folder.path().join("kb")).unwrap();
        Self { kb, folder }
    }

    fn embedded(encoder: &Arc<Encoder>) -> (KnowledgeBase, tempfile::TempDir) {
        let Self { kb, folder } = Self::new();
        assert_eq!(embed(&kb, encoder), 2 * (DAYS as u64 + 1));
        (kb.with_encoder(Arc::clone(encoder)).unwrap(), folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn embed(kb: &KnowledgeBase, encoder: &Encoder) -> u64 {
    kb.embed(encoder, |_, _| ControlFlow::Continue(())).unwrap().names
}

fn cosine(encoder: &Encoder, left: &str, right: &str) -> f64 {
    let vectors = encoder.encode(&[left, right]).unwrap();
    vectors.row(0).iter().zip(vectors.row(1)).map(|(left, right)| f64::from(left * right)).sum()
}

#[test]
fn the_nearest_names_vote_for_their_concepts() {
    let encoder = encoder("bert");
    let (kb, _folder) = Fixture::embedded(&encoder);
    let (name, names) = ("fevers on days 7 and 8", 6);
    let nearest = kb.nearest_by_vectors(name, names).unwrap();
    let sum: f64 = nearest.iter().map(|near| f64::from(near.score)).sum();
    let linker =
        Linker::new(kb).unwrap().with_options(LinkOptions { top: 50, vote: names, ..LinkOptions::default() }).unwrap();
    let link = linker.link_name(name).unwrap();
    assert!(!link.candidates.is_empty());
    for candidate in &link.candidates {
        let of_concept = nearest.iter().filter(|near| near.id == candidate.id);
        let share = of_concept.map(|near| f64::from(near.score)).sum::<f64>() / sum;
        assert!((candidate.probability - share).abs() < 1e-9, "{candidate:?} {share}");
    }
    assert!((link.candidates.iter().map(|candidate| candidate.probability).sum::<f64>() - 1.0).abs() < 1e-9);
    // A name that one concept alone has stays decided.
    let by_ranker = Linker::new(linker.knowledge_base().clone()).unwrap().link_name("fever on day 7").unwrap();
    let by_vote = linker.link_name("fever on day 7").unwrap();
    assert_eq!(by_vote.candidates[0].id.as_str(), "D:007");
    assert_eq!(by_vote.candidates[0].probability, by_ranker.candidates[0].probability);
}

#[test]
fn a_name_that_shares_no_letter_is_found_by_its_vector() {
    let encoder = encoder("bert");
    let (kb, _folder) = Fixture::embedded(&encoder);
    assert_eq!(kb.nearest_by_vectors("fever on day 7", 1).unwrap()[0].name, "fever on day 7");
    assert!(kb.nearest_by_ngrams("щщщ", 9).unwrap().is_empty());
    let near = &kb.nearest_by_vectors("щщщ", 1).unwrap()[0];
    assert_eq!((near.id.as_str(), near.name.as_str()), ("D:999", "жжж"));
    assert!(near.score > 0.999);

    let linker = Linker::new(kb).unwrap();
    for no_name in ["", "---", &"n".repeat(100_000)] {
        assert!(linker.link_name(no_name).unwrap().candidates.is_empty());
    }
    let link = linker.link_name("щщщ").unwrap();
    let found = link.candidates.iter().find(|candidate| candidate.id == "D:999").unwrap();
    assert_eq!((found.matched_name.as_str(), found.scores.ngram), ("жжж", Some(0.0)));
    assert!(found.scores.dense.unwrap() > 0.999);
}

#[test]
fn a_candidate_has_the_highest_cosine_of_its_names() {
    let encoder = encoder("mpnet");
    let (kb, _folder) = Fixture::embedded(&encoder);
    let linker = Linker::new(kb).unwrap();
    let link = linker.link_name("fevers, day 11").unwrap();
    assert!(link.candidates.len() == 5);
    for candidate in &link.candidates {
        let concept = linker.knowledge_base().concept(&candidate.id).unwrap();
        let best = concept.names().map(|name| cosine(&encoder, "fevers, day 11", name)).fold(-1.0, f64::max);
        assert!((candidate.scores.dense.unwrap() - best).abs() < 2e-3, "{candidate:?}: {best}");
    }
}

#[test]
fn neither_threads_nor_company_nor_top_change_an_answer() {
    let (kb, _folder) = Fixture::embedded(&encoder("bert"));
    let names: Vec<String> =
        (0..200).map(|at| format!("fevr {} day {}", ["on", "щщ", "no"][at % 3], at % 45)).collect();
    let linked = |top, threads| {
        let options = LinkOptions { top, ..LinkOptions::default() };
        let linker = Linker::new(kb.clone()).unwrap().with_options(options).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| linker.link_names(&names).unwrap())
    };
    let many = linked(10, 1);
    assert_eq!(many, linked(10, 3));
    for (one, many) in linked(1, 2).iter().zip(&many) {
        assert_eq!(one.candidates[..], many.candidates[..1], "{}", one.name);
    }
    let options = LinkOptions { top: 10, ..LinkOptions::default() };
    let linker = Linker::new(kb).unwrap().with_options(options).unwrap();
    let alone: Vec<Link> = names.iter().map(|name| linker.link_name(name).unwrap()).collect();
    assert_eq!(many, alone);
}

#[test]
fn documents_are_linked_as_their_names_are() {
    let (kb, _folder) = Fixture::embedded(&encoder("bert"));
    let linker = || Linker::new(kb.clone()).unwrap();
    let text = |at: usize| format!("There was fever on day {at}, then pyrexia, {}th day, and жжж.", at + 1);
    let documents: Vec<Document> = (0..9).map(|at| Document::new(format!("{at}"), text(at))).collect();
    let together = linker().link_documents(documents.clone()).unwrap();
    for (document, linked) in documents.into_iter().zip(together) {
        assert_eq!(linked.mentions.len(), 3, "{}", document.text);
        for mention in &linked.mentions {
            let name = mention.span.of(&document.text).unwrap();
            assert_eq!(mention.link.id(), linker().link_name(name).unwrap().id());
        }
        let alone = linker().link_document(document).unwrap();
        assert_eq!(alone.mentions, linked.mentions);
    }
}

#[test]
fn embedding_goes_on_where_it_was_stopped() {
    let encoder = encoder("bert");
    let Fixture { kb, folder: _folder } = Fixture::new();
    let mut calls = 0;
    let stopped = kb.embed(&encoder, |_, _| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(!stopped.unwrap().is_complete);
    // It was told to stop when all of the first piece were encoded, which is stored all the same.
    assert_eq!(kb.names_without_vector().unwrap(), 0);
    assert_eq!(embed(&kb, &encoder), 0);

    let Fixture { kb, folder: _folder } = Fixture::new();
    let stopped = kb.embed(&encoder, |_, _| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap(), EmbedReport::default());
    assert_eq!(kb.names_without_vector().unwrap(), 2 * (DAYS as u64 + 1));
    assert_eq!(embed(&kb, &encoder), 2 * (DAYS as u64 + 1));
}

#[test]
fn an_update_leaves_no_vector_of_a_name_that_is_gone() {
    let encoder = encoder("roberta");
    let fixture = Fixture::new();
    let kb = &fixture.kb;
    embed(kb, &encoder);
    let changed = "{\"id\": \"D:000\", \"name\": \"no cough\"}\n{\"id\": \"D:001\", \"removed\": true}\n";
    let file = fixture.write("changed.jsonl", changed);
    kb.update(&[file], &[], &ImportOptions { replace: true, ..ImportOptions::default() }).unwrap();
    assert_eq!(kb.names_without_vector().unwrap(), 1);
    let dense = kb.clone().with_encoder(Arc::clone(&encoder)).unwrap();
    let near = dense.nearest_by_vectors("fever on day 0", 500).unwrap();
    assert_eq!(near.len(), 2 * (DAYS - 1));
    assert!(near.iter().all(|near| near.id != "D:000" && near.id != "D:001"));
    assert_eq!(embed(kb, &encoder), 1);
    assert_eq!(dense.nearest_by_vectors("no cough", 1).unwrap()[0].id, "D:000");
}

#[test]
fn a_learnt_name_gets_a_vector() {
    let (kb, _folder) = Fixture::embedded(&encoder("bert"));
    let linker = Linker::new(kb.clone()).unwrap();
    let judgement =
        Judgement { name: "hot".into(), verdict: Verdict::Concept("D:007".parse().unwrap()), date: Date::today() };
    assert_eq!(kb.learn(&[judgement], &[], &Progress::default()).unwrap().learnt, 1);
    assert_eq!(kb.names_without_vector().unwrap(), 0);
    assert_eq!(kb.nearest_by_vectors("hot", 1).unwrap()[0].id, "D:007");
    let link = linker.link_name("HOT").unwrap();
    assert_eq!((link.id().unwrap().as_str(), link.candidates[0].scores.ranker), ("D:007", None));
}

#[test]
fn an_update_that_changes_no_name_keeps_the_vectors() {
    let encoder = encoder("bert");
    let fixture = Fixture::new();
    embed(&fixture.kb, &encoder);
    let line = "{\"id\": \"D:000\", \"name\": \"fever on day 0\", \"synonyms\": [\"pyrexia, 0th day\"], \"xrefs\": [\"X:1\"]}\n";
    let file = fixture.write("xref.jsonl", line);
    let report = fixture.kb.update(&[file], &[], &ImportOptions::default()).unwrap();
    assert_eq!((report.changed, fixture.kb.names_without_vector().unwrap()), (1, 0));
    assert_eq!(fixture.kb.concept(&"D:000".parse().unwrap()).unwrap().xrefs, ["X:1"]);
}

#[test]
fn letters_alone_decide_where_a_vector_is_missing() {
    let encoder = encoder("bert");
    let fixture = Fixture::new();
    embed(&fixture.kb, &encoder);
    let file = fixture.write("new.jsonl", "{\"id\": \"N:1\", \"name\": \"fever on days 7 and 8\"}\n");
    fixture.kb.update(&[file], &[], &ImportOptions::default()).unwrap();
    let letters = Linker::new(fixture.kb.clone()).unwrap().link_name("fever on dys 7").unwrap();
    assert!(letters.candidates.iter().any(|candidate| candidate.id == "N:1"));
    let dense = fixture.kb.clone().with_encoder(Arc::clone(&encoder)).unwrap();
    let link = |name| Linker::new(dense.clone()).unwrap().link_name(name).unwrap();
    // Vectors may add candidates, but they are no evidence against the one without.
    let probability = |link: &Link| link.candidates.iter().find(|candidate| candidate.id == "N:1").unwrap().probability;
    let incomplete = link("fever on dys 7");
    assert!(incomplete.candidates.iter().all(|candidate| candidate.scores.dense.is_none()));
    assert!((probability(&incomplete) - probability(&letters)).abs() < 0.1);
    assert!(link("щщщ").candidates.iter().all(|candidate| candidate.scores.dense.is_some()));
    let error = dense.calibrate(&[], &CalibrateOptions::default()).unwrap_err();
    assert_eq!(
        error.hint().unwrap().to_string(),
        format!("make them: `kb embed kb={} encoder=DIR`", dense.path().display())
    );
    embed(&fixture.kb, &encoder);
    assert!(link("fever on dys 7").candidates.iter().all(|candidate| candidate.scores.dense.is_some()));
}

#[test]
fn fingerprints_tell_what_answers_depend_on() {
    struct Mine;
    impl Recognizer for Mine {
        fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, truename::Error> {
            Ok(readings.iter().map(|_| Vec::new()).collect())
        }

        fn fingerprint(&self) -> Option<String> {
            Some("mine".into())
        }
    }
    let bert = encoder("bert");
    let (kb, folder) = Fixture::embedded(&bert);
    let of = |kb: &KnowledgeBase| Linker::new(kb.clone()).unwrap().fingerprint().unwrap();
    let linker = Linker::new(kb.clone()).unwrap();
    let other = linker.with_options(LinkOptions { top: 7, ..LinkOptions::default() }).unwrap();
    assert_eq!(other.fingerprint().unwrap(), linker.fingerprint().unwrap());
    let (with, without, mine) = (of(&kb), of(&kb.clone().without_encoder()), linker.with_recognizer(Arc::new(Mine)));
    let before = [with.clone(), without, mine.fingerprint().unwrap()];
    assert!(before[0] != before[1] && before[0] != before[2] && before[1] != before[2], "{before:?}");
    let fingerprint = kb.fingerprint().unwrap();
    kb.attach_encoder(&bert).unwrap();
    assert_ne!(kb.fingerprint().unwrap(), fingerprint);
    let pack = kb.pack(folder.path()).unwrap();
    let unpacked = KnowledgeBase::open(KnowledgeBase::unpack(pack, Some(folder.path())).unwrap()).unwrap();
    assert_eq!(of(&unpacked), of(&kb), "the same encoder, attached");
}

#[test]
fn the_vectors_of_another_encoder_are_refused_and_replaced() {
    let (bert, mpnet) = (encoder("bert"), encoder("mpnet"));
    let Fixture { kb, folder } = Fixture::new();
    let error = kb.clone().with_encoder(Arc::clone(&bert)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::EncoderMismatch);
    assert!(error.to_string().contains("have no vectors"), "{error}");
    assert!(error.hint().unwrap().to_string().contains("kb embed kb="), "{:?}", error.hint());

    embed(&kb, &bert);
    let linker = Linker::new(kb.clone().with_encoder(Arc::clone(&bert)).unwrap()).unwrap();
    let error = kb.clone().with_encoder(Arc::clone(&mpnet)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::EncoderMismatch);
    assert!(error.to_string().contains("by another encoder"), "{error}");
    assert!(error.hint().unwrap().to_string().contains("bert"), "{:?}", error.hint());

    let report = kb.embed(&mpnet, |_, _| ControlFlow::Continue(())).unwrap();
    let all = 2 * (DAYS as u64 + 1);
    assert_eq!((report.names, report.replaced), (all, all));
    // A linker that was opened before gives an error, and no answer by vectors that mean something else.
    assert_eq!(linker.link_name("fevr").err().unwrap().kind(), ErrorKind::EncoderMismatch);
    assert_eq!(kb.info().unwrap().vectors.unwrap().encoder.hash, mpnet.hash());

    // An import begins anew.
    let kb_file = folder.path().join("kb.tsv");
    std::fs::write(&kb_file, "id\tname\nA:1\tfever\n").unwrap();
    KnowledgeBase::import(&[kb_file], kb.path(), &ImportOptions::default(), true).unwrap();
    assert_eq!(kb.info().unwrap().vectors, None);
    assert_eq!(kb.with_encoder(mpnet).err().unwrap().kind(), ErrorKind::EncoderMismatch);
}

/// A copy of an encoder's folder with NaN for a number of a tensor, `at` numbers from its beginning.
fn damaged(folder: &Path, family: &str, tensor: &str, at: usize) -> Arc<Encoder> {
    let source = Path::new("../truename-infer/tests/models").join(family);
    let copy = folder.join("damaged");
    std::fs::create_dir_all(copy.join("1_Pooling")).unwrap();
    for file in ["config.json", "modules.json", "sentence_bert_config.json", "tokenizer.json", "1_Pooling/config.json"]
    {
        std::fs::copy(source.join(file), copy.join(file)).unwrap();
    }
    let mut weights = std::fs::read(source.join("model.safetensors")).unwrap();
    let header = 8 + u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
    let tensors: serde_json::Value = serde_json::from_slice(&weights[8..header]).unwrap();
    let start = header + tensors[tensor]["data_offsets"][0].as_u64().unwrap() as usize + 4 * at;
    weights[start..start + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(copy.join("model.safetensors"), weights).unwrap();
    Arc::new(Encoder::open(&copy).unwrap())
}

#[test]
fn an_encoder_that_returns_nan_leaves_the_old_vectors() {
    let Fixture { kb, folder } = Fixture::new();
    let bert = encoder("bert");
    let nan = damaged(folder.path(), "bert", "embeddings.LayerNorm.beta", 0);
    let go_on = |_, _| ControlFlow::Continue(());
    let error = kb.embed(&nan, go_on).unwrap_err();
    assert_eq!(error.to_string(), "The encoder returned NaN for \"жжж\"; its weights are damaged.");
    assert_eq!(kb.info().unwrap().vectors, None);

    embed(&kb, &bert);
    let dense = kb.clone().with_encoder(Arc::clone(&bert)).unwrap();
    let linked = || Linker::new(dense.clone()).unwrap().link_names(&["fevr on day 7", "щщщ"]).unwrap();
    let before = (linked(), kb.info().unwrap());
    let error = kb.embed(&nan, go_on).unwrap_err();
    let expected = "The encoder returned NaN for \"жжж\"; its weights are damaged. The old vectors are kept.";
    assert_eq!(error.to_string(), expected);
    assert_eq!((linked(), kb.info().unwrap()), before);
}

#[test]
fn vectors_that_were_begun_by_a_damaged_encoder_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (bert, mpnet) = (encoder("bert"), encoder("mpnet"));
    // Only a name of so many tokens meets the damage, and the longest is encoded last.
    let nan = damaged(folder.path(), "bert", "embeddings.position_embeddings.weight", 40 * 16);
    let mut concepts = days(MANY);
    concepts.push(Concept::new("L:1".parse().unwrap(), "fever ".repeat(60)));
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    embed(&kb, &mpnet);
    assert!(!interrupted(&kb, &nan).is_complete);
    assert!(kb.info().unwrap().vectors.unwrap().next.is_some());
    let error = kb.embed(&nan, |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("for \"fever fever"), "{error}");
    let vectors = kb.info().unwrap().vectors.unwrap();
    assert_eq!((vectors.encoder.hash.as_str(), vectors.names, vectors.next), (mpnet.hash(), MANY as u64 + 1, None));
    assert_eq!(embed(&kb, &bert), MANY as u64 + 1);
}

/// Names of which one call of an encoder leaves some over.
const MANY: usize = 1500;

fn days(count: usize) -> Vec<Concept> {
    (0..count).map(|at| Concept::new(format!("D:{at:04}").parse().unwrap(), format!("fever on day {at}"))).collect()
}

/// Stops after the first names.
fn interrupted(kb: &KnowledgeBase, encoder: &Encoder) -> EmbedReport {
    let mut calls = 0;
    let on_progress = |_, _| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    kb.embed(encoder, on_progress).unwrap()
}

#[test]
fn a_change_of_encoder_takes_effect_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let (bert, mpnet, roberta) = (encoder("bert"), encoder("mpnet"), encoder("roberta"));
    let kb = KnowledgeBase::create(days(MANY), &folder.path().join("kb")).unwrap();
    embed(&kb, &bert);
    let linked = |encoder: &Arc<Encoder>| {
        let dense = kb.clone().with_encoder(Arc::clone(encoder)).unwrap();
        Linker::new(dense).unwrap().link_names(&["fevr on day 7", "щщщ"]).unwrap()
    };
    let before = linked(&bert);
    let next = || kb.info().unwrap().vectors.unwrap().next.map(|next| (next.names, next.encoder.hash.to_string()));

    // The old vectors answer until every name has a new one.
    let stopped = interrupted(&kb, &mpnet);
    assert_eq!((stopped.is_complete, stopped.replaced), (false, 0));
    assert_eq!(next(), Some((stopped.names, mpnet.hash().to_owned())));
    assert_eq!((linked(&bert), kb.names_without_vector().unwrap()), (before.clone(), 0));
    assert_eq!(kb.check_encoder(&mpnet).unwrap_err().kind(), ErrorKind::EncoderMismatch);

    // A third encoder begins anew; the one in use leaves the change alone.
    let stopped = interrupted(&kb, &roberta);
    assert_eq!(embed(&kb, &bert), 0);
    assert_eq!(next(), Some((stopped.names, roberta.hash().to_owned())));
    assert_eq!(interrupted(&kb, &mpnet).names, stopped.names);

    // An update removes the vectors of names that are gone from both.
    let file = folder.path().join("changed.jsonl");
    std::fs::write(&file, "{\"id\": \"D:0000\", \"removed\": true}\n{\"id\": \"N:1\", \"name\": \"cough\"}\n").unwrap();
    kb.update(&[file], &[], &ImportOptions::default()).unwrap();
    assert_eq!(next(), Some((stopped.names - 1, mpnet.hash().to_owned())));
    assert_eq!(kb.names_without_vector().unwrap(), 1);

    let report = kb.embed(&mpnet, |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!((report.names, report.replaced), ((MANY + 1) as u64 - stopped.names, MANY as u64 - 1));
    assert_eq!((next(), kb.names_without_vector().unwrap()), (None, 0));
    assert_eq!(kb.check_encoder(&bert).unwrap_err().kind(), ErrorKind::EncoderMismatch);

    let mut concepts = days(MANY);
    concepts[0] = Concept::new("N:1".parse().unwrap(), "cough");
    let fresh = KnowledgeBase::create(concepts, &folder.path().join("fresh")).unwrap();
    embed(&fresh, &mpnet);
    let fresh = Linker::new(fresh.with_encoder(Arc::clone(&mpnet)).unwrap()).unwrap();
    assert_eq!(linked(&mpnet), fresh.link_names(&["fevr on day 7", "щщщ"]).unwrap());
}

#[test]
fn names_longer_than_the_window_are_reported() {
    let encoder = encoder("bert");
    let long = "fever on the day ".repeat(40);
    let folder = tempfile::tempdir().unwrap();
    let concept = Concept::new("A:1".parse().unwrap(), long.clone());
    let kb = KnowledgeBase::create(vec![concept], &folder.path().join("kb")).unwrap();
    let report = kb.embed(&encoder, |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!((report.truncated, report.truncated_examples), (1, vec![long.clone()]));
    let linker = Linker::new(kb.with_encoder(encoder).unwrap()).unwrap();
    assert!(linker.link_name(&format!("{long} 1")).unwrap().is_truncated);
    assert!(!linker.link_name("fever").unwrap().is_truncated);
}

#[test]
fn the_ranker_with_vectors_is_fitted_beside_the_other() {
    let encoder = encoder("bert");
    let (dense, _folder) = Fixture::embedded(&encoder);
    let letters = KnowledgeBase::open(dense.path()).unwrap();
    let before = Linker::new(letters.clone()).unwrap().link_name("fevr day 12").unwrap();
    let options =
        CalibrateOptions { fit: FitOptions { rounds: 10, ..FitOptions::default() }, ..CalibrateOptions::default() };
    let gain = dense.calibrate(&[], &options).unwrap();
    let info = letters.info().unwrap();
    assert_eq!((info.calibrated, info.vectors.unwrap().calibrated), (false, gain.kept));
    assert_eq!(Linker::new(letters.clone()).unwrap().link_name("fevr day 12").unwrap(), before);
    // It goes with the vectors it was fitted with.
    interrupted(&letters, &self::encoder("mpnet"));
    assert_eq!(letters.info().unwrap().vectors.unwrap().calibrated, gain.kept);
    embed(&letters, &self::encoder("mpnet"));
    assert!(!letters.info().unwrap().vectors.unwrap().calibrated);
}

#[test]
fn an_encoder_that_learnt_the_names_is_judged_by_those_that_did_not() {
    let bert = encoder("bert");
    let (dense, _folder) = Fixture::embedded(&bert);
    let options =
        CalibrateOptions { fit: FitOptions { rounds: 10, ..FitOptions::default() }, ..CalibrateOptions::default() };
    // Others that are the same encoder see what it sees, so all names are judged as by itself.
    let parted = dense.calibrate_out_of_fold(&[Arc::clone(&bert), Arc::clone(&bert)], &[], &options).unwrap();
    let whole = dense.calibrate(&[], &options).unwrap();
    assert_eq!(parted.held_out, whole.held_out);
    assert!((parted.log_loss.0 - whole.log_loss.0).abs() < 1e-9, "{parted:?} {whole:?}");
    // Another encoder beside it changes what is learnt, and the store's own vectors stay.
    let mixed = dense.calibrate_out_of_fold(&[encoder("mpnet"), bert], &[], &options).unwrap();
    assert!((mixed.log_loss.0 - whole.log_loss.0).abs() > 1e-6, "{mixed:?} {whole:?}");
    assert_eq!(dense.names_without_vector().unwrap(), 0);
}

/// A retriever with the initial weights of an encoder.
fn retriever(name: &str, folder: &Path) -> TrainedRetriever {
    let mut checkpoint = Checkpoint::open(&Path::new("../truename-infer/tests/models").join(name)).unwrap();
    let Checkpoint::Transformer(transformer) = &mut checkpoint else { panic!("a transformer") };
    transformer.add_special_tokens(&RetrieverConfig::special_tokens(), 1).unwrap();
    let mut config = RetrieverConfig::new();
    (config.window, config.concept_tokens, config.longest) = (32, 16, 30.0);
    checkpoint.manifest_mut().set_head(RetrieverConfig::HEAD, &config).unwrap();
    let folder = folder.join(format!("retriever-{name}"));
    checkpoint.save(&folder, &Tensors::new(), None).unwrap();
    TrainedRetriever::open(&folder).unwrap()
}

#[test]
fn concepts_have_vectors_of_their_own_beside_those_of_names() {
    let (kb, folder) = Fixture::embedded(&encoder("bert"));
    let first = || retriever("bert", folder.path());
    let embed = |retriever: &TrainedRetriever| {
        kb.attach_retriever(retriever).unwrap();
        kb.embed_concepts(retriever, |_, _| ControlFlow::Continue(())).unwrap()
    };
    assert_eq!(AttachedRetriever::new(first(), kb.clone()).err().unwrap().kind(), ErrorKind::EncoderMismatch);
    let concepts = DAYS as u64 + 1;
    assert_eq!((embed(&first()).names, embed(&first()).names), (concepts, 0));
    let document = Document::new("1", "chills at night");
    let nearest = || {
        let query = Query::new("chills").in_context(&document, Span::new(0, 6));
        let attached = kb.attached_retriever().unwrap().unwrap();
        attached.nearest(&[query, Query::new("chills")], 100).unwrap()
    };
    let found = nearest();
    assert_eq!((found[0].len(), found[1].len()), (concepts as usize, 0), "a query without context has none");
    assert!(found[0].is_sorted_by(|left, right| left.1 >= right.1));
    assert_eq!(kb.names_without_vector().unwrap(), 0, "the names keep theirs");

    // A concept that differs, one that goes and one that comes.
    let file = folder.path().join("more.tsv");
    std::fs::write(&file, "id\tname\nD:003\tchills\nX:1\tcough\n").unwrap();
    let options = ImportOptions { replace: true, ..ImportOptions::default() };
    kb.update(&[file], &["D:007".parse().unwrap()], &options).unwrap();
    assert_eq!(nearest()[0].len() as u64, concepts - 2);
    assert_eq!(embed(&first()).names, 2);
    assert_eq!(nearest()[0].len() as u64, concepts);

    // Another retriever takes the place of the first once all concepts have its vectors.
    let second = retriever("roberta", folder.path());
    let stopped = kb.embed_concepts(&second, |_, _| ControlFlow::Break(())).unwrap();
    assert!(!stopped.is_complete && nearest()[0].len() as u64 == concepts);
    let replaced = embed(&second);
    assert!(replaced.is_complete && replaced.replaced == concepts);
    assert_eq!(AttachedRetriever::new(first(), kb.clone()).err().unwrap().kind(), ErrorKind::EncoderMismatch);
    kb.detach(ModelRole::Retriever).unwrap();
    assert!(kb.attached_retriever().unwrap().is_none());
}
