//! Bytes that no encoder wrote.

use proptest::prelude::*;

use super::compare::same;
use super::types::*;

/// Cut off at every byte, as it is and with a length and an end that fit.
fn cut<M: Sample>() {
    let bytes = bson::serialize_to_vec(&M::sample()).expect("a document");
    for len in 0..bytes.len() {
        let mut cut = bytes[..len].to_vec();
        same::<M>(&cut);
        if len > 4 {
            cut.push(0);
            let whole = i32::try_from(cut.len()).expect("small");
            cut[..4].copy_from_slice(&whole.to_le_bytes());
            same::<M>(&cut);
        }
    }
}

/// A valid document with a few other bytes.
fn corrupt<M: Sample>(changes: &[(usize, u8)], whole: bool) {
    let mut bytes = bson::serialize_to_vec(&M::sample()).expect("a document");
    // The outer length and end are right in every second case, so that the inside is reached.
    let (from, to) = if whole {
        (4, bytes.len() - 1)
    } else {
        (0, bytes.len())
    };
    for (at, byte) in changes {
        bytes[from + at % (to - from)] = *byte;
    }
    same::<M>(&bytes);
}

macro_rules! models {
    ($($module:ident: $model:ty;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn cut_off() {
                cut::<$model>();
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

                #[test]
                fn corrupted(
                    changes in prop::collection::vec((any::<usize>(), prop_oneof![any::<u8>(), 0..20_u8, Just(0xff)]), 1..4),
                    whole in any::<bool>(),
                ) {
                    corrupt::<$model>(&changes, whole);
                }
            }
        }
    )*};
}

models! {
    numbers: Numbers;
    values: Values;
    others: Others;
    attributes: Attributes;
    functions: Functions;
    nested: Nested;
    many: Many;
    holder: Holder;
    documents: Documents;
    events: Events;
    kinds: Kinds;
}

#[test]
fn a_length_says_nothing_about_memory() {
    // An array that claims 2 GiB, a string that claims 4 GiB less one byte.
    for len in [i32::MAX, -1, i32::MIN, 0, 4, 5] {
        let mut bytes =
            bson::serialize_to_vec(&bson::doc! { "_id": id(), "list": [[1]] }).expect("a document");
        let at = bytes.len() - 21;
        bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
        same::<Many>(&bytes);
    }
}
