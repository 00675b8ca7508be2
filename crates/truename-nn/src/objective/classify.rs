//! Classification and regression of texts: cross-entropy or squared error of a map of pooled states.

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};
use truename_infer::{Batch, ClassifyConfig, Pooling};

use super::{Loss, Objective, Pass};
use crate::layer::Linear;
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// Classification of texts, or regression, by a linear map of the pooled states: cross-entropy of a softmax, or the mean squared
/// error.
#[derive(Clone, Debug)]
pub struct Classify {
    map: Linear,
    pooling: Pooling,
}

/// Texts with what the map has to give for them.
#[derive(Clone, Debug)]
pub struct ClassifyTexts {
    /// The texts, or pairs of texts.
    pub texts: Batch,
    /// The right outputs.
    pub targets: Targets,
}

/// The right outputs of texts.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Number of the label of each text.
    Labels(Vec<u32>),
    /// Value of each text.
    Values(Vec<f32>),
}

impl Classify {
    /// Creates the objective for a number of labels, or for one output of a regression, and a network with states of a width.
    pub fn new(hidden: usize, outputs: usize, pooling: Pooling, seed: u64) -> Self {
        Self { map: Linear::untrained(ClassifyConfig::MAP, hidden, outputs, seed), pooling }
    }
}

impl Objective for Classify {
    type Batch = ClassifyTexts;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.map.parameters().into()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &ClassifyTexts) -> Loss {
        let states = pass.states(0, &batch.texts);
        let outputs = self.map.forward(pool(self.pooling, states, &Layout::of(&batch.texts)));
        Loss(match &batch.targets {
            Targets::Labels(labels) => cross_entropy(outputs, labels),
            Targets::Values(values) => squared_error(outputs, values),
        })
    }
}

/// The mean over the texts of `−log softmax(z)[label]`.
///
/// # Shapes
/// `logits: [texts, labels]`, output: `[1]`
pub(super) fn cross_entropy(logits: Tensor<2>, labels: &[u32]) -> Tensor<1> {
    let (device, shape) = (logits.device(), logits.dims());
    let mut shares = vec![0.0f32; shape[0] * shape[1]];
    for (row, label) in labels.iter().enumerate() {
        shares[row * shape[1] + *label as usize] = 1.0 / shape[0] as f32;
    }
    let shares = Tensor::<2>::from_data(TensorData::new(shares, shape), &device);
    -(log_softmax(logits, 1) * shares).sum()
}

/// The mean over the texts of `(z − value)²`.
///
/// # Shapes
/// `outputs: [texts, 1]`, output: `[1]`
fn squared_error(outputs: Tensor<2>, values: &[f32]) -> Tensor<1> {
    let device = outputs.device();
    let values = Tensor::<2>::from_data(TensorData::new(values.to_vec(), [values.len(), 1]), &device);
    let gap = outputs - values;
    (gap.clone() * gap).mean()
}

#[cfg(test)]
mod tests {
    use burn_tensor::Device;
    use truename_infer::{Checkpoint, Classifier, ClassifyText, Tokenizer, ValueScale};

    use super::*;
    use crate::{Learner, LearnerOptions};

    const TEXTS: [(&str, &str); 4] =
        [("flu", "influenza"), ("heart attack", "flu"), ("the patient", "guests"), ("aspirin", "aspirin")];

    fn tensor(values: &[f32], shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), &Device::flex().autodiff()).require_grad()
    }

    fn found(input: &Tensor<2>, loss: Tensor<1>) -> (f64, Vec<f32>) {
        let value = f64::from(loss.clone().into_scalar::<f32>());
        (value, input.grad(&loss.backward()).unwrap().into_data().try_into_vec().unwrap())
    }

    /// The derivative of the mean cross-entropy by a logit is `(softmax(z) − [label]) / texts`.
    #[test]
    fn cross_entropy_has_the_gradient_of_its_formula() {
        let labels = [2u32, 0, 1];
        for logits in [
            [0.3f32, -1.2, 2.0, 0.0, 0.5, -0.5, 1.0, 1.5, -2.0],
            [100.0, -100.0, 0.0, -100.0, 100.0, 99.0, -100.0, -100.0, -100.0],
        ] {
            let input = tensor(&logits, [3, 3]);
            let (value, gradient) = found(&input, cross_entropy(input.clone(), &labels));
            let mut expected = 0.0;
            for (row, label) in labels.iter().enumerate() {
                let logits: Vec<f64> = logits[3 * row..3 * row + 3].iter().map(|logit| f64::from(*logit)).collect();
                let highest = logits.iter().copied().fold(f64::MIN, f64::max);
                let sum = logits.iter().map(|logit| (logit - highest).exp()).sum::<f64>().ln() + highest;
                expected += (sum - logits[*label as usize]) / 3.0;
                for (at, logit) in logits.iter().enumerate() {
                    let derivative = ((logit - sum).exp() - f64::from(u8::from(at == *label as usize))) / 3.0;
                    let found = f64::from(gradient[3 * row + at]);
                    assert!((derivative - found).abs() < 1e-6, "{row}, {at}: {derivative} {found}");
                }
            }
            assert!((value - expected).abs() < 1e-5 * expected.max(1.0), "{value} {expected}");
        }
    }

    /// The derivative of the mean squared error by an output is `2 (z − value) / texts`.
    #[test]
    fn squared_error_has_the_gradient_of_its_formula() {
        let (outputs, values) = ([0.5f32, -1.0, 100.0, -100.0], [1.0f32, -1.0, -100.0, 0.25]);
        let input = tensor(&outputs, [4, 1]);
        let (value, gradient) = found(&input, squared_error(input.clone(), &values));
        let gaps: Vec<f32> = outputs.iter().zip(&values).map(|(output, value)| output - value).collect();
        let expected = gaps.iter().map(|gap| f64::from(*gap).powi(2)).sum::<f64>() / 4.0;
        assert!((value - expected).abs() < 1e-6 * expected, "{value} {expected}");
        for (gap, found) in gaps.iter().zip(gradient) {
            assert!((2.0 * gap / 4.0 - found).abs() < 1e-4, "{gap} {found}");
        }
    }

    fn checkpoint(config: &ClassifyConfig) -> (Checkpoint, Tokenizer) {
        let mut checkpoint = Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        checkpoint.manifest_mut().set_head(ClassifyConfig::HEAD, config).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        (checkpoint, tokenizer)
    }

    fn pairs() -> [ClassifyText<'static>; 4] {
        TEXTS.map(|(first, second)| ClassifyText { first, second: Some(second) })
    }

    /// Learns the targets and returns the scores of the saved folder by the other engine.
    fn learnt(config: &ClassifyConfig, targets: Targets) -> Vec<Vec<f32>> {
        let (checkpoint, tokenizer) = checkpoint(config);
        let mut texts = Batch::default();
        for pair in pairs() {
            texts.push_input(&config.tokens(pair, &tokenizer).unwrap().input);
        }
        let batch = ClassifyTexts { texts, targets };
        let objective = Classify::new(checkpoint.hidden(), config.outputs(), config.pooling, 3);
        let options = LearnerOptions { dropout: 0.0, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![checkpoint], objective, options).unwrap();
        for _ in 0..60 {
            learner.step(std::slice::from_ref(&batch), 1e-2);
        }
        let loss = learner.loss(&batch);
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let classifier = Classifier::open(folder.path()).unwrap();
        assert_eq!(classifier.config(), config);
        let scores = classifier.scores(&pairs()).unwrap();
        // Each engine is the oracle of the other: the loss of one from the scores of the other.
        let of_text = |(text, scores): (usize, &Vec<f32>)| match &batch.targets {
            Targets::Labels(labels) => -f64::from(scores[labels[text] as usize]).ln(),
            Targets::Values(values) => f64::from(config.scale.output(scores[0]) - values[text]).powi(2),
        };
        let expected = scores.iter().enumerate().map(of_text).sum::<f64>() / scores.len() as f64;
        assert!((loss - expected).abs() < 1e-4, "{loss} {expected}");
        // A text has the same scores alone.
        assert_eq!(classifier.scores(&pairs()[1..2]).unwrap()[0], scores[1]);
        scores
    }

    #[test]
    fn labels_are_learnt_and_read_by_the_other_engine() {
        for pooling in [Pooling::Cls, Pooling::Mean, Pooling::Max] {
            let config = ClassifyConfig::new(["same", "other", "none"].map(str::to_owned).to_vec(), 24, pooling);
            let labels = vec![0, 1, 2, 0];
            let scores = learnt(&config, Targets::Labels(labels.clone()));
            for (scores, label) in scores.iter().zip(labels) {
                assert!(scores[label as usize] > 0.5, "{pooling} {scores:?}");
                assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn values_are_learnt_and_read_by_the_other_engine() {
        let mut config = ClassifyConfig::new(Vec::new(), 24, Pooling::Mean);
        config.scale = ValueScale { mean: 2.0, deviation: 1.5 };
        let values = [4.0f32, 1.0, 0.5, 3.0];
        let outputs = values.map(|value| config.scale.output(value)).to_vec();
        let scores = learnt(&config, Targets::Values(outputs));
        for (score, value) in scores.iter().zip(values) {
            assert!((score[0] - value).abs() < 0.3, "{scores:?}");
        }
    }
}
