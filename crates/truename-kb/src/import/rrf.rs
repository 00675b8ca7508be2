//! UMLS Rich Release Format: names from `MRCONSO.RRF`, semantic types from `MRSTY.RRF`
//! (UMLS Reference Manual, section 3.3). Suppressed rows are left out.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_line;
use crate::Error;

/// Fields of a row; the last ends with `|` too.
const MRCONSO: usize = 19;
const MRSTY: usize = 7;

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

fn read_name(number: u64, fields: &[&str], collector: &mut Collector<'_>) -> Result<(), Error> {
    let (language, source, suppress) = (fields[1], fields[11], fields[16]);
    let options = collector.options;
    let spoken = if options.languages.is_empty() {
        language == "ENG"
    } else {
        options.languages.iter().any(|kept| kept == "*" || kept.eq_ignore_ascii_case(language))
    };
    let kept = options.sources.is_empty() || options.sources.iter().any(|kept| kept == source);
    if !kept || suppress != "N" {
        return Ok(());
    }
    if !spoken {
        collector.add_other_language(fields[0], language);
        return Ok(());
    }
    // TS, STT and ISPREF mark the preferred form of the preferred string.
    let preferred = fields[2] == "P" && fields[4] == "PF" && fields[6] == "Y";
    let name = fields[14].to_owned();
    let xref = format!("{source}:{}", fields[13]);
    let entry = Entry { id: fields[0].to_owned(), name, xrefs: vec![xref], ..Entry::default() };
    if preferred { collector.add_preferred(Some(number), entry) } else { collector.add_row(Some(number), entry) }
}
