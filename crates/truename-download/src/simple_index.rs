//! Lists of a package's files, as the Simple API gives them: HTML (PEP 503) or JSON (PEP 691).

use serde::Deserialize;
use url::Url;

use crate::Error;
use crate::client::shown;
use crate::credentials::percent_decode;

/// What to ask for: JSON first, as pip does.
pub(crate) const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, \
    application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01";

/// One file of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) file_name: String,
    pub(crate) url: Url,
    pub(crate) sha256: Option<String>,
    pub(crate) bytes: Option<u64>,
    /// Withdrawn by its author: only for who asks for exactly this version.
    pub(crate) yanked: bool,
}

/// Reads the list that stood at `base`; `kind` is its media type.
pub(crate) fn parse(base: &Url, kind: &str, text: &str) -> Result<Vec<Link>, Error> {
    if kind.contains("json") { parse_json(base, text) } else { Ok(parse_html(base, text)) }
}

#[derive(Deserialize)]
struct Listing {
    files: Vec<ListedFile>,
}

#[derive(Deserialize)]
struct ListedFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: Hashes,
    size: Option<u64>,
    /// `true`, or the reason.
    #[serde(default)]
    yanked: serde_json::Value,
}

#[derive(Deserialize, Default)]
struct Hashes {
    sha256: Option<String>,
}

fn parse_json(base: &Url, text: &str) -> Result<Vec<Link>, Error> {
    let listing: Listing = serde_json::from_str(text).map_err(|source| Error::unreadable(&shown(base), source))?;
    let link = |file: ListedFile| {
        let url = base.join(&file.url).ok()?;
        let yanked = file.yanked == true || file.yanked.as_str().is_some_and(|reason| !reason.is_empty());
        Some(Link { file_name: file.filename, url, sha256: file.hashes.sha256, bytes: file.size, yanked })
    };
    Ok(listing.files.into_iter().filter_map(link).collect())
}

fn parse_html(base: &Url, text: &str) -> Vec<Link> {
    let stated_base = tags(text, "base").find_map(|tag| attribute(tag, "href"));
    let base = stated_base.and_then(|href| base.join(&href).ok()).unwrap_or_else(|| base.clone());
    tags(text, "a").filter_map(|tag| link(&base, tag)).collect()
}

fn link(base: &Url, tag: &str) -> Option<Link> {
    let mut url = base.join(attribute(tag, "href")?.trim()).ok()?;
    let sha256 = url.fragment().and_then(|fragment| fragment.split('&').find_map(|part| part.strip_prefix("sha256=")));
    let sha256 = sha256.map(str::to_owned);
    url.set_fragment(None);
    let file_name = percent_decode(url.path_segments()?.next_back()?);
    Some(Link { file_name, url, sha256, bytes: None, yanked: attribute(tag, "data-yanked").is_some() })
}

/// What stands between `<name` and `>`.
fn tags<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.split('<').skip(1).filter_map(move |piece| {
        let rest = piece.get(name.len()..).filter(|_| piece[..name.len()].eq_ignore_ascii_case(name))?;
        let rest = rest.starts_with(|after: char| after.is_ascii_whitespace()).then_some(rest)?;
        Some(&rest[..end_of_tag(rest)])
    })
}

/// The first `>` that stands in no quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (place, character) in tag.char_indices() {
        match (quote, character) {
            (None, '>') => return place,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// An attribute's value; empty where it has none.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.trim_start().strip_prefix('=') {
            Some(after) => value(after.trim_start()),
            None => ("", after),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(unescape(value));
        }
        rest = after.trim_start().strip_prefix('/').unwrap_or(after).trim_start();
    }
    None
}

/// A quoted or bare value, and what follows it.
fn value(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].split_once(quote).unwrap_or((&text[1..], "")),
        _ => text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len())),
    }
}

/// The references that links hold: named ones of the syntax, and numbers.
fn unescape(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let reference = piece.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match reference {
            Some((character, rest)) => plain.extend([character.to_string().as_str(), rest]),
            None => plain.extend(["&", piece]),
        }
    }
    plain
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Url {
        Url::parse("https://index.org/root/simple/a/").unwrap()
    }

    #[test]
    fn links_of_a_page_are_read() {
        let page = r##"<!DOCTYPE html><html><body><abbr href="no"></abbr>
            <a href="../../files/a-1.0-py3-none-any.whl#sha256=AB12" data-requires-python="&gt;=3.8">a</a><br/>
            <A data-yanked HREF='https://files.org/a%2B1.tar.gz?x=1&amp;y=2'>b</A><a name=x>c</a></body></html>"##;
        let links = parse(&base(), "text/html; charset=utf-8", page).unwrap();
        assert_eq!(links.len(), 2);
        assert_eq!(links[0].url.as_str(), "https://index.org/root/files/a-1.0-py3-none-any.whl");
        assert_eq!((links[0].sha256.as_deref(), links[0].yanked), (Some("AB12"), false));
        assert_eq!(links[1].url.as_str(), "https://files.org/a%2B1.tar.gz?x=1&y=2");
        assert_eq!((links[1].file_name.as_str(), links[1].yanked), ("a+1.tar.gz", true));
    }

    #[test]
    fn links_of_json_are_read() {
        let text = r#"{"meta":{"api-version":"1.1"},"name":"a","files":[
            {"filename":"a-1.whl","url":"/f/a-1.whl","hashes":{"sha256":"aa"},"size":7,"yanked":"broken"},
            {"filename":"a-2.whl","url":"https://f.org/a-2.whl","hashes":{},"yanked":false}]}"#;
        let links = parse(&base(), "application/vnd.pypi.simple.v1+json", text).unwrap();
        assert_eq!(links[0].url.as_str(), "https://index.org/f/a-1.whl");
        assert_eq!((links[0].bytes, links[0].yanked), (Some(7), true));
        assert_eq!((links[1].sha256.as_deref(), links[1].yanked), (None, false));
        assert!(parse(&base(), "application/json", "{").is_err());
    }

    #[test]
    fn broken_pages_do_no_harm() {
        for page in ["<a", "<a href", "<a href=", "<a href=\"x", "<", "<a href='é", "&<a href=&#x;&amp>", "<é a>"] {
            let _ = parse(&base(), "text/html", page);
        }
    }
}
