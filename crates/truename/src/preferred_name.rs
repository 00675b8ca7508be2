//! Of the concepts that share a name, puts first the one that prefers it.

use truename_text::NameProfile;

use crate::Candidate;

/// Closeness of a preferred name to the query; later is closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    Exact,
    Written,
}

/// Puts the candidate that alone has the query as its preferred name before all others, and gives it the highest of their
/// probabilities; those before it move one place down. Candidates stand likeliest first.
pub(crate) fn put_sole_preferred_first(query: &NameProfile, candidates: &mut [Candidate]) {
    let Some(at) = sole_preferred(query, candidates) else { return };
    let probabilities: Vec<f64> = candidates[..=at].iter().map(|candidate| candidate.probability).collect();
    candidates[..=at].rotate_right(1);
    for (candidate, probability) in candidates.iter_mut().zip(probabilities) {
        candidate.probability = probability;
    }
}

/// Returns the place of the candidate that alone has the query as its preferred name: as written or, if none has it so, by its
/// normal form.
pub(crate) fn sole_preferred(query: &NameProfile, candidates: &[Candidate]) -> Option<usize> {
    let closeness: Vec<Option<Closeness>> = candidates
        .iter()
        .map(|candidate| closeness(query, &candidate.preferred_name, candidate.scores.exact))
        .collect();
    let closest = closeness.iter().max().copied().flatten()?;
    let mut places = (0..closeness.len()).filter(|at| closeness[*at] == Some(closest));
    let sole = places.next();
    sole.filter(|_| places.next().is_none())
}

fn closeness(query: &NameProfile, preferred: &str, exact: f64) -> Option<Closeness> {
    if exact < 1.0 {
        None
    } else if query.written == preferred.trim() {
        Some(Closeness::Written)
    } else {
        (query.keys().exact == NameProfile::new(preferred).keys().exact).then_some(Closeness::Exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(of: &[(&str, f64, f64)]) -> Vec<Candidate> {
        let candidate = |(at, (name, exact, probability)): (usize, &(&str, f64, f64))| {
            let mut candidate = Candidate::new(format!("C:{at}").parse().unwrap(), *name, *probability);
            candidate.scores.exact = *exact;
            candidate
        };
        of.iter().enumerate().map(candidate).collect()
    }

    fn answers(query: &str, of: &[(&str, f64, f64)]) -> Vec<(String, f64)> {
        let mut candidates = candidates(of);
        put_sole_preferred_first(&NameProfile::new(query), &mut candidates);
        candidates.into_iter().map(|one| (one.id.to_string(), one.probability)).collect()
    }

    fn pairs(of: &[(&str, f64)]) -> Vec<(String, f64)> {
        of.iter().map(|(id, probability)| ((*id).to_owned(), *probability)).collect()
    }

    #[test]
    fn the_sole_preferred_name_has_the_highest_probability() {
        let of = [("FG syndrome 1", 1.0, 0.5), ("FG fever", 0.0, 0.2), ("fg-syndrome", 1.0, 0.1), ("other", 1.0, 0.05)];
        let expected = pairs(&[("C:2", 0.5), ("C:0", 0.2), ("C:1", 0.1), ("C:3", 0.05)]);
        assert_eq!(answers("FG Syndrome", &of), expected);
    }

    #[test]
    fn of_several_preferred_names_the_one_as_written_decides() {
        let of = [("RCH-ACV", 1.0, 0.5), ("RCHACV", 1.0, 0.4)];
        assert_eq!(answers("RCHACV", &of), pairs(&[("C:1", 0.5), ("C:0", 0.4)]));
        assert_eq!(answers("rchacv", &of), pairs(&[("C:0", 0.5), ("C:1", 0.4)]), "both in normal form");
        let equal = [("cold", 1.0, 0.5), ("cold", 1.0, 0.4)];
        assert_eq!(answers("cold", &equal), pairs(&[("C:0", 0.5), ("C:1", 0.4)]));
    }
}
