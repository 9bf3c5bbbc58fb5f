//! `on_delete = pull` on one reference removes the element that holds it.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use mongo_model::{MongoEmbed, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{plain, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "element_users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
    #[index(unique)]
    name: String,
}

/// With a copy: at most two arrays deep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Member {
    #[parent(User, on_delete = pull)]
    user: String,
    #[denorm(from = User, field = name, via = user)]
    name: String,
    role: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Group {
    title: String,
    #[embed(max = 10)]
    members: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deputy: Option<Member>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "element_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 10)]
    members: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<Member>,
    #[embed(max = 5)]
    groups: Vec<Group>,
}

/// Copies what stands beside a reference in an optional document, and a whole list of elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "element_badges")]
struct Badge {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team)]
    team: i32,
    #[denorm(from = Team, field = lead.role, via = team)]
    lead_role: Option<String>,
}

/// Without a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Seat {
    #[parent(User, on_delete = pull)]
    user: String,
    note: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Hall {
    #[embed(max = 5)]
    seats: Vec<Seat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chair: Option<Seat>,
    #[embed(max = 5)]
    by_day: BTreeMap<String, Seat>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Floor {
    #[embed(max = 5)]
    halls: Vec<Hall>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "element_clubs")]
struct Club {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 5)]
    floors: Vec<Floor>,
    #[embed(max = 10)]
    by_room: BTreeMap<String, Seat>,
    #[embed(max = 5)]
    #[model(allow(array_unbounded, reason = "a row is at most ten seats wide"))]
    rows: BTreeMap<String, Vec<Seat>>,
    #[embed(max = 5)]
    halls: BTreeMap<String, Hall>,
    #[embed(max = 5)]
    #[model(allow(array_unbounded, reason = "a room is at most ten seats wide"))]
    grid: Vec<Vec<Seat>>,
    #[refs(User, max = 10, on_delete = pull)]
    votes: BTreeMap<String, i32>,
    #[refs(User, max = 10, key = name, on_delete = pull)]
    names: BTreeMap<Slot, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, MongoEmbed)]
enum Slot {
    Front,
    Back,
}

async fn start(bench: &Bench) {
    bench
        .index(&[User::meta(), Team::meta(), Badge::meta(), Club::meta()])
        .await;
    let user = |id: &str| User {
        id: id.to_owned(),
        name: format!("name of {id}"),
    };
    bench.place(&["a", "b", "c"].map(user)).await;
}

fn member(user: &str, role: &str) -> Member {
    Member {
        user: user.to_owned(),
        name: format!("name of {user}"),
        role: role.to_owned(),
    }
}

fn group(title: &str, members: &[&str], deputy: Option<&str>) -> Group {
    Group {
        title: title.to_owned(),
        members: members
            .iter()
            .map(|user| member(user, "in group"))
            .collect(),
        deputy: deputy.map(|user| member(user, "deputy")),
    }
}

fn seat(user: &str, note: i32) -> Seat {
    Seat {
        user: user.to_owned(),
        note,
    }
}

fn seats<const N: usize>(all: [(&str, &str); N]) -> BTreeMap<String, Seat> {
    let one = |(n, (key, user)): (usize, (&str, &str))| {
        let note = i32::try_from(n).expect("few");
        (key.to_owned(), seat(user, note))
    };
    all.into_iter().enumerate().map(one).collect()
}

async fn clean(bench: &Bench) {
    let found = verify(&bench.db).only::<Team>().await.expect("looked");
    assert!(found.is_clean(), "{found:?}");
    let found = verify(&bench.db).only::<Badge>().await.expect("looked");
    assert!(found.is_clean(), "{found:?}");
    bench.forget();
}

async fn team(bench: &Bench, id: i32) -> Team {
    let team = Team::get(&bench.db, id).await.expect("read");
    bench.forget();
    team.expect("stored")
}

// In an array, in an array inside it, in an optional document of both; a copy of a field beside the reference follows.
#[tokio::test]
async fn elements_go_with_their_copies() {
    on_both("element_arrays", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let full = Team {
            id: 1,
            members: vec![member("a", "x"), member("b", "y"), member("a", "z")],
            lead: Some(member("a", "lead")),
            groups: vec![
                group("one", &["a", "b"], Some("b")),
                group("two", &[], Some("a")),
                group("three", &["a", "a"], None),
            ],
        };
        let other = Team {
            id: 2,
            members: vec![member("b", "x")],
            lead: Some(member("c", "lead")),
            groups: vec![group("one", &["c"], None)],
        };
        bench.place(&[full, other.clone()]).await;
        let badge = |id, team: i32| Badge {
            id,
            team,
            lead_role: Some("lead".to_owned()),
        };
        bench.place(&[badge(1, 1), badge(2, 2)]).await;
        let untouched = bench.stored("element_teams", 2).await;
        bench.forget();
        let done = User::delete(db, "a".to_owned()).await.expect("deleted");
        let sent = bench.take();
        assert_eq!((done.deleted, done.cascaded), (1, 0));
        assert_eq!(done.pending, []);
        let left = team(bench, 1).await;
        let expected = Team {
            id: 1,
            members: vec![member("b", "y")],
            lead: None,
            groups: vec![
                group("one", &["b"], Some("b")),
                group("two", &[], None),
                group("three", &[], None),
            ],
        };
        assert_eq!(left, expected);
        assert_eq!(bench.stored("element_teams", 2).await, untouched);
        let badge = Badge::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(badge.lead_role, None);
        // The queries that find the elements are served by the index of the reference.
        let mut served = 0;
        for update in sent.iter().filter(|sent| sent.name == "update") {
            if update.command.get_str("update").ok() != Some("element_teams") {
                continue;
            }
            let text = update.command.to_string();
            for path in [
                "members.user",
                "lead.user",
                "groups.members.user",
                "groups.deputy.user",
            ] {
                if text.contains(&format!("\"{path}\": 1,")) {
                    let plan = bench.explain(update.command.clone()).await;
                    plan.assert_served_by(path);
                    served += 1;
                }
            }
        }
        assert_eq!(served, 4, "{sent:?}");
        clean(bench).await;
        settled(bench).await;
        // Once more, nothing is there to remove.
        User::insert(
            db,
            &User {
                id: "a".to_owned(),
                name: "name of a".to_owned(),
            },
        )
        .await
        .expect("stored");
        let before = bench.stored("element_teams", 1).await;
        let done = User::delete(db, "a".to_owned()).await.expect("deleted");
        assert_eq!((done.deleted, done.changed), (1, 0));
        assert_eq!(bench.stored("element_teams", 1).await, before);
        settled(bench).await;
    })
    .await;
}

fn club(id: i32) -> Club {
    Club {
        id,
        floors: vec![],
        by_room: BTreeMap::new(),
        rows: BTreeMap::new(),
        halls: BTreeMap::new(),
        grid: vec![],
        votes: BTreeMap::new(),
        names: BTreeMap::new(),
    }
}

fn hall(users: &[&str], chair: Option<&str>, by_day: BTreeMap<String, Seat>) -> Hall {
    Hall {
        seats: users.iter().map(|user| seat(user, 0)).collect(),
        chair: chair.map(|user| seat(user, 1)),
        by_day,
    }
}

/// A club of which everything refers to `user` that may, beside `b`; and the same without what refers to `user`.
fn clubs(user: &str) -> (Club, Club) {
    let mut full = club(1);
    let (both, week) = (
        [user, "b"],
        seats([("mon", user), ("a.b", "b"), ("$x", user), ("", "b")]),
    );
    full.floors = vec![
        Floor {
            halls: vec![hall(&[], Some("b"), BTreeMap::new())],
        },
        Floor {
            halls: vec![
                hall(&both, Some(user), week.clone()),
                hall(&[user], None, BTreeMap::new()),
            ],
        },
    ];
    full.by_room = seats([("r.1", user), ("$set", "b"), ("$where", user), ("r", "b")]);
    full.rows = [
        (
            "r.1".to_owned(),
            vec![seat("b", 1), seat(user, 2), seat(user, 3)],
        ),
        ("r.2".to_owned(), vec![seat(user, 4)]),
    ]
    .into();
    full.halls = [
        ("h.1".to_owned(), hall(&both, Some(user), week)),
        ("h.2".to_owned(), hall(&["b"], Some("b"), BTreeMap::new())),
    ]
    .into();
    full.grid = vec![
        vec![seat(user, 1), seat("b", 2)],
        vec![],
        vec![seat(user, 3)],
    ];
    full.votes = [(user.to_owned(), 1), ("b".to_owned(), 2)].into();
    full.names = [
        (Slot::Front, format!("name of {user}")),
        (Slot::Back, "name of b".to_owned()),
    ]
    .into();
    let mut left = full.clone();
    let stays = |seat: &Seat| seat.user != user;
    let halls = left.floors.iter_mut().flat_map(|floor| &mut floor.halls);
    for hall in halls.chain(left.halls.values_mut()) {
        hall.seats.retain(stays);
        hall.chair = hall.chair.take().filter(stays);
        hall.by_day.retain(|_, seat| stays(seat));
    }
    left.by_room.retain(|_, seat| stays(seat));
    left.rows
        .values_mut()
        .chain(&mut left.grid)
        .for_each(|row| row.retain(stays));
    left.votes.retain(|id, _| id != user);
    left.names.retain(|_, name| !name.ends_with(user));
    (full, left)
}

// At every depth, behind the keys of maps, which are data, and in arrays of arrays.
#[tokio::test]
async fn elements_go_from_maps_and_at_any_depth() {
    on_both("element_maps", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let (full, left) = clubs("a");
        let (mut other, _) = clubs("c");
        other.id = 2;
        bench.place(&[full, other]).await;
        // Values that the library has not written: null, another type, nothing at all.
        let odd = doc! {
            "_id": 3,
            "floors": [Bson::Null, { "halls": Bson::Null }, { "halls": [{ "seats": 7, "by_day": [1] }] }],
            "by_room": { "x": Bson::Null, "y": 5, "z": { "user": "a", "note": 1, "more": [1, 2] } },
            "rows": Bson::Null,
            "halls": { "h": { "seats": [Bson::Null, { "user": "a" }, 3], "extra": { "k": 1 } }, "n": Bson::Null },
            "grid": [[], 4, [Bson::Null, { "user": "a" }]],
            "votes": { "c": 1.5 },
        };
        bench.seed("element_clubs", [odd.clone(), doc! { "_id": 4 }]).await;
        let untouched = bench.stored("element_clubs", 2).await;
        bench.forget();
        let done = User::delete(db, "a".to_owned()).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 0));
        let read = Club::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(read, left);
        assert_eq!(bench.stored("element_clubs", 2).await, untouched);
        let expected = doc! {
            "_id": 3,
            "floors": [Bson::Null, { "halls": Bson::Null }, { "halls": [{ "seats": 7, "by_day": [1] }] }],
            "by_room": { "x": Bson::Null, "y": 5 },
            "rows": Bson::Null,
            "halls": { "h": { "seats": [Bson::Null, 3], "extra": { "k": 1 } }, "n": Bson::Null },
            "grid": [[], 4, [Bson::Null]],
            "votes": { "c": 1.5 },
        };
        assert_eq!(bench.stored("element_clubs", 3).await, expected);
        assert_eq!(bench.stored("element_clubs", 4).await, doc! { "_id": 4 });
        settled(bench).await;
        // The fields keep their order, and everything else its value.
        let (full, left) = clubs("a");
        let names = |club: &Club| -> Vec<String> {
            let document = bson::serialize_to_document(club).expect("encodes");
            document.keys().cloned().collect()
        };
        let stored = plain(bench.stored("element_clubs", 1).await);
        assert_eq!(stored, bson::serialize_to_document(&left).expect("encodes"));
        assert_eq!(names(&full), names(&left));
        // Nobody refers to this user.
        User::insert(db, &User { id: "d".to_owned(), name: "name of d".to_owned() }).await.expect("stored");
        let all = bench.raw("element_clubs");
        let before: Vec<Document> = futures::TryStreamExt::try_collect(all.find(doc! {}).await.expect("read")).await.expect("read");
        let done = User::delete(db, "d".to_owned()).await.expect("deleted");
        assert_eq!((done.deleted, done.changed), (1, 0));
        let after: Vec<Document> = futures::TryStreamExt::try_collect(all.find(doc! {}).await.expect("read")).await.expect("read");
        assert_eq!(before, after);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}
