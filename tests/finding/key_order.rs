//! A struct as an `_id` or a reference is one value to the server, keys and their order included: reads refuse what another program
//! stores in another form, as nothing finds it.

use bson::{Bson, Document, bson, doc};
use mongo_model::{MongoEmbed, MongoModel, MongoProjection, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub row: i32,
    pub at: At,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct At {
    pub x: i32,
    pub y: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "order_shelves")]
pub struct OrderShelf {
    #[serde(rename = "_id")]
    pub id: Place,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Inside {
    #[parent(OrderShelf, unchecked)]
    pub shelf: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "order_books")]
pub struct OrderBook {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(OrderShelf)]
    pub shelf: Option<Place>,
    #[refs(OrderShelf, max = 5)]
    #[denorm(from = OrderShelf, field = name)]
    pub copies: Vec<OrderShelfRef>,
    #[refs(OrderShelf, max = 5)]
    pub others: Vec<Place>,
    pub inside: Inside,
    /// No reference: its order does not matter to anybody but filters that compare it as a whole.
    pub drawn: At,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = OrderBook)]
struct Shelved {
    shelf: Option<Place>,
}

fn right() -> Bson {
    bson!({ "row": 1, "at": { "x": 1, "y": 2 } })
}

fn book(id: i32) -> Document {
    doc! {
        "_id": id, "shelf": right(), "copies": [{ "id": right(), "name": "a", "_r": 1 }], "others": [right(), right()],
        "inside": { "shelf": right() }, "drawn": { "y": 1, "x": 2 },
    }
}

impl Bench {
    /// The error of a read of the only book, by its text.
    async fn refused(&self, stored: Document) -> String {
        let books = self.raw("order_books");
        books.delete_many(doc! {}).await.expect("removed");
        books.insert_one(stored).await.expect("stored");
        let read = OrderBook::get(&self.db, 1).await;
        read.map_or_else(|error| error.to_string(), |_| String::new())
    }
}

#[tokio::test]
async fn a_struct_in_another_order_is_another_id() {
    alone("key_order_id", async |bench| {
        let db = &bench.db;
        let shelves = bench.raw("order_shelves");
        let place = Place { row: 1, at: At { x: 1, y: 2 }, floor: None };
        let shelf = OrderShelf { id: place, name: "a".to_owned() };
        OrderShelf::insert(db, &shelf).await.expect("stored");
        assert_eq!(OrderShelf::scan(db, |s| s.all()).await.expect("read"), [shelf]);
        let others = [
            bson!({ "at": { "x": 1, "y": 2 }, "row": 1 }),
            bson!({ "row": 1, "at": { "y": 2, "x": 1 } }),
            bson!({ "row": 1, "at": { "x": 1, "y": 2 }, "wing": 3 }),
            bson!({ "row": 1, "floor": 2, "at": { "x": 1, "y": 2 } }),
        ];
        for other in others {
            let stored = doc! { "_id": other.clone(), "name": "b" };
            shelves.insert_one(stored).await.expect("stored");
            let read = OrderShelf::scan(db, |s| s.name.eq("b")).await;
            let text = read.expect_err("it is refused").to_string();
            let expected = "_id: other keys, or another order of them, than `Place` has (`row`, `at`, `floor`): for the server it is another value";
            assert!(text.contains(expected), "{text}");
            shelves.delete_one(doc! { "_id": { "$eq": other } }).await.expect("removed");
        }
    })
    .await;
}

#[tokio::test]
async fn nor_is_it_the_reference() {
    alone("key_order_references", async |bench| {
        let db = &bench.db;
        assert_eq!(bench.refused(book(1)).await, "");
        let wrong = || bson!({ "at": { "x": 1, "y": 2 }, "row": 1 });
        for (path, changed) in [
            ("shelf: ", doc! { "shelf": wrong() }),
            (
                "copies.0.id: ",
                doc! { "copies": [{ "id": wrong(), "name": "a" }] },
            ),
            ("others.1: ", doc! { "others": [right(), wrong()] }),
            ("inside.shelf: ", doc! { "inside": { "shelf": wrong() } }),
        ] {
            let mut stored = book(1);
            stored.extend(changed);
            let text = bench.refused(stored).await;
            assert!(
                text.contains(&format!("{path}other keys, or another order")),
                "{text}"
            );
        }
        bench.refused(doc! { "_id": 1, "shelf": wrong() }).await;
        let part = OrderBook::scan(db, |b| b.all()).project::<Shelved>().await;
        let text = part.expect_err("it is refused").to_string();
        assert!(text.contains("shelf: other keys"), "{text}");
        let report = verify(db).await.expect("looked");
        assert!(!report.is_clean(), "{report}");
        let text = report.to_string();
        assert!(text.contains("shelf: other keys"), "{text}");
    })
    .await;
}
