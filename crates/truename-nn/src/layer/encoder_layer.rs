//! Encoder layers of the BERT family: fused on the CPU, composed elsewhere.

use burn_tensor::{Device, Tensor};
use truename_infer::{Error, TransformerCheckpoint};

use super::pass::Pass;
use super::{Attention, DistanceMaps, FeedForward, Linear, Norm, dropped};
use crate::fused::{self, LayerShape, PerInput, PerParameter, primitive};
use crate::parameter::Parameter;

/// Attention and feed-forward, each with its dropout, its residual and its norm.
#[derive(Clone, Debug)]
pub(crate) struct EncoderLayer {
    pub attention: Attention,
    pub attention_norm: Option<Norm>,
    pub feed_forward: FeedForward,
    pub feed_forward_norm: Norm,
    /// True where norms are of the parts' inputs, false where they are of the sums with the residuals.
    pub has_norms_before: bool,
}

/// Queries, keys and values, the first map of the feed-forward part, and the norm of attention.
type FusedParts<'a> = ([&'a Linear; 3], &'a Linear, &'a Norm);

impl EncoderLayer {
    pub fn load(checkpoint: &TransformerCheckpoint, number: usize, device: &Device) -> Result<Self, Error> {
        let config = checkpoint.config();
        let (hidden, inner, epsilon) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        let (names, form) = (checkpoint.names(), checkpoint.layer_form(number)?);
        let scope = checkpoint.encoder().at(&names.layer(number));
        let linear = |name: &str, inputs, outputs| Linear::load(&scope.at(name), inputs, outputs, device);
        let linears = |names: &[&str], outputs: usize| {
            names.iter().map(|name| linear(name, hidden, outputs / names.len())).collect::<Result<Vec<_>, Error>>()
        };
        let norm = |name: &str| Norm::load(&scope.at(name), hidden, epsilon, device);
        let distance_maps = form.disentangled.map(|form| DistanceMaps::load(form, &scope, hidden, device));
        Ok(Self {
            attention: Attention {
                query_key_value: linears(names.query_key_value, 3 * hidden)?,
                output: linear(names.attention_output, hidden, hidden)?,
                heads: config.num_attention_heads,
                rotary: form.rotary,
                distance_maps: distance_maps.transpose()?,
            },
            attention_norm: form.has_attention_norm.then(|| norm(names.attention_norm)).transpose()?,
            feed_forward: FeedForward {
                up: linears(names.up, if form.is_gated { 2 * inner } else { inner })?,
                down: linear(names.down, inner, hidden)?,
                activation: checkpoint.activation()?,
                is_gated: form.is_gated,
            },
            feed_forward_norm: norm(names.feed_forward_norm)?,
            has_norms_before: form.has_norms_before,
        })
    }

    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
        if pass.is_fused
            && fused::runs_on(&states.device())
            && let Some(parts) = self.fused_parts()
        {
            return self.fused(states, pass, parts);
        }
        let (before, after) = if self.has_norms_before { (true, false) } else { (false, true) };
        let norm = |is_here: bool, norm: Option<&Norm>, states: Tensor<2>| match norm.filter(|_| is_here) {
            Some(norm) => norm.forward(states),
            None => states,
        };
        let (attention_norm, feed_forward_norm) = (self.attention_norm.as_ref(), Some(&self.feed_forward_norm));
        let input = norm(before, attention_norm, states.clone());
        let attended = dropped(self.attention.forward(input, pass), pass.dropout.at(1));
        let states = norm(after, attention_norm, states + attended);
        let input = norm(before, feed_forward_norm, states.clone());
        let fed = dropped(self.feed_forward.forward(input), pass.dropout.at(2));
        norm(after, feed_forward_norm, states + fed)
    }

    /// The parts of a layer of BERT's form, which runs as one operation.
    fn fused_parts(&self) -> Option<FusedParts<'_>> {
        let (attention, is_gated) = (&self.attention, self.feed_forward.is_gated);
        let has_plain_attention = attention.rotary.is_none() && attention.distance_maps.is_none();
        let is_of_bert = has_plain_attention && !self.has_norms_before && !is_gated;
        match (&self.attention.query_key_value[..], &self.feed_forward.up[..], &self.attention_norm) {
            ([query, key, value], [up], Some(norm)) if is_of_bert => Some(([query, key, value], up, norm)),
            _ => None,
        }
    }

    /// The layer as one operation.
    fn fused(&self, states: Tensor<2>, pass: &Pass, parts: FusedParts) -> Tensor<2> {
        let (attention, feed_forward) = (&self.attention, &self.feed_forward);
        let ([query, key, value], up, attention_norm) = parts;
        let ([_, width], device) = (states.dims(), states.device());
        let pair = |weight: &Parameter, bias: &Parameter| {
            let [weight, bias] = [weight, bias].map(|parameter| primitive(parameter.vector()));
            PerParameter { weight, bias }
        };
        let map = |linear: &Linear| pair(&linear.weight, &linear.bias);
        let norm = |norm: &Norm| pair(&norm.scale, &norm.shift);
        let no_bias = || Tensor::<2>::zeros([1, 1], &device);
        let inputs = PerInput {
            states: primitive(states),
            query: map(query),
            key: map(key),
            value: map(value),
            output: map(&attention.output),
            attention_norm: norm(attention_norm),
            up: map(up),
            down: map(&feed_forward.down),
            norm: norm(&self.feed_forward_norm),
            bias: primitive(pass.bias.clone().unwrap_or_else(no_bias)),
        };
        let shape = LayerShape {
            layout: pass.layout.clone(),
            width,
            heads: attention.heads,
            epsilons: [attention_norm.epsilon, self.feed_forward_norm.epsilon],
            activation: feed_forward.activation,
            dropout: pass.dropout,
            has_bias: pass.bias.is_some(),
        };
        fused::encoder_layer(inputs, shape)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters: Vec<&mut Parameter> = self.attention.parameters().collect();
        parameters.extend(self.attention_norm.iter_mut().flat_map(Norm::parameters));
        parameters.extend(self.feed_forward.parameters());
        parameters.extend(self.feed_forward_norm.parameters());
        parameters
    }
}
