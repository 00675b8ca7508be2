//! Groups of digits, which tell `1.5` from `15`.

use std::borrow::Cow;

use crate::NormalizedName;

/// Digits of a group of thousands.
const THOUSANDS: usize = 3;

/// Returns false if two names have the same digits in other groups: `1.5 mg` and `15 mg`, `IL-1/2` and `IL-12`. Thousands may stand apart
/// (`1,000`, `1 000`, `1000`), and so may the fields of an allele (`B*5701`, `B*57:01`).
pub fn have_same_digit_groups(one: &str, other: &str) -> bool {
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
    is_alike(one, other) || is_alike(&joined(one), &joined(other))
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
    let mut joined = Cow::Borrowed(name);
    for (at, mark) in name.char_indices().rev().filter(|(_, c)| matches!(c, ',' | ':') || c.is_whitespace()) {
        let (before, after) = (&name[..at], &name[at + mark.len_utf8()..]);
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let following = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_allele = || {
            let allele = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
            digits > 1 && following > 1 && allele.ends_with('*')
        };
        let is_thousands = || {
            following == THOUSANDS
                && (1..=THOUSANDS).contains(&digits)
                && !before[before.len() - digits..].starts_with('0')
        };
        if if mark == ':' { is_allele() } else { is_thousands() } {
            joined.to_mut().replace_range(at..at + mark.len_utf8(), "");
        }
    }
    joined
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
            ("", "", true),
        ] {
            assert_eq!(have_same_digit_groups(one, other), expected, "{one} / {other}");
            assert_eq!(have_same_digit_groups(other, one), expected, "{other} / {one}");
        }
    }
}
