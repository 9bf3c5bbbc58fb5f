//! The reason to see all tenants is part of every command of a call.

use mongo_model::{Id, MongoModel, Tenant, Tenants};

use super::inside::{Member, Team, member, prepare_teams};
use super::{Invoice, Note, Org, invoice, note, org, prepare};
use crate::common::{Bench, alone};

/// Every command since the last look says why, and then what the call itself says.
#[track_caller]
fn assert_reasons(bench: &Bench, call: &str) {
    let sent = bench.take();
    assert!(!sent.is_empty(), "{call} sends something");
    for command in sent {
        if command.command.to_string().contains("\"_dn.k.e\"") {
            // Calls share the commands that change numbers and lists of children.
            continue;
        }
        let comment = command.command.get_str("comment").unwrap_or_default();
        let wanted = format!("across tenants: monthly run; {call}");
        assert!(comment.starts_with(&wanted), "{call}: {}", command.command);
    }
}

fn across(bench: &Bench) -> Tenant<Id<Org>> {
    bench.db.across_tenants("monthly run")
}

#[tokio::test]
async fn writes_across_tenants_say_why() {
    alone("wall_reasons", async |bench| {
        prepare(bench).await;
        let all = &across(bench);
        let mut mine = invoice(1, 1);
        Invoice::insert(all, &mine).await.expect("stored");
        assert_reasons(bench, "Invoice::insert ");
        Invoice::insert_many(all, [&invoice(1, 2), &invoice(2, 2)])
            .await
            .expect("stored");
        assert_reasons(bench, "Invoice::insert ");
        mine.text = "saved".to_owned();
        mine.save(all).await.expect("stored");
        assert_reasons(bench, "Invoice::save ");
        Invoice::upsert(all, &mine).await.expect("stored");
        assert_reasons(bench, "Invoice::upsert ");
        let by_key = Invoice::upsert(all, &mine).on_key(|i| i.number);
        by_key.set(|i| i.text, "x").await.expect("changed");
        assert_reasons(bench, "Invoice::upsert ");
        let update = Invoice::update(all, mine.id).set(|i| i.text, "y");
        update.await.expect("changed");
        assert_reasons(bench, "Invoice::update ");
        let update = Invoice::update_many(all, |i| i.number.eq(2)).set(|i| i.text, "z");
        update.comment("by night").await.expect("changed");
        assert_reasons(bench, "by night");
        let returned = Invoice::update(all, mine.id).set(|i| i.text, "a");
        let _ = returned.returning().await.expect("changed");
        assert_reasons(bench, "Invoice::");
        Invoice::delete(all, mine.id).await.expect("deleted");
        assert_reasons(bench, "Invoice::delete ");
        Invoice::delete_many(all, |i| i.number.eq(2))
            .await
            .expect("deleted");
        assert_reasons(bench, "Invoice::delete_many ");
    })
    .await;
}

#[tokio::test]
async fn versioned_and_marked_writes_across_tenants_say_why() {
    alone("wall_reasons_versions", async |bench| {
        prepare(bench).await;
        let all = &across(bench);
        let mut mine = note(1, "a");
        Note::insert(all, &mine).await.expect("stored");
        assert_reasons(bench, "Note::insert ");
        mine.save_if_unchanged(all).await.expect("stored");
        assert_reasons(bench, "Note::save_if_unchanged ");
        let saved = Note::save_many_if_unchanged(all, [&mut mine]).await;
        assert_eq!(saved.expect("stored").unsaved.len(), 0);
        assert_reasons(bench, "Note::save_many_if_unchanged ");
        let mut mine = Note::update_with(all, mine.id, |note| note.stars += 1)
            .await
            .expect("stored");
        assert_reasons(bench, "Note::update_with ");
        Note::delete(all, mine.id).await.expect("marked");
        assert_reasons(bench, "Note::delete ");
        Note::restore(all, mine.id).await.expect("restored");
        assert_reasons(bench, "Note::restore ");
        mine = Note::get(all, mine.id)
            .comment("mine")
            .await
            .expect("read")
            .expect("there");
        assert_reasons(bench, "mine");
        mine.delete_if_unchanged(all).await.expect("marked");
        assert_reasons(bench, "Note::delete_if_unchanged ");
    })
    .await;
}

#[tokio::test]
async fn what_follows_from_a_write_across_tenants_says_why() {
    alone("wall_reasons_inside", async |bench| {
        let (team, _) = prepare_teams(bench).await;
        let all = &across(bench);
        let one = member(1, 1, &team);
        Member::insert(all, &one).settled().await.expect("stored");
        assert_reasons(bench, "Member::insert ");
        let update = Team::update(all, team.id).set(|t| t.name, "renamed");
        update.settled().await.expect("changed");
        assert_reasons(bench, "Team::update ");
        let fresh = Member::scan(all, |m| m.key.eq(1)).fresh();
        assert_eq!(fresh.await.expect("read")[0].team_name, "renamed");
        assert_reasons(bench, "Member::fresh ");
        let loaded = one.load_team(all).await.expect("loaded");
        assert_eq!(loaded.value().map(|team| team.org), Some(org(1)));
        assert_reasons(bench, "");
        Team::delete(all, team.id).settled().await.expect("deleted");
        assert_reasons(bench, "Team::delete ");
    })
    .await;
}
