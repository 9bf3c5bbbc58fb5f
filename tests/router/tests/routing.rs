//! A driver in front of the router: which shards a command reaches, and what is refused.

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model_router::Router;
use mongodb::error::{ErrorKind, WriteFailure};

#[tokio::test]
async fn writes_reach_their_shards() {
    let router = Router::start(2, true).await.expect("a router");
    let client = mongodb::Client::with_uri_str(router.uri()).await;
    let people = client.expect("a client").database("routing");
    let people = people.collection::<Document>("people");
    let documents = (0..20).map(|n| doc! { "_id": n, "group": n % 2 });
    people.insert_many(documents).await.expect("inserted");
    let is_contact_of = |name: &str, shards: usize| {
        let commands = router.take_commands();
        let mut of_name = commands.iter().filter(|routed| routed.name == name);
        assert!(
            of_name.all(|routed| routed.shards.len() == shards),
            "{commands:?}"
        );
        assert!(commands.iter().any(|routed| routed.name == name));
    };
    is_contact_of("insert", 2);

    let change = doc! { "$set": { "seen": true } };
    let all = people
        .update_many(doc! { "group": 1 }, change.clone())
        .await;
    assert_eq!(all.expect("updated").modified_count, 10);
    is_contact_of("update", 2);

    let single = people.update_one(doc! { "_id": 3 }, doc! { "$inc": { "n": 1 } });
    assert_eq!(single.await.expect("updated").modified_count, 1);
    is_contact_of("update", 1);

    let refused = people.update_one(doc! { "group": 1 }, change).await;
    let refused = refused.expect_err("refused");
    let ErrorKind::Write(WriteFailure::WriteError(error)) = *refused.kind else {
        panic!("{refused:?}");
    };
    assert_eq!(error.code, 72);
    let refused = people.delete_one(doc! { "group": 1 }).await;
    let refused = refused.expect_err("refused");
    let ErrorKind::Write(WriteFailure::WriteError(error)) = *refused.kind else {
        panic!("{refused:?}");
    };
    assert_eq!(error.code, 61);
    assert_eq!(
        people.estimated_document_count().await.expect("counted"),
        20
    );
}

#[tokio::test]
async fn a_transaction_ends_on_every_shard() {
    let router = Router::start(2, true).await.expect("a router");
    let client = mongodb::Client::with_uri_str(router.uri()).await;
    let client = client.expect("a client");
    let people = client.database("routing").collection::<Document>("people");
    people
        .insert_many((0..20).map(|n| doc! { "_id": n }))
        .await
        .expect("inserted");
    for commits in [false, true] {
        let mut session = client.start_session().await.expect("a session");
        session.start_transaction().await.expect("a transaction");
        let change = doc! { "$set": { "seen": true } };
        let updated = people
            .update_many(doc! {}, change)
            .session(&mut session)
            .await;
        assert_eq!(updated.expect("updated").modified_count, 20);
        if commits {
            session.commit_transaction().await.expect("committed");
        } else {
            session.abort_transaction().await.expect("aborted");
        }
        let routed = router.take_commands();
        let name = if commits {
            "commitTransaction"
        } else {
            "abortTransaction"
        };
        let ends = routed
            .iter()
            .find(|routed| routed.name == name)
            .expect("sent");
        assert_eq!(ends.shards, [0, 1]);
        let seen = people.find(doc! { "seen": true }).await.expect("read");
        let seen: Vec<Document> = seen.try_collect().await.expect("read");
        assert_eq!(seen.len(), if commits { 20 } else { 0 });
    }
}
