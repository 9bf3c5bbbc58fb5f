//! Deletes that do not check the references to the documents.
//!
//! A copy whose source was deleted in this way is no longer compared with anything. If the rule of its reference is to refuse, it is
//! marked: a source that is stored under that key later is copied to it. Under `pull`, `unset` and `cascade` a mark would apply the rule,
//! which such a delete must not do; under `keep` a new source is flagged itself.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::Which;
use super::check::{PAGE, ids, page};
use crate::driver::{FindArgs, Lasting, Strings};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::propagation::source;
use crate::schema::model::ModelMeta;
use crate::schema::relation::OnDelete;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// Deletes documents and nothing else; returns how many.
pub(crate) async fn delete_unchecked(
    db: &Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let collection = meta.collection;
    let edges = Edges::get().out_of(collection);
    let left = |edge: &&Edge| edge.has_marked_copies() && edge.on_delete == OnDelete::Deny;
    let left: Vec<&Edge> = edges.filter(left).collect();
    let (filter, strings) = match (left.is_empty(), which) {
        (true, Which::One(filter)) => {
            return driver::delete_one(db, collection, filter, session).await;
        }
        (true, Which::Many(filter, strings)) => {
            let lasting = Lasting::AsConfigured;
            return driver::delete_many(db, collection, filter, lasting, strings, session).await;
        }
        (false, Which::One(filter)) => (filter, Strings::Exactly),
        (false, Which::Many(filter, strings)) => (filter, strings),
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
        // Another program may have compared them with the source before it was deleted.
        if rows.session().is_none() {
            mark_copies(db, &left, &documents, token, None).await?;
        }
    }
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
