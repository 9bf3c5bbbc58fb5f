//! Decides the role of each field: from its own attributes, its type, and the fields beside it.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Path;

use super::row::{Copied, Entry, Role, Row, is_stored_as_id};
use crate::names;
use crate::syntax::{
    Body, Content, DenormAttr, Field, Item, Kind, RecentAttr, RefsAttr, RenameRule, Variant,
};
use crate::types;

/// `#[refs]` without `max`: "never more than a couple thousand or so".
pub(crate) const REFS_DEFAULT: u64 = 2_000;

/// The rows of all fields, in declaration order.
pub(super) fn lower(item: &Item) -> Vec<Row<'_>> {
    match &item.body {
        Body::Struct(fields) => lower_document(item, None, fields),
        Body::Newtype(field) => vec![lower_row(item, None, &[], field)],
        Body::Enum(variants) => {
            let rows = variants.iter().flat_map(|variant| match &variant.content {
                Content::Unit => Vec::new(),
                Content::Newtype(field) => vec![lower_row(item, Some(variant), &[], field)],
                Content::Struct(fields) => lower_document(item, Some(variant), fields),
            });
            rows.collect()
        }
    }
}

fn lower_document<'a>(
    item: &'a Item,
    variant: Option<&'a Variant>,
    fields: &'a [Field],
) -> Vec<Row<'a>> {
    let rows = fields.iter();
    rows.map(|field| lower_row(item, variant, fields, field))
        .collect()
}

/// The row of a field of the struct or variant with the fields `document`; it has none where the field is unnamed.
fn lower_row<'a>(
    item: &'a Item,
    variant: Option<&'a Variant>,
    document: &'a [Field],
    field: &'a Field,
) -> Row<'a> {
    let embedded = field.attrs.embed.as_ref();
    let embedded = embedded.and_then(|embed| embed.max.as_ref());
    let is_id = item.kind == Kind::Model && is_stored_as_id(field);
    let role = decide_role(item, document, field, is_id);
    let max = match &role {
        Role::Refs { attr, .. } => attr.max.as_ref().map_or(REFS_DEFAULT, |max| max.value),
        Role::Recent { attr, .. } => {
            let max = attr.and_then(|attr| attr.max.as_ref());
            max.or(embedded).map_or(0, |max| max.value)
        }
        Role::Own if field.attrs.ancestors.is_some() => depth_of_tree(document),
        Role::Copy { .. } | Role::Own => embedded.map_or(0, |max| max.value),
        Role::Id | Role::Parent { .. } | Role::Count(_) | Role::Version => 0,
    };
    let is_reference = matches!(role, Role::Refs { .. } | Role::Parent { .. });
    Row {
        field,
        variant,
        unnamed: document.is_empty(),
        marker: names::marker(&field.ident),
        role,
        max,
        is_id,
        is_recursive: !is_reference && types::embeds(&field.ty, &item.ident),
    }
}

/// The largest number of ancestors that the tree of the document has; 0 without one.
fn depth_of_tree(document: &[Field]) -> u64 {
    let parents = document
        .iter()
        .filter_map(|field| field.attrs.parent.as_ref());
    let mut trees = parents.filter_map(|parent| parent.tree.as_ref());
    let depth = trees.find_map(|tree| tree.depth.as_ref());
    depth.map_or(0, |depth| depth.value)
}

fn decide_role<'a>(
    item: &'a Item,
    document: &'a [Field],
    field: &'a Field,
    is_id: bool,
) -> Role<'a> {
    let attrs = &field.attrs;
    if let Some(attr) = &attrs.refs {
        Role::Refs {
            attr,
            entry: reference_entry(field, &attr.target, attr.key.as_ref()),
            member: membership(field, attr),
        }
    } else if let Some(attr) = &attrs.parent {
        Role::Parent {
            attr,
            entry: reference_entry(field, &attr.target, attr.key.as_ref()),
        }
    } else if attrs.recent.is_some() || attrs.broken.contains(&"recent") {
        let attr = attrs.recent.as_ref();
        Role::Recent {
            attr,
            entry: child_entry(field, attr),
        }
    } else if let Some(attr) = &attrs.count {
        Role::Count(attr)
    } else if attrs.version.is_some() && item.kind == Kind::Model {
        Role::Version
    } else if let Some(attr) = attrs.denorm.first() {
        match reference_beside(document, attr) {
            Some(via) => Role::Copy { attr, via },
            None => Role::Own,
        }
    } else if is_id {
        Role::Id
    } else {
        Role::Own
    }
}

/// The `#[parent]` field beside a plain copy that the copy follows.
fn reference_beside<'a>(document: &'a [Field], denorm: &DenormAttr) -> Option<&'a Field> {
    document.iter().find(|sibling| {
        let parent = sibling.attrs.parent.as_ref();
        let via = denorm.via.as_ref();
        parent.is_some_and(|parent| same_path(&parent.target, &denorm.from))
            && via.is_none_or(|via| names::unraw(via) == sibling.rust())
    })
}

/// The entry of a reference with copies.
fn reference_entry<'a>(
    field: &'a Field,
    target: &'a Path,
    key: Option<&'a Ident>,
) -> Option<Entry<'a>> {
    let denorm = &field.attrs.denorm;
    if denorm.is_empty() && !field.attrs.broken.contains(&"denorm") {
        return None;
    }
    let id = denorm.iter().find_map(|attr| attr.id.as_ref());
    Some(Entry {
        name: entry_name(field)?,
        target: Some(target),
        key,
        id: id.map_or_else(|| "id".to_owned(), syn::LitStr::value),
        copies: reference_copies(denorm, field.serde.rule),
        derives: denorm.iter().find_map(|attr| attr.derives.as_deref()),
        listed: false,
    })
}

/// The entry of a list of the last children.
fn child_entry<'a>(field: &'a Field, attr: Option<&'a RecentAttr>) -> Option<Entry<'a>> {
    let copies = attr.map(|attr| child_copies(attr, field.serde.rule));
    Some(Entry {
        name: recent_entry(field, attr)?,
        target: attr.map(|attr| &attr.child),
        key: None,
        id: "id".to_owned(),
        copies: copies.unwrap_or_default(),
        derives: attr.and_then(|attr| attr.derives.as_deref()),
        listed: true,
    })
}

/// The copies of an entry, each name once.
fn reference_copies(denorm: &[DenormAttr], rule: Option<RenameRule>) -> Vec<Copied<'_>> {
    let all = denorm.iter().flat_map(|attr| {
        attr.fields
            .iter()
            .enumerate()
            .filter_map(move |(n, source)| {
                let into = attr.into.as_ref().filter(|_| n == 0);
                let name = into.or(source.last())?;
                Some(Copied {
                    from: &attr.from,
                    source,
                    name,
                    stored: stored_name(name, rule),
                    attr: Some(attr),
                })
            })
    });
    without_repetitions(all)
}

/// The copies of a list of the last children, each name once.
fn child_copies(attr: &RecentAttr, rule: Option<RenameRule>) -> Vec<Copied<'_>> {
    without_repetitions(attr.fields.iter().map(|source| Copied {
        from: &attr.child,
        source: std::slice::from_ref(source),
        name: source,
        stored: stored_name(source, rule),
        attr: None,
    }))
}

/// The stored name of a field of an entry, which follows the `rename_all` of the item that holds it.
pub(crate) fn stored_name(name: &Ident, rule: Option<RenameRule>) -> String {
    let name = names::unraw(name);
    rule.map_or_else(|| name.clone(), |rule| rule.field(&name))
}

/// The copies without repetitions and without `id`, which every entry has; both were reported.
fn without_repetitions<'a>(all: impl Iterator<Item = Copied<'a>>) -> Vec<Copied<'a>> {
    let mut out: Vec<Copied<'a>> = Vec::new();
    for copied in all {
        let name = names::unraw(copied.name);
        if name != "id" && !out.iter().any(|other| names::unraw(other.name) == name) {
            out.push(copied);
        }
    }
    out
}

/// The one plain identifier that names the entry which the field generates.
fn entry_name(field: &Field) -> Option<&Ident> {
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
fn recent_entry<'a>(field: &'a Field, recent: Option<&RecentAttr>) -> Option<&'a Ident> {
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
fn membership<'a>(field: &'a Field, refs: &RefsAttr) -> Option<&'a Ident> {
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
