//! Cycles among parents, which an import lists and keeps.

use std::collections::HashMap;

use crate::{Concept, ConceptId};

/// Steps of a cycle shown.
const SHOWN_STEPS: usize = 8;

/// Returns each cycle among parents once, as `A → B → A`.
pub(super) fn cycles(concepts: &[Concept], by_id: &HashMap<ConceptId, usize>) -> Vec<String> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; concepts.len()];
    let mut found = Vec::new();
    for start in 0..concepts.len() {
        // The path from `start`, each concept with the number of its next parent.
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if *next == 0 && state[at] == State::Done {
                path.pop();
                continue;
            }
            state[at] = State::Open;
            let Some(parent) = concepts[at].parents.get(*next) else {
                state[at] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match by_id.get(parent) {
                Some(&above) if state[above] == State::Open => {
                    let from = path.iter().position(|(step, _)| *step == above).unwrap_or_default();
                    let steps = path[from..].iter().map(|(step, _)| concepts[*step].id.as_str());
                    let more = if path.len() - from > SHOWN_STEPS { vec!["…"] } else { Vec::new() };
                    let steps = steps.take(SHOWN_STEPS).chain(more).chain([parent.as_str()]);
                    found.push(steps.collect::<Vec<_>>().join(" → "));
                }
                Some(&above) if state[above] == State::New => path.push((above, 0)),
                _ => {}
            }
        }
    }
    found
}
