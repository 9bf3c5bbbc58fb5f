//! Deleting a source that others copy: `pull` and `deny` (3.4, 15.B4, 15.C1), and its coming back under the same id (2).
//!
//! One source; every target holds at most one copy and a set of marks. Cascades over several levels and deletes inside a user's
//! transaction are left out.

mod steps;

/// Name of the property that a verified copy of a live source does not go.
pub const KEPT: &str = "no verified copy of a live source is lost";

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Deletes the source.
    Delete,
    /// Sets the copied field to a value: W1, W2, W3.
    Update(u8),
    /// Puts a copy into a target that has none: I0, I1, I2, I3.
    Insert(usize),
    /// Loads a target and saves it whole, with the copy it had: Load, Save, I2, I3.
    Save(usize),
    /// Inserts the source again, with a value, once it is gone.
    Recreate(u8),
    /// Takes pending sources and marks and finishes them.
    Resume,
}

/// The delete rule for the copies of a deleted source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They go too.
    Pull,
    /// The source stays as long as there are any; an insert that meets a deleted source takes its copy back.
    Deny,
}

/// In which order a source and its copies go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// D1, D2, D3 (3.4).
    Tombstone,
    /// The source, then the copies.
    SourceFirst,
    /// The copies, then the source.
    CopiesFirst,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many targets have a copy from the start.
    pub copies: usize,
    /// How many more may get one.
    pub empty: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// The policy of the edge.
    pub policy: Policy,
    /// 3.4: a tombstone stands while the copies go.
    pub way: Way,
    /// 3.4: a denied delete looks for targets again after D1, not only before.
    pub recheck: bool,
    /// 3.4: D3 deletes only the revision D1 left.
    pub d3_by_revision: bool,
    /// B4: W1 leaves a tombstone alone.
    pub w1_tests_del: bool,
    /// B4: I2 takes a tombstone for gone.
    pub i2_tests_del: bool,
    /// C1: I2 at a source whose deletion may be denied waits until it is gone or live again.
    pub wait_at_tombstone: bool,
    /// D2 leaves copies alone that are newer than D1. A MUST only where a deleted id can come back.
    pub d2_by_revision: bool,
    /// 3.2: a new copy is marked.
    pub mark: bool,
    /// 2: a source that comes back under the same id starts above all earlier revisions.
    pub fresh_revision: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(policy: Policy, copies: usize, empty: usize, roles: &[Role]) -> Self {
        Self {
            copies,
            empty,
            roles: roles.to_vec(),
            crashes: true,
            policy,
            way: Way::Tombstone,
            recheck: true,
            d3_by_revision: true,
            w1_tests_del: true,
            i2_tests_del: true,
            wait_at_tombstone: true,
            d2_by_revision: true,
            mark: true,
            fresh_revision: true,
        }
    }
}

/// The source document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    value: u8,
    pending: bool,
    del: bool,
}

/// A copy in a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copied {
    r: Option<u8>,
    value: u8,
}

/// A target document; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    copy: Option<Copied>,
    marks: u8,
}

/// The source as a program read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    r: u8,
    value: u8,
    /// Gone or going.
    gone: bool,
}

/// Where a program is. Names state the next step; a `u8` has the bits of the targets passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// Look for targets before D1 (only without [`Config::recheck`]).
    Look(u8),
    /// D1.
    Freeze,
    /// Look for targets after D1.
    LookAgain(Known, u8),
    /// Undo D1.
    Undo(Known),
    /// W2 or D2.
    Fan(Known, u8),
    /// W3 or D3.
    Clear(Known),
    /// I1 or the save, with the copy it writes.
    Write(Option<u8>),
    /// I2: the target, the token.
    Read(usize, usize),
    /// I3, first statement.
    Fix(usize, usize, Known),
    /// I3, last statement.
    Unmark(usize, usize),
    /// Done or dead.
    Over,
}

/// All documents and all programs. `newest` is the clock revisions of natural keys start from; `kept` has the bits of the targets
/// whose copy was verified and must be there while its source lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    source: Option<Source>,
    newest: u8,
    kept: u8,
    targets: Vec<Target>,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program, the second a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Change the source, bump, flag.
    W1(usize),
    /// Fan out to one target.
    W2(usize, usize),
    /// Clear the flag.
    W3(usize),
    /// Checks if a target has a copy.
    Look(usize, usize),
    /// Mark the source deleted, bump, flag.
    D1(usize),
    /// Take the mark of D1 off, bump, keep the flag.
    Undo(usize),
    /// Pull the copy from one target.
    D2(usize, usize),
    /// Remove the source.
    D3(usize),
    /// The read whose value an insert uses.
    I0(usize),
    /// Insert the copy with its mark.
    I1(usize),
    /// Read the source.
    I2(usize),
    /// Bring the copy to the revision read, or pull it.
    I3Fix(usize),
    /// Take the mark off.
    I3Clear(usize),
    /// Read a whole target.
    Load(usize),
    /// Write it back whole.
    Save(usize),
    /// Insert the source again.
    Create(usize),
    /// A resumer reads a pending source.
    TakeSource(usize),
    /// A resumer finds a mark: target, token.
    TakeMark(usize, usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Delete(pub Config);
