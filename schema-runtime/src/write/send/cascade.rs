//! Marks the documents that are deleted with a marked one: those that refer to it with `on_delete = cascade`, where their own deletes only
//! mark them.
//!
//! The mark of a document carries the flag [`NAME`] and a token. Its children are marked with its own time, and then the flag is removed.
//! So any program can finish what another one has begun, and a restore does that first.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use futures::future::BoxFuture;

use super::mark::mark_many;
use crate::bson_util::stored_id::id_of_document;
use crate::driver::{FindArgs, Strings};
use crate::error::Result;
use crate::graph::flags;
use crate::graph::relations::{Relation, Relations};
use crate::graph::source::Source;
use crate::outcome::deleted::Deleted;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::{DocumentScope, Mark, deleted_field};
use crate::{ClientSession, Database, driver};

/// The name in the `_dn.p` of a document whose children have to be marked with it.
pub(crate) const NAME: &str = "~mark";

/// The field with the token of the mark that flagged the document.
pub(crate) const TOKEN: &str = "_dn.m";

/// How many documents are read together whose children are marked.
const PARENTS: usize = 500;

/// The references along which the mark of a document goes on.
pub(crate) fn along(meta: &ModelMeta) -> impl Iterator<Item = &'static Relation> + use<> {
    let collection = meta.collection;
    let is_soft = deleted_field(meta).is_some();
    let relations = Relations::get().all().iter();
    relations.filter(move |relation| {
        is_soft && relation.parent() == collection && relation.marks_children()
    })
}

/// The models whose marks go on.
pub(crate) fn cascading() -> impl Iterator<Item = &'static ModelMeta> {
    let mut seen: Vec<&str> = Vec::new();
    let relations = Relations::get().all().iter();
    let parents = relations.filter(|relation| relation.marks_children());
    parents
        .map(|relation| relation.edge.source)
        .filter(move |meta| {
            let new = deleted_field(meta).is_some() && !seen.contains(&meta.collection);
            seen.push(meta.collection);
            new
        })
}

/// The stage that flags a document in the write that marks it.
pub(crate) fn flag(token: ObjectId) -> Document {
    let names = doc! { "$setUnion": [{ "$ifNull": ["$_dn.p", []] }, [NAME]] };
    doc! { "$set": { "_dn.p": names, TOKEN: token } }
}

/// The filter for the documents that are flagged.
pub(crate) fn flagged() -> Document {
    doc! { "_dn.p": NAME }
}

/// Marks the children of the flagged documents that match, and removes the flags. Returns how many flags were removed, and what was marked.
pub(crate) fn finish<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    filter: Document,
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<(u64, Deleted)>> {
    Box::pin(async move {
        let time = deleted_field(meta).unwrap_or_default();
        let fields = doc! { "_id": 1, "_dn.r": 1, "_dn.p": 1, TOKEN: 1, time: 1 };
        let args = FindArgs {
            projection: Some(fields.clone()),
            batch_size: u32::try_from(PARENTS).ok(),
            ..FindArgs::default()
        };
        let (mut done, mut out, mut more) = (0, Deleted::default(), true);
        let mut rows = driver::open(db, meta.collection, filter, args, None).await?;
        while more {
            let mut ids = Vec::new();
            while ids.len() < PARENTS {
                let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? else {
                    more = false;
                    break;
                };
                let source = row.map(Source::read).filter(|source| take(source));
                ids.extend(source.map(|source| source.id));
            }
            // A server crash may undo what the cursor showed; it cannot undo what a durable read shows.
            let read = driver::durable_read(db, meta.collection, "_id", &ids, &fields).await?;
            let mut by_token: BTreeMap<ObjectId, Vec<Document>> = BTreeMap::new();
            for parent in read {
                let dn = parent.get_document("_dn").ok();
                if let Some(token) = dn.and_then(|dn| dn.get_object_id("m").ok()) {
                    by_token.entry(token).or_default().push(parent);
                }
            }
            for (token, parents) in by_token {
                fault!("before_mark_children");
                children(db, meta, &parents, None, &mut out).await?;
                fault!("after_mark_children");
                let ids: Vec<Bson> = parents.iter().map(id_of_document).collect();
                let update = doc! {
                    "q": { "_id": { "$in": ids }, TOKEN: token },
                    "u": unflag(),
                    "multi": true,
                };
                let update = [update];
                let cleared = driver::statements(db, meta.collection, &update, false, None);
                done += cleared.await?.modified;
                fault!("after_mark_flag");
            }
        }
        Ok((done, out))
    })
}

/// The removal of a flag, and of what is kept beside flags if it was the last one.
fn unflag() -> Vec<Document> {
    let mut stages = flags::unflagged(&[NAME], &["b", "o"]);
    stages.push(doc! { "$unset": TOKEN });
    let some = doc! { "$cond": [{ "$eq": ["$_dn", {}] }, "$$REMOVE", "$_dn"] };
    stages.push(doc! { "$set": { "_dn": some } });
    stages
}

/// Marks the children of documents that were marked in this session's transaction, in it.
pub(crate) async fn inside(
    db: &Database,
    meta: &'static ModelMeta,
    ids: &[Bson],
    session: &mut ClientSession,
    out: &mut Deleted,
) -> Result<()> {
    let time = deleted_field(meta).unwrap_or_default();
    let fields = doc! { "_id": 1, time: 1 };
    let held = Some(&mut *session);
    let parents = driver::read_by(db, meta.collection, "_id", ids, &fields, held).await?;
    children(db, meta, &parents, Some(session), out).await
}

/// Marks the live children of these documents, each with the time of its parent.
async fn children(
    db: &Database,
    meta: &'static ModelMeta,
    parents: &[Document],
    mut session: Option<&mut ClientSession>,
    out: &mut Deleted,
) -> Result<()> {
    let time = deleted_field(meta).unwrap_or_default();
    let mut by_time: BTreeMap<DateTime, Vec<Bson>> = BTreeMap::new();
    for parent in parents {
        // Another program may have removed the mark.
        if let Ok(at) = parent.get_datetime(time) {
            by_time.entry(*at).or_default().push(id_of_document(parent));
        }
    }
    for (at, ids) in by_time {
        for relation in along(meta) {
            let child = relation.edge.target;
            let live = DocumentScope::Live.restrict(child, relation.referring(&ids));
            let which = (live, Strings::Exactly);
            let held = session.as_deref_mut();
            let marked = mark_many(db, child, Mark::SetAt(at), which, held).await?;
            out.cascaded += marked.deleted + marked.cascaded;
            out.pending.extend(marked.pending);
        }
    }
    Ok(())
}
