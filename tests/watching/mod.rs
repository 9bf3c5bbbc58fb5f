//! Watches: what is told of the changes of documents, by whom they were made, and where a watch goes on.

mod places;
mod random;
mod walled;

use std::time::Duration;

use bson::doc;
use futures::StreamExt;
use mongo_model::watch::{Change, Changes};
use mongo_model::{Id, MongoModel, MongoProjection, Projected};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "watched_buyers")]
pub(crate) struct Buyer {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Buyer>,
    pub(crate) name: String,
    #[count(Order)]
    pub(crate) orders: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "watched_orders", soft_delete)]
pub(crate) struct Order {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Buyer, on_delete = keep)]
    pub(crate) buyer: Id<Buyer>,
    #[denorm(from = Buyer, field = name)]
    pub(crate) buyer_name: String,
    pub(crate) status: String,
    pub(crate) total: i64,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Order)]
pub(crate) struct Total {
    pub(crate) total: i64,
}

fn order(id: i32, buyer: &Buyer, status: &str) -> Order {
    Order {
        id,
        buyer: buyer.id,
        buyer_name: buyer.name.clone(),
        status: status.to_owned(),
        total: 1,
        deleted_at: None,
    }
}

async fn buyer(bench: &Bench) -> Buyer {
    bench.index(&[Buyer::meta(), Order::meta()]).await;
    let buyer = Buyer {
        id: Id::new(),
        name: "Ada".to_owned(),
        orders: 0,
    };
    Buyer::insert(&bench.db, &buyer).await.expect("stored");
    buyer
}

/// The next item.
async fn next<M: MongoModel, O: Projected<M>>(changes: &mut Changes<M, O>) -> Change<M, O> {
    let next = tokio::time::timeout(Duration::from_secs(60), changes.next());
    let item = next.await.expect("an item in time").expect("an item");
    item.expect("no error")
}

/// The paths and the document of an update.
#[track_caller]
fn updated<M: MongoModel, O>(change: Change<M, O>) -> (O, Vec<String>, bool) {
    match change {
        Change::Updated {
            document,
            paths,
            derived,
            ..
        } => (document, paths, derived),
        _ => panic!("no update"),
    }
}

#[tokio::test]
async fn every_kind_of_change_is_told() {
    on_both("watch_kinds", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        let watch = Order::watch(db).filter(|o| o.status.eq("open"));
        let mut changes = watch.poll_every(Duration::from_millis(20)).await.expect("watched");
        let polls = changes.is_polling();

        // A document that does not meet the conditions is not told, and neither is the removal of flags.
        Order::insert(db, &order(1, &ada, "closed")).await.expect("stored");
        Order::insert(db, &order(2, &ada, "open")).await.expect("stored");
        let change = next(&mut changes).await;
        assert!(matches!(&change, Change::Inserted(told) if told.id == 2), "{change:?}");

        Order::update(db, 2).set(|o| o.total, 5).await.expect("updated");
        let (told, paths, derived) = updated(next(&mut changes).await);
        assert_eq!((told.total, derived), (5, false));
        assert_eq!(paths, if polls { vec![] } else { vec!["total"] });

        Buyer::update(db, ada.id).set(|b| b.name, "Bea").await.expect("renamed");
        let (told, paths, derived) = updated(next(&mut changes).await);
        assert_eq!(told.buyer_name, "Bea");
        assert_eq!(derived, !polls);
        assert_eq!(paths, if polls { vec![] } else { vec!["buyer_name"] });

        Order::update(db, 2).set(|o| o.status, "closed").await.expect("closed");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Left { id: 2, .. }), "{change:?}");
        Order::update(db, 1).set(|o| o.status, "open").await.expect("opened");
        let (told, ..) = match (polls, next(&mut changes).await) {
            // A poll knows what met the conditions before.
            (true, Change::Inserted(told)) => (told, vec![], false),
            (false, change) => updated(change),
            (true, change) => panic!("{change:?}"),
        };
        assert_eq!(told.id, 1);

        Order::delete(db, 1).await.expect("marked");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Left { id: 1, .. }), "{change:?}");
        Order::restore(db, 1).await.expect("restored");
        next(&mut changes).await;
        let orders = bench.raw("watched_orders");
        orders.delete_one(doc! { "_id": 1 }).await.expect("deleted");
        let change = next(&mut changes).await;
        assert!(matches!(change, Change::Deleted { id: 1, .. }), "{change:?}");

        // Another program stores what the model cannot read.
        let row = doc! { "_id": 9, "buyer": ada.id, "buyer_name": "", "status": "open", "total": "much" };
        bench.seed("watched_orders", [row]).await;
        let change = next(&mut changes).await;
        assert!(
            matches!(&change, Change::Undecodable(skipped) if skipped.id == "9" && skipped.path == "total"),
            "{change:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_projection_an_id_and_deleted_documents() {
    on_both("watch_one", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        let orders = [order(1, &ada, "open"), order(2, &ada, "open")];
        Order::insert_many(db, &orders).await.expect("stored");
        let quickly = Duration::from_millis(20);
        let watch = Order::watch_one(db, 2).project::<Total>().with_deleted();
        let mut changes = watch.poll_every(quickly).await.expect("watched");
        Order::update(db, 1)
            .set(|o| o.total, 7)
            .await
            .expect("updated");
        Order::update(db, 2)
            .set(|o| o.total, 8)
            .await
            .expect("updated");
        assert_eq!(updated(next(&mut changes).await).0, Total { total: 8 });
        Order::delete(db, 2).await.expect("marked");
        assert_eq!(updated(next(&mut changes).await).0, Total { total: 8 });
    })
    .await;
}

#[tokio::test]
async fn a_reply_costs_one_find() {
    in_set("watch_cost", async |bench| {
        let db = &bench.db;
        let ada = buyer(bench).await;
        bench.forget();
        let watch = Order::watch(db).filter(|o| o.total.gt(0));
        let mut changes = watch.await.expect("watched");
        // The log leaves out a `hello`.
        assert_eq!(bench.sent(), ["aggregate"]);
        let orders: Vec<Order> = (0..300).map(|id| order(id, &ada, "open")).collect();
        bench.place(&orders).await;
        for _ in 0..300 {
            let change = next(&mut changes).await;
            assert!(matches!(change, Change::Inserted(_)), "{change:?}");
        }
        let sent = bench.take();
        let finds: Vec<_> = sent.iter().filter(|sent| sent.name == "find").collect();
        let replies = sent.iter().filter(|sent| sent.name == "getMore").count();
        assert!(finds.len() <= replies, "{} of {replies}", finds.len());
        for find in finds {
            let filter = find.command.get_document("filter").expect("a filter");
            assert!(format!("{filter}").contains("$in"), "{filter}");
            let reads = find.command.get_document("$readPreference");
            let mode = reads.map_or("primary", |reads| reads.get_str("mode").expect("a mode"));
            assert!(matches!(mode, "primary" | "primaryPreferred"), "{mode}");
        }

        // A change of a field that no condition names is read once, and is nobody's leave.
        Order::update(db, 1)
            .set(|o| o.total, -1)
            .await
            .expect("updated");
        next(&mut changes).await;
        bench.forget();
        Order::update(db, 1)
            .set(|o| o.status, "closed")
            .await
            .expect("updated");
        Order::update(db, 2)
            .set(|o| o.status, "closed")
            .await
            .expect("updated");
        let (told, paths, _) = updated(next(&mut changes).await);
        assert_eq!((told.id, paths), (2, vec!["status".to_owned()]));
    })
    .await;
}

#[tokio::test]
async fn a_standalone_server_compares_ten_thousand_documents() {
    alone("watch_many", async |bench| {
        let rows = (0..10_001).map(|id| doc! { "_id": id, "status": "open" });
        bench.seed("watched_orders", rows).await;
        let error = Order::watch(&bench.db).await.expect_err("too many");
        let text = error.to_string();
        assert!(text.contains("10000 documents of Order"), "{text}");
        let watch = Order::watch(&bench.db).filter(|o| o.total.gt(0));
        assert!(watch.await.expect("few").is_polling());
    })
    .await;
}
