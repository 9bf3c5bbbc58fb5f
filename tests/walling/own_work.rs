//! The library's own work for one tenant: it finds, counts and repairs what belongs to the tenant alone.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::denorm::{Defect, Verified};
use mongo_model::{Error, Id, MongoModel, Tenants};

use super::inside::{Match, Member, Team, game, member, prepare_teams};
use super::proof::open_filters;
use super::{Org, org, tenant};
use crate::common::{Bench, alone, on_both};

/// Two tenants, each with a team and three members.
async fn prepare(bench: &Bench) -> (Team, Team) {
    let (mine, theirs) = prepare_teams(bench).await;
    for team in [&mine, &theirs] {
        let of = bench.db.tenant(team.org);
        let all: Vec<Member> = (1..=3)
            .map(|key| Member {
                org: team.org,
                ..member(1, key, team)
            })
            .collect();
        Member::insert_many(&of, &all).await.expect("stored");
    }
    mongo_model::settle(&bench.db).await;
    bench.forget();
    (mine, theirs)
}

async fn change(bench: &Bench, collection: &str, filter: Document, update: Document) {
    let done = bench.raw(collection).update_many(filter, update).await;
    assert!(done.expect("changed").modified_count > 0);
}

/// All documents of the other tenant.
async fn of_other(bench: &Bench) -> Vec<Document> {
    let mut all = Vec::new();
    for collection in ["teams", "members"] {
        let of = bench.raw(collection).find(doc! { "org": org(2) }).await;
        let mut of = of.expect("found");
        while of.advance().await.expect("found") {
            all.push(of.deserialize_current().expect("a document"));
        }
    }
    all
}

fn defects(found: &Verified) -> u64 {
    let all = found.references.iter();
    all.map(|report| report.findings.len() as u64).sum()
}

/// No filter is without the tenant but those of steps that follow references or `_id`s of documents which such a filter has found.
#[track_caller]
fn assert_confined(bench: &Bench, follow: &[&str]) {
    let (seen, open) = open_filters(&bench.take(), &Bson::from(org(1)));
    assert!(seen.len() > open.len(), "{seen:?}");
    let open = open
        .iter()
        .filter(|shape| !follow.contains(&shape.as_str()));
    assert_eq!(open.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Numbers and lists are compared with the children of parents that were found in the tenant.
const CHILDREN: &[&str] = &["find teams: _id", "find members: _dn.p _id"];

#[tokio::test]
async fn a_number_and_a_list_are_made_again_inside_of_the_wall() {
    on_both("wall_recount", async |bench| {
        let (mine, theirs) = prepare(bench).await;
        let wrong = doc! { "$set": { "members": 7, "latest": [] } };
        change(bench, "teams", doc! {}, wrong).await;
        let before = of_other(bench).await;
        let one = tenant(bench, 1);
        bench.forget();
        for (id, is_there) in [(mine.id, true), (theirs.id, false), (Id::new(), false)] {
            let done = [
                Team::recount_members(&one, id).await,
                Team::rebuild_latest(&one, id).await,
            ];
            for done in done {
                let refused = done.err();
                assert_eq!(refused.is_none(), is_there, "{refused:?}");
                assert!(refused.is_none_or(|error| matches!(error, Error::NotFound { .. })));
            }
        }
        let stored = Team::get(&one, mine.id).await.expect("read");
        let stored = stored.expect("stored");
        assert_eq!((stored.members, stored.latest.len()), (3, 2));
        assert_eq!(of_other(bench).await, before);
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        Team::recount_members(&across, theirs.id)
            .await
            .expect("counted");
        let counted = bench.stored("teams", theirs.id).await;
        assert_eq!(counted.get_i64("members").ok(), Some(3));
    })
    .await;
}

#[tokio::test]
async fn verify_and_repair_of_a_tenant_see_no_other_one() {
    on_both("wall_verify", async |bench| {
        let (mine, theirs) = prepare(bench).await;
        let wrong = doc! { "$set": { "team_name": "wrong" } };
        change(bench, "members", doc! { "key": 1 }, wrong).await;
        let wrong = doc! { "$set": { "members": 7, "latest": [], "best": 40_i64 } };
        change(bench, "teams", doc! {}, wrong).await;
        // The other tenant has a loop, and a document that cannot be decoded.
        let (own, other) = (game(1, &[&mine]), game(2, &[&theirs]));
        for (of, game) in [(1, &own), (2, &other)] {
            Match::insert(&tenant(bench, of), game)
                .await
                .expect("stored");
        }
        let loops = doc! { "$set": { "after": other.id } };
        change(bench, "matches", doc! { "_id": other.id }, loops).await;
        let wrong = doc! { "$set": { "points": "many" } };
        change(bench, "members", doc! { "key": 3, "org": org(2) }, wrong).await;
        let before = of_other(bench).await;
        let one = tenant(bench, 1);

        bench.forget();
        let found = mongo_model::verify(&one).await.expect("verified");
        assert_confined(bench, CHILDREN);
        let findings = || found.references.iter().flat_map(|report| &report.findings);
        let mine_or_child = |id: &Bson| {
            *id == mine.id.into() || {
                let theirs = before.iter().map(|one| one.get("_id"));
                !theirs.flatten().any(|other| other == id)
            }
        };
        assert!(
            findings().all(|finding| mine_or_child(&finding.id)),
            "{found}"
        );
        assert!(defects(&found) >= 4, "{found}");
        assert!(found.undecodable.is_empty(), "{found}");
        let all = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(defects(&all) > 2 * defects(&found), "{all}");
        assert_eq!(all.undecodable.len(), 1, "{all}");
        let streamed: Vec<_> = mongo_model::verify(&one)
            .stream()
            .try_collect()
            .await
            .expect("read");
        assert_eq!(streamed.len() as u64, defects(&found));

        bench.forget();
        let repaired = mongo_model::repair(&one).await.expect("repaired");
        assert!(!repaired.is_idle());
        assert_eq!(of_other(bench).await, before);
        let found = mongo_model::verify(&one).await.expect("verified");
        assert!(found.is_settled(), "{found}");
        let only = mongo_model::verify(&one).only::<Match>().await;
        let only = only.expect("verified");
        assert!(
            only.references
                .iter()
                .all(|report| report.source != "Member"),
            "{only}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_reference_through_the_wall_leads_nowhere_for_its_tenant() {
    alone("wall_verify_crossing", async |bench| {
        let (_, theirs) = prepare(bench).await;
        let crossing = doc! { "$set": { "team": theirs.id } };
        change(bench, "members", doc! { "key": 1, "org": org(1) }, crossing).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let found = mongo_model::verify(&one).only::<Member>();
        let found = found.await.expect("verified");
        let orphans = |found: &Verified| -> u64 {
            let all = found.references.iter();
            all.map(|report| report.count(Defect::Orphan)).sum()
        };
        assert_eq!(orphans(&found), 1, "{found}");
        let found = mongo_model::verify(&two).only::<Member>();
        assert_eq!(orphans(&found.await.expect("verified")), 0);
    })
    .await;
}

#[tokio::test]
async fn recover_of_a_tenant_leaves_the_flags_of_others() {
    on_both("wall_recover", async |bench| {
        let (mine, theirs) = prepare(bench).await;
        for team in [&mine, &theirs] {
            // A program has stored a member, and died before its team has counted it.
            let counted = doc! {
                "t": ObjectId::new(),
                "to": { "team": team.id },
                "ta": [{ "l": "teams.points", "n": 5_i64 }],
            };
            let uncounted = doc! {
                "_id": ObjectId::new(), "org": team.org, "key": 5, "team": team.id,
                "team_name": &team.name, "points": 5_i64, "version": 0_i64,
                "_dn": { "c": [counted], "r": 1_i64 },
            };
            let stored = bench.raw("members").insert_one(uncounted).await;
            stored.expect("stored");
        }
        let marked = doc! {
            "$set": { "team_name": "wrong", "_dn.u": [{ "t": ObjectId::new() }] },
            "$unset": { "_r_team": "" },
        };
        change(bench, "members", doc! { "key": 2 }, marked).await;
        let renamed = doc! {
            "$set": { "name": "foreign" },
            "$inc": { "_dn.r": 1_i64 },
            "$addToSet": { "_dn.p": "members.team" },
        "$push": { "_dn.v": { "$each": [
                { "t": ObjectId::new(), "e": "teams.latest", "f": true },
                { "t": ObjectId::new(), "e": "teams._dn.e.best", "f": true },
            ] } },
        };
        change(bench, "teams", doc! {}, renamed).await;
        let flagged = ["_dn.p", "_dn.u", "_dn.v", "_dn.c"];
        let flags = async || {
            let mut n = Vec::new();
            for of in [1, 2] {
                for collection in ["teams", "members"] {
                    let any = flagged.map(|flag| doc! { flag: { "$exists": true } });
                    let filter = doc! { "org": org(of), "$or": any.to_vec() };
                    let there = bench.raw(collection).count_documents(filter).await;
                    n.push(there.expect("counted"));
                }
            }
            n
        };
        assert_eq!(flags().await, [1, 2, 1, 2]);
        let before = of_other(bench).await;
        let one = tenant(bench, 1);
        bench.forget();
        let done = mongo_model::recover(&one).await.expect("recovered");
        assert_confined(bench, RECOVERS);
        let done = (done.sources, done.targets, done.parents, done.counted);
        assert_eq!(done, (1, 1, 2, 1));
        assert_eq!(flags().await, [0, 0, 1, 2]);
        assert_eq!(of_other(bench).await, before);
        let again = mongo_model::recover(&one).await.expect("recovered");
        assert!(again.is_idle(), "{again:?}");
        let rest = mongo_model::recover(&bench.db).await.expect("recovered");
        let rest = (rest.sources, rest.targets, rest.parents, rest.counted);
        assert_eq!(rest, (1, 1, 2, 1));
        let report = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(report.is_settled(), "{report}");
    })
    .await;
}

/// The steps that finish a flag.
const RECOVERS: &[&str] = &[
    "find teams: _id",
    "findAndModify teams: _id",
    "update teams: _id",
    "find members: _id",
    "findAndModify members: _id",
];

#[tokio::test]
async fn a_tenant_of_no_model_has_no_work() {
    alone("wall_no_model", async |bench| {
        let nobody = bench.db.tenant(7_i32);
        let done = [
            mongo_model::recover(&nobody).await.map(drop),
            mongo_model::verify(&nobody).await.map(drop),
            mongo_model::repair(&nobody).await.map(drop),
            mongo_model::verify(&nobody)
                .stream()
                .try_collect::<Vec<_>>()
                .await
                .map(drop),
        ];
        for done in done {
            assert!(matches!(done, Err(Error::Impossible { .. })), "{done:?}");
        }
        assert_eq!(bench.count(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_delete_that_was_cut_off_is_finished_for_its_tenant_alone() {
    alone("wall_recover_delete", async |bench| {
        let (mine, theirs) = prepare(bench).await;
        for team in [&mine, &theirs] {
            let entombed = doc! {
                "$set": {
                    "_dn.del": ObjectId::new(),
                    "_dn.d": { "s": "commit", "n": 0_i64 },
                    "_dn.p": ["~del"],
                },
            };
            change(bench, "teams", doc! { "_id": team.id }, entombed).await;
        }
        let before = of_other(bench).await;
        let done = mongo_model::recover(&tenant(bench, 1))
            .await
            .expect("recovered");
        assert_eq!(done.deletes, 1);
        assert_eq!(of_other(bench).await, before);
        assert_eq!(
            (bench.len("teams").await, bench.len("members").await),
            (1, 3)
        );
        let done = mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(done.deletes, 1);
        assert_eq!(
            (bench.len("teams").await, bench.len("members").await),
            (0, 0)
        );
    })
    .await;
}
