//! Schemas that change: the stored form, how an older document is read, and how a collection is migrated to the current version.

mod children;
mod copies;
mod sources;
mod unversioned;
mod writers;

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Error, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::alone;

/// Version 1 had `first` and `last`, version 2 `full`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "persons", schema_version = 3, migrate = steps, unversioned = 1)]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    #[serde(default)]
    pub visits: i64,
}

fn steps(mut old: Document, version: i32) -> Result<Document, String> {
    let mut take = |key: &str| match old.remove(key) {
        Some(bson::Bson::String(text)) => Ok(text),
        other => Err(format!("`{key}` is {other:?}")),
    };
    let (key, value) = match version {
        1 => ("full", format!("{} {}", take("first")?, take("last")?)),
        _ => ("name", take("full")?),
    };
    old.insert(key, value);
    Ok(old)
}

#[derive(Debug, PartialEq, Serialize, Deserialize, MongoProjection)]
#[projection(of = Person)]
pub struct Named {
    pub name: String,
}

/// All documents are of version 2 by now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "settled", schema_version = 2, unversioned = 1)]
pub struct Settled {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, MongoProjection)]
#[projection(of = Settled)]
pub struct SettledName {
    pub name: String,
}

/// Takes whatever it does not name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "loose", schema_version = 2, migrate = kept, unversioned = 1)]
pub struct Loose {
    #[serde(rename = "_id")]
    pub id: i32,
    #[serde(flatten)]
    pub rest: Document,
}

fn kept(old: Document, _version: i32) -> Document {
    old
}

/// It has a field more, and one less, than its older documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "plain")]
pub struct Plain {
    #[serde(rename = "_id")]
    pub id: i32,
    #[serde(default)]
    pub added: Option<String>,
}

pub(crate) fn person(id: i32, name: &str) -> Person {
    let name = name.to_owned();
    let visits = 0;
    Person { id, name, visits }
}

pub(crate) fn first(id: i32) -> Document {
    doc! { "_id": id, "first": "Ann", "last": "Lee" }
}

#[tokio::test]
async fn a_new_field_and_a_removed_one_need_no_version() {
    alone("evolve_plain", async |bench| {
        bench.seed("plain", [doc! { "_id": 1, "gone": true }]).await;
        let read = Plain::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(read, Plain { id: 1, added: None });
        read.save(&bench.db).await.expect("saved");
        assert_eq!(
            bench.stored("plain", 1).await,
            doc! { "_id": 1, "added": null }
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_stored_says_its_version() {
    alone("evolve_stored", async |bench| {
        let db = &bench.db;
        let ann = person(1, "Ann");
        Person::insert(db, &ann).await.expect("stored");
        let more = [person(2, "Bob"), person(3, "Cid")];
        Person::insert_many(db, &more).await.expect("stored");
        person(4, "Dan").save(db).await.expect("stored");
        for id in 1..=4 {
            let stored = bench.stored("persons", id).await;
            assert_eq!(
                stored.get("schema_version"),
                Some(&bson::Bson::Int32(3)),
                "{stored}"
            );
        }
        assert_eq!(Person::get(db, 1).await.expect("read").expect("there"), ann);
        let rest = doc! { "a": 1 };
        let loose = Loose { id: 1, rest };
        Loose::insert(db, &loose).await.expect("stored");
        let read = Loose::get(db, 1).await.expect("read").expect("there");
        assert_eq!(read, loose);
        read.save(db).await.expect("saved");
        let stored = bench.stored("loose", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "a": 1, "schema_version": 2 });
    })
    .await;
}

#[tokio::test]
async fn an_older_document_is_migrated_when_it_is_read() {
    alone("evolve_lazy", async |bench| {
        let db = &bench.db;
        let second = doc! { "_id": 2, "full": "Bob Ray", "visits": 7_i64, "schema_version": 2 };
        bench.seed("persons", [first(1), second.clone()]).await;
        let read = Person::get(db, 1).await.expect("read").expect("there");
        assert_eq!(read, person(1, "Ann Lee"));
        assert_eq!(bench.sent(), ["find"]);
        let all = Person::scan(db, |p| p.all()).sort(|p| p.id.asc());
        let all: Vec<Person> = all.stream().try_collect().await.expect("read");
        assert_eq!(all[1].name, "Bob Ray");
        assert_eq!(all[1].visits, 7);
        let names = Person::scan(db, |p| p.all()).project::<Named>();
        let mut names = names.await.expect("read");
        names.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(names[0].name, "Ann Lee");
        let ids = Person::scan(db, |p| p.all()).ids().await.expect("read");
        assert_eq!(ids.len(), 2);
        assert_eq!(bench.sent(), ["find"; 3]);
        assert_eq!(
            bench.stored("persons", 1).await,
            first(1),
            "reading writes nothing"
        );
        read.save(db).await.expect("saved");
        let now = doc! { "_id": 1, "name": "Ann Lee", "visits": 0_i64, "schema_version": 3 };
        assert_eq!(bench.stored("persons", 1).await, now);
    })
    .await;
}

#[tokio::test]
async fn a_newer_document_is_an_error_that_says_so() {
    alone("evolve_newer", async |bench| {
        let db = &bench.db;
        let newer = doc! { "_id": 1, "label": "x", "schema_version": 9_i64 };
        bench.seed("persons", [newer.clone()]).await;
        bench.seed("settled", [newer.clone()]).await;
        let one = Person::get(db, 1).await.expect_err("newer");
        let text =
            "Person 1: schema version 9 is newer than this program, which knows 3".to_owned();
        assert_eq!(one.to_string(), text);
        let Error::NewerSchema {
            model,
            id,
            found,
            known,
        } = one
        else {
            panic!("{one}")
        };
        assert_eq!((model, &*id, found, known), ("Person", "1", 9, 3));
        let part = Person::scan(db, |p| p.all()).project::<Named>().await;
        assert_eq!(part.expect_err("newer").to_string(), text);
        bench.forget();
        let part = Settled::scan(db, |p| p.all())
            .project::<SettledName>()
            .await;
        // The error names the document, whose `_id` only a second find reads.
        assert!(
            matches!(&part, Err(Error::NewerSchema { id, .. }) if id == "1"),
            "{part:?}"
        );
        let sent = bench.take();
        assert_eq!(sent.len(), 2);
        let asked = sent[0].command.get_document("projection");
        let asked = asked.expect("a projection");
        assert_eq!(*asked, doc! { "_id": 0, "name": 1, "schema_version": 1 });
        let done = Person::migrate(db).await.expect("nothing to do");
        assert_eq!((done.found, done.migrated), (0, 0));
        assert_eq!(bench.stored("persons", 1).await, newer);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_migrated_is_an_error() {
    alone("evolve_cannot", async |bench| {
        let db = &bench.db;
        bench
            .seed("settled", [doc! { "_id": 1, "name": "x" }])
            .await;
        let error = Settled::get(db, 1).await.expect_err("too old");
        assert_eq!(
            error.to_string(),
            "Settled 1: schema version 1 is older than 2, and the model has no `migrate`"
        );
        let broken = doc! { "_id": 1, "first": "Ann" };
        bench.seed("persons", [broken.clone(), first(2)]).await;
        let error = Person::get(db, 1).await.expect_err("broken");
        assert_eq!(
            error.to_string(),
            "Person 1: cannot be migrated from schema version 1: `last` is None"
        );
        let done = Person::migrate(db).await.expect("the other one");
        assert_eq!((done.found, done.migrated), (2, 1));
        assert_eq!(done.refused.len(), 1);
        assert_eq!(done.refused[0].id, bson::Bson::Int32(1));
        assert_eq!(bench.stored("persons", 1).await, broken);
    })
    .await;
}

#[tokio::test]
async fn an_update_migrates_what_it_changes() {
    alone("evolve_update", async |bench| {
        let db = &bench.db;
        bench.index(&[Person::meta()]).await;
        bench.seed("persons", [first(1), first(2)]).await;
        Person::update(db, 1)
            .set(|p| p.name, "Ann Ray")
            .await
            .expect("updated");
        let stored = bench.stored("persons", 1).await;
        let now = doc! { "_id": 1, "name": "Ann Ray", "schema_version": 3 };
        assert_eq!(stored, now);
        // A filter sees documents as they are stored.
        let none = Person::update_many(db, |p| p.name.eq("Ann Lee")).inc(|p| p.visits, 1);
        assert_eq!(none.await.expect("none").matched, 0);
        let all = Person::update_many(db, |p| p.id.gt(0)).inc(|p| p.visits, 1);
        assert_eq!(all.await.expect("updated").matched, 2);
        let now = doc! { "_id": 2, "name": "Ann Lee", "schema_version": 3, "visits": 1_i64 };
        assert_eq!(bench.stored("persons", 2).await, now);
        // A document of the current version costs one find.
        Person::update(db, 1)
            .inc(|p| p.visits, 1)
            .await
            .expect("updated");
        assert_eq!(bench.sent(), ["find", "update"]);
    })
    .await;
}
