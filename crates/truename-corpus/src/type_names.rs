//! Types of a corpus with the names that they have elsewhere.

use std::collections::BTreeMap;

use truename_text::Document;

/// The types of a corpus that count, each with its name in a recipe or a knowledge base.
///
/// ```
/// use truename_corpus::TypeNames;
///
/// let names: TypeNames = [("SpecificDisease", "Disease"), ("Chemical", "Chemical")].into_iter().collect();
/// assert_eq!(names.of("SpecificDisease"), Some("Disease"));
/// assert_eq!(names.of("Modifier"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeNames(BTreeMap<String, String>);

impl TypeNames {
    /// Returns the name of a type; `None` if the type does not count. If one type alone counts, mentions without a type are of that type.
    pub fn of(&self, mention_type: &str) -> Option<&str> {
        let only = || self.0.values().next().filter(|_| mention_type.is_empty() && self.0.len() == 1);
        self.0.get(mention_type).or_else(only).map(String::as_str)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// Gives the mentions of a document the names of their types, and removes those of types that do not count.
    pub fn apply(&self, document: &mut Document) {
        document.mentions.retain_mut(|mention| {
            let name = self.of(&mention.mention_type).map(str::to_owned);
            name.map(|name| mention.mention_type = name).is_some()
        });
    }
}

impl<T: Into<String>, N: Into<String>> FromIterator<(T, N)> for TypeNames {
    fn from_iter<I: IntoIterator<Item = (T, N)>>(names: I) -> Self {
        Self(names.into_iter().map(|(mention_type, name)| (mention_type.into(), name.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use truename_text::{Mention, Span};

    use super::*;

    #[test]
    fn types_are_renamed_or_left_out() {
        let names: TypeNames = [("A", "X"), ("B", "X")].into_iter().collect();
        let mention = |mention_type| Mention::new(Span::new(0, 1), mention_type, None);
        let mut document = Document::new("1", "a");
        document.mentions = ["A", "", "C", "B"].map(mention).to_vec();
        names.apply(&mut document);
        assert_eq!(document.mentions, ["X", "X"].map(mention));
        let one: TypeNames = [("A", "X")].into_iter().collect();
        assert_eq!((one.of(""), one.of("B")), (Some("X"), None));
    }
}
