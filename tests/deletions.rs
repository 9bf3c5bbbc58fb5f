//! Deletes and soft deletes, and what becomes of references.

mod common;
mod deleting;
mod soft_deleting;
