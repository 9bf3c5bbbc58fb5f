//! Error messages for documents that cannot be read, and for values that cannot be written.

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};
use mongo_model::__private::{decode_document, encode_document};
use mongo_model::{CodecError, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use super::types::*;

fn refused<M: Sample>(document: &Document) -> CodecError {
    let raw = RawDocumentBuf::try_from(document).expect("a document");
    decode_document::<M>(&raw).expect_err("unreadable")
}

/// The sample with another value at a path.
fn with<M: Sample>(path: &[&str], value: impl Into<Bson>) -> Document {
    let mut root = Bson::Document(M::sample());
    let mut at = &mut root;
    for step in path {
        at = match at {
            Bson::Array(values) => &mut values[step.parse::<usize>().expect("an index")],
            Bson::Document(document) => document.get_mut(*step).expect("a field"),
            _ => panic!("{path:?}"),
        };
    }
    *at = value.into();
    match root {
        Bson::Document(document) => document,
        _ => panic!("a document"),
    }
}

/// Another program has widened the number: the message says which type holds it, and not the number.
#[test]
fn an_integer_that_its_type_does_not_hold_is_said_with_both_types() {
    for (value, text) in [
        (
            Bson::from(5_000_000_000_i64),
            "pair.left: expected i32, found an int64 that it does not hold",
        ),
        (
            Bson::from(i64::MIN),
            "pair.left: expected i32, found an int64 that it does not hold",
        ),
    ] {
        let error = refused::<Nested>(&with::<Nested>(&["pair", "left"], value));
        assert_eq!(error.to_string(), text);
        assert_eq!(error.path(), "pair.left");
        assert_eq!(
            (error.expected(), error.found()),
            (Some("i32"), Some("int64"))
        );
    }
    let error = refused::<Numbers>(&with::<Numbers>(&["a"], 300));
    assert_eq!(
        error.to_string(),
        "a: expected i8, found an int32 that it does not hold"
    );
}

#[test]
fn another_type_is_said_with_its_path() {
    let error = refused::<Nested>(&with::<Nested>(&["addresses", "3", "city"], 5));
    assert_eq!(
        error.to_string(),
        "addresses.3.city: expected a string, found int32"
    );
    assert_eq!(error.path(), "addresses.3.city");
    assert_eq!(error.expected(), Some("a string"));
    assert_eq!(error.found(), Some("int32"));
    // Its text repeats the value, and nothing that prints sources is to show it.
    assert!(std::error::Error::source(&error).is_none() && !error.cause().to_string().is_empty());

    for (document, text) in [
        (
            with::<Nested>(&["name"], Bson::Null),
            "name: expected a string, found null",
        ),
        (
            with::<Nested>(&["pair", "left"], "x"),
            "pair.left: expected i32, found string",
        ),
        (
            with::<Nested>(&["pairs", "left", "more", "0"], 2.5),
            "pairs.left.more.0: expected a string, found double",
        ),
        (
            with::<Nested>(&["address"], 1),
            "address: expected struct Address, found int32",
        ),
    ] {
        assert_eq!(refused::<Nested>(&document).to_string(), text);
    }
    for (document, text) in [
        (
            with::<Values>(&["time"], "x"),
            "time: expected a date, found string",
        ),
        (
            with::<Values>(&["_id"], DateTime::from_millis(1)),
            "_id: expected an ObjectId, found date",
        ),
        (
            with::<Values>(&["_id"], 5),
            "_id: expected an ObjectId, found int32",
        ),
        (
            with::<Values>(&["_id"], "no id"),
            "_id: invalid value: string, expected 24-character, big-endian hex string",
        ),
        (
            with::<Values>(&["uuid"], true),
            "uuid: expected a UUID, found bool",
        ),
    ] {
        assert_eq!(refused::<Values>(&document).to_string(), text);
    }
    assert_eq!(
        refused::<Holder>(&with::<Holder>(&["sources", "1", "name"], 1.5)).to_string(),
        "sources.1.name: expected a string, found double"
    );
}

#[test]
fn a_missing_field_is_named() {
    let mut document = Nested::sample();
    document.remove("state");
    let error = refused::<Nested>(&document);
    assert_eq!(error.to_string(), "state: missing");
    assert!(error.is_missing());

    let error = refused::<Nested>(&with::<Nested>(
        &["addresses", "11"],
        doc! { "zip": 1, "states": ["open", "open"] },
    ));
    assert_eq!(error.to_string(), "addresses.11.city: missing");
}

#[test]
fn what_else_serde_says_is_kept() {
    let error = refused::<Nested>(&with::<Nested>(&["state"], "nonsense"));
    assert!(
        error
            .to_string()
            .starts_with("state: unknown variant `nonsense`"),
        "{error}"
    );
    let error = refused::<ByHand>(&with::<ByHand>(&["even", "n"], 3));
    assert_eq!(error.to_string(), "even: odd");

    // Twice the same field.
    let mut twice = RawDocumentBuf::try_from(&Strict::sample()).expect("a document");
    twice.append(bson::raw::cstr!("a"), "c");
    let error = decode_document::<Strict>(&twice).expect_err("unreadable");
    assert_eq!(error.to_string(), "a: duplicate field `a`");
    assert_eq!(error.path(), "a");
}

#[test]
fn what_bson_cannot_hold_is_named() {
    let read = |document: Document| {
        let raw = RawDocumentBuf::try_from(&document).expect("a document");
        decode_document::<Numbers>(&raw).expect("readable")
    };
    let mut numbers = read(Numbers::sample());
    numbers.h = u64::MAX;
    let error = encode_document(&numbers).expect_err("too large");
    assert_eq!(error.path(), "h");

    let raw = RawDocumentBuf::try_from(&Nested::sample()).expect("a document");
    let mut nested = decode_document::<Nested>(&raw).expect("readable");
    nested.addresses[2].states[1] = State::Unknown;
    let error = encode_document(&nested).expect_err("a skipped variant");
    assert_eq!(error.path(), "addresses.2.states.1");
}

// Serde reads the fields next to a tag from a buffer, without a path.
#[test]
fn what_is_beside_a_tag_is_named() {
    let said =
        |path: &[&str], value: Bson| refused::<Events>(&with::<Events>(path, value)).to_string();
    let text = said(&["events", "1", "text"], 5.into());
    assert_eq!(text, "events.1.text: expected a string, found int32");
    // The tag stands behind it.
    let text = said(&["events", "4", "payment", "month"], "x".into());
    assert_eq!(text, "events.4.payment.month: expected i32, found string");
    let text = said(&["events", "4", "addresses", "1", "states", "0"], 7.into());
    assert!(
        text.starts_with("events.4.addresses.1.states.0: "),
        "{text}"
    );
    let text = said(&["events", "6", "zip"], "z".into());
    assert_eq!(text, "events.6.zip: expected i32, found string");
    let text = said(&["outer", "b"], "z".into());
    assert_eq!(text, "outer.b: expected i32, found string");
    let text = said(&["events", "0", "kind"], "robot".into());
    assert!(
        text.starts_with(
            "events.0.kind: unknown variant `robot`, expected one of `nothing`, `all_text`"
        ),
        "{text}"
    );
    let text = said(&["events", "0", "kind"], 5.into());
    assert!(text.starts_with("events.0.kind: expected "), "{text}");
    let text = said(&["external", "3", "Fields", "n"], "z".into());
    assert_eq!(text, "external.3.Fields.n: expected i32, found string");
    let text = said(&["topics", "0", "id"], "z".into());
    assert_eq!(text, "topics.0.id: expected i64, found string");
    let text = said(&["events", "3"], "z".into());
    assert_eq!(
        text,
        "events.3: expected internally tagged enum Event, found string"
    );
}

#[test]
fn what_is_missing_beside_a_tag_is_named() {
    let said = |path: &[&str], value: Document| {
        let error = refused::<Events>(&with::<Events>(path, value));
        assert!(error.is_missing(), "{error}");
        error.path().to_owned()
    };
    assert_eq!(said(&["maybe"], doc! { "text": "x" }), "maybe.kind");
    assert_eq!(said(&["maybe"], doc! { "kind": "strict" }), "maybe.b");
    assert_eq!(
        said(&["events", "4", "address"], doc! { "city": "c" }),
        "events.4.address.states"
    );
    assert_eq!(
        said(
            &["events", "4", "addresses", "1"],
            doc! { "states": ["open", "open"] }
        ),
        "events.4.addresses.1.city"
    );
    assert_eq!(said(&["outer"], doc! { "outer": "Event" }), "outer.kind");
}

#[test]
fn a_tag_is_there_once() {
    let mut twice = RawDocumentBuf::try_from(&doc! { "kind": "nothing" }).expect("a document");
    twice.append(bson::raw::cstr!("kind"), "nothing");
    let mut document = RawDocumentBuf::new();
    for element in &RawDocumentBuf::try_from(&Events::sample()).expect("a document") {
        let (key, value) = element.expect("an element");
        if key != "maybe" {
            document.append(key, value);
        }
    }
    document.append(bson::raw::cstr!("maybe"), twice);
    let error = decode_document::<Events>(&document).expect_err("unreadable");
    assert_eq!(error.to_string(), "maybe.kind: duplicate field `kind`");
}

/// Two flattened groups, one of them with a third inside, before the struct's last field.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "houses")]
pub struct House {
    #[serde(rename = "_id")]
    pub id: Id<House>,
    #[serde(flatten)]
    pub place: Place,
    #[serde(flatten)]
    pub price: Price,
    pub name: String,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub street: String,
    #[serde(flatten)]
    pub area: Area,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Area {
    pub zip: i32,
    #[embed(max = 3)]
    pub rooms: Vec<Room>,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Room {
    #[serde(flatten)]
    pub size: RoomSize,
    pub title: String,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct RoomSize {
    pub width: f64,
    pub length: f64,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "currency")]
pub enum Price {
    Euro { amount: i64, vat: i64 },
    Free,
}

impl Sample for House {
    fn sample() -> Document {
        doc! {
            "_id": id(), "amount": 5_i64, "zip": 5, "vat": 19_i64, "street": "s", "currency": "Euro",
            "rooms": [{ "width": 1.0, "title": "t", "length": 1.0 }, { "width": 1.0, "title": "t", "length": 1.0 }],
            "name": "n",
        }
    }
}

// Serde reads a flattened field out of a buffer, after all fields that the struct itself names, and without a path.
#[test]
fn what_is_in_a_flattened_field_is_named() {
    let said = |path: &[&str], value: Bson| {
        let error = refused::<House>(&with::<House>(path, value));
        (error.path().to_owned(), error.found())
    };
    for path in [
        "street",
        "zip",
        "rooms.1.width",
        "rooms.0.length",
        "rooms.1.title",
        "amount",
        "vat",
        "name",
        "_id",
    ] {
        let steps: Vec<&str> = path.split('.').collect();
        assert_eq!(said(&steps, true.into()), (path.to_owned(), Some("bool")));
        let mut lacks = Bson::Document(House::sample());
        let (last, outer) = steps.split_last().expect("a step");
        let holder = outer.iter().fold(&mut lacks, |at, step| match at {
            Bson::Array(values) => &mut values[step.parse::<usize>().expect("an index")],
            Bson::Document(document) => document.get_mut(*step).expect("a field"),
            _ => panic!("{path}"),
        });
        holder.as_document_mut().expect("a document").remove(last);
        let error = refused::<House>(lacks.as_document().expect("a document"));
        assert!(error.is_missing(), "{error}");
        assert_eq!(error.path(), path);
    }
    let (path, _) = said(&["currency"], "Dollar".into());
    assert_eq!(path, "currency");
    // The first of two that are wrong in one group is the one that serde says.
    let mut two = with::<House>(&["vat"], true);
    two.insert("street", 1);
    assert_eq!(
        refused::<House>(&two).to_string(),
        "street: expected a string, found int32"
    );
}
