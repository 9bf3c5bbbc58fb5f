//! Models whose documents form a tree: each refers to its parent, and holds the ids of all its ancestors.

use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::FieldRow;

/// A model with `#[parent(.., tree(..))]` and `#[ancestors]`: its documents form a tree.
#[diagnostic::on_unimplemented(
    message = "the documents of `{Self}` form no tree",
    label = "no `tree(..)`",
    note = "say so on the reference to the parent: `#[parent(Category, tree(depth = 12))] above: Option<Id<Category>>`, with `#[ancestors] path: Vec<Id<Category>>`"
)]
pub trait Tree: Model {
    /// The `_id` of the parent; `None` for a root.
    fn parent_id(&self) -> Option<&Self::DocumentId>;
    /// The `_id`s of the ancestors, from the root down to the parent; none for a root.
    fn ancestor_ids(&self) -> &[Self::DocumentId];
}

/// The stored fields of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeFields {
    /// The reference to the parent.
    pub(crate) above: &'static str,
    /// The ids of the ancestors, from the root down to the parent.
    pub(crate) path: &'static str,
    /// The largest number of ancestors.
    pub(crate) depth: u64,
    /// True if a root stores no reference to a parent; else it stores null.
    pub(crate) is_left_out: bool,
}

impl TreeFields {
    /// The fields of a model; `None` if its documents form no tree.
    pub(crate) fn of(meta: &ModelMeta) -> Option<Self> {
        let mut rows = meta.shape.fields.iter();
        rows.find_map(|row| {
            let mut others = meta.shape.fields.iter();
            let reference = others.find(|other| Some(other.name) == row.tree);
            Some(TreeFields {
                above: row.tree?,
                path: row.name,
                depth: row.max,
                is_left_out: reference.is_some_and(FieldRow::is_left_out),
            })
        })
    }
}
