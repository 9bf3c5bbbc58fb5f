//! Whole documents: S1 of the protocol (docs/PROTOCOL.md, 4.3). `replace` has S2, for where S1 is not enough.

mod replace;
mod stages;

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::future::BoxFuture;
use mongodb::options::UpdateModifications;

use self::replace::NewReferences;
use super::early::{self, Changed, Early, Rest};
use super::events::Emission;
use super::inside::{TransactionWrites, with_copies};
use super::own_fields::{OwnFields, not_derived};
use super::tree::keep_place;
use super::{
    Withdraw, count_children, is_flagged, new_count_token, pending_counts, pending_marks,
    pending_of, propagate_source, verify_new_copies,
};
use crate::bson_util::operators::merge;
use crate::bson_util::stored_id::id_in_filter;
use crate::document::encoding::unencodable;
use crate::document::shared;
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edges, Touched};
use crate::graph::links::{self, Link};
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::capacity::NewChild;
use crate::propagation::counter::apply::CountToken;
use crate::propagation::target::Unverified;
use crate::propagation::{capacity, counter, fill, recent, source};
use crate::schema::model::ModelMeta;
use crate::schema::relation::Level;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;
use crate::schema::tree::TreeFields;
use crate::write::writers;

/// The largest number of times that a write waits for the delete of a document to end.
pub(crate) const WAITS: usize = 4;

/// The options of a save.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saving<'e> {
    /// True if all copies are updated from their sources, even those whose references do not change.
    pub(crate) refresh: bool,
    /// Replaces the level that the copies of this document declare.
    pub(crate) level: Option<Level>,
    /// The token of a compare-and-swap, which replaces only the one version in its filter.
    pub(crate) swap: Option<ObjectId>,
    /// True if the save replaces the whole stored document after a migration, even if another model shares the collection.
    pub(crate) migrates: bool,
    /// True if the document is inserted if it does not exist; else it is stored only over a document that matches the filter.
    pub(crate) upsert: bool,
    /// The events that the save emits.
    pub(crate) events: &'e Emission,
}

/// Stores a whole document under its `_id`. In a tree it keeps its place; where another program deletes or moves the stored document, or
/// stores one in between, the place is looked up again.
pub(crate) async fn save(
    db: &Database,
    meta: &'static ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    saving: Saving<'_>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let (events, in_session) = (saving.events, session.is_some());
    let mut saved = Box::pin(save_in_place(db, meta, filter, document, saving, session)).await?;
    if !events.is_empty() && saved.matched + saved.inserted > 0 {
        let left = Box::pin(events.deliver(db, meta.collection, in_session));
        saved.pending.extend(left.await?);
    }
    Ok(saved)
}

async fn save_in_place(
    db: &Database,
    meta: &'static ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    saving: Saving<'_>,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let Some(tree) = TreeFields::of(meta).filter(|_| !saving.migrates) else {
        return save_document(db, meta, filter, document, saving, session).await;
    };
    let id = id_in_filter(&filter);
    let mut unmatched: Option<(Document, Outcome)> = None;
    for _ in 0..=WAITS {
        let held = session.as_deref_mut();
        let place = keep_place(db, meta, tree, (&id, document), held).await?;
        if let Some((_, saved)) = unmatched.take_if(|(before, _)| *before == place.unchanged) {
            return Ok(saved);
        }
        let mut filter = filter.clone();
        filter.extend(place.unchanged.clone());
        let here = Saving {
            upsert: saving.upsert && place.is_new,
            ..saving
        };
        let held = session.as_deref_mut();
        let saved = save_document(db, meta, filter, &place.document, here, held).await;
        let is_changed = match &saved {
            Ok(outcome) => outcome.matched + outcome.inserted == 0,
            Err(error) => here.upsert && session.is_none() && driver::is_duplicate(error),
        };
        if !is_changed {
            return saved;
        }
        if !saving.upsert {
            unmatched = Some((place.unchanged, saved?));
        }
    }
    Err(Error::Unsettled {
        model: meta.name,
        id: Box::new(id),
    })
}

async fn save_document(
    db: &Database,
    meta: &'static ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    saving: Saving<'_>,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    recent::check_server(db, meta.collection).await?;
    let in_session = session.is_some();
    let mut touched = Edges::get().touched(meta.collection, &names(meta), saving.level);
    if in_session {
        touched = touched.all_flagged();
    }
    let mut own =
        Document::try_from(document.as_ref()).map_err(|error| unencodable(meta, error))?;
    fill::clear(meta.collection, &mut own);
    if !in_session && finisher::is_behind() {
        let parents = |link: &Link| link.parents_inside(document);
        counter::learn_epochs(db, meta.collection, parents).await?;
    }
    let save = Save {
        count_token: new_count_token(meta.collection),
        db,
        meta,
        filter,
        in_session,
        touched,
        swap: saving.swap,
        events: saving.events,
        upsert: saving.upsert,
        shared: shared::names(meta).filter(|_| !saving.migrates),
        stamps: Stamps::of(meta).filter(|_| !saving.migrates),
        lowered: match saving.migrates {
            true => Vec::new(),
            false => lowered_bounds(meta.collection, &own),
        },
    };
    let child = id_in_filter(&save.filter);
    not_derived(db, meta, &child, &own, session.as_deref_mut()).await?;
    let tenant = tenant_field(meta).and_then(|field| own.get(field).cloned());
    let belongs = |link: &Link| {
        vec![NewChild {
            id: child.clone(),
            parents: link.parents_in(&own),
            tenant: tenant.clone(),
        }]
    };
    if in_session {
        save.check_bounds(session.as_deref_mut()).await?;
    }
    let all = capacity::along_links(meta.collection, belongs);
    let places = capacity::reserve_places(db, &all, &[], session.as_deref_mut()).await?;
    let saved = save.write_in_places(own, (document, saving.refresh), session);
    match saved.await {
        Ok(outcome) if outcome.matched + outcome.inserted > 0 => Ok(outcome),
        Ok(outcome) => {
            places.release(db).await?;
            save.check_bounds(None).await?;
            Ok(outcome)
        }
        Err(error) => {
            let error = places.release_after(db, error).await;
            if !in_session && driver::is_duplicate(&error) {
                save.check_bounds(None).await?;
            }
            Err(error)
        }
    }
}

struct Save<'a> {
    count_token: Option<CountToken>,
    db: &'a Database,
    meta: &'static ModelMeta,
    filter: Document,
    in_session: bool,
    touched: Touched,
    swap: Option<ObjectId>,
    events: &'a Emission,
    upsert: bool,
    /// The fields that the program's values do not decide; none in a migration, which takes all as they are stored.
    stamps: Option<Stamps>,
    /// The fields that the save is about, where another model shares the collection.
    shared: Option<Vec<&'static str>>,
    /// The filters of the stored documents whose bounds the save would lower below their numbers of children.
    lowered: Vec<(&'static Link, Document)>,
}

/// The filters of the documents in whose place `document` would have bounds that are lowered below their numbers.
fn lowered_bounds(collection: &str, document: &Document) -> Vec<(&'static Link, Document)> {
    let links = Edges::get().links();
    let all = document.iter();
    all.flat_map(|(name, value)| links::lowered(links, collection, "$set", name, value))
        .collect()
}

/// The stored names of all fields.
fn names(meta: &ModelMeta) -> Vec<&'static str> {
    meta.shape.fields.iter().map(|row| row.name).collect()
}

impl Save<'_> {
    /// Writes the document: its own fields, or the whole document where that is not enough.
    async fn write_in_places(
        &self,
        own: Document,
        (document, refresh): (&RawDocumentBuf, bool),
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        if !refresh
            && let Some(own) = OwnFields::split(
                self.meta,
                &own,
                self.shared.as_deref(),
                self.stamps.as_ref(),
            )
            && let Some(outcome) = self.set_own_fields(own, session.as_deref_mut()).await?
        {
            return Ok(outcome);
        }
        self.replace(own, document, session).await
    }

    /// The filter, of a document whose bounds the save does not lower below its numbers of children.
    fn within_bounds(&self) -> Document {
        let mut filter = self.filter.clone();
        if !self.lowered.is_empty() {
            let lowered = self.lowered.iter().map(|(_, lowered)| lowered.clone());
            filter.insert("$nor", lowered.collect::<Vec<_>>());
        }
        filter
    }

    /// Checks that the save lowers no bound of the stored document below its number of children.
    ///
    /// # Errors
    /// [`Error::BelowCount`](crate::Error::BelowCount); the driver's.
    async fn check_bounds(&self, mut session: Option<&mut ClientSession>) -> Result<()> {
        for (link, lowered) in &self.lowered {
            let filter = doc! { "$and": [&self.filter, lowered] };
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let held = session.as_deref_mut();
            let collection = self.meta.collection;
            let found = driver::first(self.db, collection, filter, args, held, |_| Ok(()));
            if found.await?.is_some() {
                return Err(link.below_count());
            }
        }
        Ok(())
    }

    /// Sets the document's own fields if its references are unchanged, because its copies need no update then. `None` if the document
    /// is not stored yet, or has other references now.
    async fn set_own_fields(
        &self,
        own: OwnFields,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Outcome>> {
        let mut filter = self.within_bounds();
        filter.insert("$expr", doc! { "$and": own.same.clone() });
        super::not_deleted(self.meta, &mut filter);
        if !Edges::get().tracks_changes(self.meta.collection) {
            return self.set_fields(filter, own, session).await;
        }
        let mut pipeline = vec![
            doc! { "$set": { stored::OWN: self.next_revision(&own.set, |name| own.has(name)) } },
            doc! { "$unset": stored::BATCH },
        ];
        pipeline.extend(self.record_parents(&own.set, |name| own.has(name)));
        pipeline.extend(self.record_writer());
        let set: Document = own
            .set
            .into_iter()
            .map(|(path, value)| (path, Bson::Document(doc! { "$literal": value })))
            .collect();
        if !set.is_empty() {
            pipeline.push(doc! { "$set": set });
        }
        if !own.unset.is_empty() {
            pipeline.push(doc! { "$unset": own.unset });
        }
        pipeline.extend(self.stamps.as_ref().and_then(Stamps::touched));
        pipeline.extend(self.events.stage());
        let found = self
            .write_undeleted(filter, pipeline, false, session)
            .await?;
        let Some(source) = found else { return Ok(None) };
        let new = NewReferences::default();
        self.propagate(source, new).await.map(Some)
    }

    /// S1 of a document that no other document follows: a plain update. `None` if it matches nothing, or there is nothing to set.
    async fn set_fields(
        &self,
        filter: Document,
        own: OwnFields,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Outcome>> {
        let mut operators = Document::new();
        if !own.set.is_empty() {
            operators.insert("$set", own.set);
        }
        if !own.unset.is_empty() {
            let unset = own.unset.into_iter();
            let unset: Document = unset.map(|path| (path, Bson::from(""))).collect();
            operators.insert("$unset", unset);
        }
        if let Some(stamps) = &self.stamps {
            stamps.touch(&mut operators);
        }
        self.events.push(&mut operators);
        if operators.is_empty() {
            return Ok(None);
        }
        if let Some(token) = self.swap {
            merge(&mut operators, "$push", writers::remember(token));
        }
        let args = UpdateArgs::plain(filter, operators, false);
        fault!("before_w1");
        let result = driver::update(self.db, self.meta.collection, args, session).await?;
        Ok((result.matched_count > 0).then(|| Outcome {
            matched: result.matched_count,
            modified: result.modified_count,
            ..Outcome::default()
        }))
    }

    /// Writes the document, together with the copies that have to be written in one transaction with it. If the document is being
    /// deleted, waits for that.
    async fn write_undeleted(
        &self,
        filter: Document,
        pipeline: Vec<Document>,
        upsert: bool,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        if session.is_some() {
            return self.write(filter, pipeline, upsert, session, false).await;
        }
        for _ in 0..WAITS {
            let written = self
                .write_in_own_transaction(&filter, &pipeline, upsert)
                .await;
            let there = match &written {
                Ok(found) => found.is_some(),
                // The document exists, but the filter excludes documents that are being deleted.
                Err(error) => !(upsert && driver::is_duplicate(error)),
            };
            if there || !super::finish_blocking_delete(self.db, self.meta, &self.filter).await? {
                return written;
            }
        }
        self.write_in_own_transaction(&filter, &pipeline, upsert)
            .await
    }

    async fn write_in_own_transaction(
        &self,
        filter: &Document,
        pipeline: &[Document],
        upsert: bool,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        let session: Option<&mut ClientSession> = None;
        Ok(
            with_copies!(self.db, !self.touched.inside.is_empty(), session, own => {
                self.write(filter.clone(), pipeline.to_vec(), upsert, session, own).await
            }),
        )
    }

    async fn write(
        &self,
        mut filter: Document,
        pipeline: Vec<Document>,
        upsert: bool,
        mut session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
        let args = UpdateArgs {
            filter,
            changes: UpdateModifications::Pipeline(pipeline),
            many: false,
            upsert,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let fields = source::fields(self.meta.collection);
        let collection = self.meta.collection;
        fault!("before_w1");
        let found =
            driver::update_and_read(self.db, collection, args, fields, session.as_deref_mut())
                .await?;
        let Some(source) = found.map(Source::read) else {
            return Ok(None);
        };
        let mut pending = Vec::new();
        if let Some(session) = session {
            let writes = TransactionWrites {
                db: self.db,
                collection,
                touched: &self.touched,
                count_token: self.count_token,
            };
            pending = writes.send(&source, session, own).await?;
        }
        Ok(Some((source, pending)))
    }

    fn propagate<'f>(
        &'f self,
        (source, lists): (Source, Vec<Pending>),
        new: NewReferences,
    ) -> BoxFuture<'f, Result<Outcome>> {
        Box::pin(async move {
            let (db, collection) = (self.db, self.meta.collection);
            let mut outcome = Outcome {
                matched: 1,
                modified: 1,
                ..Outcome::default()
            };
            fault!("after_w1");
            let count_token = self.count_token;
            let count_token =
                count_token.filter(|count_token| is_flagged(&source.fields, *count_token));
            let NewReferences {
                references,
                sources,
                token,
            } = new;
            if self.in_session {
                outcome.pending = pending_marks(collection, token, &references);
                outcome.pending.extend(lists);
                outcome.pending.extend(pending_of(collection, &source));
                let counts = count_token.map(|count_token| pending_counts(collection, count_token));
                outcome.pending.extend(counts.into_iter().flatten());
                return Ok(outcome);
            }
            let marked = (!references.is_empty()).then(|| Unverified {
                id: id_in_filter(&self.filter),
                tokens: vec![token],
                references,
                tenant: source.tenant(self.meta),
            });
            let mut rest = Rest::default();
            if finisher::is_behind() && self.touched.unflagged.is_empty() {
                let changed = Changed {
                    children: vec![Arc::new(source.clone())],
                    marked: marked.as_slice(),
                    count_token,
                    sources: sources.as_ref().filter(|_| marked.is_some()),
                    filled: true,
                    reserved: None,
                };
                match early::apply(db, collection, changed, &[]).await? {
                    Early::Done(_) => return Ok(outcome),
                    Early::Not(left) => rest = left,
                }
            }
            if let Some(marked) = marked.filter(|_| !rest.copied) {
                fault!("after_i1");
                let (marked, withdraw) = (&[marked], Withdraw::Rule);
                let verified = verify_new_copies(db, collection, token, marked, withdraw).await;
                outcome.pending.extend(verified?);
            }
            if let Some(count_token) = count_token {
                let child = [&source.fields];
                let left = count_children(db, collection, count_token, child, None).await?;
                outcome.pending.extend(left);
            }
            let unflagged = &self.touched.unflagged;
            let left = propagate_source(db, collection, source, unflagged).await?;
            outcome.pending.extend(left);
            rest.finish(outcome.pending.is_empty());
            Ok(outcome)
        })
    }
}
