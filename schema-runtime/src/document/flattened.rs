//! The order in which serde reads a level of a document that has flattened fields: first what the struct names itself, then
//! each flattened field in its turn.

use crate::codec::error::{Rank, ReadOrder};
use crate::schema::rows::{Kind, Shape};

impl ReadOrder for Shape {
    fn ranks_at(&'static self, path: &[String]) -> Option<Rank> {
        let shape = shape_at(self, path)?;
        any(shape).then(|| Box::new(|key: &str| rank(shape, key)) as Box<_>)
    }
}

/// The shape of the document at a path.
fn shape_at(root: &'static Shape, path: &[String]) -> Option<&'static Shape> {
    let mut shape = root;
    for step in path {
        shape = match inside(shape, step) {
            Some(found) => found?,
            // An element of an array has the shape of the array.
            None if step.parse::<usize>().is_ok() => shape,
            None => return None,
        };
    }
    Some(shape)
}

/// The shape inside the field of this name; `None` where no field has it.
fn inside(shape: &'static Shape, name: &str) -> Option<Option<&'static Shape>> {
    shape.fields.iter().find_map(|row| match row.shape {
        Some(inner) if row.name.is_empty() => inside(inner, name),
        // The keys of a map are data.
        found => (row.name == name).then(|| found.filter(|_| row.kind != Kind::Map)),
    })
}

/// True if serde reads some of the fields after the others, because they are flattened.
fn any(shape: &Shape) -> bool {
    shape.fields.iter().any(|row| row.name.is_empty())
}

/// The turn at which serde reads an element: its group, and a tag first in its group. An element of no field is taken by a flattened map,
/// else by the struct itself, which may have it under an alias.
fn rank(shape: &Shape, key: &str) -> (usize, bool) {
    let mut groups = 0;
    match find(shape, key, &mut groups) {
        Some(rank) => rank,
        None if has_map(shape) => (groups, true),
        None => (0, true),
    }
}

fn find(shape: &Shape, key: &str, groups: &mut usize) -> Option<(usize, bool)> {
    let group = *groups;
    *groups += 1;
    if let Some(row) = shape.fields.iter().find(|row| row.name == key) {
        return Some((group, !row.tag));
    }
    let mut flattened = shape.fields.iter().filter(|row| row.name.is_empty());
    flattened.find_map(|row| find(row.shape?, key, groups))
}

fn has_map(shape: &Shape) -> bool {
    let mut flattened = shape.fields.iter().filter(|row| row.name.is_empty());
    flattened.any(|row| match row.shape {
        Some(inner) if row.kind == Kind::Document => has_map(inner),
        _ => true,
    })
}
