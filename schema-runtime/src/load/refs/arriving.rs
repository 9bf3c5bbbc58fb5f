//! Joins by object id whose documents are decoded as they arrive: each is read while it is in the processor's cache, and no batch is kept.

use std::num::NonZeroU32;
use std::ops::Range;

use bson::RawBsonRef;
use bson::oid::ObjectId;

use crate::driver;
use crate::driver::rows::Batch;
use crate::error::Result;
use crate::load::ids::RefId;
use crate::load::policy::Policy;
use crate::projection::Projected;
use crate::schema::model::Model;

/// The references of a join, by the id that they hold.
pub(super) struct References {
    /// Sorted numbers, each for a reference: an id in the upper 96 bits, the number of the reference in the lower 32, counted over all
    /// documents of the caller. The ids are in the order of the index that the server reads them by, so the next document to arrive is
    /// nearly always that of the next id.
    packed: Vec<u128>,
    /// The number of references, with those that are null.
    count: usize,
    /// The index in `packed` behind the references to the document that arrived last.
    next: usize,
}

/// An id and the number of a reference as one number, which sorts as the id does.
fn pack(id: ObjectId, reference: u32) -> u128 {
    let mut all = [0; 16];
    all[..12].copy_from_slice(&id.bytes());
    all[12..].copy_from_slice(&reference.to_be_bytes());
    u128::from_be_bytes(all)
}

fn id_of(packed: u128) -> u128 {
    packed >> 32
}

impl References {
    /// `None` unless each reference holds an object id or a null.
    pub(super) fn of(ids: &[Vec<RefId>]) -> Option<Self> {
        let count = ids.iter().map(Vec::len).sum();
        u32::try_from(count).ok()?;
        let mut packed = Vec::with_capacity(count);
        for (n, id) in (0_u32..).zip(ids.iter().flatten()) {
            match id {
                RefId::Object(id) => packed.push(pack(*id, n)),
                RefId::Other(_) if id.is_null() => {}
                RefId::Other(_) => return None,
            }
        }
        packed.sort_unstable();
        Some(References {
            packed,
            count,
            next: 0,
        })
    }

    /// Each id once, sorted.
    pub(super) fn distinct(&self) -> Vec<RefId> {
        let mut distinct = Vec::with_capacity(self.packed.len());
        let mut last = None;
        for &packed in &self.packed {
            let id = id_of(packed);
            if last != Some(id) {
                last = Some(id);
                let mut bytes = [0; 12];
                bytes.copy_from_slice(&packed.to_be_bytes()[..12]);
                distinct.push(RefId::Object(ObjectId::from_bytes(bytes)));
            }
        }
        distinct
    }

    /// The references to a document, as a range of the sorted ones.
    fn take(&mut self, id: ObjectId) -> Range<usize> {
        let first = pack(id, 0);
        let id = id_of(first);
        let is_next = self.packed.get(self.next).copied().map(id_of) == Some(id);
        let start = match is_next {
            true => self.next,
            false => self.packed.partition_point(|&packed| packed < first),
        };
        let same = self.packed[start..].iter();
        let end = start + same.take_while(|packed| id_of(**packed) == id).count();
        self.next = end;
        start..end
    }

    /// The place of each reference in the sorted ones; `None` for a null.
    fn places(&self) -> Vec<Option<NonZeroU32>> {
        let mut places = vec![None; self.count];
        for (place, packed) in (1..).zip(&self.packed) {
            #[expect(clippy::cast_possible_truncation, reason = "the lower 32 bits")]
            let reference = *packed as u32;
            places[reference as usize] = NonZeroU32::new(place);
        }
        places
    }
}

/// The values of the references, in the order of their ids. A document that arrives is written where the one before it was: in the order
/// of the caller's references, each value would wait for memory.
pub(super) struct Arrived<Y: Policy, O: Send + Sync> {
    references: References,
    values: Vec<Option<Y::Given<O>>>,
}

impl<Y: Policy, O: Send + Sync> Arrived<Y, O> {
    pub(super) fn new(references: References) -> Self {
        let mut values = Vec::new();
        values.resize_with(references.packed.len(), || None);
        Arrived { references, values }
    }

    /// The slots of each document of the caller, one per reference.
    pub(super) fn into_slots(mut self, ids: &[Vec<RefId>]) -> Vec<Vec<Option<Y::Given<O>>>> {
        let places = self.references.places();
        let mut places = places.into_iter();
        let mut value = |place: Option<NonZeroU32>| {
            let place = place?.get() as usize - 1;
            self.values[place].take()
        };
        let slots = ids.iter().map(|ids| {
            let places = places.by_ref().take(ids.len());
            places.map(&mut value).collect()
        });
        slots.collect()
    }
}

/// Decodes the documents of a batch, and gives the references to each their values.
pub(super) fn decode<M: Model, Y: Policy, O: Projected<M>>(
    mut batch: Batch,
    arrived: &mut Arrived<Y, O>,
) -> Result<()> {
    while let Some(raw) = batch.next() {
        let raw = raw?;
        let Ok(Some(RawBsonRef::ObjectId(id))) = raw.get("_id") else {
            continue;
        };
        let mut kept = None;
        let same = arrived.references.take(id);
        for value in &mut arrived.values[same] {
            *value = Some(Y::give(Some(&mut kept), || driver::decode_as::<M, O>(raw))?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bson::Bson;
    use bson::oid::ObjectId;

    use std::num::NonZeroU32;

    use super::{RefId, References};

    fn id(n: u8) -> ObjectId {
        let mut bytes = [0xff; 12];
        bytes[11] = n;
        ObjectId::from_bytes(bytes)
    }

    fn ids(of: &[&[Option<u8>]]) -> Vec<Vec<RefId>> {
        let one = |n: &Option<u8>| RefId::from(n.map_or(Bson::Null, |n| Bson::ObjectId(id(n))));
        of.iter().map(|ids| ids.iter().map(one).collect()).collect()
    }

    #[test]
    fn documents_find_their_references_in_any_order() {
        let ids = ids(&[
            &[Some(3), Some(1), None],
            &[],
            &[Some(1), Some(3), Some(3), Some(0)],
        ]);
        let mut references = References::of(&ids).expect("object ids");
        let distinct: Vec<Bson> = references.distinct().iter().map(RefId::to_bson).collect();
        assert_eq!(distinct, [0, 1, 3].map(|n| Bson::ObjectId(id(n))));
        let places = references.places();
        // The numbers of the references to each id, with the null in their count.
        let expected: [(u8, &[usize]); 4] = [(0, &[6]), (1, &[1, 3]), (2, &[]), (3, &[0, 4, 5])];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 1, 3, 0]] {
            for n in order {
                let taken = references.take(id(n));
                let is_taken = |place: &Option<NonZeroU32>| {
                    place.is_some_and(|place| taken.contains(&(place.get() as usize - 1)))
                };
                let numbers: Vec<usize> = (0..7).filter(|n| is_taken(&places[*n])).collect();
                assert_eq!(numbers, expected[usize::from(n)].1, "{order:?}: {n}");
            }
        }
    }

    #[test]
    fn other_ids_are_left_to_the_general_join() {
        let text = vec![vec![
            RefId::from(Bson::ObjectId(id(1))),
            RefId::from(Bson::String("a".to_owned())),
        ]];
        assert!(References::of(&text).is_none());
    }
}
