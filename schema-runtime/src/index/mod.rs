//! Indexes: compares those that models declare with those that a database has, and creates what is missing.
//!
//! ```no_run
//! # use mongo_model::{plan_indexes, sync_indexes};
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! println!("{}", plan_indexes(db).await?); // writes nothing
//! println!("{}", sync_indexes(db).await?); // creates what is missing, drops nothing
//! # Ok(()) }
//! ```

pub(crate) mod collect;
#[cfg(feature = "driver")]
pub(crate) mod command;
#[cfg(feature = "driver")]
mod compare;
#[cfg(feature = "driver")]
pub(crate) mod duplicate;
pub(crate) mod edges;
#[cfg(feature = "driver")]
mod matching;
#[cfg(feature = "driver")]
pub(crate) mod planner;
mod serving;
#[cfg(feature = "driver")]
mod sync;

pub use crate::index_spec::definition::{Definition, Source, TextOptions};
#[cfg(feature = "driver")]
pub use crate::index_spec::edges::EdgesDiffer;
#[cfg(feature = "driver")]
pub use crate::index_spec::error::{IndexError, IndexErrors, IndexFailure};
#[cfg(feature = "driver")]
pub use crate::index_spec::live::LiveIndex;
#[cfg(feature = "driver")]
pub use crate::index_spec::plan::{CollectionPlan, IndexChange, IndexConflict, IndexPlan};
#[cfg(feature = "driver")]
pub use crate::index_spec::report::{CollectionReport, IndexReport};
pub use crate::schema::index_row::{
    CollationRow, ConditionOp, ConditionRow, IndexRow, KeyKind, KeyRow, Literal, TextRow,
};
pub use collect::definitions;
#[cfg(feature = "driver")]
pub use planner::{PlanIndexes, plan_indexes};
#[cfg(feature = "driver")]
pub use sync::{SyncIndexes, sync_indexes};
