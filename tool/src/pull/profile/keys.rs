//! Some of the values at a path that could be references: a sample whose size is bounded.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson};

/// The number of values that are kept for each path.
const KEPT: usize = 400;
/// Longer strings are no keys.
const LONGEST: usize = 100;

/// A value that could be a reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    ObjectId(ObjectId),
    Int(i64),
    Text(Box<str>),
    Uuid([u8; 16]),
}

impl Key {
    /// A short string.
    pub(crate) fn of_text(text: &str) -> Option<Key> {
        (!text.is_empty() && text.len() <= LONGEST).then(|| Key::Text(text.into()))
    }

    /// A value that is read from a document.
    pub(crate) fn of(value: &Bson) -> Option<Key> {
        match value {
            Bson::ObjectId(id) => Some(Key::ObjectId(*id)),
            Bson::Int32(number) => Some(Key::Int(i64::from(*number))),
            Bson::Int64(number) => Some(Key::Int(*number)),
            Bson::String(text) => Key::of_text(text),
            Bson::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
                binary.bytes.as_slice().try_into().ok().map(Key::Uuid)
            }
            _ => None,
        }
    }

    /// The value for a filter.
    pub(crate) fn to_bson(&self) -> Bson {
        match self {
            Key::ObjectId(id) => Bson::ObjectId(*id),
            Key::Int(number) => Bson::Int64(*number),
            Key::Text(text) => Bson::String(text.to_string()),
            Key::Uuid(bytes) => Bson::Binary(Binary {
                subtype: BinarySubtype::Uuid,
                bytes: bytes.to_vec(),
            }),
        }
    }
}

/// A uniform sample of the keys at one path, the same in every run over the same values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    pub(crate) seen: u64,
    pub(crate) some: Vec<Key>,
    random: u64,
}

impl Keys {
    /// Adds a value; it is made only if the sample takes it.
    pub(crate) fn add(&mut self, key: impl FnOnce() -> Option<Key>) {
        self.seen += 1;
        if self.some.len() < KEPT {
            self.some.extend(key());
            return;
        }
        let slot = self.next() % self.seen;
        if let Some(place) = usize::try_from(slot)
            .ok()
            .and_then(|slot| self.some.get_mut(slot))
            && let Some(key) = key()
        {
            *place = key;
        }
    }

    /// Takes the sample of another path too, in proportion.
    pub(crate) fn merge(&mut self, other: &Keys) {
        for key in &other.some {
            self.add(|| Some(key.clone()));
        }
        self.seen += other.seen.saturating_sub(other.some.len() as u64);
    }

    /// The next number of splitmix64.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.random)
    }
}

/// A number whose bits all depend on all bits of the given one.
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
