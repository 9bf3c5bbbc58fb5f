//! An update of many documents: U1 to U4 of the protocol (docs/PROTOCOL.md, 4.5).

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;
use mongodb::results::UpdateResult;

use super::early::{self, Changed, Early, Rest};
use super::inside::{self, with_copies};
use super::{Prepared, events, into_pending, pending_counts, pending_marks};
use crate::bson_util::operators::merge;
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, UpdateArgs};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending, What};
use crate::propagation::capacity::{NewParents, reserve_places};
use crate::propagation::counter::Reservations;
use crate::propagation::parents::ParentChanges;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, source, target};
use crate::schema::model::ModelMeta;
use crate::schema::registry::model_in;
use crate::schema::stored;

/// Changes many documents, and propagates to the copies of them and in them.
pub(crate) async fn update_many(
    db: &Database,
    meta: &'static ModelMeta,
    mut prepared: Prepared,
    filter: Document,
    operators: Document,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    // Flags are how the changed sources are found at all.
    prepared.touched = prepared.touched.all_flagged();
    let new_parents = std::mem::take(&mut prepared.new_parents);
    let places = reserve_places(db, &new_parents, &[], None).await?;
    let filter = in_places(filter, &new_parents, &operators);
    match update_in_places(db, meta, prepared, filter, operators, session).await {
        Ok(outcome) => {
            if outcome.modified == 0 {
                places.release(db).await?;
            }
            Ok(outcome)
        }
        Err(error) => Err(places.release_after(db, error).await),
    }
}

/// The filter of the documents that have places in their new parents, or refer to them already.
fn in_places(filter: Document, new_parents: &[NewParents], operators: &Document) -> Document {
    let bounded = new_parents.iter().filter(|new| new.link.max() > 0);
    let parts = bounded.filter_map(|NewParents { link, children }| {
        // More children than the bound have places only where all of them are in the list.
        if children.len() as u64 > link.max() {
            return None;
        }
        let ids: Vec<&Bson> = children.iter().map(|child| &child.id).collect();
        let set = operators.get_document("$set").ok();
        let set = set.and_then(|set| set.get(link.row));
        let there = set.map(|value| doc! { link.row: { "$eq": value } });
        let placed = std::iter::once(doc! { "_id": { "$in": ids } });
        let any: Vec<Document> = placed.chain(there).collect();
        Some(doc! { "$or": any })
    });
    let parts: Vec<Document> = parts.collect();
    match parts.is_empty() {
        true => filter,
        false => doc! { "$and": std::iter::once(filter).chain(parts).collect::<Vec<_>>() },
    }
}

async fn update_in_places(
    db: &Database,
    meta: &'static ModelMeta,
    prepared: Prepared,
    filter: Document,
    operators: Document,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let batch = Batch {
        db,
        collection: meta.collection,
        prepared,
        token: ObjectId::new(),
    };
    let in_session = session.is_some();
    let (reserved, changeable) = match in_session {
        true => (Reservations::none(), None),
        false => {
            batch
                .prepared
                .reserve_moves(db, &filter, &operators)
                .await?
        }
    };
    let filter = match changeable {
        Some(changeable) => doc! { "$and": [filter, changeable] },
        None => filter,
    };
    let result = match batch.send(filter, operators, session).await {
        Ok(result) => result,
        Err(error) => return Err(reserved.release_after(db, error).await),
    };
    if result.modified_count == 0 {
        reserved.release(db).await?;
    }
    fault!("after_w1");
    let mut outcome = Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    };
    if result.modified_count > 0 {
        let pending = batch.pending();
        outcome.pending = match in_session {
            true => pending.all(),
            false => batch.propagate(pending).await?,
        };
    }
    Ok(outcome)
}

/// The largest number of counted children of one call that are read to apply all of their changes at once.
const CHILDREN: usize = 10_000;

/// An update of many documents.
struct Batch<'b> {
    db: &'b Database,
    collection: &'static str,
    prepared: Prepared,
    /// The token of the sources that the update changes.
    token: ObjectId,
}

/// Everything that follows an update of many, as pending changes.
struct BatchPending {
    /// The marks of new copies.
    marks: Vec<Pending>,
    /// The flags of changed sources.
    flags: Vec<Pending>,
    /// The flags of counted children.
    counts: Vec<Pending>,
}

impl BatchPending {
    fn all(self) -> Vec<Pending> {
        let all = self.marks.into_iter().chain(self.flags);
        all.chain(self.counts).collect()
    }
}

impl Batch<'_> {
    /// U1, with the copies that are to be written in its transaction.
    async fn send(
        &self,
        filter: Document,
        operators: Document,
        session: Option<&mut ClientSession>,
    ) -> Result<UpdateResult> {
        let (filter, changes) = self.statement(filter, operators);
        fault!("before_w1");
        let inside = !self.prepared.touched.inside.is_empty();
        Ok(with_copies!(self.db, inside, session, _own => {
            self.write(&filter, &changes, session).await
        }))
    }

    /// The filter and the changes of U1.
    fn statement(
        &self,
        mut filter: Document,
        mut operators: Document,
    ) -> (Document, UpdateModifications) {
        let Batch {
            prepared, token, ..
        } = self;
        let piped = prepared.moves;
        let events = piped.then(|| events::take(&mut operators)).flatten();
        if !piped {
            prepared.mark(&mut operators);
        }
        if let Some(passed_over) = &prepared.passed_over {
            filter = doc! { "$and": [filter, passed_over.clone()] };
        }
        if prepared.is_followed() {
            filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
        }
        let changes = if piped {
            // Children that are only counted are found by a flag of their own.
            let batch = (!prepared.touched.is_empty()).then_some(*token);
            let mut pipeline = prepared.pipeline(&operators, batch);
            pipeline.extend(events);
            UpdateModifications::Pipeline(pipeline)
        } else if prepared.touched.is_empty() {
            UpdateModifications::Document(operators)
        } else {
            merge(&mut operators, "$set", doc! { stored::BATCH: token });
            flags::bump(&mut operators, &prepared.touched.flagged);
            UpdateModifications::Document(operators)
        };
        (filter, changes)
    }

    /// U1, and in a session the copies that are to be written in its transaction.
    async fn write(
        &self,
        filter: &Document,
        changes: &UpdateModifications,
        mut session: Option<&mut ClientSession>,
    ) -> Result<UpdateResult> {
        let (db, collection, prepared) = (self.db, self.collection, &self.prepared);
        let args = UpdateArgs {
            filter: filter.clone(),
            changes: changes.clone(),
            many: true,
            upsert: false,
            lasting: Lasting::Durable,
            strings: match &prepared.marking {
                Some(marking) => marking.strings,
                None => driver::Strings::AsCollection,
            },
        };
        let result = driver::update(db, collection, args, session.as_deref_mut()).await?;
        if let (Some(count_token), Some(session)) = (prepared.count_token, session.as_deref_mut()) {
            counter::batch_in_session(db, collection, count_token, session).await?;
        }
        let Some(session) = session.filter(|_| !prepared.touched.inside.is_empty()) else {
            return Ok(result);
        };
        let args = FindArgs {
            projection: Some(source::fields(collection)),
            limit: Some(inside::SOURCES + 1),
            ..FindArgs::default()
        };
        let mut rows = driver::open(
            db,
            collection,
            self.changed_sources(),
            args,
            Some(&mut *session),
        )
        .await?;
        let mut sources = Vec::new();
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            sources.extend(row.map(Source::read));
        }
        drop(rows);
        if sources.len() as i64 <= inside::SOURCES {
            let sources: Vec<&Source> = sources.iter().collect();
            inside::fan_out(db, &prepared.touched.inside, &sources, session).await?;
        }
        Ok(result)
    }

    /// The filter for the changed sources that are still pending.
    fn changed_sources(&self) -> Document {
        of_batch(&self.prepared.touched.flagged, self.token)
    }

    fn pending(&self) -> BatchPending {
        let (prepared, collection) = (&self.prepared, self.collection);
        let flags = prepared.touched.flagged.iter().map(|edge| Pending {
            edge: (*edge).to_owned(),
            collection: collection.to_owned(),
            what: What::Sources(self.token),
            reason: None,
        });
        let counts = prepared
            .count_token
            .map(|count_token| pending_counts(collection, count_token));
        BatchPending {
            marks: pending_marks(collection, prepared.token, &prepared.references),
            flags: flags.collect(),
            counts: counts.unwrap_or_default(),
        }
    }

    /// Makes everything follow that follows from U1; gives what stays pending.
    async fn propagate(&self, pending: BatchPending) -> Result<Vec<Pending>> {
        let rest = match self.apply().await {
            Ok(Early::Done(_)) => return Ok(Vec::new()),
            Ok(Early::Not(rest)) => rest,
            Err(error) => return into_pending(error, pending.all()),
        };
        let left = self.propagate_in_steps(pending, rest.copied).await?;
        rest.finish(left.is_empty());
        Ok(left)
    }

    /// The separate steps after U1: counts, new copies unless they are compared already (`copied`), and sources (U2 to U4).
    async fn propagate_in_steps(
        &self,
        pending: BatchPending,
        copied: bool,
    ) -> Result<Vec<Pending>> {
        let (db, collection, prepared) = (self.db, self.collection, &self.prepared);
        let BatchPending {
            marks,
            flags,
            counts,
        } = pending;
        let mut left = Vec::new();
        if let Some(count_token) = prepared.count_token
            && let Err(error) = counter::finish_batch(db, collection, count_token).await
        {
            left.extend(into_pending(error, counts)?);
        }
        if !marks.is_empty() && !copied {
            fault!("after_i1");
            let mark = prepared.token;
            let references = (&prepared.references[..], prepared.tenant.as_ref());
            let sources = prepared.sources.as_ref();
            if !early::compare_behind(db, collection, mark, references, sources).await {
                left.extend(resume_marks(db, collection, mark, references, marks).await?);
            }
        }
        if !flags.is_empty() {
            let filter = self.changed_sources();
            match source::finish_flagged(db, collection, filter, &mut |_| true).await {
                Ok(done) => left.extend(done.pending),
                Err(error) => left.extend(into_pending(error, flags)?),
            }
        }
        Ok(left)
    }

    /// Updates the parents of counted children before the call answers, and removes all flags of the children after that, where that is
    /// possible.
    async fn apply(&self) -> Result<Early> {
        let prepared = &self.prepared;
        let lists = ParentChanges::are_all(self.collection, &prepared.touched.flagged);
        if !finisher::is_behind() || prepared.count_token.is_none() || !lists {
            return Ok(Early::Not(Rest::default()));
        }
        let Some(children) = self.read_children().await? else {
            return Ok(Early::Not(Rest::default()));
        };
        let is_marked = |child: &&Source| {
            let marks = flags::marks(&child.fields, stored::key::UNVERIFIED);
            flags::has_token(marks, prepared.token)
        };
        let marked = children.iter().filter(is_marked).map(|child| Unverified {
            id: child.id.clone(),
            tokens: vec![prepared.token],
            references: prepared.references.clone(),
            tenant: model_in(self.collection).and_then(|meta| child.tenant(meta)),
        });
        let marked: Vec<Unverified> = marked.collect();
        let changed = Changed {
            count_token: prepared.count_token,
            children: children.into_iter().map(Arc::new).collect(),
            marked: &marked,
            sources: prepared.sources.as_ref().filter(|_| !marked.is_empty()),
            filled: true,
            reserved: None,
        };
        early::apply(self.db, self.collection, changed, &[]).await
    }

    /// U2 of counted children: reads durably all documents that the call has flagged or marked. `None` if they are too many.
    async fn read_children(&self) -> Result<Option<Vec<Source>>> {
        let (db, collection, prepared) = (self.db, self.collection, &self.prepared);
        let mut any = Vec::new();
        if !prepared.touched.is_empty() {
            any.push(self.changed_sources());
        }
        if let Some(count_token) = prepared.count_token {
            any.push(doc! { stored::UNCOUNTED_TOKEN: count_token.token });
        }
        if !prepared.references.is_empty() {
            any.push(doc! { stored::UNVERIFIED_TOKEN: prepared.token });
        }
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            limit: i64::try_from(CHILDREN + 1).ok(),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, doc! { "$or": any }, args, None).await?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            ids.extend(row.and_then(|mut row| row.remove("_id")));
        }
        if ids.len() > CHILDREN {
            return Ok(None);
        }
        let fields = source::fields(collection);
        let mut children = Vec::new();
        for page in ids.chunks(source::SOURCES) {
            let read = driver::durable_read(db, collection, "_id", page, &fields).await?;
            children.extend(read.into_iter().map(Source::read));
        }
        fault!("sweep_after_read");
        Ok(Some(children))
    }
}

/// Compares the new copies under one token with the sources that these references lead to; `marks` are what is pending where that fails.
pub(crate) async fn resume_marks(
    db: &Database,
    collection: &'static str,
    token: ObjectId,
    references: (&[(&'static Edge, Bson)], Option<&Bson>),
    marks: Vec<Pending>,
) -> Result<Vec<Pending>> {
    match target::verify_together(db, collection, token, references, &[]).await {
        Ok(true) => return Ok(Vec::new()),
        Ok(false) => {}
        Err(error) => return into_pending(error, marks),
    }
    let filter = doc! { stored::UNVERIFIED_TOKEN: token };
    match target::resume(db, collection, filter, &mut |_| true).await {
        Ok(verified) => {
            let failed = verified.failed.into_iter().flat_map(|(_, reason)| {
                let mut marks = marks.clone();
                marks
                    .iter_mut()
                    .for_each(|mark| mark.reason = Some(reason.clone()));
                marks
            });
            Ok(failed.collect())
        }
        Err(error) => into_pending(error, marks),
    }
}

/// The filter for the sources that one `update_many` changed and that are still pending; served by the index of pending edges.
pub(crate) fn of_batch(touched: &[&str], token: ObjectId) -> Document {
    doc! { stored::PENDING: { "$in": touched.to_vec() }, stored::BATCH: token }
}
