//! Another program changes a new document while its insert finds that a checked reference leads nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bson::Document;
use bson::doc;
use mongo_model::{Database, Error, MongoModel, recover, settle_in_calls};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::family::Family;
use mongo_model_soak::kept::members::sticker;
use mongo_model_soak::kept::models::{Sticker, Tag, key};
use mongo_model_soak::points::point;

/// Runs a write in a thread of its own, and waits for it.
fn elsewhere(uri: &str, db: &str, write: impl AsyncFnOnce(Database) + Send) {
    std::thread::scope(|scope| {
        let written = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(async {
                let client = mongodb::Client::with_uri_str(uri).await.expect("a client");
                write(client.database(db)).await;
            });
        });
        written.join().expect("written");
    });
}

/// The insert takes back only what it stored itself: the reference that the other program has stored leads to a document, and its call
/// has returned.
#[tokio::test]
async fn an_insert_that_is_taken_back_spares_what_another_program_stored() {
    // The runtime of the other program ends with its call.
    settle_in_calls(true);
    let server = DevServer::shared(Topology::Standalone).await;
    let server = server.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("checked"));
    Family::Kept.index(&db).await.expect("indexes");
    Family::Kept.prepare(&db, "").await.expect("prepared");
    for (meanwhile, kept) in [("rename", false), ("re-point", true)] {
        let once = Arc::new(AtomicBool::new(false));
        let (uri, name) = (server.uri().to_owned(), db.name().to_owned());
        let write = move || {
            if once.swap(true, Ordering::SeqCst) {
                return;
            }
            elsewhere(&uri, &name, async |db| match meanwhile {
                "re-point" => {
                    let moved = Sticker::update(&db, key(9)).set(|s| s.tag, key(1));
                    assert_eq!(moved.await.expect("moved").pending, []);
                }
                _ => {
                    let renamed = Tag::update(&db, key(1)).set(|t| t.name, "another");
                    renamed.await.expect("renamed");
                }
            });
        };
        fail::cfg_callback(point("after_i2"), write).expect("a point");
        let inserted = Sticker::insert(&db, &sticker(9, 7, None)).await;
        fail::remove(point("after_i2"));
        let dangles = matches!(&inserted, Err(Error::Dangling { field, .. }) if field == "tag");
        assert!(dangles, "{meanwhile}: {inserted:?}");
        let stickers = db.collection::<Document>("stickers");
        let left = stickers.find_one(doc! { "_id": 10_i64 }).await;
        let left = left.expect("read");
        assert_eq!(left.is_some(), kept, "{meanwhile}: {left:?}");
        assert!(left.is_none_or(|left| left.get_i64("tag").ok() == Some(2)));
        let flagged = Family::Kept.flagged(&db).await.expect("counted");
        assert_eq!(flagged, 0, "{meanwhile}");
        assert!(
            recover(&db).await.expect("recovered").is_idle(),
            "{meanwhile}"
        );
    }
    db.drop().await.expect("dropped");
}
