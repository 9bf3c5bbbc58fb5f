//! Items that go to buckets where the array of their document is full: each once, and none that a reader of the document misses.
//!
//! The buckets themselves are one place here, which holds an item once: that is the model [`bucket`](crate::bucket).

use stateright::{Model, Property};

use crate::run::{DONE, Protocol};

/// Name of the property that no item is stored twice.
pub const ONCE: &str = "every item is in the array or in a bucket, and there once";

/// Name of the property that the array takes no more than it may.
pub const ROOM: &str = "the array is not overfull";

/// Name of the property that the document says where its items are.
pub const SAID: &str = "a document with items in buckets says so";

/// Name of the property that a reader gets everything.
pub const ALL: &str = "who reads gets what was acknowledged before, unless somebody removed it";

/// Items, one bit each.
pub type Items = u8;

/// The task of a program, done once. Another program that pushes the same item models a repeated push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores this item.
    Push(Items),
    /// Removes this item.
    Remove(Items),
    /// Reads the document, and the buckets if it says that there are any.
    Read,
    /// A late send of another program's write, whose reply was lost: delivered at any time or never.
    Echo,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many items the array takes.
    pub max: u32,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// The document says that it has extras before it has.
    pub flag_first: bool,
    /// An array whose document says so takes nothing any more, also where items are removed from it.
    pub closed: bool,
    /// Items are added while the array has room.
    pub guard_room: bool,
    /// Items are added while the array does not hold them.
    pub guard_item: bool,
    /// The document is flagged while the array does not hold the item.
    pub guard_flag: bool,
    /// One read returns the flag and looks for the item.
    pub one_look: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            max: 1,
            roles: roles.to_vec(),
            crashes: true,
            flag_first: true,
            closed: true,
            guard_room: true,
            guard_item: true,
            guard_flag: true,
            one_look: true,
        }
    }
}

/// A write about to be sent; each is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Into the array.
    Add(Items),
    /// Sets the flag, because of this item.
    Flag(Items),
    /// Into a bucket.
    Extra(Items),
    /// Out of the array.
    Pull(Items),
    /// Out of its bucket.
    PullExtra(Items),
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started.
    Start,
    /// A write.
    Send(Write),
    /// A look at the document, which did not take the item.
    Look(Items),
    /// The second look of one that has not seen the item in the first.
    LookFlag(Items),
    /// A read of the buckets: the items that must be found, and those that were.
    Extras(Items, Items),
    /// Done; a reader with the items that it should have got and did not.
    Over(Items),
    /// Dead.
    Dead,
}

/// The document, its buckets and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    array: Items,
    /// The array holds an item twice.
    twice: bool,
    flag: bool,
    extras: Items,
    /// Items that a program removed.
    removed: Items,
    programs: Vec<At>,
}

/// One atomic step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Begins or reads.
    Step(usize),
    /// Sends the write.
    Write(usize),
    /// The second program's write got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Overflow(pub Config);

impl Overflow {
    fn full(&self, state: &State) -> bool {
        state.array.count_ones() >= self.0.max
    }

    /// Applies the write. True if it changed anything.
    fn apply(&self, state: &mut State, write: Write) -> bool {
        let rules = &self.0;
        let done = match write {
            Write::Add(item) => {
                (!state.flag || !rules.closed)
                    && (!self.full(state) || !rules.guard_room)
                    && (state.array & item == 0 || !rules.guard_item)
            }
            Write::Flag(item) => {
                !state.flag && self.full(state) && (state.array & item == 0 || !rules.guard_flag)
            }
            Write::Extra(item) => state.extras & item == 0,
            Write::Pull(item) => state.array & item != 0,
            Write::PullExtra(item) => state.extras & item != 0,
        };
        if !done {
            return false;
        }
        match write {
            Write::Add(item) => {
                state.twice |= state.array & item != 0;
                state.array |= item;
            }
            Write::Flag(_) => state.flag = true,
            Write::Extra(item) => state.extras |= item,
            Write::Pull(item) => {
                state.array &= !item;
                state.removed |= item;
            }
            Write::PullExtra(item) => {
                state.extras &= !item;
                state.removed |= item;
            }
        }
        true
    }

    /// The next step of a program after a write; `done` is true if the write changed anything.
    fn after(&self, write: Write, done: bool) -> At {
        match (write, done) {
            (Write::Add(item), false) => At::Look(item),
            (Write::Flag(item), true) if self.0.flag_first => At::Send(Write::Extra(item)),
            // Another program has made room, set the flag, or stored the item.
            (Write::Flag(item), false) if self.0.flag_first => At::Send(Write::Add(item)),
            (Write::Extra(item), true) if !self.0.flag_first => At::Send(Write::Flag(item)),
            (Write::Pull(item), false) => At::Send(Write::PullExtra(item)),
            _ => At::Over(0),
        }
    }

    /// Where the document does not hold the item and says, or does not say, that it has extras.
    fn elsewhere(&self, item: Items, flag: bool) -> At {
        At::Send(match flag || !self.0.flag_first {
            true => Write::Extra(item),
            false => Write::Flag(item),
        })
    }

    fn step(&self, state: &State, i: usize) -> At {
        match (state.programs[i], self.0.roles[i]) {
            (At::Start, Role::Push(item)) => At::Send(Write::Add(item)),
            (At::Start, Role::Remove(item)) => At::Send(Write::Pull(item)),
            (At::Start, Role::Read) => {
                let due = self.acknowledged(state) & !state.removed;
                match state.flag {
                    true => At::Extras(due, state.array),
                    false => At::Over(due & !state.array),
                }
            }
            (At::Extras(due, got), _) => At::Over(due & !got & !state.extras & !state.removed),
            (At::Look(item), _) if state.array & item != 0 => At::Over(0),
            (At::Look(item), _) if self.0.one_look => self.elsewhere(item, state.flag),
            (At::Look(item), _) => At::LookFlag(item),
            (At::LookFlag(item), _) => self.elsewhere(item, state.flag),
            (at, _) => at,
        }
    }

    fn acknowledged(&self, state: &State) -> Items {
        let programs = state.programs.iter().zip(&self.0.roles);
        programs.fold(0, |all, program| match program {
            (At::Over(_), Role::Push(item)) => all | item,
            _ => all,
        })
    }
}

impl Protocol for Overflow {
    fn settled(&self, state: &State) -> bool {
        let programs = state.programs.iter().zip(&self.0.roles);
        let mut resting = programs.map(|(at, role)| {
            matches!(at, At::Over(_) | At::Dead) || (*at == At::Start && *role == Role::Echo)
        });
        resting.all(|resting| resting)
    }
}

impl Model for Overflow {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            array: 0,
            twice: false,
            flag: false,
            extras: 0,
            removed: 0,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (*at, self.0.roles[i]) {
                (At::Over(_) | At::Dead, _) => continue,
                (At::Start, Role::Echo) => {
                    let sends = |other: &usize| matches!(state.programs[*other], At::Send(_));
                    let others = (0..self.0.roles.len()).filter(sends);
                    actions.extend(others.map(|other| Action::Resend(i, other)));
                    continue;
                }
                (At::Send(_), _) => actions.push(Action::Write(i)),
                _ => actions.push(Action::Step(i)),
            }
            if self.0.crashes {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::Step(i) => (i, self.step(last, i)),
            Action::Write(i) => {
                let At::Send(write) = last.programs[i] else {
                    return None;
                };
                let done = self.apply(&mut state, write);
                // No program gets the reply of a late send.
                let next = match self.0.roles[i] {
                    Role::Echo => At::Over(0),
                    _ => self.after(write, done),
                };
                (i, next)
            }
            Action::Resend(i, other) => (i, last.programs[other]),
            Action::Crash(i) => (i, At::Dead),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |_: &Self, state: &State| {
                !state.twice && state.array & state.extras == 0
            }),
            Property::always(ROOM, |model: &Self, state: &State| {
                state.array.count_ones() <= model.0.max
            }),
            Property::always(SAID, |_: &Self, state: &State| {
                state.flag || state.extras == 0
            }),
            Property::always(ALL, |model: &Self, state: &State| {
                let missed = |at: &At| matches!(at, At::Over(missed) if *missed != 0);
                let there = state.array | state.extras | state.removed;
                !state.programs.iter().any(missed) && model.acknowledged(state) & !there == 0
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.extras != 0 && model.acknowledged(state) != 0
            }),
        ]
    }
}
