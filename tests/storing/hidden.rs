//! Logs get no values of documents: errors and builders show fields, types and ids.

use std::error::Error as _;
use std::fmt::Debug;

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel};

use crate::common::{Bench, alone, on_both};
use crate::storing::{Person, person};

const SECRET: &str = "secret@example.com";

fn secret(id: i32) -> Person {
    Person {
        email: SECRET.to_owned(),
        note: SECRET.to_owned(),
        ..person(id)
    }
}

/// The text, the `Debug` output and the sources of the error show no value.
#[track_caller]
fn assert_hidden(error: &Error) -> String {
    let mut shown = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(error) = source {
        shown += &format!(" {error} {error:?}");
        source = error.source();
    }
    assert!(!shown.contains("secret"), "{shown}");
    error.to_string()
}

#[track_caller]
fn assert_shown(builder: &impl Debug, start: &str) {
    let shown = format!("{builder:?}");
    assert!(shown.starts_with(start), "{shown}");
    assert!(!shown.contains("secret"), "{shown}");
}

async fn validate(bench: &Bench, properties: bson::Document) {
    let validator = doc! { "$jsonSchema": { "properties": properties } };
    let change = doc! { "collMod": "people", "validator": validator };
    bench.db.run_command(change).await.expect("changed");
}

#[tokio::test]
async fn errors_show_no_values() {
    on_both("hidden", async |bench| {
        let db = &bench.db;
        bench.index(&[Person::meta()]).await;
        Person::insert(db, &secret(1)).await.expect("stored");
        let inserted = Person::insert(db, &secret(2)).await;
        let error = inserted.expect_err("a duplicate");
        let text = assert_hidden(&error);
        assert_eq!(
            text,
            "Person: another document has the same email (unique index `email_1_unique`)"
        );
        let Error::Duplicate { value, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(*value, Bson::from(SECRET));
        let many = Person::insert_many(db, [&person(3), &secret(4)]).await;
        assert_hidden(&many.expect_err("a duplicate"));
        // A refusal of the server that has no type of its own repeats the document.
        validate(bench, doc! { "note": { "maxLength": 3 } }).await;
        let refused = Person::insert(
            db,
            &Person {
                email: "5".to_owned(),
                ..secret(5)
            },
        )
        .await;
        let text = assert_hidden(&refused.expect_err("refused"));
        assert!(
            text.contains("maxLength") && text.contains("note"),
            "{text}"
        );
        let many = [
            &Person {
                email: "6".to_owned(),
                ..secret(6)
            },
            &person(7),
        ];
        assert_hidden(&Person::insert_many(db, many).await.expect_err("refused"));
        validate(bench, doc! {}).await;
        let people = bench.raw("people");
        let wrong = doc! { "$set": { "addrs": SECRET } };
        people
            .update_one(doc! { "_id": 1 }, wrong)
            .await
            .expect("changed");
        let read = Person::get(db, 1).await.expect_err("not an array");
        assert_eq!(
            assert_hidden(&read),
            "Person 1: cannot be decoded: addrs: expected a sequence, found string"
        );
        let pushed = Person::update(db, 1)
            .push(|p| p.addresses, super::address("Rome", 0))
            .await;
        assert_hidden(&pushed.expect_err("not an array"));
    })
    .await;
}

#[tokio::test]
async fn builders_show_no_values() {
    alone("hidden_builders", async |bench| {
        let db = &bench.db;
        let find = || Person::find(db, |p| p.email.eq(SECRET));
        assert_shown(&find(), r#"Find { filter: Ok({"email": {"$eq": String}})"#);
        assert_shown(&find().count(), "Count");
        let update = || Person::update(db, 1).set(|p| p.note, SECRET);
        assert_shown(&update(), r#"Update { filter: Ok({"_id": Int32}), changes: Changes { operators: {"$set": {"note": String}}"#);
        assert_shown(&update().only_if(|p| p.email.eq(SECRET)), "Update");
        assert_shown(&Person::update_many(db, |p| p.email.eq(SECRET)).set(|p| p.note, SECRET), "Update");
        assert_shown(&Person::delete_many(db, |p| p.email.eq(SECRET)), "DeleteMany");
        assert_shown(&Person::insert(db, &secret(1)), "Insert");
        assert_shown(&Person::upsert(db, &secret(1)), "Update");
        let sync = mongo_model::sync_indexes(db);
        assert_shown(&sync, "SyncIndexes { scope:");
        assert!(!format!("{sync:?}").contains("Client"), "{sync:?}");
    })
    .await;
}
