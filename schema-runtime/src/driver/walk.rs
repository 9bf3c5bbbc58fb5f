//! A read whose order says which documents are left: where the server closes its cursor, another `find` goes on behind the last document
//! that was read.

use bson::{Bson, Document, RawDocument, doc};
use mongodb::Database;
use mongodb::raw_batch_cursor::RawBatchCursor;

use super::cursor::{FindArgs, cursor_without_session};
use crate::bson_util::order::{SortKey, after, position};
use crate::error::Result;

/// A `find` in an order in which no two documents are equal, and its place.
pub(crate) struct Walk {
    db: Database,
    collection: &'static str,
    filter: Document,
    args: FindArgs,
    keys: Vec<SortKey>,
    last: Option<Vec<Bson>>,
}

impl Walk {
    pub(crate) fn new(
        db: &Database,
        collection: &'static str,
        filter: &Document,
        args: &FindArgs,
        keys: Vec<SortKey>,
    ) -> Self {
        Walk {
            db: db.clone(),
            collection,
            filter: filter.clone(),
            args: args.clone(),
            keys,
            last: None,
        }
    }

    /// Remembers the last document that was read.
    pub(super) fn pass(&mut self, last: &RawDocument) {
        self.last = Some(position(&self.keys, last));
    }

    /// Sends the `find` of the documents that are left after so many; `None` if the limit is reached.
    ///
    /// # Errors
    /// The driver's.
    pub(super) async fn reopen(&self, read: u64) -> Result<Option<RawBatchCursor>> {
        let mut args = self.args.clone();
        let mut filter = self.filter.clone();
        if let Some(last) = &self.last {
            filter = doc! { "$and": [filter, after(&self.keys, last)] };
            args.skip = None;
            args.limit = match args.limit {
                Some(limit) => {
                    let left = limit.saturating_sub_unsigned(read);
                    if left <= 0 {
                        return Ok(None);
                    }
                    Some(left)
                }
                None => None,
            };
        }
        let opened = cursor_without_session(&self.db, self.collection, filter, args);
        Ok(Some(opened.await?))
    }
}
