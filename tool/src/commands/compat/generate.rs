//! Documents of a model that is known as data: the same ones in every run.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Decimal128, Document, Timestamp, doc};

use super::fields::Absence;
use super::table::{Field, Form, Holds, Kind, Table};
use crate::commands::check::SCHEMA_VERSION;

/// Numbers that look random, and are the same for the same seed.
pub(super) struct Random(u64);

impl Random {
    /// The numbers for this text.
    pub(super) fn of(seed: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        Random(seed.bytes().fold(0xCBF2_9CE4_8422_2325, step))
    }

    /// Splitmix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below this one, which is not 0.
    #[expect(clippy::cast_possible_truncation, reason = "it is below a `usize`")]
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next().to_le_bytes()[0])
    }
}

/// A document as a program of this model stores it.
pub(super) fn make_document(table: &Table, random: &mut Random) -> Document {
    let tag = table.variants.as_ref().and_then(|(name, all)| {
        let values: Vec<&String> = all.keys().collect();
        let value = (!values.is_empty()).then(|| (*random.one_of(&values)).clone())?;
        Some((name, value))
    });
    let value = tag.as_ref().map(|(_, value)| value.as_str());
    let mut out = Document::new();
    for (name, field) in table.fields_of(value) {
        if let Some(value) = make_field(field, random) {
            out.insert(name, value);
        }
    }
    out.extend(tag.map(|(name, value)| (name.clone(), Bson::String(value))));
    if let Some(rest) = &table.rest {
        for key in make_keys(random, None) {
            out.insert(format!("more_{key}"), make_element(rest, random));
        }
    }
    if let Some(schema) = table.schema {
        out.insert(SCHEMA_VERSION, schema.version);
    }
    out
}

/// Makes another value at this path, or around it; false if no field is there.
pub(super) fn replace_value(
    table: &Table,
    document: &mut Document,
    path: &str,
    random: &mut Random,
) -> bool {
    let steps: Vec<&str> = path.split('.').collect();
    replace_in(table, document, &steps, random)
}

fn replace_in(table: &Table, document: &mut Document, steps: &[&str], random: &mut Random) -> bool {
    let tag = table.variants.as_ref();
    let tag = tag.and_then(|(name, _)| Some(document.get_str(name).ok()?.to_owned()));
    let Some((first, rest)) = steps.split_first() else {
        return false;
    };
    let mut fields = table.fields_of(tag.as_deref());
    let Some((name, field)) = fields.find(|(name, _)| name == first) else {
        return false;
    };
    let inside = document.get_mut(name);
    if inside.is_some_and(|value| replace_inside(&field.form, value, rest, random)) {
        return true;
    }
    match make_field(field, random) {
        Some(value) => document.insert(name, value),
        None => document.remove(name),
    };
    true
}

/// Makes another value in an array, a map or a document; false if the whole of it has to be made anew.
fn replace_inside(form: &Form, value: &mut Bson, steps: &[&str], random: &mut Random) -> bool {
    let Some((first, rest)) = steps.split_first() else {
        return false;
    };
    let (element, steps) = match (form.holds, value) {
        (Holds::One, value) => (Some(value), steps),
        (Holds::Array, Bson::Array(values)) => {
            let number = first.parse::<usize>();
            (number.ok().and_then(|number| values.get_mut(number)), rest)
        }
        (Holds::Map, Bson::Document(entries)) => (entries.get_mut(first), rest),
        _ => return false,
    };
    let Some(element) = element else {
        return false;
    };
    if let (Some(inner), Bson::Document(document)) = (&form.inner, &mut *element)
        && replace_in(inner, document, steps, random)
    {
        return true;
    }
    *element = make_element(form, random);
    true
}

/// The value of a field; `None` where it is left out.
fn make_field(field: &Field, random: &mut Random) -> Option<Bson> {
    let is_missing = random.below(3) == 0;
    match field.absence {
        Absence::Null if is_missing => Some(Bson::Null),
        Absence::LeftOut | Absence::Default if is_missing => None,
        _ => Some(make_value(&field.form, random)),
    }
}

fn make_value(form: &Form, random: &mut Random) -> Bson {
    match form.holds {
        Holds::One => make_element(form, random),
        Holds::Array => {
            let keys = make_keys(random, form.max);
            Bson::Array(keys.iter().map(|_| make_element(form, random)).collect())
        }
        Holds::Map => {
            let keys = make_keys(random, form.max);
            let entries = keys
                .into_iter()
                .map(|key| (key, make_element(form, random)));
            Bson::Document(entries.collect())
        }
    }
}

/// As many keys as there are elements.
fn make_keys(random: &mut Random, max: Option<usize>) -> Vec<String> {
    let number = random.below(4).min(max.unwrap_or(usize::MAX));
    (0..number).map(|n| format!("{KEY}{n}")).collect()
}

/// The beginning of each key of a generated map.
pub(super) const KEY: &str = "key";

fn make_element(form: &Form, random: &mut Random) -> Bson {
    if form.null && random.below(3) == 0 {
        return Bson::Null;
    }
    match form.kind {
        Kind::String => Bson::String(make_text(form, random)),
        Kind::Int(least, greatest) => make_integer(least, greatest, random),
        Kind::Double => Bson::Double(*random.one_of(&[0.5, -2.25, 3.0, 1e12])),
        Kind::Decimal => {
            let number = random.one_of(&["1.5", "-20", "0.001"]);
            let number = number.parse::<Decimal128>();
            number.map_or(Bson::Null, Bson::Decimal128)
        }
        Kind::Bool => Bson::Boolean(random.below(2) == 0),
        Kind::Date => {
            let millis = [0, 1_700_000_000_123, -86_400_000];
            Bson::DateTime(DateTime::from_millis(*random.one_of(&millis)))
        }
        Kind::ObjectId => Bson::ObjectId(ObjectId::from_bytes(random.bytes())),
        Kind::Binary => {
            let is_uuid = random.below(2) == 0;
            let subtype = if is_uuid {
                BinarySubtype::Uuid
            } else {
                BinarySubtype::Generic
            };
            let bytes = random.bytes::<16>().to_vec();
            Bson::Binary(Binary { subtype, bytes })
        }
        Kind::Vector(numbers) => bson::binary::Vector::Float32(vec![0.5; numbers]).into(),
        Kind::Timestamp => Bson::Timestamp(Timestamp {
            time: 1_700_000_000,
            increment: 1,
        }),
        Kind::Document => {
            let inner = form.inner.as_ref();
            Bson::Document(inner.map_or_else(Document::new, |inner| make_document(inner, random)))
        }
        Kind::Array => {
            let numbers = [0.5, 2.0].map(Bson::Double);
            Bson::Array(random.one_of(&[&[][..], &numbers]).to_vec())
        }
        Kind::Any => make_any(random),
    }
}

fn make_text(form: &Form, random: &mut Random) -> String {
    if !form.one_of.is_empty() {
        return random.one_of(&form.one_of).clone();
    }
    let text = ["a", "b7", "some text"];
    let text = random.one_of(&text).chars();
    text.take(form.max_len.unwrap_or(usize::MAX)).collect()
}

/// Often the least or the greatest.
fn make_integer(least: i128, greatest: i128, random: &mut Random) -> Bson {
    let number = match random.below(6) {
        0 => least,
        1 => greatest,
        n => (n as i128).clamp(least, greatest),
    };
    match (i32::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => Bson::Int32(number),
        (_, Ok(number)) => Bson::Int64(number),
        _ => Bson::Int64(i64::MAX),
    }
}

/// A value of a type that no table knows: one of every kind.
fn make_any(random: &mut Random) -> Bson {
    let values = [
        Bson::String("a".to_owned()),
        Bson::Int32(7),
        Bson::Boolean(true),
        Bson::Double(0.5),
        Bson::DateTime(DateTime::from_millis(0)),
        Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        Bson::Array(Vec::new()),
        Bson::Document(doc! {}),
    ];
    random.one_of(&values).clone()
}
