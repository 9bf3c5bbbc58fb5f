//! Deletes of documents.

use bson::{Document, RawDocumentBuf};
use futures::future::BoxFuture;
use mongodb::options::DeleteOptions;
use mongodb::{ClientSession, Database};

use super::command::delete_unreached;
use super::sharded::name_shard;
use super::{Lasting, Strings, binary, call, sharded};
use crate::error::Result;

/// Deletes one document; gives the number of deleted documents, 1 or 0.
pub(crate) async fn delete_one(
    db: &Database,
    collection: &str,
    mut filter: Document,
    mut session: Option<&mut ClientSession>,
) -> Result<u64> {
    if session.is_none() {
        name_shard(db, collection, &mut filter, Strings::Exactly, None).await?;
    }
    traced!(command(db, collection));
    let delete = db.collection::<RawDocumentBuf>(collection);
    let options = DeleteOptions::builder()
        .collation(binary())
        .comment(call::comment())
        .write_concern(Lasting::AsConfigured.concern(collection, session.as_deref_mut()))
        .build();
    let delete = delete.delete_one(filter).with_options(options);
    let result = match session {
        Some(session) => delete.session(session).await?,
        None => delete.await?,
    };
    traced!(changed(result.deleted_count));
    Ok(result.deleted_count)
}

/// Deletes all documents that match; gives how many that were.
pub(crate) async fn delete_many(
    db: &Database,
    collection: &str,
    filter: Document,
    lasting: Lasting,
    strings: Strings,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let is_sharded = session.is_none() && sharded::is_sharded(collection);
    let again = is_sharded.then(|| filter.clone());
    let mut deleted = send_delete(db, collection, filter, lasting, strings, session).await?;
    if let Some(filter) = again {
        let unreached: BoxFuture<'_, Result<u64>> =
            Box::pin(delete_unreached(db, collection, filter, strings));
        deleted += unreached.await?;
    }
    Ok(deleted)
}

async fn send_delete(
    db: &Database,
    collection: &str,
    filter: Document,
    lasting: Lasting,
    strings: Strings,
    mut session: Option<&mut ClientSession>,
) -> Result<u64> {
    traced!(command(db, collection));
    let delete = db.collection::<RawDocumentBuf>(collection);
    let options = DeleteOptions::builder()
        .collation(strings.collation())
        .comment(call::comment())
        .hint(strings.hint())
        .write_concern(lasting.concern(collection, session.as_deref_mut()))
        .build();
    let delete = delete.delete_many(filter).with_options(options);
    let result = match session {
        Some(session) => delete.session(session).await?,
        None => delete.await?,
    };
    traced!(changed(result.deleted_count));
    Ok(result.deleted_count)
}
