//! The propagation protocol as models.

pub mod bulk;
pub mod copies;
pub mod counter;
pub mod delete;
pub mod durability;
pub mod recent;
pub mod repoint;
pub mod run;
pub mod two_way;
