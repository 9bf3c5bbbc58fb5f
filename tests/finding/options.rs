//! Options of calls: they reach the server, and nothing else does.

use std::time::Duration;

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::update::{Returned, ReturnedIf};
use mongo_model::{Error, Id, MongoModel};
use mongodb::options::{
    DatabaseOptions, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, number};
use crate::finding::{Order, order};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: Id<Shelf>,
    #[refs(Tin, max = 20)]
    tins: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tins")]
struct Tin {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Box)]
    lies: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "boxes")]
struct Box {
    #[serde(rename = "_id")]
    id: i32,
}

fn nearest() -> ReadPreference {
    ReadPreference::Nearest { options: None }
}

/// The read preference and the read concern of a command.
fn reads(command: &Document) -> (Option<&str>, Option<&str>) {
    let level = |key: &str, inside: &str| command.get_document(key).ok()?.get_str(inside).ok();
    (
        level("$readPreference", "mode"),
        level("readConcern", "level"),
    )
}

#[tokio::test]
async fn a_read_sends_its_options() {
    in_set("options_read", async |bench| {
        bench.orders(&(1..=5).map(order).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let found = Order::find(db, |o| o.code.gte("code-2"))
            .read_preference(nearest())
            .read_concern(ReadConcern::majority())
            .max_time(Duration::from_millis(1_500))
            .hint("code_1")
            .comment("a report")
            .batch_size(2)
            .allow_disk_use(true)
            .await;
        assert_eq!(found.expect("found").len(), 4);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["find", "getMore", "getMore"]);
        let find = &sent[0].command;
        assert_eq!(reads(find), (Some("nearest"), Some("majority")));
        assert_eq!(number(&find["maxTimeMS"]), 1_500);
        assert_eq!(find.get_str("hint").ok(), Some("code_1"));
        assert_eq!(find.get_str("comment").ok(), Some("a report"));
        assert_eq!(number(&find["batchSize"]), 2);
        assert_eq!(find.get_bool("allowDiskUse").ok(), Some(true));
        assert_eq!(sent[1].command.get_str("comment").ok(), Some("a report"));

        let count = Order::count(db, |o| o.code.gte("code-2"))
            .read_preference(nearest())
            .read_concern(ReadConcern::local())
            .max_time(Duration::from_secs(2))
            .hint("code_1")
            .comment("a number");
        assert_eq!(count.await.expect("counted"), 4);
        let sent = bench.only();
        assert_eq!(reads(&sent), (Some("nearest"), Some("local")));
        assert_eq!(number(&sent["maxTimeMS"]), 2_000);
        assert_eq!(sent.get_str("hint").ok(), Some("code_1"));
        assert_eq!(sent.get_str("comment").ok(), Some("a number"));

        let one = Order::get(db, 1)
            .read_concern(ReadConcern::majority())
            .exists();
        assert!(one.await.expect("asked"));
        assert_eq!(reads(&bench.only()).1, Some("majority"));
        let page = Order::find(db, |o| o.code.gte(""))
            .page(2)
            .comment("a page");
        assert_eq!(page.await.expect("a page").items.len(), 2);
        assert_eq!(bench.only().get_str("comment").ok(), Some("a page"));
    })
    .await;
}

/// An option that the server refuses is its error, and an index that is not there is no scan.
#[tokio::test]
async fn an_index_that_is_not_there_is_an_error() {
    alone("options_hint", async |bench| {
        bench.orders(&[order(1)]).await;
        let found = Order::find(&bench.db, |o| o.code.eq("x"))
            .hint("none")
            .await;
        assert!(matches!(found, Err(Error::Driver(_))), "{found:?}");
        let changed = Order::update_many(&bench.db, |o| o.code.eq("code-1"))
            .set(|o| o.status, "x")
            .hint("none")
            .await;
        assert!(matches!(changed, Err(Error::Driver(_))), "{changed:?}");
        assert_eq!(
            bench.stored("orders", 1).await.get_str("status").ok(),
            Some("open")
        );
    })
    .await;
}

/// Also of documents that others refer to: the read that finds them has the hint.
#[tokio::test]
async fn a_delete_of_referenced_documents_has_the_hint() {
    alone("options_hint_delete", async |bench| {
        let models = [Shelf::meta(), Tin::meta(), Box::meta()];
        bench.index(&models).await;
        let db = &bench.db;
        bench.place(&[Box { id: 1 }, Box { id: 2 }]).await;
        let refused = Box::delete_many(db, |b| b.id.gte(1)).hint("none").await;
        assert!(matches!(refused, Err(Error::Driver(_))), "{refused:?}");
        let refused = Box::delete_many(db, |b| b.id.gte(1))
            .without_rules()
            .hint("none");
        assert!(matches!(refused.await, Err(Error::Driver(_))));
        assert_eq!(bench.len("boxes").await, 2);
        bench.take();
        let deleted = Box::delete_many(db, |b| b.id.gte(1)).hint("_id_").await;
        assert_eq!(deleted.expect("deleted").deleted, 2);
        let sent = bench.take();
        assert_eq!(sent[0].name, "find");
        assert_eq!(sent[0].command.get_str("hint").ok(), Some("_id_"));
    })
    .await;
}

/// The server takes 0 for no limit.
#[tokio::test]
async fn a_limit_below_a_millisecond_is_one() {
    alone("options_max_time", async |bench| {
        bench.orders(&[order(1)]).await;
        let found = Order::get(&bench.db, 1).max_time(Duration::from_micros(100));
        // The server may need longer.
        let _ = found.await;
        assert_eq!(number(&bench.only()["maxTimeMS"]), 1);
    })
    .await;
}

#[tokio::test]
async fn a_write_sends_its_options() {
    in_set("options_write", async |bench| {
        bench.orders(&[order(1), order(2), order(3)]).await;
        let db = &bench.db;
        let two = || {
            WriteConcern::builder()
                .w(mongodb::options::Acknowledgment::Nodes(1))
                .journal(true)
                .build()
        };
        let check = |bench: &Bench, statement: Option<&str>, hint: Option<&str>| {
            let sent = bench.only();
            let concern = sent.get_document("writeConcern").expect("a concern");
            assert_eq!(concern.get_bool("j").ok(), Some(true), "{sent}");
            assert_eq!(sent.get_str("comment").ok(), Some("by night"), "{sent}");
            if let Some(list) = statement {
                let first = sent.get_array(list).expect("statements")[0].as_document();
                assert_eq!(first.expect("one").get_str("hint").ok(), hint, "{sent}");
            }
        };
        let new = order(4);
        let insert = Order::insert(db, &new)
            .write_concern(two())
            .comment("by night");
        insert.await.expect("stored");
        check(bench, None, None);
        let save = new.save(db).comment("by night").write_concern(two());
        save.await.expect("stored");
        check(bench, None, None);
        let one = Order::update(db, 1)
            .set(|o| o.status, "x")
            .write_concern(two());
        one.comment("by night").await.expect("changed");
        check(bench, Some("updates"), None);
        let returned = Order::update(db, 1).set(|o| o.status, "z").returning();
        let returned = returned.write_concern(two()).comment("by night");
        let _: Returned<Order> = returned.await.expect("changed");
        check(bench, None, None);
        let returned = Order::update(db, 1)
            .only_if(|o| o.status.eq("z"))
            .set(|o| o.status, "x");
        let returned = returned.returning().settled().write_concern(two());
        let _: ReturnedIf<Order> = returned.comment("by night").await.expect("changed");
        check(bench, None, None);
        let inserted = Order::insert(db, &order(9)).returning();
        let inserted = inserted.comment("by night").write_concern(two());
        let _: Returned<Order> = inserted.await.expect("stored");
        check(bench, None, None);
        let many = Order::update_many(db, |o| o.code.gte("code-2")).set(|o| o.status, "y");
        let many = many.hint("code_1").write_concern(two()).comment("by night");
        many.await.expect("changed");
        check(bench, Some("updates"), Some("code_1"));
        let delete = Order::delete(db, 1)
            .write_concern(two())
            .comment("by night");
        delete.await.expect("deleted");
        check(bench, Some("deletes"), None);
        let delete = Order::delete_many(db, |o| o.code.gte("code-3")).hint("code_1");
        delete
            .write_concern(two())
            .comment("by night")
            .await
            .expect("deleted");
        check(bench, Some("deletes"), Some("code_1"));
        assert_eq!(bench.len("orders").await, 1);
    })
    .await;
}

/// A loader sends its options with each of its commands, and so do the loads inside it.
#[tokio::test]
async fn a_load_sends_its_options() {
    in_set("options_load", async |bench| {
        bench
            .index(&[Shelf::meta(), Tin::meta(), Box::meta()])
            .await;
        let shelf = Shelf {
            id: Id::new(),
            tins: vec![1, 2],
        };
        bench.place([&shelf]).await;
        bench
            .place(&[Tin { id: 1, lies: 7 }, Tin { id: 2, lies: 7 }])
            .await;
        bench.place(&[Box { id: 7 }]).await;
        let db = &bench.db;
        let boxes = Shelf::load_tins_many(db, std::slice::from_ref(&shelf))
            .nest(Tin::load_lies_many)
            .read_preference(nearest())
            .read_concern(ReadConcern::majority())
            .comment("joined")
            .await
            .expect("loaded");
        assert_eq!(boxes[0].1.len(), 2);
        let sent = bench.take();
        assert_eq!(sent.len(), 2);
        for sent in &sent {
            assert_eq!(reads(&sent.command), (Some("nearest"), Some("majority")));
            assert_eq!(sent.command.get_str("comment").ok(), Some("joined"));
        }
        let boxes = [Box { id: 7 }];
        for counted in [false, true] {
            let many = Tin::by_lies_many(db, &boxes);
            if counted {
                let many = many.count().read_concern(ReadConcern::majority());
                assert_eq!(many.await.expect("counted")[0].1, 2);
            } else {
                let many = many.limit(1).read_concern(ReadConcern::majority());
                assert_eq!(many.await.expect("loaded")[0].1.len(), 1);
            }
            assert_eq!(reads(&bench.only()).1, Some("majority"));
        }
        let by = Tin::by_lies(db, 7).max_time(Duration::from_secs(3));
        assert_eq!(by.await.expect("found").len(), 2);
        assert_eq!(number(&bench.only()["maxTimeMS"]), 3_000);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "readings",
    options(
        read_preference = nearest,
        read_concern = majority,
        write_concern = majority,
        max_time = "900ms"
    )
)]
struct Reading {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    value: i32,
    #[parent(Box, unchecked)]
    lies: i32,
}

/// The model says what a call leaves out; the options of the call come first.
#[tokio::test]
async fn the_model_says_what_a_call_leaves_out() {
    in_set("options_model", async |bench| {
        bench.index(&[Box::meta(), Reading::meta()]).await;
        bench.place(&[Box { id: 7 }]).await;
        let db = &bench.db;
        let reading = |id| Reading {
            id,
            value: id,
            lies: 7,
        };
        let majority = doc! { "w": "majority" };
        let concern = |sent: &Document| sent.get_document("writeConcern").cloned().ok();
        Reading::insert(db, &reading(1)).await.expect("stored");
        assert_eq!(concern(&bench.only()), Some(majority.clone()));
        Reading::update(db, 1)
            .set(|r| r.value, 2)
            .await
            .expect("changed");
        assert_eq!(concern(&bench.only()), Some(majority.clone()));
        reading(2).save(db).await.expect("stored");
        assert_eq!(concern(&bench.only()), Some(majority.clone()));
        let one = WriteConcern::builder()
            .w(mongodb::options::Acknowledgment::Nodes(1))
            .build();
        Reading::delete(db, 2)
            .write_concern(one)
            .await
            .expect("deleted");
        assert_eq!(concern(&bench.only()), Some(doc! { "w": 1 }));

        let of_model = |sent: &Document| {
            assert_eq!(reads(sent), (Some("nearest"), Some("majority")), "{sent}");
            assert_eq!(number(&sent["maxTimeMS"]), 900, "{sent}");
        };
        Reading::find(db, |r| r.value.gte(0)).await.expect("found");
        of_model(&bench.only());
        Reading::count(db, |r| r.value.gte(0))
            .await
            .expect("counted");
        of_model(&bench.only());
        Reading::get_many(db, [1, 2]).await.expect("found");
        of_model(&bench.only());
        Reading::by_lies_many(db, &[Box { id: 7 }])
            .await
            .expect("found");
        of_model(&bench.only());
        let own = Reading::get(db, 1)
            .read_preference(ReadPreference::Primary)
            .max_time(Duration::from_secs(5));
        own.await.expect("found");
        let sent = bench.only();
        assert_eq!(reads(&sent), (None, Some("majority")), "{sent}");
        assert_eq!(number(&sent["maxTimeMS"]), 5_000, "{sent}");
        // A transaction has its own.
        let mut session = bench.transaction().await;
        let inside = Reading::insert(db, &reading(3))
            .driver_session(&mut session)
            .await;
        inside.expect("stored");
        let inside = Reading::get(db, 3).driver_session(&mut session).await;
        assert!(inside.expect("found").is_some());
        session.commit_transaction().await.expect("committed");
    })
    .await;
}

/// The handle says what a call and its model leave out.
#[tokio::test]
async fn the_handle_says_what_a_call_leaves_out() {
    in_set("options_handle", async |bench| {
        bench.orders(&[order(1)]).await;
        let options = DatabaseOptions::builder()
            .read_concern(ReadConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(nearest()))
            .write_concern(WriteConcern::builder().journal(true).build())
            .build();
        let db = &bench.client.database_with_options(bench.db.name(), options);
        let found = Order::find(db, |o| o.code.gte("")).await.expect("found");
        assert_eq!(reads(&bench.only()), (Some("nearest"), Some("majority")));
        let found = Order::get_many(db, found.iter().map(|order| order.id));
        assert_eq!(found.await.expect("found").len(), 1);
        assert_eq!(reads(&bench.only()), (Some("nearest"), Some("majority")));
        let own = Order::find(db, |o| o.code.gte("")).read_concern(ReadConcern::local());
        own.await.expect("found");
        assert_eq!(reads(&bench.only()), (Some("nearest"), Some("local")));
        Order::update(db, 1)
            .set(|o| o.status, "x")
            .await
            .expect("changed");
        let sent = bench.only();
        let concern = sent.get_document("writeConcern").expect("a concern");
        assert_eq!(concern, &doc! { "j": true });
    })
    .await;
}

/// A command says which call sent it, and where that is in the program.
#[tokio::test]
async fn a_command_names_its_call() {
    alone("options_comments", async |bench| {
        bench.orders(&[order(1), order(2)]).await;
        let db = &bench.db;
        let named = |bench: &Bench, call: &str, line: u32| {
            for sent in bench.take() {
                let comment = sent.command.get_str("comment").unwrap_or_default();
                assert_eq!(comment, format!("{call} {}:{line}", file!()), "{sent:?}");
            }
        };
        let found = Order::find(db, |o| o.code.gte("")).await;
        let line = line!() - 1;
        found.expect("found");
        named(bench, "Order::find", line);
        let stream = Order::find(db, |o| o.code.gte("")).batch_size(1).stream();
        let line = line!() - 1;
        let all: Vec<Order> = stream.try_collect().await.expect("read");
        assert_eq!((all.len(), bench.count()), (2, 3));
        named(bench, "Order::find", line);
        let inserted = Order::insert(db, &order(3)).await;
        let line = line!() - 1;
        inserted.expect("stored");
        named(bench, "Order::insert", line);
        let changed = Order::update(db, 3).set(|o| o.status, "x").await;
        let line = line!() - 1;
        changed.expect("changed");
        named(bench, "Order::update", line);
        let counted = Order::count(db, |o| o.code.gte("")).await;
        let line = line!() - 1;
        counted.expect("counted");
        named(bench, "Order::count", line);
        let joined = Order::get_many(db, [1, 2]).await;
        let line = line!() - 1;
        joined.expect("found");
        named(bench, "Order::load", line);
        let deleted = Order::delete_many(db, |o| o.code.gte("")).await;
        let line = line!() - 1;
        deleted.expect("deleted");
        named(bench, "Order::delete_many", line);
    })
    .await;
}
