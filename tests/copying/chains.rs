//! Copies of copies, circles that come to rest, and several models of one collection.

use bson::doc;
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    name: String,
    price: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_bills")]
struct Bill {
    #[serde(rename = "_id")]
    id: Id<Bill>,
    #[parent(Item)]
    item: Id<Item>,
    #[denorm(from = Item, field = name)]
    item_name: String,
    #[denorm(from = Item, field = price)]
    item_price: i64,
    note: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_customers")]
struct Customer {
    #[serde(rename = "_id")]
    id: Id<Customer>,
    #[refs(Bill, max = 5)]
    #[denorm(from = Bill, fields(item_name, note))]
    bills: Vec<CustomerBill>,
    #[parent(Bill)]
    latest: Id<Bill>,
    #[denorm(from = Bill, field = item_name, via = latest)]
    #[serde(rename = "lin")]
    latest_item: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_calls")]
struct Call {
    #[serde(rename = "_id")]
    id: Id<Call>,
    #[parent(Customer)]
    customer: Id<Customer>,
    #[denorm(from = Customer, field = latest_item)]
    about: String,
}

/// Two that copy from each other, but not the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_firsts")]
struct First {
    #[serde(rename = "_id")]
    id: Id<First>,
    content: String,
    #[parent(Second, on_delete = keep)]
    other: Id<Second>,
    #[denorm(from = Second, field = content)]
    second: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_seconds")]
struct Second {
    #[serde(rename = "_id")]
    id: Id<Second>,
    content: Option<String>,
    #[parent(First, on_delete = keep)]
    other: Id<First>,
    #[denorm(from = First, field = content)]
    first: String,
}

/// One collection, seen by two parts of a program; each copies what it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_shared")]
struct Front {
    #[serde(rename = "_id")]
    id: Id<Front>,
    #[parent(Item)]
    item: Id<Item>,
    #[denorm(from = Item, field = name)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_shared")]
struct Back {
    #[serde(rename = "_id")]
    id: Id<Back>,
    #[parent(Item)]
    item: Id<Item>,
    #[denorm(from = Item, field = price)]
    price: i64,
    #[serde(default)]
    stock: i64,
}

/// The items, as a part of the program sees them that knows their names only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chain_items")]
struct Named {
    #[serde(rename = "_id")]
    id: Id<Named>,
    name: String,
}

struct Chain {
    item: Item,
    bills: [Bill; 2],
    customer: Customer,
    call: Call,
}

async fn start(bench: &Bench) -> Chain {
    bench
        .index(&[
            Item::meta(),
            Bill::meta(),
            Customer::meta(),
            Call::meta(),
            First::meta(),
            Second::meta(),
            Front::meta(),
            Back::meta(),
        ])
        .await;
    let db = &bench.db;
    let item = Item {
        id: Id::new(),
        name: "pen".to_owned(),
        price: 30,
    };
    let bill = |note: &str| Bill {
        id: Id::new(),
        item: item.id,
        item_name: "?".to_owned(),
        item_price: 0,
        note: note.to_owned(),
    };
    let bills = [bill("one"), bill("two")];
    let entry = |bill: &Bill| CustomerBill {
        id: bill.id,
        item_name: "?".to_owned(),
        note: "?".to_owned(),
    };
    let customer = Customer {
        id: Id::new(),
        bills: bills.iter().map(entry).collect(),
        latest: bills[1].id,
        latest_item: "?".to_owned(),
    };
    let call = Call {
        id: Id::new(),
        customer: customer.id,
        about: "?".to_owned(),
    };
    Item::insert(db, &item).await.expect("stored");
    Bill::insert_many(db, &bills).await.expect("stored");
    Customer::insert(db, &customer).await.expect("stored");
    Call::insert(db, &call).await.expect("stored");
    Chain {
        item,
        bills,
        customer,
        call,
    }
}

impl Chain {
    async fn assert_named(&self, bench: &Bench, name: &str) {
        let db = &bench.db;
        for bill in &self.bills {
            let found = Bill::get(db, bill.id).await.expect("read").expect("stored");
            assert_eq!(found.item_name, name);
        }
        let found = Customer::get(db, self.customer.id).await.expect("read");
        let found = found.expect("stored");
        let notes: Vec<_> = found
            .bills
            .iter()
            .map(|b| (&*b.item_name, &*b.note))
            .collect();
        assert_eq!(notes, [(name, "one"), (name, "two")]);
        assert_eq!(found.latest_item, name);
        let found = Call::get(db, self.call.id).await.expect("read");
        assert_eq!(found.expect("stored").about, name);
        settled(bench).await;
    }
}

// Copies of copies of copies, along two ways at once, follow with the call that changes the source.
#[tokio::test]
async fn chains_follow_to_the_end() {
    on_both("chain_all", async |bench| {
        let db = &bench.db;
        let chain = start(bench).await;
        chain.assert_named(bench, "pen").await;
        let done = Item::update(db, chain.item.id)
            .set(|i| i.name, "pencil")
            .await;
        assert_eq!(done.expect("renamed").pending, []);
        chain.assert_named(bench, "pencil").await;
        let done = Item::update_many(db, |i| i.id.eq(chain.item.id))
            .set(|i| i.name, "crayon")
            .await;
        assert_eq!(done.expect("renamed").pending, []);
        chain.assert_named(bench, "crayon").await;
        let named = Item {
            name: "chalk".to_owned(),
            ..chain.item.clone()
        };
        let done = named.save(db).await.expect("saved");
        assert_eq!(done.pending, []);
        chain.assert_named(bench, "chalk").await;

        // A field that only the first link copies changes nothing further down but revisions.
        Item::update(db, chain.item.id)
            .set(|i| i.price, 15)
            .await
            .expect("changed");
        let stored = shown::<Bill>(bench, &chain.bills[0].id).await;
        assert_eq!(stored.get_i64("item_price").ok(), Some(15));
        chain.assert_named(bench, "chalk").await;
        // A field of the middle model itself.
        Bill::update(db, chain.bills[0].id)
            .set(|b| b.note, "changed")
            .await
            .expect("changed");
        let stored = shown::<Customer>(bench, &chain.customer.id).await;
        let first = stored.get_array("bills").expect("bills")[0].as_document();
        let note = first.and_then(|bill| bill.get_str("note").ok());
        assert_eq!(note, Some("changed"));
        settled(bench).await;
    })
    .await;
}

// B35, B64: a program that stops after the first link leaves the second one flagged.
#[tokio::test]
async fn a_chain_goes_on_where_it_stopped() {
    on_both("chain_stopped", async |bench| {
        let db = &bench.db;
        let chain = start(bench).await;
        // W1 and the first W2, as a writer that then died would have left them.
        let (item, bills) = (*chain.item.id.as_raw(), bench.raw("chain_bills"));
        let w1 = doc! {
            "$set": { "name": "ink" },
            "$inc": { "_dn.r": 1 },
            "$addToSet": { "_dn.p": { "$each": ["chain_bills.item", "chain_shared.item"] } },
        };
        let items = bench.raw("chain_items");
        items.update_one(doc! { "_id": item }, w1).await.expect("W1");
        let w2 = doc! {
            "$set": { "item_name": "ink", "item_price": 30_i64, "_r_item": 2 },
            "$inc": { "_dn.r": 1 },
            "$addToSet": { "_dn.p": { "$each": ["chain_customers.bills", "chain_customers.latest"] } },
        };
        bills.update_many(doc! { "item": item }, w2).await.expect("W2");
        let done = recover(db).await.expect("recovered");
        assert_eq!(done.stuck, []);
        assert!(done.sources >= 3, "{done:?}");
        chain.assert_named(bench, "ink").await;
        // The same with nothing done but W1.
        let w1 = doc! {
            "$set": { "name": "nib" },
            "$inc": { "_dn.r": 1 },
            "$addToSet": { "_dn.p": "chain_bills.item" },
        };
        items.update_one(doc! { "_id": item }, w1).await.expect("W1");
        recover(db).await.expect("recovered");
        chain.assert_named(bench, "nib").await;
    })
    .await;
}

// Two that copy from each other converge, with no write more than one each.
#[tokio::test]
async fn circles_of_different_fields_come_to_rest() {
    on_both("chain_circle", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let (a, b) = (Id::new(), Id::new());
        let first = First {
            id: a,
            content: "f1".to_owned(),
            other: b,
            second: None,
        };
        let second = Second {
            id: b,
            content: Some("s1".to_owned()),
            other: a,
            first: "?".to_owned(),
        };
        First::insert(db, &first).await.expect("stored");
        Second::insert(db, &second).await.expect("stored");
        let expect = async |content: &str, other: Option<&str>| {
            let found = Second::get(db, b).await.expect("read").expect("stored");
            assert_eq!(found.first, content);
            let found = First::get(db, a).await.expect("read").expect("stored");
            assert_eq!(found.second.as_deref(), other);
            settled(bench).await;
        };
        expect("f1", Some("s1")).await;
        First::update(db, a)
            .set(|f| f.content, "f2")
            .await
            .expect("changed");
        assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
        expect("f2", Some("s1")).await;
        Second::update(db, b)
            .set(|s| s.content, Some("s2".to_owned()))
            .await
            .expect("changed");
        assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
        expect("f2", Some("s2")).await;
    })
    .await;
}

// Two models of one collection: a change of the source updates the copies of both, and a write of the collection as one of
// several models leaves what the others copy.
#[tokio::test]
async fn two_models_of_one_collection() {
    on_both("chain_shared", async |bench| {
        let db = &bench.db;
        let chain = start(bench).await;
        let front = Front {
            id: Id::new(),
            item: chain.item.id,
            name: "?".to_owned(),
        };
        Front::insert(db, &front).await.expect("stored");
        let back = Back {
            id: Id::new(),
            item: chain.item.id,
            price: 0,
            stock: 4,
        };
        Back::insert(db, &back).await.expect("stored");
        let expect = async |name: &str, price: i64| {
            for id in [*front.id.as_raw(), *back.id.as_raw()] {
                let stored = bench.stored("chain_shared", id).await;
                assert_eq!(stored.get_str("name").ok(), Some(name), "{stored}");
                assert_eq!(stored.get_i64("price").ok(), Some(price), "{stored}");
            }
            settled(bench).await;
        };
        expect("pen", 30).await;
        Item::update(db, chain.item.id)
            .set(|i| i.price, 31)
            .await
            .expect("changed");
        expect("pen", 31).await;
        // Through the model that knows the names only.
        let id = Id::from_raw(*chain.item.id.as_raw());
        Named::update(db, id)
            .set(|n| n.name, "quill")
            .await
            .expect("renamed");
        expect("quill", 31).await;
        chain.assert_named(bench, "quill").await;
        Back::update(db, back.id)
            .inc(|b| b.stock, 1)
            .await
            .expect("changed");
        Back {
            stock: 9,
            ..back.clone()
        }
        .save(db)
        .await
        .expect("saved");
        let stored = shown::<Back>(bench, &back.id).await;
        assert_eq!(stored.get_i64("stock").ok(), Some(9));
        expect("quill", 31).await;
    })
    .await;
}
