//! Pairs of `X.txt` and `X.ann` in a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::pair::pair;
use super::standoff::read_standoff;
use truename_read::Source;

use crate::output::{Output, ReadDocument};
use crate::source::{stem, text};
use crate::{Error, Problem};

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

/// Reason for which brat is neither read from a stream nor written to one.
pub(crate) const NO_STREAM: &str = "brat keeps a document in two files, so it is no stream";

/// Returns the pairs of files at a path, by name.
fn files(path: &Path, output: &mut Output<'_>) -> Result<BTreeSet<(PathBuf, PathBuf)>, Error> {
    if !path.is_dir() {
        return Ok(BTreeSet::from([pair(path)]));
    }
    let files = truename_read::files(path)?;
    let with = |extension: &'static str| {
        let files = files.iter().filter(|file| file.parent() == Some(path));
        files.filter(move |file| file.extension().is_some_and(|found| found == extension))
    };
    // A folder of texts alone has no annotations to miss.
    output.is_annotated = output.options.mentions && with("ann").next().is_some();
    let annotations = with("ann").filter(|_| output.is_annotated);
    Ok(with("txt").chain(annotations).map(|path| pair(path)).collect())
}

fn read_pair(text_path: &Path, ann_path: &Path, output: &mut Output<'_>) -> Result<(), Error> {
    let id = stem(text_path);
    let missing = |file: &Path, other: &Path, advice: &str| {
        let message = format!("there is no {} beside it{advice}", other.display());
        Err(Problem::new(file, None, message).in_document(Some(id.clone())))
    };
    if !text_path.exists() && ann_path.exists() {
        output.give(missing(ann_path, text_path, ""));
        return Ok(());
    }
    if text_path.exists() && output.is_annotated && !ann_path.exists() {
        output.give(missing(text_path, ann_path, "; make an empty one where the text has no annotation"));
        return Ok(());
    }
    let source = Source::open_with_mark(text_path, &output.options.source)?;
    output.encoding = Some(source.encoding()).filter(|encoding| !encoding.is_utf8());
    let content = match text(source, &output.options)? {
        Ok(content) => content,
        Err(wrong) => {
            output.give(Err(wrong.in_file(text_path, Some(&id))));
            return Ok(());
        }
    };
    let annotations = match output.options.mentions && ann_path.exists() {
        true => text(Source::open(ann_path, &output.options.source)?, &output.options)?,
        false => Ok(String::new()),
    };
    let read = annotations
        .map_err(|wrong| wrong.in_file(ann_path, Some(&id)))
        .and_then(|annotations| read_standoff(text_path, &content, &annotations, &output.options));
    output.give(read.map(|(document, left_out)| ReadDocument { document, left_out }));
    Ok(())
}
