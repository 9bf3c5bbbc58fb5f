//! Writes of many documents of a model with a shard key. A sharded cluster sends a statement for many documents to its shards one after the
//! other, and passes over documents that move to a shard which has run it already. It does so neither with a read nor with a statement
//! that names the shard key of one document. So documents that are named get a statement each, and those that a filter still meets
//! afterwards are read and get theirs.

use std::collections::HashMap;
use std::future::ready;
use std::sync::OnceLock;

use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;
use mongodb::{ClientSession, Database};

use super::cursor::FindArgs;
use super::{Rows, Strings, find};
use crate::bson_util::id_key::IdKey;
use crate::error::Result;
use crate::schema::registry;
use crate::schema::tenant::tenant_field;

/// The fields of the shard key of the model of a collection.
fn key_of(collection: &str) -> Option<&'static [&'static str]> {
    static KEYS: OnceLock<HashMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    let keys = KEYS.get_or_init(|| {
        let models = registry::models().into_iter();
        let keys = models.filter_map(|meta| {
            let tenant =
                tenant_field(meta).filter(|_| meta.shard_key.is_some_and(|key| key.by_tenant));
            let fields = tenant.into_iter().chain(["_id"]).collect();
            meta.shard_key.map(|_| (meta.collection, fields))
        });
        keys.collect()
    });
    keys.get(collection).map(Vec::as_slice)
}

/// True if the model of a collection has a shard key.
pub(super) fn is_sharded(collection: &str) -> bool {
    key_of(collection).is_some()
}

/// True if a statement is for all documents that meet its filter.
pub(super) fn is_for_many(statement: &Document) -> bool {
    matches!(statement.get_bool("multi"), Ok(true)) || matches!(statement.get_i32("limit"), Ok(0))
}

/// The statements for single documents that take the place of a statement which names them. `None` if it names none.
pub(super) fn split(statement: &Document) -> Option<Vec<Document>> {
    let q = statement.get_document("q").ok()?;
    let named = q.get_document("_id").ok().filter(|id| id.len() == 1)?;
    let ids = named.get_array("$in").ok()?.iter();
    let one = ids.map(|id| {
        let mut q = q.clone();
        q.insert("_id", doc! { "$eq": id });
        for_one(statement, q)
    });
    Some(one.collect())
}

/// Adds the shard key of a document to the filter of a change that gives the changed document: the cluster refuses it without. Reads the
/// document where the filter does not have the key. False if no document meets the filter.
///
/// The type of the future is erased: what awaits a change deep below is otherwise too deep for the compiler.
pub(super) fn name_shard<'a>(
    db: &'a Database,
    collection: &'a str,
    filter: &'a mut Document,
    strings: Strings,
    session: Option<&'a mut ClientSession>,
) -> BoxFuture<'a, Result<bool>> {
    let Some(key) = key_of(collection) else {
        return Box::pin(ready(Ok(true)));
    };
    if key.iter().all(|field| demands(field, filter)) {
        return Box::pin(ready(Ok(true)));
    }
    Box::pin(async move {
        let args = FindArgs {
            projection: Some(fields(key)),
            strings,
            ..FindArgs::default()
        };
        let read =
            |raw: &RawDocument| Ok(Document::try_from(raw).map_err(mongodb::error::Error::from)?);
        let found = find::first(db, collection, filter.clone(), args, session, read).await?;
        let is_there = found.is_some();
        if let Some(found) = found {
            *filter = with_key(std::mem::take(filter), found);
        }
        Ok(is_there)
    })
}

/// Adds the shard key to statements for single documents that name the `_id` alone: a cluster sends those to its shards as it sends
/// statements for many, and passes over a document that moves. Reads the documents that have to be named. A statement for a document that
/// is not there stays as it is.
pub(super) async fn name_shards(
    db: &Database,
    collection: &str,
    statements: &mut [Document],
) -> Result<()> {
    let key = key_of(collection).unwrap_or_default();
    let is_open = |one: &Document| {
        let q = one.get_document("q").ok();
        !is_for_many(one) && q.is_some_and(|q| !key.iter().all(|field| demands(field, q)))
    };
    let id_of = |one: &Document| one.get_document("q").ok()?.get("_id").map(equal);
    let open = statements.iter().filter(|one| is_open(one));
    let ids: Vec<Bson> = open.filter_map(id_of).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let args = FindArgs {
        projection: Some(fields(key)),
        ..FindArgs::default()
    };
    let filter = doc! { "_id": { "$in": ids } };
    let mut rows = find::open(db, collection, filter, args, None).await?;
    let mut keys = HashMap::new();
    while let Some(found) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        keys.extend(found.and_then(|found| Some((IdKey::new(found.get("_id")?), found))));
    }
    for one in statements.iter_mut().filter(|one| is_open(one)) {
        let id = id_of(one);
        if let Some(found) = id.and_then(|id| keys.get(&IdKey::new(&id)))
            && let Ok(q) = one.get_document_mut("q")
        {
            *q = with_key(std::mem::take(q), found.clone());
        }
    }
    Ok(())
}

/// The value that a condition asks for.
fn equal(condition: &Bson) -> Bson {
    let operators = condition.as_document();
    let value = operators.and_then(|operators| operators.get("$eq"));
    value.unwrap_or(condition).clone()
}

/// The projection of the fields of a shard key.
fn fields(key: &[&str]) -> Document {
    let fields = key.iter().map(|field| ((*field).to_owned(), 1.into()));
    fields.collect()
}

/// True if all documents that meet a filter have one value in a field.
fn demands(field: &str, filter: &Document) -> bool {
    match filter.get(field) {
        Some(Bson::Document(operators)) => {
            operators.contains_key("$eq") || operators.keys().all(|key| !key.starts_with('$'))
        }
        other => other.is_some(),
    }
}

/// The filter for one of the documents that another filter meets.
fn with_key(filter: Document, key: Document) -> Document {
    let equal = key
        .into_iter()
        .map(|(field, value)| (field, doc! { "$eq": value }.into()));
    let mut out: Document = equal.collect();
    out.insert("$and", [filter].to_vec());
    out
}

/// The documents that a statement for many has not reached: those that its filter meets.
pub(super) async fn open_unreached(
    db: &Database,
    collection: &str,
    statement: &Document,
) -> Result<Rows<'static>> {
    let key = key_of(collection).unwrap_or_default();
    let args = FindArgs {
        projection: Some(fields(key)),
        hint: statement.get_document("hint").ok().cloned(),
        strings: match statement.get("collation") {
            Some(Bson::Null) => Strings::AsCollection,
            _ => Strings::Exactly,
        },
        ..FindArgs::default()
    };
    let filter = statement.get_document("q").cloned().unwrap_or_default();
    find::open(db, collection, filter, args, None).await
}

/// The statement for one of the documents that a statement for many has not reached, while its filter meets it.
pub(super) fn for_unreached(statement: &Document, key: Document) -> Document {
    let filter = statement.get_document("q").cloned().unwrap_or_default();
    for_one(statement, with_key(filter, key))
}

fn for_one(statement: &Document, q: Document) -> Document {
    let mut one = statement.clone();
    one.insert("q", q);
    match one.get_mut("multi") {
        Some(multi) => *multi = false.into(),
        None => drop(one.insert("limit", 1)),
    }
    one
}
