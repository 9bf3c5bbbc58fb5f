//! Deleting documents that others refer to.
//!
//! First the program checks everything that may refuse, and every index that it needs. Then
//!
//! 1. (D1) the documents get a tombstone, the leader first; then, from the top down, so do all documents that are deleted with them and
//!    that others refer to;
//! 2. where a reference may refuse, everything is checked again, and the leader records that the delete is certain, or all of it is
//!    undone;
//! 3. (D2) references are removed, and documents that nothing refers to are deleted together with the documents that they refer to;
//! 4. (D3) documents with a tombstone are deleted, the leader last.
//!
//! A writer that stores a copy meanwhile sees the tombstone when it compares the copy with its source. It waits until the delete is
//! finished or undone, and then follows the delete rule of the reference. An interrupted delete is finished, or undone, by the program
//! that finds it: the leader says which of the two, the index of flags finds the tombstones, and every step can be repeated.

mod check;
mod follow;
pub(crate) mod indexes;
mod op;
mod orphan;
mod pages;
pub(crate) mod plan;
mod refusals;
mod resume;
mod rule;
pub(crate) mod run;
pub(crate) mod tomb;
pub(crate) mod without_rules;

pub(crate) use self::orphan::{apply_rule, apply_rule_to, apply_rule_to_all};
pub(crate) use self::resume::{entombed, has_root, help, resume};
pub(crate) use self::run::{Which, delete};
pub(crate) use self::tomb::{NAME, fields};
