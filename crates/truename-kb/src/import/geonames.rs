//! GeoNames: the table of places, and the table of their names in languages.
//!
//! `allCountries.txt`, `cities500.txt` and the like, and `alternateNamesV2.txt`; neither has a header.

use super::collector::Collector;
use super::published::{Concepts, Description, PublishedTables, Row, Rows, list, one};
use crate::Error;

/// Languages of which a value is no name: links, postal codes and codes of airports.
const CODES: [&str; 8] = ["link", "post", "iata", "icao", "faac", "tcid", "unlc", "phon"];

pub(super) const GEONAMES: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "GeoNames' places",
            columns: &["id", "name", "ascii", "names", "latitude", "longitude", "class", "code", "country"],
            is_row: Some(is_place),
            rows: Rows::Concepts(Concepts {
                id: "id",
                names: &[one("name"), one("ascii"), list("names", ',')],
                types: &[one("code"), one("country")],
                ..Concepts::DEFAULT
            }),
            ..Description::DEFAULT
        },
        Description {
            name: "GeoNames' names",
            columns: &["name id", "id", "language", "name"],
            is_row: Some(is_name),
            rows: Rows::Other(add_name),
            ..Description::DEFAULT
        },
    ],
    is_quoted: false,
    ..PublishedTables::DEFAULT
};

fn is_place(line: &str) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let is_number = |cell: &str| cell.parse::<f64>().is_ok();
    let is_class = |cell: &str| cell.len() <= 1 && cell.bytes().all(|byte| b"AHLPRSTUV".contains(&byte));
    cells.len() == 19 && is_id(cells[0]) && is_number(cells[4]) && is_number(cells[5]) && is_class(cells[6])
}

/// Returns true if a line is a name of a place; older files have no years.
fn is_name(line: &str) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let is_flag = |cell: &&str| ["", "1"].contains(cell);
    let has_ids = matches!(cells.len(), 8 | 10) && is_id(cells[0]) && is_id(cells[1]);
    has_ids && cells[2].len() <= 7 && cells[4..8].iter().all(is_flag)
}

fn is_id(cell: &str) -> bool {
    !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())
}

fn add_name(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let [id, language, name] = ["id", "language", "name"].map(|column| row.cell(column));
    if language == "wkdt" {
        collector.add_xref(id, &format!("wikidata:{name}"));
    } else if CODES.contains(&language) {
        collector.add_left_out("links, postal codes and codes of airports left out");
    } else if !matches!(language, "" | "abbr") && !collector.speaks(language) {
        collector.add_left_out("names in other languages left out");
    } else {
        return collector.add_name(row.line, id, name);
    }
    Ok(())
}
