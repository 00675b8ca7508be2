//! Lists in cells of tables as programs write them: JSON, Python, `NumPy`, R and `PostgreSQL`.

use std::iter::Peekable;
use std::str::Chars;

/// Brackets of lists, tuples, sets and vectors.
const BRACKETS: [(&str, char); 4] = [("[", ']'), ("(", ')'), ("{", '}'), ("c(", ')')];
/// Values that are missing.
const MISSING: [&str; 6] = ["None", "null", "nan", "NaN", "NA", "<NA>"];

/// Returns the texts of a list of quoted values: `["a", "b"]`, `['a', 'b']`, `['a' 'b']`, `c("a", "b")`; `None` if a cell is no such list.
pub(super) fn list_cell(cell: &str) -> Option<Vec<String>> {
    let cell = cell.trim();
    if cell == "set()" {
        return Some(Vec::new());
    }
    // `NumPy` shows an array as a call.
    let of_call = cell.strip_prefix("array(").and_then(|call| call.strip_suffix(')'));
    let cell = of_call.map_or(cell, |call| call.strip_suffix(", dtype=object").unwrap_or(call));
    let content = |(open, close): &(&str, char)| cell.strip_prefix(open)?.strip_suffix(*close);
    let content = BRACKETS.iter().find_map(content)?;
    if cell.starts_with('[')
        && let Ok(list) = serde_json::from_str(cell)
    {
        return Some(list);
    }
    let is_quoted = content.contains(['"', '\'']);
    let is_list = is_quoted || cell.starts_with(['[', '{']) && values(content).is_some_and(|values| values.is_empty());
    let of_array = || cell.starts_with('{').then(|| array_values(content)).flatten();
    values(content).filter(|_| is_list).or_else(of_array)
}

/// Returns the values of an array of `PostgreSQL`, in quotes or without them; `None` if it has brackets within.
fn array_values(content: &str) -> Option<Vec<String>> {
    let (mut values, mut rest) = (Vec::new(), content.chars().peekable());
    loop {
        let value = match rest.peek() {
            Some('"') => quoted('"', &mut rest)?,
            _ => std::iter::from_fn(|| rest.next_if(|c| *c != ',')).collect(),
        };
        if value.contains(['{', '}', '[', ']']) {
            return None;
        }
        values.extend(Some(value).filter(|value| value != "NULL"));
        match rest.next() {
            None => return Some(values),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

/// Returns the values between commas or blanks; `None` if one has no quotes.
fn values(content: &str) -> Option<Vec<String>> {
    let (mut values, mut rest) = (Vec::new(), content.chars().peekable());
    let mut is_apart = true;
    loop {
        while rest.next_if(|c| c.is_whitespace() || *c == ',').is_some() {
            is_apart = true;
        }
        let Some(first) = rest.peek().copied() else { return Some(values) };
        if !is_apart {
            return None;
        }
        is_apart = false;
        // Python 2 has marks before the quotes.
        if matches!(first, 'u' | 'b') {
            rest.next();
        }
        match rest.peek() {
            Some(quote @ ('"' | '\'')) => values.push(quoted(*quote, &mut rest)?),
            _ => {
                let word: String = std::iter::from_fn(|| rest.next_if(|c| !c.is_whitespace() && *c != ',')).collect();
                if !MISSING.contains(&word.as_str()) {
                    return None;
                }
            }
        }
    }
}

/// Returns the value up to the closing quote.
fn quoted(quote: char, rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut value = String::new();
    rest.next();
    loop {
        match rest.next()? {
            '\\' => value.push(escaped(rest)?),
            c if c == quote => return Some(value),
            c => value.push(c),
        }
    }
}

/// Returns the character of an escape behind its backslash.
fn escaped(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    let digits = match rest.next()? {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        c => return Some(c),
    };
    let number: String = rest.take(digits).collect();
    char::from_u32(u32::from_str_radix(&number, 16).ok().filter(|_| number.len() == digits)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_quoted_values_are_read_and_nothing_else() {
        for (cell, expected) in [
            (r#"["a b", "c|d"]"#, Some(&["a b", "c|d"][..])),
            ("['a, b', 'c']", Some(&["a, b", "c"])),
            (r#"['it\'s', "c's", 'caf\xe9']"#, Some(&["it's", "c's", "café"])),
            ("[u'a', None, 'b', ]", Some(&["a", "b"])),
            ("['a' 'b'\n 'c']", Some(&["a", "b", "c"])),
            ("('a',)", Some(&["a"])),
            ("{'a', 'b'}", Some(&["a", "b"])),
            (r#"c("a", NA)"#, Some(&["a"])),
            (r#"["a", null]"#, Some(&["a"])),
            ("[]", Some(&[])),
            ("[nan]", Some(&[])),
            ("set()", Some(&[])),
            ("array(['a', 'b'], dtype=object)", Some(&["a", "b"])),
            ("array(['a'])", Some(&["a"])),
            (r#"{a b,"c, d",NULL}"#, Some(&["a b", "c, d"])),
            ("{}", Some(&[])),
            ("{[a]}", None),
            ("{a} b", None),
            ("()", None),
            ("(R)-foo", None),
            ("[foo]", None),
            ("[1, 2]", None),
            ("['a', b]", None),
            ("['a'b']", None),
            ("['a", None),
            ("[foo]'s (bar)", None),
        ] {
            let expected = expected.map(|list| list.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
            assert_eq!(list_cell(cell), expected, "{cell}");
        }
    }
}
