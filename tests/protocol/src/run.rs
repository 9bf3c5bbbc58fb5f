//! The checks of a model: that its properties hold, that they break, that work can always end.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::thread;

use stateright::{Checker, HasDiscoveries, Model, Path};

/// Name of the property that at every instant every wrong copy is flagged.
pub const FLAGGED: &str = "every wrong copy is flagged";

/// Name of the property that nothing is wrong once no program runs and no flag is left.
pub const SETTLED: &str = "nothing is wrong when all is settled";

/// Name of the witness that a run with work in it ends; without it a model in which nothing moves would prove anything.
pub const DONE: &str = "some work is done and settled";

/// A model of concurrent programs that leave flags for each other.
pub trait Protocol:
    Model<State: Hash + Eq + Clone + Debug + Send + Sync, Action: Clone + PartialEq + Debug>
    + Clone
    + Send
    + Sync
    + 'static
{
    /// True if no program is between two steps, and no flag is left.
    fn settled(&self, state: &Self::State) -> bool;
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Different states.
    pub states: usize,
    /// Steps of the shortest counterexample, 0 if there is none.
    pub steps: usize,
}

/// Visits every reachable state and panics with a trace to a broken property; also if a witness is missing.
pub fn proves<M: Protocol>(model: M) -> Seen {
    all_of(model, 1)
}

/// As [`proves`], on all processors: for the configurations of millions of states.
pub fn proves_big<M: Protocol>(model: M) -> Seen {
    all_of(
        model,
        thread::available_parallelism().map_or(1, usize::from),
    )
}

fn all_of<M: Protocol>(model: M, threads: usize) -> Seen {
    let checker = model.checker().threads(threads).spawn_bfs().join();
    for property in checker.model().properties() {
        let path = checker.discovery(property.name).map(Path::into_actions);
        match path {
            Some(path) if property.expectation.discovery_is_failure() => {
                panic!("\"{}\" breaks after {path:?}", property.name)
            }
            None if !property.expectation.discovery_is_failure() => {
                panic!("\"{}\" is never reached", property.name)
            }
            _ => {}
        }
    }
    Seen {
        states: checker.unique_state_count(),
        steps: 0,
    }
}

/// Searches until `property` is broken and panics if it never is.
pub fn refutes<M: Protocol>(model: M, property: &'static str) -> Seen {
    let found = search(model.clone(), property, None);
    let Some(mut steps) = found.1 else {
        panic!("\"{property}\" holds in all {} states", found.0)
    };
    // The checker keeps the last trace of those it meets at about the same time.
    while let (_, Some(shorter)) = search(model.clone(), property, Some(steps)) {
        steps = shorter;
    }
    Seen {
        states: found.0,
        steps,
    }
}

/// The states seen and the steps of a trace that breaks `property`, if there is one of fewer than `below` steps.
fn search<M: Protocol>(
    model: M,
    property: &'static str,
    below: Option<usize>,
) -> (usize, Option<usize>) {
    assert!(
        fails(&model, property),
        "the model has no property \"{property}\""
    );
    let until = HasDiscoveries::AllOf(BTreeSet::from([property]));
    let checker = model.checker().finish_when(until);
    let checker = below.into_iter().fold(checker, |checker, below| {
        checker.target_max_depth(below + 1)
    });
    let checker = checker.spawn_bfs().join();
    let steps = checker
        .discovery(property)
        .map(|path| path.into_actions().len());
    (checker.unique_state_count(), steps)
}

/// Visits every reachable state and panics if `property` is broken, whatever else is: a rule may cost one property and spare another.
pub fn spares<M: Protocol>(model: M, property: &'static str) -> Seen {
    assert!(
        fails(&model, property),
        "the model has no property \"{property}\""
    );
    let checker = model.checker().spawn_bfs().join();
    if let Some(path) = checker.discovery(property) {
        panic!("\"{property}\" breaks after {:?}", path.into_actions());
    }
    Seen {
        states: checker.unique_state_count(),
        steps: 0,
    }
}

/// Panics if a state is reachable from which the work cannot end any more: a flag or a step that no program can take off or take.
pub fn can_always_settle<M: Protocol>(model: &M) {
    if let Some(state) = stuck(model) {
        panic!("no way to settle from {state:#?}");
    }
}

/// Panics if the work can be ended from every reachable state.
pub fn can_get_stuck<M: Protocol>(model: &M) {
    assert!(
        stuck(model).is_some(),
        "there is a way to settle from everywhere"
    );
}

fn stuck<M: Protocol>(model: &M) -> Option<M::State> {
    let mut number = HashMap::new();
    let mut before: Vec<Vec<usize>> = Vec::new();
    let mut ends = VecDeque::new();
    let mut open = VecDeque::new();
    for state in model.init_states() {
        open.push_back((state, None));
    }
    while let Some((state, from)) = open.pop_front() {
        let next = number.len();
        let this = *number.entry(state.clone()).or_insert(next);
        if this == next {
            before.push(Vec::new());
            if model.settled(&state) {
                ends.push_back(this);
            }
            open.extend(
                model
                    .next_states(&state)
                    .into_iter()
                    .map(|next| (next, Some(this))),
            );
        }
        before[this].extend(from);
    }
    let mut ending = vec![false; before.len()];
    while let Some(state) = ends.pop_front() {
        if !std::mem::replace(&mut ending[state], true) {
            ends.extend(&before[state]);
        }
    }
    number
        .into_iter()
        .find(|(_, at)| !ending[*at])
        .map(|(state, _)| state)
}

fn fails<M: Model>(model: &M, property: &str) -> bool {
    model
        .properties()
        .iter()
        .any(|known| known.name == property && known.expectation.discovery_is_failure())
}
