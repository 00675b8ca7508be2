//! `truename distil`.

use truename_train::{Change, Recipe};

use super::train::{changed_keys, train};
use crate::arguments::{Distil, RecipeChanges};

pub fn run(arguments: &Distil, quiet: bool) -> anyhow::Result<()> {
    let Distil { teacher, texts, out, size, kb, names, dev, device, set, resume } = arguments;
    let paths = [("TEXT", "data.text", texts), ("--dev", "data.dev", dev)];
    let paths = paths.into_iter().filter(|(.., paths)| !paths.is_empty());
    let mut changes = vec![Change::path("TEACHER", "encoder.from", teacher)];
    changes.extend(paths.map(|(flag, key, paths)| Change::paths(flag, key, paths)));
    let sizes = [("--layers", "student.layers", size.layers), ("--hidden", "student.hidden", size.hidden)];
    for (flag, key, value) in sizes {
        changes.extend(value.map(|value| Change::parse(flag, &format!("{key}={value}"))).transpose()?);
    }
    changes.extend(size.vocabulary.iter().map(|which| Change::text("--vocabulary", "student.vocabulary", which)));
    let (kb, names, device, set) = (kb.clone(), names.clone(), device.clone(), set.clone());
    changes.extend(changed_keys(&RecipeChanges { kb, names, device, set, ..RecipeChanges::default() })?);
    train(&Recipe::distil(&changes)?, out, *resume, quiet)
}
