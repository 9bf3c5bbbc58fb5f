//! The content of a diagram, without positions.

use mongo_model::index::{Definition, Source, definitions};
use mongo_model::model::{FieldRow, Holds, Kind, ModelMeta, Shape};
use serde::Serialize;

use crate::commands::check::keys_of;
use crate::models::{Models, references};

/// The largest number of lines of fields in a box.
const FIELDS: usize = 18;
/// The depth to which embedded documents are shown.
const DEPTH: usize = 2;

/// Boxes and arrows.
#[derive(Debug, Serialize)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

/// A model.
#[derive(Debug, Serialize)]
pub(super) struct Node {
    pub(super) model: String,
    pub(super) collection: String,
    pub(super) fields: Vec<Field>,
    pub(super) indexes: Vec<Index>,
}

/// A field.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    /// The stored name, or `…` for the fields that are left out.
    pub(super) name: String,
    /// The type, in words.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The depth at which the field is embedded.
    pub(super) depth: usize,
    /// The stored path.
    pub(super) path: String,
    pub(super) mark: Mark,
}

/// The role of a field beyond its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mark {
    /// A value.
    Plain,
    /// The `_id`.
    Key,
    /// A reference.
    Reference,
    /// A copy.
    Copy,
    /// Follows from other documents: a list, a number.
    Derived,
}

/// An index besides that of the `_id`.
#[derive(Debug, Serialize)]
pub(super) struct Index {
    pub(super) keys: String,
    pub(super) options: String,
}

/// An arrow.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Edge {
    /// The number of the box that it begins at: the one that refers, the source of a copy.
    pub(super) from: usize,
    /// The number of the box that it points to.
    pub(super) to: usize,
    /// The stored path of the field that refers or is a copy.
    pub(super) path: String,
    /// The text on the arrow.
    pub(super) label: String,
    pub(super) kind: EdgeKind,
    /// The cardinalities at the beginning and at the end.
    pub(super) cardinality: (&'static str, &'static str),
}

/// The meaning of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EdgeKind {
    /// A document refers to another.
    Reference,
    /// A field is copied.
    Copy,
    /// A list or number of the children.
    Derived,
}

impl Graph {
    /// Builds the graph of the models that the command looks at.
    pub(super) fn new(models: &Models, compact: bool) -> Self {
        let selected = models.selected();
        let nodes = selected.iter().map(|model| node(model, compact)).collect();
        let place = |meta: &ModelMeta| selected.iter().position(|one| std::ptr::eq(*one, meta));
        let mut edges: Vec<Edge> = Vec::new();
        for (from, model) in selected.iter().enumerate() {
            for reference in references(model) {
                let Some(to) = place((reference.row.target)()) else {
                    continue;
                };
                let end = match (reference.many, reference.optional) {
                    (true, _) => "0..n",
                    (false, true) => "0..1",
                    (false, false) => "1",
                };
                let path = reference.path.trim_end_matches(".id").to_owned();
                let label = match reference.row.key {
                    Some(key) => format!("{path} → {key}"),
                    None => path.clone(),
                };
                edges.push(Edge {
                    from,
                    to,
                    path,
                    label,
                    kind: EdgeKind::Reference,
                    cardinality: ("n", end),
                });
            }
            edges.extend(copies(model, from, &place));
            for row in model.shape.fields {
                let Some(child) = row.derived.and_then(|derived| place((derived.child)())) else {
                    continue;
                };
                let label = row.name.to_owned();
                edges.push(Edge {
                    from: child,
                    to: from,
                    path: label.clone(),
                    label,
                    kind: EdgeKind::Derived,
                    cardinality: ("", ""),
                });
            }
        }
        Graph { nodes, edges }
    }
}

/// The copies in a model, all of one source together.
fn copies(model: &ModelMeta, to: usize, place: &impl Fn(&ModelMeta) -> Option<usize>) -> Vec<Edge> {
    let mut out: Vec<Edge> = Vec::new();
    for field in &model.flat().fields {
        let Some((copy, from)) = field
            .copy
            .and_then(|copy| Some((copy, place((copy.source)())?)))
        else {
            continue;
        };
        let frozen = if copy.snapshot { " (frozen)" } else { "" };
        let label = format!("{}{frozen}", copy.field);
        match out.iter_mut().find(|edge| edge.from == from) {
            Some(edge) => edge.label = format!("{}, {label}", edge.label),
            None => out.push(Edge {
                from,
                to,
                path: field.path.clone(),
                label,
                kind: EdgeKind::Copy,
                cardinality: ("", ""),
            }),
        }
    }
    out
}

fn node(model: &ModelMeta, compact: bool) -> Node {
    let mut fields = Vec::new();
    if !compact {
        add_fields(model.shape, "", 0, &mut fields);
    }
    if fields.len() > FIELDS {
        let more = fields.len() - (FIELDS - 1);
        leave_out(&mut fields, more);
        fields.push(Field {
            name: format!("… {more} more"),
            kind: String::new(),
            depth: 0,
            path: String::new(),
            mark: Mark::Plain,
        });
    }
    // Skip the indexes that the library needs for itself: they say nothing about the schema.
    let shown = |index: &Definition| {
        !index
            .keys
            .first()
            .is_some_and(|(path, _)| path.starts_with("_dn") || path.starts_with("_ng"))
    };
    let indexes = definitions(model)
        .into_iter()
        .filter(|index| !compact && shown(index));
    Node {
        model: model.name.to_owned(),
        collection: model.collection.to_owned(),
        fields,
        indexes: indexes
            .map(|index| Index {
                keys: keys_of(&index),
                options: options(&index),
            })
            .collect(),
    }
}

/// Leaves out the last fields that are values only, then the last of the others: arrows begin and end at those.
fn leave_out(fields: &mut Vec<Field>, more: usize) {
    let stays = fields.len() - more;
    while fields.len() > stays {
        let value = |n: &usize| fields[*n].mark == Mark::Plain && is_leaf(fields, *n);
        let last = (0..fields.len()).rev().find(value);
        fields.remove(last.unwrap_or(fields.len() - 1));
    }
}

/// A field with no embedded fields below it: the next line is not deeper.
fn is_leaf(fields: &[Field], n: usize) -> bool {
    fields
        .get(n + 1)
        .is_none_or(|next| next.depth <= fields[n].depth)
}

fn options(index: &Definition) -> String {
    let mut out = Vec::new();
    if index.unique {
        out.push("unique".to_owned());
    }
    if index.sparse {
        out.push("sparse".to_owned());
    }
    if index.partial.is_some() {
        out.push("partial".to_owned());
    }
    if let Some(seconds) = index.expire_after {
        out.push(format!("expires after {}", duration(seconds)));
    }
    if index.source == Source::Automatic {
        out.push("of a reference".to_owned());
    }
    out.join(", ")
}

fn duration(seconds: u32) -> String {
    match seconds {
        0 => "at that time".to_owned(),
        n if n.is_multiple_of(86_400) => format!("{} d", n / 86_400),
        n if n.is_multiple_of(3_600) => format!("{} h", n / 3_600),
        n if n.is_multiple_of(60) => format!("{} min", n / 60),
        n => format!("{n} s"),
    }
}

fn add_fields(shape: &Shape, above: &str, depth: usize, out: &mut Vec<Field>) {
    for row in shape.fields {
        // Several variants may have a field of one name.
        if out.iter().any(|field| {
            field.depth == depth && field.name == row.name && parent(&field.path) == above
        }) {
            continue;
        }
        if row.name.is_empty() {
            if let Some(inner) = row.shape {
                add_fields(inner, above, depth, out);
            }
            continue;
        }
        let path = match above.is_empty() {
            true => row.name.to_owned(),
            false => format!("{above}.{}", row.name),
        };
        out.push(Field {
            name: row.name.to_owned(),
            kind: kind(row),
            depth,
            path: path.clone(),
            mark: mark(row),
        });
        if let Some(inner) = row.shape.filter(|_| depth < DEPTH) {
            add_fields(inner, &path, depth + 1, out);
        }
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn mark(row: &FieldRow) -> Mark {
    if row.name == "_id" {
        Mark::Key
    } else if row.relation.is_some() {
        Mark::Reference
    } else if row.copy.is_some() {
        Mark::Copy
    } else if row.derived.is_some() {
        Mark::Derived
    } else {
        Mark::Plain
    }
}

/// `[string] ≤ 20`, `date?`
fn kind(row: &FieldRow) -> String {
    if row.tag {
        return "tag".to_owned();
    }
    let in_map = row
        .relation
        .is_some_and(|relation| relation.holds != Holds::Ids);
    let base = match row.kind {
        Kind::Array => format!("[{}]", name(row.facts.elem_kind)),
        Kind::Map if in_map => "{id}".to_owned(),
        Kind::Map => format!("{{{}}}", name(row.facts.elem_kind)),
        kind => name(kind).to_owned(),
    };
    let bound = match row.max {
        0 => String::new(),
        max => format!(" ≤ {max}"),
    };
    let nullable = if row.nullable && row.kind != Kind::Any {
        "?"
    } else {
        ""
    };
    format!("{base}{nullable}{bound}")
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Int => "int",
        Kind::Double => "double",
        Kind::Decimal => "decimal",
        Kind::Bool => "bool",
        Kind::Date => "date",
        Kind::ObjectId => "id",
        Kind::Binary => "binary",
        Kind::Timestamp => "timestamp",
        Kind::Document => "doc",
        Kind::Array => "array",
        Kind::Map => "map",
        _ => "any",
    }
}
