//! A finisher counts some children of a call, and stops, before the call updates the parents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bson::{Document, doc};
use mongo_model::{Database, Id, MongoModel, recover, settle, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::points::point;
use serde::{Deserialize, Serialize};

/// Counts its books.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: Id<Shelf, i64>,
    #[count(Book)]
    books: i64,
}

/// Stands on a shelf.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
struct Book {
    #[serde(rename = "_id")]
    id: Id<Book>,
    #[parent(Shelf, on_delete = cascade, unchecked)]
    shelf: Id<Shelf, i64>,
}

/// More than a finisher counts at once.
const BOOKS: usize = 40;

fn shelf(n: i64) -> Shelf {
    Shelf {
        id: Id::from_raw(n),
        books: 0,
    }
}

async fn number(db: &Database, n: i64) -> i64 {
    let shelves = db.collection::<Document>("shelves");
    let shelf = shelves.find_one(doc! { "_id": n }).await;
    let shelf = shelf.expect("read").expect("a shelf");
    shelf.get_i64("books").expect("a number")
}

/// Two parents change, so one command has a statement for each. The token that the finisher left on both stands for the children that it
/// has counted, and not for the others of the call.
async fn finisher_before_the_call(topology: Topology) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("batches"));
    let models = [Shelf::meta(), Book::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    Shelf::insert_many(&db, &[shelf(1), shelf(2)])
        .await
        .expect("shelves");
    let books: Vec<Book> = (0..BOOKS)
        .map(|_| Book {
            id: Id::from_raw(bson::oid::ObjectId::new()),
            shelf: Id::from_raw(1),
        })
        .collect();
    Book::insert_many(&db, &books).await.expect("books");
    settle(&db).await;
    assert_eq!(number(&db, 1).await, 40);

    let once = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&once);
    let (uri, name) = (server.uri().to_owned(), db.name().to_owned());
    let finisher = move || {
        if once.swap(true, Ordering::SeqCst) {
            return;
        }
        fail::cfg(point("after_c2"), "return(error)").expect("an action");
        std::thread::scope(|scope| {
            let counted = scope.spawn(|| {
                let runtime = tokio::runtime::Runtime::new().expect("a runtime");
                runtime.block_on(async {
                    let client = mongodb::Client::with_uri_str(&uri).await.expect("a client");
                    recover(&client.database(&name)).await.expect_err("stopped");
                });
            });
            counted.join().expect("counted");
        });
        fail::remove(point("after_c2"));
    };
    fail::cfg_callback(point("after_w1"), finisher).expect("a point");
    let moved = Book::update_many(&db, |b| b.shelf.eq(Id::from_raw(1)));
    moved
        .set(|b| b.shelf, Id::from_raw(2))
        .await
        .expect("moved");
    fail::remove(point("after_w1"));
    assert!(stopped.load(Ordering::SeqCst));

    settle(&db).await;
    recover(&db).await.expect("recovered");
    assert_eq!((number(&db, 1).await, number(&db, 2).await), (0, 40));
    db.drop().await.expect("dropped");
}

/// On a replica set the update of the parents is durable when the call returns, so no later read of a parent confirms it.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_counts_the_children_that_a_finisher_has_left() {
    finisher_before_the_call(Topology::Standalone).await;
    finisher_before_the_call(Topology::ReplicaSet(1)).await;
}
