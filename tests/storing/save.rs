//! `save`: new, there already, and a source of copies.

use bson::doc;
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::{Person, person};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
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

#[tokio::test]
async fn a_source_is_saved_while_its_copied_fields_stay() {
    on_both("source", async |bench| {
        let db = &bench.db;
        part(1, "bolt", 5).save(db).await.expect("stored");
        assert_eq!(
            Part::get(db, 1).await.expect("read"),
            Some(part(1, "bolt", 5))
        );
        bench.forget();
        part(1, "bolt", 6).save(db).await.expect("replaced");
        assert_eq!(
            bench.sent(),
            ["update"],
            "one round trip for the normal case"
        );
        assert_eq!(
            Part::get(db, 1).await.expect("read"),
            Some(part(1, "bolt", 6))
        );

        let renamed = part(1, "nut", 7).save(db).await;
        let Err(Error::Unsupported { what }) = &renamed else {
            panic!("{renamed:?}");
        };
        assert!(
            what.contains("Part.name") && what.contains("Kit.parts.name"),
            "{what}"
        );
        let labelled = Part {
            label: Some("x".to_owned()),
            ..part(1, "bolt", 6)
        };
        let refused = labelled.save(db).await;
        let Err(Error::Unsupported { what }) = &refused else {
            panic!("{refused:?}");
        };
        assert!(what.contains("Part.label"), "{what}");
        let stored = bench.stored("parts", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "n": "bolt", "qty": 6_i64 });
    })
    .await;
}

#[tokio::test]
async fn what_is_referred_to_is_not_deleted() {
    on_both("referred", async |bench| {
        let db = &bench.db;
        Part::insert(db, &part(1, "bolt", 5)).await.expect("stored");
        bench.forget();
        let refused = Part::delete(db, 1).await;
        let Err(Error::Unsupported { what }) = &refused else {
            panic!("{refused:?}");
        };
        assert!(
            what.contains("Part") && what.contains("Kit.parts"),
            "{what}"
        );
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(bench.len("parts").await, 1);
        let kit = Kit {
            id: 1,
            parts: vec![],
        };
        kit.save(db).await.expect("stored");
        Kit::delete(db, 1).await.expect("nothing refers to a kit");
    })
    .await;
}
