//! A child whose parent counts it by an update that the call does not wait to be durable: the flag of the child goes only after the update
//! was found in the parent by a durable read (group commit over 15.D3, PROTOCOL 4.10).
//!
//! As in [`durability`](crate::durability), everybody sees a write before it is journaled, and a kill takes the database back to what was
//! journaled last, while programs live on with what they know. What is journaled is everything that was visible at one moment: on one
//! server a later write is never durable without the earlier ones.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that no child is counted twice.
pub const ONCE: &str = "no child is counted twice";

/// How many children there can be.
pub const CHILDREN: usize = 2;

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many programs insert a child each.
    pub programs: usize,
    /// How often the server may be killed.
    pub kills: u8,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// The child is durable before its parent counts it.
    pub journal_child: bool,
    /// Not a MUST if there is a confirmation: the count is durable before the call answers.
    pub journal_parent: bool,
    /// The flag of the child goes only if a read has found the count in the parent.
    pub confirm: bool,
    /// That read waits until what it has found is durable.
    pub durable_confirm: bool,
    /// The removal of the flag is durable before the token goes.
    pub journal_clear: bool,
}

impl Config {
    /// Obeys every MUST, and nothing more.
    #[must_use]
    pub fn sound(programs: usize) -> Self {
        Self {
            programs,
            kills: 1,
            crashes: true,
            journal_child: true,
            journal_parent: false,
            confirm: true,
            durable_confirm: true,
            journal_clear: true,
        }
    }
}

/// The documents: the parent `{n, _dn: {k: {e, a}}}`, and the children with their flags. The number is known from the children.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Base {
    epoch: u8,
    tokens: [bool; CHILDREN],
    /// How often each child was counted.
    times: [u8; CHILDREN],
    /// True if the child is flagged; `None` if there is no such child.
    children: [Option<bool>; CHILDREN],
}

impl Base {
    fn flagged(&self, child: usize) -> bool {
        self.children[child] == Some(true)
    }

    /// Counts a child, unless its token is there or the epoch is another one.
    fn count(&mut self, child: usize, epoch: u8) -> bool {
        let matches = self.epoch == epoch && !self.tokens[child];
        if matches {
            self.tokens[child] = true;
            self.times[child] += 1;
        }
        matches
    }

    fn clear(&mut self, child: usize) {
        if let Some(flag) = &mut self.children[child] {
            *flag = false;
        }
    }

    /// True if every child without a flag is counted, and nothing else is.
    fn right(&self) -> bool {
        (0..CHILDREN).all(|child| match self.children[child] {
            Some(true) => true,
            Some(false) => self.times[child] == 1,
            None => self.times[child] == 0,
        })
    }
}

/// Where a program is. Names state the next step; the `Await`s need the journal to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// It learns the epoch.
    Learn,
    /// It inserts its child.
    Insert(u8),
    /// The reply to the insert.
    AwaitInsert(u8),
    /// It updates the parent.
    Count(u8),
    /// The reply to that.
    AwaitCount,
    /// The call has answered; it looks for its token in the parent.
    Confirm,
    /// The reply to that.
    AwaitConfirm,
    /// It removes the flag.
    Clear,
    /// The reply to that.
    AwaitClear,
    /// It removes the token.
    Tidy,
    /// Done, dead, or left to the finisher.
    Over,
}

/// Where the finisher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finisher {
    /// It looks for a flagged child.
    Idle,
    /// It has read the epoch, and reads the child.
    Read(usize, u8),
    /// The reply to that.
    AwaitRead(usize, u8),
    /// It counts the child.
    Count(usize, u8),
    /// The reply to that.
    AwaitCount(usize),
    /// It removes the flag.
    Clear(usize),
    /// The reply to that.
    AwaitClear(usize),
    /// It removes the token.
    Forget(usize),
}

/// All programs, what the server shows and what it would show after a kill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    seen: Base,
    journaled: Base,
    /// Epochs that were ever given: none is given twice.
    epochs: u8,
    kills: u8,
    programs: Vec<At>,
    finisher: Finisher,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A program does its next step.
    Step(usize),
    /// The finisher takes this child.
    Take(usize),
    /// It does its next step.
    Finish,
    /// It removes a token that no child carries.
    Forget(usize),
    /// The journal catches up; answers that waited for it go out.
    Journal,
    /// The server dies and comes back with its journal.
    Kill,
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Confirm(pub Config);

/// The next step of a program that gets its reply.
fn answered(at: At) -> At {
    match at {
        At::AwaitInsert(epoch) => At::Count(epoch),
        At::AwaitCount => At::Confirm,
        At::AwaitConfirm => At::Clear,
        At::AwaitClear => At::Tidy,
        other => other,
    }
}

/// The next step of a program whose server dies: the insert fails, and what is safe to repeat is repeated.
fn failed(at: At) -> At {
    match at {
        At::AwaitInsert(_) | At::AwaitCount => At::Over,
        At::AwaitConfirm => At::Confirm,
        At::AwaitClear => At::Clear,
        other => other,
    }
}

fn finisher_answered(at: Finisher) -> Finisher {
    match at {
        Finisher::AwaitRead(child, epoch) => Finisher::Count(child, epoch),
        Finisher::AwaitCount(child) => Finisher::Clear(child),
        Finisher::AwaitClear(child) => Finisher::Forget(child),
        other => other,
    }
}

fn finisher_failed(at: Finisher) -> Finisher {
    match at {
        Finisher::AwaitRead(..) | Finisher::AwaitCount(_) | Finisher::AwaitClear(_) => {
            Finisher::Idle
        }
        other => other,
    }
}

impl State {
    fn next_epoch(&mut self) {
        self.epochs += 1;
        self.seen.epoch = self.epochs;
    }

    fn forget(&mut self, child: usize) {
        if self.seen.tokens[child] {
            self.seen.tokens[child] = false;
            self.next_epoch();
        }
    }
}

impl Confirm {
    fn wait(journal: bool, at: At) -> At {
        if journal { at } else { answered(at) }
    }

    fn step(&self, state: &mut State, i: usize) -> At {
        let config = &self.0;
        match state.programs[i] {
            At::Learn => At::Insert(state.seen.epoch),
            At::Insert(epoch) => {
                state.seen.children[i] = Some(true);
                Self::wait(config.journal_child, At::AwaitInsert(epoch))
            }
            At::Count(epoch) => match state.seen.count(i, epoch) {
                true if config.journal_parent => At::AwaitCount,
                true if config.confirm => At::Confirm,
                true => At::Clear,
                false => At::Over,
            },
            At::Confirm if !config.confirm => At::Clear,
            At::Confirm if !state.seen.tokens[i] => At::Over,
            At::Confirm => Self::wait(config.durable_confirm, At::AwaitConfirm),
            At::Clear => {
                state.seen.clear(i);
                Self::wait(config.journal_clear, At::AwaitClear)
            }
            At::Tidy => {
                state.forget(i);
                At::Over
            }
            other => other,
        }
    }

    fn finish(state: &mut State) -> Finisher {
        match state.finisher {
            Finisher::Read(child, epoch) => match state.seen.flagged(child) {
                true => Finisher::AwaitRead(child, epoch),
                false => Finisher::Idle,
            },
            Finisher::Count(child, epoch) => {
                let there = state.seen.tokens[child];
                match there || state.seen.count(child, epoch) {
                    // Documents that are there already are read durably as well.
                    true => Finisher::AwaitCount(child),
                    false => Finisher::Idle,
                }
            }
            Finisher::Clear(child) => {
                state.seen.clear(child);
                Finisher::AwaitClear(child)
            }
            Finisher::Forget(child) => {
                state.forget(child);
                Finisher::Idle
            }
            other => other,
        }
    }
}

impl Protocol for Confirm {
    fn settled(&self, state: &State) -> bool {
        let flagged = |base: &Base| (0..CHILDREN).any(|child| base.flagged(child));
        state.programs.iter().all(|at| *at == At::Over)
            && state.finisher == Finisher::Idle
            && !flagged(&state.seen)
            && !flagged(&state.journaled)
    }
}

impl Model for Confirm {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            seen: Base::default(),
            journaled: Base::default(),
            epochs: 0,
            kills: 0,
            programs: vec![At::Learn; self.0.programs],
            finisher: Finisher::Idle,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            if *at == At::Over {
                continue;
            }
            if answered(*at) == *at {
                actions.push(Action::Step(i));
            }
            if self.0.crashes {
                actions.push(Action::Crash(i));
            }
        }
        match state.finisher {
            Finisher::Idle => {
                let flagged = (0..CHILDREN).filter(|child| state.seen.flagged(*child));
                actions.extend(flagged.map(Action::Take));
            }
            at if finisher_answered(at) == at => actions.push(Action::Finish),
            _ => {}
        }
        // It looks twice, with a durable read in between.
        let carried = |child| state.seen.flagged(child) || state.journaled.flagged(child);
        let orphans = (0..CHILDREN).filter(|child| state.seen.tokens[*child] && !carried(*child));
        actions.extend(orphans.map(Action::Forget));
        let waits = state.programs.iter().any(|at| answered(*at) != *at)
            || finisher_answered(state.finisher) != state.finisher;
        if waits || state.seen != state.journaled {
            actions.push(Action::Journal);
        }
        if state.kills < self.0.kills {
            actions.push(Action::Kill);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => state.programs[i] = self.step(&mut state, i),
            Action::Take(child) => {
                state.finisher = Finisher::Read(child, state.seen.epoch);
            }
            Action::Finish => state.finisher = Self::finish(&mut state),
            Action::Forget(child) => state.forget(child),
            Action::Journal => {
                state.journaled.clone_from(&state.seen);
                state.programs.iter_mut().for_each(|at| *at = answered(*at));
                state.finisher = finisher_answered(state.finisher);
            }
            Action::Kill => {
                state.kills += 1;
                state.seen.clone_from(&state.journaled);
                state.programs.iter_mut().for_each(|at| *at = failed(*at));
                state.finisher = finisher_failed(state.finisher);
            }
            Action::Crash(i) => state.programs[i] = At::Over,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| {
                let mut all = state.seen.times.iter().chain(&state.journaled.times);
                all.all(|times| *times <= 1)
            }),
            Property::always(FLAGGED, |_: &Self, state: &State| {
                state.seen.right() && state.journaled.right()
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || state.seen.right()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let stored = state.seen.children.iter().flatten().count();
                model.settled(state)
                    && state.kills > 0
                    && stored == model.0.programs
                    && state.seen.tokens == [false; CHILDREN]
            }),
        ]
    }
}
