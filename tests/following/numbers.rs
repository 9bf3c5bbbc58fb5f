//! Numbers and extremes by fields inside the embedded documents of children that another program writes.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Average, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};
use crate::running::{Running, right};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_baskets")]
struct Basket {
    #[serde(rename = "_id")]
    id: i64,
    #[count(Fruit, only(cost.currency = "EUR"))]
    euros: i64,
    #[sum(Fruit, field = cost.amount)]
    total: i64,
    #[sum(Fruit, field = cost.amount * cost.pieces, only(cost.currency = "EUR"))]
    worth: i64,
    #[avg(Fruit, field = cost.amount)]
    mean: Average,
    #[max(Fruit, field = cost.amount)]
    dearest: Option<i64>,
    #[min(Fruit, field = cost.amount, only(cost.currency = "EUR"))]
    cheapest: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
struct Cost {
    #[serde(rename = "a")]
    amount: i64,
    pieces: i64,
    currency: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_fruits")]
struct Fruit {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Basket)]
    basket: i64,
    cost: Option<Cost>,
}

fn basket(id: i64) -> Basket {
    Basket {
        id,
        euros: 0,
        total: 0,
        worth: 0,
        mean: Average::default(),
        dearest: None,
        cheapest: None,
    }
}

fn cost(amount: i64, pieces: i64, currency: &str) -> Document {
    doc! { "a": amount, "pieces": pieces, "currency": currency }
}

fn fruit(id: i64, basket: i64, cost: Document) -> Document {
    doc! { "_id": id, "basket": basket, "cost": cost }
}

/// The basket with the numbers that its stored fruits make.
async fn counted(bench: &Bench, id: i64) -> Document {
    let fruits = bench.raw("f_fruits").find(doc! { "basket": id }).await;
    let fruits: Vec<Document> = fruits.expect("sent").try_collect().await.expect("read");
    let costs = fruits
        .iter()
        .filter_map(|one| one.get_document("cost").ok());
    let costs: Vec<(i64, i64, bool)> = costs
        .map(|cost| {
            let number = |name| cost.get_i64(name).expect("a number");
            let is_euro = cost.get_str("currency").ok() == Some("EUR");
            (number("a"), number("pieces"), is_euro)
        })
        .collect();
    let euros = || costs.iter().filter(|(.., is_euro)| *is_euro);
    let total: i64 = costs.iter().map(|(amount, ..)| amount).sum();
    let worth: i64 = euros().map(|(amount, pieces, _)| amount * pieces).sum();
    let dearest = costs.iter().map(|(amount, ..)| *amount).max();
    let cheapest = euros().map(|(amount, ..)| *amount).min();
    doc! {
        "_id": id,
        "euros": i64::try_from(euros().count()).expect("few"),
        "total": total,
        "worth": worth,
        "mean": { "sum": total, "n": i64::try_from(costs.len()).expect("few") },
        "dearest": dearest.map_or(Bson::Null, Bson::from),
        "cheapest": cheapest.map_or(Bson::Null, Bson::from),
    }
}

/// A basket as it is stored, with null for what is absent.
async fn stored(bench: &Bench, id: i64) -> Document {
    let mut basket = bench.stored("f_baskets", id).await;
    basket.remove("_dn");
    for extreme in ["dearest", "cheapest"] {
        let value = basket.remove(extreme).unwrap_or(Bson::Null);
        basket.insert(extreme, value);
    }
    basket
}

#[tokio::test]
async fn fields_inside_of_children_come_change_move_and_go() {
    in_set("follow_numbers", async |bench| {
        bench.index(&[Basket::meta(), Fruit::meta()]).await;
        let running = Running::begin(bench).await;
        let baskets = [basket(1), basket(2)];
        Basket::insert_many(&bench.db, &baskets).await.expect("stored");
        let fruits = bench.raw("f_fruits");
        let all = [
            fruit(1, 1, cost(5, 2, "EUR")),
            fruit(2, 1, cost(7, 1, "EUR")),
            fruit(3, 1, cost(9, 3, "CHF")),
            fruit(4, 2, cost(2, 4, "EUR")),
            doc! { "_id": 5_i64, "basket": 2_i64, "cost": Bson::Null },
        ];
        fruits.insert_many(all).await.expect("stored");
        let check = async |what: &str| {
            running.caught_up(&bench.db).await;
            for id in [1, 2] {
                assert_eq!(stored(bench, id).await, counted(bench, id).await, "{what}");
            }
        };
        check("new children").await;
        assert_eq!(stored(bench, 1).await.get_i64("worth").ok(), Some(17));
        for (what, id, change) in [
            ("a field inside", 3, doc! { "$set": { "cost.a": 90_i64 } }),
            ("an increment inside", 1, doc! { "$inc": { "cost.a": 20_i64, "cost.pieces": 1_i64 } }),
            ("the condition", 3, doc! { "$set": { "cost.currency": "EUR" } }),
            ("the document", 2, doc! { "$set": { "cost": cost(1, 5, "CHF") } }),
            ("a document that was null", 5, doc! { "$set": { "cost": cost(100, 1, "EUR") } }),
            ("no document", 3, doc! { "$unset": { "cost": "" } }),
            ("a move", 1, doc! { "$set": { "basket": 2_i64, "cost.a": 3_i64 } }),
            ("null", 5, doc! { "$set": { "cost": Bson::Null } }),
        ] {
            let done = fruits.update_one(doc! { "_id": id }, change).await;
            assert_eq!(done.expect("changed").modified_count, 1, "{what}");
            check(what).await;
        }
        let whole = fruit(2, 2, cost(50, 2, "EUR"));
        fruits.replace_one(doc! { "_id": 2_i64 }, whole).await.expect("replaced");
        check("a replacement").await;
        fruits.delete_many(doc! { "cost.a": { "$gte": 3_i64 } }).await.expect("deleted");
        check("deletes").await;
        let wrong = doc! { "$set": { "total": 70_i64, "mean": { "sum": 1_i64, "n": 1_i64 }, "dearest": 8_i64 } };
        let baskets = bench.raw("f_baskets");
        baskets.update_one(doc! { "_id": 2_i64 }, wrong).await.expect("written");
        check("wrong numbers").await;
        right(bench).await;
        running.kill().await;
    })
    .await;
}
