//! WNED: mentions with the titles of Wikipedia's articles.
//!
//! The layout is the one of Guo and Barbosa's "Robust named entity disambiguation with random walks" (2018), in which AQUAINT,
//! MSNBC, ACE2004, CWEB, WIKI and AIDA are passed on.
//!
//! One XML file has the annotations of all documents; the text of a document is the file of its `docName` in the folder `RawText`
//! beside. The id of a mention is its title as addresses write it: blanks become underscores, and `,`, `;`, `+`, `|` and `%`,
//! which separate ids elsewhere, are percent-encoded (`Pipers_River%2C_Tasmania`). An empty title and `NIL` are none.
//!
//! The published files have some annotations whose text does not stand at their offset: these are left out and counted, unless no
//! annotation of the document fits, which is a problem.

mod document;
mod read;

pub(crate) use self::document::id;
pub(crate) use self::read::read;
pub use self::read::read_wned;

/// Name of the folder of texts.
pub(crate) const TEXTS: &str = "RawText";
/// End of the root's name.
const ROOT: &str = ".entityAnnotation";

/// Returns whether the beginning of an XML file is that of WNED.
pub(crate) fn begins(text: &str) -> bool {
    text.contains(&format!("{ROOT}>"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;
    use std::path::Path;

    use super::*;
    use crate::output::tests::{bounded, with_hint};
    use crate::{Document, Format, ReadOptions, Span, read_from, read_path};

    fn annotation(mention: &str, title: &str, offset: &str, length: &str) -> String {
        format!(
            "<annotation>\n<mention>{mention}</mention><wikiName>{title}</wikiName>\
             <offset>{offset}</offset><length>{length}</length></annotation>"
        )
    }

    fn corpus(documents: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<wiki.entityAnnotation>\n{documents}</wiki.entityAnnotation>\n")
    }

    fn document(name: &str, annotations: &str) -> String {
        format!("<document docName=\"{name}\">{annotations}</document>\n")
    }

    /// Reads a file beside texts.
    fn read(xml: &str, texts: &[(&str, &str)], options: &ReadOptions) -> (Vec<Document>, Vec<String>, u64) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(TEXTS)).unwrap();
        for (name, text) in texts {
            fs::write(folder.path().join(TEXTS).join(name), text).unwrap();
        }
        let path = folder.path().join("wiki.xml");
        fs::write(&path, xml).unwrap();
        let (mut documents, mut problems) = (Vec::new(), Vec::new());
        let summary = read_path(&path, options, &mut |read| {
            match read {
                Ok(document) => documents.push(document),
                Err(problem) => {
                    problems.push(with_hint(&problem).replace(&format!("{}/", folder.path().display()), ""))
                }
            }
            ControlFlow::Continue(())
        });
        let summary = summary.unwrap();
        assert_eq!(summary.format, Format::Wned);
        (documents, problems, summary.left_out)
    }

    #[test]
    fn titles_become_ids_and_texts_are_kept() {
        let annotations = [
            annotation("Évandale", "Evandale, Tasmania", "4", "8"),
            annotation("R&amp;D", "R&amp;D + 100% ; a|b", "16", "3"),
            annotation("upper house", "", "24", "11"),
            annotation("upper house", "NIL", "24", "11"),
            annotation("upper house", "House", "22", "11"),
        ];
        let xml = corpus(&document("A &amp; B", &annotations.concat()));
        let text = "The Évandale of R&D, an upper house.\r\n";
        let (documents, problems, left_out) = read(&xml, &[("A & B", text)], &ReadOptions::default());
        assert_eq!((problems.len(), left_out, documents.len()), (0, 1, 1), "{problems:?}");
        assert_eq!((documents[0].id.as_str(), documents[0].text.as_str()), ("A & B", text));
        let found: Vec<_> = documents[0]
            .mentions
            .iter()
            .map(|mention| (mention.surface(text).into_owned(), mention.id.clone()))
            .collect();
        let wanted = [("Évandale", Some("Evandale%2C_Tasmania")), ("R&D", Some("R&D_%2B_100%25_%3B_a%7Cb"))];
        assert_eq!(found[..2], wanted.map(|(text, id)| (text.to_owned(), id.map(str::to_owned))));
        assert_eq!(documents[0].mentions[0].span, Span::new(4, 13));
        // The last one does not stand at its offset.
        assert_eq!(found[2..], [("upper house".to_owned(), None), ("upper house".to_owned(), None)]);
        let without = read(&xml, &[("A & B", text)], &ReadOptions { mentions: false, ..ReadOptions::default() });
        assert_eq!((without.0[0].mentions.len(), without.2), (0, 0));
    }

    #[test]
    fn each_malformed_document_is_explained() {
        let good = annotation("cold", "Cold", "2", "4");
        for (annotations, message) in [
            (annotation("cold", "Cold", "x", "4"), "annotation 1: \"x\" is no offset"),
            (annotation("cold", "Cold", "2", "-4"), "annotation 1: \"-4\" is no length"),
            (
                annotation("cold", "Cold", "18446744073709551615", "4"),
                "annotation 1: \"18446744073709551615\" is no offset",
            ),
            (annotation("cold", "Cold", "2", "0"), "annotation 1: the span 2–2 is empty"),
            (
                annotation("cold", "Cold", "2", "9"),
                "annotation 1: the span 2–11 lies outside the text, which has 6 chars",
            ),
            (annotation("cold", "Cold", "1", "4"), "annotation 1: the text at 1–5 is \" col\", the file says \"cold\""),
            ("<annotation><mention>cold</mention></annotation>".into(), "annotation 1 has no <offset>"),
            ("<annotation><offset>2</offset></annotation>".into(), "annotation 1 has no <length>"),
            (
                "<annotation><offset>2</offset><offset>2</offset></annotation>".into(),
                "a second <offset> stands in one <annotation>",
            ),
            ("<annotation><title>x</title></annotation>".into(), "WNED has no <title> within <annotation>"),
            ("<mention>x</mention>".into(), "WNED has no <mention> within <document>"),
            (
                "<annotation><mention><b>x</b></mention></annotation>".into(),
                "<b> stands within <mention>, which holds text alone; write < as &lt;",
            ),
            ("and more".into(), "the text \"and more\" stands in <document> itself, where WNED has none"),
            (good.replace("cold", "&bomb;"), "the entity &bomb; is not declared; write the character itself"),
        ] {
            let xml = corpus(&(document("7", &annotations) + &document("8", &good)));
            let texts = [("7", "A cold"), ("8", "A cold")];
            let (documents, problems, _) = read(&xml, &texts, &ReadOptions::default());
            assert_eq!(documents.len(), 1, "{annotations}");
            assert_eq!(problems.len(), 1, "{problems:?}");
            let (place, said) = problems[0].split_once(": document 7: ").unwrap();
            assert!(place.starts_with("wiki.xml:") && said == message, "{}", problems[0]);
        }
    }

    #[test]
    fn a_document_needs_a_name_and_a_text() {
        let named = |name: &str| read(&corpus(&document(name, "")), &[("a", "A")], &ReadOptions::default()).1;
        assert_eq!(named("b"), ["RawText/b: document b: there is no such text; docName in wiki.xml names it"]);
        for name in ["../wiki.xml", "a/b", "..", ""] {
            let problems = named(name);
            let document = if name.is_empty() { String::new() } else { format!(" document {name}:") };
            let wanted = format!("wiki.xml:3:{document} \"{name}\" is no name of a file");
            assert_eq!(problems, [wanted]);
        }
        let none = read(&corpus("<document></document>"), &[], &ReadOptions::default()).1;
        assert_eq!(none, ["wiki.xml:3: a document without docName"]);
    }

    #[test]
    fn a_file_that_is_cut_off_is_told() {
        let xml = corpus(&document("a", &annotation("A", "A", "0", "1")));
        for end in xml.find("wiki.entity").unwrap() + "wiki.entityAnnotation>".len()..xml.len() - 1 {
            let (documents, problems, _) = read(&xml[..end], &[("a", "A")], &ReadOptions::default());
            assert!(problems.len() == 1 && documents.len() <= 1, "{:?}", &xml[..end]);
            assert!(problems[0].contains("; the rest of the file is not read"), "{problems:?}");
        }
        let (documents, problems, _) = read(&(xml.clone() + "<more/>"), &[("a", "A")], &ReadOptions::default());
        assert_eq!((documents.len(), problems), (1, vec!["wiki.xml:6: <more> stands outside the corpus".to_owned()]));
        let long = corpus(&document("a", &"<!-- -->".repeat(100)));
        let (_, problems, _) = read(&long, &[("a", "A")], &bounded(200));
        assert!(problems[0].contains("is longer than 200 bytes"), "{problems:?}");
    }

    #[test]
    fn without_its_texts_or_root_a_file_is_refused() {
        let refused = |xml: &str| {
            let options = ReadOptions { input_format: Some(Format::Wned), ..ReadOptions::default() };
            let bytes = std::io::Cursor::new(xml.as_bytes().to_vec());
            let folder = tempfile::tempdir().unwrap();
            let error = read_from(&folder.path().join("a.xml"), bytes, &options, &mut |_| ControlFlow::Continue(()));
            let error = error.unwrap_err();
            assert!(error.hint().is_some());
            error.to_string().replace(&format!("{}/", folder.path().display()), "")
        };
        assert_eq!(refused(&corpus("")), "a.xml: there is no folder RawText with the texts beside it");
        let options = ReadOptions::default();
        for (xml, message) in [
            ("<html></html>", ": this XML is not WNED: its root is <html>, not one that ends in .entityAnnotation"),
            ("<?xml version='1.0'?>", ":1: the file ends before its first element; it is cut off"),
        ] {
            let read =
                read_wned(Path::new("a.xml"), xml.as_bytes(), &|_| None, &options, &mut |_| ControlFlow::Continue(()));
            assert_eq!(read.unwrap_err().to_string(), format!("a.xml{message}"));
        }
    }
}
