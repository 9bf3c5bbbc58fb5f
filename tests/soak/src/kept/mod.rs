//! What the one side keeps of the other, and deletes, under the same fire as copies.

pub mod client;
pub mod models;
pub mod oracle;
pub mod steps;
