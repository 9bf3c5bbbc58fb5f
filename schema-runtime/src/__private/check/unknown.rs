//! `#[serde(deny_unknown_fields)]` beside fields that the library stores: `_dn` in a model's document, `_r_<name>` beside a
//! reference with copies. No reader could decode the document from the first of them on.

use crate::__private::text::{refuse, say};
use crate::schema::rows::{FieldRow, Shape};

/// A model that others refer to is read beside `_dn`.
#[track_caller]
pub(super) const fn target(denies: bool, owner: &'static str, target: &'static str) {
    if !denies {
        return;
    }
    refuse!(
        "`{owner}` refers to `{target}`, which refuses unknown fields [SERDE_UNSUPPORTED]\n\
         help: remove `deny_unknown_fields` from `{target}`\n\
         note: the library stores `_dn` in a document that others refer to while it is deleted, and while its copies follow";
        owner, target
    );
}

/// A model that refuses unknown fields holds nothing, at any depth, that needs a field of the library in its document.
#[track_caller]
pub const fn unknown_in_model(fields: &'static [FieldRow], model: &'static str) {
    if let Some((holder, row)) = needs_flags(fields, model) {
        refused("", model, holder, row);
    }
}

/// The same holds for a variant's struct, which is read out of the whole document; `versioned` is true if the model has a schema version.
#[track_caller]
pub const fn unknown_in_variant(
    denies: bool,
    versioned: bool,
    fields: &'static [FieldRow],
    model: &'static str,
    ty: &'static str,
) {
    if !denies {
        return;
    }
    if versioned {
        refused(model, ty, "schema_version", "");
    }
    if let Some((holder, row)) = needs_flags(fields, model) {
        refused(model, ty, holder, row);
    }
}

/// An embedded document that refuses unknown fields has no copies among its flattened fields.
#[track_caller]
pub const fn unknown_beside_copies(fields: &'static [FieldRow], owner: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        if let (true, Some(inner)) = (row.name.is_empty(), row.shape)
            && let Some(copy) = flattened_copy(inner)
        {
            refused("", owner, inner.name, copy);
        }
        n += 1;
    }
}

/// The first field that the library keeps flags for, and the type that declares it.
const fn needs_flags(
    fields: &'static [FieldRow],
    holder: &'static str,
) -> Option<(&'static str, &'static str)> {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        if row.relation.is_some()
            || row.copy.is_some()
            || row.derived.is_some()
            || row.version.is_some()
            || row.contains > 0
        {
            return Some((holder, row.rust));
        }
        if let Some(inner) = row.shape
            && let Some(found) = needs_flags(inner.fields, inner.name)
        {
            return Some(found);
        }
        n += 1;
    }
    None
}

/// A copy that stands at this level of the document.
const fn flattened_copy(shape: &'static Shape) -> Option<&'static str> {
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        if row.copy.is_some() {
            return Some(row.rust);
        }
        if let (true, Some(inner)) = (row.name.is_empty(), row.shape)
            && let Some(found) = flattened_copy(inner)
        {
            return Some(found);
        }
        n += 1;
    }
    None
}

/// `deny_unknown_fields` on `ty` refuses what the library stores for a field; `variant_of` names the model that it is a variant of.
#[track_caller]
const fn refused(
    variant_of: &'static str,
    ty: &'static str,
    holder: &'static str,
    field: &'static str,
) {
    let mut text = say!(
        "`deny_unknown_fields` on `{ty}` refuses the fields that the library stores for `{holder}";
        ty, holder
    );
    if !field.is_empty() {
        text = say!(text => "::{field}"; field);
    }
    text = say!(
        text => "` [SERDE_UNSUPPORTED]\n\
         help: remove it"
    );
    if !variant_of.is_empty() {
        text = say!(
            text => "\n\
             note: a document of `{variant_of}` is read as its variant, with all fields that stand beside the tag";
            variant_of
        );
    }
    text = say!(
        text => "\n\
         note: `_dn` and `_r` stand beside the user's fields and keep copies up to date"
    );
    panic!("{}", text.as_str());
}
