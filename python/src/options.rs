//! Keyword arguments that are read by their names.

/// Declares the keyword arguments of a method, with their defaults; `None` stands for the default.
macro_rules! keywords {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name { $(pub $field: $kind,)* }

        impl $name {
            /// Reads the arguments of `method`.
            pub fn read(
                method: &str,
                given: Option<&pyo3::Bound<'_, pyo3::types::PyDict>>,
            ) -> pyo3::PyResult<Self> {
                use pyo3::types::{PyAnyMethods, PyDictMethods};
                let mut read = Self { $($field: $default,)* };
                for (key, value) in given.into_iter().flat_map(|given| given.iter()) {
                    let key: String = key.extract()?;
                    match key.as_str() {
                        $(stringify!($field) if value.is_none() => {}
                        stringify!($field) => {
                            read.$field = value.extract().map_err(|error: pyo3::PyErr| $crate::options::of_argument(&key, error))?;
                        })*
                        _ => return Err($crate::options::unknown(method, &key, &[$(stringify!($field)),*])),
                    }
                }
                Ok(read)
            }
        }
    };
}
pub(crate) use keywords;

use pyo3::exceptions::PyTypeError;
use pyo3::{PyErr, PyResult, Python};

/// Names the argument in the message of a type error.
pub fn of_argument(name: &str, error: PyErr) -> PyErr {
    Python::attach(|py| match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(format!("argument '{name}': {}", error.value(py))),
        false => error,
    })
}

pub fn unknown(method: &str, name: &str, known: &[&str]) -> PyErr {
    let message = format!("{method}() got an unexpected keyword argument '{name}'");
    crate::error::advised(PyTypeError::new_err(message), &format!("it takes {}", known.join(", ")))
}

/// Refuses a number that is no probability.
pub fn probability(name: &str, value: f64) -> PyResult<()> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(pyo3::exceptions::PyValueError::new_err(format!("{name} is {value}; it is a number from 0 to 1"))),
    }
}
