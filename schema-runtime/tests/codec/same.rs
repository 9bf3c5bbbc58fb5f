//! Ours against serde's, both ways.

use bson::RawDocument;
use mongo_model::__private::{decode_document, encode_document};
use mongo_model::MongoModel;
use proptest::prelude::*;

use super::mutate::{Node, changed, changes};
use super::types::*;

/// Decodes both ways, and encodes both ways what was decoded. Whether there was a value.
pub(crate) fn same<M: MongoModel + std::fmt::Debug>(bytes: &[u8]) -> bool {
    let serde = bson::deserialize_from_slice::<M>(bytes);
    let Ok(raw) = RawDocument::from_bytes(bytes) else {
        assert!(serde.is_err());
        return false;
    };
    let ours = decode_document::<M>(raw);
    let (serde, ours) = match (serde, ours) {
        (Ok(serde), Ok(ours)) => (serde, ours),
        (Err(_), Err(error)) => {
            // It can be said.
            assert!(!error.to_string().is_empty());
            return false;
        }
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}\nof {raw:?}"),
    };
    assert_eq!(format!("{serde:?}"), format!("{ours:?}"), "of {raw:?}");
    match (bson::serialize_to_vec(&ours), encode_document(&ours)) {
        (Ok(serde_bytes), Ok(our_bytes)) => {
            assert_eq!(serde_bytes, our_bytes.as_bytes(), "of {ours:?}");
            // Not equal as values where a NaN is inside, but equal as bytes.
            assert_eq!(
                serde_bytes,
                bson::serialize_to_vec(&serde).expect("the same")
            );
        }
        (Err(_), Err(_)) => {}
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}"),
    }
    true
}

/// What is as declared is done without serde: otherwise the other tests compare serde with itself.
fn generated<M: Sample>() {
    let bytes = bson::serialize_to_vec(&M::sample()).expect("a document");
    assert!(same::<M>(&bytes), "the sample is readable");
    let raw = RawDocument::from_bytes(&bytes).expect("a document");
    let value: M = bson::deserialize_from_slice(&bytes).expect("readable");
    let taken = M::CODEC.map(|codec| {
        (
            codec.decode(raw).is_ok(),
            codec.append(&value, &mut Vec::new()).is_ok(),
        )
    });
    let expected = if M::GENERATED {
        (true, true)
    } else {
        (false, false)
    };
    assert_eq!(
        (M::GENERATED, taken.unwrap_or_default()),
        (M::GENERATED, expected),
        "{taken:?}"
    );
}

macro_rules! models {
    ($($module:ident: $model:ty;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn is_generated() {
                generated::<$model>();
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

                #[test]
                fn is_the_same(changes in changes()) {
                    same::<$model>(&changed(Node::from(bson::Bson::Document(<$model>::sample())), changes).bytes());
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
    defaults: Defaults;
    strict_fields: Strict;
    nested: Nested;
    many: Many;
    flat: Flat;
    renamed: Renamed;
    by_hand: ByHand;
    source: Source;
    holder: Holder;
    documents: Documents;
}
