//! Rules on the kinds of indexes: expiring, hashed, unique, geo, vector and text indexes want keys of certain types.

use super::{End, alike, find, kind_name, owner, segment, shape_of, walk};
use crate::__private::text::{refuse, say};
use crate::schema::index_row::KeyKind;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::Value;

/// The kind of the field at the end of the path; unknown where there is none, which [`index_key`] reports.
const fn kind(model: &'static Shape, path: &str) -> Kind {
    match walk(model, path, 0).end {
        End::Field(row) => row.kind,
        _ => Kind::Any,
    }
}

/// Documents expire by a field that is stored as a date.
#[track_caller]
pub const fn index_ttl<T: Value>(path: &'static str) {
    ttl(shape_of::<T>(), path);
}

#[track_caller]
pub(super) const fn ttl(model: &'static Shape, path: &str) {
    let kind = kind(model, path);
    if !matches!(kind, Kind::Date | Kind::Array | Kind::Any) {
        let text = say!(
            "expiry by {owner} would never delete anything: it is stored as ";
            owner = owner(model, path).as_str()
        );
        refuse!(
            text => "{kind_name} [IDX_TTL_TYPE]\n\
             help: make it a `bson::DateTime`\n\
             note: the server passes over documents whose field is not a date, without an error";
            kind_name = kind_name(kind)
        );
    }
}

/// An index with a hashed key crosses no array, with none of its keys.
#[track_caller]
pub const fn index_hashed<T: Value>(path: &'static str) {
    no_array(
        shape_of::<T>(),
        path,
        "a hashed index",
        " [IDX_HASHED]\nhelp: index it in ascending order\nnote: the server refuses every document with an array there (error 16766)",
    );
}

/// Beside text keys stand no arrays.
#[track_caller]
pub const fn index_beside_text<T: Value>(path: &'static str) {
    no_array(
        shape_of::<T>(),
        path,
        "a key beside text keys",
        " [IDX_TEXT_SHAPE]\nhelp: an index of its own\nnote: the server refuses every document with an array there (error 201)",
    );
}

/// A unique index does not run over an array.
#[track_caller]
pub const fn index_unique<T: Value>(path: &'static str) {
    unique_entry(shape_of::<T>(), path);
    no_array(
        shape_of::<T>(),
        path,
        "a unique index",
        " [IDX_UNIQUE_ARRAY]\nhelp: remove `unique`, or `#[model(allow(idx_unique_array, reason = \"..\"))]`\nnote: no two documents could share one element, one document could hold it twice, and only one document could have no elements",
    );
}

/// A document with a reference and copies that follow their source is no key of a unique index.
#[track_caller]
const fn unique_entry(model: &'static Shape, path: &str) {
    let (End::Field(row), None) = (walk(model, path, 0).end, walk(model, path, 0).array) else {
        return;
    };
    let Some(entry) = row.shape else {
        return;
    };
    let mut n = 0;
    while n < entry.fields.len() {
        if let Some(copy) = entry.fields[n].copy
            && !copy.snapshot
        {
            let text = say!(
                "unique index on {owner} compares copies too, and accepts one reference twice [IDX_UNIQUE_ENTRY]\n\
                 help: name the reference: `{path}.{via}";
                owner = owner(model, path).as_str(), path, via = copy.via
            );
            refuse!(
                text => "`\n\
                 note: the key is the whole document: it differs as soon as a copied field has changed in between, and the server then refuses to bring the older copy up to date (error 11000)"
            );
        }
        n += 1;
    }
}

#[track_caller]
pub(super) const fn no_array(model: &'static Shape, path: &str, what: &str, rest: &str) {
    if let Some(to) = walk(model, path, 0).array {
        let text = say!(
            "{what} on {owner} runs over the array `";
            what, owner = owner(model, path).as_str()
        );
        refuse!(text.push_part(path, 0, to) => "`{rest}"; rest);
    }
}

/// The documents in the array field `owner` declare no index that an array cannot have. Arrays deeper inside are checked where
/// they are declared.
#[track_caller]
pub(in crate::__private::check) const fn index_inside(
    row: &FieldRow,
    owner: &'static str,
    unique_allowed: bool,
) {
    if let (Kind::Array, Some(shape)) = (row.kind, row.shape) {
        inside(owner, shape, unique_allowed);
    }
}

#[track_caller]
pub(super) const fn inside(owner: &str, shape: &'static Shape, unique_allowed: bool) {
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        let mut m = 0;
        while m < row.indexes.len() {
            let index = &row.indexes[m];
            let hashed =
                matches!(index.keys.first(), Some(key) if matches!(key.kind, KeyKind::Hashed));
            if hashed || index.unique && !unique_allowed {
                let text = say!(
                    "`{owner}` is an array, and `{name}::{rust}";
                    owner, name = shape.name, rust = row.rust
                );
                let text = if hashed {
                    say!(
                        text => "` in it has a hashed index [IDX_HASHED]\n\
                         help: index it in ascending order\n\
                         note: the server refuses every document with an array there (error 16766)"
                    )
                } else {
                    say!(
                        text => "` in it has a unique index [IDX_UNIQUE_ARRAY]\n\
                         help: remove `unique`, or `#[model(allow(idx_unique_array, reason = \"..\"))]` on the array\n\
                         note: no two documents could share one element, one document could hold it twice, and only one document could have no elements"
                    )
                };
                panic!("{}", text.as_str());
            }
            m += 1;
        }
        if let (Kind::Document, Some(deeper)) = (row.kind, row.shape) {
            inside(owner, deeper, unique_allowed);
        }
        n += 1;
    }
}

/// A geo index is on a field that can be GeoJSON or a pair of numbers.
#[track_caller]
pub const fn index_geo<T: Value>(path: &'static str) {
    geo(shape_of::<T>(), path);
}

#[track_caller]
pub(super) const fn geo(model: &'static Shape, path: &str) {
    let kind = kind(model, path);
    if !matches!(kind, Kind::Document | Kind::Array | Kind::Map | Kind::Any) {
        let text = say!(
            "geo index on {owner}, which is stored as {kind_name}";
            owner = owner(model, path).as_str(), kind_name = kind_name(kind)
        );
        refuse!(
            text => " [IDX_GEO]\n\
             help: make it a `mongo_model::geo::Point`, another GeoJSON document `{{ type, coordinates }}` or a pair `[f64; 2]`\n\
             note: the server refuses every document with another value there (error 16755)"
        );
    }
}

/// An index of vectors is on a `Vector` that has as many numbers as the index has dimensions.
#[track_caller]
pub const fn index_vector<T: Value>(path: &'static str) {
    vector(shape_of::<T>(), path);
}

#[track_caller]
const fn vector(model: &'static Shape, path: &str) {
    let End::Field(row) = walk(model, path, 0).end else {
        return;
    };
    let Some(index) = row.vector else { return };
    if row.facts.dimensions == index.dimensions || !row.facts.known {
        return;
    }
    let text = say!(
        "the index of vectors on {owner} has {dimensions} dimensions, and the field ";
        owner = owner(model, path).as_str(), dimensions: Number = index.dimensions
    );
    let text = match row.facts.dimensions {
        0 => text.push_str("holds no `Vector`"),
        numbers => say!(text => "holds vectors of {numbers} numbers"; numbers: Number),
    };
    refuse!(
        text => " [IDX_VECTOR]\n\
         help: make the field a `mongo_model::vector::Vector<{dimensions}>`, or an `Option` of one\n\
         note: a search compares vectors of one length";
        dimensions: Number = index.dimensions
    );
}

/// The documents that a text key lies in have no field that the server would read as their language.
#[track_caller]
pub const fn index_language<T: Value>(path: &'static str) {
    language(shape_of::<T>(), path);
}

#[track_caller]
pub(super) const fn language(model: &'static Shape, path: &str) {
    let mut inside = model;
    let mut from = 0;
    // Every document on the way, without the model itself: its own fields the derive sees.
    while let Some(row) = find(inside, path, from, segment(path, from)) {
        from = segment(path, from) + 1;
        let Some(shape) = row.shape else { return };
        if from > path.len() {
            return;
        }
        inside = shape;
        let mut n = 0;
        while n < inside.fields.len() {
            if is_language(inside.fields[n].name) {
                let text =
                    say!("`{name}::{rust}"; name = inside.name, rust = inside.fields[n].rust);
                refuse!(
                    text => "` would be read as the language of the text index on {owner} [IDX_TEXT_LANGUAGE]\n\
                     help: name another field in the index: `language_override = \"_language\"`\n\
                     help: if it is the language: `#[model(allow(idx_text_language, reason = \"..\"))]`\n\
                     note: the server refuses documents whose `language` it does not know (error 17262)";
                    owner = owner(model, path).as_str()
                );
            }
            n += 1;
        }
    }
}

/// True if the server takes a field of this stored name as the language of a text.
const fn is_language(name: &str) -> bool {
    name.len() == "language".len() && alike(name, "language", 0, "language".len()) == name.len()
}
