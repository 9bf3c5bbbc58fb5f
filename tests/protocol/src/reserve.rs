//! A bounded count: a child reserves its place in the host before it is stored (P1), and C2 turns the place into a count.
//!
//! One host, a child per buyer. What [`counter`](crate::counter) proves is taken for granted: a flagged child is counted once, in one step. Time is
//! the lease of a reservation, which may pass at any moment.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol, SETTLED};

/// Name of the property that the bound is about.
pub const BOUND: &str = "no more children are accepted than the bound admits";

/// Name of the property that readers see, as long as no lease passes.
pub const NUMBER: &str = "the number never exceeds the bound";

/// The task of a program, done once (resumers: for ever). A buyer stores the child with its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores its child: P1, C1, then the answer, and C2.
    Buy,
    /// Deletes the child of that buyer.
    Refund(usize),
    /// Counts flagged children, and releases reservations whose lease has passed.
    Resume,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// The bound.
    pub max: i8,
    /// Programs may die between any two steps, and their last command may arrive later.
    pub crashes: bool,
    /// Leases may pass.
    pub expires: bool,
    /// P1 comes before C1; else the child is stored first, and counted if the bound admits it.
    pub before: bool,
    /// The filter of P1 has the bound; else the number is read before it.
    pub filtered: bool,
    /// C2 removes the reservation, and adds only what that has not added.
    pub converts: bool,
    /// Before it releases a reservation, a program looks for the child.
    pub looks: bool,
    /// A writer whose lease has passed when its child is stored renews the reservation before it answers, or reserves again.
    pub again: bool,
    /// A renewed reservation is not released by a program that has seen the old one.
    pub renews: bool,
    /// A reservation is released at all.
    pub releases: bool,
    /// A writer that would reserve again looks first if its child was counted meanwhile.
    pub looks_again: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(max: i8, roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            max,
            crashes: true,
            expires: true,
            before: true,
            filtered: true,
            converts: true,
            looks: true,
            again: true,
            renews: true,
            releases: true,
            looks_again: true,
        }
    }
}

/// A child: `{_dn: {c}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    flagged: bool,
    accepted: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// P1, or without a filter the read before it.
    Reserve,
    /// P1 after the number was read.
    ReserveUnfiltered,
    /// C1.
    Store,
    /// The answer, if the lease has not passed.
    Answer,
    /// C2.
    Count,
    /// The deletion of the child that found no place again.
    Withdraw,
    /// A resumer has seen that the child of this reservation is not there; the second number is the time of the reservation.
    Release(usize, u8),
    /// Dead, with C1 under way.
    Lost,
    /// Between two tasks, done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    n: i8,
    reserved: Vec<bool>,
    /// When they were reserved: 1 for those that were renewed.
    times: Vec<u8>,
    expired: Vec<bool>,
    children: Vec<Option<Child>>,
    programs: Vec<At>,
}

/// One atomic step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its next one.
    Step(usize),
    /// A resumer counts the child of that buyer.
    Resume(usize),
    /// A resumer looks for the child of that reservation.
    Look(usize, usize),
    /// The lease of that buyer's reservation passes.
    Expire(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Reserve(pub Config);

impl Reserve {
    fn first(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Buy if self.0.before => At::Reserve,
            Role::Buy | Role::Refund(_) => At::Store,
            Role::Resume => At::Over,
        }
    }

    /// P1 under the bound.
    fn reserve(&self, state: &mut State, i: usize) -> bool {
        let fits = state.n < self.0.max;
        if fits {
            state.n += 1;
            state.reserved[i] = true;
        }
        fits
    }

    /// P1 after C1.
    fn again(&self, state: &mut State, i: usize) -> bool {
        let is_counted = state.children[i].is_some_and(|child| !child.flagged);
        if self.0.looks_again && is_counted {
            return state.n <= self.0.max;
        }
        if !state.reserved[i] && !self.reserve(state, i) {
            return false;
        }
        state.times[i] = u8::from(self.0.renews);
        true
    }

    /// C2.
    fn count(&self, state: &mut State, child: usize) {
        let Some(stored) = &mut state.children[child] else {
            return;
        };
        if std::mem::take(&mut stored.flagged) {
            let reserved = std::mem::take(&mut state.reserved[child]);
            state.n += i8::from(!(reserved && self.0.converts));
        }
    }

    fn buy(&self, state: &mut State, i: usize) -> At {
        match state.programs[i] {
            At::Reserve if !self.0.filtered => match state.n < self.0.max {
                true => At::ReserveUnfiltered,
                false => At::Over,
            },
            At::Reserve => match self.reserve(state, i) {
                true => At::Store,
                false => At::Over,
            },
            At::ReserveUnfiltered => {
                state.n += 1;
                state.reserved[i] = true;
                At::Store
            }
            At::Store => {
                state.children[i] = Some(Child {
                    flagged: true,
                    accepted: false,
                });
                At::Answer
            }
            At::Answer => {
                let late = self.0.again && state.expired[i];
                if late && !self.again(state, i) {
                    return At::Withdraw;
                }
                if let Some(child) = &mut state.children[i] {
                    child.accepted = true;
                }
                At::Count
            }
            At::Withdraw => {
                self.count(state, i);
                state.n -= i8::from(state.children[i].take().is_some());
                At::Over
            }
            _ => {
                self.count(state, i);
                At::Over
            }
        }
    }
}

impl Protocol for Reserve {
    fn settled(&self, state: &State) -> bool {
        let flagged = state.children.iter().flatten().any(|child| child.flagged);
        let idle = state
            .programs
            .iter()
            .all(|at| matches!(at, At::Over | At::Lost));
        let reserved = state.reserved.contains(&true);
        idle && !flagged && !(reserved && self.0.releases)
    }
}

impl Model for Reserve {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let programs = self.0.roles.len();
        vec![State {
            n: 0,
            reserved: vec![false; programs],
            times: vec![0; programs],
            expired: vec![false; programs],
            children: vec![None; programs],
            programs: (0..programs).map(|i| self.first(i)).collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (self.0.roles[i], *at) {
                (Role::Refund(child), At::Store) => {
                    let there = state.children[child].filter(|child| !child.flagged);
                    actions.extend(there.map(|_| Action::Step(i)));
                }
                (Role::Resume, At::Over) => {
                    for (child, stored) in state.children.iter().enumerate() {
                        if stored.is_some_and(|stored| stored.flagged) {
                            actions.push(Action::Resume(child));
                        }
                        let stale = state.reserved[child] && state.expired[child];
                        if stale && self.0.releases {
                            actions.push(Action::Look(i, child));
                        }
                    }
                }
                (_, At::Over) => {}
                _ => actions.push(Action::Step(i)),
            }
            let is_open = !matches!(at, At::Over | At::Lost);
            if self.0.crashes && self.0.roles[i] == Role::Buy && is_open {
                actions.push(Action::Crash(i));
            }
            if self.0.expires && state.reserved[i] && !state.expired[i] {
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
                        state.children[i] = Some(Child {
                            flagged: true,
                            accepted: false,
                        });
                        At::Over
                    }
                    (_, At::Release(child, time)) => {
                        if state.times[child] == time {
                            state.n -= i8::from(std::mem::take(&mut state.reserved[child]));
                        }
                        At::Over
                    }
                    (Role::Refund(child), _) => {
                        state.n -= i8::from(state.children[child].take().is_some());
                        At::Over
                    }
                    _ => self.buy(&mut state, i),
                };
            }
            Action::Resume(child) => self.count(&mut state, child),
            Action::Look(i, child) => {
                let flagged = state.children[child].is_some_and(|child| child.flagged);
                if flagged && self.0.looks {
                    return None;
                }
                state.programs[i] = At::Release(child, state.times[child]);
            }
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
                children.filter(|child| child.accepted).count() <= model.0.max as usize
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                let there = state.children.iter().flatten().count();
                !model.settled(state) || state.n as usize == there
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.n == model.0.max
            }),
        ];
        if !self.0.expires {
            properties.push(Property::always(NUMBER, |model: &Self, state: &State| {
                state.n <= model.0.max
            }));
        }
        properties
    }
}
