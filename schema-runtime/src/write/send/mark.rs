//! Marks documents as deleted, and makes them live again. From their parents' point of view the first is a move away from them, and the
//! second a move to them.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;

use super::events::Emission;
use super::update::prepare_marking;
use super::{
    Prepared, WAITS, cascade, finish_blocking_delete, into_pending, is_connected, mark_flag,
    not_deleted, update_many,
};
use crate::bson_util::stored_id::{id_in_filter, id_of, id_of_document};
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::outcome::deleted::Deleted;
use crate::outcome::{Outcome, Pending};
use crate::propagation::capacity::{self, NewChild, NewParents};
use crate::propagation::delete::run::{Marked, Marker};
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::Mark;
use crate::schema::stamps;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The soft deletes of a model.
pub(crate) struct SoftDelete<'a> {
    pub(crate) db: &'a Database,
    pub(crate) meta: &'static ModelMeta,
    /// The events that the delete of each document emits.
    pub(crate) events: &'a Emission,
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
            let mark = SoftMark::new(db, meta, Mark::Set).emitting(self.events);
            match which {
                Marked::One => mark.mark_one(filter, session).await,
                Marked::Many(strings) => mark.mark_many(filter, strings, session).await,
            }
        })
    }
}

/// A mark of documents of a model as deleted, or its removal.
#[derive(Clone, Copy)]
pub(crate) struct SoftMark<'m> {
    pub(super) db: &'m Database,
    pub(super) meta: &'static ModelMeta,
    pub(super) mark: Mark,
    /// The token by which the documents are found whose children are marked next.
    pub(super) token: ObjectId,
    /// The events that each document emits.
    pub(super) events: Option<&'m Emission>,
}

impl<'m> SoftMark<'m> {
    pub(crate) fn new(db: &'m Database, meta: &'static ModelMeta, mark: Mark) -> Self {
        let token = ObjectId::new();
        SoftMark {
            db,
            meta,
            mark,
            token,
            events: None,
        }
    }

    /// The same mark with these events.
    pub(crate) fn emitting(self, events: &'m Emission) -> Self {
        SoftMark {
            events: Some(events),
            ..self
        }
    }

    /// Adds the events to the operators of the mark.
    fn emit(self, mut operators: Document) -> Document {
        if let Some(events) = self.events {
            events.push(&mut operators);
        }
        operators
    }

    /// Marks the document of this filter, or removes its mark. No document is no error.
    pub(crate) fn mark_one(
        self,
        request: Document,
        mut session: Option<&'m mut ClientSession>,
    ) -> BoxFuture<'m, Result<Deleted>> {
        Box::pin(async move {
            let SoftMark { db, meta, .. } = self;
            let in_session = session.is_some();
            let mut filter = request.clone();
            let entombs = not_deleted(meta, &mut filter);
            let guarded = self.guard(&mut filter);
            let waits = (guarded || entombs) && !in_session;
            let which = (filter, Strings::Exactly);
            for _ in 0..=WAITS {
                // If the attempt before has finished a delete, the document takes its places only now.
                let prepared = self.prepare(&which, session.as_deref_mut()).await?;
                let (reserved, with_places) = self.reserve(&prepared, &which, in_session).await?;
                let mut filter = which.0.clone();
                filter.extend(with_places.map(|only| ("$and".to_owned(), vec![only].into())));
                let held = session.as_deref_mut();
                let outcome = match &prepared {
                    Some(prepared) => {
                        let events = self.emit(Document::new());
                        let sent = prepared.send(db, filter.clone(), events, held);
                        let sent = match sent.await {
                            Ok(sent) => sent,
                            Err(error) => return Err(reserved.release_after(db, error).await),
                        };
                        match sent.outcome.matched {
                            0 => sent.outcome,
                            _ => prepared.follow(db, &filter, sent, in_session).await?,
                        }
                    }
                    None => self.send_plain(filter.clone(), None, held).await?,
                };
                if outcome.matched > 0 {
                    let ids = vec![id_in_filter(&request)];
                    return self.mark_children(ids, outcome, session).await;
                }
                reserved.release(db).await?;
                if guarded {
                    refuse_unfinished(db, meta, &request, session.as_deref_mut()).await?;
                }
                // A document that is being removed goes, or is back after this.
                if !waits || !self.finish_other(&request).await? {
                    return Ok(Deleted::default());
                }
            }
            Err(Error::Unsettled {
                model: meta.name,
                id: Box::new(id_in_filter(&request)),
            })
        })
    }

    /// Marks the documents that match this filter, or removes their marks.
    pub(crate) fn mark_many(
        self,
        mut filter: Document,
        strings: Strings,
        mut session: Option<&'m mut ClientSession>,
    ) -> BoxFuture<'m, Result<Deleted>> {
        Box::pin(async move {
            let SoftMark { db, meta, .. } = self;
            let request = filter.clone();
            if self.guard(&mut filter) {
                refuse_unfinished(db, meta, &request, session.as_deref_mut()).await?;
                if session.is_none() {
                    let unfinished = (mark_flag::unfinished(request), strings);
                    cascade::finish(db, meta, unfinished, &mut |_| true).await?;
                }
            }
            let which = (filter, strings);
            let ids = match session.as_deref_mut() {
                Some(session) if self.cascades() => ids(db, meta, &which, session).await?,
                _ => Vec::new(),
            };
            let outcome = self
                .mark_without_children(which, session.as_deref_mut())
                .await?;
            self.mark_children(ids, outcome, session).await
        })
    }

    /// Marks only the documents themselves. Outside of a session it flags them under the token, so that their children are marked later.
    pub(super) async fn mark_without_children(
        self,
        (mut filter, strings): (Document, Strings),
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let SoftMark { db, meta, .. } = self;
        not_deleted(meta, &mut filter);
        let which = (filter, strings);
        let prepared = self.prepare(&which, session.as_deref_mut()).await?;
        let (reserved, changeable) = self.reserve(&prepared, &which, session.is_some()).await?;
        let mut filter = which.0;
        if let Some(changeable) = changeable {
            filter = doc! { "$and": [filter, changeable] };
        }
        match prepared {
            Some(prepared) => {
                let events = self.emit(Document::new());
                let marked = update_many(db, meta, prepared, filter, events, session);
                match marked.await {
                    Ok(outcome) if outcome.matched == 0 => {
                        reserved.release(db).await?;
                        Ok(outcome)
                    }
                    Err(error) => Err(reserved.release_after(db, error).await),
                    marked => marked,
                }
            }
            None => self.send_plain(filter, Some(strings), session).await,
        }
    }

    /// True if the mark goes on to children.
    fn cascades(self) -> bool {
        self.mark != Mark::Remove && mark_flag::along(self.meta).next().is_some()
    }

    /// Marks the children of documents that were marked: of those with these `_id`s in the session, else of those that carry the token. A
    /// failure is pending.
    async fn mark_children(
        self,
        ids: Vec<Bson>,
        marked: Outcome,
        session: Option<&mut ClientSession>,
    ) -> Result<Deleted> {
        let SoftMark {
            db, meta, token, ..
        } = self;
        let mut out = Deleted {
            deleted: marked.matched,
            pending: marked.pending,
            ..Deleted::default()
        };
        if out.deleted == 0 || !self.cascades() {
            return Ok(out);
        }
        if let Some(session) = session {
            cascade::inside(db, meta, ids, session, &mut out).await?;
            return Ok(out);
        }
        let flagged = (mark_flag::flagged(Some(token)), Strings::Exactly);
        match cascade::finish(db, meta, flagged, &mut |_| true).await {
            Ok(done) => {
                out.cascaded += done.cascaded;
                out.pending.extend(done.pending);
            }
            Err(error) => {
                let (id, reason) = (Bson::ObjectId(token), error.to_string());
                let pending = vec![Pending::refused(
                    mark_flag::NAME,
                    meta.collection,
                    id,
                    reason,
                )];
                out.pending.extend(into_pending(error, pending)?);
            }
        }
        Ok(out)
    }

    /// Excludes from the filter of a restore the documents whose mark still has to go on to their children: a late step of the mark would
    /// reach the children of a live document. Gives true if there may be such documents.
    fn guard(self, filter: &mut Document) -> bool {
        let may_wait = self.mark == Mark::Remove && mark_flag::along(self.meta).next().is_some();
        if may_wait {
            filter.insert(stored::SOFT_DELETE, doc! { "$exists": false });
        }
        may_wait
    }

    /// Finishes what another program has begun with the document of this filter: its removal, or the mark of its children. False if there
    /// is nothing to finish.
    async fn finish_other(self, request: &Document) -> Result<bool> {
        let SoftMark { db, meta, mark, .. } = self;
        if mark == Mark::Remove && mark_flag::along(meta).next().is_some() {
            let unfinished = (mark_flag::unfinished(request.clone()), Strings::Exactly);
            let done = cascade::finish(db, meta, unfinished, &mut |_| true).await?;
            if done.flags > 0 {
                return Ok(true);
            }
        }
        finish_blocking_delete(db, meta, request).await
    }

    /// The changes that other documents need after the mark; `None` if none follow it.
    async fn prepare(
        self,
        which: &(Document, Strings),
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Prepared>> {
        let SoftMark {
            db,
            meta,
            mark,
            token,
            ..
        } = self;
        if !is_connected(meta)? && !self.cascades() {
            return Ok(None);
        }
        let in_session = session.is_some();
        let how = (token, which.1);
        let mut prepared = prepare_marking(db, meta, mark, how, in_session).await?;
        if let Some(prepared) = prepared.as_mut().filter(|_| mark == Mark::Remove) {
            prepared.new_parents = returning_children(db, meta, which, session).await?;
        }
        Ok(prepared)
    }

    /// Sends a single update, where no other document follows. It marks many documents if `many` says how their filter compares strings.
    async fn send_plain(
        self,
        filter: Document,
        many: Option<Strings>,
        session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let SoftMark { db, meta, mark, .. } = self;
        let args = UpdateArgs {
            strings: many.unwrap_or(Strings::Exactly),
            // The flag of the parent with which this document is deleted is removed after this write.
            lasting: match mark {
                Mark::SetAt(_) => Lasting::Durable,
                Mark::Set | Mark::Remove => Lasting::AsConfigured,
            },
            ..UpdateArgs::plain(
                filter,
                self.emit(stamps::marking(meta, mark)),
                many.is_some(),
            )
        };
        let result = driver::update(db, meta.collection, args, session).await?;
        Ok(Outcome {
            matched: result.matched_count,
            modified: result.modified_count,
            ..Outcome::default()
        })
    }
}

/// In a session, refuses to restore documents whose mark still has to go on to their children: only a call outside can finish that.
async fn refuse_unfinished(
    db: &Database,
    meta: &'static ModelMeta,
    request: &Document,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let Some(session) = session else {
        return Ok(());
    };
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let unfinished = mark_flag::unfinished(request.clone());
    let id = |raw: &RawDocument| Ok(id_of(raw));
    match driver::first(db, meta.collection, unfinished, args, Some(session), id).await? {
        Some(id) => Err(Error::Unsettled {
            model: meta.name,
            id: Box::new(id),
        }),
        None => Ok(()),
    }
}

/// The `_id`s of the documents that match.
pub(super) async fn ids(
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

/// The documents that come back to the arrays of their parents. In a session, checks that the parents are there and have room for them.
async fn returning_children(
    db: &Database,
    meta: &'static ModelMeta,
    (filter, strings): &(Document, Strings),
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<NewParents>> {
    let collection = meta.collection;
    let mut fields = Document::new();
    for link in Edges::get()
        .links_of(collection)
        .filter(|link| link.is_two_way())
    {
        fields.extend(link.read());
    }
    if fields.is_empty() {
        return Ok(Vec::new());
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
    let tenant = tenant_field(meta);
    let belongs = |link: &Link| {
        let new = |child: &Document| NewChild {
            id: id_of_document(child),
            parents: link.referred(child),
            tenant: tenant.and_then(|field| child.get(field).cloned()),
        };
        children.iter().map(new).collect()
    };
    let all = capacity::along_links(collection, belongs);
    if session.is_none() {
        return Ok(all);
    }
    capacity::reserve_places(db, &all, &[], session).await?;
    Ok(Vec::new())
}
