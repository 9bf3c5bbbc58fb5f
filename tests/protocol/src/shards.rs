//! Copies that follow their source on two shards, between which documents move at any time (6).
//!
//! A statement for many documents goes to one shard after the other, and passes over a document that moves to a shard which it has left. A read,
//! and a statement with the shard key of one document, find a document wherever it is.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol};

/// The number of copies.
const COPIES: usize = 2;
/// The shards.
const SHARDS: usize = 2;

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many programs bring copies up to date, besides the one that changes the source.
    pub resumers: usize,
    /// How often a document moves.
    pub moves: u8,
    /// After W2 the copies that are older than the source are read, and each is updated by its shard key.
    pub asks_again: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(resumers: usize, moves: u8) -> Self {
        Self {
            resumers,
            moves,
            asks_again: true,
        }
    }
}

/// The state of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Before W1, or before a look for a flag.
    Start,
    /// Before the visit of W2 with this number: shard by shard, document by document.
    Visit(usize),
    /// Before the read of older copies.
    Ask,
    /// Before the update of this copy; those that the read has found.
    Single(usize, [bool; COPIES]),
    /// Before W3.
    Clear,
    /// The program has returned, or died.
    Over,
}

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copied {
    shard: usize,
    /// True if it is as the source is now.
    is_new: bool,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// True if the source has been changed.
    is_new: bool,
    /// The flag of the source.
    flag: bool,
    copies: [Copied; COPIES],
    /// The writer, then the resumers.
    programs: Vec<At>,
    moves: u8,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a program.
    Run(usize),
    /// The writer dies.
    Crash,
    /// A document moves to the other shard.
    Move(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Shards(pub Config);

impl State {
    fn run(&mut self, program: usize, rules: &Config) {
        self.programs[program] = match self.programs[program] {
            At::Start if program == 0 => {
                (self.is_new, self.flag) = (true, true);
                At::Visit(0)
            }
            At::Start if self.flag => At::Visit(0),
            At::Start => At::Start,
            At::Visit(n) => {
                let (shard, copy) = (n / COPIES, n % COPIES);
                if self.copies[copy].shard == shard {
                    self.copies[copy].is_new = true;
                }
                match (n + 1 < SHARDS * COPIES, rules.asks_again) {
                    (true, _) => At::Visit(n + 1),
                    (false, true) => At::Ask,
                    (false, false) => At::Clear,
                }
            }
            At::Ask => At::Single(0, self.copies.map(|copy| !copy.is_new)),
            At::Single(n, older) => {
                self.copies[n].is_new |= older[n];
                match n + 1 < COPIES {
                    true => At::Single(n + 1, older),
                    false => At::Clear,
                }
            }
            At::Clear => {
                self.flag = false;
                match program {
                    0 => At::Over,
                    _ => At::Start,
                }
            }
            At::Over => At::Over,
        };
    }
}

impl Protocol for Shards {
    fn settled(&self, state: &State) -> bool {
        let at_rest = |at: &At| matches!(at, At::Start | At::Over);
        !state.flag && state.programs.iter().all(at_rest)
    }
}

impl Model for Shards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let copy = |shard| Copied {
            shard,
            is_new: false,
        };
        vec![State {
            is_new: false,
            flag: false,
            copies: [copy(0), copy(1)],
            programs: vec![At::Start; self.0.resumers + 1],
            moves: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (n, at) in state.programs.iter().enumerate() {
            let can_run = match at {
                At::Start => n == 0 || state.flag,
                At::Over => false,
                _ => true,
            };
            actions.extend(can_run.then_some(Action::Run(n)));
        }
        actions.extend((state.programs[0] != At::Over).then_some(Action::Crash));
        if state.moves < self.0.moves {
            actions.extend((0..COPIES).map(Action::Move));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Run(n) => state.run(n, &self.0),
            Action::Crash => state.programs[0] = At::Over,
            Action::Move(n) => {
                state.moves += 1;
                state.copies[n].shard = (state.copies[n].shard + 1) % SHARDS;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                let follow = state.copies.iter().all(|copy| copy.is_new);
                state.flag || !state.is_new || follow
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.is_new
            }),
        ]
    }
}
