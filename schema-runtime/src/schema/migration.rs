//! The version of a model's schema, and the steps that turn an older document into one of the present version.

use std::borrow::Cow;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};

use crate::codec::error::CodecError;
use crate::codec::outdated::{FIELD, Outdated};
use crate::schema::stored;

/// A step of a migration: it turns a document of one version into a document of the next.
#[doc(hidden)]
pub type Step = fn(Document, i32) -> Result<Document, Failed>;

/// The reason why a step of a migration failed.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;

/// The version of a model's schema.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SchemaRow {
    /// The version that the program stores.
    pub version: i32,
    /// The function that a migration calls once per version in between, with the older version; none where older documents are refused.
    pub migrate: Option<Step>,
    /// The version of a document without the field, where the model declares it.
    pub unversioned: Option<i32>,
}

/// The types that the function of `migrate = ..` may return: a document, or a `Result` of one.
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

impl SchemaRow {
    /// The document as it would be if the present program had stored it; the document itself, where this program has.
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

    /// True for a document of an older version, or of a version that cannot be read.
    pub(crate) fn is_older(&self, document: &Document) -> bool {
        let found = self.number(document.get(FIELD));
        found.map_or(true, |found| found < i64::from(self.version))
    }

    /// The document as it would be if the present program had stored it.
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

    /// A document of the version `found`, brought to the present version. The steps do not see the fields that the library keeps in it.
    pub(crate) fn migrated(&self, mut old: Document, found: i64) -> Result<Document, CodecError> {
        let known = self.version;
        if found > i64::from(known) {
            return Err(CodecError::outdated(Outdated::Newer { found, known }));
        }
        let (Some(step), Ok(first @ 1..)) = (self.migrate, i32::try_from(found)) else {
            return Err(CodecError::outdated(Outdated::Older { found, known }));
        };
        let kept = old.remove(stored::OWN);
        old.remove(FIELD);
        old.remove(stored::PARTS);
        let id = old.get("_id").cloned();
        for from in first..known {
            old = step(old, from).map_err(|error| failed(from, error.to_string()))?;
        }
        if old.get("_id") != id.as_ref() {
            return Err(failed(known - 1, "it changes the `_id`".to_owned()));
        }
        old.extend(kept.map(|kept| (stored::OWN.to_owned(), kept)));
        old.insert(FIELD, known);
        Ok(old)
    }
}

pub(crate) fn failed(from: i32, reason: String) -> CodecError {
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
    // The size check refuses a document whose length does not fit.
    let len = i32::try_from(to.len() - start).unwrap_or(i32::MAX);
    to[start..start + 4].copy_from_slice(&len.to_le_bytes());
}
