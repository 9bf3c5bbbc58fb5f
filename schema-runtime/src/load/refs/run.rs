//! Sending a forward join, and putting what was found where it belongs.

use bson::Bson;
use serde::de::DeserializeOwned;

use super::*;
use crate::ClientSession;
use crate::codec::IdSet;
use crate::crud::Sent;
use crate::crud::driver;
use crate::load::Spec;
use crate::load::fetch::{Asked, Found, fetch};
use crate::migrate;

impl<F, M, Y, O, K> Spec for Refs<F, M, Y, O, K>
where
    M: MongoModel,
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
            let mut ids = ids?;
            let by_server = options.filter.is_some() || options.sort.is_some();
            if !by_server {
                for ids in &mut ids {
                    cut(ids, &options);
                }
                let mut copies = options.copies.take();
                for copies in copies.iter_mut().flatten() {
                    cut(copies, &options);
                }
                options.copies = copies;
            }
            let known = if by_server {
                Vec::new()
            } else {
                std::mem::take(&mut options.known)
            };
            let asked = Asked {
                filter: options.filter.take(),
                sort: options.sort.clone(),
                projection: migrate::asked::<M, O>(),
            };
            let found = fetch(db, M::meta(), &place, &ids, asked, known, session).await?;
            if options.strict {
                no_missing::<M>(&place, &ids, &found)?;
            }
            let copies = |n: usize| options.copies.as_ref().map(|copies| &*copies[n]);
            ids.iter()
                .enumerate()
                .map(|(n, ids)| pick::<M, Y, O, K>(ids, &found, copies(n), &options, by_server))
                .collect()
        })
    }
}

/// Applies `skip` and `limit` to what belongs to one document.
fn cut<T>(list: &mut Vec<T>, options: &Options) {
    list.drain(..options.skip.min(list.len()));
    list.truncate(options.limit.unwrap_or(usize::MAX));
}

/// Strict: every id has its document.
fn no_missing<M: MongoModel>(place: &Place, ids: &[Vec<RefId>], found: &Found) -> Result<()> {
    let mut seen = IdSet::default();
    let missing: Vec<Bson> = ids
        .iter()
        .flatten()
        .filter(|id| {
            let key = id.key();
            found.get(&key).is_none() && seen.insert(key)
        })
        .map(RefId::to_bson)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Dangling {
        model: place.model,
        field: place.field.clone(),
        target: M::meta().name,
        ids: missing,
    })
}

/// The documents for the references of one document.
fn pick<M, Y, O, K>(
    ids: &[RefId],
    found: &Found,
    copies: Option<&[RawDocumentBuf]>,
    options: &Options,
    by_server: bool,
) -> Result<Y::Loaded<O, K>>
where
    M: MongoModel,
    Y: Policy,
    O: Projected<M>,
    K: DeserializeOwned + Send,
{
    let mut missing = Vec::new();
    let mut reported = IdSet::default();
    let mut slots = Vec::with_capacity(ids.len());
    for (n, id) in ids.iter().enumerate() {
        let key = id.key();
        let slot = found.get(&key);
        if slot.is_none() && reported.insert(key) {
            let id = id.to_bson();
            missing.push(codec::decode_value(&id).map_err(|source| Error::Decode {
                model: M::meta().name,
                id: id.to_string(),
                source: Box::new(source),
            })?);
        }
        let copy = || Some((usize::MAX, &**copies?.get(n)?));
        slots.push(slot.or_else(copy));
    }
    if by_server {
        slots.retain(Option::is_some);
        if options.sort.is_some() {
            slots.sort_by_key(|slot| slot.map(|(rank, _)| rank));
        }
        cut(&mut slots, options);
    }
    let slots: Result<Vec<Option<O>>> = slots
        .into_iter()
        .map(|slot| {
            slot.map(|(_, raw)| driver::decode_as::<M, O>(raw))
                .transpose()
        })
        .collect();
    Ok(Y::gather(slots?, missing))
}
