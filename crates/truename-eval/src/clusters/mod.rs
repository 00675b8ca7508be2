//! Scores of clusters of names, as CESI computes them (Vashishth et al. 2018, section 7.1.2).
//!
//! [`Clusters`] are read from a table or from CUVA's files; [`ClusterScores`] compares found clusters with gold ones, and a
//! [`ClusterReport`] those of names that were clustered or of a file.

mod read;
mod report;
mod scores;

pub use self::read::Clusters;
pub use self::report::ClusterReport;
pub use self::scores::ClusterScores;
