//! Styles and scripts of the page of linked documents. The server sends the same files to its own page.

/// A file of a page.
pub struct Asset {
    /// Name of the file.
    pub name: &'static str,
    /// Text of the file.
    pub contents: &'static str,
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, contents: include_str!(concat!("page/", $name)) }),*]
    };
}

/// Style of linked documents.
pub const STYLE: &str = include_str!("page/documents.css");

/// Styles and scripts of linked documents and of judging, each script behind those that it imports.
pub const ASSETS: &[Asset] = assets![
    "documents.css",
    "judging.css",
    "dom.js",
    "candidates.js",
    "concept_search.js",
    "judging.js",
    "annotated_text.js",
    "saved.js",
    "mention_review.js",
    "page.js",
];

/// Returns the style of a page by itself.
pub(crate) fn style() -> String {
    of_type(".css").collect()
}

/// Returns the script of a page by itself: all modules as one, for a page in a file can import none.
pub(crate) fn script() -> String {
    let lines = of_type(".js").flat_map(str::lines).filter(|line| !line.starts_with("import "));
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

fn of_type(extension: &'static str) -> impl Iterator<Item = &'static str> {
    ASSETS.iter().filter(move |asset| asset.name.ends_with(extension)).map(|asset| asset.contents)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn modules_make_one_script() {
        let script = script();
        assert!(!script.contains("</script") && !script.contains("<!--"), "the element would end");
        assert!(!script.lines().any(|line| line.starts_with("import") || line.starts_with("export")));
        // What two modules both declare would be declared twice in one script.
        let mut declared = HashSet::new();
        for line in script.lines() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            if let ["const" | "let" | "class" | "function", name, ..] = words[..] {
                assert!(declared.insert(name.to_owned()), "{name} stands in two modules");
            }
        }
        let imports = ASSETS.iter().flat_map(|asset| asset.contents.lines()).filter(|line| line.starts_with("import "));
        assert!(imports.into_iter().all(|line| line.ends_with(".js\";")), "an import is one line");
    }
}
