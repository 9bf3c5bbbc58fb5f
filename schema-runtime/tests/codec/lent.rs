//! Projections that borrow: what serde reads, and nothing of it copied.

use bson::{Bson, Document, RawDocument, doc};
use mongo_model::{Borrowed, Id, MongoModel, MongoProjection};
use proptest::prelude::*;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::mutate::{Node, changed, changes};

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "texts")]
struct Texts {
    #[serde(rename = "_id")]
    id: i64,
    title: String,
    note: Option<String>,
    data: bson::Binary,
    more: Option<bson::Binary>,
    other: Option<Id<Texts>>,
    #[embed(max = 9)]
    words: Vec<String>,
}

#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Texts)]
#[expect(dead_code, reason = "printed")]
struct Seen<'t> {
    #[serde(rename = "_id")]
    id: i64,
    title: &'t str,
    #[serde(borrow)]
    note: Option<&'t str>,
    data: &'t [u8],
    #[serde(borrow, default)]
    more: Option<&'t [u8]>,
    words: Vec<String>,
}

/// Serde reads it in a special way, so that it shows if serde has read it.
#[derive(Debug, MongoProjection)]
#[projection(of = Texts)]
struct Witness<'t> {
    title: &'t str,
}

impl<'de: 't, 't> Deserialize<'de> for Witness<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BySerde;
        impl<'de> Visitor<'de> for BySerde {
            type Value = Witness<'static>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a document")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Witness { title: "by serde" })
            }
        }
        deserializer.deserialize_struct("Witness", &["title"], BySerde)
    }
}

fn sample() -> Document {
    let bytes = |bytes: &[u8]| bson::Binary {
        subtype: bson::spec::BinarySubtype::Generic,
        bytes: bytes.to_vec(),
    };
    doc! { "_id": 7_i64, "title": "grün", "note": "n", "data": bytes(b"abc"), "more": bytes(b""), "words": ["a", "b"] }
}

fn same(bytes: &[u8]) {
    let serde = bson::deserialize_from_slice::<Seen<'_>>(bytes);
    let raw = RawDocument::from_bytes(bytes).expect("a document");
    let ours = <Seen<'_> as Borrowed<Texts>>::read(raw);
    match (serde, ours) {
        (Ok(serde), Ok(ours)) => assert_eq!(format!("{serde:?}"), format!("{ours:?}")),
        (Err(_), Err(_)) => {}
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}\nof {raw:?}"),
    }
}

#[test]
fn it_is_read_without_serde_and_lies_in_the_document() {
    let bytes = bson::serialize_to_vec(&sample()).expect("a document");
    let raw = RawDocument::from_bytes(&bytes).expect("a document");
    let read = <Witness<'_> as Borrowed<Texts>>::read(raw).expect("readable");
    assert_eq!(read.title, "grün");
    assert!(bytes.as_ptr_range().contains(&read.title.as_ptr()));
    // Serde reads what the codec refuses: the title of this document is a number.
    let wrong = bson::serialize_to_vec(&doc! { "title": 1 }).expect("a document");
    let raw = RawDocument::from_bytes(&wrong).expect("a document");
    let read = <Witness<'_> as Borrowed<Texts>>::read(raw).expect("readable");
    assert_eq!(read.title, "by serde");
}

#[test]
fn an_error_names_the_field() {
    let mut wrong = sample();
    wrong.insert("title", 1);
    let wrong = bson::serialize_to_vec(&wrong).expect("a document");
    let raw = RawDocument::from_bytes(&wrong).expect("a document");
    let error = <Seen<'_> as Borrowed<Texts>>::read(raw).expect_err("not text");
    assert_eq!(
        error.to_string(),
        "title: expected a borrowed string, found int32"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_projection_that_borrows_is_the_same(changes in changes()) {
        same(&changed(Node::from(Bson::Document(sample())), changes).bytes());
    }
}
