//! Models that use everything the derives accept of serde, each with a document that it reads.

#[path = "enums.rs"]
mod enums;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Decimal128, Document, RawDocumentBuf, bson, doc};
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::enums::{Event, Events, External, Kinds, Oddities, Open, Outer, Topic};

/// A model with the documents that tests begin with.
pub(crate) trait Sample: MongoModel + std::fmt::Debug {
    /// True if all of its codec is generated, so that a plain document must not need serde.
    const GENERATED: bool = true;

    fn sample() -> Document;
}

pub(crate) fn id() -> ObjectId {
    ObjectId::from_bytes(*b"abcdefghijkl")
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "numbers")]
pub struct Numbers {
    #[serde(rename = "_id")]
    pub id: Id<Numbers, i64>,
    pub a: i8,
    pub b: i16,
    pub c: i32,
    pub d: i64,
    pub e: u8,
    pub f: u16,
    #[model(opaque)]
    pub g: u32,
    #[model(opaque)]
    pub h: u64,
    pub i: f32,
    pub j: f64,
    #[model(opaque)]
    pub k: usize,
    pub l: isize,
    pub m: Option<i32>,
    pub n: Option<f64>,
    pub o: bool,
}

impl Sample for Numbers {
    fn sample() -> Document {
        doc! { "_id": 7_i64, "a": 1, "b": 2, "c": 3, "d": 4_i64, "e": 5, "f": 6, "g": 7_i64, "h": 8_i64, "i": 9.5,
        "j": 10.25, "k": 11_i64, "l": 12_i64, "m": 13, "n": Bson::Null, "o": true }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "values")]
pub struct Values {
    #[serde(rename = "_id")]
    pub id: Id<Values>,
    pub text: String,
    pub one: char,
    pub time: DateTime,
    pub decimal: Decimal128,
    pub uuid: bson::Uuid,
    pub binary: bson::Binary,
    pub timestamp: bson::Timestamp,
    pub any: Bson,
    #[model(allow(embed_map, reason = "a test"))]
    pub document: Document,
    pub other: Id<Numbers, i64>,
    pub boxed: Box<i64>,
    pub maybe: Option<Box<DateTime>>,
}

impl Sample for Values {
    fn sample() -> Document {
        doc! {
            "_id": id(), "text": "grüße", "one": "ß", "time": DateTime::from_millis(-5), "decimal": Decimal128::from_bytes([7; 16]),
            "uuid": bson::Uuid::from_bytes([3; 16]), "binary": bson::Binary { subtype: 0x80.into(), bytes: vec![1, 2, 3] },
            "timestamp": bson::Timestamp { time: 7, increment: 9 }, "any": [1, { "b": 2.5 }, "x", DateTime::from_millis(1)],
            "document": { "a": { "b": [id(), Bson::Null] }, "": 1 }, "other": 4, "boxed": 5, "maybe": DateTime::MAX,
        }
    }
}

/// By serde, field by field.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "others")]
pub struct Others {
    #[serde(rename = "_id")]
    pub id: Id<Others>,
    pub regex: Option<bson::Regex>,
    #[model(allow(embed_map, reason = "a test"))]
    pub raw: RawDocumentBuf,
    pub pair: (i32, String),
    #[model(opaque)]
    pub opaque: Opaque,
    #[model(opaque)]
    pub maybe: Option<Opaque>,
    #[model(opaque)]
    pub many: Vec<Opaque>,
    #[model(opaque)]
    pub nothing: (),
    pub name: String,
}

impl Sample for Others {
    fn sample() -> Document {
        doc! { "_id": id(), "regex": Bson::Null, "raw": { "a": [1, 2] }, "pair": [1, "x"], "opaque": { "a": 1, "b": "c" },
        "maybe": { "a": 1, "b": "c" }, "many": [{ "a": 1, "b": "c" }], "nothing": Bson::Null, "name": "n" }
    }
}

/// A type that our derives do not know.
#[derive(Debug, Serialize, Deserialize)]
pub struct Opaque {
    pub a: i32,
    pub b: String,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "attributes")]
#[serde(rename_all = "camelCase")]
pub struct Attributes {
    #[serde(rename = "_id")]
    pub id: Id<Attributes>,
    pub two_words: String,
    #[serde(rename = "Größe")]
    pub size: i32,
    #[serde(alias = "first", alias = "second")]
    pub aliased: i32,
    #[serde(rename(serialize = "out", deserialize = "in"), alias = "out")]
    pub both_ways: Option<i32>,
    #[serde(default)]
    pub defaulted: String,
    #[serde(default = "eleven")]
    pub by_function: i32,
    #[serde(default)]
    pub maybe: Option<i64>,
    #[serde(skip)]
    pub skipped: Vec<i32>,
    #[serde(skip, default = "eleven")]
    pub skipped_by_function: i32,
    #[serde(skip_serializing, default)]
    pub only_read: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_some: Option<String>,
    #[serde(default, skip_serializing_if = "small")]
    pub if_large: i32,
    pub r#type: String,
}

fn eleven() -> i32 {
    11
}

fn small(n: &i32) -> bool {
    *n < 10
}

impl Sample for Attributes {
    fn sample() -> Document {
        doc! { "_id": id(), "twoWords": "a b", "Größe": 3, "aliased": 4, "in": 5, "defaulted": "d", "byFunction": 6, "maybe": 7_i64,
        "onlyRead": 8, "ifSome": "x", "ifLarge": 12, "type": "t" }
    }
}

mod seconds {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        value: &DateTime,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(value.timestamp_millis() / 1000)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<DateTime, D::Error> {
        let seconds = i64::deserialize(deserializer)?;
        let millis = seconds.checked_mul(1000);
        millis
            .map(DateTime::from_millis)
            .ok_or_else(|| serde::de::Error::custom("too late"))
    }
}

fn shout<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text.to_uppercase())
}

fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
    Ok(Option::<i32>::deserialize(deserializer)?.filter(|n| *n > 0))
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "functions")]
pub struct Functions {
    #[serde(rename = "_id")]
    pub id: Id<Functions>,
    #[serde(with = "seconds")]
    pub time: DateTime,
    #[serde(serialize_with = "shout")]
    pub loud: String,
    #[serde(deserialize_with = "lenient")]
    pub lenient: Option<i32>,
    #[serde(deserialize_with = "lenient", default)]
    pub absent: Option<i32>,
    #[serde(with = "seconds", default = "epoch", skip_serializing_if = "is_epoch")]
    pub later: DateTime,
    #[serde(with = "bson::serde_helpers::datetime::FromI64")]
    pub millis: i64,
}

fn epoch() -> DateTime {
    DateTime::from_millis(0)
}

fn is_epoch(date: &DateTime) -> bool {
    *date == epoch()
}

impl Sample for Functions {
    fn sample() -> Document {
        doc! { "_id": id(), "time": 5_i64, "loud": "ab", "lenient": 3, "absent": 4, "later": 1, "millis": DateTime::from_millis(77) }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "defaults")]
#[serde(default)]
pub struct Defaults {
    #[serde(rename = "_id")]
    pub id: Id<Defaults>,
    pub name: String,
    pub count: i32,
    #[serde(default)]
    pub own: i32,
    #[serde(skip)]
    pub skipped: i32,
    pub maybe: Option<i32>,
}

impl Default for Defaults {
    fn default() -> Self {
        Defaults {
            id: Id::from_raw(id()),
            name: "unnamed".to_owned(),
            count: 42,
            own: 43,
            skipped: 44,
            maybe: Some(45),
        }
    }
}

impl Sample for Defaults {
    fn sample() -> Document {
        doc! { "_id": id(), "name": "n", "count": 1, "own": 2, "maybe": 3 }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "strict")]
#[serde(deny_unknown_fields, default = "strict")]
pub struct Strict {
    #[serde(rename = "_id")]
    pub id: Id<Strict>,
    pub a: String,
    pub b: Option<i32>,
}

fn strict() -> Strict {
    Strict {
        id: Id::from_raw(id()),
        a: "a".to_owned(),
        b: None,
    }
}

impl Sample for Strict {
    fn sample() -> Document {
        doc! { "_id": id(), "a": "b", "b": 1 }
    }
}

#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, MongoEmbed,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Open,
    #[serde(alias = "done")]
    AllDone,
    #[serde(rename = "in work")]
    InWork,
    #[serde(skip)]
    Unknown,
    #[serde(skip_serializing)]
    Old,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub enum Lenient {
    Known,
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, MongoEmbed)]
pub struct Name(pub String);

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub zip: Option<i32>,
    pub states: [State; 2],
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Pair<T> {
    pub left: T,
    pub right: Option<Box<T>>,
    #[embed(max = 5)]
    pub more: Vec<T>,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Cash,
    Card { number: String, month: i32 },
    Other(Address),
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "nested")]
pub struct Nested {
    #[serde(rename = "_id")]
    pub id: Id<Nested>,
    pub name: Name,
    pub state: State,
    pub lenient: Lenient,
    pub address: Address,
    pub maybe: Option<Box<Address>>,
    #[embed(max = 100)]
    pub addresses: Vec<Address>,
    pub pair: Pair<i32>,
    pub pairs: Pair<Pair<String>>,
    pub payment: Payment,
    #[embed(max = 9)]
    pub states: BTreeSet<State>,
}

impl Sample for Nested {
    fn sample() -> Document {
        let address = doc! { "city": "Köln", "zip": 5, "states": ["open", "done"] };
        let pair = doc! { "left": "a", "right": Bson::Null, "more": ["b"] };
        doc! { "_id": id(), "name": "n", "state": "in work", "lenient": "Known", "address": address.clone(), "maybe": address.clone(),
        "addresses": vec![address.clone(); 12], "pair": { "left": 1, "right": 2, "more": [3, 4] },
        "pairs": { "left": pair.clone(), "right": pair.clone(), "more": [pair] },
        "payment": { "kind": "Card", "number": "1", "month": 2 }, "states": ["open", "all_done"] }
    }
}

/// A part of [`Nested`].
#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Nested)]
#[expect(dead_code, reason = "printed")]
pub(crate) struct NestedPart {
    name: Name,
    #[projection(nested)]
    address: City,
    #[projection(nested)]
    addresses: Vec<City>,
    payment: Payment,
    states: BTreeSet<State>,
}

#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Address)]
#[expect(dead_code, reason = "printed")]
pub(crate) struct City {
    city: String,
}

/// One order in every run, so that two sets with the same values print the same.
pub(crate) type Fixed = BuildHasherDefault<DefaultHasher>;

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "many")]
pub struct Many {
    #[serde(rename = "_id")]
    pub id: Id<Many>,
    #[embed(max = 9)]
    pub list: Vec<[i32; 2]>,
    #[embed(max = 9)]
    pub queue: VecDeque<Option<String>>,
    #[embed(max = 1)]
    pub set: HashSet<String, Fixed>,
    #[embed(max = 9)]
    pub numbers: BTreeSet<i32>,
    #[embed(max = 9)]
    pub slice: Box<[i64]>,
    pub array: [f64; 3],
    #[model(allow(embed_map, reason = "a test"))]
    pub map: BTreeMap<String, Option<i32>>,
    #[model(allow(embed_map, reason = "a test"))]
    pub hashed: HashMap<String, Vec<bool>, Fixed>,
    #[embed(max = 9)]
    pub any: Vec<Bson>,
}

impl Sample for Many {
    fn sample() -> Document {
        doc! { "_id": id(), "list": [[1, 2], [3, 4]], "queue": ["a", Bson::Null], "set": ["x"], "numbers": [3, 1, 3], "slice": [1, 2],
        "array": [1, 2.5, 3_i64], "map": { "a": 1, "b": Bson::Null }, "hashed": { "k": [true, false] },
        "any": [1, "x", [true], { "y": bson!({}) }] }
    }
}

/// Serde does all of these.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "flat")]
pub struct Flat {
    #[serde(rename = "_id")]
    pub id: Id<Flat>,
    #[serde(flatten)]
    pub address: Address,
    pub name: String,
}

impl Sample for Flat {
    const GENERATED: bool = false;

    fn sample() -> Document {
        doc! { "_id": id(), "city": "c", "zip": 5, "states": ["open", "open"], "name": "n" }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "renamed")]
#[serde(rename = "$date")]
pub struct Renamed {
    #[serde(rename = "_id")]
    pub id: Id<Renamed>,
    pub name: String,
}

impl Sample for Renamed {
    const GENERATED: bool = false;

    fn sample() -> Document {
        doc! { "_id": id(), "name": "n" }
    }
}

/// Serde written by hand: the attributes say nothing of it.
#[derive(Debug, MongoEmbed)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.x, self.y).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (x, y) = Deserialize::deserialize(deserializer)?;
        Ok(Point { x, y })
    }
}

/// Read through another struct, and checked.
#[derive(Debug, Serialize, MongoEmbed)]
pub struct Even {
    pub n: i32,
}

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Any {
            n: i32,
        }
        match Any::deserialize(deserializer)?.n {
            n if n % 2 == 0 => Ok(Even { n }),
            _ => Err(serde::de::Error::custom("odd")),
        }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "by_hand")]
pub struct ByHand {
    #[serde(rename = "_id")]
    pub id: Id<ByHand>,
    pub point: Point,
    pub even: Even,
    pub name: String,
}

impl Sample for ByHand {
    const GENERATED: bool = false;

    fn sample() -> Document {
        doc! { "_id": id(), "point": [1, 2], "even": { "n": 4 }, "name": "n" }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "sources")]
pub struct Source {
    #[serde(rename = "_id")]
    pub id: Id<Source>,
    pub name: String,
    #[serde(with = "seconds")]
    pub since: DateTime,
    pub note: Option<String>,
}

impl Sample for Source {
    fn sample() -> Document {
        doc! { "_id": id(), "name": "n", "since": 5, "note": "x" }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "holders")]
pub struct Holder {
    #[serde(rename = "_id")]
    pub id: Id<Holder>,
    #[refs(Source, max = 20)]
    #[denorm(from = Source, fields(name, since, note))]
    pub sources: Vec<SourceEntry>,
}

impl Sample for Holder {
    fn sample() -> Document {
        let entry = doc! { "id": id(), "name": "n", "since": 5, "note": Bson::Null };
        doc! { "_id": id(), "sources": [entry.clone(), entry] }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "documents")]
pub struct Documents {
    #[serde(rename = "_id")]
    pub id: Id<Documents, Document>,
    #[model(allow(embed_map, reason = "a test"))]
    pub inside: Option<Document>,
    #[serde(default)]
    pub any: Bson,
}

impl Sample for Documents {
    fn sample() -> Document {
        doc! { "_id": { "a": 1 }, "inside": { "b": { "c": 1 } }, "any": { "d": bson!(null) } }
    }
}

/// Checks that these types are elements: others go through serde, and no other test would notice.
#[test]
fn elements() {
    fn is_element<T: mongo_model::__private::Element>() {}
    is_element::<State>();
    is_element::<Name>();
    is_element::<Address>();
    is_element::<Payment>();
    is_element::<Event>();
    is_element::<Open>();
    is_element::<Outer>();
    is_element::<Topic>();
    is_element::<External>();
    is_element::<Pair<Pair<Address>>>();
    is_element::<SourceEntry>();
    // Not in a document here: serde has them behind a feature.
    is_element::<Arc<String>>();
}
