//! Any two names are folded, cut into n-grams and compared without a panic.
#![no_main]

use truename_text::{Key, NameProfile, similarity};

libfuzzer_sys::fuzz_target!(|names: (String, String)| {
    let (left, right) = (NameProfile::new(&names.0), NameProfile::new(&names.1));
    let weights = |profile: &NameProfile| vec![1.0; profile.tokens.len()];
    let _ = (left.grams(), left.keys().meet(&right.keys()), Key::deletions(&left.normalized));
    let _ = similarity::token_overlap(&left, &right, &weights(&left), &weights(&right));
    let _ = (similarity::token_set_ratio(&left, &right), similarity::acronym_fit(&left, &right));
});
