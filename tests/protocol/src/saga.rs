//! The journal of a saga of one step: lost replies while another program takes the saga over and ends it.
//!
//! The programs that resume it do so at any time, as if its lease had just ended. What the step does to its document is counted.
//!
//! The step changes a document, or inserts one. Nothing is there that a version could keep from an insert that arrives late, so it ends with
//! the lease of its sender. Left out: a document that another program deletes after the saga has ended well.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol};

/// Name of the property that the step is made once.
pub const ONCE: &str = "the step is made once at most";

/// Name of the property that a saga does not change after it has ended.
pub const STANDS: &str = "what a program was told of the end stands";

/// Name of the property that nothing is half done once no journal is left.
pub const ENDED: &str = "the step is made or undone when no program runs and no journal is left";

/// Name of the property that undoing an insert deletes nothing of another program.
pub const KEPT: &str = "what another program has changed stays";

/// The kind of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It changes a document.
    Change,
    /// It inserts a document, which another program may change.
    Insert,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many programs resume the saga, beside the one that starts it.
    pub resumers: usize,
    /// How many messages are lost: each is delivered late or never.
    pub losses: u8,
    /// The step.
    pub kind: Kind,
    /// An attempt to insert the journal has an id that no other attempt has.
    pub fresh_ids: bool,
    /// A journal that is there is not replaced.
    pub insert_only: bool,
    /// It is inserted as new, and is not run before its first owner says so.
    pub new_first: bool,
    /// The program that says so finds it undecided.
    pub undecided: bool,
    /// A step that was not made is kept from being made by a later version of its document before its saga is undone.
    pub fence: bool,
    /// The server refuses an insert once the lease of its sender has ended.
    pub in_time: bool,
    /// A program whose insert had no answer does not undo the saga.
    pub stops: bool,
    /// The undo deletes a document only as it was inserted.
    pub as_inserted: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(resumers: usize, losses: u8) -> Self {
        Self {
            resumers,
            losses,
            kind: Kind::Change,
            fresh_ids: true,
            insert_only: true,
            new_first: true,
            undecided: true,
            fence: true,
            in_time: true,
            stops: true,
            as_inserted: true,
        }
    }

    /// The same with a step that inserts.
    #[must_use]
    pub fn inserting(resumers: usize, losses: u8) -> Self {
        Self {
            kind: Kind::Insert,
            ..Self::sound(resumers, losses)
        }
    }
}

/// The state of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Said {
    /// Inserted.
    New,
    /// The step is being made.
    Doing,
    /// The step is made.
    Done,
    /// The step is being undone.
    Undoing,
}

/// A write that a program sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Write {
    /// Stores the journal.
    Insert,
    /// Extends the lease, and says that the step is being made over this version.
    Doing(u8),
    /// Makes the step over this version of its document.
    Make(u8),
    /// Says what was decided.
    Decide(Said),
    /// Takes the mark of the step off.
    Unmark,
    /// Extends the lease before the step is undone.
    Extend,
    /// Undoes the step if it is made.
    Undo,
    /// Raises the version of the document if the step is not made; takes the mark off one that was inserted and is not deleted.
    Fence,
    /// Deletes the journal, and the result that the program then gets.
    Delete(Option<bool>),
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Takes a journal over.
    Resume,
    /// Looks at the document of the step.
    Look,
    /// Makes the steps after the one that inserts.
    MakeOthers,
    /// Sends this.
    Send(Write),
    /// It got the result that the step is made, or undone; a new journal that was deleted gives no result.
    Over(Option<bool>),
    /// It got the error that another program has taken the saga over.
    Overtaken,
    /// Its insert had no answer, so it leaves the journal to another program.
    Stopped,
    /// Dead.
    Dead,
}

/// A journal, and which program owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Journal {
    said: Said,
    owner: usize,
}

/// The document, all journals and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    version: u8,
    marked: bool,
    /// True if the document is there, and if another program has changed it.
    there: bool,
    changed: bool,
    /// True if a document was deleted after that.
    deleted_changed: bool,
    /// How often the step was made, and undone.
    made: u8,
    undone: u8,
    /// By the number of the attempt that has inserted it.
    journals: Vec<Option<Journal>>,
    /// The program with the latest lease of each.
    leases: Vec<usize>,
    /// Writes on their way whose sender waits for no reply: by which program, of which journal.
    late: Vec<(usize, usize, Write)>,
    losses: u8,
    /// Each with the journal that it runs.
    programs: Vec<(usize, At)>,
    /// True for each whose insert had no answer.
    unanswered: Vec<bool>,
}

/// One atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A program takes its next step.
    Step(usize),
    /// A program finds that the step cannot be made; after an insert, that a later step of the saga cannot.
    Refuse(usize),
    /// A program takes over this journal.
    TakeOver(usize, usize),
    /// A message of a program, or the reply to it, is lost.
    Lose(usize),
    /// A lost write arrives.
    Deliver(usize),
    /// Another program changes the document that was inserted.
    Change,
    /// A program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Saga(pub Config);

impl Saga {
    /// Carries out a write; true if its filter was met.
    fn apply(&self, state: &mut State, by: usize, at: usize, write: Write) -> bool {
        let owned = state.journals[at].filter(|journal| journal.owner == by);
        let mut say = |said: Said| {
            state.journals[at] = owned
                .map(|owned| Journal { said, ..owned })
                .or(state.journals[at]);
            owned.is_some()
        };
        match write {
            Write::Insert => {
                let there = state.journals[at].is_some();
                if !there || !self.0.insert_only {
                    let said = if self.0.new_first {
                        Said::New
                    } else {
                        Said::Doing
                    };
                    state.journals[at] = Some(Journal { said, owner: by });
                }
                state.journals[at].is_some_and(|journal| journal.owner == by)
            }
            Write::Doing(_) => match owned.map(|owned| owned.said) {
                Some(Said::Done | Said::Undoing) if self.0.undecided => false,
                _ => say(Said::Doing),
            },
            Write::Decide(said) => say(said),
            Write::Extend => owned.is_some(),
            Write::Delete(_) => {
                if owned.is_some() {
                    state.journals[at] = None;
                }
                true
            }
            Write::Make(_) if self.0.kind == Kind::Insert => {
                let meets = !state.there && self.is_in_time(state, by, at);
                if meets {
                    state.there = true;
                    state.made += 1;
                    state.marked = true;
                }
                meets
            }
            Write::Make(version) => {
                let meets = state.version == version && !state.marked;
                if meets {
                    state.version += 1;
                    state.made += 1;
                    state.marked = true;
                }
                meets
            }
            Write::Unmark => {
                state.marked = false;
                true
            }
            Write::Undo if self.0.kind == Kind::Insert => {
                let meets = state.marked && !(state.changed && self.0.as_inserted);
                if meets {
                    state.deleted_changed |= state.changed;
                    (state.there, state.marked) = (false, false);
                    state.undone += 1;
                }
                meets
            }
            Write::Fence if self.0.kind == Kind::Insert => {
                state.undone += u8::from(state.marked);
                state.marked = false;
                true
            }
            Write::Undo => {
                let meets = state.marked;
                if meets {
                    state.version += 1;
                    state.undone += 1;
                    state.marked = false;
                }
                meets
            }
            Write::Fence => {
                let meets = !state.marked;
                if meets && self.0.fence {
                    state.version += 1;
                }
                meets
            }
        }
    }

    /// True if the lease of the program has not ended: no other program has taken the journal over.
    fn is_in_time(&self, state: &State, by: usize, at: usize) -> bool {
        state.leases[at] == by || !self.0.in_time
    }

    /// The first step of a program that makes the saga's.
    fn first(&self) -> At {
        match self.0.kind {
            Kind::Change => At::Look,
            Kind::Insert => At::Send(Write::Doing(0)),
        }
    }

    /// The decision of a program whose step cannot be made.
    fn refused(&self, state: &State, i: usize) -> At {
        match state.unanswered[i] && self.0.stops {
            true => At::Stopped,
            false => At::Send(Write::Decide(Said::Undoing)),
        }
    }

    /// The step that follows a look at the document.
    fn seen(&self, state: &State, i: usize) -> At {
        match self.0.kind {
            Kind::Change if state.marked => At::Send(Write::Decide(Said::Done)),
            Kind::Change => At::Send(Write::Doing(state.version)),
            Kind::Insert if state.marked => At::MakeOthers,
            Kind::Insert => self.refused(state, i),
        }
    }

    /// The step that follows a write that was answered.
    fn next(&self, write: Write, met: bool) -> At {
        match (write, met) {
            (Write::Insert, true) => self.first(),
            (Write::Insert | Write::Doing(_) | Write::Decide(_) | Write::Extend, false) => {
                At::Overtaken
            }
            (Write::Doing(version), true) => At::Send(Write::Make(version)),
            (Write::Make(_), true) if self.0.kind == Kind::Insert => At::MakeOthers,
            (Write::Make(_), _) => At::Look,
            (Write::Decide(Said::Done), true) => At::Send(Write::Unmark),
            (Write::Decide(_), true) => At::Send(Write::Extend),
            (Write::Extend, true) | (Write::Fence, false) => At::Send(Write::Undo),
            (Write::Undo, false) => At::Send(Write::Fence),
            (Write::Undo, true) | (Write::Fence, true) => At::Send(Write::Delete(Some(false))),
            (Write::Unmark, _) => At::Send(Write::Delete(Some(true))),
            (Write::Delete(done), _) => At::Over(done),
        }
    }
}

impl Protocol for Saga {
    fn settled(&self, state: &State) -> bool {
        let mut programs = state.programs.iter();
        programs.all(|(_, at)| {
            matches!(
                at,
                At::Resume | At::Over(_) | At::Overtaken | At::Stopped | At::Dead
            )
        }) && state.journals.iter().all(Option::is_none)
    }
}

impl Model for Saga {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let attempts = usize::from(self.0.losses) + 1;
        let mut programs = vec![(0, At::Resume); self.0.resumers + 1];
        programs[0].1 = At::Send(Write::Insert);
        vec![State {
            version: 0,
            marked: false,
            there: self.0.kind == Kind::Change,
            changed: false,
            deleted_changed: false,
            made: 0,
            undone: 0,
            journals: vec![None; attempts],
            leases: vec![0; attempts],
            late: Vec::new(),
            losses: self.0.losses,
            unanswered: vec![false; programs.len()],
            programs,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, (_, at)) in state.programs.iter().enumerate() {
            match at {
                At::Over(_) | At::Overtaken | At::Stopped | At::Dead => continue,
                At::Resume => {
                    let there =
                        (0..state.journals.len()).filter(|at| state.journals[*at].is_some());
                    actions.extend(there.map(|at| Action::TakeOver(i, at)));
                    continue;
                }
                At::Look => {
                    actions.push(Action::Step(i));
                    if self.0.kind == Kind::Change {
                        actions.push(Action::Refuse(i));
                    }
                }
                At::MakeOthers => actions.extend([Action::Step(i), Action::Refuse(i)]),
                At::Send(write) => {
                    actions.push(Action::Step(i));
                    let is_insert = self.0.kind == Kind::Insert;
                    if is_insert && matches!(write, Write::Make(_)) && !state.marked {
                        actions.push(Action::Refuse(i));
                    }
                    if state.losses > 0 {
                        actions.push(Action::Lose(i));
                    }
                }
            }
            actions.push(Action::Crash(i));
        }
        actions.extend((0..state.late.len()).map(Action::Deliver));
        if self.0.kind == Kind::Insert && state.there && !state.changed {
            actions.push(Action::Change);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => {
                let (at, now) = state.programs[i];
                state.programs[i].1 = match now {
                    At::Look => self.seen(&state, i),
                    At::MakeOthers => At::Send(Write::Decide(Said::Done)),
                    // The server refuses it because of its time, and the program looks at its lease.
                    At::Send(Write::Make(_))
                        if self.0.kind == Kind::Insert && !self.is_in_time(&state, i, at) =>
                    {
                        self.first()
                    }
                    At::Send(write) => {
                        let met = self.apply(&mut state, i, at, write);
                        self.next(write, met)
                    }
                    _ => return None,
                };
            }
            Action::Refuse(_) if state.marked && self.0.kind == Kind::Change => return None,
            Action::Refuse(i) => state.programs[i].1 = self.refused(&state, i),
            Action::Change => state.changed = true,
            Action::TakeOver(i, at) => {
                let journal = state.journals[at].as_mut()?;
                journal.owner = i;
                state.leases[at] = i;
                let next = match journal.said {
                    Said::New => At::Send(Write::Delete(None)),
                    Said::Doing => self.first(),
                    Said::Undoing => At::Send(Write::Extend),
                    Said::Done => At::Send(Write::Unmark),
                };
                state.programs[i] = (at, next);
            }
            Action::Lose(i) => {
                let (at, now) = state.programs[i];
                let At::Send(write) = now else { return None };
                state.losses -= 1;
                state.late.push((i, at, write));
                state.late.sort_unstable();
                if self.0.kind == Kind::Insert && matches!(write, Write::Make(_)) {
                    state.unanswered[i] = true;
                }
                if write == Write::Insert && self.0.fresh_ids {
                    state.programs[i].0 += 1;
                }
            }
            Action::Deliver(n) => {
                let (by, at, write) = state.late.remove(n);
                self.apply(&mut state, by, at, write);
            }
            Action::Crash(i) => state.programs[i].1 = At::Dead,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| state.made <= 1),
            Property::always(STANDS, |_: &Self, state: &State| {
                let is = state.made == state.undone + 1;
                let stands = |at: &At| match at {
                    At::Over(Some(done)) => *done == is,
                    _ => true,
                };
                state.programs.iter().all(|(_, at)| stands(at))
            }),
            Property::always(ENDED, |model: &Self, state: &State| {
                !model.settled(state) || !state.marked
            }),
            Property::always(KEPT, |_: &Self, state: &State| !state.deleted_changed),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.made == 1 && state.losses == 0
            }),
        ]
    }
}
