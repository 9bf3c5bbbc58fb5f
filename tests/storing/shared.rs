//! Two models on one collection: a save of one leaves the fields of the other.

use bson::{Document, doc};
use mongo_model::index::IndexFailure;
use mongo_model::{Error, MongoModel, plan_indexes, sync_indexes, verify};
use mongo_model_dev_server::monitor::StartedCommand;
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shared_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

/// All that is known of an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
struct Account {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    nick: Option<String>,
    balance: i64,
    #[parent(Team)]
    team: i32,
    #[denorm(from = Team, field = name, via = team)]
    team_name: String,
}

/// The fields that the login page needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts", shares = Account)]
struct Login {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    nick: Option<String>,
}

/// The same without references on either side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
struct Label {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// It reads every other field too, and so may replace the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
struct Any {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    rest: Document,
}

#[tokio::test]
async fn a_slim_model_leaves_the_fields_of_the_other() {
    on_both("shared_slim", async |bench| {
        let db = &bench.db;
        bench.index(&[Team::meta(), Account::meta()]).await;
        let name = "Blue".to_owned();
        Team::insert(db, &Team { id: 1, name })
            .await
            .expect("stored");
        let account = Account {
            id: 1,
            name: "Ann".to_owned(),
            nick: Some("an".to_owned()),
            balance: 7,
            team: 1,
            team_name: "Blue".to_owned(),
        };
        Account::insert(db, &account).await.expect("stored");
        let mut login = Login::get(db, 1).await.expect("read").expect("there");
        login.name = "Ann Lee".to_owned();
        login.nick = None;
        login.save(db).await.expect("saved");
        let now = Account::get(db, 1).await.expect("readable").expect("there");
        let expected = Account {
            name: "Ann Lee".to_owned(),
            nick: None,
            ..account.clone()
        };
        assert_eq!(now, expected);
        Team::update(db, 1)
            .set(|t| t.name, "Red")
            .await
            .expect("renamed");
        let now = Account::get(db, 1).await.expect("readable").expect("there");
        assert_eq!(now.team_name, "Red", "the copy follows as before");
        account.save(db).await.expect("saved");
        let now = Account::get(db, 1).await.expect("readable").expect("there");
        assert_eq!(
            now,
            Account {
                team_name: "Red".to_owned(),
                ..account
            }
        );
        let found = verify(db).only::<Account>().await.expect("looked");
        assert_eq!(
            found
                .references
                .iter()
                .map(|edge| edge.defects())
                .sum::<u64>(),
            0,
            "{found}"
        );
    })
    .await;
}

#[tokio::test]
async fn models_without_references_set_their_own_fields() {
    on_both("shared_plain", async |bench| {
        let db = &bench.db;
        let mut note = Note {
            id: 1,
            text: "a".to_owned(),
            label: Some("x".to_owned()),
            version: 1,
        };
        Note::insert(db, &note).await.expect("stored");
        Label { id: 1, label: None }.save(db).await.expect("saved");
        let stored = bench.stored("notes", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "text": "a", "version": 1_i64 });
        let label = |label: &str| Label {
            id: 1,
            label: Some(label.to_owned()),
        };
        label("y").save(db).await.expect("saved");
        bench
            .raw("notes")
            .update_one(doc! { "_id": 1 }, doc! { "$set": { "other": 1 } })
            .await
            .expect("set");
        note.label = None;
        note.save_if_unchanged(db).await.expect("saved");
        let mut stored = bench.stored("notes", 1).await;
        stored.remove("_dn");
        assert_eq!(
            stored,
            doc! { "_id": 1, "text": "a", "version": 2_i64, "other": 1 }
        );

        let new = Label {
            id: 2,
            label: Some("z".to_owned()),
        };
        let done = new.save(db).await.expect("saved");
        assert_eq!((done.inserted, done.matched), (1, 0));
        assert_eq!(
            bench.stored("notes", 2).await,
            doc! { "_id": 2, "label": "z" }
        );
        let rest = doc! { "only": true };
        Any { id: 2, rest }.save(db).await.expect("saved");
        assert_eq!(
            bench.stored("notes", 2).await,
            doc! { "_id": 2, "only": true }
        );
    })
    .await;
}

/// Two models on one collection are refused, unless one of them says that it shares the collection.
#[tokio::test]
async fn models_that_share_a_collection_say_so() {
    on_both("shares", async |bench| {
        let db = &bench.db;
        sync_indexes(db).only::<Account>().await.expect("shared on purpose");
        bench.forget();
        let refused = sync_indexes(db).only::<Label>().only::<Team>().await;
        let Err(Error::Indexes(errors)) = refused else {
            panic!("{refused:?}");
        };
        let [error] = errors.errors() else {
            panic!("{errors}");
        };
        assert!(matches!(&error.cause, IndexFailure::Shared { models } if models.len() == 3));
        assert!(error.to_string().starts_with(
            "notes (Any, Label, Note): several models have this collection; if this is intended, one of them says so: \
             `#[model(shares = Any)]`"
        ), "{error}");
        let of_notes = |sent: &StartedCommand| sent.command.to_string().contains("\"notes\"");
        assert!(!bench.take().iter().any(of_notes), "nothing is done in that collection");
        let planned = plan_indexes(db).only::<Label>().await;
        assert!(matches!(planned, Err(Error::Indexes(_))), "{planned:?}");
    })
    .await;
}
