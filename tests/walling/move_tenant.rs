//! A document that goes to another tenant.

use bson::{Bson, doc};
use mongo_model::update::Swapped;
use mongo_model::{Error, Id, MongoModel, Tenant, Tenants};

use super::inside::{Match, Member, Team, game, member, prepare_teams};
use super::{Invoice, Note, Org, invoice, note, org, prepare, tenant};
use crate::common::{Bench, alone, on_both};

fn across(bench: &Bench) -> Tenant<Id<Org>> {
    bench.db.across_tenants("a company is split")
}

#[tokio::test]
async fn a_document_goes_to_another_tenant() {
    on_both("wall_move", async |bench| {
        prepare(bench).await;
        let all = across(bench);
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let (mut new, bill) = (note(1, "kept"), invoice(1, 7));
        Note::insert(&one, &new).await.expect("stored");
        Invoice::insert(&one, &bill).await.expect("stored");
        bench.forget();
        let moved = Note::move_tenant(&all, new.id, org(2)).await;
        assert!(matches!(moved, Ok(Swapped::Done(_))), "{moved:?}");
        let sent = bench.only();
        let comment = sent.get_str("comment").expect("a comment");
        assert!(
            comment.starts_with("across tenants: a company is split"),
            "{comment}"
        );
        assert!(Note::get(&one, new.id).await.expect("read").is_none());
        let there = Note::get(&two, new.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(
            (there.version, there.title.as_str()),
            (new.version + 1, "kept")
        );
        // Whoever has read it before changes it no more.
        new.stars = 9;
        let late = new.save_if_unchanged(&one).await;
        assert!(matches!(late, Err(Error::Gone { .. })), "{late:?}");

        // It keeps its reference to what all tenants share, and the copy beside it.
        let moved = Invoice::move_tenant(&all, bill.id, org(2)).set(|i| i.text, "moved");
        assert!(matches!(moved.await, Ok(Swapped::Done(_))));
        let there = Invoice::get(&two, bill.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(
            (there.text.as_str(), there.plan_name.as_str()),
            ("moved", "large")
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_taken_or_gone_stays() {
    on_both("wall_move_taken", async |bench| {
        prepare(bench).await;
        let all = across(bench);
        let (mine, theirs) = (note(1, "same"), note(2, "same"));
        for note in [&mine, &theirs] {
            let of = bench.db.tenant(note.org);
            Note::insert(&of, note).await.expect("stored");
        }
        let before = bench.stored("notes", mine.id).await;
        let moved = Note::move_tenant(&all, mine.id, org(2)).await;
        assert!(matches!(moved, Err(Error::Duplicate { .. })), "{moved:?}");
        let moved = Note::move_tenant(&all, mine.id, org(2)).only_if(|n| n.stars.gt(5));
        let moved = moved.await;
        assert!(matches!(moved, Ok(Swapped::Not(_))), "{moved:?}");
        let moved = Note::move_tenant(&all, Id::new(), org(2)).await;
        assert!(matches!(moved, Err(Error::NotFound { .. })), "{moved:?}");
        bench.forget();
        // One tenant gives nothing to another one, and takes nothing from it.
        for of in [1, 2] {
            let moved = Note::move_tenant(&tenant(bench, of), mine.id, org(2)).await;
            assert!(matches!(moved, Err(Error::Impossible { .. })), "{moved:?}");
        }
        assert_eq!(bench.count(), 0);
        assert_eq!(bench.stored("notes", mine.id).await, before);
    })
    .await;
}

#[tokio::test]
async fn no_reference_comes_to_lead_through_the_wall() {
    alone("wall_move_refs", async |bench| {
        let (mine, _) = prepare_teams(bench).await;
        let all = across(bench);
        let one = tenant(bench, 1);
        let (of_team, hosted) = (member(1, 1, &mine), game(1, &[&mine]));
        Member::insert(&one, &of_team).await.expect("stored");
        Match::insert(&one, &hosted).await.expect("stored");
        bench.forget();
        // Members refer to teams, and matches to each other.
        let impossible = |error: Error, named: &str| {
            assert!(matches!(error, Error::Impossible { .. }), "{error}");
            assert!(error.to_string().contains(named), "{error}");
        };
        let refused = Team::move_tenant(&all, mine.id, org(2)).await;
        impossible(refused.expect_err("members"), "Match");
        let refused = Match::move_tenant(&all, hosted.id, org(2)).await;
        impossible(refused.expect_err("itself"), "Match");
        assert_eq!(bench.count(), 0);
        let before = bench.stored("members", of_team.id).await;
        let refused = Member::move_tenant(&all, of_team.id, org(2)).await;
        assert!(matches!(refused, Ok(Swapped::Not(_))), "{refused:?}");
        assert_eq!(bench.stored("members", of_team.id).await, before);

        // Without a reference it goes.
        let loose = doc! { "$set": { "team": Bson::Null } };
        let by_id = doc! { "_id": of_team.id };
        let done = bench.raw("members").update_one(by_id, loose).await;
        done.expect("changed");
        let moved = Member::move_tenant(&all, of_team.id, org(2)).await;
        assert!(matches!(moved, Ok(Swapped::Done(_))), "{moved:?}");
    })
    .await;
}
