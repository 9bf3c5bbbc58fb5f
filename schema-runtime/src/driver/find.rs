//! A `find`, and its documents as they arrive.

use bson::{Document, RawDocument, RawDocumentBuf};
use futures::future::BoxFuture;
use futures::{Stream, TryStreamExt};
use mongodb::options::{FindOptions, Hint};
use mongodb::{ClientSession, Database};

use super::killed::run_killed_again;
use super::unread::WithoutId;
use super::{ReadOptions, Reads, Rows, Strings};
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

/// Sends a `find`; the rows name the `_id` of a document that cannot be decoded.
pub(crate) fn open<'f, 'a: 'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> BoxFuture<'f, Result<Rows<'a>>> {
    Box::pin(async move {
        // The server takes a limit of 0 for none.
        if args.limit == Some(0) {
            return Ok(Rows::none());
        }
        let without_id = WithoutId::of(db, collection, &filter, &args);
        let rows = send(db, collection, filter, args, session).await?;
        Ok(rows.of_find(without_id))
    })
}

/// Sends the `find`.
pub(super) async fn send<'a>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    traced!(command(db, collection));
    let of = db.collection::<RawDocumentBuf>(collection);
    let options = args.options(collection, session.is_some());
    Ok(match session {
        Some(session) => {
            let find = of.find(filter).with_options(options);
            let cursor = find.session(&mut *session).batch().await?;
            Rows::in_session(cursor, session)
        }
        None => {
            let find = || {
                of.find(filter.clone())
                    .with_options(options.clone())
                    .batch()
            };
            Rows::without_session(run_killed_again(find).await?, collection)
        }
    })
}

/// Documents as they arrive; `decode` reads each. Nothing is sent before the first poll.
pub(crate) fn rows<'a, T: Send + 'a>(
    db: &'a Database,
    collection: &'static str,
    filter: Result<Document>,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    stream_of(
        async move { open(db, collection, filter?, args, session).await },
        decode,
    )
}

/// The rows of a result that is opened at the first poll.
pub(super) fn stream_of<'a, T: Send + 'a>(
    asked: impl Future<Output = Result<Rows<'a>>> + Send + 'a,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    let rows = move |rows: Rows<'a>| {
        futures::stream::try_unfold(rows, move |mut rows| async move {
            Ok(rows.next(decode).await?.map(|row| (row, rows)))
        })
    };
    futures::stream::once(asked).map_ok(rows).try_flatten()
}

/// The first document, decoded.
pub(crate) async fn first<T>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&mut ClientSession>,
    decode: impl FnOnce(&RawDocument) -> Result<T>,
) -> Result<Option<T>> {
    let args = FindArgs {
        limit: Some(-1),
        ..args
    };
    open(db, collection, filter, args, session)
        .await?
        .next(decode)
        .await
}
