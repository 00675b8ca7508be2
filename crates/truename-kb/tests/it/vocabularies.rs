//! Vocabularies as they are published: which files are read, which rows and properties are left out, and what became of retired ids.

use std::path::{Path, PathBuf};

use truename_kb::import::{read_bytes, read_files};
use truename_kb::{Concept, Format, Import, ImportOptions, Store};

fn read(format: Format, text: &str, options: &ImportOptions) -> Import {
    read_bytes(text.as_bytes(), format, options).unwrap()
}

fn import(format: Format, text: &str) -> Import {
    read(format, text, &ImportOptions::default())
}

fn notes(import: &Import) -> Vec<String> {
    import.files.iter().flat_map(|file| &file.notes).map(|note| note.reason.clone()).collect()
}

/// The ids and names of all concepts, a line each.
fn concepts(import: &Import) -> Vec<String> {
    let of = |concept: &Concept| format!("{}: {}", concept.id, concept.names().collect::<Vec<_>>().join(", "));
    let mut lines: Vec<String> = import.concepts.iter().map(of).collect();
    lines.sort();
    lines
}

/// Successors of each retired id, a line each.
fn retired(import: &Import) -> Vec<String> {
    let ids = |ids: &[truename_kb::ConceptId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let of = |retired: &truename_kb::RetiredId| {
        format!("{} -> {} ? {}", retired.id, ids(&retired.replaced_by), ids(&retired.consider))
    };
    import.retired.iter().map(of).collect()
}

fn write(folder: &Path, files: &[(&str, &str)]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        paths.push(path);
    }
    paths
}

/// Imports files of a folder: the folder as a whole and the files in reverse must give the same.
fn import_files(files: &[(&str, &str)]) -> Import {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = write(folder.path(), files);
    let whole = read_files(&[folder.path().to_owned()], &ImportOptions::default()).unwrap();
    paths.reverse();
    let reversed = read_files(&paths, &ImportOptions::default()).unwrap();
    assert_eq!(concepts(&whole), concepts(&reversed));
    assert_eq!(whole.retired, reversed.retired);
    assert_eq!(whole.problems, [], "{:?}", whole.problems);
    whole
}

const PREFIXES: &str = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix o: <http://www.geneontology.org/formats/oboInOwl#> .\n@prefix obo: <http://purl.obolibrary.org/obo/> .\n";

fn turtle(statements: &str) -> Import {
    import(Format::Turtle, &format!("{PREFIXES}{statements}"))
}

#[test]
fn individuals_that_hold_synonyms_are_no_concepts() {
    let rdf = r##"<rdf:RDF xmlns="http://x.org/a#" xml:base="http://x.org/a" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:o="http://www.geneontology.org/formats/oboInOwl#">
<owl:Class rdf:about="http://x.org/a#1"><rdfs:label>limb</rdfs:label><o:hasRelatedSynonym rdf:resource="#genid7"/><o:hasRelatedSynonym><o:Synonym><rdfs:label>member</rdfs:label></o:Synonym></o:hasRelatedSynonym><o:hasDefinition rdf:resource="#genid8"/><o:hasDbXref rdf:resource="#genid9"/></owl:Class>
<rdf:Description rdf:about="#genid7"><rdfs:label>extremity</rdfs:label></rdf:Description>
<rdf:Description rdf:about="#genid8"><rdfs:label>A part of the body.</rdfs:label></rdf:Description>
<o:DbXref rdf:about="#genid9"><rdfs:label>UBERON:2101</rdfs:label></o:DbXref>
</rdf:RDF>"##;
    let owlxml = r##"<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://x.org/a"><Prefix name="o" IRI="http://www.geneontology.org/formats/oboInOwl#"/><Declaration><Class IRI="#1"/></Declaration>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>#1</IRI><Literal>limb</Literal></AnnotationAssertion>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="o:hasRelatedSynonym"/><IRI>#1</IRI><IRI>#genid7</IRI></AnnotationAssertion>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>#genid7</IRI><Literal>extremity</Literal></AnnotationAssertion>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="o:hasRelatedSynonym"/><IRI>#1</IRI><AnonymousIndividual nodeID="_:b1"/></AnnotationAssertion>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><AnonymousIndividual nodeID="_:b1"/><Literal>member</Literal></AnnotationAssertion></Ontology>"##;
    let limb = "http://x.org/a#1: limb, extremity, member";
    let from_rdf = import(Format::RdfXml, rdf);
    assert_eq!((concepts(&from_rdf), from_rdf.problem_count), (vec![limb.to_owned()], 0), "{:?}", from_rdf.problems);
    assert_eq!(from_rdf.concepts[0].definition.as_deref(), Some("A part of the body."));
    assert_eq!(from_rdf.concepts[0].xrefs, ["UBERON:2101"]);
    assert_eq!(concepts(&import(Format::OwlXml, owlxml)), [limb]);
}

#[test]
fn synonym_properties_of_single_ontologies_are_read_and_others_counted() {
    let statements = concat!(
        "@prefix efo: <http://www.ebi.ac.uk/efo/> . @prefix n: <http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#> .\n",
        "@prefix s: <https://schema.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix x: <http://x.org/> .\n",
        "x:p a owl:AnnotationProperty ; rdfs:label \"nickname\" .\n",
        "x:1 a owl:Class ; rdfs:label \"a\" ; efo:alternative_term \"b\" ; n:P90 \"c\" ; o:hasSynonym \"d\" ; obo:IAO_0000118 \"e\" ;\n",
        " s:alternateName \"f\", \"F\"@de ; skos:hiddenLabel \"g\" ; o:hasNarrowSynonym \"h\" ; x:p \"i\", \"j\" ; x:q x:2 ; rdfs:isDefinedBy x:o .\n",
    );
    let read_with = |asked: &[&str]| {
        let asked = asked.iter().map(|iri| (*iri).to_owned()).collect();
        let options = ImportOptions { synonym_properties: asked, ..ImportOptions::default() };
        read(Format::Turtle, &format!("{PREFIXES}{statements}"), &options)
    };
    let known = read_with(&[]);
    assert_eq!(concepts(&known), ["http://x.org/1: a, b, c, d, e, f, g"]);
    assert_eq!(
        notes(&known),
        [
            "2 values of `http://x.org/p` (nickname) were not used",
            "1 value of `http://www.geneontology.org/formats/oboInOwl#hasNarrowSynonym` was not used",
            "1 value of `http://x.org/q` was not used",
            "names in other languages left out: 1 (de 1)",
        ]
    );
    let asked = read_with(&["http://x.org/p", "http://x.org/r"]);
    assert_eq!(concepts(&asked), ["http://x.org/1: a, b, c, d, e, f, g, i, j"]);
}

#[test]
fn tags_and_scopes_of_obo_that_are_not_read_are_counted() {
    let obo = "format-version: 1.4\n\n[Term]\nid: X:1\nname: a\nsynonym: \"b\" BROAD []\nsynonym: \"c\" []\ncomment: x\ncomment: y\n";
    let graph = r#"{"graphs": [{"nodes": [{"id": "X:1", "lbl": "a", "meta": {"synonyms": [{"pred": "hasBroadSynonym", "val": "b"}]}}]}]}"#;
    let read = import(Format::Obo, obo);
    assert_eq!(concepts(&read), ["X:1: a, c"]);
    assert_eq!(notes(&read), ["field `comment` is not read (2 values)", "field `synonym BROAD` is not read (1 value)"]);
    assert_eq!(notes(&import(Format::OboGraph, graph)), ["field `hasBroadSynonym` is not read (1 value)"]);
}

#[test]
fn mesh_rdf_has_descriptors_with_the_names_of_their_terms() {
    let text = concat!(
        "# MeSH\n\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix v: <http://id.nlm.nih.gov/mesh/vocab#> .\n",
        "@prefix m: <http://id.nlm.nih.gov/mesh/> .\n",
        "m:D1 a v:TopicalDescriptor ; rdfs:label \"Asthma\"@en ; v:preferredConcept m:M1 ; v:concept m:M2 ; v:treeNumber <http://id.nlm.nih.gov/mesh/C08.1> ; v:broaderDescriptor m:D0 ; v:active true .\n",
        "m:M1 a v:Concept ; rdfs:label \"Asthma\"@en ; v:preferredTerm m:T1 ; v:term m:T2 ; v:scopeNote \"A disease.\"@en .\n",
        "m:M2 a v:Concept ; rdfs:label \"Bronchial Asthma\"@en ; v:preferredTerm m:T3 .\n",
        "m:T1 a v:Term ; v:prefLabel \"Asthma\"@en . m:T2 a v:Term ; v:prefLabel \"Asthmas\"@en .\n",
        "m:T3 a v:Term ; v:prefLabel \"Bronchial Asthma\"@en ; v:altLabel \"Asthma, Bronchial\"@en .\n",
        "<http://id.nlm.nih.gov/mesh/C08.1> a v:TreeNumber ; rdfs:label \"C08.1\" .\n",
        "m:D1Q2 a v:AllowedDescriptorQualifierPair ; rdfs:label \"Asthma/blood\" ; v:hasDescriptor m:D1 .\n",
        "m:C1 a v:SCR_Chemical ; rdfs:label \"x\" ; v:preferredMappedTo m:D1Q2 .\n",
        "m:D3 a v:TopicalDescriptor ; rdfs:label \"Old\" ; v:active false ; v:replacedBy m:D1 .\n",
    );
    assert_eq!(Format::detect(Path::new("mesh.owl"), text), Some(Format::Turtle));
    let mesh = import(Format::Turtle, text);
    assert_eq!(concepts(&mesh), ["C1: x", "D1: Asthma, Asthmas, Bronchial Asthma, Asthma, Bronchial"]);
    assert_eq!(retired(&mesh), ["D3 -> D1 ? "]);
    let asthma = mesh.concepts.iter().find(|concept| concept.id == "D1").unwrap();
    assert_eq!((asthma.types.join(" "), asthma.parents[0].as_str()), ("disease".into(), "D0"));
    assert_eq!((asthma.definition.as_deref(), &asthma.xrefs[..]), (Some("A disease."), &["D3".to_owned()][..]));
    assert_eq!(mesh.concepts.iter().find(|concept| concept.id == "C1").unwrap().parents[0].as_str(), "D1");
}

#[test]
fn turtle_and_n_triples_are_told_by_their_content() {
    let told = [
        "# a licence\n#\n\n  # more\nPREFIX x: <http://x.org/>\n",
        "<http://x.org/1> <http://x.org/p> \"a\" .\n",
        "# made\n_:b <http://x.org/p> <http://x.org/1> .\n",
        "<http://x.org/1>\n    a <http://x.org/C> .\n",
    ];
    for text in told {
        for name in ["x", "x.owl", "x.txt"] {
            assert_eq!(Format::detect(Path::new(name), text), Some(Format::Turtle), "{text}");
        }
    }
    let licence = "# a line of a licence\n".repeat(500);
    assert_eq!(Format::detect(Path::new("x.owl"), &licence), Some(Format::Turtle));
    for text in ["# x\n", "<html>\n", "<Ontology xmlns=\"http://x.org/\"\n", "prefix,name\n", "base\tname\n"] {
        assert_ne!(Format::detect(Path::new("x.csv"), text), Some(Format::Turtle), "{text}");
    }
}

#[test]
fn json_ld_is_bounded_and_its_context_is_not_fetched() {
    let text = r#"{"@context": "https://schema.org", "@id": "http://x.org/1", "name": "a"}"#;
    let error = read_bytes(text.as_bytes(), Format::JsonLd, &ImportOptions::default()).unwrap_err();
    assert!(error.hint().unwrap().to_string().contains("not fetched"), "{error}");
    let deep = format!("{}1{}", "{\"http://x.org/p\": ".repeat(50_000), "}".repeat(50_000));
    let error = read_bytes(deep.as_bytes(), Format::JsonLd, &ImportOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "memory:1: more than 128 objects and lists within each other");
    let array = r#"[{"@id": "http://x.org/1", "http://schema.org/name": [{"@value": "a"}]}]"#;
    assert_eq!(Format::detect(Path::new("x.json"), array), Some(Format::JsonLd));
    assert_eq!(concepts(&import(Format::JsonLd, array)), ["http://x.org/1: a"]);
}

const CONCEPTS: &str = "id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\n1001001\t20200131\t1\t9\t9\n1002004\t20200131\t0\t9\t9\n1003006\t20200131\t0\t9\t9\n1004000\t20200131\t0\t9\t9\n";
const DESCRIPTIONS: &str = "id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n11\t20200131\t1\t9\t1001001\ten\t900000000000003001\tAnemia (disorder)\t9\n12\t20200131\t1\t9\t1001001\ten\t900000000000013009\tAnaemia\t9\n13\t20200131\t1\t9\t1001001\ten\t900000000000013009\tAnemia\t9\n14\t20200131\t0\t9\t1001001\ten\t900000000000013009\tThin blood\t9\n15\t20200131\t1\t9\t1002004\ten\t900000000000003001\tOld anemia (disorder)\t9\n16\t20200131\t1\t9\t1001001\tes\t900000000000013009\tAnemia\"s\t9\n";
const LANGUAGE: &str = "id\teffectiveTime\tactive\tmoduleId\trefsetId\treferencedComponentId\tacceptabilityId\nu1\t20200131\t1\t9\t900000000000508004\t12\t900000000000548007\nu2\t20200131\t1\t9\t900000000000509007\t13\t900000000000548007\nu3\t20200131\t0\t9\t900000000000509007\t12\t900000000000548007\n";
const ASSOCIATIONS: &str = "id\teffectiveTime\tactive\tmoduleId\trefsetId\treferencedComponentId\ttargetComponentId\na1\t20200131\t1\t9\t900000000000527005\t1002004\t1001001\na2\t20200131\t1\t9\t900000000000523009\t1003006\t1001001\na3\t20200131\t0\t9\t900000000000526001\t1004000\t1001001\n";
const RELATIONSHIPS: &str = "id\teffectiveTime\tactive\tmoduleId\tsourceId\tdestinationId\trelationshipGroup\ttypeId\tcharacteristicTypeId\tmodifierId\nr1\t20200131\t1\t9\t1001001\t1000000\t0\t116680003\t9\t9\n";

#[test]
fn snomed_is_read_from_its_folder() {
    let files = [
        ("Full/Terminology/sct2_Description_Full-en_INT_20200131.txt", DESCRIPTIONS),
        ("Snapshot/Refset/der2_cRefset_AssociationSnapshot_INT.txt", ASSOCIATIONS),
        ("Snapshot/Refset/der2_cRefset_LanguageSnapshot-en_INT.txt", LANGUAGE),
        ("Snapshot/Terminology/sct2_Concept_Snapshot_INT.txt", CONCEPTS),
        ("Snapshot/Terminology/sct2_Description_Snapshot-en_INT.txt", DESCRIPTIONS),
        ("Snapshot/Terminology/sct2_Relationship_Snapshot_INT.txt", RELATIONSHIPS),
        ("Readme.csv", "file,name\na,b\n"),
    ];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &files);
    let snomed = read_files(&[folder.path().to_owned()], &ImportOptions::default()).unwrap();
    assert_eq!(concepts(&snomed), ["1001001: Anemia, Anemia (disorder), Anaemia"]);
    assert_eq!(snomed.concepts[0].types, ["disorder"]);
    assert_eq!(snomed.concepts[0].parents[0].as_str(), "1000000");
    assert_eq!(snomed.concepts[0].xrefs, ["1002004"]);
    assert_eq!(retired(&snomed), ["1002004 -> 1001001 ? ", "1003006 ->  ? 1001001", "1004000 ->  ? "]);
    let notes = notes(&snomed);
    assert!(notes.contains(&"inactive descriptions left out: 1".to_owned()), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("files of the folder that are not read: 2 (Full/")), "{notes:?}");
    let british = ImportOptions { languages: vec!["en-GB".into(), "en".into()], ..ImportOptions::default() };
    assert_eq!(read_files(&[folder.path().to_owned()], &british).unwrap().concepts[0].name, "Anaemia");
    let delta = write(folder.path(), &[("sct2_Description_Delta-en_INT.txt", DESCRIPTIONS)]).remove(0);
    for other in [folder.path().join(files[0].0), delta] {
        assert!(
            read_files(&[other], &ImportOptions::default())
                .unwrap_err()
                .hint()
                .unwrap()
                .to_string()
                .contains("snapshot")
        );
    }
}

#[test]
fn descriptions_of_snomed_alone_are_read_with_a_note_and_as_a_plain_table_too() {
    let alone = import(Format::Rf2, DESCRIPTIONS);
    assert_eq!(alone.concepts[0].name, "Anaemia");
    assert!(notes(&alone)[0].contains("without SNOMED CT's file of concepts"), "{:?}", notes(&alone));
    let plain = import(Format::Tsv, DESCRIPTIONS);
    assert!(notes(&plain)[0].contains("rf2") && notes(&plain)[0].contains("inactive"), "{:?}", notes(&plain));
}

#[test]
fn the_preferred_name_of_rxnorm_is_that_of_the_kind_of_drug() {
    let row = |id: &str, kind: &str, name: &str, suppress: &str, source: &str| {
        format!("{id}|ENG||||||1||||{source}|{kind}|{id}|{name}||{suppress}||\n")
    };
    let rows = [
        row("161", "SY", "APAP", "N", "RXNORM"),
        row("161", "IN", "acetaminophen", "N", "RXNORM"),
        row("161", "PT", "Paracetamol", "N", "SNOMEDCT_US"),
        row("161", "IN", "old name", "O", "RXNORM"),
    ];
    let archive = "1|2|old|2005|||161|N|ENG||||99|RXNORM|IN|161|\n";
    let types = "161|T121|A1.4.1.1.1|Pharmacologic Substance|||\n";
    let files = [("rrf/RXNCONSO.RRF", &*rows.concat()), ("rrf/RXNSTY.RRF", types), ("rrf/RXNATOMARCHIVE.RRF", archive)];
    let rxnorm = import_files(&files);
    assert_eq!(concepts(&rxnorm), ["161: acetaminophen, APAP, Paracetamol"]);
    assert_eq!(
        (&rxnorm.concepts[0].types[..], retired(&rxnorm)),
        (&["Pharmacologic Substance".to_owned()][..], vec!["99 -> 161 ? ".to_owned()])
    );
    assert!(notes(&rxnorm).contains(&"suppressed rows left out: 1".to_owned()), "{:?}", notes(&rxnorm));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[files[0], ("RXNREL.RRF", "1||CUI|RO|2||CUI|||||RXNORM||||||\n")]);
    let read = read_files(&[folder.path().to_owned()], &ImportOptions::default()).unwrap();
    assert_eq!(
        (read.problem_count, notes(&read)[0].as_str()),
        (0, "files of the folder that are not read: 1 (RXNREL.RRF)")
    );
    for name in ["MRCUI.RRF", "former"] {
        let told = truename_kb::Format::detect(std::path::Path::new(name), "C9|2010AA|SY|||C2|Y|\n");
        assert_eq!(told, Some(Format::Rrf), "{name}");
    }
    let umls = "C1|3|SY|||C2|Y|\nC3|3|RB|||C2|Y|\nC4|3|DEL|||||\n";
    assert_eq!(retired(&import(Format::Rrf, umls)), ["C1 -> C2 ? ", "C3 ->  ? C2", "C4 ->  ? "]);
}

#[test]
fn the_preferred_name_of_umls_goes_by_the_ranks_of_the_release() {
    let row = |mark: &str, source: &str, kind: &str, name: &str| {
        format!("C1|ENG|{mark}|L1|PF|S1|Y|A1||||{source}|{kind}|1|{name}|0|N||\n")
    };
    let names = row("S", "SNOMEDCT_US", "PT", "Asthma")
        + &row("P", "MSH", "MH", "Bronchial asthma")
        + &row("S", "X", "PT", "x");
    let ranks = "0490|SNOMEDCT_US|PT|N|\n0480|MSH|MH|N|\n";
    assert_eq!(import(Format::Rrf, &names).concepts[0].name, "Bronchial asthma", "without ranks, by TS");
    let ranked = import_files(&[("META/MRCONSO.RRF", &names), ("META/MRRANK.RRF", ranks)]);
    assert_eq!(concepts(&ranked), ["C1: Asthma, Bronchial asthma, x"]);
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path(), &[("MRCONSO.RRF", &names), ("MRRANK.RRF", ranks)]);
    let beside = read_files(&paths[..1], &ImportOptions::default()).unwrap();
    assert_eq!((beside.concepts[0].name.as_str(), beside.files.len()), ("Asthma", 2));
}

#[test]
fn classes_that_are_no_concepts_are_told() {
    let owl = "obo:X_1 a owl:Class ; rdfs:label \"a\" .\nobo:X_2 a owl:Class ; owl:deprecated true .\nobo:X_3 a owl:Class ; rdfs:label \"b\"@de .\nobo:X_4 a owl:Class .\no:DbXref a owl:Class .\nowl:Thing a owl:Class .\n[] a owl:Class .\n";
    let told = "6 classes: 1 concepts, 1 no longer in use (X:2), 1 with names in other languages only (X:3), 3 without a name (X:4, oboInOwl:DbXref, owl:Thing)";
    assert_eq!(notes(&turtle(owl))[0], told);
}

#[test]
fn omop_is_read_from_its_tables() {
    let header = "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_class_id\tstandard_concept\tconcept_code\tvalid_start_date\tvalid_end_date\tinvalid_reason\n";
    let concepts_csv = format!(
        "{header}1\tAsthma \"severe\tCondition\tSNOMED\tDisorder\tS\t195967001\t2002\t2099\t\n2\tOld asthma\tCondition\tSNOMED\tDisorder\t\t5\t2002\t2010\tU\n3\tAsthma, unspecified\tCondition\tICD10CM\t4\t\tJ45\t2002\t2099\t\n"
    );
    let synonyms = "concept_id\tconcept_synonym_name\tlanguage_concept_id\n1\tBronchial asthma\t4180186\n1\tAsma\t4182511\n9\tx\t4180186\n";
    let relations = "concept_id_1\tconcept_id_2\trelationship_id\tvalid_start_date\tvalid_end_date\tinvalid_reason\n1\t1\tMaps to\t2002\t2099\t\n2\t1\tMaps to\t2002\t2099\t\n3\t1\tMaps to\t2002\t2099\t\n1\t4\tIs a\t2002\t2099\t\n2\t3\tConcept poss_eq to\t2002\t2099\tD\n";
    let vocabulary = "vocabulary_id\tvocabulary_name\tvocabulary_reference\nSNOMED\tSNOMED\tx\n";
    let omop = import_files(&[
        ("CONCEPT.csv", &concepts_csv),
        ("CONCEPT_RELATIONSHIP.csv", relations),
        ("CONCEPT_SYNONYM.csv", synonyms),
    ]);
    assert_eq!(concepts(&omop), ["1: Asthma \"severe, Bronchial asthma", "3: Asthma, unspecified"]);
    let of = |id: &str| omop.concepts.iter().find(|concept| concept.id == id).unwrap();
    assert_eq!(of("1").xrefs, ["SNOMED:195967001", "2"]);
    assert_eq!((of("1").parents[0].as_str(), of("1").types.join(" ")), ("4", "Condition".into()));
    assert_eq!(of("3").xrefs, ["ICD10CM:J45", "1"]);
    assert_eq!(retired(&omop), ["2 -> 1 ? "]);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("CONCEPT.csv", &concepts_csv), ("VOCABULARY.csv", vocabulary)]);
    let read = read_files(
        &[folder.path().to_owned()],
        &ImportOptions { sources: vec!["ICD10CM".into()], ..ImportOptions::default() },
    )
    .unwrap();
    assert_eq!(concepts(&read), ["3: Asthma, unspecified"]);
    let comma = "CONCEPT_ID,CONCEPT_NAME,DOMAIN_ID,VOCABULARY_ID,CONCEPT_CODE,INVALID_REASON\n1,\"Asthma, severe\",Condition,X,1,\n";
    assert_eq!(concepts(&import(Format::detect(Path::new("x"), comma).unwrap(), comma)), ["1: Asthma, severe"]);
}

#[test]
fn deprecated_terms_of_loinc_are_mapped() {
    let terms = "\"LOINC_NUM\",\"COMPONENT\",\"CLASS\",\"STATUS\",\"RELATEDNAMES2\",\"SHORTNAME\",\"LONG_COMMON_NAME\",\"DisplayName\"\n\"1-8\",\"Glucose\",\"CHEM\",\"ACTIVE\",\"Glu; Gluc\",\"Glucose SerPl\",\"Glucose [Mass/volume]\",\"Glucose\"\n\"2-6\",\"x\",\"CHEM\",\"DEPRECATED\",\"\",\"\",\"Deprecated x\",\"\"\n";
    let maps = "\"LOINC\",\"MAP_TO\",\"COMMENT\"\n\"2-6\",\"1-8\",\"\"\n";
    let loinc = import_files(&[("LoincTable/Loinc.csv", terms), ("LoincTable/MapTo.csv", maps)]);
    assert_eq!(concepts(&loinc), ["1-8: Glucose [Mass/volume], Glucose SerPl, Glucose, Glu, Gluc"]);
    assert_eq!(retired(&loinc), ["2-6 -> 1-8 ? "]);
}

#[test]
fn genes_and_proteins_are_read_with_all_names() {
    let hgnc = "hgnc_id\tsymbol\tname\tlocus_group\tstatus\talias_symbol\talias_name\tprev_symbol\tprev_name\tentrez_id\tomim_id\nHGNC:1771\tCDK2\tcyclin dependent kinase 2\tprotein-coding gene\tApproved\t\"p33|CDKN2\"\t\t\t\"cell division kinase 2\"\t1017\t116953\nHGNC:9\tOLD\told\t\tEntry Withdrawn\t\t\t\t\t\t\nHGNC:10\tOLD2\told\t\tSymbol withdrawn\t\t\t\t\t\t\n";
    let withdrawn = "HGNC_ID\tSTATUS\tWITHDRAWN_SYMBOL\tMERGED_INTO_REPORT(S) (i.e. HGNC_ID|SYMBOL|STATUS)\nHGNC:8\tMerged/Split\tX\tHGNC:1771|CDK2|Approved\n";
    let genes = import_files(&[("hgnc_complete_set.txt", hgnc), ("withdrawn.txt", withdrawn)]);
    assert_eq!(concepts(&genes), ["HGNC:1771: CDK2, cyclin dependent kinase 2, p33, CDKN2, cell division kinase 2"]);
    assert_eq!(genes.concepts[0].xrefs, ["NCBIGene:1017", "OMIM:116953", "HGNC:8"]);
    assert_eq!(retired(&genes), ["HGNC:10 ->  ? ", "HGNC:8 -> HGNC:1771 ? ", "HGNC:9 ->  ? "]);
    let ncbi = "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tchromosome\tmap_location\tdescription\ttype_of_gene\tSymbol_from_nomenclature_authority\tFull_name_from_nomenclature_authority\tNomenclature_status\tOther_designations\tModification_date\tFeature_type\n9606\t1017\tCDK2\t-\tCDKN2|p33(CDK2)\tHGNC:HGNC:1771|MIM:116953\t12\t12q13\tcyclin dependent kinase 2\tprotein-coding\tCDK2\tcyclin dependent kinase 2\tO\tcdc2-related protein kinase\t20240101\t-\n9606\t2\tNEWENTRY\t-\t-\t-\t-\t-\tx\tother\t-\t-\t-\t-\t2024\t-\n";
    let history = "#tax_id\tGeneID\tDiscontinued_GeneID\tDiscontinued_Symbol\tDiscontinue_Date\n9606\t1017\t7\tX\t2005\n9606\t-\t8\tY\t2005\n";
    let ncbi = import_files(&[("gene_info", ncbi), ("gene_history", history)]);
    assert_eq!(
        concepts(&ncbi),
        ["1017: CDK2, cyclin dependent kinase 2, CDKN2, p33(CDK2), cdc2-related protein kinase"]
    );
    assert_eq!(ncbi.concepts[0].types, ["protein-coding", "NCBITaxon:9606"]);
    assert_eq!(ncbi.concepts[0].xrefs, ["HGNC:1771", "MIM:116953", "7"]);
    assert_eq!(retired(&ncbi), ["7 -> 1017 ? ", "8 ->  ? "]);
    let of_2015 = "#Format: tax_id GeneID Symbol LocusTag (tab is used as a separator, pound sign - start of a comment)\n9606\t1017\tCDK2\t-\tCDKN2|p33(CDK2)\tHGNC:HGNC:1771|MIM:116953\t12\t12q13\tcyclin dependent kinase 2\tprotein-coding\tCDK2\t-\tO\t-\t20150101\n";
    let former = "9606\t1017\t7\tX\t20050101\n";
    let ncbi = import_files(&[("gene_info", of_2015), ("history.tsv", former)]);
    assert_eq!(concepts(&ncbi), ["1017: CDK2, cyclin dependent kinase 2, CDKN2, p33(CDK2)"]);
    assert_eq!((retired(&ncbi), ncbi.problem_count), (vec!["7 -> 1017 ? ".to_owned()], 0));
    let custom = concat!(
        "HGNC ID\tApproved symbol\tApproved name\tStatus\tPrevious symbols\tPrevious name\tAlias symbols\tAlias names\tNCBI Gene ID(supplied by NCBI)\n",
        "HGNC:870\tATP7B\tATPase copper transporting beta\tApproved\tWND\t\"ATPase, Cu++ transporting\", \"Wilson disease\"\tWC1, WND2\t\"copper, pump 2\"\t540\n",
        "HGNC:9\tOLD~withdrawn\tentry withdrawn\tEntry withdrawn\t\t\t\t\t\n",
    );
    let custom = import_files(&[("custom.txt", custom)]);
    assert_eq!(
        concepts(&custom),
        [
            "HGNC:870: ATP7B, ATPase copper transporting beta, WC1, WND2, copper, pump 2, WND, ATPase, Cu++ transporting, Wilson disease"
        ]
    );
    assert_eq!(custom.concepts[0].xrefs, ["NCBIGene:540"]);
    assert_eq!((retired(&custom), custom.problem_count), (vec!["HGNC:9 ->  ? ".to_owned()], 0));
    let rows = "HGNC ID\tApproved symbol\tAlias symbol\nHGNC:5\tA1BG\tA1B\nHGNC:5\tA1BG\tABG\n";
    assert_eq!(concepts(&import_files(&[("biomart.tsv", rows)])), ["HGNC:5: A1BG, A1B, ABG"]);
    let uniprot = "Entry\tReviewed\tEntry Name\tProtein names\tGene Names\tOrganism\tLength\nP24941\treviewed\tCDK2_HUMAN\tCyclin-dependent kinase 2 (EC 2.7.11.22) (Cell division protein kinase 2) (p33 protein kinase (CDK2)) [Cleaved into: Chain A (CA)]\tCDK2 CDKN2\tHomo sapiens (Human)\t298\nQ1\treviewed\tX\tPoly(A) polymerase (Fragment)\t\tHomo sapiens (Human)\t3\nQ2\t\tY\tMerged into P24941.\t\t\t0\nQ3\t\tZ\tDemerged into P24941, Q1 and Q9.\t\t\t0\nQ4\t\tZ\tDeleted.\t\t\t0\n";
    let uniprot = import(Format::UniProt, uniprot);
    assert_eq!(
        concepts(&uniprot),
        [
            "P24941: Cyclin-dependent kinase 2, Cell division protein kinase 2, p33 protein kinase (CDK2), CDK2, CDKN2, CDK2_HUMAN",
            "Q1: Poly(A) polymerase, X"
        ]
    );
    assert_eq!(retired(&uniprot), ["Q2 -> P24941 ? ", "Q3 -> P24941 Q1 Q9 ? ", "Q4 ->  ? "]);
}

#[test]
fn places_codes_and_flat_files_are_told_by_their_shape() {
    let place = "2988507\tParis\tParis\tLutetia,Parigi\t48.85\t2.34\tP\tPPLC\tFR\t\t11\t75\t751\t75056\t2138551\t\t42\tEurope/Paris\t2024-01-01\n";
    let names = "1\t2988507\ten\tCity of Light\t\t\t\t\t\t\n2\t2988507\tlink\thttps://x.org\t\t\t\t\t\t\n3\t2988507\tfr\tPaname\t\t\t1\t\t\t\n4\t2988507\twkdt\tQ90\t\t\t\t\t\t\n";
    let places = import_files(&[("alternateNamesV2.txt", names), ("cities.txt", place)]);
    assert_eq!(concepts(&places), ["2988507: Paris, Lutetia, Parigi, City of Light"]);
    assert_eq!(
        (places.concepts[0].types.join(" "), &places.concepts[0].xrefs[..]),
        ("PPLC FR".into(), &["wikidata:Q90".to_owned()][..])
    );
    let line =
        |number: usize, code: &str, short: &str, long: &str| format!("{number:05} {code:<7} 1 {short:<60} {long}\n");
    let order = line(1, "A00", "Cholera", "Cholera")
        + &line(2, "A000", "Cholera due to Vibrio", "Cholera due to Vibrio cholerae 01");
    assert_eq!(Format::detect(Path::new("icd10cm_order_2024.txt"), &order), Some(Format::Icd10Cm));
    let icd = import(Format::Icd10Cm, &order);
    assert_eq!(concepts(&icd), ["A00.0: Cholera due to Vibrio cholerae 01, Cholera due to Vibrio", "A00: Cholera"]);
    assert_eq!((icd.concepts[1].parents[0].as_str(), &icd.concepts[1].xrefs[..]), ("A00", &["A000".to_owned()][..]));
    let procedures = line(1, "001", "Bypass", "Bypass") + &line(2, "0016070", "Bypass x", "Bypass x");
    assert_eq!(import(Format::Icd10Cm, &procedures).concepts[1].id.as_str(), "0016070");
    let flat = "C1\tOld_Name\tC2|C3\tAspirin|ASA\tA drug.\tAspirin\t\tPharmacologic Substance\nC9\tGone\t\tGone\t\t\tRetired_Concept\tx\n";
    assert_eq!(Format::detect(Path::new("Thesaurus.txt"), flat), Some(Format::NcitFlat));
    let flat = import(
        Format::NcitFlat,
        &format!(
            "code\tconcept IRI\tparents\tsynonyms\tdefinition\tdisplay name\tconcept status\tsemantic type\n{flat}"
        ),
    );
    assert_eq!((concepts(&flat), retired(&flat)), (vec!["C1: Aspirin, ASA".to_owned()], vec!["C9 ->  ? ".to_owned()]));
    assert_eq!(flat.concepts[0].parents.len(), 2);
}

#[test]
fn columns_that_are_named_are_read_as_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = "LOINC_NUM,LONG_COMMON_NAME,SHORTNAME,STATUS\n1-8,Glucose,Glu,DEPRECATED\n";
    let paths = write(folder.path(), &[("loinc.csv", text)]);
    let columns = truename_kb::import::Columns {
        id: Some("LOINC_NUM".into()),
        name: Some("SHORTNAME".into()),
        ..Default::default()
    };
    let import = read_files(&paths, &ImportOptions { columns, ..ImportOptions::default() }).unwrap();
    assert_eq!(concepts(&import), ["1-8: Glu"]);
    assert!(notes(&import)[0].contains("loinc"), "{:?}", notes(&import));
}

#[test]
fn retired_ids_say_what_became_of_them() {
    let obo = "format-version: 1.4\n\n[Term]\nid: X:1\nname: a\nalt_id: X:2\n\n[Term]\nid: X:3\nname: obsolete b\nis_obsolete: true\nreplaced_by: X:2\n\n[Term]\nid: X:4\nname: obsolete c\nis_obsolete: true\nconsider: X:1\nconsider: X:9\n";
    let expected = ["X:2 -> X:1 ? ", "X:3 -> X:2 ? ", "X:4 ->  ? X:1 X:9"];
    let graph = r#"{"graphs": [{"nodes": [{"id": "http://purl.obolibrary.org/obo/X_1", "lbl": "a", "meta": {"basicPropertyValues": [{"pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId", "val": "X:2"}]}},
      {"id": "http://purl.obolibrary.org/obo/X_3", "lbl": "b", "meta": {"deprecated": true, "basicPropertyValues": [{"pred": "http://purl.obolibrary.org/obo/IAO_0100001", "val": "http://purl.obolibrary.org/obo/X_2"}]}},
      {"id": "http://purl.obolibrary.org/obo/X_4", "meta": {"deprecated": true, "basicPropertyValues": [{"pred": "http://www.geneontology.org/formats/oboInOwl#consider", "val": "X:1"}, {"pred": "http://www.geneontology.org/formats/oboInOwl#consider", "val": "X:9"}]}}]}]}"#;
    let owl = turtle(
        "obo:X_1 a owl:Class ; rdfs:label \"a\" ; o:hasAlternativeId \"X:2\" .\nobo:X_3 a owl:Class ; rdfs:label \"b\" ; owl:deprecated true ; obo:IAO_0100001 obo:X_2 .\nobo:X_4 owl:deprecated \"true\" ; o:consider \"X:1\", \"X:9\" .\n",
    );
    let jsonl = "{\"id\": \"X:1\", \"name\": \"a\", \"replaces\": [\"X:2\"], \"considered_for\": [\"X:4\"]}\n{\"id\": \"X:3\", \"removed\": true, \"replaced_by\": [\"X:2\"]}\n{\"id\": \"X:4\", \"removed\": true, \"consider\": \"X:9\"}\n";
    for import in [import(Format::Obo, obo), import(Format::OboGraph, graph), owl, import(Format::Jsonl, jsonl)] {
        assert_eq!(retired(&import), expected);
        assert_eq!(import.concepts[0].xrefs, ["X:2", "X:3"]);
        assert_eq!(import.removed.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["X:3", "X:4"]);
    }
}

#[test]
fn a_store_follows_retired_ids_to_the_concept() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"id\": \"X:1\", \"name\": \"a\", \"replaces\": [\"X:2\"]}\n{\"id\": \"X:3\", \"removed\": true, \"replaced_by\": [\"X:2\"]}\n{\"id\": \"X:4\", \"removed\": true, \"replaced_by\": [\"X:1\", \"X:5\"]}\n{\"id\": \"X:6\", \"removed\": true, \"replaced_by\": [\"X:7\"]}\n{\"id\": \"X:7\", \"removed\": true, \"replaced_by\": [\"X:6\"]}\n";
    let import = import(Format::Jsonl, text);
    let store = Store::create(&folder.path().join("kb")).unwrap();
    let mut write = store.write().unwrap();
    store.fill(&mut write, import.concepts).unwrap();
    store.put_retired(&mut write, &import.retired).unwrap();
    store.commit(write).unwrap();
    let snapshot = store.snapshot().unwrap();
    let current = |id: &str| snapshot.current(&id.parse().unwrap()).unwrap().map(|id| id.to_string());
    assert_eq!(["X:1", "X:2", "X:3"].map(current), [(); 3].map(|()| Some("X:1".to_owned())));
    assert_eq!(["X:4", "X:6", "X:8"].map(current), [None, None, None]);
    assert_eq!(snapshot.retired(&"X:4".parse().unwrap()).unwrap().unwrap().replaced_by.len(), 2);
    assert_eq!(snapshot.all_retired().unwrap(), import.retired);
}

fn problems(import: &Import) -> Vec<String> {
    import.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn signs_of_a_missing_value_are_no_names_of_any_vocabulary() {
    let obo = "format-version: 1.2\n\n[Term]\nid: T:1\nname: N/A\n\n[Term]\nid: T:2\nname: lamp\nsynonym: \"unknown\" EXACT []\nsynonym: \"-\" EXACT []\nsynonym: \"Na\" EXACT []\nsynonym: \"NA\" EXACT []\n";
    let read = import(Format::Obo, obo);
    assert_eq!(concepts(&read), ["T:2: lamp, unknown, Na, NA"]);
    assert_eq!(read.problem_count, 2, "{:?}", read.problems);
    assert_eq!(notes(&read), ["placeholders left out: 2", "names kept that may be placeholders: 1"]);
    let hgnc = "hgnc_id\tsymbol\tname\talias_symbol\tprev_name\nHGNC:1\tNA\tN/A\t-|X1\t\nHGNC:2\tUNK\tunkempt\t\t\n";
    let read = import(Format::Hgnc, hgnc);
    assert_eq!(
        (concepts(&read), read.problem_count),
        (vec!["HGNC:1: NA, X1".into(), "HGNC:2: UNK, unkempt".into()], 2)
    );
}

#[test]
fn a_stanza_of_obo_is_read_however_it_is_written_or_counted() {
    let obo = concat!(
        "format-version: 1.2\n\n[Term]\nid: T:1\nname: a\n\n\u{FEFF}format-version: 1.2\n\n\u{FEFF}[Term]\nid: T:2\nname: b\n\n",
        "[term]\nid: T:3\nname: c\n\n[ TERM ]\nid: T:4\nname: d\n\n[Term\nid: T:5\nname: e\n\nTerm\nid: T:6\nname: f\n\n",
        "[Instance]\nid: T:7\nname: g\n\n[Typedef\nid: part_of\nname: part of\n",
    );
    let read = import(Format::Obo, obo);
    assert_eq!(concepts(&read), ["T:1: a", "T:2: b", "T:3: c", "T:4: d", "T:5: e", "T:6: f"]);
    assert_eq!(
        problems(&read),
        [
            "memory:25: not a `tag: value` line, so it was skipped (term T:5): \"Term\"",
            "memory:26: a second id, so a new term begins here: \" T:6\""
        ]
    );
    assert!(notes(&read).contains(&"field `[Instance]` is not read (1 value)".to_owned()), "{:?}", notes(&read));
}

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";

#[test]
fn one_malformed_tag_or_iri_costs_no_other_entry() {
    let rdf = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:skos='{SKOS}'>
<skos:Concept rdf:about='http://x/1'><skos:prefLabel xml:lang=''>lamp</skos:prefLabel><skos:altLabel xml:lang='en_US'>light</skos:altLabel><skos:altLabel xml:lang='de_DE'>Lampe</skos:altLabel></skos:Concept>
<skos:Concept rdf:about='http://x/2 a'><skos:prefLabel>desk</skos:prefLabel></skos:Concept>
<skos:Concept rdf:about='http://x/3'><skos:prefLabel xml:lang=' en'>pot</skos:prefLabel></skos:Concept></rdf:RDF>"
    );
    let json = format!(
        r#"{{"@context":{{"skos":"{SKOS}"}},"@graph":[
{{"@id":"http://x/1","@type":"skos:Concept","skos:prefLabel":{{"@value":"lamp","@language":""}},"skos:altLabel":[{{"@value":"light","@language":"en_US"}},{{"@value":"Lampe","@language":"de_DE"}}],"plain":"x"}},
{{"@id":"http://x/2 a","@type":"skos:Concept","skos:prefLabel":"desk"}},
{{"@id":"http://x/3","@type":"skos:Concept","skos:prefLabel":"pot"}}]}}"#
    );
    for (format, text, line) in [(Format::RdfXml, &rdf, ":3"), (Format::JsonLd, &json, "")] {
        let read = import(format, text);
        assert_eq!(concepts(&read), ["http://x/1: lamp, light", "http://x/3: pot"], "{format:?}");
        let wanted = format!("memory{line}: not an IRI, so its statements were left out: \"http://x/2 a\"");
        assert_eq!(problems(&read), [wanted], "{format:?}");
        assert_eq!(
            notes(&read),
            ["names in other languages left out: 1 (de-DE 1)"].map(|note| match format {
                Format::RdfXml => note.to_lowercase(),
                _ => note.to_owned(),
            })
        );
    }
    let owl = "<Ontology xmlns='http://www.w3.org/2002/07/owl#' ontologyIRI='http://x/'><Declaration><Class IRI='#1'/></Declaration><AnnotationAssertion><AnnotationProperty abbreviatedIRI='rdfs:label'/><IRI>#1</IRI><Literal xml:lang=''>lamp</Literal></AnnotationAssertion></Ontology>";
    assert_eq!(concepts(&import(Format::OwlXml, owl)), ["http://x/#1: lamp"]);
}

#[test]
fn a_malformed_statement_of_turtle_costs_no_other_unless_the_file_ends_in_it() {
    let statements = format!(
        "@prefix skos: <{SKOS}> .\n<http://x/0 a> skos:prefLabel \"first\"@en .\n<http://x/1> skos:prefLabel \"lamp\"@en_US .\n<http://x/2 a> <{SKOS}prefLabel> \"desk\"@en .\n<http://x/3> <{SKOS}prefLabel> \"pot\"@en .\nx:4 skos:prefLabel \"last\"@en .\n"
    );
    let read = import(Format::Turtle, &statements);
    assert_eq!(concepts(&read), ["http://x/1: lamp", "http://x/3: pot"]);
    let lines: Vec<u64> = read.problems.iter().filter_map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 3, 4, 6], "{:?}", read.problems);
    assert!(problems(&read)[0].starts_with("memory:2: not Turtle, so the rest of the statement was left out: "));
    for cut in ["<http://x/5> skos:prefLabel", "<http://x/5> skos:prefLabel \"cu", "<http://x/5"] {
        let cut = read_bytes(format!("{statements}{cut}").as_bytes(), Format::Turtle, &ImportOptions::default());
        assert!(cut.unwrap_err().to_string().starts_with("memory:7: not Turtle: "));
    }
    let strict = ImportOptions { strict: true, ..ImportOptions::default() };
    assert!(read_bytes(statements.as_bytes(), Format::Turtle, &strict).is_err());
}

#[test]
fn a_malformed_line_of_n_triples_and_n_quads_costs_no_other() {
    let label = format!("<{SKOS}prefLabel>");
    let lines = |graph: &str| {
        format!(
            "# a comment\n<http://x/1> {label} \"lamp\"@en{graph} .\n<http://x/2> {label} \"desk .\n<http://x/3> {label} \"pot\"{graph} .\n\
             <http://x/4> broken\n<http://x/5> {label} \"cup\"{graph} .\n<http://x/6 a> {label} \"a\"{graph} .\n\
             <http://x/7> {label} \"b\"@en_US{graph} .\n_:b {label} \"c\"\n\n<http://x/8> {label} \"last\"{graph} ."
        )
    };
    for (name, text) in [("a.nt", lines("")), ("b.nq", lines(" <http://x/g>")), ("c.txt", lines(" <http://x/g>"))] {
        let folder = tempfile::tempdir().unwrap();
        let read = read_files(&write(folder.path(), &[(name, &text)]), &ImportOptions::default()).unwrap();
        assert_eq!(concepts(&read), ["http://x/1: lamp", "http://x/3: pot", "http://x/5: cup", "http://x/8: last"]);
        let lines: Vec<u64> = read.problems.iter().filter_map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 5, 7, 8, 9], "{name}: {:?}", read.problems);
        let reason = "not N-Triples or N-Quads, so the line was left out: ";
        assert!(problems(&read).iter().all(|problem| problem.contains(reason)), "{:?}", read.problems);
    }
    let folder = tempfile::tempdir().unwrap();
    let cut = write(folder.path(), &[("a.nt", &format!("<http://x/1> {label} \"lamp\" .\n<http://x/2> {label} \"de"))]);
    let read = read_files(&cut, &ImportOptions::default()).unwrap();
    assert_eq!((concepts(&read).len(), read.problem_count), (1, 1));
    let none = write(folder.path(), &[("b.nt", "<http://x/1> lamp\n")]);
    let refused = read_files(&none, &ImportOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("b.nt:1: not N-Triples: "), "{refused}");
}

#[test]
fn a_retired_term_is_told_by_a_flag_in_capitals_and_a_replacement_without_one_is_counted() {
    let obo = "format-version: 1.2\n\n[Term]\nid: X:1\nname: a\n\n[Term]\nid: X:2\nname: b\nis_obsolete: TRUE\n\n[Term]\nid: X:3\nname: c\nreplaced_by: X:1\n";
    let turtle = format!(
        "{PREFIXES}@prefix dct: <http://purl.org/dc/terms/> .\nobo:X_1 a owl:Class ; rdfs:label \"a\" .\nobo:X_2 a owl:Class ; rdfs:label \"b\" ; owl:deprecated \"True\" .\nobo:X_3 a owl:Class ; rdfs:label \"c\" ; dct:isReplacedBy obo:X_1 .\n"
    );
    let graph = r#"{"graphs": [{"nodes": [{"id": "X:1", "lbl": "a"}, {"id": "X:2", "lbl": "b", "meta": {"deprecated": true}}, {"id": "X:3", "lbl": "c", "meta": {"basicPropertyValues": [{"pred": "http://purl.obolibrary.org/obo/IAO_0100001", "val": "X:1"}]}}]}]}"#;
    for (format, text) in [(Format::Obo, obo), (Format::Turtle, &turtle), (Format::OboGraph, graph)] {
        let read = import(format, text);
        assert_eq!(concepts(&read), ["X:1: a", "X:3: c"], "{format:?}");
        assert_eq!(retired(&read), ["X:2 ->  ? "], "{format:?}");
        let note = "concepts kept, not marked as obsolete, that name a replacement: 1".to_owned();
        assert!(notes(&read).contains(&note), "{format:?}: {:?}", notes(&read));
    }
}

#[test]
fn properties_of_obo_give_synonyms_or_are_counted_by_name() {
    let obo = "format-version: 1.4\n\n[Term]\nid: X:1\nname: a\nproperty_value: skos:altLabel \"b\" xsd:string\nproperty_value: IAO:0000118 \"c\" xsd:string {source=\"x\"}\nproperty_value: http://x.org/p \"d\" xsd:string\nproperty_value: ex:q \"e\"\nproperty_value: seeAlso Y:1\n";
    let graph = format!(
        r#"{{"graphs": [{{"nodes": [{{"id": "X:1", "lbl": "a", "meta": {{"basicPropertyValues": [{{"pred": "{SKOS}altLabel", "val": "b"}}, {{"pred": "http://purl.obolibrary.org/obo/IAO_0000118", "val": "c"}}, {{"pred": "http://x.org/p", "val": "d"}}, {{"pred": "ex:q", "val": "e"}}, {{"pred": "seeAlso", "val": "Y:1"}}]}}}}]}}]}}"#
    );
    let asked = ImportOptions {
        synonym_properties: vec!["http://x.org/p".into(), "ex:q".into(), "ex:r".into()],
        ..ImportOptions::default()
    };
    for (format, text, before) in [(Format::Obo, obo, "property_value "), (Format::OboGraph, &graph, "")] {
        let plain = import(format, text);
        assert_eq!(concepts(&plain), ["X:1: a, b, c"], "{format:?}");
        let unread = ["ex:q", "http://x.org/p", "seeAlso"];
        assert_eq!(notes(&plain), unread.map(|name| format!("field `{before}{name}` is not read (1 value)")));
        let read = read(format, text, &asked);
        assert_eq!(concepts(&read), ["X:1: a, b, c, d, e"], "{format:?}");
        let wanted = [
            format!("field `{before}seeAlso` is not read (1 value)"),
            "no concept has a value of `ex:r`, a property for synonyms".to_owned(),
        ];
        assert_eq!(notes(&read), wanted, "{format:?}");
    }
}
