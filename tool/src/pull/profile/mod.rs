//! The profile of a collection: the values that each field has, in memory that does not grow with the number of documents.

mod fields;
mod keys;
mod majority;
mod schema;
pub(crate) mod tags;
mod text;

use std::collections::BTreeMap;

use bson::RawBsonRef;
use bson::spec::BinarySubtype;

pub(crate) use self::fields::{Fields, Variants};
pub(crate) use self::keys::{Key, Keys, mix};
pub(crate) use self::schema::schema_of;
pub(crate) use self::text::{Text, is_date, is_object_id};

/// Deeper documents are not looked into.
pub(crate) const DEEPEST: usize = 24;
/// Above this an `f64` does not hold every integer.
pub(crate) const EXACT: u64 = 1 << 53;
/// Lengths up to this one are counted one by one.
const COUNTED_LENGTHS: usize = 4_096;

/// The type of a value; binary UUIDs are a type of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Array,
    Binary,
    Bool,
    Date,
    Decimal,
    Document,
    Double,
    Int32,
    Int64,
    ObjectId,
    Regex,
    String,
    Timestamp,
    Uuid,
    Other,
}

impl Kind {
    /// The type's name, as MongoDB writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Array => "array",
            Kind::Binary => "binData",
            Kind::Bool => "bool",
            Kind::Date => "date",
            Kind::Decimal => "decimal",
            Kind::Document => "object",
            Kind::Double => "double",
            Kind::Int32 => "int",
            Kind::Int64 => "long",
            Kind::ObjectId => "objectId",
            Kind::Regex => "regex",
            Kind::String => "string",
            Kind::Timestamp => "timestamp",
            Kind::Uuid => "uuid",
            Kind::Other => "a rare type",
        }
    }
}

/// All values that were seen at one path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    /// The number of values, nulls included.
    pub(crate) count: u64,
    pub(crate) nulls: u64,
    /// The number of values of each type, without nulls.
    pub(crate) kinds: BTreeMap<Kind, u64>,
    /// The number of values of each rare type, where these are set apart.
    pub(crate) outliers: BTreeMap<Kind, u64>,
    pub(crate) numbers: Numbers,
    pub(crate) text: Text,
    pub(crate) lengths: Lengths,
    /// The elements of arrays.
    pub(crate) items: Option<Box<Values>>,
    /// The fields of embedded documents.
    pub(crate) fields: Option<Box<Fields>>,
    /// Some of the values that could be references.
    pub(crate) keys: Keys,
    /// The identifier that the user chose for the field.
    pub(crate) chosen_name: Option<String>,
}

/// Numbers at one path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    /// Doubles without a fraction.
    pub(crate) whole: u64,
    /// Doubles with at most two digits behind the point.
    pub(crate) cents: u64,
    /// The greatest absolute value of an integer.
    pub(crate) largest: u64,
    /// Doubles without a fraction that are too large to tell neighbours apart.
    pub(crate) inexact: u64,
    /// Whole numbers that are milliseconds since 1970 in this century.
    pub(crate) millis: u64,
    /// Whole numbers that are seconds since 1970 in this century.
    pub(crate) seconds: u64,
    /// Whole numbers that are a day: 20240131.
    pub(crate) days: u64,
    /// The least and the greatest one.
    pub(crate) ends: Option<(f64, f64)>,
}

impl Numbers {
    /// Counts a whole number as what it may be a time in.
    fn add_time(&mut self, number: i64) {
        /// From 2000 to 2100.
        const SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;
        self.seconds += u64::from(SECONDS.contains(&number));
        self.millis += u64::from(number > 0 && SECONDS.contains(&(number / 1_000)));
        let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
        let is_day =
            (1_900..2_100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        self.days += u64::from(is_day);
    }

    fn add_end(&mut self, number: f64) {
        let (least, greatest) = self.ends.unwrap_or((number, number));
        // NaN is in no range.
        let is_between = number >= least && number <= greatest;
        self.ends = Some(match number.is_nan() {
            true => (f64::NEG_INFINITY, f64::INFINITY),
            false if is_between => (least, greatest),
            false => (least.min(number), greatest.max(number)),
        });
    }

    fn merge(&mut self, other: &Numbers) {
        self.whole += other.whole;
        self.cents += other.cents;
        self.largest = self.largest.max(other.largest);
        self.inexact += other.inexact;
        self.millis += other.millis;
        self.seconds += other.seconds;
        self.days += other.days;
        for end in other.ends.into_iter().flat_map(<[f64; 2]>::from) {
            self.add_end(end);
        }
    }
}

/// Lengths of arrays.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lengths {
    pub(crate) arrays: u64,
    pub(crate) max: u64,
    counted: Vec<u64>,
}

impl Lengths {
    fn add(&mut self, length: usize) {
        self.arrays += 1;
        self.max = self.max.max(length as u64);
        let slot = length.min(COUNTED_LENGTHS);
        if self.counted.len() <= slot {
            self.counted.resize(slot + 1, 0);
        }
        self.counted[slot] += 1;
    }

    /// Adds the length of one array.
    pub(crate) fn add_length(&mut self, length: u64) {
        self.add(usize::try_from(length).unwrap_or(usize::MAX));
    }

    /// The length that 99 of 100 arrays do not exceed.
    pub(crate) fn p99(&self) -> u64 {
        let mut left = self.arrays - self.arrays / 100;
        for (length, arrays) in self.counted.iter().enumerate() {
            left = left.saturating_sub(*arrays);
            if left == 0 {
                return match length {
                    COUNTED_LENGTHS => self.max,
                    length => length as u64,
                };
            }
        }
        self.max
    }

    /// True if all arrays have this length.
    pub(crate) fn always(&self, length: usize) -> bool {
        self.arrays > 0 && self.counted.get(length) == Some(&self.arrays)
    }

    fn merge(&mut self, other: &Lengths) {
        self.arrays += other.arrays;
        self.max = self.max.max(other.max);
        if self.counted.len() < other.counted.len() {
            self.counted.resize(other.counted.len(), 0);
        }
        for (slot, arrays) in other.counted.iter().enumerate() {
            self.counted[slot] += arrays;
        }
    }
}

impl Values {
    /// Adds a value that lies `depth` documents and arrays deep.
    pub(crate) fn add(&mut self, value: RawBsonRef<'_>, depth: usize) {
        self.count += 1;
        let kind = match value {
            RawBsonRef::Null => {
                self.nulls += 1;
                return;
            }
            RawBsonRef::Double(number) => {
                self.numbers.add_end(number);
                if number.fract() == 0.0 {
                    self.numbers.whole += 1;
                    self.numbers.inexact += u64::from(number.abs() > EXACT as f64);
                    #[expect(clippy::cast_possible_truncation, reason = "a time or none")]
                    self.numbers.add_time(number as i64);
                }
                let cents = number * 100.0;
                self.numbers.cents += u64::from((cents - cents.round()).abs() < 1e-6);
                Kind::Double
            }
            RawBsonRef::String(text) => {
                self.text.add(text);
                self.keys.add(|| Key::of_text(text));
                Kind::String
            }
            RawBsonRef::Array(array) => {
                let items = self.items.get_or_insert_default();
                let mut length = 0;
                for item in array {
                    let Ok(item) = item else { break };
                    length += 1;
                    if depth < DEEPEST {
                        items.add(item, depth + 1);
                    }
                }
                self.lengths.add(length);
                Kind::Array
            }
            RawBsonRef::Document(document) => {
                if depth < DEEPEST {
                    let fields = self.fields.get_or_insert_default();
                    fields.add(document, depth + 1);
                }
                Kind::Document
            }
            RawBsonRef::Boolean(_) => Kind::Bool,
            RawBsonRef::RegularExpression(_) => Kind::Regex,
            RawBsonRef::Int32(number) => {
                self.add_integer(i64::from(number));
                Kind::Int32
            }
            RawBsonRef::Int64(number) => {
                self.add_integer(number);
                Kind::Int64
            }
            RawBsonRef::Timestamp(_) => Kind::Timestamp,
            RawBsonRef::Binary(binary) => match <[u8; 16]>::try_from(binary.bytes) {
                Ok(bytes) if binary.subtype == BinarySubtype::Uuid => {
                    self.keys.add(|| Some(Key::Uuid(bytes)));
                    Kind::Uuid
                }
                _ => Kind::Binary,
            },
            RawBsonRef::ObjectId(id) => {
                self.keys.add(|| Some(Key::ObjectId(id)));
                Kind::ObjectId
            }
            RawBsonRef::DateTime(_) => Kind::Date,
            RawBsonRef::Decimal128(_) => Kind::Decimal,
            _ => Kind::Other,
        };
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn add_integer(&mut self, number: i64) {
        #[expect(clippy::cast_precision_loss, reason = "the ends of scales are small")]
        self.numbers.add_end(number as f64);
        self.numbers.largest = self.numbers.largest.max(number.unsigned_abs());
        self.numbers.add_time(number);
        self.keys.add(|| Some(Key::Int(number)));
    }

    /// Adds all values of another path.
    pub(crate) fn merge(&mut self, other: &Values) {
        self.count += other.count;
        self.nulls += other.nulls;
        for (kind, count) in &other.kinds {
            *self.kinds.entry(*kind).or_default() += count;
        }
        for (kind, count) in &other.outliers {
            *self.outliers.entry(*kind).or_default() += count;
        }
        self.numbers.merge(&other.numbers);
        self.text.merge(&other.text);
        self.lengths.merge(&other.lengths);
        self.keys.merge(&other.keys);
        if self.chosen_name.is_none() {
            self.chosen_name.clone_from(&other.chosen_name);
        }
        if let Some(items) = &other.items {
            self.items.get_or_insert_default().merge(items);
        }
        if let Some(fields) = &other.fields {
            self.fields.get_or_insert_default().merge(fields);
        }
    }

    /// The number of values that are not null.
    pub(crate) fn present(&self) -> u64 {
        self.count - self.nulls
    }

    /// The only type of the values; `None` if there are several or none.
    pub(crate) fn only_kind(&self) -> Option<Kind> {
        let mut kinds = self.kinds.keys();
        let first = kinds.next()?;
        kinds.next().is_none().then_some(*first)
    }

    /// The type that most values have, and its share of those that are not null.
    pub(crate) fn main_kind(&self) -> Option<(Kind, f64)> {
        let (kind, count) = self.kinds.iter().max_by_key(|(_, count)| **count)?;
        Some((*kind, share(*count, self.present())))
    }

    /// True if all values that are not null are of these types.
    pub(crate) fn is_only(&self, kinds: &[Kind]) -> bool {
        !self.kinds.is_empty() && self.kinds.keys().all(|kind| kinds.contains(kind))
    }

    /// The types with their shares: `int 93.1 %, string 6.9 %`.
    pub(crate) fn kinds_text(&self) -> String {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let text = |(kind, count): (&Kind, &u64)| {
            format!("{} {}", kind.name(), percent(share(*count, self.present())))
        };
        let kinds: Vec<String> = kinds.into_iter().map(text).collect();
        kinds.join(", ")
    }
}

/// A part of a whole; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "a share for people")]
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// `99.2 %`; only all is 100 and only none is 0.
pub(crate) fn percent(share: f64) -> String {
    let shown = (share * 1000.0).round() / 10.0;
    match share {
        1.0 => "100 %".to_owned(),
        0.0 => "0 %".to_owned(),
        _ if shown >= 100.0 => "over 99.9 %".to_owned(),
        _ if shown <= 0.0 => "under 0.1 %".to_owned(),
        _ => format!("{shown:.1} %"),
    }
}

/// The lower end of the 95 % interval (Wilson) for a share that was measured on `whole` values.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn confidence(part: u64, whole: u64) -> f64 {
    const Z: f64 = 1.96;
    if whole == 0 {
        return 0.0;
    }
    let (p, n) = (share(part, whole), whole as f64);
    let centre = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((centre - spread) / (1.0 + Z * Z / n)).max(0.0)
}
