//! Tasks that learn from documents with mentions, by the small BERT of `truename-infer`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename_infer::{EntityType, LikelySpans, SpanOptions, SpanScorer, Tagger, Thresholds};
use truename_kb::Progress;
use truename_text::Span;
use truename_train::{Change, Error, Recipe, Scores, Start, begin};

const BERT: &str = "../truename-infer/tests/models/bert";

/// Texts with mentions, `[Kind:mention]`.
const TEXTS: [&str; 6] = [
    "The [Disease:flu] of 😀 guests is not a [Disease:heart attack].",
    "[Drug:Aspirin] against a [Disease:heart attack], cafe\u{301}.",
    "No one had [Disease:gout] or [Disease:fever].",
    "[Drug:Lithium] and [Drug:aspirin] for guests with the [Disease:flu].",
    "The guests are not here.",
    "A [Disease:fever] after [Drug:lithium].",
];

/// Writes the texts as JSONL; kinds are renamed.
fn corpus(folder: &Path, name: &str, texts: &[&str], rename: &dyn Fn(&str) -> String) -> PathBuf {
    let mut lines = String::new();
    for (number, marked) in texts.iter().enumerate() {
        let (mut text, mut mentions, mut rest) = (String::new(), Vec::new(), *marked);
        while let Some((before, after)) = rest.split_once('[') {
            let (mention, after) = after.split_once(']').unwrap();
            let (kind, mention) = mention.split_once(':').unwrap();
            text += before;
            let start = text.chars().count();
            text += mention;
            let (end, kind) = (text.chars().count(), rename(kind));
            mentions.push(serde_json::json!({"start": start, "end": end, "text": mention, "type": kind}));
            rest = after;
        }
        text += rest;
        let document = serde_json::json!({"id": number.to_string(), "text": text, "mentions": mentions});
        lines += &format!("{document}\n");
    }
    let path = folder.join(name);
    std::fs::write(&path, lines).unwrap();
    path
}

fn recipe(kind: &str, corpus: &Path, set: &[&str]) -> Result<Recipe, Error> {
    let folder = corpus.parent().unwrap();
    let path = folder.join("recipe.toml");
    let text = format!(
        "[task]\nkind = \"{kind}\"\n[data]\ntrain = [\"{0}\"]\ndev = [\"{0}\"]\n[types]\nDisease = [\"diseases\", \"illness\"]\n\
         Drug = \"drugs\"\n[encoder]\nfrom = \"{BERT}\"\ndropout = 0.0\n[text]\nbatch = 100\n[schedule]\nepochs = 12\n\
         learning_rate = 0.01\n[evaluation]\nevery = 6\n",
        corpus.file_name().unwrap().to_str().unwrap()
    );
    std::fs::write(&path, text).unwrap();
    let changes: Vec<Change> = set.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    Recipe::read(&path, &changes)
}

fn trained(recipe: &Recipe, out: &Path) -> Scores {
    let mut run = begin(recipe, out, Start::Anew).unwrap();
    run.finish().unwrap();
    run.last_scores().unwrap()
}

#[test]
fn recognizers_learn_mentions_and_a_resumed_run_has_the_same_weights() {
    for (kind, set) in [
        ("recognize", &[][..]),
        ("tag", &[]),
        ("recognize", &["objective.thresholds=tuned"]),
        ("recognize", &["objective.thresholds=learned"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
        let mut set: Vec<&str> = set.to_vec();
        // A tagger of this size needs more steps, and so do thresholds that begin at 0.
        let is_slow = kind == "tag" || set.contains(&"objective.thresholds=learned");
        set.extend((kind == "recognize").then_some("spans.dimensions=16"));
        set.extend(is_slow.then_some("schedule.epochs=80"));
        let recipe = recipe(kind, &corpus, &set).unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let scores = trained(&recipe, &whole);
        // Without thresholds in the loss, one number a type does not separate all.
        let least = if set.contains(&"objective.thresholds=tuned") { 0.9 } else { 1.0 };
        assert!(scores.get("f1") >= least && scores.get("f1 Disease") >= least, "{kind} {set:?} {scores:?}");
        assert_eq!(scores.names, 11);

        let mut run = begin(&recipe, &parts, Start::Anew).unwrap();
        (0..9).for_each(|_| drop(run.advance().unwrap()));
        run.save().unwrap();
        drop(run);
        begin(&recipe, &parts, Start::Resumed).unwrap().finish().unwrap();
        for file in ["model.safetensors", "truename.json"] {
            let [one, other] = [&whole, &parts].map(|folder| std::fs::read(folder.join(file)).unwrap());
            assert!(one == other, "{kind} {set:?} {file}");
        }
    }
}

#[test]
fn tuned_thresholds_are_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let out = folder.path().join("out");
    let set = ["objective.thresholds=tuned", "spans.dimensions=16"];
    trained(&recipe("recognize", &corpus, &set).unwrap(), &out);
    let scorer = SpanScorer::open(&out).unwrap();
    assert!(matches!(&scorer.config().thresholds, Thresholds::Tuned(all) if all.len() == 2 && all[0] != 0.0));
    let found = scorer.find(&["No one had gout or fever."], &SpanOptions::default()).unwrap();
    assert_eq!(found[0].len(), 2);
    assert!(found[0][0].score > found[0][0].threshold);
}

#[test]
fn trained_types_need_no_network_of_descriptions() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let out = folder.path().join("out");
    trained(&recipe("recognize", &corpus, &["spans.dimensions=16"]).unwrap(), &out);
    let find = |scorer: &SpanScorer| -> Vec<Span> {
        let found = scorer.find(&["No one had gout or fever."], &SpanOptions::default()).unwrap();
        found[0].iter().map(|one| one.span).collect()
    };
    let stored = SpanScorer::open(&out).unwrap();
    let types = stored.types().to_vec();
    let (found, hash) = (find(&stored), stored.hash());
    // Descriptions that are said twice have the same mean, and were not trained.
    let twice = |known: &EntityType| EntityType {
        descriptions: [&known.descriptions[..], &known.descriptions[..]].concat(),
        ..known.clone()
    };
    let described: Vec<EntityType> = types.iter().map(twice).collect();
    let computed = stored.with_types(described.clone()).unwrap();
    assert_eq!((find(&computed), found.len()), (found.clone(), 2));
    assert_ne!(computed.hash(), hash, "it depends on both networks");

    std::fs::remove_dir_all(out.join("network-2")).unwrap();
    let alone = SpanScorer::open(&out).unwrap();
    assert_eq!((find(&alone), alone.hash()), (found, hash));
    let drugs = alone.with_types(types[1..].to_vec()).unwrap();
    assert_eq!((drugs.types(), find(&drugs).len()), (&types[1..], 0));
    let error = drugs.with_types(described).err().unwrap();
    assert!(error.to_string().contains("its own types alone") && error.hint().is_some(), "{error}");
}

#[test]
fn likely_spans_have_lower_thresholds() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let out = folder.path().join("out");
    trained(&recipe("recognize", &corpus, &["spans.dimensions=16"]).unwrap(), &out);
    let (scorer, text, options) = (SpanScorer::open(&out).unwrap(), "No one had gout.", SpanOptions::default());
    let find = |spans: &[&str], slack, types: &[&str]| {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        let span = |piece: &&str| {
            let start = text.find(*piece).unwrap();
            Span::new(start, start + piece.len())
        };
        let spans: Vec<Span> = spans.iter().map(span).collect();
        let likely = LikelySpans { spans: &[spans], slack, types: &types };
        let found = scorer.find_likely(&[text], likely, &options).unwrap().remove(0);
        found.iter().map(|one| (text[one.span.range()].to_owned(), one.score > one.threshold)).collect::<Vec<_>>()
    };
    let (one, gout) = (("one".to_owned(), true), ("gout".to_owned(), true));
    assert_eq!(find(&[], 100.0, &[]), std::slice::from_ref(&gout));
    assert_eq!(find(&["one", "gout"], 0.0, &[]), std::slice::from_ref(&gout));
    assert_eq!(find(&["one", "gout"], 100.0, &["another"]), std::slice::from_ref(&gout));
    assert_eq!(find(&["one", "gout"], 100.0, &[]), [one, gout]);
    assert_eq!(find(&["ou"], 100.0, &[]).len(), 1, "a part of a word has no tokens of its own");
}

#[test]
fn mentions_of_unknown_type_do_not_count_in_an_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let train = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let open = TEXTS.map(|text| text.replace("[Disease:gout]", "[unknown:gout]"));
    corpus(folder.path(), "open.jsonl", &open.each_ref().map(String::as_str), &str::to_owned);
    let set = ["data.dev=[\"open.jsonl\"]", "spans.dimensions=16"];
    let out = folder.path().join("out");
    let scores = trained(&recipe("recognize", &train, &set).unwrap(), &out);
    // The model finds gout, which the evaluation takes neither for right nor for wrong.
    let found = SpanScorer::open(&out).unwrap().find(&["No one had gout or fever."], &SpanOptions::default()).unwrap();
    assert_eq!((found[0].len(), scores.names, scores.get("f1")), (2, 10, 1.0), "{scores:?}");
}

#[test]
fn a_corpus_may_rename_types_and_leave_some_out() {
    let folder = tempfile::tempdir().unwrap();
    let rename = |kind: &str| format!("{kind}Mention");
    let named = corpus(folder.path(), "named.jsonl", &TEXTS[..3], &rename);
    corpus(folder.path(), "drugs.jsonl", &TEXTS[3..], &str::to_owned);
    let types = r#"{DiseaseMention = "Disease", DrugMention = "Drug"}"#;
    let train = format!(
        r#"data.train=[{{path = "named.jsonl", types = {types}}}, {{path = "drugs.jsonl", types = ["Drug"]}}]"#
    );
    let dev = format!(r#"data.dev=[{{path = "named.jsonl", types = {types}}}]"#);
    let recipe = |kind| recipe(kind, &named, &[&train, &dev]).unwrap();
    let out = folder.path().join("out");
    let run = begin(&recipe("recognize"), &out, Start::Anew).unwrap();
    let described = run.describe().unwrap().join("\n");
    assert!(described.contains("6 documents to learn, 6 passages, mentions: 5 Disease, 4 Drug"), "{described}");
    assert!(described.contains("left out: Disease (2)"), "{described}");
    // A tagger would take the diseases of the second corpus for no mentions.
    let error = begin(&recipe("tag"), &out.join("tag"), Start::Anew).err().unwrap();
    assert!(error.to_string().contains("does not annotate all types") && error.hint().is_some(), "{error}");
}

#[test]
fn corpora_of_a_pattern_are_one_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let first = corpus(folder.path(), "a.jsonl", &TEXTS[..2], &str::to_owned);
    corpus(folder.path(), "b.jsonl", &TEXTS[2..], &str::to_owned);
    let described = |train: &str| {
        let recipe = recipe("recognize", &first, &[train]).unwrap();
        begin(&recipe, &folder.path().join("out"), Start::Anew).unwrap().describe().unwrap()[0].clone()
    };
    assert_eq!(described("data.train=[\"?.jsonl\"]"), described("data.train=[\"a.jsonl\", \"b.jsonl\"]"));
}

#[test]
fn bad_data_is_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &|kind| format!("{kind}s"));
    let long = format!("types.Drug={:?}", "drugs ".repeat(400));
    let cases: [(&[&str], &str); 7] = [
        (&[], "corpus.jsonl has no mention of a type of the recipe"),
        (&["data.train=[]"], "the recipe does not set data.train"),
        (&["data.train=[{path = \"corpus.jsonl\", types = [\"Gene\"]}]"], "data.train is Gene; it must be a type of"),
        (&["types.Drug= "], "types.Drug is no description"),
        (&[&long, "data.train=[{path = \"corpus.jsonl\", types = {Drugs = \"Drug\"}}]"], "types.Drug is longer than"),
        (&["spans.max_span=126"], "spans.max_span is 126; it must be less than text.window"),
        (&["data.dev=[]", "evaluation.patience=2"], "nothing to evaluate on"),
    ];
    for (set, expected) in cases {
        let recipe = recipe("recognize", &corpus, set);
        let error =
            recipe.and_then(|recipe| begin(&recipe, &folder.path().join("out"), Start::Anew).map(drop)).unwrap_err();
        assert!(
            error.to_string().contains(expected) && error.hint().is_some(),
            "{expected}: {error} {:?}",
            error.hint()
        );
    }
}

#[test]
fn a_tagger_says_how_sure_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let out = folder.path().join("out");
    trained(&recipe("tag", &corpus, &["schedule.epochs=60"]).unwrap(), &out);
    let found = Tagger::open(&out).unwrap().find(&["No one had gout or fever."]).unwrap().remove(0);
    assert!(found.len() == 2 && found[0].probability > 0.5, "{found:?}");
}

#[test]
fn windows_without_mentions_may_be_left_out_and_compared_vectors_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "corpus.jsonl", &TEXTS, &str::to_owned);
    let begun = |out: &str, set: &[&str]| {
        begin(&recipe("recognize", &corpus, set).unwrap(), &folder.path().join(out), Start::Anew).unwrap()
    };
    for (empty, texts) in [("text.empty=true", ", 6 texts"), ("text.empty=false", ", 5 texts")] {
        let described = begun(empty, &[empty]).describe().unwrap().join("\n");
        assert!(described.contains(texts), "{described}");
    }
    let weights = |out: &str, dropout: &str| {
        begun(out, &["encoder.dropout=0.3", "schedule.max_steps=1", dropout]).finish().unwrap();
        std::fs::read(folder.path().join(out).join("model.safetensors")).unwrap()
    };
    assert_ne!(weights("kept", "spans.dropout=false"), weights("dropped", "spans.dropout=true"));
}

#[test]
fn a_joint_run_stopped_while_names_are_mined_goes_on_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("kb.tsv"), "id\tname\nD:1\tflu\nD:1\tgrippe\nD:2\tfever\nD:3\tgout\n").unwrap();
    let text = "1|t|the flu and a fever\n1\t4\t7\tflu\tDisease\tD:1\n1\t14\t19\tfever\tDisease\tD:2\n\n";
    std::fs::write(path("corpus.pubtator"), text).unwrap();
    let kb = format!("data.kb=['{}']", path("kb.tsv").display());
    let set = [&kb, "spans.dimensions=16", "schedule.epochs=2", "evaluation.every=2"];
    let recipe = recipe("joint", &path("corpus.pubtator"), &set).unwrap();
    begin(&recipe, &path("whole"), Start::Anew).unwrap().finish().unwrap();
    let mut run = begin(&recipe, &path("broken"), Start::Anew).unwrap();
    let progress = Arc::new(Progress::default());
    progress.stop();
    run.stop_by(progress);
    assert!(run.advance().unwrap_err().is_interrupted());
    run.save().unwrap();
    drop(run);
    begin(&recipe, &path("broken"), Start::Resumed).unwrap().finish().unwrap();
    let weights = |out: &str| std::fs::read(path(out).join("model.safetensors")).unwrap();
    assert_eq!(weights("whole"), weights("broken"));
}
