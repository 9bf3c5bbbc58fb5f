//! The options of a `find`, and its cursor.

use bson::{Document, RawDocumentBuf};
use futures::future::BoxFuture;
use mongodb::Database;
use mongodb::options::{FindOptions, Hint};
use mongodb::raw_batch_cursor::RawBatchCursor;

use super::killed::run_killed_again;
use super::{ReadOptions, Reads, Strings};
use crate::bson_util::path::without_nested;
use crate::error::Result;

/// The options of a `find`, without its filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct FindArgs {
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<i64>,
    pub(crate) skip: Option<u64>,
    pub(crate) batch_size: Option<u32>,
    /// A path inside another one is left out.
    pub(crate) projection: Option<Document>,
    /// The keys of the index to use.
    pub(crate) hint: Option<Document>,
    pub(crate) reads: Reads,
    pub(crate) strings: Strings,
    /// The options that the user has set.
    pub(crate) options: ReadOptions,
}

/// The largest size of a batch: the driver requests one more where a limit is as large.
pub(super) const BATCH_MAX: u32 = i32::MAX as u32 - 1;

impl FindArgs {
    pub(super) fn options(self, collection: &str, in_session: bool) -> FindOptions {
        let options = self.options.resolve(self.reads, collection, in_session);
        let batch_size = options.batch_size.or(self.batch_size);
        FindOptions::builder()
            .sort(self.sort)
            .limit(self.limit)
            .skip(self.skip.map(clamp_count))
            .batch_size(batch_size.map(|size| size.min(BATCH_MAX)))
            .projection(self.projection.map(without_nested))
            .hint(
                options
                    .hint()
                    .or_else(|| self.strings.hint())
                    .or(self.hint.map(Hint::Keys)),
            )
            .collation(self.strings.collation())
            .comment(options.comment())
            .max_time(options.max_time)
            .allow_disk_use(options.allow_disk_use)
            .read_concern(options.concern)
            .selection_criteria(options.criteria)
            .build()
    }
}

/// This number, or the largest that the server takes.
pub(super) fn clamp_count(documents: u64) -> u64 {
    documents.min(i64::MAX.unsigned_abs())
}

/// Sends the `find` without a session of the caller's.
pub(super) fn cursor_without_session<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    args: FindArgs,
) -> BoxFuture<'f, Result<RawBatchCursor>> {
    Box::pin(async move {
        traced!(command(db, collection));
        let of = db.collection::<RawDocumentBuf>(collection);
        let options = args.options(collection, false);
        let find = || {
            of.find(filter.clone())
                .with_options(options.clone())
                .batch()
        };
        Ok(run_killed_again(find).await?)
    })
}
