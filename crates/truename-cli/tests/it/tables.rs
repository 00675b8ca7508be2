//! Tables of names through the binary: rows pass through and gain columns, whatever the file looks like.

use std::io::{Read, Write};

use crate::folder::{Folder, Ran, ran};

const ADDED: &str = "id,matched_name,preferred_name,probability";

fn matched(folder: &Folder, file: &str, further: &[&str]) -> Ran {
    folder.run(&[&["match", file, "--kb", "kb"], further].concat())
}

/// The cells of each row.
fn cells(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.expect("as many cells as the header"));
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn gunzipped(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn formulas_are_written_as_text_on_request() {
    let folder = Folder::with_kb();
    let rows = "name,x\naspirin,\"=HYPERLINK(\"\"x\"\")\"\n@aspirin,-3.5\n=1+1,-1+1\n";
    folder.write("in.csv", rows);
    for format in [&["--csv-safe"][..], &["--csv-safe", "--out", "out.tsv"]] {
        let out = matched(&folder, "in.csv", format);
        assert_eq!(out.code, 0, "{}", out.err);
        let is_csv = format.len() == 1;
        let text = if is_csv { out.out } else { String::from_utf8(folder.read("out.tsv")).unwrap() };
        let mark = if is_csv { ',' } else { '\t' };
        let quoted = if is_csv { "\"'=HYPERLINK(\"\"x\"\")\"" } else { "'=HYPERLINK(\"x\")" };
        assert!(text.contains(&format!("\naspirin{mark}{quoted}{mark}X:3{mark}")), "{text}");
        assert!(text.contains(&format!("\n'@aspirin{mark}-3.5{mark}")), "{text}");
        assert!(text.contains(&format!("\n'=1+1{mark}'-1+1{mark}")), "{text}");
    }
    // Without it every row comes out with its bytes.
    let plain = matched(&folder, "in.csv", &[]).out;
    assert!(rows.lines().skip(1).all(|row| plain.contains(&format!("\n{row},"))), "{plain}");
    folder.write("names.txt", "=1+1 name\n=1+1 names\n");
    let clusters = folder.run(&["-q", "cluster", "names.txt", "--threshold", "1", "--csv-safe"]).out;
    assert!(clusters.contains("\n'=1+1 name,1,'=1+1 name"), "{clusters}");
    folder.write("rows.csv", "id,name,year\n-a,alpha beta gamma,1990\n=b,alpha beta gamma,1990\n");
    let pairs = folder.run(&["-q", "dedupe", "rows.csv", "--id-column", "id", "--csv-safe"]).out;
    assert!(pairs.contains("\n'-a,'=b,"), "{pairs}");
}

#[test]
fn a_short_row_is_filled_up() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name,x,y\naspirin\nheart failure,1,2\n\"heart attack\",1");
    let out = matched(&folder, "in.csv", &[]);
    let rows = cells(&out.out, b',');
    assert_eq!(rows[0].join(","), format!("name,x,y,{ADDED}"));
    assert_eq!(rows[1][..5], ["aspirin", "", "", "X:3", "aspirin"]);
    assert_eq!(rows[2][..4], ["heart failure", "1", "2", "X:2"]);
    assert_eq!(rows[3][..4], ["heart attack", "1", "", "X:1"]);
    assert!(out.out.contains("\n\"heart attack\",1,,X:1,"), "{}", out.out);
    assert!(out.err.contains("in.csv:2: row has 1 of 3 cells; filled up"), "{}", out.err);
    assert!(out.err.contains("2 malformed rows, all were answered (--strict makes this an error)"), "{}", out.err);
    let strict = matched(&folder, "in.csv", &["-q", "--strict"]);
    assert_eq!(strict.code, 1);
    assert_eq!(strict.err, "error: in.csv:2: row has 1 of 3 cells; filled up\n");
    folder.write("late.csv", "x,name\n1\n");
    let late = matched(&folder, "late.csv", &[]);
    assert!(late.err.contains("1 malformed row, 1 left without an answer"), "{}", late.err);
}

#[test]
fn a_long_row_gets_columns_of_its_own() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name,extra_1\naspirin,1,2,3\nheart failure,1\n");
    let out = matched(&folder, "in.csv", &[]);
    let rows = cells(&out.out, b',');
    assert_eq!(rows[0].join(","), format!("name,extra_1,extra_2,extra_3,{ADDED}"));
    assert_eq!(rows[1][..5], ["aspirin", "1", "2", "3", "X:3"]);
    assert_eq!(rows[2][..5], ["heart failure", "1", "", "", "X:2"]);
    let message = "in.csv:2: row has 4 cells, the header has 2; the rest stands under \"extra_2\" to \"extra_3\"";
    assert!(out.err.contains(message), "{}", out.err);
    assert!(!out.err.contains("in.csv:3"), "{}", out.err);
    assert_eq!(matched(&folder, "in.csv", &["-q", "--strict"]).code, 1);
    // A pipe cannot be read twice.
    let arguments = ["-q", "match", "-", "--kb", "kb", "--input-format", "csv", "--out", "out.csv"];
    let piped = folder.run_with_input(&arguments, &folder.read("in.csv"));
    assert_eq!(piped.code, 1);
    assert!(piped.err.starts_with("error: -:2: row has 4 cells, the header has 2\nhint: "), "{}", piped.err);
    assert!(!folder.path("out.csv").exists());
}

#[test]
fn empty_lines_pass_through() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "\n\r\nname,x\n\naspirin,1\n\n");
    let out = matched(&folder, "in.csv", &["--strict"]);
    assert!(out.out.starts_with(&format!("\n\r\nname,x,{ADDED}\n\naspirin,1,X:3,")), "{}", out.out);
    assert!(out.out.ends_with("\n\n") && out.err.starts_with("1 name: 1 linked, 0 NIL ("), "{out:?}");
    let jsonl = matched(&folder, "in.csv", &["-q", "--format", "jsonl"]);
    assert_eq!(jsonl.out.lines().count(), 1);
}

#[test]
fn old_line_ends_are_line_ends() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name,x\raspirin,1\r\"heart\rattack\",2\r");
    let out = matched(&folder, "in.csv", &["-q"]).out;
    assert!(out.starts_with(&format!("name,x,{ADDED}\raspirin,1,X:3,aspirin,aspirin,")), "{out:?}");
    assert!(out.contains("\r\"heart\rattack\",2,X:1,") && out.ends_with('\r') && !out.contains('\n'), "{out:?}");
    folder.write("in.txt", "aspirin\rheart attack\r");
    let out = matched(&folder, "in.txt", &["-q"]).out;
    assert!(out.starts_with("name\tid\tmatched_name\tpreferred_name\tprobability\raspirin\tX:3\t"), "{out:?}");
    assert!(out.contains("\rheart attack\tX:1\t") && !out.contains('\n'), "{out:?}");
    folder.write("windows.txt", "aspirin\r\n");
    let out = matched(&folder, "windows.txt", &["-q"]).out;
    assert!(out.starts_with("name\tid\tmatched_name\tpreferred_name\tprobability\r\naspirin\tX:3\t"), "{out:?}");
}

#[test]
fn gzip_is_read_and_written() {
    let folder = Folder::with_kb();
    let table = "name,x\naspirin,1\n";
    folder.write("plain.csv", table);
    let expected = matched(&folder, "plain.csv", &["-q"]).out;
    folder.write("in.csv.gz", gzipped(table.as_bytes()));
    assert_eq!(matched(&folder, "in.csv.gz", &["-q"]), ran(0, &expected, ""));
    assert_eq!(matched(&folder, "in.csv.gz", &["-q", "--out", "out.csv.gz"]), ran(0, "", ""));
    assert_eq!(gunzipped(&folder.read("out.csv.gz")), expected);
    assert_eq!(matched(&folder, "in.csv.gz", &["-q", "--out", "out.csv"]), ran(0, "", ""));
    assert_eq!(folder.read("out.csv"), expected.as_bytes());
    // Two members make one file; one that is cut off is no file.
    folder.write("two.csv.gz", [gzipped(b"name,x\n"), gzipped(b"aspirin,1\n")].concat());
    assert_eq!(matched(&folder, "two.csv.gz", &["-q"]).out, expected);
    let long = gzipped("name\n".to_owned().repeat(100_000).as_bytes());
    folder.write("cut.csv.gz", &long[..long.len() - 9]);
    let cut = matched(&folder, "cut.csv.gz", &["-q"]);
    assert!(
        cut.code == 1
            && cut.out.is_empty()
            && cut.err.contains("cut.csv.gz")
            && cut.err.contains("the file is cut off"),
        "{cut:?}"
    );
}

#[test]
fn a_row_without_an_end_ends_the_run() {
    let folder = Folder::with_kb();
    folder.write("bomb.txt.gz", gzipped(&vec![b'a'; 3 << 20]));
    let out = matched(&folder, "bomb.txt.gz", &["-q", "--max-line-bytes", "1000000"]);
    let message = "error: bomb.txt.gz:1: a line or value of more than 1000000 bytes\n\
        hint: --max-line-bytes reads longer rows\n";
    assert_eq!(out, ran(1, "", message));
    let read = matched(&folder, "bomb.txt.gz", &["--max-line-bytes", "4000000"]);
    assert!(read.code == 0 && read.err.contains("a name of 3145728 bytes (at most 4096)"), "{}", read.err);
    folder.write("open.csv", format!("name\n\"{}", "x\n".repeat(1000)));
    let open = matched(&folder, "open.csv", &["-q", "--max-line-bytes", "100"]);
    let message = "error: open.csv:2: a line or value of more than 100 bytes\n\
        hint: is a quote never closed? --max-line-bytes reads longer rows\n";
    assert_eq!(open, ran(1, "", message));
}

#[test]
fn delimiters_are_told_by_looking_or_said() {
    let folder = Folder::with_kb();
    folder.write("semicolons.csv", "id;name;note\n7;aspirin;\"a;b, c\"\n");
    let out = matched(&folder, "semicolons.csv", &["-q"]).out;
    assert!(out.starts_with("id;name;note;truename_id;"), "{out}");
    assert!(out.contains("\n7;aspirin;\"a;b, c\";X:3;"), "{out}");
    folder.write("tabs.csv", "x\tname\n1\taspirin\n");
    assert!(matched(&folder, "tabs.csv", &["-q"]).out.contains("\n1\taspirin\tX:3\t"));
    folder.write("list.txt", "x|term\n1|aspirin\n");
    for further in [&["--column", "term"][..], &["--delimiter", "|", "--column", "term"]] {
        assert!(matched(&folder, "list.txt", &[&["-q"], further].concat()).out.contains("\n1|aspirin|X:3|"));
    }
    folder.write("odd.csv", "x,name;y\n1,aspirin;2\n");
    let out = matched(&folder, "odd.csv", &["-q", "--delimiter", ";", "--column", "x,name"]).out;
    assert!(out.starts_with("x,name;y;id;"), "{out}");
    folder.write("quoted.tsv", "x\tname\n\"1\t2\"\taspirin\n");
    assert!(matched(&folder, "quoted.tsv", &["-q"]).out.starts_with("x\tname\textra_1\t"));
    let refused = matched(&folder, "list.txt", &["-q", "--delimiter", "/"]);
    assert!(refused.code == 2 && refused.err.contains("a delimiter is one of , ; tab |"), "{}", refused.err);
    assert_eq!(matched(&folder, "list.txt", &["-q", "--input-format", "text", "--delimiter", "tab"]).code, 2);
}

#[test]
fn a_table_in_a_text_is_told_by_its_shape() {
    let folder = Folder::with_kb();
    let table = "id;name\n1;aspirin\n2;heart failure\n";
    folder.write("in.txt", table);
    let said = " is read as a table with the columns \"id\", \"name\" (--input-format text reads names)\n";
    let read = matched(&folder, "in.txt", &[]);
    assert!(read.out.starts_with("id;name;truename_id;") && read.out.contains("\n1;aspirin;X:3;"), "{}", read.out);
    assert!(read.err.starts_with(&format!("in.txt{said}")), "{}", read.err);
    let piped = folder.run_with_input(&["match", "-", "--kb", "kb"], table.as_bytes());
    assert!(piped.out == read.out && piped.err.starts_with(&format!("-{said}")), "{piped:?}");
    for (further, shown) in [(&["-q"][..], &read.out), (&["-q", "--column", "name"], &read.out)] {
        assert_eq!(matched(&folder, "in.txt", further), ran(0, shown, ""));
    }
    let list = matched(&folder, "in.txt", &["--input-format", "text"]);
    assert!(list.out.contains("\nid;name\t") && !list.err.contains("table"), "{list:?}");
    let clusters = folder.run(&["cluster", "in.txt"]);
    assert!(clusters.out.contains("\naspirin,1,") && clusters.err.contains(said), "{clusters:?}");
    // Without a column of names it may be a list all the same.
    folder.write("in.txt", "id\tdx\n1\taspirin\n");
    let doubtful = matched(&folder, "in.txt", &[]);
    let hint = "hint: in.txt looks like a table with the columns \"id\", \"dx\", and each line is read as a name; --column COLUMN reads the table\n";
    assert!(doubtful.out.contains("\n1 aspirin\t") && doubtful.err.starts_with(hint), "{doubtful:?}");
    assert!(folder.run(&["cluster", "in.txt"]).err.contains(hint));
    for names in
        ["aspirin, 100 mg\nheart failure, acute\n", "a,b\nc\n", "name\naspirin\n", "heart failure\n", "\n", "a\tr\tb\n"]
    {
        folder.write("in.txt", names);
        let clusters = folder.run(&["cluster", "in.txt"]).err;
        assert!(!clusters.contains("table"), "{names:?}: {clusters}");
    }
}

#[test]
fn columns_are_found_whatever_their_capitals() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "Row, Product Name \n1,aspirin\n");
    assert!(matched(&folder, "in.csv", &["-q", "--column", "product name"]).out.contains("1,aspirin,X:3,"));
    let missed = matched(&folder, "in.csv", &["-q", "--column", "products name"]);
    let message = "error: no column \"products name\" among \"Row\", \" Product Name \"\n\
        hint: did you mean --column \" Product Name \"?\n";
    assert_eq!(missed, ran(2, "", message));
}

#[test]
fn files_that_are_no_table_are_refused() {
    let folder = Folder::with_kb();
    let cases: [(&str, &[u8], &str); 5] = [
        ("in.xlsx", b"PK\x03\x04\x14\0\0\0[Content_Types].xml", "an Excel workbook\nhint: save the sheet as CSV\n"),
        ("in.csv", b"PK\x03\x04\x14\0\0\0", "a zip archive\nhint: unpack it\n"),
        (
            "in.txt",
            b"%PDF-1.4",
            "a PDF\nhint: take its text out, as `pdftotext FILE` does; a table is copied into a sheet and saved as CSV\n",
        ),
        ("nul.csv", b"name\0\0\n", "binary, for it has NUL bytes\nhint: save it as CSV\n"),
        ("in.xls", b"<html><table>", "XML or HTML\nhint: save its table as CSV\n"),
    ];
    for (file, bytes, message) in cases {
        folder.write(file, bytes);
        assert_eq!(matched(&folder, file, &["-q"]), ran(1, "", &format!("error: {file}: this is {message}")));
    }
}

#[test]
fn every_command_says_what_a_binary_file_is() {
    let folder = Folder::with_kb();
    let cases: [(&str, &[u8], &str, &str); 3] = [
        ("a.xlsx", b"PK\x03\x04....xl/workbook.xml", "an Excel workbook", "save the sheet as CSV"),
        ("a.feather", b"ARROW1\0\0", "an Arrow or Feather file", "read_feather"),
        ("a.pdf", b"%PDF-1.7", "a PDF", "pdftotext"),
    ];
    let commands: [&[&str]; 8] = [
        &["match", "--kb", "kb"],
        &["link", "--kb", "kb"],
        &["recognize", "--kb", "kb"],
        &["annotate", "--kb", "kb", "--type", "x"],
        &["cluster"],
        &["dedupe"],
        &["kb", "import", "--out", "new"],
        &["evaluate", "names", "--kb", "kb", "--gold"],
    ];
    for (file, bytes, kind, hint) in cases {
        folder.write(file, bytes);
        for command in commands {
            let refused = folder.run(&[command, &[file]].concat());
            let is_said = refused.err.contains(&format!("{file}: this is {kind}")) && refused.err.contains(hint);
            assert!(refused.code == 1 && is_said, "{command:?} {}", refused.err);
        }
    }
}

#[test]
fn titles_and_a_line_of_the_delimiter_pass_through() {
    let folder = Folder::with_kb();
    folder.write("titled.csv", "Inventory,,\n,,\nid,name,count\n1,aspirin,4\n");
    let refused = matched(&folder, "titled.csv", &["-q"]);
    let message = "error: no column \"name\" among \"Inventory\", \"\", \"\"\n\
        hint: the header seems to be further down: --skip-rows 2\n";
    assert_eq!(refused, ran(2, "", message));
    let out = matched(&folder, "titled.csv", &["-q", "--skip-rows", "2"]).out;
    assert!(out.starts_with("Inventory,,\n,,\nid,name,count,truename_id,"), "{out}");
    assert!(out.contains("\n1,aspirin,4,X:3,"), "{out}");
    folder.write("said.csv", "sep=;\r\nid;name\r\n1;aspirin\r\n");
    let out = matched(&folder, "said.csv", &["-q"]).out;
    assert!(out.starts_with("sep=;\r\nid;name;truename_id;") && out.contains("\n1;aspirin;X:3;"), "{out}");
    folder.write("bare.csv", "1;aspirin\n2;heart failure\n");
    let out = matched(&folder, "bare.csv", &["-q", "--no-header", "--column", "2"]).out;
    assert!(out.starts_with("1;aspirin;X:3;") && out.contains("\n2;heart failure;X:2;"), "{out}");
}

#[test]
fn a_first_row_that_may_be_no_header_is_told() {
    let folder = Folder::with_kb();
    let told = |arguments: &[&str]| folder.run(arguments).err;
    let note = |columns: &str| {
        format!("bare.csv: the first row is read as the header ({columns}) (--no-header takes it for a row)\n")
    };
    folder.write("bare.csv", "aspirin\nheart failure\n");
    assert!(told(&["match", "bare.csv", "--kb", "kb"]).contains(&note("\"aspirin\"")));
    assert!(told(&["cluster", "bare.csv"]).contains(&note("\"aspirin\"")));
    folder.write("bare.csv", "7,Oak Works,Kiel\n8,Oak-Works,Kiel\n9,Elm,Ulm\n");
    let columns = "\"7\", \"Oak Works\", \"Kiel\"";
    assert!(told(&["match", "bare.csv", "--kb", "kb", "--column", "2"]).contains(&note(columns)));
    assert!(told(&["dedupe", "bare.csv"]).contains(&note(columns)));
    assert!(!told(&["dedupe", "bare.csv", "--no-header"]).contains("read as the header"));
    assert_eq!(told(&["-q", "dedupe", "bare.csv"]), "");
    folder.write("titled.csv", "Lamps of 2026,,\n,,\nno,product,count\n1,lamp,3\n2,ink,4\n");
    let advice = "(the header seems to be further down: --skip-rows 2)\n";
    assert!(told(&["dedupe", "titled.csv"]).contains(advice));
}

#[test]
fn a_damaged_cell_leaves_the_other_rows_alone() {
    let folder = Folder::with_kb();
    folder.write("nul.csv", b"name,note\nheart\0failure,a\naspirin,b\n");
    let fault = "nul.csv:2: a NUL byte, read as a blank";
    let out = matched(&folder, "nul.csv", &[]);
    assert!(out.out.contains("heart\0failure,a,X:2,") && out.out.contains("\naspirin,b,X:3,"), "{}", out.out);
    assert!(out.err.contains(fault), "{}", out.err);
    for command in ["cluster", "dedupe"] {
        let ran = folder.run(&[command, "nul.csv"]);
        assert!(ran.code == 0 && ran.err.contains(fault) && !ran.out.contains('\0'), "{ran:?}");
    }
    folder.write("quote.csv", "id,name\n1,\"desk lamp\n2,ink\n3,\"pen, red\"\n");
    let ran = folder.run(&["cluster", "quote.csv"]);
    assert!(ran.code == 0 && ran.out.contains("pen, red"), "{ran:?}");
    assert!(ran.err.contains("quote.csv:2: a quote that is never closed, so taken for a character"), "{}", ran.err);
}

#[test]
fn rows_keep_their_bytes_whatever_their_quotes() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "id,name\n1, \"aspirin\" \n2,\"heart failure\n3,aspirin\n4,\"x, y\"\n");
    let out = matched(&folder, "in.csv", &[]);
    assert!(out.out.contains("\n1, \"aspirin\" ,X:3,") && out.out.contains("\n3,aspirin,"), "{}", out.out);
    assert!(out.out.contains("\n2,\"heart failure,X:2,"), "{}", out.out);
    assert!(out.err.contains("in.csv:3: a quote that is never closed, so taken for a character"), "{}", out.err);
    folder.write("in.zst", zstd::encode_all(&b"name\naspirin\n"[..], 1).unwrap());
    assert!(matched(&folder, "in.zst", &["-q", "--input-format", "csv"]).out.contains("\naspirin,X:3,"));
}

#[test]
fn rows_are_written_in_another_encoding_on_request() {
    let folder = Folder::with_kb();
    folder.write("latin.csv", b"name,x\r\naspirin,\"na\xEFve; \"\"x\"\"\"\r\n\r\n");
    folder.write("utf8.csv", "name,x\r\naspirin,\"naïve; \"\"x\"\"\"\r\n\r\n");
    let latin = ["-q", "--encoding", "windows-1252", "--output-encoding", "utf-8"];
    let utf8 = matched(&folder, "utf8.csv", &["-q"]);
    assert!(utf8.code == 0 && utf8.out.contains("naïve"), "{utf8:?}");
    assert_eq!(matched(&folder, "latin.csv", &latin), utf8);
    for out in ["wide.csv", "wide.tsv"] {
        let ran_wide = matched(&folder, "utf8.csv", &["-q", "--output-encoding", "utf-16le", "--out", out]);
        assert_eq!(ran_wide, ran(0, "", ""));
        let wide = folder.read(out);
        let units: Vec<u16> = wide.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let text = String::from_utf16(&units).unwrap();
        let shown = if out == "wide.csv" { utf8.out.clone() } else { text.trim_start_matches('\u{FEFF}').to_owned() };
        assert_eq!(text, format!("\u{FEFF}{shown}"));
        assert!(text.contains("naïve") && text.contains("X:3"), "{text}");
    }
    // A list and objects, too.
    folder.write("latin.txt", b"na\xEFve\n");
    assert!(matched(&folder, "latin.txt", &latin).out.contains("\nnaïve\t"));
    folder.write("latin.jsonl", b"{\"name\":\"na\xEFve\"}\n");
    assert!(matched(&folder, "latin.jsonl", &latin).out.starts_with("{\"name\":\"naïve\",\"id\":null,"));
    folder.write("han.csv", "name\n模\n");
    let lacking = matched(&folder, "han.csv", &["-q", "--output-encoding", "windows-1252"]);
    assert!(lacking.code == 1 && lacking.err.contains("\"模\" cannot be written in windows-1252"), "{}", lacking.err);
    assert!(lacking.err.contains("\nhint: --output-encoding utf-8"), "{}", lacking.err);
    for further in [&["--format", "jsonl"][..], &["--out", "out.jsonl"]] {
        let refused = matched(&folder, "utf8.csv", &[&["--output-encoding", "utf-8"], further].concat());
        assert!(refused.code == 2 && refused.err.contains("--output-encoding is for rows of text"), "{refused:?}");
    }
    assert_eq!(matched(&folder, "utf8.csv", &["--output-encoding", "klingon"]).code, 2);
}

#[test]
fn utf16_without_a_mark_is_told_by_its_nul_bytes() {
    let folder = Folder::with_kb();
    let wide: Vec<u8> = "name\naspirin\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.csv", &wide);
    let out = folder.command(&["-q", "match", "wide.csv", "--kb", "kb"]).output().unwrap();
    let units: Vec<u16> = out.stdout.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert!(String::from_utf16(&units).unwrap().contains("\naspirin,X:3,"));
}

#[test]
fn objects_pass_through_and_gain_fields() {
    let folder = Folder::with_kb();
    folder.write(
        "in.jsonl",
        "{\"n\": 1.50, \"Name\": \"aspirin\" } \n\n{\"id\":7}\r\n{}\nnot json\n{\"Name\":null}\n{\"Name\":[1]}\n{\"Name\":3.10}",
    );
    let out = matched(&folder, "in.jsonl", &["--top", "2", "--min-probability", "0"]);
    let lines: Vec<&str> = out.out.split('\n').collect();
    assert!(lines[0].starts_with("{\"n\": 1.50, \"Name\": \"aspirin\" ,\"truename_id\":\"X:3\","), "{}", lines[0]);
    assert!(lines[0].ends_with("\"truename_candidates\":[\"X:3\"]} "), "{}", lines[0]);
    assert_eq!(lines[1], "");
    assert!(lines[2].starts_with("{\"id\":7,\"truename_id\":null,") && lines[2].ends_with("}\r"), "{}", lines[2]);
    assert!(lines[3].starts_with("{\"truename_id\":null,"), "{}", lines[3]);
    assert_eq!(lines[4], "{\"error\":\"not JSON at column 2: expected ident\",\"row\":\"not json\"}");
    assert!(lines[7].starts_with("{\"Name\":3.10,\"truename_id\":"), "{}", lines[7]);
    for line in [0, 2, 3, 5, 6, 7] {
        assert!(serde_json::from_str::<serde_json::Value>(lines[line]).unwrap().is_object());
    }
    for message in [
        "in.jsonl:3: no field \"Name\"",
        "in.jsonl:5: not JSON at column 2: expected ident",
        "in.jsonl:7: field \"Name\" holds no text",
    ] {
        assert!(out.err.contains(message), "{message}: {}", out.err);
    }
    assert!(out.err.contains("4 malformed rows, 4 left without an answer"), "{}", out.err);
    assert_eq!(matched(&folder, "in.jsonl", &["-q", "--strict"]).code, 1);
    // Candidates are of the name alone.
    let out = matched(&folder, "in.jsonl", &["-q", "--format", "jsonl"]).out;
    assert_eq!(out.lines().nth(3), Some(lines[4]));
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["name"], &first["candidates"][0]["id"], &first["n"]),
        (&"aspirin".into(), &"X:3".into(), &().into())
    );
    let missed = matched(&folder, "in.jsonl", &["-q", "--column", "nam"]);
    assert_eq!(
        missed.err,
        "error: no column \"nam\" among \"Name\", \"n\", \"id\"\nhint: did you mean --column Name?\n"
    );
}

#[test]
fn objects_are_read_from_a_pipe() {
    let folder = Folder::with_kb();
    let arguments = ["-q", "match", "-", "--kb", "kb"];
    let out = folder.run_with_input(&arguments, b"{\"name\":\"aspirin\"}\n");
    assert!(out.out.starts_with("{\"name\":\"aspirin\",\"id\":\"X:3\","), "{out:?}");
    let out = folder.run_with_input(&arguments, b"{\"name\":\"aspirin\"}\n{\"name\":\"x\",\"id\":1}\n");
    assert_eq!(out.code, 1);
    assert!(out.err.starts_with("error: -:2: the object has a field \"id\" already\nhint: "), "{}", out.err);
    let spread = folder.run_with_input(&arguments, b"[\n {\n \"name\": \"aspirin\"\n}\n]\n");
    assert!(spread.out.starts_with("{\"name\":\"aspirin\",\"id\":\"X:3\","), "{spread:?}");
    let out = folder.run_with_input(&arguments, b"{\"name\": \n");
    assert!(out.code == 1 && out.err.contains("hint: JSONL has one object a line"), "{out:?}");
}

#[test]
fn near_misses_are_suggested() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name\naspirin\nhart failure\nqqqq zzzz\n");
    let run = |further: &[&str]| {
        let out = matched(&folder, "in.csv", &[&["--suggest", "--min-probability", "0.9999"], further].concat());
        assert_eq!(out.code, 0, "{}", out.err);
        out
    };
    let out = run(&[]);
    let rows = cells(&out.out, b',');
    assert_eq!(rows[0].join(","), format!("name,{ADDED},suggested_id,suggested_name"));
    assert_eq!(rows[2][1..4], ["", "", ""]);
    assert_eq!(rows[2][5..], ["X:2", "heart failure"]);
    assert_eq!(rows[3][5..], ["", ""]);
    let answered: Vec<bool> = rows[1..].iter().map(|row| !row[1].is_empty()).collect();
    assert!(rows[1..].iter().zip(&answered).all(|(row, answered)| !*answered || row[5].is_empty()), "{rows:?}");
    let suggested = rows[1..].iter().filter(|row| !row[5].is_empty()).count();
    let nil = answered.iter().filter(|answered| !**answered).count();
    assert!(out.err.contains(&format!("{nil} NIL, {suggested} of them with a suggestion")), "{}", out.err);
    let lines = run(&["--format", "jsonl"]).out;
    let line: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&line["suggested_id"], &line["suggested_name"]), (&"X:2".into(), &"heart failure".into()));
    run(&["-q", "--out", "out.tsv"]);
    let rows = cells(&String::from_utf8(folder.read("out.tsv")).unwrap(), b'\t');
    assert_eq!(rows[2][5..], ["X:2", "heart failure"]);
    run(&["-q", "--out", "out.jsonl"]);
    let lines = String::from_utf8(folder.read("out.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&line["name"], &line["suggested_id"]), (&"hart failure".into(), &"X:2".into()));
    assert_eq!(line["id"], serde_json::Value::Null);
}

#[test]
fn added_names_are_free_however_often_a_file_passes() {
    let folder = Folder::with_kb();
    folder.write("0.csv", "name\naspirin\n");
    for (from, to) in [("0.csv", "1.csv"), ("1.csv", "2.csv"), ("2.csv", "3.csv"), ("3.csv", "4.csv")] {
        assert_eq!(matched(&folder, from, &["-q", "--out", to]), ran(0, "", ""));
    }
    let rows = cells(&String::from_utf8(folder.read("4.csv")).unwrap(), b',');
    let ids: Vec<&str> = rows[0].iter().skip(1).step_by(4).map(String::as_str).collect();
    assert_eq!(ids, ["id", "truename_id", "truename_id_2", "truename_id_3"]);
    assert_eq!(
        rows[0][9..13].join(","),
        "truename_id_2,truename_matched_name_2,truename_preferred_name_2,truename_probability_2"
    );
    assert_eq!(rows[1][13], "X:3");
    folder.write("capitals.csv", "ID,name\n1,aspirin\n");
    assert!(matched(&folder, "capitals.csv", &["-q"]).out.starts_with("ID,name,truename_id,"));
}

#[test]
fn the_extension_of_out_is_the_format() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name,note,note\n\"heart, attack\",\"a\nb\",1\naspirin,\"5\"\"\",2\n");
    let out = |input: &str, name: &str| {
        assert_eq!(matched(&folder, input, &["-q", "--out", name]), ran(0, "", ""));
        String::from_utf8(folder.read(name)).unwrap()
    };
    let lines = out("in.csv", "out.jsonl");
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&line["name"], &line["note"], &line["note_2"]), (&"heart, attack".into(), &"a\nb".into(), &"1".into()));
    assert_eq!((&line["id"], line["probability"].is_number()), (&"X:1".into(), true));
    assert!(
        out("in.csv", "out.tsv").starts_with(
            "name\tnote\tnote\tid\tmatched_name\tpreferred_name\tprobability\nheart, attack\ta b\t1\tX:1\t"
        )
    );
    folder.write("in.txt", "heart, attack\naspirin\n");
    assert!(out("in.txt", "out.csv").starts_with(&format!("name,{ADDED}\n\"heart, attack\",X:1,")));
    assert_eq!(out("in.csv", "other.tab"), out("in.csv", "out.tsv"));
    folder.write("in.jsonl", "{\"name\":\"aspirin\"}\n");
    for (further, message) in [
        (&["in.jsonl", "--out", "x.csv"][..], "rows of JSONL have no fixed columns"),
        (&["in.csv", "--out", "x.csv", "--format", "jsonl"], "--format jsonl writes JSONL; call x.csv .jsonl"),
        (&["in.csv", "--out", "x.parquet.gz"], "Parquet is compressed in itself"),
    ] {
        let out = folder.run(&[&["-q", "match", "--kb", "kb"], further].concat());
        assert!(out.code == 2 && out.err.contains(message), "{out:?}");
        assert!(!folder.path(further[2]).exists());
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_written_from_csv_and_csv_from_parquet() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;

    let folder = Folder::with_kb();
    folder.write("in.csv", "name,n\naspirin,007\n,\n");
    assert_eq!(matched(&folder, "in.csv", &["-q", "--suggest", "--out", "out.parquet"]), ran(0, "", ""));
    let read = std::fs::File::open(folder.path("out.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(read).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    let column = |name: &str| batch.column_by_name(name).unwrap();
    let texts = |name: &str| column(name).as_string::<i32>().iter().collect::<Vec<_>>();
    assert_eq!((texts("n"), texts("id")), (vec![Some("007"), Some("")], vec![Some("X:3"), None]));
    assert_eq!(texts("suggested_id"), [None, None]);
    assert!(column("probability").as_primitive::<Float64Type>().value(0) > 0.5);
    // And back, under any name: the content tells Parquet.
    std::fs::copy(folder.path("out.parquet"), folder.path("table")).unwrap();
    for file in ["out.parquet", "table"] {
        assert_eq!(matched(&folder, file, &["-q", "--out", "back.csv"]), ran(0, "", ""));
        let rows = cells(&String::from_utf8(folder.read("back.csv")).unwrap(), b',');
        assert_eq!(rows[0][8], "truename_id");
        assert_eq!((rows[1][..3].join("|"), rows[1][8].as_str()), ("aspirin|007|X:3".into(), "X:3"));
        assert_eq!(matched(&folder, file, &["-q", "--out", "back.jsonl"]), ran(0, "", ""));
        let lines = String::from_utf8(folder.read("back.jsonl")).unwrap();
        let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["n"], lines[0]["probability"].is_number()), (&"007".into(), true));
        assert_eq!(lines[1]["id"], serde_json::Value::Null);
    }
    let refused = matched(&folder, "out.parquet", &["-q", "--input-format", "csv"]);
    assert!(refused.code == 1 && refused.err.contains("out.parquet: this is a Parquet table"), "{refused:?}");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_deduplicated() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "name,n\naspirin,007\nheart attack,8\n");
    assert_eq!(matched(&folder, "in.csv", &["-q", "--out", "left.parquet"]), ran(0, "", ""));
    let pairs = |left: &str| folder.run(&["-q", "dedupe", left, "in.csv", "--column", "name", "--column", "n"]);
    let found = pairs("left.parquet");
    assert_eq!((found.code, found.err.as_str()), (0, ""));
    assert_eq!(found.out, pairs("in.csv").out);
    assert_eq!(found.out.lines().count(), 3, "{}", found.out);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_read_wherever_a_table_is() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "id,name\nX:3,aspirin\nX:1,\"heart, attack\"\n");
    folder.write("more.csv", "id,name\nX:2,heart failure\n");
    std::fs::create_dir(folder.path("tables")).unwrap();
    for (from, to) in [("in.csv", "tables/1.parquet"), ("more.csv", "tables/2.parquet")] {
        assert_eq!(matched(&folder, from, &["-q", "--out", to]), ran(0, "", ""));
    }
    // Several Parquet tables are one, and keep the types of their columns.
    assert_eq!(matched(&folder, "tables", &["-q", "--out", "all.parquet"]), ran(0, "", ""));
    assert_eq!(matched(&folder, "all.parquet", &["-q", "--out", "all.csv"]), ran(0, "", ""));
    let rows = cells(&String::from_utf8(folder.read("all.csv")).unwrap(), b',');
    let own: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!((rows[0].len(), own), (14, vec!["name", "aspirin", "heart, attack", "heart failure"]));
    let clusters = folder.run(&["-q", "cluster", "tables", "--threshold", "0.1"]);
    assert_eq!(clusters.out.lines().count(), 4, "{clusters:?}");
    let import = folder.run(&["kb", "import", "tables/1.parquet", "--id-column", "id", "--out", "other"]);
    assert!(import.code == 0 && import.err.contains("2 concepts"), "{import:?}");
    let scores = folder.run(&["-q", "evaluate", "names", "--gold", "tables/2.parquet", "--kb", "kb"]);
    assert!(scores.code == 0, "{scores:?}");
    let piped = folder.run_with_input(&["-q", "match", "-", "--kb", "kb"], &folder.read("all.parquet"));
    assert!(piped.code == 1 && piped.err.starts_with("error: -: this is a Parquet table\nhint: "), "{}", piped.err);
    let other = folder.run(&["-q", "match", "tables/1.parquet", "in.csv", "--kb", "kb", "--out", "x.csv"]);
    assert!(
        other.err.starts_with("error: in.csv: this is CSV, and the first file is a Parquet table"),
        "{}",
        other.err
    );
    folder.write("cut.parquet", &folder.read("all.parquet")[..100]);
    let cut = matched(&folder, "cut.parquet", &["-q", "--out", "x.csv"]);
    assert!(cut.code == 1 && cut.err.starts_with("error: cannot read cut.parquet: "), "{}", cut.err);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_where_it_is_not_enabled() {
    let folder = Folder::with_kb();
    folder.write("in.parquet", b"PAR1\x15\0");
    folder.write("in.csv", "name\naspirin\n");
    let read = matched(&folder, "in.parquet", &["-q"]);
    let message = "error: in.parquet: this is a Parquet table; Parquet is not enabled in this build\nhint: build with ";
    assert!(read.code == 1 && read.err.starts_with(message), "{}", read.err);
    let written = matched(&folder, "in.csv", &["-q", "--out", "out.parquet"]);
    assert!(written.code == 2 && written.err.contains("Parquet is not enabled in this build"), "{}", written.err);
    assert!(!folder.path("out.parquet").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_values_become_text_without_loss() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray};

    let folder = Folder::with_kb();
    let columns: [(&str, ArrayRef); 6] = [
        ("name", Arc::new(StringArray::from(vec!["aspirin", "x"]))),
        ("count", Arc::new(Int64Array::from(vec![Some(i64::MAX), None]))),
        ("share", Arc::new(Float64Array::from(vec![0.1, f64::NAN]))),
        ("seen", Arc::new(Date32Array::from(vec![18263, 0]))),
        ("price", Arc::new(Decimal128Array::from(vec![150, 7]).with_precision_and_scale(10, 2).unwrap())),
        ("sold", Arc::new(BooleanArray::from(vec![true, false]))),
    ];
    let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(folder.path("in.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(matched(&folder, "in.parquet", &["-q", "--out", "out.csv"]), ran(0, "", ""));
    let rows = cells(&String::from_utf8(folder.read("out.csv")).unwrap(), b',');
    assert_eq!(rows[1][..6].join("|"), "aspirin|9223372036854775807|0.1|2020-01-02|1.50|true");
    assert_eq!(rows[2][..6].join("|"), "x||NaN|1970-01-01|0.07|false");
    assert_eq!(matched(&folder, "in.parquet", &["-q", "--out", "out.jsonl"]), ran(0, "", ""));
    let lines = String::from_utf8(folder.read("out.jsonl")).unwrap();
    let expected = "{\"name\":\"aspirin\",\"count\":9223372036854775807,\"share\":0.1,\"seen\":\"2020-01-02\",\
        \"price\":\"1.50\",\"sold\":true,\"id\":\"X:3\",";
    assert!(lines.starts_with(expected), "{lines}");
    assert!(lines.contains("{\"name\":\"x\",\"count\":null,\"share\":\"NaN\",\"seen\":\"1970-01-01\","), "{lines}");
}

#[test]
fn no_control_character_reaches_the_terminal() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "a\u{1b}[31m,b\n1,2\n");
    let out = matched(&folder, "in.csv", &["-q"]);
    assert_eq!(out.err, "error: no column \"name\" among \"a\\u{1b}[31m\", \"b\"\nhint: name one with --column\n");
    folder.write("bad.csv", b"name\n\x1b]0;x\x07\xff\n");
    let out = matched(&folder, "bad.csv", &[]);
    assert!(out.err.contains("\\u{1b}]0;x\\u{7}") && !out.err.contains('\u{1b}'), "{}", out.err);
    let out = folder.run(&["kb", "search", "x", "--kb", "\u{1b}[31m"]);
    assert!(out.code == 1 && !out.err.contains('\u{1b}'), "{}", out.err);
}

#[test]
fn marks_headers_alone_and_empty_files() {
    let folder = Folder::with_kb();
    folder.write("mark.txt", "\u{FEFF}aspirin\n");
    let out = matched(&folder, "mark.txt", &["-q"]).out;
    assert!(out.starts_with("\u{FEFF}name\tid\t") && out.contains("\naspirin\tX:3\t"), "{out:?}");
    folder.write("mark.csv", "\u{FEFF}\"name\n of it\",x\naspirin,1\n");
    let out = matched(&folder, "mark.csv", &["-q", "--column", "name\n of it"]).out;
    assert!(out.starts_with(&format!("\u{FEFF}\"name\n of it\",x,{ADDED}\naspirin,1,X:3,")), "{out:?}");
    folder.write("header.csv", "name,x");
    let out = matched(&folder, "header.csv", &[]);
    assert_eq!((out.code, out.out), (0, format!("name,x,{ADDED}")));
    assert!(out.err.starts_with("0 names: 0 linked, 0 NIL"), "{}", out.err);
    for empty in ["", "\u{FEFF}", "\n\n"] {
        folder.write("empty.csv", empty);
        assert_eq!(
            matched(&folder, "empty.csv", &["-q"]),
            ran(1, "", "error: empty.csv: the file is empty: no header\n")
        );
    }
    folder.write("empty.txt", "");
    assert_eq!(matched(&folder, "empty.txt", &["-q"]).out, "name\tid\tmatched_name\tpreferred_name\tprobability\n");
    folder.write("empty.jsonl", "");
    assert_eq!(matched(&folder, "empty.jsonl", &["-q"]), ran(0, "", ""));
}

#[test]
fn every_row_keeps_its_bytes_and_has_the_cells_of_the_header() {
    use proptest::strategy::Strategy;

    let folder = Folder::with_kb();
    let cell =
        proptest::string::string_regex("([a-c][a-c \"]{0,2}| [a-c ]{0,2})?|\"([a-c,; \r\n]|\"\"){0,6}\"").unwrap();
    // A row over lines is as wide as the header, else its lines may be rows of their own.
    let row = proptest::collection::vec(cell, 1..5).prop_map(|mut cells| {
        if cells.iter().any(|cell| cell.contains(['\r', '\n'])) {
            cells.resize(2, String::new());
        }
        cells.join(",")
    });
    let table = proptest::collection::vec((row, proptest::sample::select(vec!["\n", "\r\n", "\r"])), 0..8);
    let mut runner = proptest::test_runner::TestRunner::new(proptest::test_runner::Config {
        cases: 48,
        failure_persistence: None,
        ..Default::default()
    });
    let result = runner.run(&table, |rows| {
        let rows: Vec<(String, &str)> = std::iter::once(("name,x".to_owned(), "\n")).chain(rows).collect();
        let text: String = rows.iter().map(|(row, end)| row.clone() + end).collect();
        folder.write("in.csv", &text);
        let out = matched(&folder, "in.csv", &["-q", "--delimiter", ","]);
        proptest::prop_assert_eq!(out.code, 0, "{}", out.err);
        let mut rest = out.out.as_str();
        for (row, end) in rows.iter().filter(|(row, _)| !row.is_empty()) {
            rest = rest.trim_start_matches(['\r', '\n']);
            proptest::prop_assert!(rest.starts_with(row.as_str()), "{row:?} in {rest:?}");
            let mut added = rest[row.len()..].char_indices();
            let mut quoted = false;
            let at = added.find(|(_, letter)| {
                quoted ^= *letter == '"';
                !quoted && matches!(letter, '\r' | '\n')
            });
            rest = &rest[row.len() + at.unwrap().0..];
            proptest::prop_assert!(rest.starts_with(end));
        }
        proptest::prop_assert!(rest.trim_start_matches(['\r', '\n']).is_empty());
        let mut reader = csv::ReaderBuilder::new().from_reader(out.out.as_bytes());
        for row in reader.records() {
            proptest::prop_assert!(row.is_ok(), "{row:?}");
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn a_title_is_no_column_of_names() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "Prices\n\nnr,name\n1,aspirin\n");
    for title in [matched(&folder, "in.csv", &[]), folder.run(&["dedupe", "in.csv"])] {
        assert_eq!(title.code, 2);
        assert!(title.err.contains("no column \"name\" among \"Prices\"\nhint: the header seems"), "{}", title.err);
    }
    let read = matched(&folder, "in.csv", &["-q", "--skip-rows", "2"]);
    assert!(read.code == 0 && read.out.contains("\n1,aspirin,X:3,"), "{} {}", read.out, read.err);
}
