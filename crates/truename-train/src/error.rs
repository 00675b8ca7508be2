use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use truename_text::Problem;

const EXPLAIN: &str = "`truename recipe explain KIND` prints every key with its default";
const KINDS: &str = "`truename recipe explain` lists the kinds";

/// An error of a recipe, its data or a run.
#[derive(Debug)]
pub struct Error(Box<Report>);

#[derive(Debug, Default)]
struct Report {
    message: String,
    hint: Option<String>,
    is_recipe: bool,
    is_interrupted: bool,
    source: Option<Source>,
}

#[derive(Debug)]
enum Source {
    Cause(Box<dyn std::error::Error + Send + Sync>),
    /// An error of another crate, whose message is that of the report.
    Whole(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns whether a key of the recipe is missing, is unknown, has no effect or has a value that it cannot have.
    pub fn is_recipe(&self) -> bool {
        self.0.is_recipe
    }

    /// Returns whether the work was stopped on request.
    pub fn is_interrupted(&self) -> bool {
        self.0.is_interrupted
    }

    /// Returns advice on what to do, where there is some.
    pub fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }

    fn plain(message: impl Into<String>) -> Self {
        Self(Box::new(Report { message: message.into(), ..Report::default() }))
    }

    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), Some(hint.into()));
        Self(Box::new(Report { message, hint, ..Report::default() }))
    }

    /// Creates an error of a key of the recipe.
    fn key(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let mut error = Self::new(message, hint);
        error.0.is_recipe = true;
        error
    }

    fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(Source::Cause(source.into()));
        self
    }

    /// Passes an error of another crate on.
    fn whole(
        source: impl std::error::Error + Send + Sync + 'static,
        hint: Option<String>,
        is_interrupted: bool,
    ) -> Self {
        let message = source.to_string();
        let source = Some(Source::Whole(Box::new(source)));
        Self(Box::new(Report { message, hint, is_recipe: false, is_interrupted, source }))
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::plain(format!("cannot {action} {}", path.display())).caused_by(source)
    }

    pub(crate) fn recipe(path: &Path, source: toml::de::Error) -> Self {
        Self::key(format!("{} is not a recipe", path.display()), EXPLAIN).caused_by(source)
    }

    pub(crate) fn types(source: toml::de::Error) -> Self {
        Self::key("a key of the recipe has a value of another type", EXPLAIN).caused_by(source)
    }

    pub(crate) fn unwritable(source: toml::ser::Error) -> Self {
        Self::plain("the recipe cannot be written as TOML").caused_by(source)
    }

    pub(crate) fn no_task(path: &Path, kind: &'static str) -> Self {
        let hint = format!("add the lines `[task]` and `kind = \"{kind}\"`; {KINDS}");
        Self::key(format!("{} names no kind of task", path.display()), hint)
    }

    pub(crate) fn old_run(path: &Path) -> Self {
        let hint = "go on with the version that began the run, or begin a new one with another `--out`";
        Self::new(format!("{} was written by an earlier version: it names no kind of task", path.display()), hint)
    }

    pub(crate) fn no_names(kind: &str) -> Self {
        Self::key(format!("a task of the kind {kind} does not learn from names"), format!("{KINDS} of tasks"))
    }

    pub(crate) fn unknown_key(place: String, key: &str, kind: &'static str, others: &[&'static str]) -> Self {
        let message = match others {
            [] => format!("{place}: {kind} has no key {key}"),
            others => format!("{place}: {key} is a key of {}, not of {kind}", others.join(" and ")),
        };
        Self::key(message, format!("`truename recipe explain {kind}` prints every key with its default"))
    }

    pub(crate) fn renamed(place: String, key: &str, new: &'static str) -> Self {
        Self::key(format!("{place}: {key} is now {new}"), format!("write {new} in its place"))
    }

    /// `key` counts only where the key `on` has one of `values`; it has `value`.
    pub(crate) fn idle_key(
        place: String,
        key: &'static str,
        on: &'static str,
        values: &'static [&'static str],
        value: String,
    ) -> Self {
        let values = values.join("\" or \"");
        let message = format!("{place}: {key} counts only where {on} is \"{values}\"; it is {value}");
        Self::key(message, format!("leave {key} out (`--set {key}=`), or set {on} to \"{values}\""))
    }

    pub(crate) fn value(key: &'static str, value: impl fmt::Display, known: impl fmt::Display) -> Self {
        Self::key(format!("{key} is {value}; it must be {known}"), EXPLAIN)
    }

    pub(crate) fn section(key: &str, example: &str) -> Self {
        Self::key(format!("`{key}` is a section, not a key"), format!("set a key in it, e.g. `--set {example}`"))
    }

    pub(crate) fn not_a_section(key: &str, part: &str) -> Self {
        Self::key(format!("--set {key}: `{part}` is a key, not a section"), EXPLAIN)
    }

    pub(crate) fn device(name: &str, reason: String) -> Self {
        let hint = match name {
            "cuda" | "vulkan" => format!("use `device = \"cpu\"`, or rebuild with `--features {name}`"),
            _ => "use cpu, or vulkan or cuda in a build with that feature".into(),
        };
        Self::key(reason, hint)
    }

    pub(crate) fn missing(key: &'static str, flag: &'static str) -> Self {
        Self::key(format!("the recipe does not set {key}"), format!("set {key} in the recipe, or give {flag}"))
    }

    pub(crate) fn unknown_id(path: &Path, name: &str, id: &str) -> Self {
        let path = path.display();
        let message = format!("{path}: \"{name}\" has the id {id}, which the knowledge base does not have");
        Self::new(message, "leave the row out, or add the concept to the knowledge base with `truename kb update`")
    }

    pub(crate) fn too_few(concepts: usize) -> Self {
        let plural = if concepts == 1 { "" } else { "s" };
        let message = format!("the data has {concepts} concept{plural} with a name; training needs 2");
        Self::new(message, "an encoder learns to tell concepts apart: name more concepts in data.kb or data.names")
    }

    pub(crate) fn nothing_asked() -> Self {
        let hint = "set evaluation.share, or evaluation.names to names whose ids the knowledge base has";
        Self::new("evaluation.patience needs names to ask for, and there are none", hint)
    }

    pub(crate) fn nothing_to_evaluate() -> Self {
        let message = "the recipe evaluates during the run, and there is nothing to evaluate on";
        Self::new(message, "name corpora in data.dev, or set data.dev_share")
    }

    pub(crate) fn partly_annotated() -> Self {
        let message = "a corpus does not annotate all types, and a tagger takes every other word for no mention";
        Self::new(message, "train it by `task.kind = \"recognize\"`, or on corpora that annotate all types")
    }

    pub(crate) fn no_types() -> Self {
        let hint = "name each type with a description: `[types]` and `Disease = \"names of diseases\"`";
        Self::key("the recipe names no type of mentions", hint)
    }

    pub(crate) fn no_description(kind: &str) -> Self {
        let hint = "describe in a sentence what mentions of the type stand for";
        Self::key(format!("types.{kind} is no description"), hint)
    }

    pub(crate) fn long_description(kind: &str, tokens: usize) -> Self {
        let message = format!("types.{kind} is longer than the {tokens} tokens that the encoder reads");
        Self::key(message, "shorten it, or split it into several descriptions")
    }

    pub(crate) fn no_mention(corpus: &str, others: &BTreeMap<String, usize>) -> Self {
        let others: Vec<&str> = others.keys().map(String::as_str).collect();
        let hint = match others.first() {
            None => "name a corpus with annotations; `truename annotate` makes some by a knowledge base".into(),
            Some(first) => format!(
                "the corpus has mentions of {}: name these types, or map them, `{{path = \"…\", types = {{{first} = \"TYPE\"}}}}`",
                others.join(", ")
            ),
        };
        Self::new(format!("{corpus} has no mention of a type of the recipe"), hint)
    }

    pub(crate) fn no_linked_mention(corpus: &Path) -> Self {
        let message = format!("no mention of {} has an id of the knowledge base", corpus.display());
        Self::new(message, "name a corpus whose mentions have ids or cross-references of the knowledge base")
    }

    /// Reports that nothing is left to learn: all is `held_out`, or no mention has a choice.
    pub(crate) fn nothing_to_learn(held_out: bool) -> Self {
        let (message, hint) = match held_out {
            true => (
                "all documents with a mention to learn are held out",
                "name more documents in data.train, or lower data.dev_share",
            ),
            false => (
                "no mention to learn has a candidate beside the right one",
                "name a corpus whose mentions have several candidates in the knowledge base",
            ),
        };
        Self::new(message, hint)
    }

    /// Reports documents to evaluate on that were learnt.
    pub(crate) fn learnt_dev(learnt: usize, documents: usize, by: impl fmt::Display) -> Self {
        let message = format!("{by} has learnt {learnt} of the {documents} documents with mentions to evaluate on");
        Self::new(
            message,
            "probabilities are fitted to data.dev: name documents there that are not learnt, or leave it out to hold out a share",
        )
    }

    pub(crate) fn no_document(path: &Path, problem: Option<Problem>) -> Self {
        let found = problem.map(|problem| format!(" that can be read: {problem}")).unwrap_or_default();
        let message = format!("{} has no document{found}", path.display());
        Self::new(message, "see docs/formats.md for the formats of corpora")
    }

    pub(crate) fn sentence(problem: Problem) -> Self {
        let hint = "`truename corpus build` writes such files; docs/corpus.md describes their lines";
        Self::new(problem.to_string(), hint)
    }

    pub(crate) fn corpus_exists(path: &Path) -> Self {
        let hint = "name another folder with `--out`, or remove this one";
        Self::new(format!("{} is there already", path.display()), hint)
    }

    pub(crate) fn unfinished_corpus(path: &Path) -> Self {
        let hint = "`--resume` goes on with it; remove the folder to begin anew";
        Self::new(format!("{} holds an unfinished corpus", path.display()), hint)
    }

    pub(crate) fn other_corpus(path: &Path, what: &'static str) -> Self {
        let hint = "resume with what it was begun with, or remove the folder to begin anew";
        Self::new(format!("the corpus in {} was begun with {what}", path.display()), hint)
    }

    pub(crate) fn no_pairs(distance: usize) -> Self {
        Self::new(
            format!("no concept has two sentences whose names are {distance} edits or more apart"),
            "lower `--min-edit-distance`, or name texts that mention concepts with several names; `--parents` makes \
             sentences for concepts without a definition",
        )
    }

    pub(crate) fn lost_concept(id: &str) -> Self {
        let message = format!("a sentence stands for {id}, which the knowledge base does not have any more");
        let hint = "the knowledge base was changed during the build; remove the unfinished folder and begin anew";
        Self::new(message, hint)
    }

    pub(crate) fn state(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let message = format!("{} cannot be read as the state of a run", path.display());
        Self::new(message, "begin anew with another `--out`").caused_by(source)
    }

    pub(crate) fn other_run(path: &Path, what: impl fmt::Display) -> Self {
        let hint = "resume with the recipe and data of that run, or begin a new one with another `--out`";
        Self::new(format!("the run in {} was begun with {what}", path.display()), hint)
    }

    pub(crate) fn occupied(path: &Path, has_checkpoint: bool) -> Self {
        let (holds, hint) = match has_checkpoint {
            true => ("a run already", "`--resume` goes on with it; another `--out` begins anew"),
            false => ("a model and no checkpoint of a run", "name another folder with `--out`"),
        };
        Self::new(format!("{} holds {holds}", path.display()), hint)
    }

    pub(crate) fn index(source: truename_index::Error) -> Self {
        Self::whole(source, None, false)
    }

    pub(crate) fn not_finite(step: u64, loss: f64) -> Self {
        let message = format!("the gradient of step {step} is not finite; the loss is {loss}");
        Self::new(message, "lower schedule.learning_rate, or set schedule.max_grad_norm")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.0.source.as_ref()? {
            Source::Cause(source) => Some(&**source),
            Source::Whole(source) => source.source(),
        }
    }
}

impl From<truename_kb::Error> for Error {
    fn from(source: truename_kb::Error) -> Self {
        // A run has no options for how its files are read.
        let hint = source.hint().map(|hint| match hint.contains("--id-column") || hint.contains("--format") {
            true => format!("import the file first, `truename kb import FILE --out DIR`, and there {hint}"),
            false => hint,
        });
        let is_interrupted = source.is_interrupted();
        Self::whole(source, hint, is_interrupted)
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        let hint = source.hint().map(str::to_owned);
        Self::whole(source, hint, false)
    }
}

impl From<truename_infer::Error> for Error {
    fn from(source: truename_infer::Error) -> Self {
        let hint = source.hint().map(ToString::to_string);
        Self::whole(source, hint, false)
    }
}

impl From<truename::Error> for Error {
    fn from(source: truename::Error) -> Self {
        let (hint, is_interrupted) = (source.hint(), source.is_interrupted());
        Self::whole(source, hint, is_interrupted)
    }
}
