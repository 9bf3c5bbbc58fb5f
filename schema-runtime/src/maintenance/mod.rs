//! What finishes interrupted work, finds what is wrong, and mends it.

pub(crate) mod after;
pub(crate) mod backfill;
pub(crate) mod commit;
pub(crate) mod repair;
pub(crate) mod sweep;
pub(crate) mod verify;
