//! BioC as XML.
//!
//! A document with elements that BioC does not have, or has elsewhere, is a problem, for text in them would be lost.

mod read;
mod write;

pub(crate) use self::read::read;
pub(crate) use self::write::{BEGIN, END, replaced, write};

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use crate::output::tests::{bounded, problems, read_bytes, read_str};
    use crate::{Document, Mention, OffsetUnit, ReadOptions, Span, Writer, read_from};

    fn collection(documents: &str) -> String {
        format!("<?xml version='1.0'?>\n<!DOCTYPE collection SYSTEM 'BioC.dtd'>\n<collection>{documents}</collection>")
    }

    fn document(annotation: &str) -> String {
        let passage = format!("<passage><offset>0</offset><text>A cold</text>\n{annotation}</passage>");
        collection(&format!("<document><id>7</id>{passage}</document>\n<document><id>8</id></document>"))
    }

    #[test]
    fn elements_within_a_text_are_a_problem() {
        let xml = "<collection><document><id>1</id><passage><offset>0</offset>\n<text>a <b>c</b> d</text></passage></document>\
                   <document><id>2</id><passage><offset>0</offset><text>e</text></passage></document></collection>";
        let (documents, problems) = read_str("a.xml", xml, &ReadOptions::default());
        assert_eq!(documents.iter().map(|document| document.text.as_str()).collect::<Vec<_>>(), ["e"]);
        let expected = "a.xml:2: document 1: <b> stands within <text>, which holds text alone; write < as &lt;";
        assert_eq!(problems, [expected]);
    }

    #[test]
    fn each_malformed_document_is_explained() {
        for (annotation, message) in [
            ("<annotation><location offset='2'/></annotation>", "annotation 1: a location without offset or length"),
            ("<annotation><location offset='x' length='4'/></annotation>", "annotation 1: \"x\" is no offset"),
            ("<annotation><location offset='2' length='4.0'/></annotation>", "annotation 1: \"4.0\" is no length"),
            ("<annotation><location offset='2' length='0'/></annotation>", "annotation 1: the span 2–2 is empty"),
            (
                "<annotation><location offset='2' length='9'/></annotation>",
                "annotation 1: the span 2–11 lies outside the text, which has 6 chars",
            ),
            (
                "<annotation><location offset='18446744073709551615' length='9'/></annotation>",
                "annotation 1: \"18446744073709551615\" is no offset",
            ),
            (
                "<annotation><location offset='1' length='4'/><text>cold</text></annotation>",
                "annotation 1: the text at 1–5 is \" col\", the file says \"cold\"",
            ),
            (
                "<annotation><text>&bomb;</text></annotation>",
                "the entity &bomb; is not declared; write the character itself",
            ),
            ("<annotation><text>&#0;</text></annotation>", "&#0; stands for no character"),
            ("<annotation><text>&#xD800;</text></annotation>", "&#xD800; stands for no character"),
            ("<annotation><txt>A</txt></annotation>", "BioC has no <txt> within <annotation>"),
            ("<annotation><text>A</text><text>B</text></annotation>", "a second <text> stands in one <annotation>"),
            ("<offset>0</offset>", "a second <offset> stands in one <passage>"),
            ("<text>came</text>", "a second <text> stands in one <passage>"),
            ("and more", "the text \"and more\" stands in <passage> itself, where BioC has none"),
            ("<passage></passage>", "BioC has no <passage> within <passage>"),
        ] {
            let (documents, problems) = read_str("a.xml", &document(annotation), &ReadOptions::default());
            assert_eq!(problems, [format!("a.xml:4: document 7: {message}")]);
            assert_eq!(documents.len(), 1);
        }
        for (passages, message) in [
            ("<passage><text>A cold</text></passage>", "passage 1 has no offset"),
            (
                "<passage><offset>0</offset><text>A</text><sentence><offset>0</offset><text>B</text></sentence></passage>",
                "passage 1: a sentence says \"B\", which its passage does not",
            ),
            (
                "<passage><offset>0</offset><text>A cold</text></passage><passage><offset>3</offset><text>B</text></passage>",
                "passage 2: it begins at 3, but the text before it ends at 6 \
                 (offsets count chars: try `offsets = bytes` or `offsets = utf16`)",
            ),
        ] {
            let content = collection(&format!("<document><id>7</id>{passages}</document>"));
            assert_eq!(
                problems("a.xml", content.as_bytes(), &ReadOptions::default()),
                [format!("a.xml:3: document 7: {message}")]
            );
        }
    }

    #[test]
    fn broken_syntax_is_the_last_problem() {
        let whole = document("");
        for (content, message) in [
            (
                whole[..whole.len() - 13].to_owned(),
                "a.xml:5: the file ends before </collection>; it is cut off; the rest of the file is not read (fetch or copy the file again)",
            ),
            (
                whole.replace("</text>", "</texts>"),
                "a.xml:3: document 7: not XML: ill-formed document: expected `</text>`, but `</texts>` was found; \
                 the rest of the file is not read",
            ),
            (
                collection(&format!("<document><id>7</id>{}", "<a>".repeat(1000))),
                "a.xml:3: document 7: not XML: more than 1000 elements within each other; \
                 the rest of the file is not read",
            ),
        ] {
            let found = problems("a.xml", content.as_bytes(), &ReadOptions::default());
            assert_eq!(found, [message]);
        }
        let found = problems("a.xml", b"<collection><document>\n<id>\xE9</id>", &ReadOptions::default());
        assert_eq!(
            found,
            ["a.xml:2: a byte here is not UTF-8; the rest of the file is not read \
              (say `encoding`, as in `encoding = windows-1252`)"]
        );
    }

    #[test]
    fn what_would_be_lost_is_told() {
        let whole = "<document><id>2</id></document>";
        for (content, message) in [
            ("<doc><id>1</id><passage></passage></doc>", "BioC has no <passage> within <doc>"),
            ("<passage></passage>", "BioC has no <passage> within <collection>"),
            ("cold", "the text \"cold\" stands in <collection> itself, where BioC has none"),
            ("<document><id>1</id><id>2</id></document>", "document 1: a second <id> stands in one <document>"),
            ("<document><id>1</id><passag></passag></document>", "document 1: BioC has no <passag> within <document>"),
            (
                "<document><id>1</id><document></document></document>",
                "document 1: BioC has no <document> within <document>",
            ),
        ] {
            let content = format!("<collection>{content}{whole}</collection>");
            let (documents, problems) = read_str("a.xml", &content, &ReadOptions::default());
            assert_eq!((documents.len(), problems), (1, vec![format!("a.xml:1: {message}")]), "{content}");
        }
        let found = problems("a.xml", b"<collection></collection>\n<other/>\nand more", &ReadOptions::default());
        assert_eq!(
            found,
            [
                "a.xml:2: <other> stands outside the collection",
                "a.xml:3: the text \"and more\" stands outside the collection"
            ]
        );
        let one_after_another =
            format!("<collection>{whole}</collection>\n<?xml version='1.0'?><collection>{whole}</collection>\n");
        assert_eq!(read_str("a.xml", &one_after_another, &ReadOptions::default()).0.len(), 2);
        // What holds no text of a document is no problem: facts about the collection, and what relations hold.
        let harmless = "<collection><version>1</version><document><id>1</id><relation><label><a>b</a>c</label></relation></document></collection>";
        let (documents, problems) = read_str("a.xml", harmless, &ReadOptions::default());
        assert_eq!((documents.len(), problems.len()), (1, 0), "{problems:?}");
    }

    #[test]
    fn attributes_that_are_no_xml_end_the_reading() {
        for (attributes, message) in [
            ("offset=2 length='4'", "attribute value must be enclosed in"),
            ("offset='2' offset='3' length='4'", "duplicate"),
            ("offset='&bomb;' length='4'", "no entity &bomb; is declared; an attribute has it"),
        ] {
            let content = document(&format!("<annotation><location {attributes}/></annotation>"));
            let (documents, problems) = read_str("a.xml", &content, &ReadOptions::default());
            assert_eq!((documents.len(), problems.len()), (0, 1), "{problems:?}");
            assert!(problems[0].starts_with("a.xml:4: document 7: not XML: "), "{problems:?}");
            assert!(problems[0].contains(message), "{problems:?}");
        }
    }

    #[test]
    fn a_document_beyond_the_limit_ends_the_reading() {
        let options = bounded(200);
        let small = "<document><id>1</id><passage><offset>0</offset><text>cold</text></passage></document>\n";
        let message = "the document is longer than 200 bytes; the rest of the file is not read (`max_line_bytes` reads longer ones)";
        let many = small.repeat(50);
        assert_eq!(read_str("a.xml", &format!("<collection>{many}</collection>"), &options).0.len(), 50);
        for long in [
            small.replace("cold", &"x".repeat(70_000)),
            small.replace("cold", &"x&amp;".repeat(20_000)),
            small.replace("<passage>", &"<passage></passage>".repeat(4_000)),
            small.replace("cold", &format!("<!--{}-->", "x".repeat(70_000))),
            small.replace("cold", &format!("<![CDATA[{}]]>", "x".repeat(70_000))),
        ] {
            let (documents, problems) = read_str("a.xml", &format!("<collection>\n{small}{long}{small}"), &options);
            assert_eq!(documents.len(), 1);
            assert_eq!(problems, [format!("a.xml:3: document 1: {message}")]);
        }
        // Beyond documents, one piece of markup is as long as that.
        let (documents, problems) =
            read_str("a.xml", &format!("<collection><!--{}-->{small}", "x".repeat(70_000)), &options);
        assert_eq!((documents.len(), problems), (0, vec![format!("a.xml:1: {message}")]));
    }

    #[test]
    fn text_is_read_on_after_sections_and_comments() {
        let text = "<![CDATA[A <cold>]]> came<!-- no --> &amp; <?go on?>went<![CDATA[]]> on";
        let (documents, problems) = read_str("a.xml", &document("").replace("A cold", text), &ReadOptions::default());
        assert_eq!((documents[0].text.as_str(), problems.len()), ("A <cold> came & went on", 0));
    }

    #[test]
    fn ids_in_several_infons_are_joined() {
        let annotation = "<annotation><infon key='MESH'>D1</infon><infon key='type'>x</infon><infon key='MESH'>D2</infon>\
                          <infon key='OMIM'>7</infon><location offset='2' length='4'/></annotation>";
        let (documents, _) = read_str("a.xml", &document(annotation), &ReadOptions::default());
        assert_eq!(documents[0].mentions[0].id.as_deref(), Some("D1|D2"));
    }

    #[test]
    fn encodings_are_told_by_declaration_and_mark() {
        let xml = |label: &str| {
            format!(
                "<?xml version='1.0' encoding='{label}'?>{}",
                collection("<document><id>ï</id></document>").replace("<?xml version='1.0'?>", "")
            )
        };
        let latin: Vec<u8> = xml("ISO-8859-1").chars().map(|character| character as u8).collect();
        let wide = |little: bool, mark: bool| -> Vec<u8> {
            let text = format!("{}{}", if mark { "\u{FEFF}" } else { "" }, xml("UTF-16"));
            text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
        };
        for bytes in [
            latin,
            wide(true, true),
            wide(false, true),
            wide(true, false),
            wide(false, false),
            xml("utf-16").into_bytes(),
        ] {
            let (documents, problems) = read_bytes("a.xml", &bytes, &ReadOptions::default());
            assert_eq!((documents[0].id.as_str(), problems.len()), ("ï", 0));
        }
    }

    #[test]
    fn what_is_not_bioc_is_an_error() {
        for (content, message) in [
            ("<html></html>", ": this XML is not BioC: its root is <html>, not <collection>"),
            ("<?xml version='1.0'?>", ":1: the file ends before its first element; it is cut off"),
        ] {
            let error = read_from(Path::new("a.xml"), content.as_bytes(), &ReadOptions::default(), &mut |_| {
                ControlFlow::Continue(())
            })
            .unwrap_err();
            assert_eq!(error.to_string(), format!("a.xml{message}"));
        }
    }

    #[test]
    fn entities_expand_within_bounds() {
        let of = |entities: &str| {
            let text = "<document><id>1</id><passage><offset>0</offset><text>&b;</text></passage></document>";
            format!("<!DOCTYPE collection [{entities}]>\n<collection>{text}</collection>")
        };
        let plain = of("<!ENTITY a 'ha'><!ENTITY b '&a;&a;&lt;'>");
        assert_eq!(read_str("a.xml", &plain, &ReadOptions::default()).0[0].text, "haha<");
        let levels: String = (1..12)
            .map(|level| format!("<!ENTITY b{level} '{}'>", "&b;".repeat(10).replace('b', &format!("b{}", level - 1))))
            .collect();
        let bomb = of(&format!("<!ENTITY b0 'ha'>{levels}<!ENTITY b '&b11;'>"));
        let found = problems("a.xml", bomb.as_bytes(), &ReadOptions::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.xml:2: document 1: not XML: the entity &b"), "{found:?}");
        assert!(found[0].ends_with(" stands for too much text; the rest of the file is not read"), "{found:?}");
    }

    #[test]
    fn annotations_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let (documents, problems) =
            read_str("a.xml", &document("<annotation>&bomb;<location/></annotation>"), &options);
        assert_eq!((documents.len(), problems.len()), (2, 0));
        assert_eq!(documents[0].mentions, []);
    }

    #[test]
    fn all_elements_find_their_place() {
        let content = collection(
            "<source>s</source><infon key='type'>none</infon><document><id> 7 </id><infon key='type'>none</infon>
            <passage><infon key='type'>front</infon><infon key='x'>none</infon><offset>2</offset>
            <text>A <![CDATA[<cold>]]> &amp;&#x20;fever</text>
            <annotation id='T1'><infon key='type'>Disease</infon><infon key='MESH'>D003139</infon>
            <infon key='probability'>0.25</infon><location offset='4' length='6'/><text>&lt;cold></text></annotation>
            <relation id='R1'><infon key='type'>none</infon><node refid='T1' role='x'/></relation></passage>
            <passage><offset>20</offset>
            <sentence><offset>20</offset><text>It came.</text></sentence>
            <sentence><offset>29</offset><text>It went.</text>
            <annotation><location offset='29' length='2'/><location offset='20' length='2'/><text>It It</text></annotation>
            </sentence></passage><annotation id='M'><infon key='type'>index</infon></annotation></document>",
        );
        let mut documents = Vec::new();
        let summary =
            read_from(Path::new("a.xml"), std::io::Cursor::new(content), &ReadOptions::default(), &mut |read| {
                documents.push(read.unwrap());
                ControlFlow::Continue(())
            });
        assert_eq!(summary.unwrap().left_out, 2);
        let document: &Document = &documents[0];
        assert_eq!((&*document.id, &*document.text), ("7", "\n A <cold> & fever\n It came. It went."));
        let passages: Vec<_> = document.passages.iter().map(|p| (&*p.kind, p.span.range())).collect();
        assert_eq!(passages, [("front", 2..18), ("", 20..37)]);
        let cold =
            Mention { probability: Some(0.25), ..Mention::new(Span::new(4, 10), "Disease", Some("D003139".into())) };
        assert_eq!(document.mentions[0], cold);
        assert_eq!(document.mentions[1].fragments, [Span::new(20, 22), Span::new(29, 31)]);
    }

    #[test]
    fn what_xml_cannot_hold_moves_no_offset() {
        let mut document = Document::new("1", "a\0b\u{FFFF}c\r\n<d>");
        document.mentions.push(Mention::new(Span::new(0, 7), "x", None));
        let mut writer = Writer::new(crate::Format::BiocXml, OffsetUnit::Chars, Vec::new()).unwrap();
        writer.write(&document).unwrap();
        assert_eq!(writer.losses().replaced, 2);
        let (documents, problems) = read_bytes("a.xml", &writer.finish().unwrap(), &ReadOptions::default());
        assert_eq!(problems, [""; 0]);
        document.text = "a b\u{FFFD}c\r\n<d>".into();
        assert_eq!(documents, [document]);
    }
}
