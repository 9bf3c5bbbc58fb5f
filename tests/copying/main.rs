//! Copies follow their sources, whatever is interrupted, on a standalone server and on a replica set.

mod absent;
mod backfilling;
mod chains;
mod collations;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod declaring;
mod filling;
mod following;
mod fresh;
mod frozen;
mod healing;
mod keys;
mod lengths;
mod levels;
mod nested;
mod nested_costs;
mod newest;
mod places;
mod propagating;
mod read_preferences;
mod renamed;
mod repairing;
mod replayed;
mod repointing;
mod settled;
mod sorted;
mod transactions;
mod unique;
mod verifying;
