//! Rules 4.E on index keys that depend on the types of the fields. Paths are Rust names joined by dots.

use crate::__private::text::{Text, refuse, say};
use crate::schema::index_row::KeyKind;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::Value;

type Message = Text<1024>;

/// The end of a path.
enum End {
    Field(&'static FieldRow),
    /// This document has no such field.
    NoField(&'static Shape),
    /// The field before the segment is not a document with known fields.
    NoDocument(&'static FieldRow),
}

struct Walk {
    end: End,
    /// The last segment looked at.
    from: usize,
    to: usize,
    /// The end of the first array on the way, at or behind the byte that the caller gives.
    array: Option<usize>,
}

/// Follows `path` from `shape`; arrays that end before `since` are not remembered.
const fn walk(shape: &'static Shape, path: &str, since: usize) -> Walk {
    let mut inside = shape;
    let mut from = 0;
    let mut array = None;
    loop {
        let to = segment(path, from);
        let Some(row) = find(inside, path, from, to) else {
            return Walk {
                end: End::NoField(inside),
                from,
                to,
                array,
            };
        };
        if matches!(row.kind, Kind::Array) && to > since && array.is_none() {
            array = Some(to);
        }
        if to == path.len() {
            return Walk {
                end: End::Field(row),
                from,
                to,
                array,
            };
        }
        from = to + 1;
        match row.shape {
            // The fields of a map's values stand below keys that are data.
            Some(shape) if !matches!(row.kind, Kind::Map) => inside = shape,
            _ => {
                return Walk {
                    end: End::NoDocument(row),
                    from,
                    to: segment(path, from),
                    array,
                };
            }
        }
    }
}

/// The end of the segment that begins at `from`.
const fn segment(path: &str, from: usize) -> usize {
    let bytes = path.as_bytes();
    let mut to = from;
    while to < bytes.len() && bytes[to] != b'.' {
        to += 1;
    }
    to
}

const fn find(
    shape: &'static Shape,
    path: &str,
    from: usize,
    to: usize,
) -> Option<&'static FieldRow> {
    let mut n = 0;
    while n < shape.fields.len() {
        let name = shape.fields[n].rust;
        if name.len() == to - from && alike(name, path, from, to) == name.len() {
            return Some(&shape.fields[n]);
        }
        n += 1;
    }
    None
}

/// The number of bytes that `name` and `path[from..to]` share at the beginning and the end together.
const fn alike(name: &str, path: &str, from: usize, to: usize) -> usize {
    let (a, b) = (name.as_bytes(), path.as_bytes());
    let shorter = if a.len() < to - from {
        a.len()
    } else {
        to - from
    };
    let mut head = 0;
    while head < shorter && a[head] == b[from + head] {
        head += 1;
    }
    let mut tail = 0;
    while head + tail < shorter && a[a.len() - 1 - tail] == b[to - 1 - tail] {
        tail += 1;
    }
    head + tail
}

/// The field whose name is at most two letters away.
const fn nearest(
    shape: &'static Shape,
    path: &str,
    from: usize,
    to: usize,
) -> Option<&'static str> {
    let mut n = 0;
    while n < shape.fields.len() {
        let name = shape.fields[n].rust;
        let longer = if name.len() > to - from {
            name.len()
        } else {
            to - from
        };
        let same = alike(name, path, from, to);
        if same > 0 && longer - same <= 2 {
            return Some(name);
        }
        n += 1;
    }
    None
}

const fn owner(model: &Shape, path: &str) -> Message {
    say!("`{name}::{path}`"; name = model.name, path)
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "a string",
        Kind::Int => "an integer",
        Kind::Double => "a double",
        Kind::Decimal => "a decimal",
        Kind::Bool => "a bool",
        Kind::Date => "a date",
        Kind::ObjectId => "an ObjectId",
        Kind::Binary => "binary",
        Kind::Timestamp => "an internal timestamp",
        Kind::Document => "a document",
        Kind::Array => "an array",
        Kind::Map => "a map",
        Kind::Any => "of a type that is not known",
    }
}

/// The rows that the rules below look at. A type without rows (one that is generated for a broken model) answers nothing.
pub(super) const fn shape_of<T: Value>() -> &'static Shape {
    match T::SHAPE {
        Some(shape) => shape,
        None => &Shape {
            name: "",
            fields: &[],
        },
    }
}

/// True if an array or a map is on the way of the path, or at its end.
pub(super) const fn many(model: &'static Shape, path: &str) -> bool {
    let walk = walk(model, path, 0);
    let map = matches!(walk.end, End::Field(row) if matches!(row.kind, Kind::Map));
    map || walk.array.is_some()
}

/// Every segment of an index key is a field.
#[track_caller]
pub const fn index_key<T: Value>(path: &'static str) {
    key(shape_of::<T>(), path);
}

#[track_caller]
const fn key(model: &'static Shape, path: &str) {
    let walk = walk(model, path, 0);
    let text = match walk.end {
        End::Field(_) => return,
        End::NoField(shape) => {
            let mut text = say!(
                owner(model, path) => " is no index key: `{name}` has no field `";
                name = shape.name
            );
            text = say!(
                text
                .push_part(path, walk.from, walk.to) => "` [IDX_UNKNOWN_FIELD]\n\
                 help: "
            );
            match nearest(shape, path, walk.from, walk.to) {
                Some(name) => say!(text => "did you mean `{name}`?"; name),
                None => fields(
                    say!(text => "fields of `{name}` are "; name = shape.name),
                    shape,
                ),
            }
        }
        End::NoDocument(row) => {
            let text = say!(
                owner(model, path)
                .push_str(" is no index key: `")
                .push_part(path, 0, walk.from - 1) => "` is {kind_name}";
                kind_name = kind_name(row.kind)
            );
            let text = say!(
                text => ", whose fields are not declared [IDX_UNKNOWN_FIELD]\n\
                 help: make its type a `#[derive(MongoEmbed)]`"
            );
            if matches!(row.kind, Kind::Map | Kind::Any | Kind::Document) {
                text.push_str(", or index all keys inside: `wildcard(")
                    .push_part(path, 0, walk.from - 1)
                    .push_str(")`")
            } else {
                text
            }
        }
    };
    refuse!(
        text => "\n\
         note: the server builds an index on a name that no document has, and it finds nothing"
    );
}

const fn fields(mut text: Message, shape: &Shape) -> Message {
    let mut n = 0;
    while n < shape.fields.len() {
        text = say!(
            text => "{separator}{rust}`";
            separator = if n == 0 { "`" } else { ", `" }, rust = shape.fields[n].rust
        );
        n += 1;
    }
    text
}

/// No two keys of one index cross different arrays.
#[track_caller]
pub const fn index_parallel<T: Value>(paths: &[&'static str]) {
    parallel(shape_of::<T>(), paths);
}

#[track_caller]
const fn parallel(model: &'static Shape, paths: &[&'static str]) {
    let mut second = 1;
    while second < paths.len() {
        let mut first = 0;
        while first < second {
            let (a, b) = (paths[first], paths[second]);
            let since = shared(a, b);
            if let (Some(to_a), Some(to_b)) =
                (walk(model, a, since).array, walk(model, b, since).array)
            {
                let text = say!(
                    "index on {owner} and {owner_owner}";
                    owner = owner(model, a).as_str(), owner_owner = owner(model, b).as_str()
                );
                let text = text
                    .push_str(" crosses two arrays, `")
                    .push_part(a, 0, to_a)
                    .push_str("` and `")
                    .push_part(b, 0, to_b);
                refuse!(
                    text => "` [IDX_PARALLEL]\n\
                     help: two indexes, or one array of documents that holds both values\n\
                     note: the server refuses every document with both arrays (error 171, CannotIndexParallelArrays)"
                );
            }
            first += 1;
        }
        second += 1;
    }
}

/// The length of the segments that two paths begin with, without the dot behind them.
const fn shared(a: &str, b: &str) -> usize {
    let mut shared = 0;
    let mut from = 0;
    while from <= a.len() && from <= b.len() {
        let (to_a, to_b) = (segment(a, from), segment(b, from));
        let mut at = from;
        while at < to_a && at < to_b && a.as_bytes()[at] == b.as_bytes()[at] {
            at += 1;
        }
        if at < to_a || at < to_b {
            break;
        }
        shared = to_a;
        from = to_a + 1;
    }
    shared
}

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
const fn ttl(model: &'static Shape, path: &str) {
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
const fn no_array(model: &'static Shape, path: &str, what: &str, rest: &str) {
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
pub(super) const fn index_inside(row: &FieldRow, owner: &'static str, unique_allowed: bool) {
    if let (Kind::Array, Some(shape)) = (row.kind, row.shape) {
        inside(owner, shape, unique_allowed);
    }
}

#[track_caller]
const fn inside(owner: &str, shape: &'static Shape, unique_allowed: bool) {
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
const fn geo(model: &'static Shape, path: &str) {
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
const fn language(model: &'static Shape, path: &str) {
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

#[cfg(test)]
mod tests;
