//! A delete of two shelves by one call, which another program finds between their tombstones. The second shelf has a book, which goes with
//! it.

use std::sync::{Mutex, mpsc};

use bson::{Document, doc};
use mongo_model::{Database, MongoModel, recover, verify};
use mongo_model_soak::points::point;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_shelves")]
pub(crate) struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_books")]
pub(crate) struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Shelf, on_delete = cascade)]
    shelf: i32,
    #[denorm(from = Shelf, field = name)]
    shelf_name: String,
}

/// A program that waits at a point.
struct Pause {
    name: &'static str,
    arrived: mpsc::Receiver<()>,
    go: mpsc::Sender<()>,
}

impl Pause {
    /// The next program that comes to this point waits there.
    fn before(name: &'static str) -> Pause {
        let (arrives, arrived) = mpsc::channel();
        let (go, went) = mpsc::channel::<()>();
        let went = Mutex::new(went);
        let waits = move || {
            let _ = arrives.send(());
            let _ = went.lock().expect("alone").recv();
        };
        fail::cfg_callback(point(name), waits).expect("a point");
        Pause { name, arrived, go }
    }

    /// Waits until a program is there.
    async fn arrived(self) -> Pause {
        let arrived = tokio::task::spawn_blocking(move || {
            self.arrived.recv().expect("there");
            self
        });
        arrived.await.expect("joined")
    }

    /// Lets the program go on.
    fn go(self) {
        fail::remove(point(self.name));
        self.go.send(()).expect("waits");
    }
}

/// A call of another program: one that waits at a point blocks its thread.
fn call<T: Send + 'static>(
    db: &Database,
    uri: &str,
    call: impl AsyncFnOnce(Database) -> T + Send + 'static,
) -> std::thread::JoinHandle<T> {
    let (uri, name) = (uri.to_owned(), db.name().to_owned());
    std::thread::spawn(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let client = mongodb::Client::with_uri_str(uri).await.expect("a client");
            call(client.database(&name)).await
        })
    })
}

async fn joined<T: Send + 'static>(call: std::thread::JoinHandle<T>) -> T {
    let call = tokio::task::spawn_blocking(move || call.join());
    call.await.expect("joined").expect("no panic")
}

async fn prepare(db: &Database) {
    for id in [1, 2] {
        let name = format!("shelf {id}");
        Shelf::insert(db, &Shelf { id, name })
            .await
            .expect("stored");
    }
    let shelf_name = String::new();
    let book = Book {
        id: 20,
        shelf: 2,
        shelf_name,
    };
    Book::insert(db, &book).settled().await.expect("stored");
}

async fn delete(db: Database) -> mongo_model::Result<u64> {
    let both = Shelf::delete_many(&db, |x| x.id.is_in([1, 2]));
    Ok(both.await?.deleted)
}

async fn number(db: &Database, collection: &str) -> u64 {
    let all = db.collection::<Document>(collection);
    all.count_documents(doc! {}).await.expect("counted")
}

/// The first shelf has the tombstone alone: another program ends that delete, and the call deletes both.
pub(crate) async fn ended_between_tombstones(db: &Database, uri: &str) {
    prepare(db).await;
    let between = Pause::before("mid_page");
    let deleting = call(db, uri, delete);
    let between = between.arrived().await;
    recover(db).await.expect("recovered");
    assert_eq!(
        number(db, "del_shelves").await,
        2,
        "the delete is not certain"
    );
    between.go();
    assert_eq!(joined(deleting).await.expect("deleted"), 2);
    gone(db).await;
}

/// Another program has looked for the documents of the delete when the second one gets the tombstone, and ends the delete after that.
pub(crate) async fn ended_after_a_look(db: &Database, uri: &str) {
    prepare(db).await;
    let between = Pause::before("mid_page");
    let deleting = call(db, uri, delete);
    let between = between.arrived().await;
    let looked = Pause::before("mid_undo");
    let recovering = call(db, uri, async |db| recover(&db).await.map(drop));
    let looked = looked.arrived().await;
    let marked = Pause::before("after_page");
    between.go();
    let marked = marked.arrived().await;
    looked.go();
    joined(recovering).await.expect("recovered");
    marked.go();
    assert_eq!(joined(deleting).await.expect("deleted"), 2);
    gone(db).await;
}

/// The call dies when both shelves have the tombstone: both stay, with the book.
pub(crate) async fn stopped_before_it_is_certain(db: &Database) {
    for at in ["mid_page", "after_page"] {
        prepare(db).await;
        fail::cfg(point(at), "return(error)").expect("an action");
        delete(db.clone()).await.expect_err("stopped");
        fail::remove(point(at));
        recover(db).await.expect("recovered");
        assert_eq!(number(db, "del_shelves").await, 2, "{at}");
        assert_eq!(number(db, "del_books").await, 1, "{at}");
        let verified = verify(db).await.expect("looked");
        assert!(verified.is_clean(), "{at}: {verified}");
        assert_eq!(delete(db.clone()).await.expect("deleted"), 2);
        gone(db).await;
    }
}

/// Each of two calls finds a document with the tombstone of the other, and both end.
pub(crate) async fn crossing(db: &Database, uri: &str) {
    prepare(db).await;
    let between = Pause::before("mid_page");
    let first = call(db, uri, delete);
    let between = between.arrived().await;
    fail::remove(point("mid_page"));
    // It deletes the second shelf, and waits for the first.
    let second = call(db, uri, delete);
    let second = joined(second).await.expect("deleted");
    between.go();
    let first = joined(first).await.expect("deleted");
    assert_eq!(first + second, 2, "{first} and {second}");
    gone(db).await;
}

/// Nothing is left, nothing leads nowhere, nothing is flagged.
async fn gone(db: &Database) {
    recover(db).await.expect("recovered");
    assert_eq!(number(db, "del_shelves").await, 0);
    assert_eq!(number(db, "del_books").await, 0);
}
