//! Upserts by a unique key.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bson::{Bson, Document, doc};
use mongo_model::{Error, Id, MongoModel};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::Client;
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub(crate) struct Club {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
    #[count(Visitor)]
    pub(crate) visitors: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "visitors", index(keys(club, seat), unique))]
pub(crate) struct Visitor {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Visitor>,
    #[index(unique)]
    #[serde(rename = "mail")]
    pub(crate) email: String,
    #[parent(Club)]
    pub(crate) club: i32,
    #[denorm(from = Club, field = name)]
    pub(crate) club_name: String,
    pub(crate) seat: i32,
    pub(crate) visits: i64,
    #[embed(max = 2)]
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guests")]
pub(crate) struct Guest {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Guest>,
    #[index(unique)]
    pub(crate) email: String,
    pub(crate) visits: i64,
}

fn visitor(email: &str, seat: i32) -> Visitor {
    Visitor {
        id: Id::new(),
        email: email.to_owned(),
        club: 1,
        club_name: String::new(),
        seat,
        visits: 1,
        tags: Vec::new(),
    }
}

fn guest(email: &str) -> Guest {
    Guest {
        id: Id::new(),
        email: email.to_owned(),
        visits: 1,
    }
}

async fn club(bench: &Bench) {
    bench
        .index(&[Club::meta(), Visitor::meta(), Guest::meta()])
        .await;
    let club = Club {
        id: 1,
        name: "Chess".to_owned(),
        visitors: 0,
    };
    Club::insert(&bench.db, &club).await.expect("stored");
    bench.forget();
}

#[tokio::test]
async fn the_key_finds_the_document() {
    on_both("upsert_by", async |bench| {
        let db = &bench.db;
        club(bench).await;
        let kate = guest("kate@a.com");
        let first = Guest::upsert(db, &kate)
            .on_key(|g| g.email)
            .inc(|g| g.visits, 1);
        assert_eq!(first.await.expect("stored").inserted, 1);
        assert_eq!(bench.sent(), ["find", "insert"]);
        let again = Guest::upsert(db, &guest("kate@a.com"))
            .inc(|g| g.visits, 1)
            .on_key(|g| g.email);
        assert_eq!(again.await.expect("changed").modified, 1);
        assert_eq!(bench.sent(), ["find", "update"]);
        let stored = Guest::get(db, kate.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(stored.visits, 2, "the stored document keeps its id");
        // Without changes a stored document stays as it is.
        bench.forget();
        let there = Guest::upsert(db, &guest("kate@a.com"))
            .on_key(|g| g.email)
            .await;
        assert_eq!(there.expect("there").matched, 1);
        let find = bench.only();
        let filter = doc! { "email": { "$eq": "kate@a.com" } };
        assert_eq!(find.get("filter"), Some(&Bson::Document(filter)));
        bench.explain(find).await.assert_served_by("email");
        // The `_id` of another document is no key of this one.
        let taken = Guest {
            email: "other@a.com".to_owned(),
            ..kate
        };
        let error = Guest::upsert(db, &taken)
            .on_key(|g| g.email)
            .inc(|g| g.visits, 1);
        assert!(Guest::is_duplicate_id(&error.await.expect_err("taken")));
        // A value is data.
        let odd = Guest::upsert(db, &guest("$mail")).on_key(|g| g.email);
        assert_eq!(odd.await.expect("stored").inserted, 1);
    })
    .await;
}

#[tokio::test]
async fn copies_counts_and_bounds_follow() {
    on_both("upsert_by_copies", async |bench| {
        let db = &bench.db;
        club(bench).await;
        for visits in 1..=3_i64 {
            let one = visitor("kate@a.com", 7);
            let upsert = Visitor::upsert(db, &one).on_key(|v| (v.club, v.seat));
            let done = upsert.inc(|v| v.visits, 1).await.expect("done");
            assert_eq!(done.inserted, u64::from(visits == 1));
        }
        for tag in ["a", "b"] {
            let one = visitor("kate@a.com", 7);
            let pushed = Visitor::upsert(db, &one).on_key(|v| v.email);
            pushed.push(|v| v.tags, tag).await.expect("pushed");
        }
        let one = visitor("kate@a.com", 7);
        let full = Visitor::upsert(db, &one).on_key(|v| v.email);
        let full = full.push(|v| v.tags, "c").await;
        assert!(matches!(full, Err(Error::Full { .. })), "{full:?}");
        // The other unique key belongs to another document.
        let other = visitor("joe@a.com", 7);
        let error = Visitor::upsert(db, &other).on_key(|v| v.email);
        let error = error.inc(|v| v.visits, 1).await.expect_err("taken");
        assert!(Visitor::is_duplicate_club_seat(&error), "{error:?}");
        let found = Visitor::find_one(db, |v| v.email.eq("kate@a.com")).await;
        let found = found.expect("read").expect("stored");
        assert_eq!((found.club_name.as_str(), found.visits), ("Chess", 3));
        assert_eq!(found.tags, ["a", "b"]);
        let club = Club::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(club.visitors, 1);
    })
    .await;
}

#[tokio::test]
async fn racing_upserts_store_one_document() {
    on_both("upsert_by_race", async |bench| {
        club(bench).await;
        let racing = (0..50).map(|_| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                let (one, other) = (visitor("kate@a.com", 7), guest("kate@a.com"));
                let one = Visitor::upsert(&db, &one).on_key(|v| v.email);
                let one = one.inc(|v| v.visits, 1).await?;
                let other = Guest::upsert(&db, &other).on_key(|g| g.email);
                let other = other.inc(|g| g.visits, 1).await?;
                Ok::<_, Error>((one.inserted, other.inserted))
            })
        });
        let mut inserted = (0, 0);
        for one in racing.collect::<Vec<_>>() {
            let (visitor, guest) = one.await.expect("no panic").expect("stored or changed");
            inserted.0 += visitor;
            inserted.1 += guest;
        }
        assert_eq!(inserted, (1, 1));
        let db = &bench.db;
        let visitors = Visitor::find(db, |v| v.email.eq("kate@a.com")).await;
        let visits: Vec<i64> = visitors.expect("read").iter().map(|v| v.visits).collect();
        assert_eq!(visits, [50]);
        let guests = Guest::find(db, |g| g.email.eq("kate@a.com")).await;
        let visits: Vec<i64> = guests.expect("read").iter().map(|g| g.visits).collect();
        assert_eq!(visits, [50]);
        let club = Club::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(club.visitors, 1);
    })
    .await;
}

/// Another program deletes the document that refused the insert before the call has looked for it.
#[tokio::test]
async fn a_document_that_is_gone_again_refuses_no_upsert() {
    let server = DevServer::shared(Topology::Standalone)
        .await
        .expect("started");
    let name = server.unique_db("upsert_by_gone");
    let delete = |uri: &str, name: &str| {
        let (uri, name) = (uri.to_owned(), name.to_owned());
        let deleting = async move {
            let client = Client::with_uri_str(uri).await.expect("connected");
            let visitors = client.database(&name).collection::<Document>("visitors");
            visitors.delete_many(doc! {}).await.expect("deleted");
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("started");
        let deleted = thread::spawn(move || runtime.block_on(deleting));
        deleted.join().expect("deleted");
    };
    let (uri, in_db, refused) = (
        server.uri().to_owned(),
        name.clone(),
        AtomicBool::new(false),
    );
    let handler = EventHandler::callback(move |event| {
        let CommandEvent::Succeeded(answered) = event else {
            return;
        };
        let failed = answered.reply.contains_key("writeErrors");
        if failed && answered.command_name == "insert" && !refused.swap(true, Ordering::Relaxed) {
            delete(&uri, &in_db);
        }
    });
    let client = server
        .client_with(|options| options.command_event_handler = Some(handler))
        .await
        .expect("connected");
    let db = &client.database(&name);
    mongo_model::sync_indexes(db)
        .models(&[Club::meta(), Visitor::meta()])
        .await
        .expect("indexed");
    let club = Club {
        id: 1,
        name: "Chess".to_owned(),
        visitors: 0,
    };
    Club::insert(db, &club).await.expect("stored");
    // Both have the seat, and the key of the upsert is another.
    Visitor::insert(db, &visitor("kate@a.com", 7))
        .settled()
        .await
        .expect("stored");
    let joe = visitor("joe@a.com", 7);
    let upsert = Visitor::upsert(db, &joe).on_key(|v| v.email);
    let done = upsert.inc(|v| v.visits, 1).await.expect("stored");
    assert_eq!(done.inserted, 1);
    let stored = Visitor::scan(db, |v| v.all()).await.expect("read");
    let emails: Vec<&str> = stored.iter().map(|v| v.email.as_str()).collect();
    assert_eq!(emails, ["joe@a.com"]);
    mongo_model::settle(db).await;
    db.drop().await.expect("dropped");
}
