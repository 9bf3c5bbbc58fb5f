//! Indexes: compares the indexes that models declare with the indexes of a database, and creates the missing ones.
//!
//! ```no_run
//! # use mongo_model::{plan_indexes, sync_indexes};
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! println!("{}", plan_indexes(db).await?); // writes nothing
//! println!("{}", sync_indexes(db).await?); // creates what is missing, drops nothing
//! # Ok(()) }
//! ```

pub(crate) mod collect;
mod compare;
pub(crate) mod duplicate;
pub(crate) mod edges;
mod matching;
pub(crate) mod planner;
mod serving;
mod shard_keys;
pub(crate) mod sync;
pub(crate) mod vectors;

pub use crate::index_spec::definition::{Definition, Source, TextOptions};
pub use crate::index_spec::edges::CopiesDiffer;
pub use crate::index_spec::error::{DuplicateKey, IndexError, IndexErrors, IndexFailure};
pub use crate::index_spec::live::LiveIndex;
pub use crate::index_spec::plan::{CollectionPlan, IndexChange, IndexConflict, IndexPlan};
pub use crate::index_spec::report::{CollectionReport, IndexReport};
pub use crate::index_spec::shard_keys::{CollectionShardKey, ShardKeyReport};
pub use crate::index_spec::vector::{VectorChange, VectorDefinition};
pub use crate::schema::index_row::{
    CollationRow, ConditionOp, ConditionRow, IndexRow, KeyKind, KeyRow, Literal, TextRow,
};
pub use collect::definitions;
pub use planner::{PlanIndexes, plan_indexes};
pub use shard_keys::{ShardKeys, shard_keys};
pub use sync::{SyncIndexes, sync_indexes};
pub use vectors::vector_definitions;
