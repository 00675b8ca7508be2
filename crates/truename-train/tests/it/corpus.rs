//! A corpus of contextual synonyms is the same whether it was built at once or in parts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use truename::{
    Concept, DictionaryRecognizer, KnowledgeBase, LinkOptions, Linker, Reading, RecognizedMention, Recognizer,
};
use truename_kb::Progress;
use truename_train::{CorpusOptions, CorpusTexts, Error, Start, build_corpus, read_sentences};

const CONCEPTS: usize = 40;
const DOCUMENTS: usize = 700;

fn knowledge_base(folder: &Path) -> KnowledgeBase {
    let concept = |number: usize| {
        let mut concept = Concept::new(format!("X:{number}").parse().unwrap(), format!("disease number {number}"));
        concept.synonyms = vec![format!("a certain malady {number}"), format!("MAL{number}x")];
        concept
    };
    KnowledgeBase::create((0..CONCEPTS).map(concept).collect(), &folder.join("kb")).unwrap()
}

/// Two files of documents, half of them annotated.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let name = |number: usize| match number % 3 {
        0 => format!("disease number {}", number % CONCEPTS),
        1 => format!("a certain malady {}", number % CONCEPTS),
        _ => format!("MAL{}x", number % CONCEPTS),
    };
    let document = |number: usize| {
        let (before, name) = (format!("Case {number} had "), name(number * 7));
        let mention = format!(
            "{{\"start\": {}, \"end\": {}, \"id\": \"X:{}\"}}",
            before.len(),
            before.len() + name.len(),
            number * 7 % CONCEPTS
        );
        let mentions = if number.is_multiple_of(2) { format!(", \"mentions\": [{mention}]") } else { String::new() };
        format!("{{\"id\": \"{number}\", \"text\": \"{before}{name}. It passed.\"{mentions}}}\n")
    };
    let files = [folder.join("one.jsonl"), folder.join("two.jsonl")];
    std::fs::write(&files[0], (0..DOCUMENTS / 2).map(document).collect::<String>() + "no document\n").unwrap();
    std::fs::write(&files[1], (DOCUMENTS / 2..DOCUMENTS).map(document).collect::<String>()).unwrap();
    files.to_vec()
}

/// The dictionary, which stops the work after a number of documents.
struct Stopping {
    dictionary: DictionaryRecognizer,
    left: AtomicUsize,
    progress: Arc<Progress>,
}

impl Recognizer for Stopping {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, truename::Error> {
        if self.left.load(Ordering::SeqCst) < readings.len() {
            self.progress.stop();
        } else {
            self.left.fetch_sub(readings.len(), Ordering::SeqCst);
        }
        self.dictionary.recognize(readings)
    }
}

fn build(kb: &KnowledgeBase, texts: &CorpusTexts, out: &Path, start: Start, documents: usize) -> Result<(), Error> {
    let progress = Arc::new(Progress::default());
    let linker = Linker::new(kb.clone()).unwrap();
    let linker = linker.with_options(LinkOptions { min_probability: Some(0.5), ..LinkOptions::default() }).unwrap();
    let dictionary = DictionaryRecognizer::new(kb.clone());
    let recognizer = Stopping { dictionary, left: documents.into(), progress: progress.clone() };
    let linker = linker.with_recognizer(Arc::new(recognizer));
    let options = CorpusOptions { max_pairs: 20, ..CorpusOptions::default() };
    build_corpus(&linker, texts, &options, out, start, &progress).map(|_| ())
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_corpus_built_in_parts_is_that_built_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let kb = knowledge_base(folder.path());
    let texts = CorpusTexts { texts: texts(folder.path()), ..CorpusTexts::default() };
    let whole = folder.path().join("whole");
    build(&kb, &texts, &whole, Start::Anew, usize::MAX).unwrap();
    let sentences = read_sentences(&whole).unwrap();
    assert!(sentences.iter().any(|sentence| sentence.source.starts_with("replaced in ")) || sentences.len() > CONCEPTS);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(whole.join("corpus.json")).unwrap()).unwrap();
    let read = &report["read"];
    assert_eq!((&read["documents"], &read["problems"]), (&700.into(), &1.into()));
    assert_eq!((&read["annotations"], &read["linked_documents"]), (&350.into(), &350.into()));
    assert!(read["links"].as_u64().unwrap() > 300, "{read}");
    assert_eq!(report["written"]["concepts"], CONCEPTS);
    assert_eq!(report["written"]["sentences"], sentences.len());

    let parts = folder.path().join("parts");
    let mut states = Vec::new();
    while let Err(error) = build(&kb, &texts, &parts, if states.is_empty() { Start::Anew } else { Start::Resumed }, 140)
    {
        assert!(error.is_interrupted(), "{error}");
        let state = std::fs::read_to_string(folder.path().join("parts.unfinished/state.json")).unwrap();
        states.push(serde_json::from_str::<serde_json::Value>(&state).unwrap()["counts"]["documents"].clone());
        assert!(!parts.exists() && states.len() < 20);
    }
    assert!(states.len() > 1 && states.windows(2).all(|two| two[0].as_u64() < two[1].as_u64()), "{states:?}");
    assert_eq!(files(&parts), files(&whole));
    assert!(!folder.path().join("parts.unfinished").exists());
}

#[test]
fn a_corpus_is_the_same_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let kb = knowledge_base(folder.path());
    let texts = CorpusTexts { texts: texts(folder.path()), ..CorpusTexts::default() };
    let built = |threads: usize| {
        let out = folder.path().join(format!("threads-{threads}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| build(&kb, &texts, &out, Start::Anew, usize::MAX)).unwrap();
        files(&out)
    };
    assert_eq!(built(1), built(3));
}

#[test]
fn a_build_is_resumed_only_with_what_it_was_begun_with() {
    let folder = tempfile::tempdir().unwrap();
    let kb = knowledge_base(folder.path());
    let all = texts(folder.path());
    let texts = CorpusTexts { texts: all.clone(), ..CorpusTexts::default() };
    let out = folder.path().join("out");
    assert!(build(&kb, &texts, &out, Start::Anew, 10).unwrap_err().is_interrupted());
    let refused = |texts: &CorpusTexts, start| {
        let error = build(&kb, texts, &out, start, usize::MAX).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(refused(&texts, Start::Anew), "out.unfinished holds an unfinished corpus");
    let begun = "the corpus in out.unfinished was begun with ";
    let fewer = CorpusTexts { texts: all[..1].to_vec(), ..CorpusTexts::default() };
    assert_eq!(refused(&fewer, Start::Resumed), format!("{begun}other texts, or some that were changed since"));
    let linker = CorpusTexts { linker: "another".into(), ..texts.clone() };
    assert_eq!(refused(&linker, Start::Resumed), format!("{begun}other options"));
    let exclude = CorpusTexts { exclude: vec![all[0].clone()], ..texts.clone() };
    assert_eq!(refused(&exclude, Start::Resumed), format!("{begun}other concepts to exclude"));
    std::fs::write(folder.path().join("out.unfinished/state.json"), "{").unwrap();
    assert_eq!(refused(&texts, Start::Resumed), "out.unfinished/state.json cannot be read as the state of a run");
    std::fs::remove_dir_all(folder.path().join("out.unfinished")).unwrap();
    let strict = CorpusTexts { strict: true, ..texts.clone() };
    let error = build(&kb, &strict, &folder.path().join("strict"), Start::Anew, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("one.jsonl:351"), "{error}");
    build(&kb, &texts, &out, Start::Resumed, usize::MAX).unwrap();
    assert_eq!(refused(&texts, Start::Resumed), "out is there already");
}
