//! A reference that moves from one source to another while sources are renamed and deleted (15.C3, 15.A2, 15.D4).
//!
//! One target with one reference and one copied field; the policy of a deleted source is `nullify`.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// The task of a program, done once (resumers: for ever). Sources have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sets the copied field of a source to a value: W1, W2, W3.
    Rename(usize, u8),
    /// Points the target to a source: R0 (the read its value comes from), R1, R2, R3.
    Repoint(usize),
    /// Deletes a source: D1, D2, D3.
    Delete(usize),
    /// Takes pending sources and marks and finishes them.
    Resume,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many sources there are; the target refers to the first.
    pub sources: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// C3: R1 sets a mark.
    pub mark: bool,
    /// M10, C3: R1 takes the revision of the old source off the copy.
    pub drop_revision: bool,
    /// C3: R1 takes the older marks of this edge off. Not a MUST while I3 names the reference.
    pub drop_marks: bool,
    /// A2: the first statement of I3 matches only while the target refers to the source that was read.
    pub i3_names_source: bool,
    /// C3: W2 matches the reference in the write itself, not only in a read before it.
    pub w2_names_source: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(sources: usize, roles: &[Role]) -> Self {
        Self {
            sources,
            roles: roles.to_vec(),
            crashes: true,
            mark: true,
            drop_revision: true,
            drop_marks: true,
            i3_names_source: true,
            w2_names_source: true,
        }
    }
}

/// A source document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    value: u8,
    pending: bool,
    del: bool,
}

/// The target document: `{host, value, _r_host, _dn: {u}}`; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    host: Option<usize>,
    value: Option<u8>,
    r: Option<u8>,
    marks: u8,
}

/// A source as a program read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    id: usize,
    r: u8,
    value: u8,
    /// Gone or going: the policy of the edge applies.
    gone: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// W2 or D2.
    Fan(Known),
    /// W2 by `_id` of a target found before (only without [`Config::w2_names_source`]).
    FanFound(Known),
    /// W3 or D3.
    Clear(Known),
    /// R1 with the value read.
    Write(u8),
    /// R2: the source, the token.
    Read(usize, usize),
    /// R3, first statement.
    Fix(Known, usize),
    /// R3, last statement.
    Unmark(usize),
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    sources: Vec<Option<Source>>,
    target: Target,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Change the source, bump, flag.
    W1(usize),
    /// Fan out to the target.
    W2(usize),
    /// Fan out to the target found before.
    W2ById(usize),
    /// Clear the flag.
    W3(usize),
    /// Mark the source deleted, bump, flag.
    D1(usize),
    /// The policy at the target.
    D2(usize),
    /// Remove the source.
    D3(usize),
    /// The read whose value R1 writes.
    R0(usize),
    /// Reference, copy and mark in one write.
    R1(usize),
    /// Read the source.
    R2(usize),
    /// Bring the copy to the revision read, or apply the policy.
    R3Fix(usize),
    /// Take the mark off.
    R3Clear(usize),
    /// A resumer reads the pending source of that number.
    TakeSource(usize, usize),
    /// A resumer finds the mark with that token.
    TakeMark(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Repoint(pub Config);

impl Repoint {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }
}

impl Target {
    /// W2 and the first statement of I3.
    fn fan(&mut self, known: Known) {
        if self.r.is_none_or(|r| r < known.r) {
            self.value = Some(known.value);
            self.r = Some(known.r);
        }
    }

    /// D2 and the first statement of I3 at a deleted source.
    fn nullify(&mut self) {
        *self = Self {
            host: None,
            value: None,
            r: None,
            marks: self.marks,
        };
    }
}

impl State {
    fn known(&self, id: usize) -> Known {
        match self.sources[id] {
            Some(Source { r, value, del, .. }) => Known {
                id,
                r,
                value,
                gone: del,
            },
            None => Known {
                id,
                r: 0,
                value: 0,
                gone: true,
            },
        }
    }

    fn exact(&self) -> bool {
        let held = self.target.host.map(|host| self.sources[host]);
        match held {
            Some(source) => {
                source.is_some_and(|source| !source.del && Some(source.value) == self.target.value)
            }
            None => self.target.value.is_none(),
        }
    }

    fn flagged(&self) -> bool {
        let source = self.target.host.and_then(|host| self.sources[host]);
        self.target.marks != 0 || source.is_some_and(|source| source.pending)
    }
}

impl Protocol for Repoint {
    fn settled(&self, state: &State) -> bool {
        let idle = state
            .programs
            .iter()
            .enumerate()
            .all(|(i, at)| *at == At::Over || *at == self.rest(i));
        idle && state.target.marks == 0
            && !state.sources.iter().flatten().any(|source| source.pending)
    }
}

impl Model for Repoint {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let source = |id| {
            Some(Source {
                r: 1,
                value: 10 * id as u8,
                pending: false,
                del: false,
            })
        };
        let target = Target {
            host: Some(0),
            value: Some(0),
            r: Some(1),
            marks: 0,
        };
        let sources = (0..self.0.sources).map(source).collect();
        vec![State {
            sources,
            target,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => match self.0.roles[i] {
                    Role::Rename(..) => actions.push(Action::W1(i)),
                    Role::Repoint(_) => actions.push(Action::R0(i)),
                    Role::Delete(_) => actions.push(Action::D1(i)),
                    Role::Resume => {
                        let pending =
                            |id: &usize| state.sources[*id].is_some_and(|source| source.pending);
                        actions.extend(
                            (0..self.0.sources)
                                .filter(pending)
                                .map(|id| Action::TakeSource(i, id)),
                        );
                        let tokens = (0..self.0.roles.len())
                            .filter(|token| state.target.marks & 1 << token != 0);
                        actions.extend(tokens.map(|token| Action::TakeMark(i, token)));
                    }
                },
                At::Fan(known) => actions.push(if known.gone {
                    Action::D2(i)
                } else {
                    Action::W2(i)
                }),
                At::FanFound(_) => actions.push(Action::W2ById(i)),
                At::Clear(known) => actions.push(if known.gone {
                    Action::D3(i)
                } else {
                    Action::W3(i)
                }),
                At::Write(_) => actions.push(Action::R1(i)),
                At::Read(..) => actions.push(Action::R2(i)),
                At::Fix(..) => actions.push(Action::R3Fix(i)),
                At::Unmark(_) => actions.push(Action::R3Clear(i)),
                At::Over => continue,
            }
            if self.0.crashes && !(*at == At::Start && self.0.roles[i] == Role::Resume) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let target = &mut state.target;
        let (i, next) = match action {
            Action::W1(i) | Action::D1(i) => {
                let (id, change) = match self.0.roles[i] {
                    Role::Rename(id, value) => (id, Some(value)),
                    Role::Delete(id) => (id, None),
                    _ => return None,
                };
                let live = state.sources[id].as_mut().filter(|source| !source.del);
                let found = live.is_some();
                if let Some(source) = live {
                    source.r += 1;
                    source.pending = true;
                    source.value = change.unwrap_or(source.value);
                    source.del = change.is_none();
                }
                (
                    i,
                    if found {
                        At::Fan(state.known(id))
                    } else {
                        At::Over
                    },
                )
            }
            Action::W2(i) => {
                let At::Fan(known) = last.programs[i] else {
                    return None;
                };
                let holds = target.host == Some(known.id);
                if holds && self.0.w2_names_source {
                    target.fan(known);
                }
                (
                    i,
                    if holds && !self.0.w2_names_source {
                        At::FanFound(known)
                    } else {
                        At::Clear(known)
                    },
                )
            }
            Action::W2ById(i) => {
                let At::FanFound(known) = last.programs[i] else {
                    return None;
                };
                target.fan(known);
                (i, At::Clear(known))
            }
            Action::D2(i) => {
                let At::Fan(known) = last.programs[i] else {
                    return None;
                };
                if target.host == Some(known.id) {
                    target.nullify();
                }
                (i, At::Clear(known))
            }
            Action::W3(i) | Action::D3(i) => {
                let At::Clear(known) = last.programs[i] else {
                    return None;
                };
                let slot = &mut state.sources[known.id];
                if let Some(source) = slot.as_mut().filter(|source| source.r == known.r) {
                    source.pending = false;
                    if known.gone {
                        *slot = None;
                    }
                }
                (i, self.rest(i))
            }
            Action::R0(i) => {
                let Role::Repoint(id) = self.0.roles[i] else {
                    return None;
                };
                let known = state.known(id);
                (
                    i,
                    if known.gone {
                        At::Over
                    } else {
                        At::Write(known.value)
                    },
                )
            }
            Action::R1(i) => {
                let (Role::Repoint(id), At::Write(value)) = (self.0.roles[i], last.programs[i])
                else {
                    return None;
                };
                let kept = if self.0.drop_marks { 0 } else { target.marks };
                *target = Target {
                    host: Some(id),
                    value: Some(value),
                    r: target.r.filter(|_| !self.0.drop_revision),
                    marks: if self.0.mark { kept | 1 << i } else { kept },
                };
                (i, At::Read(id, i))
            }
            Action::R2(i) => {
                let At::Read(id, token) = last.programs[i] else {
                    return None;
                };
                (i, At::Fix(state.known(id), token))
            }
            Action::R3Fix(i) => {
                let At::Fix(known, token) = last.programs[i] else {
                    return None;
                };
                let marked = target.marks & 1 << token != 0 || !self.0.mark;
                if marked && (target.host == Some(known.id) || !self.0.i3_names_source) {
                    if known.gone {
                        target.nullify();
                    } else {
                        target.fan(known);
                    }
                }
                (i, At::Unmark(token))
            }
            Action::R3Clear(i) => {
                let At::Unmark(token) = last.programs[i] else {
                    return None;
                };
                target.marks &= !(1 << token);
                (i, self.rest(i))
            }
            Action::TakeSource(i, id) => (i, At::Fan(state.known(id))),
            Action::TakeMark(i, token) => (
                i,
                target
                    .host
                    .map_or(At::Unmark(token), |host| At::Read(host, token)),
            ),
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| state.exact() || state.flagged()),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || state.exact()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.target.host != Some(0)
            }),
        ]
    }
}
