//! New children that one update of their parent counts together, and the tokens that a later update removes (group commit over 15.D3).
//!
//! Each program inserts its children, counts those that have gathered by one update, clears their flags behind the answers, and removes
//! their tokens with its next update or by one of its own. It knows the epoch of the parent from memory, also after updates in which it
//! started the epoch itself. A finisher finishes whatever is flagged, child by child.
//!
//! The children of one call have one token together ([`Config::shared`]): one update counts all of them, and a finisher that counts one of
//! them pushes the token with the child's `_id`.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that no child is counted twice.
pub const ONCE: &str = "no child is counted twice";

/// Children, one bit each; a child's token has its bit. Above them is a bit for the token that the children of each program share.
pub type Children = u8;

/// How many children there can be.
pub const CHILDREN: usize = 4;

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The children that each program inserts.
    pub programs: Vec<Children>,
    /// How many finishers run beside them.
    pub finishers: usize,
    /// How many updates may lose their replies, and arrive late or never.
    pub lost: usize,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// How many tokens the parent holds.
    pub room: u32,
    /// A child is counted only in an epoch that was known before it was inserted, or in one that the program itself started since, from that
    /// epoch on.
    pub chain: bool,
    /// A program that removes tokens goes on in the epoch that it starts only if the epoch before it was the one that it knew.
    pub guard_tidy: bool,
    /// An update counts only if none of its tokens is there.
    pub guard_tokens: bool,
    /// An update counts only in the epoch that the program knows.
    pub guard_epoch: bool,
    /// A token is removed only after the flag of its child is cleared.
    pub clear_first: bool,
    /// Each program stores its children by one call, under one token.
    pub shared: bool,
    /// Children that share a token are counted together only if no finisher has counted one of them.
    pub guard_shared: bool,
    /// A shared token is removed only after the flags of all its children are cleared, not of the first of them.
    pub clear_all: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(programs: &[Children]) -> Self {
        Self {
            programs: programs.to_vec(),
            finishers: 1,
            lost: 1,
            crashes: true,
            room: 3,
            chain: true,
            guard_tidy: true,
            guard_tokens: true,
            guard_epoch: true,
            clear_first: true,
            shared: false,
            guard_shared: true,
            clear_all: true,
        }
    }

    /// The same of programs that each store their children by one call.
    #[must_use]
    pub fn calls(programs: &[Children]) -> Self {
        Self {
            shared: true,
            ..Self::sound(programs)
        }
    }
}

/// The parent: `{n, _dn: {k: {e, a}}}`; the number is known from the children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parent {
    epoch: u8,
    tokens: Children,
}

/// An update of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    epoch: u8,
    counts: Children,
    /// The tokens that it leaves.
    pushes: Children,
    removes: Children,
}

/// What a program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    epoch: Option<u8>,
    /// Inserted since the epoch is known.
    valid: Children,
    inserted: Children,
    counted: Children,
    /// Left to finishers.
    left: Children,
    cleared: Children,
    removed: Children,
    alive: bool,
}

/// Where a finisher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finisher {
    /// It looks for a flagged child.
    Idle,
    /// It has read the epoch, and reads the child.
    Child(usize, u8),
    /// It counts the child.
    Count(usize, u8),
    /// It clears the flag; true if it has counted.
    Clear(usize, bool),
    /// It removes the token.
    Forget(usize),
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    parent: Parent,
    stored: Children,
    flagged: Children,
    /// How often each child was counted.
    times: [u8; CHILDREN],
    epochs: u8,
    programs: Vec<Program>,
    finishers: Vec<Finisher>,
    late: Vec<Update>,
    losses: usize,
    /// An update counted several children.
    grouped: bool,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A program reads the epoch.
    Learn(usize),
    /// It inserts a child, or all of its children that share a token.
    Insert(usize, usize),
    /// It updates the parent for these children.
    Send(usize, Children),
    /// The same, and the reply is lost.
    Lose(usize, Children),
    /// A lost update arrives.
    Arrive(usize),
    /// It clears the flag of a child.
    Clear(usize, usize),
    /// It removes tokens by an update of its own.
    Tidy(usize),
    /// It dies.
    Crash(usize),
    /// A finisher begins with this child.
    Take(usize, usize),
    /// A finisher does its next step.
    Step(usize),
    /// A finisher removes a token that no child carries.
    Forget(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Group(pub Config);

const fn bit(child: usize) -> Children {
    1 << child
}

/// The token that the children of a program share.
const fn shared(program: usize) -> Children {
    bit(CHILDREN + program)
}

impl Group {
    /// The children that a program may count by its next update.
    fn ready(&self, program: &Program) -> Children {
        let ready = program.inserted & !program.counted & !program.left;
        if self.0.chain {
            ready & program.valid
        } else {
            ready
        }
    }

    /// The tokens of a program that nothing needs any more.
    fn unneeded(&self, i: usize, program: &Program) -> Children {
        let done = match self.0.clear_first {
            true => program.cleared,
            false => program.counted,
        };
        let done = match self.0.shared {
            false => done,
            true if done == 0 || self.0.clear_all && done != self.0.programs[i] => 0,
            true => shared(i),
        };
        done & !program.removed
    }

    /// The tokens that say that a child is counted.
    fn tokens_of(&self, child: usize) -> Children {
        let own = |program: &Children| program & bit(child) != 0;
        match self.0.programs.iter().position(own) {
            Some(i) if self.0.shared => bit(child) | shared(i),
            _ => bit(child),
        }
    }

    fn update(&self, i: usize, program: &Program, counts: Children) -> Option<Update> {
        Some(Update {
            epoch: program.epoch?,
            counts,
            pushes: match self.0.shared {
                true => shared(i),
                false => counts,
            },
            removes: self.unneeded(i, program),
        })
    }

    /// Applies an update; `None` if it matched nothing. Gives the epoch after it.
    fn apply(&self, state: &mut State, update: Update) -> Option<u8> {
        let Update {
            epoch,
            counts,
            pushes,
            removes,
        } = update;
        let parent = state.parent;
        let after = (parent.tokens & !removes) | pushes;
        let guards = match self.0.guard_shared {
            true => counts | pushes,
            false => pushes,
        };
        let matches = (parent.epoch == epoch || !self.0.guard_epoch)
            && (parent.tokens & guards == 0 || !self.0.guard_tokens)
            && after.count_ones() <= self.0.room;
        if !matches {
            return None;
        }
        for child in (0..CHILDREN).filter(|child| counts & bit(*child) != 0) {
            state.times[child] += 1;
        }
        state.parent.tokens = after;
        if removes != 0 {
            Self::next_epoch(state);
        }
        state.grouped |= counts.count_ones() > 1;
        Some(state.parent.epoch)
    }

    fn next_epoch(state: &mut State) {
        state.epochs += 1;
        state.parent.epoch = state.epochs;
    }

    fn forget(state: &mut State, child: usize) {
        if state.parent.tokens & bit(child) != 0 {
            state.parent.tokens &= !bit(child);
            Self::next_epoch(state);
        }
    }

    fn step(&self, state: &mut State, i: usize) -> Finisher {
        match state.finishers[i] {
            Finisher::Idle => Finisher::Idle,
            Finisher::Child(child, epoch) => match state.flagged & bit(child) {
                0 => Finisher::Idle,
                _ => Finisher::Count(child, epoch),
            },
            Finisher::Count(child, epoch) => {
                let there = state.parent.tokens & self.tokens_of(child) != 0;
                let full = state.parent.tokens.count_ones() >= self.0.room;
                if there {
                    Finisher::Clear(child, false)
                } else if state.parent.epoch != epoch || full {
                    Finisher::Idle
                } else {
                    state.times[child] += 1;
                    state.parent.tokens |= bit(child);
                    Finisher::Clear(child, true)
                }
            }
            Finisher::Clear(child, counted) => {
                state.flagged &= !bit(child);
                match counted {
                    true => Finisher::Forget(child),
                    false => Finisher::Idle,
                }
            }
            Finisher::Forget(child) => {
                Self::forget(state, child);
                Finisher::Idle
            }
        }
    }

    fn tidy(&self, state: &mut State, i: usize) {
        let program = state.programs[i];
        let removes = self.unneeded(i, &program);
        let known = program.epoch == Some(state.parent.epoch);
        state.parent.tokens &= !removes;
        Self::next_epoch(state);
        let epoch = state.parent.epoch;
        let program = &mut state.programs[i];
        program.removed |= removes;
        program.epoch = Some(epoch);
        if self.0.guard_tidy && !known {
            program.valid = 0;
        }
    }
}

impl Protocol for Group {
    fn settled(&self, state: &State) -> bool {
        let all = |program: &Program| {
            let mine = program.inserted;
            !program.alive || mine & !(program.left | program.cleared) == 0
        };
        let idle = |at: &Finisher| *at == Finisher::Idle;
        state.flagged == 0 && state.programs.iter().all(all) && state.finishers.iter().all(idle)
    }
}

impl Model for Group {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let program = Program {
            epoch: None,
            valid: 0,
            inserted: 0,
            counted: 0,
            left: 0,
            cleared: 0,
            removed: 0,
            alive: true,
        };
        vec![State {
            parent: Parent::default(),
            stored: 0,
            flagged: 0,
            times: [0; CHILDREN],
            epochs: 0,
            programs: vec![program; self.0.programs.len()],
            finishers: vec![Finisher::Idle; self.0.finishers],
            late: Vec::new(),
            losses: 0,
            grouped: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let bits = |of: Children| (0..CHILDREN).filter(move |child| of & bit(*child) != 0);
        for (i, program) in state.programs.iter().enumerate() {
            if !program.alive {
                continue;
            }
            // The separate steps read the epoch again.
            let known = program.epoch == Some(state.parent.epoch);
            if program.epoch.is_none() || program.left != 0 && !known {
                actions.push(Action::Learn(i));
            }
            let new = self.0.programs[i] & !program.inserted;
            actions.extend(bits(new).take(1).map(|child| Action::Insert(i, child)));
            let ready = self.ready(program);
            let all = |group: &Children| !self.0.shared || *group == ready;
            let groups = (1..=ready).filter(|group| group & !ready == 0).filter(all);
            for group in groups.filter(|_| program.epoch.is_some()) {
                actions.push(Action::Send(i, group));
                if state.losses < self.0.lost {
                    actions.push(Action::Lose(i, group));
                }
            }
            let uncleared = program.counted & !program.cleared;
            actions.extend(bits(uncleared).map(|child| Action::Clear(i, child)));
            if self.unneeded(i, program) != 0 {
                actions.push(Action::Tidy(i));
            }
            if self.0.crashes {
                actions.push(Action::Crash(i));
            }
        }
        for (i, at) in state.finishers.iter().enumerate() {
            match at {
                Finisher::Idle => {
                    actions.extend(bits(state.flagged).map(|child| Action::Take(i, child)));
                }
                _ => actions.push(Action::Step(i)),
            }
        }
        let orphans = state.parent.tokens & !state.flagged;
        actions.extend(bits(orphans).map(Action::Forget));
        let owned = self.0.programs.iter().enumerate();
        let unflagged = owned.filter(|(_, own)| *own & state.flagged == 0);
        let left = unflagged.filter(|(i, _)| state.parent.tokens & shared(*i) != 0);
        actions.extend(left.map(|(i, _)| Action::Forget(CHILDREN + i)));
        actions.extend((0..state.late.len()).map(Action::Arrive));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Learn(i) => {
                state.programs[i].epoch = Some(state.parent.epoch);
                state.programs[i].valid = 0;
            }
            Action::Insert(i, child) => {
                let new = match self.0.shared {
                    true => self.0.programs[i],
                    false => bit(child),
                };
                state.stored |= new;
                state.flagged |= new;
                let program = &mut state.programs[i];
                program.inserted |= new;
                if program.epoch.is_some() {
                    program.valid |= new;
                }
            }
            Action::Send(i, group) => {
                let update = self.update(i, &state.programs[i], group)?;
                let done = self.apply(&mut state, update);
                let program = &mut state.programs[i];
                match done {
                    Some(epoch) => {
                        program.counted |= group;
                        program.removed |= update.removes;
                        program.epoch = Some(epoch);
                    }
                    None => program.left |= group,
                }
            }
            Action::Lose(i, group) => {
                let update = self.update(i, &state.programs[i], group)?;
                state.programs[i].left |= group;
                state.late.push(update);
                state.losses += 1;
            }
            Action::Arrive(n) => {
                let update = state.late.remove(n);
                self.apply(&mut state, update);
            }
            Action::Clear(i, child) => {
                state.flagged &= !bit(child);
                state.programs[i].cleared |= bit(child);
            }
            Action::Tidy(i) => self.tidy(&mut state, i),
            Action::Crash(i) => state.programs[i].alive = false,
            Action::Take(i, child) => {
                state.finishers[i] = Finisher::Child(child, state.parent.epoch);
            }
            Action::Step(i) => state.finishers[i] = self.step(&mut state, i),
            Action::Forget(child) => Self::forget(&mut state, child),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| {
                state.times.iter().all(|times| *times <= 1)
            }),
            Property::always(FLAGGED, |_: &Self, state: &State| {
                let clean = state.stored & !state.flagged;
                (0..CHILDREN).all(|child| clean & bit(child) == 0 || state.times[child] >= 1)
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                let right = |child| state.stored & bit(child) == 0 || state.times[child] == 1;
                !model.settled(state) || (0..CHILDREN).all(right)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let all = model.0.programs.iter().fold(0, |all, own| all | own);
                let some = state.grouped || state.stored == all && model.0.programs.len() > 1;
                model.settled(state) && some && state.parent.tokens == 0
            }),
        ]
    }
}
