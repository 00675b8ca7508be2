//! The distinct texts of a column.

use std::borrow::Cow;
use std::collections::HashMap;

/// Distinct texts, numbered as they come. Those that are borrowed stay so.
#[derive(Default)]
pub(crate) struct DistinctTexts<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
}

impl<'a> DistinctTexts<'a> {
    /// Returns the number of a text; none if it is empty.
    pub(crate) fn number(&mut self, text: Cow<'a, str>) -> Option<u32> {
        let next = self.numbers.len() as u32;
        trimmed(text).map(|text| *self.numbers.entry(text).or_insert(next))
    }

    /// Returns the texts by number.
    pub(crate) fn in_order(&self) -> Vec<&str> {
        let mut texts: Vec<(&str, u32)> = self.numbers.iter().map(|(text, number)| (&**text, *number)).collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        texts.into_iter().map(|(text, _)| text).collect()
    }
}

/// Returns a text without blanks around it; none if it is empty.
pub(crate) fn trimmed(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let text = match text {
        Cow::Borrowed(text) => text.trim().into(),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!text.is_empty()).then_some(text)
}
