//! A write of a membership that stops between any two of its steps leaves no list and no copy wrong and unflagged, and the recovery leaves
//! none wrong; and so do many writers at once, some of which stop.
//!
//! Each write is stopped at each point in one way, in turn; in all of them, at later passings too, by
//! `cargo test -p mongo-model-soak --test members -- --ignored`, which takes minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Database, Id, MongoEmbed, MongoModel, recover, sync_indexes, transaction};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::leases::pass_time;
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{FAULTS, Fault, passed, point, stopped};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fellows_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    name: String,
    #[refs(Team, inverse = members)]
    teams: Vec<Id<Team>>,
    #[refs(Team, inverse = guests)]
    visits: Vec<Id<Team>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fellows_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team>,
    #[refs(User, inverse = teams)]
    members: Vec<Member>,
    #[refs(User, inverse = visits)]
    #[denorm(from = User, field = name)]
    guests: Vec<Guest>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Member {
    #[parent(User)]
    user: Id<User>,
    role: i32,
    #[denorm(from = User, field = name)]
    name: String,
}

/// The same key in every run.
fn key<M>(n: u8) -> Id<M> {
    let mut bytes = [0; 12];
    bytes[11] = n + 1;
    Id::from_raw(ObjectId::from_bytes(bytes))
}

fn member(n: u8, role: i32) -> Member {
    Member {
        user: key(n),
        role,
        name: "not known".to_owned(),
    }
}

fn team(n: u8, members: &[u8]) -> Team {
    Team {
        id: key(n),
        members: members.iter().map(|n| member(*n, 1)).collect(),
        guests: Vec::new(),
    }
}

const USERS: u8 = 3;
const NAMES: [&str; 2] = ["fellows_users", "fellows_teams"];

/// Three users; a team of the first two, whose guest is the third.
async fn prepare(db: &Database) {
    for name in NAMES {
        let all = db.collection::<Document>(name);
        all.delete_many(doc! {}).await.expect("emptied");
    }
    let users: Vec<User> = (0..USERS)
        .map(|n| User {
            id: key(n),
            name: format!("user {n}"),
            teams: Vec::new(),
            visits: Vec::new(),
        })
        .collect();
    User::insert_many(db, &users).await.expect("stored");
    let teams = [team(0, &[0, 1]), team(1, &[])];
    Team::insert_many(db, &teams).await.expect("stored");
    Team::add_guest(db, key(0), key(2)).await.expect("a guest");
}

const STEPS: [&str; 13] = [
    "insert",
    "join",
    "join again",
    "leave",
    "be removed",
    "replace",
    "promote",
    "save",
    "rename",
    "visit",
    "be visited",
    "delete a user",
    "delete a team",
];

const POINTS: [&str; 17] = [
    "2w_after_p1",
    "before_w1",
    "after_w1",
    "2w_after_w1",
    "after_w2",
    "after_w3",
    "2w_after_w3",
    "before_i1",
    "after_i1",
    "after_i2",
    "after_i3",
    "before_d1",
    "after_d1",
    "mid_d2",
    "after_d2",
    "before_d3",
    "after_d3",
];

async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    let gone = |done: mongo_model::Result<()>| match done {
        Err(mongo_model::Error::NotFound { .. }) => Ok(()),
        done => done,
    };
    match step {
        "insert" => drop(Team::insert(db, &team(2, &[1, 2])).await?),
        "join" => drop(Team::add_member(db, key(1), member(2, 5)).await?),
        "join again" => drop(Team::add_member(db, key(0), member(1, 1)).await?),
        "leave" => drop(User::remove_team(db, key(1), key(0)).await?),
        "be removed" => drop(Team::remove_member(db, key(0), key(0)).await?),
        "replace" => {
            let members = [member(1, 7), member(2, 8)];
            Team::replace_members(db, key(0), members).await?;
        }
        "promote" => {
            let promoted = Team::update(db, key(0));
            let user = key(1);
            promoted
                .set_where(|t| t.members, |m| m.user.eq(user), |m| m.role, 9)
                .await?;
        }
        "save" => drop(team(0, &[1, 2]).save(db).await?),
        "rename" => drop(User::update(db, key(1)).set(|u| u.name, "renamed").await?),
        "visit" => drop(User::add_visit(db, key(0), key(1)).await?),
        "be visited" => drop(Team::replace_guests(db, key(0), [key(1)]).await?),
        "delete a user" => gone(User::delete(db, key(1)).await.map(drop))?,
        "delete a team" => gone(Team::delete(db, key(0)).await.map(drop))?,
        _ => panic!("there is no step {step}"),
    }
    Ok(())
}

async fn all(db: &Database, name: &str) -> Vec<Document> {
    let found = db.collection::<Document>(name).find(doc! {}).await;
    found.expect("read").try_collect().await.expect("read")
}

fn id(document: &Document, field: &str) -> String {
    document.get(field).map(Bson::to_string).unwrap_or_default()
}

/// The documents inside an array.
fn entries<'d>(document: &'d Document, field: &str) -> impl Iterator<Item = &'d Document> {
    let entries = document.get_array(field).into_iter().flatten();
    entries.filter_map(Bson::as_document)
}

/// True if the document is pending for this edge or link, or is being deleted.
fn is_pending(document: &Document, name: &str) -> bool {
    let dn = document.get_document("_dn").cloned().unwrap_or_default();
    let names = dn.get_array("p").cloned().unwrap_or_default();
    names.contains(&Bson::from(name)) || dn.contains_key("del")
}

/// Every pair that only one side has, every copy that is not its source's value, and true if it is flagged.
async fn wrong(db: &Database) -> Vec<(String, bool)> {
    let (users, teams) = (all(db, NAMES[0]).await, all(db, NAMES[1]).await);
    let mut out = Vec::new();
    for (entry, of_id, list) in [("members", "user", "teams"), ("guests", "id", "visits")] {
        let (mut truth, mut said, mut flagged) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let link = format!("fellows_users.{list}");
        let edge = format!("fellows_teams.{entry}");
        for team in &teams {
            let pending = is_pending(team, &link);
            for one in entries(team, entry) {
                let pair = (id(one, of_id), id(team, "_id"));
                let source = users.iter().find(|user| id(user, "_id") == pair.0);
                let marked = team
                    .get_document("_dn")
                    .is_ok_and(|dn| dn.contains_key("u"));
                let pending = source.is_none_or(|user| is_pending(user, &edge));
                if source.is_none_or(|user| user.get("name") != one.get("name")) {
                    out.push((format!("{edge}: {one}"), marked || pending));
                }
                assert!(truth.insert(pair), "each once: {team}");
            }
            if pending {
                let of_team = |user: &Document| (id(user, "_id"), id(team, "_id"));
                flagged.extend(users.iter().map(of_team));
            }
        }
        for user in &users {
            let held = user.get_array(list).cloned().unwrap_or_default();
            for team in held {
                let pair = (id(user, "_id"), team.to_string());
                assert!(said.insert(pair), "each once: {user}");
            }
            let marks = user.get_document("_dn").and_then(|dn| dn.get_array("v"));
            for mark in marks.into_iter().flatten().filter_map(Bson::as_document) {
                if mark.get_str("e").is_ok_and(|e| e == link) {
                    flagged.insert((id(user, "_id"), id(mark, "k")));
                }
            }
            if user
                .get_document("_dn")
                .is_ok_and(|dn| dn.contains_key("del"))
            {
                let of_user = |team: &Document| (id(user, "_id"), id(team, "_id"));
                flagged.extend(teams.iter().map(of_user));
            }
        }
        for pair in truth.symmetric_difference(&said) {
            out.push((format!("{link}: {pair:?}"), flagged.contains(pair)));
        }
    }
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
    pass_time(db, &NAMES).await;
    recover(db).await.expect("recovered");
    for name in NAMES {
        let flags = ["p", "o", "u", "v", "b", "del"]
            .map(|flag| doc! { format!("_dn.{flag}"): { "$exists": true } });
        let flagged = db.collection::<Document>(name);
        let flagged = flagged
            .count_documents(doc! { "$or": flags.to_vec() })
            .await;
        assert_eq!(flagged.expect("counted"), 0, "{what}: {name}");
    }
    let read = Team::scan(db, |t| t.all()).await;
    assert!(read.is_ok(), "{what}: {read:?}");
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
                let fine = again.is_none_or(|done| done.is_ok() || step == "insert");
                assert!(fine, "{what}");
                let wrong = wrong(db).await;
                assert_eq!(lost(&wrong), Vec::<&str>::new(), "{what}");
                stopped_wrong += usize::from(!wrong.is_empty());
                right_again(db, &what).await;
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
        let (t, p, q) = (n.below(2), n.below(3), n.below(3));
        let wait = Duration::from_micros(u64::from(n.below(40)) * 500);
        let (what, name) = (n.below(11), format!("name {}", n.below(100)));
        let write = async {
            match what {
                0 | 1 => drop(Team::add_member(&db, key(t), member(p, 1)).await),
                2 => drop(Team::remove_member(&db, key(t), key(p)).await),
                3 => drop(User::remove_team(&db, key(p), key(t)).await),
                4 => drop(Team::replace_members(&db, key(t), [member(p, 2)]).await),
                5 => drop(User::add_visit(&db, key(p), key(t)).await),
                6 => drop(Team::replace_guests(&db, key(t), [key(q)]).await),
                7 if in_set => {
                    let entry = member(q, 3);
                    let moved = transaction(&db, async |tx| {
                        Team::add_member(&db, key(t), &entry).within(tx).await
                    });
                    drop(moved.await);
                }
                8 => drop(team(t, &[p]).save(&db).await),
                _ => drop(User::update(&db, key(p)).set(|u| u.name, name).await),
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
    }
}

/// Renames a user in a thread of its own, and waits for it: another program, between two steps of a write.
fn rename_elsewhere(uri: &str, db: &str, to: &str) {
    let (uri, db, to) = (uri.to_owned(), db.to_owned(), to.to_owned());
    let renamed = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let client = mongodb::Client::with_uri_str(&uri).await.expect("a client");
            let db = client.database(&db);
            let renamed = User::update(&db, key(2)).set(|u| u.name, to).await;
            assert_eq!(renamed.expect("renamed").pending, []);
        });
    });
    renamed.join().expect("renamed");
}

/// A user is renamed after the write has read the name and before it stores the copy: no scan of the rename finds the entry. The mark of
/// the write finds it, also where the writer stops after the write.
async fn renamed_meanwhile(uri: &str, db: &Database) {
    let steps: [(&str, &str); 3] = [
        ("join", "fellows_teams.members"),
        ("replace", "fellows_teams.members"),
        ("visit third", "fellows_teams.guests"),
    ];
    for (step, edge) in steps {
        for stops in [false, true] {
            let what = format!("{step}, stopped: {stops}");
            prepare(db).await;
            let once = Arc::new(AtomicBool::new(false));
            let (uri, name) = (uri.to_owned(), db.name().to_owned());
            let meanwhile = move || {
                if !once.swap(true, Ordering::SeqCst) {
                    rename_elsewhere(&uri, &name, "renamed");
                }
            };
            fail::cfg_callback(point("before_w1"), meanwhile).expect("a point");
            let write = async || match step {
                "visit third" => User::add_visit(db, key(2), key(1)).await.map(drop),
                step => run(db, step).await,
            };
            if stops {
                // Only the write of the membership passes it.
                stopped("2w_after_w1", 0, Fault::Drop, write).await;
            } else {
                write().await.expect("written");
            }
            fail::remove(point("before_w1"));
            let wrong = wrong(db).await;
            assert_eq!(lost(&wrong), Vec::<&str>::new(), "{what}");
            let stale = wrong.iter().any(|(what, _)| what.starts_with(edge));
            assert_eq!(stale, stops, "{what}: {wrong:?}");
            right_again(db, &what).await;
        }
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
    let db = client.database(&server.unique_db("members"));
    let models = [User::meta(), Team::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    let in_set = matches!(topology, Topology::ReplicaSet(_));
    if in_set {
        // Transactions of writers that died keep others waiting until the server ends them.
        let soon = doc! { "setParameter": 1, "transactionLifetimeLimitSeconds": 1 };
        let admin = client.database("admin");
        admin.run_command(soon).await.expect("set");
    }
    every_fault(&db, &mut ways).await;
    renamed_meanwhile(server.uri(), &db).await;
    crowd(&db, in_set).await;
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn no_membership_is_lost_wherever_a_write_stops() {
    let test = "no_membership_is_lost_wherever_a_write_stops";
    side_by_side(test, &ON_BOTH, async |topology| {
        everywhere(topology, Ways::in_turn(topology)).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn no_membership_is_lost_in_whatever_way_a_write_stops() {
    let test = "no_membership_is_lost_in_whatever_way_a_write_stops";
    side_by_side(test, &ON_BOTH, async |topology| {
        everywhere(topology, Ways::all()).await;
    })
    .await;
}
