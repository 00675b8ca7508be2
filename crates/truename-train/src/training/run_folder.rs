//! The folder of a run, with the state from which it goes on.
//!
//! ```text
//! OUT/                 the result so far, a Hugging Face folder
//! OUT/recipe.toml      the recipe with every key that counts
//! OUT/run.json         data, machine, seconds
//! OUT/metrics.jsonl    a line a step and an evaluation
//! OUT/training.svg     loss and score
//! OUT/learnt-names.json  labelled names that an encoder learnt, hashes of the finished runs below
//! OUT/folds/0/ …       runs without a part of the names, where the recipe has `ranker.folds`
//! OUT/checkpoint/      the last weights, optimizer.safetensors, state.json
//! ```

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::Serialize;
use serde::de::DeserializeOwned;
use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::SETTINGS_FILES;
use truename_nn::{Learner, Objective, OptimizerState};

use super::Start;
use super::metrics::Metric;
use super::state::State;
use crate::{Error, Recipe, error};

#[derive(Clone, Debug)]
pub(crate) struct RunFolder(PathBuf);

impl RunFolder {
    /// Creates a folder for a new run. A run that ended before its first checkpoint gives way: it has written nothing of a model,
    /// so that a model without a checkpoint is somebody else's.
    pub fn begin(path: &Path) -> Result<Self, Error> {
        let folder = Self(path.to_owned());
        let has_checkpoint = Self::has_checkpoint(path);
        if has_checkpoint || has_model(path) {
            let (resume, out) = (HintPart::setting("resume"), HintPart::setting("out"));
            let (holds, advice) = match has_checkpoint {
                true => ("a run already", hint![resume, " goes on with it; another ", out, " begins anew"]),
                false => ("a model and no checkpoint of a run", hint!["name another folder with ", out]),
            };
            return Err(Error::new(ErrorKind::Choice, format!("{} holds {holds}", path.display())).with_hint(advice));
        }
        std::fs::create_dir_all(path).map_err(|source| Error::io("create", path, source))?;
        remove(&path.join("metrics.jsonl"))?;
        Ok(folder)
    }

    /// Opens the folder of a run that has a checkpoint.
    pub fn resume<P: DeserializeOwned>(path: &Path) -> Result<(Self, State<P>, OptimizerState), Error> {
        let folder = Self(path.to_owned());
        folder.repair()?;
        let state_path = folder.checkpoint().join("state.json");
        let bytes = std::fs::read(&state_path).map_err(|source| Error::io("read", &state_path, source))?;
        let state = serde_json::from_slice(&bytes).map_err(|source| error::state(&state_path, source))?;
        let optimizer = read_optimizer(&folder.checkpoint().join("optimizer.safetensors"))?;
        Ok((folder, state, optimizer))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns whether a process saved a checkpoint here, whenever it ended.
    pub fn has_checkpoint(path: &Path) -> bool {
        checkpoint_in(path).is_some()
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint")
    }

    /// Replaces the checkpoint; whenever the process ends, one of the two is there whole.
    pub fn save<O: Objective, P: Serialize>(&self, learner: &mut Learner<O>, state: &State<P>) -> Result<(), Error> {
        let new = self.0.join("checkpoint.new");
        remove(&new)?;
        learner.save(&new)?;
        write_optimizer(&new.join("optimizer.safetensors"), &learner.state())?;
        let json = serde_json::to_vec(state).map_err(|source| error::state(&new, source))?;
        write(&new.join("state.json"), &json)?;
        let old = self.0.join("checkpoint.old");
        remove(&old)?;
        if self.checkpoint().exists() {
            rename(&self.checkpoint(), &old)?;
        }
        rename(&new, &self.checkpoint())?;
        remove(&old)
    }

    /// Finishes what a process that ended in [`RunFolder::save`] left.
    fn repair(&self) -> Result<(), Error> {
        let old = self.0.join("checkpoint.old");
        if !self.checkpoint().exists() && old.exists() {
            rename(&old, &self.checkpoint())?;
        }
        remove(&old)?;
        remove(&self.0.join("checkpoint.new"))
    }

    pub fn write_recipe(&self, recipe: &Recipe) -> Result<(), Error> {
        let path = self.0.join("recipe.toml");
        let text = toml::to_string(&recipe.effective()?).map_err(error::unwritable)?;
        write(&path, text.as_bytes())
    }

    pub fn write_run(&self, run: &impl Serialize) -> Result<(), Error> {
        let path = self.0.join("run.json");
        let json = serde_json::to_string_pretty(run).map_err(|source| error::state(&path, source))?;
        write(&path, format!("{json}\n").as_bytes())
    }

    pub fn write_plot(&self, svg: &str) -> Result<(), Error> {
        write(&self.0.join("training.svg"), svg.as_bytes())
    }

    pub fn append(&self, metrics: &[Metric]) -> Result<(), Error> {
        let path = self.0.join("metrics.jsonl");
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|source| Error::io("open", &path, source))?;
        let mut lines = String::new();
        for metric in metrics {
            lines += &serde_json::to_string(metric).map_err(|source| error::state(&path, source))?;
            lines.push('\n');
        }
        file.write_all(lines.as_bytes()).map_err(|source| Error::io("write", &path, source))
    }

    /// Returns the metrics up to the checkpoint, and drops later ones from the file.
    pub fn metrics_up_to<P>(&self, state: &State<P>) -> Result<Vec<Metric>, Error> {
        let path = self.0.join("metrics.jsonl");
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(Vec::new()) };
        let metric = |line| serde_json::from_str(line).ok().filter(|metric: &Metric| metric.is_before(state));
        let (kept, metrics): (Vec<&str>, Vec<Metric>) =
            text.lines().filter_map(|line| Some((line, metric(line)?))).unzip();
        // The very lines, for a number that is read and written again may differ in its last digit.
        let kept: String = kept.into_iter().flat_map(|line| [line, "\n"]).collect();
        write(&path, kept.as_bytes())?;
        Ok(metrics)
    }
}

/// Returns the folder of the checkpoint that a run goes on from, where it goes on from one.
pub(crate) fn checkpoint_of(path: &Path, start: Start) -> Option<PathBuf> {
    checkpoint_in(path).filter(|_| start == Start::Resumed)
}

/// Returns the checkpoint in the folder of a run, whenever the process that saved it ended.
fn checkpoint_in(path: &Path) -> Option<PathBuf> {
    ["checkpoint", "checkpoint.old"].into_iter().map(|name| path.join(name)).find(|folder| folder.exists())
}

/// Returns whether a folder has a file that a model would replace.
fn has_model(path: &Path) -> bool {
    SETTINGS_FILES.into_iter().chain(["model.safetensors", "truename.json"]).any(|file| path.join(file).exists())
}

/// Writes a file beside its place and renames it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    truename_files::write(path, bytes).map_err(|source| Error::io("write", path, source))
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(|source| Error::io("rename", from, source))
}

fn remove(path: &Path) -> Result<(), Error> {
    let outcome = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match outcome {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path, source)),
        _ => Ok(()),
    }
}

/// Prefixes of the two moments of a parameter in the file.
const MEANS: [&str; 2] = ["mean", "mean_square"];

fn write_optimizer(path: &Path, state: &OptimizerState) -> Result<(), Error> {
    let failed = |source| error::state(path, source);
    let mut tensors = Vec::new();
    for (name, means) in &state.moments {
        for (mean, values) in MEANS.iter().zip(means) {
            let bytes: &[u8] = bytemuck::cast_slice(values);
            let view = TensorView::new(Dtype::F32, vec![values.len()], bytes).map_err(failed)?;
            tensors.push((format!("{mean}.{name}"), view));
        }
    }
    let metadata = HashMap::from([("steps".to_owned(), state.steps.to_string())]);
    let unwritten = |source| Error::io("write", path, source);
    let permissions = File::create(path).and_then(|new| new.metadata()).map_err(unwritten)?.permissions();
    safetensors::serialize_to_file(tensors, Some(metadata), path).map_err(|source| match source {
        SafeTensorError::IoError(source) => unwritten(source),
        source => failed(source),
    })?;
    // `serialize_to_file` puts a temporary file there, which is its owner's alone.
    std::fs::set_permissions(path, permissions).map_err(unwritten)
}

fn read_optimizer(path: &Path) -> Result<OptimizerState, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::io("read", path, source))?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|source| error::state(path, source))?;
    let steps = metadata.metadata().as_ref().and_then(|metadata| metadata.get("steps")?.parse().ok());
    let tensors = SafeTensors::deserialize(&bytes).map_err(|source| error::state(path, source))?;
    let mut moments: HashMap<String, [Vec<f32>; 2]> = HashMap::new();
    for (name, tensor) in tensors.tensors() {
        let (mean, name) = name.split_once('.').ok_or_else(|| error::state(path, format!("a tensor {name}")))?;
        let place = MEANS.iter().position(|known| *known == mean);
        let place = place.ok_or_else(|| error::state(path, format!("a tensor {mean}.{name}")))?;
        let values = tensor.data().as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
        moments.entry(name.to_owned()).or_default()[place] = values;
    }
    let steps = steps.ok_or_else(|| error::state(path, "the number of steps is missing"))?;
    Ok(OptimizerState { steps, moments })
}
