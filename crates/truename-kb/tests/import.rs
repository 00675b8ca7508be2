//! One concept in every format, and what is malformed in each.

use truename_kb::import::{Columns, SynonymScopes, read_bytes};
use truename_kb::{Concept, Error, Format, Import, ImportOptions};

fn import(format: Format, text: &str) -> Import {
    read_bytes(text.as_bytes(), format, &ImportOptions::default()).unwrap()
}

fn strictly(format: Format, text: &str) -> Result<Import, Error> {
    read_bytes(text.as_bytes(), format, &ImportOptions { strict: true, ..ImportOptions::default() })
}

/// The names by which every sample below knows its concept.
const NAME: &str = "Diabetes Mellitus, Type 2";
const SYNONYM: &str = "NIDDM & kin";

const SAMPLES: [(Format, &str, &str); 14] = [
    (
        Format::Jsonl,
        "X:1",
        r#"{"id": "X:1", "name": "Diabetes Mellitus, Type 2", "synonyms": ["NIDDM & kin"], "types": ["disease"]}"#,
    ),
    (
        Format::Jsonl,
        "X:1",
        r#"{"concept_id": "X:1", "canonical_name": "Diabetes Mellitus, Type 2", "aliases": ["NIDDM & kin"], "types": ["T047"], "definition": "x"}"#,
    ),
    (Format::Csv, "X:1", "id,name\nX:1,\"Diabetes Mellitus, Type 2\"\nX:1,NIDDM & kin\n"),
    (Format::Tsv, "X:1", "Concept ID\tlabel\tsynonyms\nX:1\tDiabetes Mellitus, Type 2\tNIDDM & kin\n"),
    (
        Format::Obo,
        "X:1",
        "format-version: 1.4\n\n[Term]\nid: X:1\nname: Diabetes Mellitus, Type 2\nsynonym: \"NIDDM & kin\" EXACT []\nsynonym: \"diabetes\" BROAD []\nis_a: X:0\n\n[Term]\nid: X:9\nname: gone\nis_obsolete: true\n",
    ),
    (
        Format::OboGraph,
        "X:1",
        r#"{"graphs": [{"id": "g", "nodes": [{"id": "http://purl.obolibrary.org/obo/X_1", "type": "CLASS", "lbl": "Diabetes Mellitus, Type 2", "meta": {"synonyms": [{"pred": "hasExactSynonym", "val": "NIDDM & kin"}]}}], "edges": []}]}"#,
    ),
    (
        Format::Turtle,
        "http://x.org/1",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://x.org/1> a skos:Concept ; skos:prefLabel \"Diabetes Mellitus, Type 2\"@en, \"Diabetes Typ 2\"@de ; skos:altLabel \"NIDDM & kin\"@en .\n",
    ),
    (
        Format::RdfXml,
        "X:1",
        r#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:o="http://www.geneontology.org/formats/oboInOwl#"><owl:Class rdf:about="http://purl.obolibrary.org/obo/X_1"><rdfs:label>Diabetes Mellitus, Type 2</rdfs:label><o:hasExactSynonym>NIDDM &amp; kin</o:hasExactSynonym></owl:Class><owl:ObjectProperty rdf:about="http://x.org/p"><rdfs:label>part of</rdfs:label></owl:ObjectProperty></rdf:RDF>"#,
    ),
    (
        Format::Rrf,
        "C1",
        "C1|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|MH|D003924|Diabetes Mellitus, Type 2|0|N|256|\nC1|ENG|S|L2|PF|S2|Y|A2||M1|D1|MSH|PEP|D003924|NIDDM & kin|0|N|256|\nC1|GER|P|L3|PF|S3|Y|A3||M1|D1|MSHGER|MH|D003924|Diabetes Typ 2|3|N||\nC1|ENG|S|L4|PF|S4|Y|A4||M1|D1|MSH|PEP|D003924|obsolete|0|O|256|\nC1|T047|B2.2.1.2.1|Disease or Syndrome|AT1||\n",
    ),
    (
        Format::Ctd,
        "MESH:D003924",
        "# Fields:\n# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\tSynonyms\n#\nDiabetes Mellitus, Type 2\tMESH:D003924\tDO:9352\tx\tMESH:D003920\tC18\tC18\tNIDDM & kin\n",
    ),
    (
        Format::Mesh,
        "D003924",
        "<?xml version=\"1.0\"?>\n<DescriptorRecordSet>\n<DescriptorRecord><DescriptorUI>D003924</DescriptorUI><DescriptorName><String>Diabetes Mellitus, Type 2</String></DescriptorName><TreeNumberList><TreeNumber>C18.452.394.750.149</TreeNumber></TreeNumberList><ConceptList><Concept><TermList><Term><String>Diabetes Mellitus, Type 2</String></Term><Term><String>NIDDM &amp; kin</String></Term></TermList></Concept></ConceptList></DescriptorRecord></DescriptorRecordSet>",
    ),
    (
        Format::Mesh,
        "C000001",
        "<SupplementalRecordSet><SupplementalRecord><SupplementalRecordUI>C000001</SupplementalRecordUI><SupplementalRecordName><String>Diabetes Mellitus, Type 2</String></SupplementalRecordName><HeadingMappedToList><HeadingMappedTo><DescriptorReferredTo><DescriptorUI>*D1</DescriptorUI></DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList><ConceptList><Concept><TermList><Term><String>NIDDM &amp; kin</String></Term></TermList></Concept></ConceptList></SupplementalRecord></SupplementalRecordSet>",
    ),
    (
        Format::Gilda,
        "mesh:D003924",
        "norm_text\ttext\tdb\tid\tentry_name\tstatus\tsource\torganism\tsource_db\tsource_id\nniddm\tNIDDM & kin\tmesh\tD003924\tDiabetes Mellitus, Type 2\tsynonym\tmesh\t\t\t\n",
    ),
    (Format::Dictionary, "D003924", "D003924|125853||Diabetes Mellitus, Type 2|NIDDM & kin\n"),
];

#[test]
fn every_format_gives_the_same_names() {
    for (format, id, text) in SAMPLES {
        let import = import(format, text);
        assert_eq!(import.problems, [], "{format:?}");
        assert_eq!(import.concepts.len(), 1, "{format:?}: {:?}", import.concepts);
        let concept: &Concept = &import.concepts[0];
        assert_eq!(concept.id.as_str(), id, "{format:?}");
        assert_eq!(concept.names().collect::<Vec<_>>(), [NAME, SYNONYM], "{format:?}");
    }
}

#[test]
fn every_format_is_told_by_its_content() {
    for (format, _, text) in SAMPLES {
        let extension = match format {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            _ => "anything",
        };
        let path = std::path::PathBuf::from(format!("file.{extension}"));
        assert_eq!(Format::detect(&path, text.as_bytes()), Some(format), "{text}");
    }
}

#[test]
fn every_format_survives_being_cut_anywhere() {
    for (format, _, text) in SAMPLES {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = read_bytes(&text.as_bytes()[..end], format, &ImportOptions::default());
        }
    }
}

#[test]
fn what_is_beside_the_names_is_kept() {
    let obo = import(Format::Obo, SAMPLES[4].2);
    assert_eq!(obo.concepts[0].parents[0].as_str(), "X:0");
    assert_eq!(obo.removed[0].as_str(), "X:9");
    let rrf = import(Format::Rrf, SAMPLES[8].2);
    assert_eq!(
        (&rrf.concepts[0].types[..], &rrf.concepts[0].xrefs[..]),
        (&["Disease or Syndrome".into()][..], &["MSH:D003924".into()][..])
    );
    let mesh = import(Format::Mesh, SAMPLES[10].2);
    assert_eq!(mesh.concepts[0].types, ["disease"]);
    let supplement = import(Format::Mesh, SAMPLES[11].2);
    assert_eq!(supplement.concepts[0].parents[0].as_str(), "D1");
    let broad = ImportOptions {
        scopes: SynonymScopes { broad: true, narrow: true, related: true },
        ..ImportOptions::default()
    };
    assert_eq!(read_bytes(SAMPLES[4].2.as_bytes(), Format::Obo, &broad).unwrap().concepts[0].synonyms.len(), 2);
}

#[test]
fn mappings_become_cross_references_and_leftovers_are_kept() {
    let table =
        "#curie_map:\nsubject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\tY:1\nX:1\tskos:broadMatch\tY:2\n";
    let import = import(Format::Sssom, table);
    assert_eq!(import.mappings, [("X:1".to_owned(), "Y:1".to_owned())]);
    assert_eq!(import.problem_count, 1);
}

#[test]
fn columns_and_separators_can_be_named() {
    let columns = Columns {
        id: Some("key".into()),
        name: Some("words".into()),
        separator: Some(";".into()),
        ..Columns::default()
    };
    let options = ImportOptions { columns, ..ImportOptions::default() };
    let import = read_bytes(b"key,words\n1,a; b;c\n", Format::Csv, &options).unwrap();
    assert_eq!(import.concepts[0].names().collect::<Vec<_>>(), ["a", "b", "c"]);
    let missing = read_bytes(b"id,words\n1,a\n", Format::Csv, &options).unwrap_err();
    assert!(missing.to_string().contains("no column \"key\""), "{missing}");
}

#[test]
fn malformed_entries_are_listed_with_file_line_and_value() {
    let long = format!("id,name\nX:1,{}\n", "n".repeat(100_000));
    let cases: [(Format, &[u8], u64, &str); 12] = [
        (Format::Jsonl, b"{\"id\": \"X:1\"", 1, "not JSON"),
        (Format::Jsonl, b"{\"id\": \"X:1\", \"nmae\": \"a\"}", 1, "unknown field `nmae`"),
        (Format::Jsonl, b"\n{\"id\": \" \", \"name\": \"a\"}", 2, "an id must have"),
        (Format::Jsonl, b"{\"id\": \"1\", \"name\": \"a\"}\n{\"id\": \"1\", \"name\": \"b\"}", 2, "there before"),
        (Format::Jsonl, b"{\"id\": \"1\", \"name\": \"a\\u202Eb\"}", 1, "bidirectional"),
        (Format::Csv, b"id,name\nX:1,\n", 2, "without a name"),
        (Format::Csv, b"id,name\nX:1\n", 2, "a row of 1 columns of 2"),
        (Format::Csv, b"id,name\nX:1,\xe9t\xe9\n", 2, "not UTF-8"),
        (Format::Csv, long.as_bytes(), 2, "a name of 100000 bytes"),
        (Format::Rrf, b"C1|ENG|\n", 1, "a row of 3 fields"),
        (Format::Dictionary, b"D1|x\n", 1, "no `||`"),
        (Format::Ctd, b"# Fields:\n# DiseaseName\tDiseaseID\nx\n", 3, "no name and id"),
    ];
    for (format, text, line, reason) in cases {
        let import = read_bytes(text, format, &ImportOptions::default()).unwrap();
        assert_eq!(import.problems.len(), 1, "{reason}: {:?}", import.problems);
        let problem = &import.problems[0];
        assert_eq!(problem.line, Some(line), "{problem}");
        assert!(problem.reason.contains(reason), "{problem}");
        let text = String::from_utf8_lossy(text);
        assert!(std::str::from_utf8(text.as_bytes()).is_ok());
        if !problem.reason.contains("UTF-8") {
            assert!(strictly(format, &text).is_err(), "{reason}");
        }
    }
}

#[test]
fn broken_syntax_is_an_error_with_a_line() {
    let cases = [
        (Format::Turtle, "@prefix x: <http://x.org/> .\nx:a x:b", "2"),
        (Format::Mesh, "<A>\n<DescriptorRecord>\n</B>", "3"),
        (Format::OboGraph, "{\"graphs\": [\n{]}", "2"),
        (Format::Obo, "nonsense\n", "1"),
        (Format::Csv, "a,b\n1,2\n", "1"),
    ];
    for (format, text, line) in cases {
        let error = read_bytes(text.as_bytes(), format, &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("memory:{line}:")), "{format:?}: {error}");
    }
    let rdf = read_bytes(b"<rdf:RDF", Format::RdfXml, &ImportOptions::default()).unwrap_err();
    assert!(rdf.to_string().contains("RDF/XML"), "{rdf}");
}

#[test]
fn cycles_are_listed_and_kept() {
    let text = concat!(
        r#"{"id": "A", "name": "a", "parents": ["B"]}"#,
        "\n",
        r#"{"id": "B", "name": "b", "parents": ["C", "Z"]}"#,
        "\n",
        r#"{"id": "C", "name": "c", "parents": ["A"]}"#
    );
    let import = import(Format::Jsonl, text);
    assert_eq!(import.problems.len(), 1);
    assert_eq!(import.problems[0].value, "A → B → C → A");
    assert_eq!(import.concepts[2].parents[0].as_str(), "A");
}

#[test]
fn other_encodings_and_gzip_are_read() {
    let latin = ImportOptions { encoding: Some("windows-1252".into()), ..ImportOptions::default() };
    let import = read_bytes(b"id,name\n1,Sj\xf6gren\n", Format::Csv, &latin).unwrap();
    assert_eq!(import.concepts[0].name, "Sjögren");
    let utf16: Vec<u8> = "\u{FEFF}id,name\n1,Sjögren\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = read_bytes(&utf16, Format::Csv, &ImportOptions::default()).unwrap();
    assert_eq!(marked.concepts[0].name, "Sjögren");
    let unknown = ImportOptions { encoding: Some("klingon".into()), ..ImportOptions::default() };
    assert!(read_bytes(b"", Format::Csv, &unknown).unwrap_err().hint().unwrap().contains("WHATWG"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"id,name\n1,a\n").unwrap();
    let unpacked = read_bytes(&packed.finish().unwrap(), Format::Csv, &ImportOptions::default()).unwrap();
    assert_eq!(unpacked.concepts[0].name, "a");
}
