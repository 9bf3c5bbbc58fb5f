//! The change of an erase: values for fields that are known by their rows, also in the elements of arrays.

use bson::{Bson, Document, doc};

use super::elements::prefixed;
use super::patch::{Patch, PatchChanges};
use crate::bson_util::path::join;
use crate::codec::CodecError;
use crate::schema::model::Model;
use crate::schema::rows::FieldRow;

/// The values that one update sets, in the document or in those elements of its arrays that meet conditions.
#[derive(Debug)]
pub(crate) struct ErasedValues {
    /// The arrays on the way, each by its path below the one before, and the conditions of their elements.
    pub(crate) arrays: Vec<(String, Document)>,
    pub(crate) values: Vec<ErasedValue>,
}

/// A value of a field.
#[derive(Debug)]
pub(crate) struct ErasedValue {
    /// The path below the innermost array.
    pub(crate) below: String,
    /// The path without the names of elements.
    pub(crate) path: String,
    pub(crate) row: &'static FieldRow,
    pub(crate) value: Result<Bson, CodecError>,
}

impl<M: Model> Patch<M> for ErasedValues {
    fn change(self, changes: &mut PatchChanges<'_, M>) {
        let changes = changes.all();
        let mut prefix = String::new();
        for (array, condition) in self.arrays {
            let name = changes.name_element(|name| conditions_of(name, condition));
            prefix = join(&prefix, &format!("{array}.$[{name}]"));
        }
        for value in self.values {
            let path = join(&prefix, &value.below);
            changes.set_stored::<M>(value.row, (path, &value.path), value.value);
        }
    }
}

/// The conditions of the elements with this name.
fn conditions_of(name: &str, conditions: Document) -> Document {
    match conditions.keys().all(|key| key.starts_with('$')) {
        true => doc! { name: conditions },
        false => prefixed(conditions, name),
    }
}
