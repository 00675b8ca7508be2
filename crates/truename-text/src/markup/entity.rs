//! Character references of HTML: numeric and named ones.

use unicode_normalization::UnicodeNormalization;

/// Named characters that are no letters with a mark.
#[rustfmt::skip]
const NAMED: [(&str, char); 88] = [
    ("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", '\u{A0}'), ("shy", '\u{AD}'),
    ("ndash", '–'), ("mdash", '—'), ("lsquo", '‘'), ("rsquo", '’'), ("ldquo", '“'), ("rdquo", '”'), ("sbquo", '‚'),
    ("bdquo", '„'), ("hellip", '…'), ("bull", '•'), ("middot", '·'), ("prime", '′'), ("Prime", '″'), ("minus", '−'),
    ("plusmn", '±'), ("times", '×'), ("deg", '°'), ("micro", 'µ'), ("reg", '®'), ("copy", '©'), ("trade", '™'),
    ("ensp", '\u{2002}'), ("emsp", '\u{2003}'), ("thinsp", '\u{2009}'), ("sup1", '¹'), ("sup2", '²'), ("sup3", '³'),
    ("frac12", '½'), ("le", '≤'), ("ge", '≥'), ("laquo", '«'), ("raquo", '»'),
    ("szlig", 'ß'), ("aelig", 'æ'), ("AElig", 'Æ'), ("oelig", 'œ'), ("OElig", 'Œ'), ("oslash", 'ø'), ("Oslash", 'Ø'),
    ("eth", 'ð'), ("ETH", 'Ð'), ("thorn", 'þ'), ("THORN", 'Þ'),
    ("alpha", 'α'), ("beta", 'β'), ("gamma", 'γ'), ("delta", 'δ'), ("epsilon", 'ε'), ("zeta", 'ζ'), ("eta", 'η'),
    ("theta", 'θ'), ("iota", 'ι'), ("kappa", 'κ'), ("lambda", 'λ'), ("mu", 'μ'), ("nu", 'ν'), ("xi", 'ξ'),
    ("omicron", 'ο'), ("pi", 'π'), ("rho", 'ρ'), ("sigma", 'σ'), ("tau", 'τ'), ("upsilon", 'υ'), ("phi", 'φ'),
    ("chi", 'χ'), ("psi", 'ψ'), ("omega", 'ω'), ("Alpha", 'Α'), ("Beta", 'Β'), ("Gamma", 'Γ'), ("Delta", 'Δ'),
    ("Theta", 'Θ'), ("Lambda", 'Λ'), ("Xi", 'Ξ'), ("Pi", 'Π'), ("Sigma", 'Σ'), ("Upsilon", 'Υ'), ("Phi", 'Φ'),
    ("Psi", 'Ψ'), ("Omega", 'Ω'), ("Kappa", 'Κ'),
];
/// Names of marks behind a letter (`ouml`), with the marks.
const MARKS: [(&str, char); 8] = [
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circ", '\u{302}'),
    ("tilde", '\u{303}'),
    ("uml", '\u{308}'),
    ("ring", '\u{30A}'),
    ("caron", '\u{30C}'),
    ("cedil", '\u{327}'),
];
/// Bytes of the longest name or number that is read.
const LONGEST_NAME: usize = 10;

/// Returns the length of the reference that a text begins with, and its character; a reference may be escaped once more (`&amp;alpha;`).
pub(super) fn character_at(text: &str) -> Option<(usize, char)> {
    let (length, character) = reference(text)?;
    if character == '&'
        && let Some((inner, character)) =
            reference(&format!("&{}", text[length..].chars().take(LONGEST_NAME + 1).collect::<String>()))
    {
        return Some((length + inner - 1, character));
    }
    Some((length, character))
}

fn reference(text: &str) -> Option<(usize, char)> {
    let rest = text.strip_prefix('&')?;
    let end = rest.bytes().take(LONGEST_NAME + 1).position(|byte| byte == b';')?;
    let name = &rest[..end];
    let character = match name.strip_prefix('#') {
        Some(number) => numeric(number)?,
        None => named(name)?,
    };
    Some((end + 2, character))
}

/// Returns the character of a number, decimal or behind `x` hexadecimal; controls are none.
fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|c| !c.is_control() && !number.contains('+'))
}

fn named(name: &str) -> Option<char> {
    let known = NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    let marked = || {
        let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
        let (_, mark) = MARKS.iter().find(|(mark, _)| *mark == &name[1..])?;
        let mut composed = [letter, *mark].into_iter().nfc();
        composed.next().filter(|_| composed.next().is_none())
    };
    known.or_else(marked)
}
