//! A delete of two documents by one call, beside programs that take it for one that was left behind (4.6).
//!
//! The first document is the leader. The second is the source of a child, which goes with it. A single document, and the copies of the
//! child, are in [`delete`](crate::delete).

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol};

/// Name of the property that a document that stays keeps its child.
pub const KEPT: &str = "the child of a document that stays is not lost";

/// Name of the property that a call that returns has deleted both documents.
pub const RETURNED: &str = "what a call has deleted is gone when it returns";

/// How often a call begins a delete.
const TRIES: u8 = 2;

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many programs end deletes, for ever.
    pub finishers: usize,
    /// The delete is certain only after the second document has its tombstone: before that, finishers undo it.
    pub certain_last: bool,
    /// The delete becomes certain only while its leader has its tombstone.
    pub guarded: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(finishers: usize) -> Self {
        Self {
            finishers,
            certain_last: true,
            guarded: true,
        }
    }
}

/// The tombstone of a try.
type Token = u8;

/// The state of the deleting program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deleting {
    /// Before D1 of the leader.
    Start,
    /// Before D1 of the second document.
    Led,
    /// Before the delete becomes certain.
    Marked,
    /// Before D2; true if the second document has the tombstone.
    Certain(bool),
    /// Before D3 of the second document.
    Followed,
    /// Before D3 of the leader.
    Last,
    /// The call has returned well.
    Done,
    /// The call has failed, or the program has died.
    Over,
}

/// The state of a finisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finishing {
    /// Between two jobs.
    Idle,
    /// Has read a leader whose delete is certain: before D2.
    Certain(Token),
    /// Before D3 of the second document.
    Followed(Token),
    /// Before D3 of the leader.
    Last(Token),
    /// Before the tombstone of the second document is cleared.
    Undo(Token),
    /// Before the tombstone of the leader is cleared.
    UndoLast(Token),
}

/// The leader's tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Led {
    /// The delete may be undone.
    Freeze(Token),
    /// A finisher undoes the delete.
    Undo(Token),
    /// The delete is certain.
    Commit(Token),
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The leader and its tombstone; `None` if it is gone.
    leader: Option<Option<Led>>,
    /// The second document and its tombstone; `None` if it is gone.
    second: Option<Option<Token>>,
    /// The child of the second document.
    child: bool,
    deleting: Deleting,
    /// The number of tries, and the token of the present one.
    tries: Token,
    finishing: Vec<Finishing>,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of the deleting program.
    Delete,
    /// The deleting program dies.
    Crash,
    /// The next step of a finisher.
    Finish(usize),
    /// A finisher clears a tombstone without a leader.
    Release,
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Page(pub Config);

impl Led {
    fn token(self) -> Token {
        match self {
            Led::Freeze(token) | Led::Undo(token) | Led::Commit(token) => token,
        }
    }
}

impl State {
    fn led_by(&self, token: Token) -> bool {
        matches!(self.leader, Some(Some(led)) if led.token() == token)
    }

    fn bury_second(&mut self, token: Token) {
        if self.second == Some(Some(token)) {
            self.second = None;
        }
    }

    fn bury_leader(&mut self, token: Token) {
        if self.led_by(token) {
            self.leader = None;
        }
    }

    /// D1 of the second document.
    fn mark_second(&mut self) -> bool {
        if self.second == Some(None) {
            self.second = Some(Some(self.tries));
        }
        self.second == Some(Some(self.tries))
    }

    fn delete(&mut self, rules: &Config) {
        let token = self.tries;
        self.deleting = match self.deleting {
            Deleting::Start if self.tries == TRIES => Deleting::Over,
            Deleting::Start => {
                self.tries += 1;
                self.leader = match (self.leader, rules.certain_last) {
                    (Some(None), true) => Some(Some(Led::Freeze(self.tries))),
                    (Some(None), false) => Some(Some(Led::Commit(self.tries))),
                    (other, _) => other,
                };
                Deleting::Led
            }
            Deleting::Led => {
                self.mark_second();
                Deleting::Marked
            }
            Deleting::Marked => {
                let freeze = self.leader == Some(Some(Led::Freeze(token)));
                let there = matches!(self.leader, Some(Some(Led::Freeze(_) | Led::Undo(_))));
                let marked = self.second == Some(Some(token));
                if rules.certain_last && (freeze || !rules.guarded && there) {
                    self.leader = Some(Some(Led::Commit(token)));
                }
                match freeze || !rules.guarded || !rules.certain_last {
                    true => Deleting::Certain(marked),
                    false => Deleting::Start,
                }
            }
            Deleting::Certain(marked) => {
                self.child &= !marked;
                Deleting::Followed
            }
            Deleting::Followed => {
                self.bury_second(token);
                Deleting::Last
            }
            Deleting::Last => {
                self.bury_leader(token);
                Deleting::Done
            }
            end @ (Deleting::Done | Deleting::Over) => end,
        };
    }

    fn finish(&mut self, finisher: usize) {
        self.finishing[finisher] = match self.finishing[finisher] {
            Finishing::Idle => match self.leader {
                Some(Some(Led::Commit(token))) => Finishing::Certain(token),
                Some(Some(Led::Freeze(token) | Led::Undo(token))) => {
                    self.leader = Some(Some(Led::Undo(token)));
                    Finishing::Undo(token)
                }
                _ => Finishing::Idle,
            },
            Finishing::Certain(token) => {
                self.child &= self.second != Some(Some(token));
                Finishing::Followed(token)
            }
            Finishing::Followed(token) => {
                self.bury_second(token);
                Finishing::Last(token)
            }
            Finishing::Last(token) => {
                self.bury_leader(token);
                Finishing::Idle
            }
            Finishing::Undo(token) => {
                if self.second == Some(Some(token)) {
                    self.second = Some(None);
                }
                Finishing::UndoLast(token)
            }
            Finishing::UndoLast(token) => {
                if self.leader == Some(Some(Led::Undo(token))) {
                    self.leader = Some(None);
                }
                Finishing::Idle
            }
        };
    }

    /// True if the second document has a tombstone whose leader is gone, or has another one.
    fn is_stray(&self) -> bool {
        matches!(self.second, Some(Some(token)) if !self.led_by(token))
    }
}

impl Protocol for Page {
    fn settled(&self, state: &State) -> bool {
        let idle = state.finishing.iter().all(|at| *at == Finishing::Idle);
        let live = matches!(state.second, None | Some(None));
        let over = matches!(state.deleting, Deleting::Done | Deleting::Over);
        idle && live && over && matches!(state.leader, None | Some(None))
    }
}

impl Model for Page {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            leader: Some(None),
            second: Some(None),
            child: true,
            deleting: Deleting::Start,
            tries: 0,
            finishing: vec![Finishing::Idle; self.0.finishers],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let waits = state.deleting == Deleting::Led && state.is_stray();
        if !matches!(state.deleting, Deleting::Done | Deleting::Over) {
            // The call waits for the tombstone of another try; a finisher clears it.
            actions.extend((!waits).then_some(Action::Delete));
            actions.push(Action::Crash);
        }
        for (n, at) in state.finishing.iter().enumerate() {
            if *at != Finishing::Idle || matches!(state.leader, Some(Some(_))) {
                actions.push(Action::Finish(n));
            }
        }
        actions.extend(state.is_stray().then_some(Action::Release));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Delete => state.delete(&self.0),
            Action::Crash => state.deleting = Deleting::Over,
            Action::Finish(n) => state.finish(n),
            Action::Release => state.second = Some(None),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.second.is_some() || !state.child
            }),
            Property::always(KEPT, |_, state: &State| {
                state.second != Some(None) || state.child
            }),
            Property::always(RETURNED, |_, state: &State| {
                state.deleting != Deleting::Done || state.second.is_none()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.deleting == Deleting::Done
            }),
        ]
    }
}
