//! Ours against serde's, both ways.

use bson::RawDocument;
use mongo_model::__private::{Checked, Codec};
use mongo_model::Projected;
use proptest::prelude::*;

use super::compare::same;
use super::mutate::{Node, changed, changes};
use super::types::*;

/// Checks that a document as declared is read and written without serde: otherwise the other tests compare serde with itself.
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
    events: Events;
    oddities: Oddities;
    kinds: Kinds;
}

#[test]
fn an_enum_that_is_read_by_hand_is_read_by_hand() {
    let mut document = Oddities::sample();
    assert!(same::<Oddities>(
        &bson::serialize_to_vec(&document).expect("a document")
    ));
    document.insert("odd", bson::doc! { "kind": "A", "n": 2 });
    assert!(!same::<Oddities>(
        &bson::serialize_to_vec(&document).expect("a document")
    ));
}

/// A projection is only read.
fn same_part(bytes: &[u8]) {
    let serde = bson::deserialize_from_slice::<NestedPart>(bytes);
    let raw = RawDocument::from_bytes(bytes).expect("a document");
    let ours = <NestedPart as Projected<Nested>>::read(raw);
    match (serde, ours) {
        (Ok(serde), Ok(ours)) => assert_eq!(format!("{serde:?}"), format!("{ours:?}")),
        (Err(_), Err(_)) => {}
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}\nof {raw:?}"),
    }
}

#[test]
fn a_projection_is_generated() {
    let bytes = bson::serialize_to_vec(&Nested::sample()).expect("a document");
    let raw = RawDocument::from_bytes(&bytes).expect("a document");
    static CHECKED: Checked = Checked::new();
    let codec = Codec::<NestedPart>::generated(&CHECKED);
    assert!(codec.decode(raw).is_ok());
    assert!(<NestedPart as Projected<Nested>>::READ.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_projection_is_the_same(changes in changes()) {
        same_part(&changed(Node::from(bson::Bson::Document(Nested::sample())), changes).bytes());
    }
}
