//! Copies of one source in several targets: update, insert, save, crash, resume (3.1, 3.2, 3.3, 15.A2, 15.M10).
//!
//! The source holds two copied fields, a revision and one pending edge. Every target holds at most one copy and a set of marks.
//! A target counts as flagged while the source is pending or the target is marked.

mod steps;

/// A value of a copied field; [`MISSING`] is a field that is not there.
pub type Value = u8;

/// The source does not have the field.
pub const MISSING: Value = u8::MAX;

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sets field 0 or 1 of the source: W1, W2, W3.
    Update(usize, Value),
    /// Puts a copy into the target of that number: I0 (the read its value comes from), I1, I2, I3.
    Insert(usize),
    /// Loads the target and saves it whole: Load, Save, I2, I3.
    Save(usize),
    /// Takes pending sources and marks and finishes them.
    Resume,
    /// A late send of another program's W2 or save, whose reply was lost: delivered at any later time or never.
    Echo,
}

/// How W1 sets the pending flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// In the write that changes the source (M2).
    Together,
    /// In a write before it.
    Before,
    /// In a write after it.
    After,
}

/// How a new copy is made safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// A mark in the same write, then I2 and I3.
    Mark,
    /// I2 and I3 without a mark.
    Recheck,
    /// Nothing.
    No,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many targets have a copy from the start.
    pub copies: usize,
    /// How many more targets may get one.
    pub empty: usize,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// M1: W2 and I3 skip copies of the same or a newer revision.
    pub guarded: bool,
    /// M2: the flag is in the write that changes the source.
    pub flag: Flag,
    /// M3: W2 writes all copied fields, not the changed one.
    pub whole: bool,
    /// M4: a copy that has the value already gets the new revision all the same.
    pub touch_equal: bool,
    /// M5: W3 clears only at the revision that was fanned out.
    pub clear_by_revision: bool,
    /// M7: a field the source misses is taken from the copy.
    pub unset_missing: bool,
    /// 3.2: the way an insert handles its copy.
    pub on_insert: Verify,
    /// 3.3: the way a save of a whole document handles its copy.
    pub on_save: Verify,
    /// M11: a save sent again carries a new token, not that of the send without an answer.
    pub fresh_token: bool,
    /// A2 and M10: I3 writes value and revision even if the source has not moved since I0, because I1 left no revision.
    pub fix_unmoved: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(copies: usize, empty: usize, roles: &[Role]) -> Self {
        Self {
            copies,
            empty,
            roles: roles.to_vec(),
            crashes: true,
            guarded: true,
            flag: Flag::Together,
            whole: true,
            touch_equal: true,
            clear_by_revision: true,
            unset_missing: true,
            on_insert: Verify::Mark,
            on_save: Verify::Mark,
            fresh_token: true,
            fix_unmoved: true,
        }
    }
}

/// The source document: `{_dn: {r, p}}` and two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    r: u8,
    pending: bool,
    fields: [Value; 2],
}

/// A target document: `{_r, <two fields>, _dn: {u}}`; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    r: Option<u8>,
    fields: [Value; 2],
    marks: u8,
}

/// A fan-out on its way: what it writes, and which targets its scan has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fan {
    r: u8,
    fields: [Value; 2],
    only: Option<usize>,
    passed: u8,
}

/// Where a program is. Names state the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// The flag is set, the change is next (only [`Flag::Before`]).
    Change,
    /// The change is done, the flag is next (only [`Flag::After`]).
    FlagNext(Fan),
    /// W2.
    Fan(Fan),
    /// W3.
    Clear(u8),
    /// I1 or the save, with the values that were read.
    Write {
        target: usize,
        token: usize,
        fields: [Value; 2],
        r: u8,
    },
    /// I2; `known` is the revision I0 read.
    Read {
        target: usize,
        token: usize,
        known: Option<u8>,
    },
    /// I3, first statement.
    Fix {
        target: usize,
        token: usize,
        fields: [Value; 2],
        r: u8,
        known: Option<u8>,
    },
    /// I3, last statement.
    Unmark { target: usize, token: usize },
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    source: Source,
    targets: Vec<Option<Target>>,
    programs: Vec<At>,
}

/// One atomic step: a write of one document, a read of one, or a death. The first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Change the source, bump, flag.
    W1(usize),
    /// The flag as a write of its own (M2 dropped).
    FlagAlone(usize),
    /// One document of the fan-out.
    W2(usize, usize),
    /// Clear the flag.
    W3(usize),
    /// The read whose value an insert uses.
    I0(usize),
    /// Insert the copy with its mark.
    I1(usize),
    /// Read the source.
    I2(usize),
    /// Bring the copy to the revision read.
    I3Fix(usize),
    /// Take the mark off.
    I3Clear(usize),
    /// Read a whole target.
    Load(usize),
    /// Write it back whole.
    Save(usize),
    /// A resumer reads a pending source.
    TakeSource(usize),
    /// A resumer finds a mark: target, token.
    TakeMark(usize, usize, usize),
    /// The send of the second program's W2 or save got no reply: the first delivers it, the second sends it again.
    Resend(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Copies(pub Config);
