//! `save`: new, there already, and a source of copies.

use bson::Document;
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::storing::{Person, person};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "saved_parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: i32,
    #[serde(rename = "n")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub qty: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kits")]
pub struct Kit {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    #[denorm(from = Part, field = label, default)]
    pub parts: Vec<KitPart>,
}

pub(crate) fn part(id: i32, name: &str, qty: i64) -> Part {
    let name = name.to_owned();
    Part {
        id,
        name,
        label: None,
        qty,
    }
}

#[tokio::test]
async fn save_stores_and_replaces() {
    on_both("save", async |bench| {
        let db = &bench.db;
        person(1).save(db).await.expect("stored");
        let sent = bench.only();
        assert_eq!(sent.get_str("update").ok(), Some("people"));
        assert_eq!(Person::get(db, 1).await.expect("read"), Some(person(1)));
        bench.forget();
        let changed = Person {
            note: "new".to_owned(),
            ..person(1)
        };
        changed.save(db).await.expect("replaced");
        assert_eq!(bench.sent(), ["update"]);
        assert_eq!(Person::get(db, 1).await.expect("read"), Some(changed));
        assert_eq!(bench.len("people").await, 1);
    })
    .await;
}

/// A kit with one part, as the server stores it.
async fn stored_entry(bench: &Bench) -> Document {
    let kit = bench.stored("kits", 1).await;
    let parts = kit.get_array("parts").expect("parts");
    parts[0].as_document().expect("an entry").clone()
}

#[tokio::test]
async fn a_saved_source_reaches_its_copies() {
    on_both("source", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Kit::meta()]).await;
        part(1, "bolt", 5).save(db).await.expect("stored");
        let kit = Kit {
            id: 1,
            parts: vec![KitPart {
                id: 1,
                name: "bolt".to_owned(),
                label: None,
            }],
        };
        kit.save(db).await.expect("stored");
        bench.forget();
        part(1, "bolt", 6).save(db).await.expect("replaced");
        let sent = bench.sent();
        assert_eq!(
            sent,
            ["findAndModify"],
            "one round trip for the normal case"
        );
        let found = Part::get(db, 1).await.expect("read");
        assert_eq!(found, Some(part(1, "bolt", 6)));

        let labelled = Part {
            label: Some("x".to_owned()),
            ..part(1, "nut", 7)
        };
        bench.forget();
        let done = labelled.save(db).await.expect("replaced");
        assert_eq!(done.pending, []);
        assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
        let entry = stored_entry(bench).await;
        assert_eq!(entry.get_str("name").ok(), Some("nut"));
        assert_eq!(entry.get_str("label").ok(), Some("x"));
        // A field that the source loses is removed from its copies.
        part(1, "nut", 7).save(db).await.expect("replaced");
        let entry = stored_entry(bench).await;
        assert_eq!(entry.get_str("name").ok(), Some("nut"));
        assert!(!entry.contains_key("label"), "{entry}");
    })
    .await;
}

#[tokio::test]
async fn what_is_referred_to_is_not_deleted() {
    on_both("referred", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Kit::meta()]).await;
        Part::insert(db, &part(1, "bolt", 5)).await.expect("stored");
        let kit = Kit {
            id: 1,
            parts: vec![KitPart {
                id: 1,
                name: "bolt".to_owned(),
                label: None,
            }],
        };
        kit.save(db).await.expect("stored");
        let refused = Part::delete(db, 1).await;
        let Err(Error::Referenced { model, by, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!((*model, by[0].field.as_str()), ("Part", "Kit.parts"));
        assert_eq!(bench.len("saved_parts").await, 1);
        Kit::delete(db, 1).await.expect("nothing refers to a kit");
        Part::delete(db, 1).await.expect("nothing refers to it");
    })
    .await;
}
