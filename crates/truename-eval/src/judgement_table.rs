//! Judgements that a knowledge base learns: tables, and the judgements of an exported knowledge base.

use std::path::Path;

use serde_json::{Map, Value};
use truename::{Alias, Date, Judgement};
use truename_read::{Source, TableOptions};

use crate::Error;
use crate::table::{FileKind, Rows};

const KIND: FileKind = FileKind {
    nothing: Some("no judgements"),
    hint: || {
        "judgements to learn are a table, or JSON objects, with the columns `name`, `id` (one id, empty for NIL, `never a mention` for \
         a stop name) and perhaps `date` (2026-11-26); an exported knowledge base has them too"
            .into()
    },
};

/// Fields that an exported knowledge base has and a list of judgements has not.
const EXPORTED: [&str; 8] = ["judged", "aliases", "synonyms", "types", "parents", "part_of", "xrefs", "definition"];

/// Reads judgements for a knowledge base to learn: a table as that of [`crate::read_gold`], with one id a row and perhaps a column `date`; a row
/// without a date is of today. The id `never a mention` makes the name a stop name. Of an exported knowledge base the judgements are read.
///
/// # Errors
/// The errors of [`crate::read_gold`]; or if a row has several ids, or a date that is none.
pub fn read_judgement_table(path: &Path) -> Result<Vec<Judgement>, Error> {
    KIND.read_utf8(path, judgements)
}

fn judgements(source: Source) -> Result<Vec<Judgement>, Error> {
    let options = TableOptions { wanted: &[&["name"], &["id"]], ..TableOptions::default() };
    let mut rows = Rows::open(source, &options, &KIND)?;
    if rows.have_field(&EXPORTED) {
        rows = rows.with_objects(["name", "id", "date"], exported)?;
    }
    let (name, id, date, today) = (rows.column("name")?, rows.column("id")?, rows.column("date").ok(), Date::today());
    rows.read(|row| {
        let text = row.get(name).filter(|text| !text.trim().is_empty()).ok_or("a row without a name")?;
        let date = date.and_then(|at| row.get(at)).map_or("", str::trim);
        Ok(Judgement {
            name: text.to_owned(),
            verdict: match row.get(id).unwrap_or_default() {
                ids if ids.contains('|') => {
                    return Err(format!("\"{ids}\" are several ids; a name is learnt with one"));
                }
                id => id.parse().map_err(|error: Error| error.to_string())?,
            },
            date: if date.is_empty() { today } else { date.parse().map_err(|error: Error| error.to_string())? },
        })
    })
}

/// Returns the judgements, with the fields of a list of judgements, of an object of an exported knowledge base: of a line with `judged`, or the
/// judged names of a concept.
fn exported(mut object: Map<String, Value>) -> Result<Vec<Map<String, Value>>, String> {
    if let Some(judged) = object.remove("judged") {
        object.insert("id".to_owned(), judged);
    }
    if object.contains_key("date") {
        return Ok(vec![object]);
    }
    let (id, aliases) = (object.remove("id"), object.remove("aliases").unwrap_or(Value::Array(Vec::new())));
    let aliases: Vec<Alias> = serde_json::from_value(aliases).map_err(|error| format!("field \"aliases\": {error}"))?;
    let judgement = |alias: &Alias| {
        let date = Value::from(alias.judged_on()?.to_string());
        let fields = [("name", Value::from(&*alias.name)), ("id", id.clone().unwrap_or_default()), ("date", date)];
        Some(fields.map(|(field, value)| (field.to_owned(), value)).into_iter().collect())
    };
    Ok(aliases.iter().filter_map(judgement).collect())
}

#[cfg(test)]
mod tests {
    use truename::Verdict;

    use super::*;

    #[test]
    fn judgements_to_learn_have_one_id_and_a_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_judgement_table(&path)
        };
        let table = "Name,ID,date\na, X:1 ,2026-11-26\nb,nil,\nplan,Never a mention,\n";
        let judgement = |name: &str, verdict, date| Judgement { name: name.into(), verdict, date };
        let expected = [
            judgement("a", Verdict::Concept("X:1".parse().unwrap()), "2026-11-26".parse().unwrap()),
            judgement("b", Verdict::Nil, Date::today()),
            judgement("plan", Verdict::StopName, Date::today()),
        ];
        assert_eq!(read(table).unwrap(), expected);
        assert_eq!(read("name,id\nb,\nplan,never a mention\n").unwrap(), expected[1..]);
        let gold = crate::read_gold(&path).unwrap();
        assert!(gold.iter().all(|gold| gold.ids.is_empty()), "{gold:?}");
        for (text, message) in [
            ("name,id\na,X:1|X:2\n", ":2: \"X:1|X:2\" are several ids; a name is learnt with one"),
            ("name,id,date\na,X:1,26.11.2026\n", ":2: \"26.11.2026\" is no date"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.to_string().ends_with(message) && error.hint().is_some(), "{error}");
        }
    }

    #[test]
    fn the_judgements_of_an_exported_knowledge_base_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kb.jsonl");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_judgement_table(&path)
        };
        let judgement = |name: &str, verdict: &str, date: &str| Judgement {
            name: name.into(),
            verdict: verdict.parse().unwrap(),
            date: date.parse().unwrap(),
        };
        let concepts = r#"{"id":"X:1","name":"heart failure","aliases":[{"name":"HF","source":"mesh.jsonl"},{"name":"pump","source":"judged 2026-11-24"}]}
{"id":"X:2","name":"aspirin"}
{"id":"X:3","removed":true}
"#;
        let judged = r#"{"name":"flu","judged":"nil","date":"2026-11-25"}
{"name":"plan","judged":"never a mention","date":"2026-11-26"}
{"name":"ASA","id":"X:2","date":"2026-11-26"}
"#;
        let expected = [
            judgement("pump", "X:1", "2026-11-24"),
            judgement("flu", "nil", "2026-11-25"),
            judgement("plan", "never a mention", "2026-11-26"),
            judgement("ASA", "X:2", "2026-11-26"),
        ];
        assert_eq!(read(&format!("{concepts}{judged}")).unwrap(), expected);
        assert_eq!(read(judged).unwrap(), expected[1..]);
        assert_eq!(read(r#"{"name":"aspirin","id":"X:2"}"#).unwrap()[0].name, "aspirin", "a list of judgements");
        for (text, message) in [
            (r#"{"id":"X:2","name":"aspirin","synonyms":["ASA"]}"#, ":1: no judgements"),
            (r#"{"name":"a","judged":"nil","date":"soon"}"#, ":1: \"soon\" is no date"),
            (r#"{"id":"X:2","aliases":["ASA"]}"#, ":1: field \"aliases\": "),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.to_string().contains(message) && error.hint().is_some(), "{error}");
        }
    }
}
