//! The report of `truename evaluate mappings`: scores by gold mappings, and the ranks of given candidates.

use std::fmt;

use serde::Serialize;
use truename_align::{CandidateList, FileMapping};

use crate::mappings::likeliest;
use crate::{MappingScores, MappingScoring};

/// Numbers of candidates among which the right one is looked for.
const DEPTHS: [usize; 3] = [1, 5, 10];

/// Scores of mappings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MappingReport {
    /// Scores by gold mappings, if there are any.
    #[serde(flatten)]
    pub scores: Option<MappingScores>,
    /// Ranks of the right ones of given candidates, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingScores>,
}

/// Ranks of the right ones of given candidates, ordered by the probability of their mapping; one that was not found has the probability
/// 0. A candidate that is as likely as others has the middle of their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankingScores {
    /// Number of lists of candidates.
    pub lists: usize,
    /// Number of right candidates that were not found.
    pub absent: usize,
    /// Mean reciprocal rank of the right candidate.
    pub mrr: f64,
    /// Share of the lists with the right candidate first.
    #[serde(rename = "hits@1")]
    pub hits_at_1: f64,
    /// Share of the lists with the right candidate among the first 5.
    #[serde(rename = "hits@5")]
    pub hits_at_5: f64,
    /// Share of the lists with the right candidate among the first 10.
    #[serde(rename = "hits@10")]
    pub hits_at_10: f64,
}

impl MappingReport {
    /// Scores mappings by gold ones, and by the ranks that they give to candidates.
    pub fn of(
        found: &[FileMapping],
        gold: &[FileMapping],
        candidates: &[CandidateList],
        scoring: MappingScoring,
    ) -> Self {
        let scores = (!gold.is_empty()).then(|| MappingScores::of(found, gold, scoring));
        Self { scores, ranking: RankingScores::of(found, candidates) }
    }
}

impl RankingScores {
    /// Scores mappings by the ranks that they give to candidates; none without candidates.
    pub fn of(found: &[FileMapping], lists: &[CandidateList]) -> Option<Self> {
        let likeliest = likeliest(found);
        let probability =
            |subject: &str, object: &str| likeliest.get(&(subject, object)).map(|mapping| mapping.confidence);
        let rank = |list: &CandidateList| {
            let of = |object: &str| probability(&list.subject, object).unwrap_or_default();
            let right = of(&list.object);
            let others = || list.candidates.iter().filter(|other| **other != list.object).map(|other| of(other));
            let (above, equal) =
                (others().filter(|one| *one > right).count(), others().filter(|one| *one == right).count());
            1.0 + above as f64 + equal as f64 / 2.0
        };
        let ranks: Vec<f64> = lists.iter().map(rank).collect();
        let count = ranks.len() as f64;
        let hits = DEPTHS.map(|depth| ranks.iter().filter(|rank| **rank <= depth as f64).count() as f64 / count);
        let [hits_at_1, hits_at_5, hits_at_10] = hits;
        (!ranks.is_empty()).then(|| Self {
            lists: lists.len(),
            absent: lists.iter().filter(|list| probability(&list.subject, &list.object).is_none()).count(),
            mrr: ranks.iter().map(|rank| rank.recip()).sum::<f64>() / count,
            hits_at_1,
            hits_at_5,
            hits_at_10,
        })
    }
}

impl fmt::Display for MappingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scores) = &self.scores {
            write!(f, "{scores}")?;
        }
        let Some(RankingScores { lists, absent, mrr, hits_at_1, hits_at_5, hits_at_10 }) = self.ranking else {
            return Ok(());
        };
        f.write_str(if self.scores.is_some() { "\n" } else { "" })?;
        writeln!(f, "{lists} lists of candidates, {absent} of the right ones not found")?;
        write!(f, "MRR {mrr:.4}, Hits@1 {hits_at_1:.4}, Hits@5 {hits_at_5:.4}, Hits@10 {hits_at_10:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(lines: &[&str]) -> Vec<CandidateList> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.cands.tsv");
        std::fs::write(&path, format!("SrcEntity\tTgtEntity\tTgtCandidates\n{}\n", lines.join("\n"))).unwrap();
        truename_align::read_candidates(&path).unwrap()
    }

    #[test]
    fn candidates_are_ranked_by_probability() {
        let mapping = FileMapping::exact;
        let found = [
            mapping("a:1", "b:1", 0.9),
            mapping("a:1", "b:2", 0.4),
            mapping("a:2", "b:1", 0.8),
            mapping("a:2", "b:2", 0.7),
            mapping("a:2", "b:9", 1.0),
        ];
        // Ranks 1 and 2, then 1.5 of two candidates that were not found: b:9 is none of the candidates.
        let lists =
            lists(&["a:1\tb:1\t('b:1', 'b:2', 'b:3')", "a:2\tb:2\t('b:1', 'b:2', 'b:3')", "a:3\tb:1\t('b:1', 'b:2')"]);
        let scores = RankingScores::of(&found, &lists).unwrap();
        assert_eq!((scores.lists, scores.absent), (3, 1));
        assert!((scores.mrr - (1.0 + 1.0 / 2.0 + 1.0 / 1.5) / 3.0).abs() < 1e-12, "{scores:?}");
        assert_eq!((scores.hits_at_1, scores.hits_at_5), (1.0 / 3.0, 1.0));
        assert!(RankingScores::of(&found, &[]).is_none());
        let report = MappingReport::of(&found, &[], &lists, MappingScoring { threshold: 0.0, gold_is_partial: false });
        assert!(report.scores.is_none() && report.to_string().starts_with("3 lists of candidates, 1 of the right"));
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["ranking"]["hits@5"], 1.0);
    }
}
