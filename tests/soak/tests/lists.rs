//! A write of a two-way reference that stops between any two of its steps leaves no list wrong and unflagged, and the recovery leaves
//! none wrong; and so do many writers at once, some of which stop. The history of the persons leads back from the lists to the empty ones.
//!
//! Each write is stopped at each point in one way, in turn; in all of them, at later passings too, by
//! `cargo test -p mongo-model-soak --test lists -- --ignored`, which takes minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{
    Database, Id, MongoModel, recover, repair, settle, settle_in_calls, sync_indexes, transaction,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::leases::pass_time;
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{FAULTS, Fault, passed, stopped, with_rest};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lists_persons", history)]
struct Person {
    #[serde(rename = "_id")]
    id: Id<Person>,
    #[refs(Task, inverse = owner)]
    tasks: Vec<Id<Task>>,
    #[refs(Club, inverse = members)]
    clubs: Vec<Id<Club>>,
    #[refs(Person, inverse = friends)]
    friends: Vec<Id<Person>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lists_tasks")]
struct Task {
    #[serde(rename = "_id")]
    id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    owner: Option<Id<Person>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lists_clubs")]
struct Club {
    #[serde(rename = "_id")]
    id: Id<Club>,
    #[refs(Person, inverse = clubs)]
    members: Vec<Id<Person>>,
}

/// The same key in every run.
fn key<M>(n: u8) -> Id<M> {
    let mut bytes = [0; 12];
    bytes[11] = n + 1;
    Id::from_raw(ObjectId::from_bytes(bytes))
}

fn person(n: u8) -> Person {
    Person {
        id: key(n),
        tasks: Vec::new(),
        clubs: Vec::new(),
        friends: Vec::new(),
    }
}

fn task(n: u8, owner: Option<u8>) -> Task {
    Task {
        id: key(n),
        owner: owner.map(key),
    }
}

fn club(n: u8, members: &[u8]) -> Club {
    Club {
        id: key(n),
        members: members.iter().copied().map(key).collect(),
    }
}

const PERSONS: u8 = 3;

/// Three persons; two tasks of the first; a club of the first two, which are friends.
async fn prepare(db: &Database) {
    for name in [
        "lists_persons",
        "lists_tasks",
        "lists_clubs",
        "_dn.history.lists_persons",
    ] {
        let all = db.collection::<Document>(name);
        all.delete_many(doc! {}).await.expect("emptied");
    }
    let persons: Vec<Person> = (0..PERSONS).map(person).collect();
    Person::insert_many(db, &persons).await.expect("stored");
    let tasks = [task(0, Some(0)), task(1, Some(0))];
    Task::insert_many(db, &tasks).await.expect("stored");
    Club::insert(db, &club(0, &[0, 1])).await.expect("stored");
    Person::add_friend(db, key(0), key(1))
        .await
        .expect("friends");
}

const STEPS: [&str; 14] = [
    "reassign",
    "set",
    "to nobody",
    "add",
    "save",
    "insert",
    "insert many",
    "insert a club",
    "join",
    "leave",
    "replace",
    "befriend",
    "delete",
    "repair",
];

const POINTS: [&str; 13] = [
    "2w_after_p1",
    "before_w1",
    "after_w1",
    "2w_after_w1",
    "2w_mid_bulk",
    "after_w2",
    "after_w3",
    "2w_after_w3",
    "before_i1",
    "after_i1",
    "sweep_after_read",
    "sweep_after_fix",
    "after_mark",
];

async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    match step {
        "reassign" => drop(Task::reassign_owner(db, key(0), key(1)).await?),
        "set" => drop(Task::update(db, key(0)).set(|t| t.owner, key(1)).await?),
        "to nobody" => drop(Task::reassign_owner(db, key(0), None).await?),
        "add" => drop(Person::add_task(db, key(2), key(1)).await?),
        "save" => drop(task(0, Some(2)).save(db).await?),
        "insert" => drop(Task::insert(db, &task(2, Some(1))).await?),
        "insert many" => {
            let tasks = [task(3, Some(1)), task(4, Some(2)), task(5, Some(2))];
            Task::insert_many(db, &tasks).await?;
        }
        "insert a club" => drop(Club::insert(db, &club(1, &[1, 2])).await?),
        "join" => drop(Club::add_member(db, key(0), key(2)).await?),
        "leave" => drop(Person::remove_club(db, key(1), key(0)).await?),
        "replace" => drop(Club::replace_members(db, key(0), [key(1), key(2)]).await?),
        "befriend" => drop(Person::replace_friends(db, key(1), [key(2)]).await?),
        "delete" => match Task::delete(db, key(1)).await {
            Err(mongo_model::Error::NotFound { .. }) => {}
            done => drop(done?),
        },
        "repair" => {
            let person = doc! { "_id": *key::<Person>(0).as_raw() };
            let wrong = doc! { "$set": { "tasks": [*key::<Task>(7).as_raw()] } };
            let persons = db.collection::<Document>("lists_persons");
            persons.update_one(person, wrong).await?;
            repair(db).await?;
        }
        _ => panic!("there is no step {step}"),
    }
    Ok(())
}

/// Every pair that only one side has, and true if it is flagged.
async fn wrong(db: &Database) -> Vec<(String, bool)> {
    let all = async |name: &str| -> Vec<Document> {
        let found = db.collection::<Document>(name).find(doc! {}).await;
        found.expect("read").try_collect().await.expect("read")
    };
    let (persons, tasks, clubs) = (
        all("lists_persons").await,
        all("lists_tasks").await,
        all("lists_clubs").await,
    );
    let mut out = Vec::new();
    let mut compare = |name: &str, truth: BTreeSet<(String, String)>, pending: &[Document]| {
        let field = name.split_once('.').map_or(name, |(_, field)| field);
        let (mut said, mut marked) = (BTreeSet::new(), BTreeSet::new());
        for person in &persons {
            let id = person.get("_id").map(Bson::to_string).unwrap_or_default();
            let held = person.get_array(field).cloned().unwrap_or_default();
            let len = held.len();
            let held: BTreeSet<String> = held.iter().map(Bson::to_string).collect();
            assert_eq!(held.len(), len, "each once: {person}");
            said.extend(held.into_iter().map(|other| (id.clone(), other)));
            let marks = person.get_document("_dn").and_then(|dn| dn.get_array("v"));
            for mark in marks.into_iter().flatten().filter_map(Bson::as_document) {
                if mark.get_str("e").is_ok_and(|e| e == name) {
                    let k = mark.get("k").map(Bson::to_string).unwrap_or_default();
                    marked.insert((id.clone(), k));
                }
            }
        }
        let pending: BTreeSet<String> = pending
            .iter()
            .filter(|child| {
                let dn = child.get_document("_dn").cloned().unwrap_or_default();
                let names = dn.get_array("p").cloned().unwrap_or_default();
                names.contains(&Bson::from(name)) || dn.contains_key("del")
            })
            .map(|child| child.get("_id").map(Bson::to_string).unwrap_or_default())
            .collect();
        for pair in truth.symmetric_difference(&said) {
            let flagged = marked.contains(pair) || pending.contains(&pair.1);
            out.push((format!("{name}: {pair:?}"), flagged));
        }
    };
    let id = |document: &Document| document.get("_id").map(Bson::to_string).unwrap_or_default();
    let of = |documents: &[Document], field: &str| -> BTreeSet<(String, String)> {
        let mut out = BTreeSet::new();
        for document in documents {
            match document.get(field) {
                Some(Bson::Array(ids)) => {
                    out.extend(ids.iter().map(|other| (other.to_string(), id(document))));
                }
                Some(Bson::Null) | None => {}
                Some(other) => drop(out.insert((other.to_string(), id(document)))),
            }
        }
        out
    };
    compare("lists_persons.tasks", of(&tasks, "owner"), &tasks);
    compare("lists_persons.clubs", of(&clubs, "members"), &clubs);
    // The list of the person with the smaller id decides if two persons are friends.
    let friends = of(&persons, "friends").into_iter();
    let mut friends: BTreeSet<_> = friends.filter(|(parent, child)| child < parent).collect();
    for person in &persons {
        let held = person.get_array("friends").cloned().unwrap_or_default();
        let own = held.iter().map(|other| (id(person), other.to_string()));
        friends.extend(own.filter(|(parent, child)| parent < child));
    }
    compare("lists_persons.friends", friends, &persons);
    out
}

fn lost(wrong: &[(String, bool)]) -> Vec<&str> {
    let lost = wrong.iter().filter(|(_, flagged)| !flagged);
    lost.map(|(what, _)| what.as_str()).collect()
}

async fn right_again(db: &Database, what: &str) {
    let first = recover(db).await.expect("recovered");
    assert!(first.stuck.is_empty(), "{what}: {first:?}");
    assert_eq!(wrong(db).await, [], "{what}");
    assert!(recover(db).await.expect("recovered").is_idle(), "{what}");
    let names = ["lists_persons", "lists_tasks", "lists_clubs"];
    pass_time(db, &names).await;
    recover(db).await.expect("recovered");
    for name in names {
        let flags = ["p", "o", "v", "b", "del"]
            .map(|flag| doc! { format!("_dn.{flag}"): { "$exists": true } });
        let flagged = db.collection::<Document>(name);
        let flagged = flagged
            .count_documents(doc! { "$or": flags.to_vec() })
            .await;
        assert_eq!(flagged.expect("counted"), 0, "{what}: {name}");
    }
}

/// Checks that the entries of each person follow each other, and lead back from the lists as they are stored to those of the insert.
async fn history_leads_back(db: &Database, what: &str) {
    for n in 0..PERSONS {
        let of = || Person::history(db, key(n));
        let entries = of().entries(None).await.expect("read");
        for pair in entries.windows(2) {
            assert_eq!(pair[1].revision, pair[0].revision + 1, "{what}");
        }
        let first = of().at(entries[0].revision).await;
        let first = first.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(first, Some(person(n)), "{what}");
        let foreign = of().foreign_changes().await.expect("compared");
        assert!(foreign.is_empty(), "{what}: {foreign:?}");
    }
}

async fn every_fault(db: &Database, ways: &mut Ways) {
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stopped_wrong = 0;
    for step in STEPS {
        prepare(db).await;
        for (name, times) in passed(&POINTS, run(db, step)).await {
            *met.entry(name).or_default() += times;
            for (nth, fault) in ways.of(name, times.min(3), &FAULTS) {
                let what = format!("{step}, {name} passed {nth} times, {fault:?}");
                prepare(db).await;
                let again = stopped(name, nth, fault, async || run(db, step).await).await;
                // A repeated insert may fail, because the document is stored by now.
                let fine = again.is_none_or(|done| done.is_ok() || step.starts_with("insert"));
                assert!(fine, "{what}");
                let wrong = wrong(db).await;
                if step == "repair" {
                    // Another program made it wrong, without a flag.
                    repair(db).await.expect("repaired");
                } else {
                    assert_eq!(lost(&wrong), Vec::<&str>::new(), "{what}");
                    stopped_wrong += usize::from(!wrong.is_empty());
                }
                right_again(db, &what).await;
                if step != "repair" {
                    history_leads_back(db, &what).await;
                }
            }
        }
    }
    assert!(stopped_wrong > 10, "{stopped_wrong}");
    let never: Vec<_> = POINTS
        .iter()
        .filter(|name| !met.contains_key(*name))
        .collect();
    assert!(never.is_empty(), "{never:?}");
}

/// The later steps of writes that answer before their flags are removed.
async fn every_fault_behind(topology: Topology) {
    settle_in_calls(false);
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = &client.database(&server.unique_db("lists_behind"));
    let models = [Person::meta(), Task::meta(), Club::meta()];
    sync_indexes(db).models(&models).await.expect("indexes");
    let start = async || {
        prepare(db).await;
        settle(db).await;
    };
    let mut ways = Ways::in_turn(topology);
    let mut met = BTreeSet::new();
    for step in STEPS.into_iter().filter(|step| *step != "repair") {
        start().await;
        let points = passed(&POINTS, with_rest(db, run(db, step))).await;
        right_again(db, step).await;
        for (name, times) in points {
            met.insert(name);
            for (nth, fault) in ways.of(name, times.min(3), &[Fault::Error, Fault::Again]) {
                let what = format!("{step}, {name} passed {nth} times, {fault:?}, behind");
                start().await;
                let write = async || with_rest(db, run(db, step)).await;
                let again = stopped(name, nth, fault, write).await;
                let fine = again.is_none_or(|done| done.is_ok() || step.starts_with("insert"));
                assert!(fine, "{what}");
                settle(db).await;
                assert_eq!(lost(&wrong(db).await), Vec::<&str>::new(), "{what}");
                right_again(db, &what).await;
                history_leads_back(db, &what).await;
            }
        }
    }
    for name in ["after_w1", "after_w2", "after_w3", "2w_after_w3"] {
        assert!(met.contains(name), "nothing passes {name}: {met:?}");
    }
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn no_list_is_lost_where_what_follows_an_answer_fails() {
    let test = "no_list_is_lost_where_what_follows_an_answer_fails";
    side_by_side(test, &ON_BOTH, every_fault_behind).await;
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u8::try_from(self.0 % n).expect("small")
    }
}

/// One of many writers; some of its writes are dropped half way.
async fn writer(db: Database, seed: u64, writes: usize, in_set: bool) {
    let mut n = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    for _ in 0..writes {
        let (t, p, q) = (n.below(3), n.below(3), n.below(3));
        let wait = Duration::from_micros(u64::from(n.below(40)) * 500);
        let what = n.below(11);
        let write = async {
            match what {
                0..=2 => drop(Task::reassign_owner(&db, key(t), key(p)).await),
                3 => drop(Task::reassign_owner(&db, key(t), None).await),
                4 => drop(Person::add_task(&db, key(p), key(t)).await),
                5 => drop(task(t, Some(p)).save(&db).await),
                6 => drop(Club::add_member(&db, key(0), key(p)).await),
                7 => drop(Person::remove_club(&db, key(p), key(0)).await),
                8 => drop(Club::replace_members(&db, key(0), [key(p), key(q)]).await),
                9 if in_set => {
                    let moved = transaction(&db, async |tx| {
                        Task::reassign_owner(&db, key(t), key(q)).within(tx).await
                    });
                    drop(moved.await);
                }
                _ => drop(Person::replace_friends(&db, key(p), (p != q).then_some(key(q))).await),
            }
        };
        // A future that is dropped is a writer that dies.
        if n.below(3) == 0 {
            drop(tokio::time::timeout(wait, write).await);
        } else {
            write.await;
        }
        if n.below(20) == 0 {
            drop(recover(&db).await);
        }
    }
}

async fn crowd(db: &Database, in_set: bool) {
    prepare(db).await;
    for round in 0..3 {
        let writers = (1..=6).map(|n| {
            let db = db.clone();
            async move { writer(db, round * 10 + n, 40, in_set).await }
        });
        futures::future::join_all(writers).await;
        let wrong = wrong(db).await;
        assert_eq!(lost(&wrong), Vec::<&str>::new(), "round {round}");
        right_again(db, "a crowd").await;
        history_leads_back(db, "a crowd").await;
    }
}

async fn everywhere(topology: Topology, mut ways: Ways) {
    let environment = mongo_model_dev_server::Environment {
        mongodb_uri: None,
        ..mongo_model_dev_server::Environment::from_process()
    };
    // A separate server: this test ends sessions without an owner.
    let server = DevServer::start_in(environment, topology).await;
    let server = server.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("lists"));
    let models = [Person::meta(), Task::meta(), Club::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    let in_set = matches!(topology, Topology::ReplicaSet(_));
    if in_set {
        // Transactions of writers that died keep others waiting until the server ends them.
        let soon = doc! { "setParameter": 1, "transactionLifetimeLimitSeconds": 1 };
        let admin = client.database("admin");
        admin.run_command(soon).await.expect("set");
    }
    every_fault(&db, &mut ways).await;
    crowd(&db, in_set).await;
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn no_list_is_lost_wherever_a_write_stops() {
    let test = "no_list_is_lost_wherever_a_write_stops";
    side_by_side(test, &ON_BOTH, async |topology| {
        everywhere(topology, Ways::in_turn(topology)).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn no_list_is_lost_in_whatever_way_a_write_stops() {
    let test = "no_list_is_lost_in_whatever_way_a_write_stops";
    side_by_side(test, &ON_BOTH, async |topology| {
        everywhere(topology, Ways::all()).await;
    })
    .await;
}
