//! Marks documents as deleted, and makes them live again. From their parents' point of view the first is a move away from them, and the
//! second a move to them.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::update::prepare_marking;
use super::{
    Prepared, WAITS, cascade, edges_of, finish_blocking_delete, into_pending, not_deleted,
    update_many,
};
use crate::bson_util::stored_id::{id_in_filter, id_of_document};
use crate::driver::{FindArgs, Lasting, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::outcome::deleted::Deleted;
use crate::outcome::{Outcome, Pending};
use crate::propagation::delete::run::{Marked, Marker};
use crate::propagation::two_way;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::Mark;
use crate::schema::stamps;
use crate::{ClientSession, Database, driver};

/// The soft deletes of a model.
pub(crate) struct SoftDelete<'a> {
    pub(crate) db: &'a Database,
    pub(crate) meta: &'static ModelMeta,
}

impl Marker for SoftDelete<'_> {
    fn mark<'f>(
        &'f self,
        filter: Document,
        which: Marked,
        session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<Deleted>> {
        Box::pin(async move {
            let (db, meta) = (self.db, self.meta);
            match which {
                Marked::One => mark_one(db, meta, Mark::Set, filter, session).await,
                Marked::Many(strings) => {
                    mark_many(db, meta, Mark::Set, (filter, strings), session).await
                }
            }
        })
    }
}

/// Marks the document of this filter, or removes its mark. No document is no error.
pub(crate) fn mark_one<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    mark: Mark,
    asked: Document,
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Deleted>> {
    Box::pin(async move {
        let in_session = session.is_some();
        let mut filter = asked.clone();
        let waits = not_deleted(meta, &mut filter) && !in_session;
        let waits = finished(meta, mark, &mut filter) || waits;
        let which = (filter, Strings::Exactly);
        let prepared = prepare(db, meta, mark, &which, session.as_deref_mut()).await?;
        let filter = which.0;
        for _ in 0..=WAITS {
            let held = session.as_deref_mut();
            let outcome = match &prepared {
                Some(prepared) => {
                    let sent = prepared
                        .send(db, filter.clone(), Document::new(), held)
                        .await?;
                    match sent.outcome.matched {
                        0 => sent.outcome,
                        _ => prepared.follow(db, &filter, sent, in_session).await?,
                    }
                }
                None => plainly(db, meta, mark, filter.clone(), None, held).await?,
            };
            if outcome.matched > 0 {
                let mut out = marked(outcome);
                let ids = [id_in_filter(&asked)];
                go_on(db, prepared.as_ref(), mark, (meta, &ids), session, &mut out).await?;
                return Ok(out);
            }
            // A document that is being removed goes, or is back after this.
            if !waits || !helped(db, meta, mark, &asked).await? {
                return Ok(Deleted::default());
            }
        }
        Err(Error::Unsettled {
            model: meta.name,
            id: Box::new(id_in_filter(&asked)),
        })
    })
}

/// Marks the documents that match this filter, or removes their marks.
pub(crate) fn mark_many<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    mark: Mark,
    (mut filter, strings): (Document, Strings),
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Deleted>> {
    Box::pin(async move {
        not_deleted(meta, &mut filter);
        let asked = filter.clone();
        if finished(meta, mark, &mut filter) && session.is_none() {
            let mut begun = asked;
            begun.insert(cascade::TOKEN, doc! { "$exists": true });
            cascade::finish(db, meta, begun, &mut |_| true).await?;
        }
        let which = (filter, strings);
        let prepared = prepare(db, meta, mark, &which, session.as_deref_mut()).await?;
        let held = session.as_deref_mut();
        let ids = match held.filter(|_| goes_on(meta, mark)) {
            Some(session) => ids(db, meta, &which, session).await?,
            None => Vec::new(),
        };
        let (filter, held) = (which.0, session.as_deref_mut());
        match prepared {
            Some(prepared) => {
                let token = prepared.token;
                let flags = prepared
                    .marking
                    .as_ref()
                    .is_some_and(|marking| marking.cascades);
                let nothing = Document::new();
                let edges = Edges::get();
                let done = update_many(db, edges, meta, prepared, filter, nothing, held).await?;
                let mut out = marked(done);
                if flags && out.deleted > 0 {
                    add(&mut out, finish(db, meta, token).await?);
                }
                if let Some(session) = session.filter(|_| !ids.is_empty()) {
                    cascade::inside(db, meta, &ids, session, &mut out).await?;
                }
                Ok(out)
            }
            None => {
                let done = plainly(db, meta, mark, filter, Some(strings), held).await?;
                let mut out = marked(done);
                if let Some(session) = session.filter(|_| !ids.is_empty()) {
                    cascade::inside(db, meta, &ids, session, &mut out).await?;
                }
                Ok(out)
            }
        }
    })
}

/// True if the mark goes on to children.
fn goes_on(meta: &ModelMeta, mark: Mark) -> bool {
    mark != Mark::Remove && cascade::along(meta).next().is_some()
}

/// Marks the children of a document that was marked.
async fn go_on(
    db: &Database,
    prepared: Option<&Prepared>,
    mark: Mark,
    (meta, ids): (&'static ModelMeta, &[Bson]),
    session: Option<&mut ClientSession>,
    out: &mut Deleted,
) -> Result<()> {
    if !goes_on(meta, mark) {
        return Ok(());
    }
    match (session, prepared) {
        (Some(session), _) => cascade::inside(db, meta, ids, session, out).await,
        (None, Some(prepared)) => {
            add(out, finish(db, meta, prepared.token).await?);
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// Marks the children of the documents that a write has flagged under this token. A failure is pending.
async fn finish(db: &Database, meta: &'static ModelMeta, token: ObjectId) -> Result<Deleted> {
    let mut flagged = cascade::flagged();
    flagged.insert(cascade::TOKEN, token);
    match cascade::finish(db, meta, flagged, &mut |_| true).await {
        Ok((_, out)) => Ok(out),
        Err(error) => {
            let reason = error.to_string();
            let id = Bson::ObjectId(token);
            let pending = vec![Pending::refused(cascade::NAME, meta.collection, id, reason)];
            Ok(Deleted {
                pending: into_pending(error, pending)?,
                ..Deleted::default()
            })
        }
    }
}

fn marked(outcome: Outcome) -> Deleted {
    Deleted {
        deleted: outcome.matched,
        pending: outcome.pending,
        ..Deleted::default()
    }
}

fn add(out: &mut Deleted, more: Deleted) {
    out.cascaded += more.cascaded;
    out.pending.extend(more.pending);
}

/// Excludes documents from the filter of a restore whose mark still has to go on to their children: a late step of it would mark the
/// children of a live document. Gives true if there may be such documents.
fn finished(meta: &ModelMeta, mark: Mark, filter: &mut Document) -> bool {
    let may_wait = mark == Mark::Remove && cascade::along(meta).next().is_some();
    if may_wait {
        filter.insert(cascade::TOKEN, doc! { "$exists": false });
    }
    may_wait
}

/// Finishes what another program has begun with the document of this filter: its removal, or the mark of its children. False if there is
/// nothing to finish.
async fn helped(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    asked: &Document,
) -> Result<bool> {
    if mark == Mark::Remove && cascade::along(meta).next().is_some() {
        let mut begun = asked.clone();
        begun.insert(cascade::TOKEN, doc! { "$exists": true });
        if cascade::finish(db, meta, begun, &mut |_| true).await?.0 > 0 {
            return Ok(true);
        }
    }
    finish_blocking_delete(db, meta, asked).await
}

/// The `_id`s of the documents that match.
async fn ids(
    db: &Database,
    meta: &'static ModelMeta,
    (filter, strings): &(Document, Strings),
    session: &mut ClientSession,
) -> Result<Vec<Bson>> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        strings: *strings,
        ..FindArgs::default()
    };
    let collection = meta.collection;
    let mut rows = driver::open(db, collection, filter.clone(), args, Some(session)).await?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        ids.extend(row.and_then(|mut row| row.remove("_id")));
    }
    Ok(ids)
}

/// What other documents need of the mark; `None` if none follow it.
async fn prepare(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    which: &(Document, Strings),
    session: Option<&mut ClientSession>,
) -> Result<Option<Prepared>> {
    let Some(edges) = edges_of(meta)?.or_else(|| goes_on(meta, mark).then(Edges::get)) else {
        return Ok(None);
    };
    let in_session = session.is_some();
    let prepared = prepare_marking(db, edges, meta, mark, which.1, in_session).await?;
    if prepared.is_some() && mark == Mark::Remove {
        have_room(db, edges, meta, which, session).await?;
    }
    Ok(prepared)
}

/// Checks that the parents are there whose arrays the documents come back to, and that these have room for them.
async fn have_room(
    db: &Database,
    edges: &'static Edges,
    meta: &'static ModelMeta,
    (filter, strings): &(Document, Strings),
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let collection = meta.collection;
    let mut fields = Document::new();
    for link in edges.links_of(collection).filter(|link| link.is_two_way()) {
        fields.extend(doc! { "_id": 1, link.row: 1 });
    }
    if fields.is_empty() {
        return Ok(());
    }
    let args = FindArgs {
        projection: Some(fields),
        strings: *strings,
        ..FindArgs::default()
    };
    let held = session.as_deref_mut();
    let mut rows = driver::open(db, collection, filter.clone(), args, held).await?;
    let mut children: Vec<Document> = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        children.extend(row);
    }
    drop(rows);
    let belongs = |link: &Link| {
        let pair = |child: &Document| (id_of_document(child), link.referred(child));
        let pairs: Vec<(Bson, Vec<Bson>)> = children.iter().map(pair).collect();
        pairs
    };
    two_way::check_capacity(db, edges, collection, belongs, &[], session).await
}

/// One update, where no other document follows: of many if it compares strings in some way.
async fn plainly(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    filter: Document,
    many: Option<Strings>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let args = UpdateArgs {
        strings: many.unwrap_or(Strings::Exactly),
        // The flag of the document that this one is deleted with goes after this.
        lasting: match mark {
            Mark::SetAt(_) => Lasting::Durable,
            Mark::Set | Mark::Remove => Lasting::AsConfigured,
        },
        ..UpdateArgs::plain(filter, stamps::marking(meta, mark), many.is_some())
    };
    let result = driver::update(db, meta.collection, args, session).await?;
    Ok(Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    })
}
