//! CoNLL: a token with its tags a line, and a blank line after each sentence.
//!
//! The token is in the first column, or in the second where the first one numbers the tokens (CoNLL-U, GermEval). Columns stand between tabs or spaces, and each line has as many as the others. The
//! text is rebuilt: tokens are joined by spaces and sentences by line feeds, and each sentence is a passage.
//!
//! **Documents** begin at `-DOCSTART-` (CoNLL 2003), `# newdoc id = X`, `# id X` (MultiCoNER) and `###X` (JNLPBA). In a
//! file without such lines each sentence is a document. Other lines that begin with `# ` are comments, unless they have
//! the columns and tags of the others: `#` may be a token. So are lines above a sentence that begin with `#` and have other columns
//! (GermEval's `#⇥http://…`).
//!
//! **Labels** are all columns after the token, one for each level of nested mentions, if most rows of the first 16 KiB
//! have a tag in every one. Otherwise one column holds something else, such as a part of speech, and only the last is
//! read, for chunks (`I-NP`) look like mentions. [`ReadOptions::conll_labels`](crate::ReadOptions::conll_labels) names
//! the first label column.
//!
//! **Tags** are `O` or a letter, a hyphen and a type; the letter alone is a mention without a type. The schemes IOB1,
//! IOB2, IOE1, IOE2 and BIOES with the letters of BILOU and BMEWO are told by the tags of the first 16 KiB
//! (`Scheme`). In IOB2 and BIOES a tag out of order is a problem.
//!
//! **Tie-or-break** files (AutoNER, `.ck`) have a boundary and a type: `I` begins a chunk, `O` joins a token to the
//! one before, and a chunk of the type `None` is no mention. The tokens `<s>` and `<eof>` are left out.
//!
//! The format has no end mark: as in PubTator, a last line without a line end is a problem of the last document.

mod document;
mod layout;
mod line;
mod reader;
mod scheme;
mod tag;
mod write;

pub(crate) use self::layout::is_conll;
use self::reader::Reader;
pub(crate) use self::write::write;
use truename_read::Source;

use crate::Error;
use crate::output::Output;
use crate::pubtator::UNENDED;
use crate::source::told;

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let mut reader = Reader::new(&source, output);
    let mut lines = source.into_lines();
    while let Some(line) = lines.read()? {
        match line.text() {
            Ok(text) => reader.add(&line, text, output),
            Err(fault) => reader.document(&line).fail(line.number, told(fault)),
        }
        if !line.is_ended && !line.bytes.trim_ascii().is_empty() {
            reader.document(&line).fail(line.number, UNENDED);
        }
        if output.stopped {
            return Ok(());
        }
    }
    reader.end_document(output);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceOptions;
    use crate::output::tests::{bounded, problems, read_bytes, read_str};
    use crate::{Document, ReadOptions};

    fn read_plain(text: &str) -> (Vec<Document>, Vec<String>) {
        read_str("a.conll", text, &ReadOptions::default())
    }

    /// Returns the texts and types of all mentions.
    fn mentions(documents: &[Document]) -> Vec<(&str, &str)> {
        let pairs =
            documents.iter().flat_map(|document| document.mentions.iter().map(move |mention| (document, mention)));
        pairs.map(|(document, mention)| (mention.span.of(&document.text).unwrap(), &*mention.mention_type)).collect()
    }

    /// Returns the mentions of rows `token/label …` in sentences parted by `|`.
    fn mentions_of(rows: &str) -> Vec<(String, String)> {
        let rows = rows.replace(" | ", "\n\n").replace(' ', "\n").replace('/', "\t") + "\n";
        let (documents, problems) = read_plain(&rows);
        assert_eq!(problems, [""; 0]);
        mentions(&documents)
            .into_iter()
            .map(|(text, mention_type)| (text.to_owned(), mention_type.to_owned()))
            .collect()
    }

    #[test]
    fn tokens_become_a_text_with_sentences() {
        let (documents, problems) = read_plain("A\tO\nbad\tB-Disease\ncold\tI-Disease\n.\tO\n\n\nIt\tO\nwent\tO\n");
        assert_eq!(problems, [""; 0]);
        let found: Vec<_> = documents.iter().map(|document| (&*document.id, &*document.text)).collect();
        assert_eq!(found, [("a:1", "A bad cold ."), ("a:2", "It went")]);
        assert_eq!((&*documents[0].passages[0].kind, documents[0].passages[0].span.range()), ("sentence", 0..12));
        assert_eq!(documents[0].mentions[0].span.range(), 2..10);
        assert_eq!(mentions(&documents), [("bad cold", "Disease")]);
    }

    #[test]
    fn each_scheme_is_read() {
        let wanted = [("b c", "X"), ("d", "X"), ("f", "Y"), ("g h i", "X")]
            .map(|(text, mention_type)| (text.to_owned(), mention_type.to_owned()));
        for (scheme, rows) in [
            ("IOB1", "a/O b/I-X c/I-X d/B-X e/O f/I-Y g/I-X h/I-X i/I-X"),
            ("IOB2", "a/O b/B-X c/I-X d/B-X e/O f/B-Y g/B-X h/I-X i/I-X"),
            ("IOE1", "a/O b/I-X c/E-X d/I-X e/O f/I-Y g/I-X h/I-X i/I-X"),
            ("IOE2", "a/O b/I-X c/E-X d/E-X e/O f/E-Y g/I-X h/I-X i/E-X"),
            ("BIOES", "a/O b/B-X c/E-X d/S-X e/O f/S-Y g/B-X h/I-X i/E-X"),
            ("BILOU", "a/O b/B-X c/L-X d/U-X e/O f/U-Y g/B-X h/I-X i/L-X"),
            ("BMEWO", "a/O b/B-X c/E-X d/W-X e/O f/W-Y g/B-X h/M-X i/E-X"),
        ] {
            assert_eq!(mentions_of(rows), wanted, "{scheme}");
        }
        assert_eq!(
            mentions_of("a/B b/I c/B | d/O e/B"),
            ["a b", "c", "e"].map(|text| (text.to_owned(), String::new()))
        );
    }

    #[test]
    fn tie_or_break_files_have_boundaries_and_types() {
        let (documents, problems) = read_str(
            "a.ck",
            "<s> O None\nA I None\nbad I Disease\ncold O Disease\nand I Chemical,Drug\nso I None\non O None\n<eof> I None\n\n\
             <s> O None\nfever I Disease\nchills I Disease\n<eof> I None\n",
            &ReadOptions::default(),
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            mentions(&documents),
            [
                ("bad cold", "Disease"),
                ("and", "Chemical"),
                ("and", "Drug"),
                ("fever", "Disease"),
                ("chills", "Disease")
            ]
        );
        assert_eq!(documents[0].text, "A bad cold and so on");
        // A fourth column tells which boundaries are known.
        let labelled = "<s> O None S\nA I Disease S\nbad O None D\ncold I None S\n<eof> I None S\n";
        assert_eq!(mentions(&read_plain(labelled).0), [("A", "Disease")]);
        for (row, message) in [
            ("cold O Disease", "\"O Disease\" continues no mention of its type"),
            ("cold X Disease", "\"X\" is neither I, a break, nor O, a tie"),
            ("cold I", "a line of 2 columns, where the others have 3"),
        ] {
            let rows = format!("A I None\nfever I Disease\n\nA I None\n{row}\n");
            assert_eq!(read_plain(&rows).1, [format!("a.conll:5: document a:2: {message}")]);
        }
    }

    #[test]
    fn nested_mentions_have_a_column_each() {
        let rows = "IL\tB-protein\tB-DNA\tO\n-\tI-protein\tI-DNA\tO\n2\tI-protein\tI-DNA\tO\ngene\tO\tI-DNA\tB-DNA\n";
        let (documents, problems) = read_plain(rows);
        assert_eq!(problems, [""; 0]);
        assert_eq!(mentions(&documents), [("IL - 2 gene", "DNA"), ("IL - 2", "protein"), ("gene", "DNA")]);
        let second = ReadOptions { conll_labels: Some(3), ..ReadOptions::default() };
        assert_eq!(mentions(&read_str("a.conll", rows, &second).0), [("IL - 2 gene", "DNA"), ("gene", "DNA")]);
        let none = ReadOptions { conll_labels: Some(5), ..ReadOptions::default() };
        let message = "a line of 4 columns, where the first label is in column 5";
        assert_eq!(read_str("a.conll", rows, &none).1, [format!("a.conll:1: document a:1: {message}")]);
    }

    #[test]
    fn parts_of_speech_and_chunks_are_no_mentions() {
        let rows = "-DOCSTART- -X- O O\n\nU.N. NNP I-NP I-ORG\nofficial NN I-NP O\nEkeus NNP I-NP I-PER\n\n";
        let (documents, problems) = read_plain(rows);
        assert_eq!(problems, [""; 0]);
        assert_eq!(mentions(&documents), [("U.N.", "ORG"), ("Ekeus", "PER")]);
        let chunks = ReadOptions { conll_labels: Some(3), ..ReadOptions::default() };
        assert_eq!(mentions(&read_str("a.conll", rows, &chunks).0).len(), 3);
    }

    #[test]
    fn marks_begin_documents() {
        for (marks, ids) in [
            (["-DOCSTART- O", "-DOCSTART- O"], ["a:1", "a:2"]),
            (["-DOCSTART-\tO", "-DOCSTART-"], ["a:1", "a:2"]),
            (["# newdoc id = x", "# newdoc"], ["x", "a:2"]),
            (["# id x-1\tdomain=en", "# id x-2\tdomain=en"], ["x-1", "x-2"]),
            (["###MEDLINE:1", "###MEDLINE:2"], ["MEDLINE:1", "MEDLINE:2"]),
            (["", "-DOCSTART- O"], ["a:1", "a:2"]),
        ] {
            let [first, second] = marks;
            let rows = format!("{first}\n\nOne O\n\nTwo O\n{second}\n# sent_id = 3\nThree O\n");
            let (documents, problems) = read_plain(&rows);
            assert_eq!(problems, [""; 0]);
            let found: Vec<_> = documents.iter().map(|document| (&*document.id, &*document.text)).collect();
            assert_eq!(found, [(ids[0], "One\nTwo"), (ids[1], "Three")], "{marks:?}");
            assert_eq!(documents[0].passages.iter().map(|p| p.span.range()).collect::<Vec<_>>(), [0..3, 4..7]);
        }
    }

    #[test]
    fn a_hash_may_be_a_token() {
        for separator in ["\t", " "] {
            let rows = "a/B-X\n# a comment\n#/I-X\n1/I-X\n\n#\n# another\n".replace('/', separator);
            let (documents, problems) = read_plain(&rows);
            assert_eq!(problems, [""; 0]);
            assert_eq!(mentions(&documents), [("a # 1", "X")], "{separator:?}");
        }
        assert_eq!(read_plain("# O\n# O\na O\n").0[0].text, "# # a");
    }

    #[test]
    fn numbered_tokens_stand_in_the_second_column() {
        for rows in [
            "1\tAsthma\t_\tB-Disease\n2\tcame\t_\tO\n\n1\tFever\t_\tB-Disease\n",
            "#\thttp://a.example/Asthma [2009-10-17]\n1\tAsthma\tB-Disease\tO\n2\tcame\tO\tO\n\n\
             #\thttp://a.example/Fever [2009]\n1\tFever\tB-Disease\tO\n",
            "# text = Asthma came\n1-2\tAsthmacame\t_\t_\n1\tAsthma\t_\tB-Disease\n2\tcame\t_\tO\n2.1\tx\t_\t_\n\n\
             1\tFever\t_\tB-Disease\n",
        ] {
            for name in ["a.conll", "a.tsv"] {
                let (documents, problems) = read_str(name, rows, &ReadOptions::default());
                assert_eq!(problems, [""; 0], "{rows}");
                let texts: Vec<_> = documents.iter().map(|document| &*document.text).collect();
                assert_eq!(texts, ["Asthma came", "Fever"], "{rows}");
                assert_eq!(mentions(&documents), [("Asthma", "Disease"), ("Fever", "Disease")]);
            }
        }
        // Tokens that are numbers, and a hash within a sentence.
        assert_eq!(read_plain("1\tCD\tO\n7\tCD\tO\n8\tCD\tO\n").0[0].text, "1 7 8");
        assert_eq!(read_plain("a\tO\n#\tx\n").1.len(), 1);
    }

    #[test]
    fn each_malformed_row_is_explained() {
        for (row, message) in [
            ("cold", "a line of 1 column, where the others have 2"),
            ("cold\tNN\tO", "a line of 3 columns, where the others have 2"),
            ("\tO", "a row without a token: \"\\tO\""),
            ("cold\tDisease", "\"Disease\" is no tag, which is O, or one of B I E S L U M W, a hyphen and a type"),
            ("cold\tB-", "\"B-\" is no tag, which is O, or one of B I E S L U M W, a hyphen and a type"),
            ("cold\tI-X", "\"I-X\" continues no mention of its type"),
            ("cold\tS-X", "\"S-X\" is no tag of IOB2, the scheme of the others"),
        ] {
            let rows = format!("A\tB-X\nfever\tI-X\n\nA\tB-Y\n{row}\ncame\tO\n\nAnd\tB-X\n");
            let (documents, problems) = read_plain(&rows);
            assert_eq!(problems, [format!("a.conll:5: document a:2: {message}")]);
            let found: Vec<_> = documents.iter().map(|document| (&*document.id, &*document.text)).collect();
            assert_eq!(found, [("a:1", "A fever"), ("a:3", "And")]);
            // The rest of a document is no document of its own.
            let marked = format!("-DOCSTART-\tO\n{rows}-DOCSTART-\tO\nB\tO\n");
            let (documents, problems) = read_plain(&marked);
            assert_eq!(problems, [format!("a.conll:6: document a:1: {message}")]);
            assert_eq!(documents.iter().map(|document| &*document.text).collect::<Vec<_>>(), ["B"]);
        }
        for (rows, line, message) in [
            ("a O\nb E-X\nc O", 5, "\"E-X\" ends no mention of its type"),
            ("a O\nb I-X\nc E-X", 5, "\"I-X\" continues no mention of its type"),
            ("a O\nb B-X\nc O", 5, "\"B-X\" begins a mention that no E or L ends"),
            ("a O\nb O\nc B-X", 6, "\"B-X\" begins a mention that no E or L ends"),
        ] {
            let (documents, problems) = read_plain(&format!("A B-X\nbad E-X\n\n{rows}\n\nfever S-X\n"));
            assert_eq!(problems, [format!("a.conll:{line}: document a:2: {message}")]);
            assert_eq!(mentions(&documents), [("A bad", "X"), ("fever", "X")]);
        }
        let message = "a line of 1 column, where the first label is in column 2";
        assert_eq!(read_plain("A\ncold\n").1, [format!("a.conll:1: document a:1: {message}")]);
    }

    #[test]
    fn one_bad_tag_is_not_a_column_of_something_else() {
        let rows = "a O B-X\nb O I-X\nc none O\n\nd B-Y B-X\ne O O\n";
        let (documents, problems) = read_plain(rows);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("a.conll:3: document a:1: \"none\" is no tag"), "{problems:?}");
        assert_eq!(mentions(&documents), [("d", "Y"), ("d", "X")]);
    }

    #[test]
    fn the_scheme_may_be_told_after_the_beginning() {
        let outside = "a O\nb O\n\n".repeat(4000);
        for (rows, wanted) in [("B-X\nb I-X\n\nc I-X", 1), ("I-X\nb I-X\n\nc I-X", 0), ("S-X\nb O\n\nc B-X", 1)] {
            let (documents, problems) = read_plain(&format!("{outside}a {rows}\n"));
            assert_eq!((problems.len(), documents.len()), (wanted, 4002 - wanted), "{problems:?}");
        }
    }

    #[test]
    fn tokens_may_have_any_character() {
        let rows = "naïve\tO\n😀\tB-X\na\u{a0}b\tI-X\ne\u{301}\tI-X\n\n漢字\tB-Größe\n";
        let wanted = read_plain(rows);
        assert_eq!(wanted.1, [""; 0]);
        assert_eq!(mentions(&wanted.0), [("😀 a\u{a0}b e\u{301}", "X"), ("漢字", "Größe")]);
        assert_eq!(read_plain(&format!("\u{FEFF}{rows}")), wanted);
        assert_eq!(read_plain(&format!("\n \n{}", rows.replace("\n\n", " \n\t\n\n"))), wanted);
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode("naïve O\n");
        let options = ReadOptions {
            source: SourceOptions { encoding: Some("windows-1252".into()), ..SourceOptions::default() },
            ..ReadOptions::default()
        };
        assert_eq!(read_bytes("a.conll", &latin, &options).0[0].text, "naïve");
        let message = "byte 3 of the line is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)";
        assert_eq!(
            problems("a.conll", b"a O\n\nna\xEFve O\nb O\n\nc O\n", &ReadOptions::default()),
            [format!("a.conll:3: document a:2: {message}")]
        );
    }

    #[test]
    fn a_last_line_without_an_end_may_be_cut_off() {
        for cut in ["a\tO\n\nb\tB-Dis", "a\tO\n\n#", "a\tO\n\n-DOCSTART-"] {
            for mentions in [true, false] {
                let (documents, problems) =
                    read_str("a.conll", cut, &ReadOptions { mentions, ..ReadOptions::default() });
                assert_eq!(problems, [format!("a.conll:3: document a:2: {UNENDED}")]);
                assert_eq!(documents.len(), 1);
            }
        }
        assert_eq!(read_plain("a\tO\n\n ").1, [""; 0]);
    }

    #[test]
    fn long_lines_and_documents_are_passed_over() {
        let options = bounded(30);
        for (long, line, message) in [
            (format!("{} O\n", "x".repeat(30)), 3, "the line is longer than 30 bytes"),
            ("x O\n".repeat(11), 13, "the document is longer than 30 bytes"),
        ] {
            let (documents, problems) = read_str("a.conll", &format!("a O\n\n{long}\nb O\n"), &options);
            let message = format!("{message} (`max_line_bytes` reads longer ones)");
            assert_eq!(problems, [format!("a.conll:{line}: document a:2: {message}")]);
            assert_eq!(documents.iter().map(|document| &*document.text).collect::<Vec<_>>(), ["a", "b"]);
        }
    }

    #[test]
    fn tags_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let (documents, problems) = read_str("a.conll", "A\tO\tI-X\ncold\tx\ncame\n", &options);
        assert_eq!(problems, [""; 0]);
        assert_eq!((&*documents[0].text, documents[0].mentions.len()), ("A cold came", 0));
    }
}
