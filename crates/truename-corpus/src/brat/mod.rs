//! brat standoff: a text in `X.txt`, its annotations in `X.ann` (<https://brat.nlplab.org/standoff.html>).
//!
//! Read are `T` rows, `T1\tDisease 2 6;9 12\tcold ill`, and `N` rows, which give them ids,
//! `N1\tReference T1 MESH:D003139\tcommon cold`; several ids of one mention are joined by `|`. Events, relations,
//! attributes and notes are left out.

mod folder;
mod pair;
mod standoff;
mod writer;

pub(crate) use self::folder::{NO_STREAM, read};
pub(crate) use self::pair::{has_annotations, text_of};
pub use self::standoff::read_standoff;
pub use self::writer::BratWriter;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;
    use std::path::Path;

    use truename_text::excerpt;

    use super::*;
    use crate::{Document, Format, Mention, OffsetUnit, ReadOptions, Span, read_all, read_from, read_path};

    fn standoff(text: &str, annotations: &str) -> Result<(Document, u64), String> {
        let read = read_standoff(Path::new("in/7.txt"), text, annotations, &ReadOptions::default());
        read.map_err(|problem| problem.to_string())
    }

    #[test]
    fn each_malformed_row_is_explained() {
        for (row, message) in [
            ("T1", "T1: \"\" is not a type, a start and an end"),
            ("T1\tDisease", "T1: \"Disease\" is not a type, a start and an end"),
            ("T1\tDisease 2\tcold", "T1: \"Disease 2\" is not a type, a start and an end"),
            ("T1\tDisease 2 x\tcold", "T1: \"x\" is no offset"),
            ("T1\tDisease 2 6;\tcold", "T1: \"Disease 2 6;\" is not a type, a start and an end"),
            ("T1\tDisease 6 2\tcold", "T1: the span 6–2 is empty"),
            ("T1\tDisease 2 7\tcold", "T1: the span 2–7 lies outside the text, which has 6 chars"),
            ("T1\tDisease 1 5\tcold", "T1: the text at 1–5 is \" col\", the file says \"cold\""),
            ("N1\tReference T9 A:1\tcold", "there is no mention T9 for this id"),
            ("N1\tReference T9", "N1: \"Reference T9\" is not a type, a mention and an id"),
            ("a cold", "\"a cold\" is no row of brat's"),
        ] {
            assert_eq!(
                standoff("A cold", &format!("\n{row}\n")).unwrap_err(),
                format!("in/7.ann:2: document 7: {message}")
            );
        }
    }

    #[test]
    fn rows_are_read_in_any_order() {
        let (document, left_out) = standoff(
            "left and\nright arm",
            "N1\tReference T2 MESH:D1\tarm\r\nT1\tSite 0 4;15 18\tleft arm\r\nT2\t_ 5 14\tand right\n\
             N2\tReference T2 KB:7 8\tx\nN3\tReference E1 A:1\tx\nE1\tBind:T1\n*\tEquiv T1 T2\n#1\tNote T1\tx\n\
             A1\tNegation T1\nA2\tConfidence T1 High\nA3\tFamily T2\nR1\tOf Arg1:T1 Arg2:T2\nM1\tNegation T1\nT3\tSite 0 4\n",
        )
        .unwrap();
        assert_eq!(left_out, 7);
        let found: Vec<_> =
            document.mentions.iter().map(|m| (&*m.mention_type, m.id.as_deref(), m.span.range())).collect();
        assert_eq!(found, [("Site", None, 0..18), ("", Some("MESH:D1|7 8"), 5..14), ("Site", None, 0..4)]);
        assert_eq!(document.mentions[0].fragments, [Span::new(0, 4), Span::new(15, 18)]);
        let assertions: Vec<_> = document.mentions.iter().map(|mention| mention.assertions.to_string()).collect();
        assert_eq!(assertions, ["negated", "family", ""]);
    }

    fn read_folder(path: &Path, options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
        let (mut documents, mut problems) = (Vec::new(), Vec::new());
        read_path(path, options, &mut |read| {
            match read {
                Ok(document) => documents.push(document),
                Err(problem) => problems.push(match problem.hint {
                    Some(hint) => format!("{} ({hint})", problem.reason),
                    None => problem.reason,
                }),
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        (documents, problems)
    }

    #[test]
    fn a_folder_is_read_by_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("b.txt", "B"),
            ("b.ann", ""),
            ("a.txt", "A"),
            ("a.ann", "T1\tX 0 1\tA\n"),
            ("c.ann", ""),
            ("d", ""),
            ("e.ann", ""),
            ("f.txt", "F"),
        ] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        fs::write(folder.path().join("e.txt"), b"\n\xE9").unwrap();
        let (documents, problems) = read_folder(folder.path(), &ReadOptions::default());
        let found: Vec<_> = documents.iter().map(|document| (&*document.id, document.mentions.len())).collect();
        assert_eq!(found, [("a", 1), ("b", 0)]);
        let missing = |name| format!("there is no {} beside it", folder.path().join(name).display());
        let latin = "byte 2 of the file is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)".to_owned();
        let empty = "; make an empty one where the text has no annotation";
        assert_eq!(problems, [missing("c.txt"), latin, missing("f.ann") + empty]);
        let plain = ReadOptions { mentions: false, ..ReadOptions::default() };
        let (documents, problems) = read_folder(folder.path(), &plain);
        assert_eq!((documents.len(), problems.len()), (3, 1));
    }

    #[test]
    fn a_folder_of_texts_alone_has_no_annotations() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "A").unwrap();
        let options = ReadOptions { input_format: Some(Format::Brat), ..ReadOptions::default() };
        let (documents, problems) = read_folder(folder.path(), &options);
        assert_eq!((documents.len(), problems.len()), (1, 0));
    }

    #[test]
    fn a_last_row_without_its_text_may_be_cut_off() {
        for (row, is_whole) in [
            ("T2\tX 2 6\tcold", true),
            ("T2\tX 2 6", false),
            ("N1\tReference T1 MESH:D0031", false),
            ("N1\tReference T1 MESH:D003139\tcommon", true),
            ("A1\tNegation T", true),
        ] {
            let message = format!("\"{}\" has neither a text nor a line end, so the file may be cut off", excerpt(row));
            let read = standoff("A cold", &format!("T1\tX 2 6\tcold\n{row}"));
            let wanted = if is_whole { None } else { Some(format!("in/7.ann:2: document 7: {message}")) };
            assert_eq!(read.err(), wanted);
            assert!(standoff("A cold", &format!("T1\tX 2 6\tcold\n{row}\n")).is_ok());
        }
        let twice = standoff("A cold", "T1\tX 2 6\tcold\nT1\tX 0 1\tA\n").unwrap_err();
        assert_eq!(twice, "in/7.ann:2: document 7: there are two mentions T1");
    }

    #[test]
    fn either_file_names_the_document() {
        let folder = tempfile::tempdir().unwrap();
        let (text, annotations) = (folder.path().join("a.txt"), folder.path().join("a.ann"));
        fs::write(&text, "\u{FEFF}A").unwrap();
        fs::write(&annotations, "T1\tX 1 2\tA\n").unwrap();
        for path in [&text, &annotations] {
            let documents = read_all(path, &ReadOptions::default()).unwrap();
            assert_eq!((&*documents[0].text, documents[0].mentions[0].span), ("\u{FEFF}A", Span::new(3, 4)));
        }
        // Without annotations to read, a text is a text.
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        assert_eq!(read_path(&text, &options, &mut |_| ControlFlow::Continue(())).unwrap().format, Format::Text);
    }

    #[test]
    fn what_is_no_brat_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let fails = |path: &Path| read_all(path, &ReadOptions::default()).unwrap_err();
        let error = fails(folder.path());
        assert!(error.to_string().ends_with(": the folder has no files") && error.hint().is_some());
        assert!(fails(&folder.path().join("none.txt")).is_not_found());
        let options = ReadOptions { input_format: Some(Format::Brat), ..ReadOptions::default() };
        let read = read_from(Path::new("-"), &b""[..], &options, &mut |_| ControlFlow::Continue(()));
        assert_eq!(read.unwrap_err().to_string(), "-: brat keeps a document in two files, so it is no stream");
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new");
        let mut writer = BratWriter::new(&new, OffsetUnit::Chars).unwrap();
        for (id, text) in [("a/b", "1"), ("a_b", "2"), ("a b", "3"), ("", "4"), ("..", "5"), (&*"x".repeat(300), "6")] {
            writer.write(&Document::new(id, text)).unwrap();
        }
        writer.finish().unwrap();
        let error = BratWriter::new(&new, OffsetUnit::Chars).err().unwrap();
        assert!(error.to_string().ends_with("new: the folder is not empty"), "{error}");
        let found: Vec<_> =
            read_all(&new, &ReadOptions::default()).unwrap().into_iter().map(|d| (d.id, d.text)).collect();
        let long = "x".repeat(200);
        let wanted = [("_..", "5"), ("_", "4"), ("a_b-2", "2"), ("a_b-3", "3"), ("a_b", "1"), (&*long, "6")];
        assert_eq!(found, wanted.map(|(id, text)| (id.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_run_that_ends_early_blocks_none() {
        let parent = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        for out in ["new/folder", "empty"] {
            let out = parent.path().join(out);
            if out.ends_with("empty") {
                fs::create_dir(&out).unwrap();
            }
            let write = || {
                let mut writer = BratWriter::new(&out, OffsetUnit::Chars).unwrap();
                writer.write(&Document::new("1", "a cold")).unwrap();
                writer
            };
            drop(write());
            assert!(fs::read_dir(&out).is_ok_and(|mut found| found.next().is_none()) || !out.exists());
            // A killed run takes nothing back.
            std::mem::forget(write());
            write().finish().unwrap();
            assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
        }
        let partials = names().iter().filter(|name| name.to_string_lossy().ends_with(".partial")).count();
        assert_eq!((names().len(), partials), (3, 1), "the folders, and what the killed run left: {:?}", names());
    }

    #[test]
    fn ids_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let mut document = Document::new("1", "a cold");
        for id in ["D1", "MESH:D1", "KB:D1", "D1|MESH:D2|", "", "a b"] {
            document.mentions.push(Mention::new(Span::new(2, 6), "", Some(id.into())));
        }
        let mut writer = BratWriter::new(folder.path(), OffsetUnit::Chars).unwrap();
        writer.write(&document).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_all(folder.path(), &ReadOptions::default()).unwrap(), [document]);
    }
}
