//! The extension module of the Python package `truename`: a thin layer over the library.
//!
//! Every call gives up the interpreter's lock and runs on a pool of threads ([`call`]). What does not survive a fork is opened anew in
//! the child ([`process`]). Errors become Python's own ([`error`]).

mod alignment;
mod calibration;
mod call;
mod candidate;
mod clusters;
mod column;
mod command;
mod document;
mod encoder;
mod error;
mod evaluation;
mod json;
mod judgements;
mod knowledge_base;
mod link;
mod linker;
mod log;
mod mappings;
mod matcher;
mod matches;
mod mention;
mod models;
mod options;
mod pickle;
mod pool;
mod process;
mod recognizer;
mod record_parts;
mod records;
mod simplifier;
mod training;
mod vectors;
mod watch;

/// Entity linking: what the package `truename` is made of.
#[pyo3::pymodule]
mod _truename {
    #[pymodule_export]
    use super::alignment::align;
    #[pymodule_export]
    use super::candidate::Candidate;
    #[pymodule_export]
    use super::clusters::cluster;
    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::document::Document;
    #[pymodule_export]
    use super::encoder::Encoder;
    #[pymodule_export]
    use super::evaluation::{
        assertions, calibrate_recognizer, classes, clusters, link, mappings, mentions, names, pairs, substitutes,
    };
    #[pymodule_export]
    use super::knowledge_base::{KnowledgeBase, bundled, cache_folder};
    #[pymodule_export]
    use super::link::Link;
    #[pymodule_export]
    use super::linker::{LinkedDocuments, Linker};
    #[pymodule_export]
    use super::mappings::Mappings;
    #[pymodule_export]
    use super::matcher::Matcher;
    #[pymodule_export]
    use super::matches::Matches;
    #[pymodule_export]
    use super::mention::Mention;
    #[pymodule_export]
    use super::models::{bundled_models, quantize};
    #[pymodule_export]
    use super::process::{after_fork_in_child, after_fork_in_parent, before_fork};
    #[pymodule_export]
    use super::recognizer::Recognizer;
    #[pymodule_export]
    use super::record_parts::{RecordParts, fit_sample};
    #[pymodule_export]
    use super::records::{dedupe, dedupe_against, dedupe_linked, explain_match, label_pairs, merge_rows};
    #[pymodule_export]
    use super::simplifier::Simplifier;
    #[pymodule_export]
    use super::training::train;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("_LONGEST_NAME_BYTES", truename::LONGEST_NAME_BYTES)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
