//! Copies that cannot stay stale.
//!
//! At every instant every stale copy is flagged durably: its source carries a pending entry for the edge (`_dn.p`), or the document
//! that holds it carries a mark (`_dn.u`). A flag is set by the same atomic write that makes something stale and removed only
//! by a write that proves that it is not. Whatever dies in between, [`recover`] and [`Sweeper`] find the flags through two small
//! indexes and finish the work; every step of it can be done twice.

#[cfg(feature = "driver")]
#[macro_use]
mod fault;

#[cfg(feature = "driver")]
mod after;
#[cfg(feature = "driver")]
mod backfill;
pub(crate) mod edges;
#[cfg(feature = "driver")]
mod fill;
pub(crate) mod flags;
mod fresh;
mod outcome;
pub(crate) mod place;
#[cfg(feature = "driver")]
mod repair;
#[cfg(feature = "driver")]
pub(crate) mod source;
#[cfg(feature = "driver")]
mod sweep;
#[cfg(feature = "driver")]
pub(crate) mod target;
#[cfg(feature = "driver")]
mod verify;
#[cfg(feature = "driver")]
pub(crate) mod write;

#[cfg(feature = "driver")]
pub use self::after::{AfterCommit, after_commit};
#[cfg(feature = "driver")]
pub use self::backfill::{Backfill, Backfilled, backfill};
pub use self::fresh::FindFresh;
pub use self::outcome::{Outcome, Pending};
#[cfg(feature = "driver")]
pub use self::repair::{Repair, Repaired, repair};
#[cfg(feature = "driver")]
pub use self::sweep::{Recover, Recovered, Sweeper, recover};
#[cfg(feature = "driver")]
pub use self::verify::{Defect, EdgeReport, Finding, Verified, Verify, verify};
