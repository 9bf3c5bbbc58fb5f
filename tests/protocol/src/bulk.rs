//! `update_many` of sources among writers of single ones (15.C5).
//!
//! Two sources with one copy each. U1 gives every source it changes the token of the call, U2 finds them by it, U3 fans out what U2
//! read, U4 clears.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// How many sources there are.
const SOURCES: usize = 2;

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sets the copied field of all sources: U1, U2, U3, U4.
    Many(u8),
    /// Sets the copied field of one source: W1, W2, W3.
    One(usize, u8),
    /// A send of U1 whose reply was lost, with the token of the send that got one (against M11): delivered at any time or never.
    Echo,
    /// Takes pending sources and finishes them.
    Resume,
}

/// By what U4 clears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clear {
    /// `_id` and the revision U2 read (C5).
    Revision,
    /// The token of the call.
    Token,
    /// `_id`.
    Id,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// C5: by what U4 clears.
    pub clear: Clear,
    /// C5: every other write of a source takes the token off. Not a MUST while U4 clears by revision.
    pub drop_token: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            crashes: true,
            clear: Clear::Revision,
            drop_token: true,
        }
    }
}

/// A source document: `{value, _dn: {r, p, b}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    value: u8,
    pending: bool,
    token: Option<usize>,
}

/// A revision with its value: what a copy holds, and what was read of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    r: u8,
    value: u8,
}

/// The revision and value that U2 found, by source.
pub type Found = [Option<Known>; SOURCES];

/// Where a program is. Names state the next step; numbers are bits of the sources passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// U1 with this value and token.
    Change(u8, usize, u8),
    /// U2.
    Find(Found, u8),
    /// U3.
    FanMany(Found, u8),
    /// U4.
    ClearMany(Found, u8),
    /// W2.
    Fan(usize, Known),
    /// W3.
    Clear(usize, u8),
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    sources: [Source; SOURCES],
    copies: [Known; SOURCES],
    programs: Vec<At>,
}

/// One atomic step; the first number is the program, the second the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The program sends U1.
    Send(usize),
    /// The second program's U1 got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// Change one source, bump, flag, leave the token.
    U1(usize, usize),
    /// Read one source that is pending and has the token.
    U2(usize, usize),
    /// Fan out one source.
    U3(usize, usize),
    /// Clear one source.
    U4(usize, usize),
    /// Change the source, bump, flag.
    W1(usize),
    /// Fan it out.
    W2(usize),
    /// Clear it.
    W3(usize),
    /// A resumer reads a pending source.
    TakeSource(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Bulk(pub Config);

impl Bulk {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    /// The end of a pass over all sources.
    fn passed(&self, program: usize, at: At) -> At {
        const ALL: u8 = (1 << SOURCES) - 1;
        match at {
            At::Change(_, _, ALL) if self.0.roles[program] == Role::Echo => At::Over,
            At::Change(_, _, ALL) => At::Find([None; SOURCES], 0),
            At::Find(found, ALL) => At::FanMany(found, 0),
            At::FanMany(found, ALL) => At::ClearMany(found, 0),
            At::ClearMany(_, ALL) => At::Over,
            other => other,
        }
    }
}

impl State {
    fn fan(&mut self, source: usize, known: Known) {
        if self.copies[source].r < known.r {
            self.copies[source] = known;
        }
    }

    fn exact(&self, source: usize) -> bool {
        self.copies[source].value == self.sources[source].value
    }
}

impl Protocol for Bulk {
    fn settled(&self, state: &State) -> bool {
        let rests = |(i, at): (usize, &At)| {
            *at == At::Over
                || (*at == At::Start && matches!(self.0.roles[i], Role::Resume | Role::Echo))
        };
        state.programs.iter().enumerate().all(rests)
            && !state.sources.iter().any(|source| source.pending)
    }
}

impl Model for Bulk {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let source = Source {
            r: 1,
            value: 0,
            pending: false,
            token: None,
        };
        let copy = Known { r: 1, value: 0 };
        vec![State {
            sources: [source; SOURCES],
            copies: [copy; SOURCES],
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let open = |passed: u8| (0..SOURCES).filter(move |source| passed & 1 << source == 0);
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => match self.0.roles[i] {
                    Role::Many(_) => actions.push(Action::Send(i)),
                    Role::One(..) => actions.push(Action::W1(i)),
                    Role::Echo => {
                        let sends =
                            |other: &usize| matches!(state.programs[*other], At::Change(..));
                        actions.extend(
                            (0..self.0.roles.len())
                                .filter(sends)
                                .map(|other| Action::Resend(i, other)),
                        );
                    }
                    Role::Resume => {
                        let pending = (0..SOURCES).filter(|source| state.sources[*source].pending);
                        actions.extend(pending.map(|source| Action::TakeSource(i, source)));
                    }
                },
                At::Change(_, _, passed) => {
                    actions.extend(open(passed).map(|source| Action::U1(i, source)))
                }
                At::Find(_, passed) => {
                    actions.extend(open(passed).map(|source| Action::U2(i, source)))
                }
                At::FanMany(_, passed) => {
                    actions.extend(open(passed).map(|source| Action::U3(i, source)))
                }
                At::ClearMany(_, passed) => {
                    actions.extend(open(passed).map(|source| Action::U4(i, source)))
                }
                At::Fan(..) => actions.push(Action::W2(i)),
                At::Clear(..) => actions.push(Action::W3(i)),
                At::Over => continue,
            }
            if self.0.crashes
                && !(*at == At::Start && matches!(self.0.roles[i], Role::Resume | Role::Echo))
            {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::Send(i) => {
                let Role::Many(value) = self.0.roles[i] else {
                    return None;
                };
                (i, At::Change(value, i, 0))
            }
            Action::Resend(i, other) => {
                let At::Change(value, token, _) = last.programs[other] else {
                    return None;
                };
                (i, At::Change(value, token, 0))
            }
            Action::U1(i, id) => {
                let At::Change(value, token, passed) = last.programs[i] else {
                    return None;
                };
                let source = &mut state.sources[id];
                *source = Source {
                    r: source.r + 1,
                    value,
                    pending: true,
                    token: Some(token),
                };
                (i, At::Change(value, token, passed | 1 << id))
            }
            Action::U2(i, id) => {
                let At::Find(mut found, passed) = last.programs[i] else {
                    return None;
                };
                let Source {
                    r,
                    value,
                    pending,
                    token,
                } = state.sources[id];
                found[id] = Some(Known { r, value }).filter(|_| pending && token == Some(i));
                (i, At::Find(found, passed | 1 << id))
            }
            Action::U3(i, id) => {
                let At::FanMany(found, passed) = last.programs[i] else {
                    return None;
                };
                if let Some(known) = found[id] {
                    state.fan(id, known);
                }
                (i, At::FanMany(found, passed | 1 << id))
            }
            Action::U4(i, id) => {
                let At::ClearMany(found, passed) = last.programs[i] else {
                    return None;
                };
                let source = &mut state.sources[id];
                let matches = match self.0.clear {
                    Clear::Revision => found[id].is_some_and(|known| known.r == source.r),
                    Clear::Token => source.token == Some(i),
                    Clear::Id => found[id].is_some(),
                };
                if matches {
                    source.pending = false;
                    source.token = None;
                }
                (i, At::ClearMany(found, passed | 1 << id))
            }
            Action::W1(i) => {
                let Role::One(id, value) = self.0.roles[i] else {
                    return None;
                };
                let source = &mut state.sources[id];
                let token = source.token.filter(|_| !self.0.drop_token);
                *source = Source {
                    r: source.r + 1,
                    value,
                    pending: true,
                    token,
                };
                (i, At::Fan(id, Known { r: source.r, value }))
            }
            Action::W2(i) => {
                let At::Fan(id, known) = last.programs[i] else {
                    return None;
                };
                state.fan(id, known);
                (i, At::Clear(id, known.r))
            }
            Action::W3(i) => {
                let At::Clear(id, r) = last.programs[i] else {
                    return None;
                };
                state.sources[id].pending &= state.sources[id].r != r;
                (i, self.rest(i))
            }
            Action::TakeSource(i, id) => {
                let Source { r, value, .. } = state.sources[id];
                (i, At::Fan(id, Known { r, value }))
            }
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = self.passed(i, next);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                (0..SOURCES).all(|id| state.sources[id].pending || state.exact(id))
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || (0..SOURCES).all(|id| state.exact(id))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.sources.iter().all(|source| source.r > 1)
            }),
        ]
    }
}
