//! A count of children on their parent, or a sum over them, exact under retries (15.D3).
//!
//! Two hosts, some children; every operation has one token. Bulk operations, which share a token, are left out.

mod steps;

/// How many hosts there are.
pub const HOSTS: usize = 2;

/// The epoch of a host that is not there, as it is read.
pub const ABSENT: u8 = u8::MAX;

/// How many flags a child can carry.
pub const FLAGS: usize = 3;

/// The task of a program, done once (resumers: for ever). Children and hosts have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Inserts the child under the host: C0, C1, C2, C3, C4.
    Insert(usize, usize),
    /// Moves the child to the host.
    Move(usize, usize),
    /// Deletes the child.
    Delete(usize),
    /// Gives the child this amount in place of 1, and leaves it where it is.
    Amount(usize, i8),
    /// A late send of another program's C2, whose reply was lost: delivered at any time or never.
    Echo,
    /// Finishes pending children and removes unneeded tokens.
    Resume,
    /// Deletes a host that has a number of 0 and no token.
    Prune,
}

/// The effect of C2 at a host that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is counted: the parent of a reference is never created by counting.
    Skip,
    /// The host is stored with a number of 0 and a new epoch, and C2 is sent again: the document of a period.
    Store,
    /// C2 itself stores the host, in the epoch of a host that is not there.
    Upsert,
}

/// The condition that C2 tests before it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The token is not on the host, and no token was removed since the epoch was read (D3).
    Epoch,
    /// The token is not on the host.
    Token,
    /// The token is not among the last so many.
    Last(usize),
    /// Nothing: a plain `$inc`.
    Nothing,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The host of every child that is there from the start.
    pub children: Vec<usize>,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// How many tokens a host can hold.
    pub room: usize,
    /// D3: the condition that C2 tests.
    pub guard: Guard,
    /// D3: after C2 missed and a new epoch was read, the child is read again.
    pub child_after_epoch: bool,
    /// D3: C2 goes to the hosts in ascending order, not to the old one first.
    pub ascending: bool,
    /// D3: C1 flags the child.
    pub flag: bool,
    /// D3: a host loses the amount that C1 replaces, not the one that the program has read before.
    pub replaced: bool,
    /// The hosts are there from the start.
    pub stored: bool,
    /// The effect of C2 at a host that is not there.
    pub missing: Missing,
    /// The number of flags that a child may carry: with one, as in D3, a program that finds it taken has to wait.
    pub flags: usize,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(children: &[usize], roles: &[Role]) -> Self {
        Self {
            children: children.to_vec(),
            roles: roles.to_vec(),
            crashes: true,
            room: 2,
            guard: Guard::Epoch,
            child_after_epoch: true,
            ascending: true,
            flag: true,
            replaced: true,
            stored: true,
            missing: Missing::Store,
            flags: FLAGS,
        }
    }
}

/// A host: `{n, _dn: {k: {e, a}}}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Host {
    there: bool,
    n: i8,
    epoch: u8,
    tokens: Vec<usize>,
}

/// An operation on a child: its token, the host it left and the one it came to, and what they lose and gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    token: usize,
    child: usize,
    from: Option<usize>,
    to: Option<usize>,
    loss: i8,
    gain: i8,
}

/// A child: `{host, _dn: {del, c}}`. A deleted one goes with its last flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    host: usize,
    amount: i8,
    del: bool,
    pending: [Option<Op>; FLAGS],
}

/// The epochs of the hosts as read.
pub type Epochs = [u8; HOSTS];

/// C2 under way: the epochs it knows and the hosts still to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Count {
    op: Op,
    epochs: Epochs,
    left: u8,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// C0 at the host of that number; a resumer before a child it has not read yet.
    Epoch(usize, Epochs),
    /// C1; a resumer reads the children.
    Change(Epochs),
    /// C2.
    Count(Count),
    /// C2 missed: read the host.
    Look(Count),
    /// C2 missed and the epoch is new: read the child.
    LookAtChild(Count),
    /// C3.
    Clear(Op),
    /// C4 at the hosts still to do.
    Forget(Op, u8),
    /// A resumer saw this token on this host and looks for its child.
    Probe(usize, usize),
    /// The token has no child any more.
    Remove(usize, usize),
    /// A late C2: epoch, host.
    Late(Op, u8, usize),
    /// An echo that has nothing yet.
    Idle,
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    hosts: [Host; HOSTS],
    children: Vec<Option<Child>>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read the epoch of a host.
    C0(usize),
    /// Insert, move or mark the child deleted, with its flag.
    C1(usize),
    /// Count at one host.
    C2(usize),
    /// Read the host C2 missed.
    ReadHost(usize),
    /// Read the child again.
    ReadChild(usize),
    /// Clear the child, or remove it if deleted.
    C3(usize),
    /// Take the own token off one host, with a new epoch.
    C4(usize),
    /// A resumer, having read the epochs, finds this child flagged with that token.
    TakeChild(usize, usize, usize),
    /// A resumer finds a token on a host.
    TakeToken(usize, usize, usize),
    /// It looks for a child with that token.
    Probe(usize),
    /// It takes the token off, with a new epoch.
    Remove(usize),
    /// The second program's C2 got no reply and is sent again; the first delivers the lost one.
    Resend(usize, usize),
    /// The program deletes an empty host.
    Delete(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Counter(pub Config);
