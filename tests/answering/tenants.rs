//! Calls of two tenants that answer before their flags are removed: what follows the answer names the tenant, too.

#[path = "../walling/proof.rs"]
#[allow(dead_code, reason = "each test program uses some of it")]
mod proof;

use std::collections::BTreeSet;

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel, Result, Tenant, Tenants, settle};
use serde::{Deserialize, Serialize};

use self::proof::open_filters;
use crate::common::{Bench, behind};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org)]
struct Team {
    #[serde(rename = "_id")]
    id: i32,
    org: i32,
    name: String,
    #[count(Member)]
    members: i64,
    #[sum(Member, field = points)]
    points: i64,
    #[recent(Member, max = 2, sort = -points, fields(points))]
    latest: Vec<LatestMember>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", tenant = org)]
struct Member {
    #[serde(rename = "_id")]
    id: i32,
    org: i32,
    #[parent(Team, on_delete = cascade)]
    team: i32,
    #[denorm(from = Team, field = name)]
    team_name: String,
    #[index]
    points: i64,
}

/// How many calls of each tenant a test makes on each server.
const CALLS: i32 = 150;

/// Commands that find documents by the `_id`s and tokens that a call has read inside its tenant, and the questions of a new team: a child of
/// another tenant only makes it look for its own.
const OWN_WORK: &[&str] = &[
    "find teams: _id",
    "findAndModify teams: _id",
    "update teams: _id",
    "find teams: _dn.v.t",
    "find teams: _dn.v.t _dn.del",
    "update teams: _dn.v.t",
    "find members: _dn.c.t",
    "find members: $or[_dn.p _dn.b; _dn.c.t]",
    "find members: _id",
    "findAndModify members: _id",
    "find members: team",
    "find members: _dn.c.t $or[_dn.c.f.team; _dn.c.to.team]",
];

fn team(org: i32, n: i32) -> Team {
    Team {
        id: n * 10 + org,
        org,
        name: format!("{org}"),
        members: 0,
        points: 0,
        latest: Vec::new(),
    }
}

fn member(org: i32, n: i32, team: i32) -> Member {
    Member {
        id: n * 10 + org,
        org,
        team: team * 10 + org,
        team_name: format!("{org}"),
        points: i64::from(n),
    }
}

fn refused<T>(result: Result<T>) {
    match result {
        Ok(_) | Err(Error::NotFound { .. } | Error::Duplicate { .. } | Error::Dangling { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

/// The `n`th call of a tenant.
async fn call(db: &Tenant<i32>, org: i32, n: i32) {
    let (of, key) = (n * 7 % 3, n * 5 % 11);
    let (team_id, member_id) = (of * 10 + org, key * 10 + org);
    match n % 9 {
        0..=2 => refused(Member::insert(db, &member(org, key, of)).await),
        3 => refused(Member::update(db, member_id).inc(|m| m.points, 3).await),
        4 => refused(Member::update(db, member_id).set(|m| m.team, team_id).await),
        5 => refused(member(org, key, of).save(db).await),
        6 => refused(Member::delete(db, member_id).await),
        7 => {
            let name = format!("{org} {n}");
            refused(Team::update(db, team_id).set(|t| t.name, name).await);
            let many = Member::update_many(db, |m| m.points.gte(2));
            refused(many.inc(|m| m.points, 1).await);
        }
        _ => {
            refused(Team::delete(db, team_id).await);
            refused(Team::insert(db, &team(org, of)).await);
        }
    }
}

async fn prepare(bench: &Bench) {
    bench.index(&[Team::meta(), Member::meta()]).await;
    for org in [1, 2] {
        let all: Vec<Team> = (0..3).map(|n| team(org, n)).collect();
        let stored = Team::insert_many(&bench.db.tenant(org), &all).await;
        stored.expect("stored");
    }
    settle(&bench.db).await;
    bench.forget();
}

#[tokio::test]
async fn what_follows_an_answer_names_the_tenant() {
    behind("answer_wall", async |bench| {
        prepare(bench).await;
        let (mut looked_at, mut open) = (0, BTreeSet::new());
        for n in 0..CALLS {
            for org in [1, 2] {
                call(&bench.db.tenant(org), org, n).await;
                settle(&bench.db).await;
                let (seen, more) = open_filters(&bench.take(), &Bson::from(org));
                looked_at += seen.len();
                let own = |shape: &String| !OWN_WORK.contains(&shape.as_str());
                open.extend(more.into_iter().filter(own));
            }
        }
        assert!(looked_at > 1_000, "{looked_at} filters and documents");
        assert_eq!(open, BTreeSet::new());
        let found = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_child_leaves_the_parent_of_another_tenant() {
    behind("answer_wall_cross", async |bench| {
        prepare(bench).await;
        let (one, two) = (bench.db.tenant(1), bench.db.tenant(2));
        refused(Member::insert(&two, &member(2, 1, 1)).await);
        settle(&bench.db).await;
        let crossing = doc! { "$set": { "team": 11 } };
        let this = doc! { "_id": 12 };
        let done = bench.raw("members").update_one(this, crossing).await;
        assert_eq!(done.expect("changed").modified_count, 1);
        let before = bench.stored("teams", 11).await;
        let more = Member::update(&two, 12).inc(|m| m.points, 50).await;
        more.expect("changed");
        settle(&bench.db).await;
        assert_eq!(bench.stored("teams", 11).await, before);
        // Beside a child of its own.
        let (own, other) = (member(1, 3, 1), Member::update(&two, 12));
        let (own, other) = tokio::join!(
            Member::insert(&one, &own).into_future(),
            other.inc(|m| m.points, 50).into_future(),
        );
        own.expect("stored");
        other.expect("changed");
        Member::delete(&two, 12).await.expect("deleted");
        settle(&bench.db).await;
        let team = Team::get(&one, 11).await.expect("read").expect("stored");
        let latest: Vec<i64> = team.latest.iter().map(|one| one.points).collect();
        assert_eq!((team.members, team.points, latest), (1, 3, vec![3]));
        let found = mongo_model::verify(&one).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}
