//! Groups of digits, which tell `1.5` from `15`.

use std::borrow::Cow;

use crate::{MINUS_SIGNS, NormalizedName};

/// Digits of a group of thousands.
const THOUSANDS: usize = 3;

/// Returns false if two names have the same digits in other groups: `1.5 mg` and `15 mg`, `.5 mg` and `5 mg`, `IL-1/2` and `IL-12`. Thousands
/// may stand apart (`1,000`, `1 000`, `1000`), and so may the fields of an allele (`B*5701`, `B*57:01`) and a charge (`SO₄²⁻`, `SO4(2-)`).
pub fn have_same_digit_groups(one: &str, other: &str) -> bool {
    if has_bare_fraction(one) != has_bare_fraction(other)
        && NormalizedName::new(one).squeezed() == NormalizedName::new(other).squeezed()
    {
        return false;
    }
    if [one, other].iter().any(|name| name.chars().filter(|c| c.is_numeric()).nth(1).is_none()) {
        return true;
    }
    let is_alike = |one: &str, other: &str| {
        let (one, other) = (NormalizedName::new(one), NormalizedName::new(other));
        let (mut groups, mut others) = (groups(&one), groups(&other));
        if one.squeezed() != other.squeezed() {
            groups.sort_unstable();
            others.sort_unstable();
        }
        groups == others || groups.concat().len() != others.concat().len()
    };
    is_alike(one, other)
        || is_alike(&joined(one), &joined(other))
        || [one, other].iter().any(|name| has_charge(name)) && is_alike(&charge_apart(one), &charge_apart(other))
}

/// Returns true for a fraction without a digit before its point (`.5 mg`).
fn has_bare_fraction(name: &str) -> bool {
    name.match_indices('.').any(|(at, _)| begins_fraction(&name[..at], name[at + 1..].chars().next()))
}

/// Returns true if a point between a text and a character begins a fraction without a digit before it.
pub(crate) fn begins_fraction(before: &str, next: Option<char>) -> bool {
    next.is_some_and(|next| next.is_ascii_digit())
        && before.chars().next_back().is_none_or(|before| before.is_whitespace() || before == '(')
}

/// Returns true if a sign stands behind a digit.
fn has_charge(name: &str) -> bool {
    name.char_indices().any(|(at, c)| is_sign(c) && name[..at].ends_with(char::is_numeric))
}

fn is_sign(character: char) -> bool {
    matches!(character, '+' | '\u{207A}') || MINUS_SIGNS.contains(&character)
}

/// Returns the name with a space before each raised digit behind another one, and before the last digit of a number that a sign follows at
/// the end of a word: `SO4 2-` for `SO₄²⁻` and `SO42-`.
fn charge_apart(name: &str) -> String {
    let is_raised = |c: char| matches!(c, '¹' | '²' | '³' | '\u{2070}' | '\u{2074}'..='\u{2079}');
    let mut apart = String::with_capacity(name.len() + 1);
    let mut characters = name.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let is_last = || {
            let mut rest = characters.clone();
            rest.next().is_some_and(is_sign) && rest.next().is_none_or(|next| !next.is_alphanumeric() && !is_sign(next))
        };
        let is_script = is_raised(character) && !is_raised(before);
        if character.is_numeric() && before.is_numeric() && (is_script || is_last()) {
            apart.push(' ');
        }
        apart.push(character);
        before = character;
    }
    apart
}

/// Returns the groups of digits of a name, in order; thousands and the fields of an allele are one group.
pub fn digit_groups(name: &str) -> Vec<String> {
    groups(&NormalizedName::new(&joined(name))).into_iter().map(str::to_owned).collect()
}

fn groups(name: &NormalizedName) -> Vec<&str> {
    name.as_str().split(|c: char| !c.is_numeric()).filter(|group| !group.is_empty()).collect()
}

/// Returns the name without marks between thousands, and between the fields of an allele.
fn joined(name: &str) -> Cow<'_, str> {
    without_marks(name, |mark| matches!(mark, ',' | ':' | '.') || mark.is_whitespace())
}

/// Returns the name without commas between thousands.
pub(crate) fn without_commas(name: &str) -> Cow<'_, str> {
    without_marks(name, |mark| mark == ',')
}

/// Returns the name without those marks between thousands, and between the fields of an allele, that are asked for.
fn without_marks(name: &str, is_mark: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut joined = Cow::Borrowed(name);
    for (at, mark) in name.char_indices().rev().filter(|(_, c)| is_mark(*c)) {
        let (before, after) = (&name[..at], &name[at + mark.len_utf8()..]);
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let following = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_allele = || {
            let allele = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
            digits > 1 && following > 1 && allele.ends_with('*')
        };
        let is_thousands = || {
            let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == mark);
            following == THOUSANDS && (1..=THOUSANDS).contains(&digits) && !before[number.len()..].starts_with('0')
        };
        let is_joined = match mark {
            ':' => is_allele(),
            '.' => is_thousands() && (ends_in_thousands(before) || begins_with_thousands(after)),
            _ => is_thousands(),
        };
        if is_joined {
            joined.to_mut().replace_range(at..at + mark.len_utf8(), "");
        }
    }
    joined
}

/// Returns true if a point and three digits end a number (`1.000` before `.000`); a single point is that of a fraction.
fn ends_in_thousands(before: &str) -> bool {
    let rest = before.trim_end_matches(|c: char| c.is_ascii_digit());
    before.len() - rest.len() == THOUSANDS
        && rest.strip_suffix('.').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()))
}

/// Returns true if a number begins with three digits and a point between digits (`000.000` behind `1.`).
fn begins_with_thousands(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let following = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    after.len() - rest.len() == THOUSANDS && following == THOUSANDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_same_in_the_same_groups_alone() {
        for (one, other, expected) in [
            ("warfarin 1.5 mg", "warfarin 15 mg", false),
            ("warfarin 1,5 mg", "Warfarin 15mg", false),
            ("section 1.12", "section 11.2", false),
            ("lot 1.11", "lot 11.1", false),
            ("IL-1/2", "IL-12", false),
            ("mg 1.5, warfarin", "warfarin 15 mg", false),
            ("1.125 mg", "1125 mg", false),
            ("0,125 mg", "0125 mg", false),
            ("COVID-19", "covid 19", true),
            ("p70 S6K", "p70S6K", true),
            ("pH 7,4", "pH-7.4", true),
            ("1,000 mg", "1000 mg", true),
            ("12 500 000 cells", "12,500,000 cells", true),
            ("HLA-B*5701", "HLA-B*57:01", true),
            ("lot 11 type 1", "type 1, lot 11", true),
            ("W31", "Windows 3", true),
            ("CO²", "CO2", true),
            ("SO₄²⁻", "SO4(2-)", true),
            ("SO₄²⁻", "SO4 2-", true),
            ("SO42-", "SO4(2-)", true),
            ("PO₄³⁻", "PO43-", true),
            ("PO₄³⁻", "PO4(3-)", true),
            ("CD45RA", "CD4 5RA", false),
            ("CD45", "CD4-5", false),
            ("IL-12-R", "IL-1-2-R", false),
            (".5 mg", "5 mg", false),
            (".5 mg", "0.5 mg", true),
            ("foo v.5", "foo v5", true),
            ("1,000,000 units", "1000000 units", true),
            ("0,000,125 mg", "0000125 mg", false),
            ("1.000.000 units", "1000000 units", true),
            ("1.000.000 units", "1,000,000 units", true),
            ("1.000 mg", "1000 mg", false),
            ("1.0.000", "10000", false),
            ("", "", true),
        ] {
            assert_eq!(have_same_digit_groups(one, other), expected, "{one} / {other}");
            assert_eq!(have_same_digit_groups(other, one), expected, "{other} / {one}");
        }
    }
}
