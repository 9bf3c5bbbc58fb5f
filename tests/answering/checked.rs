//! References are checked: a write that stores one fails if it leads nowhere, and a delete beside it leaves none that dangles. One that is
//! `unchecked` costs nothing.

use bson::{Document, doc};
use mongo_model::{Error, Id, MongoModel, recover, settle, transaction, verify};

use crate::checked_models::{
    Coach, Coat, Day, Fan, Hook, League, Node, Player, Score, Team, Ticket, Visitor, dangles,
    index, sent, sound, team,
};
use crate::common::{Bench, behind};

#[tokio::test]
async fn an_insert_awaits_a_read_of_the_target() {
    behind("checked_insert", async |bench| {
        index(bench).await;
        let team = team(bench).await;
        let player = Player {
            id: 1,
            team: team.id,
        };
        Player::insert(&bench.db, &player).await.expect("stored");
        assert_eq!(sent(bench)[..2], ["insert players", "find teams"]);
        settle(&bench.db).await;
        let behind = sent(bench);
        assert!(behind.len() <= 2, "{behind:?}");
        let stored = bench.stored("checked_players", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "team": team.id.into_raw() });
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_update_reads_the_target_before() {
    behind("checked_update", async |bench| {
        index(bench).await;
        let (db, first, second) = (&bench.db, team(bench).await, team(bench).await);
        let player = Player {
            id: 1,
            team: first.id,
        };
        Player::insert(db, &player).await.expect("stored");
        let league = League {
            id: 1,
            teams: vec![first.id],
        };
        League::insert(db, &league).await.expect("stored");
        sound(bench).await;
        let moved = Player::update(db, 1).set(|p| p.team, second.id).await;
        moved.expect("moved");
        assert_eq!(sent(bench)[..2], ["find teams", "update players"]);
        settle(db).await;
        let behind = sent(bench);
        assert!(behind.len() <= 2, "{behind:?}");
        let added = League::update(db, 1).push(|l| l.teams, second.id).await;
        added.expect("added");
        assert_eq!(sent(bench)[..2], ["find teams", "update leagues"]);
        settle(db).await;
        let behind = sent(bench);
        assert!(behind.len() <= 2, "{behind:?}");
        // Nothing is stored that has to be checked.
        let gone = League::update(db, 1).pull(|l| l.teams, second.id).await;
        gone.expect("pulled");
        assert_eq!(sent(bench), ["update leagues"]);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_save_checks_references_that_are_new() {
    behind("checked_save", async |bench| {
        index(bench).await;
        let (db, first, second) = (&bench.db, team(bench).await, team(bench).await);
        let score = |team, goals| Score {
            against: Id::new(),
            team,
            goals,
        };
        let mut day = Day {
            id: 1,
            scores: vec![score(first.id, 1)],
        };
        day.save(db).await.expect("stored");
        assert_eq!(
            sent(bench)[..3],
            ["update days", "find teams", "findAndModify days"]
        );
        settle(db).await;
        let behind = sent(bench);
        assert!(behind.len() <= 2, "{behind:?}");
        day.scores[0].goals = 2;
        day.save(db).await.expect("stored");
        assert_eq!(sent(bench), ["update days"]);
        assert_eq!(Day::get(db, 1).await.expect("read"), Some(day.clone()));
        bench.forget();
        day.scores.push(score(second.id, 0));
        day.save(db).await.expect("stored");
        assert_eq!(
            sent(bench)[..3],
            ["update days", "find teams", "findAndModify days"]
        );
        assert_eq!(Day::get(db, 1).await.expect("read"), Some(day.clone()));
        let nobody = Id::new();
        day.scores.push(score(nobody, 0));
        dangles(day.save(db).await, "Day", "scores.team", nobody);
        day.scores.clear();
        day.save(db).await.expect("stored");
        assert_eq!(Day::get(db, 1).await.expect("read"), Some(day));
        sound(bench).await;
    })
    .await;
}

/// How many players carry the library's fields.
async fn marks(bench: &Bench) -> u64 {
    let players = bench.raw("checked_players");
    let marked = players.count_documents(doc! { "_dn": { "$exists": true } });
    let marked = marked.await.expect("counted");
    bench.forget();
    marked
}

#[tokio::test]
async fn many_documents_read_each_target_once() {
    behind("checked_many", async |bench| {
        index(bench).await;
        let (db, first, second) = (&bench.db, team(bench).await, team(bench).await);
        let player = |id| Player { id, team: first.id };
        let players: Vec<Player> = (0..1_000).map(player).collect();
        let done = Player::insert_many(db, &players).await.expect("stored");
        assert!(done.pending.is_empty(), "{done:?}");
        assert_eq!(sent(bench), ["find teams", "insert players"]);
        settle(db).await;
        let then = ["findAndModify teams", "update players"];
        assert_eq!(sent(bench), then);
        assert_eq!(marks(bench).await, 0);
        let moved = Player::update_many(db, |p| p.id.lt(600)).set(|p| p.team, second.id);
        assert_eq!(moved.await.expect("moved").modified, 600);
        assert_eq!(sent(bench), ["find teams", "update players"]);
        settle(db).await;
        assert_eq!(sent(bench), then);
        assert_eq!(marks(bench).await, 0);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_target_is_deleted_under_a_tombstone() {
    behind("checked_tombstone", async |bench| {
        index(bench).await;
        let db = &bench.db;
        Hook { id: 1 }.save(db).await.expect("stored");
        // Nothing that is stored in a target has to follow a save of it.
        assert_eq!(sent(bench), ["update hooks"]);
        Hook::insert(db, &Hook { id: 2 }).await.expect("stored");
        assert_eq!(sent(bench), ["insert hooks"]);
        Coat::insert(db, &Coat { id: 1, hook: 1 })
            .await
            .expect("stored");
        settle(db).await;
        bench.forget();
        let refused = Hook::delete(db, 1).await.expect_err("referred to");
        assert!(matches!(refused, Error::Referenced { .. }), "{refused}");
        assert_eq!(sent(bench), ["find coats", "aggregate coats"]);
        Hook::delete(db, 2).await.expect("deleted");
        assert_eq!(
            sent(bench),
            [
                "find coats",
                "findAndModify hooks",
                "find coats",
                "update hooks",
                "delete hooks"
            ]
        );
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_unchecked_reference_costs_nothing() {
    behind("checked_unchecked", async |bench| {
        index(bench).await;
        let (db, nobody) = (&bench.db, Id::new());
        let visitor = |id, visits| Visitor {
            id,
            team: nobody,
            visits,
        };
        Visitor::insert(db, &visitor(1, 1)).await.expect("stored");
        assert_eq!(sent(bench), ["insert visitors"]);
        let some = [visitor(2, 1), visitor(3, 1)];
        Visitor::insert_many(db, &some).await.expect("stored");
        assert_eq!(sent(bench), ["insert visitors"]);
        visitor(1, 2).save(db).await.expect("stored");
        assert_eq!(sent(bench), ["update visitors"]);
        visitor(4, 1).save(db).await.expect("stored");
        assert_eq!(sent(bench), ["update visitors"]);
        let moved = Visitor::update(db, 1).set(|v| v.team, Id::new());
        moved.await.expect("moved");
        assert_eq!(sent(bench), ["update visitors"]);
        let all = Visitor::update_many(db, |v| v.id.gt(0)).set(|v| v.team, nobody);
        all.await.expect("moved");
        assert_eq!(sent(bench), ["update visitors"]);
        settle(db).await;
        assert_eq!(sent(bench), [] as [&str; 0]);
        let stored = bench.stored("checked_visitors", 1).await;
        let raw = nobody.into_raw();
        assert_eq!(stored, doc! { "_id": 1, "team": raw, "visits": 2 });
        let verified = verify(db).await.expect("verified");
        assert!(!verified.is_clean(), "{verified}");
    })
    .await;
}

#[tokio::test]
async fn a_document_may_refer_to_itself() {
    behind("checked_self", async |bench| {
        index(bench).await;
        let db = &bench.db;
        Node::insert(db, &Node { id: 1, root: 1 })
            .await
            .expect("stored");
        Node { id: 2, root: 2 }.save(db).await.expect("stored");
        let both = [Node { id: 3, root: 4 }, Node { id: 4, root: 4 }];
        Node::insert_many(db, &both).await.expect("stored");
        Node::update(db, 4).set(|n| n.root, 1).await.expect("moved");
        Node::update(db, 4)
            .set(|n| n.root, 9)
            .await
            .expect_err("no such node");
        // A number that the server computes could be anybody's.
        let counted = Node::update(db, 4).inc(|n| n.root, 1).await;
        let error = counted.expect_err("refused").to_string();
        assert!(
            error.contains("$inc of Node.root, which is a reference: `set` it"),
            "{error}"
        );
        sound(bench).await;
    })
    .await;
}

/// The reference is stored while another program holds up the insert, and the target goes meanwhile.
#[tokio::test]
async fn an_insert_that_was_held_up_leaves_no_orphan() {
    behind("checked_held", async |bench| {
        if !has_transactions(bench).await {
            return;
        }
        index(bench).await;
        let (db, team) = (&bench.db, team(bench).await);
        let player = Player {
            id: 1,
            team: team.id,
        };
        let mut other = bench.transaction().await;
        let rival = bench.raw("checked_players");
        let first = rival.insert_one(doc! { "_id": 1 }).session(&mut other);
        first.await.expect("stored");
        bench.forget();
        let delete = async {
            while bench.count() == 0 {
                tokio::task::yield_now().await;
            }
            Team::delete(db, team.id).await.expect("deleted");
            other.abort_transaction().await.expect("aborted");
        };
        let (stored, ()) = tokio::join!(Player::insert(db, &player), delete);
        dangles(stored, "Player", "team", team.id);
        assert_eq!(bench.len("checked_players").await, 0);
        sound(bench).await;
    })
    .await;
}

async fn has_transactions(bench: &Bench) -> bool {
    let hello = bench.db.run_command(doc! { "hello": 1 }).await;
    hello.expect("answered").contains_key("setName")
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
        if !has_transactions(bench).await {
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
