//! Events: a write stores its event in the document (E1); a finisher reads it durably (E2), copies it into the log (E3) and removes it from the
//! document (E4). A delete stores its event in its tombstone, and copies it into the log after all others (E5). A reader handles what the log has
//! for it, in the order of the numbers.
//!
//! One document, one log, one reader. A change of primary takes back what is not durable; a driver then sends a lost write again. The number of
//! an event is that of the document less the events that are left behind it.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol, SETTLED};

/// Name of the property that the log has no event twice, and none of a change that was taken back.
pub const ONCE: &str = "the log has each event of a change that stands, once";

/// Name of the property of the reader.
pub const ORDER: &str = "the reader handles new events in the order of their changes";

/// The number that the events of a document begin with that is stored under an `_id` for the second time.
const FAR: u8 = 10;

/// The task of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Changes the document, with an event.
    Emit,
    /// Delivers events, for ever.
    Finish,
    /// Deletes the document.
    Delete,
    /// Deletes the document, with an event.
    DeleteWithEvent,
    /// Stores the document again once it is deleted, with an event.
    StoreAgain,
    /// Reads the log, for ever.
    Read,
}

/// The programs that run, and the rules that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// How often a change of primary may take back what is not durable.
    pub rollbacks: u8,
    /// E2 is a durable read.
    pub proves: bool,
    /// E3 stores the events of a document in their order.
    pub in_order: bool,
    /// E3 finds an event that is in the log already by its token.
    pub by_token: bool,
    /// E4 removes the events that E3 has stored; else all that are left.
    pub removes_own: bool,
    /// E1 leaves a document alone that is being deleted.
    pub guards: bool,
    /// A document is deleted after its events were delivered.
    pub delivers_first: bool,
    /// A document is deleted after the event of its delete is in the log.
    pub logs_last: bool,
    /// The event of a delete comes into the log after those of the document.
    pub last_comes_last: bool,
    /// A document that is stored again begins with greater numbers.
    pub far: bool,
    /// Other events of a document wait for one that is handled.
    pub one_at_a_time: bool,
}

impl Config {
    /// A configuration that obeys every rule.
    #[must_use]
    pub fn sound(roles: &[Role], rollbacks: u8) -> Self {
        Self {
            roles: roles.to_vec(),
            rollbacks,
            proves: true,
            in_order: true,
            by_token: true,
            removes_own: true,
            guards: true,
            delivers_first: true,
            logs_last: true,
            last_comes_last: true,
            far: true,
            one_at_a_time: true,
        }
    }
}

/// The document: `{_dn: {l: {n, a}, del}}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    number: u8,
    /// The programs whose events are left.
    left: Vec<usize>,
    tombstone: bool,
    /// The delete whose event the tombstone holds.
    last: Option<usize>,
}

impl Stored {
    /// The events that are left, with their numbers.
    fn numbered(&self) -> Vec<(u8, usize)> {
        let first = self.number + 1 - self.left.len() as u8;
        (first..).zip(self.left.iter().copied()).collect()
    }
}

/// Where a program is. Names state the next step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// E1, the tombstone, or the new document.
    First,
    /// E3 of these, and then E4 of the others.
    Log(Vec<(u8, usize)>, Vec<usize>),
    /// E4.
    Remove(Vec<usize>),
    /// E5: the event of a delete, under this number.
    Last(u8, usize),
    /// The end of a delete: D3.
    Bury,
    /// The reader has begun with the event of this number.
    Handle(u8),
    /// The reader says that it has handled it.
    Say(u8),
    /// Between two tasks, done or dead.
    Over,
}

/// The document, the log and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    stored: Option<Stored>,
    /// The document as no crash takes it back, with the changes that stand there.
    durable: (Option<Stored>, Vec<usize>),
    /// The changes that stand, in their order.
    changes: Vec<usize>,
    /// The events in the log: number, program, true if it waits for the reader.
    log: Vec<(u8, usize, bool)>,
    /// The events that the reader has handled, each at its first time.
    handled: Vec<usize>,
    programs: Vec<At>,
    rollbacks: u8,
}

/// An atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a program.
    Step(usize),
    /// E2 of a finisher or of a delete.
    Prove(usize),
    /// E3 of the last of the events before the others.
    LogLast(usize),
    /// The reader begins with the event at this place in the log.
    Begin(usize, usize),
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
pub struct Events(pub Config);

impl Events {
    fn first(role: Role) -> At {
        match role {
            Role::Emit | Role::Delete | Role::DeleteWithEvent | Role::StoreAgain => At::First,
            Role::Finish | Role::Read => At::Over,
        }
    }

    /// E1.
    fn emit(&self, state: &mut State, program: usize) -> bool {
        let guards = self.0.guards;
        match &mut state.stored {
            Some(stored) if !(guards && stored.tombstone) => {
                stored.number += 1;
                stored.left.push(program);
                state.changes.push(program);
                true
            }
            _ => false,
        }
    }

    /// E3 of one event.
    fn log(&self, state: &mut State, number: u8, program: usize) {
        let same = |(known, other, _): &(u8, usize, bool)| match self.0.by_token {
            true => *known == number && *other == program,
            false => false,
        };
        if !state.log.iter().any(same) {
            state.log.push((number, program, true));
            state.log.sort_unstable();
        }
    }

    fn prove(&self, state: &mut State, program: usize) {
        let Some(stored) = &state.stored else { return };
        let numbered = stored.numbered();
        if self.0.proves {
            state.durable = (state.stored.clone(), state.changes.clone());
        }
        let tokens = numbered.iter().map(|(_, token)| *token).collect();
        state.programs[program] = At::Log(numbered, tokens);
    }

    /// The step after the last event is in the log.
    fn after_log(&self, program: usize, tokens: Vec<usize>) -> At {
        match (self.0.roles[program], tokens.is_empty()) {
            (Role::Delete | Role::DeleteWithEvent, true) => At::Bury,
            (_, true) => At::Over,
            _ => At::Remove(tokens),
        }
    }

    fn step(&self, state: &mut State, program: usize) {
        let role = self.0.roles[program];
        let next = match (role, state.programs[program].clone()) {
            (Role::Emit, At::First) => match self.emit(state, program) {
                true => At::Over,
                false => return,
            },
            (Role::Delete | Role::DeleteWithEvent, At::First) => {
                if let Some(stored) = &mut state.stored {
                    stored.tombstone = true;
                    if role == Role::DeleteWithEvent {
                        stored.last = Some(program);
                        state.changes.push(program);
                    }
                }
                // D1 is durable.
                state.durable = (state.stored.clone(), state.changes.clone());
                match self.0.delivers_first {
                    true => At::Log(Vec::new(), Vec::new()),
                    false => At::Bury,
                }
            }
            (Role::StoreAgain, At::First) => {
                let number = if self.0.far { FAR } else { 1 };
                let left = vec![program];
                state.stored = Some(Stored {
                    number,
                    left,
                    tombstone: false,
                    last: None,
                });
                state.changes.push(program);
                At::Over
            }
            // Nothing is left of the document's own events.
            (Role::DeleteWithEvent, At::Log(events, _)) if events.is_empty() => {
                self.read_last(state)
            }
            (_, At::Last(number, token)) => {
                self.log(state, number, token);
                At::Bury
            }
            (_, At::Log(mut events, tokens)) => {
                if !events.is_empty() {
                    let (number, token) = events.remove(0);
                    self.log(state, number, token);
                }
                match events.is_empty() {
                    true => self.after_log(program, tokens),
                    false => At::Log(events, tokens),
                }
            }
            (_, At::Remove(tokens)) => {
                if let Some(stored) = &mut state.stored {
                    let own = self.0.removes_own;
                    stored.left.retain(|one| own && !tokens.contains(one));
                }
                match role {
                    Role::Delete => At::Bury,
                    Role::DeleteWithEvent => At::Log(Vec::new(), Vec::new()),
                    _ => At::Over,
                }
            }
            (_, At::Bury) => {
                if state.stored.as_ref().is_some_and(|stored| stored.tombstone) {
                    state.stored = None;
                    state.durable = (None, state.changes.clone());
                }
                At::Over
            }
            (_, At::Handle(number)) => {
                let event = state.log.iter().find(|(known, ..)| *known == number);
                if let Some((_, token, _)) = event
                    && !state.handled.contains(token)
                {
                    state.handled.push(*token);
                }
                At::Say(number)
            }
            (_, At::Say(number)) => {
                let mut log = state.log.iter_mut();
                if let Some(event) = log.find(|(known, ..)| *known == number) {
                    event.2 = false;
                }
                At::Over
            }
            (_, at) => at,
        };
        state.programs[program] = next;
    }

    /// The read of E5.
    fn read_last(&self, state: &mut State) -> At {
        let Some(stored) = &state.stored else {
            return At::Bury;
        };
        match stored.last.filter(|_| self.0.logs_last) {
            Some(token) => {
                let number = match self.0.last_comes_last {
                    true => stored.number + 1,
                    false => stored.number + 1 - stored.left.len() as u8,
                };
                state.durable = (state.stored.clone(), state.changes.clone());
                At::Last(number, token)
            }
            None => At::Bury,
        }
    }

    fn is_taken_back(state: &State, program: usize) -> bool {
        state.programs[program] == At::Over && !state.changes.contains(&program)
    }
}

impl Protocol for Events {
    fn settled(&self, state: &State) -> bool {
        let left = state
            .stored
            .as_ref()
            .is_some_and(|stored| !stored.left.is_empty());
        let tombstone = state.stored.as_ref().is_some_and(|stored| stored.tombstone);
        state.programs.iter().all(|at| *at == At::Over)
            && !left
            && !tombstone
            && state.durable.0 == state.stored
    }
}

impl Model for Events {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let stored = Some(Stored {
            number: 0,
            left: Vec::new(),
            tombstone: false,
            last: None,
        });
        vec![State {
            stored: stored.clone(),
            durable: (stored, Vec::new()),
            changes: Vec::new(),
            log: Vec::new(),
            handled: Vec::new(),
            programs: self.0.roles.iter().map(|role| Self::first(*role)).collect(),
            rollbacks: self.0.rollbacks,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let role = self.0.roles[i];
            match (role, at) {
                (Role::Finish, At::Over) => {
                    let left = state.stored.as_ref().map(|stored| stored.left.len());
                    actions.extend((left > Some(0)).then_some(Action::Prove(i)));
                }
                // The delete reads the events of its tombstone.
                (Role::Delete | Role::DeleteWithEvent, At::Log(events, tokens))
                    if events.is_empty() && tokens.is_empty() =>
                {
                    let left = state
                        .stored
                        .as_ref()
                        .is_some_and(|stored| !stored.left.is_empty());
                    actions.push(if left {
                        Action::Prove(i)
                    } else {
                        Action::Step(i)
                    });
                    if left && !self.0.last_comes_last && role == Role::DeleteWithEvent {
                        actions.push(Action::Step(i));
                    }
                }
                (Role::StoreAgain, At::First) => {
                    actions.extend(state.stored.is_none().then_some(Action::Step(i)));
                }
                (Role::Emit, At::First) => {
                    actions.extend(state.stored.is_some().then_some(Action::Step(i)));
                    actions.push(Action::Crash(i));
                }
                (Role::Read, At::Over) => {
                    let mut waiting = state.log.iter().enumerate().filter(|(_, event)| event.2);
                    match self.0.one_at_a_time {
                        true => actions.extend(waiting.next().map(|(n, _)| Action::Begin(i, n))),
                        false => actions.extend(waiting.map(|(n, _)| Action::Begin(i, n))),
                    }
                }
                (_, At::Over) => {}
                (_, At::Log(events, _)) => {
                    actions.extend([Action::Step(i), Action::Crash(i)]);
                    if !self.0.in_order && events.len() > 1 {
                        actions.push(Action::LogLast(i));
                    }
                }
                _ => actions.extend([Action::Step(i), Action::Crash(i)]),
            }
            if role == Role::Emit
                && Self::is_taken_back(state, i)
                && state.rollbacks < self.0.rollbacks
            {
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
            Action::Prove(i) => self.prove(&mut state, i),
            Action::LogLast(i) => {
                let At::Log(mut events, tokens) = last.programs[i].clone() else {
                    return None;
                };
                let (number, token) = events.pop()?;
                self.log(&mut state, number, token);
                state.programs[i] = At::Log(events, tokens);
            }
            Action::Begin(i, n) => state.programs[i] = At::Handle(state.log[n].0),
            Action::Crash(i) => {
                state.programs[i] = match (self.0.roles[i], &last.programs[i]) {
                    // Another program goes on with a delete.
                    (Role::Delete | Role::DeleteWithEvent, at) if *at != At::First => {
                        At::Log(Vec::new(), Vec::new())
                    }
                    _ => At::Over,
                };
            }
            Action::Rollback => {
                (state.stored, state.changes) = state.durable.clone();
                state.rollbacks -= 1;
            }
            Action::Replicate => state.durable = (state.stored.clone(), state.changes.clone()),
            Action::Resend(i) => {
                if !self.emit(&mut state, i) {
                    return None;
                }
            }
        }
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| {
                let all = &state.log;
                all.iter().enumerate().all(|(n, (number, token, _))| {
                    let others = all[n + 1..].iter();
                    state.changes.contains(token)
                        && others.clone().all(|(other, ..)| other != number)
                        && others.clone().all(|(_, other, _)| other != token)
                })
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                let logged = state.log.iter().map(|(_, token, _)| token);
                !model.settled(state) || logged.eq(state.changes.iter())
            }),
            Property::always(ORDER, |_: &Self, state: &State| {
                let place = |token: &usize| state.changes.iter().position(|one| one == token);
                state.handled.iter().map(place).is_sorted()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let reads = model.0.roles.contains(&Role::Read);
                model.settled(state)
                    && !state.changes.is_empty()
                    && (!reads || state.handled.len() == state.changes.len())
            }),
        ]
    }
}
