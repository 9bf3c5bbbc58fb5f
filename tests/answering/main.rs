//! Writes answer when they and what follows from them are stored; their flags are removed behind the answer.

mod bulk;
mod changing;
mod checked;
#[path = "../common/mod.rs"]
mod common;
mod inserting;
mod models;
mod related;
mod saving;
