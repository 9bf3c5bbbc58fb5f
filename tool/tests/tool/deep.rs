//! Documents that are nested as deeply as the server stores them, deeper than a model reads: no command ends with its stack.

use bson::{Bson, RawDocumentBuf, bson, doc};

use crate::support::{Place, cargo_mongo_model, run, target};

/// The deepest value that MongoDB 6.0 stores in a field.
const LEVELS: usize = 178;

fn deep(array: bool) -> Bson {
    (0..LEVELS).fold(Bson::Int32(1), |inner, _| match array {
        true => Bson::Array(vec![inner]),
        false => bson!({ "d": inner }),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_command_ends_with_its_stack() {
    let place = Place::spoiled("deep").await;
    for (n, collection) in ["products", "parts", "strangers"].into_iter().enumerate() {
        for array in [false, true] {
            let id = format!("{n} {array}");
            let document = doc! {
                "_id": &id, "catalog_number": &id, "partno": &id,
                "name": deep(array), "more": deep(!array), "parts": deep(true),
            };
            let raw = RawDocumentBuf::try_from(&document).expect("raw");
            let stored = place.db.collection::<RawDocumentBuf>(collection);
            stored.insert_one(raw).await.expect("stored");
        }
    }
    for args in [
        &["check"][..],
        &["check", "--full"],
        &["verify"],
        &["repair", "--yes"],
        &["backfill", "--yes"],
        &["recover", "--yes"],
        &["migrate", "--yes"],
        &["explain"],
        &["apply", "--yes"],
    ] {
        let ran = place.demo(args);
        assert!(ran.code.is_some(), "{args:?} was killed: {}", ran.err);
    }
    let out = target().join("tmp").join("pull-deep");
    let out = out.to_str().expect("a path");
    let ran = run(
        cargo_mongo_model(),
        &place.arguments(&["pull", "--out", out]),
    );
    assert!(ran.code.is_some(), "`pull` was killed: {}", ran.err);
}
