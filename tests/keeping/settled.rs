//! Invariants that hold whenever nothing is under way.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{MongoModel, recover};

use crate::common::Bench;

/// No document carries a flag, and a second propagation of everything finds nothing to do and changes nothing.
pub(crate) async fn settled(bench: &Bench) {
    let before = everything(bench).await;
    for (collection, document) in &before {
        let dn = document.get_document("_dn").cloned().unwrap_or_default();
        for flag in ["p", "u", "b", "o", "v", "c"] {
            assert!(!dn.contains_key(flag), "{collection}: {document}");
        }
        assert!(
            !dn.is_empty() || !document.contains_key("_dn"),
            "{document}"
        );
        let counted = dn
            .get_document("k")
            .ok()
            .and_then(|k| k.get_array("a").ok());
        assert!(counted.is_none_or(Vec::is_empty), "{document}");
    }
    bench.forget();
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    let sent = bench.sent();
    assert!(sent.iter().all(|name| name == "find"), "{sent:?}");
    // As text: a float that is no number is equal to nothing.
    let after = everything(bench).await;
    assert_eq!(format!("{after:?}"), format!("{before:?}"));
    bench.forget();
}

/// Every document of the database, with its collection.
pub(crate) async fn everything(bench: &Bench) -> Vec<(String, Document)> {
    let mut names = bench.db.list_collection_names().await.expect("listed");
    names.sort();
    let mut out = Vec::new();
    for name in names {
        let found = bench.raw(&name).find(doc! {}).sort(doc! { "_id": 1 }).await;
        let found: Vec<Document> = found.expect("read").try_collect().await.expect("read");
        out.extend(found.into_iter().map(|document| (name.clone(), document)));
    }
    bench.forget();
    out
}

/// The stored document of a model, as the driver reads it; clears the command log.
pub(crate) async fn shown<M: MongoModel>(bench: &Bench, id: &M::Id) -> Document {
    let id = bson::serialize_to_bson(id).expect("encodes");
    bench.stored(M::meta().collection, id).await
}

/// A number of either width.
pub(crate) fn number(document: &Document, field: &str) -> i64 {
    match document.get(field) {
        Some(Bson::Int32(n)) => i64::from(*n),
        Some(Bson::Int64(n)) => *n,
        other => panic!("{field}: {other:?}"),
    }
}
