//! Which documents meet a filter.

use bson::{Bson, Document, doc};
use mongo_model::filter::AskedOf;
use mongo_model::{Database, Error, Filter, MongoModel, raw_filter};

use crate::common::alone;
use crate::finding::{Address, Order, ids, line, order};

type OrderFields = <Order as MongoModel>::Fields;

async fn scan<S: AskedOf<Order, Order>>(
    db: &Database,
    filter: impl FnOnce(OrderFields) -> Filter<Order, S>,
) -> Vec<i32> {
    ids(&Order::scan(db, filter).await.expect("found"))
}

#[tokio::test]
async fn comparisons_find_what_they_say() {
    alone("comparisons", async |bench| {
        let db = &bench.db;
        let orders: Vec<_> = (1..=5).map(order).collect();
        bench.orders(&orders).await;
        assert_eq!(scan(db, |o| o.all()).await, [1, 2, 3, 4, 5]);
        assert_eq!(scan(db, |o| o.placed.eq(3)).await, [3]);
        assert_eq!(scan(db, |o| o.placed.ne(3)).await, [1, 2, 4, 5]);
        assert_eq!(scan(db, |o| o.placed.is_in([1, 5, 9])).await, [1, 5]);
        assert_eq!(
            scan(db, |o| o.placed.is_in(Vec::<i64>::new())).await,
            [0_i32; 0]
        );
        assert_eq!(scan(db, |o| o.placed.not_in([1, 5])).await, [2, 3, 4]);
        assert_eq!(scan(db, |o| o.placed.gt(3)).await, [4, 5]);
        assert_eq!(scan(db, |o| o.placed.gte(3)).await, [3, 4, 5]);
        assert_eq!(scan(db, |o| o.placed.lt(3)).await, [1, 2]);
        assert_eq!(scan(db, |o| o.placed.lte(3)).await, [1, 2, 3]);
        let both = |o: OrderFields| o.placed.gt(1).and(o.placed.lt(4)).and(o.code.ne("code-3"));
        assert_eq!(scan(db, both).await, [2]);
        let either = |o: OrderFields| o.placed.eq(1).or(o.placed.eq(4)).or(o.code.eq("code-5"));
        assert_eq!(scan(db, either).await, [1, 4, 5]);
        assert_eq!(scan(db, |o| !either(o)).await, [2, 3]);
        assert_eq!(scan(db, |o| either(o).and(o.placed.gt(3))).await, [4, 5]);
        assert_eq!(scan(db, |o| !!o.placed.eq(1)).await, [1]);
        let raw = |_: OrderFields| raw_filter(doc! { "$expr": { "$eq": ["$placed", 2] } });
        assert_eq!(scan(db, raw).await, [2]);
        bench.forget();
        let found = Order::find(db, |o| raw(o).and(o.code.gte("code-1"))).await;
        assert_eq!(ids(&found.expect("found")), [2]);
        assert_eq!(
            bench.only().get("filter"),
            Some(&Bson::Document(doc! { "$and": [
                { "$expr": { "$eq": ["$placed", 2] } },
                { "code": { "$gte": "code-1" } },
            ] }))
        );
    })
    .await;
}

#[tokio::test]
async fn starts_with_takes_every_letter_literally() {
    let odd = [
        ".*",
        "a.b",
        "(x)",
        "[y]",
        "^z",
        "$w",
        "\\d",
        "a|b",
        "{2}",
        "+?",
        "a-b",
        "#c",
        "\u{e9}t\u{e9}",
        " sp",
        "/",
        "\\Qz\\E",
        "a\nb",
    ];
    alone("prefixes", async |bench| {
        let mut orders = vec![];
        for (n, prefix) in (0..).zip(odd) {
            orders.push(Order {
                code: format!("{prefix}tail"),
                ..order(n)
            });
        }
        orders.push(Order {
            code: "axb, 5 dd".to_owned(),
            ..order(99)
        });
        bench.orders(&orders).await;
        for (n, prefix) in (0..).zip(odd) {
            let found = Order::find(&bench.db, |o| o.code.starts_with(prefix)).await;
            assert_eq!(ids(&found.expect("found")), [n], "{prefix:?}");
        }
        let all = Order::find(&bench.db, |o| o.code.starts_with("")).await;
        assert_eq!(all.expect("found").len(), odd.len() + 1);
    })
    .await;
}

#[tokio::test]
async fn one_element_meets_all_conditions_of_any() {
    alone("elements", async |bench| {
        let db = &bench.db;
        let with = |id, lines: &[(&str, i32)], tags: &[&str]| Order {
            lines: lines.iter().map(|(sku, qty)| line(sku, *qty)).collect(),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..order(id)
        };
        bench
            .orders(&[
                with(1, &[("bolt", 1), ("hose", 9)], &["new"]),
                with(2, &[("bolt", 9), ("hose", 1)], &["new", "hot"]),
                with(3, &[], &[]),
            ])
            .await;
        // One element is a bolt, and one has more than 5; not necessarily the same.
        let dotted = Order::find(db, |o| o.lines.sku.eq("bolt").and(o.lines.qty.gt(5))).await;
        assert_eq!(ids(&dotted.expect("found")), [1, 2]);
        let same = Order::find(db, |o| o.lines.any(|l| l.sku.eq("bolt").and(l.qty.gt(5)))).await;
        assert_eq!(ids(&same.expect("found")), [2]);
        let either = |o: OrderFields| {
            o.lines
                .any(|l| l.sku.eq("hose").and(l.qty.eq(9)).or(l.qty.eq(7)))
        };
        assert_eq!(scan(db, either).await, [1]);
        assert_eq!(
            scan(db, |o| o.lines.any(|l| !l.sku.eq("bolt"))).await,
            [1, 2]
        );
        assert_eq!(scan(db, |o| !o.lines.any(|l| l.sku.eq("bolt"))).await, [3]);
        assert_eq!(scan(db, |o| o.lines.len_is(2)).await, [1, 2]);
        assert_eq!(scan(db, |o| o.lines.len_is(0)).await, [3]);
        assert_eq!(scan(db, |o| o.tags.contains("hot")).await, [2]);
        assert_eq!(scan(db, |o| o.lines.contains(line("bolt", 9))).await, [2]);
        assert_eq!(scan(db, |o| o.tags.eq(vec!["new".to_owned()])).await, [1]);
    })
    .await;
}

#[tokio::test]
async fn none_is_null_or_missing() {
    alone("none", async |bench| {
        let db = &bench.db;
        let noted = Order {
            note: Some("x".to_owned()),
            ..order(1)
        };
        bench.orders(&[noted, order(2), order(3)]).await;
        bench
            .raw("orders")
            .update_one(doc! { "_id": 3 }, doc! { "$unset": { "note": "" } })
            .await
            .expect("unset");
        assert_eq!(
            bench.stored("orders", 2).await.get("note"),
            Some(&Bson::Null)
        );
        let none = Order::find(db, |o| o.note.is_none()).await.expect("found");
        assert_eq!(ids(&none), [2, 3]);
        let null = Order::find(db, |o| o.note.eq(None)).await;
        assert_eq!(ids(&null.expect("found")), [2, 3]);
        assert_eq!(scan(db, |o| o.note.is_some()).await, [1]);
        assert_eq!(scan(db, |o| o.note.exists(true)).await, [1, 2]);
        assert_eq!(scan(db, |o| o.note.exists(false)).await, [3]);
    })
    .await;
}

#[tokio::test]
async fn null_asked_of_a_sparse_index_is_refused_before_it_is_sent() {
    alone("sparse", async |bench| {
        let db = &bench.db;
        let with = Order {
            coupon: Some("c".to_owned()),
            ..order(1)
        };
        bench.orders(&[with, order(2)]).await;
        let refused = [
            Order::find(db, |o| o.coupon.eq(None)).await,
            Order::find(db, |o| o.coupon.is_in([Some("c".to_owned()), None])).await,
        ];
        for refused in refused {
            let Err(Error::NullNotIndexed { field }) = &refused else {
                panic!("{refused:?}");
            };
            assert_eq!(field, "Order.coupon");
        }
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(scan(db, |o| o.coupon.is_none()).await, [2]);
        let found = Order::find_one(db, |o| o.coupon.eq("c")).await;
        assert_eq!(found.expect("found").map(|order| order.id), Some(1));
    })
    .await;
}

/// The condition of a partial index is added to `find`, so that the index serves it; it is no part of the program's filter.
#[tokio::test]
async fn the_condition_of_a_partial_index_is_in_no_scan_and_no_negation() {
    alone("partial", async |bench| {
        let db = &bench.db;
        let orders: Vec<_> = [5, 12, 20].map(order).into();
        bench.orders(&orders).await;
        assert_eq!(scan(db, |o| o.weight.lt(15)).await, [5, 12]);
        assert_eq!(scan(db, |o| !o.weight.eq(5)).await, [12, 20]);
        assert_eq!(scan(db, |o| !o.weight.lt(15)).await, [20]);
        bench.forget();
        let served = Order::find(db, |o| o.weight.lt(15)).await.expect("found");
        assert_eq!(ids(&served), [12]);
        let sent = bench.only();
        assert_eq!(
            sent.get_document("filter").ok(),
            Some(&doc! { "$and": [{ "weight": { "$lt": 15_i64 } }, { "weight": { "$gt": 10 } }] })
        );
    })
    .await;
}

#[tokio::test]
async fn embedded_fields_are_reached_through_options_and_arrays() {
    alone("embedded", async |bench| {
        let db = &bench.db;
        let address = Address {
            city: "Rome".to_owned(),
            zip: "00100".to_owned(),
        };
        let at = Order {
            address: Some(address.clone()),
            ..order(1)
        };
        bench.orders(&[at, order(2)]).await;
        assert_eq!(scan(db, |o| o.address.city.eq("Rome")).await, [1]);
        assert_eq!(scan(db, |o| o.address.zip.starts_with("00")).await, [1]);
        assert_eq!(scan(db, |o| o.address.eq(address)).await, [1]);
        assert_eq!(scan(db, |o| o.address.is_none()).await, [2]);
    })
    .await;
}

#[tokio::test]
async fn what_looks_like_an_operator_is_data() {
    let odd = [
        "$where",
        "$code",
        "a.b",
        "nul\0inside",
        "{\"$gt\": \"\"}",
        "",
        "\u{1f980}",
    ];
    alone("data", async |bench| {
        let mut orders = vec![];
        for (n, text) in (0..).zip(odd) {
            orders.push(Order {
                note: Some(text.to_owned()),
                tags: vec![text.to_owned()],
                address: Some(Address {
                    city: text.to_owned(),
                    zip: String::new(),
                }),
                ..order(n)
            });
        }
        bench.orders(&orders).await;
        for (n, text) in (0..).zip(odd) {
            let db = &bench.db;
            assert_eq!(scan(db, |o| o.note.eq(text)).await, [n], "{text:?}");
            assert_eq!(scan(db, |o| o.note.is_in([text])).await, [n], "{text:?}");
            assert_eq!(scan(db, |o| o.tags.contains(text)).await, [n], "{text:?}");
            assert_eq!(scan(db, |o| o.address.city.eq(text)).await, [n], "{text:?}");
        }
        let round: Vec<Option<String>> = Order::scan(&bench.db, |o| o.all())
            .sort(|o| o.id.asc())
            .await
            .expect("found")
            .into_iter()
            .map(|order| order.note)
            .collect();
        assert_eq!(round, odd.map(|text| Some(text.to_owned())));
    })
    .await;
}

#[derive(Debug, serde::Serialize, serde::Deserialize, MongoModel)]
#[model(collection = "bags")]
struct Bag {
    #[serde(rename = "_id")]
    id: i32,
    #[model(allow(embed_map, reason = "whatever the user sends"))]
    data: Document,
}

#[tokio::test]
async fn a_document_with_operators_as_keys_is_data() {
    alone("bags", async |bench| {
        let db = &bench.db;
        let data = doc! { "$gt": 1, "a.b": { "$set": 2 } };
        Bag::insert(
            db,
            &Bag {
                id: 1,
                data: data.clone(),
            },
        )
        .await
        .expect("stored");
        Bag::insert(
            db,
            &Bag {
                id: 2,
                data: doc! {},
            },
        )
        .await
        .expect("stored");
        bench.forget();
        let found = Bag::scan(db, |b| b.data.eq(data.clone()))
            .await
            .expect("found");
        assert_eq!(found.iter().map(|bag| bag.id).collect::<Vec<_>>(), [1]);
        assert_eq!(found[0].data, data);
        bench.forget();
        let other = doc! { "$lt": 0 };
        Bag::update(db, 2)
            .set(|b| b.data, other.clone())
            .await
            .expect("set");
        assert_eq!(
            bench.stored("bags", 2).await.get_document("data").ok(),
            Some(&other)
        );
    })
    .await;
}
