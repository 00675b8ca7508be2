//! The kind `tag`: a recognizer by BIO tags of words, the baseline of `recognize`.

use std::path::Path;

use truename_infer::{Checkpoint, Manifest, TagConfig, TaggedSpan, Tagger, Tokenizer};
use truename_kb::Progress;
use truename_nn::{GoldSpan, LearnerOptions, SpanLabels, TaggedTokens, Tags};

use super::kind::{Kind, run};
use crate::documents::{DocumentKeys, Documents, SpanShape, tokenizer};
use crate::recipe::{Part, Schema};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData, checkpoint_of};
use crate::{Error, Recipe};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "tag",
        summary: "a recognizer by BIO tags, a linear layer and a softmax: the baseline of recognize",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: a recognizer learns to tag words by a linear layer and a softmax, without overlapping mentions.\n",
            "# The descriptions of the types do not count.\n",
            "kind = \"tag\"\n\n[data]\n",
            include_str!("../documents/data.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<DocumentKeys>()],
    },
    begin: |recipe, out, start| {
        let task = Tag::new(recipe, checkpoint_of(out, start).as_deref())?;
        run(task, recipe, out, start)
    },
    begin_on: None,
};

/// Recognition by tags of words.
pub struct Tag {
    documents: Documents,
    keys: DocumentKeys,
    seed: u64,
}

impl Tag {
    fn new(recipe: &Recipe, checkpoint: Option<&Path>) -> Result<Self, Error> {
        let keys: DocumentKeys = recipe.keys()?;
        let tokenizer = tokenizer(&keys.encoder, checkpoint)?;
        let spans = SpanShape { max_span: usize::MAX, capitals: false };
        let documents = Documents::read(recipe, &tokenizer, spans)?;
        documents.check_all_types_are_annotated()?;
        Ok(Self { documents, keys, seed: recipe.seed })
    }

    fn config(&self) -> TagConfig {
        let types = self.documents.types.iter().map(|entity_type| entity_type.name.clone()).collect();
        TagConfig::new(types, self.keys.text.window, self.keys.text.overlap)
    }
}

/// Returns the tags of the words of a window, by their first tokens. Of overlapping mentions the longest counts; words that are
/// left open have none.
fn tags(labels: &SpanLabels) -> impl Iterator<Item = (u32, u32)> {
    let mut gold: Vec<&GoldSpan> = labels.gold.iter().collect();
    gold.sort_by_key(|span| (std::cmp::Reverse(span.last - span.first), span.first, span.type_number));
    labels.starts.iter().filter_map(move |token| {
        let is_open = labels.open.iter().any(|(first, last)| first <= token && token <= last);
        let mention = gold.iter().find(|span| span.first <= *token && *token <= span.last);
        let tag = mention.map_or(0, |span| 1 + 2 * span.type_number + u32::from(span.first != *token));
        (mention.is_some() || !is_open).then_some((*token, tag))
    })
}

impl Task for Tag {
    type Objective = Tags;
    /// The windows of each batch.
    type Plan = Vec<Vec<u32>>;

    const SCORE: &'static str = "f1";

    fn data(&self) -> &dyn TaskData {
        &self.documents
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![self.keys.encoder.open()?])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<Tags, Error> {
        Ok(Tags::new(networks[0].hidden(), self.config().tags(), self.seed))
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(TagConfig::HEAD, &self.config())
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        self.documents.expected_epoch(self.keys.text.batch)
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Tags>) -> Result<(), Error> {
        *plan = self.documents.plan(self.keys.text.batch, &mut epoch.random());
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, _: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let mut batch = TaggedTokens::default();
        for window in plan[number].iter().map(|window| &self.documents.windows[*window as usize]) {
            let first = batch.texts.tokens().len() as u32;
            batch.texts.push_input(&window.input);
            batch.tags.extend(tags(&window.labels).map(|(token, tag)| (first + token, tag)));
        }
        let texts = plan[number].len();
        Ok((batch, texts))
    }

    fn describe_data(&self, _: &[Tokenizer]) -> Result<Description, Error> {
        Ok(self.documents.describe())
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        progress.check()?;
        let texts: Vec<&str> = self.documents.dev().collect();
        let mention = |span: &TaggedSpan| (span.span, span.type_number);
        let found = Tagger::open(folder)?.find(&texts)?;
        let found: Vec<Vec<_>> = found.iter().map(|spans| spans.iter().map(mention).collect()).collect();
        Ok(self.documents.score(&found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_nested_mentions_is_tagged() {
        let span = |first, last, type_number| GoldSpan { first, last, type_number };
        let labels = SpanLabels {
            starts: vec![1, 2, 4, 5, 7],
            gold: vec![span(2, 2, 0), span(2, 4, 1)],
            open: vec![(4, 5)],
            ..SpanLabels::default()
        };
        assert_eq!(tags(&labels).collect::<Vec<_>>(), [(1, 0), (2, 3), (4, 4), (7, 0)]);
    }
}
