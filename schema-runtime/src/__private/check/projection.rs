//! Rules for the fields that a projection reads.

use crate::__private::text::{refuse, say};
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
    refuse!(
        "`{of}` reads the field of `{owner}` from `{alias}` as well, and the projection does not [PROJECTION_NAME]\n\
         help: `#[serde(alias = \"{alias}\")]`\n\
         note: a document that holds it under the other name would be read as one without the field";
        of, owner, alias
    );
}

#[track_caller]
const fn unknown_alias(
    owner: &'static str,
    of: &'static str,
    rust: &'static str,
    alias: &'static str,
) {
    refuse!(
        "`#[serde(alias = \"{alias}\")]` on `{owner}` is not one of `{of}::{rust}` [PROJECTION_NAME]\n\
         help: remove it, or put it on both\n\
         note: a projection reads the stored names of the model";
        alias, owner, of, rust
    );
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
    refuse!(
        "`{owner}` and `{of}::{rust}` are stored in different forms: one has `#[serde(with = ..)]` and the other has not [PROJECTION_TYPE]\n\
         help: put the same `#[serde(with = ..)]` on both\n\
         note: a projection reads what the model stores";
        owner, of, rust
    );
}

#[track_caller]
const fn flattened(owner: &'static str, of: &'static str, rust: &'static str) {
    refuse!(
        "`{owner}` reads `{of}::{rust}`, which is flattened [PROJECTION_FIELD]\n\
         help: remove it from the projection\n\
         note: the fields of a flattened field stand in the document itself, so that no path leads to it";
        owner, of, rust
    );
}

#[track_caller]
const fn renamed(owner: &'static str, of: &'static str, row: &FieldRow, name: &'static str) {
    let mut text = say!(
        "`{owner}` reads `{name}` but `{of}` stores the field as `{row_name}` [PROJECTION_NAME]\n\
         help: `#[serde(rename = \"{row_name}\")]`";
        owner, name, of, row_name = row.name
    );
    if same(row.name, row.rust) {
        text = text.push_str(", or no renaming at all");
    }
    text = say!(
        text => "\n\
         note: a projection reads the stored names of the model"
    );
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
    let text = say!("`{owner}"; owner);
    let text = if of_model {
        say!(
            text => "` falls back to `{holder}`, which holds no copies [PROJECTION_FALLBACK]\n\
             help: name the generated entry, or the type with the `#[denorm(from = {of}, ..)]` fields";
            holder, of
        )
    } else {
        say!(
            text => "` has a fallback, but `{of}` is no model [PROJECTION_FALLBACK]\n\
             help: remove `fallback`\n\
             note: only fields of models are copied";
            of
        )
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
    refuse!(
        "`{owner}` is not copied into `{holder}`, and so is absent where no `{of}` was loaded [PROJECTION_FALLBACK]\n\
         help: make it an `Option`: `Option<{ty}>`\n\
         help: or copy it: `#[denorm(from = {of}, field = {rust})]`\n\
         note: a view falls back to the copies beside the reference; what is not copied is `None` then";
        owner, holder, of, ty, rust
    );
}
