//! Writing single documents: what is stored, changed, and refused.

pub mod changing;
mod common;
pub mod storing;
mod validating;
