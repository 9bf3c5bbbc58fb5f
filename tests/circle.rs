//! Copies that would run in a circle for ever are refused before anything is sent. In a program of its own: every model of a
//! program is looked at.

#[path = "common/mod.rs"]
mod common;

use mongo_model::{Error, Id, MongoModel, recover, sync_indexes};
use serde::{Deserialize, Serialize};

/// Two steps are refused by the compiler already; it sees no further than from one model to the next.
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
    Third in "third" from First;
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
            let Err(Error::CopyCircle { edges }) = &refused else {
                panic!("{refused:?}");
            };
            assert_eq!(edges.len(), 4, "{edges:?}");
            assert_eq!(edges.first(), edges.last());
            for edge in ["first.source", "second.source", "third.source"] {
                assert!(edges.iter().any(|found| found == edge), "{edges:?}");
            }
        }
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}
