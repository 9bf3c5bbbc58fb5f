//! Elements that go with what they refer to, beside other writes of both.

use std::collections::BTreeMap;

use bson::doc;
use mongo_model::{Error, MongoEmbed, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "beside_people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Player {
    #[parent(Person, on_delete = pull)]
    person: i32,
    #[denorm(from = Person, field = name, via = person)]
    name: String,
    shirt: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Post {
    #[parent(Person, on_delete = pull)]
    person: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "beside_squads")]
struct Squad {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 50)]
    players: Vec<Player>,
    #[embed(max = 10)]
    by_post: BTreeMap<String, Post>,
}

fn person(id: i32) -> Person {
    Person {
        id,
        name: format!("p{id}"),
    }
}

fn player(person: i32, shirt: i32) -> Player {
    Player {
        person,
        name: format!("p{person}"),
        shirt,
    }
}

/// A squad of the first two people, each twice.
async fn start(bench: &Bench) {
    let db = &bench.db;
    bench.index(&[Person::meta(), Squad::meta()]).await;
    let people: Vec<Person> = (1..=3).map(person).collect();
    Person::insert_many(db, &people).await.expect("stored");
    let squad = Squad {
        id: 1,
        players: [(1, 1), (2, 2), (1, 3), (2, 4)]
            .map(|(person, shirt)| player(person, shirt))
            .to_vec(),
        by_post: BTreeMap::from([
            ("back.left".to_owned(), Post { person: 1 }),
            ("front".to_owned(), Post { person: 2 }),
        ]),
    };
    Squad::insert(db, &squad).await.expect("stored");
    settled(bench).await;
}

async fn shirts(bench: &Bench) -> Vec<i32> {
    let squad = Squad::get(&bench.db, 1).await.expect("read");
    let squad = squad.expect("stored");
    squad.players.iter().map(|player| player.shirt).collect()
}

// The commands, their order, and their write concern; the array is found by its index.
#[tokio::test]
async fn what_is_sent() {
    on_both("beside_sent", async |bench| {
        start(bench).await;
        let done = Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 0, 2));
        let sent = bench.take();
        let names: Vec<(&str, &str)> = sent
            .iter()
            .map(|sent| {
                let on = sent.command.get_str(&sent.name).expect("a collection");
                (sent.name.as_str(), on)
            })
            .collect();
        // The index of the array; D1; the array, the map; D3; the map once more, which no mark protects, after a look whether the key has
        // come back.
        let expected = [
            ("find", "beside_squads"),
            ("findAndModify", "beside_people"),
            ("update", "beside_squads"),
            ("update", "beside_squads"),
            ("delete", "beside_people"),
            ("find", "beside_people"),
            ("update", "beside_squads"),
        ];
        assert_eq!(names, expected);
        for sent in sent.iter().filter(|sent| sent.name != "find") {
            let concern = sent.command.get_document("writeConcern").expect("durable");
            assert_eq!(*concern, doc! { "w": "majority", "j": true }, "{sent:?}");
        }
        let plan = bench.explain(sent[2].command.clone()).await;
        plan.assert_served_by("players.person");
        assert_eq!(shirts(bench).await, [2, 4]);
        settled(bench).await;
    })
    .await;
}

// A W2 that arrives when the element is gone finds none.
#[tokio::test]
async fn a_late_rename_does_no_harm() {
    on_both("beside_late", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Person::update(db, 1)
            .set(|p| p.name, "new")
            .await
            .expect("renamed");
        let late = bench.take().into_iter().find(|sent| {
            let on = sent.command.get_str("update").ok();
            on == Some("beside_squads")
        });
        let late = late.expect("copies were written").command;
        Person::delete(db, 1).await.expect("deleted");
        let before = everything(bench).await;
        let mut again = late.clone();
        for own in ["lsid", "$db", "$clusterTime", "txnNumber"] {
            again.remove(own);
        }
        let done = db.run_command(again).await.expect("sent");
        assert_eq!(done.get_i32("n").ok(), Some(0), "{done}");
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

// Whoever comes first: no element of the deleted person stays, all others do.
#[tokio::test]
async fn a_rename_and_a_push_beside_the_delete() {
    on_both("beside_writes", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let (mut pushed, mut refused) = (0, 0);
        for round in 0..12 {
            let new = player(1, 100 + round);
            let rename = Person::update(db, 1).set(|p| p.name, format!("new {round}"));
            let push = Squad::update(db, 1).push(|s| s.players, new);
            let other = Person::update(db, 2).set(|p| p.name, format!("two {round}"));
            let delete = Person::delete(db, 1);
            let (renamed, other, push, deleted) = tokio::join!(rename, other, push, delete);
            match renamed {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => panic!("{error}"),
            }
            other.expect("renamed");
            match push {
                Ok(_) => pushed += 1,
                Err(Error::Dangling { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
            deleted.expect("deleted");
            assert_eq!(shirts(bench).await, [2, 4]);
            let found = verify(db).only::<Squad>().await.expect("looked");
            assert!(found.is_clean(), "{found}");
            settled(bench).await;
            Person::insert(db, &person(1)).await.expect("stored");
            for shirt in [1, 3] {
                let one = Squad::update(db, 1).push(|s| s.players, player(1, shirt));
                one.await.expect("stored");
            }
        }
        assert_eq!(pushed + refused, 12);
        assert!(refused > 0, "no push met the delete");
    })
    .await;
}

// Inside a transaction the elements go with its commit; an abort keeps them.
#[tokio::test]
async fn in_a_transaction() {
    in_set("beside_inside", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let before = everything(bench).await;
        let aborted = mongo_model::transaction(db, async |tx| {
            Person::delete(db, 1).within(tx).await?;
            Person::delete(db, 77).within(tx).await?;
            Ok(())
        })
        .await;
        assert!(
            matches!(aborted, Err(Error::NotFound { .. })),
            "{aborted:?}"
        );
        assert_eq!(everything(bench).await, before);
        mongo_model::transaction(db, async |tx| Person::delete(db, 1).within(tx).await)
            .await
            .expect("committed");
        assert_eq!(shirts(bench).await, [2, 4]);
        let stored = bench.stored("beside_squads", 1).await;
        let posts = stored.get_document("by_post").expect("a map");
        assert_eq!(*posts, doc! { "front": { "person": 2 } });
        settled(bench).await;
    })
    .await;
}

// An element whose writer died before it was compared with its source goes when the source is found to be missing.
#[tokio::test]
async fn a_marked_element_of_nobody_goes() {
    on_both("beside_marked", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let lost = bson::serialize_to_bson(&player(9, 9)).expect("encodes");
        let mark = doc! { "t": bson::oid::ObjectId::new() };
        let change = doc! { "$push": { "players": lost, "_dn.u": mark } };
        let squads = bench.raw("beside_squads");
        let done = squads.update_one(doc! { "_id": 1 }, change).await;
        assert_eq!(done.expect("written").modified_count, 1);
        let done = mongo_model::recover(db).await.expect("recovered");
        assert_eq!((done.applied, done.dangling), (1, 0));
        assert_eq!(shirts(bench).await, [1, 2, 3, 4]);
        settled(bench).await;
        // The same without a mark: `verify` finds it, `repair` removes it.
        let lost = bson::serialize_to_bson(&player(9, 9)).expect("encodes");
        let change = doc! { "$push": { "players": lost } };
        let done = squads.update_one(doc! { "_id": 1 }, change).await;
        assert_eq!(done.expect("written").modified_count, 1);
        let found = verify(db).only::<Squad>().await.expect("looked");
        assert!(!found.is_clean());
        mongo_model::repair(db).await.expect("repaired");
        assert_eq!(shirts(bench).await, [1, 2, 3, 4]);
        settled(bench).await;
    })
    .await;
}
