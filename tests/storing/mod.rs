//! Storing and deleting documents: the checks before anything is sent, and the contents of the database afterwards.

mod capable;
mod duplicates;
mod flattened;
mod forms;
mod fresh;
mod hidden;
mod nested;
mod reserved;
mod returning;
pub mod save;
mod sessions;
mod shared;
mod sizes;
mod spawned;
mod stamped;
mod upserting;
mod verified;

use std::collections::HashMap;

use bson::{Bson, doc};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, assert_too_long, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Address {
    pub(crate) city: String,
    #[embed(max = 2)]
    pub(crate) phones: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Extra {
    #[embed(max = 2)]
    pub(crate) marks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub(crate) enum Contact {
    Mail {
        #[embed(max = 1)]
        boxes: Vec<String>,
    },
    Phone(Address),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub(crate) struct Person {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index(unique)]
    pub(crate) email: String,
    #[embed(max = 3)]
    #[serde(rename = "addrs")]
    pub(crate) addresses: Vec<Address>,
    pub(crate) home: Option<Address>,
    #[embed(max = 2)]
    #[model(allow(embed_map, reason = "one per language"))]
    pub(crate) labels: HashMap<String, Address>,
    pub(crate) contact: Contact,
    #[serde(flatten)]
    pub(crate) extra: Extra,
    pub(crate) note: String,
}

pub(crate) fn address(city: &str, phones: usize) -> Address {
    Address {
        city: city.to_owned(),
        phones: vec!["1".to_owned(); phones],
    }
}

pub(crate) fn person(id: i32) -> Person {
    Person {
        id,
        email: format!("{id}@example.com"),
        addresses: vec![address("Rome", 2)],
        home: None,
        labels: HashMap::new(),
        contact: Contact::Mail { boxes: vec![] },
        extra: Extra { marks: vec![] },
        note: String::new(),
    }
}

/// A document of more than MongoDB takes.
pub(crate) fn huge(id: i32) -> Person {
    Person {
        note: "x".repeat(16 * 1024 * 1024),
        ..person(id)
    }
}

/// People over one of their bounds, with the field, its bound and the length.
pub(crate) fn too_long() -> Vec<(Person, &'static str, u64)> {
    let labels = |n: usize, phones| {
        (0..n)
            .map(|n| (n.to_string(), address("x", phones)))
            .collect()
    };
    let strings = |n| vec!["x".to_owned(); n];
    vec![
        (
            Person {
                addresses: vec![address("x", 0); 4],
                ..person(1)
            },
            "addrs",
            3,
        ),
        (
            Person {
                addresses: vec![address("x", 2), address("x", 3)],
                ..person(1)
            },
            "addrs.1.phones",
            2,
        ),
        (
            Person {
                home: Some(address("x", 5)),
                ..person(1)
            },
            "home.phones",
            2,
        ),
        (
            Person {
                labels: labels(3, 0),
                ..person(1)
            },
            "labels",
            2,
        ),
        (
            Person {
                labels: labels(1, 3),
                ..person(1)
            },
            "labels.0.phones",
            2,
        ),
        (
            Person {
                extra: Extra { marks: strings(3) },
                ..person(1)
            },
            "marks",
            2,
        ),
        (
            Person {
                contact: Contact::Mail { boxes: strings(2) },
                ..person(1)
            },
            "contact.boxes",
            1,
        ),
        (
            Person {
                contact: Contact::Phone(address("x", 3)),
                ..person(1)
            },
            "contact.phones",
            2,
        ),
    ]
}

#[tokio::test]
async fn insert_sends_one_command() {
    on_both("insert", async |bench| {
        Person::insert(&bench.db, &person(1)).await.expect("stored");
        let sent = bench.only();
        assert_eq!(sent.get_str("insert").ok(), Some("people"));
        let stored = bench.stored("people", 1).await;
        let expected = doc! {
            "_id": 1,
            "email": "1@example.com",
            "addrs": [{ "city": "Rome", "phones": ["1", "1"] }],
            "home": null,
            "labels": {},
            "contact": { "kind": "Mail", "boxes": [] },
            "marks": [],
            "note": "",
        };
        assert_eq!(stored, expected);
        assert_eq!(
            Person::get(&bench.db, 1).await.expect("read"),
            Some(person(1))
        );
    })
    .await;
}

#[tokio::test]
async fn insert_many_sends_as_little_as_it_can() {
    on_both("insert_many", async |bench| {
        let db = &bench.db;
        Person::insert_many(db, []).await.expect("nothing to do");
        assert_eq!(bench.sent(), [""; 0]);
        Person::insert_many(db, [&person(0)]).await.expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        let people: Vec<_> = (1..=1_500).map(person).collect();
        Person::insert_many(db, &people).await.expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        assert_eq!(bench.len("people").await, 1_501);
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_key_in_every_write() {
    on_both("duplicate", async |bench| {
        let db = &bench.db;
        bench.index(&[Person::meta()]).await;
        Person::insert(db, &person(1)).await.expect("stored");
        let same_email = Person { id: 2, ..person(1) };
        let errors = [
            Person::insert(db, &person(1)).await,
            Person::insert(db, &same_email).await,
            Person::insert_many(db, [&person(3), &same_email, &person(4)]).await,
            same_email.save(db).await,
        ];
        for error in errors {
            let error = error.expect_err("a duplicate");
            assert!(error.is_duplicate(), "{error:?}");
        }
        // In order, up to the first that was refused.
        assert_eq!(bench.len("people").await, 2);
    })
    .await;
}

#[tokio::test]
async fn an_array_over_its_bound_is_refused_before_it_is_sent() {
    alone("too_long", async |bench| {
        let db = &bench.db;
        for (over, path, max) in too_long() {
            assert_too_long(Person::insert(db, &over).await, path, max);
            let many = Person::insert_many(db, [&person(2), &over]).await;
            assert_too_long(many, path, max);
            assert_too_long(over.save(db).await, path, max);
        }
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn an_array_at_its_bound_is_stored() {
    alone("at_bound", async |bench| {
        let full = Person {
            addresses: vec![address("x", 2); 3],
            home: Some(address("x", 2)),
            labels: [
                ("a".to_owned(), address("x", 2)),
                ("b".to_owned(), address("x", 2)),
            ]
            .into(),
            contact: Contact::Mail {
                boxes: vec!["x".to_owned()],
            },
            extra: Extra {
                marks: vec!["x".to_owned(); 2],
            },
            ..person(1)
        };
        Person::insert(&bench.db, &full).await.expect("stored");
        assert_eq!(Person::get(&bench.db, 1).await.expect("read"), Some(full));
    })
    .await;
}

#[tokio::test]
async fn a_document_over_16_mib_is_refused_before_it_is_sent() {
    alone("too_large", async |bench| {
        let db = &bench.db;
        let huge = huge(1);
        for result in [
            Person::insert(db, &huge).await,
            Person::insert_many(db, [&person(2), &huge]).await,
            huge.save(db).await,
        ] {
            let Err(Error::DocTooLarge {
                model,
                bytes,
                limit,
            }) = result
            else {
                panic!("it was not refused as too large");
            };
            assert_eq!((model, limit), ("Person", 16_777_216));
            assert!(bytes > limit, "{bytes}");
        }
        assert_eq!(bench.sent(), [""; 0]);

        // The limit itself is inclusive.
        let rest = bson::serialize_to_vec(&person(1)).expect("encodes").len();
        let most = Person {
            note: "x".repeat(16 * 1024 * 1024 - rest),
            ..person(1)
        };
        Person::insert(db, &most).await.expect("stored");
        let over = Person {
            note: format!("{}x", most.note),
            ..person(3)
        };
        let refused = Person::insert(db, &over).await;
        assert!(matches!(
            refused,
            Err(Error::DocTooLarge {
                bytes: 16_777_217,
                ..
            })
        ));
    })
    .await;
}

#[tokio::test]
async fn delete_deletes_one() {
    on_both("delete", async |bench| {
        let db = &bench.db;
        Person::insert_many(db, [&person(1), &person(2)])
            .await
            .expect("stored");
        bench.forget();
        Person::delete(db, 1).await.expect("deleted");
        assert_eq!(bench.sent(), ["delete"]);
        assert_eq!(bench.len("people").await, 1);
        let gone = Person::delete(db, 1).await;
        let Err(Error::NotFound {
            model: "Person",
            id,
        }) = &gone
        else {
            panic!("{gone:?}");
        };
        assert_eq!(**id, Bson::Int32(1));
        assert_eq!(bench.sent(), ["delete"]);
    })
    .await;
}
