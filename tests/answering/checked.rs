//! Checked references: a write that stores one fails if it leads nowhere, and a delete beside it leaves none that dangles.

use bson::{Document, doc};
use mongo_model::{Error, Id, MongoEmbed, MongoModel, recover, settle, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, behind};
use crate::inserting::commands;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team>,
    #[index(unique)]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_players")]
struct Player {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team, checked)]
    team: Id<Team>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_fans")]
struct Fan {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team, on_delete = cascade, checked)]
    team: Id<Team>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_coaches")]
struct Coach {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team, on_delete = unset, checked)]
    team: Option<Id<Team>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_leagues")]
struct League {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Team, max = 30, on_delete = pull, checked)]
    teams: Vec<Id<Team>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Score {
    #[parent(Team, on_delete = keep)]
    against: Id<Team>,
    #[parent(Team, checked)]
    team: Id<Team>,
    goals: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_days")]
struct Day {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 20)]
    scores: Vec<Score>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_tickets")]
struct Ticket {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team, key = code, checked)]
    team: String,
}

async fn team(bench: &Bench) -> Team {
    let team = Team {
        id: Id::new(),
        code: Id::<Team>::new().to_string(),
    };
    Team::insert(&bench.db, &team).await.expect("stored");
    settle(&bench.db).await;
    bench.forget();
    team
}

async fn index(bench: &Bench) {
    let models = [
        Team::meta(),
        Player::meta(),
        Fan::meta(),
        Coach::meta(),
        League::meta(),
        Day::meta(),
        Ticket::meta(),
    ];
    bench.index(&models).await;
}

/// Nothing is flagged, and no reference dangles.
async fn sound(bench: &Bench) {
    settle(&bench.db).await;
    let recovered = recover(&bench.db).await.expect("recovered");
    assert!(recovered.is_idle(), "{recovered:?}");
    let verified = verify(&bench.db).await.expect("verified");
    assert!(verified.is_clean(), "{verified}");
    bench.forget();
}

/// Checks that a write failed because of a reference to `id`.
fn dangles<T: std::fmt::Debug>(done: Result<T, Error>, model: &str, field: &str, id: Id<Team>) {
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

#[tokio::test]
async fn an_insert_is_one_awaited_round_trip() {
    behind("checked_insert", async |bench| {
        index(bench).await;
        let team = team(bench).await;
        let player = Player {
            id: 1,
            team: team.id,
        };
        Player::insert(&bench.db, &player).await.expect("stored");
        let mut awaited = commands(bench);
        awaited.truncate(2);
        awaited.sort_unstable();
        let pair = |name: &str, to: &str| (name.to_owned(), to.to_owned());
        assert_eq!(
            awaited,
            [
                pair("find", "checked_teams"),
                pair("insert", "checked_players")
            ]
        );
        settle(&bench.db).await;
        let behind = commands(bench);
        assert!(behind.len() <= 2, "{behind:?}");
        let stored = bench.stored("checked_players", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "team": team.id.into_raw() });
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_reference_that_leads_nowhere_is_not_stored() {
    behind("checked_nowhere", async |bench| {
        index(bench).await;
        let (db, nobody, team) = (&bench.db, Id::new(), team(bench).await);
        let player = |id, team| Player { id, team };
        let (good, bad) = (player(1, team.id), player(2, nobody));
        dangles(Player::insert(db, &bad).await, "Player", "team", nobody);
        let both = Player::insert_many(db, [&good, &bad]).await;
        dangles(both, "Player", "team", nobody);
        dangles(bad.save(db).await, "Player", "team", nobody);
        settle(db).await;
        assert_eq!(bench.len("checked_players").await, 0);

        Player::insert(db, &good).await.expect("stored");
        let moved = Player::update(db, 1).set(|p| p.team, nobody).await;
        dangles(moved, "Player", "team", nobody);
        dangles(player(1, nobody).save(db).await, "Player", "team", nobody);
        let all = Player::update_many(db, |p| p.id.eq(1)).set(|p| p.team, nobody);
        dangles(all.await, "Player", "team", nobody);
        sound(bench).await;
        let stored = bench.stored("checked_players", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "team": team.id.into_raw() });

        let ticket = Ticket {
            id: 1,
            team: "none".to_owned(),
        };
        Ticket::insert(db, &ticket).await.expect_err("no such code");
        let ticket = Ticket {
            id: 1,
            team: team.code.clone(),
        };
        Ticket::insert(db, &ticket).await.expect("stored");
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn elements_that_lead_nowhere_are_not_stored() {
    behind("checked_elements", async |bench| {
        index(bench).await;
        let (db, nobody, team) = (&bench.db, Id::new(), team(bench).await);
        let league = League {
            id: 1,
            teams: vec![team.id],
        };
        League::insert(db, &league).await.expect("stored");
        let added = League::update(db, 1).push(|l| l.teams, nobody).await;
        dangles(added, "League", "teams", nobody);
        let set = League::update(db, 1).set(|l| l.teams, vec![team.id, nobody]);
        dangles(set.await, "League", "teams", nobody);
        sound(bench).await;
        let stored = bench.stored("checked_leagues", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "teams": [team.id.into_raw()] });

        // The reference that is kept may lead anywhere.
        let score = |team| Score {
            against: nobody,
            team,
            goals: 1,
        };
        let day = Day {
            id: 1,
            scores: vec![score(team.id)],
        };
        Day::insert(db, &day).await.expect("stored");
        let added = Day::update(db, 1).push(|d| d.scores, score(nobody)).await;
        dangles(added, "Day", "scores.team", nobody);
        settle(db).await;
        let stored = bench.stored("checked_days", 1).await;
        assert_eq!(stored.get_array("scores").expect("scores").len(), 1);
        let recovered = recover(db).await.expect("recovered");
        assert!(recovered.is_idle(), "{recovered:?}");
    })
    .await;
}

#[tokio::test]
async fn a_delete_beside_writes_leaves_no_orphan() {
    behind("checked_races", async |bench| {
        index(bench).await;
        let db = &bench.db;
        let (mut refused, mut stored) = (0, 0);
        for n in 0..40 {
            let team = team(bench).await;
            let player = Player {
                id: n,
                team: team.id,
            };
            let fan = Fan {
                id: n,
                team: team.id,
            };
            let coach = Coach {
                id: n,
                team: Some(team.id),
            };
            let (gone, player, fan, coach) = tokio::join!(
                Team::delete(db, team.id),
                Player::insert(db, &player),
                Fan::insert(db, &fan),
                Coach::insert(db, &coach),
            );
            settle(db).await;
            let there = Team::get(db, team.id).await.expect("read").is_some();
            match gone {
                Ok(_) => assert!(!there),
                Err(Error::Referenced { .. }) => {
                    assert!(there);
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
            for done in [player, fan, coach] {
                match done {
                    Ok(_) | Err(Error::Dangling { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            let of_team = doc! { "team": team.id.into_raw() };
            for collection in ["checked_players", "checked_fans", "checked_coaches"] {
                let left = bench.raw(collection).count_documents(of_team.clone()).await;
                let left = left.expect("counted");
                assert!(there || left == 0, "{collection} of a team that is gone");
                stored += left;
            }
        }
        assert!(refused > 0 && stored > 0, "{refused} {stored}");
        sound(bench).await;
    })
    .await;
}

// The writer died after it stored the reference; the team is not there. The delete rule is applied, or the mark stays and is reported.
#[tokio::test]
async fn recovery_checks_references_of_dead_writers() {
    behind("checked_dead", async |bench| {
        index(bench).await;
        let (db, nobody) = (&bench.db, Id::<Team>::new());
        let marked = |id: i32| {
            let mark = doc! { "t": bson::oid::ObjectId::new() };
            doc! { "_id": id, "team": nobody.into_raw(), "_dn": { "u": [mark] } }
        };
        for collection in ["checked_players", "checked_fans", "checked_coaches"] {
            bench.seed(collection, [marked(1)]).await;
        }
        let recovered = recover(db).await.expect("recovered");
        assert_eq!(
            (recovered.dangling, recovered.applied),
            (1, 2),
            "{recovered:?}"
        );
        assert_eq!(bench.len("checked_fans").await, 0);
        let coach: Document = bench.stored("checked_coaches", 1).await;
        assert!(
            !coach.contains_key("team") && !coach.contains_key("_dn"),
            "{coach}"
        );
        let player = bench.stored("checked_players", 1).await;
        assert!(player.contains_key("_dn"), "{player}");
        // The team is stored after all.
        let team = Team {
            id: nobody,
            code: "late".to_owned(),
        };
        Team::insert(db, &team).await.expect("stored");
        recover(db).await.expect("recovered");
        sound(bench).await;
        let player = bench.stored("checked_players", 1).await;
        assert_eq!(player, doc! { "_id": 1, "team": nobody.into_raw() });
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction() {
    behind("checked_transaction", async |bench| {
        let hello = bench.db.run_command(doc! { "hello": 1 }).await;
        if !hello.expect("answered").contains_key("setName") {
            return;
        }
        index(bench).await;
        let (db, nobody, team) = (&bench.db, Id::new(), team(bench).await);
        let player = |id, team| Player { id, team };
        let done = transaction(db, async |tx| {
            Player::insert(db, &player(1, team.id)).within(tx).await?;
            Player::insert(db, &player(2, nobody)).within(tx).await
        });
        dangles(done.await, "Player", "team", nobody);
        assert_eq!(bench.len("checked_players").await, 0);
        let done = transaction(db, async |tx| {
            Player::insert(db, &player(1, team.id)).within(tx).await
        });
        done.await.expect("stored");
        sound(bench).await;
    })
    .await;
}
