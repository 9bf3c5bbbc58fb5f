//! Writing single documents: what is stored, changed, and refused, and the JSON of a web API.

pub mod changing;
mod common;
mod exchanging;
pub mod storing;
mod validating;
