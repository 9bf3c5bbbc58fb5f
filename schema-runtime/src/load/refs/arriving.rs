//! Joins by object id whose documents are decoded as they arrive: each is read while it is in the processor's cache, and no batch is kept.

use bson::RawBsonRef;
use bson::oid::ObjectId;

use crate::driver;
use crate::driver::rows::Batch;
use crate::error::Result;
use crate::load::ids::RefId;
use crate::load::policy::Policy;
use crate::projection::Projected;
use crate::schema::model::Model;

/// The number of a reference, and where its value goes: which document of the caller, and which of that document's references.
type Slot = (u32, u32);

/// The references of a join, by the id that they hold.
pub(super) struct References {
    /// One number per reference, sorted: an id in the upper 96 bits, the index of the reference in `slots` in the lower 32. The ids are in
    /// the order of the index that the server reads them by, so the next document to arrive is nearly always that of the next id.
    packed: Vec<u128>,
    slots: Vec<Slot>,
    /// The index in `packed` behind the references to the document that arrived last.
    next: usize,
}

/// An id and the index of a reference as one number, which sorts as the id does.
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
        let all = ids.iter().map(Vec::len).sum();
        u32::try_from(all).ok()?;
        let (mut packed, mut slots) = (Vec::with_capacity(all), Vec::with_capacity(all));
        for (n, ids) in (0_u32..).zip(ids) {
            for (k, id) in (0_u32..).zip(ids) {
                match id {
                    RefId::Object(id) => {
                        packed.push(pack(*id, u32::try_from(slots.len()).ok()?));
                        slots.push((n, k));
                    }
                    RefId::Other(_) if id.is_null() => {}
                    RefId::Other(_) => return None,
                }
            }
        }
        packed.sort_unstable();
        Some(References {
            packed,
            slots,
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

    /// The slots of the references to a document.
    fn take(&mut self, id: ObjectId) -> impl Iterator<Item = Slot> + '_ {
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
        let references = &self.packed[start..end];
        #[expect(clippy::cast_possible_truncation, reason = "the lower 32 bits")]
        references
            .iter()
            .map(|&packed| self.slots[packed as u32 as usize])
    }
}

/// One slot per reference of each document of the caller.
pub(super) type Values<Y, O> = Vec<Vec<Option<<Y as Policy>::Given<O>>>>;

/// The slots of references whose documents are not there yet.
pub(super) fn no_values<Y: Policy, O: Send + Sync>(ids: &[Vec<RefId>]) -> Values<Y, O> {
    let slots = ids.iter().map(|ids| {
        let mut slots = Vec::with_capacity(ids.len());
        slots.resize_with(ids.len(), || None);
        slots
    });
    slots.collect()
}

/// Decodes the documents of a batch, and gives the references to each their values.
pub(super) fn decode<M: Model, Y: Policy, O: Projected<M>>(
    mut batch: Batch,
    references: &mut References,
    values: &mut Values<Y, O>,
) -> Result<()> {
    while let Some(raw) = batch.next() {
        let raw = raw?;
        let Ok(Some(RawBsonRef::ObjectId(id))) = raw.get("_id") else {
            continue;
        };
        let mut kept = None;
        for (n, k) in references.take(id) {
            let value = Y::give(Some(&mut kept), || driver::decode_as::<M, O>(raw))?;
            values[n as usize][k as usize] = Some(value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bson::Bson;
    use bson::oid::ObjectId;

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
        let expected: [(u8, &[(u32, u32)]); 4] = [
            (0, &[(2, 3)]),
            (1, &[(0, 1), (2, 0)]),
            (2, &[]),
            (3, &[(0, 0), (2, 1), (2, 2)]),
        ];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 1, 3, 0]] {
            for n in order {
                let taken: Vec<_> = references.take(id(n)).collect();
                assert_eq!(taken, expected[usize::from(n)].1, "{order:?}: {n}");
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
