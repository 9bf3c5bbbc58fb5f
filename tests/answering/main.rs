//! Writes answer when they and what follows from them are stored; their flags are removed behind the answer.

mod adding;
mod bulk;
mod changing;
mod checked;
mod checked_forms;
mod checked_models;
#[path = "../common/mod.rs"]
mod common;
mod concerns;
mod costs;
mod inserting;
mod lists;
mod models;
mod related;
mod saving;
mod tenants;
