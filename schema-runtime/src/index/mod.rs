//! Indexes: what models declare, what a database has, and how the one becomes the other.

mod collect;
#[cfg(feature = "driver")]
mod command;
#[cfg(feature = "driver")]
mod compare;
mod definition;
mod edges;
#[cfg(feature = "driver")]
mod error;
#[cfg(feature = "driver")]
mod live;
#[cfg(feature = "driver")]
mod matching;
#[cfg(feature = "driver")]
mod plan;
#[cfg(feature = "driver")]
mod planner;
#[cfg(feature = "driver")]
mod report;
mod serving;
mod signature;
#[cfg(feature = "driver")]
mod sync;

pub use crate::schema::index_row::{
    CollationRow, ConditionOp, ConditionRow, IndexRow, KeyKind, KeyRow, Literal, TextRow,
};
pub use collect::definitions;
pub(crate) use collect::{all_of, condition, serving, stored_path};
#[cfg(feature = "driver")]
pub(crate) use command::{code, run};
pub use definition::{Definition, Source, TextOptions};
#[cfg(feature = "driver")]
pub use edges::EdgesDiffer;
#[cfg(feature = "driver")]
pub use error::{IndexError, IndexErrors, IndexFailure};
#[cfg(feature = "driver")]
pub use live::LiveIndex;
#[cfg(feature = "driver")]
pub use plan::{CollectionPlan, IndexChange, IndexConflict, IndexPlan};
#[cfg(feature = "driver")]
pub use planner::{PlanIndexes, plan_indexes};
#[cfg(feature = "driver")]
pub(crate) use planner::{Scope, namespaces};
#[cfg(feature = "driver")]
pub use report::{CollectionReport, IndexReport};
#[cfg(feature = "driver")]
pub use sync::{SyncIndexes, sync_indexes};
