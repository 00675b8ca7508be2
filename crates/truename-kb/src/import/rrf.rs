//! UMLS and RxNorm in Rich Release Format: names from `MRCONSO.RRF` or `RXNCONSO.RRF`, semantic types from `MRSTY.RRF` or
//! `RXNSTY.RRF`, retired ids from `MRCUI.RRF` or `RXNATOMARCHIVE.RRF` (UMLS Reference Manual, section 3.3; RxNorm Technical
//! Documentation, section 12). Suppressed rows are left out.

use std::path::Path;

use truename_read::{Source, without_packing};

use super::collector::{Collector, Entry, Former};
use super::lines::for_each_line;
use crate::Error;

/// Fields of a row; the last ends with `|` too.
const MRCONSO: usize = 19;
const MRSTY: usize = 7;
const MRCUI: usize = 8;
const RXNATOMARCHIVE: usize = 17;

/// Relations of MRCUI: synonym, deleted, broader, narrower, other.
const RELATIONS: [&str; 5] = ["SY", "DEL", "RB", "RN", "RO"];

/// Files that are read, by the ends of their names without the extension.
const FILES: [&str; 4] = ["CONSO", "STY", "CUI", "ATOMARCHIVE"];

/// Returns true if a file of a release is read, by its name.
pub(super) fn is_read(path: &Path) -> bool {
    let name = without_packing(path).file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    FILES.iter().any(|file| ["MR", "RXN"].iter().any(|kind| name.strip_prefix(kind) == Some(*file))) && name != "RXNCUI"
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    for_each_line(source, collector, |number, line, collector| {
        let fields: Vec<&str> = line.split('|').collect();
        match fields.len() {
            MRCONSO => read_name(number, &fields, collector),
            // A row of MRCONSO that is cut off may have as many fields.
            MRSTY if is_type_id(fields[1]) && fields[MRSTY - 1].is_empty() => {
                collector.add_type(fields[0], fields[3]);
                Ok(())
            }
            MRCUI if fields[0].starts_with('C') && RELATIONS.contains(&fields[2]) => retire(number, &fields, collector),
            RXNATOMARCHIVE if is_number(fields[12]) => {
                let replaced_by = Vec::from_iter(Some(fields[15].to_owned()).filter(|id| is_number(id)));
                collector.retire(Some(number), Former { id: fields[12].to_owned(), replaced_by, consider: Vec::new() })
            }
            found => collector.problem(
                Some(number),
                line,
                format!("a row of {found} fields; MRCONSO has {MRCONSO} and MRSTY, whose second is a TUI, {MRSTY}"),
            ),
        }
    })
}

/// Returns true if a field is the id of a semantic type, as T047.
fn is_type_id(field: &str) -> bool {
    field.strip_prefix('T').is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

/// Takes a row of MRCUI: an id, its relation to another, and that one, where it was not deleted.
fn retire(line: u64, fields: &[&str], collector: &mut Collector<'_>) -> Result<(), Error> {
    let (id, other) = (fields[0].to_owned(), fields[5].to_owned());
    let others = if other.is_empty() { Vec::new() } else { vec![other] };
    let (replaced_by, consider) = if fields[2] == "SY" { (others, Vec::new()) } else { (Vec::new(), others) };
    collector.retire(Some(line), Former { id, replaced_by, consider })
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

fn read_name(number: u64, fields: &[&str], collector: &mut Collector<'_>) -> Result<(), Error> {
    let (language, source, suppress) = (fields[1], fields[11], fields[16]);
    let options = collector.options;
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
    collector.add_ranked(Some(number), entry, rank(fields))
}
