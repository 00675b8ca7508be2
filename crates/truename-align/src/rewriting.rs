//! Words that stand for each other, learnt from the synonyms of concepts, and names rewritten with them.
//!
//! Two names of one concept that share their first or last words differ in a phrase each: `renal cortex` and `kidney cortex` in
//! `renal` and `kidney`. A rule counts for itself each concept that has both a name and the rewritten one, and against itself each name
//! whose rewritten form is of another concept.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Words of the longest phrase of a rule.
const LONGEST_PHRASE: usize = 3;
/// Names of one concept that rules are learnt from.
const NAMES: usize = 16;
/// Most rewritten forms of one name.
const MOST_FORMS: usize = 48;
/// Concepts that a rule of parts of names needs.
const MIN_SUPPORT: u32 = 2;
/// Lowest strength of a rule that is used.
const MIN_STRENGTH: f32 = 0.3;
/// Weight of a concept against a rule, beside one for it.
const OPPOSED_WEIGHT: f32 = 2.0;

/// Rules for phrases that stand for each other.
#[derive(Debug, Default)]
pub(crate) struct Rewriting {
    rules: HashMap<String, Vec<(String, f32)>>,
}

/// A rewritten name.
pub(crate) struct Form {
    pub(crate) text: String,
    /// Product of the strengths of the rules, from 0 to 1.
    pub(crate) strength: f32,
}

/// Evidence for a rule.
#[derive(Default)]
struct Evidence {
    supported: u32,
    opposed: u32,
    /// True if both phrases are whole names of one concept.
    is_whole: bool,
    last_concept: Option<usize>,
}

impl Rewriting {
    /// Learns rules from groups of normal forms, each the names of one concept.
    pub(crate) fn learn(groups: &[Vec<&str>]) -> Self {
        let mut found: BTreeMap<(String, String), Evidence> = BTreeMap::new();
        for (number, names) in groups.iter().enumerate() {
            let names: Vec<Vec<&str>> = names.iter().take(NAMES).map(|name| name.split(' ').collect()).collect();
            for (at, one) in names.iter().enumerate() {
                for other in &names[at + 1..] {
                    let Some((one, other, is_whole)) = difference(one, other) else { continue };
                    for rule in [(one.join(" "), other.join(" ")), (other.join(" "), one.join(" "))] {
                        let evidence = found.entry(rule).or_default();
                        evidence.is_whole |= is_whole;
                        if evidence.last_concept.replace(number) != Some(number) {
                            evidence.supported += 1;
                        }
                    }
                }
            }
        }
        found.retain(|_, evidence| evidence.is_whole || evidence.supported >= MIN_SUPPORT);
        oppose(&mut found, groups);
        let mut rules: HashMap<String, Vec<(String, f32)>> = HashMap::new();
        for ((from, to), Evidence { supported, opposed, .. }) in found {
            let strength = supported as f32 / (supported as f32 + OPPOSED_WEIGHT * opposed as f32 + 1.0);
            if strength >= MIN_STRENGTH {
                rules.entry(from).or_default().push((to, strength));
            }
        }
        Self { rules }
    }

    /// Returns the forms that one or two rules make of a normal form.
    pub(crate) fn forms(&self, name: &str) -> Vec<Form> {
        let mut forms = self.once(name, 1.0);
        let (mut seen, mut second) = (HashSet::from([name.to_owned()]), Vec::new());
        forms.retain(|form| seen.insert(form.text.clone()));
        for form in &forms {
            if forms.len() + second.len() >= MOST_FORMS {
                break;
            }
            second
                .extend(self.once(&form.text, form.strength).into_iter().filter(|form| form.strength >= MIN_STRENGTH));
        }
        forms.extend(second.into_iter().filter(|form| seen.insert(form.text.clone())));
        forms.truncate(MOST_FORMS);
        forms
    }

    fn once(&self, name: &str, strength: f32) -> Vec<Form> {
        let words: Vec<&str> = name.split(' ').collect();
        let mut forms = Vec::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + LONGEST_PHRASE) {
                for (to, of_rule) in self.rules.get(&words[start..end].join(" ")).into_iter().flatten() {
                    let text = [&words[..start], &[to], &words[end..]].concat().join(" ");
                    forms.push(Form { text, strength: strength * of_rule });
                }
            }
        }
        forms
    }
}

/// Returns the phrases in which two names differ, and whether they are the whole names; none if they share no word at an end and are
/// longer than a phrase, or one has nothing that the other lacks.
fn difference<'a>(one: &'a [&str], other: &'a [&str]) -> Option<(&'a [&'a str], &'a [&'a str], bool)> {
    let before = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one_rest, other_rest) = (&one[before..], &other[before..]);
    let behind = one_rest.iter().rev().zip(other_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one_rest[..one_rest.len() - behind], &other_rest[..other_rest.len() - behind]);
    let is_phrase = |words: &[&str]| (1..=LONGEST_PHRASE).contains(&words.len());
    (is_phrase(one) && is_phrase(other)).then_some((one, other, before + behind == 0))
}

/// Counts the names that the rules make another concept's name of.
fn oppose(rules: &mut BTreeMap<(String, String), Evidence>, groups: &[Vec<&str>]) {
    let mut concepts: HashMap<&str, Vec<u32>> = HashMap::new();
    for (number, names) in (0..).zip(groups) {
        names.iter().for_each(|name| concepts.entry(name).or_default().push(number));
    }
    let mut targets: HashMap<String, Vec<String>> = HashMap::new();
    rules.keys().for_each(|(from, to)| targets.entry(from.clone()).or_default().push(to.clone()));
    for (number, names) in (0u32..).zip(groups) {
        for name in names {
            let words: Vec<&str> = name.split(' ').collect();
            for start in 0..words.len() {
                for end in start + 1..=words.len().min(start + LONGEST_PHRASE) {
                    let from = words[start..end].join(" ");
                    for to in targets.get(&from).into_iter().flatten() {
                        let text = [&words[..start], &[to], &words[end..]].concat().join(" ");
                        let is_other = concepts.get(text.as_str()).is_some_and(|known| !known.contains(&number));
                        if is_other && let Some(evidence) = rules.get_mut(&(from.clone(), to.clone())) {
                            evidence.opposed += 1;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(rewriting: &Rewriting, name: &str) -> Vec<String> {
        let mut forms: Vec<String> = rewriting.forms(name).into_iter().map(|form| form.text).collect();
        forms.sort_unstable();
        forms
    }

    #[test]
    fn phrases_that_stand_for_each_other_are_learnt_from_synonyms() {
        let groups = [
            vec!["renal cortex", "kidney cortex"],
            vec!["renal artery", "artery of the kidney", "kidney artery"],
            vec!["pes", "foot"],
            vec!["left lung", "lung left"],
        ];
        let rewriting = Rewriting::learn(&groups);
        assert_eq!(forms(&rewriting, "renal vein"), ["kidney vein"]);
        assert_eq!(
            forms(&rewriting, "renal vein of the pes"),
            ["kidney vein of the foot", "kidney vein of the pes", "renal vein of the foot"]
        );
        assert!(forms(&rewriting, "hand").is_empty());
    }

    #[test]
    fn phrases_that_tell_concepts_apart_are_no_rule() {
        let apart = [
            vec!["left arm", "right arm"],
            vec!["left leg", "right leg"],
            vec!["left hand"],
            vec!["right hand"],
            vec!["left foot"],
            vec!["right foot"],
        ];
        assert!(forms(&Rewriting::learn(&apart), "left eye").is_empty());
        assert_eq!(forms(&Rewriting::learn(&apart[..2]), "left eye"), ["right eye"]);
    }
}
