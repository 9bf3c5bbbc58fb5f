//! Ids as keys of maps.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use bson::oid::ObjectId;
use bson::{Bson, Decimal128, Document, RawBsonRef, RawDocumentBuf, cstr};

use super::number::decimal_parts;

/// A value that can be compared and hashed as MongoDB compares ids: numbers by value whatever their width, also inside
/// documents and arrays; everything else by its bytes. An object id, which most ids are, is itself its key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct IdKey(Form);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Object([u8; 12]),
    Bytes(Box<[u8]>),
}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // A single number, which the hashers that this crate uses take in one step.
            Form::Object(id) => {
                let mut all = [0; 16];
                all[..12].copy_from_slice(id);
                state.write_u128(u128::from_le_bytes(all));
            }
            Form::Bytes(bytes) => bytes.hash(state),
        }
    }
}

/// A map from ids.
///
/// Ids come from outside, and some of their types (strings, binaries) are whatever a client likes. The hasher has a seed that
/// each process and each map draws at random, so ids that collide cannot be prepared for it; a hash that is not seeded would be
/// faster by nothing that can be measured here, and quadratic for whoever knows it.
pub(crate) type IdMap<V> = HashMap<IdKey, V, foldhash::fast::RandomState>;

/// A set of ids: see [`IdMap`].
pub(crate) type IdSet = HashSet<IdKey, foldhash::fast::RandomState>;

impl IdKey {
    pub(crate) fn new(value: &Bson) -> Self {
        if let Bson::ObjectId(id) = value {
            return IdKey::object(id);
        }
        let bytes = RawDocumentBuf::try_from(&bson::doc! { "": canonical(value) })
            .map(RawDocumentBuf::into_bytes);
        IdKey::of_bytes(bytes.unwrap_or_default())
    }

    /// The key of a stored value, without a copy of the value if it is an object id, as most ids are.
    pub(crate) fn of_raw(value: RawBsonRef<'_>) -> Self {
        match value {
            RawBsonRef::ObjectId(id) => IdKey::object(&id),
            RawBsonRef::String(_) | RawBsonRef::Binary(_) => {
                let mut raw = RawDocumentBuf::new();
                raw.append(cstr!(""), value);
                IdKey::of_bytes(raw.into_bytes())
            }
            other => Bson::try_from(other)
                .map_or_else(|_| IdKey::of_bytes(Vec::new()), |value| IdKey::new(&value)),
        }
    }

    pub(crate) fn object(id: &ObjectId) -> Self {
        IdKey(Form::Object(id.bytes()))
    }

    fn of_bytes(bytes: Vec<u8>) -> Self {
        IdKey(Form::Bytes(bytes.into_boxed_slice()))
    }
}

/// The value in the single form that all equal values share.
fn canonical(value: &Bson) -> Bson {
    match value {
        Bson::Int32(n) => Bson::Int64(i64::from(*n)),
        #[expect(clippy::cast_possible_truncation, reason = "integral and in range")]
        Bson::Double(n) if n.fract() == 0.0 && n.abs() < 9.0e18 => Bson::Int64(*n as i64),
        Bson::Double(n) => canonical_double(*n),
        Bson::Decimal128(n) => canonical_decimal(*n),
        Bson::Symbol(text) => Bson::String(text.clone()),
        Bson::Document(document) => document
            .iter()
            .map(|(key, value)| (key.clone(), canonical(value)))
            .collect::<Document>()
            .into(),
        Bson::Array(elements) => Bson::Array(elements.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

/// A double as the decimal that equals it, if one does. All digits of a double are at most 767; a decimal has 34.
fn canonical_double(number: f64) -> Bson {
    let text = match number {
        number if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        number => format!("{number:.766e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0'),
        false => mantissa,
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let text = match exponent {
        "" => mantissa.to_owned(),
        exponent => format!("{}E{exponent}", mantissa.trim_end_matches('.')),
    };
    match text.parse() {
        Ok(decimal) if digits <= 34 => canonical_decimal(decimal),
        _ => Bson::Double(number),
    }
}

/// A decimal without its trailing zeros; an integer where it is one. 1.0, 1.00 and 1 are equal, but not the same bytes.
fn canonical_decimal(number: Decimal128) -> Bson {
    let Some((mut coefficient, mut exponent)) = decimal_parts(number) else {
        // No NaN is another, whatever its sign.
        let text = number.to_string();
        let same = if text.contains("NaN") { "NaN" } else { &text };
        return Bson::Decimal128(same.parse().unwrap_or(number));
    };
    if coefficient == 0 {
        return Bson::Int64(0);
    }
    while coefficient % 10 == 0 {
        coefficient /= 10;
        exponent += 1;
    }
    let power = u32::try_from(exponent).ok();
    let power = power.and_then(|exponent| 10_i128.checked_pow(exponent));
    let integer = power.and_then(|power| coefficient.checked_mul(power));
    if let Some(integer) = integer.and_then(|integer| i64::try_from(integer).ok()) {
        return Bson::Int64(integer);
    }
    let same = format!("{coefficient}E{exponent}").parse();
    Bson::Decimal128(same.unwrap_or(number))
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, bson, doc};

    use super::IdKey;

    fn decimal(text: &str) -> Bson {
        Bson::Decimal128(text.parse().expect("a decimal"))
    }

    #[test]
    fn a_stored_value_has_the_same_key() {
        let id: bson::oid::ObjectId = "5a9427648b0beebeb6962c72".parse().expect("an id");
        let uuid = bson::Uuid::from_bytes([7; 16]);
        for value in [
            bson!(id),
            bson!("ä"),
            bson!(uuid),
            bson!(1),
            bson!(1.0),
            bson!({ "a": [1] }),
        ] {
            let raw = RawDocumentBuf::try_from(&doc! { "v": &value }).expect("raw");
            let stored = raw.get("v").expect("read").expect("there");
            assert_eq!(IdKey::of_raw(stored), IdKey::new(&value), "{value}");
        }
    }

    #[test]
    fn equal_values_have_one_key() {
        let equal = [
            (bson!(1), bson!(1_i64)),
            (bson!(1), bson!(1.0)),
            (bson!(0.0), bson!(-0.0)),
            (bson!(-5), decimal("-5.000")),
            (bson!(1200), decimal("1.2E+3")),
            (bson!(i64::MIN), decimal("-9223372036854775808")),
            (decimal("0.50"), decimal("0.5")),
            (decimal("0.0"), bson!(0)),
            (decimal("1.0E+40"), decimal("1E+40")),
            (bson!(0.5), decimal("0.50")),
            (bson!(-1234.0625), decimal("-1234.0625")),
            (bson!(9.1e18), bson!(9_100_000_000_000_000_000_i64)),
            (bson!(1e19), decimal("1E+19")),
            (bson!(f64::INFINITY), decimal("Infinity")),
            (bson!(f64::NEG_INFINITY), decimal("-Infinity")),
            (bson!(f64::NAN), decimal("NaN")),
            (bson!(f64::NAN), bson!(-f64::NAN)),
            (
                bson!({ "a": 1, "b": [2.0] }),
                bson!({ "a": 1_i64, "b": [2] }),
            ),
        ];
        for (a, b) in equal {
            assert_eq!(IdKey::new(&a), IdKey::new(&b), "{a} {b}");
        }
        let different = [
            (bson!(1), bson!("1")),
            (bson!(1), bson!(1.5)),
            (bson!(1), bson!(true)),
            (bson!({ "a": 1, "b": 2 }), bson!({ "b": 2, "a": 1 })),
            (decimal("0.5"), decimal("5")),
            (decimal("1E+40"), decimal("1E+41")),
            (decimal("-1"), decimal("1")),
            // The double is a little more.
            (bson!(0.1), decimal("0.1")),
            (bson!(1e23), decimal("1E+23")),
            (bson!(f64::MIN_POSITIVE), bson!(0)),
            (decimal("Infinity"), decimal("-Infinity")),
            (decimal("NaN"), decimal("Infinity")),
        ];
        for (a, b) in different {
            assert_ne!(IdKey::new(&a), IdKey::new(&b), "{a} {b}");
        }
    }
}
