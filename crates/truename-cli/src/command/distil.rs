//! `truename distil`.

use truename::TrainedRecognizer;
use truename_train::{Change, Recipe};

use super::train::train;
use crate::arguments::Distil;

/// The schedule of `recipes/distil-recognizer.toml`.
const RECIPE: &str = r#"
[task]
kind = "distil"
[schedule]
epochs = 4
learning_rate = 3e-4
[evaluation]
keep = "last"
"#;

pub fn run(arguments: &Distil, quiet: bool) -> anyhow::Result<()> {
    let Distil { teacher, texts, out, size, kb, names, dev, device, set, resume } = arguments;
    let folder = match teacher.to_str() {
        Some("bundled") => TrainedRecognizer::named(teacher)?.folder().to_owned(),
        _ => teacher.clone(),
    };
    let mut changes = vec![Change::path("TEACHER", "encoder.from", &folder)];
    let paths = [("TEXT", "data.text", texts), ("--kb", "data.kb", kb), ("--names", "data.names", names)];
    let paths = paths.into_iter().chain([("--dev", "data.dev", dev)]).filter(|(.., paths)| !paths.is_empty());
    changes.extend(paths.map(|(flag, key, paths)| Change::paths(flag, key, paths)));
    let sizes = [("--layers", "student.layers", size.layers), ("--hidden", "student.hidden", size.hidden)];
    for (flag, key, value) in sizes {
        changes.extend(value.map(|value| Change::parse(flag, &format!("{key}={value}"))).transpose()?);
    }
    changes.extend(
        size.vocabulary.map(|vocabulary| Change::text("--vocabulary", "student.vocabulary", vocabulary.name())),
    );
    changes.extend(device.iter().map(|device| Change::text("--device", "device", device)));
    for change in set {
        changes.push(Change::parse("--set", change)?);
    }
    train(&Recipe::of_text("distil", RECIPE, &changes)?, out, *resume, quiet)
}
