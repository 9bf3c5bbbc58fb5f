//! The item as the rules and the expansion see it: one row per field, with its role decided. Built from any item, also from one
//! with mistakes, since the rules judge it, and the stubs of a broken type are the same tables without the checks.

mod parts;
mod roles;
mod row;
mod subset;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Type;

pub(crate) use self::parts::{Bucket, BucketParts, OverflowParts, TreeParts};
pub(crate) use self::roles::{REFS_DEFAULT, same_path, stored_name};
pub(crate) use self::row::{Copied, Entry, Fixed, Role, Row};
use crate::names;
use crate::syntax::{Body, Content, Item, Kind, PeriodAttr, Variant};
use crate::types;

pub(crate) struct Ir<'a> {
    /// The item as it was written: its name, its generics, its own attributes. The roles of its fields are in the rows.
    pub(crate) item: &'a Item,
    /// `::mongo_model::__private`
    pub(crate) rt: TokenStream,
    /// All fields in declaration order; for an enum, those of all variants.
    rows: Vec<Row<'a>>,
    /// The rows that have a handle.
    handles: Vec<usize>,
    /// The place of the `_id` among the rows.
    id: Option<usize>,
    /// True for an enum that refers to one of several models: each variant holds the id of one.
    refers_to_several: bool,
    /// True once mistakes were reported: no checks are emitted then.
    pub(crate) failed: bool,
}

impl<'a> Ir<'a> {
    /// Decides the role of every field.
    pub(crate) fn lower(item: &'a Item) -> Self {
        let krate = item
            .attrs
            .krate
            .as_ref()
            .map_or_else(|| quote!(::mongo_model), ToTokens::to_token_stream);
        let rows = roles::lower(item);
        Ir {
            item,
            rt: quote!(#krate::__private),
            handles: handles(item, &rows),
            id: rows.iter().position(|row| row.is_id),
            refers_to_several: refers_to_several(item, &rows),
            rows,
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
        let called_id = || self.stored().find(|row| row.is_called_id());
        match self.id().or_else(called_id).map(|row| &row.field.ty) {
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

    /// All fields in declaration order. Only the rules speak of those that are not stored.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter()
    }

    /// The stored fields: the rows of the tables.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Row<'a>> {
        self.fields().filter(|row| row.is_stored())
    }

    /// The place of a stored field in the tables, the tag of an enum not counted.
    pub(crate) fn place_in_tables(&self, row: &Row<'_>) -> Option<usize> {
        self.stored().position(|other| other.is(row))
    }

    /// The field of this name, stored or not.
    pub(crate) fn field(&self, name: &Ident) -> Option<&Row<'a>> {
        let name = names::unraw(name);
        self.fields().find(|row| row.rust() == name)
    }

    /// The field of this name, if a filter, an index or an access pattern can name it.
    pub(crate) fn addressable(&self, name: &Ident) -> Option<&Row<'a>> {
        let name = names::unraw(name);
        self.fields()
            .find(|row| row.rust() == name && row.is_addressable())
    }

    /// The field that says which tenant a document belongs to.
    pub(crate) fn tenant(&self) -> Option<&Row<'a>> {
        let mut fields = self.fields();
        fields.find(|row| row.fixed_site(Fixed::Tenant).is_some())
    }

    /// True if every call of the model names its actor.
    pub(crate) fn requires_actor(&self) -> bool {
        let history = self.item.attrs.history.as_ref();
        history.is_some_and(|history| history.by_required)
    }

    /// The `_id` of a model.
    pub(crate) fn id(&self) -> Option<&Row<'a>> {
        self.id.map(|n| &self.rows[n])
    }

    /// The period that a document of the model stands for, and the model whose children it adds up, by the `_id`.
    pub(crate) fn period(&self) -> Option<(&'a PeriodAttr, Option<&'a Type>)> {
        let row = self.id().filter(|_| self.is_model())?;
        let parent = types::argument(&row.field.ty, "Period");
        Some((row.period()?, parent))
    }

    /// The fields that stand in one document with this one, itself included: those of its struct or variant.
    pub(crate) fn siblings(&self, row: &Row<'_>) -> impl Iterator<Item = &Row<'a>> {
        let variant = row.variant.map(std::ptr::from_ref);
        self.fields()
            .filter(move |other| other.variant.map(std::ptr::from_ref) == variant)
    }

    /// The fields of each document, if they have names: those of a struct, or of one variant each.
    pub(crate) fn documents(&self) -> Vec<Vec<&Row<'a>>> {
        let rows = || self.fields().filter(|row| !row.unnamed);
        match &self.item.body {
            Body::Struct(_) => vec![rows().collect()],
            Body::Newtype(_) => Vec::new(),
            Body::Enum(variants) => variants
                .iter()
                .filter(|variant| matches!(variant.content, Content::Struct(_)))
                .map(|variant| rows().filter(|row| row.is_of(variant)).collect())
                .collect(),
        }
    }

    /// The unnamed field that is all that a variant holds.
    pub(crate) fn content(&self, variant: &Variant) -> Option<&Row<'a>> {
        self.fields().find(|row| row.unnamed && row.is_of(variant))
    }

    /// The fields of a bucket, if the model is one.
    pub(crate) fn bucket(&self) -> Option<Bucket<'_>> {
        let attr = self.item.attrs.bucket.as_ref()?;
        Some(Bucket::find(attr, &self.rows))
    }

    /// The fields of a bucket in which nothing is missing.
    pub(crate) fn bucket_parts(&self) -> Option<BucketParts<'_>> {
        self.bucket()?.parts()
    }

    /// True if an array of a model can overflow into buckets.
    pub(crate) fn may_overflow(&self) -> bool {
        self.is_model() && matches!(self.item.body, Body::Struct(_))
    }

    /// The fields of a model with an array that overflows, in which nothing is missing.
    pub(crate) fn overflow_parts(&self) -> Option<OverflowParts<'_>> {
        let rows = self.may_overflow().then_some(&self.rows)?;
        parts::overflow(rows)
    }

    /// The fields of the tree that the documents of the model form.
    pub(crate) fn tree_parts(&self) -> Option<TreeParts<'_>> {
        parts::tree(&self.rows)
    }

    /// The field beside an array that overflows which says whether there is more.
    pub(crate) fn overflow_flag(&self) -> Option<&Row<'_>> {
        parts::overflow_flag(&self.rows)
    }

    /// The stored name of the id, if this is an enum that refers to one of several models.
    pub(crate) fn polymorphic(&self) -> Option<&'a str> {
        self.refers_to_several
            .then_some(&*self.item.serde.content_name)
    }

    /// True if other items may name the field's type: it is as visible as its item, or a well-known type.
    pub(crate) fn is_copyable(&self, row: &Row<'_>) -> bool {
        let vis = &row.field.vis;
        matches!(vis, syn::Visibility::Public(_))
            || types::well_known(&row.field.ty)
            || text(vis) == text(&self.item.vis)
    }

    /// True if updates of the field do not raise the model's version, and saves leave it as it is stored.
    pub(crate) fn leaves_version(&self, row: &Row<'_>) -> bool {
        let is_plain = matches!(row.role, Role::Own) && !row.is_flattened();
        let has_version = || {
            self.rows
                .iter()
                .any(|row| matches!(row.role, Role::Version))
        };
        row.is_volatile() && is_plain && self.is_model() && has_version()
    }

    /// True if plain copies depend on this `#[parent]` field.
    pub(crate) fn has_copies(&self, parent: &Row<'_>) -> bool {
        self.stored().any(
            |row| matches!(&row.role, Role::Copy { via, .. } if via.place == parent.field.place),
        )
    }

    /// The rows that have a handle: of an enum a name that several variants share has one only if it means one type.
    pub(crate) fn handles(&self) -> Vec<&Row<'a>> {
        self.handles.iter().map(|n| &self.rows[*n]).collect()
    }

    /// The entries that the item's fields generate, also those of fields with a broken attribute.
    pub(crate) fn entries(&self) -> Vec<(&Row<'a>, &Entry<'a>)> {
        self.stored()
            .filter_map(|row| row.entry().map(|entry| (row, entry)))
            .collect()
    }
}

/// See [`Ir::polymorphic`].
fn refers_to_several(item: &Item, rows: &[Row<'_>]) -> bool {
    let Body::Enum(variants) = &item.body else {
        return false;
    };
    let refers = |row: &Row<'_>| {
        let plain = row.unnamed && row.is_stored() && !row.has_functions();
        plain && row.parent().is_some() && row.copies().is_empty()
    };
    let told_apart = item.serde.tag.is_some() && item.serde.content.is_some();
    let plain = item.kind == Kind::Embed && item.generics.params.is_empty();
    let filled = |variant: &Variant| matches!(variant.content, Content::Newtype(_));
    let all = !variants.is_empty() && variants.iter().all(filled) && rows.iter().all(refers);
    plain && told_apart && all
}

/// See [`Ir::handles`].
fn handles(item: &Item, rows: &[Row<'_>]) -> Vec<usize> {
    if matches!(item.body, Body::Newtype(_)) {
        return Vec::new();
    }
    // Read the text of each name once: each read is a call to the compiler.
    let names: Vec<String> = rows.iter().map(Row::rust).collect();
    let stored = || (0..rows.len()).filter(|n| rows[*n].is_stored());
    let mut kept: Vec<usize> = Vec::new();
    for n in stored() {
        let row = &rows[n];
        if row.unnamed || kept.iter().any(|other| names[*other] == names[n]) {
            continue;
        }
        let clash = stored().any(|other| {
            other != n
                && names[other] == names[n]
                && text(&rows[other].field.ty) != text(&row.field.ty)
        });
        if !clash {
            kept.push(n);
        }
    }
    kept
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
