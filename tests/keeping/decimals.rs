//! Sums of decimals and of products, stored in their parent: exact, with an oracle in integers.

use bson::{Bson, Decimal128, doc};
use mongo_model::{
    Average, DecimalAverage, Error, Id, MongoModel, backfill, recover, repair, transaction, verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "decimal_orders")]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order, i64>,
    #[sum(Item, field = price)]
    prices: Decimal128,
    #[sum(Item, field = price * quantity)]
    total: Decimal128,
    #[sum(Item, field = price * quantity, only(paid = true))]
    paid: Decimal128,
    #[sum(Item, field = quantity * weight)]
    grams: i64,
    #[avg(Item, field = quantity * weight)]
    mean: Average,
    #[avg(Item, field = price)]
    price: DecimalAverage,
    #[avg(Item, field = quantity * price, only(paid = true))]
    mean_paid: DecimalAverage,
    room: i64,
    #[count(Item, max = room)]
    items: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "decimal_items", soft_delete)]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item, i64>,
    #[parent(Order, on_delete = cascade)]
    order: Id<Order, i64>,
    price: Decimal128,
    quantity: i32,
    weight: i64,
    paid: bool,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bson::DateTime>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn money(text: &str) -> Decimal128 {
    text.parse().expect("a decimal")
}

fn order(n: i64) -> Order {
    Order {
        id: key(n),
        prices: money("0"),
        total: money("0"),
        paid: money("0"),
        grams: 0,
        mean: Average::default(),
        price: DecimalAverage::default(),
        mean_paid: DecimalAverage::default(),
        room: 1_000,
        items: 0,
    }
}

fn item(n: i64, order: i64, price: &str, quantity: i32) -> Item {
    Item {
        id: key(n),
        order: key(order),
        price: money(price),
        quantity,
        weight: 10 + n,
        paid: n % 2 == 0,
        deleted: None,
    }
}

/// A decimal with at most six digits after the point, in millionths.
fn millionths(number: Decimal128) -> i128 {
    let text = number.to_string();
    let (digits, power) = text.split_once("E+").unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    assert!(fraction.len() <= 6 && !digits.contains('E'), "{text}");
    let millionths: i128 = format!("{whole}{fraction:0<6}")
        .parse()
        .expect("an integer");
    millionths * 10_i128.pow(power.parse().expect("a power"))
}

/// The numbers of each order are those of its items as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for n in 1..=2 {
        let mut want = (0, 0, 0, 0, 0);
        let mut paid = 0;
        let items = bench.raw("decimal_items").clone_with_type::<Item>();
        let live = doc! { "order": n, "deleted": null };
        let mut rows = items.find(live).await.expect("found");
        while rows.advance().await.expect("read") {
            let item: Item = rows.deserialize_current().expect("an item");
            let price = millionths(item.price);
            let product = price * i128::from(item.quantity);
            want.0 += price;
            want.1 += product;
            want.2 += if item.paid { product } else { 0 };
            want.3 += i64::from(item.quantity) * item.weight;
            want.4 += 1;
            paid += i64::from(item.paid);
        }
        let order = Order::get(&bench.db, key(n)).await.expect("read");
        let order = order.expect("an order");
        let sums = [order.prices, order.total, order.paid].map(millionths);
        assert_eq!(sums, [want.0, want.1, want.2], "{what}: order {n}");
        let averages = [order.price, order.mean_paid];
        let sums = averages.map(|average| (millionths(average.sum()), average.count()));
        assert_eq!(
            sums,
            [(want.0, want.4), (want.2, paid)],
            "{what}: order {n}"
        );
        let is = (
            order.grams,
            order.mean.sum(),
            order.mean.count(),
            order.items,
        );
        assert_eq!(is, (want.3, want.3, want.4, want.4), "{what}: order {n}");
    }
    let models = [Order::meta(), Item::meta()];
    let found = verify(&bench.db).models(&models).await.expect("looked");
    assert!(found.is_clean(), "{what}: {found}");
}

async fn start(bench: &Bench) {
    bench.index(&[Order::meta(), Item::meta()]).await;
    let orders = [order(1), order(2)];
    Order::insert_many(&bench.db, &orders)
        .await
        .expect("orders");
    let prices = ["19.99", "0.10", "0.20", "1E+2", "-5.125", "7"];
    let items = prices.iter().zip(0..);
    let items: Vec<Item> = items
        .map(|(price, n)| item(n, 1 + n % 2, price, 2))
        .collect();
    Item::insert_many(&bench.db, &items).await.expect("items");
    bench.forget();
}

#[tokio::test]
async fn every_write_changes_the_sums_exactly() {
    on_both("decimal_writes", async |bench| {
        start(bench).await;
        let db = &bench.db;
        check(bench, "insert_many").await;
        let first = Order::get(db, key(1)).await.expect("read").expect("stored");
        // 2 * (19.99 + 0.20 - 5.125)
        assert_eq!(first.total.to_string(), "30.130");
        let mean = first.price.value().expect("an average");
        // (19.99 + 0.20 - 5.125) / 3
        assert_eq!(mean.to_string(), "5.02166666666667");
        let json = serde_json::to_value(first.price).expect("JSON");
        assert_eq!(json, serde_json::json!("5.02166666666667"));
        let stored = bench.stored("decimal_orders", 2_i64).await;
        let average = doc! { "sum": money("107.10"), "n": 3_i64 };
        assert_eq!(stored.get("price"), Some(&average.into()));
        Item::insert(db, &item(20, 1, "0.000001", 3))
            .await
            .expect("stored");
        check(bench, "insert").await;
        let update = |n| Item::update(db, key(n));
        update(1)
            .set(|i| i.price, money("0.30"))
            .await
            .expect("set");
        check(bench, "set").await;
        update(1)
            .inc(|i| i.price, money("0.05"))
            .await
            .expect("raised");
        check(bench, "inc of a decimal").await;
        update(1)
            .mul(|i| i.price, money("3"))
            .await
            .expect("tripled");
        check(bench, "mul of a decimal").await;
        let both = update(1).inc(|i| i.quantity, 4).set(|i| i.paid, true);
        both.await.expect("changed");
        check(bench, "the other factor and a condition").await;
        let moved = update(2).set(|i| i.order, key(2));
        moved.set(|i| i.price, money("2.5")).await.expect("moved");
        check(bench, "a move with another price").await;
        let cheaper = Item::update_many(db, |i| i.order.eq(key(1)));
        cheaper
            .min(|i| i.price, money("1.5"))
            .await
            .expect("lowered");
        check(bench, "min of many").await;
        let mut read = Item::get(db, key(3)).await.expect("read").expect("an item");
        (read.price, read.quantity) = (money("99.99"), 7);
        read.save(db).await.expect("saved");
        check(bench, "a save").await;
        let upserted = Item::upsert(db, &item(30, 2, "4.20", 1)).inc(|i| i.price, money("0.01"));
        upserted.await.expect("inserted");
        check(bench, "an upsert").await;
        Item::delete(db, key(3)).await.expect("deleted");
        check(bench, "a soft delete").await;
        Item::restore(db, key(3)).await.expect("restored");
        check(bench, "a restore").await;
        Item::delete(db, key(3)).await.expect("deleted");
        Item::purge(db, key(3)).await.expect("purged");
        check(bench, "a purge").await;
        Order::delete(db, key(2)).await.expect("deleted");
        Order::insert(db, &order(2)).await.expect("stored");
        check(bench, "a parent that comes back").await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_shows_item_and_sum_at_once() {
    in_set("decimal_transaction", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let changed = transaction(db, async |tx| {
            Item::insert(db, &item(40, 2, "0.90", 10))
                .within(tx)
                .await?;
            let order = Order::get(db, key(2)).within(tx).await?;
            Ok(order.map(|order| order.total.to_string()))
        });
        let total = changed.await.expect("committed");
        // 2 * (0.10 + 100 + 7) + 9
        assert_eq!(total.as_deref(), Some("223.20"));
        check(bench, "a transaction").await;
    })
    .await;
}

#[tokio::test]
async fn wrong_sums_are_found_and_corrected() {
    on_both("decimal_verify", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let orders = bench.raw("decimal_orders");
        let wrong = doc! { "$set": { "total": money("1.5") }, "$unset": { "prices": "" } };
        orders
            .update_one(doc! { "_id": 1_i64 }, wrong)
            .await
            .expect("changed");
        let models = [Order::meta(), Item::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        let defects = found.references.iter().map(|edge| edge.defects());
        assert_eq!(defects.sum::<u64>(), 2, "{found}");
        backfill(db).models(&models).await.expect("filled");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
        Order::recount_total(db, key(1)).await.expect("counted");
        check(bench, "a recount").await;
    })
    .await;
}

/// A decimal that cannot be added exactly is refused where it enters, and nothing is stored.
#[tokio::test]
async fn an_amount_that_is_not_exact_is_refused() {
    on_both("decimal_refused", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let refused = |done: Result<(), Error>, what: &str| {
            assert!(
                matches!(done, Err(Error::Impossible { .. })),
                "{what}: {done:?}"
            );
        };
        for price in ["NaN", "Infinity", "-Infinity", "1E+15", "1E-15", "1E-8"] {
            let new = item(50, 1, price, 1);
            refused(Item::insert(db, &new).await.map(drop), price);
            refused(new.save(db).await.map(drop), price);
            let many = Item::insert_many(db, [&item(51, 1, "1", 1), &new]).await;
            refused(many.map(drop), price);
            let set = Item::update(db, key(2)).set(|i| i.price, money(price));
            refused(set.await.map(drop), price);
            let of_order = Item::update_many(db, |i| i.order.eq(key(1)));
            refused(
                of_order.set(|i| i.price, money(price)).await.map(drop),
                price,
            );
            let mut read = Item::get(db, key(2)).await.expect("read").expect("an item");
            read.price = money(price);
            refused(read.save(db).await.map(drop), price);
        }
        let raised = Item::update(db, key(2)).inc(|i| i.price, money("1E+15"));
        refused(raised.await.map(drop), "inc");
        assert_eq!(
            bench
                .raw("decimal_items")
                .count_documents(doc! {})
                .await
                .expect("counted"),
            6
        );
        let stored = bench.stored("decimal_items", 2_i64).await;
        assert_eq!(stored.get("price"), Some(&Bson::Decimal128(money("0.20"))));
        check(bench, "nothing has changed").await;
    })
    .await;
}

/// A total that 34 digits may not hold, beside a bounded count: the place of the item is refused, and nothing is stored.
#[tokio::test]
async fn a_total_that_is_too_large_is_refused() {
    on_both("decimal_overflow", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let almost = doc! { "$set": { "prices": money("99999999999999999999") } };
        let orders = bench.raw("decimal_orders");
        let order = || doc! { "_id": 1_i64 };
        orders.update_one(order(), almost).await.expect("changed");
        let before = bench.stored("decimal_orders", 1_i64).await;
        let refused = Item::insert(db, &item(60, 1, "20", 1)).await;
        assert!(
            matches!(refused, Err(Error::Impossible { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.stored("decimal_orders", 1_i64).await, before);
        let items = bench.raw("decimal_items");
        assert_eq!(items.count_documents(doc! {}).await.expect("counted"), 6);
    })
    .await;
}
