//! The kind `chain`: several runs, each of which may start from the models of those before.

use super::Kind;
use crate::chain::{ChainKeys, KIND as NAME};
use crate::error;
use crate::recipe::{Part, Schema};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: NAME,
        summary: "several runs, each of which may start from the models of those before",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: several runs, one after the other.\nkind = \"chain\"\n\n",
            include_str!("chain.toml"),
        ),
        parts: &[Part::of::<ChainKeys>()],
    },
    begin: |_, _, _| Err(error::value("task.kind", NAME, "the kind of a single run here")),
    begin_on: None,
};
