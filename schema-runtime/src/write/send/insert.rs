//! New documents: I1 of the protocol. `sources` reads what their copies come from, before the insert or beside it, `places` reserves their
//! places in bounded numbers, and `follow` goes on after it.

mod follow;
mod places;
mod sources;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::events::Emission;
use super::{
    early, fill_new_parents, into_pending, is_flagged, new_count_token, new_fields, times, tree,
};
use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::history::Entry;
use crate::driver::{self, ClientSession, Database, Lasting};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::Edges;
use crate::graph::flags::far_revision;
use crate::graph::links;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::outcome::Outcome;
use crate::propagation::counter::apply::CountToken;
use crate::propagation::delete::without_rules;
use crate::propagation::new_parents::NewParents;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, fill, periods, recent, target, tenants};
use crate::schema::bucket;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::schema::tenant::{own_tenant, tenant_field};

/// An insert of more documents with copies than this compares them with the sources later, unless the caller decides.
const LAZY: usize = 100;

/// The options of an insert.
#[derive(Debug, Default)]
pub(crate) struct Storing<'e> {
    /// True if copies are compared with their sources later; `None` decides by the number of documents.
    pub(crate) lazy: Option<bool>,
    /// The queue state of each document, if the model is a queue.
    pub(crate) queue: Option<Document>,
    /// The events that the documents emit.
    pub(crate) events: Option<&'e Emission>,
}

impl<'e> Storing<'e> {
    /// The options of an insert whose document emits these events.
    pub(crate) fn emitting(events: &'e Emission) -> Self {
        Storing {
            events: Some(events),
            ..Storing::default()
        }
    }
}

/// Stores new documents, with copies read from their sources.
pub(crate) async fn insert(
    db: &Database,
    meta: &'static ModelMeta,
    mut documents: Vec<RawDocumentBuf>,
    storing: Storing<'_>,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    recent::check_server(db, meta.collection).await?;
    // References without copies are looked at together, however many documents hold them.
    let copied = Edges::get()
        .incoming(meta.collection)
        .any(|edge| !edge.live.is_empty());
    let lazy = storing.lazy.unwrap_or(copied && documents.len() > LAZY);
    for raw in &mut documents {
        fill::clear_raw(meta, raw)?;
    }
    tree::fill_ancestors(db, meta, &mut documents, session.as_deref_mut()).await?;
    let answers_early = finisher::is_behind() && session.is_none();
    let held = session.as_deref_mut();
    let filled = read_before(db, meta, &documents, (lazy, answers_early), held).await?;
    if let Some(sources) = &filled {
        sources::fill(meta, &mut documents, sources)?;
    }
    let mut new = New {
        db,
        meta,
        ids: documents.iter().map(|raw| id_of(raw)).collect(),
        alone: documents.len() == 1 && session.is_none() && !lazy,
        answers_early,
        read_inside: filled.is_some() && tenants::has_walled(meta),
        documents,
        lazy,
        token: ObjectId::new(),
        count_token: new_count_token(meta.collection),
        marked: Vec::new(),
        flagged: Vec::new(),
    };
    not_derived(meta, &new.documents)?;
    let parents = NewParents::plan(meta.collection);
    new.flag(parents.as_ref(), &storing, session.is_some())?;
    let mut reserved = new.reserve(session.as_deref_mut()).await?;
    let sources = match new.store(parents.as_ref(), session.as_deref_mut()).await {
        Ok(sources) => sources,
        Err(error) => return Err(reserved.release_after(db, error).await),
    };
    fault!("after_i1");
    let late = reserved.are_late().await;
    if late {
        new.reserve_again(&mut reserved).await?;
    }
    let shown = new.flagged.iter_mut();
    if let Err(error) = times::read(db, meta, shown, session.as_deref_mut()).await {
        if session.is_some() {
            return Err(error);
        }
        let pending = into_pending(error, new.pending())?;
        return Ok(new.outcome(pending));
    }
    let ids = std::mem::take(&mut new.ids);
    let unfilled = fill_new_parents(db, parents, ids, session.is_some()).await?;
    let left = without_rules::references_left(db, meta, &new.documents);
    if session.is_none() && !left.is_empty() {
        let compared = {
            let db = db.clone();
            async move { without_rules::compare_left(&db, left).await }
        };
        // Where it fails, the copies keep their marks for a sweeper.
        let _ = finisher::defer(db, compared).await;
    }
    let places = (!late).then(|| reserved.numbers());
    let mut pending = new.propagate(filled, sources, places, session).await?;
    pending.extend(unfilled);
    Ok(new.outcome(pending))
}

/// Reads what is needed of the sources and parents of new documents before these are stored.
async fn read_before(
    db: &Database,
    meta: &'static ModelMeta,
    documents: &[RawDocumentBuf],
    (lazy, answers_early): (bool, bool),
    session: Option<&mut ClientSession>,
) -> Result<Option<SourcesByKey>> {
    periods::learn_periods(db, meta.collection, documents).await?;
    let epochs = async {
        let parents = |link: &Link| {
            let parents = documents.iter().map(|raw| link.parents_inside(raw));
            parents.flatten().collect()
        };
        match answers_early {
            true => counter::learn_epochs(db, meta.collection, parents).await,
            false => Ok(()),
        }
    };
    let sources = sources::read_before(db, meta, documents, lazy, session);
    if tenants::has_walled(meta) {
        // Nothing is asked about a parent before it is known to belong to the tenant.
        let filled = sources.await?;
        epochs.await?;
        return Ok(filled);
    }
    let (filled, epochs) = futures::join!(sources, epochs);
    epochs?;
    filled
}

/// New documents on their way into the collection.
struct New<'n> {
    db: &'n Database,
    meta: &'static ModelMeta,
    documents: Vec<RawDocumentBuf>,
    ids: Vec<Bson>,
    /// Their copies are compared with the sources later.
    lazy: bool,
    /// True for a single document outside a transaction: it may share commands with other calls.
    alone: bool,
    /// True if the call may answer before the flags of the documents are removed.
    answers_early: bool,
    /// True if the sources have been read inside of the wall.
    read_inside: bool,
    /// The token of the marks of their copies.
    token: ObjectId,
    /// The token of the flags of their counts, if parents count them.
    count_token: Option<CountToken>,
    /// The documents whose copies carry a mark.
    marked: Vec<Unverified>,
    /// The documents that carry a flag or a mark which the call removes, with the fields that the removal needs.
    flagged: Vec<Source>,
}

impl New<'_> {
    /// Gives the documents the library's fields: revisions, and the marks and flags of all that follows from them.
    fn flag(
        &mut self,
        parents: Option<&NewParents>,
        storing: &Storing<'_>,
        in_session: bool,
    ) -> Result<()> {
        let edges = Edges::get();
        let (meta, collection) = (self.meta, self.meta.collection);
        let far = far_revision();
        let counting = self.count_token.map(|count_token| count_token.token);
        let mut incoming = edges.incoming(collection);
        let onward = incoming.any(|edge| !edges.onward(edge).is_empty());
        let entry = meta.history.is_some().then(Entry::new);
        for (position, (raw, id)) in self.documents.iter_mut().zip(&self.ids).enumerate() {
            let references = target::references(collection, raw);
            let mark = (!references.is_empty()).then_some(self.token);
            let mut dn = new_fields(collection, raw, far, mark, counting, parents)?;
            if let Some(state) = &storing.queue {
                dn.insert(stored::key::JOB, state.clone());
            }
            if meta.events.is_some() {
                let emitted = storing.events.map(|events| events.stored(position));
                dn.insert(
                    stored::key::EVENTS,
                    new_events(emitted.unwrap_or_default(), far),
                );
            }
            if let Some(entry) = &entry {
                dn.insert(stored::key::HISTORY, entry.new_history(far));
            }
            if let Some(taken) = bucket::taken(meta, raw) {
                dn.insert(stored::key::ITEMS_TAKEN, taken);
            }
            let marks = mark.is_some() && !self.lazy && (self.alone || self.answers_early);
            let pending = dn.contains_key(stored::key::PENDING);
            if pending || dn.contains_key(stored::key::UNCOUNTED) || marks {
                // The copies of one document are compared with sources that are read beside its insert.
                let whole = pending || onward || self.alone && marks;
                let mut fields = match whole {
                    true => Document::try_from(raw.as_ref())
                        .map_err(|error| unencodable(meta, error))?,
                    false => doc! { "_id": id.clone() },
                };
                let own = tenant_field(meta).map(str::to_owned);
                fields.extend(own.zip(own_tenant(meta, raw)));
                fields.insert(stored::OWN, dn.clone());
                self.flagged.push(Source::read(fields));
            }
            if !dn.is_empty() {
                let dn = RawDocumentBuf::try_from(&dn).map_err(|error| unencodable(meta, error))?;
                raw.append(stored::OWN_KEY, dn);
            }
            if mark.is_some() {
                self.marked.push(Unverified {
                    id: id.clone(),
                    tokens: vec![self.token],
                    references,
                    tenant: own_tenant(meta, raw),
                });
            }
        }
        if let Some(entry) = entry {
            let many = self.documents.len() > 1;
            entry.note((self.db, collection), (many, in_session));
        }
        Ok(())
    }

    fn is_flagged(&self) -> bool {
        !self.marked.is_empty() || !self.flagged.is_empty()
    }

    /// True if parents have to follow some of the documents.
    fn changes_parents(&self) -> bool {
        let mut flagged = self.flagged.iter();
        self.counts().is_some() || flagged.any(|source| !source.pending.is_empty())
    }

    /// The token under which some of the documents are to be counted.
    fn counts(&self) -> Option<CountToken> {
        let counted = |count_token: &CountToken| {
            let mut flagged = self.flagged.iter();
            flagged.any(|source| is_flagged(&source.fields, *count_token))
        };
        self.count_token.filter(counted)
    }

    /// I1. Returns the sources of the copies, where they could be read at the same time.
    async fn store(
        &self,
        parents: Option<&NewParents>,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<SourcesByKey>> {
        let (db, meta, collection) = (self.db, self.meta, self.meta.collection);
        let in_session = session.is_some();
        // A crash may lose a new source, but no copies of it exist then: every program that copies it reads it durably. A document that
        // only carries marks loses them with itself: nothing else is changed because of it before a durable write has found it there.
        let lasting = if !self.is_flagged() && parents.is_none() {
            Lasting::AsConfigured
        } else if in_session || self.changes_parents() {
            Lasting::Durable
        } else {
            driver::acknowledged(db, collection)
        };
        fault!("before_i1");
        let marked = self.marked.first();
        let references = marked.map_or(&[][..], |one| &one.references);
        let only_checks = sources::only_checks(meta, references);
        let known = self.read_inside && !only_checks;
        let reads = self.alone && self.is_flagged() && self.answers_early && !known;
        // An insert that others share has no expressions, and so no times of the server.
        let timed = Stamps::of(meta).is_some_and(|stamps| stamps.has_times());
        let (stored, sources) = match (self.documents.as_slice(), reads) {
            ([one], true) => {
                let raw: [&RawDocument; 1] = [one];
                let stored = async move {
                    match timed {
                        true => driver::store_new(db, meta, &raw, lasting, session).await,
                        false => {
                            early::together::insert(db, collection, one.clone(), lasting).await
                        }
                    }
                };
                let read = sources::read_beside(db, marked);
                match only_checks {
                    true => match stored.await {
                        Ok(()) => (Ok(()), read.await),
                        refused => (refused, None),
                    },
                    false => futures::join!(stored, read),
                }
            }
            (documents, _) => {
                let raw: Vec<&RawDocument> = documents.iter().map(|one| &**one).collect();
                let stored = driver::store_new(db, meta, &raw, lasting, session);
                (stored.await, None)
            }
        };
        if stored.is_err() && !in_session && self.documents.len() > 1 {
            self.recover(parents).await;
        }
        stored.map(|()| sources)
    }

    /// Finishes the documents that a failed insert of many may have stored. Their marks and flags lead to them now, or later if this fails,
    /// too.
    async fn recover(&self, parents: Option<&NewParents>) {
        let (db, collection) = (self.db, self.meta.collection);
        if !self.marked.is_empty() {
            let filter = doc! { stored::UNVERIFIED_TOKEN: self.token };
            let _ = target::resume(db, collection, filter, &mut |_| true).await;
        }
        if let Some(count_token) = self.count_token {
            let filter = doc! { stored::UNCOUNTED_TOKEN: count_token.token };
            let _ = counter::resume(db, collection, filter, &mut |_| true).await;
        }
        if let Some(parents) = parents {
            let _ = parents.rebuild_marked(db).await;
        }
    }
}

/// Refuses new documents that have values in the fields that hold derived data of their children: the library fills those.
fn not_derived(meta: &'static ModelMeta, documents: &[RawDocumentBuf]) -> Result<()> {
    let derived = links::derived_fields(Edges::get().links(), meta.collection);
    for raw in documents {
        for (field, _) in &derived {
            let value = raw
                .get(field)
                .ok()
                .flatten()
                .and_then(|value| Bson::try_from(value).ok());
            if value.is_some_and(|value| !links::says_nothing(&value)) {
                return Err(Error::DerivedField {
                    model: meta.name,
                    field: field.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The events of new documents, which emit these at once. Their numbers are greater than those of a document with the same `_id` before.
fn new_events(emitted: Vec<Bson>, far: i64) -> Document {
    let count = i64::try_from(emitted.len()).unwrap_or(i64::MAX);
    let mut events = doc! { stored::key::EVENT_NUMBER: far.saturating_add(count) };
    if !emitted.is_empty() {
        events.insert(stored::key::EVENTS_LEFT, emitted);
    }
    events
}
