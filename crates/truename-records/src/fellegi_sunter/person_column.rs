//! Columns of persons' names, told from names of other things by their words.

use std::collections::HashSet;
use std::sync::LazyLock;

use truename_text::NormalizedName;

/// Most values with a word that no person is called by, and fewest with a known given name.
const MOST_OTHERS: f64 = 0.1;
const LEAST_KNOWN: f64 = 0.1;
/// Frequent given names of several languages, one a line.
const GIVEN_NAMES: &str = include_str!("given_names.txt");
/// Normal forms of the given names.
static GIVEN: LazyLock<HashSet<String>> =
    LazyLock::new(|| GIVEN_NAMES.lines().map(|name| NormalizedName::new(name).as_str().to_owned()).collect());
/// Frequent Chinese, Japanese and Korean family names, which stand first.
const FAMILY_NAMES: &[&str] = &[
    "王", "李", "张", "張", "刘", "劉", "陈", "陳", "杨", "楊", "黄", "黃", "赵", "趙", "吴", "吳", "周", "徐", "孙",
    "孫", "马", "馬", "朱", "胡", "郭", "何", "高", "林", "罗", "羅", "佐藤", "鈴木", "高橋", "田中", "渡辺", "伊藤",
    "山本", "中村", "小林", "加藤", "吉田", "山田", "김", "이", "박", "최", "정", "강", "조", "윤", "장", "임",
];
/// Words of names of places, shops, products and works.
const OTHERS: &[&str] = &[
    "the",
    "of",
    "and",
    "for",
    "with",
    "in",
    "at",
    "on",
    "und",
    "für",
    "et",
    "les",
    "restaurant",
    "cafe",
    "café",
    "caffe",
    "bar",
    "grill",
    "grille",
    "bistro",
    "diner",
    "pub",
    "pizza",
    "pizzeria",
    "trattoria",
    "ristorante",
    "kitchen",
    "steakhouse",
    "deli",
    "bakery",
    "house",
    "hotel",
    "motel",
    "inn",
    "hostel",
    "resort",
    "spa",
    "lounge",
    "club",
    "shop",
    "store",
    "market",
    "center",
    "centre",
    "museum",
    "school",
    "university",
    "college",
    "hospital",
    "clinic",
    "church",
    "park",
    "station",
    "airport",
    "street",
    "company",
    "group",
    "services",
    "service",
    "systems",
    "software",
    "studio",
    "beer",
    "ale",
    "lager",
    "stout",
    "ipa",
    "porter",
    "edition",
    "pro",
    "set",
    "kit",
    "pack",
    "black",
    "white",
    "blue",
];

/// Returns true if the values are names of persons, by known given names, or where columns beside are those of persons.
pub(super) fn are_persons(values: &[&str], is_beside_persons: bool) -> bool {
    let share = |holds: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| holds(value)).count() as f64 / values.len().max(1) as f64
    };
    let has = |value: &str, is_known: &dyn Fn(&str) -> bool| NormalizedName::new(value).tokens().any(is_known);
    let is_known =
        |value: &str| has(value, &is_given_name) || FAMILY_NAMES.iter().any(|name| value.trim().starts_with(name));
    share(&|value| value.contains('&') || has(value, &|word| OTHERS.contains(&word))) < MOST_OTHERS
        && (is_beside_persons || share(&is_known) >= LEAST_KNOWN)
}

/// Returns true for a frequent given name in normal form.
pub(super) fn is_given_name(word: &str) -> bool {
    GIVEN.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_are_told_from_restaurants_and_products() {
        let persons: [&[&str]; 4] = [
            &["John Sample", "Quendler, Anna", "Ulvi Kaya"],
            &["王小明", "陈 伟"],
            &["Marionne, Pierre", "Judith Heath"],
            &["山田太郎", "佐藤 花子"],
        ];
        persons.iter().for_each(|values| assert!(are_persons(values, false), "{values:?}"));
        let others: [&[&str]; 4] = [
            &["Golden Dragon", "Blue Moon Grill", "La Fonda"],
            &["Arnie Morton's of Chicago", "Art's Deli", "Hotel Bel-Air"],
            &["Canon Powershot", "Nikon Coolpix"],
            &["Zwickel Pils", "Amber Ale"],
        ];
        others.iter().for_each(|values| assert!(!are_persons(values, false), "{values:?}"));
        assert!(are_persons(&["Gabu Tilemo", "Kire Natula"], true));
        assert!(!are_persons(&["The Golden Dragon", "Kire Natula"], true));
    }
}
