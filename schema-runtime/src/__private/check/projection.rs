//! Rules for the fields that a projection reads.

use crate::__private::text::Text;
use crate::schema::lookup::{MISSING, slot};
use crate::schema::rows::FieldRow;

/// The row of the field with this Rust name.
const fn find<'r>(rows: &'r [FieldRow], rust: &str) -> Option<&'r FieldRow> {
    let mut n = 0;
    while n < rows.len() {
        if same(rows[n].rust, rust) {
            return Some(&rows[n]);
        }
        n += 1;
    }
    None
}

const fn same(a: &str, b: &str) -> bool {
    slot(&[a], b) == 0
}

/// A projected field: `owner` is `Summary::name`, `of` is `Product`, `rust` the name of both fields, `name` what the
/// projection's serde attributes make of it, `aliases` the other names that it reads. Another check reports a missing field.
#[track_caller]
pub const fn projected(
    rows: &[FieldRow],
    rust: &'static str,
    name: &'static str,
    aliases: &[&'static str],
    owner: &'static str,
    of: &'static str,
) {
    let Some(row) = find(rows, rust) else { return };
    if row.name.is_empty() {
        flattened(owner, of, rust);
    }
    if !same(row.name, name) {
        renamed(owner, of, row, name);
    }
    // Every stored document has its `_id` under that name.
    if same(name, "_id") {
        return;
    }
    if let Some(alias) = find_missing(row.aliases, aliases) {
        unread_alias(owner, of, alias);
    }
    if let Some(alias) = find_missing(aliases, row.aliases) {
        unknown_alias(owner, of, rust, alias);
    }
}

/// The first name that is not among the others.
const fn find_missing(names: &[&'static str], among: &[&'static str]) -> Option<&'static str> {
    let mut n = 0;
    while n < names.len() {
        if slot(among, names[n]) == MISSING {
            return Some(names[n]);
        }
        n += 1;
    }
    None
}

#[track_caller]
const fn unread_alias(owner: &'static str, of: &'static str, alias: &'static str) {
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(of)
        .push_str("` reads the field of `")
        .push_str(owner)
        .push_str("` from `")
        .push_str(alias)
        .push_str("` as well, and the projection does not [PROJECTION_NAME]\nhelp: `#[serde(alias = \"")
        .push_str(alias)
        .push_str("\")]`\nnote: a document that holds it under the other name would be read as one without the field");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn unknown_alias(
    owner: &'static str,
    of: &'static str,
    rust: &'static str,
    alias: &'static str,
) {
    let text = Text::<1024>::new()
        .push_str("`#[serde(alias = \"")
        .push_str(alias)
        .push_str("\")]` on `")
        .push_str(owner)
        .push_str("` is not one of `")
        .push_str(of)
        .push_str("::")
        .push_str(rust)
        .push_str("` [PROJECTION_NAME]\nhelp: remove it, or put it on both\nnote: a projection reads the stored names of the model");
    panic!("{}", text.as_str());
}

/// A field and its projection are stored in one form.
#[track_caller]
pub const fn projected_with(
    rows: &[FieldRow],
    rust: &'static str,
    with: bool,
    owner: &'static str,
    of: &'static str,
) {
    match find(rows, rust) {
        Some(row) if row.with != with => {}
        _ => return,
    }
    let text = Text::<512>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` and `")
        .push_str(of)
        .push_str("::")
        .push_str(rust)
        .push_str("` are stored in different forms: one has `#[serde(with = ..)]` and the other has not [PROJECTION_TYPE]\nhelp: put the same `#[serde(with = ..)]` on both\nnote: a projection reads what the model stores");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn flattened(owner: &'static str, of: &'static str, rust: &'static str) {
    let text = Text::<512>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` reads `")
        .push_str(of)
        .push_str("::")
        .push_str(rust)
        .push_str("`, which is flattened [PROJECTION_FIELD]\nhelp: remove it from the projection\nnote: the fields of a flattened field stand in the document itself, so that no path leads to it");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn renamed(owner: &'static str, of: &'static str, row: &FieldRow, name: &'static str) {
    let mut text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` reads `")
        .push_str(name)
        .push_str("` but `")
        .push_str(of)
        .push_str("` stores the field as `")
        .push_str(row.name)
        .push_str("` [PROJECTION_NAME]\nhelp: `#[serde(rename = \"")
        .push_str(row.name)
        .push_str("\")]`");
    if same(row.name, row.rust) {
        text = text.push_str(", or no renaming at all");
    }
    text = text.push_str("\nnote: a projection reads the stored names of the model");
    panic!("{}", text.as_str());
}

/// A view falls back to copies: `of` is a model and `holder` holds copies.
#[track_caller]
pub const fn falls_back(
    of_model: bool,
    rows: &[FieldRow],
    owner: &'static str,
    of: &'static str,
    holder: &'static str,
) {
    if of_model && holds_copies(rows) {
        return;
    }
    let text = Text::<512>::new().push_str("`").push_str(owner);
    let text = if of_model {
        text.push_str("` falls back to `")
            .push_str(holder)
            .push_str("`, which holds no copies [PROJECTION_FALLBACK]\nhelp: name the generated entry, or the type with the `#[denorm(from = ")
            .push_str(of)
            .push_str(", ..)]` fields")
    } else {
        text.push_str("` has a fallback, but `")
            .push_str(of)
            .push_str("` is no model [PROJECTION_FALLBACK]\nhelp: remove `fallback`\nnote: only fields of models are copied")
    };
    panic!("{}", text.as_str());
}

const fn holds_copies(rows: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < rows.len() {
        if rows[n].copy.is_some() {
            return true;
        }
        n += 1;
    }
    false
}

/// A field of a view with a fallback: copied into `holder`, the `_id`, or one that may be absent. `ty` is its type.
#[track_caller]
pub const fn fallback(
    source: &[FieldRow],
    rows: &[FieldRow],
    rust: &'static str,
    optional: bool,
    names: [&'static str; 4],
) {
    let [owner, of, holder, ty] = names;
    let Some(row) = find(source, rust) else {
        return;
    };
    if optional || same(row.name, "_id") || !holds_copies(rows) {
        return;
    }
    let mut n = 0;
    while n < rows.len() {
        if let Some(copy) = rows[n].copy
            && same(copy.field, rust)
        {
            return;
        }
        n += 1;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is not copied into `")
        .push_str(holder)
        .push_str("`, and so is absent where no `")
        .push_str(of)
        .push_str("` was loaded [PROJECTION_FALLBACK]\nhelp: make it an `Option`: `Option<")
        .push_str(ty)
        .push_str(">`\nhelp: or copy it: `#[denorm(from = ")
        .push_str(of)
        .push_str(", field = ")
        .push_str(rust)
        .push_str(")]`\nnote: a view falls back to the copies beside the reference; what is not copied is `None` then");
    panic!("{}", text.as_str());
}
