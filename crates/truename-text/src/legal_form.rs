//! Legal forms in names of companies.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::key::{content_words, initial_letters};
use crate::similarity::spelling_edits;
use crate::{NormalizedName, stable_hash};

/// Legal forms, one a line: its place in a name, a tab, and its spellings.
const LEGAL_FORMS: &str = include_str!("legal_form/forms.txt");

/// Most pieces of a name that are a legal form together (`Công ty trách nhiệm hữu hạn một thành viên`).
const MAX_PIECES: usize = 9;
/// Fewest characters of a form of Chinese, Japanese or Korean that may stand without a blank beside the name; fewer are a form only in
/// brackets (`(株)`).
const FEWEST_GLUED: usize = 4;
/// One letter in this many may differ in two spellings of a word.
const EDITED_ONE_IN: usize = 4;
/// Fewest characters that two names without blanks share if they are of one frame.
const FEWEST_SHARED: usize = 2;
/// Bytes of the longest word of a form in ASCII; longer words are none.
const LONGEST_WORD: usize = 32;

/// A name of a company with its legal form apart: `Siemens` and `AG` of `Siemens AG`.
///
/// A legal form stands at the end of a name, some at its start (`株式会社`, `ООО`), behind a blank, a comma or a bracket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LegalName {
    /// The name without its legal form, as written; the whole name if it has none, nothing if it is a legal form alone.
    pub core: String,
    /// The legal form; `None` if the name has none.
    pub form: Option<LegalForm>,
}

/// A legal form of companies, the same in all its spellings: `AG` and `Aktiengesellschaft`.
#[derive(Clone, Debug, Eq)]
pub struct LegalForm {
    /// The form as the name has it.
    pub written: String,
    line: usize,
    is_general: bool,
}

impl PartialEq for LegalForm {
    /// Returns whether two spellings are of one form.
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl LegalForm {
    /// Returns true if two names of one company do not have these forms: `AG` and `GmbH`. One such as `Company` contradicts none.
    pub fn contradicts(&self, other: &Self) -> bool {
        self != other && !self.is_general && !other.is_general
    }

    /// Returns the distinct initials of the words of forms that may end a name: `c` of `Corporation`, `cl` of `Co., Ltd.`
    pub fn initials() -> &'static [String] {
        &TABLE.initials
    }

    /// Returns the spellings that may begin a name, in normal form without spaces, sorted.
    pub fn beginnings() -> &'static [String] {
        &TABLE.beginnings
    }

    /// Returns the spellings that may end a name, in normal form without spaces, sorted.
    pub fn endings() -> &'static [String] {
        &TABLE.endings
    }

    /// Returns all spellings of the form.
    pub fn spellings(&self) -> &'static [&'static str] {
        &TABLE.lines[self.line].1
    }
}

/// Where names have a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Start,
    End,
    Either,
    /// At the end, beside any other form.
    General,
}

struct Table {
    /// Place and spellings of each form.
    lines: Vec<(Place, Vec<&'static str>)>,
    /// Line of each spelling, in normal form without spaces.
    spellings: HashMap<String, usize>,
    /// Spellings that may stand without a blank beside the name, longest first.
    glued: Vec<(String, usize)>,
    /// Sorted hashes of the words that may begin or end a name with a form, as far as they are written in ASCII.
    first_words: Vec<u64>,
    last_words: Vec<u64>,
    /// Distinct initials of the words of forms that may end a name.
    initials: Vec<String>,
    /// Sorted spellings that may begin or end a name, in normal form without spaces.
    beginnings: Vec<String>,
    endings: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = LEGAL_FORMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<(Place, Vec<&str>)> = rows.map(line).collect();
    let all =
        || lines.iter().enumerate().flat_map(|(line, (_, spellings))| spellings.iter().map(move |one| (*one, line)));
    let spellings: HashMap<String, usize> = all().map(|(spelling, line)| (squeezed(spelling), line)).collect();
    let is_glued = |key: &str| key.chars().count() >= FEWEST_GLUED && key.chars().all(has_no_blanks);
    let mut glued: Vec<(String, usize)> =
        spellings.iter().filter(|(key, _)| is_glued(key)).map(|(key, line)| (key.clone(), *line)).collect();
    glued.sort_by_key(|(spelling, _)| (std::cmp::Reverse(spelling.len()), spelling.clone()));
    let first_words = hashes(all().flat_map(|(spelling, _)| outer_words(spelling, |words| words.first())));
    let last_words = hashes(all().flat_map(|(spelling, _)| outer_words(spelling, |words| words.last())));
    let at_end = all().filter(|(_, line)| lines[*line].0 != Place::Start);
    let mut initials: Vec<String> =
        at_end.map(|(spelling, _)| initial_letters(&NormalizedName::new(spelling))).collect();
    initials.sort_unstable();
    initials.dedup();
    let sorted = |is_allowed: fn(Place) -> bool| {
        let allowed = spellings.iter().filter(|(_, line)| is_allowed(lines[**line].0));
        let mut sorted: Vec<String> = allowed.map(|(key, _)| key.clone()).collect();
        sorted.sort_unstable();
        sorted
    };
    let beginnings = sorted(|place| matches!(place, Place::Start | Place::Either));
    let endings = sorted(|place| place != Place::Start);
    Table { lines, spellings, glued, first_words, last_words, initials, beginnings, endings }
});

/// Returns the outer word of a spelling however it is pointed: `o`, `oo` and `spzoo` of `Sp. z o.o.`
fn outer_words(spelling: &str, outer: impl Fn(&[String]) -> Option<&String>) -> [String; 3] {
    let text: String = spelling.nfkc().collect();
    let words: Vec<String> = NormalizedName::new(spelling).tokens().map(str::to_owned).collect();
    let of_pieces: Vec<String> = pieces(&text).into_iter().map(|piece| piece.squeezed).collect();
    [outer(&words).cloned().unwrap_or_default(), outer(&of_pieces).cloned().unwrap_or_default(), of_pieces.concat()]
}

fn hashes(words: impl Iterator<Item = String>) -> Vec<u64> {
    let mut hashes: Vec<u64> = words.map(|word| stable_hash(&word)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn line(line: &'static str) -> (Place, Vec<&'static str>) {
    let (place, spellings) = line.split_once('\t').expect("a tab follows the place of a legal form");
    let place = match place {
        "start" => Place::Start,
        "end" => Place::End,
        "either" => Place::Either,
        "general" => Place::General,
        other => unreachable!("a legal form stands at {other}"),
    };
    (place, spellings.split(" | ").collect())
}

impl LegalName {
    /// Takes `name` apart.
    pub fn new(name: &str) -> Self {
        let whole = || Self { core: name.to_owned(), form: None };
        if !may_have_form(name) {
            return whole();
        }
        let text: String = name.nfkc().collect();
        let pieces = pieces(&text);
        if let Some(line) = form_of(&pieces, |_| true) {
            return Self { core: String::new(), form: Some(form(&text, line)) };
        }
        let start = at_start(&pieces);
        let left = &pieces[start.map_or(0, |(count, _)| count)..];
        let end = at_end(left);
        let from = left.first().map_or(0, |piece| piece.range.start);
        let to = end.map_or(text.len(), |(count, _)| left[count - 1].range.end);
        if start.is_some_and(|(count, _)| is_within_brackets(&text, 0..pieces[count - 1].range.end))
            || end.is_some_and(|(count, _)| is_within_brackets(&text, left[count].range.start..text.len()))
        {
            return whole();
        }
        let form = match (start, end) {
            (None, None) => return glued(&text).unwrap_or_else(whole),
            (_, Some((_, line))) => form(&text[to..], line),
            (Some((_, line)), None) => form(&text[..from], line),
        };
        Self { core: trimmed(&text[from..to]), form: Some(form) }
    }

    /// Returns true if the names are of two companies by their words: each has one that is no spelling or abbreviation of one of the other,
    /// beside words that both have (`Stadtwerke Ulm`, `Stadtwerke Bonn`; `光明工业`, `光明农业`).
    pub fn differs_in_words(&self, other: &Self) -> bool {
        let [left, right] = [&self.core, &other.core].map(|core| NormalizedName::new(core));
        let is_unspaced = |name: &NormalizedName| name.as_str().chars().all(has_no_blanks);
        if is_unspaced(&left) && is_unspaced(&right) {
            return differ_in_characters(left.as_str(), right.as_str());
        }
        let [left, right] = [content_words(&left), content_words(&right)];
        let has_own = |words: &[String], others: &[String]| {
            words.iter().any(|word| !others.iter().any(|other| are_alike(word, other)))
        };
        left.iter().any(|word| right.contains(word)) && has_own(&left, &right) && has_own(&right, &left)
    }

    /// Returns true if the name is a legal form and nothing else.
    pub fn is_form_alone(&self) -> bool {
        self.form.is_some() && self.core.is_empty()
    }
}

/// A piece of a name between blanks, commas, quotes and brackets.
struct Piece {
    range: Range<usize>,
    /// Its normal form without spaces.
    squeezed: String,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let bounds = text.char_indices().filter(|(_, c)| is_bound(*c)).map(|(at, c)| (at, c.len_utf8()));
    for (end, mark) in bounds.chain([(text.len(), 0)]) {
        let squeezed = NormalizedName::new(&text[start..end]).squeezed();
        if !squeezed.is_empty() {
            pieces.push(Piece { range: start..end, squeezed });
        }
        start = end + mark;
    }
    pieces
}

fn is_bound(character: char) -> bool {
    character.is_whitespace() || ",;()[]{}<>\"'«»“”„‟‘’‹›「」『』【】、，״".contains(character)
}

/// Returns the pieces of a spelling written together.
fn squeezed(spelling: &str) -> String {
    let text: String = spelling.nfkc().collect();
    pieces(&text).into_iter().map(|piece| piece.squeezed).collect()
}

/// Returns the line of the form that pieces are together.
fn form_of(pieces: &[Piece], is_allowed: impl Fn(Place) -> bool) -> Option<usize> {
    if pieces.len() > MAX_PIECES {
        return None;
    }
    let key: String = pieces.iter().map(|piece| piece.squeezed.as_str()).collect();
    TABLE.spellings.get(&key).copied().filter(|line| is_allowed(TABLE.lines[*line].0))
}

/// Returns the number of pieces of the longest form at the start, and its line.
fn at_start(pieces: &[Piece]) -> Option<(usize, usize)> {
    let most = MAX_PIECES.min(pieces.len().saturating_sub(1));
    let is_allowed = |place| matches!(place, Place::Start | Place::Either);
    (1..=most).rev().find_map(|count| form_of(&pieces[..count], is_allowed).map(|line| (count, line)))
}

/// Returns the number of pieces before the longest form at the end, and its line.
fn at_end(pieces: &[Piece]) -> Option<(usize, usize)> {
    let first = pieces.len().saturating_sub(MAX_PIECES).max(1);
    let is_allowed = |place| place != Place::Start;
    (first..pieces.len()).find_map(|from| form_of(&pieces[from..], is_allowed).map(|line| (from, line)))
}

/// Takes a form apart that stands without a blank beside the name.
fn glued(text: &str) -> Option<LegalName> {
    if !text.chars().any(has_no_blanks) {
        return None;
    }
    let text = text.trim();
    TABLE.glued.iter().find_map(|(spelling, line)| {
        let place = TABLE.lines[*line].0;
        let core = match text.strip_suffix(spelling.as_str()) {
            Some(core) => core,
            None if place == Place::Either => text.strip_prefix(spelling.as_str())?,
            None => return None,
        };
        let core = trimmed(core);
        (!core.is_empty()).then(|| LegalName { core, form: Some(form(spelling, *line)) })
    })
}

fn form(written: &str, line: usize) -> LegalForm {
    let is_general = TABLE.lines[line].0 == Place::General;
    LegalForm { written: trimmed(written), line, is_general }
}

/// Returns true if a bracket is around a form and more: `Android (Orvelia Inc.)`.
fn is_within_brackets(text: &str, form: Range<usize>) -> bool {
    let start = form.start - usize::from(text[..form.start].ends_with('('));
    let end = form.end + usize::from(text[form.end..].starts_with(')'));
    text[start..end].matches('(').count() != text[start..end].matches(')').count()
}

/// Returns true if two words may be one: a spelling, an abbreviation or a part of the other.
fn are_alike(left: &str, right: &str) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let mut rest = long.chars();
    let is_in_order = short.chars().all(|letter| rest.any(|other| other == letter));
    let is_abbreviation = short.chars().next() == long.chars().next() && is_in_order;
    // `Mary` and `Mark` are two names, `Frod` a slip for `Ford`.
    let has_same_letters = || {
        let [mut one, mut other] = [short, long].map(|word| word.chars().collect::<Vec<_>>());
        one.sort_unstable();
        other.sort_unstable();
        one == other
    };
    let may_be_slip = long.chars().count() > FEWEST_GLUED || has_same_letters();
    let is_slip = || EDITED_ONE_IN * spelling_edits(short, long) <= long.chars().count();
    is_abbreviation || long.contains(short) || may_be_slip && is_slip()
}

/// Traditional and Japanese characters that names of companies often have, each before its simplified one.
const SIMPLIFIED: &str = "業业國国電电機机車车銀银學学際际東东華华廣广龍龙鐵铁鋼钢藥药醫医運运產产発发發发開开團团實实興兴聯联貿贸網网術术藝艺鴻鸿\
    澤泽沢泽濱滨浜滨広广會会長长門门風风飛飞馬马魚鱼麥麦黃黄紡纺織织紙纸線线經经維维緯纬聖圣製制氣气気气軟软體体資资訊讯農农漁渔貨货陽阳雲云島岛衛卫\
    傳传動动問问與与圖图書书樂乐萬万寶宝財财價价標标鑽钻鋁铝錦锦順顺義义優优環环證证険险險险壽寿報报專专";

/// Returns true if two texts without blanks share a beginning or an end of some characters, and have none in common between these.
fn differ_in_characters(left: &str, right: &str) -> bool {
    let pairs: Vec<char> = SIMPLIFIED.chars().collect();
    let simplified = |c: char| pairs.chunks(2).find(|pair| pair[0] == c).map_or(c, |pair| pair[1]);
    let [left, right] = [left, right].map(|text| text.chars().map(simplified).collect::<Vec<_>>());
    let equal = |pairs: &mut dyn Iterator<Item = (&char, &char)>| pairs.take_while(|(one, other)| one == other).count();
    let start = equal(&mut left.iter().zip(&right));
    let (left, right) = (&left[start..], &right[start..]);
    let end = equal(&mut left.iter().rev().zip(right.iter().rev()));
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    start + end >= FEWEST_SHARED && !left.is_empty() && !right.is_empty() && !left.iter().any(|c| right.contains(c))
}

/// Returns the text without marks around it; a bracket that closes one within stays.
fn trimmed(text: &str) -> String {
    let is_mark = |c: char| is_bound(c) || matches!(c, '-' | '–');
    let text = text.trim_start_matches(is_mark);
    let inner = text.trim_end_matches(is_mark);
    let is_open = inner.matches('(').count() > inner.matches(')').count();
    let end = inner.len() + usize::from(is_open && text[inner.len()..].starts_with(')'));
    text[..end].to_owned()
}

/// Returns true for characters of writing without blanks between words, and of Korean.
fn has_no_blanks(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

/// Returns false for most names in ASCII that have no legal form, without an allocation.
fn may_have_form(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    !name.is_ascii()
        || words.next_back().is_some_and(|last| is_among(&TABLE.last_words, last))
        || words.next().is_some_and(|first| is_among(&TABLE.first_words, first))
}

fn is_among(words: &[u64], word: &str) -> bool {
    let mut lower = [0; LONGEST_WORD];
    let Some(lower) = lower.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    std::str::from_utf8(lower).is_ok_and(|word| words.binary_search(&stable_hash(word)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the normal form of the core, and the form.
    fn apart(name: &str) -> (String, Option<String>) {
        let LegalName { core, form } = LegalName::new(name);
        (NormalizedName::new(&core).as_str().to_owned(), form.map(|form| form.written))
    }

    #[test]
    fn legal_forms_of_many_languages_are_taken_apart() {
        for (name, core, form) in [
            ("Nordwerk AG", "nordwerk", "AG"),
            ("NORDWERK Aktiengesellschaft", "nordwerk", "Aktiengesellschaft"),
            ("Huber & Söhne GmbH & Co. KG", "huber and sohne", "GmbH & Co. KG"),
            ("Huber GmbH&Co.KG", "huber", "GmbH&Co.KG"),
            ("Boulangerie Dupré S.à r.l.", "boulangerie dupre", "S.à r.l."),
            ("Lumière, société anonyme", "lumiere", "société anonyme"),
            ("Veldkamp Bouw B.V.", "veldkamp bouw", "B.V."),
            ("Aoba Seiki Kabushiki Kaisha", "aoba seiki", "Kabushiki Kaisha"),
            ("Aoba Seiki K.K.", "aoba seiki", "K.K."),
            ("株式会社青葉精機", "青葉精機", "株式会社"),
            ("青葉精機株式会社", "青葉精機", "株式会社"),
            ("㈱青葉精機", "青葉精機", "株"),
            ("한빛기계(주)", "한빛기계", "주"),
            ("주식회사 한빛기계", "한빛기계", "주식회사"),
            ("蓝湖科技股份有限公司", "蓝湖科技", "股份有限公司"),
            ("Padaria Aurora Ltda.", "padaria aurora", "Ltda."),
            ("Cerámica del Valle, S.A. de C.V.", "ceramica del valle", "S.A. de C.V."),
            ("Officina Belli S.r.l.", "officina belli", "S.r.l."),
            ("Officina Belli S. p. A.", "officina belli", "S. p. A."),
            ("Zielony Dom Sp. z o.o.", "zielony dom", "Sp. z o.o."),
            ("Zielony Dom SPZOO", "zielony dom", "SPZOO"),
            ("Fjordkraft AS", "fjordkraft", "AS"),
            ("Skovgaard A/S", "skovgaard", "A/S"),
            ("Björkö Aktiebolag", "bjorko", "Aktiebolag"),
            ("Järvinen Oy", "jarvinen", "Oy"),
            ("Yıldız Makine Sanayi ve Ticaret A.Ş.", "yildiz makine", "Sanayi ve Ticaret A.Ş."),
            ("Sundar Textiles Pvt. Ltd.", "sundar textiles", "Pvt. Ltd."),
            ("ООО «Ромашка»", "ромашка", "ООО"),
            ("Ромашка, ООО", "ромашка", "ООО"),
            (
                "Общество с ограниченной ответственностью \"Ромашка\"",
                "ромашка",
                "Общество с ограниченной ответственностью",
            ),
            ("PT Sinar Laut Tbk", "sinar laut", "Tbk"),
            ("Lukart Oil Co., Ltd.", "lukart oil", "Co., Ltd."),
            ("acme inc", "acme", "inc"),
            ("Sundar (India) Pvt Ltd", "sundar india", "Pvt Ltd"),
            ("AG", "", "AG"),
            ("GmbH & Co. KG", "", "GmbH & Co. KG"),
        ] {
            assert_eq!(apart(name), (core.to_owned(), Some(form.to_owned())), "{name}");
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "BDNF-AS",
            "Java Standard Edition (Java SE)",
            "CDX2/AS",
            "Texaco",
            "mg/kg",
            "asthma",
            "Company of Heroes",
            "AGA",
            "AG-205",
            "有馬温泉",
            "",
            "株",
        ] {
            if name != "株" {
                assert_eq!(LegalName::new(name), LegalName { core: name.to_owned(), form: None }, "{name}");
            }
        }
        assert!(LegalName::new("株").is_form_alone() && !LegalName::new("Siemens AG").is_form_alone());
    }

    #[test]
    fn spellings_of_a_form_are_equal_and_other_forms_contradict() {
        let forms = |one: &str, other: &str| (LegalName::new(one).form.unwrap(), LegalName::new(other).form.unwrap());
        for (one, other) in [
            ("X Ltd", "X Limited"),
            ("X GmbH", "X Gesellschaft mit beschränkter Haftung"),
            ("X LLC", "X Limited Liability Company"),
            ("X K.K.", "株式会社X"),
        ] {
            let (one, other) = forms(one, other);
            assert!(one == other && !one.contradicts(&other), "{one:?} {other:?}");
        }
        for (one, other) in [("X Ltd", "X Inc"), ("X AG", "X GmbH"), ("X GmbH", "X GmbH & Co. KG"), ("X A/S", "X ApS")]
        {
            let (one, other) = forms(one, other);
            assert!(one.contradicts(&other) && other.contradicts(&one), "{one:?} {other:?}");
        }
        let (one, other) = forms("X Company", "X Ltd");
        assert!(one != other && !one.contradicts(&other) && !other.contradicts(&one));
    }

    #[test]
    fn companies_of_one_frame_differ_in_words() {
        for (one, other, expected) in [
            ("Stadtwerke Ulm GmbH", "Stadtwerke Bonn GmbH", true),
            ("Huber Intl. Ltd", "Huber International Ltd", false),
            ("Huber Maschinenbau GmbH", "Huber Maschienenbau GmbH", false),
            ("Huber CropFoo AG", "Huber Crop Foo AG", false),
            ("Huber Maschinen AG", "Huber AG", false),
            ("Huber AG", "Meier AG", false),
            ("Bank of Ulm AG", "House of Bonn AG", false),
            ("湖光工业有限公司", "湖光农业有限公司", true),
            ("湖光工业有限公司", "湖光有限公司", false),
            ("湖光工业有限公司", "湖光工業有限公司", false),
            ("湖光工业有限公司", "山水农业有限公司", false),
        ] {
            let (left, right) = (LegalName::new(one), LegalName::new(other));
            assert_eq!(left.differs_in_words(&right), expected, "{one} / {other}");
            assert_eq!(right.differs_in_words(&left), expected, "{other} / {one}");
        }
    }

    #[test]
    fn every_spelling_belongs_to_one_form() {
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, (place, spellings)) in TABLE.lines.iter().enumerate() {
            for spelling in spellings {
                let key = squeezed(spelling);
                assert!(!key.is_empty() && spelling.trim() == *spelling, "{spelling:?}");
                assert_eq!(known.insert(key, number), None, "{spelling}");
                let name =
                    if *place == Place::Start { format!("{spelling} Orvelia") } else { format!("Orvelia {spelling}") };
                let found = LegalName::new(&name);
                assert!(found.core == "Orvelia" && found.form.is_some_and(|form| form.line == number), "{name}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_lost(name in "([A-Za-z株式会社(),. ]|GmbH| AG| Ltd|ООО ){0,12}|\\PC{0,20}") {
            let LegalName { core, form } = LegalName::new(&name);
            let letters = |text: &str| NormalizedName::new(text).squeezed().chars().count();
            proptest::prop_assert!(letters(&core) + form.as_ref().map_or(0, |form| letters(&form.written)) <= letters(&name));
            proptest::prop_assert!(form.is_some() || core == name);
        }
    }
}
