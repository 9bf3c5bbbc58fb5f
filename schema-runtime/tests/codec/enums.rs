//! Enums, in every tagging that serde has.

#![allow(
    clippy::large_enum_variant,
    reason = "the variants are there to differ"
)]

use super::*;

/// Everything that a field may be, once serde has put it into a buffer.
#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Event {
    Nothing,
    #[serde(alias = "texts", alias = "open")]
    AllText {
        text: String,
        one: char,
        #[serde(alias = "a")]
        two_words: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        maybe: Option<String>,
    },
    Numbers {
        a: i8,
        b: u16,
        c: i32,
        d: i64,
        #[model(opaque)]
        h: u64,
        i: f32,
        j: f64,
        m: Option<i32>,
        o: bool,
        #[serde(skip)]
        skipped: i32,
        #[serde(default = "eleven")]
        by_function: i32,
    },
    Values {
        time: DateTime,
        decimal: Decimal128,
        uuid: bson::Uuid,
        binary: bson::Binary,
        timestamp: bson::Timestamp,
        other: Id<Numbers>,
        id: Id<Values, i64>,
        any: Bson,
        #[model(allow(embed_map, reason = "a test"))]
        document: Document,
    },
    Inside {
        state: State,
        lenient: Lenient,
        name: Name,
        address: Address,
        #[embed(max = 9)]
        addresses: Vec<Address>,
        maybe_address: Option<Box<Address>>,
        payment: Payment,
        #[embed(max = 9)]
        numbers: BTreeSet<i32>,
        array: [f64; 2],
        #[model(allow(embed_map, reason = "a test"))]
        map: BTreeMap<String, Option<i32>>,
    },
    BySerde {
        #[serde(with = "seconds")]
        since: DateTime,
        #[serde(serialize_with = "shout")]
        loud: String,
        #[serde(deserialize_with = "lenient", default)]
        few: Option<i32>,
        pair: (i32, String),
        #[model(opaque)]
        opaque: Opaque,
        regex: Option<bson::Regex>,
    },
    #[serde(rename = "the address")]
    Address(Address),
    Strict(StrictPart),
    Renamed(Point),
    #[serde(skip)]
    InMemory,
    #[serde(skip_serializing)]
    Old {
        n: i32,
    },
}

/// It does not know the tag that stands beside its fields.
#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(deny_unknown_fields)]
pub struct StrictPart {
    pub a: Option<String>,
    pub b: i32,
}

/// Unknown tags are let in, whatever stands beside them.
#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", deny_unknown_fields)]
pub enum Open {
    Known,
    Counted {
        n: i32,
    },
    Inner(Event),
    #[serde(other)]
    Unknown,
}

/// Two tags in one document, of which the inner one may be the same.
#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "outer")]
pub enum Outer {
    Event(Event),
    Boxed(Box<Open>),
    Pair(Pair<i32>),
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Topic {
    Numbers(#[parent(Numbers)] Id<Numbers, i64>),
    Values(#[parent(Values)] Id<Values>),
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[model(allow(enum_untagged, reason = "a test"))]
pub enum External {
    Nothing,
    Text(String),
    #[serde(alias = "a")]
    Address(Address),
    Fields {
        n: i32,
        maybe: Option<bool>,
    },
    Opaque(#[model(opaque)] Opaque),
    #[serde(skip)]
    InMemory(i32),
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", content = "in")]
pub enum Units {
    A,
    #[serde(alias = "open")]
    B,
    #[serde(other)]
    C,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Events {
    #[serde(rename = "_id")]
    pub id: Id<Events>,
    #[embed(max = 20)]
    pub events: Vec<Event>,
    pub maybe: Option<Event>,
    pub open: Open,
    pub outer: Outer,
    #[embed(max = 20)]
    pub topics: Vec<Topic>,
    #[model(opaque)]
    #[embed(max = 20)]
    pub external: Vec<External>,
    pub units: Units,
    pub name: String,
}

impl Sample for Events {
    fn sample() -> Document {
        let address = doc! { "city": "Köln", "zip": 5, "states": ["open", "done"] };
        let mut tagged = doc! { "kind": "the address" };
        tagged.extend(address.clone());
        let inside = doc! { "kind": "inside", "state": "in work", "lenient": "Known", "name": "n", "address": address.clone(),
        "addresses": vec![address.clone(); 2], "maybeAddress": address.clone(), "payment": { "month": 3, "kind": "Card", "number": "1" },
        "numbers": [3, 1], "array": [1, 2.5], "map": { "a": 1, "b": Bson::Null } };
        let events = vec![
            doc! { "kind": "nothing" },
            doc! { "kind": "all_text", "text": "grüße", "one": "ß", "twoWords": "x y", "maybe": "m" },
            doc! { "kind": "numbers", "a": 1, "b": 2, "c": 3, "d": 4_i64, "h": 5_i64, "i": 6.5, "j": 7.25, "m": Bson::Null, "o": true, "byFunction": 8 },
            values(),
            inside,
            doc! { "kind": "by_serde", "since": 5_i64, "loud": "ab", "few": 3, "pair": [1, "x"], "opaque": { "a": 1, "b": "c" }, "regex": Bson::Null },
            tagged,
            doc! { "kind": "strict", "a": "x", "b": 2 },
        ];
        doc! { "_id": id(), "events": events, "maybe": { "kind": "nothing" }, "open": { "kind": "Other", "a": [1] },
        "outer": { "outer": "Event", "kind": "strict", "b": 2 }, "topics": [{ "type": "Numbers", "id": 7_i64 }, { "type": "Values", "id": id() }],
        "external": ["Nothing", { "Text": "t" }, { "Address": address }, { "Fields": { "n": 1 } }, { "Opaque": { "a": 1, "b": "c" } }],
        "units": { "kind": "A" }, "name": "n" }
    }
}

fn values() -> Document {
    doc! {
        "kind": "values", "time": DateTime::from_millis(-5), "decimal": Decimal128::from_bytes([7; 16]), "uuid": bson::Uuid::from_bytes([3; 16]),
        "binary": bson::Binary { subtype: 0x80.into(), bytes: vec![1, 2, 3] }, "timestamp": bson::Timestamp { time: 7, increment: 9 },
        "other": id(), "id": 4_i64, "any": [1, { "b": 2.5 }, "x", DateTime::from_millis(1)], "document": { "a": { "b": [id(), Bson::Null] }, "": 1 },
    }
}

/// Read as another enum, and checked.
#[derive(Debug, Serialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Odd {
    A { n: i32 },
    B,
}

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(tag = "kind")]
        enum Any {
            A { n: i32 },
            B,
        }
        match Any::deserialize(deserializer)? {
            Any::A { n } if n % 2 == 0 => Err(serde::de::Error::custom("even")),
            Any::A { n } => Ok(Odd::A { n }),
            Any::B => Ok(Odd::B),
        }
    }
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "oddities")]
pub struct Oddities {
    #[serde(rename = "_id")]
    pub id: Id<Oddities>,
    pub odd: Odd,
    pub point: Point,
}

impl Sample for Oddities {
    const GENERATED: bool = false;

    fn sample() -> Document {
        doc! { "_id": id(), "odd": { "kind": "A", "n": 3 }, "point": [1, 2] }
    }
}

/// A model of several kinds: the whole document has a tag.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "kinds")]
pub enum Kinds {
    #[serde(rename = "open")]
    First(First),
    Second(Second),
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct First {
    #[serde(rename = "_id")]
    pub id: Id<Kinds>,
    pub a: i32,
    pub address: Option<Address>,
    pub since: bson::Uuid,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Second {
    #[serde(rename = "_id")]
    pub id: Id<Kinds>,
    pub b: Event,
}

impl Sample for Kinds {
    fn sample() -> Document {
        let address = doc! { "city": "c", "zip": 5, "states": ["open", "open"] };
        doc! { "_id": id(), "kind": "open", "a": 1, "address": address, "since": bson::Uuid::from_bytes([3; 16]), "b": { "kind": "nothing" } }
    }
}
