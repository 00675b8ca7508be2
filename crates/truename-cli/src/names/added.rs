//! Columns or fields added to each row.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;
use truename::Link;
use truename_read::folded;
use truename_view::{probability, suggestion};

/// Columns added to every row.
const ALWAYS: [&str; 4] = ["id", "matched_name", "preferred_name", "probability"];

/// Columns or fields added to a row, in order.
pub struct AddedColumns {
    pub names: Vec<String>,
    options: AnswerOptions,
}

/// Parts of an answer that are asked for.
#[derive(Clone, Copy, Default)]
pub struct AnswerOptions {
    /// Number of candidates.
    pub top: usize,
    /// The best candidate of a name that is NIL.
    pub suggest: bool,
    pub explain: bool,
}

impl AddedColumns {
    /// Chooses names that no present column has.
    pub fn beside<'a>(present: impl IntoIterator<Item = &'a String>, options: AnswerOptions) -> Self {
        let AnswerOptions { top, suggest, explain } = options;
        let mut plain = ALWAYS.to_vec();
        let further =
            [("suggested_id", suggest), ("suggested_name", suggest), ("candidates", top > 1), ("explanation", explain)];
        plain.extend(further.into_iter().filter(|(_, is_asked)| *is_asked).map(|(name, _)| name));
        let names = free_names(present, &plain);
        Self { names, options }
    }

    /// Returns the values of one row; a missing id or name is null.
    pub fn values(&self, link: &Link) -> Vec<Value> {
        let answer = link.answer();
        let text = |of: Option<&str>| of.map_or(Value::Null, Value::from);
        let mut values = vec![
            text(answer.map(|candidate| candidate.id.as_str())),
            text(answer.map(|candidate| candidate.matched_name.as_str())),
            text(answer.map(|candidate| candidate.preferred_name.as_str())),
            probability(link).into(),
        ];
        if self.options.suggest {
            let suggested = suggestion(link);
            values.push(text(suggested.map(|candidate| candidate.id.as_str())));
            values.push(text(suggested.map(|candidate| candidate.preferred_name.as_str())));
        }
        if self.options.top > 1 {
            values.push(link.candidates.iter().map(|candidate| candidate.id.as_str()).collect());
        }
        if self.options.explain {
            values.push(text(link.explanation.as_deref()));
        }
        values
    }
}

/// Returns names that no present column has, ignoring capitals and blanks: the plain names, else all with the prefix
/// `truename_`, else with a number appended too.
pub fn free_names<'a>(present: impl IntoIterator<Item = &'a (impl AsRef<str> + 'a)>, plain: &[&str]) -> Vec<String> {
    let taken: HashSet<String> = present.into_iter().map(|column| folded(column.as_ref())).collect();
    let is_free = |names: &Vec<String>| names.iter().all(|name| !taken.contains(name));
    let as_they_are = plain.iter().map(|name| (*name).to_owned()).collect();
    let prefixed = plain.iter().map(|name| format!("truename_{name}")).collect();
    let numbered = (2..).map(|number| plain.iter().map(|name| format!("truename_{name}_{number}")).collect());
    [as_they_are, prefixed].into_iter().chain(numbered).find(is_free).unwrap_or_default()
}

/// Formats a value of [`AddedColumns::values`] as a cell of text; null is empty.
pub fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(ids) => ids.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|").into(),
        number => format!("{:.4}", number.as_f64().unwrap_or_default()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_columns_have_names_of_their_own() {
        assert_eq!(free_names(&["a"], &["cluster", "probability"]), ["cluster", "probability"]);
        assert_eq!(free_names(&["Cluster "], &["cluster", "p"]), ["truename_cluster", "truename_p"]);
        assert_eq!(free_names(&["cluster", "truename_cluster"], &["cluster"]), ["truename_cluster_2"]);
    }
}
