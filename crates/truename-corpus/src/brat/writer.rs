//! Writes a folder of brat, which has all documents or is not there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use truename_error::ErrorKind;
use truename_files::Partial;
use truename_text::{Document, OffsetUnit, Offsets, Span};

use super::standoff::{NO_RESOURCE, NO_TYPE, attribute};
use crate::Error;
use crate::annotation::one_line;

/// Writes documents as `ID.txt` and `ID.ann` into a folder, which has them when all are written and not before.
///
/// Later documents with the same id are written as `ID-2`, `ID-3`, …. Characters that file names cannot have
/// become `_`. In types, white space becomes `_`, which also stands for no type. An id that names no resource gets
/// `KB:`, which [`read_path`](crate::read_path) takes away; one of several parts, `D1|D2`, becomes several rows.
/// Passages and probabilities are not written.
pub struct BratWriter {
    folder: PathBuf,
    /// Hidden folder beside it that the files are written into.
    partial: Partial,
    offsets: OffsetUnit,
    /// Number of files of each name so far, in lower case: some file systems ignore case.
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
                return Err(refused(folder, "the folder is not empty"));
            }
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if folder.file_name().is_none() {
            return Err(refused(&folder, "this names no folder"));
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

fn refused(folder: &Path, reason: &str) -> Error {
    Error::at(ErrorKind::Choice, folder, None, reason).with_hint("name a new or an empty one")
}

/// Returns a file name for an id.
fn file_name(id: &str) -> String {
    /// Longest name: the 255 bytes of a file name, less room for a number and the extension.
    const LONGEST: usize = 200;
    let mut name: String = id.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    name.truncate(name.floor_char_boundary(LONGEST));
    if name.is_empty() || name.starts_with('.') { format!("_{name}") } else { name }
}

fn rows(document: &Document, unit: OffsetUnit) -> String {
    let (offsets, mut rows, mut ids, mut attributes) = (Offsets::new(&document.text, unit), String::new(), 0, 0);
    for (number, mention) in (1..).zip(&document.mentions) {
        let (mention_type, text) = (type_name(&mention.mention_type), one_line(&mention.surface(&document.text)));
        let lines = lines(mention.span, &document.text);
        let spans = if mention.fragments.is_empty() { &lines } else { &mention.fragments };
        let place = |span: &Span| format!("{} {}", offsets.of_byte(span.start), offsets.of_byte(span.end));
        let places: Vec<String> = spans.iter().map(place).collect();
        rows.push_str(&format!("T{number}\t{mention_type} {}\t{text}\n", places.join(";")));
        for id in mention.id.iter().flat_map(|id| id.split('|')) {
            ids += 1;
            let resource = if id.contains(':') && !id.starts_with(NO_RESOURCE) { "" } else { NO_RESOURCE };
            rows.push_str(&format!("N{ids}\tReference T{number} {resource}{}\t{text}\n", one_line(id)));
        }
        for assertion in mention.assertions.iter() {
            attributes += 1;
            rows.push_str(&format!("A{attributes}\t{} T{number}\n", attribute(assertion)));
        }
    }
    rows
}

/// Returns the parts of a span between line ends, over which no span of brat goes.
fn lines(span: Span, text: &str) -> Vec<Span> {
    let surface = span.of(text).unwrap_or_default();
    let (mut parts, mut start) = (Vec::new(), span.start);
    for line in surface.split(['\r', '\n']) {
        parts.extend((!line.is_empty()).then(|| Span::new(start, start + line.len())));
        start += line.len() + 1;
    }
    // Line ends at its borders would be lost.
    let is_whole = surface.trim_matches(['\r', '\n']).len() == surface.len();
    if is_whole { parts } else { vec![span] }
}

fn type_name(mention_type: &str) -> String {
    if mention_type.is_empty() { NO_TYPE.into() } else { mention_type.replace(char::is_whitespace, "_") }
}
