//! The last N messages of a host, in a list on the host (3.8, 15.C6).
//!
//! Messages are inserted and edited. [`refill`](crate::refill) is about those that are deleted, change their time or go to another host.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// The task of a program, done once (resumers: for ever). Messages have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Inserts the message: L1, L2, L3.
    Insert(usize),
    /// Edits the message once it is there: the same steps.
    Edit(usize),
    /// A late send of another program's L2, whose reply was lost: delivered at any time or never.
    Echo,
    /// Takes pending messages and finishes them.
    Resume,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The time of every message; a message exists once a program inserts it.
    pub times: Vec<u8>,
    /// N.
    pub keep: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// 3.8: L1 flags the message.
    pub flag: bool,
    /// 3.8: L2 replaces the entry of the same id.
    pub by_id: bool,
    /// C6: L2 leaves an entry of the same or a newer revision alone.
    pub by_revision: bool,
    /// 3.8: entries are sorted by time and id, so that every two have an order.
    pub total_order: bool,
    /// M5: L3 clears only at the revision that was pushed.
    pub clear_by_revision: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(times: &[u8], keep: usize, roles: &[Role]) -> Self {
        Self {
            times: times.to_vec(),
            keep,
            roles: roles.to_vec(),
            crashes: true,
            flag: true,
            by_id: true,
            by_revision: true,
            total_order: true,
            clear_by_revision: true,
        }
    }
}

/// A message: its revision, which is also its text, and its flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    r: u8,
    pending: bool,
}

/// An entry of the list on the host: a message as it was at a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    id: usize,
    r: u8,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// L2.
    Push(Entry),
    /// L3.
    Clear(Entry),
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    messages: Vec<Option<Message>>,
    list: Vec<Entry>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Insert or edit the message, with its flag.
    L1(usize),
    /// Put it into the list: drop its id, append, sort, slice.
    L2(usize),
    /// Clear the flag.
    L3(usize),
    /// A resumer reads a pending message.
    TakeMessage(usize, usize),
    /// The second program's L2 got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Recent(pub Config);

impl Recent {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        at == At::Over
            || (at == At::Start && matches!(self.0.roles[program], Role::Echo | Role::Resume))
    }

    fn push(&self, list: &mut Vec<Entry>, new: Entry) {
        let same = |old: &Entry| old.id == new.id;
        if self.0.by_id {
            if self.0.by_revision && list.iter().any(|old| same(old) && old.r >= new.r) {
                return;
            }
            list.retain(|old| !same(old));
        }
        list.push(new);
        let order = |entry: &Entry| {
            (
                self.0.times[entry.id],
                if self.0.total_order { entry.id } else { 0 },
            )
        };
        list.sort_by_key(order);
        list.drain(..list.len().saturating_sub(self.0.keep));
    }

    fn exact(&self, state: &State) -> bool {
        let there = |(id, message): (usize, &Option<Message>)| {
            message.map(|Message { r, .. }| Entry { id, r })
        };
        let mut all: Vec<_> = state
            .messages
            .iter()
            .enumerate()
            .filter_map(there)
            .collect();
        all.sort_by_key(|entry| (self.0.times[entry.id], entry.id));
        all.drain(..all.len().saturating_sub(self.0.keep));
        all == state.list
    }
}

impl State {
    fn pending(&self) -> bool {
        self.messages
            .iter()
            .flatten()
            .any(|message| message.pending)
    }
}

impl Protocol for Recent {
    fn settled(&self, state: &State) -> bool {
        !state.pending()
            && state
                .programs
                .iter()
                .enumerate()
                .all(|(i, at)| self.resting(i, *at))
    }
}

impl Model for Recent {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let messages = vec![None; self.0.times.len()];
        vec![State {
            messages,
            list: Vec::new(),
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (*at, self.0.roles[i]) {
                (At::Start, Role::Insert(_)) => actions.push(Action::L1(i)),
                (At::Start, Role::Edit(id)) if state.messages[id].is_some() => {
                    actions.push(Action::L1(i))
                }
                (At::Start, Role::Edit(_)) => {}
                (At::Start, Role::Echo) => {
                    let sends = |other: &usize| matches!(state.programs[*other], At::Push(_));
                    actions.extend(
                        (0..self.0.roles.len())
                            .filter(sends)
                            .map(|other| Action::Resend(i, other)),
                    );
                }
                (At::Start, Role::Resume) => {
                    let pending =
                        |id: &usize| state.messages[*id].is_some_and(|message| message.pending);
                    actions.extend(
                        (0..state.messages.len())
                            .filter(pending)
                            .map(|id| Action::TakeMessage(i, id)),
                    );
                }
                (At::Push(_), _) => actions.push(Action::L2(i)),
                (At::Clear(_), _) => actions.push(Action::L3(i)),
                (At::Over, _) => {}
            }
            if self.0.crashes && !self.resting(i, *at) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::L1(i) => {
                let (Role::Insert(id) | Role::Edit(id)) = self.0.roles[i] else {
                    return None;
                };
                let r = 1 + state.messages[id].map_or(0, |message| message.r);
                let pending =
                    self.0.flag || state.messages[id].is_some_and(|message| message.pending);
                state.messages[id] = Some(Message { r, pending });
                (i, At::Push(Entry { id, r }))
            }
            Action::L2(i) => {
                let At::Push(entry) = last.programs[i] else {
                    return None;
                };
                self.push(&mut state.list, entry);
                (
                    i,
                    if self.0.roles[i] == Role::Echo {
                        At::Over
                    } else {
                        At::Clear(entry)
                    },
                )
            }
            Action::L3(i) => {
                let At::Clear(entry) = last.programs[i] else {
                    return None;
                };
                let message = state.messages[entry.id].as_mut()?;
                message.pending &= self.0.clear_by_revision && message.r != entry.r;
                (i, self.rest(i))
            }
            Action::TakeMessage(i, id) => (
                i,
                At::Push(Entry {
                    id,
                    r: state.messages[id]?.r,
                }),
            ),
            Action::Resend(i, other) => (i, last.programs[other]),
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |model: &Self, state: &State| {
                state.pending() || model.exact(state)
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || model.exact(state)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.messages.iter().all(Option::is_some)
            }),
        ]
    }
}
