//! References that functions of their own store: what a stored value means, only those know.

use bson::{Bson, doc};
use mongo_model::denorm::Defect;
use mongo_model::model::ModelMeta;
use mongo_model::{MongoModel, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::deleting::settled::everything;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "own_tags")]
struct Tag {
    #[serde(rename = "_id")]
    id: i32,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 2] {
    [Tag::meta(), Page::meta()]
}

/// An array, or nothing.
fn lenient<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<i32>, D::Error> {
    Option::<Vec<i32>>::deserialize(from).map(Option::unwrap_or_default)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "own_pages")]
struct Page {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Tag, max = 10, on_delete = cascade)]
    #[serde(deserialize_with = "lenient")]
    plain: Vec<i32>,
}

// The element that leads nowhere is found, and not the array; nothing goes because of it.
#[tokio::test]
async fn arrays_are_looked_at_element_by_element() {
    on_both("own_arrays", async |bench| {
        let db = &bench.db;
        bench.index(&[Tag::meta(), Page::meta()]).await;
        bench.place(&[Tag { id: 1 }, Tag { id: 2 }]).await;
        let page = |id: i32, plain: &[i32]| Page {
            id,
            plain: plain.to_vec(),
        };
        bench
            .place(&[page(1, &[1, 2]), page(2, &[1, 3]), page(3, &[])])
            .await;
        bench
            .seed("own_pages", [doc! { "_id": 4, "plain": Bson::Null }])
            .await;
        let before = everything(bench).await;
        let found = verify(db).models(&models()).await.expect("looked");
        let plain = found.reference("own_pages.plain").expect("looked at");
        assert_eq!(
            (plain.references, plain.count(Defect::Orphan)),
            (4, 1),
            "{found}"
        );
        assert_eq!(plain.findings[0].id, Bson::Int32(2));
        assert_eq!(plain.findings[0].path, "plain.1");
        assert_eq!(plain.findings[0].have, Some(Bson::Int32(3)));
        let done = repair(db).await.expect("repaired");
        assert!(done.is_idle(), "{done}");
        recover(db).await.expect("recovered");
        assert_eq!(everything(bench).await, before);
        // A delete follows what is stored as the key is.
        let done = Tag::delete(db, 2).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        assert_eq!(bench.len("own_pages").await, 3);
    })
    .await;
}
