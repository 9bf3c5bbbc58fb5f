//! A model's tree of tables, flattened once: every path with what is declared on it.

use crate::bson_util::path::join;
use crate::schema::index_row::IndexRow;
use crate::schema::model::ModelMeta;
use crate::schema::relation::RelationRow;
use crate::schema::rows::{CopyRow, FieldRow, Kind, Shape};

/// Everything inside a model, by stored path.
#[derive(Debug, Default)]
pub struct Flat {
    /// Every field, depth first in declaration order.
    pub fields: Vec<FlatField>,
    /// The stored paths whose values decide whether a unique index accepts a document.
    pub(crate) unique: Vec<String>,
}

/// A field at any depth.
#[derive(Debug)]
pub struct FlatField {
    /// The stored, dotted path.
    pub path: String,
    /// The Rust path: `cart.product_id`.
    pub rust: String,
    /// The form in which the value is stored.
    pub kind: Kind,
    /// True if the field, or a document on the way to it, may be null or absent.
    pub nullable: bool,
    /// True if an array or map lies on the way.
    pub through_array: bool,
    /// The bound, 0 where there is none.
    pub max: u64,
    /// The reference that the field holds.
    pub relation: Option<&'static RelationRow>,
    /// The copy that the field is.
    pub copy: Option<&'static CopyRow>,
}

/// Properties of the path to a field.
#[derive(Debug, Default, Clone, Copy)]
struct Above {
    nullable: bool,
    array: bool,
}

impl Flat {
    fn add(&mut self, shape: &'static Shape, path: &str, rust: &str, above: Above) {
        for field in shape.fields {
            let inner = join(path, field.name);
            self.add_unique(field.indexes, shape, path, &inner);
            let inner_rust = join(rust, field.rust);
            if let Some(shape) = field.shape {
                let above = Above {
                    nullable: above.nullable || field.nullable,
                    array: above.array || matches!(field.kind, Kind::Array | Kind::Map),
                };
                self.add(shape, &inner, &inner_rust, above);
            }
            self.fields.push(FlatField {
                path: inner,
                rust: inner_rust,
                kind: field.kind,
                nullable: above.nullable || field.nullable,
                through_array: above.array,
                max: field.max,
                relation: field.relation,
                copy: field.copy,
            });
        }
    }

    /// The paths of those of these indexes that are unique. They stand in `shape`, the document at `prefix`, on the field at `own`.
    fn add_unique(&mut self, rows: &[IndexRow], shape: &Shape, prefix: &str, own: &str) {
        for row in rows.iter().filter(|row| row.unique) {
            let keys = row.keys.iter().map(|key| key.path);
            let compared = keys.chain(row.partial.iter().map(|condition| condition.path));
            let itself = row.keys.is_empty().then_some("");
            self.unique
                .extend(compared.chain(itself).map(|path| match path {
                    "" => own.to_owned(),
                    path => stored_path(shape, prefix, path),
                }));
        }
    }
}

/// The stored path of the Rust path `path`, which begins in `shape`, the document at `prefix`.
pub(crate) fn stored_path(shape: &Shape, prefix: &str, path: &str) -> String {
    let mut inside = Some(shape);
    let mut stored = prefix.to_owned();
    for segment in path.split('.') {
        let field: Option<&FieldRow> =
            inside.and_then(|shape| shape.fields.iter().find(|field| field.rust == segment));
        // The derive refuses a segment that is no field, so a segment without a row lies in data that has no struct.
        stored = join(&stored, field.map_or(segment, |field| field.name));
        inside = field.and_then(|field| field.shape);
    }
    stored
}

impl ModelMeta {
    /// The model's flattened tables; computed on first use.
    #[must_use]
    pub fn flat(&self) -> &Flat {
        self.cache.get_or_init(|| {
            let mut flat = Flat::default();
            flat.add(self.shape, "", "", Above::default());
            flat.add_unique(self.indexes, self.shape, "", "");
            flat
        })
    }
}
