//! Copies that are frozen stay while their reference does, and are taken anew with another one.

use mongo_model::{Error, Id, MongoEmbed, MongoModel, Transaction};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "frozen_goods")]
struct Good {
    #[serde(rename = "_id")]
    id: i32,
    price: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[parent(Good)]
    good: i32,
    #[denorm(from = Good, field = price, snapshot)]
    price: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "frozen_orders")]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order>,
    #[parent(Good)]
    gift: i32,
    #[denorm(from = Good, field = price, snapshot)]
    gift_price: i64,
    #[embed(max = 5)]
    lines: Vec<Line>,
}

/// An order of the first of two goods, whose price has changed since.
async fn start(bench: &Bench) -> Order {
    let db = &bench.db;
    bench.index(&[Good::meta(), Order::meta()]).await;
    Good::insert_many(db, &[Good { id: 1, price: 10 }, Good { id: 2, price: 20 }])
        .await
        .expect("stored");
    let order = Order {
        id: Id::new(),
        gift: 1,
        gift_price: 0,
        lines: vec![Line { good: 1, price: 0 }],
    };
    Order::insert(db, &order).await.expect("stored");
    Good::update(db, 1)
        .set(|g| g.price, 11)
        .await
        .expect("dearer");
    stored(bench, order.id).await
}

async fn stored(bench: &Bench, id: Id<Order>) -> Order {
    let found = Order::get(&bench.db, id).await.expect("read");
    bench.forget();
    found.expect("stored")
}

#[tokio::test]
async fn a_reference_that_stays_keeps_its_snapshot() {
    on_both("frozen", async |bench| {
        let db = &bench.db;
        let order = start(bench).await;
        assert_eq!((order.gift_price, order.lines[0].price), (10, 10));
        Order::update(db, order.id)
            .set(|o| o.gift, 1)
            .await
            .expect("the same");
        assert_eq!(stored(bench, order.id).await, order);
        let lines = vec![order.lines[0].clone(), Line { good: 2, price: 0 }];
        Order::update(db, order.id)
            .set(|o| o.lines, lines)
            .await
            .expect("one more");
        let prices: Vec<i64> = stored(bench, order.id)
            .await
            .lines
            .iter()
            .map(|line| line.price)
            .collect();
        assert_eq!(prices, [10, 20]);
        Order::update(db, order.id)
            .set(|o| o.gift, 2)
            .await
            .expect("another");
        assert_eq!(stored(bench, order.id).await.gift_price, 20);
        Order::update(db, order.id)
            .set(|o| o.gift, 1)
            .await
            .expect("back");
        assert_eq!(stored(bench, order.id).await.gift_price, 11);
        Good::update(db, 1)
            .set(|g| g.price, 12)
            .await
            .expect("dearer");
        let many = |gift| Order::update_many(db, |o| o.id.eq(order.id)).set(|o| o.gift, gift);
        assert_eq!(many(1).await.expect("the same").modified, 0);
        assert_eq!(stored(bench, order.id).await.gift_price, 11);
        assert_eq!(many(2).await.expect("another").modified, 1);
        assert_eq!(stored(bench, order.id).await.gift_price, 20);
        let more = many(1).set(|o| o.lines, vec![]).await;
        assert!(matches!(more, Err(Error::Impossible { .. })), "{more:?}");
    })
    .await;
}

/// In a transaction new copies are compared after the commit; a reference that leads nowhere is refused before.
#[tokio::test]
async fn what_dangles_is_refused_in_a_transaction() {
    in_set("dangling_tx", async |bench| {
        let db = &bench.db;
        let order = start(bench).await;
        let mut tx = Transaction::begin(db).await.expect("begun");
        let dangling = Order {
            id: Id::new(),
            gift: 9,
            ..order.clone()
        };
        let refused = [
            Order::insert(db, &dangling).within(&mut tx).await,
            Order::update(db, order.id)
                .set(|o| o.gift, 9)
                .within(&mut tx)
                .await,
        ];
        for refused in refused {
            assert!(
                matches!(refused, Err(Error::Dangling { .. })),
                "{refused:?}"
            );
        }
        tx.abort().await.expect("aborted");
    })
    .await;
}
