//! A model at run time: a tree of const tables that the derives write.

pub(crate) mod access;
pub(crate) mod average;
pub(crate) mod blank;
pub(crate) mod bucket;
pub(crate) mod checks;
pub(crate) mod comparison;
pub(crate) mod events;
pub(crate) mod field;
pub(crate) mod flat;
pub(crate) mod geo;
pub(crate) mod history;
pub(crate) mod index_row;
pub(crate) mod keyed_by_parent;
pub(crate) mod lookup;
pub(crate) mod migration;
pub(crate) mod model;
pub(crate) mod outbox;
pub(crate) mod period;
pub(crate) mod person;
pub(crate) mod personal;
pub(crate) mod queue;
pub(crate) mod rank;
pub(crate) mod registry;
pub(crate) mod relation;
pub(crate) mod rows;
pub(crate) mod soft_delete;
pub(crate) mod stamps;
pub(crate) mod stored;
pub(crate) mod tenant;
pub(crate) mod tree;
pub(crate) mod two_way;
pub(crate) mod unique;
pub(crate) mod value;
#[doc(hidden)]
pub mod variants;
pub(crate) mod version;
