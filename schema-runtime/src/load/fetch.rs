//! Asking for documents by their ids.

use std::collections::{HashMap, HashSet};

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::TryStreamExt;

use super::ids::Place;
use crate::codec::IdKey;
use crate::crud::driver::{self, FindArgs};
use crate::error::{Error, Result};
use crate::model::ModelMeta;
use crate::projection;
use crate::{ClientSession, Database};

/// Distinct ids in one command: the server's time grows linearly with them, so chunks cost nothing and bound what one reply holds.
const CHUNK_IDS: usize = 10_000;

/// Parents in one command of a reverse join: `$lookup` runs once for each.
const CHUNK_KEYS: usize = 1_000;

/// Bytes of ids in one command; the server takes 16 MiB.
const CHUNK_BYTES: usize = 8 << 20;

/// Bytes of ids in one command that cannot be cut because its result is sorted.
const SORTED_BYTES: usize = 15 << 20;

/// What is asked of the documents beside their ids.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) filter: Option<Document>,
    pub(super) sort: Option<Document>,
    pub(super) projection: Option<Document>,
}

/// The documents found, still encoded, so that each place that refers to one gets a value of its own.
pub(super) struct Found {
    /// By id; with its place in the order that the server gave.
    documents: HashMap<IdKey, (usize, RawDocumentBuf)>,
}

impl Found {
    pub(super) fn get(&self, id: &IdKey) -> Option<(usize, &RawDocumentBuf)> {
        self.documents.get(id).map(|(rank, raw)| (*rank, raw))
    }
}

/// The ids in chunks of at most so many and so many bytes.
fn chunks(ids: &[Bson], most: usize, bytes: usize) -> Vec<Vec<Bson>> {
    let mut out: Vec<Vec<Bson>> = Vec::new();
    let mut room = 0;
    for id in ids {
        let size = size(id);
        match out.last_mut() {
            Some(chunk) if chunk.len() < most && size <= room => chunk.push(id.clone()),
            _ => {
                out.push(vec![id.clone()]);
                room = bytes;
            }
        }
        room = room.saturating_sub(size);
    }
    out
}

/// The parents of a reverse join in the chunks in which they are sent.
pub(super) fn key_chunks(keys: &[Bson]) -> Vec<Vec<Bson>> {
    chunks(keys, CHUNK_KEYS, CHUNK_BYTES)
}

/// Bytes of an id as an element of an array: its type, a key of up to seven digits, and the value.
fn size(id: &Bson) -> usize {
    9 + match id {
        Bson::String(text) => text.len() + 5,
        Bson::Binary(binary) => binary.bytes.len() + 5,
        Bson::Document(_) | Bson::Array(_) => RawDocumentBuf::try_from(&doc! { "": id })
            .map_or(usize::from(u16::MAX), |raw| raw.as_bytes().len()),
        _ => 16,
    }
}

/// Loads the documents with these ids that are not known yet: each distinct id is asked for once.
pub(super) async fn fetch(
    db: &Database,
    target: &'static ModelMeta,
    place: &Place,
    ids: &[Vec<Bson>],
    asked: Asked,
    known: Vec<RawDocumentBuf>,
    mut session: Option<&mut ClientSession>,
) -> Result<Found> {
    let key_of = |raw: &RawDocumentBuf| {
        let id = raw.get(place.key).ok().flatten();
        let id = id.and_then(|id| Bson::try_from(id).ok());
        IdKey::new(&id.unwrap_or(Bson::Null))
    };
    let mut documents: HashMap<_, _> = known
        .into_iter()
        .map(|raw| (key_of(&raw), (0, raw)))
        .collect();
    let mut distinct = Vec::new();
    let mut seen = HashSet::new();
    for id in ids.iter().flatten() {
        let key = IdKey::new(id);
        if !documents.contains_key(&key) && seen.insert(key) {
            distinct.push(id.clone());
        }
    }
    documents.reserve(distinct.len());
    let projection = asked
        .projection
        .map(|projection| projection::with_path(projection, place.key));
    let chunks = if asked.sort.is_some() {
        chunks(&distinct, usize::MAX, SORTED_BYTES)
    } else {
        chunks(&distinct, CHUNK_IDS, CHUNK_BYTES)
    };
    if asked.sort.is_some() && chunks.len() > 1 {
        return Err(Error::TooManyToSort {
            field: format!("{}.{}", place.model, place.field),
            ids: distinct.len(),
        });
    }
    for chunk in chunks {
        // One more than there can be, so that the server closes the cursor with the first batch.
        let batch_size = u32::try_from(chunk.len() + 1).ok();
        let mut filter = doc! { place.key: { "$in": chunk } };
        if let Some(asked) = &asked.filter {
            filter = doc! { "$and": [filter, asked.clone()] };
        }
        let args = FindArgs {
            batch_size,
            sort: asked.sort.clone(),
            projection: projection.clone(),
            ..FindArgs::default()
        };
        let rows = driver::rows(
            db,
            target.collection,
            Ok(filter),
            args,
            session.as_deref_mut(),
            |raw| Ok(raw.to_owned()),
        );
        let mut rows = std::pin::pin!(rows);
        while let Some(raw) = rows.try_next().await? {
            let rank = documents.len();
            documents.insert(key_of(&raw), (rank, raw));
        }
    }
    Ok(Found { documents })
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, doc, oid::ObjectId};

    use super::{chunks, size};

    #[test]
    fn chunks_are_cut_by_number_and_by_bytes() {
        let ids: Vec<Bson> = (0..25).map(Bson::Int32).collect();
        let lengths = |chunks: Vec<Vec<Bson>>| chunks.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(chunks(&ids, 10, 1 << 20)), [10, 10, 5]);
        assert_eq!(lengths(chunks(&ids, 100, 10 * size(&ids[0]))), [10, 10, 5]);
        // An id that is too long for any chunk has one of its own.
        let long = Bson::String("x".repeat(1_000));
        let ids = [Bson::Int32(1), long.clone(), long, Bson::Int32(2)];
        assert_eq!(lengths(chunks(&ids, 10, 500)), [1, 1, 1, 1]);
        assert!(chunks(&[], 10, 500).is_empty());
        assert_eq!(chunks(&ids, 10, 500).concat(), ids);
    }

    #[test]
    fn no_id_is_larger_than_it_is_taken_for() {
        let ids = [
            Bson::Int64(1),
            Bson::ObjectId(ObjectId::new()),
            Bson::Decimal128("1".parse().expect("a decimal")),
            Bson::String("text".to_owned()),
            Bson::Boolean(true),
            bson::bson!({ "a": [1, 2], "b": "text" }),
        ];
        for id in ids {
            let array = |n| RawDocumentBuf::try_from(&doc! { "": vec![id.clone(); n] });
            let bytes = |n| array(n).expect("encoded").as_bytes().len();
            assert!(bytes(2_000) - bytes(1_000) <= 1_000 * size(&id), "{id}");
        }
    }
}
