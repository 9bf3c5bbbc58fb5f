//! Copies follow their sources, whatever is interrupted, on a standalone server and on a replica set.

mod backfilling;
mod chains;
#[path = "../common/mod.rs"]
mod common;
mod filling;
mod following;
mod fresh;
mod keys;
mod levels;
mod places;
mod propagating;
mod repairing;
mod settled;
mod transactions;
mod verifying;
