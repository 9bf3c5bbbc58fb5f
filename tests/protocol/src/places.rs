//! A bounded array of a two-way reference: a child has its place in the parent, a mark with a time, before it is stored (P1), and W2 puts its id
//! into the array in the place of the mark.
//!
//! One parent, a child per program. The model [`two_way`](crate::two_way) takes W2, W3 and W4 of a flagged child apart; here they are one step, and so
//! is the sweep of a mark. Time is the lease of a place, which may pass at any moment.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that the bound is about.
pub const BOUND: &str = "no more children are accepted than the bound admits";

/// Name of the property that readers of the array see, as long as no lease passes.
pub const LENGTH: &str = "the array is never longer than its bound";

/// The task of a program, done once (sweepers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores its child: P1, I1, then W2 and the answer.
    Store,
    /// The server refuses its child after P1, and it removes the place.
    Refused,
    /// Deletes the child of that program.
    Delete(usize),
    /// Lists flagged children, and compares old places with their children.
    Sweep,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// The bound.
    pub max: usize,
    /// Programs may die between any two steps, and their last command may arrive later.
    pub crashes: bool,
    /// Leases may pass.
    pub expires: bool,
    /// P1 comes before I1; else the child is stored first, if the array has room.
    pub before: bool,
    /// The filter of P1 has the bound; else the array is read before it.
    pub filtered: bool,
    /// The bound is about the ids and the places together.
    pub counts_places: bool,
    /// The sweep leaves places alone whose lease has not passed.
    pub waits: bool,
    /// A writer whose lease has passed when its child is stored sets the time of its place anew before it answers, or looks for another one.
    pub again: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(max: usize, roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            max,
            crashes: true,
            expires: true,
            before: true,
            filtered: true,
            counts_places: true,
            waits: true,
            again: true,
        }
    }
}

/// A child: `{_dn: {p}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    flagged: bool,
    accepted: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// P1, or without a filter the read before it.
    Place,
    /// P1 after the array was read.
    PlaceUnfiltered,
    /// I1.
    Store,
    /// The look at the lease, if that has passed, and W2.
    List,
    /// The removal of the place of a child that was refused.
    Release,
    /// A sweeper has read that there is no child with this place; the second number is the time of the place.
    Remove(usize, u8),
    /// Dead, with I1 under way.
    Lost,
    /// Between two tasks, done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    listed: Vec<bool>,
    placed: Vec<bool>,
    /// When they were placed: 1 for those that were renewed.
    times: Vec<u8>,
    expired: Vec<bool>,
    children: Vec<Option<Child>>,
    programs: Vec<At>,
}

/// An atomic step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its next one.
    Step(usize),
    /// A sweeper lists that flagged child.
    List(usize),
    /// A sweeper reads the child of that place.
    Read(usize, usize),
    /// The lease of that place passes.
    Expire(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Places(pub Config);

const NEW: Child = Child {
    flagged: true,
    accepted: false,
};

impl Places {
    fn first(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Store | Role::Refused if self.0.before => At::Place,
            Role::Store | Role::Refused | Role::Delete(_) => At::Store,
            Role::Sweep => At::Over,
        }
    }

    fn fits(&self, state: &State, i: usize) -> bool {
        let taken = |n: &usize| state.listed[*n] || self.0.counts_places && state.placed[*n];
        let others = (0..state.listed.len()).filter(taken).filter(|n| *n != i);
        others.count() < self.0.max
    }

    /// W2 to W4.
    fn list(state: &mut State, child: usize) {
        if let Some(stored) = &mut state.children[child]
            && std::mem::take(&mut stored.flagged)
        {
            state.listed[child] = true;
            state.placed[child] = false;
        }
    }

    /// The child is deleted, and leaves the array.
    fn delete(state: &mut State, child: usize) {
        state.children[child] = None;
        state.listed[child] = false;
    }

    fn store(&self, state: &mut State, i: usize) -> At {
        let fits = self.fits(state, i);
        match state.programs[i] {
            At::Place if !fits => At::Over,
            At::Place if !self.0.filtered => At::PlaceUnfiltered,
            At::Place | At::PlaceUnfiltered => {
                state.placed[i] = true;
                match self.0.roles[i] {
                    Role::Refused => At::Release,
                    _ => At::Store,
                }
            }
            At::Store if !self.0.before && !fits => At::Over,
            At::Store => {
                state.children[i] = Some(NEW);
                At::List
            }
            At::Release => {
                state.placed[i] = false;
                At::Over
            }
            At::List => {
                if self.0.again && state.expired[i] {
                    if !state.placed[i] && !fits {
                        Self::delete(state, i);
                        return At::Over;
                    }
                    // A finisher may have listed the child, whatever the bound says.
                    state.placed[i] = !state.listed[i];
                    state.times[i] = 1;
                }
                Self::list(state, i);
                if let Some(child) = &mut state.children[i] {
                    child.accepted = true;
                }
                At::Over
            }
            at => at,
        }
    }
}

impl Protocol for Places {
    fn settled(&self, state: &State) -> bool {
        let flagged = state.children.iter().flatten().any(|child| child.flagged);
        let mut programs = state.programs.iter();
        programs.all(|at| matches!(at, At::Over | At::Lost))
            && !flagged
            && !state.placed.contains(&true)
    }
}

impl Model for Places {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let programs = self.0.roles.len();
        vec![State {
            listed: vec![false; programs],
            placed: vec![false; programs],
            times: vec![0; programs],
            expired: vec![false; programs],
            children: vec![None; programs],
            programs: (0..programs).map(|i| self.first(i)).collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (self.0.roles[i], *at) {
                (Role::Delete(child), At::Store) => {
                    let there = state.children[child].filter(|child| !child.flagged);
                    actions.extend(there.map(|_| Action::Step(i)));
                }
                (Role::Sweep, At::Over) => {
                    for (child, stored) in state.children.iter().enumerate() {
                        if stored.is_some_and(|stored| stored.flagged) {
                            actions.push(Action::List(child));
                        }
                        let old = state.expired[child] || !self.0.waits;
                        if state.placed[child] && old {
                            actions.push(Action::Read(i, child));
                        }
                    }
                }
                (_, At::Over) => {}
                _ => actions.push(Action::Step(i)),
            }
            let is_open = !matches!(at, At::Over | At::Lost);
            let stores = matches!(self.0.roles[i], Role::Store | Role::Refused);
            if self.0.crashes && stores && is_open {
                actions.push(Action::Crash(i));
            }
            if self.0.expires && state.placed[i] && !state.expired[i] {
                actions.push(Action::Expire(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => {
                state.programs[i] = match (self.0.roles[i], last.programs[i]) {
                    (_, At::Lost) => {
                        state.children[i] = Some(NEW);
                        At::Over
                    }
                    (_, At::Remove(child, time)) => {
                        state.placed[child] &= state.times[child] != time;
                        At::Over
                    }
                    (Role::Delete(child), _) => {
                        Self::delete(&mut state, child);
                        At::Over
                    }
                    _ => self.store(&mut state, i),
                };
            }
            Action::List(child) => Self::list(&mut state, child),
            Action::Read(i, child) => match state.children[child] {
                // The pair is right once the id is in the array.
                Some(_) => {
                    state.listed[child] = true;
                    state.placed[child] = false;
                }
                None => state.programs[i] = At::Remove(child, state.times[child]),
            },
            Action::Expire(i) => state.expired[i] = true,
            Action::Crash(i) => {
                state.programs[i] = match last.programs[i] {
                    At::Store => At::Lost,
                    _ => At::Over,
                };
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(BOUND, |model: &Self, state: &State| {
                let children = state.children.iter().flatten();
                children.filter(|child| child.accepted).count() <= model.0.max
            }),
            Property::always(FLAGGED, |_: &Self, state: &State| {
                let mut children = state.children.iter().enumerate();
                children.all(|(n, child)| {
                    let flagged = child.is_some_and(|child| child.flagged) || state.placed[n];
                    state.listed[n] == child.is_some() || flagged
                })
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                let right =
                    |(n, child): (usize, &Option<Child>)| state.listed[n] == child.is_some();
                !model.settled(state) || state.children.iter().enumerate().all(right)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let listed = state.listed.iter().filter(|listed| **listed);
                model.settled(state) && listed.count() == model.0.max
            }),
        ];
        if !self.0.expires {
            properties.push(Property::always(LENGTH, |model: &Self, state: &State| {
                state.listed.iter().filter(|listed| **listed).count() <= model.0.max
            }));
        }
        properties
    }
}
