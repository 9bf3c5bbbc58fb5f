//! A job that workers lease and acknowledge: which of them deleted it, if replies are lost.
//!
//! A worker that gets no answer to its delete sends it again. If the job is gone by then it was its own delete, or another worker
//! has taken the job after its lease, done it, and deleted it.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol};

/// Name of the property that exactly one worker learns that it has done the job.
pub const ONCE: &str = "one worker acknowledges the job";

/// Name of the property that a job that was acknowledged does not come back.
pub const GONE: &str = "a job that was acknowledged is gone";

/// Name of the property that a lost reply alone leaves no worker in doubt.
pub const TOLD: &str = "a worker loses the lease only after it has ended";

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many workers there are, each of which takes the job once at most.
    pub workers: usize,
    /// How many messages are lost: each is delivered late or never.
    pub losses: u8,
    /// A worker deletes the job only while it has the token of its lease.
    pub token: bool,
    /// A worker that finds its job gone after a lost answer looks at the server's clock: it has deleted the job itself if its lease
    /// lasts.
    pub clock: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(workers: usize) -> Self {
        Self {
            workers,
            losses: 2,
            token: true,
            clock: true,
        }
    }
}

/// The number of a lease; the first is 1.
pub type Token = u8;

/// Where a worker is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Takes the job.
    Pop,
    /// Deletes the job. True if a reply to that was lost.
    Ack(Token, bool),
    /// Reads the server's clock: a reply was lost, and the delete finds no job now.
    Clock(Token),
    /// It learned that it has done the job.
    Done,
    /// It learned that its lease is lost.
    Lost(Token),
    /// Dead.
    Dead,
}

/// The job, its leases, and all workers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The token of its last lease, 0 before the first.
    job: Option<Token>,
    /// Leases that have ended, one bit each.
    ended: u8,
    /// Deletes on their way whose sender waits for no reply.
    late: Vec<Token>,
    losses: u8,
    workers: Vec<At>,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A worker takes its next step.
    Step(usize),
    /// The delete of a worker, or the reply to it, is lost.
    Lose(usize),
    /// A lost delete arrives.
    Deliver(usize),
    /// A lease ends, by the server's clock.
    End(Token),
    /// A worker dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Queue(pub Config);

fn has_ended(state: &State, token: Token) -> bool {
    token == 0 || state.ended & (1 << token) != 0
}

/// The number of workers that learned that they have done the job.
fn done(state: &State) -> usize {
    state.workers.iter().filter(|at| **at == At::Done).count()
}

impl Queue {
    /// Deletes the job if it has this lease; true if it was there.
    fn delete(&self, state: &mut State, token: Token) -> bool {
        let found = state.job.is_some_and(|job| job == token || !self.0.token);
        if found {
            state.job = None;
        }
        found
    }

    fn step(&self, state: &mut State, i: usize) -> Option<At> {
        Some(match state.workers[i] {
            At::Pop => {
                let token = state.job.filter(|job| has_ended(state, *job))? + 1;
                state.job = Some(token);
                At::Ack(token, false)
            }
            At::Ack(token, lost) => match (self.delete(state, token), lost) {
                (true, _) => At::Done,
                (false, false) => At::Lost(token),
                (false, true) if self.0.clock => At::Clock(token),
                (false, true) if state.job.is_none() => At::Done,
                (false, true) => At::Lost(token),
            },
            At::Clock(token) if has_ended(state, token) => At::Lost(token),
            At::Clock(_) => At::Done,
            At::Done | At::Lost(_) | At::Dead => return None,
        })
    }
}

impl Protocol for Queue {
    fn settled(&self, state: &State) -> bool {
        let over = |at: &At| matches!(at, At::Pop | At::Done | At::Lost(_) | At::Dead);
        state.workers.iter().all(over)
    }
}

impl Model for Queue {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            job: Some(0),
            ended: 0,
            late: Vec::new(),
            losses: self.0.losses,
            workers: vec![At::Pop; self.0.workers],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.workers.iter().enumerate() {
            if matches!(at, At::Done | At::Lost(_) | At::Dead) {
                continue;
            }
            actions.push(Action::Step(i));
            if matches!(at, At::Ack(..)) && state.losses > 0 {
                actions.push(Action::Lose(i));
            }
            if *at != At::Pop {
                actions.push(Action::Crash(i));
            }
        }
        actions.extend((0..state.late.len()).map(Action::Deliver));
        let leases = 1..=self.0.workers as Token;
        actions.extend(
            leases
                .filter(|token| !has_ended(state, *token))
                .map(Action::End),
        );
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => state.workers[i] = self.step(&mut state, i)?,
            Action::Lose(i) => {
                let At::Ack(token, _) = state.workers[i] else {
                    return None;
                };
                state.losses -= 1;
                state.late.push(token);
                state.late.sort_unstable();
                state.workers[i] = At::Ack(token, true);
            }
            Action::Deliver(n) => {
                let token = state.late.remove(n);
                self.delete(&mut state, token);
            }
            // A lease that was not given yet has not begun.
            Action::End(token) if state.job.is_some_and(|job| job < token) => return None,
            Action::End(token) => state.ended |= 1 << token,
            Action::Crash(i) => state.workers[i] = At::Dead,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| done(state) <= 1),
            Property::always(GONE, |_: &Self, state: &State| {
                done(state) == 0 || state.job.is_none()
            }),
            Property::always(TOLD, |_: &Self, state: &State| {
                let ended = |at: &At| match at {
                    At::Lost(token) => has_ended(state, *token),
                    _ => true,
                };
                state.workers.iter().all(ended)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && done(state) == 1 && state.losses == 0
            }),
        ]
    }
}
