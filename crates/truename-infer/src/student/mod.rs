//! Students: smaller copies of a transformer in single precision, which learn from it.

mod channels;

use std::collections::BTreeSet;

use safetensors::tensor::Dtype;
use truename_error::ErrorKind;

use crate::checkpoint::TransformerCheckpoint;
use crate::kernels::Int8Matrix;
use crate::nibbles::SCALES;
use crate::tokenizer::TokenizerFile;
use crate::weights::{Scope, Weights};
use crate::{AdapterChoice, Error, Tensor, TensorNames, Tensors, error};

use channels::Channels;

/// Sizes of a student.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudentSize {
    /// Number of layers, taken evenly from the teacher's; all where it is 0.
    pub layers: usize,
    /// Width of the states, a multiple of that of a head, with channels and heads taken evenly; the teacher's where it is 0.
    pub hidden: usize,
    /// Tokens that are kept, by their numbers, beside special ones and pieces of one character; all where it is `None`.
    pub vocabulary: Option<BTreeSet<u32>>,
}

impl TransformerCheckpoint {
    /// Returns a smaller copy in single precision, also of a quantised model: of every group of its layers the last one.
    ///
    /// # Errors
    /// Where the model has fewer layers, layers of several forms, adapters or a dense layer behind its pooling, or is of a kind that is not
    /// made narrower, or its tokenizer of a kind whose tokens are not made fewer.
    pub fn student(&self, size: &StudentSize) -> Result<Self, Error> {
        self.check_trainable()?;
        self.check_no_adapters()?;
        let layers = self.chosen_layers(size.layers)?;
        let channels = Channels::of(self, size.hidden)?;
        let (tokenizer, rows) = size.vocabulary.as_ref().map(|kept| self.pruned_tokenizer(kept)).transpose()?.unzip();
        let mut tensors = Tensors::new();
        for name in self.weights.names() {
            let Some(new) = self.student_name(&name, &layers) else { continue };
            let Some(mut tensor) = self.single(&name)? else { continue };
            if let Some(rows) = rows.as_ref().filter(|_| self.is_of_tokens(&name)) {
                tensor = tensor.with_chosen_rows(rows);
            }
            let kept = match &channels {
                Some(channels) => channels.kept(self, &name, tensor),
                None => Some(tensor),
            };
            tensors.extend(kept.map(|tensor| (new, tensor)));
        }
        let mut sizes = vec![("num_hidden_layers", layers.len())];
        sizes.extend(channels.iter().flat_map(Channels::sizes));
        sizes.extend(rows.map(|rows| ("vocab_size", rows.len())));
        let config = self.config.with_sizes(&sizes)?;
        Ok(Self {
            folder: self.folder.clone(),
            config: Box::new(config),
            sentence: self.sentence.clone(),
            family: self.family,
            weights: Weights::in_memory(&tensors),
            manifest: self.manifest.clone(),
            adapters: self.adapters.clone(),
            choice: AdapterChoice::All,
            tokenizer: tokenizer.or_else(|| self.tokenizer.clone()),
            fingerprint: crate::hash::Fingerprint::default(),
        })
    }

    /// Returns the tokenizer of a student with fewer tokens, and the number here of each of its tokens.
    fn pruned_tokenizer(&self, kept: &BTreeSet<u32>) -> Result<(Box<TokenizerFile>, Vec<usize>), Error> {
        let file = self.tokenizer.clone().map_or_else(|| TokenizerFile::read(&self.folder).map(Box::new), Ok)?;
        let (pruned, tokens) = file.pruned(kept)?;
        Ok((Box::new(pruned), tokens.into_iter().map(|token| token as usize).collect()))
    }

    /// Returns whether a tensor has a row for each token.
    fn is_of_tokens(&self, name: &str) -> bool {
        let words = self.encoder().name(&format!("{}.weight", self.names().words));
        name == words || TensorNames::OF_TOKENS.iter().any(|(of_tokens, _)| *of_tokens == name)
    }

    fn check_no_adapters(&self) -> Result<(), Error> {
        if self.adapters.adapters.is_empty() {
            return Ok(());
        }
        let message = format!("the model in {} has adapters, which a student cannot copy", self.folder.display());
        Err(Error::new(ErrorKind::Choice, message).with_hint("learn from a model without adapters"))
    }

    /// Returns the numbers of the layers that a student of so many layers has.
    fn chosen_layers(&self, layers: usize) -> Result<Vec<usize>, Error> {
        let known = self.config.num_hidden_layers;
        if layers > known {
            let message = format!("a student of {layers} layers; the model in {} has {known}", self.folder.display());
            return Err(Error::new(ErrorKind::Choice, message).with_hint(format!("ask for {known} layers at most")));
        }
        let layers = if layers == 0 { known } else { layers };
        let chosen: Vec<usize> = (1..=layers).map(|number| number * known / layers - 1).collect();
        for (number, chosen) in chosen.iter().enumerate() {
            if self.layer_form(number)? != self.layer_form(*chosen)? {
                let message = format!("layers {number} and {chosen} of the model in {} differ", self.folder.display());
                return Err(Error::new(ErrorKind::Choice, message).with_hint("keep all layers of such a model"));
            }
        }
        Ok(chosen)
    }

    /// Returns the name that a tensor has in a student with these layers; `None` where the student does not have it.
    fn student_name(&self, name: &str, layers: &[usize]) -> Option<String> {
        let prefix = format!("{}.", self.encoder().name(self.names().layers));
        let Some(rest) = name.strip_prefix(&prefix) else { return Some(name.to_owned()) };
        let (number, rest) = rest.split_once('.')?;
        let place = layers.iter().position(|layer| number.parse() == Ok(*layer))?;
        Some(format!("{prefix}{place}.{rest}"))
    }

    /// Returns a tensor in single precision; `None` for integers and for the scales of quantised tensors.
    fn single(&self, name: &str) -> Result<Option<Tensor>, Error> {
        let (part, last) = name.rsplit_once('.').unwrap_or(("", name));
        let all = self.weights.whole();
        let scope = if part.is_empty() { all } else { all.at(part) };
        match self.weights.dtype(name) {
            _ if last == SCALES => Ok(None),
            Some(Dtype::I8) => self.single_map(&scope).map(Some),
            Some(Dtype::U8) => single_table(&scope, self.embedding_width()).map(Some),
            Some(Dtype::I64 | Dtype::I32) => Ok(None),
            _ => scope.tensor(last).map(Some),
        }
    }

    /// Returns the weights of a map in 8 bits.
    fn single_map(&self, scope: &Scope) -> Result<Tensor, Error> {
        let is_down = scope.name("").ends_with(&format!(".{}.", self.names().down));
        let is_inner = is_down && !scope.name("").ends_with(&format!(".{}.", self.names().attention_output));
        let inputs = if is_inner { self.config.intermediate_size } else { self.config.hidden_size };
        let outputs = scope.tensor(SCALES)?.shape()[0];
        let (values, scales) = scope.int8([outputs, inputs])?;
        let weights = Int8Matrix::new(inputs).with_map(values, scales.slice()).to_single();
        Ok(Tensor::new(vec![outputs, inputs], weights))
    }
}

/// Returns the rows of a table in 4 bits.
fn single_table(scope: &Scope, columns: usize) -> Result<Tensor, Error> {
    let rows = scope.rows("weight").ok_or_else(|| error::unfit_tensor(format!("no table {}", scope.name("weight"))))?;
    let table = scope.table(rows, columns)?;
    let values: Vec<f32> = (0..rows).filter_map(|row| table.row(row)).flat_map(|row| row.into_owned()).collect();
    Ok(Tensor::new(vec![rows, columns], values))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Backbone, Checkpoint, Input};

    fn bert(folder: &Path) -> TransformerCheckpoint {
        match Checkpoint::open(folder).unwrap() {
            Checkpoint::Transformer(transformer) => transformer,
            Checkpoint::Characters(_) => panic!("a transformer"),
        }
    }

    fn states(checkpoint: TransformerCheckpoint) -> Vec<f32> {
        let layers = checkpoint.config().num_hidden_layers;
        let network = Backbone::of_checkpoint(Checkpoint::Transformer(checkpoint)).unwrap();
        let input = Input::new(network.tokenizer().tokens("heart attack").unwrap().ids);
        network.states(&[input], &[layers]).unwrap()[0].layer(0).to_vec()
    }

    #[test]
    fn a_student_has_the_last_layer_of_each_group() {
        let teacher = bert(Path::new("tests/models/bert"));
        let layers = teacher.config().num_hidden_layers;
        assert_eq!(teacher.chosen_layers(1).unwrap(), [layers - 1]);
        assert_eq!(teacher.chosen_layers(0).unwrap(), (0..layers).collect::<Vec<_>>());
        assert!(teacher.chosen_layers(layers + 1).is_err());
        let student = teacher.student(&StudentSize { layers: 1, ..StudentSize::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let direct = states(teacher.student(&StudentSize { layers: 1, ..StudentSize::default() }).unwrap());
        Checkpoint::Transformer(student).save(folder.path(), &Tensors::new(), None).unwrap();
        let saved = bert(folder.path());
        assert_eq!(saved.config().num_hidden_layers, 1);
        assert_eq!(states(saved), direct);
    }

    #[test]
    fn a_narrower_student_has_heads_and_channels_of_the_teacher() {
        let teacher = bert(Path::new("tests/models/bert"));
        let student = teacher.student(&StudentSize { hidden: 8, ..StudentSize::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Checkpoint::Transformer(student).save(folder.path(), &Tensors::new(), None).unwrap();
        let saved = bert(folder.path());
        let config = saved.config();
        assert_eq!((config.hidden_size, config.num_attention_heads, config.num_hidden_layers), (8, 1, 2));
        let value = |model: &TransformerCheckpoint, row: usize, column: usize| {
            let tensor = model.tensors().tensor("embeddings.word_embeddings.weight").unwrap();
            tensor.values()[row * tensor.shape()[1] + column]
        };
        assert_eq!(value(&saved, 7, 3), value(&teacher, 7, 6));
        assert_eq!(states(saved).len() % 8, 0);
        let error = teacher.student(&StudentSize { hidden: 12, ..StudentSize::default() }).err().unwrap();
        assert!(error.to_string().contains("a student of width 12"), "{error}");
    }

    #[test]
    fn words_of_other_pieces_are_split_into_characters() {
        let mut teacher = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
        let tokenizer = teacher.tokenizer().unwrap();
        let kept = BTreeSet::from([tokenizer.id("heart").unwrap()]);
        let Checkpoint::Transformer(teacher) = teacher else { panic!("a transformer") };
        let size = StudentSize { vocabulary: Some(kept), ..StudentSize::default() };
        let student = teacher.student(&size).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Checkpoint::Transformer(student).save(folder.path(), &Tensors::new(), None).unwrap();
        let saved = bert(folder.path());
        assert!(saved.config().vocab_size < teacher.config().vocab_size && !folder.path().join("vocab.txt").exists());
        let pieces = |mut checkpoint: Checkpoint, text: &str| {
            let tokenizer = checkpoint.tokenizer().unwrap();
            let ids = tokenizer.tokens(text).unwrap().ids;
            ids.iter().map(|id| tokenizer.token(*id).unwrap()).collect::<Vec<_>>()
        };
        let saved = Checkpoint::Transformer(saved);
        assert_eq!(pieces(saved, "heart fever"), ["[CLS]", "heart", "f", "##e", "##v", "##e", "##r", "[SEP]"]);
        let rows = |checkpoint: &TransformerCheckpoint, piece: &str| {
            let id = checkpoint.special_token(piece).unwrap() as usize;
            let tensor = checkpoint.tensors().tensor("embeddings.word_embeddings.weight").unwrap();
            tensor.values()[id * tensor.shape()[1]..][..tensor.shape()[1]].to_vec()
        };
        assert_eq!(rows(&bert(folder.path()), "[SEP]"), rows(&teacher, "[SEP]"));
    }

    #[test]
    fn a_quantised_teacher_has_a_student_in_single_precision() {
        let teacher = Path::new("tests/models/bert");
        let folder = tempfile::tempdir().unwrap();
        Checkpoint::open(teacher).unwrap().quantize(folder.path()).unwrap();
        let student = bert(folder.path()).student(&StudentSize::default()).unwrap();
        assert_eq!(student.weights.scheme(), None);
        let (exact, student) = (states(bert(teacher)), states(student));
        let [dot, one, other] = [(&exact, &student), (&exact, &exact), (&student, &student)]
            .map(|(left, right)| left.iter().zip(right).map(|(left, right)| f64::from(left * right)).sum::<f64>());
        assert!(dot / (one * other).sqrt() > 0.98, "{dot} {one} {other}");
    }
}
