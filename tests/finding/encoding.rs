//! A value is stored, found and set in one and the same form, whatever type the field has.

use std::net::{IpAddr, Ipv4Addr};

use bson::oid::ObjectId;
use bson::spec::ElementType;
use bson::{Bson, Decimal128, doc};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "kebab-case")]
enum Level {
    VeryLow,
    High,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Meters(f64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle {
        #[serde(rename = "r")]
        radius: Meters,
    },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct Extra {
    inner_name: String,
    #[embed(max = 3)]
    inner_tags: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "values")]
#[serde(rename_all = "camelCase")]
struct Values {
    #[serde(rename = "_id")]
    id: i32,
    a_uuid: bson::Uuid,
    a_decimal: Decimal128,
    a_date: bson::DateTime,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    chrono_date: chrono::DateTime<chrono::Utc>,
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    hex_id: String,
    an_oid: ObjectId,
    #[model(opaque)]
    ip_addr: IpAddr,
    small: u32,
    big: u64,
    byte: u8,
    half: f32,
    a_level: Level,
    length: Meters,
    a_shape: Shape,
    binary: bson::Binary,
    stamp: bson::Timestamp,
    #[serde(rename = "n")]
    renamed_field: String,
    #[serde(alias = "oldName")]
    new_name: String,
    maybe: Option<bson::Uuid>,
    pair: [f64; 2],
    #[serde(flatten)]
    extra: Extra,
}

fn date(millis: i64) -> chrono::DateTime<chrono::Utc> {
    bson::DateTime::from_millis(millis).to_chrono()
}

fn first() -> Values {
    Values {
        id: 1,
        a_uuid: bson::Uuid::from_bytes([7; 16]),
        a_decimal: "3.99".parse().expect("a decimal"),
        a_date: bson::DateTime::from_millis(1_234_567_890_123),
        chrono_date: date(1_234_567_890_456),
        hex_id: "507f1f77bcf86cd799439011".to_owned(),
        an_oid: ObjectId::from_bytes([3; 12]),
        ip_addr: IpAddr::V4(Ipv4Addr::new(127, 66, 66, 66)),
        small: u32::MAX,
        big: i64::MAX.cast_unsigned(),
        byte: 255,
        half: 0.5,
        a_level: Level::VeryLow,
        length: Meters(2.5),
        a_shape: Shape::Circle {
            radius: Meters(1.5),
        },
        binary: bson::Binary {
            subtype: bson::spec::BinarySubtype::Generic,
            bytes: vec![1, 2, 3],
        },
        stamp: bson::Timestamp {
            time: 5,
            increment: 6,
        },
        renamed_field: "renamed".to_owned(),
        new_name: "new".to_owned(),
        maybe: Some(bson::Uuid::from_bytes([9; 16])),
        pair: [1.0, 2.0],
        extra: Extra {
            inner_name: "inner".to_owned(),
            inner_tags: vec![1, 2],
        },
    }
}

/// Differs from the first in every field.
fn second() -> Values {
    Values {
        id: 2,
        a_uuid: bson::Uuid::from_bytes([8; 16]),
        a_decimal: "0.40".parse().expect("a decimal"),
        a_date: bson::DateTime::from_millis(1),
        chrono_date: date(2),
        hex_id: "507f191e810c19729de860ea".to_owned(),
        an_oid: ObjectId::from_bytes([4; 12]),
        ip_addr: IpAddr::V4(Ipv4Addr::LOCALHOST),
        small: 1,
        big: 1,
        byte: 1,
        half: 1.0,
        a_level: Level::High,
        length: Meters(0.0),
        a_shape: Shape::Nothing,
        binary: bson::Binary {
            subtype: bson::spec::BinarySubtype::Generic,
            bytes: vec![],
        },
        stamp: bson::Timestamp {
            time: 1,
            increment: 1,
        },
        renamed_field: String::new(),
        new_name: String::new(),
        maybe: None,
        pair: [0.0, 0.0],
        extra: Extra {
            inner_name: String::new(),
            inner_tags: vec![],
        },
    }
}

#[tokio::test]
async fn values_go_round_in_their_own_form() {
    alone("round", async |bench| {
        Values::insert(&bench.db, &first()).await.expect("stored");
        assert_eq!(
            Values::get(&bench.db, 1).await.expect("read"),
            Some(first())
        );
        let stored = bench.stored("values", 1).await;
        let types: Vec<(&str, ElementType)> = stored
            .iter()
            .map(|(key, value)| (key.as_str(), value.element_type()))
            .collect();
        use ElementType as Is;
        let expected = [
            ("_id", Is::Int32),
            ("aUuid", Is::Binary),
            ("aDecimal", Is::Decimal128),
            ("aDate", Is::DateTime),
            ("chronoDate", Is::DateTime),
            ("hexId", Is::ObjectId),
            ("anOid", Is::ObjectId),
            // Serde's form of an address that need not be human-readable.
            ("ipAddr", Is::EmbeddedDocument),
            ("small", Is::Int64),
            ("big", Is::Int64),
            ("byte", Is::Int32),
            ("half", Is::Double),
            ("aLevel", Is::String),
            ("length", Is::Double),
            ("aShape", Is::EmbeddedDocument),
            ("binary", Is::Binary),
            ("stamp", Is::Timestamp),
            ("n", Is::String),
            ("newName", Is::String),
            ("maybe", Is::Binary),
            ("pair", Is::Array),
            ("INNER_NAME", Is::String),
            ("INNER_TAGS", Is::Array),
        ];
        assert_eq!(types, expected);
        assert_eq!(stored.get_str("aLevel").ok(), Some("very-low"));
        let circle = doc! { "kind": "circle", "r": 1.5 };
        assert_eq!(stored.get_document("aShape").ok(), Some(&circle));
        let Some(Bson::Binary(uuid)) = stored.get("aUuid") else {
            panic!("{stored}");
        };
        assert_eq!(uuid.subtype, bson::spec::BinarySubtype::Uuid);
    })
    .await;
}

#[tokio::test]
async fn set_stores_what_insert_stores() {
    alone("set_same", async |bench| {
        let db = &bench.db;
        let v = first();
        Values::insert_many(db, [&v, &second()])
            .await
            .expect("stored");
        Values::update(db, 2)
            .set(|m| m.a_uuid, v.a_uuid)
            .set(|m| m.a_decimal, v.a_decimal)
            .set(|m| m.a_date, v.a_date)
            .set(|m| m.chrono_date, v.chrono_date)
            .set(|m| m.hex_id, &v.hex_id)
            .set(|m| m.an_oid, v.an_oid)
            .set(|m| m.ip_addr, v.ip_addr)
            .set(|m| m.small, v.small)
            .set(|m| m.big, v.big)
            .set(|m| m.byte, v.byte)
            .set(|m| m.half, v.half)
            .set(|m| m.a_level, v.a_level)
            .set(|m| m.length, &v.length)
            .set(|m| m.a_shape, &v.a_shape)
            .set(|m| m.binary, &v.binary)
            .set(|m| m.stamp, v.stamp)
            .set(|m| m.renamed_field, &v.renamed_field)
            .set(|m| m.new_name, &v.new_name)
            .set(|m| m.maybe, v.maybe)
            .set(|m| m.pair, v.pair)
            .set(|m| m.extra.inner_name, &v.extra.inner_name)
            .set(|m| m.extra.inner_tags, &v.extra.inner_tags)
            .await
            .expect("set");
        let inserted = bench.stored("values", 1).await;
        let mut updated = bench.stored("values", 2).await;
        updated.insert("_id", 1);
        assert_eq!(updated, inserted);
    })
    .await;
}

macro_rules! finds {
    ($db:expr, $value:expr, $($field:ident),*) => {$(
        let found = Values::scan($db, |m| m.$field.eq($value.$field.clone())).await.expect("found");
        assert_eq!(found, std::slice::from_ref(&$value), stringify!($field));
        let found = Values::scan($db, |m| m.$field.is_in([$value.$field.clone()])).await.expect("found");
        assert_eq!(found, std::slice::from_ref(&$value), stringify!($field));
    )*};
}

#[tokio::test]
async fn a_filter_finds_what_insert_stores() {
    alone("found_same", async |bench| {
        let db = &bench.db;
        Values::insert_many(db, [&first(), &second()])
            .await
            .expect("stored");
        for v in [first(), second()] {
            finds!(
                db,
                v,
                a_uuid,
                a_decimal,
                a_date,
                chrono_date,
                hex_id,
                an_oid,
                ip_addr,
                small,
                big,
                byte,
                half,
                a_level,
                length,
                a_shape,
                binary,
                stamp,
                renamed_field,
                new_name,
                maybe,
                pair
            );
            let found = Values::scan(db, |m| m.extra.inner_name.eq(&v.extra.inner_name)).await;
            assert_eq!(found.expect("found"), [v]);
        }
        let circles = Values::scan(db, |m| m.a_shape.radius.gt(Meters(1.0))).await;
        assert_eq!(circles.expect("found"), [first()]);
        let tagged = Values::scan(db, |m| m.extra.inner_tags.contains(2)).await;
        assert_eq!(tagged.expect("found"), [first()]);
        let late = Values::scan(db, |m| m.chrono_date.gt(date(1_000))).await;
        assert_eq!(late.expect("found"), [first()]);
    })
    .await;
}

#[tokio::test]
async fn an_alias_is_read_and_never_written() {
    alone("alias", async |bench| {
        let db = &bench.db;
        Values::insert(db, &first()).await.expect("stored");
        bench
            .raw("values")
            .update_one(
                doc! { "_id": 1 },
                doc! { "$rename": { "newName": "oldName" } },
            )
            .await
            .expect("renamed");
        assert_eq!(Values::get(db, 1).await.expect("read"), Some(first()));
        Values::update(db, 1)
            .set(|m| m.new_name, "x")
            .await
            .expect("set");
        assert_eq!(
            bench.stored("values", 1).await.get_str("newName").ok(),
            Some("x")
        );
    })
    .await;
}

#[tokio::test]
async fn a_number_that_bson_cannot_hold_is_refused_before_it_is_sent() {
    alone("too_big", async |bench| {
        let db = &bench.db;
        let over = i64::MAX.cast_unsigned() + 1;
        let found = Values::scan(db, |m| m.big.eq(over)).await.map(drop);
        let set = Values::update(db, 1).set(|m| m.big, over).await.map(drop);
        let big = Values {
            big: over,
            ..first()
        };
        let stored = Values::insert(db, &big).await.map(drop);
        let saved = big.save(db).await.map(drop);
        for (result, place) in [
            (found, "big"),
            (set, "big"),
            (stored, "document"),
            (saved, "document"),
        ] {
            let Err(Error::Encode { model, field, .. }) = &result else {
                panic!("{result:?}");
            };
            assert_eq!((*model, field.as_str()), ("Values", place));
        }
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}
