//! Copies follow their sources, whatever is interrupted, on a standalone server and on a replica set.

mod chains;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod filling;
mod following;
mod healing;
mod keys;
mod levels;
mod places;
mod propagating;
mod replayed;
mod settled;
mod transactions;
