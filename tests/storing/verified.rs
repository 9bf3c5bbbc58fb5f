//! `verify` reads the documents of models without references, too. And an id is a value of BSON.

use bson::{Bson, doc};
use mongo_model::{Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lone")]
struct Lone {
    #[serde(rename = "_id")]
    id: Id<Lone>,
    size: i32,
}

#[tokio::test]
async fn a_document_without_references_that_cannot_be_decoded_is_reported() {
    alone("verified_lone", async |bench| {
        let db = &bench.db;
        let lone = Lone {
            id: Id::new(),
            size: 1,
        };
        Lone::insert(db, &lone).await.expect("stored");
        assert!(verify(db).await.expect("verified").is_clean());
        let other: Id<Lone> = Id::new();
        bench
            .seed("lone", [doc! { "_id": other, "size": "large" }])
            .await;
        for found in [verify(db), verify(db).only::<Lone>()] {
            let found = found.await.expect("verified");
            assert!(!found.is_clean());
            let [one] = &found.undecodable[..] else {
                panic!("{found}");
            };
            assert_eq!((one.model, &*one.path, one.documents), ("Lone", "size", 1));
            assert_eq!(one.ids, [Bson::from(other)]);
        }
        let raw = bench.raw("lone").find_one(doc! { "_id": lone.id }).await;
        assert!(raw.expect("read").is_some());
        let text: Id<Lone, String> = Id::from_raw("a".to_owned());
        assert_eq!(Bson::from(text.clone()), Bson::from("a"));
        assert_eq!(
            doc! { "by": &text, "all": [&text] },
            doc! { "by": "a", "all": ["a"] }
        );
    })
    .await;
}
