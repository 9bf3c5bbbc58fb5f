//! The stored form of a field's type, as written. An alias hides it: a check in the expansion decides what is unknown here.

use syn::Type;

use crate::ir::Row;
use crate::types::{self, Date};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    String,
    Number,
    Bool,
    Date,
    /// A date of another crate, which is stored in this form.
    Trap(&'static str),
    Timestamp,
    /// An id, uuid or bytes.
    Bytes,
    Array,
    Map,
    Unknown,
}

impl Stored {
    /// True for a value that is neither an array nor a document.
    pub(super) fn is_scalar(self) -> bool {
        !matches!(self, Stored::Array | Stored::Map | Stored::Unknown)
    }

    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Stored::String => "a string",
            Stored::Number => "a number",
            Stored::Bool => "a bool",
            Stored::Date => "a date",
            Stored::Trap(form) => form,
            Stored::Timestamp => "an internal timestamp",
            Stored::Bytes => "an id or bytes",
            Stored::Array => "an array",
            Stored::Map => "a map",
            Stored::Unknown => "a value",
        }
    }
}

/// The stored form of the field, as far as its type is written out.
pub(super) fn field_storage(row: &Row<'_>) -> Stored {
    if row.has_functions() || row.is_declared_opaque() {
        return Stored::Unknown;
    }
    type_storage(&row.field.ty)
}

/// The stored form of the elements of the array.
pub(super) fn element_storage(row: &Row<'_>) -> Stored {
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    types::array_element(ty).map_or(Stored::Unknown, type_storage)
}

fn type_storage(ty: &Type) -> Stored {
    let ty = types::option_inner(ty).unwrap_or(ty);
    if types::stored_as_array(ty) {
        return Stored::Array;
    }
    if types::map_value(ty).is_some() {
        return Stored::Map;
    }
    match types::date(ty) {
        Some(Date::Offset | Date::Time) => return Stored::Trap("an array of numbers"),
        Some(Date::System | Date::Duration) => return Stored::Trap("a document"),
        Some(_) => return Stored::Trap("a string"),
        None => {}
    }
    let Some(ident) = types::last_ident(ty) else {
        return Stored::Unknown;
    };
    match ident.to_string().as_str() {
        "String" | "str" | "char" => Stored::String,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" | "f32"
        | "f64" | "Decimal128" => Stored::Number,
        "bool" => Stored::Bool,
        "DateTime" => Stored::Date,
        "Timestamp" => Stored::Timestamp,
        // A composite `Id` is a document, which is one value to an index all the same.
        "ObjectId" | "Id" | "Uuid" | "Binary" => Stored::Bytes,
        _ => Stored::Unknown,
    }
}

/// True if the field is written as an array or a set.
pub(in crate::check) fn is_array(row: &Row<'_>) -> bool {
    field_storage(row) == Stored::Array
}
