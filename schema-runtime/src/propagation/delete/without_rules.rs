//! Deletes that do not check the references to the documents.
//!
//! A copy whose source was deleted in this way is no longer compared with anything. If the rule of its reference is to refuse, the copy is
//! marked: a source that is stored under that key later is copied to it. Under `pull`, `unset` and `cascade` a mark would apply the rule,
//! which such a delete must not do; under `keep` a new source is flagged itself.
//!
//! A program that has left such copies compares them when it stores a document under the key. It remembers only the collection and its
//! database: inserts elsewhere send nothing more, and a program that has not deleted anything leaves the copies to a sweeper.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};

use super::Which;
use super::pages::{PAGE, ids, page};
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, Strings};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::propagation::{source, target};
use crate::schema::model::ModelMeta;
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// The collections of deleted documents whose copies this program has marked, each with the names of the databases.
static DELETED_FROM: Mutex<BTreeMap<&'static str, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// Deletes documents and makes no other change except marks of copies; returns the number of deleted documents.
pub(crate) async fn delete_without_rules(
    db: &Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let collection = meta.collection;
    let edges = Edges::get().out_of(collection);
    let left: Vec<&Edge> = edges.filter(is_marked).collect();
    let (filter, strings) = match (left.is_empty(), which) {
        (true, Which::One(filter, _)) => {
            return driver::delete_one(db, collection, filter, session).await;
        }
        (true, Which::Many(filter, strings, _)) => {
            let lasting = Lasting::AsConfigured;
            return driver::delete_many(db, collection, filter, lasting, strings, session).await;
        }
        (false, Which::One(filter, _)) => (filter, Strings::Exactly),
        (false, Which::Many(filter, strings, _)) => (filter, strings),
    };
    let mut fields = doc! { "_id": 1 };
    fields.extend(left.iter().map(|edge| (edge.key.to_owned(), 1.into())));
    let args = FindArgs {
        projection: Some(fields),
        batch_size: u32::try_from(PAGE).ok(),
        strings,
        ..FindArgs::default()
    };
    let mut deleted = 0;
    let mut rows = driver::open(db, collection, filter.clone(), args, session).await?;
    loop {
        let documents = page(&mut rows).await?;
        if documents.is_empty() {
            return Ok(deleted);
        }
        let token = ObjectId::new();
        mark_copies(db, &left, &documents, token, rows.session()).await?;
        let these = doc! { "$and": [{ "_id": { "$in": ids(&documents) } }, filter.clone()] };
        let lasting = Lasting::AsConfigured;
        deleted +=
            driver::delete_many(db, collection, these, lasting, strings, rows.session()).await?;
        fault!("after_unchecked");
        // Another program may have compared the copies with the source before the source was deleted.
        if rows.session().is_none() {
            mark_copies(db, &left, &documents, token, None).await?;
        }
        let mut from = DELETED_FROM.lock().unwrap_or_else(PoisonError::into_inner);
        let databases = from.entry(collection).or_default();
        databases.insert(db.name().to_owned());
    }
}

/// The references to new documents whose copies this program may have left marked, each with the keys of the documents.
pub(crate) fn references_left(
    db: &Database,
    meta: &'static ModelMeta,
    documents: &[RawDocumentBuf],
) -> Vec<(&'static Edge, Vec<Bson>)> {
    let from = DELETED_FROM.lock().unwrap_or_else(PoisonError::into_inner);
    let databases = from.get(meta.collection);
    if databases.is_none_or(|names| !names.contains(db.name())) {
        return Vec::new();
    }
    let edges = Edges::get().out_of(meta.collection);
    let marked = edges.filter(is_marked);
    let keys = |edge: &Edge| {
        let keys = documents
            .iter()
            .filter_map(|raw| raw.get(edge.key).ok().flatten());
        keys.filter_map(|key| Bson::try_from(key).ok()).collect()
    };
    marked.map(|edge| (edge, keys(edge))).collect()
}

/// Compares the marked copies of these references with the documents that were stored under the keys.
pub(crate) async fn compare_left(
    db: &Database,
    references: Vec<(&'static Edge, Vec<Bson>)>,
) -> Result<()> {
    for (edge, keys) in references {
        for keys in keys.chunks(PAGE) {
            let marked = doc! { stored::UNVERIFIED_TOKEN: { "$exists": true } };
            let filter = doc! { "$and": [edge.place.referring(keys), marked] };
            target::resume(db, edge.target.collection, filter, &mut |_| true).await?;
        }
    }
    Ok(())
}

/// True if a delete without checks marks the copies.
fn is_marked(edge: &&'static Edge) -> bool {
    edge.has_marked_copies() && edge.on_delete == OnDelete::Deny
}

/// Marks the copies of these documents, and makes them older than every source.
async fn mark_copies(
    db: &Database,
    edges: &[&Edge],
    documents: &[Document],
    token: ObjectId,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    for edge in edges {
        let keys = documents.iter().filter_map(|one| one.get(edge.key));
        let keys: Vec<Bson> = keys.filter(|key| **key != Bson::Null).cloned().collect();
        if keys.is_empty() {
            continue;
        }
        let mut update = doc! {
            "q": edge.place.referring(&keys),
            "u": {
                "$addToSet": { stored::UNVERIFIED: flags::mark(token) },
                "$unset": { edge.place.filtered_revision(0): "" },
            },
            "multi": true,
            "hint": edge.hint(),
        };
        let filters = edge.place.beside_any(&keys);
        if !filters.is_empty() {
            update.insert("arrayFilters", filters);
        }
        let held = session.as_deref_mut();
        let done = driver::statements(db, edge.target.collection, &[update], true, held).await?;
        source::check_index(edge, &done)?;
        source::check_accepted(edge, &done)?;
    }
    Ok(())
}
