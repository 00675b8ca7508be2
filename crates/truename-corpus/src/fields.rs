//! JSON values, read strictly: a repeated key or a value of an unexpected type is an error.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use truename_text::excerpt;

/// A JSON value in which no object has a key twice.
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let Unique(value) = map.next_value()?;
            insert(&mut fields, key, value).map_err(A::Error::custom)?;
        }
        Ok(Value::Object(fields))
    }
}

/// Adds a field, or returns an error if its key is there already.
pub(crate) fn insert(fields: &mut Map<String, Value>, key: String, value: Value) -> Result<(), String> {
    let message = format!("`{}` stands twice in one object", excerpt(&key));
    fields.insert(key, value).map_or(Ok(()), |_| Err(message))
}

/// Fields of an object, taken one by one; a missing one equals `null`.
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    /// Returns the fields of a value that must be an object.
    pub(crate) fn of(value: Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            other => Err(format!("expected an object, found {}", shown(&other))),
        }
    }

    /// Takes a value; none where it is missing.
    fn take<T>(
        &mut self,
        key: &str,
        what: &str,
        read: impl FnOnce(Value) -> Result<T, Value>,
    ) -> Result<Option<T>, String> {
        let value = self.0.remove(key).filter(|value| !value.is_null());
        let found = |found: Value| format!("`{key}`: expected {what}, found {}", shown(&found));
        value.map(read).transpose().map_err(found)
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        self.take(key, "a text", |value| match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        })
    }

    /// Returns a text, or a number as text.
    pub(crate) fn scalar(&mut self, key: &str) -> Result<Option<String>, String> {
        self.take(key, "a text or a number", |value| scalar(&value).ok_or(value))
    }

    pub(crate) fn offset(&mut self, key: &str) -> Result<Option<usize>, String> {
        self.take(key, "a whole number", |value| offset(&value).ok_or(value))
    }

    pub(crate) fn number(&mut self, key: &str) -> Result<Option<f64>, String> {
        self.take(key, "a number", |value| value.as_f64().ok_or(value))
    }

    /// Returns the values of a list; none where there is no list.
    pub(crate) fn list(&mut self, key: &str) -> Result<Vec<Value>, String> {
        let list = self.take(key, "a list", |value| match value {
            Value::Array(values) => Ok(values),
            other => Err(other),
        });
        list.map(Option::unwrap_or_default)
    }

    /// Returns the fields of an object; none where there is no object.
    pub(crate) fn object(&mut self, key: &str) -> Result<Self, String> {
        let object = self.take(key, "an object", |value| match value {
            Value::Object(fields) => Ok(fields),
            other => Err(other),
        });
        object.map(|fields| Self(fields.unwrap_or_default()))
    }
}

pub(crate) fn offset(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// Returns a text or number as text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the name of a value for messages.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        Value::String(text) => format!("the text \"{}\"", excerpt(text)),
        Value::Number(number) => format!("the number {number}"),
        Value::Bool(_) | Value::Null => value.to_string(),
    }
}

/// Returns the message of an error without its place, in words.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(&*message, |(reason, _)| reason);
    if let Some(what) = message.strip_prefix("EOF while parsing ") {
        return format!("it ends within {what}");
    }
    match message.strip_prefix("invalid type: ").and_then(|types| types.split_once(", expected ")) {
        Some((found, expected)) => format!("expected {expected}, found {}", in_words(found)),
        None => message.to_owned(),
    }
}

/// Returns the name that serde gives to a value, in the words of [`shown`].
fn in_words(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    match kind {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        "string" => format!("the text {value}"),
        "boolean" => value.trim_matches('`').into(),
        "integer" | "floating" => format!("the number {}", value.trim_start_matches("point ").trim_matches('`')),
        _ => found.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_twice_is_told_at_any_depth() {
        for json in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": null, "a": 2}}]"#] {
            let error = serde_json::from_str::<Unique>(json).err().unwrap();
            assert_eq!(reason(&error), "`a` stands twice in one object");
        }
    }

    #[test]
    fn types_are_told_in_words() {
        for (json, found) in [
            ("{}", "an object"),
            ("[]", "a list"),
            ("3", "the number 3"),
            ("-1.5", "the number -1.5"),
            ("true", "true"),
            ("null", "null"),
        ] {
            let error = serde_json::from_str::<std::net::IpAddr>(json).unwrap_err();
            assert_eq!(reason(&error), format!("expected IP address, found {found}"));
        }
        let error = serde_json::from_str::<bool>("\"cold\"").unwrap_err();
        assert_eq!(reason(&error), "expected a boolean, found the text \"cold\"");
    }

    #[test]
    fn other_values_are_those_of_serde_json() {
        let json = r#"{"a": [null, true, -1, 18446744073709551615, 1e300, "b\n", {}], "c": {"a": []}}"#;
        let Unique(value) = serde_json::from_str(json).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(json).unwrap());
    }

    #[test]
    fn values_of_other_types_are_named() {
        let json = r#"{"a": [1], "b": {"c": 1}, "d": "e\n", "f": 1.5, "g": true, "h": null}"#;
        let of = || Fields(serde_json::from_str(json).unwrap());
        for (found, message) in [
            (of().text("a").err(), "`a`: expected a text, found a list"),
            (of().scalar("b").err(), "`b`: expected a text or a number, found an object"),
            (of().list("d").err(), "`d`: expected a list, found the text \"e\\n\""),
            (of().offset("f").err(), "`f`: expected a whole number, found the number 1.5"),
            (of().number("g").err(), "`g`: expected a number, found true"),
            (of().object("a").err(), "`a`: expected an object, found a list"),
        ] {
            assert_eq!(found.as_deref(), Some(message));
        }
        assert_eq!((of().text("h"), of().list("i"), of().number("f")), (Ok(None), Ok(Vec::new()), Ok(Some(1.5))));
    }
}
