//! The graph of copies, links and references between models, and the library's own fields in documents.

pub(crate) mod edges;
pub(crate) mod flags;
pub(crate) mod hidden;
pub(crate) mod links;
pub(crate) mod place;
pub(crate) mod relations;
pub(crate) mod scan;
pub(crate) mod source;
