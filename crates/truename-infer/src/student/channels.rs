//! Channels that a narrower student keeps of each tensor.

use truename_error::ErrorKind;

use crate::checkpoint::TransformerCheckpoint;
use crate::head::SpanTensors;
use crate::{Error, Tensor};

/// Channels that a student keeps: of the states, of the heads of attention side by side, and inside the feed-forward parts.
pub(super) struct Channels {
    teacher_hidden: usize,
    hidden: Vec<usize>,
    attended: Vec<usize>,
    inner: Vec<usize>,
    pub heads: usize,
}

impl Channels {
    /// Takes channels and heads evenly; `None` for the width of the teacher.
    ///
    /// # Errors
    /// Where the width is no multiple of that of a head or more than the teacher's, or the layers are not of BERT's form.
    pub fn of(teacher: &TransformerCheckpoint, hidden: usize) -> Result<Option<Self>, Error> {
        let config = &teacher.config;
        let (teacher_hidden, teacher_heads) = (config.hidden_size, config.num_attention_heads);
        if hidden == 0 || hidden == teacher_hidden {
            return Ok(None);
        }
        let refused = |message: String, hint: String| Err(Error::new(ErrorKind::Choice, message).with_hint(hint));
        let (form, names) = (teacher.layer_form(0)?, teacher.names());
        let is_of_bert =
            form == crate::LayerForm::BERT && names.position_bias.is_none() && names.query_key_value.len() == 3;
        if !is_of_bert || teacher.embedding_width() != teacher_hidden {
            let message = format!("the model in {} has layers that cannot be made narrower", teacher.folder.display());
            return refused(message, "keep its width, or learn from a BERT, RoBERTa or DistilBERT model".into());
        }
        let depth = teacher_hidden / teacher_heads;
        if hidden > teacher_hidden || !hidden.is_multiple_of(depth) {
            let message = format!(
                "a student of width {hidden}; the model in {} has {teacher_heads} heads of {depth}",
                teacher.folder.display()
            );
            return refused(message, format!("ask for a multiple of {depth} up to {teacher_hidden}"));
        }
        let heads = hidden / depth;
        let attended = evenly(teacher_heads, heads).flat_map(|head| head * depth..(head + 1) * depth).collect();
        let inner = evenly(config.intermediate_size, config.intermediate_size * hidden / teacher_hidden).collect();
        Ok(Some(Self { teacher_hidden, hidden: evenly(teacher_hidden, hidden).collect(), attended, inner, heads }))
    }

    /// The sizes of the student, by BERT's names.
    pub fn sizes(&self) -> [(&'static str, usize); 3] {
        let (hidden, inner) = (self.hidden.len(), self.inner.len());
        [("hidden_size", hidden), ("num_attention_heads", self.heads), ("intermediate_size", inner)]
    }

    /// Returns what the student keeps of a tensor; `None` for tensors of heads that it does not have.
    pub fn kept(&self, teacher: &TransformerCheckpoint, name: &str, tensor: Tensor) -> Option<Tensor> {
        let (part, last) = name.rsplit_once('.')?;
        let (hidden, attended, inner) = (&self.hidden[..], &self.attended[..], &self.inner[..]);
        if let Some(head) = name.strip_prefix("spans.") {
            let width = self.teacher_hidden;
            return match part {
                SpanTensors::SPAN if last == "weight" => {
                    let widths = 2 * width..tensor.shape()[1];
                    let second = hidden.iter().map(|channel| width + channel);
                    Some(tensor.with_columns(&hidden.iter().copied().chain(second).chain(widths).collect::<Vec<_>>()))
                }
                SpanTensors::START | SpanTensors::END if last == "weight" => Some(tensor.with_columns(hidden)),
                _ => (!head.starts_with("type_")).then_some(tensor),
            };
        }
        let names = teacher.names();
        let local = part.strip_prefix(teacher.encoder().name("").as_str())?;
        let of_layer = local.strip_prefix(names.layers).and_then(|rest| rest[1..].split_once('.'));
        let Some((_, local)) = of_layer else {
            let is_table = [Some(names.words), names.positions, names.segments].contains(&Some(local));
            let is_norm = local == names.embedding_norm || names.last_norm == Some(local);
            return match (is_table, is_norm) {
                (true, _) => Some(tensor.with_columns(hidden)),
                (_, true) => Some(tensor.with_chosen_rows(hidden)),
                _ => None,
            };
        };
        let (rows, columns) = if names.query_key_value.contains(&local) {
            (attended, hidden)
        } else if local == names.attention_output {
            (hidden, attended)
        } else if names.up.contains(&local) {
            (inner, hidden)
        } else {
            (hidden, inner)
        };
        let kept = tensor.with_chosen_rows(rows);
        Some(if kept.shape().len() == 2 { kept.with_columns(columns) } else { kept })
    }
}

fn evenly(all: usize, chosen: usize) -> impl Iterator<Item = usize> {
    (0..chosen).map(move |number| number * all / chosen)
}
