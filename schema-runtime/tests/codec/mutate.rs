//! Documents that are almost as their model declares.

use bson::raw::{CString, cstr};
use bson::{Bson, DateTime, Decimal128, RawArrayBuf, RawBson, RawDocumentBuf, doc};
use proptest::prelude::*;

/// A document as it is stored: keys in any order, also twice.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Document(Vec<(String, Node)>),
    Array(Vec<Node>),
    Leaf(Bson),
}

impl From<Bson> for Node {
    fn from(value: Bson) -> Self {
        match value {
            Bson::Document(document) => {
                Node::Document(document.into_iter().map(|(k, v)| (k, v.into())).collect())
            }
            Bson::Array(values) => Node::Array(values.into_iter().map(Node::from).collect()),
            leaf => Node::Leaf(leaf),
        }
    }
}

impl Node {
    fn raw(&self) -> RawBson {
        match self {
            Node::Document(entries) => RawBson::Document(raw_document(entries)),
            Node::Array(values) => {
                let mut array = RawArrayBuf::new();
                for value in values {
                    array.push(value.raw());
                }
                RawBson::Array(array)
            }
            Node::Leaf(value) => RawBson::try_from(value.clone()).expect("a value"),
        }
    }

    /// The bytes of a whole document.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Node::Document(entries) => raw_document(entries).into_bytes(),
            _ => panic!("a document"),
        }
    }

    /// Every document and array inside, itself included.
    fn inner(&mut self, wanted: &mut usize) -> Option<&mut Node> {
        if matches!(self, Node::Leaf(_)) {
            return None;
        }
        if *wanted == 0 {
            return Some(self);
        }
        *wanted -= 1;
        match self {
            Node::Document(entries) => entries
                .iter_mut()
                .find_map(|(_, value)| value.inner(wanted)),
            Node::Array(values) => values.iter_mut().find_map(|value| value.inner(wanted)),
            Node::Leaf(_) => None,
        }
    }

    fn count(&self) -> usize {
        match self {
            Node::Document(entries) => {
                1 + entries
                    .iter()
                    .map(|(_, value)| value.count())
                    .sum::<usize>()
            }
            Node::Array(values) => 1 + values.iter().map(Node::count).sum::<usize>(),
            Node::Leaf(_) => 0,
        }
    }
}

fn raw_document(entries: &[(String, Node)]) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    for (key, value) in entries {
        document.append(CString::try_from(key.clone()).expect("no NUL"), value.raw());
    }
    document
}

/// One change somewhere in a document.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Where: which document, and which of its entries.
    at: (usize, usize),
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Remove,
    Repeat,
    Reverse,
    Rotate,
    Insert(String, Bson),
    Replace(Bson),
    Rename(String),
    Number(i64, u8),
}

/// A few changes of any kind.
pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let what = prop_oneof![
        2 => Just(What::Remove),
        1 => Just(What::Repeat),
        2 => Just(What::Reverse),
        2 => Just(What::Rotate),
        2 => (key(), value()).prop_map(|(key, value)| What::Insert(key, value)),
        3 => value().prop_map(What::Replace),
        1 => key().prop_map(What::Rename),
        4 => (number(), 0..4_u8).prop_map(|(number, kind)| What::Number(number, kind)),
    ];
    let change =
        ((any::<usize>(), any::<usize>()), what).prop_map(|(at, what)| Change { at, what });
    prop::collection::vec(change, 0..4)
}

/// Keys that mean something somewhere, and some that do not.
fn key() -> impl Strategy<Value = String> {
    let known = vec![
        "_id",
        "a",
        "b",
        "m",
        "n",
        "name",
        "first",
        "second",
        "aliased",
        "in",
        "out",
        "both_ways",
        "bothWays",
        "skipped",
        "$oid",
        "$date",
        "$x",
        "",
        "0",
        "ünïcode",
        "kind",
        "left",
        "only_read",
        "zip",
        "outer",
        "type",
        "id",
        "text",
        "Text",
    ];
    prop::sample::select(known).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = i64> {
    let edges = [
        0,
        1 << 7,
        1 << 8,
        1 << 15,
        1 << 16,
        1 << 24,
        1 << 31,
        1 << 32,
        1 << 53,
        i64::MAX,
    ];
    (
        prop::sample::select(edges.to_vec()),
        -2..=2_i64,
        any::<bool>(),
    )
        .prop_map(|(edge, near, negative)| {
            let number = edge.saturating_add(near);
            if negative {
                number.saturating_neg()
            } else {
                number
            }
        })
}

fn value() -> impl Strategy<Value = Bson> {
    let mut deep = bson::bson!(1);
    // A change may put one into another. The reader of `bson` takes 25 kB of stack for a level where it is not optimised, and a test
    // has 2 MB.
    for level in 0..30 {
        deep = if level % 2 == 0 {
            bson::bson!([deep])
        } else {
            bson::bson!({ "a": deep })
        };
    }
    let fixed = vec![
        Bson::Null,
        Bson::Undefined,
        Bson::MinKey,
        Bson::MaxKey,
        Bson::Boolean(false),
        Bson::Double(f64::NAN),
        Bson::Double(-f64::NAN),
        Bson::Double(f64::INFINITY),
        Bson::Double(-0.0),
        Bson::Double(1.0e300),
        Bson::Double(3.0),
        Bson::String(String::new()),
        Bson::String("x".to_owned()),
        Bson::String("open".to_owned()),
        Bson::String("done".to_owned()),
        Bson::String("unknown".to_owned()),
        Bson::String("nothing".to_owned()),
        Bson::String("numbers".to_owned()),
        Bson::String("strict".to_owned()),
        Bson::String("the address".to_owned()),
        Bson::String("Values".to_owned()),
        Bson::String("old".to_owned()),
        Bson::String("Second".to_owned()),
        Bson::String("ab\0c".to_owned()),
        Bson::String("6a6b6c6d6e6f707172737475".to_owned()),
        Bson::DateTime(DateTime::MIN),
        Bson::DateTime(DateTime::MAX),
        Bson::DateTime(DateTime::from_millis(253_402_300_800_000)),
        Bson::ObjectId(super::types::id()),
        Bson::Decimal128(Decimal128::from_bytes([0x7c; 16])),
        Bson::Timestamp(bson::Timestamp {
            time: u32::MAX,
            increment: 1,
        }),
        Bson::Symbol("s".to_owned()),
        Bson::JavaScriptCode("f()".to_owned()),
        Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope {
            code: "f()".to_owned(),
            scope: doc! { "a": 1 },
        }),
        Bson::RegularExpression(bson::Regex {
            pattern: cstr!("a").into(),
            options: cstr!("xi").into(),
        }),
        bson::bson!([]),
        bson::bson!({}),
        bson::bson!([1, 2, 3]),
        bson::bson!(["a", null]),
        bson::bson!({ "$date": { "$numberLong": "1" } }),
        bson::bson!({ "a": { "$oid": "6a6b6c6d6e6f707172737475" } }),
        bson::bson!({ "a": 1, "b": "c" }),
        bson::bson!({ "Known": 1 }),
        deep,
    ];
    let subtype = prop::sample::select(vec![0_u8, 2, 3, 4, 5, 6, 9, 0x80]);
    prop_oneof![
        6 => prop::sample::select(fixed),
        1 => (subtype, 0..20_usize).prop_map(|(subtype, len)| {
            Bson::Binary(bson::Binary { subtype: subtype.into(), bytes: vec![7; len] })
        }),
        1 => Just(Bson::Binary(bson::Binary { subtype: 4.into(), bytes: vec![7; 16] })),
        1 => any::<String>().prop_map(Bson::String),
        1 => any::<char>().prop_map(|one| Bson::String(one.to_string())),
    ]
}

/// The document after the changes.
pub(crate) fn changed(mut node: Node, changes: Vec<Change>) -> Node {
    for Change { at, what } in changes {
        let mut wanted = at.0 % node.count();
        let Some(inner) = node.inner(&mut wanted) else {
            continue;
        };
        match inner {
            Node::Document(entries) => apply(entries, at.1, what),
            Node::Array(values) => {
                let mut entries: Vec<_> = std::mem::take(values)
                    .into_iter()
                    .map(|value| (String::new(), value))
                    .collect();
                apply(&mut entries, at.1, what);
                *values = entries.into_iter().map(|(_, value)| value).collect();
            }
            Node::Leaf(_) => {}
        }
    }
    node
}

fn apply(entries: &mut Vec<(String, Node)>, at: usize, what: What) {
    let place = at % entries.len().max(1);
    match what {
        What::Insert(key, value) => entries.insert(place.min(entries.len()), (key, value.into())),
        _ if entries.is_empty() => {}
        What::Remove => drop(entries.remove(place)),
        What::Repeat => {
            let again = entries[place].clone();
            entries.push(again);
        }
        What::Reverse => entries.reverse(),
        What::Rotate => entries.rotate_left(place),
        What::Replace(value) => entries[place].1 = value.into(),
        What::Rename(key) => entries[place].0 = key,
        What::Number(number, kind) => {
            // Only numbers become other numbers: most documents stay readable.
            if let Node::Leaf(leaf @ (Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))) =
                &mut entries[place].1
            {
                #[expect(clippy::cast_precision_loss, reason = "any number will do")]
                let other = match (kind, i32::try_from(number)) {
                    (0, Ok(number)) => Bson::Int32(number),
                    (1, _) => Bson::Double(number as f64),
                    _ => Bson::Int64(number),
                };
                *leaf = other;
            }
        }
    }
}
