//! An upsert that finds its document by a unique key.

use bson::{Bson, Document, RawDocument, doc};

use super::Update;
use super::send::{Changed, change_one, is_about_key, refused};
use crate::bson_util::stored_id::id_of;
use crate::builder::ROUNDS;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::soft_delete::DocumentScope;
use crate::schema::tenant::tenant_field;
use crate::write::send::insert::Storing;
use crate::write::store::store;

/// The number of times that the call goes on after the server refused another unique key of the new document, and no document has that
/// key any more. An index with a collation may also refuse a key because of one that is not equal to it.
const DELETED: usize = 8;

/// Changes the document that a unique key names, or stores the new one. The key is a condition of the change too: another program may
/// give it to another document after it was looked up.
pub(super) async fn upsert_by_key<M: Model>(
    update: Update<'_, M>,
    key: Result<Document>,
) -> Result<Outcome> {
    let Update {
        db,
        filter,
        mut changes,
        level,
        new,
        mut session,
        notes,
        ..
    } = update;
    // The error of the filter says why the document cannot be stored.
    filter?;
    let (mut key, meta) = (key?, M::model_meta());
    let new = new.unwrap_or_default();
    let unchanged = changes.is_empty();
    if !unchanged {
        changes.check::<M>()?;
    }
    // A duplicate names the fields of the key without the tenant.
    let tenant = tenant_field(meta);
    let names = key.keys().filter(|name| Some(name.as_str()) != tenant);
    let names: Vec<String> = names.cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // The unique index holds live documents only.
    key.extend(DocumentScope::Live.condition(meta).unwrap_or_default());
    let typed = |error| refused(meta, error);
    let in_session = session.is_some();
    let mut taken = None;
    let mut deleted = 0;
    let mut hidden = 0;
    for _ in 0..ROUNDS {
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let id = |raw: &RawDocument| Ok(id_of(raw));
        let held = session.as_deref_mut();
        let found = driver::first(db, meta.collection, key.clone(), args, held, id).await?;
        let Some(id) = found else {
            if let Some(error) = taken.take() {
                if deleted == DELETED || has_other(db, meta, &error, &key).await? {
                    return Err(error);
                }
                deleted += 1;
            }
            let held = session.as_deref_mut();
            match store::<M>(db, &new, Storing::emitting(&changes.events), held).await {
                Ok(mut stored) => {
                    let delivery = changes.events.deliver(db, meta.collection, in_session);
                    stored.pending.extend(Box::pin(delivery).await?);
                    return Ok(stored.noted(notes));
                }
                // The server names one index only: a document that was stored meanwhile may have both this key and another unique key.
                Err(error) if !in_session && error.is_duplicate() => {
                    // A key across tenants may belong to a document of another tenant.
                    if is_about_key(&error, &names) && tenant.is_some() {
                        hidden += 1;
                        if hidden == DELETED {
                            return Err(error);
                        }
                    }
                    taken = Some(error).filter(|error| !is_about_key(error, &names));
                    continue;
                }
                Err(error) => return Err(typed(error)),
            }
        };
        taken = None;
        if unchanged {
            return Ok(Outcome {
                matched: 1,
                ..Outcome::default()
            });
        }
        let mut one = Update::<M>::by_id(db, id, session.as_deref_mut());
        one.changes = changes.again();
        one.level = level;
        one.holding(key.clone());
        match change_one(one, None).await {
            Ok(Changed::Done(outcome, _)) => return Ok(outcome.noted(notes)),
            Ok(Changed::Not(_)) | Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(typed(error)),
        }
    }
    Err(Error::Unsettled {
        model: meta.name,
        id: Box::new(Bson::Document(key)),
    })
}

/// True if a document without this key has the key of the duplicate: that document has not been deleted since.
async fn has_other(
    db: &Database,
    meta: &'static ModelMeta,
    error: &Error,
    key: &Document,
) -> Result<bool> {
    let Error::Duplicate { fields, value, .. } = error else {
        return Ok(true);
    };
    let values: Vec<&Bson> = match (fields.as_slice(), &**value) {
        ([_, _, ..], Bson::Document(values)) => values.values().collect(),
        (_, value) => vec![value],
    };
    let mut filter: Document = fields
        .iter()
        .zip(values)
        .map(|(field, value)| (field.clone(), doc! { "$eq": value }.into()))
        .collect();
    let tenant = tenant_field(meta);
    filter.extend(tenant.and_then(|field| Some((field.to_owned(), key.get(field)?.clone()))));
    filter.insert("$nor", vec![key.clone()]);
    filter.extend(DocumentScope::Live.condition(meta).unwrap_or_default());
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let found = driver::first(db, meta.collection, filter, args, None, |_| Ok(()));
    Ok(found.await?.is_some())
}
