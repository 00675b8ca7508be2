//! `truename distil`.

use truename::TrainedRecognizer;
use truename_train::{Change, Recipe};

use super::train::{changed_keys, train};
use crate::arguments::{Distil, RecipeChanges};

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
    let paths = [("TEXT", "data.text", texts), ("--dev", "data.dev", dev)];
    let paths = paths.into_iter().filter(|(.., paths)| !paths.is_empty());
    let mut changes = vec![Change::path("TEACHER", "encoder.from", &folder)];
    changes.extend(paths.map(|(flag, key, paths)| Change::paths(flag, key, paths)));
    let sizes = [("--layers", "student.layers", size.layers), ("--hidden", "student.hidden", size.hidden)];
    for (flag, key, value) in sizes {
        changes.extend(value.map(|value| Change::parse(flag, &format!("{key}={value}"))).transpose()?);
    }
    changes.extend(size.vocabulary.iter().map(|which| Change::text("--vocabulary", "student.vocabulary", which)));
    let (kb, names, device, set) = (kb.clone(), names.clone(), device.clone(), set.clone());
    changes.extend(changed_keys(&RecipeChanges { kb, names, device, set, ..RecipeChanges::default() })?);
    train(&Recipe::of_text("distil", RECIPE, &changes)?, out, *resume, quiet)
}
