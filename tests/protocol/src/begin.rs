//! A number of children on a parent that is stored after them, or is deleted and stored again under the same natural key, while
//! children are written.
//!
//! The program that stores the host marks it. A program that finds the mark corrects the number, in one of two ways:
//!
//! * the fast way, where no child refers to the host and no flag concerns it, is to take the mark off with a new epoch;
//! * the slow way is to wait for the flags that are there, which some may be about to clear because they found no host, and then to
//!   recount.
//!
//! Only resumers finish those flags. A separate write clears the mark, so that the proof also covers a write that clears it with the
//! number.
//!
//! One host, which may be absent, and a place elsewhere that counts nothing. What is read of several children is read child by child,
//! so that others may write between two of them.
//!
//! The model has few epochs: a write with an outdated epoch never matches the host, whichever epoch it is.

mod settle;
mod steps;

/// How many flags a child can carry.
pub const FLAGS: usize = 3;

/// Where a child may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// At the host.
    Here,
    /// At a place that counts nothing.
    Elsewhere,
}

/// The task of a program, done once (resumers: for ever). Children have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Inserts the child, which was not there, at the host.
    Insert(usize),
    /// Moves the child.
    Move(usize, Side),
    /// Deletes the child.
    Delete(usize),
    /// Stores the host if it is absent, and corrects its number.
    Begin,
    /// Deletes the host and leaves its children dangling.
    Remove,
    /// A late send of another program's C2, whose reply was lost: delivered at any time or never.
    Echo,
    /// Finishes pending children, corrects a marked host and removes unneeded tokens.
    Resume,
}

/// A child that is there from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Born {
    /// Where.
    pub side: Side,
    /// True if it still has the flag of its insert.
    pub flag: bool,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The children that are there from the start.
    pub children: Vec<Born>,
    /// True if the host is stored from the start, with the correct number.
    pub stored: bool,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// The host is inserted with a mark: its number is not correct yet.
    pub mark: bool,
    /// A mark has a name, and a program that corrects a host writes only if the mark still has that name.
    pub named: bool,
    /// A new host begins with an epoch that no program has read. Nothing breaks without: no program trusts the number under a mark, and
    /// then there is a new epoch. But with it the mark needs no name of its own.
    pub fresh_epoch: bool,
    /// A resumer that found no host reads it again after it has seen the flag.
    pub absent_again: bool,
    /// Before a recount, the flags that were there after the host was inserted have to go.
    pub wait_for_flags: bool,
    /// A recount reads the flags again, and starts anew where they differ.
    pub flags_again: bool,
    /// The fast way looks for flags.
    pub look_at_flags: bool,
    /// The fast way looks for children first and for flags then.
    pub children_first: bool,
    /// The fast way takes the mark off only where no token is on the host and none ever went.
    pub guard: bool,
    /// The fast way begins a new epoch when it takes the mark off.
    pub new_epoch: bool,
}

impl Config {
    /// Obeys every MUST; the host is absent.
    #[must_use]
    pub fn sound(children: &[Born], roles: &[Role]) -> Self {
        Self {
            children: children.to_vec(),
            stored: false,
            roles: roles.to_vec(),
            crashes: true,
            mark: true,
            named: true,
            fresh_epoch: true,
            absent_again: true,
            wait_for_flags: true,
            flags_again: true,
            look_at_flags: true,
            children_first: true,
            guard: true,
            new_epoch: true,
        }
    }
}

/// The names of epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epoch {
    /// The one that all hosts begin with, where they do not begin with one of their own.
    Zero,
    /// The one that the present host began with.
    First,
    /// The one that it has, after others.
    Later,
    /// Some that the host has no more and will never have again.
    Stale,
}

/// The host: `{n, _dn: {k: {e, a}, mark}}`; tokens are bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Host {
    n: i8,
    epoch: Epoch,
    tokens: u16,
    mark: bool,
}

/// A flag of a child: a token, and the side: it left the host or came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    token: u8,
    child: u8,
    from: bool,
    to: bool,
}

/// A child: `{host, _dn: {del, c}}`. A deleted one goes with its last flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    side: Side,
    del: bool,
    flags: [Option<Op>; FLAGS],
}

/// A recount under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recount {
    /// The host as it was read.
    epoch: Epoch,
    tokens: u16,
    /// How many reads are done: the flags of each child, each child, the flags of each child.
    reads: u8,
    /// The flags that were seen and not counted.
    waiting: u16,
    /// The children that were read, less the pending ones.
    n: i8,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// A writer that has known the epoch for long.
    Change(Epoch),
    /// A resumer that has read the host, and its epoch if it was there.
    Take(Option<Epoch>),
    /// C2 in the epoch.
    Count(Op, Epoch),
    /// C2 missed, or the epoch is not known: read the host.
    Look(Op),
    /// The epoch is new: read the child.
    LookAtChild(Op, Epoch),
    /// C3.
    Clear(Op),
    /// C4.
    Forget(Op),
    /// A resumer saw this token on the host and looks for its child.
    Probe(u8),
    /// The token has no child any more.
    Remove(u8),
    /// A late C2.
    Late(Op, Epoch),
    /// The fast way: so many reads are done, and the host began with the epoch.
    Fast(Epoch, u8),
    /// The slow way begins: read the flags.
    Flags,
    /// These flags have to go.
    Wait(u16),
    /// The recount begins: read the host.
    ReadHost,
    /// It goes on.
    Recount(Recount),
    /// It is done: take the mark off.
    Unmark,
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    host: Option<Host>,
    children: Vec<Option<Child>>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read the epoch of the host.
    C0(usize),
    /// Insert, move or mark the child deleted, with its flag.
    C1(usize),
    /// A resumer, having read the host, finds this child flagged with that token.
    TakeChild(usize, usize, u8),
    /// Count.
    C2(usize),
    /// Read the host C2 missed.
    ReadHost(usize),
    /// Read the child again.
    ReadChild(usize),
    /// Clear the child, or remove it if deleted.
    C3(usize),
    /// Take the token off the host, with a new epoch.
    C4(usize),
    /// Insert the host.
    Insert(usize),
    /// Delete the host.
    Delete(usize),
    /// A resumer finds the host marked, and takes the fast way or the slow one.
    TakeHost(usize, bool),
    /// The next read or write of a program that corrects a host.
    Settle(usize),
    /// A resumer finds a token on the host.
    TakeToken(usize, u8),
    /// It looks for a child with that token.
    Probe(usize),
    /// It takes the token off, with a new epoch.
    Remove(usize),
    /// The second program's C2 got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program dies; a resumer starts anew.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Begins(pub Config);
