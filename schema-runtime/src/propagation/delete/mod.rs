//! Deleting documents that others refer to.
//!
//! A look at everything that may refuse, and at every index that is needed, comes first. Then
//!
//! 1. (D1) the documents get a tombstone, one of them, the leader, first; and so does, top down, whatever goes with them and is
//!    referred to itself;
//! 2. where a reference may refuse, everything is looked at again, and the leader says that the delete is certain, or all of it is
//!    undone;
//! 3. (D2) references are taken out, and documents that nothing refers to go with what they refer to;
//! 4. (D3) what has a tombstone goes, the leader last.
//!
//! Who stores a copy meanwhile sees the tombstone when it compares the copy with its source, waits until the delete is finished or
//! undone, and then does what the reference says. What stops half way is finished, or undone, by whoever finds it: the leader says
//! which of the two, the tombstones are found through the index of flags, and every step can be done twice.

mod check;
mod follow;
mod indexes;
mod op;
mod orphan;
mod plan;
mod resume;
mod rule;
pub(crate) mod run;
pub(crate) mod tomb;
pub(crate) mod unchecked;

pub(crate) use self::orphan::{apply, apply_to};
pub(crate) use self::resume::{entombed, has_root, help, resume};
pub(crate) use self::run::{Which, delete};
pub(crate) use self::tomb::{NAME, fields};
