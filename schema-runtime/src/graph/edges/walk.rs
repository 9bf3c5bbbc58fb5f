//! The walk over a model's fields that finds its references.

use std::collections::BTreeSet;

use std::sync::OnceLock;

use super::{Copied, Edge, Reference, stronger};
use crate::bson_util::path::join;
use crate::graph::place::ReferencePath;
use crate::schema::model::ModelMeta;
use crate::schema::relation::{Holds, Level, RelationRow};
use crate::schema::rows::{CopyRow, FieldRow, Kind, Shape};
use crate::schema::stored;

/// The walk over all references of a model that have a path. References behind the keys of a map have none.
pub(crate) struct Walk {
    model: &'static ModelMeta,
    pub(crate) found: Vec<Reference>,
    /// True if the walk is inside an embedded enum.
    in_variant: bool,
}

impl Walk {
    pub(crate) fn of(model: &'static ModelMeta) -> Walk {
        let found = Vec::new();
        let mut walk = Walk {
            model,
            found,
            in_variant: false,
        };
        walk.shape(model.shape, &ReferencePath::default(), &Holder::default());
        walk
    }

    /// The fields of the document `holder`, below the innermost array of `place`.
    fn shape(&mut self, shape: &'static Shape, place: &ReferencePath, holder: &Holder) {
        let outside = self.in_variant;
        let own = std::ptr::eq(shape, self.model.shape);
        self.in_variant |= !own && shape.fields.iter().any(|row| row.tag);
        if let Some(relation) = holder.entry {
            self.entry(relation, shape, place, holder);
        }
        for row in shape.fields {
            // The array of memberships declares this reference as well: the rules of both apply.
            let declares =
                |relation: &RelationRow| relation.members && relation.entry_id == row.name;
            if holder.entry.is_some_and(declares) {
                continue;
            }
            let plain = |relation: &&RelationRow| !relation.entry && relation.holds == Holds::Ids;
            if let Some(relation) = row.relation.filter(plain) {
                // The elements of the array are the ids. If a custom function stores something other than an array, it stores no ids.
                if row.kind == Kind::Array || relation.many {
                    let elements = place.array(&join(&holder.at, row.name));
                    self.edge(
                        relation,
                        std::iter::empty(),
                        &elements,
                        &Holder::default(),
                        ("", row.with),
                        String::new(),
                    );
                    continue;
                }
                let on_this = |copy: &CopyRow| copy.via == row.rust;
                let copies: Vec<_> = shape
                    .fields
                    .iter()
                    .filter(|other| other.copy.is_some_and(on_this))
                    .collect();
                let alone = holder.embedded
                    && shape
                        .fields
                        .iter()
                        .all(|other| std::ptr::eq(other, row) || other.copy.is_some_and(on_this));
                let revision = if alone {
                    stored::COPY_REVISION.to_owned()
                } else {
                    stored::copy_revision_of(row.name)
                };
                let own = row.with && !is_stored_by_functions(relation);
                let reference = (row.name, own);
                self.edge(
                    relation,
                    copies.into_iter(),
                    place,
                    holder,
                    reference,
                    revision,
                );
            }
            // A last-N list contains no references: its fields are copies, and the children hold the references.
            let inside = row.kind != Kind::Map && !row.is_nested() && row.derived.is_none();
            let Some(inner) = row.shape.filter(|_| inside) else {
                continue;
            };
            let below = holder.inside(row);
            match row.kind {
                Kind::Array => {
                    let elements = place.array(&join(&holder.at, row.name));
                    self.shape(inner, &elements, &below);
                }
                _ => self.shape(inner, place, &below),
            }
        }
        self.in_variant = outside;
    }

    /// The reference of an entry, with its copies.
    fn entry(
        &mut self,
        relation: &'static RelationRow,
        shape: &'static Shape,
        place: &ReferencePath,
        holder: &Holder,
    ) {
        let fields = shape.fields.iter();
        let reference = fields.clone().find(|row| row.name == relation.entry_id);
        let via = reference.map_or("", |row| row.rust);
        let copies = fields.filter(|row| {
            row.copy
                .is_some_and(|copy| !relation.members || copy.via == via)
        });
        let reference = (relation.entry_id, false);
        self.edge(
            relation,
            copies,
            place,
            holder,
            reference,
            stored::COPY_REVISION.to_owned(),
        );
    }

    /// A reference with its copies, if it has any. Notes whether custom functions store the reference.
    fn edge(
        &mut self,
        relation: &'static RelationRow,
        copies: impl Iterator<Item = &'static FieldRow>,
        place: &ReferencePath,
        holder: &Holder,
        (reference, opaque): (&str, bool),
        revision: String,
    ) {
        let at = holder.at.as_str();
        let source = (relation.target)();
        let name_of = |rust: &str| {
            let row = source.shape.fields.iter().find(|row| row.rust == rust);
            row.map(|row| row.name)
        };
        let (mut live, mut frozen) = (Vec::new(), Vec::new());
        let mut level = Level::FireAndForget;
        for row in copies {
            let Some(copy) = row.copy else { continue };
            let Some((from, _)) = source.shape.field_at(copy.field) else {
                continue;
            };
            let copied = Copied {
                from,
                to: join(at, row.name),
            };
            if copy.snapshot {
                frozen.push(copied);
            } else {
                live.push(copied);
                level = stronger(level, copy.level);
            }
        }
        let field = if relation.entry {
            at.to_owned()
        } else {
            join(at, reference)
        };
        let place = place
            .reference(at, reference, &revision)
            .tagged(at, relation.tag);
        let shown = if relation.entry {
            place.full(at)
        } else {
            place.path()
        };
        // A value that custom functions store may differ from the key of every source. One command puts an item into its bucket without a
        // read.
        let bucket = self.model.bucket.map(|row| row.stored(self.model));
        let in_item = bucket.is_some_and(|bucket| place.root() == bucket.items);
        let edge = Edge {
            name: format!("{}.{shown}", self.model.collection),
            source,
            target: self.model,
            key: relation.key.and_then(name_of).unwrap_or("_id"),
            place,
            live,
            frozen,
            checked: relation.checked && (relation.must_be_checked || !opaque && !in_item),
            on_delete: relation.on_delete,
            in_variant: self.in_variant,
            opaque,
            level,
            scan: OnceLock::new(),
        };
        self.found.push(Reference {
            edge,
            relation,
            field,
            whole: holder.whole.clone(),
        });
    }
}

/// The document whose fields the walk is at.
#[derive(Default)]
struct Holder {
    /// The path of the document below the innermost array.
    at: String,
    /// True if the document is embedded, and not flattened into its model.
    embedded: bool,
    /// The relation of the field that holds the document, if the document is an entry.
    entry: Option<&'static RelationRow>,
    /// The nearest optional document around this document, or this document itself, below the innermost array.
    whole: Option<String>,
}

impl Holder {
    /// The document in the field `row`, or the elements of the array in that field.
    fn inside(&self, row: &FieldRow) -> Holder {
        let (at, many) = (join(&self.at, row.name), row.kind == Kind::Array);
        let entry = row.relation.filter(|relation| relation.entry);
        let whole = match row.is_optional() && entry.is_none() {
            true => Some(at.clone()),
            false => self.whole.clone(),
        };
        Holder {
            embedded: self.embedded || !row.name.is_empty(),
            entry,
            whole: whole.filter(|_| !many),
            at: if many { String::new() } else { at },
        }
    }
}

/// True if custom functions store the key that the references hold.
fn is_stored_by_functions(relation: &RelationRow) -> bool {
    let rows = (relation.target)().shape.fields;
    let key = |row: &&FieldRow| match relation.key {
        Some(key) => row.rust == key,
        None => row.name == "_id",
    };
    rows.iter().find(key).is_some_and(|row| row.with)
}

/// The collections of the models that meet a condition.
pub(super) fn collections(
    models: &[&'static ModelMeta],
    meets: impl Fn(&ModelMeta) -> bool,
) -> BTreeSet<&'static str> {
    let chosen = models.iter().filter(|model| meets(model));
    chosen.map(|model| model.collection).collect()
}
