//! A follower of the change stream beside own and foreign writers, with a stream that loses its place.
//!
//! One source with one copy. Foreign writers change either without a flag; each of their writes is an event. The promise: a wrong copy
//! is flagged, or an event that is not behind the stored position accounts for it, or a recorded gap does.
//!
//! Two promises need no follower: the library's next write of a source corrects what other programs left wrong ([`HEALED`]), and so does
//! a repair ([`REPAIRED`]).

mod steps;

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that a wrong copy is flagged once the library has changed the source after the last write of another program.
pub const HEALED: &str = "the library's next write corrects the copy, or flags it";

/// Name of the property that a wrong copy is flagged after a repair that began after the last write of another program.
pub const REPAIRED: &str = "a repair corrects the copy for good, or flags it";

/// The task of a program, done once (followers and resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The library's update of the source: W1, W2, W3. W1 consists of operators, which cannot depend on what is stored.
    Own(u8),
    /// The same with a pipeline as W1.
    Set(u8),
    /// Another program sets the source's field.
    Rename(u8),
    /// Another program replaces the source, without revision and flag.
    Replace(u8),
    /// Another program reads the source, and replaces it with another value and all that it read.
    ReadAndReplace(u8),
    /// Another program sets the copy.
    Spoil(u8),
    /// Takes pending sources and marks, and finishes them.
    Resume,
    /// Follows the stream.
    Follow,
    /// Repairs recorded gaps, in the program of a follower.
    Repair,
    /// Repairs everything once, without a follower.
    RepairAll,
}

/// The programs that run, and the rules that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// How many programs may die between two steps. A follower starts again, and begins with the effects that it had not stored, so that
    /// there is no end without a bound.
    pub crashes: u8,
    /// How often the oplog loses all that it has.
    pub losses: u8,
    /// The position is stored after the effects of the events before it.
    pub store_after: bool,
    /// An effect on a source raises its revision before it is fanned out.
    pub raise: bool,
    /// A source that was replaced, or has no revision, is raised above every revision that was ever given. So is every source that a
    /// repair raises, because another program may have put it back with an earlier revision.
    pub raise_far: bool,
    /// W1 counts the writes since the last flag was removed: the count equals the revision of a source that had none.
    pub counts_raises: bool,
    /// The flag is in the write that raises the revision.
    pub flag: bool,
    /// A gap is recorded in the write that stores the first position behind it.
    pub gap_with_position: bool,
    /// The new stream is opened before a gap is repaired: its first position is from then, not from the end of the repair.
    pub stream_first: bool,
    /// A gap is cleared after its repair, not before it.
    pub clear_after: bool,
    /// A repair clears the gap that it began with, not those recorded since.
    pub clear_one: bool,
    /// A repair takes flags over before it compares: it raises what is flagged, and marks again what is marked.
    pub take_over_flags: bool,
    /// A repair raises the source of a wrong copy, instead of comparing the copy again at the revision that it has.
    pub repair_raises: bool,
    /// A replacement counts as foreign, whatever revision it carries.
    pub replace_is_foreign: bool,
    /// A follower that was overtaken cannot store its position.
    pub fence: bool,
}

impl Config {
    /// A configuration that obeys every rule.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            crashes: 1,
            losses: 0,
            store_after: true,
            raise: true,
            raise_far: true,
            counts_raises: true,
            flag: true,
            gap_with_position: true,
            stream_first: true,
            clear_after: true,
            clear_one: true,
            take_over_flags: true,
            repair_raises: true,
            replace_is_foreign: true,
            fence: true,
        }
    }

    /// The same with a stream that loses its place so often.
    #[must_use]
    pub fn losing(losses: u8, roles: &[Role]) -> Self {
        Self {
            losses,
            ..Self::sound(roles)
        }
    }
}

/// The source: `{_dn: {r, g, p}, value}`; a revision of 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    raises: u8,
    pending: bool,
    value: u8,
}

/// The copy: `{_r, value, _dn: {u}}`; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    r: u8,
    value: u8,
    marks: u8,
}

/// A revision and the value that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    r: u8,
    value: u8,
}

/// An event that is not recognised as the library's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The source was changed.
    Source,
    /// The source was replaced; true if it carries a revision.
    Replaced(bool),
    /// The copy was changed.
    Copy,
}

/// Why a program works on the source or on the copy: where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// Its only task.
    End,
    /// The next event is this one.
    Event(u8),
    /// The marks are taken over next, in the repair of the gap with this number.
    Marks(u8),
    /// The flags are taken over, in the repair of the gap with this number.
    Taken(u8),
    /// The gap with this number is repaired.
    Gap(u8),
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// Another program has read the source.
    Read(Source),
    /// A follower waits for the event of this number.
    Stream(u8),
    /// The oplog has lost the place: a gap is recorded, behind this position if the stream was opened first.
    Lost,
    /// The position is stored, the gap is next (only without `gap_with_position`).
    RecordGap,
    /// An effect on the source: raise it; true if it was replaced.
    Raise(bool, Then),
    /// A source that had no revision gets one above its copies, if it still has this one (A3).
    Fence(u8, Then),
    /// Read it again.
    ReadFenced(Then),
    /// The raised source is flagged next (only without `flag`).
    Flag(Then),
    /// Read the source, to fan it out.
    ReadSource(Then),
    /// W2.
    Fan(Known, Then),
    /// W3.
    Clear(u8, Then),
    /// An effect on the copy: mark it.
    Mark(Then),
    /// I2.
    ReadMarked(Then),
    /// I3, first statement.
    Fix(Known, Then),
    /// I3, last statement.
    Unmark(Then),
    /// A repair takes over the flag of the source.
    TakeFlag(u8),
    /// A repair takes over the marks of the copy.
    TakeMarks(u8),
    /// A repair reads the source.
    Look(u8),
    /// A repair compares the copy with the source that it read.
    Compare(u8, Source),
    /// A repair of everything raises the source of a wrong copy, without a flag.
    RaiseWrong(Then),
    /// A repair is done.
    ClearGap(u8),
    /// Done or dead.
    Over,
}

/// All documents, the stream, and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    source: Source,
    copy: Target,
    /// All events, and how many of them the oplog has lost.
    log: Vec<Event>,
    lost: u8,
    losses: u8,
    /// How many programs have died.
    crashes: u8,
    /// The greatest revision that was ever given: a clock knows it.
    top: u8,
    /// The stored position, the program that claimed it last, and the recorded gaps.
    position: u8,
    holder: Option<usize>,
    gaps: u8,
    recorded: u8,
    /// Another program has written since the library changed the source.
    foreign: bool,
    /// Another program has put back a revision that was given before: only a follower sees that.
    put_back: bool,
    /// No other program has written since a repair of everything began.
    undisturbed: bool,
    /// That repair has raised the source.
    overtaken: bool,
    /// It has ended. After a revision was put back, its promise is about what it found wrong or flagged.
    repaired: bool,
    programs: Vec<At>,
}

impl State {
    fn is_right(&self) -> bool {
        self.copy.value == self.source.value
    }

    fn is_right_or_flagged(&self) -> bool {
        self.is_right() || self.source.pending || self.copy.marks != 0
    }

    /// Another program writes.
    fn disturb(&mut self, event: Event) {
        self.log.push(event);
        self.foreign = true;
        self.undisturbed = false;
        self.repaired = false;
    }
}

/// One atomic step: a write of one document, a read of one, or a death. The first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a program.
    Step(usize),
    /// A follower stores its position.
    Store(usize),
    /// A resumer takes the pending source.
    TakeSource(usize),
    /// A resumer takes the mark of that program.
    TakeMark(usize, usize),
    /// The oplog loses all that it has.
    Lose,
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Follow(pub Config);

impl Follow {
    fn is_followed(&self) -> bool {
        self.0.roles.contains(&Role::Follow)
    }

    /// True if another program has claimed the position since this one did.
    fn is_overtaken(&self, state: &State, i: usize) -> bool {
        self.0.fence && state.holder != Some(i)
    }
}

impl Protocol for Follow {
    fn settled(&self, state: &State) -> bool {
        let end = state.log.len() as u8;
        let rests = |(i, at): (usize, &At)| match self.0.roles[i] {
            Role::Follow => *at == At::Stream(end) || *at == At::Over,
            Role::Resume | Role::Repair => *at == At::Start,
            _ => *at == At::Over,
        };
        state.programs.iter().enumerate().all(rests)
            && (state.position == end || !self.is_followed())
            && state.gaps == 0
            && !state.source.pending
            && state.copy.marks == 0
    }
}

impl Model for Follow {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let programs = self.0.roles.len();
        vec![State {
            source: Source {
                r: 2,
                raises: 0,
                pending: false,
                value: 0,
            },
            copy: Target {
                r: 2,
                value: 0,
                marks: 0,
            },
            log: Vec::new(),
            lost: 0,
            losses: 0,
            crashes: 0,
            top: 2,
            position: 0,
            holder: None,
            gaps: 0,
            recorded: 0,
            foreign: false,
            put_back: false,
            undisturbed: false,
            overtaken: false,
            repaired: false,
            programs: vec![At::Start; programs],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let role = self.0.roles[i];
            match (*at, role) {
                (At::Over, _) => continue,
                (At::Start, Role::Resume) => {
                    if state.source.pending {
                        actions.push(Action::TakeSource(i));
                    }
                    let marked = (0..self.0.roles.len()).filter(|n| state.copy.marks & 1 << n != 0);
                    actions.extend(marked.map(|n| Action::TakeMark(i, n)));
                    continue;
                }
                (At::Start, Role::Repair) if state.gaps == 0 => continue,
                (At::Stream(next), _) => {
                    let end = state.log.len() as u8;
                    if next < end {
                        actions.push(Action::Step(i));
                    }
                    if next != state.position || self.is_overtaken(state, i) {
                        actions.push(Action::Store(i));
                    }
                }
                _ => actions.push(Action::Step(i)),
            }
            if state.crashes < self.0.crashes && *at != At::Start {
                actions.push(Action::Crash(i));
            }
        }
        if state.losses < self.0.losses && (state.lost as usize) < state.log.len() {
            actions.push(Action::Lose);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => state.programs[i] = self.step(&mut state, i)?,
            Action::Store(i) => {
                let At::Stream(next) = last.programs[i] else {
                    return None;
                };
                if self.is_overtaken(&state, i) {
                    state.programs[i] = At::Over;
                } else {
                    state.position = next;
                }
            }
            Action::TakeSource(i) => state.programs[i] = At::ReadSource(Then::End),
            Action::TakeMark(i, n) => {
                // A resumer removes the mark that it has seen: it goes on in the place of the program that set it.
                state.copy.marks = state.copy.marks & !(1 << n) | 1 << i;
                state.programs[i] = At::ReadMarked(Then::End);
            }
            Action::Lose => {
                state.lost = state.log.len() as u8;
                state.losses += 1;
            }
            Action::Crash(i) => {
                state.crashes += 1;
                state.programs[i] = match self.0.roles[i] {
                    Role::Follow | Role::Repair | Role::Resume => At::Start,
                    _ => At::Over,
                };
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.is_right_or_flagged()
                    || state.gaps != 0
                    || (state.position as usize) < state.log.len()
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.is_followed() || !model.settled(state) || state.is_right()
            }),
            Property::always(HEALED, |_, state: &State| {
                state.is_right_or_flagged() || state.foreign || state.put_back
            }),
            Property::always(REPAIRED, |_, state: &State| {
                state.is_right_or_flagged() || !state.repaired
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && !state.log.is_empty() && state.source.r > 2
            }),
        ]
    }
}
