//! Validators: what the server itself refuses, or warns of, in documents that come from elsewhere.
//!
//! [`json_schema`] makes a `$jsonSchema` from a model: types, required fields, `maxItems` of bounded arrays, `maxLength` of strings
//! with a `max_len`, the tags of enums. Fields that no model declares are let through, so that what the library keeps in documents
//! (`_dn`, `_r`), and what other programs do, stays possible. [`plan_validators`] compares, [`sync_validators`] applies.

/// What a plan and its carrying out are asked for alike.
#[cfg(feature = "driver")]
macro_rules! choices {
    ($builder:ident) => {
        impl $builder<'_> {
            /// Looks at the collection of `M` only; called again, at that of the other model too.
            pub fn only<M: $crate::schema::model::Model>(mut self) -> Self {
                self.wanted.scope.add(M::model_meta());
                self
            }

            /// Lets the server refuse wrong documents (its error 121), whoever writes them.
            pub fn error(mut self) -> Self {
                self.wanted.action = Some("error");
                self
            }

            /// Lets the server store wrong documents and write a line into its log, also where it refuses them now.
            pub fn warn(mut self) -> Self {
                self.wanted.action = Some("warn");
                self
            }

            /// Exactly these models, whatever is linked into the program.
            #[doc(hidden)]
            pub fn models(mut self, models: &[&'static $crate::schema::model::ModelMeta]) -> Self {
                self.wanted.scope = $crate::index::planner::Scope::Exactly(models.to_vec());
                self
            }
        }
    };
}

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
