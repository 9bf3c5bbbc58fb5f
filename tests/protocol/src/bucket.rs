//! Items of one parent that fill numbered buckets (3.8): each once, no bucket overfull, never two with room.
//!
//! A push looks at the newest bucket, then for its items in all of them, and then adds them to that bucket or opens those behind it.
//! The two looks are one command of the library's, but the server reads one after the other.

use stateright::{Model, Property};

use crate::run::{DONE, Protocol};

/// Name of the property that no item is stored twice.
pub const ONCE: &str = "every item is in one bucket at most";

/// Name of the property that no bucket takes more than it may.
pub const ROOM: &str = "no bucket is overfull";

/// Name of the property that buckets are filled one after the other.
pub const OPEN: &str = "only the last bucket has room";

/// Name of the property that every acknowledged item is stored.
pub const KEPT: &str = "what was acknowledged is there, unless somebody removed it";

/// Items, one bit each.
pub type Items = u8;

/// The task of a program, done once. Another program that pushes the same item models a repeated push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores these items, the lowest first.
    Push(Items),
    /// Removes this item.
    Remove(Items),
    /// A late send of another program's write, whose reply was lost: delivered at any time or never.
    Echo,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many items a bucket takes.
    pub max: u8,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// A push looks for its items in all buckets.
    pub look: bool,
    /// It does so after it has read which the newest bucket is.
    pub look_last: bool,
    /// Items are added while the bucket has room for them.
    pub guard_room: bool,
    /// Items are added while the bucket holds none of them.
    pub guard_items: bool,
    /// The room of a bucket follows from what it ever took, and not from what it holds.
    pub ever_taken: bool,
    /// If two programs open the same bucket, only one succeeds.
    pub unique: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            max: 2,
            roles: roles.to_vec(),
            crashes: true,
            look: true,
            look_last: true,
            guard_room: true,
            guard_items: true,
            ever_taken: true,
            unique: true,
        }
    }
}

/// A bucket: what it holds, and how many items it ever took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bucket {
    items: Items,
    taken: u8,
}

/// A write about to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Adds items to a bucket.
    Add(usize, Items),
    /// Opens buckets from this one on, in one ordered command: one document each.
    Open(usize, Items),
    /// Removes an item from a bucket.
    Pull(usize, Items),
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started, or to begin again, with the items that are left.
    Start(Items),
    /// The second look, after the newest bucket and its room were read.
    Look(Items, Option<(usize, u8)>),
    /// Reads which bucket is the newest, if that is the last read.
    Newest(Items),
    /// A write, and the items left before it.
    Send(Write, Items),
    /// Done.
    Over,
    /// Dead.
    Dead,
}

/// All buckets and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// By their numbers.
    buckets: Vec<Bucket>,
    /// Items that a program removed.
    removed: Items,
    programs: Vec<At>,
}

/// One atomic step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads the newest bucket, or looks for items.
    Read(usize),
    /// Sends the write.
    Write(usize),
    /// The second program's write got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Buckets(pub Config);

/// The lowest so many of these items.
fn lowest(items: Items, many: u8) -> Items {
    let bits = (0..8).map(|bit| 1 << bit).filter(|bit| items & bit != 0);
    bits.take(usize::from(many)).sum()
}

fn len(items: Items) -> u8 {
    items.count_ones() as u8
}

impl Buckets {
    fn room(&self, bucket: &Bucket) -> u8 {
        let taken = if self.0.ever_taken {
            bucket.taken
        } else {
            len(bucket.items)
        };
        self.0.max.saturating_sub(taken)
    }

    fn newest(&self, state: &State) -> Option<(usize, u8)> {
        let last = state.buckets.len().checked_sub(1)?;
        Some((last, self.room(&state.buckets[last])))
    }

    /// The write that follows both looks.
    fn write(left: Items, newest: Option<(usize, u8)>) -> At {
        let write = match newest {
            None => Write::Open(0, left),
            Some((last, 0)) => Write::Open(last + 1, left),
            Some((last, room)) => Write::Add(last, lowest(left, room)),
        };
        At::Send(write, left)
    }

    fn looked(&self, state: &State, left: Items) -> Items {
        if !self.0.look {
            return left;
        }
        let there = state
            .buckets
            .iter()
            .fold(0, |all, bucket| all | bucket.items);
        left & !there
    }

    fn read(&self, state: &State, i: usize) -> At {
        match (state.programs[i], self.0.roles[i]) {
            (At::Start(_), Role::Remove(item)) => {
                let holds = |bucket: &Bucket| bucket.items & item != 0;
                match state.buckets.iter().position(holds) {
                    Some(at) => At::Send(Write::Pull(at, item), item),
                    None => At::Over,
                }
            }
            (At::Start(left), _) if self.0.look_last => At::Look(left, self.newest(state)),
            (At::Start(left), _) => match self.looked(state, left) {
                0 => At::Over,
                left => At::Newest(left),
            },
            (At::Newest(left), _) => Self::write(left, self.newest(state)),
            (At::Look(left, newest), _) => match self.looked(state, left) {
                0 => At::Over,
                left => Self::write(left, newest),
            },
            (at, _) => at,
        }
    }

    /// Applies a write: `None` if it matched nothing, else the items left to store, and the number from which on no bucket is open.
    fn apply(&self, state: &mut State, write: Write, left: Items) -> Option<(Items, usize)> {
        match write {
            Write::Add(at, items) => {
                let bucket = state.buckets.get(at)?;
                let fits = self.room(bucket) >= len(items) || !self.0.guard_room;
                let new = bucket.items & items == 0 || !self.0.guard_items;
                if !(fits && new) {
                    return None;
                }
                // An item that is there already is an element more.
                let twice = bucket.items & items;
                let bucket = &mut state.buckets[at];
                bucket.items |= items;
                bucket.taken += len(items);
                if twice != 0 {
                    state.buckets.push(Bucket {
                        items: twice,
                        taken: 0,
                    });
                }
                Some((left & !items, at + 1))
            }
            Write::Open(at, items) => {
                let free =
                    state.buckets.len() == at || (!self.0.unique && at < state.buckets.len());
                if !free {
                    return None;
                }
                let items = lowest(items, self.0.max);
                state.buckets.push(Bucket {
                    items,
                    taken: len(items),
                });
                Some((left & !items, at + 1))
            }
            Write::Pull(at, item) => {
                let bucket = state.buckets.get_mut(at)?;
                if bucket.items & item == 0 {
                    return None;
                }
                bucket.items &= !item;
                state.removed |= item;
                Some((0, 0))
            }
        }
    }

    /// The acknowledged items: those of every push that is done.
    fn acknowledged(&self, state: &State) -> Items {
        let programs = state.programs.iter().zip(&self.0.roles);
        programs.fold(0, |all, program| match program {
            (At::Over, Role::Push(items)) => all | items,
            _ => all,
        })
    }
}

impl Protocol for Buckets {
    fn settled(&self, state: &State) -> bool {
        let programs = state.programs.iter().zip(&self.0.roles);
        let mut resting = programs.map(|(at, role)| {
            matches!(at, At::Over | At::Dead) || (matches!(at, At::Start(_)) && *role == Role::Echo)
        });
        resting.all(|resting| resting)
    }
}

impl Model for Buckets {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let start = self.0.roles.iter().map(|role| match role {
            Role::Push(items) | Role::Remove(items) => At::Start(*items),
            Role::Echo => At::Start(0),
        });
        vec![State {
            buckets: Vec::new(),
            removed: 0,
            programs: start.collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match (*at, self.0.roles[i]) {
                (At::Over | At::Dead, _) => continue,
                (At::Start(_), Role::Echo) => {
                    let sends = |other: &usize| matches!(state.programs[*other], At::Send(..));
                    let others = (0..self.0.roles.len()).filter(sends);
                    actions.extend(others.map(|other| Action::Resend(i, other)));
                    continue;
                }
                (At::Send(..), _) => actions.push(Action::Write(i)),
                _ => actions.push(Action::Read(i)),
            }
            if self.0.crashes {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::Read(i) => (i, self.read(last, i)),
            Action::Write(i) => {
                let At::Send(write, left) = last.programs[i] else {
                    return None;
                };
                let done = self.apply(&mut state, write, left);
                let next = match (done, self.0.roles[i]) {
                    // No program gets the reply of a late send. The later documents of one insert were sent with the first.
                    (Some((left, at)), Role::Echo)
                        if left != 0 && matches!(write, Write::Open(..)) =>
                    {
                        At::Send(Write::Open(at, left), left)
                    }
                    (_, Role::Echo) => At::Over,
                    (None, Role::Push(_)) => At::Start(left),
                    (None, Role::Remove(item)) => At::Start(item),
                    (Some((0, _)), _) => At::Over,
                    // The bucket is full now, and no other program has added to it since the read.
                    (Some((left, at)), _) => At::Send(Write::Open(at, left), left),
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
                let mut seen = 0;
                state.buckets.iter().all(|bucket| {
                    let new = seen & bucket.items == 0;
                    seen |= bucket.items;
                    new
                })
            }),
            Property::always(ROOM, |model: &Self, state: &State| {
                let max = model.0.max;
                let fits = |bucket: &Bucket| len(bucket.items) <= max && bucket.taken <= max;
                state.buckets.iter().all(fits)
            }),
            Property::always(OPEN, |model: &Self, state: &State| {
                let but_last = state.buckets.split_last().map_or(&[][..], |(_, rest)| rest);
                but_last.iter().all(|bucket| model.room(bucket) == 0)
            }),
            Property::always(KEPT, |model: &Self, state: &State| {
                let there = state
                    .buckets
                    .iter()
                    .fold(0, |all, bucket| all | bucket.items);
                model.acknowledged(state) & !there & !state.removed == 0
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.buckets.len() > 1 && model.acknowledged(state) != 0
            }),
        ]
    }
}
