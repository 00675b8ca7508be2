//! JSON as programs write it: one value a line, or an array of them; NaN where JSON has null.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::error::{Error, cut_off, read, too_long};
use crate::lines::LineFault;
use crate::reader::Reader;
use crate::record::{Record, Records};
use crate::text::{Text, Watch};

/// Numbers that JSON lacks, as Python and JavaScript write them.
const NO_NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// Reads a value. `NaN` and `Infinity` are read as null.
///
/// # Errors
/// If the text is not JSON, or not a value of this type.
pub fn from_str<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match finite(text) {
        Cow::Owned(finite) => serde_json::from_str(&finite),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Returns the object in a text as a map `T`, or the reason why there is none.
///
/// # Errors
/// If the text is not JSON, or another value.
pub fn object<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let reason = match from_str(text) {
        Ok(object) => return Ok(object),
        Err(error) => error.to_string(),
    };
    let found = match from_str(text) {
        Ok(Value::Object(_)) => return Err(reason.split(" at line ").next().unwrap_or_default().to_owned()),
        Ok(Value::Array(_)) => "a list",
        Ok(Value::String(_)) => "a string",
        Ok(_) => "a single value",
        Err(error) => {
            // The parser's line number is always 1.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            return Err(format!("not JSON at column {}: {message}", error.column()));
        }
    };
    Err(format!("expected an object, found {found}"))
}

/// Returns the names of the fields of an object, without its values; none of a text that is no object.
pub fn fields(text: &str) -> Vec<String> {
    let fields = from_str::<BTreeMap<String, IgnoredAny>>(text);
    fields.map_or_else(|_| Vec::new(), |fields| fields.into_keys().collect())
}

/// Replaces numbers that JSON lacks by null.
pub fn finite(text: &str) -> Cow<'_, str> {
    if !NO_NUMBERS.iter().any(|number| text.contains(number)) {
        return Cow::Borrowed(text);
    }
    let (mut written, mut rest, mut is_changed) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, after) = rest.split_at(at);
        written.push_str(before);
        let length = if after.starts_with('"') { string_length(after) } else { 1 };
        match NO_NUMBERS.iter().find(|number| after.starts_with(**number)) {
            Some(number) => {
                written.push_str("null");
                is_changed = true;
                rest = &after[number.len()..];
            }
            None => {
                written.push_str(&after[..length]);
                rest = &after[length..];
            }
        }
    }
    written.push_str(rest);
    if is_changed { Cow::Owned(written) } else { Cow::Borrowed(text) }
}

/// Returns the bytes of the string with which a text begins, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The JSON values of a file as rows of one cell: one a line, or those of an array, without the blanks between its tokens.
pub struct Objects(Form);

enum Form {
    Lines(Records),
    Values(Values),
}

/// Returns true if a text begins as JSON objects do, or an array of them.
pub fn holds_objects(beginning: &[u8]) -> bool {
    let first = beginning.trim_ascii_start();
    let object = first.strip_prefix(b"[").unwrap_or(first).trim_ascii_start().strip_prefix(b"{");
    object.is_some_and(|fields| matches!(fields.trim_ascii_start().first(), Some(b'"' | b'}')))
}

/// Returns true if values are members of an array, or go over several lines.
pub(crate) fn is_spread(beginning: &[u8]) -> bool {
    let first = beginning.trim_ascii_start();
    let line = first.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    first.starts_with(b"[") || line.trim_ascii() == b"{"
}

impl Objects {
    pub(crate) fn new(path: &Path, reader: Reader, is_spread: bool, limit: u64) -> Self {
        if !is_spread {
            return Self(Form::Lines(Records::new(path, reader, None, limit)));
        }
        let reader = BufReader::with_capacity(1 << 16, reader);
        Self(Form::Values(Values {
            path: path.to_owned(),
            reader,
            limit,
            line: 1,
            is_in_array: false,
            begun: Begun::default(),
        }))
    }

    /// Reads the next value or, where each is a line, the next line that is not blank.
    ///
    /// # Errors
    /// If the value is too long, or the file ends within it or cannot be read.
    pub fn read(&mut self) -> Result<Option<Record>, Error> {
        match &mut self.0 {
            Form::Values(values) => values.next(),
            Form::Lines(records) => records.read_filled(),
        }
    }

    /// As [`Objects::read`], but blank lines are handed over too.
    ///
    /// # Errors
    /// As [`Objects::read`].
    pub fn read_blank_too(&mut self) -> Result<Option<Record>, Error> {
        match &mut self.0 {
            Form::Values(values) => values.next(),
            Form::Lines(records) => records.read(),
        }
    }
}

/// Values one after another or in arrays.
struct Values {
    path: PathBuf,
    reader: BufReader<Reader>,
    limit: u64,
    line: u64,
    /// True between the brackets of an array whose members are the values.
    is_in_array: bool,
    begun: Begun,
}

/// The value that is being read, of which a pipe may not have all yet.
#[derive(Default)]
struct Begun {
    bytes: Vec<u8>,
    /// Line on which it begins.
    first: u64,
    depth: u64,
    is_string: bool,
    is_escaped: bool,
}

impl Values {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        let value = &mut self.begun;
        let mut ends = false;
        loop {
            let line = self.line;
            let buffer = self.reader.fill_buf().map_err(|error| read(&self.path, Some(line), error))?;
            if buffer.is_empty() {
                let within = match (value.bytes.is_empty(), self.is_in_array) {
                    (true, false) => return Ok(None),
                    (true, true) => "the file ends within a JSON array",
                    (false, _) => "the file ends within a JSON value",
                };
                return Err(cut_off(&self.path, Some(self.line), within));
            }
            let mut taken = 0;
            for &byte in buffer {
                let is_outside = value.bytes.is_empty();
                let is_member = is_outside && self.is_in_array && byte == b'[';
                let is_separator =
                    byte.is_ascii_whitespace() || (value.depth == 0 && matches!(byte, b',' | b'[' | b']'));
                if is_outside && is_separator && !is_member {
                    match byte {
                        b'[' => self.is_in_array = true,
                        b']' => self.is_in_array = false,
                        _ => {}
                    }
                    self.line += u64::from(byte == b'\n');
                    taken += 1;
                    continue;
                }
                if is_outside {
                    value.first = self.line;
                } else if value.depth == 0 && !value.is_string && is_separator {
                    // A number or a word ends where another token begins.
                    ends = true;
                    break;
                }
                taken += 1;
                self.line += u64::from(byte == b'\n');
                if value.is_string || !byte.is_ascii_whitespace() {
                    value.bytes.push(byte);
                }
                match byte {
                    _ if value.is_escaped => value.is_escaped = false,
                    b'\\' => value.is_escaped = value.is_string,
                    b'"' => value.is_string = !value.is_string,
                    b'{' | b'[' if !value.is_string => value.depth += 1,
                    b'}' | b']' if !value.is_string => value.depth = value.depth.saturating_sub(1),
                    _ => {}
                }
                ends = value.depth == 0 && !value.is_string && matches!(byte, b'}' | b']' | b'"');
                if ends {
                    break;
                }
            }
            self.reader.consume(taken);
            if value.bytes.len() as u64 > self.limit {
                return Err(too_long(&self.path, Some(value.first), LineFault::TooLong(self.limit), ""));
            }
            if ends {
                let Begun { bytes, first, .. } = std::mem::take(value);
                return Ok(Some(Record::of_bytes(bytes, b"\n", first)));
            }
        }
    }
}

/// Objects and lists within each other, as many as `serde_json` takes.
const MAX_DEPTH: usize = 128;

/// A JSON document for a parser, with bounded strings and depth.
pub struct JsonDocument {
    text: Text,
    watch: Rc<Watch>,
    is_string: bool,
    is_escaped: bool,
    depth: usize,
}

impl JsonDocument {
    /// Creates the document of a text.
    pub fn new(text: Text) -> Self {
        let watch = text.watch();
        Self { text, watch, is_string: false, is_escaped: false, depth: 0 }
    }
}

impl Read for JsonDocument {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let amount = self.text.read(buffer)?;
        let mut begins_value = !self.is_string;
        for byte in &buffer[..amount] {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.is_string,
                b'"' => {
                    self.is_string = !self.is_string;
                    begins_value = true;
                }
                b'{' | b'[' if !self.is_string => self.depth += 1,
                b'}' | b']' if !self.is_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth > MAX_DEPTH {
                let message = format!("more than {MAX_DEPTH} objects and lists within each other");
                return Err(self.watch.fail(self.watch.error(message)));
            }
        }
        if begins_value {
            self.watch.begin_value();
        }
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_are_null() {
        let read = |text: &str| from_str::<Value>(text).map(|value| value.to_string()).ok();
        assert_eq!(
            read(r#"{"a": NaN, "b": [-Infinity, Infinity, -1]}"#).as_deref(),
            Some(r#"{"a":null,"b":[null,null,-1]}"#)
        );
        assert_eq!(read(r#"{"NaN": "NaN \" NaN", "b": NaN}"#).as_deref(), Some(r#"{"NaN":"NaN \" NaN","b":null}"#));
        assert_eq!(read("{\"a\": Nan}"), None);
        assert_eq!(object::<BTreeMap<String, Value>>("[1]"), Err("expected an object, found a list".into()));
        assert_eq!(object::<BTreeMap<String, Value>>("{\"a\" 1}"), Err("not JSON at column 6: expected `:`".into()));
    }

    fn values(text: &str) -> Vec<(u64, String)> {
        let reader: Reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let mut objects = Objects::new(Path::new("memory"), reader, is_spread(text.as_bytes()), 100);
        let next = || match objects.read() {
            Ok(record) => record.map(|record| (record.line, String::from_utf8(record.into_content()).unwrap())),
            Err(error) => Some((0, error.to_string())),
        };
        std::iter::from_fn(next).take(9).collect()
    }

    #[test]
    fn values_are_lines_or_members_of_an_array() {
        let one = |line, value: &str| (line, value.to_owned());
        let (a, b) = (r#"{"a":"[ \" ]"}"#, r#"{"b":[1,{}]}"#);
        assert_eq!(values(&format!("\n{a}\n \n{b}")), [one(2, a), one(4, b)]);
        assert_eq!(values("\n[\n {\"a\": \"[ \\\" ]\"},\n{\"b\":\n [1, {}]}\n]\n"), [one(3, a), one(4, b)]);
        assert_eq!(values("{\n \"b\": [1, {}]\n}\n{\"b\":[1,{}]}"), [one(1, b), one(4, b)]);
        assert_eq!(values("[1, \"x\", null]"), [one(1, "1"), one(1, "\"x\""), one(1, "null")]);
        assert_eq!(values("[]"), []);
        assert_eq!(values("[1]\n[2]"), [one(1, "1"), one(2, "2")]);
        assert_eq!(values("[[\"a\", {}],\n [[1]]]"), [one(1, "[\"a\",{}]"), one(2, "[[1]]")]);
        let cut = &values("[{\"a\": 1},\n{\"a\"")[1].1;
        assert_eq!(cut, "memory:2: the file ends within a JSON value; it is cut off");
        for array in ["[{}", "[\n{},\n", "[", "[1 "] {
            let last = values(array).into_iter().find(|(line, _)| *line == 0).map(|(_, error)| error);
            assert!(last.is_some_and(|error| error.contains("the file ends within a JSON array")), "{array:?}");
        }
        assert_eq!(
            values(&format!("[\n\"{}\"]", "x".repeat(200)))[0].1,
            "memory:2: a line or value of more than 100 bytes"
        );
    }
}
