//! Marks the documents that are deleted with a marked one: those that refer to it with `on_delete = cascade`, where their own deletes only
//! mark them.
//!
//! The mark of a document carries the flag [`NAME`] and a token. Its children are marked with its own time, under the same token, and then
//! the flag is removed. So any program can finish what another one has begun, and a restore does that first.

use std::collections::{BTreeMap, BTreeSet};

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use futures::future::BoxFuture;

use super::mark::{self, SoftMark};
use super::mark_flag::{NAME, along, flagged};
use crate::bson_util::stored_id::id_of_document;
use crate::driver::{self, ClientSession, Database, FindArgs, Strings};
use crate::error::{Error, Result};
use crate::graph::flags;
use crate::graph::relations::Relation;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::{DocumentScope, Mark, deleted_field};
use crate::schema::stored;

/// The largest number of parents that are read together to mark their children.
const PARENTS: usize = 500;

/// The work that finished marks.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// The number of flags that were removed, not counting the flags of documents that were marked meanwhile.
    pub(crate) flags: u64,
    /// The number of documents that were marked.
    pub(crate) cascaded: u64,
    pub(crate) pending: Vec<Pending>,
}

/// Marks the children of the flagged documents that match and that `take` accepts, level by level, and removes the flags. The remaining
/// work is in the database alone: the children are flagged under the token of their parent.
pub(crate) fn finish<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    which: (Document, Strings),
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<Finished>> {
    Box::pin(async move {
        let mut out = Finished::default();
        let tokens = level(db, meta, which, take, &mut out).await?;
        let (below, flags) = (below(meta), out.flags);
        for token in tokens {
            let mut more = true;
            while more {
                more = false;
                for model in &below {
                    let which = (flagged(Some(token)), Strings::Exactly);
                    let found = level(db, model, which, &mut |_| true, &mut out).await?;
                    more |= !found.is_empty();
                }
            }
        }
        Ok(Finished { flags, ..out })
    })
}

/// The models below this model whose marks go on to children. The model itself is among them only if a cascade comes back to it.
fn below(meta: &'static ModelMeta) -> Vec<&'static ModelMeta> {
    let mut reached: Vec<&'static ModelMeta> = Vec::new();
    let mut waiting = vec![meta];
    while let Some(model) = waiting.pop() {
        for relation in along(model) {
            let child = relation.edge.target;
            let mut known = reached.iter();
            if known.all(|known| known.collection != child.collection) {
                reached.push(child);
                waiting.push(child);
            }
        }
    }
    reached.retain(|model| along(model).next().is_some());
    reached
}

/// Marks the children of the flagged documents of one level, and removes the flags. Returns the tokens of these flags.
async fn level(
    db: &Database,
    meta: &'static ModelMeta,
    (filter, strings): (Document, Strings),
    take: &mut (dyn FnMut(&Source) -> bool + Send),
    out: &mut Finished,
) -> Result<BTreeSet<ObjectId>> {
    let mut fields = fields(meta);
    let own = [stored::REVISION, stored::PENDING, stored::SOFT_DELETE];
    fields.extend(own.map(|name| (name.to_owned(), Bson::Int32(1))));
    let args = FindArgs {
        projection: Some(fields.clone()),
        batch_size: u32::try_from(PARENTS).ok(),
        strings,
        ..FindArgs::default()
    };
    let (mut tokens, mut more) = (BTreeSet::new(), true);
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
            let dn = parent.get_document(stored::OWN).ok();
            if let Some(token) = dn.and_then(|dn| dn.get_object_id(stored::key::SOFT_DELETE).ok()) {
                by_token.entry(token).or_default().push(parent);
            }
        }
        for (token, parents) in by_token {
            fault!("before_mark_children");
            for (at, relation, live) in live_children(meta, &parents) {
                let marks = SoftMark {
                    db,
                    meta: relation.edge.target,
                    mark: Mark::SetAt(at),
                    token,
                    events: None,
                };
                let which = (live, Strings::Exactly);
                let marked = marks.mark_without_children(which, None).await?;
                out.cascaded += marked.matched;
                out.pending.extend(marked.pending);
            }
            fault!("after_mark_children");
            let ids: Vec<Bson> = parents.iter().map(id_of_document).collect();
            let q = doc! { "_id": { "$in": ids }, stored::SOFT_DELETE: token };
            let update = [doc! { "q": q, "u": unflag(), "multi": true }];
            let cleared = driver::statements(db, meta.collection, &update, false, None).await?;
            if let Some((_, code, message)) = cleared.failed.into_iter().next() {
                return Err(Error::Refused {
                    reference: NAME.to_owned(),
                    code,
                    message,
                });
            }
            out.flags += cleared.modified;
            fault!("after_mark_flag");
            tokens.insert(token);
        }
    }
    Ok(tokens)
}

/// The removal of a flag, and of what is kept beside flags if it was the last one.
fn unflag() -> Vec<Document> {
    let mut stages = flags::unflagged(&[NAME], stored::BESIDE_FLAGS);
    stages.push(doc! { "$unset": stored::SOFT_DELETE });
    let some =
        doc! { "$cond": [{ "$eq": [stored::value::OWN, {}] }, "$$REMOVE", stored::value::OWN] };
    stages.push(doc! { "$set": { stored::OWN: some } });
    stages
}

/// Marks the children of documents that were marked in this session's transaction, in it, level by level.
pub(crate) async fn inside(
    db: &Database,
    meta: &'static ModelMeta,
    ids: Vec<Bson>,
    session: &mut ClientSession,
    out: &mut Deleted,
) -> Result<()> {
    let mut waiting = vec![(meta, ids)];
    while let Some((meta, ids)) = waiting.pop() {
        let fields = fields(meta);
        let held = Some(&mut *session);
        let parents = driver::read_by(db, meta.collection, "_id", &ids, &fields, held).await?;
        for (at, relation, live) in live_children(meta, &parents) {
            let (child, which) = (relation.edge.target, (live, Strings::Exactly));
            if along(child).next().is_some() {
                let below = mark::ids(db, child, &which, session).await?;
                if !below.is_empty() {
                    waiting.push((child, below));
                }
            }
            let marks = SoftMark::new(db, child, Mark::SetAt(at));
            let held = Some(&mut *session);
            let marked = marks.mark_without_children(which, held).await?;
            out.cascaded += marked.matched;
            out.pending.extend(marked.pending);
        }
    }
    Ok(())
}

/// The fields of a marked document that say which children are marked with it, and when.
fn fields(meta: &'static ModelMeta) -> Document {
    let mut fields = doc! { "_id": 1, deleted_field(meta).unwrap_or_default(): 1 };
    let keys = along(meta).flat_map(Relation::key_fields);
    fields.extend(keys.map(|name| (name.to_owned(), Bson::Int32(1))));
    fields
}

/// The filters for the live children, one for each time and each reference along which the marks of these documents go on. The time is
/// the parents' time of deletion, which the children get, too.
fn live_children(
    meta: &'static ModelMeta,
    parents: &[Document],
) -> Vec<(DateTime, &'static Relation, Document)> {
    let time = deleted_field(meta).unwrap_or_default();
    let mut by_time: BTreeMap<DateTime, Vec<Document>> = BTreeMap::new();
    for parent in parents {
        // Another program may have removed the mark.
        if let Ok(at) = parent.get_datetime(time) {
            by_time.entry(*at).or_default().push(parent.clone());
        }
    }
    let mut out = Vec::new();
    for (at, marked) in by_time {
        for relation in along(meta) {
            out.extend(relation.keys(&marked).iter().map(|keys| {
                let referring = relation.referring(keys);
                let live = DocumentScope::Live.restrict(relation.edge.target, referring);
                (at, relation, live)
            }));
        }
    }
    out
}
