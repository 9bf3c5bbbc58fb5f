//! Validators: rules by which the server itself refuses, or warns of, wrong documents that other programs write.
//!
//! [`json_schema`] makes a `$jsonSchema` from a model: types, required fields, `maxItems` of bounded arrays, `maxLength` of strings
//! with a `max_len`, the tags of enums; an `$expr` beside it compares fields. Fields that no model declares are allowed, so that the
//! library can store its own data in documents (`_dn`, `_r`), and other programs theirs. [`plan_validators`] compares,
//! [`sync_validators`] applies.
//!
//! ```no_run
//! # use mongo_model::{plan_validators, sync_validators};
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! println!("{}", plan_validators(db).await?); // writes nothing
//! sync_validators(db).await?; // the server warns
//! sync_validators(db).error().await?; // the server refuses
//! # Ok(()) }
//! ```

/// The options that the builders of a plan and of its application share.
macro_rules! choices {
    ($builder:ident) => {
        impl $builder<'_> {
            /// Checks only the collection of `M`; each further call adds the collection of another model.
            pub fn only<M: $crate::schema::model::Model>(mut self) -> Self {
                self.wanted.scope.add(M::model_meta());
                self
            }

            /// Makes the server refuse wrong documents (its error 121), no matter which program writes them.
            pub fn error(mut self) -> Self {
                self.wanted.action = Some("error");
                self
            }

            /// Makes the server guarantee that no document is wrong, also none that was stored before: the level `constraint`, and the
            /// action `error`. Needs MongoDB 9.0. The server looks at all documents of a collection that exists.
            pub fn constraint(mut self) -> Self {
                self.wanted.action = Some("error");
                self.wanted.level = Some(CONSTRAINT);
                self
            }

            /// Makes the server store wrong documents and write a line into its log, even if it refuses them now: `constraint` becomes
            /// `strict`.
            pub fn warn(mut self) -> Self {
                self.wanted.action = Some("warn");
                self.wanted.level = None;
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

mod api;
mod plan;
mod schema;
#[cfg(feature = "schemars")]
pub(crate) mod schemars;
mod sync;

#[doc(hidden)]
pub use api::{ApiByValue, ApiFields, ApiOpaque, ApiValue};
pub use api::{ApiStruct, api_schema};
pub use plan::{PlanValidators, ValidatorChange, ValidatorPlan, plan_validators};
pub use schema::{conditions, json_schema};
pub use sync::{SyncValidators, ValidatorReport, sync_validators};

#[doc(hidden)]
pub use crate::document::comparisons::compare_numbers;

/// The pattern of the rule `email`.
#[doc(hidden)]
pub const EMAIL_PATTERN: &str = crate::schema::checks::EMAIL;

/// The pattern of the rule `url`.
#[doc(hidden)]
pub const URL_PATTERN: &str = crate::schema::checks::URL;
