//! Clusters of phrases, as those of PPDB.
//!
//! The name of a cluster stands on a line, its members behind a tab on the lines after it.

use truename_read::Source;

use crate::lines::for_each_line;
use crate::{Error, error};

/// Passes the name and the members of each cluster to `add`.
///
/// # Errors
/// If the file cannot be read or a member stands before the first cluster.
pub(super) fn read(source: Source, mut add: impl FnMut(Vec<String>)) -> Result<(), Error> {
    let path = source.path().to_owned();
    let mut cluster: Vec<String> = Vec::new();
    for_each_line(source, |number, line| {
        match line.strip_prefix('\t') {
            Some(_) if cluster.is_empty() => {
                return Err(error::word_list(&path, number, "a member before the name of its cluster"));
            }
            Some(member) => cluster.push(member.to_owned()),
            None => add(std::mem::replace(&mut cluster, vec![line.to_owned()])),
        }
        Ok(())
    })?;
    add(cluster);
    Ok(())
}
