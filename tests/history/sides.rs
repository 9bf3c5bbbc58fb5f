//! Histories of documents that change with others: both sides of two-way references, elements deep in arrays that a delete rule changes, and
//! arrays that overflow.

use bson::doc;
use mongo_model::history::Entry;
use mongo_model::{BucketId, Id, MongoEmbed, MongoModel, recover, settle};
use serde::{Deserialize, Serialize};

use super::common::{Bench, on_both};
use super::{assert_follow_each_other, paths};

/// Its arrays are the sides of references that follow the other ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_teams", history)]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team, i32>,
    #[refs(Player, inverse = teams, max = 10)]
    players: Vec<Id<Player, i32>>,
    #[refs(Kit, inverse = team, max = 3)]
    kits: Vec<Id<Kit, i32>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_players", history)]
struct Player {
    #[serde(rename = "_id")]
    id: Id<Player, i32>,
    #[refs(Team, inverse = players, max = 10)]
    teams: Vec<Id<Team, i32>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_kits")]
struct Kit {
    #[serde(rename = "_id")]
    id: Id<Kit, i32>,
    #[parent(Team, inverse = kits)]
    team: Id<Team, i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_places")]
struct Place {
    #[serde(rename = "_id")]
    id: Id<Place, i32>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_routes", history)]
struct Route {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 10)]
    days: Vec<Day>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Day {
    #[embed(max = 10)]
    stops: Vec<Stop>,
    #[refs(Place, max = 10, on_delete = pull)]
    seen: Vec<Id<Place, i32>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Stop {
    #[parent(Place, on_delete = unset)]
    place: Option<Id<Place, i32>>,
    #[denorm(from = Place, field = name, via = place)]
    place_name: Option<String>,
    #[parent(Place, on_delete = pull)]
    near: Id<Place, i32>,
    note: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_shops", history)]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop, i32>,
    #[embed(max = 2, overflow = MoreBuyers)]
    pub buyers: Vec<Buyer>,
    pub has_extras: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Buyer {
    pub id: i64,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_more_buyers", bucket(buyers))]
pub struct MoreBuyers {
    #[serde(rename = "_id")]
    pub id: BucketId<Shop>,
    #[parent(Shop, on_delete = cascade, unchecked)]
    pub shop: Id<Shop, i32>,
    pub count: i64,
    #[embed(max = 4)]
    pub buyers: Vec<Buyer>,
}

fn team(id: i32) -> Team {
    Team {
        id: Id::from_raw(id),
        players: Vec::new(),
        kits: Vec::new(),
    }
}

fn kit(id: i32, team: i32) -> Kit {
    Kit {
        id: Id::from_raw(id),
        team: Id::from_raw(team),
    }
}

async fn teams(bench: &Bench) {
    bench
        .index(&[Team::meta(), Player::meta(), Kit::meta()])
        .await;
    Team::insert_many(&bench.db, &[team(1), team(2)])
        .await
        .expect("inserted");
    let player = Player {
        id: Id::from_raw(7),
        teams: Vec::new(),
    };
    Player::insert(&bench.db, &player).await.expect("inserted");
}

/// The entries of a team behind that of its insert. The states that they lead back to have the arrays that they say.
async fn entries_of(bench: &Bench, id: i32) -> Vec<Entry> {
    settle(&bench.db).await;
    let of = || Team::history(&bench.db, Id::from_raw(id));
    let mut all = of().entries(None).await.expect("read");
    assert_follow_each_other(&all);
    let first = of().at(all[0].revision).await.expect("read");
    assert_eq!(first, Some(team(id)));
    all.remove(0);
    all
}

fn calls_and_paths(entries: &[Entry]) -> Vec<(&str, Vec<&str>)> {
    let one = |entry| (Entry::call(entry), paths(entry));
    entries.iter().map(one).collect()
}

trait Call {
    fn call(&self) -> &str;
}

impl Call for Entry {
    fn call(&self) -> &str {
        self.call.as_deref().unwrap_or_default()
    }
}

#[tokio::test]
async fn both_sides_of_a_reference_have_entries() {
    on_both("history_sides", async |bench: &Bench| {
        teams(bench).await;
        let (db, one, two) = (&bench.db, Id::from_raw(1), Id::from_raw(2));
        let player = Id::<Player, i32>::from_raw(7);
        Kit::insert(db, &kit(1, 1)).await.expect("inserted");
        Kit::insert_many(db, &[kit(2, 1), kit(3, 2)])
            .await
            .expect("inserted");
        Kit::reassign_team(db, Id::<Kit, i32>::from_raw(1), two)
            .await
            .expect("moved");
        Player::add_team(db, player, one).await.expect("added");
        Team::add_player(db, two, player).await.expect("added");
        // It is there.
        Team::add_player(db, two, player).await.expect("added");
        Player::remove_team(db, player, one).await.expect("removed");
        Kit::delete(db, Id::<Kit, i32>::from_raw(2))
            .await
            .expect("deleted");
        let first = entries_of(bench, 1).await;
        let expected = [
            ("Kit::insert", vec!["kits.0"]),
            ("Kit::insert", vec!["kits.1"]),
            ("Kit::reassign", vec!["kits.0", "kits.1"]),
            ("Player::related", vec!["players.0"]),
            ("Player::related", vec!["players.0"]),
            ("Kit::delete", vec!["kits.0"]),
        ];
        assert_eq!(calls_and_paths(&first), expected);
        let second = entries_of(bench, 2).await;
        let changed: Vec<_> = second.iter().map(paths).collect();
        assert_eq!(changed, [["kits.0"], ["kits.1"], ["players.0"]]);
        let of = Player::history(db, player).entries(None).await;
        let of = of.expect("read");
        let changed: Vec<_> = of[1..].iter().map(paths).collect();
        assert_eq!(
            changed,
            [vec!["teams.0"], vec!["teams.1"], vec!["teams.0", "teams.1"]]
        );
        // The player takes its place in the array of the team along.
        Player::delete(db, player).await.expect("deleted");
        let second = entries_of(bench, 2).await;
        let last = second.last().expect("an entry");
        assert_eq!(
            (last.call(), paths(last)),
            ("Player::delete", vec!["players.0"])
        );
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_side_that_follows_later_has_its_entry() {
    on_both("history_late_side", async |bench: &Bench| {
        teams(bench).await;
        let db = &bench.db;
        // As a program leaves it that ends between the two sides.
        let kit = doc! { "_id": 4, "team": 1, "_dn": { "p": ["history_teams.kits"], "r": 1_i64 } };
        bench.seed("history_kits", [kit]).await;
        recover(db).await.expect("recovered");
        let entries = entries_of(bench, 1).await;
        assert_eq!(calls_and_paths(&entries), [("recover", vec!["kits.0"])]);
        let again = recover(db).await.expect("recovered");
        assert!(again.is_idle(), "{again:?}");
        assert_eq!(bench.len("_dn.history.history_teams").await, 3);
    })
    .await;
}

fn stop(place: Option<i32>, near: i32) -> Stop {
    Stop {
        place: place.map(Id::from_raw),
        place_name: place.map(|id| format!("place {id}")),
        near: Id::from_raw(near),
        note: "n".to_owned(),
    }
}

#[tokio::test]
async fn delete_rules_deep_in_arrays_are_changes() {
    on_both("history_deep", async |bench: &Bench| {
        bench.index(&[Place::meta(), Route::meta()]).await;
        let db = &bench.db;
        let places = [1, 2, 3].map(|id| Place {
            id: Id::from_raw(id),
            name: format!("place {id}"),
        });
        Place::insert_many(db, &places).await.expect("inserted");
        let seen = |ids: &[i32]| ids.iter().map(|id| Id::from_raw(*id)).collect();
        let route = Route {
            id: 1,
            days: vec![
                Day {
                    stops: vec![stop(Some(1), 2), stop(Some(2), 1), stop(None, 3)],
                    seen: seen(&[1, 2]),
                },
                Day {
                    stops: vec![stop(Some(3), 3)],
                    seen: seen(&[2]),
                },
            ],
        };
        Route::insert(db, &route).await.expect("inserted");
        Place::delete(db, Id::<Place, i32>::from_raw(1))
            .await
            .expect("deleted");
        settle(db).await;
        let now = Route::get(db, 1).await.expect("read").expect("stored");
        let mut left = route.clone();
        left.days[0].stops = vec![stop(None, 2), stop(None, 3)];
        left.days[0].seen = seen(&[2]);
        assert_eq!(now, left);
        let of = || Route::history(db, 1);
        let all = of().entries(None).await.expect("read");
        assert_follow_each_other(&all);
        assert_eq!(all.len(), 4, "one for each reference");
        let is_deletes = |entry: &Entry| entry.call() == "Place::delete";
        assert!(all[1..].iter().all(is_deletes), "{all:?}");
        assert_eq!(of().at(all[0].revision).await.expect("read"), Some(route));
        // A place that nothing refers to changes nothing.
        bench.forget();
        Place::delete(db, Id::<Place, i32>::from_raw(2))
            .await
            .expect("deleted");
        settle(db).await;
        let all = of().entries(None).await.expect("read");
        assert_follow_each_other(&all);
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn items_in_the_document_have_entries() {
    on_both("history_overflow", async |bench: &Bench| {
        bench.index(&[Shop::meta(), MoreBuyers::meta()]).await;
        let (db, id) = (&bench.db, Id::<Shop, i32>::from_raw(1));
        let shop = Shop {
            id,
            buyers: Vec::new(),
            has_extras: false,
        };
        Shop::insert(db, &shop).await.expect("inserted");
        for n in 1..=4 {
            let name = "b".to_owned();
            let placed = Shop::push_buyer(db, id, Buyer { id: n, name }).await;
            assert!(placed.expect("pushed").added);
        }
        Shop::remove_buyer(db, id, &1).await.expect("removed");
        settle(db).await;
        let of = || Shop::history(db, id);
        let all = of().entries(None).await.expect("read");
        assert_follow_each_other(&all);
        let changed: Vec<_> = all[1..].iter().map(paths).collect();
        let expected = [
            vec!["buyers.0"],
            vec!["buyers.1"],
            vec!["has_extras"],
            vec!["buyers.0.id", "buyers.1"],
        ];
        assert_eq!(changed, expected);
        assert_eq!(of().at(all[0].revision).await.expect("read"), Some(shop));
    })
    .await;
}
