//! References, copies, numbers and lists between models of one tenant.

use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoModel, Tenants};
use mongo_model_dev_server::monitor::StartedCommand;
use serde::{Deserialize, Serialize};

use super::proof::assert_walled;
use super::{Org, org, tenant};
use crate::common::{Bench, alone, in_set, on_both};

/// A target: it has numbers and a list of its members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org)]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Team>,
    pub(crate) org: Id<Org>,
    #[index(unique)]
    pub(crate) key: i32,
    pub(crate) name: String,
    #[count(Member, max = 6)]
    pub(crate) members: i64,
    #[sum(Member, field = points)]
    pub(crate) points: i64,
    #[max(Member, field = points)]
    pub(crate) best: Option<i64>,
    #[recent(Member, max = 2, sort = -points, fields(points))]
    pub(crate) latest: Vec<LatestMember>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", tenant = org, patch = MemberPatch)]
pub(crate) struct Member {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Member>,
    pub(crate) org: Id<Org>,
    #[index(unique)]
    pub(crate) key: i32,
    #[parent(Team, on_delete = cascade)]
    pub(crate) team: Id<Team>,
    #[denorm(from = Team, field = name)]
    pub(crate) team_name: String,
    pub(crate) points: i64,
    #[version]
    pub(crate) version: i64,
}

/// Array references without copies, a reference to its own model, and one to what all tenants share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "matches", tenant = org)]
pub(crate) struct Match {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Match>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[refs(Team, max = 4, on_delete = pull)]
    pub(crate) teams: Vec<Id<Team>>,
    #[parent(Match, on_delete = unset)]
    pub(crate) after: Option<Id<Match>>,
    /// The team stays as long as it is the host of a match.
    #[parent(Team)]
    pub(crate) host: Option<Id<Team>>,
}

pub(crate) fn team(of: u8, key: i32) -> Team {
    Team {
        id: Id::new(),
        org: org(of),
        key,
        name: format!("team {of} {key}"),
        members: 0,
        points: 0,
        best: None,
        latest: Vec::new(),
    }
}

pub(crate) fn member(of: u8, key: i32, team: &Team) -> Member {
    Member {
        id: Id::new(),
        org: org(of),
        key,
        team: team.id,
        team_name: team.name.clone(),
        points: i64::from(key),
        version: 0,
    }
}

pub(crate) fn game(of: u8, teams: &[&Team]) -> Match {
    Match {
        id: Id::new(),
        org: org(of),
        teams: teams.iter().map(|team| team.id).collect(),
        after: None,
        host: None,
    }
}

/// Indexes, and a team of each of two tenants with the same natural key.
pub(crate) async fn prepare_teams(bench: &Bench) -> (Team, Team) {
    bench
        .index(&[Team::meta(), Member::meta(), Match::meta()])
        .await;
    let (mine, theirs) = (team(1, 1), team(2, 1));
    for team in [&mine, &theirs] {
        let db = bench.db.tenant(team.org);
        Team::insert(&db, team).await.expect("stored");
    }
    bench.forget();
    (mine, theirs)
}

#[track_caller]
fn assert_dangling<T: std::fmt::Debug>(result: Result<T, Error>, id: Id<Team>) {
    match result {
        Err(Error::Dangling { target, ids, .. }) => {
            assert_eq!((target, ids), ("Team", vec![id.into()]));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_document_that_refers_to_another_tenant_is_not_stored() {
    on_both("wall_refs_new", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let one = tenant(bench, 1);
        let bad = member(1, 1, &theirs);
        assert_dangling(Member::insert(&one, &bad).await, theirs.id);
        let both = [member(1, 2, &mine), member(1, 3, &theirs)];
        assert_dangling(Member::insert_many(&one, &both).await, theirs.id);
        let many: Vec<Member> = (0..120).map(|key| member(1, key, &theirs)).collect();
        assert_dangling(Member::insert_many(&one, &many).await, theirs.id);
        assert_dangling(Member::upsert(&one, &bad).await, theirs.id);
        let upsert = Member::upsert(&one, &bad).on_key(|m| m.key);
        assert_dangling(upsert.inc(|m| m.points, 1).await, theirs.id);
        let bad_game = game(1, &[&mine, &theirs]);
        assert_dangling(Match::insert(&one, &bad_game).await, theirs.id);
        assert_dangling(bad_game.save(&one).await, theirs.id);
        // A call that sees all tenants stores none of it either.
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        assert_dangling(Member::insert(&across, &bad).await, theirs.id);
        assert_dangling(bad_game.save(&across).await, theirs.id);
        assert_eq!(bench.len("members").await + bench.len("matches").await, 0);
        let writes = ["insert", "update", "findAndModify", "delete"];
        let sent = bench.sent();
        assert!(
            !sent.iter().any(|name| writes.contains(&name.as_str())),
            "{sent:?}"
        );
        Member::insert(&across, &member(2, 1, &theirs))
            .await
            .expect("stored");
        let stored = Team::get(&tenant(bench, 2), theirs.id).await.expect("read");
        let stored = stored.expect("stored");
        assert_eq!(
            (stored.members, stored.points, stored.best),
            (1, 1, Some(1))
        );
    })
    .await;
}

#[tokio::test]
async fn no_change_makes_a_document_refer_to_another_tenant() {
    on_both("wall_refs_set", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let one = tenant(bench, 1);
        let mut good = member(1, 1, &mine);
        Member::insert(&one, &good).await.expect("stored");
        let game = game(1, &[&mine]);
        Match::insert(&one, &game).await.expect("stored");
        let before = (
            bench.stored("members", good.id).await,
            bench.stored("matches", game.id).await,
        );
        bench.forget();
        let set = Member::update(&one, good.id).set(|m| m.team, theirs.id);
        assert_dangling(set.await, theirs.id);
        let patch = MemberPatch {
            team: Some(theirs.id),
            ..MemberPatch::default()
        };
        assert_dangling(Member::update(&one, good.id).patch(patch).await, theirs.id);
        let many = Member::update_many(&one, |m| m.key.gte(0)).set(|m| m.team, theirs.id);
        assert_dangling(many.await, theirs.id);
        let named = Member::update_many(&one, |m| m.key.gte(0).and(m.org.eq(org(1))));
        assert_dangling(named.set(|m| m.team, theirs.id).await, theirs.id);
        let with = Member::update_with(&one, good.id, |m| m.team = theirs.id).await;
        assert_dangling(with, theirs.id);
        let push = Match::update(&one, game.id).push(|m| m.teams, theirs.id);
        assert_dangling(push.await, theirs.id);
        let add = Match::update(&one, game.id).add_to_set(|m| m.teams, theirs.id);
        assert_dangling(add.await, theirs.id);
        let all = Match::update(&one, game.id).set(|m| m.teams, vec![mine.id, theirs.id]);
        assert_dangling(all.await, theirs.id);
        good.team = theirs.id;
        assert_dangling(good.save_if_unchanged(&one).await, theirs.id);
        let saved = Member::save_many_if_unchanged(&one, [&mut good]).await;
        let mut saved = saved.expect("sent");
        assert_dangling(Err::<(), _>(saved.unsaved.remove(0).error), theirs.id);
        let after = (
            bench.stored("members", good.id).await,
            bench.stored("matches", game.id).await,
        );
        assert_eq!(before, after);

        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let open = Member::update(&across, good.id).set(|m| m.team, mine.id);
        let error = open.await.expect_err("whose team?");
        assert!(matches!(error, Error::Impossible { .. }), "{error}");
        let named = Member::update_many(&across, |m| m.key.gte(0).and(m.org.eq(org(1))));
        named.set(|m| m.team, mine.id).await.expect("changed");
        Member::update(&across, good.id)
            .inc(|m| m.points, 1)
            .await
            .expect("changed");
    })
    .await;
}

#[tokio::test]
async fn documents_of_one_insert_may_refer_to_each_other() {
    alone("wall_refs_batch", async |bench| {
        let (mine, _) = prepare_teams(bench).await;
        let one = tenant(bench, 1);
        let first = game(1, &[&mine]);
        let second = Match {
            after: Some(first.id),
            ..game(1, &[&mine])
        };
        Match::insert_many(&one, [&second, &first])
            .await
            .expect("stored");
        let own = game(1, &[]);
        let own = Match {
            after: Some(own.id),
            ..own
        };
        let refused = Match::insert(&one, &own).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
        // The `_id` is one of another tenant: the document that refers to it is not stored although the other one is in the same insert.
        let theirs = game(2, &[]);
        Match::insert(&tenant(bench, 2), &theirs)
            .await
            .expect("stored");
        let taken = Match {
            id: theirs.id,
            ..game(1, &[])
        };
        let refers = Match {
            after: Some(theirs.id),
            ..game(1, &[])
        };
        let error = Match::insert_many(&one, [&refers, &taken]).await;
        let error = error.expect_err("an id of another tenant");
        assert!(matches!(error, Error::Dangling { .. }), "{error}");
        assert_eq!(bench.len("matches").await, 3);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_sees_its_own_targets_and_no_others() {
    in_set("wall_refs_tx", async |bench| {
        let (_, theirs) = prepare_teams(bench).await;
        let (one, new) = (tenant(bench, 1), team(1, 9));
        let done = mongo_model::transaction(&bench.db, async |tx| {
            Team::insert(&one, &new).within(tx).await?;
            Member::insert(&one, &member(1, 1, &new)).within(tx).await?;
            let bad = Member::insert(&one, &member(1, 2, &theirs)).within(tx);
            bad.await.map(drop)
        })
        .await;
        assert_dangling(done, theirs.id);
        assert_eq!(bench.len("members").await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_follows_stays_inside() {
    on_both("wall_refs_follow", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        for (of, team) in [(1, &mine), (2, &theirs)] {
            let db = tenant(bench, of);
            let all: Vec<Member> = (1..=3).map(|key| member(of, key, team)).collect();
            Member::insert_many(&db, &all).await.expect("stored");
        }
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        Team::update(&one, mine.id)
            .set(|t| t.name, "new")
            .await
            .expect("changed");
        let names = async |db| -> Vec<String> {
            let all = Member::scan(db, |m| m.all()).await.expect("found");
            all.into_iter().map(|member| member.team_name).collect()
        };
        assert_eq!(names(&one).await, ["new"; 3]);
        assert_eq!(names(&two).await, ["team 2 1"; 3]);
        Member::delete_many(&one, |m| m.key.eq(3))
            .await
            .expect("deleted");
        let shown = |team: Option<Team>| {
            let team = team.expect("stored");
            let latest: Vec<i64> = team.latest.iter().map(|member| member.points).collect();
            (team.members, team.points, team.best, latest)
        };
        let numbers = shown(Team::get(&one, mine.id).await.expect("read"));
        assert_eq!(numbers, (2, 3, Some(2), vec![2, 1]));
        let numbers = shown(Team::get(&two, theirs.id).await.expect("read"));
        assert_eq!(numbers, (3, 6, Some(3), vec![3, 2]));
        Team::delete(&one, mine.id).await.expect("deleted");
        assert_eq!(names(&one).await.len(), 0);
        assert_eq!(names(&two).await.len(), 3);
        let report = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(report.is_settled(), "{report}");
    })
    .await;
}

#[tokio::test]
async fn joins_show_nothing_of_another_tenant() {
    alone("wall_refs_joins", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let good = member(1, 1, &mine);
        Member::insert(&one, &good).await.expect("stored");
        // A program without the library has written a reference through the wall.
        let crossing = doc! { "$set": { "team": theirs.id } };
        let by_id = doc! { "_id": good.id };
        let written = bench.raw("members").update_one(by_id, crossing).await;
        written.expect("written");
        let crossed = Member::get(&one, good.id).await.expect("read");
        let crossed = [crossed.expect("stored")];
        bench.forget();
        let loaded = crossed[0].load_team(&one).await.expect("loaded");
        assert!(loaded.value().is_none());
        assert_eq!(assert_walled(&bench.take(), &Bson::from(org(1))), 1);
        let strict = crossed[0].load_team(&one).strict().await;
        assert_dangling(strict.map(drop), theirs.id);
        let many = Member::load_team_many(&one, &crossed).await;
        for (_, team) in many.expect("loaded") {
            assert!(team.value().is_none());
        }
        let many = Member::load(&one, &crossed, |m| m.team).await;
        for (_, team) in many.expect("loaded") {
            assert!(team.values().is_empty());
        }
        let theirs_shown = Member::by_team(&two, theirs.id).await.expect("found");
        assert!(theirs_shown.is_empty());
        let seen = crossed[0].load_team(&two).await.expect("loaded");
        assert!(seen.value().is_some());
    })
    .await;
}

#[tokio::test]
async fn a_refused_delete_tells_nothing_of_another_tenant() {
    on_both("wall_refs_delete", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        for (db, team) in [(&one, &mine), (&two, &theirs)] {
            let hosted = Match {
                host: Some(team.id),
                org: team.org,
                ..game(1, &[])
            };
            Match::insert(db, &hosted).await.expect("stored");
        }
        let own = Team::delete(&one, mine.id).await.expect_err("a host");
        assert!(matches!(own, Error::Referenced { .. }), "{own}");
        bench.forget();
        let other = Team::delete(&one, theirs.id).await.expect_err("not there");
        assert!(matches!(other, Error::NotFound { .. }), "{other}");
        assert_eq!(assert_walled(&bench.take(), &Bson::from(org(1))), 1);
        assert!(Team::get(&two, theirs.id).await.expect("read").is_some());
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_source_goes_to_the_copies_of_its_tenant_alone() {
    alone("wall_refs_copies", async |bench| {
        let (mine, _) = prepare_teams(bench).await;
        let (own, other) = (member(1, 1, &mine), member(2, 1, &mine));
        Member::insert(&tenant(bench, 1), &own)
            .await
            .expect("stored");
        // A program without the library has stored a reference through the wall.
        bench.place([&other]).await;
        bench.forget();
        let one = tenant(bench, 1);
        let update = Team::update(&one, mine.id).set(|t| t.name, "new");
        update.settled().await.expect("changed");
        let is_copying = |sent: &StartedCommand| {
            sent.name == "update" && sent.command.get_str("update").ok() == Some("members")
        };
        let sent = bench.take().into_iter().find(is_copying);
        let mut sent = sent.expect("an update of the copies").command;
        sent.remove("writeConcern");
        let plan = bench.explain(sent).await;
        plan.assert_served_by("team");
        let name = async |id: Id<Member>| {
            let stored = bench.stored("members", id).await;
            stored.get_str("team_name").expect("a name").to_owned()
        };
        assert_eq!(name(own.id).await, "new");
        assert_eq!(name(other.id).await, mine.name);
    })
    .await;
}

#[tokio::test]
async fn an_insert_of_several_tenants_fills_each_bounded_number_inside_of_its_wall() {
    on_both("wall_insert_across", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let both = |keys: std::ops::Range<i32>| -> Vec<Member> {
            let of_both = |key| [member(1, key, &mine), member(2, key, &theirs)];
            keys.flat_map(of_both).collect()
        };
        Member::insert_many(&across, &both(0..3))
            .await
            .expect("stored");
        let numbers = async || {
            let mut all = Vec::new();
            for team in [&mine, &theirs] {
                let stored = Team::get(&bench.db.tenant(team.org), team.id).await;
                let stored = stored.expect("read").expect("stored");
                all.push((stored.members, stored.points, stored.latest.len()));
            }
            all
        };
        assert_eq!(numbers().await, [(3, 3, 2), (3, 3, 2)]);
        // The team of the second tenant has no place for two more: none is stored, and the other team gets its place back.
        let third = member(2, 10, &theirs);
        Member::insert_many(&across, [&third, &member(2, 11, &theirs)])
            .await
            .expect("stored");
        let full = Member::insert_many(&across, &both(20..22)).await;
        assert!(matches!(full, Err(Error::Full { max: 6, .. })), "{full:?}");
        assert_eq!(bench.len("members").await, 8);
        assert_eq!(numbers().await, [(3, 3, 2), (5, 24, 2)]);
        let one_more = [member(1, 30, &mine), member(2, 30, &theirs)];
        Member::insert_many(&across, &one_more)
            .await
            .expect("stored");
        // A member of one tenant in the team of another takes no place.
        let through = [member(1, 40, &mine), member(1, 41, &theirs)];
        assert_dangling(Member::insert_many(&across, &through).await, theirs.id);
        assert_eq!(numbers().await, [(4, 33, 2), (6, 54, 2)]);
        mongo_model::settle(&bench.db).await;
        let found = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}
