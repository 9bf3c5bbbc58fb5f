//! Asking for documents by their ids.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use bson::{Bson, RawDocumentBuf, doc};
use futures::TryStreamExt;

use super::Loaded;
use crate::codec::{self, IdKey};
use crate::crud::driver::{self, FindArgs};
use crate::error::{Error, Result};
use crate::model::MongoModel;
use crate::{ClientSession, Database};

/// Distinct ids per `$in`: the time grows linearly, so chunks bound memory and let a load be cancelled.
const CHUNK: usize = 1_000;

/// The documents found, still encoded, so that each place that refers to one gets a value of its own.
pub(super) struct Found<M> {
    documents: HashMap<IdKey, RawDocumentBuf>,
    model: PhantomData<fn() -> M>,
}

/// Loads the documents with these ids: each distinct id is asked for once.
pub(super) async fn fetch<M: MongoModel>(
    db: &Database,
    ids: &[Bson],
    mut session: Option<&mut ClientSession>,
) -> Result<Found<M>> {
    let mut asked = HashSet::new();
    let distinct: Vec<&Bson> = ids
        .iter()
        .filter(|id| asked.insert(IdKey::new(id)))
        .collect();
    let mut documents = HashMap::with_capacity(distinct.len());
    for chunk in distinct.chunks(CHUNK) {
        let wanted: Vec<Bson> = chunk.iter().map(|id| (*id).clone()).collect();
        let filter = doc! { "_id": { "$in": wanted } };
        // One more than there can be, so that the server closes the cursor with the first batch.
        let batch_size = u32::try_from(chunk.len() + 1).ok();
        let args = FindArgs {
            batch_size,
            ..FindArgs::default()
        };
        let rows = driver::rows(
            db,
            M::meta().collection,
            Ok(filter),
            args,
            session.as_deref_mut(),
            |raw| Ok(raw.to_owned()),
        );
        let mut rows = std::pin::pin!(rows);
        while let Some(raw) = rows.try_next().await? {
            let id = raw
                .get("_id")
                .ok()
                .flatten()
                .and_then(|id| Bson::try_from(id).ok());
            documents.insert(IdKey::new(&id.unwrap_or(Bson::Null)), raw);
        }
    }
    Ok(Found {
        documents,
        model: PhantomData,
    })
}

impl<M: MongoModel> Found<M> {
    /// The documents for `ids`, in that order, duplicates repeated.
    pub(super) fn pick(&self, ids: &[Bson]) -> Result<Loaded<M>> {
        let mut values = Vec::with_capacity(ids.len());
        let mut missing = Vec::new();
        let mut reported = HashSet::new();
        for id in ids {
            let key = IdKey::new(id);
            if let Some(raw) = self.documents.get(&key) {
                values.push(driver::decode::<M>(raw)?);
            } else if reported.insert(key) {
                let id = codec::decode_value(id).map_err(|source| Error::Decode {
                    model: M::meta().name,
                    id: id.to_string(),
                    source: Box::new(source),
                })?;
                missing.push(id);
            }
        }
        Ok(Loaded { values, missing })
    }
}
