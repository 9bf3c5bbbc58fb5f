//! Copies that cannot stay stale, and what parents keep of their children; deletes.
//!
//! At every instant every stale copy is flagged durably: its source carries a pending entry for the edge, or the document that
//! holds it carries a mark. A flag is set by the same atomic write that makes something stale and removed only by a write that
//! proves that it is not. Whatever dies in between, [`recover`] and [`Sweeper`] find the flags through two small indexes and
//! finish the work; every step of it can be done twice.
//!
//! # What is stored
//!
//! An *edge* is a reference with copies: `products.parts`, by the collection and the path of the reference. In a source, `_dn.r` is
//! the revision of its copied fields, `_dn.p` the edges whose copies have to follow (absent when none), `_dn.b` the token of the
//! `update_many` that changed it last. Beside a copy, `_r` is the revision it was taken from (`_r` in an entry, `_r_<reference>`
//! beside a plain reference; absent is older than everything). In a document with copies, `_dn.u` holds a mark `{t: token}` while
//! a write has put copies there that nobody has compared with their sources yet.
//!
//! # A source changes
//!
//! 1. One write changes the source, raises `_dn.r` and adds the edges to `_dn.p`.
//! 2. One update per edge sets all copied fields of all copies that are older, to the source as of that revision. The comparison of
//!    revisions makes a late or repeated update of an earlier revision do nothing.
//! 3. The edges come off `_dn.p`, if `_dn.r` is still the same; else a later writer has taken them over.
//!
//! # A copy comes to be
//!
//! 1. The document is written with its copies, without a revision, and a mark.
//! 2. The sources are read, as no crash of the server can take back.
//! 3. One update corrects the copies, for as long as the document refers to these sources, and takes the mark off.
//!
//! A change of a source that step 2 does not see begins its own scan after step 1, and finds the copy.
//!
//! # Both sides of a reference
//!
//! The list of ids that is the other side of a reference follows it as copies follow a source: the child's write leaves the flag, and
//! in `_dn.o` the parents that it had. Every change of a list marks the pair of parent and child in the parent's `_dn.v`, since an id
//! in a list has no revision that would tell an old change from a new one; the mark goes when the child was seen unchanged behind it.
//!
//! # What a parent keeps
//!
//! A *link* is a field of the one side that follows from the documents that refer to it: the other side of a two-way reference, a
//! last-N list, a number. Its name is the collection and the field: `persons.tasks`. A child is flagged for it as a source is for its
//! copies; `_dn.o` says which parents it had before, so that they are told too. What is put into a list leaves a mark `{t, k, e}` in
//! the parent's `_dn.v` (token, child, link): a late write of somebody who was passed cannot go unseen. It goes when the child's flag
//! was found unchanged, or when the parent was compared with its children.
//!
//! A number is not what a comparison could put right. A child that is counted elsewhere after a write carries `{t, f, to}` in `_dn.c`;
//! whoever adds it to a number puts the token into the parent's `_dn.k.a` in the same write, and does nothing where it is. Tokens go
//! together with the *epoch* `_dn.k.e`, in which alone anything is counted.
//!
//! Who finishes a child whose parent is not there tells nobody. So a new parent begins with a mark `{t, e, f}` for each link, and these go
//! when a look has shown that no child was there before, or when list and number were made from the children.
//!
//! # A document is deleted
//!
//! Everything that may refuse is looked at. Then the document gets a tombstone, `_dn.del`, with what goes with it; where a reference may
//! refuse, that is looked at again, and the delete is undone or certain, which its first document says in `_dn.d`. References follow
//! their rules, parents are told, and the documents go. Who stores a reference meanwhile finds the tombstone when it compares its copies,
//! waits, and does what the rule says.
//!
//! Writes are acknowledged by a majority with their journal before the next step begins. The repository's package `tests/protocol`
//! checks this with every interleaving and every crash of small configurations, and that it fails where a step is left out;
//! `tests/soak` does it with killed programs and servers.

#[cfg(feature = "driver")]
pub use crate::driver::transaction::Transaction;
pub use crate::find::fresh::FindFresh;
#[cfg(feature = "driver")]
pub use crate::maintenance::after::{AfterCommit, after_commit};
#[cfg(feature = "driver")]
pub use crate::maintenance::backfill::{Backfill, Backfilled, backfill};
#[cfg(feature = "driver")]
pub use crate::maintenance::commit::transaction;
#[cfg(feature = "driver")]
pub use crate::maintenance::repair::{Repair, Repaired, repair};
#[cfg(feature = "driver")]
pub use crate::maintenance::sweep::{Recover, Recovered, Sweeper, recover};
#[cfg(feature = "driver")]
pub use crate::maintenance::verify::report::{Defect, EdgeReport, Finding, Verified};
#[cfg(feature = "driver")]
pub use crate::maintenance::verify::undecodable::{Remedy, Undecodable};
#[cfg(feature = "driver")]
pub use crate::maintenance::verify::{Part, Verify, verify};
pub use crate::outcome::deleted::{Blocker, Deleted, Progress};
pub use crate::outcome::{Outcome, Pending};
pub use crate::write::related::{Reassign, Rebuild, Recount, Related};
