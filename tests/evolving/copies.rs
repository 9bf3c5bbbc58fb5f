//! Migrations of documents that others copy, or that hold copies; and the one side denormalised away.

use bson::{Document, doc};
use mongo_model::{Id, MongoModel, backfill, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

/// Version 1 called its name `title`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "makers", schema_version = 2, migrate = named, unversioned = 1)]
pub struct Maker {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

fn named(mut old: Document, _version: i32) -> Document {
    let name = old.remove("title");
    old.extend(name.map(|name| ("name".to_owned(), name)));
    old
}

/// Version 1 called its reference `by`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "made_things", schema_version = 2, migrate = made_by, unversioned = 1)]
pub struct Thing {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Maker)]
    pub maker: i32,
    #[denorm(from = Maker, field = name, default)]
    #[serde(default)]
    pub name: String,
}

fn made_by(mut old: Document, _version: i32) -> Document {
    let maker = old.remove("by");
    old.extend(maker.map(|maker| ("maker".to_owned(), maker)));
    old
}

#[tokio::test]
async fn copies_follow_a_migration_of_either_side() {
    on_both("evolve_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Thing::meta()]).await;
        bench
            .seed("makers", [doc! { "_id": 1, "title": "Acme" }])
            .await;
        let old = |id: i32| doc! { "_id": id, "by": 1 };
        bench.seed("made_things", (0..30).map(old)).await;
        let done = Thing::migrate(db).await.expect("migrated");
        assert_eq!((done.migrated, done.refused.len()), (30, 0), "{done:?}");
        let stored = bench.stored("made_things", 7).await;
        assert_eq!(stored.get_i32("maker").expect("a maker"), 1);
        assert!(!stored.contains_key("by"), "{stored}");
        // The source has no `name` yet: when it gets one, the copies follow.
        let done = Maker::migrate(db).await.expect("migrated");
        assert_eq!((done.migrated, done.pending.len()), (1, 0), "{done:?}");
        let things = Thing::scan(db, |t| t.all()).await.expect("read");
        assert!(
            things.iter().all(|thing| thing.name == "Acme"),
            "{things:?}"
        );
        let report = verify(db).only::<Thing>().await.expect("verified");
        assert!(report.is_clean(), "{report:?}");
        let again = Thing::migrate(db).await.expect("idle");
        assert_eq!((again.found, again.migrated), (0, 0));
    })
    .await;
}

/// Before: an orderer is an own document, and orders copy all of it.
mod before {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
    #[model(collection = "customers")]
    pub struct Customer {
        #[serde(rename = "_id")]
        pub id: Id<Customer>,
        pub name: String,
        pub city: String,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
    #[model(collection = "orders")]
    pub struct Order {
        #[serde(rename = "_id")]
        pub id: i32,
        #[parent(Customer)]
        #[denorm(from = Customer, fields(name, city), default)]
        pub customer: Orderer,
    }
}

/// After: the copies are the order's own.
mod after {
    use mongo_model::MongoEmbed;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
    pub struct Customer {
        pub name: String,
        pub city: String,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
    #[model(collection = "orders_after", schema_version = 2, migrate = own, unversioned = 1)]
    pub struct Order {
        #[serde(rename = "_id")]
        pub id: i32,
        pub customer: Customer,
    }

    fn own(mut old: Document, _version: i32) -> Document {
        if let Ok(customer) = old.get_document_mut("customer") {
            customer.remove("id");
            customer.remove("_r");
        }
        old
    }
}

#[tokio::test]
async fn the_one_side_can_be_denormalised_away() {
    on_both("evolve_drop", async |bench| {
        let db = &bench.db;
        let customers: Vec<before::Customer> = (0..3)
            .map(|n| before::Customer {
                id: Id::new(),
                name: format!("customer {n}"),
                city: "Rome".to_owned(),
            })
            .collect();
        bench.place(&customers).await;
        let referring = |n: usize| {
            doc! { "_id": n as i32, "customer": { "id": customers[n % 3].id.into_raw() } }
        };
        bench.seed("orders", (0..40).map(referring)).await;
        // 1. Copies of all that the one side holds.
        bench
            .index(&[before::Customer::meta(), before::Order::meta()])
            .await;
        let filled = backfill(db).only::<before::Order>().await.expect("filled");
        assert_eq!(filled.changed, 40);
        // 2. They are all there.
        let report = verify(db).only::<before::Order>().await.expect("verified");
        assert!(report.is_clean(), "{report:?}");
        // 3. The next program: former copies are fields of its own. (Here it has a collection of its own, since both programs
        // are one.)
        let orders = bench.raw("orders");
        let moved = orders.aggregate([doc! { "$out": "orders_after" }]);
        moved.await.expect("moved");
        let done = after::Order::migrate(db).await.expect("migrated");
        assert_eq!((done.migrated, done.refused.len()), (40, 0));
        // 4. No program reads the one side any more.
        bench.raw("customers").drop().await.expect("dropped");
        let orders = after::Order::scan(db, |o| o.all()).await.expect("read");
        assert_eq!(orders.len(), 40);
        for order in &orders {
            let name = format!("customer {}", order.id % 3);
            let city = "Rome".to_owned();
            assert_eq!(order.customer, after::Customer { name, city });
        }
        let stored = bench.stored("orders_after", 1).await;
        let inside = doc! { "name": "customer 1", "city": "Rome" };
        assert_eq!(stored.get_document("customer").expect("inside"), &inside);
    })
    .await;
}
