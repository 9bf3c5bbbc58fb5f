//! Ids that another tenant has: a call that stores a whole document tells as much about them as an insert does, and no more.

use mongo_model::{Error, Id, MongoModel};

use super::inside::{Member, Team, member, prepare_teams, team};
use super::{Invoice, Note, invoice, note, prepare, tenant};
use crate::common::on_both;

/// The text that a caller can read in the error of a document whose `_id` another tenant has.
#[track_caller]
fn duplicate_text<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    let error = result.expect_err("another tenant has the id");
    let Error::Duplicate { fields, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(fields, &["_id"]);
    format!("{error} {error:?}")
}

#[tokio::test]
async fn whole_documents_under_a_taken_id_fail_as_an_insert_does() {
    on_both("wall_taken", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let theirs = invoice(2, 1);
        Invoice::insert(&other, &theirs).await.expect("stored");
        let mine = Invoice {
            id: theirs.id,
            ..invoice(1, 5)
        };
        let wanted = duplicate_text(Invoice::insert(&one, &mine).await);
        assert_eq!(duplicate_text(mine.save(&one).await), wanted);
        let upsert = Invoice::upsert(&one, &mine);
        assert_eq!(duplicate_text(upsert.await), wanted);
        let upsert = Invoice::upsert(&one, &mine).set(|i| i.text, "mine");
        assert_eq!(duplicate_text(upsert.await), wanted);
        let by_key = Invoice::upsert(&one, &mine).on_key(|i| i.number);
        assert_eq!(duplicate_text(by_key.await), wanted);
        let stored = Invoice::get(&other, theirs.id).await.expect("read");
        assert_eq!(stored, Some(theirs));
        assert_eq!(bench.len("invoices").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_marked_document_of_another_tenant_keeps_its_id() {
    on_both("wall_taken_marked", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let theirs = note(2, "a");
        Note::insert(&other, &theirs).await.expect("stored");
        Note::delete(&other, theirs.id).await.expect("marked");
        let mut mine = Note {
            id: theirs.id,
            ..note(1, "b")
        };
        let wanted = duplicate_text(Note::insert(&one, &mine).await);
        assert_eq!(duplicate_text(Note::upsert(&one, &mine).await), wanted);
        let swapped = mine.save_if_unchanged(&one).await;
        let unknown = note(1, "c").save_if_unchanged(&one).await;
        // No versioned save inserts: to it their document is absent, as a document that nobody has.
        match (swapped, unknown) {
            (Err(Error::Gone { .. }), Err(Error::Gone { .. })) => {}
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn documents_with_copies_under_a_taken_id_fail_as_an_insert_does() {
    on_both("wall_taken_inside", async |bench| {
        let (first, theirs) = prepare_teams(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let their_member = member(2, 1, &theirs);
        Member::insert(&other, &their_member).await.expect("stored");
        let mine = Team {
            id: theirs.id,
            ..team(1, 9)
        };
        let wanted = duplicate_text(Team::insert(&one, &mine).await);
        assert_eq!(duplicate_text(mine.save(&one).await), wanted);
        assert_eq!(duplicate_text(Team::upsert(&one, &mine).await), wanted);
        let mine = Member {
            id: Id::from_raw(*their_member.id.as_raw()),
            ..member(1, 3, &first)
        };
        let wanted = duplicate_text(Member::insert(&one, &mine).await);
        assert_eq!(duplicate_text(Member::upsert(&one, &mine).await), wanted);
        let stored = Team::get(&other, theirs.id).await.expect("read");
        assert_eq!(stored.map(|team| team.members), Some(1));
    })
    .await;
}
