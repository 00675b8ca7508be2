//! The distinct texts of a column.

use std::collections::HashMap;

/// Distinct texts, numbered as they come.
#[derive(Default)]
pub(crate) struct DistinctTexts {
    numbers: HashMap<String, u32>,
}

impl DistinctTexts {
    /// Returns the number of a text; none if it is empty.
    pub(crate) fn number(&mut self, text: &str) -> Option<u32> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        Some(number)
    }

    /// Returns the texts by number.
    pub(crate) fn in_order(&self) -> Vec<&str> {
        let mut texts: Vec<(&str, u32)> = self.numbers.iter().map(|(text, number)| (text.as_str(), *number)).collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        texts.into_iter().map(|(text, _)| text).collect()
    }
}
