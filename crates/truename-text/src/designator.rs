//! Numbers, single letters and signs, which alone tell names of one kind apart.

use std::borrow::Cow;

use crate::alternative::other_numeral;
use crate::key::variant_of;
use crate::normalize::is_greek_letter;
use crate::{Rotation, spelt_out};

/// The words of a name and its designators: numbers (`type 2`, `IPv6`, `factor VIII`, `third`), letters that stand alone (`hepatitis C`,
/// `(R)-limonene`) and signs (`CD4+`, `(-)-catechin`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Designators {
    pieces: Vec<Piece>,
    /// True if it lists names or numbers whose order tells nothing (`IL-2 and IL-4`, `CD4/CD8`).
    is_list: bool,
    rotation: Option<Rotation>,
}

/// A piece of a name, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Word(String),
    /// The parts of a number between dots, leading zeros left out.
    Number(Vec<String>),
    /// A Latin letter that stands alone or behind a number, or a Greek one, spelt out.
    Letter(String),
    /// `+` or `-` behind a word, in brackets or without them; so are `positive` and `negative`.
    Sign(char),
}

impl Designators {
    /// Takes a name apart.
    pub fn of(name: &str) -> Self {
        let spelt = with_ordinals(spelt_out(name));
        let runs = runs(&spelt);
        let mut pieces = Vec::with_capacity(runs.len());
        let (mut before, mut lists) = ("", Vec::with_capacity(runs.len()));
        for (at, run) in runs.iter().enumerate() {
            let is_glued_behind = at > 0 && runs[at - 1].end == run.start;
            let is_marked = at > 0 && is_code(&spelt[runs[at - 1].start..runs[at - 1].end], runs[at - 1].kind);
            let is_glued_before = runs.get(at + 1).is_some_and(|next| next.start == run.end && next.is_number());
            let (text, known) = (&spelt[run.start..run.end], pieces.len());
            match run.kind {
                Kind::Letters if is_glued_behind && runs[at - 1].is_number() && is_ordinal_ending(text) => {}
                Kind::Letters if is_marked && sign_of(text).is_some() => pieces.extend(sign_of(text).map(Piece::Sign)),
                Kind::Sign => pieces.push(Piece::Sign(if text == "+" { '+' } else { '-' })),
                Kind::Number => pieces.push(number(text)),
                Kind::Letters if is_glued_behind && runs[at - 1].is_number() && text.chars().count() == 1 => {
                    pieces.push(Piece::Letter(text.to_lowercase()));
                }
                Kind::Letters if is_glued_before && !is_greek_letter(&text.to_lowercase()) => {
                    pieces.push(Piece::Word(text.to_lowercase()))
                }
                Kind::Letters => push_letters(text, before, at + 1 == runs.len(), &mut pieces),
            }
            let is_listed = at > 0 && spelt[runs[at - 1].end..run.start].trim_end() == ",";
            lists.resize(pieces.len(), false);
            if let Some(first) = lists.get_mut(known) {
                *first = is_listed;
            }
            before = if run.kind == Kind::Letters { text } else { "" };
        }
        Self { pieces: in_order(pieces, &lists), is_list: is_list(&spelt), rotation: Rotation::of(name) }
    }

    /// Returns true if the name has none.
    pub fn is_empty(&self) -> bool {
        self.rotation.is_none() && self.pieces.iter().all(|piece| matches!(piece, Piece::Word(_)))
    }

    /// Returns true if two names differ in a designator and, but for further words of one of them, in nothing else: `type 1 diabetes` and
    /// `type 2 diabetes mellitus`, `CD4+ T cell` and `CD4- T cell`. A designator that one name lacks contradicts none.
    pub fn contradict(&self, other: &Self) -> bool {
        if !has_words_of(self, other) && !has_words_of(other, self) {
            return false;
        }
        if let (Some(one), Some(other)) = (self.rotation, other.rotation)
            && one != other
        {
            return true;
        }
        if self.has_shape_of(other) {
            return self.pieces.iter().zip(&other.pieces).any(|(one, other)| !agree(one, other));
        }
        (0..self.pieces.len()).any(|at| (0..other.pieces.len()).any(|place| self.differ(at, other, place)))
    }

    /// Returns true if two names have the same words in the same places, with as many designators between them.
    fn has_shape_of(&self, other: &Self) -> bool {
        let is_alike = |(one, other): (&Piece, &Piece)| match (one, other) {
            (Piece::Word(one), Piece::Word(other)) => one == other,
            (Piece::Number(_) | Piece::Letter(_), Piece::Number(_) | Piece::Letter(_))
            | (Piece::Sign(_), Piece::Sign(_)) => true,
            _ => false,
        };
        let is_list = self.is_list || other.is_list;
        !is_list && self.pieces.len() == other.pieces.len() && self.pieces.iter().zip(&other.pieces).all(is_alike)
    }

    /// Returns true if two pieces are designators of the same word with other values, neither of which the other name has.
    fn differ(&self, at: usize, other: &Self, place: usize) -> bool {
        let (one, two) = (&self.pieces[at], &other.pieces[place]);
        match (one, two) {
            (Piece::Sign(one), Piece::Sign(two)) if one != two => self.has_place_of(at, other, place),
            (Piece::Number(_) | Piece::Letter(_), Piece::Number(_) | Piece::Letter(_)) => {
                let is_in = |piece: &Piece, pieces: &[Piece]| pieces.iter().any(|other| agree(piece, other));
                self.has_place_of(at, other, place) && !is_in(one, &other.pieces) && !is_in(two, &self.pieces)
            }
            _ => false,
        }
    }

    /// Returns true if two pieces stand behind the same piece or, at the start, before the same one.
    fn has_place_of(&self, at: usize, other: &Self, place: usize) -> bool {
        match (self.pieces[..at].last(), other.pieces[..place].last()) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.pieces.get(at + 1).is_some_and(|next| Some(next) == other.pieces.get(place + 1)),
            _ => false,
        }
    }

    fn words(&self) -> impl Iterator<Item = &String> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Word(word) => Some(word),
            _ => None,
        })
    }
}

/// Returns the pieces with those of each list of designators between commas sorted: `(5S,3R)` and `(3R,5S)` are the same. `begin_item`: for
/// each piece, whether a comma stands before it.
fn in_order(pieces: Vec<Piece>, begin_item: &[bool]) -> Vec<Piece> {
    let is_word = |piece: &Piece| matches!(piece, Piece::Word(_));
    let mut ordered = Vec::with_capacity(pieces.len());
    for part in pieces.chunk_by(|one, other| is_word(one) == is_word(other)) {
        let start = ordered.len();
        let mut items: Vec<Vec<Piece>> = Vec::new();
        for (at, piece) in part.iter().enumerate() {
            match items.last_mut().filter(|_| !begin_item[start + at]) {
                Some(item) => item.push(piece.clone()),
                None => items.push(vec![piece.clone()]),
            }
        }
        if !is_word(&part[0]) {
            items.sort();
        }
        ordered.extend(items.into_iter().flatten());
    }
    ordered
}

/// Returns true if a name has a conjunction, or a slash outside brackets.
fn is_list(name: &str) -> bool {
    let is_open = |at: usize| name[..at].matches(['(', '[']).count() > name[..at].matches([')', ']']).count();
    let has_slash = || name.match_indices('/').any(|(at, _)| !is_open(at));
    name.contains('&') || has_slash() || name.split_whitespace().any(|word| matches!(word, "and" | "or"))
}

/// Returns true if the first name has all words of the second, and that has some.
fn has_words_of(one: &Designators, other: &Designators) -> bool {
    let mut words = other.words().peekable();
    words.peek().is_some() && words.all(|word| one.words().any(|known| known == word))
}

/// Returns true if two designators may have the same value: `3` and `3.0`, `a` and `alpha`, `1` and `I`.
fn agree(one: &Piece, other: &Piece) -> bool {
    match (one, other) {
        (Piece::Number(one), Piece::Number(other)) => one.iter().zip(other).all(|(one, other)| one == other),
        (Piece::Letter(one), Piece::Letter(other)) if one.len() == 1 || other.len() == 1 => {
            one.chars().next() == other.chars().next()
        }
        (Piece::Number(number), Piece::Letter(letter)) | (Piece::Letter(letter), Piece::Number(number)) => {
            LOOK_ALIKES.iter().any(|(digits, letters)| number[..] == [*digits] && letters.contains(letter.as_str()))
        }
        _ => one == other,
    }
}

/// Numbers with the letters that are read or meant for them: a Roman numeral, or of the same shape. Zero has no digits left.
const LOOK_ALIKES: [(&str, &str); 4] = [("", "o"), ("1", "il"), ("5", "v"), ("10", "x")];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Letters,
    Number,
    Sign,
}

/// A run of characters of one kind.
struct Run {
    kind: Kind,
    start: usize,
    end: usize,
}

impl Run {
    fn is_number(&self) -> bool {
        self.kind == Kind::Number
    }
}

/// Splits a name into runs of letters, numbers with dots within, and signs behind them.
fn runs(name: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut characters = name.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let is_behind = runs.last().is_some_and(|last| last.end == start);
        // `CD8(-)`: the bracket between a sign and what it stands behind is passed over.
        let is_bracketed = runs.last().is_some_and(|last| matches!(&name[last.end..start], "(" | "["))
            && next.is_some_and(|next| ")]".contains(next));
        let kind = match character {
            _ if character.is_ascii_digit() => Kind::Number,
            _ if character.is_alphanumeric() => Kind::Letters,
            '+' | '-' if is_bracketed => Kind::Sign,
            '+' if is_behind => Kind::Sign,
            '-' if is_behind && next.is_none_or(|next| next.is_whitespace() || ")]".contains(next)) => Kind::Sign,
            '.' if is_behind
                && runs.last().is_some_and(Run::is_number)
                && next.is_some_and(|next| next.is_ascii_digit()) =>
            {
                Kind::Number
            }
            _ => continue,
        };
        let end = start + character.len_utf8();
        match runs.last_mut().filter(|last| last.end == start && last.kind == kind && kind != Kind::Sign) {
            Some(last) => last.end = end,
            None => runs.push(Run { kind, start, end }),
        }
    }
    runs
}

/// Letters of the longest acronym that a sign stands behind, as `HIV` in `HIV-positive`.
const LONGEST_CODE: usize = 5;

/// Returns true for a number or an acronym.
fn is_code(text: &str, kind: Kind) -> bool {
    let is_acronym = || text.len() <= LONGEST_CODE && text.chars().all(char::is_uppercase);
    kind == Kind::Number || kind == Kind::Letters && is_acronym()
}

/// Returns the sign that a word stands for: `HER2-positive` is `HER2+`.
fn sign_of(word: &str) -> Option<char> {
    match word {
        _ if word.eq_ignore_ascii_case("positive") => Some('+'),
        _ if word.eq_ignore_ascii_case("negative") => Some('-'),
        _ => None,
    }
}

/// Ordinal numbers from 1.
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];
/// Chinese digits from 1.
const CHINESE_DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Returns true for the ending of an ordinal number (`2nd`).
fn is_ordinal_ending(text: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|ending| ending.eq_ignore_ascii_case(text))
}

/// Returns a name with Chinese ordinals up to 99 in Arabic digits (`第1` for `第一`).
fn with_ordinals(name: Cow<'_, str>) -> Cow<'_, str> {
    if !name.contains('第') {
        return name;
    }
    let digit = |c: char| CHINESE_DIGITS.iter().position(|digit| *digit == c).map(|place| place + 1);
    let mut parts = name.split('第');
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c| c == '十' || digit(c).is_some());
        let numeral = &part[..part.len() - rest.len()];
        let number = match numeral.split_once('十') {
            Some((tens, ones)) => {
                let [tens, ones] = [tens, ones].map(|part| part.chars().next().and_then(digit));
                Some(10 * tens.unwrap_or(1) + ones.unwrap_or(0))
            }
            None => numeral.chars().next().and_then(digit),
        };
        written.push('第');
        match number {
            Some(number) => written.push_str(&number.to_string()),
            None => written.push_str(numeral),
        }
        written.push_str(rest);
    }
    Cow::Owned(written)
}

fn number(text: &str) -> Piece {
    Piece::Number(text.split('.').map(|part| part.trim_start_matches('0').to_owned()).collect())
}

/// Adds a run of letters: a Roman numeral, with a letter behind it (`IIIb`) or without one, a letter or a word.
fn push_letters(text: &str, before: &str, is_last: bool, pieces: &mut Vec<Piece>) {
    let numeral = other_numeral(text, &before.to_lowercase()).filter(|(_, place)| place.allows(false, is_last));
    let digits = numeral.as_ref().map_or(0, |(arabic, _)| arabic.bytes().take_while(u8::is_ascii_digit).count());
    let lower = text.to_lowercase();
    if let Some(place) = ORDINALS.iter().position(|ordinal| *ordinal == lower) {
        pieces.push(Piece::Number(vec![(place + 1).to_string()]));
        return;
    }
    match numeral {
        Some((arabic, _)) if digits > 0 => {
            pieces.push(number(&arabic[..digits]));
            if digits < arabic.len() {
                pieces.push(Piece::Letter(arabic[digits..].to_lowercase()));
            }
        }
        _ if lower.len() == 1 || is_greek_letter(&lower) => pieces.push(Piece::Letter(lower)),
        _ if text == "cis" => pieces.push(Piece::Letter("z".to_owned())),
        _ if text == "trans" => pieces.push(Piece::Letter("e".to_owned())),
        _ => pieces.push(Piece::Word(variant_of(&lower))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradict(left: &str, right: &str) -> bool {
        let (left, right) = (Designators::of(left), Designators::of(right));
        assert_eq!(left.contradict(&right), right.contradict(&left));
        left.contradict(&right)
    }

    #[test]
    fn another_number_letter_or_sign_contradicts() {
        for (left, right) in [
            ("hepatitis 100", "Hepatitis C"),
            ("hepatitis F", "hepatitis A"),
            ("CD4- T cells", "CD4+ T cell"),
            ("CD4+CD25- T cell", "CD4+ CD25+ T cell"),
            ("(−)-catechin", "(+)-catechin"),
            ("(S)-limonene", "(R)-limonene"),
            ("cis-2-butenal", "trans-2-butenal"),
            ("(E)-2-butenal", "cis-2-butenal"),
            ("D-carnitine", "L-carnitine"),
            ("vitamin D2", "vitamin D3"),
            ("type 1 diabetes", "type 2 diabetes mellitus"),
            ("diabetes mellitus type I", "diabetes mellitus type 2"),
            ("mucopolysaccharidosis type IIIB", "mucopolysaccharidosis type IIIA"),
            ("aspirin 10 mg", "aspirin 100 mg"),
            ("IPv6", "IPv4"),
            ("HTTP/1.1", "HTTP/2"),
            ("Office 2019", "Microsoft Office 2016"),
            ("1-butanol", "2-butanol"),
            ("15q11.2 deletion", "22q11.2 deletion"),
            ("factor IX deficiency", "factor VIII deficiency"),
            ("Grade IV astrocytoma", "Grade III astrocytoma"),
            ("CLASS II malocclusion", "Class III malocclusion"),
            ("TGF-β2", "TGF-beta 1"),
            ("IFN-gamma", "IFN-alpha"),
            ("(3R,5R)-foostatin", "(3R,5S)-foostatin"),
            ("(3S,5R)-foostatin", "(3R,5S)-foostatin"),
            ("(2E,4E)-foodienal", "(2E,4Z)-foodienal"),
            ("1,1-dichlorofooane", "1,2-dichlorofooane"),
            ("PX(20:4/18:0)", "PX(18:0/20:4)"),
            ("HLX-DRB1*04:04", "HLX-DRB1*04:01"),
            ("type 2 grade 1 ward", "type 1 grade 2 ward"),
            ("CD8(-)", "CD8+"),
            ("CD8(+) T cell", "CD8[-] T cells"),
            ("HER2-", "HER2-positive"),
            ("HIV negative ward", "HIV-positive ward"),
            ("Third Foo Bank", "First Foo Bank"),
            ("2nd floor ward", "third floor ward"),
            ("北京大学第二医院", "北京大学第一医院"),
            ("第十二医院", "第二十医院"),
            ("Cl+", "Cl-"),
            ("Fe2+", "Fe3+"),
        ] {
            assert!(contradict(left, right), "{left} / {right}");
        }
    }

    #[test]
    fn a_name_that_is_written_otherwise_or_lacks_a_designator_contradicts_none() {
        for (left, right) in [
            ("CD4 T cell", "CD4+ T cell"),
            ("catechin", "(+)-catechin"),
            ("diabetes", "type 2 diabetes"),
            ("type II diabetes", "type 2 diabetes"),
            ("type IIIA", "type 3a"),
            ("USB 3", "USB 3.0"),
            ("WebLogic 12.2.1", "weblogic 12.2"),
            ("SQL Server 2008 R2", "SQL Server 2008"),
            ("SQL Server R2", "SQL Server 2008 R2"),
            ("IFN-a", "IFN-alpha"),
            ("PL/1", "PL/I"),
            ("4-0-methyl", "4-O-methyl"),
            ("CD3e", "CD3 epsilon"),
            ("interleukin 2", "interferon 3"),
            ("1,3-butadiene", "butadiene, 1,3-"),
            ("vitamin B", "vitamin B12"),
            ("2nd floor ward", "second floor ward"),
            ("第十二医院", "第12医院"),
            ("第一医院", "医院第"),
            ("HER2(+)", "HER2-positive"),
            ("CD8", "CD8(-)"),
            ("Foo positive ward", "Foo ward"),
            ("(5S,3R)-foostatin", "(3R,5S)-foostatin"),
            ("2, 1-dichlorofooane", "1,2-dichlorofooane"),
            ("IL-4 and IL-2", "IL-2 and IL-4"),
            ("CD8/CD4 cells", "CD4/CD8 cells"),
            ("1", "2"),
            ("", ""),
        ] {
            assert!(!contradict(left, right), "{left} / {right}");
        }
        assert!(Designators::of("breast cancer").is_empty() && !Designators::of("(+)-catechin").is_empty());
    }
}
