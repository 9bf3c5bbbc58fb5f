//! Changes that propagate from one document to others: copies, lists, numbers, deletes.

pub(crate) mod capacity;
pub(crate) mod counter;
pub(crate) mod delete;
pub(crate) mod fill;
pub(crate) mod keys;
pub(crate) mod lease;
pub(crate) mod links;
pub(crate) mod marks;
pub(crate) mod new_parents;
pub(crate) mod newest;
pub(crate) mod pair;
pub(crate) mod parents;
pub(crate) mod periods;
pub(crate) mod recent;
pub(crate) mod source;
pub(crate) mod source_reads;
pub(crate) mod sources_by_key;
pub(crate) mod target;
pub(crate) mod tenants;
pub(crate) mod two_way;
