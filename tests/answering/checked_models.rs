//! Models with checked references, and what their tests ask of a database.

use mongo_model::{Error, Id, MongoEmbed, MongoModel, recover, settle, verify};
use serde::{Deserialize, Serialize};

use crate::common::Bench;
use crate::inserting::commands;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_teams")]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Team>,
    #[index(unique)]
    pub(crate) code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_players")]
pub(crate) struct Player {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Team)]
    pub(crate) team: Id<Team>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_fans")]
pub(crate) struct Fan {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Team, on_delete = cascade, checked)]
    pub(crate) team: Id<Team>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_coaches")]
pub(crate) struct Coach {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Team, on_delete = unset)]
    pub(crate) team: Option<Id<Team>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_leagues")]
pub(crate) struct League {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Team, max = 30, on_delete = pull)]
    pub(crate) teams: Vec<Id<Team>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Score {
    #[parent(Team, on_delete = keep)]
    pub(crate) against: Id<Team>,
    #[parent(Team)]
    pub(crate) team: Id<Team>,
    pub(crate) goals: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_days")]
pub(crate) struct Day {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[embed(max = 20)]
    pub(crate) scores: Vec<Score>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_tickets")]
pub(crate) struct Ticket {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Team, key = code)]
    pub(crate) team: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_visitors")]
pub(crate) struct Visitor {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Team, unchecked)]
    pub(crate) team: Id<Team>,
    pub(crate) visits: i32,
}

/// A document that may refer to itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_nodes")]
pub(crate) struct Node {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Node)]
    pub(crate) root: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_hooks")]
pub(crate) struct Hook {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_coats")]
pub(crate) struct Coat {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Hook)]
    pub(crate) hook: i32,
}

pub(crate) async fn team(bench: &Bench) -> Team {
    let team = Team {
        id: Id::new(),
        code: Id::<Team>::new().to_string(),
    };
    Team::insert(&bench.db, &team).await.expect("stored");
    settle(&bench.db).await;
    bench.forget();
    team
}

pub(crate) async fn index(bench: &Bench) {
    let models = [
        Team::meta(),
        Player::meta(),
        Fan::meta(),
        Coach::meta(),
        League::meta(),
        Day::meta(),
        Ticket::meta(),
        Visitor::meta(),
        Node::meta(),
        Hook::meta(),
        Coat::meta(),
    ];
    bench.index(&models).await;
}

/// Nothing is flagged, and no reference dangles.
pub(crate) async fn sound(bench: &Bench) {
    settle(&bench.db).await;
    let recovered = recover(&bench.db).await.expect("recovered");
    assert!(recovered.is_idle(), "{recovered:?}");
    let verified = verify(&bench.db).await.expect("verified");
    assert!(verified.is_clean(), "{verified}");
    bench.forget();
}

/// Checks that a write failed because of a reference to `id`.
pub(crate) fn dangles<T: std::fmt::Debug>(
    done: Result<T, Error>,
    model: &str,
    field: &str,
    id: Id<Team>,
) {
    match done.expect_err("the team is not there") {
        Error::Dangling {
            model: at,
            field: path,
            target,
            ids,
        } => {
            assert_eq!((at, path.as_str(), target), (model, field, "Team"));
            assert_eq!(ids, [bson::Bson::from(id.into_raw())]);
        }
        error => panic!("{error}"),
    }
}

/// The commands that were sent, and to which collections.
pub(crate) fn sent(bench: &Bench) -> Vec<String> {
    let sent = commands(bench).into_iter();
    sent.map(|(name, to)| format!("{name} {}", to.replace("checked_", "")))
        .collect()
}
