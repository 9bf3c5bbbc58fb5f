//! Facts about the fields of an item that their roles rest on. The rules and the expansion ask here, so that both see the same roles.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Path;

use crate::names;
use crate::syntax::{Body, DenormAttr, Field, Item, Kind, RecentAttr, RefsAttr};
use crate::types;

/// `#[refs]` without `max`: "never more than a couple thousand or so".
pub(crate) const REFS_DEFAULT: u64 = 2_000;

/// True if the field is the model's `_id`.
pub(crate) fn is_id(item: &Item, field: &Field) -> bool {
    let serde = &field.serde;
    item.kind == Kind::Model
        && serde.name == "_id"
        && serde.skip.is_none()
        && serde.flatten.is_none()
}

/// The reference that a copy hangs on.
#[derive(Clone, Copy)]
pub(crate) enum Reference<'a> {
    /// The copy is part of the entry that the field itself generates.
    Entry,
    /// The copy stands beside this `#[parent]` field.
    Beside(&'a Field),
}

/// The siblings among which a field's references and sort fields are looked up: its own struct or variant.
pub(crate) fn siblings<'a>(item: &'a Item, field: &Field) -> Vec<&'a Field> {
    match &item.body {
        Body::Enum(variants) => variants
            .iter()
            .map(|variant| variant.content.fields())
            .find(|fields| {
                fields
                    .iter()
                    .any(|candidate| candidate.place == field.place)
            })
            .unwrap_or_default(),
        body => body.fields(),
    }
}

/// The reference that a plain copy hangs on, once checked.
pub(crate) fn reference_of<'a>(
    item: &'a Item,
    field: &Field,
    denorm: &DenormAttr,
) -> Option<Reference<'a>> {
    if field.attrs.refs.is_some() || field.attrs.parent.is_some() {
        return Some(Reference::Entry);
    }
    let found = siblings(item, field).into_iter().find(|sibling| {
        let target = sibling
            .attrs
            .parent
            .as_ref()
            .is_some_and(|parent| same_path(&parent.target, &denorm.from));
        target
            && denorm
                .via
                .as_ref()
                .is_none_or(|via| names::unraw(via) == sibling.rust())
    });
    found.map(Reference::Beside)
}

/// The one plain identifier that names the entry which the field generates.
pub(crate) fn entry_name(field: &Field) -> Option<&Ident> {
    let element = types::array_element(&field.ty)
        .or_else(|| types::option_inner(&field.ty))
        .unwrap_or(&field.ty);
    let set =
        types::last_ident(&field.ty).is_some_and(|ident| ident == "HashSet" || ident == "BTreeSet");
    types::plain_ident(element).filter(|ident| !set && *ident != "ObjectId" && *ident != "String")
}

/// True if two paths are written the same way.
pub(crate) fn same_path(a: &Path, b: &Path) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

/// The one plain identifier that names the entry which a list of the last children generates.
pub(crate) fn recent_entry<'a>(field: &'a Field, recent: Option<&RecentAttr>) -> Option<&'a Ident> {
    let element = types::array_element(&field.ty).unwrap_or(&field.ty);
    let name = entry_name(field).filter(|_| !types::scalar(element))?;
    // The children's own name is taken.
    let child = recent.and_then(|recent| recent.child.segments.last());
    child
        .is_none_or(|child| child.ident != *name)
        .then_some(name)
}

/// The plain name of the elements of a two-way array, if they may be structs of the program: its memberships. The types decide, since
/// the ids of a model may have a name of their own.
pub(crate) fn membership<'a>(field: &'a Field, refs: &RefsAttr) -> Option<&'a Ident> {
    let plain = field.attrs.denorm.is_empty()
        && !field.attrs.broken.contains(&"denorm")
        && field.serde.with.is_none()
        && types::option_inner(&field.ty).is_none();
    refs.inverse.as_ref().filter(|_| plain)?;
    let element = types::array_element(&field.ty).filter(|element| !types::scalar(element))?;
    let name = entry_name(field)?;
    // A model in place of its id is a mistake that every array of ids reports.
    let target = refs.target.get_ident() == Some(name);
    let id = ["Id", "Key"]
        .iter()
        .any(|end| name.to_string().ends_with(end));
    (!target && !id && types::plain_ident(element).is_some()).then_some(name)
}

/// A map of references, or an absent one.
pub(crate) fn is_map(field: &Field) -> bool {
    let ty = types::option_inner(&field.ty).unwrap_or(&field.ty);
    types::map_value(ty).is_some()
}
