//! Samples of large collections: the same documents in every run, whatever others come and go.

use std::collections::BinaryHeap;
use std::pin::Pin;

use bson::{Bson, RawDocumentBuf, doc};
use futures::{Stream, StreamExt, TryStreamExt};
use mongodb::Collection;
use mongodb::error::Error;

use super::profile::mix;

/// The `_id`s of larger collections are not all read: their samples are random, and differ from run to run.
const ALL_IDS: u64 = 5_000_000;
/// Documents that are asked for together.
const TOGETHER: usize = 1_000;

/// Documents as they are read.
pub(crate) type Documents = Pin<Box<dyn Stream<Item = Result<RawDocumentBuf, Error>> + Send>>;

/// The `_id`s with the smallest hashes, `size` of them; `None` if the collection is so large that the sample has to be random.
pub(crate) async fn sample_ids(
    collection: &Collection<RawDocumentBuf>,
    documents: u64,
    size: u32,
) -> Result<Option<Vec<Bson>>, Error> {
    if documents > ALL_IDS {
        return Ok(None);
    }
    // In this order the index alone gives the `_id`s.
    let ids = collection.find(doc! {}).sort(doc! { "_id": 1 });
    let mut ids = ids.projection(doc! { "_id": 1 }).await?;
    let mut smallest: BinaryHeap<(u64, Vec<u8>)> = BinaryHeap::new();
    while let Some(id) = ids.try_next().await? {
        let hash = hash(id.as_bytes());
        let room = smallest.len() < size as usize;
        if !room && smallest.peek().is_some_and(|(largest, _)| *largest <= hash) {
            continue;
        }
        if !room {
            smallest.pop();
        }
        smallest.push((hash, id.into_bytes()));
    }
    let mut ids: Vec<Vec<u8>> = smallest.into_iter().map(|(_, id)| id).collect();
    ids.sort_unstable();
    let id = |bytes| {
        let document = RawDocumentBuf::from_bytes(bytes).ok()?;
        Bson::try_from(document.get("_id").ok()??).ok()
    };
    Ok(Some(ids.into_iter().filter_map(id).collect()))
}

/// FNV-1a, mixed.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    mix(bytes.iter().fold(0xCBF2_9CE4_8422_2325, step))
}

/// The documents with these `_id`s.
pub(crate) fn with_ids(collection: Collection<RawDocumentBuf>, ids: Vec<Bson>) -> Documents {
    let parts: Vec<Vec<Bson>> = ids.chunks(TOGETHER).map(<[Bson]>::to_vec).collect();
    let parts = futures::stream::iter(parts).then(move |part| {
        let collection = collection.clone();
        async move { collection.find(doc! { "_id": { "$in": part } }).await }
    });
    Box::pin(parts.try_flatten())
}
