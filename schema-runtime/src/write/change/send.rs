//! Sending an update, and finding out why one matched nothing.
//!
//! The futures of what most updates do not need are boxed: the future of an update is moved several times before it is polled first, and
//! otherwise has room for all of them.

use std::collections::HashSet;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::results::UpdateResult;

use super::{Returned, Swapped, Update};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::at;
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::builder::{ROUNDS, answers};
use crate::document::documents::Documents;
use crate::document::encoding::unencodable;
use crate::document::id::encode_id;
use crate::driver::attempts::pause;
use crate::driver::{FindArgs, Image, UpdateArgs};
use crate::error::{Error, Result};
use crate::index::duplicate;
use crate::outcome::{Outcome, Pending};
use crate::propagation::keys;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::relation::Level;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stamps;
use crate::write::change::ops::{Add, Changes};
use crate::write::send::insert::Storing;
use crate::write::send::update::Prepared;
use crate::write::store::store;
use crate::write::{migrate_one as migrate, send as write};
use crate::{ClientSession, Database, driver};

answers!(['a, M: Model] Update<'a, M> => Outcome, self, self.settled, {
    match change(self).await? {
        Swapped::Done(outcome) => Ok(outcome),
        // An update without a condition can only fail to match if the document does not exist.
        Swapped::Not(current) => Err(Error::NotFound { model: M::model_meta().name, id: Box::new(encode_id::<M>(current.document_id())?) }),
    }
});

/// The additions that an update of one document needs, prepared once no matter how often the update is sent.
struct Ready {
    /// The document that the caller needs.
    image: Option<Image>,
    prepared: Option<Prepared>,
    migrated: Vec<Pending>,
}

/// The result of an update.
pub(super) enum Changed<M> {
    /// The change was made; the document, where the caller needs it.
    Done(Outcome, Option<RawDocumentBuf>),
    /// The document does not meet the conditions.
    Not(Box<M>),
}

/// The result of an update that was sent.
enum Sent {
    Done(Outcome, Option<RawDocumentBuf>),
    /// No document matched the filter.
    Not,
    /// The document was being deleted, or another program changed its key. That is completed now: the update may be tried again.
    Helped,
}

impl Ready {
    async fn new<M: Model>(
        db: &Database,
        filter: &Document,
        changes: &mut Changes,
        level: Option<Level>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Self> {
        let meta = M::model_meta();
        let migrated = Box::pin(migrate::before::<M>(db, filter, session.as_deref_mut())).await?;
        let prepared = match write::is_connected(meta)? {
            true => {
                let asked = changes.asked(Some(filter));
                Box::pin(write::prepare(db, meta, asked, level, session)).await?
            }
            false => None,
        };
        Ok(Ready {
            image: None,
            prepared,
            migrated,
        })
    }

    /// The same, with the document that the caller needs.
    fn giving<M: Model>(mut self, image: Option<Image>) -> Result<Self> {
        self.image = image;
        if let (Some(prepared), Some(image)) = (&mut self.prepared, image) {
            prepared.returning = true;
            if image == Image::Before {
                return Err(Error::Impossible {
                    what: format!(
                        "an update of {} that gives the document before it, and stores a checked reference or is followed by other documents: give the one after it, or read it before",
                        M::model_meta().name
                    ),
                });
            }
        }
        Ok(self)
    }

    /// Sends the update, which applies only if the document meets the conditions.
    async fn send<M: Model>(
        &self,
        db: &Database,
        filter: &Document,
        changes: &Changes,
        conditions: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let meta = M::model_meta();
        let next = |key: &str| changes.value_of(key);
        let (paths, hold) = (changes.paths(), keys::Hold::Needed);
        let held = session.as_deref_mut();
        let keys = Box::pin(keys::check_unreferenced(
            db, meta, filter, &paths, &next, hold, held,
        ))
        .await?;
        let sent = self.guarded::<M>(db, filter, changes, conditions, &keys, session);
        let sent = sent.await;
        let to_the_end = Box::pin(keys::release(db, meta, filter, &keys)).await?;
        match sent {
            Ok(Sent::Not) if !to_the_end => Ok(Sent::Helped),
            sent => sent,
        }
    }

    /// Sends the update if the document also matches `keys`, the condition that guards a change of a key.
    async fn guarded<M: Model>(
        &self,
        db: &Database,
        filter: &Document,
        changes: &Changes,
        conditions: &[Bson],
        keys: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let meta = M::model_meta();
        let in_session = session.is_some();
        let (guarded, mut operators) = changes.command(filter);
        let mut guarded = meeting(guarded, conditions);
        guarded.extend(keys.clone());
        let entombs = write::not_deleted(meta, &mut guarded);
        let Some(prepared) = &self.prepared else {
            stamps::touch(meta, &mut operators);
            let args = UpdateArgs::plain(guarded, operators, false);
            let pending = self.migrated.clone();
            if let Some(image) = self.image {
                let found = driver::update_and_return(db, meta.collection, args, image, session);
                if let Some(found) = found.await? {
                    let done = Outcome {
                        matched: 1,
                        modified: 1,
                        pending,
                        ..Outcome::default()
                    };
                    return Ok(Sent::Done(done, Some(found)));
                }
            } else {
                let result = driver::update(db, meta.collection, args, session).await?;
                if result.matched_count > 0 {
                    return Ok(Sent::Done(outcome(&result, pending), None));
                }
            }
            let helped = entombs
                && !in_session
                && Box::pin(write::finish_blocking_delete(db, meta, filter)).await?;
            return Ok(if helped { Sent::Helped } else { Sent::Not });
        };
        let mut sent = Box::pin(prepared.send(db, guarded, operators, session)).await?;
        if sent.outcome.matched > 0 {
            let document = sent.document.take();
            let document = document.map(|document| RawDocumentBuf::try_from(&document));
            let document = document
                .transpose()
                .map_err(|error| unencodable(meta, error))?;
            let mut outcome = Box::pin(prepared.follow(db, filter, sent, in_session)).await?;
            outcome.pending.extend(self.migrated.iter().cloned());
            return Ok(Sent::Done(outcome, document));
        }
        if !in_session && Box::pin(write::finish_blocking_delete(db, meta, filter)).await? {
            return Ok(Sent::Helped);
        }
        Ok(Sent::Not)
    }
}

/// Changes one document once, if it meets the conditions; `None` if it does not, or if there is no document.
pub(crate) async fn once<M: Model>(update: Update<'_, M>) -> Result<Option<Outcome>> {
    let Update {
        db,
        filter,
        mut changes,
        conditions,
        level,
        mut session,
        notes,
        ..
    } = update;
    let filter = filter?;
    changes.check::<M>()?;
    let ready = Ready::new::<M>(db, &filter, &mut changes, level, session.as_deref_mut()).await?;
    let sent = ready.send::<M>(db, &filter, &changes, &conditions, session);
    Ok(
        match sent
            .await
            .map_err(|error| refused(M::model_meta(), error))?
        {
            Sent::Done(outcome, _) => Some(outcome.noted(notes)),
            Sent::Not | Sent::Helped => None,
        },
    )
}

/// Changes one document, if it meets the conditions.
pub(crate) async fn change<M: Model>(update: Update<'_, M>) -> Result<Swapped<M>> {
    let done = change_one(update, None).await;
    match done.map_err(|error| refused(M::model_meta(), error))? {
        Changed::Done(outcome, _) => Ok(Swapped::Done(outcome)),
        Changed::Not(current) => Ok(Swapped::Not(current)),
    }
}

/// Changes one document and gives it.
pub(super) async fn change_and_return<M: Model>(
    update: Update<'_, M>,
    image: Image,
) -> Result<Returned<M>> {
    let meta = M::model_meta();
    let done = change_one(update, Some(image)).await;
    match done.map_err(|error| refused(meta, error))? {
        Changed::Done(outcome, raw) => {
            let raw = raw.unwrap_or_default();
            Ok(Returned::new(driver::decode_as::<M, M>(&raw)?, outcome))
        }
        Changed::Not(current) => Ok(Returned::new(*current, Outcome::default())),
    }
}

/// Types the errors by which the server refuses a change: another document has the key, or the document becomes too large.
pub(super) fn refused(meta: &'static ModelMeta, error: Error) -> Error {
    duplicate::typed(meta, driver::outgrown(meta, error), &[])
}

/// Stores the document of an upsert. `None` if there is one with its `_id` by now.
async fn store_new<M: Model>(
    db: &Database,
    new: &Documents,
    session: Option<&mut ClientSession>,
) -> Result<Option<Outcome>> {
    let in_session = session.is_some();
    let stored = store::<M>(db, new, Storing::default(), session).await;
    match stored {
        // In a transaction the refused insert has aborted it. A document that is marked as deleted stays the one with that `_id`.
        Err(error) if !in_session && is_of(&error, &["_id"]) => {
            match is_deleted::<M>(db, new).await? {
                true => Err(error),
                false => Ok(None),
            }
        }
        stored => stored.map(Some),
    }
}

/// True if a document with the `_id` of the new one is marked as deleted.
async fn is_deleted<M: Model>(db: &Database, new: &Documents) -> Result<bool> {
    let meta = M::model_meta();
    let (Some(condition), Some(raw)) = (
        DocumentScope::OnlyDeleted.condition(meta),
        new.iter().next(),
    ) else {
        return Ok(false);
    };
    let mut filter = doc! { "_id": { "$eq": id_of(raw) } };
    filter.extend(condition);
    let found = driver::first(
        db,
        meta.collection,
        filter,
        FindArgs::default(),
        None,
        |_| Ok(()),
    );
    Ok(found.await?.is_some())
}

/// True if another document has the same values of these fields.
pub(super) fn is_of(error: &Error, key: &[&str]) -> bool {
    let fields = error.duplicate().map(|(_, fields)| fields);
    fields.is_some_and(|fields| fields == key)
}

pub(super) async fn change_one<M: Model>(
    update: Update<'_, M>,
    image: Option<Image>,
) -> Result<Changed<M>> {
    let Update {
        db,
        filter,
        mut changes,
        conditions,
        level,
        new,
        mut session,
        notes,
        ..
    } = update;
    let filter = filter?;
    let given = |outcome, session| give::<M>(db, &filter, outcome, image, session);
    if let Some(new) = new.as_ref().filter(|_| changes.is_empty()) {
        // An upsert without changes stores the document if there is none.
        let stored = Box::pin(store_new::<M>(db, new, session)).await?;
        let there = Outcome {
            matched: 1,
            ..Outcome::default()
        };
        return Ok(Changed::Done(stored.unwrap_or(there).noted(notes), None));
    }
    changes.check::<M>()?;
    if changes.nothing_left() && new.is_none() {
        return given(Outcome::default(), session).await;
    }
    let meta = M::model_meta();
    let ready = Ready::new::<M>(db, &filter, &mut changes, level, session.as_deref_mut()).await?;
    let ready = ready.giving::<M>(image)?;
    let not_found = || Error::NotFound {
        model: meta.name,
        id: Box::new(id_in_filter(&filter)),
    };
    for attempt in 0..ROUNDS {
        if changes.nothing_left() {
            // The document holds every value already, as the read just showed.
            let there = Outcome {
                matched: 1,
                ..Outcome::default()
            };
            return given(there, session).await;
        }
        let sent = ready.send::<M>(db, &filter, &changes, &conditions, session.as_deref_mut());
        match sent.await? {
            Sent::Done(outcome, document) => {
                return Ok(Changed::Done(outcome.noted(notes), document));
            }
            Sent::Helped => continue,
            Sent::Not => {}
        }
        if let Some(error) = Box::pin(other_variant::<M>(
            db,
            &filter,
            &changes,
            session.as_deref_mut(),
        ))
        .await?
        {
            return Err(error);
        }
        if changes.adds.is_empty() {
            let Some(new) = &new else {
                return Box::pin(in_the_way(db, &filter, &conditions, session))
                    .await?
                    .ok_or_else(not_found);
            };
            match Box::pin(store_new::<M>(db, new, session.as_deref_mut())).await? {
                Some(stored) => return Ok(Changed::Done(stored.noted(notes), None)),
                None => continue,
            }
        }
        pause(attempt).await;
        let mut wanted = Document::from_iter([("_id".to_owned(), Bson::Int32(1))]);
        wanted.extend(
            changes
                .adds
                .iter()
                .map(|add| (add.path.clone(), Bson::Int32(1))),
        );
        let args = FindArgs {
            projection: Some(wanted),
            ..FindArgs::default()
        };
        let decode = |raw: &RawDocument| Ok(Document::try_from(raw));
        let mut needs = conditions.clone();
        needs.extend(changes.of_variants());
        let stored = driver::first(
            db,
            meta.collection,
            meeting(filter.clone(), &needs),
            args,
            session.as_deref_mut(),
            decode,
        )
        .await?;
        let Some(stored) = stored else {
            if let Some(new) = &new {
                match Box::pin(store_new::<M>(db, new, session.as_deref_mut())).await? {
                    Some(stored) => return Ok(Changed::Done(stored.noted(notes), None)),
                    None => continue,
                }
            }
            return Box::pin(in_the_way(db, &filter, &conditions, session))
                .await?
                .ok_or_else(not_found);
        };
        let stored = stored.map_err(|source| Error::Decode {
            model: meta.name,
            id: id_in_filter(&filter).to_string(),
            source: Box::new(source.into()),
        })?;
        keep_new(&mut changes, &stored)?;
    }
    Err(Error::Unsettled {
        model: meta.name,
        id: Box::new(id_in_filter(&filter)),
    })
}

/// The result of an update that had nothing to change, with the document as it is stored.
async fn give<M: Model>(
    db: &Database,
    filter: &Document,
    outcome: Outcome,
    image: Option<Image>,
    session: Option<&mut ClientSession>,
) -> Result<Changed<M>> {
    if image.is_none() {
        return Ok(Changed::Done(outcome, None));
    }
    let meta = M::model_meta();
    let own = |raw: &RawDocument| Ok(raw.to_owned());
    let args = FindArgs::default();
    let found = driver::first(db, meta.collection, filter.clone(), args, session, own).await?;
    let found = found.ok_or_else(|| Error::NotFound {
        model: meta.name,
        id: Box::new(id_in_filter(filter)),
    })?;
    Ok(Changed::Done(outcome, Some(found)))
}

/// The filter, together with these conditions.
pub(crate) fn meeting(filter: Document, conditions: &[Bson]) -> Document {
    if conditions.is_empty() {
        return filter;
    }
    let mut all = vec![Bson::Document(filter)];
    all.extend_from_slice(conditions);
    doc! { "$and": all }
}

/// The error that the document exists, but an enum inside it is of a variant without the changed field; `None` if that is not so.
async fn other_variant<M: Model>(
    db: &Database,
    filter: &Document,
    changes: &Changes,
    session: Option<&mut ClientSession>,
) -> Result<Option<Error>> {
    if changes.holders().is_empty() {
        return Ok(None);
    }
    let tags = changes.holders().iter();
    let mut tags: Document = tags.map(|(tag, _)| (tag.clone(), Bson::Int32(1))).collect();
    tags.insert("_id", 1);
    let args = FindArgs {
        projection: Some(tags),
        ..FindArgs::default()
    };
    let decode = |raw: &RawDocument| Ok(Document::try_from(raw).ok());
    let collection = M::model_meta().collection;
    let found = driver::first(db, collection, filter.clone(), args, session, decode).await?;
    let Some(stored) = found.flatten() else {
        return Ok(None);
    };
    let found = |tag: &str| at(&stored, tag);
    let has = |tag: &str, values: &[&str]| {
        let tag = found(tag).and_then(Bson::as_str);
        tag.is_some_and(|tag| values.contains(&tag))
    };
    let mut holders = changes.holders().iter();
    let other = holders.find(|(tag, values)| !has(tag, values));
    Ok(other.map(|(tag, variants)| Error::OtherVariant {
        model: M::model_meta().name,
        id: Box::new(id_in_filter(filter)),
        tag: tag.clone(),
        found: found(tag).cloned().map(Box::new),
        variants,
    }))
}

/// The document that does not meet the conditions; `None` if there is no document, or there are no conditions.
async fn in_the_way<M: Model>(
    db: &Database,
    filter: &Document,
    conditions: &[Bson],
    session: Option<&mut ClientSession>,
) -> Result<Option<Changed<M>>> {
    if conditions.is_empty() {
        return Ok(None);
    }
    let args = FindArgs {
        ..FindArgs::default()
    };
    let decode = driver::decode_as::<M, M>;
    let found = driver::first(
        db,
        M::model_meta().collection,
        filter.clone(),
        args,
        session,
        decode,
    )
    .await?;
    Ok(found.map(|current| Changed::Not(Box::new(current))))
}

pub(super) fn outcome(result: &UpdateResult, pending: Vec<Pending>) -> Outcome {
    Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        pending,
        ..Outcome::default()
    }
}

/// Leaves out the additions that the stored document holds already; returns an error if the others do not fit.
fn keep_new(changes: &mut Changes, stored: &Document) -> Result<()> {
    for add in &mut changes.adds {
        let elements = array_at(stored, &add.path).unwrap_or_default();
        if add.distinct {
            let present: HashSet<IdKey> = elements
                .iter()
                .filter_map(|element| add.key(element))
                .map(IdKey::new)
                .collect();
            let identity = add.identity;
            add.values.retain(|value| {
                Add::identity_of(value, identity)
                    .is_none_or(|key| !present.contains(&IdKey::new(key)))
            });
        }
        if add.max > 0
            && !add.values.is_empty()
            && (elements.len() + add.values.len()) as u64 > add.max
        {
            return Err(Error::Full {
                field: add.owner.clone(),
                max: add.max,
            });
        }
    }
    Ok(())
}

fn array_at<'d>(document: &'d Document, path: &str) -> Option<&'d [Bson]> {
    let (step, rest) = path
        .split_once('.')
        .map_or((path, None), |(step, rest)| (step, Some(rest)));
    match (document.get(step)?, rest) {
        (Bson::Array(elements), None) => Some(elements),
        (Bson::Document(inner), Some(rest)) => array_at(inner, rest),
        _ => None,
    }
}
