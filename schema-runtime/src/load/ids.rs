//! Finds the ids of a reference in stored documents.

use bson::oid::ObjectId;
use bson::{Bson, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use crate::bson_util::id_key::IdKey;
use crate::codec;
use crate::codec::{Element, Reader, Refused, Writer, kind};
use crate::error::{Error, Result};
use crate::schema::relation::{Holds, RelationRow};
use crate::schema::rows::{FieldRow, Kind};

/// The field that a load is about: for messages, and for the place of the ids in the field.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The model that refers.
    pub(crate) model: &'static str,
    /// The stored path of the reference.
    pub(crate) field: String,
    /// The stored name of the target's field that the ids are values of.
    pub(crate) key: &'static str,
}

impl Place {
    pub(super) fn new(model: &'static str, field: String, relation: Option<&RelationRow>) -> Self {
        let key = relation.and_then(|relation| {
            let field = relation.key?;
            let rows = (relation.target)().shape.fields;
            rows.iter()
                .find(|row| row.rust == field)
                .map(|row| row.name)
        });
        Place {
            model,
            field,
            key: key.unwrap_or("_id"),
        }
    }

    pub(super) fn encode_error(&self, source: codec::CodecError) -> Error {
        Error::Encode {
            model: self.model,
            field: self.field.clone(),
            source: Box::new(source),
        }
    }
}

/// An id as a reference holds it.
#[derive(Debug, Clone)]
pub(crate) enum RefId {
    /// Most are object ids: these need no memory of their own.
    Object(ObjectId),
    Other(Box<Bson>),
}

impl RefId {
    pub(super) fn of_raw(id: RawBsonRef<'_>) -> Option<Self> {
        match id {
            RawBsonRef::ObjectId(id) => Some(RefId::Object(id)),
            other => Bson::try_from(other).ok().map(RefId::from),
        }
    }

    /// True for a null among the ids of an array: a slot without a reference.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, RefId::Other(id) if **id == Bson::Null)
    }

    pub(super) fn key(&self) -> IdKey {
        match self {
            RefId::Object(id) => IdKey::object(id),
            RefId::Other(id) => IdKey::new(id),
        }
    }

    pub(super) fn to_bson(&self) -> Bson {
        match self {
            RefId::Object(id) => Bson::ObjectId(*id),
            RefId::Other(id) => (**id).clone(),
        }
    }

    /// Bytes of the id as an element of an array: its type, a key of up to seven digits, and the value.
    pub(super) fn size(&self) -> usize {
        match self {
            RefId::Object(_) => 25,
            RefId::Other(id) => size(id),
        }
    }

    pub(super) fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        match self {
            RefId::Object(id) => id.write(key, to),
            RefId::Other(id) => id.write(key, to),
        }
    }
}

impl From<Bson> for RefId {
    fn from(id: Bson) -> Self {
        match id {
            Bson::ObjectId(id) => RefId::Object(id),
            other => RefId::Other(Box::new(other)),
        }
    }
}

/// Bytes of any value as an element of an array.
pub(super) fn size(id: &Bson) -> usize {
    9 + match id {
        Bson::String(text) => text.len() + 5,
        Bson::Binary(binary) => binary.bytes.len() + 5,
        Bson::Document(_) | Bson::Array(_) => RawDocumentBuf::try_from(&doc! { "": id })
            .map_or(usize::from(u16::MAX), |raw| raw.as_bytes().len()),
        _ => 16,
    }
}

/// The ids in one field, in stored order; `put` writes it as the codec of its document does, into a buffer that the fields of many
/// documents share. `encode` does the same through serde.
pub(super) fn of_field(
    place: &Place,
    row: &FieldRow,
    encode: impl FnOnce() -> Result<Bson, codec::CodecError>,
    put: impl FnOnce(&[u8], &mut Writer) -> Result<(), Refused>,
    buffer: &mut Vec<u8>,
) -> Result<Vec<RefId>> {
    let mut ids = Vec::new();
    let Some(relation) = row.relation else {
        return Ok(ids);
    };
    let steps: &[&str] = if relation.entry {
        &["", relation.entry_id]
    } else {
        &[""]
    };
    let mut take = |id: RawBsonRef<'_>| ids.extend(RefId::of_raw(id));
    buffer.clear();
    let mut to = Writer::after(std::mem::take(buffer), 0);
    let open = to.document(&[]);
    let written = put(b"\0", &mut to).and_then(|()| to.close(open));
    *buffer = to.into_bytes();
    if written.is_ok()
        && relation.holds == Holds::Ids
        && !relation.entry
        && let Some(ids) = object_ids(buffer)
    {
        return Ok(ids);
    }
    if written.is_ok()
        && let Ok(raw) = RawDocument::from_bytes(buffer)
    {
        at_path(raw, steps, Take::of(relation), &mut take);
        return Ok(ids);
    }
    // Where the codec fails, serde encodes the value; then the error is serde's too.
    let value = encode().map_err(|source| place.encode_error(source))?;
    let raw = RawDocumentBuf::try_from(&doc! { "": value });
    let raw = raw.map_err(|source| place.encode_error(source.into()))?;
    at_path(&raw, steps, Take::of(relation), &mut take);
    Ok(ids)
}

/// The ids in the only field of a document, where all are object ids. Most references are, and `bson`'s iterator was a tenth of the
/// client's time in a large join.
fn object_ids(document: &[u8]) -> Option<Vec<RefId>> {
    let object_id = |reader: &mut Reader<'_>| {
        let bytes = reader.chunk().ok()?;
        Some(RefId::Object(ObjectId::from_bytes(bytes)))
    };
    let mut field = Reader::new(document).document(kind::DOCUMENT).ok()?;
    match field.key().ok()?? {
        (_, kind::OBJECT_ID) => Some(vec![object_id(&mut field)?]),
        (_, kind) => {
            let mut array = field.array(kind).ok()?;
            // A type, a key of at least one digit with its NUL, the id.
            let mut ids = Vec::with_capacity(array.rest().len() / 15);
            while let Some(kind) = array.next_value().ok()? {
                let id = (kind == kind::OBJECT_ID).then(|| object_id(&mut array))??;
                ids.push(id);
            }
            Some(ids)
        }
    }
}

/// The values below a path that are ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Take {
    pub(super) holds: Holds,
    /// True if a null in an array counts as well, so that the `n`th value is the `n`th element.
    pub(super) nulls: bool,
    /// True if the keys of a map are the texts of ObjectIds.
    pub(super) texts: bool,
}

impl Take {
    /// The ids alone.
    pub(super) const IDS: Take = Take {
        holds: Holds::Ids,
        nulls: false,
        texts: false,
    };

    pub(super) fn of(relation: &RelationRow) -> Self {
        Take {
            holds: relation.holds,
            nulls: relation.many && !relation.entry,
            texts: relation.holds == Holds::MapKeys && relation.key_kind() == Kind::ObjectId,
        }
    }
}

/// The ids at a dotted path of an encoded document, through the arrays on the way.
pub(super) fn at_path(
    document: &RawDocument,
    path: &[&str],
    take: Take,
    out: &mut dyn FnMut(RawBsonRef<'_>),
) {
    let Some((step, rest)) = path.split_first() else {
        return;
    };
    // A document that its own encoder wrote is well formed.
    if let Some(value) = document.get(*step).ok().flatten() {
        below(value, rest, take, out);
    }
}

fn below(value: RawBsonRef<'_>, rest: &[&str], take: Take, out: &mut dyn FnMut(RawBsonRef<'_>)) {
    match value {
        RawBsonRef::Array(elements) => {
            for element in elements.into_iter().flatten() {
                match element {
                    RawBsonRef::Null if take.nulls && rest.is_empty() => out(element),
                    element => below(element, rest, take, out),
                }
            }
        }
        RawBsonRef::Document(inner) if !rest.is_empty() => at_path(inner, rest, take, out),
        RawBsonRef::Null => {}
        RawBsonRef::Document(map) if take.holds == Holds::MapKeys => {
            let keys = map.into_iter().flatten();
            keys.for_each(|(key, _)| {
                let id = ObjectId::parse_str(key.as_str()).ok();
                let id = id.filter(|_| take.texts).map(RawBsonRef::ObjectId);
                out(id.unwrap_or(RawBsonRef::String(key.as_str())));
            });
        }
        RawBsonRef::Document(map) if take.holds == Holds::MapValues => {
            let values = map.into_iter().flatten().map(|(_, value)| value);
            values.for_each(|value| below(value, &[], Take::IDS, out));
        }
        id if rest.is_empty() => out(id),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use bson::oid::ObjectId;
    use bson::{Bson, RawBsonRef, RawDocumentBuf, doc};

    use super::{RefId, Take, at_path, object_ids};

    fn by_both(value: impl Into<Bson>) -> (Option<Vec<Bson>>, Vec<Bson>) {
        let raw = RawDocumentBuf::try_from(&doc! { "": value.into() }).expect("a document");
        let as_bson = |ids: Vec<RefId>| ids.iter().map(RefId::to_bson).collect();
        let mut ids = Vec::new();
        let mut take = |id: RawBsonRef<'_>| ids.extend(RefId::of_raw(id));
        at_path(&raw, &[""], Take::IDS, &mut take);
        (object_ids(raw.as_bytes()).map(as_bson), as_bson(ids))
    }

    #[test]
    fn object_ids_alone_are_what_the_general_path_finds() {
        let ids: Vec<ObjectId> = (0..120).map(|n| ObjectId::from_bytes([n; 12])).collect();
        for many in [0, 1, 9, 10, 11, 100, 101, 120] {
            let (alone, all) = by_both(ids[..many].to_vec());
            assert_eq!(alone, Some(all));
        }
        assert_eq!(by_both(ids[7]).0, Some(vec![Bson::ObjectId(ids[7])]));
    }

    #[test]
    fn other_values_are_left_to_the_general_path() {
        let id = Bson::ObjectId(ObjectId::new());
        let values = [
            Bson::Null,
            Bson::String("a".to_owned()),
            Bson::from(vec![id.clone(), Bson::Null]),
            Bson::from(vec![id.clone(), Bson::Int32(1)]),
            Bson::from(vec![Bson::from(vec![id.clone()])]),
            doc! { "a": id }.into(),
        ];
        for value in values {
            assert_eq!(by_both(value.clone()).0, None, "{value}");
        }
    }
}
