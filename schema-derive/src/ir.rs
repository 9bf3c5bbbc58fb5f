//! The item as the expansion sees it: one row per stored field, with its role decided. Built from any item, also from one with
//! mistakes, since the stubs of a broken type are the same tables without the checks.

mod roles;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Path, Type};

pub(crate) use self::roles::{
    REFS_DEFAULT, Reference, entry_name, is_id, is_map, membership, recent_entry, reference_of,
    same_path, siblings,
};
use crate::names;
use crate::parse::serde::name_form;
use crate::syntax::{
    Body, Content, CountAttr, DenormAttr, Field, Item, Kind, ParentAttr, RecentAttr, RefsAttr,
    RenameRule,
};
use crate::types;

pub(crate) struct Ir<'a> {
    pub(crate) item: &'a Item,
    /// `::mongo_model::__private`
    pub(crate) rt: TokenStream,
    /// The stored fields in declaration order; for an enum, those of all variants.
    pub(crate) rows: Vec<Row<'a>>,
    /// The rows that have a handle.
    handles: Vec<usize>,
    /// Which row is stored as `_id`.
    pub(crate) id: Option<usize>,
    /// True once mistakes were reported: no checks are emitted then.
    pub(crate) failed: bool,
}

pub(crate) struct Row<'a> {
    pub(crate) field: &'a Field,
    /// Its marker in the module of markers.
    pub(crate) marker: Ident,
    pub(crate) role: Role<'a>,
    /// The declared bound; 0 for none.
    pub(crate) max: u64,
    /// It embeds its own type, which was refused: its table would never end.
    recursive: bool,
}

pub(crate) enum Role<'a> {
    Own,
    Id,
    Refs {
        attr: &'a RefsAttr,
        entry: Option<Entry<'a>>,
    },
    Parent {
        attr: &'a ParentAttr,
        entry: Option<Entry<'a>>,
    },
    /// A plain copy, and the reference beside it.
    Copy {
        attr: &'a DenormAttr,
        via: &'a Field,
    },
    /// The last children; `None` where the attribute could not be read.
    Recent {
        attr: Option<&'a RecentAttr>,
        entry: Option<Entry<'a>>,
    },
    /// How many children there are.
    Count(&'a CountAttr),
    /// The version number, which distinguishes one state of the document from the next.
    Version,
}

/// A struct that the field generates: the id and the copies.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) target: Option<&'a Path>,
    /// The target's field that `id` is a value of; none for its `_id`.
    pub(crate) key: Option<&'a Ident>,
    /// The stored name of `id`.
    pub(crate) id: String,
    pub(crate) copies: Vec<Copied<'a>>,
    /// The traits that it derives, if the attribute lists them.
    pub(crate) derives: Option<&'a [Path]>,
    /// It stands in the list of the last children rather than in a reference.
    pub(crate) listed: bool,
}

/// One copied field of an entry.
pub(crate) struct Copied<'a> {
    pub(crate) from: &'a Path,
    /// In the source: Rust names, of which each but the last is an embedded document.
    pub(crate) source: &'a [Ident],
    /// In the entry.
    pub(crate) name: &'a Ident,
    /// In the database: as the fields of the item that holds the entry are renamed.
    pub(crate) stored: String,
    /// How it follows its source; none in the list of the last children.
    pub(crate) attr: Option<&'a DenormAttr>,
}

impl<'a> Row<'a> {
    /// True if the type does not determine how the value is stored.
    pub(crate) fn opaque(&self) -> bool {
        self.field.attrs.opaque.is_some() || self.field.serde.with.is_some() || self.recursive
    }

    /// The stored name; nothing for a flattened field, whose fields stand in its parent.
    pub(crate) fn stored(&self) -> &'a str {
        if self.field.serde.flatten.is_some() {
            ""
        } else {
            &self.field.serde.name
        }
    }

    /// True if the server's time is written to the field.
    pub(crate) fn is_stamp(&self) -> bool {
        let attrs = &self.field.attrs;
        attrs.created.is_some() || attrs.updated.is_some() || attrs.deleted.is_some()
    }

    /// The function that writes its values; empty where their own type does.
    pub(crate) fn form(&self) -> String {
        let function = self.field.serde.serialize_with.as_ref();
        function.map_or_else(String::new, |function| name_form(function, &self.field.ty))
    }

    pub(crate) fn entry(&self) -> Option<&Entry<'a>> {
        match &self.role {
            Role::Refs { entry, .. } | Role::Parent { entry, .. } | Role::Recent { entry, .. } => {
                entry.as_ref()
            }
            _ => None,
        }
    }

    /// The model referred to.
    pub(crate) fn target(&self) -> Option<&'a Path> {
        match &self.role {
            Role::Refs { attr, .. } => Some(&attr.target),
            Role::Parent { attr, .. } => Some(&attr.target),
            _ => None,
        }
    }

    /// Key and value of a map of references.
    pub(crate) fn map(&self) -> Option<(&'a Type, &'a Type)> {
        let ty = &self.field.ty;
        let ty = types::option_inner(ty).unwrap_or(ty);
        types::map_value(ty).filter(|_| matches!(self.role, Role::Refs { .. }))
    }

    /// The struct of the program that the elements of a two-way array are.
    pub(crate) fn member(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { attr, .. } => membership(self.field, attr),
            _ => None,
        }
    }

    /// The target's field that refers back.
    pub(crate) fn inverse(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { attr, .. } => attr.inverse.as_ref(),
            Role::Parent { attr, .. } => attr.inverse.as_ref(),
            _ => None,
        }
    }

    /// The model whose documents the field is about.
    pub(crate) fn child(&self) -> Option<&'a Path> {
        match &self.role {
            Role::Recent { attr, .. } => attr.map(|attr| &attr.child),
            Role::Count(attr) => Some(&attr.child),
            _ => None,
        }
    }

    /// The target's field that the reference holds, where it is not the `_id`.
    pub(crate) fn key(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { attr, .. } => attr.key.as_ref(),
            Role::Parent { attr, .. } => attr.key.as_ref(),
            _ => None,
        }
    }
}

impl<'a> Ir<'a> {
    /// Decides the role of every stored field.
    pub(crate) fn lower(item: &'a Item) -> Self {
        let krate = item
            .attrs
            .krate
            .as_ref()
            .map_or_else(|| quote!(::mongo_model), ToTokens::to_token_stream);
        let rows: Vec<Row<'a>> = item
            .body
            .fields()
            .into_iter()
            .filter(|field| field.serde.skip.is_none())
            .map(|field| lower_row(item, field))
            .collect();
        let id = (item.kind == Kind::Model)
            .then(|| rows.iter().position(|row| matches!(row.role, Role::Id)))
            .flatten();
        Ir {
            item,
            rt: quote!(#krate::__private),
            handles: handles(item, &rows),
            rows,
            id,
            failed: false,
        }
    }

    /// The same item, once it was checked. With mistakes its expansion has the same tables without checks, so that code which
    /// uses the type gets no further errors.
    pub(crate) fn checked(self, failed: bool) -> Self {
        Ir { failed, ..self }
    }

    pub(crate) fn krate(&self) -> TokenStream {
        self.item
            .attrs
            .krate
            .as_ref()
            .map_or_else(|| quote!(::mongo_model), ToTokens::to_token_stream)
    }

    pub(crate) fn name(&self) -> String {
        names::unraw(&self.item.ident)
    }

    /// The type of the `_id`. If the model's `_id` was refused, the type that was probably meant, so that references to
    /// the model are not refused as well.
    pub(crate) fn id_type(&self) -> TokenStream {
        let called_id = || {
            self.rows
                .iter()
                .position(|row| row.field.rust() == "id" || row.field.rust() == "_id")
        };
        match self.id.or_else(called_id).map(|n| &self.rows[n].field.ty) {
            Some(ty) => types::option_inner(ty)
                .filter(|_| self.failed)
                .unwrap_or(ty)
                .to_token_stream(),
            None => {
                let (krate, ident) = (self.krate(), &self.item.ident);
                quote!(#krate::Id<#ident>)
            }
        }
    }

    pub(crate) fn is_model(&self) -> bool {
        self.item.kind == Kind::Model
    }

    /// True if the type has rows: it is neither a newtype nor an enum that is allowed to have no tag.
    pub(crate) fn described(&self) -> bool {
        match self.item.body {
            Body::Struct(_) => true,
            Body::Newtype(_) => false,
            Body::Enum(_) => self.item.serde.tag.is_some(),
        }
    }

    /// True if plain copies depend on this `#[parent]` field.
    pub(crate) fn has_copies(&self, parent: &Row<'_>) -> bool {
        self.rows.iter().any(
            |row| matches!(&row.role, Role::Copy { via, .. } if via.place == parent.field.place),
        )
    }

    /// The rows that have a handle: of an enum a name that several variants share has one only if it means one type.
    pub(crate) fn handles(&self) -> Vec<&Row<'a>> {
        self.handles.iter().map(|n| &self.rows[*n]).collect()
    }

    /// True if the field is the unnamed content of an enum's variant: its own fields stand beside the tag.
    pub(crate) fn in_newtype_variant(&self, field: &Field) -> bool {
        in_newtype_variant(self.item, field)
    }

    /// The entries that the item's fields generate, also those of fields with a broken attribute.
    pub(crate) fn entries(&self) -> Vec<(&Row<'a>, &Entry<'a>)> {
        self.rows
            .iter()
            .filter_map(|row| row.entry().map(|entry| (row, entry)))
            .collect()
    }
}

/// See [`Ir::handles`].
fn handles(item: &Item, rows: &[Row<'_>]) -> Vec<usize> {
    if matches!(item.body, Body::Newtype(_)) {
        return Vec::new();
    }
    // Read the text of each name once: each read is a call to the compiler.
    let names: Vec<String> = rows.iter().map(|row| row.field.rust()).collect();
    let mut kept: Vec<usize> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if in_newtype_variant(item, row.field) || kept.iter().any(|other| names[*other] == names[n])
        {
            continue;
        }
        let clash = (0..rows.len()).any(|other| {
            other != n
                && names[other] == names[n]
                && tokens(&rows[other].field.ty) != tokens(&row.field.ty)
        });
        if !clash {
            kept.push(n);
        }
    }
    kept
}

fn in_newtype_variant(item: &Item, field: &Field) -> bool {
    match &item.body {
        Body::Enum(variants) => variants.iter().any(|variant| matches!(&variant.content, Content::Newtype(inner) if inner.place == field.place)),
        _ => false,
    }
}

fn tokens(ty: &Type) -> String {
    ty.to_token_stream().to_string()
}

fn lower_row<'a>(item: &'a Item, field: &'a Field) -> Row<'a> {
    let attrs = &field.attrs;
    let embedded = attrs.embed.as_ref();
    let embedded = embedded.and_then(|embed| embed.max.as_ref());
    let role = decide_role(item, field);
    let max = match &role {
        Role::Refs { attr, .. } => attr.max.as_ref().map_or(REFS_DEFAULT, |max| max.value),
        Role::Recent { attr, .. } => {
            let max = attr.and_then(|attr| attr.max.as_ref());
            max.or(embedded).map_or(0, |max| max.value)
        }
        Role::Copy { .. } | Role::Own => embedded.map_or(0, |max| max.value),
        Role::Id | Role::Parent { .. } | Role::Count(_) | Role::Version => 0,
    };
    let reference = attrs.refs.is_some() || attrs.parent.is_some();
    Row {
        field,
        marker: names::marker(&field.ident),
        role,
        max,
        recursive: !reference && types::embeds(&field.ty, &item.ident),
    }
}

fn decide_role<'a>(item: &'a Item, field: &'a Field) -> Role<'a> {
    let attrs = &field.attrs;
    if let Some(attr) = &attrs.refs {
        Role::Refs {
            attr,
            entry: reference_entry(field, &attr.target, attr.key.as_ref()),
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
        match reference_of(item, field, attr) {
            Some(Reference::Beside(via)) => Role::Copy { attr, via },
            _ => Role::Own,
        }
    } else if is_id(item, field) {
        Role::Id
    } else {
        Role::Own
    }
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

/// The same of a list of the last children.
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

/// Without repetitions and without `id`, which every entry has; both were reported.
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

/// True if other items may name the field's type: it is as visible as its item, or a well-known type.
pub(crate) fn copyable(item: &Item, field: &Field) -> bool {
    matches!(field.vis, syn::Visibility::Public(_))
        || types::well_known(&field.ty)
        || tokens_of(&field.vis) == tokens_of(&item.vis)
}

fn tokens_of(vis: &syn::Visibility) -> String {
    vis.to_token_stream().to_string()
}
