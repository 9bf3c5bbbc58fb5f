//! Writes of models that others copy from, or that hold copies. A model with neither never comes here.

pub(crate) mod arrays;
pub(crate) mod cascade;
mod early;
pub(crate) mod events;
pub(crate) mod insert;
pub(crate) mod inside;
pub(crate) mod many;
pub(crate) mod mark;
pub(crate) mod mark_flag;
pub(crate) mod moving;
mod own_fields;
mod pending;
mod places;
pub(crate) mod relate;
pub(crate) mod request;
pub(crate) mod save;
mod times;
mod tree;
pub(crate) mod update;
mod verify;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;

use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::{ClientSession, Database};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::relations::Relations;
use crate::graph::source::Source;
use crate::outcome::{Pending, What};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::new_parents::NewParents;
use crate::propagation::{counter, delete, source};
use crate::schema::model::ModelMeta;
use crate::schema::relation::OnDelete;
use crate::schema::stored;

pub(crate) use self::insert::insert;
pub(crate) use self::many::update_many;
pub(crate) use self::own_fields::same_references;
pub(crate) use self::pending::{into_pending, pending_of};
use self::pending::{pending_counts, pending_marks};
pub(crate) use self::save::{WAITS, save};
pub(crate) use self::update::{Prepared, prepare};
use self::verify::{Withdraw, verify_new_copies};

/// True if a write of this model concerns other documents: those that copy from it, that it copies from or checks, or that list or
/// count it.
///
/// # Errors
/// [`Error::CopyCircle`].
pub(crate) fn is_connected(meta: &ModelMeta) -> Result<bool> {
    let edges = Edges::get();
    if !edges.involves(meta.collection) {
        return Ok(false);
    }
    edges.in_no_circle()?;
    Ok(true)
}

/// Excludes documents that are being deleted from the filter of a write, if the model's deletes use tombstones: a write under a
/// tombstone would be acknowledged, and deleted with the document, although the delete's filter was checked before it. Gives true
/// if the model's deletes use tombstones.
pub(crate) fn not_deleted(meta: &ModelMeta, filter: &mut Document) -> bool {
    let entombs = Relations::get().entombs(meta.collection);
    if entombs {
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
    }
    entombs
}

/// Checks if the document of this filter is being deleted, because a write of a source has to wait for that. If so, finishes the
/// delete and gives true: the write may be tried again.
pub(crate) async fn finish_blocking_delete(
    db: &Database,
    meta: &ModelMeta,
    filter: &Document,
) -> Result<bool> {
    let mut entombed = filter.clone();
    entombed.insert(stored::TOMBSTONE, doc! { "$exists": true });
    delete::help(db, meta.collection, entombed).await
}

/// Updates the copies of a source that was just written. A failed update is pending; a missing index is an error.
pub(crate) fn propagate_source<'f>(
    db: &'f Database,
    collection: &'f str,
    source: Source,
    also: &'f [&'f str],
) -> BoxFuture<'f, Result<Vec<Pending>>> {
    Box::pin(async move {
        let mut pending = pending_of(collection, &source);
        // No flag marks these edges, so no later run finds them: only this result can report that they are pending.
        pending.extend(also.iter().map(|edge| Pending {
            edge: (*edge).to_owned(),
            collection: collection.to_owned(),
            what: What::Source(source.id.clone()),
            reason: None,
        }));
        if pending.is_empty() {
            return Ok(Vec::new());
        }
        match source::finish(db, collection, vec![source], also).await {
            Ok(left) => Ok(left.pending),
            Err(error) => into_pending(error, pending),
        }
    })
}

/// Propagates a write whose reply was lost, after the document was read again: updates its copies. The marks of new copies in the
/// document are pending, because only their tokens are known.
pub(crate) async fn propagate_again(
    db: &Database,
    meta: &ModelMeta,
    current: &RawDocument,
) -> Result<Vec<Pending>> {
    let edges = Edges::get();
    let current = Document::try_from(current).map_err(|error| unencodable(meta, error))?;
    let tokens = flags::tokens(current.get_document(stored::OWN).ok());
    let into: Vec<&Edge> = edges.incoming(meta.collection).collect();
    let marks = tokens.into_iter().flat_map(|token| {
        let references: Vec<_> = into.iter().map(|edge| (*edge, Bson::Null)).collect();
        pending_marks(meta.collection, token, &references)
    });
    let mut pending: Vec<Pending> = marks.collect();
    if edges.tracks_changes(meta.collection) {
        let source = Source::read(current);
        pending.extend(propagate_source(db, meta.collection, source, &[]).await?);
    }
    Ok(pending)
}

/// A new token for a write of documents that are counted, if any of this collection are.
fn new_count_token(collection: &str) -> Option<CountToken> {
    let mut counted = counter::counting_links(collection);
    counted.next().map(|_| CountToken::now())
}

/// Counts a child as it was just written. A failed count is pending; in a session the flag waits for the commit.
async fn count_children<'c>(
    db: &Database,
    collection: &str,
    count_token: CountToken,
    children: impl IntoIterator<Item = &'c Document>,
    session: Option<&mut ClientSession>,
) -> Result<Vec<Pending>> {
    let pending = pending_counts(collection, count_token);
    let counted = match session {
        Some(session) => {
            counter::in_session(db, collection, count_token, children, session).await?;
            return Ok(pending);
        }
        None => counter::finish(db, collection, count_token, children).await,
    };
    match counted {
        Ok(()) => Ok(Vec::new()),
        Err(error) => into_pending(error, pending),
    }
}

/// Searches for children that existed before these new parents, behind the answer if the call has one. A failure is pending; in a session
/// the search waits for the commit.
async fn fill_new_parents(
    db: &Database,
    parents: Option<NewParents>,
    ids: Vec<Bson>,
    in_session: bool,
) -> Result<Vec<Pending>> {
    let Some(parents) = parents else {
        return Ok(Vec::new());
    };
    if in_session {
        return Ok(parents.pending());
    }
    let pending = parents.pending();
    let settled = {
        let db = db.clone();
        async move { parents.match_children(&db, &ids).await }
    };
    match finisher::defer(db, settled).await {
        Ok(()) => Ok(Vec::new()),
        Err(error) => into_pending(error, pending),
    }
}

/// True if a write has flagged this child under that token.
fn is_flagged(child: &Document, count_token: CountToken) -> bool {
    flags::has_token(
        flags::marks(child, stored::key::UNCOUNTED),
        count_token.token,
    )
}

/// The library's own fields of a new document.
///
/// # Errors
/// As [`counter::new_child_flag`].
fn new_fields(
    collection: &str,
    document: &RawDocument,
    far: i64,
    mark: Option<ObjectId>,
    counted: Option<ObjectId>,
    parents: Option<&NewParents>,
) -> Result<Document> {
    let edges = Edges::get();
    let mut dn = Document::new();
    if edges.tracks_changes(collection) {
        let id = id_of(document);
        let first = flags::first_revision(collection, &id, far);
        dn.insert(stored::key::REVISION, first);
        // References that may dangle may refer to this document already, and its parents do not hold it yet.
        let waiting = edges
            .out_of(collection)
            .filter(|edge| edge.on_delete == OnDelete::Keep)
            .map(|edge| edge.name.as_str());
        let named = edges.links_of(collection);
        let named: Vec<&Link> = named.filter(|link| link.is_pending_by_name()).collect();
        let mut unknown = named
            .iter()
            .filter(|link| link.is_of_unknown_period(document));
        if let Some(link) = unknown.next() {
            return Err(Error::Busy {
                what: format!("the periods of {}", link.name),
            });
        }
        let parents = named.into_iter();
        let parents = parents.filter(|link| !link.parents(document).is_empty());
        let parents: Vec<&Link> = parents.collect();
        let waiting: Vec<&str> = waiting
            .chain(parents.iter().map(|link| link.name.as_str()))
            .collect();
        // Record the parents of a child with many: a later write updates those that it adds or removes, and these if still pending then.
        let told = parents.iter().filter(|link| link.many);
        let told = told.map(|link| (link.row.to_owned(), Bson::Array(link.parents(document))));
        let told: Document = told.collect();
        if !told.is_empty() {
            dn.insert(stored::key::EARLIER_PARENTS, told);
        }
        if !waiting.is_empty() {
            // A flagged source at revision 1 would be one that lost its revision.
            if dn.get_i32(stored::key::REVISION).is_ok() {
                dn.insert(stored::key::REVISION, 2);
            }
            dn.insert(stored::key::PENDING, waiting);
        }
    }
    let counted = counted.map(|token| counter::new_child_flag(collection, document, token));
    if let Some(flag) = counted.transpose()?.flatten() {
        dn.insert(stored::key::UNCOUNTED, vec![flag]);
    }
    dn.extend(parents.into_iter().flat_map(NewParents::fields));
    if let Some(token) = mark {
        dn.insert(stored::key::UNVERIFIED, vec![flags::mark(token)]);
    }
    Ok(dn)
}
