//! brat standoff: a text in `X.txt`, its annotations in `X.ann` (<https://brat.nlplab.org/standoff.html>).
//!
//! Read are `T` rows, `T1\tDisease 2 6;9 12\tcold ill`, and `N` rows, which give them ids,
//! `N1\tReference T1 MESH:D003139\tcommon cold`; several ids of one mention are joined by `|`. Events, relations,
//! attributes and notes are left out.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use truename_files::Partial;
use truename_text::{Document, Mention, OffsetUnit, Offsets, excerpt};

use crate::annotation::{Annotated, Annotation, number, one_line};
use crate::output::{Output, Read, Wrong};
use crate::source::{Source, stem, without_gz};
use crate::{Error, Problem, ReadOptions};

/// The resource written before an id that names none, as brat wants one: `KB:D003139`.
const NO_RESOURCE: &str = "KB:";
/// The type of a mention that has none.
const NO_TYPE: &str = "_";

/// Reads the document of a `.txt` or `.ann` file, or all of a folder.
pub(crate) fn read(path: &Path, output: &mut Output<'_>) -> Result<(), Error> {
    for (text, annotations) in files(path, output)? {
        read_pair(&text, &annotations, output)?;
        if output.stopped {
            break;
        }
    }
    Ok(())
}

/// Tells whether a `.ann` file lies beside a `.txt` file.
pub(crate) fn has_annotations(path: &Path) -> bool {
    pair(path).1.is_file()
}

/// The refusal to read brat from a stream.
pub(crate) fn needs_files(name: &Path) -> Error {
    Error::refused(
        Some(name),
        "brat keeps a document in two files, so it is no stream",
        "name the .txt file, or the folder of them",
    )
}

/// The refusal to write brat to a stream.
pub(crate) fn no_stream() -> Error {
    Error::refused(
        None,
        "brat keeps a document in two files, so it is no stream",
        "name a folder for them, or write jsonl, pubtator, bioc-xml or bioc-json",
    )
}

/// The `.txt` and the `.ann` file of a document, of which either is named.
fn pair(path: &Path) -> (PathBuf, PathBuf) {
    let plain = without_gz(path);
    let is_annotations = plain.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ann"));
    if is_annotations {
        (plain.with_extension("txt"), path.to_owned())
    } else {
        (path.to_owned(), plain.with_extension("ann"))
    }
}

/// The pairs of files at a path, by name.
fn files(path: &Path, output: &mut Output<'_>) -> Result<BTreeSet<(PathBuf, PathBuf)>, Error> {
    if !path.is_dir() {
        return Ok(BTreeSet::from([pair(path)]));
    }
    match output.options.format {
        None | Some(crate::Format::Brat) => {}
        Some(format) => {
            let message = format!("this is a folder, and {format} is read from files");
            return Err(Error::refused(Some(path), message, "name the files in it"));
        }
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|source| Error::io("read", path, source))?;
    let with = |extension: &str| {
        let paths = entries.iter().map(fs::DirEntry::path);
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect::<Vec<_>>()
    };
    let (mut texts, annotations) = (with("txt"), with("ann"));
    if output.options.format.is_none() && annotations.is_empty() {
        return Err(Error::refused(
            Some(path),
            "this folder has no .ann files, so it is not brat",
            "name the files in it; for a folder of .txt files without annotations, say --input-format brat",
        ));
    }
    // A folder of texts alone has no annotations to miss.
    output.is_annotated = output.options.mentions && !annotations.is_empty();
    if output.options.mentions {
        texts.extend(annotations);
    }
    Ok(texts.iter().map(|path| pair(path)).collect())
}

fn read_pair(text_path: &Path, ann_path: &Path, output: &mut Output<'_>) -> Result<(), Error> {
    let id = stem(text_path);
    let missing = |file: &Path, other: &Path, advice: &str| {
        let message = format!("there is no {} beside it{advice}", other.display());
        Err(problem(file, &id, Wrong { line: None, message }))
    };
    if !text_path.exists() && ann_path.exists() {
        output.give(missing(ann_path, text_path, ""));
        return Ok(());
    }
    if text_path.exists() && output.is_annotated && !ann_path.exists() {
        output.give(missing(text_path, ann_path, "; make an empty one where the text has no annotation"));
        return Ok(());
    }
    let source = Source::open_with_mark(text_path, &output.options)?;
    output.encoding = source.encoding;
    let text = match source.into_text()? {
        Ok(text) => text,
        Err(wrong) => {
            output.give(Err(problem(text_path, &id, wrong)));
            return Ok(());
        }
    };
    let annotations = match output.options.mentions && ann_path.exists() {
        true => Source::open(ann_path, &output.options)?.into_text()?,
        false => Ok(String::new()),
    };
    let read = annotations
        .map_err(|wrong| problem(ann_path, &id, wrong))
        .and_then(|annotations| read_standoff(text_path, &text, &annotations, &output.options));
    output.give(read.map(|(document, left_out)| Read { document, left_out }));
    Ok(())
}

fn problem(path: &Path, id: &str, Wrong { line, message }: Wrong) -> Problem {
    Problem::new(path, line, message).in_document(Some(id.to_owned()))
}

/// Reads a document from its text and its annotations, and counts what was left out; `name` is that of the text.
///
/// # Errors
/// The first problem with the annotations.
pub fn read_standoff(
    name: &Path,
    text: &str,
    annotations: &str,
    options: &ReadOptions,
) -> Result<(Document, u64), Problem> {
    let mut document = Document::new(stem(name), text);
    if !options.mentions {
        return Ok((document, 0));
    }
    let wrong = |wrong| problem(&pair(name).1, &stem(name), wrong);
    let mut rows = Rows::new(Annotated::new(text, options.offsets));
    let end = if annotations.contains('\n') { '\n' } else { '\r' };
    for (line, row) in (1..).zip(annotations.split_inclusive(end)) {
        let is_ended = row.ends_with(end);
        let row = row.strip_suffix(end).unwrap_or(row);
        let row = row.strip_suffix('\r').unwrap_or(row);
        let taken = rows.take(line, row).and_then(|()| check_end(row, is_ended));
        taken.map_err(|message| wrong(Wrong::at(line, message)))?;
    }
    let left_out = rows.left_out;
    document.mentions = rows.finish().map_err(wrong)?;
    Ok((document, left_out))
}

/// Refuses a last row that may be cut off: without a line end, and without the text that ends it.
fn check_end(row: &str, is_ended: bool) -> Result<(), String> {
    if is_ended || !row.starts_with(['T', 'N']) || row.matches('\t').count() >= 2 {
        return Ok(());
    }
    Err(format!("\"{}\" has neither a text nor a line end, so the file may be cut off", excerpt(row)))
}

/// The content of the rows of a `.ann` file.
struct Rows<'t> {
    annotated: Annotated<'t>,
    mentions: Vec<Mention>,
    /// The place of each mention by its name, `T1`.
    by_name: HashMap<String, usize>,
    /// Line, name of the mention and id of each normalization.
    ids: Vec<(u64, String, String)>,
    left_out: u64,
}

impl<'t> Rows<'t> {
    fn new(annotated: Annotated<'t>) -> Self {
        Self { annotated, mentions: Vec::new(), by_name: HashMap::new(), ids: Vec::new(), left_out: 0 }
    }

    fn take(&mut self, line: u64, row: &str) -> Result<(), String> {
        let columns: Vec<&str> = row.splitn(3, '\t').collect();
        let (name, value) = (columns[0], columns.get(1).copied().unwrap_or_default());
        let of_row = |message| format!("{}: {message}", excerpt(name));
        match name.chars().next() {
            None => {}
            Some('T') => {
                let mention = self.mention(value, columns.get(2)).map_err(of_row)?;
                if self.by_name.insert(name.to_owned(), self.mentions.len()).is_some() {
                    return Err(format!("there are two mentions {}", excerpt(name)));
                }
                self.mentions.push(mention);
            }
            Some('N') => {
                let (target, id) = normalization(value).map_err(of_row)?;
                if target.starts_with('T') {
                    self.ids.push((line, target.to_owned(), id.to_owned()));
                } else {
                    self.left_out += 1;
                }
            }
            Some('A' | 'R' | 'E' | 'M' | '*' | '#') => self.left_out += 1,
            Some(_) => return Err(format!("\"{}\" is no row of brat's", excerpt(row))),
        }
        Ok(())
    }

    fn mention(&self, value: &str, text: Option<&&str>) -> Result<Mention, String> {
        let malformed = || format!("\"{}\" is not a type, a start and an end", excerpt(value));
        let (kind, offsets) = value.split_once(' ').ok_or_else(malformed)?;
        let mut pieces = Vec::new();
        for piece in offsets.split(';') {
            let (start, end) = piece.trim().split_once(' ').ok_or_else(malformed)?;
            pieces.push((number(start)?, number(end)?));
        }
        let kind = if kind == NO_TYPE { String::new() } else { kind.to_owned() };
        let text = text.map(|text| (*text).to_owned());
        self.annotated.mention(Annotation { pieces, text, kind, ..Annotation::default() })
    }

    /// The mentions with their ids, or the line of an id that no mention has.
    fn finish(mut self) -> Result<Vec<Mention>, Wrong> {
        for (line, target, id) in self.ids {
            let Some(at) = self.by_name.get(&target) else {
                return Err(Wrong::at(line, format!("there is no mention {} for this id", excerpt(&target))));
            };
            match &mut self.mentions[*at].id {
                Some(known) => known.extend(["|", &id]),
                none => *none = Some(id),
            }
        }
        Ok(self.mentions)
    }
}

/// The name of the mention and the id of `Reference T1 MESH:D003139`.
fn normalization(value: &str) -> Result<(&str, &str), String> {
    let columns: Vec<&str> = value.splitn(3, ' ').collect();
    match columns[..] {
        [_, target, id] => Ok((target, id.strip_prefix(NO_RESOURCE).unwrap_or(id))),
        _ => Err(format!("\"{}\" is not a type, a mention and an id", excerpt(value))),
    }
}

/// Writes documents as `ID.txt` and `ID.ann` into a folder, which has them when all are written and not before.
///
/// Of several documents of one id the later ones are `ID-2`, `ID-3`, …. Characters that file names cannot have
/// become `_`. In types, white space becomes `_`, which also stands for no type. An id that names no resource gets
/// `KB:`, which [`read_path`](crate::read_path) takes away; one of several parts, `D1|D2`, becomes several rows.
/// Passages and probabilities are not written.
pub struct BratWriter {
    folder: PathBuf,
    /// Hidden folder beside it that the files are written into.
    partial: Partial,
    offsets: OffsetUnit,
    /// The files of each name so far, in lower case: some file systems tell no case.
    names: HashMap<String, u64>,
}

impl BratWriter {
    /// Creates a writer to a folder that is empty or does not exist yet. Until [`finish`](Self::finish) the files are in
    /// a hidden folder beside it.
    ///
    /// # Errors
    /// If the folder holds something or cannot be made.
    pub fn new(folder: &Path, offsets: OffsetUnit) -> Result<Self, Error> {
        if folder.exists() {
            let mut entries = fs::read_dir(folder).map_err(|source| Error::io("read", folder, source))?;
            if entries.next().is_some() {
                return Err(Error::refused(Some(folder), "the folder is not empty", "name a new or an empty one"));
            }
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if folder.file_name().is_none() {
            return Err(Error::refused(Some(&folder), "this names no folder", "name a new or an empty one"));
        }
        let partial = Partial::beside(&folder).and_then(|partial| {
            fs::create_dir_all(partial.path())?;
            Ok(partial)
        });
        let partial = partial.map_err(|source| Error::io("create", &folder, source))?;
        Ok(Self { folder, partial, offsets, names: HashMap::new() })
    }

    /// Puts the documents into the folder.
    ///
    /// # Errors
    /// If the folder cannot be made or written to.
    pub fn finish(self) -> Result<(), Error> {
        let failed = |source| Error::io("write", &self.folder, source);
        if !self.folder.exists() {
            return self.partial.replace(&self.folder).map_err(failed);
        }
        // A folder that was there stays the same one: it may be a current directory, or have rights of its own.
        for entry in fs::read_dir(self.partial.path()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            fs::rename(entry.path(), self.folder.join(entry.file_name())).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes a document; its `.txt` last, so that no text stands without its annotations.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn write(&mut self, document: &Document) -> Result<(), Error> {
        let name = self.free_name(file_name(&document.id));
        let contents = [("ann", rows(document, self.offsets)), ("txt", document.text.clone())];
        for (extension, content) in contents {
            let file = format!("{name}.{extension}");
            let written = fs::write(self.partial.path().join(&file), content);
            written.map_err(|source| Error::io("write", &self.folder.join(&file), source))?;
        }
        Ok(())
    }

    fn free_name(&mut self, name: String) -> String {
        loop {
            let number = self.names.entry(name.to_lowercase()).or_insert(0);
            *number += 1;
            if *number == 1 {
                return name;
            }
            let numbered = format!("{name}-{number}");
            if self.names.insert(numbered.to_lowercase(), 1).is_none() {
                return numbered;
            }
        }
    }
}

/// The id as a file may be named.
fn file_name(id: &str) -> String {
    /// Of the 255 bytes that a name may have, some are for the number and the extension.
    const LONGEST: usize = 200;
    let mut name: String = id.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    name.truncate(name.floor_char_boundary(LONGEST));
    if name.is_empty() || name.starts_with('.') { format!("_{name}") } else { name }
}

fn rows(document: &Document, unit: OffsetUnit) -> String {
    let (offsets, mut rows, mut ids) = (Offsets::new(&document.text, unit), String::new(), 0);
    for (number, mention) in (1..).zip(&document.mentions) {
        let (kind, text) = (type_name(&mention.kind), one_line(&mention.surface(&document.text)));
        let whole = [mention.span];
        let spans = if mention.fragments.is_empty() { &whole[..] } else { &mention.fragments };
        let place =
            |span: &truename_text::Span| format!("{} {}", offsets.of_byte(span.start), offsets.of_byte(span.end));
        let places: Vec<String> = spans.iter().map(place).collect();
        rows.push_str(&format!("T{number}\t{kind} {}\t{text}\n", places.join(";")));
        for id in mention.id.iter().flat_map(|id| id.split('|')) {
            ids += 1;
            let resource = if id.contains(':') && !id.starts_with(NO_RESOURCE) { "" } else { NO_RESOURCE };
            rows.push_str(&format!("N{ids}\tReference T{number} {resource}{}\t{text}\n", one_line(id)));
        }
    }
    rows
}

fn type_name(kind: &str) -> String {
    if kind.is_empty() { NO_TYPE.into() } else { kind.replace(char::is_whitespace, "_") }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Format, Span, read_all, read_from, read_path};

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
             A1\tNegation T1\nR1\tOf Arg1:T1 Arg2:T2\nM1\tNegation T1\nT3\tSite 0 4\n",
        )
        .unwrap();
        assert_eq!(left_out, 7);
        let found: Vec<_> = document.mentions.iter().map(|m| (&*m.kind, m.id.as_deref(), m.span.range())).collect();
        assert_eq!(found, [("Site", None, 0..18), ("", Some("MESH:D1|7 8"), 5..14), ("Site", None, 0..4)]);
        assert_eq!(document.mentions[0].fragments, [Span::new(0, 4), Span::new(15, 18)]);
    }

    fn read_folder(path: &Path, options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
        let (mut documents, mut problems) = (Vec::new(), Vec::new());
        read_path(path, options, &mut |read| {
            match read {
                Ok(document) => documents.push(document),
                Err(problem) => problems.push(problem.reason),
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
        let latin = "byte 2 of the file is not UTF-8 (say --encoding, as in --encoding windows-1252)".to_owned();
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
        let options = ReadOptions { format: Some(Format::Brat), ..ReadOptions::default() };
        let (documents, problems) = read_folder(folder.path(), &options);
        assert_eq!((documents.len(), problems.len()), (1, 0));
    }

    #[test]
    fn carriage_returns_alone_may_end_rows() {
        let rows = "T1\tX 2 6\tcold\nN1\tReference T1 D1\tcold\n";
        let wanted = standoff("A\rcold", rows).unwrap();
        assert_eq!(wanted.0.mentions[0].id.as_deref(), Some("D1"));
        for end in ["\r\n", "\r"] {
            assert_eq!(standoff("A\rcold", &rows.replace('\n', end)).unwrap(), wanted);
        }
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
        let fails =
            |path: &Path, format| read_all(path, &ReadOptions { format, ..ReadOptions::default() }).unwrap_err();
        let error = fails(folder.path(), None);
        assert!(error.to_string().ends_with(": this folder has no .ann files, so it is not brat"));
        assert_eq!(
            error.hint().as_deref(),
            Some("name the files in it; for a folder of .txt files without annotations, say --input-format brat")
        );
        let error = fails(folder.path(), Some(Format::Jsonl));
        assert!(error.to_string().ends_with(": this is a folder, and jsonl is read from files"));
        assert!(fails(&folder.path().join("none.txt"), None).is_not_found());
        let options = ReadOptions { format: Some(Format::Brat), ..ReadOptions::default() };
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
        assert_eq!(names().len(), 2, "{:?}", names());
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
