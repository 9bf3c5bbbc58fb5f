//! A follower beside own and foreign changes of one child that its parents count and list.
//!
//! Three parents, and one child that moves between them, comes and goes. An event of a foreign write says where it has put the child; if
//! the collection records images, it also says where the child was, and with which flags. The promise: a parent whose number or list is
//! wrong has a flagged child, or a foreign event that is not behind the stored position, or a recorded gap.
//!
//! Lists are taken for granted as far as `recent` and `two_way` prove them: a writer that updates a parent lists the child as it is then.
//! Tokens stay on the parents, so C4 is left out.

mod steps;

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// How many parents there are.
const PARENTS: u8 = 3;

/// No parent.
const NONE: u8 = PARENTS;

/// The task of a program, done once (followers, repairs and resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The library moves the child to this parent.
    Move(u8),
    /// The library deletes the child.
    Delete,
    /// Another program stores the child below this parent, if there is none.
    Insert(u8),
    /// Another program moves the child to this parent.
    Shift(u8),
    /// Another program replaces the child with one of this parent, without flags.
    Replace(u8),
    /// Another program deletes the child.
    Remove,
    /// Another program marks the child as deleted.
    Mark,
    /// Takes flags, and finishes them.
    Resume,
    /// Follows the stream.
    Follow,
    /// Repairs recorded gaps, in the program of a follower.
    Repair,
}

/// The programs that run, and the rules that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// The parent of the child in the beginning; `None` if there is no child.
    pub child: Option<u8>,
    /// The collection of the child records what its documents were before a change.
    pub images: bool,
    /// How many programs may die between two steps.
    pub crashes: u8,
    /// The parent where an event has put the child counts again, although the child may be elsewhere by now.
    pub count_where_put: bool,
    /// A delete of the library says nothing about foreign changes of the same child before it: they are followed.
    pub ignore_own_deletes: bool,
    /// The parents in the flags of an image count again: these flags are gone with the document.
    pub count_lost_flags: bool,
    /// A foreign mark whose former parents no image names makes a gap, as a move does: the library may have moved the child since.
    pub marks_are_gaps: bool,
    /// The comparison of a gap expects the number of the children less what flags will still add, not the number of the children.
    pub compare_with_flags: bool,
}

impl Config {
    /// A configuration that obeys every rule, with a child of this parent.
    #[must_use]
    pub fn sound(child: Option<u8>, roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            child,
            images: false,
            crashes: 1,
            count_where_put: true,
            ignore_own_deletes: true,
            count_lost_flags: true,
            marks_are_gaps: true,
            compare_with_flags: true,
        }
    }

    /// The same where images are recorded.
    #[must_use]
    pub fn with_images(child: Option<u8>, roles: &[Role]) -> Self {
        Self {
            images: true,
            ..Self::sound(child, roles)
        }
    }
}

/// A count flag `{t, f, to}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flag {
    token: u8,
    from: u8,
    to: u8,
}

/// The child: its reference, and the library's fields. `leaving` stands for a tombstone with `_dn.x`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    at: u8,
    marked: bool,
    leaving: bool,
    flags: Vec<Flag>,
}

/// A parent: its number, whether it lists the child, its epoch, and the tokens that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parent {
    number: i8,
    lists: bool,
    epoch: u8,
    tokens: u8,
}

/// An event: the parents that it names, each a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A delete of the library.
    OwnDelete,
    /// Another program stored the child.
    Stored {
        /// Where it was put.
        put: u8,
    },
    /// Another program changed or removed it, or marked it.
    Changed {
        /// Where it was put; no bit for a delete or a mark.
        put: u8,
        /// Where it was, if images are recorded.
        before: u8,
        /// The parents in the flags that it had, if images are recorded.
        flagged: u8,
        /// It was only marked.
        mark: bool,
    },
}

/// The work of one flag: C2 at two parents, whose epochs were read before the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Work {
    flag: Flag,
    epochs: [u8; 2],
    delete: bool,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer or a repair between two jobs.
    Start,
    /// C2 at the former parent.
    From(Work),
    /// C2 at the new parent.
    To(Work),
    /// C3.
    Clear(Work),
    /// D3.
    Delete,
    /// A follower waits for the event of this number.
    Stream(u8),
    /// A follower looks where the child is, after the events up to this number: these parents count again, and there may be a gap.
    Look(u8, u8, bool),
    /// It counts again at these parents.
    Count(u8, u8, bool),
    /// It records a gap.
    RecordGap(u8),
    /// The repair of a gap compares this parent next.
    Compare(u8, u8),
    /// Done or dead.
    Over,
}

/// All documents, the stream, and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    child: Option<Child>,
    parents: [Parent; PARENTS as usize],
    log: Vec<Event>,
    position: u8,
    gaps: u8,
    recorded: u8,
    crashes: u8,
    programs: Vec<At>,
}

impl State {
    /// The number of children of a parent.
    fn children(&self, parent: u8) -> i8 {
        let is_its = |child: &Child| child.at == parent && !child.marked && !child.leaving;
        i8::from(self.child.as_ref().is_some_and(is_its))
    }

    /// What flags will still add to the number of a parent.
    fn waiting(&self, parent: u8) -> i8 {
        let flags = self.child.iter().flat_map(|child| &child.flags);
        let tokens = self.parents[usize::from(parent)].tokens;
        let flags = flags.filter(|flag| tokens & 1 << flag.token == 0);
        flags
            .map(|flag| i8::from(flag.to == parent) - i8::from(flag.from == parent))
            .sum()
    }

    fn is_right(&self) -> bool {
        (0..PARENTS).all(|id| {
            let (parent, children) = (self.parents[usize::from(id)], self.children(id));
            parent.number == children && parent.lists == (children > 0)
        })
    }

    fn is_flagged(&self) -> bool {
        let flagged = |child: &Child| child.leaving || !child.flags.is_empty();
        self.child.as_ref().is_some_and(flagged)
    }

    fn awaits_event(&self) -> bool {
        let mut rest = self.log.iter().skip(usize::from(self.position));
        rest.any(|event| *event != Event::OwnDelete)
    }
}

/// One atomic step. The first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a program.
    Step(usize),
    /// A follower takes so many events together.
    Take(usize, u8),
    /// A follower stores its position.
    Store(usize),
    /// A resumer takes the flag with this token.
    TakeFlag(usize, u8),
    /// A resumer takes the tombstone of a child without flags.
    TakeTomb(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Parents(pub Config);

impl Protocol for Parents {
    fn settled(&self, state: &State) -> bool {
        let end = state.log.len() as u8;
        let rests = |(i, at): (usize, &At)| match self.0.roles[i] {
            Role::Follow => *at == At::Stream(end),
            Role::Resume | Role::Repair => *at == At::Start,
            _ => *at == At::Over,
        };
        state.programs.iter().enumerate().all(rests)
            && state.position == end
            && state.gaps == 0
            && !state.is_flagged()
    }
}

impl Model for Parents {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let parent = |id: u8| {
            let child = self.0.child == Some(id);
            Parent {
                number: i8::from(child),
                lists: child,
                epoch: 0,
                tokens: 0,
            }
        };
        vec![State {
            child: self.0.child.map(Child::at),
            parents: [parent(0), parent(1), parent(2)],
            log: Vec::new(),
            position: 0,
            gaps: 0,
            recorded: 0,
            crashes: 0,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let end = state.log.len() as u8;
        for (i, at) in state.programs.iter().enumerate() {
            match (*at, self.0.roles[i]) {
                (At::Over, _) => continue,
                (At::Start, Role::Resume) => {
                    let flags = state.child.iter().flat_map(|child| &child.flags);
                    actions.extend(flags.map(|flag| Action::TakeFlag(i, flag.token)));
                    if state.child.as_ref().is_some_and(Child::can_go) {
                        actions.push(Action::TakeTomb(i));
                    }
                    continue;
                }
                (At::Start, Role::Repair) if state.gaps == 0 => continue,
                (At::Stream(next), _) => {
                    actions.extend((1..=end - next).map(|n| Action::Take(i, n)));
                    if next != state.position {
                        actions.push(Action::Store(i));
                    }
                }
                _ => actions.push(Action::Step(i)),
            }
            if state.crashes < self.0.crashes && *at != At::Start {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => state.programs[i] = self.step(&mut state, i)?,
            Action::Take(i, n) => {
                let At::Stream(next) = last.programs[i] else {
                    return None;
                };
                let (first, end) = (usize::from(next), usize::from(next + n));
                state.programs[i] = self.take(&last.log[first..end], next + n);
            }
            Action::Store(i) => {
                let At::Stream(next) = last.programs[i] else {
                    return None;
                };
                state.position = next;
            }
            Action::TakeFlag(i, token) => {
                let child = last.child.as_ref()?;
                let flag = *child.flags.iter().find(|flag| flag.token == token)?;
                state.programs[i] = At::From(last.work(flag, child.leaving));
            }
            Action::TakeTomb(i) => state.programs[i] = At::Delete,
            Action::Crash(i) => {
                state.crashes += 1;
                state.programs[i] = match self.0.roles[i] {
                    Role::Follow | Role::Repair | Role::Resume => At::Start,
                    _ => At::Over,
                };
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.is_right() || state.is_flagged() || state.gaps != 0 || state.awaits_event()
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || state.is_right()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && !state.log.is_empty()
            }),
        ]
    }
}
