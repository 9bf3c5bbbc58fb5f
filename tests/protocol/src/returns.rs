//! A parent that is deleted, and stored again under its id, while a child comes to it, moves, goes and comes again (15.C1, 16).
//!
//! The parent counts its children, and they go with it. What [`counter`](crate::counter) and [`begin`](crate::begin) prove is taken for
//! granted: a child propagates to its parent once, in one step, and a new parent counts its children in one step.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that no child goes with a parent that it was not compared with.
pub const OWN: &str = "no child goes that belongs to a later parent";

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Deletes the parent.
    Delete,
    /// Stores the parent where there is none.
    Store,
    /// Stores the child where there is none, under the parent.
    Insert,
    /// Moves the child to the parent.
    Move,
    /// Moves the child away from the parent.
    Leave,
    /// Deletes the child.
    Remove,
    /// Begins to delete the child, which is refused: its tombstone comes off again.
    Refused,
    /// Takes flags, marks and tombstones, and finishes them.
    Resume,
}

/// The rule for a child that a program moved to a parent that no longer exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// It follows the delete rule, while it carries the program's mark.
    Rule,
    /// The same, marked or not.
    RuleByReference,
    /// It stays, without the mark.
    Stays,
}

/// Which children go with a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goes {
    /// Those whose copies are of the deleted parent; those not verified yet propagate to their parent.
    ByRevision,
    /// All that refer to it. They propagate to their parent.
    Told,
    /// All that refer to it. They do not propagate.
    ByReference,
}

/// The second pass, after the parent is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Late {
    /// Nothing.
    Nothing,
    /// Deletes children whose parent is missing; they propagate to their parent.
    IfAbsent,
    /// Deletes all children that refer to it; they do not propagate.
    Always,
}

/// The programs that run, and the rules that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// True if the child copies a field of its parent, and is marked until the copy is verified.
    pub copies: bool,
    /// The rule for a moved child.
    pub moved: Moved,
    /// Which children go.
    pub goes: Goes,
    /// The second pass.
    pub late: Late,
    /// A child whose tombstone comes off is marked.
    pub mark_live: bool,
}

impl Config {
    /// A configuration that obeys every rule, for a child with copies.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            crashes: true,
            copies: true,
            moved: Moved::Rule,
            goes: Goes::ByRevision,
            late: Late::Nothing,
            mark_live: true,
        }
    }

    /// The same of a child without copies.
    #[must_use]
    pub fn plain(roles: &[Role]) -> Self {
        Self {
            copies: false,
            goes: Goes::Told,
            late: Late::IfAbsent,
            ..Self::sound(roles)
        }
    }
}

/// The parent: its number among those that had its id, true if it has a tombstone, its count, and true if it has yet to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parent {
    which: u8,
    goes: bool,
    number: i8,
    new: bool,
}

/// The child: whether it refers to the parent, which of those it was compared with, the marks by program, what it has yet to tell, and
/// whether it has a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    refers: bool,
    copy: Option<u8>,
    marks: u16,
    tells: i8,
    goes: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// D2 of this parent.
    Follow(u8),
    /// D3.
    Bury(u8),
    /// The search for late children.
    Late,
    /// The deletion of late children.
    LateGoes,
    /// I2, for these marks.
    Compare(u16),
    /// I3: the parent was this one, or none.
    Correct(u16, Option<u8>),
    /// I3 after the rule was applied: the end of the marks.
    Clear(u16),
    /// The end of the child's tombstone.
    Undo,
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    parent: Option<Parent>,
    stored: u8,
    child: Option<Child>,
    lost: bool,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The first write of a role, or the next step of a program.
    Step(usize),
    /// A resumer propagates the child's change to the parent.
    Tell(usize),
    /// A resumer counts the children of a new parent.
    Count(usize),
    /// A resumer takes the child's marks.
    TakeMarks(usize),
    /// A resumer takes the tombstone.
    TakeTomb(usize),
    /// A resumer takes that of the child.
    TakeUndo(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Returns(pub Config);

/// The first child, which refers to nothing.
const ELSEWHERE: Child = Child {
    refers: false,
    copy: None,
    marks: 0,
    tells: 0,
    goes: false,
};

impl State {
    /// Adds the child's pending change to the parent's number. Without a parent it is dropped: a new parent counts its children.
    fn tell(&mut self) {
        let Some(child) = &mut self.child else { return };
        if let Some(parent) = &mut self.parent {
            parent.number += child.tells;
        }
        child.tells = 0;
    }

    /// Deletes the child, which propagates to its parent or does not.
    fn remove(&mut self, told: bool) {
        let Some(child) = self.child.take() else {
            return;
        };
        if let (true, Some(parent)) = (told, &mut self.parent) {
            parent.number -= i8::from(child.refers) - child.tells;
        }
    }

    /// The child goes as one of the parent's.
    fn goes_along(&mut self, told: bool) {
        let own = |child: Child, parent: Parent| {
            child.marks == 0 && child.copy == Some(parent.which) && !parent.goes
        };
        if let (Some(child), Some(parent)) = (self.child, self.parent) {
            self.lost |= own(child, parent);
        }
        self.remove(told);
    }

    fn count(&mut self) {
        let child = self
            .child
            .map_or(0, |child| i8::from(child.refers) - child.tells);
        if let Some(parent) = self.parent.as_mut().filter(|parent| parent.new) {
            parent.number = child;
            parent.new = false;
        }
    }

    /// True if something is wrong, and true if a flag reports it.
    fn wrong(&self, copies: bool) -> (bool, bool) {
        let flagged = self.parent.is_some_and(|parent| parent.goes || parent.new)
            || self
                .child
                .is_some_and(|child| child.marks != 0 || child.tells != 0 || child.goes);
        let refers = self.child.filter(|child| child.refers);
        let wrong = match (self.parent, refers) {
            (None, Some(_)) => copies,
            (Some(parent), Some(child)) => {
                parent.number != 1 || copies && child.copy != Some(parent.which)
            }
            (Some(parent), None) => parent.number != 0,
            (None, None) => false,
        };
        (wrong, flagged)
    }
}

impl Returns {
    fn rest(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Resume => At::Start,
            _ => At::Over,
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        at == At::Over || (at == At::Start && self.0.roles[program] == Role::Resume)
    }

    fn mark(&self, program: usize) -> u16 {
        u16::from(self.0.copies) << program
    }

    /// True if the first write of a role finds its document. A role without one does not have to run.
    fn may_start(&self, role: Role, state: &State) -> bool {
        let live = state.parent.is_some_and(|parent| !parent.goes);
        match role {
            Role::Delete => live,
            Role::Store => state.parent.is_none(),
            Role::Insert => state.child.is_none(),
            Role::Move => state
                .child
                .is_some_and(|child| !child.refers && !child.goes),
            Role::Leave => state.child.is_some_and(|child| child.refers && !child.goes),
            Role::Remove | Role::Refused => state.child.is_some_and(|child| !child.goes),
            Role::Resume => false,
        }
    }

    fn start(&self, i: usize, state: &mut State) -> At {
        let comes = |tells: i8| Child {
            refers: true,
            copy: None,
            marks: self.mark(i),
            tells: tells + 1,
            goes: false,
        };
        match self.0.roles[i] {
            Role::Delete => {
                let Some(parent) = &mut state.parent else {
                    return At::Over;
                };
                parent.goes = true;
                return At::Follow(parent.which);
            }
            Role::Store => {
                state.stored += 1;
                state.parent = Some(Parent {
                    which: state.stored,
                    goes: false,
                    number: 0,
                    new: true,
                });
                return At::Over;
            }
            Role::Insert => state.child = Some(comes(0)),
            Role::Move => {
                let before = state.child.unwrap_or(ELSEWHERE);
                let marks = before.marks | self.mark(i);
                state.child = Some(Child {
                    marks,
                    ..comes(before.tells)
                });
            }
            Role::Leave => {
                if let Some(child) = &mut state.child {
                    (child.refers, child.copy) = (false, None);
                    child.tells -= 1;
                }
                return At::Over;
            }
            Role::Remove => {
                state.remove(true);
                return At::Over;
            }
            Role::Refused => {
                if let Some(child) = &mut state.child {
                    child.goes = true;
                }
                return At::Undo;
            }
            Role::Resume => return At::Start,
        }
        match self.0.copies {
            true => At::Compare(self.mark(i)),
            false => At::Over,
        }
    }

    /// D2 of the parent with this number, for the child.
    fn follow(&self, which: u8, state: &mut State) -> At {
        let next = At::Bury(which);
        // That which has a tombstone of another delete is waited for, but not for ever.
        let Some(child) = state.child.filter(|child| child.refers && !child.goes) else {
            return next;
        };
        match self.0.goes {
            Goes::Told => state.goes_along(true),
            Goes::ByReference if child.tells == 0 => state.goes_along(false),
            Goes::ByRevision if child.copy.is_some_and(|copy| copy > which) => return next,
            Goes::ByRevision if child.marks != 0 => state.goes_along(true),
            Goes::ByRevision if child.tells == 0 => state.goes_along(false),
            // It propagates to its parent first.
            Goes::ByReference | Goes::ByRevision => {
                state.tell();
                return At::Follow(which);
            }
        }
        next
    }

    fn correct(&self, i: usize, marks: u16, which: Option<u8>, state: &mut State) -> At {
        let marked = |child: &&mut Child| child.marks & marks != 0;
        if let Some(which) = which {
            if let Some(child) = state.child.as_mut().filter(marked) {
                if child.refers {
                    child.copy = child.copy.max(Some(which));
                }
                child.marks &= !marks;
            }
            return self.rest(i);
        }
        let refers = state.child.is_some_and(|child| {
            let goes = child.refers && !child.goes;
            goes && (child.marks & marks != 0 || self.0.moved == Moved::RuleByReference)
        });
        if refers && self.0.moved != Moved::Stays {
            state.goes_along(true);
        }
        At::Clear(marks)
    }

    fn step(&self, i: usize, last: &State) -> Option<State> {
        let mut state = last.clone();
        let next = match last.programs[i] {
            At::Start => self.start(i, &mut state),
            At::Follow(which) => self.follow(which, &mut state),
            At::Bury(which) => {
                let tomb = |parent: &Parent| parent.which == which && parent.goes;
                if state.parent.as_ref().is_some_and(tomb) {
                    state.parent = None;
                }
                match self.0.late {
                    Late::Nothing => self.rest(i),
                    Late::IfAbsent => At::Late,
                    Late::Always => At::LateGoes,
                }
            }
            At::Late if state.parent.is_some() => self.rest(i),
            At::Late => At::LateGoes,
            At::LateGoes => {
                if state.child.is_some_and(|child| child.refers && !child.goes) {
                    state.goes_along(self.0.late == Late::IfAbsent);
                }
                self.rest(i)
            }
            At::Compare(marks) => {
                // A parent that goes is waited for.
                if state.parent.is_some_and(|parent| parent.goes) {
                    return None;
                }
                At::Correct(marks, state.parent.map(|parent| parent.which))
            }
            At::Correct(marks, which) => self.correct(i, marks, which, &mut state),
            At::Clear(marks) => {
                if let Some(child) = &mut state.child {
                    child.marks &= !marks;
                }
                self.rest(i)
            }
            At::Undo => {
                if let Some(child) = state.child.as_mut().filter(|child| child.goes) {
                    child.goes = false;
                    child.marks |= u16::from(self.0.mark_live) * self.mark(i);
                }
                self.rest(i)
            }
            At::Over => return None,
        };
        state.programs[i] = next;
        Some(state)
    }
}

impl Protocol for Returns {
    fn settled(&self, state: &State) -> bool {
        let (_, flagged) = state.wrong(self.0.copies);
        let over = |(i, at): (usize, &At)| {
            let cannot = *at == At::Start && !self.may_start(self.0.roles[i], state);
            self.resting(i, *at) || cannot
        };
        !flagged && state.programs.iter().enumerate().all(over)
    }
}

impl Model for Returns {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            parent: Some(Parent {
                which: 1,
                goes: false,
                number: 0,
                new: false,
            }),
            stored: 1,
            child: Some(ELSEWHERE),
            lost: false,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let role = self.0.roles[i];
            match *at {
                At::Over => {}
                At::Start if role == Role::Resume => {
                    if state.child.is_some_and(|child| child.tells != 0) {
                        actions.push(Action::Tell(i));
                    }
                    if state.parent.is_some_and(|parent| parent.new) {
                        actions.push(Action::Count(i));
                    }
                    if state.child.is_some_and(|child| child.marks != 0) {
                        actions.push(Action::TakeMarks(i));
                    }
                    if state.parent.is_some_and(|parent| parent.goes) {
                        actions.push(Action::TakeTomb(i));
                    }
                    if state.child.is_some_and(|child| child.goes) {
                        actions.push(Action::TakeUndo(i));
                    }
                }
                At::Start if !self.may_start(role, state) => {}
                _ => actions.push(Action::Step(i)),
            }
            if self.0.crashes && !self.resting(i, *at) && *at != At::Start {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => return self.step(i, last),
            Action::Tell(_) => state.tell(),
            Action::Count(_) => state.count(),
            Action::TakeMarks(i) => state.programs[i] = At::Compare(state.child?.marks),
            Action::TakeTomb(i) => state.programs[i] = At::Follow(state.parent?.which),
            Action::TakeUndo(i) => state.programs[i] = At::Undo,
            Action::Crash(i) => state.programs[i] = self.rest(i),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |model: &Self, state: &State| {
                let (wrong, flagged) = state.wrong(model.0.copies);
                !wrong || flagged
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || !state.wrong(model.0.copies).0
            }),
            Property::always(OWN, |model: &Self, state: &State| {
                !(model.0.copies && state.lost)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.programs.contains(&At::Over)
            }),
        ]
    }
}
