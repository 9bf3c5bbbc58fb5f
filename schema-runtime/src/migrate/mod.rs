//! Schemas that change: which version of its schema a document was stored by, and how an older one becomes a present one.
//!
//! `#[model(schema_version = 2, migrate = path)]` stores the version in every document, in a field `schema_version`.
//! A document of an older version is migrated in memory whenever it is read, and stored by the next
//! [`save`](crate::MongoModel::save) or [`update`](crate::MongoModel::update) of it, or by [`MongoModel::migrate`](crate::MongoModel::migrate), which
//! does so for a whole collection. One that is newer than the program is [`Error::NewerSchema`].
//!
//! A document without the field may be one from before versions, or one that another program stored yesterday: the plain driver
//! writes no version. A migration of the second would overwrite what it holds, so a model of version 2 or above reads neither
//! ([`Error::Unversioned`]) until it says which version they have: `unversioned = 1` where the collection is older than
//! its versions and every writer is a program with this model; `unversioned = 2`, the present one, where all old documents
//! are migrated. At `schema_version = 1` there is only one version.
//!
//! What needs no version: a new field with `#[serde(default)]`, a field that went away, a variant that was added.
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
//! Filters and orders see documents as they are stored: run [`MongoModel::migrate`](crate::MongoModel::migrate) before the program filters by a field
//! that a migration makes. Copies see what a reader sees: an older source is migrated in memory before it is copied. While a model has a `migrate`, projections of it read whole documents, since what
//! they need may be made of fields that they do not name; drop the option when the collection is migrated.
//!
//! # Denormalise it all and drop the one side
//! Where the one side of a relation holds nothing that is not copied, it can go:
//!
//! 1. Declare copies of all its fields (`#[denorm(..)]`), run [`sync_indexes`](crate::sync_indexes), then
//!    [`backfill`](crate::backfill).
//! 2. [`verify`](crate::verify) says that every copy is what its source is.
//! 3. Deploy the many side without the reference: the copies become fields of its own, `schema_version` goes up by 1, and `migrate`
//!    makes the new fields of the entry. Run [`MongoModel::migrate`](crate::MongoModel::migrate).
//! 4. Drop the collection of the one side.

#[cfg(feature = "driver")]
mod batch;
#[cfg(feature = "driver")]
pub(crate) mod one;

use std::borrow::Cow;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};

#[cfg(feature = "driver")]
pub use self::batch::{Migrate, Migrated, Refused};
use crate::codec::CodecError;
use crate::error::Error;
use crate::model::Model;

/// The field that holds a document's version.
pub const FIELD: &str = "schema_version";

/// One step of a migration: a document of one version becomes one of the next.
pub type Step = fn(Document, i32) -> Result<Document, Failed>;

/// Why a step of a migration could not be made.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Which version of its schema a model is.
#[derive(Debug, Clone, Copy)]
pub struct SchemaRow {
    /// The version that the program stores.
    pub version: i32,
    /// Called once per version in between, with the older one of the two; none where older documents are refused.
    pub migrate: Option<Step>,
    /// The version of a document without the field, where the model says.
    pub unversioned: Option<i32>,
}

/// What the function of `migrate = ..` may give: a document, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "`migrate` gives `{Self}`, which is no document",
    note = "it is `fn(Document, i32) -> Document`, or gives a `Result<Document, E>`: of a document of that version it makes one of the next"
)]
pub trait Migrates {
    #[doc(hidden)]
    fn migrated(self) -> Result<Document, Failed>;
}

impl Migrates for Document {
    fn migrated(self) -> Result<Document, Failed> {
        Ok(self)
    }
}

impl<E: Into<Failed>> Migrates for Result<Document, E> {
    fn migrated(self) -> Result<Document, Failed> {
        self.map_err(Into::into)
    }
}

/// Why a document is not one of the present version.
#[derive(Debug, Clone)]
pub(crate) enum Outdated {
    /// A newer program has stored it.
    Newer { found: i64, known: i32 },
    /// It is older, and the model has no migration.
    Older { found: i64, known: i32 },
    /// It has no version, and the model does not say which that is.
    Unversioned { known: i32 },
    /// The step from `from` failed.
    Failed { from: i32, reason: String },
}

impl std::fmt::Display for Outdated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outdated::Newer { found, known } => write!(f, "{found} is newer than {known}"),
            Outdated::Older { found, known } => write!(f, "{found} is older than {known}"),
            Outdated::Unversioned { known } => write!(f, "no version, where {known} is known"),
            Outdated::Failed { from, reason } => write!(f, "from {from}: {reason}"),
        }
    }
}

impl Outdated {
    /// What is said of a document of `model`.
    pub(crate) fn error(&self, model: &'static str, id: String) -> Error {
        match self.clone() {
            Outdated::Newer { found, known } => Error::NewerSchema {
                model,
                id,
                found,
                known,
            },
            Outdated::Older { found, known } => Error::OlderSchema {
                model,
                id,
                found,
                known,
            },
            Outdated::Unversioned { known } => Error::Unversioned { model, id, known },
            Outdated::Failed { from, reason } => Error::Migration {
                model,
                id,
                from,
                reason,
            },
        }
    }
}

impl SchemaRow {
    /// The document as it would be if the present program had stored it; itself, where it has.
    pub(crate) fn current<'d>(
        &self,
        raw: &'d RawDocument,
    ) -> Result<Cow<'d, RawDocument>, CodecError> {
        let found = self.version_of(raw)?;
        if found == i64::from(self.version) {
            return Ok(Cow::Borrowed(raw));
        }
        let migrated = self.migrated(Document::try_from(raw)?, found)?;
        Ok(Cow::Owned(RawDocumentBuf::try_from(&migrated)?))
    }

    /// The version of a stored document.
    pub(crate) fn version_of(&self, raw: &RawDocument) -> Result<i64, CodecError> {
        let stored = raw.get(FIELD)?.map(Bson::try_from).transpose()?;
        self.number(stored.as_ref())
    }

    /// True for a document of an older version, or of one that cannot be read.
    #[cfg(feature = "driver")]
    pub(crate) fn is_older(&self, document: &Document) -> bool {
        let found = self.number(document.get(FIELD));
        found.map_or(true, |found| found < i64::from(self.version))
    }

    /// The document as it would be if the present program had stored it.
    #[cfg(feature = "driver")]
    pub(crate) fn current_of(&self, document: Document) -> Result<Document, CodecError> {
        match self.number(document.get(FIELD))? {
            found if found == i64::from(self.version) => Ok(document),
            found => self.migrated(document, found),
        }
    }

    /// The version that documents without the field have.
    pub(crate) fn of_unversioned(&self) -> Option<i32> {
        self.unversioned.or((self.version == 1).then_some(1))
    }

    fn number(&self, stored: Option<&Bson>) -> Result<i64, CodecError> {
        match stored {
            None => self.of_unversioned().map(i64::from).ok_or_else(|| {
                CodecError::outdated(Outdated::Unversioned {
                    known: self.version,
                })
            }),
            Some(Bson::Int32(version)) => Ok((*version).into()),
            Some(Bson::Int64(version)) => Ok(*version),
            #[allow(clippy::cast_possible_truncation, reason = "asked for before")]
            Some(Bson::Double(version)) if version.trunc() == *version => Ok(*version as i64),
            Some(other) => Err(failed(0, format!("`{FIELD}` is {other:?}"))),
        }
    }

    /// A document of the version `found`, brought to the present one. What the library keeps in it is not shown to the steps.
    pub(crate) fn migrated(&self, mut old: Document, found: i64) -> Result<Document, CodecError> {
        let known = self.version;
        if found > i64::from(known) {
            return Err(CodecError::outdated(Outdated::Newer { found, known }));
        }
        let (Some(step), Ok(first @ 1..)) = (self.migrate, i32::try_from(found)) else {
            return Err(CodecError::outdated(Outdated::Older { found, known }));
        };
        let kept = old.remove("_dn");
        old.remove(FIELD);
        let id = old.get("_id").cloned();
        for from in first..known {
            old = step(old, from).map_err(|error| failed(from, error.to_string()))?;
        }
        if old.get("_id") != id.as_ref() {
            return Err(failed(known - 1, "it changes the `_id`".to_owned()));
        }
        old.extend(kept.map(|kept| ("_dn".to_owned(), kept)));
        old.insert(FIELD, known);
        Ok(old)
    }
}

fn failed(from: i32, reason: String) -> CodecError {
    CodecError::outdated(Outdated::Failed { from, reason })
}

/// Appends the version to the document that begins at `start`.
pub(crate) fn stamp(schema: SchemaRow, to: &mut Vec<u8>, start: usize) {
    to.pop();
    to.push(0x10);
    to.extend_from_slice(FIELD.as_bytes());
    to.push(0);
    to.extend_from_slice(&schema.version.to_le_bytes());
    to.push(0);
    // What does not fit is refused by its size.
    let len = i32::try_from(to.len() - start).unwrap_or(i32::MAX);
    to[start..start + 4].copy_from_slice(&len.to_le_bytes());
}

/// What a read of `O` asks the server for; `None` for the whole document. Of an older document all is needed.
pub(crate) fn asked<M: Model, O: crate::Projected<M>>() -> Option<Document> {
    asked_for::<M>(O::projection()?, only_id::<M, O>())
}

/// As [`asked`], for what else than a [`Projected`](crate::Projected) reads.
pub(crate) fn asked_for<M: Model>(projection: Document, only_id: bool) -> Option<Document> {
    match M::SCHEMA {
        Some(_) if only_id => Some(projection),
        Some(schema) if schema.migrate.is_some() => None,
        Some(_) => Some(crate::projection::with_path(projection, FIELD)),
        None => Some(projection),
    }
}

/// Whether a read of `O` takes the `_id` alone, which no migration changes.
pub(crate) fn only_id<M: Model, O: crate::Projected<M>>() -> bool {
    O::ROWS.is_some_and(|rows| rows.iter().all(|row| row.name == "_id"))
}
