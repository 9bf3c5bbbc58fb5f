//! A two-way reference: `Task.owner` is the truth, `Person.tasks` a plain list of ids derived from it (15.D2).
//!
//! One task, up to three persons. A person counts as flagged while it is marked for the task or the task is pending. A writer that
//! loses W3 leaves its marks to the sweeper, which takes the same steps as the writer's own check would.

mod steps;

/// The most persons a configuration may have.
pub const PERSONS: usize = 3;

/// The task of a program, done once (resumers: for ever). Persons have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Gives the task to a person: W1, W2, W3, W4.
    Reassign(usize),
    /// A late send of another program's W2, whose reply was lost: delivered at any time or never.
    Echo,
    /// Takes the pending task and the marks and finishes them.
    Resume,
}

/// The token that the marks of W2 carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A new token for every attempt, also for one sent again (M11).
    Fresh,
    /// A new token for every attempt, but not for one sent again.
    SameAgain,
    /// The revision of the task.
    Revision,
}

/// The entries that a writer that lost W3 removes from the list of old owners (W3b).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prune {
    /// Nothing.
    No,
    /// The entries of its own revision and older ones.
    ByRevision,
    /// All persons it has pulled from.
    ByPerson,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many persons there are; the task belongs to the first.
    pub persons: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// D2: pull and push leave a mark.
    pub marks: bool,
    /// M11, D2: the token that the marks carry.
    pub token: Token,
    /// D2: the sweeper reads the task again between fix and clear.
    pub read_again: bool,
    /// D2: W3b.
    pub prune: Prune,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(persons: usize, roles: &[Role]) -> Self {
        Self {
            persons,
            roles: roles.to_vec(),
            crashes: true,
            marks: true,
            token: Token::Fresh,
            read_again: true,
            prune: Prune::ByRevision,
        }
    }
}

/// The task: `{owner, _dn: {r, p, o}}`; `old` has the revision of the entry of every person in `o`, 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    owner: usize,
    r: u8,
    pending: bool,
    old: [u8; PERSONS],
}

/// A person: true if `tasks` has the task, and the token of its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Person {
    has: bool,
    mark: Option<u8>,
}

/// W2 on its way: the result of W1, and the persons still to pull from or push to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    r: u8,
    token: u8,
    owner: usize,
    touched: u8,
    open: u8,
}

/// A sweep of one person: the tokens it may clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sweep {
    person: usize,
    found: u8,
    new: u8,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// W2.
    Send(Send),
    /// W3.
    Clear(Send),
    /// W3b.
    Prune(Send),
    /// W4 at the persons still open.
    Unmark(u8, u8),
    /// The sweep reads the task.
    Read(Sweep),
    /// The sweep makes the person agree with the task that it read.
    Fix(Sweep, bool),
    /// The sweep, having fixed, reads again.
    ReadAgain(Sweep, bool),
    /// The sweep takes the mark off.
    Swept(Sweep),
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    task: Task,
    persons: Vec<Person>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program, the second a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Change the owner, bump, flag, remember the old one.
    W1(usize),
    /// Pull from one person, or push to the new owner.
    W2(usize, usize),
    /// Clear flag and old owners at the revision of W1.
    W3(usize),
    /// Take the old owners dealt with out of the list.
    W3b(usize),
    /// Take the own mark off one person.
    W4(usize, usize),
    /// A resumer reads the pending task.
    TakeTask(usize),
    /// A resumer finds a mark.
    TakeMark(usize, usize),
    /// The sweep reads the task.
    Read(usize),
    /// The sweep pulls or pushes under a new token, if the mark still has the old one.
    Fix(usize),
    /// The sweep reads the task again.
    ReadAgain(usize),
    /// The sweep takes the mark off, if it has one of its tokens.
    Sweep(usize),
    /// The send of the second program's W2 got no reply: the first delivers it, the second sends it again.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct TwoWay(pub Config);
