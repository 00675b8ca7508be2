//! One concept in every format, and what is malformed in each.

use std::collections::BTreeMap;

use truename_kb::import::{Columns, SynonymScopes, read_bytes};
use truename_kb::{Concept, Error, Format, Import, ImportOptions, SynonymScope};

fn import(format: Format, text: &str) -> Import {
    read_bytes(text.as_bytes(), format, &ImportOptions::default()).unwrap()
}

fn strictly(format: Format, text: &str) -> Result<Import, Error> {
    read_bytes(text.as_bytes(), format, &ImportOptions { strict: true, ..ImportOptions::default() })
}

/// The names by which every sample below knows its concept.
const NAME: &str = "Diabetes Mellitus, Type 2";
const SYNONYM: &str = "NIDDM & kin";

const SAMPLES: [(Format, &str, &str); 27] = [
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
    (
        Format::Ctd,
        "MESH:D003924",
        "# Fields:\n# DiseaseName,DiseaseID,AltDiseaseIDs,Definition,ParentIDs,TreeNumbers,ParentTreeNumbers,Synonyms\n#\n\"Diabetes Mellitus, Type 2\",MESH:D003924,DO:9352,\"x, \"\"y\"\"\",MESH:D003920,C18,C18,NIDDM & kin\n",
    ),
    (
        Format::OwlXml,
        "X:1",
        r##"<?xml version="1.0"?><!DOCTYPE Ontology [<!ENTITY obo "http://purl.obolibrary.org/obo/">]><Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://x.org/o"><Prefix name="o" IRI="http://www.geneontology.org/formats/oboInOwl#"/><Declaration><Class IRI="&obo;X_1"/></Declaration><AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>http://purl.obolibrary.org/obo/X_1</IRI><Literal>Diabetes Mellitus, Type 2</Literal></AnnotationAssertion><AnnotationAssertion><AnnotationProperty abbreviatedIRI="o:hasExactSynonym"/><IRI>&obo;X_1</IRI><Literal xml:lang="en">NIDDM &amp; kin</Literal></AnnotationAssertion><Declaration><ObjectProperty IRI="#p"/></Declaration><AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>#p</IRI><Literal>part of</Literal></AnnotationAssertion><SubClassOf><Class IRI="&obo;X_1"/><Class IRI="&obo;X_0"/></SubClassOf></Ontology>"##,
    ),
    (Format::Dictionary, "D003924", "D003924|125853||Diabetes Mellitus, Type 2|NIDDM & kin\n"),
    (
        Format::Wordnet,
        "WN:14143485-n",
        "  1 This software and database is being provided to you, the LICENSEE, by  \n14143485 26 n 02 Diabetes_Mellitus,_Type_2 0 NIDDM_&_kin 0 003 @ 14142780 n 0000 + 01234567 a 0101 @i 14142781 n 0000 | mild diabetes; \"his NIDDM & kin\"  \n",
    ),
    (
        Format::Clusters,
        "PPDB:Diabetes Mellitus, Type 2",
        "Diabetes Mellitus, Type 2\n\tDiabetes Mellitus, Type 2\n\tNIDDM & kin\n",
    ),
    (
        Format::Rf2,
        "44054006",
        "id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n1\t20200131\t1\t900000000000207008\t44054006\ten\t900000000000013009\tDiabetes Mellitus, Type 2\t9\n2\t20200131\t1\t900000000000207008\t44054006\ten\t900000000000013009\tNIDDM & kin\t9\n",
    ),
    (
        Format::Loinc,
        "1-8",
        "\"LOINC_NUM\",\"STATUS\",\"SHORTNAME\",\"LONG_COMMON_NAME\"\n\"1-8\",\"ACTIVE\",\"NIDDM & kin\",\"Diabetes Mellitus, Type 2\"\n",
    ),
    (
        Format::Hgnc,
        "HGNC:5",
        "hgnc_id\tsymbol\tname\talias_symbol\tprev_name\nHGNC:5\tDiabetes Mellitus, Type 2\t\tNIDDM & kin\t\"NIDDM & kin|Diabetes Mellitus, Type 2\"\n",
    ),
    (
        Format::NcbiGene,
        "5",
        "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\n9606\t5\tDiabetes Mellitus, Type 2\t-\tNIDDM & kin\tHGNC:HGNC:5|MIM:1\n",
    ),
    (
        Format::UniProt,
        "P24941",
        "Entry\tEntry Name\tProtein names\tOrganism\nP24941\t\tDiabetes Mellitus, Type 2 (NIDDM & kin) (EC 2.7.11.22) [Cleaved into: x (y)]\tHomo sapiens (Human)\n",
    ),
    (
        Format::GeoNames,
        "8",
        "8\tDiabetes Mellitus, Type 2\t\tNIDDM & kin\t1.5\t2.5\tP\tPPL\tFR\t\t\t\t\t\t0\t\t1\tEurope/Paris\t2020-01-01\n",
    ),
    (
        Format::Icd10Cm,
        "E11",
        "00001 E11     0 NIDDM & kin                                                  Diabetes Mellitus, Type 2\n",
    ),
    (
        Format::NcitFlat,
        "C26747",
        "C26747\t<http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#C26747>\tC2985\tDiabetes Mellitus, Type 2|NIDDM & kin\tA type.\t\t\tDisease or Syndrome\t\n",
    ),
    (
        Format::JsonLd,
        "X:1",
        r#"{"@context": {"rdfs": "http://www.w3.org/2000/01/rdf-schema#", "o": "http://www.geneontology.org/formats/oboInOwl#"}, "@graph": [{"@id": "http://purl.obolibrary.org/obo/X_1", "@type": "http://www.w3.org/2002/07/owl#Class", "rdfs:label": "Diabetes Mellitus, Type 2", "o:hasExactSynonym": {"@value": "NIDDM & kin", "@language": "en"}}]}"#,
    ),
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
        assert_eq!(Format::detect(&path, text), Some(format), "{text}");
    }
}

/// Mappings, which make no concept.
const MAPPINGS: &str = "subject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\tY:1\nX:1\tskos:closeMatch\tY:20\n";

/// Concepts without further names, which another table has.
const OMOP: &str = "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_code\tinvalid_reason\n1\tAsthma\tCondition\tSNOMED\t195967001\t\n2\tCough\tCondition\tSNOMED\t49727002\t\n";

/// A text of every format.
fn samples() -> impl Iterator<Item = (Format, &'static str)> {
    let further = [(Format::Sssom, MAPPINGS), (Format::Omop, OMOP)];
    SAMPLES.into_iter().map(|(format, _, text)| (format, text)).chain(further)
}

#[test]
fn every_format_has_a_sample() {
    for format in Format::all() {
        assert!(samples().any(|(known, _)| known == format), "{format:?}");
    }
}

/// All that an import holds, as lines.
fn facts(import: &Import) -> Vec<String> {
    let names =
        import.concepts.iter().flat_map(|concept| concept.names().map(move |name| format!("{} {name}", concept.id)));
    let types = import
        .concepts
        .iter()
        .flat_map(|concept| concept.types.iter().map(move |kind| format!("{} {kind}", concept.id)));
    let mappings = import.mappings.iter().map(|(subject, object)| format!("{subject} {object}"));
    names.chain(types).chain(mappings).collect()
}

#[test]
fn a_file_cut_anywhere_is_refused_listed_or_read_up_to_a_complete_row() {
    for (format, text) in samples() {
        let mut whole = facts(&import(format, text));
        // Nothing says how many lines a term of OBO has.
        whole.extend((format == Format::Obo).then(|| "X:9 gone".to_owned()));
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let cut = &text[..end];
            let Ok(import) = read_bytes(cut.as_bytes(), format, &ImportOptions::default()) else { continue };
            if import.problem_count > 0 {
                continue;
            }
            let has_rows =
                !matches!(format, Format::JsonLd | Format::RdfXml | Format::OwlXml | Format::Mesh | Format::OboGraph);
            let at_row_end = cut.is_empty() || cut.ends_with('\n') || matches!(&text[end..end + 1], "\n");
            assert!(has_rows && at_row_end, "{format:?} was read as whole: {cut:?}");
            let facts = facts(&import);
            assert!(facts.iter().all(|fact| whole.contains(fact)), "{format:?}: {facts:?} of {cut:?}");
        }
    }
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_compressed_file_cut_anywhere_is_refused() {
    for (format, text) in samples() {
        let packed = packed(text);
        assert_eq!(read_bytes(&packed, format, &ImportOptions::default()).unwrap().problem_count, 0, "{format:?}");
        for end in 2..packed.len() {
            let error = read_bytes(&packed[..end], format, &ImportOptions::default()).unwrap_err().to_string();
            assert!(
                error.starts_with("memory:") && error.ends_with("the file is cut off"),
                "{format:?}, {end}: {error}"
            );
        }
        let mut damaged = packed.clone();
        let crc = damaged.len() - 8;
        damaged[crc] ^= 1;
        let error = read_bytes(&damaged, format, &ImportOptions::default()).unwrap_err().to_string();
        assert!(error.contains("the compressed data are damaged"), "{format:?}: {error}");
    }
    let rows: String = (0..100_000).map(|number| format!("{{\"id\": \"{number}\", \"name\": \"a\"}}\n")).collect();
    let long = self::packed(&rows);
    let error = read_bytes(&long[..long.len() / 2], Format::Jsonl, &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the file is cut off"), "{error}");
    assert!(error.to_string().split(':').nth(1).unwrap().parse::<u64>().unwrap() > 1000, "{error}");
}

#[test]
fn every_format_is_read_however_it_is_packed_and_encoded() {
    for (format, text) in samples() {
        let wanted = facts(&import(format, text));
        let units =
            |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes).collect() };
        let marked = format!("\u{FEFF}{text}");
        for (form, bytes) in [
            ("gzip", packed(text)),
            ("zstd", zstd::encode_all(text.as_bytes(), 1).unwrap()),
            ("mark", marked.clone().into_bytes()),
            ("UTF-16 with a mark", units(&marked, u16::to_le_bytes)),
            ("UTF-16 without a mark", units(text, u16::to_be_bytes)),
            ("CRLF", text.replace('\n', "\r\n").into_bytes()),
            ("blank lines", format!("{text}\n\n\r\n").into_bytes()),
        ] {
            let read = read_bytes(&bytes, format, &ImportOptions::default()).unwrap();
            assert_eq!(
                (facts(&read), read.problem_count),
                (wanted.clone(), 0),
                "{format:?} {form}: {:?}",
                read.problems
            );
        }
        let cut = zstd::encode_all(text.as_bytes(), 1).unwrap();
        for end in (4..cut.len()).step_by(97) {
            let error = read_bytes(&cut[..end], format, &ImportOptions::default()).unwrap_err();
            assert!(error.to_string().ends_with("the file is cut off"), "{format:?}: {error}");
        }
    }
}

#[test]
fn a_line_of_40_mb_is_no_concept_of_any_format() {
    let line = vec![b'a'; 40 << 20];
    for format in Format::all() {
        let concepts = read_bytes(&line, format, &ImportOptions::default()).map_or(0, |import| import.concepts.len());
        assert_eq!(concepts, 0, "{format:?}");
    }
}

#[test]
fn the_whole_of_a_part_is_kept() {
    let obo = "format-version: 1.2\n\n[Term]\nid: X:1\nname: nail\nis_a: X:0\nrelationship: part_of X:2 ! finger\nrelationship: \
               develops_from X:3\n\n[Term]\nid: X:2\nname: finger\n";
    let restriction = |property: &str, whole: &str| {
        format!(
            "<rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource=\"{property}\"/><owl:someValuesFrom \
             rdf:resource=\"{whole}\"/></owl:Restriction></rdfs:subClassOf>"
        )
    };
    let obo_iri = "http://purl.obolibrary.org/obo";
    let owl = format!(
        "<?xml version=\"1.0\"?><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
         xmlns:rdfs=\"http://www.w3.org/2000/01/rdf-schema#\" xmlns:owl=\"http://www.w3.org/2002/07/owl#\"><owl:Class \
         rdf:about=\"{obo_iri}/X_1\"><rdfs:label>nail</rdfs:label><rdfs:subClassOf \
         rdf:resource=\"{obo_iri}/X_0\"/>{}{}</owl:Class></rdf:RDF>",
        restriction(&format!("{obo_iri}/BFO_0000050"), &format!("{obo_iri}/X_2")),
        restriction(&format!("{obo_iri}/RO_0002202"), &format!("{obo_iri}/X_3")),
    );
    let turtle = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix o: \
                  <http://purl.obolibrary.org/obo/> .\n_:r owl:someValuesFrom o:X_2 .\n_:r owl:onProperty o:BFO_0000050 .\no:X_1 a \
                  owl:Class ; rdfs:label \"nail\" ; rdfs:subClassOf o:X_0, _:r .\n";
    let class = |id: &str| format!("<Class IRI=\"{obo_iri}/{id}\"/>");
    let owlxml = format!(
        "<?xml version=\"1.0\"?><Ontology xmlns=\"http://www.w3.org/2002/07/owl#\"><Declaration>{one}</Declaration><AnnotationAssertion>\
         <AnnotationProperty IRI=\"http://www.w3.org/2000/01/rdf-schema#label\"/><IRI>{obo_iri}/X_1</IRI><Literal>nail</Literal>\
         </AnnotationAssertion><SubClassOf>{one}{}</SubClassOf><SubClassOf>{one}<ObjectSomeValuesFrom><ObjectProperty \
         IRI=\"{obo_iri}/BFO_0000050\"/>{}</ObjectSomeValuesFrom></SubClassOf></Ontology>",
        class("X_0"),
        class("X_2"),
        one = class("X_1"),
    );
    let graph = format!(
        r#"{{"graphs": [{{"nodes": [{{"id": "{obo_iri}/X_1", "lbl": "nail", "type": "CLASS"}}], "edges": [
            {{"sub": "{obo_iri}/X_1", "pred": "is_a", "obj": "{obo_iri}/X_0"}},
            {{"sub": "{obo_iri}/X_1", "pred": "{obo_iri}/BFO_0000050", "obj": "{obo_iri}/X_2"}}]}}]}}"#
    );
    let jsonl = r#"{"id": "X:1", "name": "nail", "parents": ["X:0"], "part_of": ["X:2"]}"#;
    for (format, text) in [
        (Format::Obo, obo),
        (Format::RdfXml, owl.as_str()),
        (Format::Turtle, turtle),
        (Format::OwlXml, owlxml.as_str()),
        (Format::OboGraph, graph.as_str()),
        (Format::Jsonl, jsonl),
    ] {
        let read = import(format, text);
        let nail = read.concepts.iter().find(|concept| concept.id == "X:1").unwrap();
        let ids = |ids: &[truename_kb::ConceptId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((ids(&nail.parents), ids(&nail.part_of)), (vec!["X:0".into()], vec!["X:2".into()]), "{format:?}");
    }
}

#[test]
fn a_line_of_obo_goes_on_behind_a_backslash() {
    let obo = "[Term]\nid: X:1\nname: nail \\\nof \\\n a finger\nsynonym: \"slash \\\\\" EXACT []\n! note \\\nis_a: X:0\n\n[Term]\nid: X:2\nname: \
               hair\\\n\n[Term]\nid: X:3\nname: skin\\\n";
    let read = import(Format::Obo, obo);
    let names: Vec<&str> = read.concepts.iter().map(|concept| concept.name.as_str()).collect();
    assert_eq!((&names[..], read.problem_count), (&["nail of a finger", "hair", "skin"][..], 0), "{:?}", read.problems);
    let nail = &read.concepts[0];
    assert_eq!((nail.parents.len(), &nail.synonyms[..]), (1, &["slash \\".to_owned()][..]));
}

#[test]
fn ids_that_a_spreadsheet_rounded_are_counted() {
    let read = import(Format::Csv, "id,name\n1.23457E+11,nail\n9E+17,hair\nE+1,skin\n2E+,bone\n");
    let notes: Vec<String> = read.notes().iter().map(|note| note.reason.clone()).collect();
    assert!(notes.iter().any(|note| note.ends_with("(9E+17): 2")) && read.concepts.len() == 4, "{notes:?}");
}

#[test]
fn disjoint_classes_are_kept() {
    let obo = "[Term]\nid: X:1\nname: nail\ndisjoint_from: X:2 ! hair\n\n[Term]\nid: X:2\nname: hair\n";
    let prefixes = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix o: \
                    <http://purl.obolibrary.org/obo/> .\no:X_1 a owl:Class ; rdfs:label \"nail\" .\no:X_2 a owl:Class ; rdfs:label \
                    \"hair\" .\n";
    let pair = format!("{prefixes}o:X_1 owl:disjointWith o:X_2 .\n");
    let list = |classes: &str| format!("{prefixes}[] a owl:AllDisjointClasses ; owl:members ( {classes} ) .\n");
    let all = list("o:X_1 o:X_2 [ a owl:Class ]");
    let owlxml = "<?xml version=\"1.0\"?><Ontology xmlns=\"http://www.w3.org/2002/07/owl#\"><Declaration><Class \
                  IRI=\"http://purl.obolibrary.org/obo/X_1\"/></Declaration><AnnotationAssertion><AnnotationProperty \
                  IRI=\"http://www.w3.org/2000/01/rdf-schema#label\"/><IRI>http://purl.obolibrary.org/obo/X_1</IRI>\
                  <Literal>nail</Literal></AnnotationAssertion><DisjointClasses><Class \
                  IRI=\"http://purl.obolibrary.org/obo/X_1\"/><Class IRI=\"http://purl.obolibrary.org/obo/X_2\"/>\
                  </DisjointClasses></Ontology>";
    let jsonl = r#"{"id": "X:1", "name": "nail", "disjoint_from": ["X:2"]}"#;
    for (format, text) in [
        (Format::Obo, obo),
        (Format::Turtle, pair.as_str()),
        (Format::Turtle, all.as_str()),
        (Format::OwlXml, owlxml),
        (Format::Jsonl, jsonl),
    ] {
        let read = import(format, text);
        let nail = read.concepts.iter().find(|concept| concept.id == "X:1").unwrap();
        assert_eq!(nail.disjoint_from, ["X:2"], "{format:?}");
    }
    let long: Vec<String> = (1..=65).map(|class| format!("o:X_{class}")).collect();
    let read = import(Format::Turtle, &list(&long.join(" ")));
    assert!(read.concepts.iter().all(|concept| concept.disjoint_from.is_empty()));
    let note = "lists of more than 64 disjoint classes were not used: 1";
    assert!(read.notes().iter().any(|known| known.reason == note), "{:?}", read.notes());
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
    let wordnet = &import(Format::Wordnet, SAMPLES[16].2).concepts[0];
    assert_eq!((wordnet.types.join(" "), wordnet.parents.len()), ("noun".into(), 2));
    assert_eq!(wordnet.parents[1].as_str(), "WN:14142781-n");
    assert_eq!(wordnet.definition.as_deref(), Some("mild diabetes; \"his NIDDM & kin\""));
    let all = SynonymScopes { broad: true, narrow: true, related: true };
    let broad = ImportOptions { scopes: all, ..ImportOptions::default() };
    assert_eq!(read_bytes(SAMPLES[4].2.as_bytes(), Format::Obo, &broad).unwrap().concepts[0].synonyms.len(), 2);
}

/// A term in OBO and OBO Graphs JSON, with a synonym of each scope and one that is exact and related.
const SCOPED: [(Format, &str); 2] = [
    (
        Format::Obo,
        "format-version: 1.4\n\n[Term]\nid: X:1\nname: asthma\nsynonym: \"airway illness\" BROAD []\n\
         synonym: \"mild asthma\" NARROW []\nsynonym: \"wheeze\" RELATED []\nsynonym: \"both\" RELATED []\n\
         synonym: \"both\" EXACT []\nsynonym: \"asthmatic disease\" EXACT []\n",
    ),
    (
        Format::OboGraph,
        r#"{"graphs": [{"nodes": [{"id": "http://purl.obolibrary.org/obo/X_1", "lbl": "asthma", "type": "CLASS", "meta": {"synonyms": [
            {"pred": "hasBroadSynonym", "val": "airway illness"}, {"pred": "hasNarrowSynonym", "val": "mild asthma"},
            {"pred": "hasRelatedSynonym", "val": "wheeze"}, {"pred": "hasRelatedSynonym", "val": "both"},
            {"pred": "hasExactSynonym", "val": "both"}, {"pred": "hasExactSynonym", "val": "asthmatic disease"}]}}]}]}"#,
    ),
];

#[test]
fn synonyms_keep_their_scopes_and_exact_ones_have_none() {
    let scopes = SynonymScopes { broad: true, narrow: true, related: true };
    let options = ImportOptions { scopes, ..ImportOptions::default() };
    let expected = [
        ("airway illness".to_owned(), SynonymScope::Broad),
        ("mild asthma".to_owned(), SynonymScope::Narrow),
        ("wheeze".to_owned(), SynonymScope::Related),
    ];
    for (format, text) in SCOPED {
        let concept = read_bytes(text.as_bytes(), format, &options).unwrap().concepts.remove(0);
        assert_eq!(concept.synonyms.len(), 5, "{format:?}");
        assert_eq!(concept.scopes, BTreeMap::from(expected.clone()), "{format:?}");
        let line = serde_json::to_string(&concept).unwrap() + "\n";
        assert!(line.contains(r#""wheeze":"related""#), "{line}");
        assert_eq!(read_bytes(line.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap().concepts, [concept]);
    }
}

#[test]
fn what_one_entry_has_as_an_exact_name_is_exact() {
    let first = r#"{"id": "X:1", "name": "a", "synonyms": ["b", "c"], "scopes": {"b": "related", "c": "broad"}}"#;
    let second = r#"{"id": "X:1", "name": "b", "synonyms": ["d"], "scopes": {"d": "narrow", "e": "broad"}}"#;
    for text in [format!("{first}\n{second}\n"), format!("{second}\n{first}\n")] {
        let scopes = import(Format::Jsonl, &text).concepts.remove(0).scopes;
        assert_eq!(scopes.keys().map(String::as_str).collect::<Vec<_>>(), ["c", "d"], "{text}");
    }
}

#[test]
fn words_of_adjectives_lose_their_markers() {
    let import = import(Format::Wordnet, "00001740 00 s 02 elect(ip) 0 make-up_(a) 0 000 | chosen\n");
    assert_eq!(import.concepts[0].id.as_str(), "WN:00001740-a");
    assert_eq!(import.concepts[0].names().collect::<Vec<_>>(), ["elect", "make-up"]);
}

#[test]
fn clusters_with_one_representative_are_one_concept() {
    let import = import(Format::Clusters, "goal met\n\ttarget met\nsouth road\n\tnam road\ngoal met\n\taim met\n");
    let names: Vec<Vec<&str>> = import.concepts.iter().map(|concept| concept.names().collect()).collect();
    assert_eq!(names, [vec!["goal met", "target met", "aim met"], vec!["south road", "nam road"]]);
    assert_eq!(import.problem_count, 0);
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
    let cases: [(Format, &[u8], u64, &str); 25] = [
        (Format::Jsonl, b"{\"id\": \"1\", \"name\": \"a\", \"name\": \"b\"}", 1, "`name` stands twice in one object"),
        (Format::Jsonl, b"{\"id\": \"X:1\"", 1, "not JSON"),
        (Format::Jsonl, b"{\"id\": \"X:1\", \"nmae\": \"a\"}", 1, "an entry without a name"),
        (Format::Jsonl, b"\n{\"id\": \" \", \"name\": \"a\"}", 2, "an id must have"),
        (Format::Jsonl, b"{\"id\": \"1\", \"name\": \"a\"}\n{\"id\": \"1\", \"name\": \"b\"}", 2, "there before"),
        (Format::Jsonl, b"{\"id\": \"1\", \"name\": \"a\\u202Eb\"}", 1, "bidirectional"),
        (Format::Csv, b"id,name\nX:1,\n", 2, "without a name"),
        (Format::Csv, b"id,name\nX:1\n", 2, "a row of 1 cell in a table of 2 columns"),
        (Format::Csv, b"id,name\nX:1,\xe9t\xe9\n", 2, "not UTF-8"),
        (Format::Csv, long.as_bytes(), 2, "a name of 100000 bytes"),
        (Format::Rrf, b"C1|ENG|\n", 1, "a row of 3 fields"),
        (Format::Dictionary, b"D1|x\n", 1, "no `||`"),
        (Format::Sssom, b"subject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\n", 2, "a row of 2 cells"),
        (Format::Gilda, b"norm_text\ttext\tdb\tid\na\ta\tmesh\n", 2, "a row of 3 cells"),
        (Format::Ctd, b"# Fields:\n# DiseaseName\tDiseaseID\nx\n", 3, "a row of 1 cell"),
        (Format::Wordnet, b"00001740 00 a 01 able 0 000\n", 1, "no ` | ` before a gloss"),
        (Format::Wordnet, b"  1 x\n00001740 00 a | able\n", 2, "too few fields"),
        (Format::Wordnet, b"00001740 00 a 02 able 0 000 | x\n", 1, "too few fields"),
        (Format::Wordnet, b"00001740 00 x 01 able 0 000 | x\n", 1, "a type of synset other than"),
        (Format::Wordnet, b"1740 00 a 01 able 0 000 | x\n", 1, "not 8 digits"),
        (Format::Wordnet, b"00001740 00 a 0g able 0 000 | x\n", 1, "not hexadecimal"),
        (Format::Wordnet, b"00001740 00 a 01 able 0 a00 | x\n", 1, "not decimal"),
        (Format::Wordnet, b"00001740 00 a 01 able 0 001 @ x n 0000 | x\n", 1, "a pointer to no synset"),
        (Format::Wordnet, b"00001740 00 a 00 000 | x\n", 1, "an entry without a name"),
        (Format::Clusters, b"\n\tgoal met\n", 2, "a member before any representative"),
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
    assert_eq!(rdf.to_string(), "memory:1: the file ends within a tag; it is cut off");
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
    assert_eq!(import.problems[0].value.as_deref(), Some("A → B → C → A"));
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
    assert!(read_bytes(b"", Format::Csv, &unknown).unwrap_err().hint().unwrap().to_string().contains("WHATWG"));
    let unpacked = read_bytes(&packed("id,name\n1,a\n"), Format::Csv, &ImportOptions::default()).unwrap();
    assert_eq!(unpacked.concepts[0].name, "a");
}

fn refused(format: Format, text: &[u8]) -> (String, String) {
    let error = read_bytes(text, format, &ImportOptions::default()).unwrap_err();
    (error.to_string(), error.hint().map(ToString::to_string).unwrap_or_default())
}

fn problems(import: &Import) -> Vec<String> {
    import.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn names_in_xml_literals_lose_their_elements() {
    let class = "<skos:Concept rdf:about='http://x.org/1'><skos:prefLabel rdf:parseType='Literal'>CO<sub>2</sub> <b>laser</b></skos:prefLabel></skos:Concept>";
    let import = read_bytes(format!("{RDF}{class}</rdf:RDF>").as_bytes(), Format::RdfXml, &ImportOptions::default());
    assert_eq!(import.unwrap().concepts[0].name, "CO2 laser");
}

const RDF: &str = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:owl="http://www.w3.org/2002/07/owl#">"#;

#[test]
fn carriage_returns_alone_end_lines() {
    for (format, text) in samples() {
        let old = import(format, &text.replace('\n', "\r"));
        assert_eq!(old.problem_count, 0, "{format:?}: {:?}", old.problems);
        assert_eq!(facts(&old), facts(&import(format, text)), "{format:?}");
    }
}

#[test]
fn references_that_stand_for_nothing_are_kept_and_listed() {
    let name = "a&#0;b&unknown;d &amp; &#233;";
    let mesh = format!(
        "<DescriptorRecordSet>\n<DescriptorRecord><DescriptorUI>D1</DescriptorUI>\n<DescriptorName><String>{name}</String></DescriptorName></DescriptorRecord></DescriptorRecordSet>"
    );
    let rdf = format!(
        "{RDF}\n\n<skos:Concept rdf:about='http://x.org/1'><skos:prefLabel>{name}</skos:prefLabel></skos:Concept></rdf:RDF>"
    );
    for (format, text) in [(Format::Mesh, mesh), (Format::RdfXml, rdf)] {
        let import = import(format, &text);
        assert_eq!(import.concepts[0].name, "a&#0;b&unknown;d & é", "{format:?}");
        assert_eq!(
            problems(&import),
            [
                "memory:3: neither an entity nor a character, so kept as written: \"&#0;\"",
                "memory:3: neither an entity nor a character, so kept as written: \"&unknown;\""
            ]
        );
    }
    let attribute = format!("{RDF}<skos:Concept rdf:about='&x;1'/></rdf:RDF>");
    assert_eq!(
        refused(Format::RdfXml, attribute.as_bytes()).0,
        "memory:1: not RDF/XML: no entity &x; is declared; an attribute has it"
    );
}

#[test]
fn text_in_pieces_is_one_name() {
    let name = "<![CDATA[a <b]]> c<!-- no --> <![CDATA[& d]]>";
    let mesh = format!(
        "<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName><String>{name}</String></DescriptorName></DescriptorRecord></DescriptorRecordSet>"
    );
    let rdf = format!(
        "{RDF}<skos:Concept rdf:about='http://x.org/1'><skos:prefLabel>{name}</skos:prefLabel></skos:Concept></rdf:RDF>"
    );
    for (format, text) in [(Format::Mesh, mesh), (Format::RdfXml, rdf)] {
        assert_eq!(import(format, &text).concepts[0].name, "a <b c & d", "{format:?}");
    }
}

#[test]
fn a_line_of_obo_that_cannot_be_read_costs_no_term() {
    let text = concat!(
        "format-version: 1.2\n\n[Term]\nid: A:1 {source=\"x\"} ! comment\nname: one \\{x\\} 4-{[a]} {source=\"PMID:1\"} ! comment\n",
        "synonym: \"no scope\" []\nsynonym: \"a \\\"type\\\"\" abbreviation []\nbroad_synonym: \"broad\" []\n",
        "is_a: A:0 {all_only=\"true\"} ! zero\nxref: B:1 \"a description\"\ndef: \"all\\nof it.\" [PMID:1]\n\n",
        "[Term]\nid: A:2\nna\nname: two\nsynonym: open EXACT []\n\n[Typedef]\nid: part_of\nname: part of\n\n[Term]\nname: three\n",
    );
    let import = import(Format::Obo, text);
    let [one, two] = &import.concepts[..] else { panic!("{:?}", import.concepts) };
    assert_eq!(one.names().collect::<Vec<_>>(), ["one {x} 4-{[a]}", "no scope", "a \"type\""]);
    assert_eq!((one.parents[0].as_str(), &one.xrefs[..]), ("A:0", &["B:1".to_owned()][..]));
    assert_eq!(one.definition.as_deref(), Some("all of it."));
    assert_eq!(two.name, "two");
    assert_eq!(
        problems(&import),
        [
            "memory:15: not a `tag: value` line, so it was skipped (term A:2): \"na\"",
            "memory:17: a synonym without its quotes, so it was skipped (term A:2): \"open EXACT []\"",
            "memory:23: a term without an id, so it was skipped: \"three\""
        ]
    );
}

#[test]
fn tables_are_read_as_programs_write_them() {
    let read = import(
        Format::Tsv,
        "#id\tprefLabel\taltLabel\n=\"001\"\ta\t['b', 'c, d']\n2\t=\"e\"\t{f,\"g, h\"}\n3\ti\t[]\n4\tj\t['k' 'l']\n",
    );
    let names: Vec<Vec<&str>> = read.concepts.iter().map(|concept| concept.names().collect()).collect();
    assert_eq!(names, [&["a", "b", "c, d"][..], &["e", "f", "g, h"], &["i"], &["j", "k", "l"]]);
    assert_eq!((read.concepts[0].id.as_str(), read.problem_count), ("001", 0));
}

#[test]
fn columns_of_one_name_all_count() {
    let read = |text| import(Format::Csv, text);
    let twice = read("id,name,name,synonym,aliases\n1,a,b,c|d,e\n2,f,,,\n");
    assert_eq!(twice.concepts[0].names().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    assert_eq!((twice.concepts[1].name.as_str(), twice.problem_count), ("f", 0));
    let ids = read("id,id,name\n1,2,a\n");
    assert_eq!(problems(&ids), ["memory:1: two columns of this name; the first is read: \"id\""]);
    let commas = read("id,name\n1,Diabetes Mellitus, Type 2\n2,b,,\n");
    assert_eq!((commas.concepts.len(), commas.problem_count), (1, 1));
    assert!(commas.problems[0].reason.contains("not in quotes"), "{}", commas.problems[0]);
    let (message, hint) = refused(Format::Csv, b"a,b\n1,2\n");
    assert_eq!(message, "memory:1: no id column among \"a\", \"b\"");
    assert!(hint.contains("id_column"), "{hint}");
    let named = Columns { id: Some("Concept id".into()), ..Columns::default() };
    let options = ImportOptions { columns: named, ..ImportOptions::default() };
    assert!(read_bytes(b"CONCEPT_ID,name\n1,a\n", Format::Csv, &options).is_ok());
}

#[test]
fn labels_of_skos_xl_and_narrower_concepts_are_read() {
    let text = concat!(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .\n",
        "<http://x.org/1> a skos:Concept ; xl:prefLabel <http://x.org/l> ; xl:altLabel [ xl:literalForm \"b\"@en ], [ xl:literalForm \"c\"@de ] ; skos:narrower <http://x.org/2> .\n",
        "<http://x.org/l> a xl:Label ; xl:literalForm \"a\"@en .\n<http://x.org/2> a skos:Concept ; skos:prefLabel \"d\" .\n",
    );
    let import = import(Format::Turtle, text);
    assert_eq!((import.concepts.len(), import.problem_count), (2, 0), "{:?}", import.problems);
    assert_eq!(import.concepts[0].names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(import.concepts[1].parents[0].as_str(), "http://x.org/1");
}

#[test]
fn concepts_with_names_in_other_languages_are_counted() {
    let turtle = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://x.org/1> skos:prefLabel \"a\"@de .\n<http://x.org/2> skos:prefLabel \"b\"@fr .\n<http://x.org/3> skos:prefLabel \"c\"@de, \"d\"@en .\n";
    let left_out = import(Format::Turtle, turtle);
    assert_eq!(left_out.concepts.len(), 1);
    let listed = "memory: concepts with names in other languages only were left out (de 1, fr 1): \"http://x.org/1\"";
    assert_eq!(problems(&left_out), [listed]);
    let advice = left_out.problems[0].hint.as_ref().map(ToString::to_string);
    assert_eq!(advice.as_deref(), Some("`language = de` keeps such names"));
    let all = ImportOptions { languages: vec!["*".into()], ..ImportOptions::default() };
    assert_eq!(read_bytes(turtle.as_bytes(), Format::Turtle, &all).unwrap().concepts.len(), 3);
    let german = SAMPLES[8].2.lines().nth(2).unwrap().to_owned() + "\n";
    assert!(problems(&import(Format::Rrf, &german))[0].contains("(GER 1)"));
    let error = import(Format::Rrf, &german).require_concepts().unwrap_err();
    assert!(error.hint().unwrap().to_string().contains("language"), "{error}");
}

#[test]
fn classes_without_a_label_are_counted_or_named_by_their_iris() {
    let rdf = format!(
        "{RDF}<owl:Class rdf:about='http://x.org/o#HeartAttack'/><owl:Class rdf:about='http://x.org/DNARepair_of%20cells'/><owl:Class rdf:about='http://purl.obolibrary.org/obo/X_12'/></rdf:RDF>"
    );
    let counted = import(Format::RdfXml, &rdf);
    assert_eq!((counted.concepts.len(), counted.problem_count), (0, 1));
    assert!(problems(&counted)[0].contains("were left out (3): "), "{:?}", counted.problems);
    assert!(counted.require_concepts().unwrap_err().hint().unwrap().to_string().contains("label_from_iri"));
    let options = ImportOptions { label_from_iri: true, ..ImportOptions::default() };
    let named = read_bytes(rdf.as_bytes(), Format::RdfXml, &options).unwrap();
    let names: Vec<&str> = named.concepts.iter().map(|concept| concept.name.as_str()).collect();
    assert_eq!(names, ["DNA Repair of cells", "Heart Attack"]);
    assert!(problems(&named)[0].contains("were left out (1); their IRIs end in a number"), "{:?}", named.problems);
}

#[test]
fn a_gilda_row_without_db_and_id_is_listed() {
    let text = "norm_text\ttext\tdb\tid\tentry_name\nflu\tflu\t\t\tinfluenza\nflu\tflu\tmesh\tD007251\tinfluenza\n";
    let import = import(Format::Gilda, text);
    assert_eq!(import.concepts.len(), 1);
    assert_eq!(problems(&import), ["memory:2: a row with an empty db or id: \"flu\\tflu\\t\\t\\tinfluenza\""]);
}

#[test]
fn a_name_over_lines_has_blanks() {
    let text = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"><owl:Class rdf:about="http://x.org/1"><rdfs:label>
    breast
    cancer
</rdfs:label></owl:Class></rdf:RDF>"#;
    let import = import(Format::RdfXml, text);
    assert_eq!(import.concepts[0].name, "breast cancer");
    assert!(import.problems.is_empty(), "{:?}", import.problems);
}

#[test]
fn named_nodes_without_an_iri_are_counted() {
    let class = |about: &str, label: &str| format!("<owl:Class{about}><rdfs:label>{label}</rdfs:label></owl:Class>");
    let text = format!(
        r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">{}{}{}</rdf:RDF>"#,
        class(r#" rdf:about="http://x.org/1""#, "flu"),
        class("", "cold"),
        class("", "cough")
    );
    let turtle = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://x.org/1> skos:prefLabel \"flu\" .\n[] skos:prefLabel \"cold\" .\n[] skos:prefLabel \"cough\" .\n";
    for (format, text) in [(Format::RdfXml, &*text), (Format::Turtle, turtle)] {
        let import = import(format, text);
        assert_eq!(import.concepts.len(), 1);
        assert_eq!(import.problems.len(), 1, "{:?}", import.problems);
        let reason = &import.problems[0].reason;
        assert_eq!(reason, "named nodes without an IRI (`rdf:about`) were left out (2)", "{format:?}");
    }
}

#[test]
fn blank_lines_are_passed_over_and_counted() {
    for blank in ["\n", "\r\n", " \t\n"] {
        assert_eq!(import(Format::Jsonl, &blank.repeat(1 << 20)).concepts.len(), 0);
    }
    let import = import(Format::Jsonl, "\n \n\n{\"id\": \"1\"}\n");
    assert_eq!(import.problems[0].line, Some(4));
}

#[test]
fn hints_fit_the_format() {
    let mappings = import(Format::Sssom, MAPPINGS).require_concepts().unwrap_err();
    assert!(mappings.hint().unwrap().to_string().contains("together with the vocabulary"), "{mappings}");
    let ontology = import(Format::Turtle, "").require_concepts().unwrap_err();
    assert_eq!(ontology.hint().unwrap().to_string(), "check `format`");
    let functional = "Prefix(:=<http://x.org/>)\nOntology(<http://x.org/>\n)";
    let (message, hint) = refused(Format::RdfXml, functional.as_bytes());
    assert_eq!(message, "memory:1: this is OWL in functional syntax, which truename does not read");
    assert!(hint.contains("robot convert"), "{hint}");
    let (message, hint) =
        refused(Format::RdfXml, SAMPLES.iter().find(|sample| sample.0 == Format::OwlXml).unwrap().2.as_bytes());
    assert_eq!(
        (message.as_str(), hint.as_str()),
        ("memory:1: this is OWL/XML, not RDF/XML", "name it with `format = owlxml`")
    );
    assert!(refused(Format::Ctd, b"x\tMESH:1\n").0.contains("no column \"DiseaseID\""));
    assert!(refused(Format::Gilda, b"a\tb\n").0.contains("no column \"text\""));
}

#[test]
fn declared_and_named_encodings_are_read() {
    let text = format!(
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n{RDF}<skos:Concept rdf:about='http://x.org/1'><skos:prefLabel>Sjögren</skos:prefLabel></skos:Concept></rdf:RDF>"
    );
    let latin = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let utf16 = text.replace("ISO-8859-1", "UTF-16");
    let marked: Vec<u8> = format!("\u{FEFF}{utf16}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let unmarked: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [latin(&text), marked, unmarked, utf16.into_bytes()] {
        let import = read_bytes(&bytes, Format::RdfXml, &ImportOptions::default()).unwrap();
        assert_eq!(import.concepts[0].name, "Sjögren");
    }
    let undeclared = latin(&text.replace(" encoding='ISO-8859-1'", ""));
    let (message, hint) = refused(Format::RdfXml, &undeclared);
    assert!(message.contains("not UTF-8") && hint.contains("encoding = windows-1252"), "{message} {hint}");
    let turtle = latin("<http://x.org/1> <http://www.w3.org/2004/02/skos/core#prefLabel> \"Sjögren\" .\n");
    let (message, hint) = refused(Format::Turtle, &turtle);
    assert!(hint.contains("encoding = windows-1252"), "{message} {hint}");
    let graph = latin("{\"graphs\": [{\"nodes\": [{\"id\": \"x\", \"lbl\": \"Sjögren\"}]}]}");
    let (message, hint) = refused(Format::OboGraph, &graph);
    assert!(hint.contains("encoding = windows-1252"), "{message} {hint}");
    let obo = latin("format-version: 1.2\n\n[Term]\nid: A:1\nname: a\nsynonym: \"Sjögren\" EXACT []\n");
    let import = read_bytes(&obo, Format::Obo, &ImportOptions::default()).unwrap();
    let problem = &import.problems[0];
    assert_eq!((problem.line, problem.reason.as_str()), (Some(6), "not UTF-8"));
    assert!(problem.hint.as_ref().unwrap().to_string().contains("encoding = windows-1252"), "{problem:?}");
    let named = ImportOptions { encoding: Some("latin1".into()), ..ImportOptions::default() };
    assert_eq!(read_bytes(&obo, Format::Obo, &named).unwrap().concepts[0].synonyms, ["Sjögren"]);
    let wrong = ImportOptions { encoding: Some("euc-jp".into()), ..ImportOptions::default() };
    assert!(read_bytes(&obo, Format::Obo, &wrong).unwrap().problems[0].reason.contains("could not be decoded"));
}

#[test]
fn no_control_character_of_a_file_reaches_a_message() {
    let escape = "\u{1b}[31m";
    let obo = format!("format-version: 1.2\n[Term]\nid: {escape}\nna\nname: a\n");
    let rrf = SAMPLES[8].2.lines().nth(2).unwrap().replace("GER", escape);
    for import in [import(Format::Obo, &obo), import(Format::Rrf, &rrf)] {
        assert!(!import.problems.is_empty());
        assert!(problems(&import).iter().all(|problem| !problem.contains('\u{1b}')), "{:?}", import.problems);
    }
    for (format, text) in [
        (Format::Mesh, format!("<{escape}>")),
        (Format::RdfXml, format!("<a></{escape}>")),
        (Format::RdfXml, escape.to_owned()),
        (Format::Csv, format!("{escape},name\n")),
        (Format::Turtle, format!("<http://x.org/{escape}> a b .")),
        (Format::OboGraph, format!("{{\"graphs\": {{\"{escape}\": 1}}}}")),
    ] {
        let (message, _) = refused(format, text.as_bytes());
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
}

#[test]
fn each_problem_names_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let [german, labels] = ["a.ttl", "b.tsv"].map(|name| folder.path().join(name));
    std::fs::write(&german, "<http://x.org/1> <http://www.w3.org/2004/02/skos/core#prefLabel> \"a\"@de .\n").unwrap();
    std::fs::write(&labels, "id\tname\n2\tb\n").unwrap();
    let import = truename_kb::import::read_files(&[german.clone(), labels], &ImportOptions::default()).unwrap();
    assert_eq!(import.problems[0].path, german);
}

#[test]
fn both_columns_of_synonyms_of_new_ctd_files_are_read() {
    let text = "# Fields:\n# ChemicalName,ChemicalID,CasRN,MESHSynonyms,CTDCuratedSynonyms\n#\na,MESH:C1,50-00-0,b|c,d\n\"e,MESH:C2,,,\n\"f, g\",MESH:C3,,,\n";
    let import = import(Format::Ctd, text);
    assert_eq!(import.concepts[0].names().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(import.concepts[1].name, "\"e");
    assert_eq!(import.concepts[2].name, "f, g");
    assert_eq!(
        problems(&import),
        ["memory:5: a quote that is never closed, so taken for a character: \"\\\"e,MESH:C2,,,\""]
    );
}
