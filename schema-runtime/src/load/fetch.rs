//! Asking for documents by their ids.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::ops::Range;

use bson::{Bson, Document, RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, cstr, doc};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};

use super::ids::{Place, RefId, size};
use crate::bson_util::id_key::{IdKey, IdMap, IdSet};
use crate::codec::{Index, Refused, Writer};
use crate::driver::rows::Batch;
use crate::driver::{self, ClientSession, Database, FindArgs, Reads, Rows};
use crate::error::{Error, Result};
use crate::projection;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::DocumentScope;

/// Distinct ids in one command: the server's time grows linearly with them, so chunks cost nothing, bound what one reply holds, and let the
/// server find some while others are decoded.
const CHUNK_IDS: usize = 2_500;

/// Commands of one join that are under way at a time.
const AT_ONCE: usize = 2;

/// Parents in one command of a reverse join: `$lookup` runs once for each.
const CHUNK_KEYS: usize = 1_000;

/// Bytes of ids in one command; the server takes 16 MiB.
const CHUNK_BYTES: usize = 8 << 20;

/// Bytes of ids in one command that cannot be cut because its result is sorted.
const SORTED_BYTES: usize = 15 << 20;

/// The options of a fetch besides the ids of the documents.
#[derive(Debug, Default)]
pub(super) struct FetchRequest {
    pub(super) filter: Option<Document>,
    /// The documents that the fetch finds, where their model has `soft_delete`.
    pub(super) scope: DocumentScope,
    pub(super) sort: Option<Document>,
    pub(super) projection: Option<Document>,
}

/// The documents found, still encoded, so that each reference to a document can decode a value of its own.
pub(super) struct Found {
    /// The batches as the server sent them.
    batches: Vec<Batch>,
    /// The documents that the caller had already.
    known: Vec<RawDocumentBuf>,
    documents: IdMap<Lies>,
    /// The `_id`s of the documents that have the same key.
    ambiguous: IdMap<Vec<Bson>>,
    /// The number of documents that the server has sent.
    sent: usize,
    /// True if the command had a sort order.
    sorted: bool,
}

/// A document for a reference.
#[derive(Clone, Copy)]
pub(super) struct One<'f> {
    /// The position of the document among all documents found; `None` for a value that only this reference holds (its copies).
    pub(super) place: Option<usize>,
    /// The place of the document in the order that the server gave.
    pub(super) rank: usize,
    pub(super) raw: &'f RawDocument,
}

/// The place of a document's bytes.
#[derive(Clone)]
enum Lies {
    /// The index among the documents that the caller had already.
    Known(usize),
    /// In a batch; with the document's place in the order that the server gave.
    Sent {
        rank: usize,
        batch: usize,
        place: Range<usize>,
    },
}

impl Found {
    pub(super) fn get(&self, id: &IdKey) -> Option<One<'_>> {
        self.locate(self.documents.get(id)?)
    }

    /// The `_id`s of the documents that have this key, if several have it.
    pub(super) fn ambiguous(&self, key: &IdKey) -> Option<&[Bson]> {
        self.ambiguous.get(key).map(Vec::as_slice)
    }

    /// With `strict`, refuses a key that several documents have.
    pub(super) fn no_ambiguous<'i>(
        &self,
        place: &Place,
        target: &'static ModelMeta,
        ids: impl Iterator<Item = &'i RefId>,
    ) -> Result<()> {
        let mut seen = IdSet::default();
        let ambiguous = ids.filter_map(|id| {
            let key = id.key();
            let several = self.ambiguous(&key)?.to_vec();
            seen.insert(key).then(|| (id.to_bson(), several))
        });
        let documents: Vec<(Bson, Vec<Bson>)> = ambiguous.collect();
        if documents.is_empty() {
            return Ok(());
        }
        Err(Error::Ambiguous {
            model: place.model,
            field: place.field.clone(),
            target: target.name,
            key: place.key,
            documents,
        })
    }

    fn locate(&self, lies: &Lies) -> Option<One<'_>> {
        match lies {
            Lies::Known(n) => Some(One {
                place: Some(*n),
                rank: 0,
                raw: self.known.get(*n)?,
            }),
            Lies::Sent { rank, batch, place } => Some(One {
                place: Some(self.known.len() + rank),
                rank: *rank,
                // The batch was checked when it came.
                raw: self.batches.get(*batch)?.get(place.clone()).ok()?,
            }),
        }
    }

    /// The number of documents, those that the caller had included.
    pub(super) fn len(&self) -> usize {
        self.known.len() + self.sent
    }

    /// Adds the documents of a batch; `key` is the field whose values the ids are.
    fn take(&mut self, mut batch: Batch, key: &str) -> Result<()> {
        let mut twice = Vec::new();
        while let Some(place) = batch.place() {
            let id = key_of(batch.get(place.clone())?, key);
            let lies = Lies::Sent {
                rank: self.sent,
                batch: self.batches.len(),
                place,
            };
            self.sent += 1;
            match self.documents.entry(id) {
                Entry::Occupied(entry) => twice.push((entry.key().clone(), lies)),
                Entry::Vacant(entry) => drop(entry.insert(lies)),
            }
        }
        self.batches.push(batch);
        for (key, lies) in twice {
            self.add_same_key(key, lies);
        }
        Ok(())
    }

    /// Adds a further document with a key. The order in which such documents came does not decide which of them is given, unless it is the
    /// order that was asked for. A document that changed while it was read may come twice.
    fn add_same_key(&mut self, key: IdKey, lies: Lies) {
        let id_of = |lies: Option<&Lies>| {
            let raw = lies
                .and_then(|lies| self.locate(lies))
                .map(|found| found.raw);
            let id = raw.and_then(|raw| raw.get("_id").ok().flatten());
            id.and_then(|id| Bson::try_from(id).ok())
                .unwrap_or(Bson::Null)
        };
        let (first, second) = (id_of(self.documents.get(&key)), id_of(Some(&lies)));
        let (a, b) = (IdKey::new(&first), IdKey::new(&second));
        if a == b {
            return;
        }
        let ids = self.ambiguous.entry(key.clone());
        let ids = ids.or_insert_with(|| vec![first]);
        if !ids.contains(&second) {
            ids.push(second);
        }
        if b < a && !self.sorted {
            self.documents.insert(key, lies);
        }
    }
}

fn key_of(raw: &RawDocument, key: &str) -> IdKey {
    let id = raw.get(key).ok().flatten();
    IdKey::of_raw(id.unwrap_or(RawBsonRef::Null))
}

/// The ids in chunks of at most so many ids and so many bytes.
pub(super) fn chunks<T>(
    ids: &[T],
    most: usize,
    bytes: usize,
    size: impl Fn(&T) -> usize,
) -> Vec<&[T]> {
    let mut out = Vec::new();
    let (mut start, mut room) = (0, bytes);
    for (n, id) in ids.iter().enumerate() {
        let size = size(id);
        if n > start && (n - start == most || size > room) {
            out.push(&ids[start..n]);
            (start, room) = (n, bytes);
        }
        room = room.saturating_sub(size);
    }
    if start < ids.len() {
        out.push(&ids[start..]);
    }
    out
}

/// The parents of a reverse join in the chunks in which they are sent.
pub(super) fn key_chunks(keys: &[Bson]) -> Vec<&[Bson]> {
    chunks(keys, CHUNK_KEYS, CHUNK_BYTES, size)
}

/// Sorted, the ids meet the pages of the index in the order in which those lie.
fn sort(ids: &mut [RefId]) {
    ids.sort_unstable_by(|a, b| match (a, b) {
        (RefId::Object(a), RefId::Object(b)) => a.bytes().cmp(&b.bytes()),
        (RefId::Object(_), RefId::Other(_)) => Ordering::Less,
        (RefId::Other(_), RefId::Object(_)) => Ordering::Greater,
        (RefId::Other(a), RefId::Other(b)) => match (&**a, &**b) {
            (Bson::String(a), Bson::String(b)) => a.cmp(b),
            (Bson::Int32(a), Bson::Int32(b)) => a.cmp(b),
            (Bson::Int64(a), Bson::Int64(b)) => a.cmp(b),
            _ => IdKey::new(a).cmp(&IdKey::new(b)),
        },
    });
}

/// `{ key: { "$in": ids } }`, with the additional filter of the request.
fn filter(place: &Place, ids: &[RefId], asked: Option<&Document>) -> Result<RawDocumentBuf> {
    let room = 32 + ids.iter().map(RefId::size).sum::<usize>();
    let mut list = Writer::after(Vec::with_capacity(room), 0);
    let written = (|| {
        let document = list.document(&[]);
        let array = list.array(b"$in\0");
        let mut index = Index::FIRST;
        for id in ids {
            id.write(index.key(), &mut list)?;
            index.step();
        }
        list.close(array)?;
        list.close(document)
    })();
    let list = match written {
        Ok(()) => RawDocumentBuf::from_bytes(list.into_bytes()),
        // An id has a type that the codec does not write.
        Err(Refused) => {
            let ids: Vec<Bson> = ids.iter().map(RefId::to_bson).collect();
            if !ids.iter().all(crate::filter::whole::is_compared_in_lists) {
                let text = "a pattern, or a document whose keys begin with `$`, is no id";
                let source = <bson::error::Error as serde::de::Error>::custom(text);
                return Err(place.encode_error(source.into()));
            }
            RawDocumentBuf::try_from(&doc! { "$in": ids })
        }
    };
    let unencodable = |source: bson::error::Error| place.encode_error(source.into());
    let mut filter = RawDocumentBuf::new();
    filter.append(
        bson::raw::CString::try_from(place.key).map_err(unencodable)?,
        list.map_err(unencodable)?,
    );
    let Some(asked) = asked else {
        return Ok(filter);
    };
    let asked = RawDocumentBuf::try_from(asked).map_err(unencodable)?;
    let mut both = RawArrayBuf::new();
    both.push(filter);
    both.push(asked);
    let mut filter = RawDocumentBuf::new();
    filter.append(cstr!("$and"), both);
    Ok(filter)
}

/// Loads the documents with these ids that the caller does not have yet: requests each distinct id once.
pub(super) fn fetch<'f>(
    db: &'f Database,
    target: &'static ModelMeta,
    place: &'f Place,
    ids: &'f [Vec<RefId>],
    asked: FetchRequest,
    mut known: Vec<RawDocumentBuf>,
    session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Found>> {
    Box::pin(async move {
        known.retain(|raw| asked.scope.admits(target, raw));
        let mut found = Found {
            documents: IdMap::default(),
            ambiguous: IdMap::default(),
            batches: Vec::new(),
            known,
            sent: 0,
            sorted: asked.sort.is_some(),
        };
        for n in 0..found.known.len() {
            let key = key_of(&found.known[n], place.key);
            match found.documents.entry(key.clone()) {
                Entry::Occupied(_) => found.add_same_key(key, Lies::Known(n)),
                Entry::Vacant(entry) => drop(entry.insert(Lies::Known(n))),
            }
        }
        let mut distinct = Vec::new();
        let mut seen = IdSet::default();
        for id in ids.iter().flatten().filter(|id| !id.is_null()) {
            let key = id.key();
            if !found.documents.contains_key(&key) && seen.insert(key) {
                distinct.push(id.clone());
            }
        }
        drop(seen);
        sort(&mut distinct);
        found.documents.reserve(distinct.len());
        let take = |batch| found.take(batch, place.key);
        request(db, target, place, &distinct, asked, session, take).await?;
        Ok(found)
    })
}

/// Requests the documents with these ids, each of which is given once, and gives the batches to `take` as they arrive.
pub(super) async fn request(
    db: &Database,
    target: &'static ModelMeta,
    place: &Place,
    ids: &[RefId],
    asked: FetchRequest,
    mut session: Option<&mut ClientSession>,
    mut take: impl FnMut(Batch) -> Result<()>,
) -> Result<()> {
    let condition = match (asked.filter, asked.scope.condition(target)) {
        (Some(filter), Some(scope)) => Some(doc! { "$and": [filter, scope] }),
        (filter, scope) => filter.or(scope),
    };
    let projection = asked
        .projection
        .map(|projection| projection::with_path(projection, place.key))
        // The `_id` distinguishes documents that have the same key.
        .map(|projection| projection::with_path(projection, "_id"));
    let chunks = if asked.sort.is_some() {
        chunks(ids, usize::MAX, SORTED_BYTES, RefId::size)
    } else {
        chunks(ids, CHUNK_IDS, CHUNK_BYTES, RefId::size)
    };
    if asked.sort.is_some() && chunks.len() > 1 {
        return Err(Error::TooManyToSort {
            field: format!("{}.{}", place.model, place.field),
            ids: ids.len(),
        });
    }
    let args = |chunk: &[RefId]| FindArgs {
        // Asks for one more than there can be, so that the server closes the cursor with the first batch.
        batch_size: u32::try_from(chunk.len() + 1).ok(),
        sort: asked.sort.clone(),
        projection: projection.clone(),
        reads: Reads::AsConfigured,
        ..FindArgs::default()
    };
    let filters = chunks.into_iter().map(|chunk| {
        let filter = filter(place, chunk, condition.as_ref());
        filter.map(|filter| (filter, args(chunk)))
    });
    let filters: Vec<(RawDocumentBuf, FindArgs)> = filters.collect::<Result<_>>()?;
    let name = target.collection;
    if session.is_some() || filters.len() == 1 {
        for (filter, args) in filters {
            let rows = driver::open_raw(db, name, &filter, args, session.as_deref_mut()).await?;
            take_all(rows, &mut take).await?;
        }
        return Ok(());
    }
    let opened: Vec<BoxFuture<'_, _>> = filters
        .iter()
        .map(|(filter, args)| driver::open_raw(db, name, filter, args.clone(), None).boxed())
        .collect();
    let mut opened = futures::stream::iter(opened).buffered(AT_ONCE);
    while let Some(rows) = opened.try_next().await? {
        take_all(rows, &mut take).await?;
    }
    Ok(())
}

async fn take_all(mut rows: Rows<'_>, take: &mut impl FnMut(Batch) -> Result<()>) -> Result<()> {
    while let Some(batch) = rows.batch().await? {
        take(batch)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, doc, oid::ObjectId};

    use super::{chunks, size};

    #[test]
    fn chunks_are_cut_by_number_and_by_bytes() {
        let ids: Vec<Bson> = (0..25).map(Bson::Int32).collect();
        let lengths =
            |chunks: Vec<&[Bson]>| chunks.iter().map(|chunk| chunk.len()).collect::<Vec<_>>();
        assert_eq!(lengths(chunks(&ids, 10, 1 << 20, size)), [10, 10, 5]);
        let bytes = 10 * size(&ids[0]);
        assert_eq!(lengths(chunks(&ids, 100, bytes, size)), [10, 10, 5]);
        // An id that is too long for any chunk has one of its own.
        let long = Bson::String("x".repeat(1_000));
        let ids = [Bson::Int32(1), long.clone(), long, Bson::Int32(2)];
        assert_eq!(lengths(chunks(&ids, 10, 500, size)), [1, 1, 1, 1]);
        assert!(chunks(&[], 10, 500, size).is_empty());
        assert_eq!(chunks(&ids, 10, 500, size).concat(), ids);
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
