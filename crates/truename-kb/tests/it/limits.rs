//! Small files that would take much memory.

use std::io::Write;

use truename_kb::import::read_bytes;
use truename_kb::{Format, ImportOptions};

const LIMIT: u64 = 100_000;

fn options() -> ImportOptions {
    ImportOptions { max_line_bytes: Some(LIMIT), ..ImportOptions::default() }
}

/// Each format with a beginning, after which a value goes on until `end`.
const VALUES: [(Format, &str, &str, &str); 12] = [
    (Format::Jsonl, "{\"id\": \"1\", \"name\": \"", "a", "\"}\n"),
    (Format::Csv, "id,name\n1,\"", "a", "\"\n"),
    (Format::Csv, "id,name\n1,\"a\"\"", "\n", "\"\n"),
    (Format::Tsv, "id\tname\n1\t", "a", "\n"),
    (Format::Obo, "format-version: 1.2\n\n[Term]\nid: 1\nname: ", "a", "\n"),
    (Format::OboGraph, "{\"graphs\": [{\"nodes\": [{\"id\": \"1\", \"lbl\": \"", "\\n", "\"}]}]}"),
    (Format::Turtle, "<http://x.org/1> <http://www.w3.org/2004/02/skos/core#prefLabel> \"", "a", "\" .\n"),
    (Format::RdfXml, "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><!--", "a", "--></rdf:RDF>"),
    (Format::RdfXml, "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' a='", "a", "'></rdf:RDF>"),
    (
        Format::Mesh,
        "<DescriptorRecordSet>",
        "<![CDATA[a name in pieces, one after the other]]>",
        "</DescriptorRecordSet>",
    ),
    (Format::OwlXml, "<Ontology><Declaration>", "a", "</Declaration></Ontology>"),
    (Format::Rrf, "C1|ENG|", "a", "\n"),
];

#[test]
fn a_value_beyond_the_limit_is_refused() {
    for (format, beginning, piece, end) in VALUES {
        let text = |bytes: u64| {
            let count = usize::try_from(bytes).unwrap() / piece.trim().len().max(1);
            format!("{beginning}{}{end}", piece.repeat(count))
        };
        let error = read_bytes(text(4 * LIMIT).as_bytes(), format, &options()).unwrap_err();
        assert!(error.to_string().ends_with("a line or value of more than 100000 bytes"), "{format:?}: {error}");
        assert!(error.to_string().starts_with("memory:"), "{format:?}: {error}");
        assert!(error.hint().unwrap().to_string().contains("max_line_bytes"), "{format:?}");
        let short = read_bytes(text(LIMIT / 2).as_bytes(), format, &options());
        let refused = short.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(!refused.contains("bytes"), "{format:?}: {refused}");
    }
}

#[test]
fn a_bomb_of_gzip_is_refused() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"id\tname\n1\t").unwrap();
    let megabyte = vec![b'a'; 1 << 20];
    for _ in 0..128 {
        packer.write_all(&megabyte).unwrap();
    }
    let packed = packer.finish().unwrap();
    let error = read_bytes(&packed, Format::Tsv, &ImportOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "memory:2: a line or value of more than 67108864 bytes");
}

fn with_entities(format: Format, declarations: &str, text: &str) -> Result<String, String> {
    let document = match format {
        Format::Mesh => format!(
            "<!DOCTYPE x [{declarations}]><DescriptorRecordSet><DescriptorRecord><DescriptorUI>1</DescriptorUI><DescriptorName><String>{text}</String></DescriptorName></DescriptorRecord></DescriptorRecordSet>"
        ),
        Format::OwlXml => format!(
            "<!DOCTYPE x [{declarations}]><Ontology><AnnotationAssertion><AnnotationProperty abbreviatedIRI='rdfs:label'/><IRI>x:1</IRI><Literal>{text}</Literal></AnnotationAssertion></Ontology>"
        ),
        _ => format!(
            "<!DOCTYPE x [{declarations}]><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:rdfs='http://www.w3.org/2000/01/rdf-schema#'><rdf:Description rdf:about='http://x.org/1' rdfs:label=\"{text}\"/></rdf:RDF>"
        ),
    };
    match read_bytes(document.as_bytes(), format, &ImportOptions::default()) {
        Ok(import) => Ok(import.concepts.first().map(|concept| concept.name.clone()).unwrap_or_default()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn entities_expand_within_bounds() {
    for format in [Format::Mesh, Format::OwlXml, Format::RdfXml] {
        let plain = r#"<!-- <!ENTITY a "no"> --><!ELEMENT x (#PCDATA)><!ENTITY a "&b; > c"><!ENTITY a "second"><!ENTITY b 'd'><!ENTITY % p "p"><!ENTITY e SYSTEM "file:///etc/passwd">"#;
        assert_eq!(with_entities(format, plain, "x &a;").unwrap(), "x d > c", "{format:?}");
        let external = with_entities(format, plain, "x &e; y").unwrap_or_else(|error| error);
        assert!(external == "x &e; y" || external.contains("no entity &e;"), "{format:?}: {external}");

        let level = |of: &str| format!("&{of};").repeat(10);
        let mut laughs = "<!ENTITY l0 'ha'>".to_owned();
        for depth in 1..12 {
            laughs += &format!("<!ENTITY l{depth} '{}'>", level(&format!("l{}", depth - 1)));
        }
        let empty = laughs.replace("'ha'", "''");
        let long = format!("<!ENTITY a '{}'>", "a".repeat(100_000));
        let endless = "<!ENTITY a '&b;'><!ENTITY b '&a;'>";
        let bombs = [
            (&laughs[..], "&l11;".to_owned()),
            (&empty, "&l11;".to_owned()),
            (&long, "&a;".repeat(20_000)),
            (endless, "&a;".to_owned()),
        ];
        for (declarations, text) in bombs {
            let error = with_entities(format, declarations, &text).unwrap_err();
            assert!(error.contains("stands for too much text"), "{format:?}: {error}");
        }
    }
}

#[test]
fn an_entity_makes_no_value_beyond_the_limit() {
    let padding = "<!-- long -->".repeat(100_000);
    let level = "&a;".repeat(1000);
    let text = format!(
        "<!DOCTYPE x [<!ENTITY a '{}'><!ENTITY b '{level}'>]><DescriptorRecordSet>{padding}&b;</DescriptorRecordSet>",
        "a".repeat(10_000)
    );
    let error = read_bytes(text.as_bytes(), Format::Mesh, &options()).unwrap_err().to_string();
    assert!(error.ends_with("a line or value of more than 100000 bytes"), "{error}");
}

#[test]
fn elements_within_each_other_are_bounded() {
    for format in [Format::Mesh, Format::OwlXml, Format::RdfXml] {
        let deep = "<a>".repeat(100_000);
        let error = read_bytes(deep.as_bytes(), format, &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.contains("more than 1000 elements within each other") || error.contains("namespaces"), "{error}");
    }
    let nested = "[".repeat(1_000_000);
    let graph = format!("{{\"graphs\": {nested}");
    assert!(read_bytes(graph.as_bytes(), Format::OboGraph, &ImportOptions::default()).is_err());
    let turtle = format!("<http://x.org/1> <http://x.org/p> {nested}");
    assert!(read_bytes(turtle.as_bytes(), Format::Turtle, &ImportOptions::default()).is_err());
}
