//! Reads that outlive a crash: another document is about to be written from what they say.

use std::collections::HashSet;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use futures::TryStreamExt;
use mongodb::options::ReadConcern;
use mongodb::{ClientSession, Database};

use super::command::{RETRIES, binary, encode, send, send_as};
use super::sharded::name_shard;
use super::{Acknowledged, Strings, primary, statements};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::without_nested;
use crate::error::Result;
use crate::schema::stored;

/// Changes one document and reads the changed document durably: `None` where none met `query`. With `again`, a lost reply makes it
/// send the command again; then doing it twice must have the same effect as doing it once.
pub(crate) async fn change_and_read(
    db: &Database,
    collection: &str,
    mut query: Document,
    update: impl Into<Bson>,
    fields: Document,
    again: bool,
) -> Result<Option<Document>> {
    if !name_shard(db, collection, &mut query, Strings::Exactly, None).await? {
        return Ok(None);
    }
    let command = changing(collection, query, update.into(), fields)?;
    let reply = send(db, command, None, if again { RETRIES } else { 0 }).await?;
    Ok(value_of(&reply))
}

/// Changes one document and reads it, with this write concern. The command is sent once.
pub(crate) async fn change_and_read_as(
    db: &Database,
    collection: &str,
    mut query: Document,
    update: impl Into<Bson>,
    fields: Document,
    acknowledged: &Acknowledged,
) -> Result<Option<Document>> {
    let Acknowledged::As(concern) = acknowledged else {
        return change_and_read(db, collection, query, update, fields, false).await;
    };
    if !name_shard(db, collection, &mut query, Strings::Exactly, None).await? {
        return Ok(None);
    }
    let command = changing(collection, query, update.into(), fields)?;
    let reply = send_as(db, command, concern.as_ref(), None).await?;
    Ok(value_of(&reply))
}

fn changing(
    collection: &str,
    query: Document,
    update: Bson,
    fields: Document,
) -> Result<RawDocumentBuf> {
    encode(&doc! {
        "findAndModify": collection,
        "query": query,
        "update": update,
        "fields": without_nested(fields),
        "new": true,
        "collation": binary(),
    })
}

/// The document in the reply to a `findAndModify`.
fn value_of(reply: &Document) -> Option<Document> {
    reply.get_document("value").ok().cloned()
}

/// The document that matches, as no crash can take it back.
pub(crate) async fn durable_read_one(
    db: &Database,
    collection: &str,
    mut query: Document,
    fields: &Document,
) -> Result<Option<Document>> {
    if !name_shard(db, collection, &mut query, Strings::Exactly, None).await? {
        return Ok(None);
    }
    let command = changing(collection, query, touch().into(), fields.clone())?;
    let reply = send(db, command, None, RETRIES).await?;
    Ok(value_of(&reply))
}

/// An update that changes nothing.
fn touch() -> Document {
    doc! { "$unset": { stored::ABSENT: 1 } }
}

/// The documents whose `key` is one of `keys`, as no crash can take them back: another document is about to be written from what
/// they say (PROTOCOL 15.D1). Of one document that is a `findAndModify` that changes nothing and waits for the journal; of many a
/// find, then one update of each that changes nothing either, and matches only what the find has shown: the primary that answers
/// it, durably, need not be the one that answered the find.
pub(crate) async fn durable_read(
    db: &Database,
    collection: &str,
    key: &str,
    keys: &[Bson],
    fields: &Document,
) -> Result<Vec<Document>> {
    let nothing = Document::new();
    durable_read_where(db, collection, (key, keys), &nothing, fields).await
}

/// Reads the documents with these keys that meet a condition, in a state that no crash can take back.
pub(crate) async fn durable_read_where(
    db: &Database,
    collection: &str,
    (key, keys): (&str, &[Bson]),
    condition: &Document,
    fields: &Document,
) -> Result<Vec<Document>> {
    let (first, second) = match keys {
        [] => return Ok(Vec::new()),
        [one] => {
            let mut query = doc! { key: { "$eq": one } };
            query.extend(condition.clone());
            let found = durable_read_one(db, collection, query, fields).await?;
            return Ok(found.into_iter().collect());
        }
        many => many.split_at(many.len() / 2),
    };
    let some = |keys| {
        Box::pin(durable_read_where(
            db,
            collection,
            (key, keys),
            condition,
            fields,
        ))
    };
    let mut found = read_where(db, collection, (key, keys), condition, fields, None).await?;
    let same = found.iter().map(|found| {
        let mut query = unchanged(found, fields);
        query.extend(condition.clone());
        doc! { "q": query, "u": touch() }
    });
    let same: Vec<Document> = same.collect();
    let seen = statements(db, collection, &same, false, None).await?;
    if seen.matched == found.len() as u64 && found.len() <= keys.len() {
        // Read each missing document again by itself: it may have arrived meanwhile.
        let there: HashSet<IdKey> = found
            .iter()
            .filter_map(|found| found.get(key))
            .map(IdKey::new)
            .collect();
        for missing in keys.iter().filter(|key| !there.contains(&IdKey::new(key))) {
            let one = std::slice::from_ref(missing);
            found.extend(some(one).await?);
        }
        return Ok(found);
    }
    // Another writer is changing one of the documents. Halving the keys again and again finds it.
    let mut found = some(first).await?;
    found.extend(some(second).await?);
    Ok(found)
}

/// The filter for a document that is still as it was read. A revision alone does not say that: one that was lost with a primary
/// is given again by the next.
fn unchanged(found: &Document, fields: &Document) -> Document {
    let is = |value: Option<&Bson>| match value {
        None => doc! { "$exists": false },
        Some(Bson::Null) => doc! { "$type": "null" },
        Some(value) => doc! { "$eq": value },
    };
    // If the whole document was read, none of its fields may have changed, and no migration of it may have been stored.
    let version = crate::codec::outdated::FIELD.to_owned();
    let all = found.keys().chain([&version]);
    let names: Vec<&String> = if fields.is_empty() {
        all.collect()
    } else {
        fields.keys().collect()
    };
    let mut filter: Document = names
        .into_iter()
        .filter(|name| *name != stored::OWN)
        .map(|name| (name.clone(), Bson::Document(is(found.get(name)))))
        .collect();
    let dn = found.get_document(stored::OWN).ok();
    for (path, key) in [
        (stored::REVISION, stored::key::REVISION),
        (stored::TOMBSTONE, stored::key::TOMBSTONE),
    ] {
        filter.insert(path, is(dn.and_then(|dn| dn.get(key))));
    }
    filter
}

/// The documents whose `key` is one of `keys`, as the primary shows them.
pub(crate) async fn read_by(
    db: &Database,
    collection: &str,
    key: &str,
    keys: &[Bson],
    fields: &Document,
    session: Option<&mut ClientSession>,
) -> Result<Vec<Document>> {
    let nothing = Document::new();
    read_where(db, collection, (key, keys), &nothing, fields, session).await
}

/// Reads the documents with these keys that meet a condition.
pub(crate) async fn read_where(
    db: &Database,
    collection: &str,
    (key, keys): (&str, &[Bson]),
    condition: &Document,
    fields: &Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<Document>> {
    let mut found = Vec::new();
    for chunk in keys.chunks(10_000) {
        traced!(command(db, collection));
        let rows = db.collection::<RawDocumentBuf>(collection);
        let mut filter = doc! { key: { "$in": chunk.to_vec() } };
        filter.extend(condition.clone());
        let rows = rows
            .find(filter)
            .projection(without_nested(fields.clone()))
            .collation(super::binary())
            .selection_criteria(primary());
        let rows = match super::call::comment() {
            Some(comment) => rows.comment(comment),
            None => rows,
        };
        let rows: Vec<RawDocumentBuf> = match session.as_deref_mut() {
            // A transaction has a read concern of its own.
            Some(session) => {
                let mut rows = rows.session(&mut *session).await?;
                rows.stream(session).try_collect().await?
            }
            None => {
                let rows = rows.read_concern(ReadConcern::local()).await?;
                rows.try_collect().await?
            }
        };
        for row in rows {
            found.push(unpack(&row)?);
        }
    }
    Ok(found)
}

/// A document as the server sent it. Serde would need so much of the stack for each level that a deep document of another program could
/// end it.
pub(crate) fn unpack(raw: &RawDocument) -> Result<Document> {
    Ok(Document::try_from(raw).map_err(mongodb::error::Error::from)?)
}
