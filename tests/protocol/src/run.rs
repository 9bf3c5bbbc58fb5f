//! What the tests ask of a model: that it holds, that it breaks, that work always can end.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::thread;

use stateright::{Checker, HasDiscoveries, Model};

/// Name of the property that at every instant every wrong copy is flagged.
pub const FLAGGED: &str = "every wrong copy is flagged";

/// Name of the property that nothing is wrong once nobody runs and no flag is left.
pub const SETTLED: &str = "nothing is wrong when all is settled";

/// Name of the witness that a run with work in it ends; without it a model in which nothing moves would prove anything.
pub const DONE: &str = "some work is done and settled";

/// A model of concurrent programs that leave flags for each other.
pub trait Protocol: Model {
    /// Nobody is in the middle of anything, and no flag asks for more work.
    fn settled(&self, state: &Self::State) -> bool;
}

/// What a search saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Different states.
    pub states: usize,
    /// Steps of the counterexample, 0 if none was asked for.
    pub steps: usize,
}

/// Visits every reachable state and panics with the shortest trace to a broken property; also if a witness is missing.
pub fn proves<M>(model: M) -> Seen
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + std::fmt::Debug,
    M::Action: Clone + PartialEq + std::fmt::Debug,
{
    let checker = model.checker().spawn_bfs().join();
    for (name, path) in checker.discoveries() {
        assert!(
            !fails(checker.model(), name),
            "\"{name}\" breaks after {:#?}",
            path.into_actions()
        );
    }
    for property in checker.model().properties() {
        let missing = !property.expectation.discovery_is_failure()
            && checker.discovery(property.name).is_none();
        assert!(!missing, "\"{}\" is never reached", property.name);
    }
    Seen {
        states: checker.unique_state_count(),
        steps: 0,
    }
}

/// As [`proves`], on all processors: for the configurations of millions of states.
pub fn proves_big<M>(model: M) -> Seen
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + std::fmt::Debug,
    M::Action: Clone + PartialEq + std::fmt::Debug,
{
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let checker = model.checker().threads(threads).spawn_bfs().join();
    checker.assert_properties();
    Seen {
        states: checker.unique_state_count(),
        steps: 0,
    }
}

/// Searches until `property` is broken and panics if it never is.
pub fn refutes<M>(model: M, property: &'static str) -> Seen
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + std::fmt::Debug,
    M::Action: Clone + PartialEq + std::fmt::Debug,
{
    assert!(
        fails(&model, property),
        "the model has no property \"{property}\""
    );
    let until = HasDiscoveries::AllOf(BTreeSet::from([property]));
    let checker = model.checker().finish_when(until).spawn_bfs().join();
    let path = checker.discovery(property).unwrap_or_else(|| {
        panic!(
            "\"{property}\" holds in all {} states",
            checker.unique_state_count()
        )
    });
    Seen {
        states: checker.unique_state_count(),
        steps: path.into_actions().len(),
    }
}

/// Visits every reachable state and panics if `property` is broken, whatever else is: a rule may cost one property and spare another.
pub fn spares<M>(model: M, property: &'static str) -> Seen
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + std::fmt::Debug,
    M::Action: Clone + PartialEq + std::fmt::Debug,
{
    assert!(
        fails(&model, property),
        "the model has no property \"{property}\""
    );
    let checker = model.checker().spawn_bfs().join();
    if let Some(path) = checker.discovery(property) {
        panic!("\"{property}\" breaks after {:#?}", path.into_actions());
    }
    Seen {
        states: checker.unique_state_count(),
        steps: 0,
    }
}

/// Panics if a state is reachable from which the work can no longer be ended: a flag nobody can take off, a step nobody can take.
pub fn can_always_settle<M>(model: &M)
where
    M: Protocol,
    M::State: Hash + Eq + Clone + std::fmt::Debug,
{
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
    if let Some((state, _)) = number.iter().find(|(_, at)| !ending[**at]) {
        panic!("no way to settle from {state:#?}");
    }
}

fn fails<M: Model>(model: &M, property: &str) -> bool {
    model
        .properties()
        .iter()
        .any(|known| known.name == property && known.expectation.discovery_is_failure())
}
