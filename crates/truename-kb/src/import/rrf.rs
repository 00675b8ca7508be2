//! UMLS and RxNorm in Rich Release Format.
//!
//! Names come from `MRCONSO.RRF` or `RXNCONSO.RRF`, semantic types from `MRSTY.RRF` or `RXNSTY.RRF`, retired ids from `MRCUI.RRF` or
//! `RXNATOMARCHIVE.RRF`, ranks of names from `MRRANK.RRF` (UMLS Reference Manual, section 3.3; RxNorm Technical Documentation,
//! section 12). Suppressed rows are left out.

use std::path::{Path, PathBuf};

use truename_read::{Source, without_packing};

use super::Input;
use super::collector::{Collector, Entry};
use super::format::Format;
use super::lines::for_each_row;
use crate::Error;

/// Fields of a row; the last ends with `|` too.
const MRCONSO: usize = 19;
const MRSTY: usize = 7;
const MRCUI: usize = 8;
const RXNATOMARCHIVE: usize = 17;
const MRRANK: usize = 5;

/// Number of places that [`rank`] tells apart.
const RANKS: u32 = 64;
/// A rank above all of MRRANK, which has four digits.
const HIGHEST: u32 = 10_000;

/// Relations of MRCUI: synonym, deleted, broader, narrower, other.
const RELATIONS: [&str; 5] = ["SY", "DEL", "RB", "RN", "RO"];

/// Files that are read, by the ends of their names without the extension.
const FILES: [&str; 5] = ["CONSO", "STY", "CUI", "ATOMARCHIVE", "RANK"];

/// Returns true if a file of a release is read, by its name.
pub(super) fn is_read(path: &Path) -> bool {
    let name = name(path);
    FILES.iter().any(|file| ["MR", "RXN"].iter().any(|kind| name.strip_prefix(kind) == Some(*file))) && name != "RXNCUI"
}

fn name(path: &Path) -> String {
    without_packing(path).file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase()
}

/// Adds the file of ranks that lies beside a file of names.
pub(super) fn add_ranks(inputs: &mut Vec<Input>) {
    let names = inputs.iter().find(|input| input.format == Format::Rrf && name(&input.path) == "MRCONSO");
    let folder = names.and_then(|input| input.path.parent()).unwrap_or(Path::new(""));
    if names.is_none() || inputs.iter().any(|input| name(&input.path) == "MRRANK") {
        return;
    }
    let known = ["MRRANK.RRF", "MRRANK.RRF.gz", "MRRANK.RRF.zst"].map(|name| folder.join(name));
    if let Some(path) = known.into_iter().find(|path: &PathBuf| path.is_file()) {
        let note = Some("read beside the file of names, of which it ranks the sources".to_owned());
        inputs.push(Input { path, format: Format::Rrf, order: 0, source: None, note });
    }
}

/// Returns true if a text begins with a row of the file of ranks: `0586|MTH|PN|N|`, the higher the better.
pub(super) fn is_rank(beginning: &str) -> bool {
    let fields: Vec<&str> = beginning.lines().next().unwrap_or_default().split('|').collect();
    fields.len() == MRRANK && is_number(fields[0]) && matches!(fields[3..], ["Y" | "N", ""])
}

pub(super) fn read(source: Source, collector: &mut Collector) -> Result<(), Error> {
    // Every row shows by its number of fields that it is whole.
    for_each_row(
        source,
        collector,
        |_| true,
        |number, line, collector| {
            let fields: Vec<&str> = line.split('|').collect();
            match fields.len() {
                MRCONSO => read_name(number, &fields, collector),
                // A row of MRCONSO that is cut off may have as many fields.
                MRSTY if is_type_id(fields[1]) && fields[MRSTY - 1].is_empty() => {
                    collector.add_type(fields[0], fields[3]);
                    Ok(())
                }
                MRCUI if is_former(&fields) => retire(number, &fields, collector),
                RXNATOMARCHIVE if is_number(fields[12]) => {
                    let replaced_by = Vec::from_iter(Some(fields[15].to_owned()).filter(|id| is_number(id)));
                    collector.retire(Some(number), Entry { id: fields[12].to_owned(), replaced_by, ..Entry::default() })
                }
                MRRANK if is_rank(line) => {
                    let rank: u32 = fields[0].parse().unwrap_or_default();
                    collector.rank(&format!("{}|{}", fields[1], fields[2]), HIGHEST.saturating_sub(rank));
                    Ok(())
                }
                found => collector.problem(
                    Some(number),
                    line,
                    format!("a row of {found} fields; MRCONSO has {MRCONSO} and MRSTY, whose second is a TUI, {MRSTY}"),
                ),
            }
        },
    )
}

/// Returns true if a line is a row of names, of semantic types or of retired ids.
pub(super) fn is_row(line: &str) -> bool {
    let fields: Vec<&str> = line.split('|').collect();
    fields.last() == Some(&"") && matches!(fields.len(), MRCONSO | MRSTY) || fields.len() == MRCUI && is_former(&fields)
}

/// Returns true if the fields are those of a retired id.
fn is_former(fields: &[&str]) -> bool {
    fields[0].starts_with('C') && RELATIONS.contains(&fields[2])
}

/// Returns true if a field is the id of a semantic type, as T047.
fn is_type_id(field: &str) -> bool {
    field.strip_prefix('T').is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

/// Takes a row of MRCUI: an id, its relation to another, and that one, where it was not deleted.
fn retire(line: u64, fields: &[&str], collector: &mut Collector) -> Result<(), Error> {
    let (id, other) = (fields[0].to_owned(), fields[5].to_owned());
    let others = if other.is_empty() { Vec::new() } else { vec![other] };
    let (replaced_by, consider) = if fields[2] == "SY" { (others, Vec::new()) } else { (Vec::new(), others) };
    collector.retire(Some(line), Entry { id, replaced_by, consider, ..Entry::default() })
}

/// Returns the place of a row among those of its concept, the preferred one first: UMLS marks it by TS, STT and ISPREF; RxNorm
/// has a term type for the name of the kind of drug, and others for its synonyms.
fn rank(fields: &[&str]) -> u32 {
    let marks = [fields[2] == "P", fields[4] == "PF", fields[6] == "Y"];
    let unmarked = marks.into_iter().fold(0, |unmarked, is_marked| 2 * unmarked + u32::from(!is_marked));
    let by_type = match (fields[11], fields[12]) {
        ("RXNORM", "SY" | "TMSY" | "ET") => 3,
        ("RXNORM", "PSN") => 1,
        ("RXNORM", _) => 0,
        (_, "PN" | "PT" | "MH" | "NM" | "HT") => 2,
        (_, "AB" | "ACR" | "AA") => 5,
        _ => 4,
    };
    unmarked * 8 + by_type
}

fn read_name(number: u64, fields: &[&str], collector: &mut Collector) -> Result<(), Error> {
    let (language, source, suppress) = (fields[1], fields[11], fields[16]);
    let options = &collector.options;
    let spoken = if options.languages.is_empty() {
        language == "ENG"
    } else {
        options.languages.iter().any(|kept| kept == "*" || kept.eq_ignore_ascii_case(language))
    };
    if !collector.keeps_source(source) {
        return Ok(());
    }
    if suppress != "N" {
        collector.add_left_out("suppressed rows left out");
        return Ok(());
    }
    if !spoken {
        collector.add_other_language(fields[0], language);
        return Ok(());
    }
    let name = fields[14].to_owned();
    let xref = format!("{source}:{}", fields[13]);
    let entry = Entry { id: fields[0].to_owned(), name, xrefs: vec![xref], ..Entry::default() };
    let of_type = collector.name_ranks.get(&format!("{source}|{}", fields[12])).copied().unwrap_or(HIGHEST);
    collector.add_ranked(Some(number), entry, of_type * RANKS + rank(fields))
}
