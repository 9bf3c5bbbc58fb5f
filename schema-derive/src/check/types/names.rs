//! Stored names: of fields, tags and collections.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::syntax::stored::OWN_COLLECTIONS;
use crate::syntax::{Body, Field, stored};

/// `<db>.<collection>` is at most 255 bytes, and a database's name at most 63.
const COLLECTION_MAX: usize = 191;

/// The beginning of the name of a log of events; the name of the model's collection follows.
const EVENT_LOG: &str = "_dn.events.";

/// The same of a log of a history, which is the longer one.
const HISTORY_LOG: &str = "_dn.history.";

pub(crate) fn check_collection(ir: &Ir<'_>, cx: &Ctxt) {
    let Some((lit, name)) = &ir.item.attrs.collection else {
        return;
    };
    let owner = ir.name();
    let problem = if name.is_empty() {
        Some("is empty")
    } else if name.contains('$') {
        Some("contains `$`")
    } else if name.contains('\0') {
        Some("contains NUL")
    } else if name.starts_with("system.") || name.contains(".system.") {
        Some("is reserved for the server")
    } else if name.starts_with(OWN_COLLECTIONS) {
        Some("is reserved for the library")
    } else if name.starts_with('.') {
        Some("begins with a dot")
    } else if name.ends_with('.') {
        Some("ends with a dot")
    } else {
        None
    };
    if let Some(problem) = problem {
        cx.push(diag::collection_name(lit, &owner, problem));
    } else {
        let attrs = &ir.item.attrs;
        let history = attrs.history.as_ref().map(|_| HISTORY_LOG);
        let log = history.or(attrs.events.as_ref().map(|_| EVENT_LOG));
        let most = COLLECTION_MAX - log.map_or(0, str::len);
        if name.len() > most {
            cx.push(diag::ns_too_long(lit, &owner, (name.len(), most), log));
        }
    }
}

/// The reason why the server or a query could not handle the name.
pub(crate) fn unusable(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("is empty")
    } else if name.contains('\0') {
        Some("contains NUL")
    } else if name.contains('.') {
        Some("contains a dot")
    } else if name.starts_with('$') {
        Some("begins with `$`")
    } else {
        None
    }
}

/// Names in which the library keeps the state of copies.
pub(crate) fn is_library_name(name: &str) -> bool {
    matches!(name, stored::OWN | stored::PARTS | stored::COPY_REVISION)
        || name.starts_with(stored::COPY_REVISION_PREFIX)
}

/// True for a name in which the library keeps the state of copies, or the version of a schema.
fn check_reserved(ir: &Ir<'_>, name: &str) -> bool {
    let versioned = ir.item.attrs.schema_version.is_some();
    is_library_name(name) || (versioned && name == stored::SCHEMA_VERSION)
}

pub(crate) fn check_field(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    // The name of an unnamed field is never stored.
    if row.unnamed || row.is_flattened() {
        return;
    }
    let name = row.stored();
    if let Some(problem) = unusable(name) {
        cx.push(diag::field_name(row.field, problem));
    } else if check_reserved(ir, name) {
        cx.push(diag::reserved_field(row.field));
    }
}

/// Checks the tag of an enum, or of a struct with one: it is a field too.
pub(crate) fn check_tag(ir: &Ir<'_>, cx: &Ctxt) {
    let serde = &ir.item.serde;
    let (Some(name), Some(span)) = (&serde.tag, &serde.tag_tokens) else {
        return;
    };
    let owner = ir.name();
    if let Some(problem) = unusable(name) {
        cx.push(diag::tag_name(span, &owner, name, problem));
    } else if check_reserved(ir, name) {
        cx.push(diag::reserved_tag(span, &owner, name));
    }
}

pub(crate) fn check_duplicates(ir: &Ir<'_>, cx: &Ctxt) {
    let item = ir.item;
    if let Body::Enum(variants) = &item.body {
        cx.set_place(0);
        for (n, variant) in variants.iter().enumerate() {
            if let Some(first) = variants[..n]
                .iter()
                .find(|first| first.serde.name == variant.serde.name)
            {
                cx.push(diag::variant_dup(first, variant, &ir.name()));
            }
        }
    }
    for rows in ir.documents() {
        let stored = rows.into_iter().filter(|row| row.is_addressable());
        let stored: Vec<&Field> = stored.map(|row| row.field).collect();
        for (n, field) in stored.iter().enumerate() {
            cx.set_place(field.place);
            let name = &field.serde.name;
            if item.serde.tag.as_ref() == Some(name) {
                // Serde itself reports this for a variant.
                if matches!(item.body, Body::Struct(_)) {
                    cx.push(diag::field_is_tag(field));
                }
            } else if let Some(first) = stored[..n].iter().find(|first| first.serde.name == *name) {
                let (renamed, free) = way_out(first, field, &stored);
                cx.push(diag::field_dup(first, field, renamed, &free));
            }
            for alias in &field.serde.aliases {
                if let Some(other) = stored
                    .iter()
                    .find(|other| other.place != field.place && other.serde.name == alias.value())
                {
                    cx.push(diag::alias_is_field(alias, field, other));
                }
            }
        }
    }
}

/// The field to rename, of two with one name, and its new name: its Rust name where that is free.
fn way_out<'a>(first: &'a Field, second: &'a Field, stored: &[&Field]) -> (&'a Field, String) {
    let free = |name: &str| stored.iter().all(|other| other.serde.name != name);
    if let Some(field) = [second, first]
        .into_iter()
        .find(|field| free(&field.rust()))
    {
        return (field, field.rust());
    }
    let mut name = second.rust();
    while !free(&name) {
        name.push('_');
    }
    (second, name)
}
