//! Gold judgements: names with the ids that they stand for.

use std::io::Read;
use std::path::Path;

use truename::Verdict;
use truename_read::{Source, TableOptions};
use truename_text::GoldName;

use crate::Error;
use crate::table::{FileKind, Rows, chance};

const KIND: FileKind = FileKind {
    nothing: Some("no judgements"),
    hint: || {
        "gold judgements are a table, or JSON objects, with the columns `name` and `id`, several ids joined by `|`, and perhaps \
         `chance` (above 0, at most 1)"
            .into()
    },
};

/// Reads a table with a header, or JSON objects, with the columns `name`, `id` (several accepted ids joined by `|`, empty or a
/// word such as `NIL` where the answer is NIL) and perhaps `type` and `chance` (1 where it is empty), in capitals or not. Its first rows tell
/// the delimiter. A folder or a pattern stands for its files.
///
/// # Errors
/// If the file cannot be read, lacks a column, is not UTF-8, or has a row without a name, with a chance that is none or with more cells
/// than the header.
pub fn read_gold(path: &Path) -> Result<Vec<GoldName>, Error> {
    KIND.read_utf8(path, of_source)
}

/// Reads a table of judgements from a reader; errors name `path`.
///
/// # Errors
/// The errors of [`read_gold`].
pub fn read_gold_from(table: impl Read + Send + 'static, path: &Path) -> Result<Vec<GoldName>, Error> {
    KIND.read_from(path, table, of_source)
}

fn of_source(source: Source) -> Result<Vec<GoldName>, Error> {
    let options = TableOptions { wanted: &[&["name"], &["id"]], ..TableOptions::default() };
    let rows = Rows::open(source, &options, &KIND)?;
    let (name, id, name_type) = (rows.column("name")?, rows.column("id")?, rows.column("type").ok());
    let chance_of = rows.column("chance").ok();
    rows.read(|row| {
        let text = row.get(name).filter(|text| !text.trim().is_empty()).ok_or("a row without a name")?;
        // A missing last cell is an empty one: NIL.
        let ids = row.get(id).unwrap_or_default().split('|').map(str::trim);
        Ok(GoldName {
            name: text.to_owned(),
            ids: ids.filter(|id| is_id(id)).map(str::to_owned).collect(),
            name_type: name_type
                .and_then(|at| row.get(at))
                .filter(|name_type| !name_type.is_empty())
                .map(str::to_owned),
            chance: chance(chance_of.and_then(|at| row.get(at)))?,
        })
    })
}

/// Returns whether a text stands for a concept.
fn is_id(text: &str) -> bool {
    let text = text.to_lowercase();
    text != Verdict::STOP_NAME && !Verdict::NIL.contains(&text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<GoldName>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.tsv");
        std::fs::write(&path, text).unwrap();
        read_gold(&path)
    }

    #[test]
    fn several_ids_and_none_are_read() {
        let gold = read("name\tid\ttype\na\tX:1| X:2\tdisease\nb\t\t\nc\n").unwrap();
        assert_eq!(gold[0].ids, ["X:1", "X:2"]);
        assert_eq!(gold[0].name_type.as_deref(), Some("disease"));
        assert!(gold[1].ids.is_empty() && gold[2].ids.is_empty());
        let nil = read("name\tid\na\tNIL\nb\tN/A\nc\tnull\nd\t-\ne\tX:1|-\n").unwrap();
        assert_eq!(nil.iter().map(|gold| gold.ids.join("|")).collect::<Vec<_>>(), ["", "", "", "", "X:1"]);
    }

    #[test]
    fn the_chance_of_a_judgement_is_read() {
        let gold = read("name\tid\tchance\na\tX:1\t0.25\nb\t\t\nc\tX:2\n").unwrap();
        assert_eq!(gold.iter().map(|gold| gold.chance).collect::<Vec<_>>(), [0.25, 1.0, 1.0]);
        for wrong in ["0", "-0.5", "1.5", "NaN", "often"] {
            let error = read(&format!("name\tid\tchance\na\tX:1\t{wrong}\n")).unwrap_err();
            assert!(
                error.to_string().ends_with(&format!(":2: the chance \"{wrong}\" is not above 0 and at most 1")),
                "{error}"
            );
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn tables_are_read_whatever_their_delimiter_capitals_and_line_ends() {
        let expected = read("name\tid\na, b\tX:1\nc\tX:2\n").unwrap();
        let tables = [
            "Name\t ID \na, b\tX:1\nc\tX:2\n",
            "id;name\nX:1;a, b\nX:2;c\n",
            "name,id\n\"a, b\",X:1\nc,X:2\n",
            "name|id\ra, b|X:1\rc|X:2|\r",
            "{\"name\": \"a, b\", \"id\": \"X:1\"}\n{\"ID\": null, \"id\": [\"X:2\"], \"name\": \"c\"}\n",
            "[{\"name\": \"a, b\", \"id\": \"X:1\"}, {\"name\": \"c\", \"id\": \"X:2\"}]",
        ];
        for table in tables {
            assert_eq!(read(table).unwrap(), expected, "{table:?}");
        }
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let cases = [
            ("name\tcode\na\t1\n", ":1: no column \"id\" among \"name\", \"code\""),
            ("name\tid\na\t1\n\t2\n", ":3: a row without a name"),
            ("name\tid\n", ":1: no judgements"),
            ("{\"name\": \"a\", \"code\": \"X:1\"}\n", ":1: no column \"id\" among \"code\", \"name\""),
            ("{\"name\": \"a\", \"id\": {}}\n", ":1: field \"id\" holds no text"),
            (
                "Judgements\n\nname\tid\na\t1\n",
                ":1: no column \"name\" among \"Judgements\"; the header seems to be row 3",
            ),
            ("name,id\na, b,X:1\n", ":2: row has 3 cells, the header has 2"),
            ("name,id\nx,X:1\n\"a,X:2\nb,X:3\n", ":3: a quote that is never closed"),
        ];
        for (text, message) in cases {
            let error = read(text).unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
        }
    }
}
