//! Distillation, with teachers trained from the small BERT of `truename-infer`.

use std::path::{Path, PathBuf};

use truename_infer::{Backbone, Checkpoint, Encoder, Info, SpanOptions, SpanScorer};
use truename_train::{Change, Error, Event, Recipe, Scores, Start, begin};

const BERT: &str = "../truename-infer/tests/models/bert";

/// Texts without annotations, and the mention of each that the teacher learns.
const TEXTS: [(&str, &str); 8] = [
    ("The flu of 😀 guests is not a heart attack.", "flu"),
    ("Aspirin against a heart attack, cafe\u{301}.", "heart attack"),
    ("No one had gout or fever.", "gout"),
    ("Lithium and aspirin for guests with the flu.", "flu"),
    ("The guests are not here, one had the flu.", "flu"),
    ("A fever after lithium, and gout.", "fever"),
    ("The heart attack of guests, with fever.", "heart attack"),
    ("Not one had a heart attack or the flu.", "flu"),
];

fn write_texts(folder: &Path) -> [PathBuf; 2] {
    let (mut marked, mut plain) = (String::new(), String::new());
    for (number, (text, mention)) in TEXTS.iter().enumerate() {
        let start = text[..text.find(mention).unwrap()].chars().count();
        let end = start + mention.chars().count();
        let mentions = [serde_json::json!({"start": start, "end": end, "text": mention, "type": "Disease"})];
        marked += &format!("{}\n", serde_json::json!({"id": number.to_string(), "text": text, "mentions": mentions}));
        plain += &format!("{}\n", serde_json::json!({"id": number.to_string(), "text": text}));
    }
    [("marked.jsonl", marked), ("plain.jsonl", plain)].map(|(name, lines)| {
        let path = folder.join(name);
        std::fs::write(&path, lines).unwrap();
        path
    })
}

/// Trains a recognizer, and returns its folder.
fn teacher(folder: &Path, thresholds: &str) -> PathBuf {
    let out = folder.join("teacher");
    let recipe = format!(
        "[task]\nkind = \"recognize\"\n[data]\ntrain = \"marked.jsonl\"\ndev = \"marked.jsonl\"\n[types]\nDisease = \"diseases\"\n[encoder]\n\
         from = \"{BERT}\"\ndropout = 0.0\n[spans]\ndimensions = 16\n[objective]\nthresholds = \"{thresholds}\"\n\
         [text]\nbatch = 100\n[schedule]\nepochs = 40\nlearning_rate = 0.01\n[evaluation]\nevery = 40\n"
    );
    std::fs::write(folder.join("teacher.toml"), recipe).unwrap();
    begin(&Recipe::read(&folder.join("teacher.toml"), &[]).unwrap(), &out, Start::Anew).unwrap().finish().unwrap();
    out
}

fn recipe(folder: &Path, set: &[&str]) -> Result<Recipe, Error> {
    let text = "[task]\nkind = \"distil\"\n[encoder]\nfrom = \"teacher\"\n[student]\nlayers = 1\n[sampler]\ntokens = 100\n\
                [schedule]\nepochs = 60\nlearning_rate = 0.01\n[evaluation]\nevery = 60\n";
    std::fs::write(folder.join("recipe.toml"), text).unwrap();
    let changes: Vec<Change> = set.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    Recipe::read(&folder.join("recipe.toml"), &changes)
}

/// Makes a run, and returns the losses of its first and last step and its scores.
fn distilled(recipe: &Recipe, out: &Path) -> (f64, f64, Scores) {
    let mut run = begin(recipe, out, Start::Anew).unwrap();
    let mut losses = Vec::new();
    while let Some(event) = run.advance().unwrap() {
        if let Event::Step { loss, .. } = event {
            losses.push(loss);
        }
    }
    (losses[0], *losses.last().unwrap(), run.last_scores().unwrap())
}

fn info(folder: &Path) -> Info {
    Backbone::open(folder).unwrap().info().clone()
}

#[test]
fn a_student_of_fewer_layers_finds_what_the_teacher_finds() {
    for (thresholds, is_quantised) in [("dynamic", true), ("learned", false), ("tuned", false)] {
        let folder = tempfile::tempdir().unwrap();
        write_texts(folder.path());
        let mut of_teacher = teacher(folder.path(), thresholds);
        if is_quantised {
            let int8 = folder.path().join("int8");
            Checkpoint::open(&of_teacher).unwrap().quantize(&int8).unwrap();
            of_teacher = int8;
        }
        let from = format!("encoder.from={}", of_teacher.display());
        let data = ["data.text=plain.jsonl", "data.dev=plain.jsonl"]
            .map(|key| key.replace('=', &format!("={}/", folder.path().display())));
        let recipe = recipe(folder.path(), &[from.as_str(), &data[0], &data[1]]).unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let (first, last, scores) = distilled(&recipe, &whole);
        assert!(last < 0.1 * first, "{thresholds}: loss {first} to {last}");
        assert!(scores.get("agreement") > 0.99 && scores.names >= TEXTS.len(), "{thresholds}: {scores:?}");
        assert_eq!((info(&of_teacher).layers, info(&whole).layers), (2, 1));
        let found = |folder: &Path| {
            let texts = TEXTS.map(|(text, _)| text);
            let found = SpanScorer::open(folder).unwrap().find(&texts, &SpanOptions::default()).unwrap();
            found.iter().flatten().map(|span| (span.span, span.type_number)).collect::<Vec<_>>()
        };
        assert_eq!(found(&of_teacher), found(&whole), "{thresholds}");

        let mut run = begin(&recipe, &parts, Start::Anew).unwrap();
        (0..9).for_each(|_| drop(run.advance().unwrap()));
        run.save().unwrap();
        drop(run);
        begin(&recipe, &parts, Start::Resumed).unwrap().finish().unwrap();
        for file in ["model.safetensors", "truename.json", "config.json"] {
            let [one, other] = [&whole, &parts].map(|folder| std::fs::read(folder.join(file)).unwrap());
            assert!(one == other, "{thresholds} {file}");
        }
    }
}

#[test]
fn a_student_may_be_narrower_and_have_fewer_word_pieces() {
    let folder = tempfile::tempdir().unwrap();
    write_texts(folder.path());
    let of_teacher = teacher(folder.path(), "dynamic");
    // Other texts of fewer words.
    let some =
        TEXTS[..2].iter().map(|(text, _)| serde_json::json!({"text": text}).to_string() + "\n").collect::<String>();
    std::fs::write(folder.path().join("some.jsonl"), some).unwrap();
    let path = |key: &str, value: &str| format!("{key}={}", folder.path().join(value).display());
    let data = [path("encoder.from", "teacher"), path("data.text", "some.jsonl"), path("data.dev", "plain.jsonl")];
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    let set = |more: &[&'static str]| recipe(folder.path(), &[&data[..], more].concat()).unwrap();

    let out = folder.path().join("pieces");
    let (first, last, _) = distilled(&set(&["student.vocabulary=texts"]), &out);
    assert!(last < 0.2 * first, "loss {first} to {last}");
    assert!(info(&out).vocabulary < info(&of_teacher).vocabulary, "{:?}", info(&out));

    let out = folder.path().join("narrow");
    let (first, last, scores) =
        distilled(&set(&["student.hidden=8", "student.layers=2", "data.dev=", "data.dev_share=0.5"]), &out);
    assert!(last < 0.7 * first, "loss {first} to {last}");
    assert!(scores.values.contains_key("agreement"), "{scores:?}");
    assert_eq!((info(&out).hidden, info(&out).layers), (8, 2));
    let scorer = SpanScorer::open(&out).unwrap();
    assert!(!scorer.backbone().tensors().has("distillation.map.weight"));
}

#[test]
fn an_encoder_keeps_the_similarities_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["heart attack", "myocardial infarction", "fever", "gout", "flu", "lithium", "aspirin", "cafe", "guests"];
    let names = names.iter().flat_map(|name| [name.to_string(), format!("no {name}"), format!("the {name}")]);
    let rows: String = names.enumerate().map(|(number, name)| format!("X:{number},{name}\n")).collect();
    std::fs::write(folder.path().join("kb.csv"), format!("id,name\n{rows}")).unwrap();
    let kb = format!("data.kb={}", folder.path().join("kb.csv").display());
    let from = format!("encoder.from={BERT}");
    for hidden in ["student.hidden=16", "student.hidden=8"] {
        let out = folder.path().join(hidden);
        let set = [kb.as_str(), &from, hidden, "data.dev_share=0.3", "sampler.names=8"];
        let (first, last, scores) = distilled(&recipe(folder.path(), &set).unwrap(), &out);
        assert!(last < 0.1 * first && scores.names == 9, "{hidden}: loss {first} to {last}, {scores:?}");
        // The cosines of names that it learnt are those of the teacher.
        let cosine = |folder: &Path| {
            let vectors = Encoder::open(folder).unwrap().encode(&["heart attack", "fever"]).unwrap();
            vectors.row(0).iter().zip(vectors.row(1)).map(|(left, right)| left * right).sum::<f32>()
        };
        let (of_teacher, of_student) = (cosine(Path::new(BERT)), cosine(&out));
        assert!((of_teacher - of_student).abs() < 0.1, "{hidden}: {of_teacher} {of_student}");
    }
}

#[test]
fn texts_without_a_recognizer_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_texts(folder.path());
    let text = format!("data.text={}", folder.path().join("plain.jsonl").display());
    let refused = |set: &[&str]| {
        let recipe = recipe(folder.path(), set).unwrap();
        begin(&recipe, &folder.path().join("out"), Start::Anew).err().unwrap().to_string()
    };
    let from = format!("encoder.from={BERT}");
    assert!(refused(&[text.as_str(), &from]).contains("encoder.from is no recognizer by spans"));
    assert!(refused(&[from.as_str()]).contains("data.text"));
    let kb = format!("data.kb={}", folder.path().join("kb.csv").display());
    std::fs::write(folder.path().join("kb.csv"), "id,name\nX:1,flu\nX:2,gout\n").unwrap();
    assert!(refused(&[kb.as_str(), &from, "student.layers=3"]).contains("a student of 3 layers"));
}
