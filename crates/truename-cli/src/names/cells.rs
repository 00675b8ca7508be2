//! The texts of a row: cells of a table, or fields of an object.

use serde_json::{Map, Value};
use truename_read::{Encoding, Record, RowFormat, json, quoted};

/// A row, whose texts are found by their columns.
pub enum Cells<'r> {
    Row { record: &'r Record, encoding: Encoding },
    Object(Map<String, Value>),
}

impl<'r> Cells<'r> {
    /// Returns the cells of a row, or the reason why it has none.
    pub fn of(record: &'r Record, format: RowFormat, encoding: Encoding) -> Result<Self, String> {
        if format != RowFormat::Objects {
            return Ok(Self::Row { record, encoding });
        }
        Ok(Self::Object(json::object(&encoding.decode(record.content()).ok_or("not in the expected encoding")?)?))
    }

    /// Returns the fields of an object.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        if let Self::Object(fields) = self { Some(fields) } else { None }
    }

    /// Returns the text in a column, or the reason why there is none.
    pub fn text(&self, columns: &[String], at: usize) -> Result<String, String> {
        match self {
            Self::Row { record, encoding } => match record.cell(at) {
                Some(cell) => encoding.decode(cell).map(without_nul).ok_or_else(|| undecodable(cell)),
                None => Err(format!("row has {} of {} cells", record.width(), columns.len())),
            },
            Self::Object(fields) => match fields.get(&columns[at]) {
                Some(Value::String(text)) => Ok(text.clone()),
                Some(Value::Null) => Ok(String::new()),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
                Some(_) => Err(format!("field {} holds no text", quoted(&columns[at]))),
                None => Err(format!("no field {}", quoted(&columns[at]))),
            },
        }
    }
}

/// Returns a text with its NUL bytes as blanks.
pub fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', " ") } else { text }
}

/// Returns the message of bytes that are no text.
pub fn undecodable(bytes: &[u8]) -> String {
    let shown: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
    format!("not in the expected encoding (say --encoding, as in --encoding windows-1252): {}", quoted(&shown))
}
