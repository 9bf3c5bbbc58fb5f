//! A watch of one tenant's documents.

use bson::doc;
use mongo_model::watch::Change;
use mongo_model::{MongoModel, Tenants};
use serde::{Deserialize, Serialize};

use super::{next, updated};
use crate::common::{Bench, alone, in_set};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "watched_notes", tenant = org)]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) org: i64,
    pub(crate) text: String,
}

fn note(id: i32, org: i64) -> Note {
    Note {
        id,
        org,
        text: String::new(),
    }
}

async fn keep_images(bench: &Bench) {
    let keep =
        doc! { "collMod": "watched_notes", "changeStreamPreAndPostImages": { "enabled": true } };
    bench.db.run_command(keep).await.expect("kept");
}

async fn write_for_both(bench: &Bench) {
    for org in [1, 2] {
        let tenant = bench.db.tenant(org);
        let id = i32::try_from(org).expect("small") * 10;
        Note::insert(&tenant, &note(id, org)).await.expect("stored");
        let text = Note::update(&tenant, id).set(|n| n.text, "a");
        text.await.expect("updated");
    }
}

#[tokio::test]
async fn another_tenants_documents_are_not_told() {
    in_set("watch_walled", async |bench| {
        let tenant = bench.db.tenant(1_i64);
        let first = bench.db.tenant(3_i64);
        Note::insert(&first, &note(1, 3)).await.expect("stored");
        let error = Note::watch(&tenant).await.expect_err("no images");
        let text = error.to_string();
        assert!(text.contains("changeStreamPreAndPostImages"), "{text}");
        keep_images(bench).await;

        let watch = Note::watch(&tenant).filter(|n| n.text.ne("b"));
        let mut changes = watch.await.expect("watched");
        let all: mongo_model::Tenant<i64> = bench.db.across_tenants("a test");
        let mut all = Note::watch(&all).await.expect("watched");
        write_for_both(bench).await;
        for org in [2, 1] {
            let tenant = bench.db.tenant(org);
            let id = i32::try_from(org).expect("small") * 10;
            let text = Note::update(&tenant, id).set(|n| n.text, "b");
            text.await.expect("updated");
            Note::delete(&tenant, id).await.expect("deleted");
        }
        let mut gone = Vec::new();
        loop {
            match next(&mut changes).await {
                Change::Inserted(told) => assert_eq!(told.org, 1),
                Change::Updated { document, .. } => assert_eq!(document.org, 1),
                Change::Left { id, .. } => gone.push(id),
                Change::Deleted { id, .. } => {
                    gone.push(id);
                    break;
                }
                change => panic!("{change:?}"),
            }
        }
        assert!(gone.iter().all(|id| *id == 10), "{gone:?}");
        let mut gone = Vec::new();
        while gone.len() < 2 {
            if let Change::Deleted { id, .. } = next(&mut all).await {
                gone.push(id);
            }
        }
        assert_eq!(gone, [20, 10]);
    })
    .await;
}

#[tokio::test]
async fn a_poll_reads_the_tenants_documents_alone() {
    alone("watch_walled_poll", async |bench| {
        let tenant = bench.db.tenant(1_i64);
        let watch = Note::watch(&tenant);
        let watch = watch.poll_every(std::time::Duration::from_millis(10));
        let mut changes = watch.await.expect("watched");
        write_for_both(bench).await;
        Note::delete(&bench.db.tenant(2_i64), 20)
            .await
            .expect("deleted");
        match next(&mut changes).await {
            Change::Inserted(told) => assert_eq!(told.org, 1),
            change => assert_eq!(updated(change).0.org, 1),
        }
        Note::delete(&tenant, 10).await.expect("deleted");
        loop {
            match next(&mut changes).await {
                Change::Deleted { id, .. } => break assert_eq!(id, 10),
                change => assert_eq!(updated(change).0.org, 1),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn one_document_needs_no_images() {
    in_set("watch_walled_one", async |bench| {
        let (own, other) = (bench.db.tenant(1_i64), bench.db.tenant(2_i64));
        write_for_both(bench).await;
        let mut changes = Note::watch_one(&own, 10).await.expect("watched");
        let mut foreign = Note::watch_one(&own, 20).await.expect("watched");
        let mut coming = Note::watch_one(&own, 30).await.expect("watched");
        Note::delete(&own, 10).await.expect("deleted");
        let change = next(&mut changes).await;
        assert!(
            matches!(change, Change::Deleted { id: 10, .. }),
            "{change:?}"
        );

        // Nothing is told of another tenant's document, neither its changes nor its end.
        Note::update(&other, 20)
            .set(|n| n.text, "b")
            .await
            .expect("updated");
        let place = foreign.resume_token().expect("a token").clone();
        Note::delete(&other, 20).await.expect("deleted");
        Note::insert(&own, &note(20, 1)).await.expect("stored");
        match next(&mut foreign).await {
            Change::Inserted(told) => assert_eq!(told.org, 1),
            change => assert_eq!(updated(change).0.org, 1),
        }
        // Nobody knows who had the document that is deleted behind this place.
        Note::delete(&own, 20).await.expect("deleted");
        let resumed = Note::watch_one(&own, 20).resume_after(place);
        let mut resumed = resumed.await.expect("watched");
        let change = next(&mut resumed).await;
        assert!(matches!(change, Change::Missed), "{change:?}");

        Note::insert(&own, &note(30, 1)).await.expect("stored");
        let change = next(&mut coming).await;
        assert!(matches!(change, Change::Inserted(_)), "{change:?}");
        Note::delete(&own, 30).await.expect("deleted");
        let change = next(&mut coming).await;
        assert!(
            matches!(change, Change::Deleted { id: 30, .. }),
            "{change:?}"
        );
    })
    .await;
}
