//! Copies that would run in a circle for ever are refused before anything is sent. In a program of its own: every model of a
//! program is looked at.

#[path = "common/mod.rs"]
mod common;

use mongo_model::{Error, Id, MongoModel, recover, sync_indexes};
use serde::{Deserialize, Serialize};

/// Circles of up to five models are refused by the compiler already.
macro_rules! copies {
    ($($model:ident in $collection:literal from $source:ident;)*) => {$(
        #[derive(Debug, Serialize, Deserialize, MongoModel)]
        #[model(collection = $collection)]
        struct $model {
            #[serde(rename = "_id")]
            id: Id<$model>,
            #[parent($source)]
            source: Id<$source>,
            #[denorm(from = $source, field = name)]
            name: String,
        }
    )*};
}
copies! {
    First in "first" from Second;
    Second in "second" from Third;
    Third in "third" from Fourth;
    Fourth in "fourth" from Fifth;
    Fifth in "fifth" from Sixth;
    Sixth in "sixth" from First;
}

#[tokio::test]
async fn a_circle_is_refused() {
    common::alone("circle", async |bench| {
        let db = &bench.db;
        let first = First {
            id: Id::new(),
            source: Id::new(),
            name: "a".to_owned(),
        };
        let refused = [
            sync_indexes(db).await.map(drop),
            First::insert(db, &first).await.map(drop),
            First::update(db, first.id)
                .set(|f| f.source, Id::new())
                .await
                .map(drop),
            first.save(db).await.map(drop),
            recover(db).await.map(drop),
        ];
        for refused in refused {
            let Err(
                error @ Error::CopyCircle {
                    references: edges,
                    copies,
                },
            ) = &refused
            else {
                panic!("{refused:?}");
            };
            assert_eq!(edges.len(), 7, "{edges:?}");
            assert_eq!(edges.first(), edges.last());
            for edge in ["first.source", "second.source", "sixth.source"] {
                assert!(edges.iter().any(|found| found == edge), "{edges:?}");
            }
            assert_eq!(copies.len(), 6, "{copies:?}");
            for copy in [
                "First.name copies Second.name",
                "Sixth.name copies First.name",
            ] {
                assert!(error.to_string().contains(copy), "{error}");
            }
        }
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}
