//! Copies that cannot stay stale, data of parents that is derived from their children, and deletes.
//!
//! At every instant, every stale copy is durably flagged: its source carries a pending entry for the edge, or the
//! document that holds it carries a mark. A flag is set by the same atomic write that makes a copy stale, and removed
//! only by a write that proves the copy right. If a program or server dies in between, [`recover`](crate::recover) and
//! [`Sweeper`](crate::Sweeper) find the flags through small indexes and finish the work; doing a step twice does no harm.
//!
//! # What is stored
//!
//! An *edge* is a reference with copies, or one that writes check: `products.parts`, by the collection and the path of the reference. In a
//! source, `_dn.r` is the revision of its copied fields, `_dn.p` the edges whose copies have to follow (absent when none), `_dn.b` the
//! token of the `update_many` that changed it last. Beside a copy, `_r` is the revision it was taken from (`_r` in an entry,
//! `_r_<reference>` beside a plain reference; absent is older than everything). In a document with copies, `_dn.u` holds a mark
//! `{t: token}` while a write has put copies there that are not verified against their sources yet.
//!
//! # A source changes
//!
//! 1. One write changes the source, raises `_dn.r` and adds the edges to `_dn.p`.
//! 2. One update per edge sets all copied fields of all copies that are older, to the source as of that revision. The comparison of
//!    revisions makes a late or repeated update of an earlier revision do nothing.
//! 3. The edges are removed from `_dn.p`, if `_dn.r` is still the same; otherwise a later writer has taken them over.
//!
//! # A copy is created
//!
//! 1. The document is written with its copies, without a revision, and a mark.
//! 2. The sources are read durably, so that no crash of the server can undo the state read.
//! 3. One update corrects the copies, if the document still refers to these sources, and clears the mark.
//!
//! A change of a source that step 2 does not see begins its own scan after step 1, and finds the copy.
//!
//! # Both sides of a reference
//!
//! The list of ids that is the other side of a reference follows it as copies follow a source: the child's write leaves the flag, and
//! in `_dn.o` the parents that it had. Every change of a list marks the pair of parent and child in the parent's `_dn.v`, since an id
//! in a list has no revision that would distinguish an old change from a new one; the mark is removed once the child
//! has been read again unchanged.
//!
//! # Derived data in a parent
//!
//! A *link* is a field of the one side that follows from the documents that refer to it: the other side of a two-way
//! reference, a last-N list, a count. Its name is the collection and the field: `persons.tasks`. A child is flagged for
//! it as a source is for its copies; `_dn.o` lists the parents that it had before, so that they are updated too. An
//! entry that is put into a list leaves a mark `{t, k, e}` in the parent's `_dn.v` (token, child, link), which reveals
//! a late write of a program that was overtaken. The mark is removed when the child's flag was found unchanged, or when
//! the parent was compared with its children.
//!
//! No comparison can correct a count. A child that another parent counts after a write carries `{t, f, to}` in `_dn.c`;
//! a program that adds it to a count puts the token into the parent's `_dn.k.a` in the same write, and does nothing if
//! the token is there already. Tokens are removed together with their *epoch* `_dn.k.e`: a count applies only in the
//! epoch that it belongs to.
//!
//! A program that finishes a child whose parent does not exist updates no parent. So a new parent begins with a mark `{t, e, f}` for
//! each link. The marks are removed when a search has found no earlier child, or when the list and the count have been
//! computed from the children.
//!
//! # A document is deleted
//!
//! First, all references that may refuse are checked. Then the document and those that are deleted with it get a
//! tombstone, `_dn.del`; references that may refuse are checked again, and the delete is then either undone or certain,
//! which its first document records in `_dn.d`. References follow their rules, parents are updated, and the documents
//! are deleted. A program that stores a reference meanwhile finds the tombstone when it verifies its copies, waits, and
//! applies the rule.
//!
//! Writes are acknowledged by a majority with their journal before the next step begins. The repository's package `tests/protocol`
//! checks this with every interleaving and every crash of small configurations, and also that leaving out a step makes
//! it fail; `tests/soak` tests it with killed programs and servers.
//!
//! # Example
//!
//! ```no_run
//! # use mongo_model::{MongoModel, recover, verify}; use mongo_model_guide::shop::*;
//! # async fn example(db: &mongo_model::Database, id: mongo_model::Id<Part>) -> mongo_model::Result<()> {
//! recover(db).await?; // when the program starts: finishes what others left unfinished
//! let outcome = Part::update(db, id).set(|p| p.name, "#5 grommet").await?;
//! for pending in outcome.pending {
//!     eprintln!("the part is renamed, but {pending}"); // flagged: `recover` or a `Sweeper` continues
//! }
//! assert!(verify(db).await?.is_clean());
//! # Ok(()) }
//! ```

pub use crate::find::fresh::Fresh;
pub use crate::maintenance::after::AfterCommit;
pub use crate::maintenance::backfill::{Backfill, Backfilled};
pub use crate::maintenance::copy_tenant::{CopiedTenant, CopyTenant};
pub use crate::maintenance::repair::Repair;
pub use crate::maintenance::repaired::Repaired;
pub use crate::maintenance::sweeping::Recovered;
pub use crate::maintenance::verify::report::{Defect, Difference, ReferenceReport, Verified};
pub use crate::maintenance::verify::undecodable::{InvalidDocuments, Remedy, Undecodable};
pub use crate::maintenance::verify::{Part, Verify};
pub use crate::maintenance::whole_tenant::{PurgeTenant, PurgedTenant, TenantDocument};
pub use crate::service::Recover;
pub use crate::write::related::{Reassign, Rebuild, Recount, Related};
