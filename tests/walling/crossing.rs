//! References through the wall, which another program has stored: deletes, numbers and lists of the other tenant leave them alone.

use bson::{Bson, DateTime, Document, doc};
use mongo_model::denorm::{Defect, Verified};
use mongo_model::{Error, Id, MongoModel, Tenants};
use serde::{Deserialize, Serialize};

use super::inside::{Match, Member, Team, game, member, prepare_teams, team};
use super::{Org, org, tenant};
use crate::common::{Bench, alone, in_set, on_both};

/// A parent and a child that are marked as deleted together.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "boards", tenant = org, soft_delete)]
struct Board {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[deleted]
    deleted_at: Option<DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "cards", tenant = org, soft_delete)]
struct Card {
    #[serde(rename = "_id")]
    id: i32,
    org: Id<Org>,
    #[parent(Board, on_delete = cascade)]
    board: i32,
    #[deleted]
    deleted_at: Option<DateTime>,
}

/// Makes a document refer to one of another tenant.
async fn cross(bench: &Bench, collection: &str, id: impl Into<Bson>, set: Document) {
    let changes = doc! { "$set": set };
    let this = doc! { "_id": id.into() };
    let done = bench.raw(collection).update_one(this, changes).await;
    assert_eq!(done.expect("changed").modified_count, 1);
}

/// A member and a match of each tenant, all of which refer to the team of the first.
struct Crossed {
    mine: Team,
    theirs: Team,
    member: Member,
    foreign: Member,
    game: Match,
    foreign_game: Match,
}

async fn prepare(bench: &Bench) -> Crossed {
    let (mine, theirs) = prepare_teams(bench).await;
    let (one, two) = (tenant(bench, 1), tenant(bench, 2));
    let (own, foreign) = (member(1, 1, &mine), member(2, 2, &theirs));
    Member::insert(&one, &own).await.expect("stored");
    Member::insert(&two, &foreign).await.expect("stored");
    let (game, foreign_game) = (game(1, &[&mine]), game(2, &[&theirs]));
    Match::insert(&one, &game).await.expect("stored");
    Match::insert(&two, &foreign_game).await.expect("stored");
    cross(bench, "members", foreign.id, doc! { "team": mine.id }).await;
    let crossing = doc! { "teams": [mine.id], "host": mine.id, "after": game.id };
    cross(bench, "matches", foreign_game.id, crossing).await;
    mongo_model::settle(&bench.db).await;
    bench.forget();
    Crossed {
        mine,
        theirs,
        member: own,
        foreign,
        game,
        foreign_game,
    }
}

async fn of_second(bench: &Bench, of: &Crossed) -> [Document; 3] {
    [
        bench.stored("members", of.foreign.id).await,
        bench.stored("matches", of.foreign_game.id).await,
        bench.stored("teams", of.theirs.id).await,
    ]
}

#[tokio::test]
async fn a_delete_follows_the_references_of_its_tenant_alone() {
    on_both("wall_cross_delete", async |bench| {
        let of = prepare(bench).await;
        let (one, before) = (tenant(bench, 1), of_second(bench, &of).await);
        // The foreign match says that the team is its host, which refuses nothing.
        let gone = Team::delete(&one, of.mine.id).await.expect("deleted");
        assert_eq!((gone.deleted, gone.cascaded, gone.changed), (1, 1, 1));
        let member = Member::get(&one, of.member.id).await.expect("read");
        assert_eq!(member, None);
        let game = Match::get(&one, of.game.id).await.expect("read");
        assert_eq!(game.expect("stored").teams, []);
        Match::delete(&one, of.game.id).await.expect("deleted");
        assert_eq!(of_second(bench, &of).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_refused_delete_names_what_its_tenant_has() {
    on_both("wall_cross_deny", async |bench| {
        let of = prepare(bench).await;
        let one = tenant(bench, 1);
        Match::update(&one, of.game.id)
            .set(|m| m.host, of.mine.id)
            .await
            .expect("changed");
        let refused = Team::delete(&one, of.mine.id).await;
        match refused.expect_err("a host") {
            Error::Referenced { by, .. } => {
                let found: Vec<_> = by.iter().map(|one| (one.count, &one.sample)).collect();
                assert_eq!(found, [(1, &of.game.id.into())]);
            }
            error => panic!("{error}"),
        }
    })
    .await;
}

#[tokio::test]
async fn a_delete_across_tenants_keeps_them_apart() {
    on_both("wall_cross_across", async |bench| {
        let of = prepare(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let third = team(2, 3);
        Team::insert(&two, &third).await.expect("stored");
        let more = member(2, 4, &third);
        Member::insert(&two, &more).await.expect("stored");
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let ids = [of.mine.id, third.id];
        let gone = Team::delete_many(&across, |t| t.id.is_in(ids)).await;
        let gone = gone.expect("deleted");
        assert_eq!((gone.deleted, gone.cascaded, gone.changed), (2, 2, 1));
        let left = Member::scan(&two, |m| m.all()).await.expect("read");
        let left: Vec<_> = left.iter().map(|member| member.id).collect();
        assert_eq!(left, [of.foreign.id]);
        assert_eq!(
            Member::count(&one, |m| m.key.gte(0)).await.expect("read"),
            0
        );
        let game = bench.stored("matches", of.foreign_game.id).await;
        let teams = game.get_array("teams").expect("teams");
        assert_eq!(teams, &[of.mine.id.into()]);
    })
    .await;
}

#[tokio::test]
async fn a_delete_in_a_transaction_stays_inside() {
    in_set("wall_cross_tx", async |bench| {
        let of = prepare(bench).await;
        let (one, before) = (tenant(bench, 1), of_second(bench, &of).await);
        mongo_model::transaction(&bench.db, async |tx| {
            Team::delete(&one, of.mine.id).within(tx).await.map(drop)
        })
        .await
        .expect("deleted");
        mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(bench.len("teams").await, 1);
        assert_eq!(bench.len("members").await, 1);
        assert_eq!(of_second(bench, &of).await, before);
    })
    .await;
}

#[tokio::test]
async fn numbers_and_lists_have_the_children_of_their_tenant() {
    on_both("wall_cross_lists", async |bench| {
        let of = prepare(bench).await;
        let one = tenant(bench, 1);
        let more: Vec<Member> = (5..=6).map(|key| member(1, key, &of.mine)).collect();
        Member::insert_many(&one, &more).await.expect("stored");
        let high = doc! { "points": 90_i64 };
        cross(bench, "members", of.foreign.id, high).await;
        // The list was full, so it is made again of what is left.
        Member::delete(&one, more[1].id).await.expect("deleted");
        let stored = async || {
            let team = Team::get(&one, of.mine.id).await.expect("read");
            let team = team.expect("stored");
            let latest: Vec<i64> = team.latest.iter().map(|one| one.points).collect();
            (team.members, team.points, team.best, latest)
        };
        let right = (2, 6, Some(5), vec![5, 1]);
        assert_eq!(stored().await, right);
        Team::recount_members(&one, of.mine.id)
            .await
            .expect("counted");
        Team::recount_points(&one, of.mine.id)
            .await
            .expect("counted");
        Team::rebuild_latest(&one, of.mine.id).await.expect("made");
        Team::rebuild_best(&one, of.mine.id).await.expect("made");
        assert_eq!(stored().await, right);
        let found = mongo_model::verify(&one).only::<Team>().await;
        assert!(found.as_ref().is_ok_and(Verified::is_settled), "{found:?}");
    })
    .await;
}

fn count_of(found: &Verified, kind: Defect) -> Vec<(String, u64)> {
    let all = found.references.iter();
    let all = all.map(|report| (report.name.clone(), report.count(kind)));
    all.filter(|(_, n)| *n > 0).collect()
}

#[tokio::test]
async fn verify_reports_a_crossing_reference_and_repair_follows_its_rule() {
    on_both("wall_cross_verify", async |bench| {
        let of = prepare(bench).await;
        let two = tenant(bench, 2);
        let wrong = [
            ("matches.after".to_owned(), 1),
            ("matches.host".to_owned(), 1),
            ("matches.teams".to_owned(), 1),
            ("members.team".to_owned(), 1),
        ];
        let found = mongo_model::verify(&tenant(bench, 1)).await;
        assert_eq!(count_of(&found.expect("verified"), Defect::Orphan), []);
        // A tenant sees no target of another one, and a verification of all knows whose it is.
        let all = mongo_model::verify(&bench.db).await.expect("verified");
        let of_two = mongo_model::verify(&two).await.expect("verified");
        for (found, kind) in [(&of_two, Defect::Orphan), (&all, Defect::OtherTenant)] {
            let mut found = count_of(found, kind);
            found.sort();
            assert_eq!(found, wrong);
        }
        assert_eq!(count_of(&all, Defect::Orphan), []);
        let mut findings = all.references.iter().flat_map(|one| &one.findings);
        let whose = findings.all(|finding| {
            finding.kind != Defect::OtherTenant || finding.want == Some(org(1).into())
        });
        assert!(whose, "{all}");
        let copied = of.foreign.team_name.clone();
        // A mark says that the copies are to be compared: they are not those of the other tenant.
        let marked = doc! { "_dn.u": [{ "t": bson::oid::ObjectId::new() }], "_r_team": Bson::Null };
        cross(bench, "members", of.foreign.id, marked).await;
        mongo_model::recover(&bench.db).await.expect("recovered");
        let foreign = Member::get(&two, of.foreign.id).await.expect("read");
        assert!(foreign.is_none_or(|member| member.team_name == copied));
        mongo_model::repair(&two).await.expect("repaired");
        // The rules: the member goes with its team, and the match loses all but its host, which refuses.
        assert_eq!(Member::get(&two, of.foreign.id).await.expect("read"), None);
        let game = Match::get(&two, of.foreign_game.id).await.expect("read");
        let game = game.expect("stored");
        assert_eq!((game.teams, game.after), (vec![], None));
        assert_eq!(game.host, Some(of.mine.id));
        assert_eq!(
            Member::count(&tenant(bench, 1), |m| m.key.gte(0))
                .await
                .ok(),
            Some(1)
        );
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_child_leaves_the_parents_of_others() {
    on_both("wall_cross_child", async |bench| {
        let of = prepare(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let before = bench.stored("teams", of.mine.id).await;
        let high = Member::update(&two, of.foreign.id).inc(|m| m.points, 50);
        high.await.expect("changed");
        assert_eq!(bench.stored("teams", of.mine.id).await, before);
        // One update of the members of both, each with the team of the first.
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let both = Member::update_many(&across, |m| m.key.gte(0));
        both.inc(|m| m.points, 1).await.expect("changed");
        let team = Team::get(&one, of.mine.id).await.expect("read");
        let team = team.expect("stored");
        let latest: Vec<i64> = team.latest.iter().map(|one| one.points).collect();
        assert_eq!((team.members, team.points, team.best), (1, 2, Some(2)));
        assert_eq!(latest, [2]);
        let before = bench.stored("teams", of.mine.id).await;
        // Nor does the flag of a program that has died.
        let flag = doc! {
            "t": bson::oid::ObjectId::new(),
            "to": { "team": of.mine.id },
            "ta": [{ "l": "teams.points", "n": 7_i64 }],
        };
        cross(bench, "members", of.foreign.id, doc! { "_dn.c": [flag] }).await;
        mongo_model::recover(&bench.db).await.expect("recovered");
        Member::delete(&two, of.foreign.id).await.expect("deleted");
        assert_eq!(bench.stored("teams", of.mine.id).await, before);
        let found = mongo_model::verify(&one).await;
        assert!(found.as_ref().is_ok_and(Verified::is_settled), "{found:?}");
    })
    .await;
}

#[tokio::test]
async fn verify_counts_documents_without_a_tenant() {
    alone("wall_cross_none", async |bench| {
        let of = prepare(bench).await;
        let bare = doc! { "$unset": { "org": "" } };
        let this = doc! { "_id": of.member.id };
        let done = bench.raw("members").update_one(this, bare).await;
        assert_eq!(done.expect("changed").modified_count, 1);
        let found = mongo_model::verify(&bench.db).await.expect("verified");
        let [bare] = &found.undecodable[..] else {
            panic!("{found}");
        };
        assert_eq!(
            (bare.model, bare.path.as_str(), bare.documents),
            ("Member", "org", 1)
        );
        assert_eq!(bare.ids, [of.member.id.into()]);
    })
    .await;
}

#[tokio::test]
async fn a_mark_goes_to_the_children_of_its_tenant_alone() {
    on_both("wall_cross_marks", async |bench| {
        bench.index(&[Board::meta(), Card::meta()]).await;
        for n in [1, 2] {
            let db = tenant(bench, u8::try_from(n).expect("small"));
            let (of, deleted_at) = (org(u8::try_from(n).expect("small")), None);
            let (id, board) = (n, n);
            Board::insert(
                &db,
                &Board {
                    id,
                    org: of,
                    deleted_at,
                },
            )
            .await
            .expect("stored");
            let card = Card {
                id,
                org: of,
                board,
                deleted_at,
            };
            Card::insert(&db, &card).await.expect("stored");
        }
        cross(bench, "cards", 2, doc! { "board": 1 }).await;
        let before = bench.stored("cards", 2).await;
        Board::delete(&tenant(bench, 1), 1).await.expect("deleted");
        mongo_model::settle(&bench.db).await;
        let own = bench.stored("cards", 1).await;
        assert!(own.get_datetime("deleted_at").is_ok(), "{own}");
        assert_eq!(bench.stored("cards", 2).await, before);
    })
    .await;
}

#[tokio::test]
async fn no_backfill_fills_copies_through_the_wall() {
    alone("wall_cross_backfill", async |bench| {
        let of = prepare(bench).await;
        let lacks = doc! { "$unset": { "team_name": "", "_r_team": "" } };
        let done = bench.raw("members").update_many(doc! {}, lacks).await;
        assert_eq!(done.expect("changed").modified_count, 2);
        let before = bench.stored("members", of.foreign.id).await;
        let backfill = mongo_model::backfill(&bench.db).only::<Member>();
        assert_eq!(backfill.await.expect("filled").lacking, 1);
        assert_eq!(bench.stored("members", of.foreign.id).await, before);
        let own = Member::get(&tenant(bench, 1), of.member.id).await;
        let own = own.expect("read").expect("stored");
        assert_eq!(own.team_name, of.mine.name);
    })
    .await;
}
