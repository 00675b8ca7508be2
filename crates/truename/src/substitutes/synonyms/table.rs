//! Tables of synonyms: the cells of a row mean the same; several may stand in one, joined by `|`.

use std::path::Path;

use crate::Error;
use crate::substitutes::lines::for_each_line;

/// Names of columns, by which a header is known.
const HEADERS: [&str; 8] = ["word", "words", "name", "names", "synonym", "synonyms", "target", "substitutes"];

/// Passes the synonyms of each row to `add`; a row of names of columns at the top is a header.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn read(path: &Path, delimiter: u8, mut add: impl FnMut(Vec<String>)) -> Result<(), Error> {
    for_each_line(path, |number, line| {
        let cells = cells(line, char::from(delimiter));
        let is_name = |cell: &String| HEADERS.contains(&cell.trim().to_lowercase().as_str());
        if number > 1 || !cells.iter().all(is_name) {
            add(cells.iter().flat_map(|cell| cell.split('|')).map(str::to_owned).collect());
        }
        Ok(())
    })
}

/// Returns the cells of a row. In CSV a cell in quotes may have the delimiter, and a quote of its own written twice.
fn cells(line: &str, delimiter: char) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("there is a first cell");
        match letter {
            '"' if delimiter == ',' && is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' if delimiter == ',' && (is_quoted || cell.trim().is_empty()) => is_quoted = !is_quoted,
            _ if letter == delimiter && !is_quoted => cells.push(String::new()),
            _ => cell.push(letter),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",d", ','), ["a", "b, \"c\"", "d"]);
        assert_eq!(cells("a\t\"b\t5\" long", '\t'), ["a", "\"b", "5\" long"]);
        assert_eq!(cells("", ','), [""]);
    }
}
