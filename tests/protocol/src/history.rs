//! A history: a write stores the value that it has met in an entry of the document (H1); a finisher reads value and entries durably (H2), copies the
//! entries into the log with the value after each (H3) and removes them from the document (H4). A delete says what it has deleted (H5).
//!
//! One document with one field, one log. Other programs change the field without an entry. A change of primary takes back what is not
//! durable; a driver then sends a lost write again, with its token. [`crate::events`] has the rest of what logs share: the order of a log, and
//! documents that are stored again.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol, SETTLED};

/// Name of the property that the log has no value before a change but the one that this change has met.
pub const MET: &str = "an entry of the log has the value that its change has met";

/// Name of the property of the values after changes, where no other program changes the document.
pub const STORED: &str = "an entry of the log has the value that its change has stored";

/// Name of the property that the log leads back to the first state, where no other program changes the document.
pub const BACK: &str = "the entries lead back from the last value to the first one";

/// The value of the document at first.
const FIRST: u8 = 0;

/// The task of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores this value by a pipeline.
    Pipe(u8),
    /// Stores this value in the document that it has read.
    Guarded(u8),
    /// Stores this value without an entry: a program that knows no history.
    Foreign(u8),
    /// Delivers the entries of this document, for ever.
    Finish,
    /// Delivers the entries of a page of documents, for ever.
    Sweep,
    /// Deletes the document, or goes on with the delete of another program.
    Delete,
}

/// The programs that run, and the rules that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// How often a change of primary may take back what is not durable.
    pub rollbacks: u8,
    /// H1 without a pipeline changes only a document whose value is the one that was read.
    pub compares: bool,
    /// H2 reads the value together with the entries.
    pub one_read: bool,
    /// H2 is a durable read.
    pub proves: bool,
    /// H2 of a page proves the values in the entries; else their tokens alone.
    pub proves_values: bool,
    /// H3 finds an entry that is in the log already by its token.
    pub by_token: bool,
    /// A document is deleted after its entries were delivered.
    pub delivers_first: bool,
    /// A document is deleted after the entry of its delete is in the log.
    pub says_delete: bool,
}

impl Config {
    /// A configuration that obeys every rule.
    #[must_use]
    pub fn sound(roles: &[Role], rollbacks: u8) -> Self {
        Self {
            roles: roles.to_vec(),
            rollbacks,
            compares: true,
            one_read: true,
            proves: true,
            proves_values: true,
            by_token: true,
            delivers_first: true,
            says_delete: true,
        }
    }
}

/// The document: `{value, _dn: {j: {n, a}, del}}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    value: u8,
    number: u8,
    /// The entries that are left: the program, and the value before its change.
    left: Vec<(usize, u8)>,
    /// The program that began to delete the document.
    tombstone: Option<usize>,
}

impl Stored {
    /// The number before that of the first entry.
    fn before(&self) -> u8 {
        self.number - self.left.len() as u8
    }

    fn tokens(&self) -> Vec<usize> {
        self.left.iter().map(|(token, _)| *token).collect()
    }

    /// The entries as the log stores them.
    fn entries(&self) -> Vec<Entry> {
        let behind = self.left.iter().skip(1).map(|(_, before)| *before);
        let after = behind.chain([self.value]);
        let entries = (self.before() + 1..).zip(&self.left).zip(after);
        let entries = entries.map(|((number, (token, before)), after)| {
            Entry::new((number, *token), (*before, Some(after)))
        });
        entries.collect()
    }

    /// The entry of the delete.
    fn last(&self, token: usize) -> Entry {
        Entry::new((self.number + 1, token), (self.value, None))
    }

    /// True if the entries of an earlier read are still the first ones, under their numbers.
    fn begins_as(&self, read: &Stored, with_values: bool) -> bool {
        self.before() == read.before()
            && match with_values {
                true => self.left.starts_with(&read.left),
                false => self.tokens().starts_with(&read.tokens()),
            }
    }
}

/// A change with its number, as it was made and as the log has it. A delete has no value after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    number: u8,
    token: usize,
    before: u8,
    after: Option<u8>,
}

impl Entry {
    fn new((number, token): (u8, usize), (before, after): (u8, Option<u8>)) -> Self {
        Entry {
            number,
            token,
            before,
            after,
        }
    }
}

/// Where a program is. Names state the next step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// H1, the read before it, or the tombstone.
    First,
    /// H1 in a document that had this value.
    Compare(u8),
    /// The read of the value to these entries.
    Value(Stored),
    /// The proof that these entries are durable.
    Prove(Stored),
    /// H3 of these entries, and then H4 of those with these tokens.
    Log(Vec<Entry>, Vec<usize>),
    /// H4.
    Remove(Vec<usize>),
    /// H5.
    Last,
    /// D3.
    Bury,
    /// Between two tasks, done or dead.
    Over,
}

/// The document, the log and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    stored: Option<Stored>,
    /// The changes that stand, in their order, but those of other programs. A delete meets the value that the document has at its end.
    changes: Vec<Entry>,
    /// Both as no crash takes them back.
    durable: (Option<Stored>, Vec<Entry>),
    log: Vec<Entry>,
    programs: Vec<At>,
    rollbacks: u8,
}

impl State {
    fn replicate(&mut self) {
        self.durable = (self.stored.clone(), self.changes.clone());
    }

    /// Stores a value with its entry: H1.
    fn record(&mut self, token: usize, before: u8, value: u8) {
        if let Some(stored) = &mut self.stored {
            stored.number += 1;
            stored.left.push((token, before));
            let met = std::mem::replace(&mut stored.value, value);
            let change = Entry::new((stored.number, token), (met, Some(value)));
            self.changes.push(change);
        }
    }

    fn store_foreign(&mut self, value: u8) {
        if let Some(stored) = &mut self.stored {
            stored.value = value;
            let delete = self.changes.last_mut().filter(|last| last.after.is_none());
            if let Some(delete) = delete {
                delete.before = value;
            }
        }
    }

    fn entomb(&mut self, token: usize) {
        if let Some(stored) = &mut self.stored
            && stored.tombstone.is_none()
        {
            stored.tombstone = Some(token);
            self.changes.push(stored.last(token));
        }
        // D1 is durable.
        self.replicate();
    }
}

/// An atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a program.
    Step(usize),
    /// The program dies.
    Crash(usize),
    /// Another primary: what is not durable is taken back.
    Rollback,
    /// The latest writes become durable.
    Replicate,
    /// The driver sends the write of a program again, because it was taken back.
    Resend(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct History(pub Config);

impl History {
    /// True if no program changes the document without an entry.
    fn is_alone(&self) -> bool {
        let mut roles = self.0.roles.iter();
        !roles.any(|role| matches!(role, Role::Foreign(_)))
    }

    fn first(role: Role) -> At {
        match role {
            Role::Finish | Role::Sweep => At::Over,
            _ => At::First,
        }
    }

    /// H2 of a finisher that has read the document.
    fn prove(&self, state: &mut State, read: &Stored) -> At {
        if self.0.proves {
            state.replicate();
        }
        At::Log(read.entries(), read.tokens())
    }

    /// The durable read of H5: the entries that are left, and that of the delete.
    fn read_last(&self, state: &mut State, stored: &Stored, token: usize) -> At {
        state.replicate();
        let mut entries = match self.0.delivers_first {
            true => stored.entries(),
            false => Vec::new(),
        };
        entries.extend(self.0.says_delete.then(|| stored.last(token)));
        let tokens = stored.tokens();
        match entries.is_empty() {
            true => At::Bury,
            false => At::Log(entries, tokens),
        }
    }

    /// H3 of one entry.
    fn log(&self, state: &mut State, entry: Entry) {
        let same = |one: &Entry| (one.number, one.token) == (entry.number, entry.token);
        if !(self.0.by_token && state.log.iter().any(same)) {
            state.log.push(entry);
            state.log.sort_unstable();
        }
    }

    fn step(&self, state: &mut State, program: usize) {
        let role = self.0.roles[program];
        let stored = state.stored.clone();
        let next = match (state.programs[program].clone(), role, stored) {
            (At::First, Role::Delete, _) => {
                state.entomb(program);
                At::Last
            }
            (At::First, Role::Foreign(value), Some(_)) => {
                state.store_foreign(value);
                At::Over
            }
            // Writers leave a document alone that is being deleted.
            (At::First | At::Compare(_), Role::Pipe(_) | Role::Guarded(_), stored)
                if stored.as_ref().is_none_or(|one| one.tombstone.is_some()) =>
            {
                At::First
            }
            (At::First, Role::Pipe(value), Some(stored)) => {
                if stored.value != value {
                    state.record(program, stored.value, value);
                }
                At::Over
            }
            (At::First, Role::Guarded(_), Some(stored)) => At::Compare(stored.value),
            (At::Compare(read), Role::Guarded(value), Some(stored)) => {
                if stored.value == read || !self.0.compares {
                    state.record(program, read, value);
                    At::Over
                } else {
                    At::First
                }
            }
            (At::Over, Role::Sweep, Some(stored)) if self.0.proves => At::Prove(stored),
            (At::Over, _, Some(stored)) if !self.0.one_read => At::Value(stored),
            (At::Over, _, Some(stored)) => self.prove(state, &stored),
            (At::Value(read), _, Some(Stored { value, .. })) => {
                self.prove(state, &Stored { value, ..read })
            }
            (At::Prove(read), _, Some(stored)) => {
                match stored.begins_as(&read, self.0.proves_values) {
                    true => self.prove(state, &read),
                    false => self.prove(state, &stored),
                }
            }
            (At::Log(mut entries, tokens), _, _) => {
                if !entries.is_empty() {
                    self.log(state, entries.remove(0));
                }
                match entries.is_empty() {
                    true => At::Remove(tokens),
                    false => At::Log(entries, tokens),
                }
            }
            (At::Remove(tokens), role, _) => {
                if let Some(stored) = &mut state.stored {
                    stored.left.retain(|(token, _)| !tokens.contains(token));
                }
                match role {
                    Role::Delete => At::Bury,
                    _ => At::Over,
                }
            }
            (At::Last, _, Some(stored)) => match stored.tombstone {
                Some(token) => self.read_last(state, &stored, token),
                None => At::Over,
            },
            (At::Bury, _, _) => {
                state.stored = None;
                state.replicate();
                At::Over
            }
            _ => At::Over,
        };
        state.programs[program] = next;
    }

    fn is_taken_back(&self, state: &State, program: usize) -> bool {
        matches!(self.0.roles[program], Role::Pipe(_) | Role::Guarded(_))
            && state.rollbacks < self.0.rollbacks
            && state.programs[program] == At::Over
            && state.changes.iter().all(|change| change.token != program)
    }
}

impl Protocol for History {
    fn settled(&self, state: &State) -> bool {
        let at_rest = |one: &Stored| one.left.is_empty() && one.tombstone.is_none();
        state.programs.iter().all(|at| *at == At::Over)
            && state.stored.as_ref().is_none_or(at_rest)
            && state.durable.0 == state.stored
    }
}

impl Model for History {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let stored = Some(Stored {
            value: FIRST,
            number: 0,
            left: Vec::new(),
            tombstone: None,
        });
        vec![State {
            stored: stored.clone(),
            changes: Vec::new(),
            durable: (stored, Vec::new()),
            log: Vec::new(),
            programs: self.0.roles.iter().map(|role| Self::first(*role)).collect(),
            rollbacks: self.0.rollbacks,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_left = state
            .stored
            .as_ref()
            .is_some_and(|one| !one.left.is_empty());
        for (i, at) in state.programs.iter().enumerate() {
            match (self.0.roles[i], at) {
                (Role::Finish | Role::Sweep, At::Over) => {
                    actions.extend(is_left.then_some(Action::Step(i)));
                }
                (_, At::Over) => {}
                _ => actions.extend([Action::Step(i), Action::Crash(i)]),
            }
            if self.is_taken_back(state, i) {
                actions.push(Action::Resend(i));
            }
        }
        if state.durable.0 != state.stored {
            actions.push(Action::Replicate);
            actions.extend((state.rollbacks > 0).then_some(Action::Rollback));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => self.step(&mut state, i),
            Action::Crash(i) => {
                state.programs[i] = match (self.0.roles[i], &last.programs[i]) {
                    // Another program goes on with a delete.
                    (Role::Delete, at) if *at != At::First => At::Last,
                    _ => At::Over,
                };
            }
            Action::Rollback => {
                (state.stored, state.changes) = state.durable.clone();
                state.rollbacks -= 1;
            }
            Action::Replicate => state.replicate(),
            Action::Resend(i) => state.programs[i] = At::First,
        }
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(MET, |_: &Self, state: &State| {
                state.log.iter().all(|entry| {
                    let mut changes = state.changes.iter();
                    changes.any(|one| (one.token, one.before) == (entry.token, entry.before))
                })
            }),
            Property::always(STORED, |model: &Self, state: &State| {
                let mut log = state.log.iter();
                !model.is_alone() || log.all(|entry| state.changes.contains(entry))
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                let numbered = |one: &Entry| (one.number, one.token);
                let changes = state.changes.iter().map(numbered);
                !model.settled(state) || state.log.iter().map(numbered).eq(changes)
            }),
            Property::always(BACK, |model: &Self, state: &State| {
                let value = state.stored.as_ref().map(|stored| stored.value);
                let mut entries = state.log.iter().rev();
                let first = entries.try_fold(value, |value, entry| {
                    (entry.after == value).then_some(Some(entry.before))
                });
                !model.settled(state) || !model.is_alone() || first == Some(Some(FIRST))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let deletes = model.0.roles.contains(&Role::Delete);
                model.settled(state)
                    && !state.changes.is_empty()
                    && deletes == state.stored.is_none()
            }),
        ]
    }
}
