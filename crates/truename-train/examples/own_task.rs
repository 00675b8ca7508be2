//! A task of your own, trained by the loop of truename-train: an encoder of characters that knows a name by each of its words.

use std::path::Path;

use truename_infer::{CharacterConfig, Checkpoint, Network, Tokenizer};
use truename_kb::Progress;
use truename_nn::{LabelledTexts, Metric, MetricLoss, untrained_characters};
use truename_train::{
    Dataset, Description, Epoch, EpochSize, Error, NamedConcept, Names, Query, Recipe, Run, Scores, Start, Task,
    TaskBatch, TaskData, Training,
};

const FLOWERS: [&str; 5] =
    ["red rose rosa", "blue iris lily", "white daisy bellis", "sun flower", "wild poppy papaver"];

struct AnyWord(Names);

impl Task for AnyWord {
    type Objective = Metric;
    /// The texts of the epoch, each with the number of its concept.
    type Plan = Vec<(String, u32)>;

    const SCORE: &'static str = "acc@1";

    fn data(&self) -> &dyn TaskData {
        &self.0
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![untrained_characters(CharacterConfig::new(Network::Convolution, 32, 2), 1)])
    }

    fn objective(&self, _: &[Checkpoint]) -> Result<Metric, Error> {
        Ok(Metric { loss: MetricLoss::SupervisedContrastive { temperature: 0.1 } })
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        EpochSize { batches: 1, texts: 2 * self.0.dataset().name_count() }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Metric>) -> Result<(), Error> {
        let mut random = epoch.random();
        for (concept, NamedConcept { names, .. }) in (0..).zip(self.0.dataset().concepts()) {
            let word = random.choice(names[0].split(' ').collect::<Vec<_>>()).unwrap_or_default();
            plan.extend([(names[0].clone(), concept), (word.to_owned(), concept)]);
        }
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        usize::from(!plan.is_empty())
    }

    fn batch(&self, plan: &Self::Plan, _: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let mut batch = LabelledTexts::default();
        for (text, concept) in plan {
            batch.push(&tokenizers[0].tokens(text)?.ids, *concept);
        }
        Ok((batch, plan.len()))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        self.0.describe(tokenizers)
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        self.0.evaluate(folder, progress)
    }
}

fn share_of_words_found() -> Result<f64, Box<dyn std::error::Error>> {
    let query = |name: &str, word: &str| Query { name: word.into(), ids: vec![name.into()] };
    let queries = FLOWERS.iter().flat_map(|name| name.split(' ').map(move |word| query(name, word)));
    let concepts = FLOWERS.map(|name| NamedConcept::new(name, [name])).to_vec();
    let dataset = Dataset::new(concepts, Vec::new(), queries.collect())?;
    let mut recipe = Recipe::new("any-word");
    (recipe.schedule.epochs, recipe.schedule.learning_rate, recipe.evaluation.every) = (40, 1e-2, 40);
    let (task, folder) = (AnyWord(Names::new(&recipe, dataset)?), tempfile::tempdir()?);
    let mut run = Training::new(&recipe, task, &folder.path().join("flowers"), Start::Anew)?;
    run.finish()?;
    Ok(run.last_scores().unwrap_or_default().get("acc@1"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:.0} % of the words find their flower", 100.0 * share_of_words_found()?);
    Ok(())
}

#[test]
fn most_words_find_their_flower() {
    assert!(share_of_words_found().unwrap() > 0.9);
}
