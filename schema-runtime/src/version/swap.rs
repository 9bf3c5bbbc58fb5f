//! Sends the compare-and-swap write, and finds the cause if it matched no document.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::options::UpdateModifications;

use crate::bson_util::stored_id::id_in_filter;
use crate::document::encoding::unencodable;
use crate::document::shared;
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, UpdateArgs};
use crate::error::conflict::Conflict;
use crate::error::{Error, Result};
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::propagation::keys;
use crate::schema::model::ModelMeta;
use crate::schema::relation::Level;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::schema::version::Version;
use crate::write::send as write;
use crate::write::send::events::Emission;
use crate::write::send::save::Saving;
use crate::write::writers::remembered;

/// The number of times that a write whose reply was lost is sent again: the version in its filter makes that harmless.
const RETRIES: usize = 2;

/// A document about to be swapped.
pub(super) struct Swap<'a> {
    pub(super) db: &'a Database,
    pub(super) meta: &'static ModelMeta,
    /// Matches by the `_id` alone.
    pub(super) filter: &'a Document,
    /// The version of the document when it was read.
    pub(super) version: i64,
    pub(super) refresh: bool,
    pub(super) level: Option<Level>,
    /// The events that the write emits.
    pub(super) events: &'a Emission,
}

impl Swap<'_> {
    /// Stores the document over the version that was read.
    pub(super) async fn send(
        &self,
        raw: &RawDocumentBuf,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let (db, meta) = (self.db, self.meta);
        let version = Version::of(meta).ok_or_else(|| unversioned(meta))?;
        let changed = keys::of_whole(meta);
        let next = |key: &str| Bson::try_from(raw.get(key).ok().flatten()?).ok();
        let held = session.as_deref_mut();
        let hold = keys::Hold::Needed;
        let keys =
            keys::check_unreferenced(db, meta, self.filter, &changed, &next, hold, held).await?;
        let sent = self.guarded(raw, version, &keys, session).await;
        let to_the_end = keys::release(db, meta, self.filter, &keys).await?;
        match sent {
            Err(Error::Conflict(_)) if !to_the_end => Err(Error::Unsettled {
                model: meta.name,
                id: Box::new(id_in_filter(self.filter)),
            }),
            sent => sent.map_err(|error| duplicate::typed(meta, error, &[])),
        }
    }

    /// Stores the document if its version matches, and also `keys`, the condition that guards a change of a key.
    async fn guarded(
        &self,
        raw: &RawDocumentBuf,
        version: Version,
        keys: &Document,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let (db, meta) = (self.db, self.meta);
        let mut filter = self.filter.clone();
        filter.extend(version.is(self.version));
        filter.extend(keys.clone());
        let waits = write::not_deleted(meta, &mut filter) && session.is_none();
        let token = ObjectId::new();
        let mut lost = None;
        for _ in 0..=RETRIES {
            let sent = self.once(&filter, raw, token, session.as_deref_mut());
            match sent.await {
                Ok(outcome) if outcome.matched > 0 => return Ok(outcome),
                // The document was being deleted: that is finished now, or undone.
                Ok(_) if waits && write::finish_blocking_delete(db, meta, self.filter).await? => {}
                Ok(_) => break,
                Err(error) if session.is_none() && driver::outcome_unknown(&error) => {
                    lost = Some(error)
                }
                Err(error) => return Err(error),
            }
        }
        let current = match self.current(session).await {
            Ok(current) => current,
            // It is unknown if the document was written; return the error that lost the reply, if there was one.
            Err(error) => return Err(lost.unwrap_or(error)),
        };
        let Some(current) = current else {
            return Err(Error::Gone {
                model: meta.name,
                id: Box::new(id_in_filter(self.filter)),
            });
        };
        if lost.is_some() && has_written(&current, token) {
            return self.written(&current).await;
        }
        let id = id_in_filter(self.filter);
        Err(Conflict::seen(meta, id, self.version, current))
    }

    async fn once(
        &self,
        filter: &Document,
        raw: &RawDocumentBuf,
        token: ObjectId,
        session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let (db, meta) = (self.db, self.meta);
        if write::is_connected(meta)? {
            let saving = Saving {
                refresh: self.refresh,
                level: self.level,
                swap: Some(token),
                upsert: false,
                migrates: false,
                events: self.events,
            };
            return write::save(db, meta, filter.clone(), raw, saving, session).await;
        }
        let document =
            Document::try_from(raw.as_ref()).map_err(|error| unencodable(meta, error))?;
        let args = UpdateArgs {
            filter: filter.clone(),
            changes: UpdateModifications::Pipeline(replaced(meta, document, token)),
            many: false,
            upsert: false,
            lasting: Lasting::AsConfigured,
            strings: driver::Strings::Exactly,
        };
        let result = driver::update(db, meta.collection, args, session).await?;
        Ok(Outcome {
            matched: result.matched_count,
            modified: result.modified_count,
            ..Outcome::default()
        })
    }

    /// The document as the primary shows it.
    async fn current(&self, session: Option<&mut ClientSession>) -> Result<Option<RawDocumentBuf>> {
        let args = FindArgs {
            ..FindArgs::default()
        };
        let filter = self.filter.clone();
        let own = |raw: &RawDocument| Ok(raw.to_owned());
        driver::first(self.db, self.meta.collection, filter, args, session, own).await
    }

    /// Propagates a write that was made although its reply was lost.
    async fn written(&self, current: &RawDocument) -> Result<Outcome> {
        let pending = match write::is_connected(self.meta)? {
            true => write::propagate_again(self.db, self.meta, current).await?,
            false => Vec::new(),
        };
        Ok(Outcome {
            matched: 1,
            modified: 1,
            pending,
            ..Outcome::default()
        })
    }
}

/// The pipeline that stores the document, and records the token of this write in it.
pub(super) fn replaced(meta: &ModelMeta, document: Document, token: ObjectId) -> Vec<Document> {
    let writers = doc! { stored::key::WRITERS: remembered(token) };
    let dn = doc! { stored::OWN: { "$mergeObjects": [stored::value::OWN, writers] } };
    if let Some(stamps) = Stamps::of(meta) {
        return shared::replacement(meta, &stamps, document, dn);
    }
    if let Some(names) = shared::names(meta) {
        let absent = shared::absent(&names, &document);
        let merged = doc! { "$mergeObjects": ["$$ROOT", { "$literal": document }, dn] };
        let mut pipeline = vec![doc! { "$replaceWith": merged }];
        pipeline.extend((!absent.is_empty()).then(|| doc! { "$unset": absent }));
        return pipeline;
    }
    let whole = doc! { "$mergeObjects": [{ "$literal": document }, dn] };
    vec![doc! { "$replaceWith": whole }]
}

pub(super) fn unversioned(meta: &ModelMeta) -> Error {
    Error::Impossible {
        what: format!("{} has no version", meta.name),
    }
}

/// True if the document was written under that token, as far as its list of writers goes back.
pub(super) fn has_written(current: &RawDocument, token: ObjectId) -> bool {
    let dn = current.get_document(stored::OWN).ok();
    let writers = dn.and_then(|dn| dn.get_array(stored::key::WRITERS).ok());
    let mut writers = writers.into_iter().flatten().flatten();
    writers.any(|writer| writer.as_object_id() == Some(token))
}
