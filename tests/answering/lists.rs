//! Lists that lose a child, and entries that are added beside a reference: a reader finds them right when the call has returned.

use mongo_model::{MongoEmbed, MongoModel, settle};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, behind};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "full_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    #[recent(Msg, max = 3, sort = at, fields(at))]
    last: Vec<HostMsg>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "full_messages")]
struct Msg {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, sort = -at)]
    host: i32,
    at: i32,
}

async fn listed(bench: &Bench, host: i32) -> Vec<i32> {
    let host = Host::get(&bench.db, host).await.expect("read");
    let last = host.expect("stored").last;
    last.iter().map(|entry| entry.id).collect()
}

#[tokio::test]
async fn a_list_is_full_again_when_the_call_has_returned() {
    behind("full_list", async |bench| {
        let db = &bench.db;
        bench.index(&[Host::meta(), Msg::meta()]).await;
        for id in [1, 2] {
            let host = Host { id, last: vec![] };
            Host::insert(db, &host).await.expect("stored");
        }
        let messages: Vec<Msg> = (0..9)
            .map(|id| Msg {
                id,
                host: 1,
                at: id,
            })
            .collect();
        Msg::insert_many(db, &messages).await.expect("stored");
        settle(db).await;
        Msg::delete(db, 8).await.expect("deleted");
        assert_eq!(listed(bench, 1).await, [5, 6, 7]);
        Msg::update(db, 7)
            .set(|m| m.host, 2)
            .await
            .expect("changed");
        assert_eq!(listed(bench, 1).await, [4, 5, 6]);
        assert_eq!(listed(bench, 2).await, [7]);
        Msg::update(db, 6).set(|m| m.at, -1).await.expect("changed");
        assert_eq!(listed(bench, 1).await, [3, 4, 5]);
        settle(db).await;
        assert_eq!(listed(bench, 1).await, [3, 4, 5]);
        let flagged = bson::doc! { "_dn.v.0": { "$exists": true } };
        let left = bench.raw("full_hosts").count_documents(flagged).await;
        assert_eq!(left.expect("counted"), 0);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "entry_people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Entry {
    #[parent(Person)]
    who: i32,
    #[denorm(from = Person, field = name, via = who)]
    label: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "entry_boards")]
struct Board {
    #[serde(rename = "_id")]
    id: i32,
    owner: Entry,
    #[embed(max = 50)]
    entries: Vec<Entry>,
}

#[tokio::test]
async fn an_entry_beside_a_reference_has_its_copy() {
    behind("entry_beside", async |bench| {
        let db = &bench.db;
        bench.index(&[Person::meta(), Board::meta()]).await;
        for id in [1, 2] {
            let name = format!("p{id}");
            let person = Person { id, name };
            Person::insert(db, &person).await.expect("stored");
        }
        let entry = |who| Entry {
            who,
            label: "?".into(),
        };
        let board = Board {
            id: 1,
            owner: entry(1),
            entries: vec![],
        };
        Board::insert(db, &board).settled().await.expect("stored");
        Board::update(db, 1)
            .set(|b| b.owner, entry(2))
            .push(|b| b.entries, entry(1))
            .await
            .expect("changed");
        let board = Board::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(board.owner.label, "p2");
        assert_eq!(board.entries[0].label, "p1");
        settle(db).await;
    })
    .await;
}
