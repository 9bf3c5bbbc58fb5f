//! The items of an array, each by itself: given, sorted, and grouped.

use bson::{Decimal128, doc};
use mongo_model::crud::Group;
use mongo_model::{Error, MongoEmbed, MongoModel, filter, raw_filter};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Maker {
    name: String,
    land: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Item {
    sku: String,
    #[serde(rename = "q")]
    qty: i64,
    price: Decimal128,
    maker: Option<Maker>,
    #[embed(max = 3)]
    labels: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "baskets")]
struct Basket {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    customer: i32,
    #[embed(max = 20)]
    #[serde(rename = "l")]
    items: Vec<Item>,
    #[embed(max = 20)]
    tags: Vec<String>,
}

fn maker(land: &str) -> Maker {
    Maker {
        name: format!("of {land}"),
        land: land.to_owned(),
    }
}

fn item(sku: &str, qty: i64) -> Item {
    Item {
        sku: sku.to_owned(),
        qty,
        price: "0.10".parse().expect("a decimal"),
        maker: (qty > 2).then(|| maker("it")),
        labels: vec![format!("label {qty}")],
    }
}

async fn baskets(bench: &Bench) {
    bench.index(&[Basket::meta()]).await;
    let basket = |id, customer, items: &[Item], tags: &[&str]| Basket {
        id,
        customer,
        items: items.to_vec(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
    };
    let all = [
        basket(1, 7, &[item("a", 1), item("b", 2)], &["new", "gift"]),
        basket(2, 7, &[item("a", 3)], &["gift"]),
        basket(3, 7, &[], &[]),
        basket(4, 8, &[item("a", 100)], &["new"]),
    ];
    bench.place(&all).await;
}

fn skus(items: &[Item]) -> Vec<(&str, i64)> {
    items.iter().map(|item| (&*item.sku, item.qty)).collect()
}

#[tokio::test]
async fn items_are_grouped_by_their_fields() {
    on_both("unwind_groups", async |bench| {
        baskets(bench).await;
        let db = &bench.db;
        let totals = Basket::find(db, |b| b.customer.eq(7))
            .unwind(|b| b.items)
            .group_by(|i| i.sku)
            .count()
            .sum(|i| i.qty)
            .only(|i| i.qty.gt(1))
            .sum_product(|i| (i.price, i.qty))
            .max(|i| i.maker.land)
            .having(|(items, ..)| items.gte(1))
            .sort(|(items, ..)| items.desc())
            .into_rows(|sku, totals| (sku, totals))
            .await
            .expect("grouped");
        let decimal = |text: &str| text.parse::<Decimal128>().expect("a decimal");
        let expected = [
            (
                "a".to_owned(),
                (2, 3, decimal("0.40"), Some("it".to_owned())),
            ),
            ("b".to_owned(), (1, 2, decimal("0.20"), None)),
        ];
        assert_eq!(totals, expected);
        let sent = bench.only();
        let stages = sent.get_array("pipeline").expect("a pipeline");
        assert_eq!(
            stages[0],
            doc! { "$match": { "customer": { "$eq": 7 } } }.into()
        );
        assert_eq!(stages[1], doc! { "$unwind": "$l" }.into());

        // By the items themselves.
        let tags = Basket::scan(db, |_| filter::everything())
            .unwind(|b| b.tags)
            .filter_items(|tag| tag.ne("old"))
            .group_by(|tag| tag)
            .count();
        let tags: Vec<_> = tags.await.expect("grouped");
        let group = |key: &str, n| Group {
            key: key.to_owned(),
            totals: (n,),
        };
        assert_eq!(tags, [group("gift", 2), group("new", 2)]);
    })
    .await;
}

#[tokio::test]
async fn items_are_given_by_themselves() {
    on_both("unwind_items", async |bench| {
        baskets(bench).await;
        let db = &bench.db;
        let of_customer = || Basket::find(db, |b| b.customer.eq(7));
        let items = of_customer().sort(|b| b.id.asc()).unwind(|b| b.items).await;
        let items = items.expect("found");
        assert_eq!(skus(&items), [("a", 1), ("b", 2), ("a", 3)]);
        assert_eq!(items[2], item("a", 3));
        bench.forget();
        let items = of_customer()
            .unwind(|b| b.items)
            .filter_items(|i| i.qty.lt(3))
            .filter_items(|i| i.labels.contains("label 2").or(i.sku.eq("a")))
            .sort(|i| i.qty.desc())
            .limit(1)
            .await
            .expect("found");
        assert_eq!(skus(&items), [("b", 2)]);
        bench.plan().await.assert_served_by("customer");
        // The limit before `unwind` is one of documents.
        let items = of_customer()
            .sort(|b| b.id.asc())
            .limit(1)
            .unwind(|b| b.items);
        assert_eq!(skus(&items.await.expect("found")).len(), 2);
        let tags = Basket::scan(db, |b| b.id.eq(1)).unwind(|b| b.tags).await;
        assert_eq!(tags.expect("found"), ["new", "gift"]);
        bench.forget();
        for items in [
            of_customer().limit(0).unwind(|b| b.items),
            of_customer().unwind(|b| b.items).limit(0),
        ] {
            assert_eq!(items.await.expect("found"), []);
        }
        let none = of_customer()
            .unwind(|b| b.items)
            .limit(0)
            .group_by(|i| i.sku);
        assert_eq!(none.count().await.expect("grouped"), []);
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

/// An embedded document of an item is compared field by field, whatever the order of its keys; so is the item itself.
#[tokio::test]
async fn documents_in_items_are_compared_by_their_fields() {
    alone("unwind_compared", async |bench| {
        baskets(bench).await;
        let db = &bench.db;
        let stored = bench.raw("baskets");
        let turned = doc! { "$set": { "l.0.maker": { "land": "it", "name": "of it" } } };
        let changed = stored.update_one(doc! { "_id": 2 }, turned).await;
        assert_eq!(changed.expect("updated").modified_count, 1);
        let items = || Basket::scan(db, |_| filter::everything()).unwind(|b| b.items);
        let italian = items()
            .filter_items(|i| i.maker.eq(maker("it")))
            .sort(|i| i.qty.asc());
        assert_eq!(skus(&italian.await.expect("found")), [("a", 3), ("a", 100)]);
        let same = items().filter_items(|i| i.eq(item("b", 2)));
        assert_eq!(skus(&same.await.expect("found")), [("b", 2)]);
        let others = items()
            .filter_items(|i| !i.eq(item("b", 2)))
            .group_by(|i| i.sku)
            .count();
        assert_eq!(others.await.expect("grouped")[0].totals, (3,));
    })
    .await;
}

#[tokio::test]
async fn items_have_an_order_a_session_and_typed_errors() {
    in_set("unwind_order", async |bench| {
        baskets(bench).await;
        let db = &bench.db;
        let all = || Basket::scan(db, |_| filter::everything());
        let newest = all()
            .unwind(|b| b.items)
            .sort(|i| i.qty.desc())
            .group_by(|i| i.sku)
            .first(|i| i.qty)
            .last(|i| i.qty);
        assert_eq!(
            newest.await.expect("grouped")[0].totals,
            (Some(100), Some(1))
        );
        let mut session = bench.transaction().await;
        let removed = Basket::delete(db, 4).driver_session(&mut session).await;
        removed.expect("deleted");
        let items = all().driver_session(&mut session).unwind(|b| b.items).await;
        assert_eq!(items.expect("found").len(), 3);
        session.abort_transaction().await.expect("aborted");
        bench.forget();
        let near = doc! { "l.q": { "$nearSphere": [1.0, 2.0] } };
        let refused = all()
            .unwind(|b| b.items)
            .filter_items(|_| raw_filter(near))
            .await;
        assert!(
            matches!(refused, Err(Error::OperatorRefused { .. })),
            "{refused:?}"
        );
        // An array in an item is an array still.
        let inside = all()
            .unwind(|b| b.items)
            .group_by(|i| i.sku)
            .count()
            .only(|i| i.labels.contains("label 1"));
        let refused = inside.await;
        assert!(
            matches!(refused, Err(Error::Impossible { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.sent(), [""; 0]);
        let stored = bench.raw("baskets");
        let odd = doc! { "$push": { "l": { "sku": 5 } } };
        stored
            .update_one(doc! { "_id": 1 }, odd)
            .await
            .expect("updated");
        let unread = all().unwind(|b| b.items).await.expect_err("no such item");
        let text = unread.to_string();
        assert!(matches!(unread, Error::Decode { .. }), "{unread:?}");
        assert!(text.contains("Basket") && text.contains("l.sku"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn a_query_is_the_beginning_of_a_pipeline() {
    alone("unwind_pipeline", async |bench| {
        baskets(bench).await;
        let db = &bench.db;
        let query = Basket::find(db, |b| b.customer.eq(7))
            .sort(|b| b.id.desc())
            .skip(1)
            .limit(5);
        let mut pipeline = query.into_pipeline().expect("a pipeline");
        let expected = [
            doc! { "$match": { "customer": { "$eq": 7 } } },
            doc! { "$sort": { "_id": -1 } },
            doc! { "$skip": 1_i64 },
            doc! { "$limit": 5_i64 },
        ];
        assert_eq!(pipeline, expected);
        assert_eq!(bench.sent(), [""; 0]);
        pipeline.push(doc! { "$count": "n" });
        let mut counted = bench
            .raw("baskets")
            .aggregate(pipeline)
            .await
            .expect("sent");
        assert!(counted.advance().await.expect("a row"));
        assert_eq!(counted.current().get_i32("n").expect("a number"), 2);
        let none = Basket::find(db, |b| b.customer.eq(7))
            .limit(0)
            .into_pipeline();
        assert!(matches!(none, Err(Error::Impossible { .. })), "{none:?}");
        let near = doc! { "l": { "$nearSphere": [1.0, 2.0] } };
        let near = Basket::scan(db, |_| raw_filter(near)).into_pipeline();
        assert!(
            matches!(near, Err(Error::OperatorRefused { .. })),
            "{near:?}"
        );
    })
    .await;
}
