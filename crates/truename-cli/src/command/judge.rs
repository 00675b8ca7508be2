//! Gold names linked and compared with their ids, for `evaluate names`.

use truename::{ConceptId, KnowledgeBase, Linker};
use truename_eval::{Answer, GoldName, JudgedName};

use crate::problems::{RetiredIds, say_truncated};
use crate::{bars, interrupt};

/// Number of candidates a name, as the ranks need.
pub const DEPTH: usize = 50;
/// Number of names linked between two updates of the bar and checks for Ctrl-C.
const PIECE: usize = 1024;

/// Links gold names and compares the answers with their ids.
pub fn judge(linker: &Linker, mut gold: Vec<GoldName>, quiet: bool) -> anyhow::Result<Vec<JudgedName>> {
    let mut retired = RetiredIds::default();
    for id in gold.iter_mut().flat_map(|gold| &mut gold.ids) {
        replace_retired(id, linker.knowledge_base(), &mut retired)?;
    }
    let bar = bars::count_bar(gold.len() as u64, quiet);
    let (mut judged, mut truncated) = (Vec::with_capacity(gold.len()), 0);
    for piece in gold.chunks(PIECE) {
        interrupt::check()?;
        let names: Vec<&str> = piece.iter().map(|gold| gold.name.as_str()).collect();
        for (gold, link) in piece.iter().zip(linker.link_names(&names)?) {
            truncated += u64::from(link.is_truncated);
            let answers = link.candidates.into_iter().map(|c| Answer { id: c.id.into(), probability: c.probability });
            judged.push(JudgedName {
                name: gold.name.clone(),
                gold: gold.ids.clone(),
                name_type: gold.name_type.clone(),
                answers: answers.collect(),
                nil: link.is_nil,
            });
        }
        bar.inc(piece.len() as u64);
    }
    bar.finish_and_clear();
    if !quiet {
        say_truncated(truncated);
        retired.say();
    }
    Ok(judged)
}

/// Puts the id in use in the place of a retired one.
fn replace_retired(id: &mut String, kb: &KnowledgeBase, retired: &mut RetiredIds) -> anyhow::Result<()> {
    let Ok(written) = id.parse::<ConceptId>() else { return Ok(()) };
    match kb.current_id(&written)? {
        Some(current) if current == written => {}
        Some(current) => {
            retired.add(&written, Some(&current));
            *id = current.into();
        }
        None if kb.retired(&written)?.is_some() => retired.add(&written, None),
        None => {}
    }
    Ok(())
}
