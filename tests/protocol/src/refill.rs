//! The last N messages of a host when messages also go, or change their time (15.C6): every change of the list leaves a mark on the
//! host, and what a list loses is refilled from the messages.
//!
//! One host, which may be the document of a period; a message belongs to it or does not (deleted, or of another host or period). Messages are read one by one, so that others may
//! write between two of them.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// The task of a program, done once (resumers: for ever). Messages have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Inserts the message, which was not there.
    Insert(usize),
    /// Deletes the message, or takes it to another host.
    Leave(usize),
    /// Gives the message another time.
    Retime(usize, u8),
    /// A late send of another program's change of the list, whose reply was lost: delivered at any time or never.
    Echo,
    /// Finishes pending messages, and the refills that marks stand for.
    Resume,
    /// Another program deletes the host, if it has an empty list and no mark.
    Prune,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The time of every message, and true if it is stored at first.
    pub messages: Vec<(u8, bool)>,
    /// N.
    pub keep: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// An entry added to the list leaves a mark, and so does one whose removal leaves room in it.
    pub mark: bool,
    /// A mark says that a full list has lost something, and then only a refill takes it off.
    pub refill: bool,
    /// A refill leaves a mark of its own, and reads again before it takes that off.
    pub read_again: bool,
    /// A refill takes off the marks that it has seen, and its own, not all.
    pub clear_exactly: bool,
    /// The host exists at first. One that does not is the document of a period.
    pub stored: bool,
    /// A message that finds no host stores it, and changes the list again.
    pub stores: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(messages: &[(u8, bool)], keep: usize, roles: &[Role]) -> Self {
        Self {
            messages: messages.to_vec(),
            keep,
            roles: roles.to_vec(),
            crashes: true,
            mark: true,
            refill: true,
            read_again: true,
            clear_exactly: true,
            stored: true,
            stores: true,
        }
    }
}

/// A message: true if it belongs to the host, its time, its revision and its flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    there: bool,
    time: u8,
    r: u8,
    pending: bool,
}

/// An entry of the list on the host: a message as it was at a revision. Sorts as the list does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    time: u8,
    id: usize,
    r: u8,
}

/// A mark on the host, of one message or of a refill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    of: Option<usize>,
    token: u8,
    lost: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// The list is changed to agree with the message.
    Change(usize, Message),
    /// The host is stored, with an empty list, if it is not there.
    Store(usize, Message),
    /// The message's flag goes, if it is as it was.
    Unflag(usize, Message, Option<u8>),
    /// The own mark goes.
    Unmark(u8),
    /// The host is read.
    ReadHost,
    /// The messages are read, one by one.
    Read(Seen, Vec<Entry>, usize),
    /// The list is refilled.
    Refill(Seen, Vec<Entry>),
    /// The messages are read again.
    ReadAgain(u8, Vec<Entry>, Vec<Entry>, usize),
    /// The mark of the refill goes.
    Clear(u8),
    /// Done or dead.
    Over,
}

/// The tokens and the list that a refill has read from the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    tokens: Vec<u8>,
    list: Vec<Entry>,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    messages: Vec<Message>,
    /// True if the host is there.
    stored: bool,
    list: Vec<Entry>,
    marks: Vec<Mark>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The program's next step.
    Step(usize),
    /// A resumer takes a pending message.
    Take(usize, usize),
    /// A resumer takes a marked host.
    TakeHost(usize),
    /// The second program's change got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Refills(pub Config);

impl Refills {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    fn resting(&self, program: usize, at: &At) -> bool {
        let may_rest = |role| matches!(role, Role::Echo | Role::Resume | Role::Prune);
        *at == At::Over || (*at == At::Start && may_rest(self.0.roles[program]))
    }

    fn newest(&self, mut entries: Vec<Entry>) -> Vec<Entry> {
        entries.sort_unstable();
        entries.drain(..entries.len().saturating_sub(self.0.keep));
        entries
    }

    fn exact(&self, state: &State) -> bool {
        let all = (0..state.messages.len()).filter_map(|id| state.entry(id));
        self.newest(all.collect()) == state.list
    }

    /// One atomic update of the host: what a message said becomes so in the list. Gives the token of the mark it left.
    fn change(&self, state: &mut State, id: usize, message: Message) -> Option<u8> {
        if !state.stored {
            return None;
        }
        let old = state.list.iter().find(|entry| entry.id == id).copied();
        let full = state.list.len() == self.0.keep;
        let new = Entry {
            time: message.time,
            id,
            r: message.r,
        };
        let lost = if message.there {
            if old.is_some_and(|old| old.r >= new.r) {
                return None;
            }
            let before = state.list.clone();
            state.list.retain(|entry| entry.id != id);
            state.list.push(new);
            state.list = self.newest(std::mem::take(&mut state.list));
            if state.list == before {
                return None;
            }
            full && old.is_some_and(|old| new.time < old.time)
        } else {
            let old = old?;
            if old.r >= new.r {
                return None;
            }
            state.list.retain(|entry| entry.id != id);
            full
        };
        // A pulled entry leaves no mark, unless its removal leaves room in the list.
        if !self.0.mark || !(message.there || lost) {
            return None;
        }
        Some(state.mark(Some(id), lost && self.0.refill))
    }

    /// One atomic update of the host by a refill. Gives its token and the list as it is then.
    fn refill(&self, state: &mut State, seen: &Seen, read: &[Entry]) -> u8 {
        let gone = |entry: &Entry| {
            seen.list.contains(entry) && read.iter().all(|other| other.id != entry.id)
        };
        let mut merged: Vec<Entry> = read.to_vec();
        for entry in state.list.iter().filter(|entry| !gone(entry)) {
            match merged.iter_mut().find(|other| other.id == entry.id) {
                Some(other) if entry.r > other.r => *other = *entry,
                Some(_) => {}
                None => merged.push(*entry),
            }
        }
        state.stored |= !merged.is_empty();
        state.list = self.newest(merged);
        state
            .marks
            .retain(|mark| !seen.tokens.contains(&mark.token));
        if self.0.read_again {
            state.mark(None, true)
        } else {
            0
        }
    }

    fn step(&self, state: &mut State, i: usize) -> Option<At> {
        let at = state.programs[i].clone();
        Some(match at {
            At::Start => {
                let (id, there, time) = match self.0.roles[i] {
                    Role::Insert(id) => (id, true, None),
                    Role::Leave(id) => (id, false, None),
                    Role::Retime(id, time) => (id, state.messages[id].there, Some(time)),
                    Role::Prune
                        if state.stored && state.list.is_empty() && state.marks.is_empty() =>
                    {
                        state.stored = false;
                        return Some(At::Over);
                    }
                    Role::Echo | Role::Resume | Role::Prune => return None,
                };
                let message = &mut state.messages[id];
                *message = Message {
                    there,
                    time: time.unwrap_or(message.time),
                    r: message.r + 1,
                    pending: true,
                };
                At::Change(id, *message)
            }
            At::Change(id, message)
                if !state.stored
                    && message.there
                    && self.0.stores
                    && self.0.roles[i] != Role::Echo =>
            {
                At::Store(id, message)
            }
            At::Store(id, message) => {
                state.stored = true;
                At::Change(id, message)
            }
            At::Change(id, message) => {
                let token = self.change(state, id, message);
                if self.0.roles[i] == Role::Echo {
                    return Some(At::Over);
                }
                At::Unflag(id, message, token)
            }
            At::Unflag(id, was, token) => {
                let same = state.messages[id].r == was.r;
                state.messages[id].pending &= !same;
                let lost = state
                    .marks
                    .iter()
                    .any(|mark| Some(mark.token) == token && mark.lost);
                match token {
                    Some(token) if same && !lost => At::Unmark(token),
                    Some(_) => At::ReadHost,
                    None => self.rest(i),
                }
            }
            At::Unmark(token) => {
                state.marks.retain(|mark| mark.token != token || mark.lost);
                self.rest(i)
            }
            At::ReadHost => {
                let tokens = state.marks.iter().map(|mark| mark.token).collect();
                let list = state.list.clone();
                At::Read(Seen { tokens, list }, Vec::new(), 0)
            }
            At::Read(seen, mut read, next) => {
                read.extend(state.entry(next));
                if next + 1 == state.messages.len() {
                    At::Refill(seen, read)
                } else {
                    At::Read(seen, read, next + 1)
                }
            }
            At::Refill(seen, read) => {
                let token = self.refill(state, &seen, &read);
                if self.0.read_again {
                    At::ReadAgain(token, state.list.clone(), Vec::new(), 0)
                } else {
                    self.rest(i)
                }
            }
            At::ReadAgain(token, list, mut read, next) => {
                read.extend(state.entry(next));
                if next + 1 < state.messages.len() {
                    At::ReadAgain(token, list, read, next + 1)
                } else if self.newest(read) == list {
                    At::Clear(token)
                } else {
                    At::ReadHost
                }
            }
            At::Clear(token) => {
                let exactly = self.0.clear_exactly;
                state.marks.retain(|mark| exactly && mark.token != token);
                self.rest(i)
            }
            At::Over => return None,
        })
    }
}

impl State {
    fn entry(&self, id: usize) -> Option<Entry> {
        let Message { there, time, r, .. } = self.messages[id];
        there.then_some(Entry { time, id, r })
    }

    fn mark(&mut self, of: Option<usize>, lost: bool) -> u8 {
        let same = |mark: &Mark| of.is_some() && mark.of == of;
        let lost = lost || self.marks.iter().any(|mark| same(mark) && mark.lost);
        self.marks.retain(|mark| !same(mark));
        let token = self.unused();
        self.marks.push(Mark { of, token, lost });
        token
    }

    /// A token that is not in use: a number is used again once nothing refers to it, so that states stay few.
    fn unused(&self) -> u8 {
        let of = |at: &At| match at {
            At::Unflag(_, _, token) => token.iter().copied().collect(),
            At::Unmark(token) | At::ReadAgain(token, ..) | At::Clear(token) => vec![*token],
            At::Read(seen, ..) | At::Refill(seen, _) => seen.tokens.clone(),
            At::Start | At::Change(..) | At::Store(..) | At::ReadHost | At::Over => Vec::new(),
        };
        let used: Vec<u8> = self.programs.iter().flat_map(of).collect();
        let marked = |token: &u8| self.marks.iter().any(|mark| mark.token == *token);
        let unused = |token: &u8| !marked(token) && !used.contains(token);
        (1..u8::MAX).find(unused).expect("few are in use")
    }

    fn flagged(&self) -> bool {
        !self.marks.is_empty() || self.messages.iter().any(|message| message.pending)
    }
}

impl Protocol for Refills {
    fn settled(&self, state: &State) -> bool {
        let mut programs = state.programs.iter().enumerate();
        !state.flagged() && programs.all(|(i, at)| self.resting(i, at))
    }
}

impl Model for Refills {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let message = |(time, there): &(u8, bool)| Message {
            there: *there,
            time: *time,
            r: 1,
            pending: false,
        };
        let messages: Vec<Message> = self.0.messages.iter().map(message).collect();
        let mut state = State {
            messages,
            stored: self.0.stored,
            list: Vec::new(),
            marks: Vec::new(),
            programs: vec![At::Start; self.0.roles.len()],
        };
        let all = (0..state.messages.len()).filter_map(|id| state.entry(id));
        state.list = self.newest(all.collect());
        vec![state]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (at, self.0.roles[i]) {
                (At::Start, Role::Echo) => {
                    let sends = |other: &usize| matches!(state.programs[*other], At::Change(..));
                    let others = (0..self.0.roles.len()).filter(sends);
                    actions.extend(others.map(|other| Action::Resend(i, other)));
                }
                (At::Start, Role::Resume) => {
                    let pending = |id: &usize| state.messages[*id].pending;
                    let messages = (0..state.messages.len()).filter(pending);
                    actions.extend(messages.map(|id| Action::Take(i, id)));
                    if !state.marks.is_empty() {
                        actions.push(Action::TakeHost(i));
                    }
                }
                (At::Over, _) => {}
                _ => actions.push(Action::Step(i)),
            }
            if self.0.crashes && !self.resting(i, at) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::Step(i) => (i, self.step(&mut state, i)?),
            Action::Take(i, id) => (i, At::Change(id, state.messages[id])),
            Action::TakeHost(i) => (i, At::ReadHost),
            Action::Resend(i, other) => (i, last.programs[other].clone()),
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |model: &Self, state: &State| {
                state.flagged() || model.exact(state)
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || model.exact(state)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let started = |at: &At| *at == At::Over;
                let writers = model.0.roles.iter().zip(&state.programs);
                let mut writers = writers
                    .filter(|(role, _)| !matches!(role, Role::Resume | Role::Echo | Role::Prune));
                model.settled(state) && writers.all(|(_, at)| started(at))
            }),
        ]
    }
}
