//! Visible before durable: a standalone server with a journal that dies (M6, 15.D1, M9, M10).
//!
//! `j: true` delays only the answer: everybody sees the write before it is journaled. A kill takes the database back to what was
//! journaled last; programs live on with what they have read. A replica set has the same shape, with the majority for the journal.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sets the copied field to this value: W1, W2, W3.
    Update(u8),
    /// Puts a copy into the target of that number: I0, I1, I2, I3.
    Insert(usize),
    /// Takes pending sources and marks and finishes them.
    Resume,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many targets have a copy from the start.
    pub copies: usize,
    /// How many more may get one.
    pub empty: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// How often the server may be killed.
    pub kills: u8,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// M6: W1 is durable before W2 starts.
    pub journal_w1: bool,
    /// M6: W2 is durable before W3 starts.
    pub journal_w2: bool,
    /// Not a MUST: I1 is durable before the insert is acknowledged. What is flagged does not depend on it.
    pub journal_i1: bool,
    /// Not a MUST (M6): W3 is durable.
    pub journal_w3: bool,
    /// M9: a read that leads to a write of another document (I2, the resumer's) answers when what it read is durable.
    pub durable_reads: bool,
    /// A2: both statements of I3 are one command, so that a kill between them fails it as a whole.
    pub one_command: bool,
    /// M10: I1 leaves no revision on the copy.
    pub no_revision_at_insert: bool,
}

impl Config {
    /// Obeys every MUST, and nothing more.
    #[must_use]
    pub fn sound(copies: usize, empty: usize, roles: &[Role]) -> Self {
        Self {
            copies,
            empty,
            roles: roles.to_vec(),
            kills: 1,
            crashes: true,
            journal_w1: true,
            journal_w2: true,
            journal_i1: false,
            journal_w3: false,
            durable_reads: true,
            one_command: true,
            no_revision_at_insert: true,
        }
    }
}

/// The source document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    pending: bool,
    value: u8,
}

/// A target document; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    r: Option<u8>,
    value: u8,
    marks: u8,
}

/// All documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Base {
    source: Source,
    targets: Vec<Option<Target>>,
}

/// A revision with its value, as read from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    r: u8,
    value: u8,
}

/// A mark: the target it is on and the program that set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    target: usize,
    token: usize,
}

/// Where a program is. Names state the next step; the `Await`s need the journal to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// The reply to W1.
    AwaitW1(Known),
    /// The reply to a durable read of a pending source.
    AwaitSource(Known),
    /// W2: what it writes, and the targets passed.
    Fan(Known, u8),
    /// The reply to W2.
    AwaitW2(Known),
    /// W3.
    Clear(Known),
    /// The reply to W3.
    AwaitW3,
    /// I1.
    Insert(Known),
    /// The reply to I1.
    AwaitI1(Mark),
    /// I2.
    Read(Mark),
    /// The reply to I2.
    AwaitI2(Mark, Known),
    /// I3, first statement.
    Fix(Mark, Known),
    /// I3, last statement.
    Unmark(Mark, Known),
    /// Done or dead.
    Over,
}

/// All programs, what the server shows and what it would show after a kill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    seen: Base,
    journaled: Base,
    kills: u8,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Change the source, bump, flag.
    W1(usize),
    /// One document of the fan-out.
    W2(usize, usize),
    /// Clear the flag at the revision fanned out.
    W3(usize),
    /// The read whose value an insert uses.
    I0(usize),
    /// Insert the copy with its mark.
    I1(usize),
    /// Read the source.
    I2(usize),
    /// Bring the copy to the revision read.
    I3Fix(usize),
    /// Take the mark off.
    I3Clear(usize),
    /// A resumer reads a pending source.
    TakeSource(usize),
    /// A resumer finds a mark.
    TakeMark(usize, Mark),
    /// The journal catches up; answers that waited for it go out.
    Journal,
    /// The server dies and comes back with its journal.
    Kill,
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Durability(pub Config);

impl Durability {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    /// The next step of a program that gets its reply.
    fn answered(&self, program: usize, at: At) -> At {
        match at {
            At::AwaitW1(known) | At::AwaitSource(known) => At::Fan(known, 0),
            At::AwaitW2(known) => At::Clear(known),
            At::AwaitI1(mark) => At::Read(mark),
            At::AwaitI2(mark, known) => At::Fix(mark, known),
            At::AwaitW3 => self.rest(program),
            other => other,
        }
    }

    /// The next step of a program whose server dies: commands under way fail, and those safe to repeat are repeated.
    fn failed(&self, program: usize, at: At) -> At {
        match at {
            At::AwaitW1(_) | At::AwaitSource(_) | At::AwaitW3 => self.rest(program),
            At::Fan(known, _) | At::AwaitW2(known) => At::Fan(known, 0),
            At::AwaitI1(_) => At::Over,
            At::AwaitI2(mark, _) => At::Read(mark),
            At::Unmark(mark, known) if self.0.one_command => At::Fix(mark, known),
            other => other,
        }
    }

    fn wait(&self, journal: bool, program: usize, at: At) -> At {
        if journal {
            at
        } else {
            self.answered(program, at)
        }
    }
}

impl Protocol for Durability {
    fn settled(&self, state: &State) -> bool {
        let rests = |(i, at): (usize, &At)| *at == At::Over || *at == self.rest(i);
        let idle = state.programs.iter().enumerate().all(rests);
        idle && [&state.seen, &state.journaled].into_iter().all(|base| {
            !base.source.pending
                && !base
                    .targets
                    .iter()
                    .flatten()
                    .any(|target| target.marks != 0)
        })
    }
}

fn flagged(base: &Base) -> bool {
    base.targets
        .iter()
        .flatten()
        .all(|target| base.source.pending || target.marks != 0 || target.value == base.source.value)
}

fn exact(base: &Base) -> bool {
    base.targets
        .iter()
        .flatten()
        .all(|target| target.value == base.source.value)
}

impl Model for Durability {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut targets = vec![
            Some(Target {
                r: Some(1),
                value: 0,
                marks: 0
            });
            self.0.copies
        ];
        targets.resize(self.0.copies + self.0.empty, None);
        let base = Base {
            source: Source {
                r: 1,
                pending: false,
                value: 0,
            },
            targets,
        };
        vec![State {
            seen: base.clone(),
            journaled: base,
            kills: 0,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => match self.0.roles[i] {
                    Role::Update(_) => actions.push(Action::W1(i)),
                    Role::Insert(_) => actions.push(Action::I0(i)),
                    Role::Resume => {
                        if state.seen.source.pending {
                            actions.push(Action::TakeSource(i));
                        }
                        for (to, target) in state.seen.targets.iter().enumerate() {
                            let marks = target.map_or(0, |target| target.marks);
                            let tokens =
                                (0..self.0.roles.len()).filter(|token| marks & 1 << token != 0);
                            actions.extend(
                                tokens.map(|token| Action::TakeMark(i, Mark { target: to, token })),
                            );
                        }
                    }
                },
                At::Fan(_, passed) => {
                    let open = (0..state.seen.targets.len()).filter(|to| passed & 1 << to == 0);
                    actions.extend(open.map(|to| Action::W2(i, to)));
                }
                At::Clear(_) => actions.push(Action::W3(i)),
                At::Insert(_) => actions.push(Action::I1(i)),
                At::Read(_) => actions.push(Action::I2(i)),
                At::Fix(..) => actions.push(Action::I3Fix(i)),
                At::Unmark(..) => actions.push(Action::I3Clear(i)),
                At::AwaitW1(_)
                | At::AwaitSource(_)
                | At::AwaitW2(_)
                | At::AwaitW3
                | At::AwaitI1(_)
                | At::AwaitI2(..) => {}
                At::Over => continue,
            }
            if self.0.crashes && !(*at == At::Start && self.0.roles[i] == Role::Resume) {
                actions.push(Action::Crash(i));
            }
        }
        let waits = |(i, at): (usize, &At)| self.answered(i, *at) != *at;
        if state.seen != state.journaled || state.programs.iter().enumerate().any(waits) {
            actions.push(Action::Journal);
        }
        if state.kills < self.0.kills {
            actions.push(Action::Kill);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let config = &self.0;
        let mut state = last.clone();
        let base = &mut state.seen;
        let known = Known {
            r: base.source.r,
            value: base.source.value,
        };
        let (i, next) = match action {
            Action::W1(i) => {
                let Role::Update(value) = config.roles[i] else {
                    return None;
                };
                base.source = Source {
                    r: base.source.r + 1,
                    pending: true,
                    value,
                };
                (
                    i,
                    self.wait(
                        config.journal_w1,
                        i,
                        At::AwaitW1(Known {
                            r: base.source.r,
                            value,
                        }),
                    ),
                )
            }
            Action::W2(i, to) => {
                let At::Fan(known, passed) = last.programs[i] else {
                    return None;
                };
                if let Some(copy) = &mut base.targets[to] {
                    fix(copy, known);
                }
                let passed = passed | 1 << to;
                let all = passed.count_ones() as usize == base.targets.len();
                (
                    i,
                    if all {
                        self.wait(config.journal_w2, i, At::AwaitW2(known))
                    } else {
                        At::Fan(known, passed)
                    },
                )
            }
            Action::W3(i) => {
                let At::Clear(known) = last.programs[i] else {
                    return None;
                };
                base.source.pending &= base.source.r != known.r;
                (i, self.wait(config.journal_w3, i, At::AwaitW3))
            }
            Action::I0(i) => (i, At::Insert(known)),
            Action::I1(i) => {
                let (Role::Insert(target), At::Insert(known)) = (config.roles[i], last.programs[i])
                else {
                    return None;
                };
                let r = Some(known.r).filter(|_| !config.no_revision_at_insert);
                base.targets[target] = Some(Target {
                    r,
                    value: known.value,
                    marks: 1 << i,
                });
                (
                    i,
                    self.wait(config.journal_i1, i, At::AwaitI1(Mark { target, token: i })),
                )
            }
            Action::I2(i) => {
                let At::Read(mark) = last.programs[i] else {
                    return None;
                };
                (
                    i,
                    self.wait(config.durable_reads, i, At::AwaitI2(mark, known)),
                )
            }
            Action::I3Fix(i) => {
                let At::Fix(mark, known) = last.programs[i] else {
                    return None;
                };
                if let Some(copy) = base.targets[mark.target]
                    .as_mut()
                    .filter(|copy| copy.marks & 1 << mark.token != 0)
                {
                    fix(copy, known);
                }
                (i, At::Unmark(mark, known))
            }
            Action::I3Clear(i) => {
                let At::Unmark(mark, _) = last.programs[i] else {
                    return None;
                };
                if let Some(copy) = &mut base.targets[mark.target] {
                    copy.marks &= !(1 << mark.token);
                }
                (i, self.rest(i))
            }
            Action::TakeSource(i) => (
                i,
                self.wait(config.durable_reads, i, At::AwaitSource(known)),
            ),
            Action::TakeMark(i, mark) => (i, At::Read(mark)),
            Action::Crash(i) => (i, self.rest(i)),
            Action::Journal => {
                state.journaled.clone_from(&state.seen);
                state.programs = last
                    .programs
                    .iter()
                    .enumerate()
                    .map(|(i, at)| self.answered(i, *at))
                    .collect();
                return Some(state);
            }
            Action::Kill => {
                state.kills += 1;
                state.seen.clone_from(&state.journaled);
                state.programs = last
                    .programs
                    .iter()
                    .enumerate()
                    .map(|(i, at)| self.failed(i, *at))
                    .collect();
                return Some(state);
            }
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                flagged(&state.seen) && flagged(&state.journaled)
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || exact(&state.seen)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let base = &state.seen;
                model.settled(state)
                    && state.kills > 0
                    && base.source.r > 1
                    && base.targets.iter().all(Option::is_some)
            }),
        ]
    }
}

fn fix(copy: &mut Target, known: Known) {
    if copy.r.is_none_or(|r| r < known.r) {
        copy.r = Some(known.r);
        copy.value = known.value;
    }
}
