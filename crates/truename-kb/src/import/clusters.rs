//! Clusters of paraphrases, as CESI makes them of PPDB.
//!
//! A representative phrase stands on a line, then its members, each behind a tab. A cluster is a concept: its id is `PPDB:` and the representative, and clusters with the same one are merged.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use crate::Error;

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    let mut cluster = None::<(u64, Entry)>;
    for_each_row(
        source,
        collector,
        |_| false,
        |number, line, collector| {
            match (line.strip_prefix('\t'), &mut cluster) {
                (Some(member), Some((_, entry))) => entry.synonyms.push(member.trim().to_owned()),
                (Some(member), None) => {
                    return collector.problem(Some(number), member, "a member before any representative");
                }
                (None, _) => {
                    let phrase = line.trim().to_owned();
                    let begun = Entry { id: format!("PPDB:{phrase}"), name: phrase, ..Entry::default() };
                    if let Some((line, entry)) = cluster.replace((number, begun)) {
                        collector.add_row(Some(line), entry)?;
                    }
                }
            }
            Ok(())
        },
    )?;
    cluster.map_or(Ok(()), |(line, entry)| collector.add_row(Some(line), entry))
}

/// Returns whether a text begins as clusters do: a phrase, and under it one behind a tab.
pub(super) fn begin(text: &str) -> bool {
    let mut lines = text.lines();
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let is_member = second.strip_prefix('\t').is_some_and(|member| !member.trim().is_empty() && !member.contains('\t'));
    is_member && first.starts_with(char::is_alphanumeric) && !first.contains('\t')
}
