//! Rules 4.E on index keys that depend on the types of the fields. Paths are Rust names joined by dots.

mod kinds;
#[cfg(test)]
mod tests;

pub(super) use self::kinds::index_inside;
pub use self::kinds::*;
use crate::__private::text::{Text, refuse, say};
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
