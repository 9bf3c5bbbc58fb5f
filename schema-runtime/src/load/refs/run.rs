//! Sends a forward join, and assigns the documents found to their references.

use std::any::Any;
use std::sync::Arc;

use bson::Bson;
use serde::de::DeserializeOwned;

use super::arriving::{self, Arrived, References};
use super::*;
use crate::bson_util::id_key::IdSet;
use crate::builder::Sent;
use crate::driver::{self, ClientSession};
use crate::load::Spec;
use crate::load::fetch::{FetchRequest, Found, One, fetch, request};
use crate::load::policy::Policy;
use crate::schema::model::StoredId;

impl<F, M, Y, O, K> Spec for Refs<F, M, Y, O, K>
where
    M: Model,
    Y: Policy,
    O: Projected<M>,
    K: DeserializeOwned + Send + 'static,
{
    type Loaded = Y::Loaded<O, K>;

    fn run<'x>(
        self,
        db: &'x Database,
        session: Option<&'x mut ClientSession>,
    ) -> Sent<'x, Vec<Self::Loaded>>
    where
        Self: 'x,
    {
        let Refs {
            place,
            ids,
            mut options,
            ..
        } = self;
        Box::pin(async move {
            if let Some(error) = options.error.take() {
                return Err(error);
            }
            let by_server = options.filter.is_some() || options.sort.is_some();
            let ids = choose_ids::<Y>(ids?, &mut options, by_server);
            let known = if by_server {
                Vec::new()
            } else {
                std::mem::take(&mut options.known)
            };
            let asked = FetchRequest {
                filter: options.filter.take(),
                scope: options.scope,
                sort: options.sort.clone(),
                projection: crate::projection::versions::asked::<M, O>(),
            };
            let plain = !by_server && known.is_empty() && options.copies.is_none();
            if plain
                && place.key == "_id"
                && let Some(references) = References::of(&ids)
            {
                let strict = options.strict;
                return as_they_arrive::<M, Y, O, K>(
                    db, &place, &ids, references, strict, asked, session,
                )
                .await;
            }
            let found = fetch(db, M::model_meta(), &place, &ids, asked, known, session).await?;
            if options.strict {
                let ids = ids.iter().flatten();
                no_missing::<M>(&place, ids.filter(|id| found.get(&id.key()).is_none()))?;
            }
            if options.strict || !Y::REPORTS {
                found.no_ambiguous(&place, M::model_meta(), ids.iter().flatten())?;
            }
            let copies = |n: usize| options.copies.as_ref().map(|copies| &*copies[n]);
            let mut kept: Vec<Option<Arc<O>>> = Vec::new();
            if Y::KEEPS {
                kept.resize_with(found.len(), || None);
            }
            let each = ids.iter().enumerate();
            each.map(|(n, ids)| {
                let mut slots = slots::<M, K>(&place, ids, &found, copies(n))?;
                if by_server {
                    order(&mut slots.0, &options);
                }
                give::<M, Y, O, K>(slots, &mut kept)
            })
            .collect()
        })
    }
}

/// The references of each document that are loaded. Null references are left out; so are those that `skip` and `limit` leave out, unless
/// the server has to choose or sort first.
fn choose_ids<Y: Policy>(
    mut ids: Vec<Vec<RefId>>,
    options: &mut Options,
    by_server: bool,
) -> Vec<Vec<RefId>> {
    if !Y::KEEPS_NULLS {
        for ids in &mut ids {
            ids.retain(|id| !id.is_null());
        }
    }
    if !by_server || options.limit == Some(0) {
        for ids in &mut ids {
            cut(ids, options);
        }
        let mut copies = options.copies.take();
        for copies in copies.iter_mut().flatten() {
            cut(copies, options);
        }
        options.copies = copies;
    }
    ids
}

/// Applies `skip` and `limit` to the references of one document.
fn cut<T>(list: &mut Vec<T>, options: &Options) {
    list.drain(..options.skip.min(list.len()));
    list.truncate(options.limit.unwrap_or(usize::MAX));
}

/// A join by object id: each document is decoded when it arrives.
async fn as_they_arrive<M, Y, O, K>(
    db: &Database,
    place: &Place,
    ids: &[Vec<RefId>],
    references: References,
    strict: bool,
    asked: FetchRequest,
    session: Option<&mut ClientSession>,
) -> Result<Vec<Y::Loaded<O, K>>>
where
    M: Model,
    Y: Policy,
    O: Projected<M>,
    K: DeserializeOwned + Send + 'static,
{
    let distinct = references.distinct();
    let mut arrived = Arrived::<Y, O>::new(references);
    let take = |batch| arriving::decode(batch, &mut arrived);
    request(db, M::model_meta(), place, &distinct, asked, session, take).await?;
    let values = arrived.into_slots(ids);
    let absent = |ids: &'_ [RefId], values: &[Option<Y::Given<O>>]| {
        let mut seen = IdSet::default();
        let slots = ids.iter().zip(values);
        let absent =
            slots.filter(|(id, value)| value.is_none() && !id.is_null() && seen.insert(id.key()));
        absent.map(|(id, _)| id.clone()).collect::<Vec<RefId>>()
    };
    let missing: Vec<Vec<RefId>> = ids
        .iter()
        .zip(&values)
        .map(|(ids, values)| absent(ids, values))
        .collect();
    if strict {
        no_missing::<M>(place, missing.iter().flatten())?;
    }
    let each = values.into_iter().zip(missing);
    each.map(|(values, missing)| {
        let missing = missing.iter().map(|id| id_of_reference::<M, K>(place, id));
        Ok(Y::gather(
            values,
            missing.collect::<Result<_>>()?,
            Vec::new(),
        ))
    })
    .collect()
}

/// With `strict`, refuses ids without a document: `missing` are these ids.
fn no_missing<'i, M: Model>(place: &Place, missing: impl Iterator<Item = &'i RefId>) -> Result<()> {
    let mut seen = IdSet::default();
    let missing = missing.filter(|id| !id.is_null() && seen.insert(id.key()));
    let missing: Vec<Bson> = missing.map(RefId::to_bson).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Dangling {
        model: place.model,
        field: place.field.clone(),
        target: M::model_meta().name,
        ids: missing,
    })
}

/// The documents for the references of one document, the ids that no document has, and those that several have.
type Of<'f, K> = (Vec<Option<One<'f>>>, Vec<K>, Vec<K>);

fn slots<'f, M: Model, K: DeserializeOwned + 'static>(
    place: &Place,
    ids: &[RefId],
    found: &'f Found,
    copies: Option<&'f [RawDocumentBuf]>,
) -> Result<Of<'f, K>> {
    let decode = |id: &RefId| id_of_reference::<M, K>(place, id);
    let (mut missing, mut ambiguous) = (Vec::new(), Vec::new());
    let mut reported = IdSet::default();
    let mut slots = Vec::with_capacity(ids.len());
    for (n, id) in ids.iter().enumerate() {
        if id.is_null() {
            slots.push(None);
            continue;
        }
        let key = id.key();
        let slot = found.get(&key);
        let several = found.ambiguous(&key).is_some();
        if slot.is_none() && reported.insert(key) {
            missing.push(decode(id)?);
        } else if several && reported.insert(id.key()) {
            ambiguous.push(decode(id)?);
        }
        let copy = || {
            let raw = &**copies?.get(n)?;
            let (place, rank) = (None, usize::MAX);
            Some(One { place, rank, raw })
        };
        slots.push(slot.or_else(copy));
    }
    Ok((slots, missing, ambiguous))
}

/// The id that a reference holds; an error names the target model.
fn id_of_reference<M: Model, K: DeserializeOwned + 'static>(
    place: &Place,
    id: &RefId,
) -> Result<K> {
    let id = id.to_bson();
    decode_id::<M, K>(place, &id).map_err(|source| Error::Decode {
        model: M::model_meta().name,
        id: id.to_string(),
        source: Box::new(source),
    })
}

/// Decodes the id that a reference holds, as its target model does: an `_id` may have (de)serialization functions of its own.
fn decode_id<M: Model, K: DeserializeOwned + 'static>(
    place: &Place,
    id: &Bson,
) -> Result<K, CodecError> {
    if place.key != "_id" {
        return codec::decode_value(id);
    }
    let read: StoredId<M> = codec::decode_value(id)?;
    match (Box::new(read.0) as Box<dyn Any>).downcast() {
        Ok(id) => Ok(*id),
        Err(_) => codec::decode_value(id),
    }
}

/// Puts the slots into the order in which the server returned the documents.
fn order(slots: &mut Vec<Option<One<'_>>>, options: &Options) {
    slots.retain(Option::is_some);
    if options.sort.is_some() {
        slots.sort_by_key(|slot| slot.map(|one| one.rank));
    }
    cut(slots, options);
}

fn give<M, Y, O, K>(
    (slots, missing, ambiguous): Of<'_, K>,
    kept: &mut [Option<Arc<O>>],
) -> Result<Y::Loaded<O, K>>
where
    M: Model,
    Y: Policy,
    O: Projected<M>,
    K: Send,
{
    let mut read = |one: One<'_>| {
        let kept = one.place.and_then(|place| kept.get_mut(place));
        Y::give(kept, || driver::decode_as::<M, O>(one.raw))
    };
    let slots: Result<Vec<_>> = slots
        .into_iter()
        .map(|slot| slot.map(&mut read).transpose())
        .collect();
    Ok(Y::gather(slots?, missing, ambiguous))
}
