//! The commands on indexes and on the options of collections. They go through `run_command`: the driver's own calls lose options that they
//! do not know.

use std::collections::HashMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::Database;
use mongodb::error::{Error, ErrorKind, WriteFailure};

use crate::bson_util::number::integer;
use crate::index_spec::definition::Definition;
use crate::index_spec::error::DuplicateKey;
use crate::index_spec::live::LiveIndex;
use crate::index_spec::plan::IndexChange;
use crate::schema::index_row::KeyKind;

type Result<T> = std::result::Result<T, Error>;

/// The largest number of duplicate keys that are named.
const DUPLICATES: i32 = 5;

/// The largest number of documents that are named of those that break a validator.
const EXAMPLES: i32 = 5;

pub(super) const NAMESPACE_NOT_FOUND: i32 = 26;
const INDEX_NOT_FOUND: i32 = 27;
const UNAUTHORIZED: i32 = 13;

/// The server's code of a command that it refused.
pub(crate) fn code(error: &Error) -> Option<i32> {
    match error.kind.as_ref() {
        ErrorKind::Command(refused) => Some(refused.code),
        _ => None,
    }
}

/// True if the server refused an index because of another one.
pub(crate) fn is_clash(error: &Error) -> bool {
    // IndexOptionsConflict, IndexKeySpecsConflict.
    matches!(code(error), Some(85 | 86))
}

/// True if the command may succeed for another index of the collection.
pub(crate) fn is_about_one_index(error: &Error) -> bool {
    code(error).is_some_and(|code| code != UNAUTHORIZED)
}

/// The indexes of a collection; none where it does not exist. Sends one `listIndexes`.
pub(crate) async fn list_indexes(db: &Database, collection: &str) -> Result<Vec<LiveIndex>> {
    match db
        .run_cursor_command(doc! { "listIndexes": collection })
        .await
    {
        Ok(cursor) => cursor.map_ok(LiveIndex::new).try_collect().await,
        Err(error) if code(&error) == Some(NAMESPACE_NOT_FOUND) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The number of documents of a collection that a filter leaves out, and the `_id`s of some. Sends one `aggregate`, which reads all
/// documents.
pub(crate) async fn count_outside(
    db: &Database,
    collection: &str,
    filter: &Document,
) -> Result<(u64, Vec<Bson>)> {
    let facets = doc! {
        "count": [{ "$count": "documents" }],
        "ids": [{ "$limit": EXAMPLES }, { "$project": { "_id": 1 } }],
    };
    let outside = doc! { "$match": { "$nor": [filter.clone()] } };
    let command = doc! {
        "aggregate": collection, "pipeline": [outside, { "$facet": facets }], "cursor": {},
    };
    let mut found = db.run_cursor_command(command).await?;
    let Some(found) = found.try_next().await? else {
        return Ok((0, Vec::new()));
    };
    let of = |facet: &str, field: &str| -> Vec<Bson> {
        let documents = found.get_array(facet).into_iter().flatten();
        let documents = documents.filter_map(Bson::as_document);
        documents
            .filter_map(|one| one.get(field).cloned())
            .collect()
    };
    let count = integer(of("count", "documents").first());
    let count = count.and_then(|count| u64::try_from(count).ok());
    Ok((count.unwrap_or(0), of("ids", "_id")))
}

/// The collections of these names that exist, with their options. Sends one `listCollections`.
pub(crate) async fn list_collections(db: &Database, names: Vec<&str>) -> Result<Vec<Document>> {
    let command = doc! { "listCollections": 1, "filter": { "name": { "$in": names } } };
    db.run_cursor_command(command).await?.try_collect().await
}

/// The shard keys of the collections of these names that are sharded, by name. Sends one `find` in `config.collections`.
pub(crate) async fn list_sharded(
    db: &Database,
    names: Vec<&str>,
) -> Result<HashMap<String, Document>> {
    let prefix = format!("{}.", db.name());
    let ids: Vec<String> = names.iter().map(|name| format!("{prefix}{name}")).collect();
    let sharded = db
        .client()
        .database("config")
        .collection::<Document>("collections");
    let sharded = sharded
        .find(doc! { "_id": { "$in": ids }, "dropped": { "$ne": true } })
        .projection(doc! { "key": 1 });
    let sharded: Vec<Document> = sharded.await?.try_collect().await?;
    let keys = sharded.into_iter().filter_map(|mut one| {
        let name = one.get_str("_id").ok()?.strip_prefix(&prefix)?.to_owned();
        let key = std::mem::take(one.get_document_mut("key").ok()?).into_iter();
        // A router of another release may store another type of number.
        let key = key.map(|(field, kind)| match integer(Some(&kind)) {
            Some(1) => (field, Bson::from(1)),
            _ => (field, kind),
        });
        Some((name, key.collect()))
    });
    Ok(keys.collect())
}

/// Lets the collections of a database be sharded, which releases before 6.0 ask for.
pub(crate) async fn enable_sharding(db: &Database) -> Result<()> {
    let command = doc! { "enableSharding": db.name() };
    let done = db.client().database("admin").run_command(command).await;
    done.map(drop)
}

/// Shards a collection. The server compares the values of the key byte by byte, as the library's commands do.
pub(crate) async fn shard_collection(
    db: &Database,
    collection: &str,
    key: &Document,
) -> Result<()> {
    let command = doc! {
        "shardCollection": format!("{}.{collection}", db.name()),
        "key": key.clone(),
        "collation": { "locale": "simple" },
    };
    let done = db.client().database("admin").run_command(command).await;
    done.map(drop)
}

/// The keys of the index that the server makes with a time series (since 6.3). Sends one `listCollections`.
pub(crate) async fn time_series_key(db: &Database, collection: &str) -> Result<Option<Document>> {
    let command =
        doc! { "listCollections": 1, "filter": { "name": collection, "type": "timeseries" } };
    let mut found = db.run_cursor_command(command).await?;
    let Some(listed) = found.try_next().await? else {
        return Ok(None);
    };
    let options = listed
        .get_document("options")
        .and_then(|options| options.get_document("timeseries"));
    Ok(options.ok().and_then(|options| {
        let (meta, time) = (
            options.get_str("metaField").ok()?,
            options.get_str("timeField").ok()?,
        );
        Some(doc! { meta: 1, time: 1 })
    }))
}

/// Builds indexes. Sends one `createIndexes`: either all are built or none is.
pub(crate) async fn create_indexes(
    db: &Database,
    collection: &str,
    specs: Vec<Document>,
) -> Result<()> {
    run_write(db, doc! { "createIndexes": collection, "indexes": specs }).await
}

/// True if documents have keys in common that a unique index does not allow.
pub(crate) fn is_duplicate(error: &Error) -> bool {
    code(error) == Some(11000)
}

/// Finds the first keys of a unique index that several documents have. Sends one `aggregate`, which reads the collection.
pub(crate) async fn find_duplicates(
    db: &Database,
    collection: &str,
    index: &Definition,
    collation: bool,
) -> Result<Vec<DuplicateKey>> {
    let spec = named_spec(index, collation);
    let paths = index.keys.iter().map(|(path, _)| path);
    let mut filter = match spec.get_document("partialFilterExpression") {
        Ok(filter) => filter.clone(),
        Err(_) => Document::new(),
    };
    if index.sparse {
        let stored = paths.clone().map(|path| doc! { path: { "$exists": true } });
        filter = doc! { "$or": stored.collect::<Vec<_>>() };
    }
    // A missing value and null are one key.
    let key = paths.enumerate().map(|(n, path)| {
        let value = doc! { "$ifNull": [format!("${path}"), Bson::Null] };
        (n.to_string(), Bson::Document(value))
    });
    let mut command = doc! {
        "aggregate": collection,
        "pipeline": [
            { "$match": filter },
            { "$group": {
                "_id": key.collect::<Document>(),
                "first": { "$min": "$_id" },
                "last": { "$max": "$_id" },
                "documents": { "$sum": 1_i64 },
            } },
            { "$match": { "documents": { "$gt": 1 } } },
            { "$limit": DUPLICATES },
        ],
        "cursor": {},
        "allowDiskUse": true,
    };
    if let Some(collation) = spec.get("collation") {
        command.insert("collation", collation);
    }
    let found = db.run_cursor_command(command).await?;
    let read = |mut found: Document| DuplicateKey {
        ids: ["first", "last"].map(|id| found.remove(id).unwrap_or_default()),
        documents: found.get_i64("documents").unwrap_or(0).unsigned_abs(),
    };
    found.map_ok(read).try_collect().await
}

/// The specification with the name, for a collection with or without a collation of its own.
pub(crate) fn named_spec(index: &Definition, collation: bool) -> Document {
    let mut spec = index.spec();
    spec.insert(
        "name",
        index.name.clone().unwrap_or_else(|| index.default_name()),
    );
    // The index would inherit the collection's collation, which a text index cannot have and the library's commands cannot use.
    let text = || index.keys.iter().any(|(_, kind)| *kind == KeyKind::Text);
    if collation && index.collation.is_none() && (index.binary || text()) {
        spec.insert("collation", doc! { "locale": "simple" });
    }
    spec
}

/// Changes an index in place. Sends one `collMod`.
pub(crate) async fn change_index(
    db: &Database,
    collection: &str,
    change: &IndexChange,
) -> Result<()> {
    let mut index = doc! { "name": &change.live.name };
    if let Some(seconds) = change.expire_after {
        index.insert("expireAfterSeconds", i64::from(seconds));
    }
    if change.unhide {
        index.insert("hidden", false);
    }
    run_write(db, doc! { "collMod": collection, "index": index }).await
}

/// Hides an index from queries; it is kept up to date. Sends one `collMod`.
pub(crate) async fn hide_index(db: &Database, collection: &str, index: &LiveIndex) -> Result<()> {
    run_write(
        db,
        doc! { "collMod": collection, "index": { "name": &index.name, "hidden": true } },
    )
    .await
}

/// Drops an index; one that is gone already counts. Sends one `dropIndexes`.
pub(crate) async fn drop_index(db: &Database, collection: &str, index: &LiveIndex) -> Result<()> {
    match run_write(db, doc! { "dropIndexes": collection, "index": &index.name }).await {
        Err(error) if matches!(code(&error), Some(NAMESPACE_NOT_FOUND | INDEX_NOT_FOUND)) => Ok(()),
        done => done,
    }
}

/// Runs a command that writes, with the database's write concern. `run_command` leaves both the write concern and the errors of the
/// write concern to its caller.
pub(crate) async fn run_write(db: &Database, mut command: Document) -> Result<()> {
    if let Some(concern) = db.write_concern() {
        command.insert("writeConcern", bson::serialize_to_bson(concern)?);
    }
    let mut reply = db.run_command(command).await?;
    match reply.remove("writeConcernError") {
        Some(error @ Bson::Document(_)) => Err(ErrorKind::Write(WriteFailure::WriteConcernError(
            bson::deserialize_from_bson(error)?,
        ))
        .into()),
        _ => Ok(()),
    }
}
