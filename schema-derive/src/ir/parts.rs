//! The roles that several fields have together: those of a bucket, and those of an array that overflows into buckets.

use proc_macro2::Ident;
use syn::Path;

use super::row::{Role, Row};
use crate::names::unraw;
use crate::syntax::{BucketAttr, stored};
use crate::types;

/// The fields of a bucket, as far as they are there.
pub(crate) struct Bucket<'i> {
    /// The field that `bucket(..)` names.
    pub(crate) items: Option<&'i Row<'i>>,
    pub(crate) id: Option<&'i Row<'i>>,
    /// The references to the model that the `_id` names.
    pub(crate) parents: Vec<&'i Row<'i>>,
    pub(crate) count: Option<&'i Row<'i>>,
}

/// The fields of a bucket in which nothing is missing.
pub(crate) struct BucketParts<'i> {
    pub(crate) items: &'i Row<'i>,
    pub(crate) id: &'i Row<'i>,
    pub(crate) parent: &'i Row<'i>,
    pub(crate) count: &'i Row<'i>,
}

impl<'i> Bucket<'i> {
    pub(super) fn find(attr: &BucketAttr, rows: &'i [Row<'i>]) -> Self {
        let id = rows.iter().find(|row| row.is_stored_as_id());
        let of = id.and_then(Row::bucket_of);
        let refers = |row: &&Row<'_>| row.is_stored() && of.is_some() && row.parent_name() == of;
        Bucket {
            items: rows
                .iter()
                .find(|row| row.rust() == unraw(&attr.items) && row.is_addressable()),
            id,
            parents: rows.iter().filter(refers).collect(),
            count: rows
                .iter()
                .find(|row| row.rust() == "count" && row.is_stored()),
        }
    }

    /// The fields, if nothing is missing.
    pub(crate) fn parts(&self) -> Option<BucketParts<'i>> {
        let [parent] = self.parents.as_slice() else {
            return None;
        };
        Some(BucketParts {
            items: self.items.filter(|row| row.holds_documents())?,
            id: self.id?,
            parent,
            count: self.count?,
        })
    }
}

impl BucketParts<'_> {
    /// True if the bucket maintains the field: its items, its parent or its count.
    pub(crate) fn maintains(&self, row: &Row<'_>) -> bool {
        [self.items, self.parent, self.count]
            .iter()
            .any(|own| own.is(row))
    }
}

/// The array that overflows, its flag, and the model of the buckets that it overflows into.
pub(crate) struct OverflowParts<'i> {
    pub(crate) items: &'i Row<'i>,
    /// The field that says if the array has overflowed.
    pub(crate) flag: &'i Row<'i>,
    /// The model of the buckets.
    pub(crate) extra: &'i Path,
}

impl OverflowParts<'_> {
    /// True if the field is the array that overflows, or the flag that says so.
    pub(crate) fn maintains(&self, row: &Row<'_>) -> bool {
        [self.items, self.flag].iter().any(|own| own.is(row))
    }
}

/// The fields of the first array that overflows, if nothing is missing.
pub(super) fn overflow<'i>(rows: &'i [Row<'i>]) -> Option<OverflowParts<'i>> {
    let mut all = rows.iter();
    let (items, extra) = all.find_map(|row| Some((row, row.overflow()?)))?;
    Some(OverflowParts {
        items: Some(items).filter(|row| row.holds_documents())?,
        flag: overflow_flag(rows)?,
        extra,
    })
}

/// The field that says whether there is more than the array holds.
pub(super) fn overflow_flag<'i>(rows: &'i [Row<'i>]) -> Option<&'i Row<'i>> {
    rows.iter().find(|row| {
        let stored = row.is_stored() && !row.has_functions();
        row.rust() == stored::HAS_EXTRAS && stored && row.copies().is_empty()
    })
}

/// The two fields that say where a document stands in its tree.
pub(crate) struct TreeParts<'i> {
    /// The reference to the parent.
    pub(crate) above: &'i Row<'i>,
    /// The ids of all ancestors.
    pub(crate) path: &'i Row<'i>,
}

/// The fields of the tree, if both are there.
pub(super) fn tree<'i>(rows: &'i [Row<'i>]) -> Option<TreeParts<'i>> {
    Some(TreeParts {
        above: rows.iter().find(|row| row.tree().is_some())?,
        path: rows.iter().find(|row| row.ancestors_site().is_some())?,
    })
}

impl<'a> Row<'a> {
    /// The model of the buckets that take what the array does not.
    pub(crate) fn overflow(&self) -> Option<&'a Path> {
        self.embed()?.overflow.as_ref()
    }

    /// True if the field is written as a `Vec`.
    pub(crate) fn is_vec(&self) -> bool {
        types::last_ident(&self.field.ty).is_some_and(|ident| ident == "Vec")
    }

    /// True for a `Vec` that serde stores as it is, and that refers to nothing.
    pub(crate) fn is_plain_vec(&self) -> bool {
        let refers =
            matches!(self.role, Role::Refs { .. } | Role::Recent { .. }) || self.is_broken("refs");
        let stored = self.has_functions() || self.is_declared_opaque();
        self.is_vec() && !refers && !stored
    }

    /// True for such a `Vec` of documents, as far as its type shows.
    pub(crate) fn holds_documents(&self) -> bool {
        let element = types::array_element(&self.field.ty);
        self.is_plain_vec() && element.is_some_and(|element| !types::well_known(element))
    }

    /// `Host` of `BucketId<Host>`.
    pub(crate) fn bucket_of(&self) -> Option<&'a Ident> {
        types::argument(&self.field.ty, "BucketId").and_then(types::last_ident)
    }

    /// The name of the model that a `#[parent]` refers to.
    pub(crate) fn parent_name(&self) -> Option<&'a Ident> {
        let target = &self.parent()?.target;
        target.segments.last().map(|segment| &segment.ident)
    }
}
