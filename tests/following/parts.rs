//! Texts that another program changes are found by their new parts.

use bson::{Document, doc};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::in_set;
use crate::running::{Running, right};

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_films")]
struct Film {
    #[serde(rename = "_id")]
    id: Id<Film, i64>,
    #[index(contains)]
    #[model(max_len = 80)]
    title: String,
}

#[tokio::test]
async fn parts_of_changed_texts_are_stored() {
    in_set("follow_parts", async |bench| {
        let running = Running::begin(bench).await;
        let db = &bench.db;
        let titles = async |part: &str| -> Vec<String> {
            let found = Film::find(db, |f| f.title.contains_ci(part)).await;
            found
                .expect("found")
                .into_iter()
                .map(|film| film.title)
                .collect()
        };
        let film = Film {
            id: Id::from_raw(1),
            title: "The Odyssey".to_owned(),
        };
        Film::insert(db, &film).await.expect("stored");
        let raw = bench.raw("f_films");
        raw.insert_one(doc! { "_id": 2_i64, "title": "Ulysses" })
            .await
            .expect("stored");
        running.caught_up(db).await;
        assert_eq!(titles("lyss").await, ["Ulysses"]);
        let renamed = doc! { "$set": { "title": "The Iliad" } };
        raw.update_one(doc! { "_id": 1_i64 }, renamed)
            .await
            .expect("changed");
        running.caught_up(db).await;
        assert_eq!(titles("iliad").await, ["The Iliad"]);
        assert!(titles("odyss").await.is_empty());
        let replaced: Document = doc! { "_id": 2_i64, "title": "Finnegans Wake" };
        raw.replace_one(doc! { "_id": 2_i64 }, replaced)
            .await
            .expect("replaced");
        running.caught_up(db).await;
        assert_eq!(titles("wake").await, ["Finnegans Wake"]);
        right(bench).await;
        running.kill().await;
    })
    .await;
}
