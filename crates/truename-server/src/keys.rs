//! Keys of the users.

use std::path::Path;

use subtle::ConstantTimeEq;
use truename_read::{Source, SourceOptions};

use crate::{Error, error};

/// Shortest key in bytes.
const SHORTEST: usize = 16;

/// Keys that a server accepts, each with the name of its user.
pub struct Keys(Vec<(String, String)>);

impl Keys {
    /// Reads a file with a line for each key: the user's name, white space, the key. Empty lines and lines that begin with `#` are
    /// skipped.
    ///
    /// # Errors
    /// If the file cannot be read, a line has another form, a key is shorter than 16 bytes, or a key occurs twice.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = Source::open(path, &SourceOptions::default()).and_then(Source::into_string)?;
        let mut keys: Vec<(String, String)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: &str| error::keys(format!("{}: line {} {what}", path.display(), number + 1));
            let (user, key) = line.split_once(char::is_whitespace).ok_or_else(|| wrong("is no name and key"))?;
            let key = key.trim();
            if key.len() < SHORTEST {
                return Err(wrong("has a key of fewer than 16 bytes"));
            }
            if keys.iter().any(|(_, other)| other == key) {
                return Err(wrong("repeats a key"));
            }
            keys.push((user.to_owned(), key.to_owned()));
        }
        if keys.is_empty() {
            return Err(error::keys(format!("{} has no key", path.display())));
        }
        Ok(Self(keys))
    }

    /// Returns the user of a key. The time depends on no key but the given one.
    pub fn user(&self, key: &str) -> Option<&str> {
        let mut user = None;
        for (name, known) in &self.0 {
            if bool::from(known.as_bytes().ct_eq(key.as_bytes())) {
                user = Some(name.as_str());
            }
        }
        user
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} keys", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Keys, Error> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Keys::read(file.path())
    }

    #[test]
    fn a_key_has_a_user() {
        let keys = read("# team\nann  0123456789abcdef\n\nbob\tfedcba9876543210\n").unwrap();
        assert_eq!(keys.user("fedcba9876543210"), Some("bob"));
        assert_eq!(keys.user("fedcba987654321"), None);
        assert_eq!(keys.user(""), None);
    }

    #[test]
    fn a_malformed_file_is_refused_by_line() {
        for (text, said) in [
            ("", "has no key"),
            ("ann\n", "line 1 is no name and key"),
            ("ann short\n", "fewer than 16 bytes"),
            ("a 0123456789abcdef\nb 0123456789abcdef\n", "line 2 repeats a key"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
