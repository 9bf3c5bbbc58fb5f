//! As large and as deep as MongoDB's limits.

use bson::{Bson, Document, bson, doc};

use super::compare::same;
use super::types::{Many, Sample};

/// The largest document that the server accepts, in bytes.
const MOST: usize = 16 * 1024 * 1024;
/// How deep an element of an array may be nested: the array and the document are levels, too.
const DEEPEST: usize = 98;

fn bytes(document: &Document) -> Vec<u8> {
    bson::serialize_to_vec(document).expect("a document")
}

#[test]
fn a_document_of_16_mib() {
    let mut document = Many::sample();
    let words: Vec<Bson> = (0..16 * 1024 - 64)
        .map(|n| format!("{n:0>1005}").into())
        .collect();
    document.insert("queue", words);
    document.insert("hashed", doc! {});
    document.insert("any", bson!([""]));
    let rest = MOST - bytes(&document).len();
    document.insert("any", bson!(["x".repeat(rest)]));
    let bytes = bytes(&document);
    assert_eq!(bytes.len(), MOST);
    assert!(same::<Many>(&bytes), "it is readable");
}

#[test]
fn documents_as_deep_as_mongodb_documents() {
    // Without optimisation BSON's own reader takes over a megabyte for this.
    let deep = std::thread::Builder::new().stack_size(32 * 1024 * 1024);
    deep.spawn(|| [DEEPEST - 1, DEEPEST, DEEPEST + 1, 175].map(deep_as))
        .expect("started")
        .join()
        .expect("the same");
}

fn deep_as(depth: usize) {
    let inner = |wrap: fn(Bson) -> Bson| (0..depth).fold(Bson::Int32(1), |inner, _| wrap(inner));
    for any in [
        inner(|inner| bson!({ "d": inner })),
        inner(|inner| bson!([inner])),
    ] {
        let mut document = Many::sample();
        document.insert("any", vec![any]);
        let readable = same::<Many>(&bytes(&document));
        assert_eq!(readable, depth <= DEEPEST, "{depth} levels");
    }
}
