//! The number of documents that a builder writes, as a parameter of its type: one or many.

/// A single document.
#[derive(Debug)]
pub enum One {}

/// Any number of documents.
#[derive(Debug)]
pub enum Many {}

/// [`One`] or [`Many`].
pub trait Cardinality: 'static {
    /// True for any number of documents, which a filter finds.
    const MANY: bool;
}

impl Cardinality for One {
    const MANY: bool = false;
}

impl Cardinality for Many {
    const MANY: bool = true;
}
