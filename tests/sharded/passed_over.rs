//! Documents that a command for many passes over, as it does on a cluster with those that move from one shard to another. Here they arrive
//! when the command is done.

use std::sync::{Arc, Mutex};
use std::thread;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Database, Id, MongoModel, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;

use super::models::{Host, Log, Product, all, host, log, product};

/// A document that is stored when a command for many has been answered.
type Arrival = Arc<Mutex<Option<Document>>>;

/// Runs a test with a database whose client stores the document of the arrival when a command of this name for many documents of the
/// collection has been answered.
async fn with_arrival(
    name: &'static str,
    collection: &'static str,
    test: impl AsyncFnOnce(&Database, &Arrival),
) {
    mongo_model::settle_in_calls(true);
    let server = DevServer::shared(Topology::ReplicaSet(1)).await;
    let server = server.expect("a server");
    let plain = server.client().await.expect("a client");
    let plain = plain.database(&server.unique_db("passed_over"));
    let arrival = Arrival::default();
    let arrives = Arc::clone(&arrival);
    let other = plain.clone();
    let watched = Mutex::new(None);
    let handler = move |event: CommandEvent| match event {
        CommandEvent::Started(event) if event.command_name == name => {
            let command = event.command;
            let is_of_collection = command.get_str(name).is_ok_and(|of| of == collection);
            let list = command
                .get_array("updates")
                .or(command.get_array("deletes"));
            let first = list.ok().and_then(|list| list.first()?.as_document());
            let is_for_many = first.is_some_and(|one| {
                one.get_bool("multi").unwrap_or(false) || one.get_i32("limit").is_ok_and(|n| n == 0)
            });
            if is_of_collection && is_for_many {
                *watched.lock().expect("lock") = Some(event.request_id);
            }
        }
        CommandEvent::Succeeded(event)
            if *watched.lock().expect("lock") == Some(event.request_id) =>
        {
            if let Some(document) = arrives.lock().expect("lock").take() {
                store(other.clone(), collection, document);
            }
        }
        _ => {}
    };
    let client = server
        .client_with(|options| {
            options.command_event_handler = Some(EventHandler::callback(handler));
        })
        .await
        .expect("a client");
    let db = client.database(plain.name());
    sync_indexes(&db).models(&all()).await.expect("indexes");
    test(&db, &arrival).await;
    assert!(
        arrival.lock().expect("lock").is_none(),
        "it has arrived, once"
    );
    plain.drop().await.expect("dropped");
}

/// Stores a document before the client gives the answer to its caller.
fn store(db: Database, collection: &'static str, document: Document) {
    let stored = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let client = db.client().clone();
        let db = client.database(db.name());
        runtime.block_on(async {
            let collection = db.collection::<Document>(collection);
            collection.insert_one(document).await.expect("stored");
        });
    });
    stored.join().expect("no panic");
}

/// A stored document, under another `_id`.
async fn twin(db: &Database, collection: &str, id: ObjectId) -> Document {
    let stored = db.collection::<Document>(collection);
    let found = stored.find_one(doc! {}).await.expect("read");
    let mut twin = found.expect("stored");
    twin.insert("_id", id);
    twin
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_was_passed_over_follows() {
    with_arrival("update", "logs", async |db, arrival| {
        let one = host("a");
        Host::insert(db, &one).await.expect("stored");
        Log::insert(db, &log(&one, 1)).await.expect("stored");
        let late = Id::<Log>::new();
        let twin = twin(db, "logs", late.into_raw()).await;
        *arrival.lock().expect("lock") = Some(twin);
        let outcome = Host::update(db, one.id).set(|h| h.name, "b").await;
        assert!(outcome.expect("changed").pending.is_empty());
        let late = Log::get(db, late).await.expect("read");
        assert_eq!(late.expect("stored").host_name, "b");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_a_delete_of_many_has_passed_over_is_deleted() {
    with_arrival("delete", "products", async |db, arrival| {
        let one = product(&[]);
        Product::insert(db, &one).await.expect("stored");
        let late = Id::<Product>::new();
        let twin = twin(db, "products", late.into_raw()).await;
        *arrival.lock().expect("lock") = Some(twin);
        let both = [one.id, late];
        let deleted = Product::delete_many(db, |p| p.id.is_in(both)).await;
        assert_eq!(deleted.expect("deleted").deleted, 2);
        let left = Product::count(db, |p| p.id.is_in(both)).await;
        assert_eq!(left.expect("counted"), 0);
    })
    .await;
}
