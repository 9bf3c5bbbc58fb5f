//! Steps that come late: commands of writers that were overtaken arrive after others have finished. Each test sends the very
//! commands again that the library sent before, in the orders that the protocol was checked against (PROTOCOL 6, T2).

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{everything, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "late_parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "late_stocks")]
struct Stock {
    #[serde(rename = "_id")]
    id: Id<Stock>,
    #[parent(Part)]
    part: Id<Part>,
    #[denorm(from = Part, field = name)]
    part_name: String,
    count: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "late_products")]
struct Product {
    #[serde(rename = "_id")]
    id: Id<Product>,
    #[refs(Part, max = 10)]
    #[denorm(from = Part, field = name)]
    parts: Vec<Piece>,
}

struct Stored {
    part: Part,
    other: Part,
    stock: Stock,
    product: Product,
}

impl Stored {
    async fn assert_named(&self, bench: &Bench, name: &str) {
        let stock = shown::<Stock>(bench, &self.stock.id).await;
        assert_eq!(stock.get_str("part_name").ok(), Some(name));
        let product = Product::get(&bench.db, self.product.id).await;
        let product = product.expect("read").expect("stored");
        let names: Vec<&str> = product.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(names, [name, "other", name]);
    }

    async fn rename(&self, bench: &Bench, name: &str) -> Vec<Document> {
        bench.forget();
        let update = Part::update(&bench.db, self.part.id).set(|p| p.name, name);
        assert_eq!(update.await.expect("renamed").pending, []);
        commands(bench)
    }

    /// W1 alone, as a writer leaves it that dies before anything else.
    async fn rename_and_die(&self, bench: &Bench, name: &str) {
        let w1 = doc! {
            "$set": { "name": name },
            "$inc": { "_dn.r": 1 },
            "$addToSet": { "_dn.p": { "$each": ["late_products.parts", "late_stocks.part"] } },
        };
        let id = doc! { "_id": *self.part.id.as_raw() };
        let parts = bench.raw("late_parts");
        parts.update_one(id, w1).await.expect("W1");
    }
}

async fn start(bench: &Bench) -> Stored {
    bench
        .index(&[Part::meta(), Stock::meta(), Product::meta()])
        .await;
    let part = |name: &str| Part {
        id: Id::new(),
        name: name.to_owned(),
    };
    let (part, other) = (part("n1"), part("other"));
    let piece = |part: &Part| Piece {
        id: part.id,
        name: part.name.clone(),
    };
    let stock = Stock {
        id: Id::new(),
        part: part.id,
        part_name: part.name.clone(),
        count: 1,
    };
    let product = Product {
        id: Id::new(),
        parts: vec![piece(&part), piece(&other), piece(&part)],
    };
    let parts = Part::insert_many(&bench.db, [&part, &other]).await;
    parts.expect("stored");
    Stock::insert(&bench.db, &stock).await.expect("stored");
    Product::insert(&bench.db, &product).await.expect("stored");
    bench.forget();
    Stored {
        part,
        other,
        stock,
        product,
    }
}

/// The commands since the log was cleared, in a form that can be sent again.
fn commands(bench: &Bench) -> Vec<Document> {
    let own = ["lsid", "txnNumber"];
    let strip = |command: Document| {
        let fields = command.into_iter();
        fields
            .filter(|(key, _)| !key.starts_with('$') && !own.contains(&key.as_str()))
            .collect()
    };
    let all = bench.take();
    all.into_iter().map(|sent| strip(sent.command)).collect()
}

/// Sends commands again.
async fn again<'c>(bench: &Bench, commands: impl IntoIterator<Item = &'c Document>) {
    for command in commands {
        let reply = bench.db.run_command(command.clone()).await.expect("run");
        assert!(!reply.contains_key("writeErrors"), "{reply}");
    }
    bench.forget();
}

// W2 and W3 of one change, sent after the next change was finished, change nothing: neither the copies nor the flags.
#[tokio::test]
async fn an_overtaken_fan_out_changes_nothing() {
    on_both("late_fan_out", async |bench| {
        let stored = start(bench).await;
        let older = stored.rename(bench, "n2").await;
        assert_eq!(older.len(), 4);
        stored.rename(bench, "n3").await;
        let before = everything(bench).await;
        again(bench, &older[1..]).await;
        assert_eq!(everything(bench).await, before);
        stored.assert_named(bench, "n3").await;
        settled(bench).await;
    })
    .await;
}

// A -> B -> A: the name is what it was, the revision is not.
#[tokio::test]
async fn a_name_that_comes_back() {
    on_both("late_back", async |bench| {
        let stored = start(bench).await;
        let to_b = stored.rename(bench, "n2").await;
        let to_a = stored.rename(bench, "n1").await;
        for late in [&to_b, &to_a] {
            again(bench, &late[1..]).await;
            stored.assert_named(bench, "n1").await;
        }
        settled(bench).await;
    })
    .await;
}

// The fan-out of one change arrives while the next one is flagged only: it neither takes that flag off nor is the last word.
#[tokio::test]
async fn a_late_fan_out_does_not_clear_the_next_flag() {
    on_both("late_flag", async |bench| {
        let db = &bench.db;
        let stored = start(bench).await;
        let older = stored.rename(bench, "n2").await;
        stored.rename_and_die(bench, "n3").await;
        again(bench, &older[1..]).await;
        let part = shown::<Part>(bench, &stored.part.id).await;
        let dn = part.get_document("_dn").expect("flags");
        assert_eq!(dn.get_array("p").map(Vec::len).ok(), Some(2));
        stored.assert_named(bench, "n2").await;
        let done = recover(db).await.expect("recovered");
        assert_eq!((done.sources, done.stuck.len()), (1, 0));
        stored.assert_named(bench, "n3").await;
        // And once more, when everything is done.
        again(bench, &older[1..]).await;
        stored.assert_named(bench, "n3").await;
        settled(bench).await;
    })
    .await;
}

// A copy of before the change is stored after its fan-out; the mark of the new copy says that it is not to be trusted.
#[tokio::test]
async fn a_stale_insert_is_found_by_its_mark() {
    on_both("late_insert", async |bench| {
        let db = &bench.db;
        let stored = start(bench).await;
        let stale = Stock {
            id: Id::new(),
            ..stored.stock.clone()
        };
        bench.forget();
        Stock::insert(db, &stale).await.expect("stored");
        let steps = commands(bench);
        let names: Vec<_> = steps.iter().filter_map(|step| step.keys().next()).collect();
        assert_eq!(names, ["insert", "findAndModify", "update"]);
        let stocks = bench.raw("late_stocks");
        let this = doc! { "_id": *stale.id.as_raw() };
        let name_of = async || {
            let found = shown::<Stock>(bench, &stale.id).await;
            found.get_str("part_name").expect("a name").to_owned()
        };

        // I1 after the whole change; its writer is gone.
        stocks.delete_one(this.clone()).await.expect("deleted");
        stored.rename(bench, "n2").await;
        again(bench, &steps[..1]).await;
        assert_eq!(name_of().await, "n1");
        assert_eq!(recover(db).await.expect("recovered").targets, 1);
        assert_eq!(name_of().await, "n2");
        settled(bench).await;

        // I1 before the change and I3, with what was read before, after it.
        stocks.delete_one(this.clone()).await.expect("deleted");
        again(bench, &steps[..1]).await;
        stored.rename(bench, "n3").await;
        assert_eq!(name_of().await, "n3");
        again(bench, &steps[2..]).await;
        assert_eq!(name_of().await, "n3");
        settled(bench).await;

        // I3 twice, also when another change came in between.
        stored.rename(bench, "n4").await;
        again(bench, &steps[2..]).await;
        assert_eq!(name_of().await, "n4");
        settled(bench).await;
    })
    .await;
}

// PROTOCOL 15.A2: I3 of a reference that was replaced meanwhile does not write the old source's copy beside the new reference.
#[tokio::test]
async fn a_late_comparison_names_its_reference() {
    on_both("late_repointed", async |bench| {
        let db = &bench.db;
        let stored = start(bench).await;
        let moved = Stock {
            id: Id::new(),
            ..stored.stock.clone()
        };
        bench.forget();
        Stock::insert(db, &moved).await.expect("stored");
        let steps = commands(bench);
        let stocks = bench.raw("late_stocks");
        stocks
            .delete_one(doc! { "_id": *moved.id.as_raw() })
            .await
            .expect("deleted");
        again(bench, &steps[..1]).await;
        // Re-pointed, with a mark of its own, by a writer that died; the first mark is still there.
        let repoint = doc! {
            "$set": { "part": *stored.other.id.as_raw(), "part_name": "other" },
            "$unset": { "_r_part": "" },
            "$push": { "_dn.u": { "t": ObjectId::new() } },
        };
        let this = doc! { "_id": *moved.id.as_raw() };
        stocks.update_one(this, repoint).await.expect("R1");
        again(bench, &steps[2..]).await;
        let found = shown::<Stock>(bench, &moved.id).await;
        assert_eq!(found.get_str("part_name").ok(), Some("other"));
        let dn = found.get_document("_dn").expect("the second mark");
        assert_eq!(dn.get_array("u").map(Vec::len).ok(), Some(1));
        assert_eq!(recover(db).await.expect("recovered").targets, 1);
        // A fan-out of the old source does not reach it, one of the new source does.
        stored.rename(bench, "n2").await;
        let found = shown::<Stock>(bench, &moved.id).await;
        assert_eq!(found.get_str("part_name").ok(), Some("other"));
        let renamed = Part::update(db, stored.other.id).set(|p| p.name, "o2");
        renamed.await.expect("renamed");
        let found = shown::<Stock>(bench, &moved.id).await;
        assert_eq!(found.get_str("part_name").ok(), Some("o2"));
        settled(bench).await;
    })
    .await;
}

// A struct that was read before the change is saved after it: its own fields are stored, its old copies are not.
#[tokio::test]
async fn a_stale_save_brings_no_old_copies_back() {
    on_both("late_save", async |bench| {
        let db = &bench.db;
        let stored = start(bench).await;
        stored.rename(bench, "n2").await;
        let stock = Stock {
            count: 7,
            ..stored.stock.clone()
        };
        stock.save(db).await.expect("saved");
        stored.product.save(db).await.expect("saved");
        stored.assert_named(bench, "n2").await;
        let found = shown::<Stock>(bench, &stock.id).await;
        assert_eq!(found.get_i64("count").ok(), Some(7));
        settled(bench).await;
        // With a change that is flagged only, too: the flag stays, and leads to the right copies.
        stored.rename_and_die(bench, "n3").await;
        stock.save(db).refresh().await.expect("saved");
        stored.product.save(db).refresh().await.expect("saved");
        recover(db).await.expect("recovered");
        stored.assert_named(bench, "n3").await;
        settled(bench).await;
    })
    .await;
}
