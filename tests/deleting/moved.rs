//! Cascades, and children that another program has pointed at the parent: their copies have the revision of the former parent.

use bson::doc;
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "moved_shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "moved_items")]
struct Item {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Shelf, on_delete = cascade)]
    shelf: i32,
    #[denorm(from = Shelf, field = name, via = shelf)]
    shelf_name: String,
}

#[tokio::test]
async fn a_child_of_a_newer_revision_goes_with_its_parent() {
    on_both("moved_child", async |bench| {
        let db = &bench.db;
        bench.index(&[Shelf::meta(), Item::meta()]).await;
        for id in [1, 2] {
            let name = format!("s{id}");
            let shelf = Shelf { id, name };
            Shelf::insert(db, &shelf).await.expect("stored");
        }
        for n in 0..5 {
            let renamed = Shelf::update(db, 2).set(|s| s.name, format!("n{n}"));
            renamed.await.expect("renamed");
        }
        for (id, shelf) in [(1, 1), (2, 2), (3, 2)] {
            let shelf_name = String::new();
            let item = Item {
                id,
                shelf,
                shelf_name,
            };
            Item::insert(db, &item).await.expect("stored");
        }
        let items = bench.raw("moved_items");
        let moved = items.update_one(doc! { "_id": 2 }, doc! { "$set": { "shelf": 1 } });
        moved.await.expect("moved");
        let deleted = Shelf::delete(db, 1).await.expect("deleted");
        assert_eq!(deleted.cascaded, 2);
        let left = Item::find(db, |i| i.shelf.is_in([1, 2])).await;
        let left: Vec<i32> = left.expect("read").iter().map(|item| item.id).collect();
        assert_eq!(left, [3]);
    })
    .await;
}
