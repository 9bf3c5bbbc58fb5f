//! Replaces the values of documents: types, lengths, kinds of letters and equality stay.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use bson::oid::ObjectId;
use bson::raw::cstr;
use bson::{Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, Timestamp};

use super::infer::{is_map, map_values};
use super::profile::{EXACT, Fields, Values, is_date, is_object_id};

/// Shorter strings may be a part of others.
const SHORTEST: usize = 4;
/// The number of replacements that are tried before one gets longer.
const TRIES: u64 = 8;
/// Seconds from 2000 to 2100.
const SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;
const DAY: i64 = 86_400;

/// The replacements of one run. A value has the same one everywhere, and another one in every run.
#[derive(Debug)]
pub(crate) struct Disguise {
    key: RandomState,
    /// True if names of fields are replaced too.
    names: bool,
    /// The strings that no replacement may hold, and their lengths.
    originals: HashSet<String>,
    lengths: BTreeSet<usize>,
    texts: HashMap<String, String>,
    used: HashSet<String>,
    integers: HashMap<i64, i64>,
    used_integers: HashSet<i64>,
    /// Seconds that are added to all times.
    shift: i64,
}

impl Disguise {
    pub(crate) fn new(names: bool) -> Self {
        let key = RandomState::new();
        let days = i64::try_from(key.hash_one("shift") % 1_000).unwrap_or_default();
        Disguise {
            shift: -(days + 1) * DAY - days,
            key,
            names,
            originals: HashSet::new(),
            lengths: BTreeSet::new(),
            texts: HashMap::new(),
            used: HashSet::new(),
            integers: HashMap::new(),
            used_integers: HashSet::new(),
        }
    }

    /// Notes the strings of a value that is to be replaced; before the first replacement.
    pub(crate) fn avoid(&mut self, value: &Bson) {
        match value {
            Bson::String(text) | Bson::Symbol(text) | Bson::JavaScriptCode(text) => {
                self.lengths.insert(text.len());
                self.originals.insert(text.clone());
            }
            Bson::Array(items) => items.iter().for_each(|item| self.avoid(item)),
            Bson::Document(document) => document.iter().for_each(|(_, value)| self.avoid(value)),
            _ => {}
        }
    }

    /// The name of a collection.
    pub(crate) fn collection(&mut self, name: &str) -> String {
        match self.names {
            true => self.text(name),
            false => name.to_owned(),
        }
    }

    /// The document with other values; keys that are data are values too.
    pub(crate) fn document(&mut self, document: &Document, fields: Option<&Fields>) -> Document {
        let inner = fields.filter(|fields| is_map(fields)).map(map_values);
        let mut out = Document::new();
        for (name, value) in document {
            let values = match &inner {
                Some(values) => Some(values),
                None => fields.and_then(|fields| fields.get(name)),
            };
            let is_data = inner.is_some() || self.names;
            let is_fixed = name == "_id" || name.starts_with('$');
            let key = match is_data && !is_fixed {
                true => self.text(name),
                false => name.clone(),
            };
            let value = match (name.as_str(), value) {
                ("$ref", Bson::String(collection)) => Bson::String(self.collection(collection)),
                (_, value) => self.value(value, values),
            };
            out.insert(key, value);
        }
        out
    }

    fn value(&mut self, value: &Bson, values: Option<&Values>) -> Bson {
        match value {
            Bson::Document(document) => {
                let fields = values.and_then(|values| values.fields.as_deref());
                Bson::Document(self.document(document, fields))
            }
            Bson::Array(items) => {
                let values = values.and_then(|values| values.items.as_deref());
                Bson::Array(items.iter().map(|item| self.value(item, values)).collect())
            }
            Bson::String(text) => Bson::String(self.text(text)),
            Bson::Symbol(text) => Bson::Symbol(self.text(text)),
            Bson::JavaScriptCode(code) => Bson::JavaScriptCode(self.text(code)),
            Bson::JavaScriptCodeWithScope(code) => {
                Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope {
                    code: self.text(&code.code),
                    scope: self.document(&code.scope, None),
                })
            }
            Bson::RegularExpression(_) => Bson::RegularExpression(bson::Regex {
                pattern: cstr!("").to_owned(),
                options: cstr!("").to_owned(),
            }),
            Bson::Int32(number) => match i32::try_from(self.integer(i64::from(*number))) {
                Ok(number) => Bson::Int32(number),
                Err(_) => Bson::Int32(*number),
            },
            Bson::Int64(number) => Bson::Int64(self.integer(*number)),
            Bson::Double(number) => Bson::Double(self.double(*number)),
            Bson::Decimal128(number) => Bson::Decimal128(self.decimal(*number)),
            Bson::DateTime(time) => {
                let millis = time.timestamp_millis().saturating_add(self.shift * 1_000);
                Bson::DateTime(DateTime::from_millis(millis))
            }
            Bson::Timestamp(time) => Bson::Timestamp(Timestamp {
                time: self.shifted(time.time),
                increment: time.increment,
            }),
            Bson::ObjectId(id) => Bson::ObjectId(self.object_id(*id)),
            Bson::Binary(binary) => Bson::Binary(Binary {
                subtype: binary.subtype,
                bytes: self.bytes(&binary.bytes),
            }),
            Bson::DbPointer(_) => Bson::Null,
            Bson::Boolean(_) | Bson::Null | Bson::Undefined | Bson::MinKey | Bson::MaxKey => {
                value.clone()
            }
        }
    }

    fn shifted(&self, seconds: u32) -> u32 {
        u32::try_from(i64::from(seconds) + self.shift).unwrap_or(seconds)
    }

    /// An id that is as much older than the others as it was.
    fn object_id(&self, id: ObjectId) -> ObjectId {
        let bytes = id.bytes();
        let [a, b, c, d, rest @ ..] = bytes;
        let time = self.shifted(u32::from_be_bytes([a, b, c, d]));
        let mut out = [0; 12];
        out[..4].copy_from_slice(&time.to_be_bytes());
        out[4..].copy_from_slice(&self.bytes(&rest));
        ObjectId::from_bytes(out)
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let byte = |at| self.key.hash_one((bytes, at)).to_le_bytes()[0];
        (0..bytes.len()).map(byte).collect()
    }

    /// An integer of as many digits; times are as far from each other as they were.
    fn integer(&mut self, number: i64) -> i64 {
        if number == 0 {
            return 0;
        }
        if let Some(known) = self.integers.get(&number) {
            return *known;
        }
        let (size, sign) = (i128::from(number).abs(), i128::from(number.signum()));
        let low = 10_i128.pow(size.ilog10());
        let widest = match i32::try_from(number) {
            Ok(_) => i128::from(i32::MAX),
            Err(_) => i128::from(i64::MAX),
        };
        let high = (low * 10 - 1).min(widest.max(size));
        let drawn = low + i128::from(self.key.hash_one(number)) % (high - low + 1);
        let mut next = match number {
            number if SECONDS.contains(&number) => size + i128::from(self.shift),
            number if SECONDS.contains(&(number / 1_000)) => size + i128::from(self.shift) * 1_000,
            _ => drawn,
        };
        // There are as many replacements of this length as integers.
        loop {
            if next > high || next < low {
                next = low;
            }
            let other = i64::try_from(next * sign).unwrap_or(number);
            if self.used_integers.insert(other) {
                self.integers.insert(number, other);
                return other;
            }
            next += 1;
        }
    }

    fn double(&mut self, number: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "2^53 is exact")]
        let is_integer = number.fract() == 0.0 && number.abs() < EXACT as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "an integer of at most 53 bits, of as many digits"
        )]
        match is_integer {
            true => self.integer(number as i64) as f64,
            false => self.digits(&number.to_string()).parse().unwrap_or(number),
        }
    }

    fn decimal(&self, number: Decimal128) -> Decimal128 {
        let text = number.to_string();
        let (digits, exponent) = text.split_at(text.find('E').unwrap_or(text.len()));
        let text = self.digits(digits) + exponent;
        text.parse().unwrap_or(number)
    }

    /// The text with other digits; zeros in front stay.
    fn digits(&self, text: &str) -> String {
        let letters = text.chars().enumerate();
        letters
            .map(|(at, c)| self.letter(text, at as u64, c, false))
            .collect()
    }

    /// A string of the same look.
    fn text(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let mut nth = 0;
        let other = loop {
            let other = self.draw(text, nth);
            if !self.shows(&other) && self.used.insert(other.clone()) {
                break other;
            }
            nth += 1;
        };
        self.texts.insert(text.to_owned(), other.clone());
        other
    }

    /// True if the text is or holds one of the strings that are replaced.
    fn shows(&self, text: &str) -> bool {
        let parts = |length: &usize| {
            let mut starts = 0..=text.len().saturating_sub(*length);
            starts.any(|at| {
                let part = text.get(at..at + length);
                part.is_some_and(|part| self.originals.contains(part))
            })
        };
        self.originals.contains(text) || self.lengths.range(SHORTEST..).any(parts)
    }

    /// The `nth` replacement of a string. Late ones are letters alone, and grow.
    fn draw(&self, text: &str, nth: u64) -> String {
        if nth >= TRIES {
            let length = text.chars().count() as u64 + nth / TRIES - 1;
            let letter = |at| self.letter(text, at + nth * 1_000_003, 'a', false);
            return (0..length).map(letter).collect();
        }
        if let (true, 0, Ok(id)) = (is_object_id(text), nth, ObjectId::parse_str(text)) {
            return self.object_id(id).to_hex();
        }
        if is_date(text) {
            return self.date(text, nth);
        }
        let scheme = ["https://", "http://"]
            .into_iter()
            .find(|scheme| text.starts_with(scheme));
        let scheme = scheme.unwrap_or_default();
        let rest = &text[scheme.len()..];
        let is_hex = |c: char| c.is_ascii_hexdigit() || !c.is_alphanumeric();
        let hex = rest.len() >= 8
            && rest.chars().all(is_hex)
            && rest.contains(|c: char| c.is_ascii_digit());
        let letters = rest.chars().enumerate();
        let letters = letters.map(|(at, c)| self.letter(text, at as u64 + nth * 1_000_003, c, hex));
        scheme.chars().chain(letters).collect()
    }

    /// The date with other digits; the names of days and months stay.
    fn date(&self, text: &str, nth: u64) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let run = rest[start..].find(|c: char| !c.is_ascii_digit());
            let end = run.map_or(rest.len(), |length| start + length);
            out.push_str(&rest[..start]);
            let number = self.key.hash_one((text, nth, start, rest.len()));
            match end - start {
                2 => out.push_str(&format!("0{}", number % 9 + 1)),
                4 => out.push_str(&format!("20{:02}", number % 100)),
                length => out.extend((0..length).map(|_| "1")),
            }
            rest = &rest[end..];
        }
        out + rest
    }

    /// A letter of the same kind.
    fn letter(&self, text: &str, at: u64, letter: char, hex: bool) -> char {
        let drawn = self.key.hash_one((text, at));
        let pick = |alphabet: &str| {
            let bytes = alphabet.as_bytes();
            char::from(bytes[usize::try_from(drawn % bytes.len() as u64).unwrap_or(0)])
        };
        match letter {
            '0' => '0',
            '1'..='9' => pick("123456789"),
            'a'..='f' if hex => pick("abcdef"),
            'A'..='F' if hex => pick("ABCDEF"),
            'a'..='z' => pick("abcdefghijklmnopqrstuvwxyz"),
            'A'..='Z' => pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            letter if letter.is_alphabetic() => {
                let (first, letters) = ('а', 32);
                let next = u32::from(first) + u32::try_from(drawn % letters).unwrap_or(0);
                char::from_u32(next).unwrap_or(first)
            }
            letter => letter,
        }
    }
}

/// The value in canonical extended JSON, where the types of numbers stay.
pub(crate) fn canonical(value: Bson) -> Bson {
    let number = |key: &str, text: String| Bson::Document(bson::doc! { key: text });
    match value {
        Bson::Int32(n) => number("$numberInt", n.to_string()),
        Bson::Int64(n) => number("$numberLong", n.to_string()),
        Bson::Double(n) if n.is_finite() => number("$numberDouble", format!("{n:?}")),
        Bson::Array(items) => Bson::Array(items.into_iter().map(canonical).collect()),
        Bson::Document(document) => {
            let fields = document.into_iter();
            Bson::Document(
                fields
                    .map(|(name, value)| (name, canonical(value)))
                    .collect(),
            )
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use bson::{doc, rawdoc};

    use super::*;

    fn disguised(document: &Document) -> Document {
        let mut disguise = Disguise::new(false);
        disguise.avoid(&Bson::Document(document.clone()));
        disguise.document(document, None)
    }

    #[test]
    fn strings_keep_their_look() {
        let id = ObjectId::new();
        let document = doc! {
            "mail": "ann.smith@example.org", "url": "https://example.org/a", "day": "2024-01-31", "n": "007", "mixed": "Ab 12",
            "id": id, "hex": id.to_hex(), "again": "Ab 12", "one": "a", "dash": "--", "empty": "",
        };
        let out = disguised(&document);
        let text = |name: &str| out.get_str(name).expect(name);
        assert!(
            text("mail").contains('@') && text("mail").len() == 21,
            "{out}"
        );
        assert!(text("url").starts_with("https://"), "{out}");
        assert!(is_date(text("day")), "{out}");
        assert!(text("n").starts_with("00") && text("n").len() == 3, "{out}");
        assert_eq!(text("mixed"), text("again"));
        assert_eq!(
            text("hex"),
            out.get_object_id("id").expect("an id").to_hex()
        );
        assert_eq!(text("empty"), "");
        for (name, value) in &document {
            assert!(
                name == "empty" || out.get(name) != Some(value),
                "{name}: {out}"
            );
        }
    }

    #[test]
    fn no_string_is_left_however_many_there_are() {
        let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
        let words = (0..200).map(|n| format!("w{n}"));
        let all: Vec<String> = letters.map(String::from).chain(words).collect();
        let out = disguised(&doc! { "all": all.clone() });
        let others = out.get_array("all").expect("an array");
        let others: HashSet<&str> = others.iter().filter_map(Bson::as_str).collect();
        assert_eq!(others.len(), all.len(), "each has its own");
        assert!(all.iter().all(|text| !others.contains(&**text)));
    }

    #[test]
    fn numbers_keep_type_sign_length_and_equality() {
        let numbers = [
            Bson::Int32(i32::MIN),
            Bson::Int32(i32::MAX),
            Bson::Int64(i64::MIN),
            Bson::Int64(7),
            Bson::Double(7.0),
            Bson::Double(-12.25),
            Bson::Int32(0),
        ];
        let out = disguised(&doc! { "n": numbers.to_vec(), "all": (1..=99).collect::<Vec<i32>>() });
        let others = out.get_array("n").expect("numbers");
        for (number, other) in numbers.iter().zip(others) {
            assert_eq!(number.element_type(), other.element_type());
            assert_eq!(
                number.to_string().len(),
                other.to_string().len(),
                "{number} {other}"
            );
        }
        assert_eq!(others[3].as_i64().map(|n| n as f64), others[4].as_f64());
        let all = out.get_array("all").expect("numbers");
        let all: BTreeSet<i32> = all.iter().filter_map(Bson::as_i32).collect();
        assert_eq!(all, (1..=99).collect(), "a permutation of each length");
    }

    #[test]
    fn keys_that_are_data_are_replaced() {
        let raw = rawdoc! { "by_mail": { "ann@example.org": 1, "bob@example.org": 2, "eve@example.org": 3 }, "name": "Ann" };
        let mut fields = Fields::default();
        fields.add(&raw, 0);
        let document = Document::try_from(&*raw).expect("a document");
        let out = Disguise::new(false).document(&document, Some(&fields));
        let keys: Vec<&String> = out.get_document("by_mail").expect("a map").keys().collect();
        assert!(
            keys.len() == 3 && keys.iter().all(|key| !key.contains("example")),
            "{out}"
        );
        assert!(out.contains_key("name") && out.contains_key("by_mail"));
        let out = Disguise::new(true).document(&document, Some(&fields));
        assert!(
            !out.contains_key("name") && !out.contains_key("by_mail"),
            "{out}"
        );
    }
}
