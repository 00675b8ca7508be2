//! Active learning of the scorer of pairs: doubtful pairs are asked for first, and every few answers fit it anew.

use std::collections::{HashMap, HashSet};

use truename::{Drawn, EVEN_SHARE, doubt_at, review_order};
use truename_error::ErrorKind;
use truename_read::Dialect;
use truename_records::{ComparedTables, PairLabel, PairLabels, PairModel, RecordPair, RecordTables, RowNames};

use crate::Error;
use crate::pair_report::{ComparedPairs, FittedPairModel, PairModelSource};

/// Answers between two fits.
const ANSWERS_PER_FIT: usize = 5;
/// Most compared pairs that are drawn from.
const DRAWN_FROM: usize = 50_000;

/// Pairs of tables that are labelled one after the other. Each method takes the tables that the labelling began with.
pub struct PairLabelling {
    threshold: f64,
    /// The model before labels, and the one that is fitted to the answers so far.
    prior: PairModel,
    fitted: Option<FittedPairModel>,
    labels: Vec<Label>,
    asked: HashMap<RecordPair, Question>,
    /// Pairs with a label or with an answer that was not sure.
    answered: HashSet<RecordPair>,
    questions: Vec<Question>,
    /// Number of labels at the last fit.
    fitted_to: Option<usize>,
}

/// A pair to label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The pair.
    pub pair: RecordPair,
    /// Probability that both records stand for the same thing, by the answers so far.
    pub probability: f64,
    /// Chance with which the pair was drawn, beside 1 for the most doubtful one.
    pub chance: f64,
}

/// A labelled pair, by the ids or rows of the records, or serialised.
struct Label {
    left: String,
    right: String,
    is_same: bool,
    chance: f64,
}

impl PairLabelling {
    /// Begins with the labels that a source has, whose pairs are not asked for again.
    ///
    /// # Errors
    /// If the source is a model.
    pub fn new(source: PairModelSource, compared: ComparedTables<'_>, threshold: f64) -> Result<Self, Error> {
        let PairModelSource::Unsupervised(scorer, labels) = source else {
            return Err(Error::new(ErrorKind::Choice, "a model that is given learns from no labels"));
        };
        let labels: Vec<Label> = labels
            .into_iter()
            .flat_map(|file| file.pairs)
            .map(|pair| Label { left: pair.left, right: pair.right, is_same: pair.is_same, chance: pair.chance })
            .collect();
        let (left, right) = (RowNames::of(&compared.tables.left), RowNames::of(compared.tables.right()));
        let pair = |label: &Label| compared.tables.tables().pair(left.row(&label.left)?, right.row(&label.right)?);
        let answered = labels.iter().filter_map(pair).collect();
        let prior = PairModelSource::Unsupervised(scorer, None).fit(ComparedPairs::Tables(compared), threshold)?.model;
        Ok(Self {
            threshold,
            prior,
            fitted: None,
            labels,
            asked: HashMap::new(),
            answered,
            questions: Vec::new(),
            fitted_to: None,
        })
    }

    /// Returns the next pairs to label, at most so many, doubtful ones sooner; none if all are. A pair without an answer is returned
    /// again.
    ///
    /// # Errors
    /// If the scorer fails.
    pub fn questions(&mut self, compared: ComparedTables<'_>, most: usize) -> Result<&[Question], Error> {
        if self.fitted_to.is_none_or(|count| self.labels.len() >= count + ANSWERS_PER_FIT) {
            self.fit(compared)?;
            self.draw(compared)?;
        }
        self.questions.retain(|question| !self.answered.contains(&question.pair));
        let next = &self.questions[..most.min(self.questions.len())];
        self.asked.extend(next.iter().map(|question| (question.pair, *question)));
        Ok(next)
    }

    /// Returns the question about two records, by their ids or rows, if it was asked.
    pub fn asked(&self, tables: &RecordTables, left: &str, right: &str) -> Option<Question> {
        let is_asked = |pair: &RecordPair| names(tables, *pair) == (left.to_owned(), right.to_owned());
        self.asked.values().find(|question| is_asked(&question.pair)).copied()
    }

    /// Keeps an answer to a question in place of an earlier one: whether both records stand for the same thing, `None` if that is not
    /// sure.
    pub fn answer(&mut self, tables: &RecordTables, question: Question, is_same: Option<bool>) {
        let (left, right) = names(tables, question.pair);
        self.labels.retain(|label| (&label.left, &label.right) != (&left, &right));
        self.answered.insert(question.pair);
        self.labels.extend(is_same.map(|is_same| Label { left, right, is_same, chance: question.chance }));
    }

    /// Returns the numbers of labels and of those of the same thing.
    pub fn counts(&self) -> (usize, usize) {
        (self.labels.len(), self.labels.iter().filter(|label| label.is_same).count())
    }

    /// Returns the labels as a table with the columns `left`, `right`, `label` and `chance`.
    pub fn to_csv(&self) -> String {
        let row = |cells: [&str; 4]| Dialect::of(b',').row(cells, false) + "\n";
        let label = |Label { left, right, is_same, chance }: &Label| {
            row([left, right, if *is_same { "1" } else { "0" }, &chance.to_string()])
        };
        row(["left", "right", "label", "chance"]) + &self.labels.iter().map(label).collect::<String>()
    }

    /// Returns the model that is fitted to all answers.
    ///
    /// # Errors
    /// If the scorer fails.
    pub fn finish(mut self, compared: ComparedTables<'_>) -> Result<FittedPairModel, Error> {
        self.fit(compared)?;
        Ok(self.fitted.unwrap_or(FittedPairModel { model: self.prior, gain: None }))
    }

    /// Fits the model to the labels, once they are of both kinds.
    fn fit(&mut self, compared: ComparedTables<'_>) -> Result<(), Error> {
        self.fitted_to = Some(self.labels.len());
        self.fitted = None;
        let (labels, matches) = self.counts();
        if matches == 0 || matches == labels {
            return Ok(());
        }
        let pairs: Vec<PairLabel<'_>> = self
            .labels
            .iter()
            .map(|Label { left, right, is_same, chance }| PairLabel { left, right, is_same: *is_same, chance: *chance })
            .collect();
        let labels = PairLabels { name: "the labels", pairs: &pairs, threshold: self.threshold };
        let (model, gain) = self.prior.fit_labels(labels, Some(compared))?;
        self.fitted = Some(FittedPairModel { model, gain: Some(gain) });
        Ok(())
    }

    /// Draws the next questions, doubtful pairs sooner.
    fn draw(&mut self, ComparedTables { tables, pairs }: ComparedTables<'_>) -> Result<(), Error> {
        let step = pairs.len().div_ceil(DRAWN_FROM).max(1);
        let pairs: Vec<RecordPair> =
            pairs.iter().step_by(step).filter(|pair| !self.answered.contains(pair)).copied().collect();
        let model = self.fitted.as_ref().map_or(&self.prior, |fitted| &fitted.model);
        let probabilities = model.scorer(tables.tables())?.score(&pairs)?;
        let doubts: Vec<f64> = probabilities.iter().map(|one| doubt_at(*one, self.threshold)).collect();
        let question =
            |Drawn { index, chance }| Question { pair: pairs[index], probability: probabilities[index], chance };
        self.questions =
            review_order(&doubts, EVEN_SHARE, self.labels.len() as u64 + 1).into_iter().map(question).collect();
        Ok(())
    }
}

/// Returns the ids or rows of two records.
fn names(tables: &RecordTables, pair: RecordPair) -> (String, String) {
    (tables.left.row_name(pair.left), tables.right().row_name(pair.right))
}

#[cfg(test)]
mod tests {
    use truename_records::{Blocking, ColumnChoice, RecordTable, RecordTables};

    use super::*;

    /// Products of which half stand twice, in two colours.
    fn tables() -> RecordTables {
        let words = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda"];
        let row = |number: usize, colour: &str| {
            vec![format!("{} {} pump", words[number % 8], words[number / 8]), colour.to_owned()]
        };
        let rows = (0..64).flat_map(|number| {
            let other = if number % 2 == 0 { "green" } else { "crimson" };
            [row(number, "green"), row(number, other)]
        });
        let table = RecordTable::new("pumps", ["title", "colour"].map(str::to_owned).to_vec(), rows);
        RecordTables::new(table, None, &ColumnChoice::default()).unwrap()
    }

    fn labelling(compared: ComparedTables<'_>) -> PairLabelling {
        PairLabelling::new(PairModelSource::open(None, None, None).unwrap(), compared, 0.5).unwrap()
    }

    #[test]
    fn doubtful_pairs_are_asked_for_once_and_answers_are_kept() {
        let tables = &tables();
        let pairs = &Blocking::default().pairs(tables.tables()).unwrap().pairs;
        let compared = ComparedTables { tables, pairs };
        let mut labelling = labelling(compared);
        let (mut seen, mut doubtful) = (HashSet::new(), 0);
        for _ in 0..40 {
            let [question] = *labelling.questions(compared, 1).unwrap() else { panic!("a pair is left") };
            assert!(seen.insert(question.pair) && question.chance > 0.0 && question.chance <= 1.0);
            doubtful += usize::from((question.probability - 0.5).abs() < 0.45);
            labelling.answer(tables, question, Some(question.pair.left.is_multiple_of(2)));
        }
        let scores = labelling.prior.scorer(tables.tables()).unwrap().score(pairs).unwrap();
        let share = scores.iter().filter(|score| (**score - 0.5).abs() < 0.45).count() as f64 / scores.len() as f64;
        assert!(doubtful as f64 / 40.0 > share, "{doubtful} of 40, and {share} of all");
        assert_eq!((labelling.counts().0, labelling.to_csv().lines().count()), (40, 41));
        assert!(labelling.finish(compared).unwrap().gain.is_some());
    }

    #[test]
    fn an_answer_takes_the_place_of_an_earlier_one() {
        let tables = &tables();
        let pairs = &[RecordPair { left: 0, right: 1 }, RecordPair { left: 2, right: 3 }];
        let compared = ComparedTables { tables, pairs };
        let mut labelling = labelling(compared);
        let questions = labelling.questions(compared, 9).unwrap().to_vec();
        assert_eq!((questions.len(), labelling.questions(compared, 9).unwrap()), (2, &questions[..]));
        let first = labelling.asked(tables, "1", "2").unwrap();
        assert!(questions.contains(&first) && labelling.asked(tables, "1", "3").is_none());
        let mut left_after = |is_same| {
            labelling.answer(tables, first, is_same);
            (labelling.counts(), labelling.questions(compared, 9).unwrap().len())
        };
        assert_eq!(left_after(Some(true)), ((1, 1), 1));
        assert_eq!(left_after(Some(false)), ((1, 0), 1));
        assert_eq!(left_after(None), ((0, 0), 1));
    }

    #[test]
    fn labels_that_are_there_are_not_asked_for_again() {
        let tables = &tables();
        let pairs = &[RecordPair { left: 0, right: 1 }, RecordPair { left: 2, right: 3 }];
        let compared = ComparedTables { tables, pairs };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        std::fs::write(&path, "left,right,label,chance\n1,2,1,0.5\n").unwrap();
        let source = PairModelSource::open(None, Some(&path), None).unwrap();
        let mut labelling = PairLabelling::new(source, compared, 0.5).unwrap();
        let [question] = *labelling.questions(compared, 9).unwrap() else { panic!("one pair is left") };
        assert_eq!(question.pair, pairs[1]);
        labelling.answer(tables, question, Some(false));
        assert_eq!(labelling.questions(compared, 9).unwrap(), []);
        assert!(labelling.to_csv().starts_with("left,right,label,chance\n1,2,1,0.5\n3,4,0,"), "{}", labelling.to_csv());
    }
}
