//! Validators: what the server itself refuses, or warns of, in documents that come from elsewhere.
//!
//! [`json_schema`] makes a `$jsonSchema` from a model: types, required fields, `maxItems` of bounded arrays, `maxLength` of strings
//! with a `max_len`, the tags of enums. Fields that no model declares are let through, so that what the library keeps in documents
//! (`_dn`, `_r`), and what other programs do, stays possible. [`plan_validators`] compares, [`sync_validators`] applies.

#[cfg(feature = "driver")]
mod plan;
mod schema;
#[cfg(feature = "driver")]
mod sync;

#[cfg(feature = "driver")]
pub use plan::{PlanValidators, ValidatorChange, ValidatorPlan, plan_validators};
pub use schema::json_schema;
#[cfg(feature = "driver")]
pub use sync::{SyncValidators, ValidatorReport, sync_validators};
