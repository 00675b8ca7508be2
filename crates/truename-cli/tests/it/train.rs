//! `truename train` and `truename recipe`, with a small encoder of random weights.

use std::process::Stdio;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::folder::Folder;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));
const RECIPE: &str = "\
[task]
kind = \"groups\"
[sampler]
group = 2
groups = 2
[schedule]
epochs = 3
learning_rate = 1e-2
";

fn begin(folder: &Folder) {
    folder.write("recipe.toml", RECIPE);
    folder.write("labelled.csv", "name,id\nheart atack,X:1\ncardiac failure,X:2\n");
}

fn arguments<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let first =
        ["train", "recipe.toml", "--out", out, "--kb", "kb", "--names", "labelled.csv", "--encoder", MODEL.as_str()];
    first.into_iter().chain(more.iter().copied()).collect()
}

/// Checks that the files of a folder, and of the folders in it, have the permissions of a new file.
#[cfg(unix)]
fn has_new_permissions(folder: &Folder, within: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    folder.write("new", "");
    for path in std::fs::read_dir(within).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => has_new_permissions(folder, &path),
            false => assert_eq!(mode(&path), mode(&folder.path("new")), "{}", path.display()),
        }
    }
}

#[test]
fn an_encoder_that_learnt_serves_every_command() {
    let folder = Folder::with_kb();
    begin(&folder);
    let trained = folder.run(&arguments("encoder", &["--set", "schedule.epochs=2"]));
    assert_eq!((trained.code, trained.out.as_str()), (0, "encoder\n"), "{}", trained.err);
    assert!(trained.err.starts_with("7 names of 3 concepts to learn, 0 names to ask for\nabout "), "{}", trained.err);
    for expected in [" tokens an epoch; ", " steps in all\nan estimated ", " of memory for a step of "] {
        assert!(trained.err.contains(expected), "{expected}: {}", trained.err);
    }
    #[cfg(unix)]
    has_new_permissions(&folder, &folder.path("encoder"));
    let embedded = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "encoder"]);
    assert_eq!(embedded.code, 0, "{}", embedded.err);
    folder.write("names.txt", "heart attak\n");
    let matched = folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--encoder", "encoder"]);
    assert!(matched.code == 0 && matched.out.contains("X:1"), "{matched:?}");
    let refused = folder.run(&arguments("encoder", &[]));
    assert!(refused.code == 1 && refused.err.contains("holds a run already\nhint: --resume"), "{}", refused.err);
}

#[test]
fn an_encoder_of_characters_serves_every_command() {
    let folder = Folder::with_kb();
    folder.write("pairs.toml", "[task]\nkind = \"pairs\"\n[encoder]\ncharacters = \"lstm\"\nhidden = 16\n");
    let trained = folder.run(&["train", "pairs.toml", "--out", "encoder", "--kb", "kb", "--set", "schedule.epochs=2"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let info = folder.run(&["model", "info", "encoder"]);
    assert!(info.out.contains("bidirectional LSTM over characters\nlayers        2\n"), "{}", info.out);
    let embedded = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "encoder"]);
    assert_eq!(embedded.code, 0, "{}", embedded.err);
    folder.write("names.txt", "heart attak\n");
    let matched = folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--encoder", "encoder"]);
    assert!(matched.code == 0 && matched.out.contains("X:1"), "{matched:?}");
    let refused = folder.run(&["train", "pairs.toml", "--out", "other", "--kb", "kb", "--set", "encoder.hidden=15"]);
    assert!(refused.code == 2 && refused.err.contains("encoder.hidden is 15"), "{}", refused.err);
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_weights() {
    let folder = Folder::with_kb();
    begin(&folder);
    let long = ["-q", "--set", "schedule.epochs=400", "--set", "evaluation.every=400"];
    assert_eq!(folder.run(&arguments("whole", &long)).code, 0);
    let mut child =
        folder.command(&arguments("broken", &long)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The recipe is written when the first step is near.
    let start = Instant::now();
    while !folder.path("broken/recipe.toml").exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let ended = child.wait().unwrap();
    if !ended.success() {
        assert_eq!(ended.code(), Some(1));
        assert!(!folder.path("broken/model.safetensors").exists(), "no result before the end");
        let resumed = folder.run(&arguments("broken", &[&long[..], &["--resume"]].concat()));
        assert_eq!((resumed.code, resumed.out.as_str()), (0, "broken\n"), "{}", resumed.err);
    }
    assert!(folder.read("whole/model.safetensors") == folder.read("broken/model.safetensors"));
}

#[test]
fn a_killed_run_goes_on_to_the_same_weights() {
    let folder = Folder::with_kb();
    begin(&folder);
    let long = ["-q", "--set", "schedule.epochs=12", "--set", "ranker.folds=2", "--resume"];
    let start = Instant::now();
    assert_eq!(folder.run(&arguments("whole", &long)).code, 0);
    let whole = start.elapsed();
    for share in [0.3, 0.6, 0.9] {
        let mut child =
            folder.command(&arguments("broken", &long)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(share));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let resumed = folder.run(&arguments("broken", &long));
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    for name in ["model.safetensors", "folds/0/model.safetensors", "folds/1/model.safetensors"] {
        assert!(folder.read(&format!("whole/{name}")) == folder.read(&format!("broken/{name}")), "{name}");
    }
    // A knowledge base takes the encoders of the folds along, for `calibrate`.
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "whole"]).code, 0);
    let model = std::fs::read_dir(folder.path("kb/models")).unwrap().next().unwrap().unwrap().path();
    let encoder = truename::Encoder::open(&model).unwrap();
    assert_eq!(truename::LearntNames::fold_encoders(&encoder).unwrap().len(), 2);
}

#[test]
fn encoders_that_are_not_whole_judge_no_names() {
    let folder = Folder::with_kb();
    begin(&folder);
    let train = arguments("encoder", &["-q", "--set", "ranker.folds=2", "--resume"]);
    assert_eq!(folder.run(&train).code, 0);
    let embed = ["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"];
    let calibrate = || folder.run(&["calibrate", "--kb", "kb", "--encoder", "encoder"]);
    assert_eq!(folder.run(&embed).code, 0);
    let weights = folder.path("encoder/folds/1/model.safetensors");
    let kept = std::fs::read(&weights).unwrap();
    let mut changed = kept.clone();
    *changed.last_mut().unwrap() ^= 1;
    for (damage, reason) in [(None, "encoder/folds/1 is missing"), (Some(&changed), "encoder/folds/1 was changed")] {
        match damage {
            None => std::fs::remove_file(&weights).unwrap(),
            Some(changed) => std::fs::write(&weights, changed).unwrap(),
        }
        let refused = calibrate();
        assert_eq!(refused.code, 1, "{}", refused.err);
        assert!(refused.err.contains("the encoders of ranker.folds in encoder are not whole"), "{}", refused.err);
        assert!(
            refused.err.contains(reason) && refused.err.contains("delete encoder/folds/1, then"),
            "{}",
            refused.err
        );
        // The way out that is told.
        std::fs::remove_dir_all(folder.path("encoder/folds/1")).unwrap();
        assert_eq!(folder.run(&train).code, 0);
        assert!(std::fs::read(&weights).unwrap() == kept);
        assert!(calibrate().err.contains("a ranker needs at least 50 names"), "{}", calibrate().err);
    }
    // A damaged copy in the knowledge base is copied again.
    let models = std::fs::read_dir(folder.path("kb/models")).unwrap();
    let copy = models.map(|entry| entry.unwrap().path()).next().unwrap();
    std::fs::remove_file(copy.join("folds/0/model.safetensors")).unwrap();
    let own = || folder.run(&["calibrate", "--kb", "kb"]);
    assert!(own().err.contains("folds/0 is missing"), "{}", own().err);
    assert!(calibrate().err.contains("a ranker needs at least 50 names"), "{}", calibrate().err);
    assert!(own().err.contains("a ranker needs at least 50 names"), "{}", own().err);
    // A training that goes on is not finished before its last encoder.
    let record = folder.path("encoder/learnt-names.json");
    let finished = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, r#"{"folds":2,"encoder":null,"encoders":[],"labelled":[]}"#).unwrap();
    let refused = calibrate();
    assert!(refused.code == 1 && refused.err.contains("not all 2 are trained"), "{}", refused.err);
    std::fs::remove_file(&record).unwrap();
    assert!(calibrate().err.contains("their number is not recorded"));
    assert_eq!(folder.run(&train).code, 0);
    assert_eq!(std::fs::read_to_string(&record).unwrap(), finished);
}

#[test]
fn judgements_that_the_encoder_learnt_are_refused() {
    let folder = Folder::with_kb();
    begin(&folder);
    assert_eq!(folder.run(&arguments("encoder", &["-q"])).code, 0);
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"]).code, 0);
    let refused = folder.run(&["calibrate", "--kb", "kb", "--gold", "labelled.csv"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("learnt 2 of 2 judgements"), "{}", refused.err);
    let warned = folder.run(&["calibrate", "--kb", "kb"]);
    assert!(warned.err.contains("warning: the encoder was trained on names"), "{}", warned.err);
}

#[test]
fn what_is_wrong_with_a_recipe_is_said() {
    let folder = Folder::with_kb();
    begin(&folder);
    folder.write("bad.toml", "[task]\nkind = \"groups\"\n[schedule]\nepochs = 2\nlearning_rat = 1\n");
    let refused = folder.run(&["train", "bad.toml", "--out", "encoder", "--kb", "kb", "--encoder", MODEL.as_str()]);
    assert_eq!(refused.code, 2);
    assert_eq!(
        refused.err,
        "error: bad.toml, line 5: groups has no key schedule.learning_rat\n\
         hint: `truename recipe explain groups` prints every key with its default\n"
    );
    folder.write("bad.toml", "[task]\nkind = \"groups\"\n[schedule]\nepochs = \"two\"\n");
    let refused = folder.run(&["train", "bad.toml", "--out", "encoder", "--kb", "kb", "--encoder", MODEL.as_str()]);
    assert!(
        refused.err.contains("error: bad.toml is not a recipe") && refused.err.contains("line 4"),
        "{}",
        refused.err
    );
    folder.write("old.toml", "[objective]\nloss = \"contrastive\"\n");
    let refused = folder.run(&["train", "old.toml", "--out", "encoder", "--kb", "kb"]);
    let expected = "error: old.toml names no kind of task\nhint: add the lines `[task]` and `kind = \"pairs\"`; ";
    assert!(refused.code == 2 && refused.err.starts_with(expected), "{}", refused.err);
    let cases: [(&[&str], &str); 8] = [
        (
            &["--set", "schedule.most_steps=4"],
            "schedule.most_steps is now schedule.max_steps\nhint: write schedule.max_steps",
        ),
        (&["--set", "pairs.batch=4"], "--set pairs.batch=4: pairs.batch is a key of pairs, not of groups"),
        (
            &["--set", "encoder.characters=lstm"],
            "error: --encoder: encoder.from counts only where encoder.characters is \"\"",
        ),
        (&["--set", "ranker.folds=1000000000000"], "ranker.folds is 1000000000000; it must be from 0 to 20"),
        (&["--set", "sampler.group=1"], "sampler.group is 1; it must be from 2 to 10000"),
        (&["--device", "abacus"], "there is no device \"abacus\"\nhint: use cpu"),
        (&["--set", "evaluation.patience=3"], "needs names to ask for"),
        (&["--kb", "nowhere.tsv"], "nowhere.tsv"),
    ];
    for (more, expected) in cases {
        let refused = folder.run(&arguments("encoder", more));
        assert!(refused.code != 0 && refused.err.contains(expected), "{expected}: {}", refused.err);
    }
    folder.write("odd.csv", "a,b\n1,2\n");
    let refused =
        folder.run(&["train", "recipe.toml", "--out", "encoder", "--kb", "odd.csv", "--encoder", MODEL.as_str()]);
    assert!(refused.err.contains("hint: import the file first, `truename kb import FILE"), "{}", refused.err);
    let cuda = folder.run(&arguments("encoder", &["--device", "cuda"]));
    if !cfg!(feature = "cuda") {
        let expected =
            "error: this build has no CUDA support\nhint: use `device = \"cpu\"`, or rebuild with `--features cuda`\n";
        assert_eq!((cuda.code, cuda.err.as_str()), (2, expected));
    }
    let section = folder.run(&arguments("encoder", &["--set", "schedule=3"]));
    let expected = "error: `schedule` is a section, not a key\nhint: set a key in it, e.g. `--set schedule.epochs=3`\n";
    assert_eq!((section.code, section.err.as_str()), (2, expected));
    folder.write("labelled.csv", "name,id\ngout,X:9\n");
    let refused = folder.run(&arguments("encoder", &[]));
    assert!(refused.err.contains("labelled.csv: \"gout\" has the id X:9, which the"), "{}", refused.err);
    let refused = folder.run(&["train", "recipe.toml", "--out", "encoder", "--encoder", MODEL.as_str()]);
    assert!(
        refused.code == 2 && refused.err.contains("hint: set data.kb in the recipe, or give --kb"),
        "{}",
        refused.err
    );
    let refused = folder.run(&["train", "recipe.toml", "--out", "encoder", "--kb", "kb"]);
    assert!(refused.code == 2 && refused.err.contains("hint: set encoder.from in the recipe"), "{}", refused.err);
    assert!(!folder.path("encoder").exists());
}

#[test]
fn explained_recipes_can_be_run() {
    let folder = Folder::with_kb();
    begin(&folder);
    let kinds = folder.run(&["recipe", "explain"]);
    assert_eq!(kinds.code, 0);
    assert!(kinds.out.contains("`truename recipe explain KIND`"), "{}", kinds.out);
    for kind in ["groups", "pairs"] {
        assert!(kinds.out.contains(&format!("\n  {kind}  ")), "{}", kinds.out);
        let explained = folder.run(&["recipe", "explain", kind]);
        assert_eq!(explained.code, 0);
        folder.write("recipe.toml", explained.out);
        let trained = folder.run(&arguments(kind, &["--set", "schedule.epochs=1"]));
        assert_eq!(trained.code, 0, "{}", trained.err);
        let again = format!("{kind}/recipe.toml");
        let trained = folder.run(&["-q", "train", &again, "--out", &format!("{kind}-again")]);
        assert_eq!(trained.code, 0, "{}", trained.err);
    }
    let unknown = folder.run(&["recipe", "explain", "spells"]);
    assert!(unknown.code == 2 && unknown.err.contains("groups, in-context, joint, pairs"), "{}", unknown.err);
}

#[test]
fn the_time_of_a_run_is_estimated_and_bounded() {
    let folder = Folder::with_kb();
    begin(&folder);
    let long = folder.run(&arguments("long", &["--set", "schedule.epochs=12"]));
    assert!(long.err.contains("an estimated ") && long.err.contains(" s left, without evaluations\n"), "{}", long.err);
    let short = folder.run(&arguments("short", &["--set", "schedule.max_minutes=1e-9"]));
    let expected = "the time of schedule.max_minutes is over after step 1 of 6\n1 step (";
    assert!(short.code == 0 && short.err.contains(expected), "{}", short.err);
    let model = folder.run(&["model", "info", "short"]);
    assert_eq!(model.code, 0, "{}", model.err);
    let more = folder.run(&arguments("short", &["--resume"]));
    assert!(more.code == 0 && more.err.contains("\n6 steps ("), "{}", more.err);
}

#[test]
fn settings_are_tried_on_every_fold_and_not_twice() {
    let folder = Folder::with_kb();
    begin(&folder);
    let common =
        ["tune", "recipe.toml", "--out", "tuned", "--kb", "kb", "--names", "labelled.csv", "--encoder", MODEL.as_str()];
    let arguments =
        |more: &[&'static str]| -> Vec<&'static str> { common.into_iter().chain(more.iter().copied()).collect() };
    let grid = arguments(&["--folds", "2", "--try", "schedule.epochs=1,2"]);
    let tuned = folder.run(&grid);
    assert_eq!(tuned.code, 0, "{}", tuned.err);
    assert_eq!(tuned.out.lines().count(), 3, "{}", tuned.out);
    assert!(tuned.out.contains("schedule.epochs=1\n") && tuned.out.contains(" ± "), "{}", tuned.out);
    let trials = folder.read("tuned/trials.jsonl");
    let first = grid.iter().map(|argument| if *argument == "tuned" { "first" } else { *argument });
    let first: Vec<&str> = first.chain(["--first", "1"]).collect();
    assert_eq!(folder.run(&first).code, 0);
    assert_eq!(String::from_utf8(folder.read("first/trials.jsonl")).unwrap().lines().count(), 2);
    assert_eq!(trials.iter().filter(|byte| **byte == b'\n').count(), 4);
    // Half a line more is what a process leaves that ends while it writes.
    folder.write("tuned/trials.jsonl", [&trials[..], b"{\"id\": "].concat());
    let again = folder.run(&grid);
    assert_eq!((again.code, &again.out), (0, &tuned.out), "{}", again.err);
    let drawn =
        folder.run(&arguments(&["--folds", "2", "--random", "2", "--try", "schedule.learning_rate=1e-4..1e-2"]));
    assert_eq!(drawn.out.lines().count(), 3, "{}", drawn.err);
    let cases: [(&[&str], &str); 4] = [
        (&["--try", "schedule.epoch=1,2"], "schedule.epoch=1"),
        (&["--try", "schedule.learning_rate=1e-4..1e-2"], "--random draws from a range"),
        (&["--try", "schedule.epochs=1", "--folds", "1"], "2 to 20 folds"),
        (&["--try", "schedule.epochs"], "KEY=VALUE,VALUE"),
    ];
    for (more, expected) in cases {
        let refused = folder.run(&arguments(more));
        assert!(refused.code == 2 && refused.err.contains(expected), "{expected}: {}", refused.err);
    }
}

#[test]
fn names_that_are_left_out_are_asked_for() {
    let folder = Folder::with_kb();
    begin(&folder);
    let common = ["evaluate", "names", "--folds", "2", "--kb", "kb", "--json", "scores.json"];
    let plain = folder.run(&common);
    assert_eq!(plain.code, 0, "{}", plain.err);
    assert!(["2 folds", "TF-IDF  ", "linked  "].iter().all(|row| plain.out.contains(row)), "{}", plain.out);
    assert!(!plain.out.contains("encoder alone"), "{}", plain.out);
    let more = ["--recipe", "recipe.toml", "--encoder", MODEL.as_str(), "--set", "ranker.folds=2", "--runs", "runs"];
    let trained = folder.run(&[&common[..], &more].concat());
    assert_eq!(trained.code, 0, "{}", trained.err);
    assert!(trained.out.contains("encoder alone"), "{}", trained.out);
    assert!(folder.path("runs/fold-1-of-2/folds/1/model.safetensors").exists());
    let again = folder.run(&[&["-q"], &common[..], &more].concat());
    assert_eq!((again.out, again.code), (trained.out, 0), "{}", again.err);
    // Files serve as well as a knowledge base.
    let files =
        ["evaluate", "names", "--folds", "2", "--kb", "kb.tsv", "--recipe", "recipe.toml", "--encoder", MODEL.as_str()];
    let files = folder.run(&files);
    assert!(files.code == 0 && !files.out.contains("unknown concept"), "{files:?}");
    let refused = folder.run(&["evaluate", "names", "--recipe", "recipe.toml"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
}

#[test]
fn a_student_with_fewer_layers_is_an_encoder() {
    let folder = Folder::with_kb();
    begin(&folder);
    let distil = ["distil", MODEL.as_str(), "--kb", "kb", "--names", "labelled.csv", "--out", "student"];
    let unchanged = folder.run(&distil);
    assert_eq!(unchanged.code, 2, "a student is smaller in something: {}", unchanged.err);
    assert!(unchanged.err.contains("--layers"), "{}", unchanged.err);
    let student = folder.run(&[&distil[..], &["--layers", "1", "--set", "schedule.max_steps=2"]].concat());
    assert_eq!((student.code, student.out.as_str()), (0, "student\n"), "{}", student.err);
    let info = folder.run(&["model", "info", "student"]);
    assert!(info.out.contains("layers        1"), "{}", info.out);
    let embedded = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "student"]);
    assert_eq!(embedded.code, 0, "{}", embedded.err);
}
