//! Tables as people and programs write them.

use truename_error::ErrorKind;
use truename_kb::import::{Columns, read_bytes, read_files};
use truename_kb::{Error, Format, Import, ImportOptions};

/// Returns the notes on the first file.
fn notes(import: &Import) -> Vec<&str> {
    import.files[0].notes.iter().map(|note| note.reason.as_str()).collect()
}

/// Returns the advice of each note on the first file.
fn advice(import: &Import) -> Vec<String> {
    import.files[0].notes.iter().filter_map(|note| Some(note.hint.as_ref()?.to_string())).collect()
}

fn read_with(text: &str, columns: Columns) -> Result<Import, Error> {
    read_bytes(text.as_bytes(), Format::Csv, &ImportOptions { columns, ..ImportOptions::default() })
}

fn read(text: &str) -> Import {
    read_with(text, Columns::default()).unwrap()
}

/// Ids with their names, and the problems.
fn facts(import: &Import) -> (Vec<String>, Vec<String>) {
    let names = import.concepts.iter().map(|concept| {
        let names: Vec<&str> = concept.names().collect();
        format!("{}: {}", concept.id, names.join(" / "))
    });
    (names.collect(), import.problems.iter().map(ToString::to_string).collect())
}

#[test]
fn a_table_is_read_whatever_its_dialect() {
    let wanted = ["1: Valve, brass / tap", "2: Pipe 5\" long"];
    for text in [
        "id,name,synonyms\n1,\"Valve, brass\",tap\n2,\"Pipe 5\"\" long\",\n",
        "id;name;synonyms\r\n1;Valve, brass;tap\r\n2;\"Pipe 5\"\" long\";\r\n",
        "id\tname\tsynonyms\n1\tValve, brass\ttap\n2\tPipe 5\" long\t\n",
        "id\tname\tsynonyms\n1\t\"Valve, brass\"\t\"tap\"\n2\t\"Pipe 5\" long\"\t\n",
        "id|name|synonyms\r1|Valve, brass|tap\r2|Pipe 5\" long|\r",
        "sep=;\nid;name;synonyms\n1;Valve, brass;tap\n2;Pipe 5\" long;\n",
        "\u{FEFF}id, name, synonyms\n1, \"Valve, brass\" , \"tap\"\n2, \"Pipe 5\"\" long\" ,\n",
        "id,name,synonyms\n1,\"Valve, brass\",tap\r2,\"Pipe 5\\\" long\",\r\n",
    ] {
        let (names, problems) = facts(&read(text));
        assert_eq!((&names[..], &problems[..]), (&wanted.map(str::to_owned)[..], &[][..]), "{text:?}");
    }
}

#[test]
fn a_quote_that_is_never_closed_swallows_no_row() {
    let text = "id,name\n1,Bracket\n2,\"Bolt\n3,Screw\n4,\"Anchor, top\"\n5,Hinge\n";
    let (names, problems) = facts(&read(text));
    assert_eq!(names, ["1: Bracket", "2: \"Bolt", "3: Screw", "4: Anchor, top", "5: Hinge"]);
    assert_eq!(problems, ["memory:3: a quote that is never closed, so taken for a character: \"2,\\\"Bolt\""]);
    let error = read_with("id,name\n1,a\n2,\"Bolt\n3,Screw\n", Columns::default()).unwrap_err();
    assert_eq!(error.to_string(), "memory:3: a quote that is never closed");
    assert!(error.hint().is_some());
}

#[test]
fn a_quote_that_would_join_rows_is_listed() {
    let (names, problems) = facts(&read("id,name,synonyms\n1,\"3.5 inch,disk\n2,box,\n3,reel,5\"\n"));
    assert_eq!(names, ["1: \"3.5 inch / disk", "2: box", "3: reel / 5\""]);
    assert_eq!(problems, ["memory:2: a quote that is never closed, so taken for a character: \"1,\\\"3.5 inch,disk\""]);
}

#[test]
#[cfg(unix)]
fn a_path_is_a_file_a_folder_a_link_a_pattern_or_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("in")).unwrap();
    std::fs::write(at("in/a.csv"), "id,name\n1,valve\n").unwrap();
    std::fs::write(at("in/b.csv"), "id,name\n2,tap\n").unwrap();
    std::fs::write(at("in/readme"), "words\n").unwrap();
    std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
    for path in ["in", "link", "in/?.csv", "l*"] {
        let import = read_files(&[at(path)], &ImportOptions::default()).unwrap();
        assert_eq!(facts(&import).0, ["1: valve", "2: tap"], "{path}");
    }
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let pipe = at("pipe");
    let writer = std::thread::spawn(move || std::fs::write(pipe, "id,name\n3,hinge\n").unwrap());
    let import = read_files(&[at("in"), at("pipe")], &ImportOptions::default()).unwrap();
    writer.join().unwrap();
    assert_eq!(facts(&import).0, ["1: valve", "2: tap", "3: hinge"]);
    let error = read_files(&[at("in/*.obo")], &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().contains("*.obo"), "{error}");
}

#[test]
fn a_line_end_within_a_name_is_a_blank() {
    let (names, problems) = facts(&read("id,name\n1,\"Diabetes \n mellitus\"\n2,\"Flu\r\n\"\n"));
    assert_eq!((names, problems), (vec!["1: Diabetes mellitus".to_owned(), "2: Flu".to_owned()], Vec::new()));
}

#[test]
fn further_names_stand_in_any_number_of_columns() {
    let text = "key\tsymbol\tname\tprev\tALIAS\n1\tFAKE1\tfake receptor\tOLD1|OLD2\t\"F, 1\"\n";
    let columns = |synonyms: &[&str]| Columns {
        id: Some("KEY".into()),
        name: Some("symbol".into()),
        synonyms: synonyms.iter().map(|name| (*name).to_owned()).collect(),
        ..Columns::default()
    };
    let (names, _) = facts(&read_with(text, columns(&["name", "prev", "alias"])).unwrap());
    assert_eq!(names, ["1: FAKE1 / fake receptor / OLD1 / OLD2 / F, 1"]);
    let (by_number, _) = facts(&read_with(text, columns(&["3", "4", "5"])).unwrap());
    assert_eq!(by_number, names);
    let error = read_with(text, columns(&["name", "former"])).unwrap_err();
    assert!(error.to_string().contains("no column \"former\" among"), "{error}");
    assert_eq!(error.kind(), ErrorKind::NoColumn);
}

#[test]
fn a_second_table_may_have_further_names_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [concepts, synonyms] = ["concepts.csv", "synonyms.csv"].map(|name| folder.path().join(name));
    std::fs::write(&concepts, "code\tterm\n1\tbronchiolitis\n").unwrap();
    std::fs::write(&synonyms, "code\tother\n1\tcapillary bronchitis\n").unwrap();
    let columns = Columns { name: Some("term".into()), synonyms: vec!["other".into()], ..Columns::default() };
    let import = read_files(&[concepts, synonyms], &ImportOptions { columns, ..ImportOptions::default() }).unwrap();
    assert_eq!(facts(&import), (vec!["1: bronchiolitis / capillary bronchitis".to_owned()], Vec::new()));
    assert_eq!(notes(&import), ["no column \"other\", so read without"]);
}

#[test]
fn files_that_lack_a_column_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one.csv", "other.csv"].map(|name| folder.path().join(name));
    std::fs::write(&one, "code,term,kind\n1,bronchiolitis,disease\n").unwrap();
    std::fs::write(&other, "code,term\n2,aspirin\n").unwrap();
    let read = |files: &[&std::path::PathBuf], columns| {
        let files: Vec<_> = files.iter().map(|file| (*file).clone()).collect();
        read_files(&files, &ImportOptions { columns, ..ImportOptions::default() })
    };
    let columns = Columns { name: Some("term".into()), types: Some("kind".into()), ..Columns::default() };
    let import = read(&[&one, &other], columns.clone()).unwrap();
    let notes: Vec<String> = import.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes, [format!("{}: no column \"kind\", so read without", other.display())]);
    let error = read(&[&other], columns).unwrap_err();
    assert!(error.kind() == ErrorKind::NoColumn && error.to_string().contains("no column \"kind\""), "{error}");
    std::fs::write(&other, "id,name\n2,aspirin\n").unwrap();
    let error = read(&[&one, &other], Columns { id: Some("code".into()), ..Columns::default() }).unwrap_err();
    let (message, hint) = (error.to_string(), error.hint().unwrap().to_string());
    assert!(message.contains("other.csv:1: no column \"code\"") && hint.contains("of all tables"), "{message} {hint}");
}

#[test]
fn columns_of_a_table_without_a_header_are_numbers() {
    let text = "811001\tNeustadt\tNeustadt\tNova Cittate,Novo Mesto\n811002\tRio Seco\tRio Seco\t\n";
    let columns = Columns {
        synonyms: vec!["4".into()],
        separator: Some(",".into()),
        delimiter: Some(b'\t'),
        ..Columns::default()
    };
    let no_header = Columns { no_header: true, ..columns.clone() };
    let told = Columns { id: Some("1".into()), name: Some("2".into()), ..columns };
    for columns in [no_header, told] {
        let (names, problems) = facts(&read_with(text, columns).unwrap());
        assert_eq!(names, ["811001: Neustadt / Nova Cittate / Novo Mesto", "811002: Rio Seco"]);
        assert_eq!(problems, [""; 0]);
    }
}

#[test]
fn titles_above_the_header_are_passed_over() {
    let text = "Inventory report,,\n\"Generated by J. \"\"M\"\" Muster\n,,\nid,name,count\n1,desk lamp,4\n";
    let error = read_with(text, Columns::default()).unwrap_err();
    assert!(error.to_string().contains("\"Inventory report\""), "{error}");
    assert_eq!(error.hint().unwrap().to_string(), "the header seems to be further down: `skip_rows = 3`");
    let import = read_with(text, Columns { skip_rows: 3, ..Columns::default() }).unwrap();
    assert_eq!(facts(&import), (vec!["1: desk lamp".to_owned()], Vec::new()));
}

#[test]
fn lists_are_told_by_looking() {
    let table = |cells: [&str; 2]| format!("id\tname\tsynonyms\n1\ta\t{}\n2\tb\t{}\n", cells[0], cells[1]);
    let import = read(&table(["EXA; Exampl; mass", ""]));
    assert_eq!(facts(&import).0[0], "1: a / EXA / Exampl / mass");
    let note = "the cells of column \"synonyms\" are lists separated by \";\"";
    assert_eq!(notes(&import), [note]);
    for (cells, name, notes) in [
        (["one; two", ""], "one; two", 1),
        (["one; two; three", "four|five"], "one; two; three", 1),
        (["&alpha;; &beta;; &gamma;", ""], "α; β; γ", 0),
        (["one; two; three;", ""], "one / two / three", 1),
        (["one & co; two; R&D", ""], "one & co / two / R&D", 1),
    ] {
        let import = read(&table(cells));
        assert_eq!((facts(&import).0[0].clone(), import.files[0].notes.len()), (format!("1: a / {name}"), notes));
    }
    let import = read(&table(["one; two; three", "four|five"]));
    let note = "the cells of column \"synonyms\" are parted at \"|\"; one of them looks like a list separated by \";\", and is read as one name";
    assert_eq!(notes(&import), [note]);
}

#[test]
fn types_and_ids_of_others_are_lists_as_names_are() {
    let import = read("id,name,type,parents\n1,Lamp,a;b,\n2,Desk,b;c,\n3,Sofa,c,1;2\n4,Bed,d,1;2\n");
    let concept = |at: usize| &import.concepts[at];
    assert_eq!((concept(0).types.len(), concept(1).types.len(), concept(3).parents.len()), (2, 2, 2));
    assert_eq!(notes(&import).len(), 2);
}

#[test]
fn names_that_were_decoded_wrongly_are_repaired_and_line_ends_of_markup_are_blanks() {
    let text = "id,name\n1,SjÃ¶gren syndrome\n2,Heart<br>attack\n3,São Paulo\n";
    let (names, problems) = facts(&read(text));
    assert_eq!(names, ["1: Sjögren syndrome", "2: Heart attack", "3: São Paulo"]);
    assert_eq!(problems, ["memory:2: UTF-8 that was decoded as another encoding, repaired: \"SjÃ¶gren syndrome\""]);
}

#[test]
fn placeholders_are_no_names() {
    let text = "id,name,synonyms\n1,valve,N/A|tap\n2,NULL,\n3,unknown,hinge\n4,\"\"\"\"\"\",-\n5,Nan bread,nan\n";
    let (names, problems) = facts(&read(text));
    assert_eq!(names, ["1: valve / tap", "3: hinge", "5: Nan bread"]);
    assert_eq!(problems[0], "memory:2: a placeholder in place of a name, left out: \"N/A\"");
    assert_eq!(problems.len(), 6);
    let kept = read_bytes(
        text.as_bytes(),
        Format::Csv,
        &ImportOptions { keep_placeholders: true, ..ImportOptions::default() },
    )
    .unwrap();
    assert_eq!((kept.concepts.len(), kept.problem_count), (5, 0));
}

#[test]
fn objects_are_read_as_programs_write_them() {
    let lines = concat!(
        "{\"id\":101,\"name\":\"Blue valve\",\"synonyms\":null,\"price\":NaN}\n",
        "{\"id\":\"102\",\"name\":\"Red valve\",\"synonyms\":\"crimson valve\",\"url\":\"x\"}\n",
        "{\"concept_id\":103.0,\"canonical_name\":\"Grey valve\",\"aliases\":[\"ash valve\"],\"types\":null}\n",
        "{\"id\":\"104\",\"name\":[\"x\"]}\n",
    );
    let wanted = ["101: Blue valve", "102: Red valve / crimson valve", "103: Grey valve / ash valve"];
    let array = format!("[\n{}\n]", lines.trim_end().replace('\n', ",\n"));
    for (text, line) in [(lines, 4), (&array, 5)] {
        let import = read_bytes(text.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
        let (names, problems) = facts(&import);
        assert_eq!(names, wanted);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].starts_with(&format!("memory:{line}: not a concept (`name`: expected a text")),
            "{problems:?}"
        );
        assert_eq!(notes(&import), ["field `price` is not read (1 value)", "field `url` is not read (1 value)"]);
    }
}

#[test]
fn a_table_is_told_by_its_header_or_by_the_columns_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let [named, other] = ["named.txt", "other.txt"].map(|name| folder.path().join(name));
    std::fs::write(&named, "Concept ID;label\n1;valve\n").unwrap();
    std::fs::write(&other, "key;words\n1;valve\n").unwrap();
    let columns = Columns { id: Some("key".into()), name: Some("words".into()), ..Columns::default() };
    for (path, columns) in [(named, Columns::default()), (other.clone(), columns)] {
        let import = read_files(&[path], &ImportOptions { columns, ..ImportOptions::default() }).unwrap();
        assert_eq!(facts(&import), (vec!["1: valve".to_owned()], Vec::new()));
    }
    let error = read_files(&[other], &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot tell the format of"), "{error}");
}

#[test]
fn an_empty_table_is_refused() {
    let empty = read_with("", Columns::default()).unwrap_err();
    assert_eq!(empty.to_string(), "memory: the file is empty: no header");
}

#[test]
fn numbers_that_are_ids_keep_their_digits() {
    let lines = concat!(
        "{\"id\":410.10,\"name\":\"a\"}\n{\"id\":18446744073709551616,\"name\":\"b\"}\n",
        "{\"id\":12345678901234567890123,\"name\":\"c\"}\n{\"id\":900000000000207008.0,\"name\":\"d\",\"parents\":[410.10,1.0]}\n",
        "{\"id\":NaN,\"concept_id\":1E400,\"name\":\"e\"}\n",
    );
    let import = read_bytes(lines.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
    let (names, problems) = facts(&import);
    let wanted =
        ["410.10: a", "18446744073709551616: b", "12345678901234567890123: c", "900000000000207008: d", "1E400: e"];
    assert_eq!((names, problems), (wanted.map(str::to_owned).to_vec(), Vec::new()));
    let parents: Vec<&str> = import.concepts[3].parents.iter().map(|parent| parent.as_str()).collect();
    assert_eq!(parents, ["410.10", "1"]);
}

#[test]
fn lists_lose_what_is_null_and_keep_numbers() {
    let lines = concat!(
        "{\"id\":1,\"name\":\"n\",\"synonyms\":[\"a\",null,5],\"types\":[null]}\n",
        "{\"concept_id\":2,\"canonical_name\":\"m\",\"aliases\":[null,7,{\"name\":\"x\",\"source\":\"S\"}]}\n",
    );
    let import = read_bytes(lines.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
    assert_eq!(import.problem_count, 0, "{:?}", import.problems);
    assert_eq!(import.concepts[0].synonyms, ["a", "5"]);
    assert_eq!(import.concepts[0].types, [""; 0]);
    assert_eq!((&import.concepts[1].synonyms[..], import.concepts[1].aliases.len()), (&["7".to_owned()][..], 1));
}

#[test]
fn cross_references_may_be_objects() {
    let lines = concat!(
        "{\"id\":1,\"name\":\"n\",\"xrefs\":[{\"id\":\"D1\",\"namespace\":\"MESH\"},\"UMLS:C1\",{\"db\":\"NCIT\",\"identifier\":\"NCIT:C2\"}]}\n",
        "{\"id\":2,\"name\":\"m\",\"xrefs\":[{\"label\":\"D1\"}]}\n",
    );
    let import = read_bytes(lines.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
    assert_eq!(import.concepts[0].xrefs, ["MESH:D1", "UMLS:C1", "NCIT:C2"]);
    assert_eq!((import.concepts.len(), import.problem_count), (1, 1), "{:?}", import.problems);
}

#[test]
fn words_for_a_missing_value_are_no_names_however_they_are_written() {
    let words = [
        "none",
        "TBD",
        "(none)",
        "Not applicable",
        "not available",
        "None known",
        "to be determined",
        "N / A",
        "n/k",
        "xxx",
        "–",
        "—",
        "unbekannt",
    ];
    let csv: String = words.iter().enumerate().map(|(at, word)| format!("{at},{word}\n")).collect();
    let csv = read(&format!("id,name\n{csv}50,lamp\n"));
    assert_eq!((facts(&csv).0, csv.problem_count), (vec!["50: lamp".to_owned()], 13));
    assert_eq!(
        (notes(&csv), advice(&csv)),
        (vec!["placeholders left out: 13"], vec!["`keep_placeholders` keeps them".into()])
    );
    for name in ["Monday", "Other", "Na", "Nan", "UNK", "7"] {
        let import = read(&format!("id,name\n1,{name}\n"));
        assert_eq!(facts(&import), (vec![format!("1: {name}")], Vec::new()));
    }
    let json = "{\"id\":1,\"name\":\"N/A\",\"synonyms\":[\"real\",\"none\"]}\n{\"id\":2,\"name\":\"unknown\"}\n";
    let json = |options| read_bytes(json.as_bytes(), Format::Jsonl, &options).unwrap();
    let left_out = json(ImportOptions::default());
    assert_eq!((facts(&left_out).0, left_out.problem_count), (vec!["1: real".to_owned()], 3));
    let kept = json(ImportOptions { keep_placeholders: true, ..ImportOptions::default() });
    assert_eq!((kept.concepts.len(), kept.problem_count), (2, 0));
}

#[test]
fn a_placeholder_in_place_of_an_id_is_listed() {
    let import = read("id,name,type\nN/A,pot,x\nN/A,pan,x\n-,cup,x\nnull,lid,x\nNA,Namibia,N/A\n");
    let (names, problems) = facts(&import);
    assert_eq!(names, ["NA: Namibia"]);
    assert_eq!(problems.len(), 4);
    assert_eq!(problems[0], "memory:2: a placeholder in place of an id, so the entry was left out: \"N/A\"");
    assert_eq!(import.concepts[0].types, [""; 0]);
}

#[test]
fn two_bars_in_a_row_make_no_dictionary() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rows = "C1|Lamp||thing\nC2|Desk||x\n";
    for (name, text, columns) in [
        ("a.csv", rows, Columns { no_header: true, ..Columns::default() }),
        ("b.txt", rows, Columns { no_header: true, ..Columns::default() }),
        ("c.txt", rows, Columns { delimiter: Some(b'|'), no_header: true, ..Columns::default() }),
        ("d.txt", "id|name||type\nC1|Lamp||thing\nC2|Desk||x\n", Columns::default()),
    ] {
        std::fs::write(path(name), text).unwrap();
        let import = read_files(&[path(name)], &ImportOptions { columns, ..ImportOptions::default() }).unwrap();
        assert_eq!(facts(&import).0, ["C1: Lamp", "C2: Desk"], "{name}");
    }
    std::fs::write(path("e.txt"), rows).unwrap();
    let dictionary = read_files(&[path("e.txt")], &ImportOptions::default()).unwrap();
    assert_eq!(notes(&dictionary), ["ids behind a `|`, taken for cross-references: 2"]);
    std::fs::write(path("f.txt"), "C1|Lamp||thing\nC2|Desk|table|x\n").unwrap();
    let error = read_files(&[path("f.txt")], &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot tell the format of"), "{error}");
}

#[test]
fn columns_that_are_not_read_are_named() {
    let unread = |columns: &str| format!("columns not read: {columns}");
    let further = read("id,name,altnames, ,Other\n1,Lamp,x,,y\n");
    assert_eq!(notes(&further), [unread("\"altnames\", \"Other\"")]);
    assert_eq!(advice(&further), ["`synonyms_column` says which have further names"]);
    let no_header = Columns { no_header: true, ..Columns::default() };
    assert_eq!(notes(&read_with("1,Lamp,x\n", no_header).unwrap()), [unread("\"3\"")]);
    let two_ids = read("Class ID,Preferred Label,CUI,Definitions\nhttp://x/1,Lamp,,gives light\n");
    assert_eq!(
        (facts(&two_ids).0[0].as_str(), notes(&two_ids)),
        ("http://x/1: Lamp", vec![unread("\"CUI\"").as_str()])
    );
    assert_eq!(two_ids.concepts[0].definition.as_deref(), Some("gives light"));
}

#[test]
fn a_column_says_which_ids_are_no_longer_in_use() {
    let import = read("id,name,Obsolete\n1,Lamp,FALSE\n2,Old lamp,TRUE\n3,,true\n");
    assert_eq!(facts(&import), (vec!["1: Lamp".to_owned()], Vec::new()));
    assert_eq!(import.removed.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["2", "3"]);
}

#[test]
fn each_spelling_of_yes_and_no_is_read_and_another_value_is_listed() {
    let yes = ["true", "Yes", "1", "1.0", "Y", "t", "x", "X"];
    let no = ["false", "No", "0", "0.0", "n", "F", "", "NaN"];
    for (words, removed) in [(yes, 1), (no, 0)] {
        for word in words {
            let import = read(&format!("id,name,deprecated\n1,Lamp,{word}\n2,Desk,\n"));
            assert_eq!((import.removed.len(), import.problem_count), (removed, 0), "{word}");
        }
    }
    let import = read("id,name,deprecated\n1,Lamp,2019-01-01\n");
    let reason = "column \"deprecated\" says neither yes nor no, so the id is taken for one in use";
    assert_eq!(facts(&import), (vec!["1: Lamp".into()], vec![format!("memory:2: {reason}: \"1,Lamp,2019-01-01\"")]));
}

#[test]
fn fields_of_objects_have_the_names_and_lists_of_tables() {
    let read = |text: &str| read_bytes(text.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
    for (object, names) in [
        (r#"{"id":"A3","label":"Flu","aliases":"influenza|grippe"}"#, "A3: Flu / influenza / grippe"),
        (r#"{"Code":7,"prefLabel":"Flu","altLabel":["grippe; x; y"]}"#, "7: Flu / grippe; x; y"),
        (r#"{"id":"A","names":["Flu","grippe"],"alias":"influenza"}"#, "A: Flu / grippe / influenza"),
        (r#"{"id":"A","names":"Flu|grippe","synonyms":["influenza"]}"#, "A: Flu / grippe / influenza"),
        (r#"{"id":"A","name":"Flu","synonym":"['grippe', 'influenza']"}"#, "A: Flu / grippe / influenza"),
        (r#"{"id":"A","title":"a|b","synonyms":"","alt_labels":null,"deprecated":"N"}"#, "A: a|b"),
        (r#"{"id":"A","label":"DISEASE","pattern":"heart attack"}"#, "A: heart attack"),
    ] {
        let import = read(&format!("{object}\n"));
        assert_eq!((facts(&import), notes(&import)), ((vec![names.into()], Vec::new()), Vec::new()), "{object}");
    }
    let list = read("{\"id\":1,\"name\":\"Flu\",\"synonyms\":\"a; b; c\",\"type\":\"T1|T2\"}\n");
    assert_eq!(facts(&list).0, ["1: Flu / a / b / c"]);
    assert_eq!(list.concepts[0].types, ["T1", "T2"]);
    assert_eq!(notes(&list), ["the texts of field `synonyms` are lists separated by \";\""]);
    let other = read("{\"id\":1,\"name\":\"Flu\",\"type\":{\"a\":1},\"title\":\"T\",\"xref\":[{}]}\n");
    assert_eq!(facts(&other), (vec!["1: Flu".to_owned()], Vec::new()));
    assert_eq!(notes(&other).len(), 3);
    let removed = read(
        "{\"id\":1,\"name\":\"Flu\"}\n{\"id\":2,\"obsolete\":\"Y\"}\n{\"id\":3,\"name\":\"x\",\"obsolete\":\"so\"}\n",
    );
    assert_eq!((removed.removed.len(), removed.concepts.len(), removed.problem_count), (1, 2, 1));
}

#[test]
fn patterns_of_an_entity_ruler_have_names_and_types() {
    let read = |text: &str| read_bytes(text.as_bytes(), Format::Jsonl, &ImportOptions::default()).unwrap();
    let import = read("{\"label\":\"DISEASE\",\"pattern\":\"heart attack\",\"id\":\"D1\"}\n");
    assert_eq!(import.concepts[0].types, ["DISEASE"]);
    let tokens = read("{\"label\":\"DISEASE\",\"pattern\":[{\"LOWER\":\"flu\"}],\"id\":\"D2\"}\n");
    assert_eq!((tokens.concepts.len(), tokens.problem_count), (0, 1));
}

#[test]
fn rows_out_of_use_say_what_replaces_them() {
    let import = read("id,name,obsolete,replaced_by\n1,Lamp,,\n2,Light,true,1\n");
    assert_eq!((facts(&import).0, notes(&import)), (vec!["1: Lamp".to_owned()], Vec::new()));
    let retired: Vec<String> = import.retired.iter().map(|of| format!("{}: {}", of.id, of.replaced_by.len())).collect();
    assert_eq!(retired, ["2: 1"]);
}

#[test]
fn markup_alone_is_no_name() {
    let import = read("id,name,synonyms\n1,Lamp,&nbsp;\n2,Desk,<br/>|Table\n");
    assert_eq!(facts(&import).0, ["1: Lamp", "2: Desk / Table"]);
}

#[test]
fn a_row_without_an_id_names_the_column() {
    let (_, problems) = facts(&read("code,name\n,Lamp\n2,Desk\n"));
    assert_eq!(problems, ["memory:2: a row without an id, which column \"code\" has: \",Lamp\""]);
}

#[test]
fn joined_files_have_one_header_and_no_marks() {
    for text in [
        "id,name\n1,Lamp\nid,name\n2,Desk\n",
        "id,name\n1,Lamp\n\u{FEFF}id,name\n2,Desk\n",
        "\"id\",\"name\"\n1,Lamp\n\u{FEFF}\"id\",\"name\"\n2,Desk\n",
    ] {
        let import = read(text);
        assert_eq!(facts(&import), (vec!["1: Lamp".to_owned(), "2: Desk".to_owned()], Vec::new()), "{text:?}");
        assert_eq!(notes(&import), ["rows that repeat the header left out: 1"]);
    }
    assert_eq!(facts(&read("id,name\n1,Lamp\n\u{FEFF}2,Desk\n")).0, ["1: Lamp", "2: Desk"]);
    let hgnc = "hgnc_id\tsymbol\talias_symbol\n";
    let twice = format!("{hgnc}HGNC:1\tFAKE1\t\n{hgnc}HGNC:2\tFAKE2\t\n");
    let import = read_bytes(twice.as_bytes(), Format::Hgnc, &ImportOptions::default()).unwrap();
    assert_eq!(facts(&import).0, ["HGNC:1: FAKE1", "HGNC:2: FAKE2"]);
}

#[test]
fn a_first_row_that_may_be_none_is_noted() {
    let numbers = || Columns { id: Some("1".into()), name: Some("2".into()), ..Columns::default() };
    let import = read_with("C1,Printer cartridge\nC2,Desk lamp\n", numbers()).unwrap();
    assert_eq!(notes(&import), ["the first row is read as the header (\"C1\", \"Printer cartridge\")"]);
    assert_eq!(advice(&import), ["`no_header` takes it for a row"]);
    assert_eq!(notes(&read_with("id,name\nC2,Desk lamp\n", numbers()).unwrap()), [""; 0]);
}

#[test]
fn cells_that_look_like_lists_are_noted() {
    let table = |cells: [&str; 2]| format!("id,name,synonyms\n1,a,\"{}\"\n2,b,\"{}\"\n", cells[0], cells[1]);
    for (cells, separator) in [
        (["MI\nAMI", "URI"], "line ends"),
        (["MI, AMI", "cold, URI"], "commas"),
        (["lamp / light / lantern", ""], "\" / \""),
        (["lamp / light", "ink / dye"], "\" / \""),
        (["lamp^light^lantern", ""], "\"^\""),
        (["lamp~light", "ink~dye"], "\"~\""),
        (["ランプ、明かり", "墨、染料"], "\"、\""),
        (["灯；光；灯笼", ""], "\"；\""),
    ] {
        let import = read(&table(cells));
        assert!(notes(&import)[0].contains(&format!("lists separated by {separator},")), "{:?}", notes(&import));
        assert_eq!(import.concepts[0].synonyms.len(), 1);
    }
    assert_eq!(advice(&read(&table(["lamp / light", "ink / dye"]))), ["`separator =  / ` parts them"]);
    for cells in [
        ["Smith, John", "light"],
        ["a|b, c", "d, e"],
        ["light", "lantern"],
        ["and / or", "light"],
        ["10^6 cells", "~x"],
    ] {
        assert_eq!(notes(&read(&table(cells))), [""; 0], "{cells:?}");
    }
    let by = |separator: &str| Columns { separator: Some(separator.into()), ..Columns::default() };
    let parted = read_with(&table(["MI\r\nAMI", "URI"]), by("\n")).unwrap();
    assert_eq!((facts(&parted).0[0].as_str(), notes(&parted).len()), ("1: a / MI / AMI", 0));
    let absent = read_with(&table(["MI\nAMI", "URI"]), by("@")).unwrap();
    assert_eq!(notes(&absent), ["the separator of values, \"@\", is in no cell"]);
}

#[test]
fn cells_that_are_lists_of_json_are_read() {
    let table = "id,name,synonyms,types\n1,a,\"[\"\"light, small\"\", \"\"lantern\"\"]\",\"[\"\"thing\"\"]\"\n2,b,[],\n3,c,[x],\n";
    for columns in [Columns::default(), Columns { separator: Some(", ".into()), ..Columns::default() }] {
        let import = read_with(table, columns).unwrap();
        assert_eq!(facts(&import).0, ["1: a / light, small / lantern", "2: b", "3: c / [x]"]);
        assert_eq!((notes(&import), &import.concepts[0].types[..]), (Vec::new(), &["thing".to_owned()][..]));
    }
}

#[test]
fn rows_with_too_few_cells_are_read_and_counted() {
    let import = read("id,name,synonyms,type,\n1,Lamp\n2\n3,Cold,x,disease\n");
    let (names, problems) = facts(&import);
    assert_eq!(names, ["1: Lamp", "3: Cold / x"]);
    assert_eq!(
        problems,
        [
            "memory:2: a row of 2 cells in a table of 5 columns; the others are taken for empty: \"1,Lamp\"",
            "memory:3: a row of 1 cell in a table of 5 columns: \"2\""
        ]
    );
}

#[test]
fn a_line_end_behind_a_backslash_is_one_of_the_cell() {
    let import = read("id\tname\tsynonyms\n1\ta lamp\t\\N\n2\tline\\\ntwo\tfoo\n");
    assert_eq!(facts(&import).0, ["1: a lamp", "2: line two / foo"]);
    let paths = read("id\tname\n1\tC:\\dir\\\n2\tC:\\\n");
    assert_eq!(facts(&paths), (vec!["1: C:\\dir\\".to_owned(), "2: C:\\".to_owned()], Vec::new()));
}

#[test]
fn a_file_that_is_utf_8_needs_no_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let [own, other] = ["own.csv", "other.csv"].map(|name| folder.path().join(name));
    std::fs::write(&own, "id,name\n1,Müller light\n").unwrap();
    std::fs::write(&other, b"id,name\n2,Caf\xe9 lamp\n").unwrap();
    let options = ImportOptions { encoding: Some("windows-1252".into()), ..ImportOptions::default() };
    let import = read_files(&[own, other], &options).unwrap();
    assert_eq!(facts(&import).0, ["1: Müller light", "2: Café lamp"]);
}

#[test]
fn rows_are_skipped_where_the_header_stands_below_them() {
    let folder = tempfile::tempdir().unwrap();
    let [titled, plain] = ["titled.csv", "plain.csv"].map(|name| folder.path().join(name));
    std::fs::write(&titled, "Alias list\nid,name\n1,lamp\n").unwrap();
    std::fs::write(&plain, "id,name\n2,desk\n").unwrap();
    let options = ImportOptions { columns: Columns { skip_rows: 1, ..Columns::default() }, ..ImportOptions::default() };
    let import = read_files(&[titled, plain], &options).unwrap();
    assert_eq!(facts(&import).0, ["1: lamp", "2: desk"]);
    assert_eq!(import.files[1].notes[0].reason, "no row is skipped, since the first one is the header");
}
