//! A model at run time: a tree of const tables that the derives write.
//!
//! ```
//! # use mongo_model::MongoModel; use mongo_model_guide::shop::Product;
//! let meta = Product::meta();
//! assert_eq!(meta.collection, "guide_products");
//! for field in meta.shape.fields {
//!     println!("{}", field.name);
//! }
//! ```

#[macro_use]
mod items;
#[cfg(feature = "driver")]
mod methods;
#[cfg(not(feature = "driver"))]
mod tables;

#[cfg(feature = "driver")]
pub use self::methods::MongoModel;
#[cfg(not(feature = "driver"))]
pub use self::tables::MongoModel;
#[doc(no_inline)]
pub use crate::Level;
#[cfg(feature = "driver")]
pub use crate::report::{
    costs::{Costs, EmitCosts, WriteCosts},
    limits::Limits,
};
pub use crate::schema::access::AccessRow;
pub use crate::schema::checks::{
    Check, CheckRule, DocumentJudge, Judge, Limit, Part, Refusal, Scope,
};
pub use crate::schema::comparison::{CompareOp, Comparison, Term};
pub use crate::schema::model::ModelMeta;
pub use crate::schema::relation::{
    Derived, DerivedRow, Holds, Most, OnDelete, OnMissing, Per, PeriodRow, RelationRow,
};
pub use crate::schema::rows::{Advice, CopyRow, FieldRow, Fixed, Kind, Shape, Width};
#[doc(hidden)]
pub use crate::schema::variants;
