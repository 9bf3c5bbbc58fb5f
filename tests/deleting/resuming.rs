//! Deletes that another program left half way, and writes that meet one.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::model::ModelMeta;
use mongo_model::{Error, Id, MongoModel, Sweeper, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "half_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "half_disks")]
struct Disk {
    #[serde(rename = "_id")]
    id: Id<Disk>,
    #[parent(Host, on_delete = cascade)]
    host: Id<Host>,
    #[denorm(from = Host, field = name)]
    host_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "half_files")]
struct File {
    #[serde(rename = "_id")]
    id: Id<File>,
    #[parent(Disk)]
    disk: Id<Disk>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "half_racks")]
struct Rack {
    #[serde(rename = "_id")]
    id: Id<Rack>,
    #[refs(Host, max = 10, on_delete = pull)]
    #[denorm(from = Host, field = name)]
    hosts: Vec<RackHost>,
    #[parent(Host, on_delete = unset)]
    first: Option<Id<Host>>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 4] {
    [Host::meta(), Disk::meta(), File::meta(), Rack::meta()]
}

fn host(name: &str) -> Host {
    Host {
        id: Id::new(),
        name: name.to_owned(),
    }
}

/// A host with two disks, in a rack.
async fn start(bench: &Bench) -> (Host, Vec<Disk>, Rack) {
    let db = &bench.db;
    bench
        .index(&[Host::meta(), Disk::meta(), File::meta(), Rack::meta()])
        .await;
    let host = host("h");
    Host::insert(db, &host).await.expect("stored");
    let disks: Vec<Disk> = (0..2)
        .map(|_| Disk {
            id: Id::new(),
            host: host.id,
            host_name: "h".to_owned(),
        })
        .collect();
    Disk::insert_many(db, &disks).await.expect("stored");
    let rack = Rack {
        id: Id::new(),
        hosts: vec![RackHost {
            id: host.id,
            name: "h".to_owned(),
        }],
        first: Some(host.id),
    };
    Rack::insert(db, &rack).await.expect("stored");
    bench.forget();
    (host, disks, rack)
}

/// D1 as another program sends it, which then dies.
async fn entomb(bench: &Bench, collection: &str, id: ObjectId, op: ObjectId, state: Option<&str>) {
    let mut set = doc! { "_dn.del": op };
    if let Some(state) = state {
        set.insert("_dn.d", doc! { "s": state, "n": 0 });
    }
    let names = ["~del", "~new", "half_disks.host", "half_racks.hosts"];
    let update = doc! {
        "$set": set,
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": { "$each": names.to_vec() } },
    };
    let done = bench
        .raw(collection)
        .update_one(doc! { "_id": id }, update)
        .await;
    assert_eq!(done.expect("written").matched_count, 1);
}

async fn gone(bench: &Bench) {
    assert_eq!(bench.len("half_hosts").await, 0);
    assert_eq!(bench.len("half_disks").await, 0);
    let racks: Vec<Rack> = Rack::scan(&bench.db, |r| r.all()).await.expect("read");
    assert_eq!((racks[0].hosts.len(), racks[0].first), (0, None));
    settled(bench).await;
}

// A delete that was certain is finished.
#[tokio::test]
async fn what_is_certain_is_finished() {
    on_both("half_commit", async |bench| {
        let db = &bench.db;
        let (host, ..) = start(bench).await;
        entomb(
            bench,
            "half_hosts",
            *host.id.as_raw(),
            ObjectId::new(),
            Some("commit"),
        )
        .await;
        let done = recover(db).await.expect("recovered");
        assert_eq!((done.deletes, done.sources), (1, 0));
        gone(bench).await;
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

// A delete that a reference might have refused is undone: everything is as before, and copies follow again.
#[tokio::test]
async fn what_is_uncertain_is_undone() {
    on_both("half_freeze", async |bench| {
        let db = &bench.db;
        let (host, disks, rack) = start(bench).await;
        let op = ObjectId::new();
        entomb(bench, "half_hosts", *host.id.as_raw(), op, Some("freeze")).await;
        let members = doc! { "$set": { "_dn": { "p": ["~del"], "del": op } } };
        let disk = doc! { "_id": *disks[0].id.as_raw() };
        bench
            .raw("half_disks")
            .update_one(disk, members)
            .await
            .expect("written");
        let mut sweeper = Sweeper::new(db);
        assert!(sweeper.sweep().await.expect("looked").is_idle());
        // It still says that it is at work.
        let beat = doc! { "$inc": { "_dn.d.n": 1 } };
        bench
            .raw("half_hosts")
            .update_one(doc! {}, beat)
            .await
            .expect("written");
        let look = sweeper.sweep().await.expect("looked");
        assert_eq!(look.deletes, 0);
        let stored = bench.stored("half_hosts", *host.id.as_raw()).await;
        assert!(stored.get_document("_dn").expect("_dn").contains_key("del"));
        let look = sweeper.sweep().await.expect("looked");
        assert_eq!(look.deletes, 1);
        settled(bench).await;
        let stored = bench.stored("half_hosts", *host.id.as_raw()).await;
        assert_eq!(
            stored
                .get_document("_dn")
                .expect("_dn")
                .keys()
                .collect::<Vec<_>>(),
            ["r"]
        );
        let disk = bench.stored("half_disks", *disks[0].id.as_raw()).await;
        assert!(!disk.contains_key("_dn"), "{disk}");
        Host::update(db, host.id)
            .set(|h| h.name, "new")
            .await
            .expect("renamed");
        let rack = Rack::get(db, rack.id).await.expect("read").expect("stored");
        assert_eq!(rack.hosts[0].name, "new");
        settled(bench).await;
        Host::delete(db, host.id).await.expect("deleted");
        gone(bench).await;
    })
    .await;
}

// A write of a source that is being deleted first ends the delete: undone, the write is made; finished, the source is missing.
#[tokio::test]
async fn a_write_meets_a_tombstone() {
    on_both("half_meets", async |bench| {
        let db = &bench.db;
        let (host, ..) = start(bench).await;
        let id = *host.id.as_raw();
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("freeze")).await;
        Host::update(db, host.id)
            .set(|h| h.name, "one")
            .await
            .expect("renamed");
        settled(bench).await;
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("freeze")).await;
        let two = Host {
            name: "two".to_owned(),
            ..host.clone()
        };
        two.save(db).await.expect("saved");
        settled(bench).await;
        let disks = Disk::scan(db, |d| d.all()).await.expect("read");
        assert!(
            disks.iter().all(|disk| disk.host_name == "two"),
            "{disks:?}"
        );

        entomb(bench, "half_hosts", id, ObjectId::new(), Some("commit")).await;
        let gone = Host::update(db, host.id).set(|h| h.name, "three").await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        self::gone(bench).await;

        // A second delete of a document that is being deleted finds no document.
        Host::insert(db, &host).await.expect("stored");
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("commit")).await;
        let none = Host::delete(db, host.id).await;
        assert!(matches!(none, Err(Error::NotFound { .. })), "{none:?}");
        // And saved again, it is a new document.
        Host::insert(db, &host).await.expect("stored");
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("commit")).await;
        host.save(db).await.expect("saved");
        assert_eq!(
            Host::get(db, host.id).await.expect("read"),
            Some(host.clone())
        );
        settled(bench).await;
    })
    .await;
}

// A write of a copy waits for the delete of its source, then fails: the document is removed again. If the delete is undone it
// stays.
#[tokio::test]
async fn a_new_copy_meets_a_tombstone() {
    on_both("half_copy", async |bench| {
        let db = &bench.db;
        let (host, ..) = start(bench).await;
        let id = *host.id.as_raw();
        let disk = || Disk {
            id: Id::new(),
            host: host.id,
            host_name: "?".to_owned(),
        };
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("freeze")).await;
        let kept = disk();
        Disk::insert(db, &kept)
            .await
            .expect("the delete was undone");
        let stored = Disk::get(db, kept.id).await.expect("read").expect("stored");
        assert_eq!(stored.host_name, "h");
        settled(bench).await;
        entomb(bench, "half_hosts", id, ObjectId::new(), Some("commit")).await;
        let refused = Disk::insert(db, &disk()).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        gone(bench).await;
    })
    .await;
}

// If the source is gone, documents whose writer died before it verified their copies follow the delete rule of their reference.
#[tokio::test]
async fn marked_copies_follow_their_rule() {
    on_both("half_marks", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let lost = ObjectId::new();
        let mark = doc! { "u": [{ "t": ObjectId::new() }] };
        let disk = ObjectId::new();
        bench
            .seed(
                "half_disks",
                [doc! { "_id": disk, "host": lost, "host_name": "x", "_dn": mark.clone() }],
            )
            .await;
        let rack = ObjectId::new();
        let entries = vec![doc! { "id": lost, "name": "x" }];
        bench
            .seed(
                "half_racks",
                [doc! { "_id": rack, "hosts": entries, "_dn": mark }],
            )
            .await;
        let done = recover(db).await.expect("recovered");
        assert_eq!((done.applied, done.dangling), (2, 0));
        let disks = bench
            .raw("half_disks")
            .count_documents(doc! { "_id": disk })
            .await;
        assert_eq!(disks.expect("counted"), 0);
        assert_eq!(
            bench.stored("half_racks", rack).await,
            doc! { "_id": rack, "hosts": [] }
        );
        settled(bench).await;
    })
    .await;
}

// `verify` finds references that lead nowhere, with and without copies; `repair` does with them what they say.
#[tokio::test]
async fn orphans_are_found_and_follow_their_rule() {
    on_both("half_orphans", async |bench| {
        let db = &bench.db;
        let (host, disks, _) = start(bench).await;
        let file = File {
            id: Id::new(),
            disk: disks[0].id,
        };
        bench.place(&[file]).await;
        assert!(
            verify(db)
                .models(&models())
                .await
                .expect("looked")
                .is_clean()
        );
        Host::delete(db, host.id)
            .without_rules()
            .await
            .expect("deleted");
        let found = verify(db).models(&models()).await.expect("looked");
        let orphans = |edge: &str| {
            let report = found.reference(edge).expect("looked at");
            report.count(mongo_model::denorm::Defect::Orphan)
        };
        assert_eq!(orphans("half_disks.host"), 2, "{found}");
        assert_eq!(orphans("half_racks.hosts"), 1, "{found}");
        assert_eq!(orphans("half_racks.first"), 1, "{found}");
        let done = repair(db).await.expect("repaired");
        // One disk has a file, which refuses.
        assert_eq!((done.orphans, done.refused.len()), (3, 0), "{done}");
        assert_eq!(bench.len("half_disks").await, 1);
        let again = repair(db).await.expect("repaired");
        assert!(again.is_idle(), "{again}");
        settled(bench).await;
    })
    .await;
}

// Many at once, some of the same: each document goes once, and everybody ends.
#[tokio::test]
async fn deletes_at_the_same_time() {
    on_both("half_racing", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let hosts: Vec<Host> = (0..20).map(|n| host(&format!("h{n}"))).collect();
        Host::insert_many(db, &hosts).await.expect("stored");
        let disks: Vec<Disk> = (0..100)
            .map(|n| Disk {
                id: Id::new(),
                host: hosts[n % 20].id,
                host_name: format!("h{}", n % 20),
            })
            .collect();
        Disk::insert_many(db, &disks)
            .lazy(false)
            .await
            .expect("stored");
        let all = hosts.iter().map(|host| async {
            let two = tokio::join!(Host::delete(db, host.id), Host::delete(db, host.id));
            let deleted = [two.0, two.1].into_iter().filter(|done| match done {
                Ok(_) => true,
                Err(Error::NotFound { .. }) => false,
                Err(error) => panic!("{error}"),
            });
            assert_eq!(deleted.count(), 1);
        });
        let ended = tokio::time::timeout(Duration::from_secs(60), futures::future::join_all(all));
        ended.await.expect("everybody ends");
        assert_eq!(
            (bench.len("half_hosts").await, bench.len("half_disks").await),
            (1, 2)
        );
        settled(bench).await;
        let left: Vec<(String, Document)> = everything(bench).await;
        assert_eq!(left.len(), 4);
    })
    .await;
}
