//! The `_id` of a document that cannot be decoded, where its projection leaves the `_id` out so that an index may cover it: the same
//! `find` is sent again with the `_id`, and gives a document that reads as the one that failed.

use bson::{Document, RawDocument, RawDocumentBuf};
use mongodb::{ClientSession, Database};

use super::Rows;
use super::cursor::FindArgs;
use crate::error::{Error, Result};

/// The name in an [`Error`] of a document whose `_id` was not read.
pub(crate) const NO_ID: &str = "(no _id)";

/// A `find` that leaves the `_id` out.
pub(crate) struct WithoutId {
    db: Database,
    collection: String,
    filter: Document,
    args: FindArgs,
}

impl WithoutId {
    /// `None` where the reply has the `_id`.
    pub(crate) fn of(
        db: &Database,
        collection: &str,
        filter: &Document,
        args: &FindArgs,
    ) -> Option<Self> {
        let projection = args.projection.as_ref()?;
        let left_out = projection.get("_id")?.as_i32() == Some(0);
        left_out.then(|| WithoutId {
            db: db.clone(),
            collection: collection.to_owned(),
            filter: filter.clone(),
            args: args.clone(),
        })
    }

    /// The error, with the `_id` of the document that it is about. Sends a `find`; where that fails too, or the document has changed,
    /// the error stays as it is.
    pub(crate) async fn named(
        self,
        mut error: Error,
        unread: &RawDocument,
        session: Option<&mut ClientSession>,
    ) -> Error {
        if error.id_of_unread().is_some_and(|id| *id == NO_ID)
            && let Ok(Some(read)) = self.id_of(unread, session).await
            && let Some(id) = error.id_of_unread()
        {
            *id = read;
        }
        error
    }

    async fn id_of(
        mut self,
        unread: &RawDocument,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<String>> {
        if let Some(projection) = &mut self.args.projection {
            projection.insert("_id", 1);
        }
        let WithoutId {
            db,
            collection,
            filter,
            args,
        } = self;
        let mut rows: Rows<'_> = super::find::send(&db, &collection, filter, args, session).await?;
        while let Some(mut batch) = rows.batch().await? {
            while let Some(raw) = batch.next() {
                let (id, rest) = split(raw?)?;
                if rest.as_bytes() == unread.as_bytes() {
                    return Ok(id);
                }
            }
        }
        Ok(None)
    }
}

/// The `_id`, as errors show it, and the document without it.
fn split(raw: &RawDocument) -> Result<(Option<String>, RawDocumentBuf)> {
    let (mut id, mut rest) = (None, RawDocumentBuf::new());
    for element in raw {
        let (key, value) = element.map_err(mongodb::error::Error::from)?;
        if key == "_id" {
            let value = bson::Bson::try_from(value).map_err(mongodb::error::Error::from)?;
            id = Some(value.to_string());
        } else {
            rest.append(key, value);
        }
    }
    Ok((id, rest))
}
