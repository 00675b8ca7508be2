//! Comparisons of two values of a column, one file a type of column: each gives a level of agreement.

mod address;
mod code;
mod company;
mod coordinates;
mod date;
mod email;
mod name_part;
mod number;
mod person_name;
mod phone;
mod text;
mod words;

pub(super) use self::address::Address;
pub(super) use self::code::Code;
pub(super) use self::company::Company;
pub(super) use self::coordinates::Coordinates;
pub(super) use self::email::Email;
pub(super) use self::name_part::NamePart;
pub(super) use self::person_name::PersonName;
pub(super) use self::phone::Phone;
pub(super) use self::text::Texts;
pub(super) use self::words::are_spellings;

/// A level of agreement of two values, with its probabilities before any table is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Name in reports.
    pub name: &'static str,
    /// Probability of the level among pairs of the same thing.
    pub m: f64,
    /// Probability of the level among other pairs.
    pub u: f64,
}

pub(super) const fn level(name: &'static str, m: f64, u: f64) -> Level {
    Level { name, m, u }
}

/// A value of a column, taken apart once.
pub(super) trait Comparison: Sized {
    /// The levels of agreement, from `differs` to `equal`.
    const LEVELS: &'static [Level];

    /// Takes a value apart; none if it says nothing.
    fn parse(text: &str) -> Option<Self>;

    /// Returns the text that equal values share.
    fn key(&self) -> String;

    /// Returns the level of agreement with another value whose key differs.
    fn level(&self, other: &Self) -> usize;

    /// Returns true if the values tell two things apart.
    fn contradicts(&self, _other: &Self) -> bool {
        false
    }
}

/// The distinct texts of a column taken apart, by number.
pub(super) trait Values: Send + Sync {
    /// Returns the level of agreement of two texts whose keys differ.
    fn level(&self, left: u32, right: u32) -> usize;

    /// Returns true if two texts tell two things apart.
    fn contradict(&self, _left: u32, _right: u32) -> bool {
        false
    }

    /// Returns the n-grams of the texts, each with the number of texts that have it; none where these are compared otherwise.
    fn grams(&self) -> Vec<(u64, u32)> {
        Vec::new()
    }

    /// Weighs the n-grams by their counts among so many texts.
    fn take_counts(&mut self, _texts: usize, _count: &dyn Fn(u64) -> u32) {}
}

impl<C: Comparison + Send + Sync> Values for Vec<C> {
    fn level(&self, left: u32, right: u32) -> usize {
        self[left as usize].level(&self[right as usize])
    }

    fn contradict(&self, left: u32, right: u32) -> bool {
        self[left as usize].contradicts(&self[right as usize])
    }
}

/// Returns the name of the level of two texts.
#[cfg(test)]
fn agreement<C: Comparison>(left: &str, right: &str) -> &'static str {
    let (left, right) = (C::parse(left).unwrap(), C::parse(right).unwrap());
    if left.key() == right.key() { "equal" } else { C::LEVELS[left.level(&right)].name }
}
