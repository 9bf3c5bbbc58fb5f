//! Natural keys that references hold: they cannot change while anything refers to them (PROTOCOL 15.A4).
//!
//! If a reference were stored between the search for references and the change, it would lead nowhere. So the document is *held* first: it
//! gets a token, `_dn.h`, and the change is made only while it has the token. A new reference with copies is compared with its source after
//! it was stored. If it was stored before the token, the search finds the reference. Otherwise its writer sees the token, waits until the
//! token is cleared, and compares with the source as it is then. The writer clears a token that another program has left behind; in this
//! case the change is not made.

use std::sync::OnceLock;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;

use crate::bson_util::path::overlap;
use crate::bson_util::stored_id::id_of;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::outcome::deleted::Blocker;
use crate::schema::flat::FlatField;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::relation::Holds;
use crate::schema::rows::Fixed;
use crate::schema::stored;

/// A reference that holds values of a field other than the `_id`.
#[derive(Debug)]
struct ByKey {
    model: &'static str,
    collection: &'static str,
    /// The path of the reference.
    path: String,
    /// The stored name of the field in the source.
    key: &'static str,
}

/// The references by fields other than `_id`, with the collection that they refer to. Skips references in maps, which have no path to
/// query.
fn all() -> &'static [(&'static str, ByKey)] {
    static ALL: OnceLock<Vec<(&'static str, ByKey)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let models = registry::models();
        let fields = models.iter().flat_map(|model| {
            let fields = model.flat().fields.iter();
            fields.map(move |field| (*model, field))
        });
        fields
            .filter_map(|(model, field)| by_key(model, field))
            .collect()
    })
}

fn by_key(model: &'static ModelMeta, field: &FlatField) -> Option<(&'static str, ByKey)> {
    let relation = field
        .relation
        .filter(|relation| relation.holds == Holds::Ids)?;
    let (target, key) = ((relation.target)(), relation.key?);
    let key = target.shape.fields.iter().find(|row| row.rust == key)?;
    let path = if relation.entry {
        format!("{}.{}", field.path, relation.entry_id)
    } else {
        field.path.clone()
    };
    let by_key = ByKey {
        model: model.name,
        collection: model.collection,
        path,
        key: key.name,
    };
    Some((target.collection, by_key))
}

/// The references to documents of this collection by one of the changed fields.
fn references(meta: &ModelMeta, changed: impl Fn(&str) -> bool) -> Vec<&'static ByKey> {
    let all = all().iter();
    let of_collection = all.filter(|(target, _)| *target == meta.collection);
    of_collection
        .map(|(_, reference)| reference)
        .filter(|reference| changed(reference.key))
        .collect()
}

/// True if any reference holds a key of this model's documents that is not their `_id`.
pub(crate) fn referenced_by_key(meta: &ModelMeta) -> bool {
    !references(meta, |_| true).is_empty()
}

/// The paths that the store of a whole document may change: all except immutable fields, and fields that are left to updates.
pub(crate) fn of_whole(meta: &ModelMeta) -> Vec<String> {
    let rows = meta.shape.fields.iter();
    let rows = rows.filter(|row| !matches!(row.fixed, Some(Fixed::Immutable | Fixed::Volatile)));
    rows.map(|row| row.name.to_owned()).collect()
}

/// The new value of a document's key, by its stored name: `None` if the operators leave it to the server.
pub(crate) type Next<'a> = &'a (dyn Fn(&str) -> Option<Bson> + Sync);

/// The number of times that a reader checks whether a document is held. Each wait is twice as long as the one before.
const LOOKS: u32 = 5;
const FIRST: Duration = Duration::from_millis(5);

/// Tells whether the change of a key needs a hold of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// A hold is needed: outside of a session, a reference with copies may be stored meanwhile. [`release`] ends the hold.
    Needed,
    /// No hold is needed: the write compares the whole document.
    Never,
}

/// The condition that matches a document with this token. It is no equality, because an upsert would store that.
fn holding(token: ObjectId) -> Document {
    doc! { "$gte": token, "$lte": token }
}

/// True if the document that these conditions match is held: the write must not remove its token.
pub(crate) fn is_held(keys: &Document) -> bool {
    keys.contains_key(stored::KEY_CHANGE)
}

/// Ends the hold of a write, if it has one. Returns whether the hold lasted to the end; otherwise the write was not made.
///
/// # Errors
/// The driver's.
pub(crate) async fn release(
    db: &Database,
    meta: &ModelMeta,
    filter: &Document,
    keys: &Document,
) -> Result<bool> {
    let Some(held) = keys.get(stored::KEY_CHANGE) else {
        return Ok(true);
    };
    let id = filter.get("_id").cloned().unwrap_or(Bson::Null);
    let q = doc! { "_id": id, stored::KEY_CHANGE: held };
    let update = [doc! { "q": q, "u": { "$unset": { stored::KEY_CHANGE: "" } } }];
    let done = driver::statements_once(db, meta.collection, &update).await?;
    Ok(done.matched > 0)
}

/// The token of a held source, as it was read; `None` if the source is not held.
pub(crate) fn token(source: &Document) -> Option<ObjectId> {
    let dn = source.get_document(stored::OWN).ok()?;
    dn.get_object_id(stored::key::KEY_CHANGE).ok()
}

/// Waits until a document is no longer held under this token, and ends a hold that was left behind.
pub(crate) fn wait<'f>(
    db: &'f Database,
    collection: &'f str,
    id: &'f Bson,
    token: ObjectId,
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        let held = doc! { "_id": { "$eq": id }, stored::KEY_CHANGE: holding(token) };
        let mut wait = FIRST;
        for _ in 0..LOOKS {
            tokio::time::sleep(wait).await;
            wait *= 2;
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let found = driver::first(db, collection, held.clone(), args, None, |_| Ok(()));
            if found.await?.is_none() {
                return Ok(());
            }
        }
        let update = [doc! { "q": held, "u": { "$unset": { stored::KEY_CHANGE: "" } } }];
        driver::statements(db, collection, &update, false, None).await?;
        Ok(())
    })
}

/// Checks that no reference holds a key that is about to change, and returns the condition that the document must match during the change;
/// sends nothing if no key is among the changed paths. Pass the result to [`release`] after the write.
///
/// # Errors
/// [`Error::Referenced`].
pub(crate) async fn check_unreferenced(
    db: &Database,
    meta: &'static ModelMeta,
    filter: &Document,
    changed: &[String],
    next: Next<'_>,
    hold: Hold,
    mut session: Option<&mut ClientSession>,
) -> Result<Document> {
    let references = references(meta, |key| changed.iter().any(|path| overlap(path, key)));
    if references.is_empty() {
        return Ok(Document::new());
    }
    let asked = session.as_deref_mut();
    let Some(stored) = read_keys(db, meta, &references, filter, asked).await? else {
        return Ok(Document::new());
    };
    let changes = |reference: &&ByKey| {
        let now = stored.get(reference.key);
        now.is_some_and(|now| *now != Bson::Null) && next(reference.key).as_ref() != now
    };
    let changing: Vec<&ByKey> = references.into_iter().filter(changes).collect();
    let mut unchanged = Document::new();
    let is_compared = |reference: &&ByKey| reference.is_compared_with(meta);
    if hold == Hold::Needed && session.is_none() && changing.iter().any(is_compared) {
        unchanged = hold_document(db, meta, filter).await?;
        fault!("after_hold");
    }
    for reference in changing {
        let now = stored.get(reference.key);
        let held = reference.find_holder(db, now, session.as_deref_mut());
        if let Some(sample) = held.await? {
            release(db, meta, filter, &unchanged).await?;
            return Err(reference.refusal(meta, now, sample));
        }
        unchanged.insert(reference.key, doc! { "$eq": now });
    }
    Ok(unchanged)
}

/// Reads the keys of the document that these references may hold; `None` if it does not exist.
async fn read_keys(
    db: &Database,
    meta: &ModelMeta,
    references: &[&ByKey],
    filter: &Document,
    session: Option<&mut ClientSession>,
) -> Result<Option<Document>> {
    let fields = references.iter();
    let fields: Document = fields
        .map(|reference| (reference.key.to_owned(), Bson::Int32(1)))
        .collect();
    let args = FindArgs {
        projection: Some(fields),
        ..FindArgs::default()
    };
    let read = |raw: &RawDocument| Ok(Document::try_from(raw).unwrap_or_default());
    driver::first(db, meta.collection, filter.clone(), args, session, read).await
}

/// Holds the document; returns the condition that it is held.
async fn hold_document(db: &Database, meta: &ModelMeta, filter: &Document) -> Result<Document> {
    let token = ObjectId::new();
    let update = doc! { "q": filter, "u": { "$set": { stored::KEY_CHANGE: token } } };
    driver::statements(db, meta.collection, &[update], false, None).await?;
    Ok(doc! { stored::KEY_CHANGE: holding(token) })
}

impl ByKey {
    /// True if new references of this kind are compared with their source, a document of this model.
    fn is_compared_with(&self, source: &ModelMeta) -> bool {
        let mut edges = Edges::get().all().iter();
        edges.any(|edge| {
            edge.source.collection == source.collection && edge.key == self.key && edge.marks()
        })
    }

    /// Finds a document that holds this key; returns its `_id`.
    async fn find_holder(
        &self,
        db: &Database,
        key: Option<&Bson>,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Bson>> {
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let holds = doc! { &self.path: { "$eq": key } };
        let read = |raw: &RawDocument| Ok(id_of(raw));
        driver::first(db, self.collection, holds, args, session, read).await
    }

    /// The error for a key of a document of this model that the document `sample` holds.
    fn refusal(&self, source: &ModelMeta, key: Option<&Bson>, sample: Bson) -> Error {
        Error::Referenced {
            model: source.name,
            id: Box::new(key.cloned().unwrap_or(Bson::Null)),
            by: vec![Blocker {
                model: self.model,
                field: format!("{}.{}", self.model, self.path),
                count: 1,
                more: true,
                sample,
            }],
        }
    }
}

/// Checks that an update of many documents changes no key that references hold: it is not known which documents have such references.
///
/// # Errors
/// [`Error::Impossible`].
pub(crate) fn unchanged(meta: &ModelMeta, changed: &[String]) -> Result<()> {
    let references = references(meta, |key| changed.iter().any(|path| overlap(path, key)));
    match references.first() {
        Some(reference) => Err(Error::Impossible {
            what: format!(
                "{}.{} is what {}.{} refers by; change it one document at a time, with `update`",
                meta.name, reference.key, reference.model, reference.path
            ),
        }),
        None => Ok(()),
    }
}
