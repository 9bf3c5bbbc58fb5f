//! Documents that come back: parents and children are deleted and stored again under the same `_id` or key while others insert,
//! move, save and delete children, in each of the ways in which a parent can matter to its children.

pub mod client;
mod documents;
pub mod models;
pub mod oracle;
pub mod steps;
