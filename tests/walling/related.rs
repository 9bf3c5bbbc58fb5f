//! Random calls of two tenants with references, copies, numbers and lists: no reference leads through the wall, and each command has the
//! tenant or is work of the library that a list names.

use std::collections::BTreeSet;

use bson::{Bson, Document};
use futures::TryStreamExt;
use mongo_model::{Id, MongoModel, Tenant};

use super::inside::{Match, Member, Team, game, member, prepare_teams, team};
use super::proof::open_filters;
use super::random::{Random, refused, seen};
use super::{Org, org, tenant};
use crate::common::{Bench, on_both};

/// How many calls a test makes on each server.
const CALLS: u32 = 500;

/// A fresh read asks if any change of a source is on its way, of whatever tenant, and learns no more than that.
const ANY_BEHIND: &str = "find teams: _dn.p";

/// The library's own work. It finds documents by the `_id`s and tokens of documents that the call has found in its tenant.
const OWN_WORK: &[&str] = &[
    ANY_BEHIND,
    // A reference is compared with its target, whose number of children has a place for the document.
    "find teams: _id",
    "findAndModify teams: _id",
    "find teams: _dn.v.t _dn.del",
    "update teams: _dn.v.t",
    "find members: _dn.c.t",
    "findAndModify members: _id",
    // A new team asks if there are members already: those of another tenant only make it look for its own.
    "find members: team",
    "find members: _dn.c.t $or[_dn.c.f.team; _dn.c.to.team]",
];

/// The documents of both tenants.
#[derive(Default)]
struct Known {
    teams: Vec<Team>,
    members: Vec<Member>,
    games: Vec<Match>,
}

async fn of_teams(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, known: &mut Known) {
    let id = random.of(&known.teams).map(|team| team.id);
    let id = id.unwrap_or_default();
    match random.below(6) {
        0..=1 => {
            let new = team(of, i32::try_from(random.below(9)).expect("small"));
            if refused(Team::insert(db, &new).await).is_some() {
                known.teams.push(new);
            }
        }
        2..=3 => {
            let name = format!("name {}", random.below(99));
            drop(refused(Team::update(db, id).set(|t| t.name, &name).await));
        }
        4 => {
            let found = Team::scan(db, |t| t.all()).await.expect("found");
            seen(org(of), found.iter().map(|one| one.org));
        }
        _ => drop(refused(Team::delete(db, id).await)),
    }
}

async fn of_members(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, known: &mut Known) {
    let Some(team) = random.of(&known.teams) else {
        return;
    };
    let key = i32::try_from(random.below(30)).expect("small");
    let some = random.of(&known.members);
    let id = some.as_ref().map(|one| one.id).unwrap_or_default();
    match random.below(11) {
        0..=3 => {
            let new = member(of, key, &team);
            if refused(Member::insert(db, &new).await).is_some() {
                known.members.push(new);
            }
        }
        4 => drop(refused(
            Member::update(db, id).set(|m| m.team, team.id).await,
        )),
        5 => drop(refused(Member::update(db, id).inc(|m| m.points, 7).await)),
        6 => {
            let changed = Member::update_with(db, id, |m| {
                m.team = team.id;
                m.points += 1;
            });
            drop(refused(changed.await));
        }
        7 => {
            let upsert = Member::upsert(db, &member(of, key, &team)).on_key(|m| m.key);
            drop(refused(upsert.set(|m| m.points, 3).await));
        }
        8 => drop(refused(Member::delete(db, id).await)),
        9 => {
            let found = Member::find(db, |m| m.key.gte(0)).fresh().await;
            let found = found.expect("found");
            seen(org(of), found.iter().map(|one| one.org));
            let loaded = Member::load_team_many(db, &found).await.expect("loaded");
            let teams = loaded
                .into_iter()
                .filter_map(|(_, team)| team.into_option());
            seen(org(of), teams.map(|team| team.org));
        }
        _ => {
            let all = Member::by_team(db, team.id).await.expect("found");
            seen(org(of), all.iter().map(|one| one.org));
        }
    }
}

async fn of_games(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, known: &mut Known) {
    let teams: Vec<Team> = (0..2).filter_map(|_| random.of(&known.teams)).collect();
    let teams: Vec<&Team> = teams.iter().collect();
    let some = random.of(&known.games);
    let id = some.as_ref().map(|one| one.id).unwrap_or_default();
    match random.below(5) {
        0 => {
            let new = Match {
                after: some.map(|one| one.id),
                host: random.of(&known.teams).map(|team| team.id),
                ..game(of, &teams)
            };
            if refused(Match::insert(db, &new).await).is_some() {
                known.games.push(new);
            }
        }
        1 => {
            if let [team, ..] = &teams[..] {
                let push = Match::update(db, id).push(|m| m.teams, team.id);
                drop(refused(push.await));
            }
        }
        2 => {
            let made = Match {
                id,
                ..game(of, &teams)
            };
            drop(refused(made.save(db).await));
        }
        3 => drop(refused(Match::delete(db, id).await)),
        _ => {
            let all = Match::scan(db, |m| m.all()).await.expect("found");
            let loaded = Match::load(db, &all, |m| m.teams).await.expect("loaded");
            let teams = loaded.into_iter().flat_map(|(_, teams)| teams.into_vec());
            seen(org(of), teams.map(|team| team.org));
        }
    }
}

/// No stored reference leads to a document of another tenant, and no copy is of one.
async fn assert_apart(bench: &Bench) {
    let all = async |name: &str| -> Vec<Document> {
        let rows = bench.raw(name).find(Document::new()).await.expect("sent");
        rows.try_collect().await.expect("read")
    };
    let teams = all("teams").await;
    let games = all("matches").await;
    let has = |among: &[Document], id: &Bson, field: &str, tenant: Option<&Bson>| {
        let same = |one: &&Document| one.get("_id") == Some(id);
        let found = among.iter().find(same);
        assert!(found.is_none_or(|one| one.get(field) == tenant), "{id}");
    };
    for one in all("members").await {
        has(
            &teams,
            one.get("team").expect("a team"),
            "org",
            one.get("org"),
        );
    }
    for one in &games {
        for id in one.get_array("teams").expect("teams") {
            has(&teams, id, "org", one.get("o"));
        }
        if let Some(id) = one.get("after") {
            has(&games, id, "o", one.get("o"));
        }
    }
}

#[tokio::test]
async fn random_calls_leave_no_reference_through_the_wall() {
    on_both("wall_related", async |bench| {
        let (mine, theirs) = prepare_teams(bench).await;
        let mut random = Random(40);
        let mut known = Known {
            teams: vec![mine, theirs],
            ..Known::default()
        };
        let (mut looked_at, mut open) = (0, BTreeSet::new());
        for _ in 0..CALLS {
            let of = if random.below(2) == 0 { 1 } else { 2 };
            let db = tenant(bench, of);
            match random.below(5) {
                0 => of_teams(&db, of, &mut random, &mut known).await,
                1..=2 => of_games(&db, of, &mut random, &mut known).await,
                _ => of_members(&db, of, &mut random, &mut known).await,
            }
            let (seen, more) = open_filters(&bench.take(), &Bson::from(org(of)));
            looked_at += seen.len();
            // Nothing else is found by an `_id` or a reference that a document of the tenant did not give.
            let first = more.first().filter(|shape| **shape != ANY_BEHIND);
            assert!(first.is_none() || first != seen.first(), "{more:?}");
            let own = |shape: &String| !OWN_WORK.contains(&shape.as_str());
            open.extend(more.into_iter().filter(own));
        }
        assert!(looked_at > 800, "{looked_at} filters and documents");
        assert_eq!(open, BTreeSet::new());
        assert_apart(bench).await;
        let report = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(report.is_settled(), "{report}");
    })
    .await;
}
