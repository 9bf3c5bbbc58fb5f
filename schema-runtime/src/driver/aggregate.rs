//! Reads that are an aggregation: joins, counts and groups.

use bson::{Document, RawDocument, RawDocumentBuf};
use futures::Stream;
use futures::future::BoxFuture;
use mongodb::options::{AggregateOptions, CountOptions, Hint};
use mongodb::{ClientSession, Database};

use super::cursor::{BATCH_MAX, clamp_count};
use super::find::stream_of;
use super::killed::run_killed_again;
use super::{ReadOptions, Reads, Rows, Strings};
use crate::error::Result;

/// An aggregation over a collection, or over none (`$documents`).
pub(crate) async fn open_aggregate<'a>(
    db: &Database,
    collection: Option<&'static str>,
    pipeline: Vec<Document>,
    batch_size: Option<u32>,
    reads: Reads,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    traced!(command(db, collection.unwrap_or_default()));
    let read =
        ReadOptions::default().resolve(reads, collection.unwrap_or_default(), session.is_some());
    let batch_size = read.batch_size.or(batch_size);
    let options = AggregateOptions::builder()
        .batch_size(batch_size.map(|size| size.min(BATCH_MAX)))
        .collation(Strings::Exactly.collation())
        .hint(read.hint())
        .comment(read.comment())
        .max_time(read.max_time)
        .allow_disk_use(read.allow_disk_use)
        .read_concern(read.concern)
        .selection_criteria(read.criteria)
        .build();
    send(db, collection, pipeline, options, session).await
}

/// Sends an aggregation over a collection, or over none.
fn send<'f, 'a: 'f>(
    db: &'f Database,
    collection: Option<&'static str>,
    pipeline: Vec<Document>,
    options: AggregateOptions,
    session: Option<&'a mut ClientSession>,
) -> BoxFuture<'f, Result<Rows<'a>>> {
    Box::pin(async move {
        let in_collection = collection.map(|name| db.collection::<Document>(name));
        let aggregate = |pipeline| match &in_collection {
            Some(collection) => collection.aggregate(pipeline).with_options(options.clone()),
            None => db.aggregate(pipeline).with_options(options.clone()),
        };
        Ok(match session {
            Some(session) => {
                let aggregate = aggregate(pipeline).session(&mut *session);
                Rows::in_session(aggregate.batch().await?, session)
            }
            None => {
                let read = || aggregate(pipeline.clone()).batch();
                let cursor = run_killed_again(read).await?;
                Rows::without_session(cursor, collection.unwrap_or_default())
            }
        })
    })
}

/// All documents of an aggregation over a collection, read from the primary.
pub(crate) async fn aggregated(
    db: &Database,
    collection: &'static str,
    pipeline: Vec<Document>,
) -> Result<Vec<Document>> {
    let rows = open_aggregate(
        db,
        Some(collection),
        pipeline,
        None,
        Reads::FromPrimary,
        None,
    );
    let read =
        |raw: &RawDocument| Ok(Document::try_from(raw).map_err(mongodb::error::Error::from)?);
    rows.await?.all(read).await
}

/// A grouping of a collection into at most so many groups, along the index with these keys. A write depends on the result.
///
/// # Errors
/// The driver's; code 2 if there is no index with these keys.
pub(crate) async fn group_by_index(
    db: &Database,
    collection: &str,
    pipeline: Vec<Document>,
    hint: Document,
    groups: usize,
) -> Result<Rows<'static>> {
    traced!(command(db, collection));
    let read = ReadOptions::default().resolve(Reads::FromPrimary, collection, false);
    // With room for one more, the first reply is the only one.
    let batch_size = u32::try_from(groups + 1).unwrap_or(BATCH_MAX);
    let options = AggregateOptions::builder()
        .batch_size(batch_size)
        .collation(Strings::Exactly.collation())
        .hint(Hint::Keys(hint))
        .comment(read.comment())
        .selection_criteria(read.criteria)
        .build();
    let collection = db.collection::<Document>(collection);
    let read = || {
        let aggregate = collection.aggregate(pipeline.clone());
        aggregate.with_options(options.clone()).batch()
    };
    let cursor = Box::pin(run_killed_again(read)).await?;
    Ok(Rows::without_session(cursor, collection.name()))
}

/// A grouping of a collection, whose filter is the user's.
pub(crate) async fn group<'a>(
    db: &Database,
    collection: &'static str,
    pipeline: Vec<Document>,
    hint: Option<Document>,
    strings: Strings,
    options: ReadOptions,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    let read = options.resolve(Reads::AsConfigured, collection, session.is_some());
    let options = AggregateOptions::builder()
        .batch_size(read.batch_size)
        .collation(strings.collation())
        .hint(read.hint().or(hint.map(Hint::Keys)))
        .comment(read.comment())
        .max_time(read.max_time)
        .allow_disk_use(read.allow_disk_use)
        .read_concern(read.concern)
        .selection_criteria(read.criteria)
        .build();
    traced!(command(db, collection));
    send(db, Some(collection), pipeline, options, session).await
}

/// The rows of an aggregation. Nothing is sent before the first poll.
pub(crate) fn aggregate<'a, T: Send + 'a>(
    db: &'a Database,
    collection: Option<&'static str>,
    pipeline: Vec<Document>,
    batch_size: Option<u32>,
    reads: Reads,
    session: Option<&'a mut ClientSession>,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    let asked = open_aggregate(db, collection, pipeline, batch_size, reads, session);
    stream_of(asked, decode)
}

pub(crate) async fn count(
    db: &Database,
    collection: &str,
    filter: Document,
    limit: Option<u64>,
    strings: Strings,
    options: ReadOptions,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let options = options.resolve(Reads::AsConfigured, collection, session.is_some());
    let options = CountOptions::builder()
        .limit(limit.map(clamp_count))
        .collation(strings.collation())
        .hint(options.hint())
        .comment(options.comment())
        .max_time(options.max_time)
        .read_concern(options.concern)
        .selection_criteria(options.criteria)
        .build();
    traced!(command(db, collection));
    let of = db.collection::<RawDocumentBuf>(collection);
    let count = |filter| of.count_documents(filter).with_options(options.clone());
    Ok(match session {
        Some(session) => count(filter).session(session).await?,
        None => run_killed_again(|| count(filter.clone())).await?,
    })
}
