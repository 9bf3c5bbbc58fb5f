//! A `find`, and its documents as they arrive.

use bson::{Document, RawDocument, RawDocumentBuf};
use futures::future::BoxFuture;
use futures::{FutureExt, Stream, TryStreamExt};
use mongodb::{ClientSession, Database};

use super::Rows;
use super::cursor::{FindArgs, cursor_without_session};
use super::unread::WithoutId;
use crate::error::Result;

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
    let Some(session) = session else {
        let cursor = cursor_without_session(db, collection, filter, args).await?;
        return Ok(Rows::without_session(cursor, collection));
    };
    traced!(command(db, collection));
    let of = db.collection::<RawDocumentBuf>(collection);
    let options = args.options(collection, true);
    let find = of.find(filter).with_options(options);
    let cursor = find.session(&mut *session).batch().boxed().await?;
    Ok(Rows::in_session(cursor, session))
}

/// The rows of a result that is opened at the first poll.
pub(crate) fn stream_of<'a, T: Send + 'a>(
    opened: impl Future<Output = Result<Rows<'a>>> + Send + 'a,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    let rows = move |rows: Rows<'a>| {
        futures::stream::try_unfold(rows, move |mut rows| async move {
            Ok(rows.next(decode).await?.map(|row| (row, rows)))
        })
    };
    futures::stream::once(opened).map_ok(rows).try_flatten()
}

/// The first document, decoded.
pub(crate) async fn first<T>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&mut ClientSession>,
    decode: impl FnMut(&RawDocument) -> Result<T>,
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
