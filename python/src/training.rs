//! Training by a recipe.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::prelude::*;
use serde::Serialize;
use truename::Progress;
use truename_error::{Error, ErrorKind};
use truename_train::{Change, Event, Member, Recipe, Run, Scores, Start};

use crate::call::Call;
use crate::json;
use crate::process::locked;
use crate::watch::Look;

/// Time that an interrupted run has to finish its step and to write a checkpoint.
const PATIENCE: Duration = Duration::from_millis(2500);

/// An event of a run, handed to `on_step`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Told {
    Begin { run: String, steps: u64, description: Vec<String> },
    Step { step: u64, steps: u64, loss: f64, learning_rate: f64, texts: usize },
    Evaluation { epoch: usize, step: Option<u64>, scores: Option<Scores>, is_best: bool },
    OutOfTime,
    End { steps: u64, seconds: f64 },
}

/// Events that are told to a function of Python as they come.
struct Events {
    tell: Option<Py<PyAny>>,
    waiting: Arc<Mutex<Vec<Told>>>,
}

impl Look for Events {
    fn look(&mut self, py: Python<'_>, _: &Progress, _: bool) -> PyResult<()> {
        let told = std::mem::take(&mut *locked(&self.waiting));
        let Some(tell) = &self.tell else { return Ok(()) };
        for event in told {
            tell.call1(py, (json::object(py, &event)?,))?;
        }
        Ok(())
    }
}

/// Makes the runs of a recipe, by default that of distillation, in the folder `out`. Returns their folders.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
#[pyo3(name = "_train", signature = (recipe, out, paths, set, *, resume=false, threads=0, on_event=None))]
pub fn train(
    py: Python<'_>,
    recipe: Option<PathBuf>,
    out: PathBuf,
    paths: Vec<(String, String, Vec<PathBuf>)>,
    set: Vec<String>,
    resume: bool,
    threads: usize,
    on_event: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<PathBuf>> {
    let waiting = Arc::default();
    let events = Events { tell: on_event.map(Bound::unbind), waiting: Arc::clone(&waiting) };
    let call = Call { watch: Box::new(events), patience: PATIENCE, ..Call::on(threads) };
    let progress = Arc::clone(&call.progress);
    call.run(py, move || {
        let mut changes: Vec<Change> =
            set.iter().map(|change| Change::parse("set", change)).collect::<Result<_, _>>()?;
        changes.extend(paths.iter().map(|(argument, key, paths)| match &paths[..] {
            [path] if key == "encoder.from" => Change::path(argument, key, path),
            paths => Change::paths(argument, key, paths),
        }));
        let recipe = recipe.map_or_else(|| Recipe::distil(&changes), |file| Recipe::read(&file, &changes))?;
        let start = if resume { Start::Resumed } else { Start::Anew };
        truename_train::train(&recipe, &out, start, |member, run| make(member, run, &progress, &waiting))
    })
}

/// Makes one of the runs of a recipe; a run that is stopped saves a checkpoint and is an error.
fn make(member: Member, run: &mut dyn Run, progress: &Arc<Progress>, waiting: &Mutex<Vec<Told>>) -> Result<(), Error> {
    let tell = |told| locked(waiting).push(told);
    let name = match member {
        Member::Whole => String::new(),
        Member::WithoutFold { fold, folds } => format!("without part {} of {folds}", fold + 1),
        Member::OfChain { number, runs } => format!("run {} of {runs}", number + 1),
    };
    tell(Told::Begin { run: name, steps: run.steps(), description: run.describe()? });
    run.stop_by(Arc::clone(progress));
    while !progress.is_stopped() {
        let event = match run.advance() {
            Err(error) if error.is_interrupted() => break,
            event => event?,
        };
        match event {
            Some(Event::Step { step, loss, learning_rate, texts }) => {
                tell(Told::Step { step, steps: run.steps(), loss, learning_rate, texts });
            }
            Some(Event::Evaluation { epoch, step, scores, is_best }) => {
                tell(Told::Evaluation { epoch, step, scores, is_best });
            }
            Some(Event::OutOfTime) => tell(Told::OutOfTime),
            Some(_) => {}
            None => break,
        }
    }
    if progress.is_stopped() && !run.is_over() {
        run.save()?;
        let message = format!("interrupted after step {} of {}; a checkpoint is kept", run.step(), run.steps());
        return Err(Error::new(ErrorKind::Interrupted, message));
    }
    tell(Told::End { steps: run.step(), seconds: run.seconds() });
    Ok(())
}
