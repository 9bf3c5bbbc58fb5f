//! References without copies that are checked as foreign keys are (4.2, 4.6), while their targets are deleted.
//!
//! Every child has at most one reference and a delete rule of its own, so that one delete meets several rules. A reference has no
//! revision: what guards it is its mark. Cascades of more than one level are left out.

mod steps;

/// Name of the property that no reference that was confirmed goes while its target stays.
pub const KEPT: &str = "no confirmed reference to a live target is lost";

/// The task of a program, done once (resumers: for ever). Children and targets have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stores an absent child that refers to a target: I1, I2, I3.
    Insert(usize, usize),
    /// Points a child to a target: R1, R2, R3.
    Repoint(usize, usize),
    /// Deletes a target: the checks, D1, D2, D3.
    Delete(usize),
    /// Stores a target again once it is gone.
    Store(usize),
    /// Takes tombstones and marks and finishes or undoes their work.
    Resume,
    /// The same of marks only.
    Compare,
}

/// The delete rule of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The target stays as long as the reference is there.
    Deny,
    /// The reference goes; `pull` is the same in an array.
    Unset,
    /// The child goes.
    Cascade,
}

/// When a delete checks what refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Before D1 only.
    Before,
    /// Between D1 and D2.
    Between,
    /// After D2.
    After,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many targets there are.
    pub targets: usize,
    /// The rule of each child, and its target if it is there from the start.
    pub children: Vec<(Rule, Option<usize>)>,
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// 4.2: a new reference is marked by the write that stores it.
    pub mark: bool,
    /// 4.2: the target is read after the reference was stored. Otherwise it is read before, as a program does that has no marks.
    pub look_after: bool,
    /// B4: I2 does not take a target with a tombstone for a live one.
    pub i2_tests_del: bool,
    /// C1: I2 does not take a target with a tombstone for a deleted one.
    pub wait_at_tombstone: bool,
    /// 4.6: a tombstone stands while the rules are applied. Otherwise the target is deleted first, and then they are applied.
    pub tombstone: bool,
    /// 4.6: when what refuses is looked for.
    pub check: Check,
    /// 4.6: the delete becomes certain only if no other program has undone it.
    pub commit_guarded: bool,
    /// A reference that is compared follows its rule only while it is marked, and only if it leads to the target that was read.
    pub rule_by_mark: bool,
    /// A2: an insert that is taken back is deleted only while it refers to the target that was read.
    pub withdraw_by_reference: bool,
    /// I3 takes off the marks that it has read, and no other.
    pub clear_exactly: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(targets: usize, children: &[(Rule, Option<usize>)], roles: &[Role]) -> Self {
        Self {
            targets,
            children: children.to_vec(),
            roles: roles.to_vec(),
            crashes: true,
            mark: true,
            look_after: true,
            i2_tests_del: true,
            wait_at_tombstone: true,
            tombstone: true,
            check: Check::Between,
            commit_guarded: true,
            rule_by_mark: true,
            withdraw_by_reference: true,
            clear_exactly: true,
        }
    }
}

/// How far a delete is: `_dn.d.s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Something may refuse it.
    Freeze,
    /// It will be done.
    Commit,
    /// It was refused.
    Undo,
}

/// A target: `{_dn: {del, d}}`; the token is the number of the program that deletes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    del: Option<(usize, Phase)>,
}

/// A child: `{target, _dn: {u}}`; bit i of `marks` is the token of program i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    target: Option<usize>,
    marks: u8,
}

/// A marked reference as a program read or stored it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marked {
    child: usize,
    target: Option<usize>,
    tokens: u8,
}

/// Where a program is. Names state the next step; a `u8` has the bits of the children passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// I1 or R1, after the target was read (only without [`Config::look_after`]).
    Write,
    /// I2.
    Read(Marked),
    /// I3 at a deleted target: its rule, or the insert is taken back.
    Apply(Marked),
    /// I3, last statement; true if the reference followed its rule.
    Unmark(Marked, bool),
    /// Look at the children that may refuse the delete.
    Check(u8),
    /// The delete becomes certain.
    Commit,
    /// The delete becomes undone; the token.
    Undo(usize, usize),
    /// The tombstone goes; the token.
    Exhume(usize, usize),
    /// D2; the target, the token.
    Follow(usize, usize, u8),
    /// D3; the target, the token.
    Bury(usize, usize),
    /// Done or dead.
    Over,
}

/// All documents and all programs. `kept` has the target that each child's reference was confirmed to have, `refused` is true once a
/// delete was undone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    targets: Vec<Option<Target>>,
    children: Vec<Option<Child>>,
    kept: Vec<Option<usize>>,
    refused: bool,
    programs: Vec<At>,
}

/// One atomic step; the first number is the program, the second a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads the target before anything is stored.
    Look(usize),
    /// Stores the child with its mark.
    I1(usize),
    /// Stores the reference with its mark.
    R1(usize),
    /// Reads the target.
    I2(usize),
    /// The wait for the end of a tombstone is over, and it stands.
    GiveUp(usize),
    /// The rule, or the insert is taken back.
    I3Apply(usize),
    /// Takes the marks off.
    I3Clear(usize),
    /// Sets the tombstone.
    D1(usize),
    /// Checks if a child refuses the delete.
    Check(usize, usize),
    /// Makes the delete certain.
    Commit(usize),
    /// Makes the delete undone.
    Undo(usize),
    /// Takes the tombstone off.
    Exhume(usize),
    /// Applies the rule of one child.
    D2(usize, usize),
    /// Removes the target.
    D3(usize),
    /// Stores the target again.
    Store(usize),
    /// A resumer finds a tombstone on the target of that number.
    TakeTomb(usize, usize),
    /// A resumer finds a marked child.
    TakeMark(usize, usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Checked(pub Config);
