//! BSON's own types.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Decimal128, Document, Timestamp, Uuid};

use super::Element;
use crate::codec::kind;
use crate::codec::writer::Index;
use crate::codec::{Reader, Refused, Writer};

/// A type with one form of fixed size.
macro_rules! fixed {
    ($($ty:ty: $kind:expr, $write:expr, $read:expr;)*) => {$(
        impl Element for $ty {
            #[inline(always)]
            fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
                to.fixed($kind, key, $write(self));
                Ok(())
            }

            #[inline(always)]
            fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
                if kind == $kind {
                    Ok($read(from.chunk()?))
                } else {
                    Err(Refused)
                }
            }
        }
    )*};
}

fixed! {
    ObjectId: kind::OBJECT_ID, |id: &ObjectId| id.bytes(), ObjectId::from_bytes;
    DateTime: kind::DATE, |date: &DateTime| date.timestamp_millis().to_le_bytes(), |bytes| DateTime::from_millis(i64::from_le_bytes(bytes));
    Decimal128: kind::DECIMAL, |number: &Decimal128| number.bytes(), Decimal128::from_bytes;
    Timestamp: kind::TIMESTAMP, timestamp, read_timestamp;
}

/// The increment comes first.
fn timestamp(value: &Timestamp) -> [u8; 8] {
    (u64::from(value.time) << 32 | u64::from(value.increment)).to_le_bytes()
}

fn read_timestamp(bytes: [u8; 8]) -> Timestamp {
    let both = u64::from_le_bytes(bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    Timestamp {
        time: (both >> 32) as u32,
        increment: both as u32,
    }
}

impl Element for Uuid {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        to.binary(key, BinarySubtype::Uuid.into(), &self.bytes())
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        if kind != kind::BINARY {
            return Err(Refused);
        }
        match from.binary()? {
            (4, bytes) => bytes.try_into().map(Uuid::from_bytes).map_err(|_| Refused),
            _ => Err(Refused),
        }
    }
}

impl Element for Binary {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        match self.subtype {
            BinarySubtype::BinaryOld => Err(Refused),
            subtype => to.binary(key, subtype.into(), &self.bytes),
        }
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        if kind != kind::BINARY {
            return Err(Refused);
        }
        let (subtype, bytes) = from.binary()?;
        Ok(Binary {
            subtype: subtype.into(),
            bytes: bytes.to_vec(),
        })
    }
}

impl Element for Bson {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        match self {
            Bson::Double(value) => value.write(key, to),
            Bson::String(value) => value.write(key, to),
            Bson::Array(values) => {
                let array = to.array(key);
                let mut index = Index::FIRST;
                for value in values {
                    value.write(index.key(), to)?;
                    index.step();
                }
                to.close(array)
            }
            Bson::Document(value) => value.write(key, to),
            Bson::Boolean(value) => value.write(key, to),
            Bson::Null => None::<bool>.write(key, to),
            Bson::Int32(value) => value.write(key, to),
            Bson::Int64(value) => value.write(key, to),
            Bson::Timestamp(value) => value.write(key, to),
            Bson::Binary(value) => value.write(key, to),
            Bson::ObjectId(value) => value.write(key, to),
            Bson::DateTime(value) => value.write(key, to),
            Bson::Decimal128(value) => value.write(key, to),
            _ => Err(Refused),
        }
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        Ok(match kind {
            kind::DOUBLE => Bson::Double(f64::read(kind, from)?),
            kind::STRING => Bson::String(String::read(kind, from)?),
            kind::ARRAY => Bson::Array(Vec::read(kind, from)?),
            kind::DOCUMENT => Bson::Document(Document::read(kind, from)?),
            kind::BOOL => Bson::Boolean(from.bool()?),
            kind::NULL => Bson::Null,
            kind::INT32 => Bson::Int32(i32::read(kind, from)?),
            kind::INT64 => Bson::Int64(i64::read(kind, from)?),
            kind::TIMESTAMP => Bson::Timestamp(Timestamp::read(kind, from)?),
            kind::BINARY => Bson::Binary(Binary::read(kind, from)?),
            kind::OBJECT_ID => Bson::ObjectId(ObjectId::read(kind, from)?),
            kind::DATE => Bson::DateTime(DateTime::read(kind, from)?),
            kind::DECIMAL => Bson::Decimal128(Decimal128::read(kind, from)?),
            _ => return Err(Refused),
        })
    }
}

impl Element for Document {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        let document = to.document(key);
        let mut name = Vec::new();
        for (key, value) in self {
            if key.as_bytes().contains(&0) {
                return Err(Refused);
            }
            name.clear();
            name.extend_from_slice(key.as_bytes());
            name.push(0);
            value.write(&name, to)?;
        }
        to.close(document)
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        let mut document = from.document(kind)?;
        let mut out = Document::new();
        while let Some((key, kind)) = document.key()? {
            // Serde takes some such keys for the parts of another type (`$date`).
            if key.first() == Some(&b'$') {
                return Err(Refused);
            }
            let name = std::str::from_utf8(&key[..key.len() - 1]).map_err(|_| Refused)?;
            out.insert(name, Bson::read(kind, &mut document)?);
        }
        Ok(out)
    }
}
