//! A delete needs indexes, and a server that takes its writes. What it lacks it says before its first write; what it cannot know
//! before, its error says together with what was done.

use bson::{Document, doc};
use mongo_model::{Error, Id, MongoModel, Transaction, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_owners")]
struct Owner {
    #[serde(rename = "_id")]
    id: Id<Owner>,
    name: String,
    #[count(Thing)]
    things: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_things")]
struct Thing {
    #[serde(rename = "_id")]
    id: Id<Thing>,
    #[parent(Owner, on_delete = cascade)]
    owner: Id<Owner>,
}

/// It holds places, which hold copies that signs copy further, and boxes, which hold labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_towns")]
struct Town {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_places")]
struct Place {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Town, on_delete = unset)]
    town: Option<i32>,
    #[denorm(from = Town, field = name)]
    town_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_signs")]
struct Sign {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Place)]
    place: i32,
    #[denorm(from = Place, field = town_name)]
    place_town_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_chests")]
struct Chest {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Town, on_delete = cascade)]
    town: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "need_labels")]
struct Label {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Chest, max = 10, on_delete = pull)]
    chests: Vec<i32>,
}

async fn owner_of_two(bench: &Bench) -> Owner {
    let db = &bench.db;
    let owner = Owner {
        id: Id::new(),
        name: "o".to_owned(),
        things: 0,
    };
    Owner::insert(db, &owner).await.expect("stored");
    for _ in 0..2 {
        let thing = Thing {
            id: Id::new(),
            owner: owner.id,
        };
        Thing::insert(db, &thing).await.expect("stored");
    }
    recover(db).await.expect("recovered");
    owner
}

fn missing<T: std::fmt::Debug>(done: Result<T, Error>) -> (String, &'static str, String) {
    match done {
        Err(Error::MissingIndex {
            reference: edge,
            collection,
            keys,
        }) => (edge, collection, keys),
        other => panic!("{other:?}"),
    }
}

/// Nothing was written, nothing is flagged, and the document lives on.
async fn untouched(bench: &Bench, before: &[(String, Document)]) {
    assert_eq!(everything(bench).await, before);
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    assert_eq!(everything(bench).await, before);
}

#[tokio::test]
async fn a_missing_index_leaves_everything_as_it_was() {
    on_both("need_count", async |bench| {
        let db = &bench.db;
        let owner = owner_of_two(bench).await;
        let before = everything(bench).await;
        let one = missing(Owner::delete(db, owner.id).await);
        assert_eq!(
            (one.0.as_str(), one.1),
            ("need_things.owner", "need_things")
        );
        assert_eq!(one.2, r#"{ "owner": 1, "_id": 1 }"#);
        untouched(bench, &before).await;
        missing(Owner::delete_many(db, |o| o.id.eq(owner.id)).await);
        untouched(bench, &before).await;
        Owner::update(db, owner.id)
            .set(|o| o.name, "p")
            .await
            .expect("lives");
        bench.index(&[Owner::meta(), Thing::meta()]).await;
        let done = Owner::delete(db, owner.id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 2));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_index_that_only_a_later_step_needs() {
    on_both("need_steps", async |bench| {
        let db = &bench.db;
        let models = [
            Town::meta(),
            Place::meta(),
            Sign::meta(),
            Chest::meta(),
            Label::meta(),
        ];
        bench.index(&models).await;
        let town = Town {
            id: 1,
            name: "t".to_owned(),
        };
        Town::insert(db, &town).await.expect("stored");
        let place = Place {
            id: 1,
            town: Some(1),
            town_name: None,
        };
        Place::insert(db, &place).await.expect("stored");
        let sign = Sign {
            id: 1,
            place: 1,
            place_town_name: None,
        };
        Sign::insert(db, &sign).await.expect("stored");
        Chest::insert(db, &Chest { id: 1, town: 1 })
            .await
            .expect("stored");
        let label = Label {
            id: 1,
            chests: vec![1],
        };
        Label::insert(db, &label).await.expect("stored");
        let before = everything(bench).await;
        // Indexes of: the cascade, the unset reference, the copies of its sibling copy, the ids pulled below the cascade, and the flags of
        // documents that are deleted with the town.
        let steps = [
            ("need_chests", "town"),
            ("need_places", "town"),
            ("need_signs", "place"),
            ("need_labels", "chests"),
            ("need_chests", "_dn.p"),
        ];
        for (collection, path) in steps {
            let raw = bench.raw(collection);
            let mut names = raw.list_index_names().await.expect("listed");
            let start = format!("{path}_1");
            names.retain(|name| name.starts_with(&start) || name.contains(path));
            assert!(!names.is_empty(), "{collection} {path}");
            for name in &names {
                raw.drop_index(name).await.expect("dropped");
            }
            let refused = missing(Town::delete(db, 1).await);
            assert_eq!(refused.1, collection, "{refused:?}");
            assert!(refused.2.contains(path), "{refused:?}");
            assert_eq!(everything(bench).await, before);
            bench.index(&models).await;
        }
        assert!(recover(db).await.expect("recovered").is_idle());
        let done = Town::delete(db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_missing_index_in_a_transaction() {
    in_set("need_inside", async |bench| {
        let db = &bench.db;
        let owner = owner_of_two(bench).await;
        let before = everything(bench).await;
        let mut tx = Transaction::begin(db).await.expect("begun");
        missing(Owner::delete(db, owner.id).within(&mut tx).await);
        assert_eq!(tx.commit(db).await.expect("committed"), []);
        untouched(bench, &before).await;
        let mut session = bench.client.start_session().await.expect("a session");
        missing(
            Owner::delete(db, owner.id)
                .driver_session(&mut session)
                .await,
        );
        untouched(bench, &before).await;
    })
    .await;
}

// A validator lets no place be without a town: that is seen when the reference is unset, and said together with what stands.
#[tokio::test]
async fn what_the_server_refuses_later_is_said() {
    on_both("need_refused", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Town::meta(), Place::meta(), Sign::meta(), Chest::meta(), Label::meta()])
            .await;
        let town = Town {
            id: 1,
            name: "t".to_owned(),
        };
        Town::insert(db, &town).await.expect("stored");
        let place = Place {
            id: 1,
            town: Some(1),
            town_name: None,
        };
        Place::insert(db, &place).await.expect("stored");
        let rule = |validator: Document| doc! { "collMod": "need_places", "validator": validator };
        let needed = rule(doc! { "town": { "$exists": true } });
        db.run_command(needed).await.expect("ruled");
        let refused = Town::delete(db, 1).await;
        let shown = refused.as_ref().expect_err("refused").to_string();
        match refused {
            Err(Error::DeletedInPart {
                model,
                deleted,
                marked,
                source,
            }) => {
                assert_eq!((model, deleted, marked), ("Town", 0, true));
                assert!(matches!(*source, Error::Refused { code: 121, .. }), "{source}");
            }
            other => panic!("{other:?}"),
        }
        assert!(
            shown.starts_with(
                "Town: 0 documents were deleted, others are marked as deleted, and `recover` deletes them, and then: need_places.town: "
            ),
            "{shown}"
        );
        db.run_command(rule(doc! {})).await.expect("ruled");
        assert_eq!(recover(db).await.expect("recovered").deletes, 1);
        assert_eq!(bench.len("need_towns").await, 0);
        let place = Place::get(db, 1).await.expect("read").expect("stored");
        assert_eq!((place.town, place.town_name), (None, None));
        settled(bench).await;
    })
    .await;
}
