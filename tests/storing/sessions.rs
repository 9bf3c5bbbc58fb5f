//! Every write runs in the session, and in its transaction.

use mongo_model::{MongoModel, Result};
use mongodb::ClientSession;

use crate::common::{Bench, assert_too_long, in_set};
use crate::storing::save::{Part, part};
use crate::storing::{Person, person};

/// Every write there is, in one transaction: three people, of whom the second is changed and the third deleted, and a part.
async fn write(bench: &Bench, session: &mut ClientSession) -> Result<()> {
    let db = &bench.db;
    Person::insert(db, &person(1))
        .driver_session(session)
        .await?;
    Person::insert_many(db, [&person(2), &person(3)])
        .driver_session(session)
        .await?;
    let saved = Person {
        note: "saved".to_owned(),
        ..person(1)
    };
    saved.save(db).driver_session(session).await?;
    Person::update(db, 2)
        .set(|p| p.note, "set")
        .driver_session(session)
        .await?;
    let many = Person::update_many(db, |p| p.email.eq("3@example.com"));
    many.set(|p| p.note, "many").driver_session(session).await?;
    Person::delete(db, 3).driver_session(session).await?;
    part(1, "bolt", 1).save(db).driver_session(session).await?;
    part(1, "bolt", 2).save(db).driver_session(session).await?;
    let full = Person::update(db, 1)
        .push_all(|p| p.extra.marks, ["a", "b", "c"])
        .driver_session(session)
        .await;
    assert_too_long(full, "marks", 2);
    Ok(())
}

#[tokio::test]
async fn an_aborted_transaction_leaves_nothing() {
    in_set("aborted", async |bench| {
        let mut session = bench.transaction().await;
        write(bench, &mut session).await.expect("written");
        let sent = bench.take();
        let number = sent[0].command.get("txnNumber").cloned();
        assert!(number.is_some() && sent.len() >= 8, "{sent:?}");
        for sent in &sent {
            assert_eq!(
                sent.command.get_bool("autocommit").ok(),
                Some(false),
                "{sent:?}"
            );
            assert_eq!(sent.command.get("txnNumber").cloned(), number, "{sent:?}");
        }
        session.abort_transaction().await.expect("aborted");
        assert_eq!(
            (bench.len("people").await, bench.len("saved_parts").await),
            (0, 0)
        );
    })
    .await;
}

#[tokio::test]
async fn a_committed_transaction_leaves_everything() {
    in_set("committed", async |bench| {
        let mut session = bench.transaction().await;
        write(bench, &mut session).await.expect("written");
        assert_eq!(bench.len("people").await, 0, "nobody else sees it yet");
        session.commit_transaction().await.expect("committed");
        let mut people = Person::scan(&bench.db, |p| p.all()).await.expect("read");
        people.sort_by_key(|person| person.id);
        let notes: Vec<_> = people.iter().map(|p| (p.id, p.note.as_str())).collect();
        assert_eq!(notes, [(1, "saved"), (2, "set")]);
        let parts = Part::scan(&bench.db, |p| p.all()).await.expect("read");
        assert_eq!(parts, [part(1, "bolt", 2)]);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_of_the_driver_is_shared() {
    in_set("shared", async |bench| {
        let mut session = bench.transaction().await;
        let raw = bench.raw("people");
        let stored = bson::serialize_to_document(&person(1)).expect("encodes");
        raw.insert_one(stored)
            .session(&mut session)
            .await
            .expect("stored");
        let inside = Person::get(&bench.db, 1).driver_session(&mut session).await;
        assert_eq!(inside.expect("read"), Some(person(1)));
        Person::delete(&bench.db, 1)
            .driver_session(&mut session)
            .await
            .expect("deleted");
        session.commit_transaction().await.expect("committed");
        assert_eq!(bench.len("people").await, 0);
    })
    .await;
}
