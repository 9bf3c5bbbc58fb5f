//! A total order of values of all types, and a hash by which equal numbers of different types are the same.

use std::cmp::Ordering;

use bson::{Bson, Document};

fn rank(value: &Bson) -> u8 {
    match value {
        Bson::MinKey => 0,
        Bson::Null | Bson::Undefined => 1,
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => 2,
        Bson::String(_) | Bson::Symbol(_) => 3,
        Bson::Document(_) => 4,
        Bson::Array(_) => 5,
        Bson::Binary(_) => 6,
        Bson::ObjectId(_) => 7,
        Bson::Boolean(_) => 8,
        Bson::DateTime(_) => 9,
        Bson::Timestamp(_) => 10,
        Bson::RegularExpression(_) => 11,
        Bson::DbPointer(_) => 12,
        Bson::JavaScriptCode(_) | Bson::JavaScriptCodeWithScope(_) => 13,
        Bson::MaxKey => 255,
    }
}

fn as_integer(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(n) => Some(i64::from(*n)),
        Bson::Int64(n) => Some(*n),
        _ => None,
    }
}

fn as_float(value: &Bson) -> f64 {
    match value {
        Bson::Int32(n) => f64::from(*n),
        Bson::Int64(n) => *n as f64,
        Bson::Double(n) => *n,
        Bson::Decimal128(n) => n.to_string().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn text(value: &Bson) -> &str {
    match value {
        Bson::String(text) | Bson::Symbol(text) => text,
        _ => "",
    }
}

/// Compares two values, first by type.
pub(crate) fn compare(a: &Bson, b: &Bson) -> Ordering {
    let by_type = rank(a).cmp(&rank(b));
    if by_type.is_ne() {
        return by_type;
    }
    match (a, b) {
        (Bson::Document(a), Bson::Document(b)) => compare_documents(a, b),
        (Bson::Array(a), Bson::Array(b)) => compare_all(a.iter(), b.iter()),
        (Bson::Binary(a), Bson::Binary(b)) => (a.bytes.len(), u8::from(a.subtype), &a.bytes)
            .cmp(&(b.bytes.len(), u8::from(b.subtype), &b.bytes)),
        (Bson::ObjectId(a), Bson::ObjectId(b)) => a.bytes().cmp(&b.bytes()),
        (Bson::Boolean(a), Bson::Boolean(b)) => a.cmp(b),
        (Bson::DateTime(a), Bson::DateTime(b)) => a.cmp(b),
        (Bson::Timestamp(a), Bson::Timestamp(b)) => {
            (a.time, a.increment).cmp(&(b.time, b.increment))
        }
        _ if rank(a) == 2 => match (as_integer(a), as_integer(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => as_float(a).total_cmp(&as_float(b)),
        },
        _ if rank(a) == 3 => text(a).cmp(text(b)),
        _ if rank(a) > 10 && rank(a) < 255 => a.to_string().cmp(&b.to_string()),
        _ => Ordering::Equal,
    }
}

fn compare_documents(a: &Document, b: &Document) -> Ordering {
    a.iter()
        .zip(b)
        .map(|((key_a, a), (key_b, b))| key_a.cmp(key_b).then_with(|| compare(a, b)))
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// Compares two rows of values.
pub(crate) fn compare_all<'v>(
    a: impl ExactSizeIterator<Item = &'v Bson>,
    b: impl ExactSizeIterator<Item = &'v Bson>,
) -> Ordering {
    let lengths = a.len().cmp(&b.len());
    a.zip(b)
        .map(|(a, b)| compare(a, b))
        .find(|order| order.is_ne())
        .unwrap_or(lengths)
}

/// A hash of a value, for a hashed part of a shard key. It is not the hash that a server computes.
pub(crate) fn hash(value: &Bson) -> i64 {
    let mut bytes = Vec::new();
    collect(value, &mut bytes);
    let mut state = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The last steps mix the low bits, in which short values differ, into the high ones, which choose the chunk.
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state = (state ^ (state >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (state ^ (state >> 33)).cast_signed()
}

fn collect(value: &Bson, bytes: &mut Vec<u8>) {
    bytes.push(rank(value));
    match value {
        Bson::Document(document) => {
            for (key, value) in document {
                bytes.extend(key.as_bytes());
                bytes.push(0);
                collect(value, bytes);
            }
        }
        Bson::Array(values) => values.iter().for_each(|value| collect(value, bytes)),
        Bson::Binary(binary) => {
            bytes.push(u8::from(binary.subtype));
            bytes.extend(&binary.bytes);
        }
        _ if rank(value) == 2 => match as_integer(value) {
            Some(n) => bytes.extend(n.to_le_bytes()),
            None => {
                let n = as_float(value);
                if n.fract() == 0.0 && n.abs() < 9e18 {
                    bytes.extend((n as i64).to_le_bytes());
                } else {
                    bytes.extend(n.to_bits().to_le_bytes());
                }
            }
        },
        _ if rank(value) == 3 => bytes.extend(text(value).as_bytes()),
        Bson::Null | Bson::Undefined | Bson::MinKey | Bson::MaxKey => {}
        other => bytes.extend(other.to_string().as_bytes()),
    }
}
