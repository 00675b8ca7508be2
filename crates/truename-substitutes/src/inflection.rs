//! Forms of English words: which form a word may be in, and a word in that form.
//!
//! By rules of spelling and lists of irregular words. The crate `english` agrees on the words of the tests, but reads no form back and has
//! "beared" and "getten"; `pluralizer` and `Inflector` make "thrombose" of "thromboses".

/// The part of speech of a vocabulary's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartOfSpeech {
    Noun,
    Verb,
    Adjective,
    Adverb,
}

/// A form of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Base,
    /// Plural of a noun, or third person of a verb.
    S,
    Past,
    Participle,
    Gerund,
    Comparative,
    Superlative,
}

/// A base form that a word may be a form of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub base: String,
    pub form: Form,
}

/// Base, past and participle of irregular verbs.
#[rustfmt::skip]
const VERBS: [[&str; 3]; 99] = [
    ["arise", "arose", "arisen"], ["awake", "awoke", "awoken"], ["bear", "bore", "borne"], ["beat", "beat", "beaten"],
    ["become", "became", "become"], ["begin", "began", "begun"], ["bend", "bent", "bent"], ["bind", "bound", "bound"],
    ["bite", "bit", "bitten"], ["bleed", "bled", "bled"], ["blow", "blew", "blown"], ["break", "broke", "broken"],
    ["breed", "bred", "bred"], ["bring", "brought", "brought"], ["build", "built", "built"], ["burst", "burst", "burst"],
    ["buy", "bought", "bought"], ["cast", "cast", "cast"], ["catch", "caught", "caught"], ["choose", "chose", "chosen"],
    ["come", "came", "come"], ["cost", "cost", "cost"], ["creep", "crept", "crept"], ["cut", "cut", "cut"],
    ["deal", "dealt", "dealt"], ["dig", "dug", "dug"], ["do", "did", "done"], ["draw", "drew", "drawn"],
    ["drink", "drank", "drunk"], ["drive", "drove", "driven"], ["eat", "ate", "eaten"], ["fall", "fell", "fallen"],
    ["feed", "fed", "fed"], ["feel", "felt", "felt"], ["fight", "fought", "fought"], ["find", "found", "found"],
    ["flee", "fled", "fled"], ["fly", "flew", "flown"], ["forbid", "forbade", "forbidden"], ["forget", "forgot", "forgotten"],
    ["forgive", "forgave", "forgiven"], ["freeze", "froze", "frozen"], ["get", "got", "got"], ["give", "gave", "given"],
    ["go", "went", "gone"], ["grow", "grew", "grown"], ["hang", "hung", "hung"], ["have", "had", "had"],
    ["hear", "heard", "heard"], ["hide", "hid", "hidden"], ["hit", "hit", "hit"], ["hold", "held", "held"],
    ["hurt", "hurt", "hurt"], ["keep", "kept", "kept"], ["know", "knew", "known"], ["lay", "laid", "laid"],
    ["lead", "led", "led"], ["leave", "left", "left"], ["lend", "lent", "lent"], ["let", "let", "let"],
    ["lose", "lost", "lost"], ["make", "made", "made"], ["mean", "meant", "meant"], ["meet", "met", "met"],
    ["pay", "paid", "paid"], ["put", "put", "put"], ["read", "read", "read"], ["ride", "rode", "ridden"],
    ["ring", "rang", "rung"], ["rise", "rose", "risen"], ["run", "ran", "run"], ["say", "said", "said"],
    ["see", "saw", "seen"], ["seek", "sought", "sought"], ["sell", "sold", "sold"], ["send", "sent", "sent"],
    ["set", "set", "set"], ["shake", "shook", "shaken"], ["shut", "shut", "shut"], ["sing", "sang", "sung"],
    ["sink", "sank", "sunk"], ["sit", "sat", "sat"], ["speak", "spoke", "spoken"], ["spend", "spent", "spent"],
    ["split", "split", "split"], ["spread", "spread", "spread"], ["stand", "stood", "stood"], ["steal", "stole", "stolen"],
    ["strike", "struck", "struck"], ["swim", "swam", "swum"], ["take", "took", "taken"], ["teach", "taught", "taught"],
    ["tear", "tore", "torn"], ["tell", "told", "told"], ["think", "thought", "thought"], ["throw", "threw", "thrown"],
    ["wear", "wore", "worn"], ["win", "won", "won"], ["write", "wrote", "written"],
];

/// Singular and plural of irregular nouns.
#[rustfmt::skip]
const NOUNS: [[&str; 2]; 26] = [
    ["analysis", "analyses"], ["basis", "bases"], ["calf", "calves"], ["child", "children"], ["crisis", "crises"],
    ["criterion", "criteria"], ["foot", "feet"], ["goose", "geese"], ["half", "halves"], ["hypothesis", "hypotheses"],
    ["knife", "knives"], ["leaf", "leaves"], ["life", "lives"], ["loaf", "loaves"], ["man", "men"],
    ["mouse", "mice"], ["person", "people"], ["phenomenon", "phenomena"], ["self", "selves"], ["shelf", "shelves"],
    ["thesis", "theses"], ["thief", "thieves"], ["tooth", "teeth"], ["wife", "wives"], ["wolf", "wolves"],
    ["woman", "women"],
];

/// Base, comparative and superlative of irregular adjectives and adverbs.
const ADJECTIVES: [[&str; 3]; 4] = [
    ["good", "better", "best"],
    ["bad", "worse", "worst"],
    ["far", "farther", "farthest"],
    ["little", "less", "least"],
];

/// Forms of "be", "have" and "get", after which a verb is a participle.
const AUXILIARIES: [&str; 17] = [
    "am", "are", "be", "been", "being", "get", "gets", "getting", "got", "had", "has", "have", "having", "is", "was",
    "were", "gotten",
];

/// Returns whether a verb after these words, the nearest first, is a participle; an adverb may stand between.
pub(super) fn is_after_auxiliary(before: &[&str]) -> bool {
    let is_auxiliary = |word: &&str| AUXILIARIES.contains(&word.to_lowercase().as_str());
    match before {
        [adverb, word, ..] if is_adverb(adverb) => is_auxiliary(word),
        [word, ..] => is_auxiliary(word),
        [] => false,
    }
}

fn is_adverb(word: &str) -> bool {
    word.ends_with("ly") || ["also", "not", "never", "often", "always", "now", "then"].contains(&word)
}

/// Returns the base forms that a word may be a form of, itself first. More than exist: a vocabulary knows which are words.
pub(super) fn readings(word: &str) -> Vec<Reading> {
    let word = word.to_lowercase();
    let mut found = vec![Reading { base: word.clone(), form: Form::Base }];
    let mut add = |base: String, form: Form| {
        let reading = Reading { base, form };
        if reading.base.len() > 1 && !found.contains(&reading) {
            found.push(reading);
        }
    };
    irregular_readings(&word, &mut add);
    let stems = |ending: &str| word.strip_suffix(ending).map(base_spellings).unwrap_or_default();
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        add(format!("{stem}y"), Form::S);
    }
    if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with(['s', 'u', 'i'])) {
        add(stem.to_owned(), Form::S);
    }
    if let Some(stem) = word.strip_suffix("es").filter(|stem| takes_es(stem)) {
        add(stem.to_owned(), Form::S);
    }
    for (ending, form) in
        [("ed", Form::Past), ("ing", Form::Gerund), ("er", Form::Comparative), ("est", Form::Superlative)]
    {
        stems(ending).into_iter().for_each(|base| add(base, form));
    }
    if let Some(stem) = word.strip_suffix("ying") {
        add(format!("{stem}ie"), Form::Gerund);
    }
    found
}

fn irregular_readings(word: &str, add: &mut impl FnMut(String, Form)) {
    for [base, past, participle] in VERBS {
        if word == past {
            add(base.to_owned(), Form::Past);
        } else if word == participle {
            add(base.to_owned(), Form::Participle);
        }
    }
    for [singular, plural] in NOUNS {
        if word == plural {
            add(singular.to_owned(), Form::S);
        }
    }
    for [base, comparative, superlative] in ADJECTIVES {
        if word == comparative {
            add(base.to_owned(), Form::Comparative);
        } else if word == superlative {
            add(base.to_owned(), Form::Superlative);
        }
    }
    for (verb, third) in [("do", "does"), ("go", "goes"), ("have", "has")] {
        if word == third {
            add(verb.to_owned(), Form::S);
        }
    }
}

/// Returns the bases that give a stem when "ed", "ing", "er" or "est" is added: "tri" of "try", "stopp" of "stop", "us" of "use".
fn base_spellings(stem: &str) -> Vec<String> {
    let letters: Vec<char> = stem.chars().collect();
    if letters.len() < 2 || !letters.iter().any(|letter| is_vowel(*letter) || *letter == 'y') {
        return Vec::new();
    }
    let mut bases = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(stem) = stem.strip_suffix('i') {
        bases.push(format!("{stem}y"));
    }
    if let [.., one, other] = letters[..]
        && one == other
        && !is_vowel(one)
    {
        bases.push(stem[..stem.len() - other.len_utf8()].to_owned());
    }
    bases
}

/// Returns whether a part of speech has a form.
pub(super) fn has_form(part: PartOfSpeech, form: Form) -> bool {
    match form {
        Form::Base => true,
        Form::S => matches!(part, PartOfSpeech::Noun | PartOfSpeech::Verb),
        Form::Past | Form::Participle | Form::Gerund => part == PartOfSpeech::Verb,
        Form::Comparative | Form::Superlative => matches!(part, PartOfSpeech::Adjective | PartOfSpeech::Adverb),
    }
}

/// Returns a word or phrase in a form. Of a phrase a noun's last word is changed ("fuel tanks"), else its first ("puts out").
pub(super) fn inflected(phrase: &str, part: Option<PartOfSpeech>, form: Form) -> String {
    if form == Form::Base {
        return phrase.to_owned();
    }
    if let Some(PartOfSpeech::Adjective | PartOfSpeech::Adverb) = part {
        return compared(phrase, form);
    }
    let split = match part {
        Some(PartOfSpeech::Noun) => {
            phrase.rsplit_once(' ').map(|(before, last)| (format!("{before} "), last, String::new()))
        }
        _ => phrase.split_once(' ').map(|(first, behind)| (String::new(), first, format!(" {behind}"))),
    };
    let (before, word, behind) = split.unwrap_or((String::new(), phrase, String::new()));
    format!("{before}{}{behind}", inflected_word(word, form))
}

fn inflected_word(word: &str, form: Form) -> String {
    let verb = VERBS.iter().find(|verb| verb[0] == word);
    match (form, verb) {
        (Form::Base, _) => word.to_owned(),
        (Form::S, _) => with_s(word),
        (Form::Past, Some(verb)) => verb[1].to_owned(),
        (Form::Participle, Some(verb)) => verb[2].to_owned(),
        (Form::Past | Form::Participle, None) => with_vowel_ending(word, "ed"),
        (Form::Gerund, _) => gerund(word),
        (Form::Comparative | Form::Superlative, _) => compared(word, form),
    }
}

fn with_s(word: &str) -> String {
    let irregular = NOUNS.iter().find(|noun| noun[0] == word).map(|noun| noun[1]);
    match (word, irregular) {
        (_, Some(plural)) => plural.to_owned(),
        ("have", _) => "has".to_owned(),
        _ if takes_es(word) => format!("{word}es"),
        _ => match consonant_y(word) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{word}s"),
        },
    }
}

/// Returns whether "es" and not "s" is added.
fn takes_es(word: &str) -> bool {
    let sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end));
    sibilant || ["do", "go", "echo", "hero", "potato", "tomato", "veto"].contains(&word)
}

fn gerund(word: &str) -> String {
    match word.strip_suffix("ie") {
        Some(stem) => format!("{stem}ying"),
        None if ["ee", "oe", "ye"].iter().any(|end| word.ends_with(end)) => format!("{word}ing"),
        None if word == "be" => "being".to_owned(),
        None if consonant_y(word).is_some() => format!("{word}ing"),
        None => with_vowel_ending(word, "ing"),
    }
}

/// Adds an ending that begins with a vowel: "used", "stopped", "tried".
fn with_vowel_ending(word: &str, ending: &str) -> String {
    if let Some(stem) = word.strip_suffix('e') {
        return format!("{stem}{ending}");
    }
    if let Some(stem) = consonant_y(word) {
        return format!("{stem}i{ending}");
    }
    if doubles(word) {
        let last = &word[word.len() - 1..];
        return format!("{word}{last}{ending}");
    }
    format!("{word}{ending}")
}

/// Returns a word without the "y" that stands behind a consonant.
fn consonant_y(word: &str) -> Option<&str> {
    word.strip_suffix('y').filter(|stem| stem.chars().next_back().is_some_and(|letter| !is_vowel(letter)))
}

/// Returns whether the last consonant is doubled: after a single vowel, in words of one syllable and in those stressed on the last.
fn doubles(word: &str) -> bool {
    /// Endings of longer verbs that are stressed on the last syllable.
    const STRESSED: [&str; 13] = [
        "admit", "begin", "commit", "control", "equip", "forget", "permit", "prefer", "occur", "refer", "regret",
        "submit", "transfer",
    ];
    let letters: Vec<char> = word.chars().collect();
    let [.., before, vowel, last] = letters[..] else { return false };
    let ends = !is_vowel(before) && is_vowel(vowel) && !is_vowel(last) && !['w', 'x', 'y'].contains(&last);
    let syllables = letters.windows(2).filter(|two| is_vowel(two[0]) && !is_vowel(two[1])).count();
    last.is_ascii() && ends && (syllables == 1 || STRESSED.contains(&word))
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Returns the comparative or superlative: an ending on short words, "more" and "most" before others.
fn compared(word: &str, form: Form) -> String {
    let (column, ending, before) = match form {
        Form::Comparative => (1, "er", "more"),
        Form::Superlative => (2, "est", "most"),
        _ => return word.to_owned(),
    };
    if let Some(irregular) = ADJECTIVES.iter().find(|adjective| adjective[0] == word) {
        return irregular[column].to_owned();
    }
    let letters: Vec<char> = word.chars().collect();
    let syllables = letters.windows(2).filter(|two| is_vowel(two[0]) && !is_vowel(two[1])).count();
    // "early" has forms of its own, "quickly" has none.
    let is_adverb = word.ends_with("ly") && letters.len() > 5;
    let is_short = !word.contains(' ') && !is_adverb && (syllables <= 1 || consonant_y(word).is_some());
    if is_short { with_vowel_ending(word, ending) } else { format!("{before} {word}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_inflected() {
        use Form::*;
        use PartOfSpeech::*;
        let cases = [
            ("part", Noun, S, "parts"),
            ("box", Noun, S, "boxes"),
            ("city", Noun, S, "cities"),
            ("day", Noun, S, "days"),
            ("child", Noun, S, "children"),
            ("fuel tank", Noun, S, "fuel tanks"),
            ("put out", Verb, S, "puts out"),
            ("catch", Verb, S, "catches"),
            ("have", Verb, S, "has"),
            ("use", Verb, Past, "used"),
            ("stop", Verb, Past, "stopped"),
            ("visit", Verb, Past, "visited"),
            ("refer", Verb, Participle, "referred"),
            ("carry", Verb, Past, "carried"),
            ("play", Verb, Past, "played"),
            ("cook", Verb, Past, "cooked"),
            ("show", Verb, Past, "showed"),
            ("take", Verb, Past, "took"),
            ("take", Verb, Participle, "taken"),
            ("make up", Verb, Participle, "made up"),
            ("use", Verb, Gerund, "using"),
            ("run", Verb, Gerund, "running"),
            ("carry", Verb, Gerund, "carrying"),
            ("die", Verb, Gerund, "dying"),
            ("see", Verb, Gerund, "seeing"),
            ("big", Adjective, Comparative, "bigger"),
            ("easy", Adjective, Superlative, "easiest"),
            ("large", Adjective, Comparative, "larger"),
            ("important", Adjective, Comparative, "more important"),
            ("quickly", Adverb, Superlative, "most quickly"),
            ("good", Adjective, Superlative, "best"),
            ("good", Adjective, Comparative, "better"),
            ("arid", Adjective, Base, "arid"),
        ];
        for (word, part, form, expected) in cases {
            assert_eq!(inflected(word, Some(part), form), expected, "{word} {form:?}");
        }
        assert_eq!(inflected("move on", None, Past), "moved on", "of an unknown part of speech the first word");
    }

    #[test]
    fn a_form_is_read_back_from_each_word() {
        use PartOfSpeech::*;
        for word in ["use", "stop", "carry", "play", "take", "visit", "catch", "die", "go", "write", "refer"] {
            for form in [Form::S, Form::Past, Form::Participle, Form::Gerund] {
                let inflected = inflected(word, Some(Verb), form);
                let is_it = |reading: &Reading| reading.base == word;
                assert!(readings(&inflected).iter().any(is_it), "{inflected} of {word}");
            }
        }
        for word in ["city", "box", "day", "life", "part", "analysis"] {
            let plural = inflected(word, Some(Noun), Form::S);
            assert!(readings(&plural).contains(&Reading { base: word.into(), form: Form::S }), "{plural} of {word}");
        }
        for word in ["big", "easy", "large", "good"] {
            let most = inflected(word, Some(Adjective), Form::Superlative);
            assert!(
                readings(&most).contains(&Reading { base: word.into(), form: Form::Superlative }),
                "{most} of {word}"
            );
        }
    }

    #[test]
    fn a_word_is_its_own_base_first() {
        assert_eq!(readings("Gas")[0], Reading { base: "gas".into(), form: Form::Base });
        assert_eq!(readings("bus").len(), 1, "no plural in -us");
        assert_eq!(readings("sing").len(), 1, "no verb without a vowel");
    }

    #[test]
    fn a_verb_behind_an_auxiliary_is_a_participle() {
        assert!(is_after_auxiliary(&["was", "water"]));
        assert!(is_after_auxiliary(&["widely", "is"]));
        assert!(!is_after_auxiliary(&["water", "was"]));
        assert!(!is_after_auxiliary(&[]));
    }
}
