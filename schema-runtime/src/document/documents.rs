//! Many encoded documents in one buffer.

use bson::Document;
use bson::raw::CStr;
use bson::{RawDocument, RawDocumentBuf};

use super::guard;
use crate::bson_util::stored_id::id_of;
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::version::Version;

/// Encodes a document and checks what can be checked without the server.
pub(crate) fn encoded<M: Model>(document: &M) -> Result<RawDocumentBuf> {
    let mut one = Documents::default();
    one.push(document)?;
    RawDocumentBuf::from_bytes(one.bytes).map_err(|source| unencodable::<M>(source.into()))
}

/// The document as a read gives it once it is stored: times have milliseconds, and what serde leaves out has its default. So a test
/// compares what it stored with what it reads.
///
/// Sends nothing. Copies, numbers of children and times that the library fills in are those of the given document.
///
/// ```
/// # use mongo_model::{Id, MongoModel}; use serde::{Deserialize, Serialize};
/// #[derive(Debug, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "visits")]
/// pub struct Visit {
///     #[serde(rename = "_id")]
///     pub id: Id<Visit>,
///     pub at: bson::DateTime,
///     #[serde(skip)]
///     pub is_shown: bool,
/// }
///
/// let visit = Visit { id: Id::new(), at: bson::DateTime::now(), is_shown: true };
/// let read = mongo_model::as_stored(&visit)?;
/// assert_eq!(read, Visit { is_shown: false, ..visit });
/// # Ok::<(), mongo_model::Error>(())
/// ```
///
/// # Errors
/// Those of an insert before it sends anything; [`Error::Decode`] if the document cannot be read back.
pub fn as_stored<M: Model>(document: &M) -> Result<M> {
    let raw = encoded(document)?;
    super::decode_document(&raw).map_err(|source| Error::Decode {
        model: M::model_meta().name,
        id: id_of(&raw).to_string(),
        source: Box::new(source),
    })
}

fn unencodable<M: Model>(source: CodecError) -> Error {
    Error::Encode {
        model: M::model_meta().name,
        field: "document".to_owned(),
        source: Box::new(source),
    }
}

/// Encoded documents in one buffer: a hundred thousand of them do not take a hundred thousand allocations.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    bytes: Vec<u8>,
    /// The offset at which each document begins.
    starts: Vec<usize>,
}

impl Documents {
    /// Adds a document: see [`encoded`].
    pub(crate) fn push<M: Model>(&mut self, document: &M) -> Result<()> {
        if document.is_unknown() {
            return Err(Error::UnknownVariant {
                model: M::model_meta().name,
            });
        }
        let start = self.bytes.len();
        crate::document::append_document(document, &mut self.bytes).map_err(unencodable::<M>)?;
        let raw = RawDocument::from_bytes(&self.bytes[start..]);
        guard::document(
            M::model_meta(),
            raw.map_err(|source| unencodable::<M>(source.into()))?,
        )?;
        self.starts.push(start);
        Ok(())
    }

    /// Refuses a version that no new document begins with: a version near its end would leave the document no changes.
    pub(crate) fn check_versions(&self, meta: &ModelMeta) -> Result<()> {
        let Some(version) = Version::of(meta) else {
            return Ok(());
        };
        let refused = self.iter().find_map(|raw| version.cannot_begin(raw));
        refused.map_or(Ok(()), |number| {
            Err(Error::Impossible {
                what: format!(
                    "{}.{}: a new document cannot begin with version {number}; begin with 0",
                    meta.name,
                    version.stored().0
                ),
            })
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// A copy of the documents, each with one more field.
    pub(crate) fn with(&self, name: &CStr, field: &Document) -> bson::error::Result<Self> {
        let field = RawDocumentBuf::try_from(field)?;
        let mut out = Documents::default();
        for raw in self.iter() {
            let mut one = raw.to_owned();
            one.append(name, field.clone());
            out.starts.push(out.bytes.len());
            out.bytes.extend_from_slice(one.as_bytes());
        }
        Ok(out)
    }

    /// The documents in the order in which they were pushed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &RawDocument> {
        let ends = self.starts.iter().skip(1).chain([const { &usize::MAX }]);
        self.starts.iter().zip(ends).filter_map(|(&start, &end)| {
            let one = &self.bytes[start..end.min(self.bytes.len())];
            // Each was read when it was pushed.
            RawDocument::from_bytes(one).ok()
        })
    }
}
