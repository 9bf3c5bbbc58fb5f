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
        for flag in ["p", "o", "u", "v", "b"] {
            assert!(!dn.contains_key(flag), "{collection}: {document}");
        }
        assert!(
            !dn.is_empty() || !document.contains_key("_dn"),
            "{document}"
        );
    }
    bench.forget();
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    let sent = bench.sent();
    assert!(sent.iter().all(|name| name == "find"), "{sent:?}");
    assert_eq!(everything(bench).await, before);
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
    out
}

/// The stored document of a model, as the driver reads it; clears the command log.
pub(crate) async fn shown<M: MongoModel>(bench: &Bench, id: &M::Id) -> Document {
    let id = bson::serialize_to_bson(id).expect("encodes");
    bench.stored(M::meta().collection, id).await
}

/// The revision that a stored source has.
pub(crate) async fn revision<M: MongoModel>(bench: &Bench, id: &M::Id) -> Bson {
    let stored = shown::<M>(bench, id).await;
    let dn = stored.get_document("_dn").expect("a source");
    dn.get("r").cloned().expect("a revision")
}

/// The stored document without the library's fields.
pub(crate) fn plain(document: Document) -> Document {
    fn strip(value: Bson) -> Bson {
        match value {
            Bson::Document(inner) => Bson::Document(plain(inner)),
            Bson::Array(elements) => Bson::Array(elements.into_iter().map(strip).collect()),
            other => other,
        }
    }
    let own = |key: &str| key != "_dn" && key != "_r" && !key.starts_with("_r_");
    document
        .into_iter()
        .filter(|(key, _)| own(key))
        .map(|(key, value)| (key, strip(value)))
        .collect()
}
