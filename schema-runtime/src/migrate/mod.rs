//! Schemas that change: the schema version that a document was stored with, and the migration of older ones to the
//! current one.
//!
//! `#[model(schema_version = 2, migrate = path)]` stores the version in every document, in a field `schema_version`.
//! A document of an older version is migrated in memory whenever it is read, and stored by the next [`save`](crate::MongoModel::save)
//! or [`update`](crate::MongoModel::update) of it, or by [`MongoModel::migrate`](crate::MongoModel::migrate), which does so for a whole
//! collection. A document of a newer version than the program's is [`Error::NewerSchema`](crate::Error::NewerSchema).
//!
//! A document without the field may be older than your use of versions, or one that another program stored yesterday:
//! the plain driver writes no version. A migration of the second would overwrite what it holds, so a model of version 2
//! or above reads neither ([`Error::Unversioned`](crate::Error::Unversioned)) until the model declares their version:
//! `unversioned = 1` if the collection is older than its versions and every writer is a program with this model;
//! `unversioned = 2`, the current version, if all old documents are migrated. At `schema_version = 1` there is only one
//! version.
//!
//! Some changes need no new version: a new field with `#[serde(default)]`, a removed field, an added variant.
//!
//! ```
//! use bson::Document;
//! use mongo_model::{Id, MongoModel};
//! use serde::{Deserialize, Serialize};
//!
//! /// Version 1 had `first` and `last`.
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "persons", schema_version = 2, migrate = one_name, unversioned = 1)]
//! pub struct Person {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Person>,
//!     pub name: String,
//! }
//!
//! fn one_name(mut old: Document, _version: i32) -> Document {
//!     let mut part = |key| match old.remove(key) {
//!         Some(bson::Bson::String(text)) => text,
//!         _ => String::new(),
//!     };
//!     let name = format!("{} {}", part("first"), part("last"));
//!     old.insert("name", name);
//!     old
//! }
//! ```
//!
//! Filters and sorts see documents as they are stored: run [`MongoModel::migrate`](crate::MongoModel::migrate) before
//! the program filters by a field that a migration creates. Copies see what a reader sees: an older source is migrated
//! in memory before it is copied. While a model has a `migrate`, its projections read whole documents, because the
//! fields they need may be computed from fields that they do not name; drop the option when the collection is migrated.
//!
//! # Denormalise it all and drop the one side
//! Where the one side of a relation holds nothing that is not copied, it can go:
//!
//! 1. Declare copies of all its fields (`#[denorm(..)]`), run [`sync_indexes`](crate::sync_indexes), then
//!    [`backfill`](crate::backfill).
//! 2. [`verify`](crate::verify) confirms that every copy equals its source.
//! 3. Deploy the many side without the reference: the copies become fields of its own, `schema_version` goes up by 1, and `migrate`
//!    makes the new fields of the entry. Run [`MongoModel::migrate`](crate::MongoModel::migrate).
//! 4. Drop the collection of the one side.

#[cfg(feature = "driver")]
pub(crate) mod batch;
#[cfg(feature = "driver")]
pub(crate) mod registry;

#[cfg(feature = "driver")]
pub use self::batch::{Migrate, Migrated, NotMigrated};
pub use crate::codec::outdated::FIELD;
pub use crate::schema::migration::{Failed, Migrates, SchemaRow, Step};
