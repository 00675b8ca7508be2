//! GeoNames: the table of places (`allCountries.txt`, `cities500.txt` and the like) and that of their names in languages
//! (`alternateNamesV2.txt`). Neither has a header.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
use super::rows::values;
use crate::Error;

/// Columns of a place.
const PLACE: usize = 19;
/// Columns of a name; older files have no years.
const NAME: [usize; 2] = [8, 10];
/// Languages of which a value is no name: links, postal codes and codes of airports.
const CODES: [&str; 8] = ["link", "post", "iata", "icao", "faac", "tcid", "unlc", "phon"];

/// Returns true if a line is a place or one of its names.
pub(super) fn is_row(line: &str) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let is_id = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    if !is_id(cells[0]) {
        return false;
    }
    match cells.len() {
        PLACE => {
            let is_number = |cell: &str| cell.parse::<f64>().is_ok();
            let is_class = |cell: &str| cell.len() <= 1 && cell.bytes().all(|byte| b"AHLPRSTUV".contains(&byte));
            is_number(cells[4]) && is_number(cells[5]) && is_class(cells[6])
        }
        columns if NAME.contains(&columns) => {
            let is_flag = |cell: &&str| ["", "1"].contains(cell);
            is_id(cells[1]) && cells[2].len() <= 7 && cells[4..8].iter().all(is_flag)
        }
        _ => false,
    }
}

/// Returns the place of a file among those of a release: places come first.
pub(super) fn order(line: &str) -> u8 {
    u8::from(line.split('\t').count() != PLACE)
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    for_each_row(source, collector, |number, line, collector| {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells.len() {
            PLACE => add_place(number, &cells, collector),
            columns if NAME.contains(&columns) => add_name(number, &cells, collector),
            found => {
                let reason = format!("a row of {found} cells; a place has {PLACE}, a name of one {}", NAME[1]);
                collector.problem(Some(number), line, reason)
            }
        }
    })
}

fn add_place(line: u64, cells: &[&str], collector: &mut Collector<'_>) -> Result<(), Error> {
    let entry = Entry {
        id: cells[0].to_owned(),
        name: cells[1].to_owned(),
        synonyms: values(cells[2], '\t').chain(values(cells[3], ',')).collect(),
        types: [cells[7], cells[8]].into_iter().filter(|kind| !kind.is_empty()).map(str::to_owned).collect(),
        ..Entry::default()
    };
    collector.add_row(Some(line), entry)
}

fn add_name(line: u64, cells: &[&str], collector: &mut Collector<'_>) -> Result<(), Error> {
    let (id, language, name) = (cells[1], cells[2], cells[3]);
    if language == "wkdt" {
        collector.add_xref(id, &format!("wikidata:{name}"));
        Ok(())
    } else if CODES.contains(&language) {
        collector.add_left_out("links, postal codes and codes of airports left out");
        Ok(())
    } else if !matches!(language, "" | "abbr") && !collector.speaks(language) {
        collector.add_left_out("names in other languages left out");
        Ok(())
    } else {
        collector.add_name(Some(line), id, name)
    }
}
