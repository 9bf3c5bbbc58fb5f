//! A document that a client has filled in cannot set what the library keeps in it, nor a version that ends all changes.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "groups")]
struct Group {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "entrants")]
struct Entrant {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Group)]
    group: i32,
    #[denorm(from = Group, field = name)]
    group_name: String,
    #[index(unique)]
    mail: String,
    #[serde(flatten)]
    more: BTreeMap<String, Bson>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "loose_entrants")]
struct Loose {
    #[serde(rename = "_id")]
    id: i32,
    any: Bson,
    #[serde(flatten)]
    more: Document,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "drafts")]
struct Draft {
    #[serde(rename = "_id")]
    id: i32,
    #[version]
    version: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "wide_drafts")]
struct WideDraft {
    #[serde(rename = "_id")]
    id: i32,
    #[version]
    version: i64,
}

/// As a web handler reads it.
fn entrant(more: &Document) -> Entrant {
    let mut all = doc! { "_id": 1, "group": 1, "group_name": "", "mail": "a" };
    all.extend(more.clone());
    bson::deserialize_from_document(all).expect("an entrant")
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(field: &str, done: Result<T, Error>) {
    let refused = done.expect_err(field);
    let Error::Encode { source, .. } = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(source.path(), field, "{refused}");
    assert!(refused.to_string().contains("reserves"), "{refused}");
}

async fn refused_at_every_door(bench: &Bench, field: &str, value: Bson) {
    let db = &bench.db;
    let bad = entrant(&doc! { field: value });
    assert_refused(field, Entrant::insert(db, &bad).await);
    assert_refused(field, Entrant::insert_many(db, [&bad]).await);
    assert_refused(field, bad.save(db).await);
    assert_refused(field, Entrant::upsert(db, &bad).await);
    assert_refused(field, Entrant::upsert(db, &bad).on_key(|e| e.mail).await);
}

#[tokio::test]
async fn the_library_s_names_are_refused_at_every_door() {
    alone("reserved", async |bench| {
        let group = doc! { "_id": 1, "name": "g" };
        bench.seed("groups", [group]).await;
        bench.index(&[Group::meta(), Entrant::meta()]).await;
        for (field, value) in [
            ("_dn", Bson::Document(doc! { "del": 1_i64 })),
            ("_dn", Bson::Null),
            ("_r_group", Bson::Int64(i64::MAX)),
        ] {
            refused_at_every_door(bench, field, value).await;
        }
        assert_eq!(bench.len("entrants").await, 0);
        let good = entrant(&doc! { "_r_other": 1, "note": { "_dn": 1 } });
        Entrant::insert(&bench.db, &good).await.expect("stored");
        let read = Entrant::get(&bench.db, 1).await.expect("read");
        let read = read.expect("there");
        assert_eq!(read.more, good.more);
        read.save(&bench.db).await.expect("its own state is kept");
    })
    .await;
}

#[tokio::test]
async fn a_map_cannot_store_a_field_twice() {
    alone("reserved_twice", async |bench| {
        let loose = |more| Loose {
            id: 1,
            any: Bson::Null,
            more,
        };
        assert_refused(
            "_dn",
            Loose::insert(&bench.db, &loose(doc! { "_dn": 1 })).await,
        );
        let twice = Loose::insert(&bench.db, &loose(doc! { "any": 1 })).await;
        let twice = twice.expect_err("twice").to_string();
        assert!(
            twice.contains("any: stored twice in one document"),
            "{twice}"
        );
        let id = Loose::insert(&bench.db, &loose(doc! { "_id": 2 })).await;
        id.expect_err("twice");
        assert_eq!(bench.len("loose_entrants").await, 0);
        let inside = Loose {
            any: Bson::Document(doc! { "_dn": 1 }),
            ..loose(doc! {})
        };
        Loose::insert(&bench.db, &inside).await.expect("data");
        assert_eq!(Loose::get(&bench.db, 1).await.expect("read"), Some(inside));
    })
    .await;
}

#[tokio::test]
async fn a_new_document_leaves_room_for_its_changes() {
    alone("reserved_version", async |bench| {
        let db = &bench.db;
        let refused = |done: Error| {
            assert!(matches!(done, Error::Impossible { .. }), "{done:?}");
            assert!(done.to_string().contains("begin with 0"), "{done}");
        };
        for version in [i32::MAX, i32::MAX - 1, -1, i32::MIN] {
            let draft = Draft { id: 1, version };
            refused(Draft::insert(db, &draft).await.expect_err("no room"));
            refused(Draft::insert_many(db, [&draft]).await.expect_err("no room"));
            refused(Draft::upsert(db, &draft).await.expect_err("no room"));
        }
        for version in [i64::MAX, -1] {
            let draft = WideDraft { id: 1, version };
            refused(WideDraft::insert(db, &draft).await.expect_err("no room"));
        }
        assert_eq!(
            bench.len("drafts").await + bench.len("wide_drafts").await,
            0
        );
        for version in [0, 1, 7] {
            let draft = Draft {
                id: version,
                version,
            };
            Draft::insert(db, &draft).await.expect("stored");
        }
    })
    .await;
}
