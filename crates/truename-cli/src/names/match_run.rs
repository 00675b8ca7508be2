//! A run of `match`: its arguments, and the output that a later run can go on with.

use crate::arguments::Match;
use crate::resumable_file::ResumableFile;

/// Arguments of a run, with its output where a later run can go on with it.
#[derive(Clone, Copy)]
pub struct MatchRun<'a> {
    pub arguments: &'a Match,
    pub resumable: Option<&'a ResumableFile>,
}
