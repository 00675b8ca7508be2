//! Round trip of real corpora through every format and unit of offsets: spans and ids must come back unchanged.

use std::path::Path;

use truename::{Document, OffsetUnit, Span};
use truename_corpus::{BratWriter, Format, ReadOptions, Writer, read_all};

const CORPORA: [&str; 5] = [
    "ncbi-disease/NCBItrainset_corpus.txt.gz",
    "ncbi-disease/NCBIdevelopset_corpus.txt",
    "ncbi-disease/NCBItestset_corpus.txt",
    "bc5cdr/CDR_TrainingSet.PubTator.txt.gz",
    "bc5cdr/CDR_DevelopmentSet.PubTator.txt.gz",
];
const UNITS: [OffsetUnit; 3] = [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16];

pub fn run(data: &Path) -> anyhow::Result<()> {
    for corpus in CORPORA {
        let mut documents = read_all(&data.join(corpus), &ReadOptions::default())?;
        // brat is read in the order of file names.
        documents.sort_by(|left, right| left.text.cmp(&right.text));
        let mentions: usize = documents.iter().map(|document| document.mentions.len()).sum();
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Text) {
            for unit in UNITS {
                let folder = tempfile::tempdir()?;
                let path = folder.path().join("out");
                write(&path, format, unit, &documents)?;
                let options = ReadOptions { input_format: Some(format), offsets: unit, ..ReadOptions::default() };
                let mut again = read_all(&path, &options)?;
                again.sort_by(|left, right| left.text.cmp(&right.text));
                let same = documents.iter().map(places).eq(again.iter().map(places));
                anyhow::ensure!(same, "{corpus} is not the same through {format}, {unit:?}");
            }
        }
        println!("{corpus}: {} documents, {mentions} mentions, the same through all formats", documents.len());
    }
    Ok(())
}

type Place<'a> = (Span, &'a [Span], &'a str, Option<&'a str>);

/// Returns the spans and ids that a document must have after the round trip.
fn places(document: &Document) -> Vec<Place<'_>> {
    let mentions = document.mentions.iter();
    mentions.map(|one| (one.span, one.fragments.as_slice(), one.mention_type.as_str(), one.id.as_deref())).collect()
}

fn write(path: &Path, format: Format, unit: OffsetUnit, documents: &[Document]) -> anyhow::Result<()> {
    if format == Format::Brat {
        let mut writer = BratWriter::new(path, unit)?;
        documents.iter().try_for_each(|document| writer.write(document))?;
        return Ok(writer.finish()?);
    }
    let mut writer = Writer::new(format, unit, std::io::BufWriter::new(std::fs::File::create(path)?))?;
    documents.iter().try_for_each(|document| writer.write(document))?;
    Ok(std::io::Write::flush(&mut writer.finish()?)?)
}
