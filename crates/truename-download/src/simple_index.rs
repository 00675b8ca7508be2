//! Lists of a package's files in the Simple API: HTML (PEP 503) or JSON (PEP 691).

use html_escape::decode_html_entities;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use tl::{HTMLTag, Node, ParseError, ParserOptions};
use url::Url;

use crate::Error;
use crate::client::{RemoteFile, shown};

/// Media types in pip's order of preference.
pub(crate) const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, \
    application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01";

/// Parses the list at `base`; `kind` is its media type.
pub(crate) fn parse(base: &Url, kind: &str, text: &str) -> Result<Vec<RemoteFile>, Error> {
    if kind.contains("json") {
        parse_json(base, text).map_err(|source| Error::unreadable(&shown(base), source))
    } else {
        parse_html(base, text).map_err(|source| Error::unreadable(&shown(base), source))
    }
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
    /// `true` or the reason.
    #[serde(default)]
    yanked: serde_json::Value,
}

#[derive(Deserialize, Default)]
struct Hashes {
    sha256: Option<String>,
}

fn parse_json(base: &Url, text: &str) -> Result<Vec<RemoteFile>, serde_json::Error> {
    let listing: Listing = serde_json::from_str(text)?;
    let link = |file: ListedFile| {
        let url = base.join(&file.url).ok()?;
        let yanked = file.yanked == true || file.yanked.as_str().is_some_and(|reason| !reason.is_empty());
        Some(RemoteFile { name: file.filename, url, bytes: file.size, sha256: file.hashes.sha256, yanked })
    };
    Ok(listing.files.into_iter().filter_map(link).collect())
}

fn parse_html(base: &Url, text: &str) -> Result<Vec<RemoteFile>, ParseError> {
    let page = tl::parse(text, ParserOptions::default())?;
    let (mut base, mut links) = (base.clone(), Vec::new());
    for tag in page.nodes().iter().filter_map(Node::as_tag) {
        match tag.name().as_utf8_str().to_ascii_lowercase().as_str() {
            "base" => base = attribute(tag, "href").and_then(|href| base.join(&href).ok()).unwrap_or(base),
            "a" => links.extend(link(&base, tag)),
            _ => {}
        }
    }
    Ok(links)
}

fn link(base: &Url, tag: &HTMLTag<'_>) -> Option<RemoteFile> {
    let mut url = base.join(attribute(tag, "href")?.trim()).ok()?;
    let sha256 = url.fragment().and_then(|fragment| fragment.split('&').find_map(|part| part.strip_prefix("sha256=")));
    let sha256 = sha256.map(str::to_owned);
    url.set_fragment(None);
    let name = percent_decode_str(url.path_segments()?.next_back()?).decode_utf8_lossy().into_owned();
    Some(RemoteFile { name, url, bytes: None, sha256, yanked: attribute(tag, "data-yanked").is_some() })
}

/// Returns an attribute's value; empty if it has none.
fn attribute(tag: &HTMLTag<'_>, name: &str) -> Option<String> {
    let value = tag.attributes().get(name)?.map(|value| value.as_utf8_str()).unwrap_or_default();
    Some(decode_html_entities(&value).into_owned())
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
        assert_eq!((links[1].name.as_str(), links[1].yanked), ("a+1.tar.gz", true));
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
    fn links_are_found_in_careless_pages() {
        let page = r##"<html><head><meta charset=utf-8><base href=https://b.org/x/><script>if (1<2 && 3>2) f("<")</script>
            <style>a > b {}</style></head><body><h1>Links & more &nbsp; <p>a < b
            <!-- <a href="no-1.whl"></a> -- --><a href=a-1.whl?a=1&b=2 >a<br><a href='a-2.whl' disabled>b</p></body>"##;
        let links = parse(&base(), "text/html", page).unwrap();
        let urls: Vec<_> = links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://b.org/x/a-1.whl?a=1&b=2", "https://b.org/x/a-2.whl"]);
    }

    #[test]
    fn broken_pages_do_no_harm() {
        for page in ["<a", "<a href", "<a href=", "<a href=\"x", "<", "<a href='é", "&<a href=&#x;&amp>", "<é a>"] {
            let _ = parse(&base(), "text/html", page);
        }
    }
}
