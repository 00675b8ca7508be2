//! Gold names linked for `evaluate names`.

use truename::{LinkOptions, Linker};
use truename_eval::{GoldName, LinkedGold};

use crate::arguments::EvaluateNames;
use crate::interrupt;
use crate::problems::{RetiredIds, say_truncated};
use crate::progress::watched;

/// Returns the options of the linker that is evaluated.
pub fn options(arguments: &EvaluateNames) -> Result<LinkOptions, truename::Error> {
    let options = arguments.concepts.apply(arguments.nil.apply(LinkOptions::default()));
    let (vote, placeholders) = (arguments.vote as usize, arguments.placeholders.read()?);
    Ok(LinkOptions { top: LinkedGold::DEPTH, vote, placeholders, ..options })
}

/// Links gold names, and reports names that were cut and retired ids.
pub fn judge(linker: &Linker, gold: Vec<GoldName>, quiet: bool) -> anyhow::Result<LinkedGold> {
    let linked = watched(quiet, || LinkedGold::new(linker, gold, &interrupt::progress()))?;
    if !quiet {
        say_truncated(linked.truncated);
        let mut retired = RetiredIds::default();
        linked.retired.iter().for_each(|(id, current)| retired.add(id, current.as_ref()));
        retired.say();
    }
    Ok(linked)
}
