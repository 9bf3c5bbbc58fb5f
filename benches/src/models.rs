//! The documents that are measured, and how they are made up.

use bson::DateTime;
use bson::oid::ObjectId;
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::seeded::Seeded;

/// A flat document with a date, 217 bytes; one of a million of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub(crate) struct LogMsg {
    #[serde(rename = "_id")]
    pub(crate) id: Id<LogMsg>,
    pub(crate) time: DateTime,
    pub(crate) message: String,
    #[parent(Host, sort = -time)]
    pub(crate) host: Id<Host>,
    pub(crate) level: String,
    pub(crate) source: String,
    pub(crate) code: i32,
}

/// All of a [`LogMsg`], its text borrowed.
#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = LogMsg)]
pub(crate) struct Line<'a> {
    #[serde(rename = "_id")]
    pub(crate) id: Id<LogMsg>,
    pub(crate) time: DateTime,
    pub(crate) message: &'a str,
    pub(crate) host: Id<Host>,
    pub(crate) level: &'a str,
    pub(crate) source: &'a str,
    pub(crate) code: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Host>,
    #[index(unique)]
    pub(crate) ipaddr: String,
}

/// A flat document of nine fields, 258 bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub(crate) struct Part {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Part>,
    pub(crate) name: String,
    pub(crate) sku: String,
    pub(crate) cost: f64,
    pub(crate) qty: i64,
    pub(crate) weight: i32,
    pub(crate) active: bool,
    pub(crate) vendor: String,
    pub(crate) note: String,
}

/// A document that refers to 200 parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub(crate) struct Product {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Product>,
    pub(crate) name: String,
    #[index]
    pub(crate) shelf: i32,
    #[refs(Part, max = 200)]
    pub(crate) parts: Vec<Id<Part>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Entry {
    pub(crate) id: ObjectId,
    pub(crate) name: String,
}

/// A document with 20 embedded ones, 1,295 bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "dn")]
pub(crate) struct Dn {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Dn>,
    pub(crate) time: DateTime,
    pub(crate) name: String,
    pub(crate) qty: i64,
    pub(crate) cost: f64,
    #[embed(max = 20)]
    pub(crate) parts: Vec<Entry>,
}

/// A flat document with half of its fields absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sparse")]
pub(crate) struct Sparse {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Sparse>,
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) sku: String,
    pub(crate) cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) qty: Option<i64>,
    pub(crate) weight: i32,
    pub(crate) active: Option<bool>,
    #[serde(default)]
    pub(crate) vendor: Option<String>,
    pub(crate) note: Option<String>,
}

/// A document with eight embedded ones of several kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ledgers")]
pub(crate) struct Ledger {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Ledger>,
    pub(crate) name: String,
    #[embed(max = 20)]
    pub(crate) payments: Vec<Payment>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub(crate) enum Payment {
    Cash,
    Card {
        number: String,
        month: i32,
        year: i32,
        time: DateTime,
    },
    Transfer(Transfer),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Transfer {
    pub(crate) account: ObjectId,
    pub(crate) amount: f64,
    pub(crate) note: Option<String>,
}

/// A source of copies, one of which is its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "gears")]
pub(crate) struct Gear {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Gear>,
    pub(crate) name: String,
    #[volatile]
    pub(crate) qty: i64,
}

/// A document that holds 20 copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "assemblies")]
pub(crate) struct Assembly {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Assembly>,
    pub(crate) time: DateTime,
    pub(crate) name: String,
    pub(crate) qty: i64,
    #[refs(Gear, max = 20)]
    #[denorm(from = Gear, field = name, derive(Debug, Clone, PartialEq))]
    pub(crate) parts: Vec<AssemblyPart>,
}

/// The same model without a wall and with one.
macro_rules! bills {
    ($($name:ident $collection:tt $(, $tenant:tt = $of:tt)?;)*) => {$(
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
        #[model(collection = $collection $(, $tenant = $of)?)]
        pub(crate) struct $name {
            #[serde(rename = "_id")]
            pub(crate) id: Id<$name>,
            pub(crate) of: i64,
            #[index]
            pub(crate) number: i64,
            pub(crate) cents: i64,
            pub(crate) text: String,
        }

        impl $name {
            pub(crate) fn nth(n: usize) -> Self {
                $name {
                    id: Id::from_raw(nth(9, n)),
                    number: n as i64,
                    ..$name::new(n % 10)
                }
            }

            pub(crate) fn new(of: usize) -> Self {
                $name {
                    id: Id::new(),
                    of: of as i64,
                    number: 0,
                    cents: 1_250,
                    text: "for the work of one month, as agreed on, without taxes".to_owned(),
                }
            }
        }
    )*};
}

bills! {
    Bill "bills";
    WalledBill "walled_bills", tenant = of;
}

/// The id that the `n`th document of a kind always has.
pub(crate) fn nth(kind: u8, n: usize) -> ObjectId {
    let mut bytes = [0x5a; 12];
    bytes[0] = kind;
    // Neighbours by number are no neighbours by id, as with documents of many writers.
    let spread = (n as u32).wrapping_mul(0x9e37_79b1);
    bytes[1..5].copy_from_slice(&spread.to_be_bytes());
    bytes[8..].copy_from_slice(&(n as u32).to_be_bytes());
    ObjectId::from_bytes(bytes)
}

impl LogMsg {
    pub(crate) fn nth(n: usize, hosts: usize) -> Self {
        LogMsg {
            id: Id::from_raw(nth(1, n)),
            time: DateTime::from_millis(1_700_000_000_000 + n as i64),
            message: format!(
                "connection from 10.0.{}.{} refused: no route to host after {} attempts, will not be tried again",
                n % 250,
                n % 240,
                n % 7
            ),
            host: Id::from_raw(nth(2, n % hosts)),
            level: "warning".to_owned(),
            source: "network.accept".to_owned(),
            code: n as i32,
        }
    }
}

impl Part {
    pub(crate) fn nth(n: usize) -> Self {
        Part {
            id: Id::from_raw(nth(3, n)),
            name: format!("hexagonal bolt M{n} zinc plated"),
            sku: format!("HB-{n:06}"),
            cost: n as f64 * 1.5,
            qty: n as i64 * 100,
            weight: n as i32,
            active: n.is_multiple_of(2),
            vendor: "Acme Fasteners Ltd. of Walla Walla, Wash.".to_owned(),
            note: "standard stock item, reordered by the box of fifty or so of them".to_owned(),
        }
    }
}

impl Product {
    /// With as many references as may be to parts `0..parts`, some of them twice.
    pub(crate) fn nth(n: usize, shelf: i32, parts: usize) -> Self {
        let mut random = Seeded::new(n as u64);
        Product {
            id: Id::from_raw(nth(4, n)),
            name: format!("smoke shifter {n}"),
            shelf,
            parts: (0..200)
                .map(|_| Id::from_raw(nth(3, random.below(parts))))
                .collect(),
        }
    }
}

impl Dn {
    pub(crate) fn nth(n: usize) -> Self {
        let entry = |k| Entry {
            id: nth(6, n * 20 + k),
            name: format!("part number {k} of {n} left"),
        };
        Dn {
            id: Id::from_raw(nth(5, n)),
            time: DateTime::from_millis(1_700_000_000_000 + n as i64),
            name: "gear box assembly".to_owned(),
            qty: n as i64,
            cost: 2.5,
            parts: (0..20).map(entry).collect(),
        }
    }
}

impl Ledger {
    pub(crate) fn nth(n: usize) -> Self {
        let payment = |k| match (n + k) % 8 {
            0 | 3 => Payment::Cash,
            1 | 4 | 6 => Payment::Card {
                number: format!("4000 1234 5678 {n:04}"),
                month: 11,
                year: 2030,
                time: DateTime::from_millis(1_700_000_000_000 + k as i64),
            },
            _ => Payment::Transfer(Transfer {
                account: nth(8, n * 8 + k),
                amount: 99.5,
                note: (k % 2 == 0).then(|| "for the gear box".to_owned()),
            }),
        };
        Ledger {
            id: Id::from_raw(nth(9, n)),
            name: "gear box assembly".to_owned(),
            payments: (0..8).map(payment).collect(),
        }
    }
}

impl Sparse {
    pub(crate) fn nth(n: usize) -> Self {
        Sparse {
            id: Id::from_raw(nth(7, n)),
            name: Some(format!("hexagonal bolt M{n}")),
            sku: String::new(),
            cost: n.is_multiple_of(3).then_some(1.5),
            qty: n.is_multiple_of(2).then_some(3),
            weight: n as i32,
            active: None,
            vendor: None,
            note: Some("standard stock item with a long note to read".to_owned()),
        }
    }
}

impl Gear {
    pub(crate) fn nth(n: usize) -> Self {
        Gear {
            id: Id::from_raw(nth(8, n)),
            name: format!("gear number {n}"),
            qty: n as i64,
        }
    }
}

impl Assembly {
    /// With 20 of the gears `0..gears`, none of them twice, in turn: each gear is in a `20 / gears` of all.
    pub(crate) fn nth(n: usize, gears: usize) -> Self {
        let part = |k| {
            let gear = Gear::nth((n + k * (gears / 20)) % gears);
            AssemblyPart {
                id: gear.id,
                name: gear.name,
            }
        };
        Assembly {
            id: Id::from_raw(nth(9, n)),
            time: DateTime::from_millis(1_700_000_000_000 + n as i64),
            name: "gear box assembly".to_owned(),
            qty: n as i64,
            parts: (0..20).map(part).collect(),
        }
    }
}
