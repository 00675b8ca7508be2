//! The recognizer of the arguments.

use truename::{DictionaryRecognizer, Recognizer};

use super::open_kb;
use crate::arguments::RecognizerArguments;

/// Creates the recognizer: the dictionary of the knowledge base, with the types of its concepts.
pub fn recognizer(arguments: &RecognizerArguments) -> anyhow::Result<Box<dyn Recognizer>> {
    let dictionary = DictionaryRecognizer::new(open_kb(&arguments.kb)?).nested(arguments.nested).typed(true);
    Ok(Box::new(dictionary))
}
