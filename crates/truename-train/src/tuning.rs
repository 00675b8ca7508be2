//! The search for a better recipe (CoSiNES, section 5.1 and Table 5): settings of some keys, each tried on every fold.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use truename_error::{HintPart, hint};

use crate::names::NameKeys;
use crate::training::write;
use crate::{Dataset, Error, Recipe, Run, Scores, Start, begin_on, error};

/// A key of a recipe with the values that it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    key: String,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Listed(Vec<String>),
    Between(f64, f64),
}

impl FromStr for Axis {
    type Err = String;

    /// Reads `KEY=VALUE,VALUE` or, for a number that is drawn, `KEY=LOW..HIGH`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, values) = text.split_once('=').ok_or("it has the form KEY=VALUE,VALUE or KEY=LOW..HIGH")?;
        let values = match values.split_once("..") {
            Some((low, high)) => {
                let number = |text: &str| text.trim().parse().map_err(|_| format!("{text} is no number"));
                let (low, high): (f64, f64) = (number(low)?, number(high)?);
                if !(0.0 < low && low < high && high.is_finite()) {
                    return Err("a range goes from a number above 0 to a larger one".into());
                }
                Values::Between(low, high)
            }
            None => Values::Listed(values.split(',').map(|value| value.trim().to_owned()).collect()),
        };
        Ok(Self { key: key.trim().to_owned(), values })
    }
}

/// Changes to a recipe, each as [`Change::parse`](crate::Change::parse) reads it.
pub type Setting = Vec<String>;

/// Returns every combination of the values listed.
///
/// # Errors
/// Where a key has a range, which only [`draw`] can use.
pub fn grid(axes: &[Axis]) -> Result<Vec<Setting>, Error> {
    let mut settings = vec![Setting::new()];
    for Axis { key, values } in axes {
        let Values::Listed(values) = values else {
            let message = format!("{key} has a range; a grid needs values");
            return Err(error::key(message, hint![HintPart::setting("random"), " draws from a range"]));
        };
        let with = |setting: &Setting, value: &String| {
            setting.iter().cloned().chain([format!("{key}={value}")]).collect::<Setting>()
        };
        settings = settings.iter().flat_map(|setting| values.iter().map(move |value| with(setting, value))).collect();
    }
    Ok(settings)
}

/// Draws at most `count` settings at random, none twice; the logarithm of a number is uniform over its range.
pub fn draw(axes: &[Axis], count: usize, seed: u64) -> Vec<Setting> {
    /// Draws for each setting; a setting that was drawn before does not count.
    const DRAWS: usize = 20;
    let mut random = Rng::with_seed(seed);
    let mut value = |values: &Values| match values {
        Values::Listed(values) => random.choice(values).cloned().unwrap_or_default(),
        Values::Between(low, high) => format!("{:.3e}", (low.ln() + random.f64() * (high / low).ln()).exp()),
    };
    let mut known = HashSet::new();
    let mut settings = Vec::new();
    for _ in 0..DRAWS * count {
        if settings.len() == count {
            break;
        }
        let setting: Setting = axes.iter().map(|axis| format!("{}={}", axis.key, value(&axis.values))).collect();
        if known.insert(setting.clone()) {
            settings.push(setting);
        }
    }
    settings
}

/// The outcome of one setting on one fold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trial {
    /// Hash of the recipe and the data.
    pub id: String,
    /// The changes to the recipe.
    pub setting: Setting,
    /// The fold that was asked for.
    pub fold: usize,
    /// The scores of the last evaluation.
    pub scores: Scores,
    /// Seconds of training.
    pub seconds: f64,
}

/// The folder of a search: a line a finished trial in `trials.jsonl`, the curves of each in `metrics`.
#[derive(Debug)]
pub struct Tuning {
    folder: PathBuf,
    trials: Vec<Trial>,
}

impl Tuning {
    /// Opens a folder, which may have trials already.
    ///
    /// # Errors
    /// Where it cannot be created or read.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let curves = folder.join("metrics");
        std::fs::create_dir_all(&curves).map_err(|source| Error::io("create", &curves, source))?;
        let path = folder.join("trials.jsonl");
        let text = if path.exists() {
            std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?
        } else {
            String::new()
        };
        // A process that was killed leaves part of a line: that trial is made again.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        if whole.len() < text.len() {
            write(&path, whole.as_bytes())?;
        }
        let trials = whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { folder: folder.to_owned(), trials })
    }

    /// Returns the trial of a recipe on data, where it was finished.
    ///
    /// # Errors
    /// Where the recipe cannot be written.
    pub fn find(&self, recipe: &Recipe, dataset: &Dataset) -> Result<Option<&Trial>, Error> {
        let id = self.id(recipe, dataset)?;
        Ok(self.trials.iter().find(|trial| trial.id == id))
    }

    /// Starts the run of a trial, from its checkpoint where it has one.
    ///
    /// # Errors
    /// Where the run cannot begin or go on.
    pub fn begin(&self, recipe: &Recipe, dataset: &Dataset) -> Result<Box<dyn Run>, Error> {
        let out = self.run(&self.id(recipe, dataset)?);
        begin_on(recipe, dataset.clone(), &out, Start::Resumed)
    }

    /// Records the scores of a finished run. Its curves are kept, its weights are not.
    ///
    /// # Errors
    /// Where nothing was asked for, or a file cannot be written.
    pub fn record(
        &mut self,
        recipe: &Recipe,
        dataset: &Dataset,
        run: &dyn Run,
        setting: Setting,
        fold: usize,
    ) -> Result<&Trial, Error> {
        let scores = run.last_scores().ok_or_else(error::nothing_asked)?;
        let seconds = run.seconds();
        let id = self.id(recipe, dataset)?;
        let run = self.run(&id);
        let (from, to) = (run.join("metrics.jsonl"), self.folder.join("metrics").join(format!("{id}.jsonl")));
        truename_files::copy(&from, &to).map_err(|source| Error::io("copy", &from, source))?;
        let trial = Trial { id, setting, fold, scores, seconds };
        let path = self.folder.join("trials.jsonl");
        let json = serde_json::to_string(&trial).map_err(|source| error::state(&path, source))?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| writeln!(file, "{json}"));
        written.map_err(|source| Error::io("write", &path, source))?;
        // Last: whenever the process ends before, the same command makes the record from the run.
        std::fs::remove_dir_all(&run).map_err(|source| Error::io("remove", &run, source))?;
        self.trials.push(trial);
        Ok(&self.trials[self.trials.len() - 1])
    }

    fn run(&self, id: &str) -> PathBuf {
        self.folder.join("runs").join(id)
    }

    fn id(&self, recipe: &Recipe, dataset: &Dataset) -> Result<String, Error> {
        let text = toml::to_string(&recipe.without_paths()?).map_err(error::unwritable)?;
        let NameKeys { encoder, .. } = recipe.keys()?;
        let encoder = encoder.from.display();
        Ok(format!("{:016x}", xxh3_64(format!("{text}{encoder}{}", dataset.hash()).as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(texts: &[&str]) -> Vec<Axis> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_grid_has_every_combination() {
        let settings = grid(&axes(&["schedule.epochs=2,4", "sampler.groups=8,16,32"])).unwrap();
        assert_eq!(settings.len(), 6);
        assert_eq!(settings[1], ["schedule.epochs=2", "sampler.groups=16"]);
        assert!(grid(&axes(&["schedule.learning_rate=1e-5..1e-3"])).is_err());
    }

    #[test]
    fn drawn_settings_lie_in_their_range_and_none_comes_twice() {
        let axes = axes(&["schedule.learning_rate=1e-6..1e-3", "sampler.groups=8,16"]);
        let settings = draw(&axes, 40, 1);
        assert_eq!(settings.len(), 40);
        assert_eq!(settings, draw(&axes, 40, 1));
        let rates: Vec<f64> = settings.iter().map(|s| s[0].split_once('=').unwrap().1.parse().unwrap()).collect();
        assert!(rates.iter().all(|rate| (9e-7..=1.1e-3).contains(rate)), "{rates:?}");
        // Half of them below the middle of the logarithms.
        let low = rates.iter().filter(|rate| **rate < 3.2e-5).count();
        assert!((10..30).contains(&low), "{low}");
        assert_eq!(draw(&axes[1..], 40, 1).len(), 2);
    }

    #[test]
    fn what_is_no_axis_is_refused() {
        for text in ["schedule.epochs", "a=2..1", "a=0..1", "a=x..1"] {
            assert!(text.parse::<Axis>().is_err(), "{text}");
        }
    }
}
