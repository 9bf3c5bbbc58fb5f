//! Exports the values that the program stores about a person, and erases them.
//!
//! ```no_run
//! use mongo_model::{Database, Id, MongoModel, Result};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "customers")]
//! pub struct Customer {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Customer>,
//!     #[personal(erased = "gone")]
//!     pub name: String,
//! }
//!
//! async fn forget(db: &Database, id: Id<Customer>) -> Result<()> {
//!     let data = Customer::export(db, id).await?;
//!     println!("{} documents", data.documents.len());
//!     let certificate = Customer::erase(db, id).await?;
//!     assert!(certificate.finished);
//!     Ok(())
//! }
//! ```

mod certificate;
pub(crate) mod erase;
pub(crate) mod export;
mod fields;
mod places;
pub(crate) mod registry;
mod spots;

pub use self::certificate::{Certificate, CopiedField, ErasedFields, KeptFields};
pub use self::erase::Erase;
pub use self::export::{Export, PersonalData, PersonalDocument};
pub use self::fields::{PersonalField, personal_fields};
pub use crate::schema::person::Person;
