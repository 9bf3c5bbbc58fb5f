//! The propagation protocol as models.

pub mod copies;
pub mod run;
