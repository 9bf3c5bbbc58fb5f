//! Finishing interrupted work, finding defects, and repairing them.

pub(crate) mod after;
pub(crate) mod backfill;
pub(crate) mod commit;
pub(crate) mod copy_tenant;
pub(crate) mod overtake;
pub(crate) mod repair;
pub(crate) mod repaired;
pub(crate) mod sweep;
pub(crate) mod sweeping;
pub(crate) mod verify;
pub(crate) mod whole_tenant;
