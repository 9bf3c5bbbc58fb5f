//! The cost of a write when a field inside an embedded document is copied, and copies inside documents as sources.

use mongo_model::Outcome;
use mongo_model::update::Update;
use mongo_model::{Id, MongoEmbed, MongoModel, Transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::settled::{revision, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Home {
    city: String,
    zip: i64,
}

fn home(city: &str) -> Home {
    Home {
        city: city.to_owned(),
        zip: 1,
    }
}

fn finished(outcome: &Outcome) {
    assert_eq!(outcome.matched, 1);
    assert_eq!(outcome.pending, []);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team>,
    name: String,
    home: Home,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_members")]
struct Member {
    #[serde(rename = "_id")]
    id: Id<Member>,
    #[parent(Team)]
    team: Id<Team>,
    #[denorm(from = Team, field = name)]
    team_name: String,
    #[denorm(from = Team, field = home.city, level = transactional)]
    city: String,
}

async fn team(bench: &Bench) -> (Team, Member) {
    bench.index(&[Team::meta(), Member::meta()]).await;
    let team = Team {
        id: Id::new(),
        name: "red".to_owned(),
        home: home("Ulm"),
    };
    let member = Member {
        id: Id::new(),
        team: team.id,
        team_name: String::new(),
        city: String::new(),
    };
    Team::insert(&bench.db, &team).await.expect("stored");
    Member::insert(&bench.db, &member).await.expect("stored");
    bench.forget();
    (team, member)
}

#[tokio::test]
async fn a_write_beside_a_copied_field_makes_nothing_follow() {
    on_both("nested_beside", async |bench| {
        let db = &bench.db;
        let (mut team, member) = team(bench).await;
        let r = revision::<Team>(bench, &team.id).await;
        bench.forget();
        team.home.zip = 7;
        let save = async || finished(&team.save(db).await.expect("saved"));
        save().await;
        save().await;
        let whole = Team::update(db, team.id).set(|t| t.home, team.home.clone());
        finished(&whole.await.expect("set"));
        let beside = Team::update(db, team.id).set(|t| t.home.zip, 8_i64);
        finished(&beside.await.expect("set"));
        let sent = bench.sent();
        assert!(!sent.iter().any(|name| name == "find"), "{sent:?}");
        assert_eq!(revision::<Team>(bench, &team.id).await, r);
        team.home.city = "Bonn".to_owned();
        finished(&team.save(db).await.expect("saved"));
        let member = Member::get(db, member.id).await.expect("read");
        assert_eq!(member.expect("a member").city, "Bonn");
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_nested_field_costs_what_one_at_the_top_does() {
    on_both("nested_commands", async |bench| {
        let db = &bench.db;
        let (team, _) = team(bench).await;
        let sent = async |change: Update<'_, Team>| {
            finished(&change.await.expect("set"));
            bench.sent()
        };
        let update = || Team::update(db, team.id);
        let other = || home("Oslo");
        let top = sent(update().set(|t| t.name, "blue")).await;
        let nested = sent(update().set(|t| t.home.city, "Bonn")).await;
        let whole = sent(update().set(|t| t.home, other())).await;
        assert_eq!((&nested, &whole), (&top, &top));
        // Again: nothing changes.
        let top = sent(update().set(|t| t.name, "blue")).await;
        let nested = sent(update().set(|t| t.home.city, "Oslo")).await;
        let whole = sent(update().set(|t| t.home, other())).await;
        assert_eq!((&nested, &whole), (&top, &top));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_copies_along() {
    in_set("nested_transaction", async |bench| {
        let db = &bench.db;
        let (team, member) = team(bench).await;
        let mut tx = Transaction::begin(db).await.expect("begun");
        Team::update(db, team.id)
            .set(|t| t.home.city, "Oslo")
            .within(&mut tx)
            .await
            .expect("set");
        assert_eq!(tx.commit(db).await.expect("committed"), []);
        let member = Member::get(db, member.id).await.expect("read");
        assert_eq!(member.expect("a member").city, "Oslo");
        settled(bench).await;
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_clubs")]
struct Club {
    #[serde(rename = "_id")]
    id: Id<Club>,
    home: Home,
}

/// The copy in this embedded document is itself copied by another model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Membership {
    #[parent(Club)]
    #[serde(rename = "c")]
    club: Id<Club>,
    #[denorm(from = Club, field = home.city)]
    #[serde(rename = "clubCity")]
    city: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_players")]
struct Player {
    #[serde(rename = "_id")]
    id: Id<Player>,
    membership: Membership,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_scores")]
struct Score {
    #[serde(rename = "_id")]
    id: Id<Score>,
    #[parent(Player)]
    player: Option<Id<Player>>,
    #[denorm(from = Player, field = membership.city)]
    city: Option<String>,
}

#[tokio::test]
async fn copies_inside_documents_are_copied_on() {
    on_both("nested_onward", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Club::meta(), Player::meta(), Score::meta()])
            .await;
        let club = Club {
            id: Id::new(),
            home: home("Ulm"),
        };
        Club::insert(db, &club).await.expect("stored");
        let player = Player {
            id: Id::new(),
            membership: Membership {
                club: club.id,
                city: "?".to_owned(),
            },
        };
        let score = Score {
            id: Id::new(),
            player: Some(player.id),
            city: None,
        };
        Player::insert(db, &player).await.expect("stored");
        Score::insert(db, &score).await.expect("stored");
        let city = async || {
            let score = Score::get(db, score.id).await.expect("read");
            score.expect("a score").city
        };
        assert_eq!(city().await.as_deref(), Some("Ulm"));
        let changed = Club::update(db, club.id).set(|c| c.home.city, "Oslo");
        finished(&changed.await.expect("set"));
        assert_eq!(city().await.as_deref(), Some("Oslo"));
        settled(bench).await;
        // A document without the reference has no copy.
        Score::update(db, score.id)
            .unset(|s| s.player)
            .await
            .expect("unset");
        assert_eq!(city().await, None);
        assert!(verify(db).await.expect("looked").is_clean());
    })
    .await;
}
