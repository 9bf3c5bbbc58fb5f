//! Rules on `embed(.., overflow = Extra)`, as far as the struct shows them.

use syn::Path;

use super::bucket;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{Body, Field, Item, Kind, stored};

/// The array that overflows, its flag, and the model of the buckets that it overflows into.
pub(crate) struct Parts<'a> {
    pub(crate) items: &'a Field,
    /// The field that says if the array has overflowed.
    pub(crate) flag: &'a Field,
    /// The model of the buckets.
    pub(crate) extra: &'a Path,
}

/// The fields of a model with an array that overflows, in which nothing is missing.
pub(crate) fn parts(item: &Item) -> Option<Parts<'_>> {
    if item.kind != Kind::Model || !matches!(item.body, Body::Struct(_)) {
        return None;
    }
    let (items, extra) = overflowing(item).next()?;
    Some(Parts {
        items: Some(items).filter(|field| bucket::holds_documents(field))?,
        flag: flag(item)?,
        extra,
    })
}

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    let mut first = None;
    for (field, extra) in overflowing(item) {
        cx.set_place(field.place);
        if item.kind != Kind::Model || !matches!(item.body, Body::Struct(_)) {
            cx.push(diag::overflow_place(extra, &field.owner));
        } else if let Some(first) = first {
            cx.push(diag::overflow_twice(extra, &field.owner, first));
        } else if bucket::holds_items(item, field) {
            cx.push(diag::overflow_of_bucket(extra, &field.owner));
        } else if !bucket::holds_documents(field) {
            cx.push(diag::overflow_array(&field.ty, &field.owner));
        } else if flag(item).is_none() {
            cx.push(diag::overflow_flag(extra, &field.owner));
        }
        first.get_or_insert(&field.owner);
    }
}

fn overflowing(item: &Item) -> impl Iterator<Item = (&Field, &Path)> {
    let fields = item.body.fields().into_iter();
    fields.filter_map(|field| Some((field, field.attrs.embed.as_ref()?.overflow.as_ref()?)))
}

/// The field beside it that says whether there is more.
fn flag(item: &Item) -> Option<&Field> {
    let mut fields = item.body.fields().into_iter();
    fields.find(|field| {
        let stored = field.serde.skip.is_none() && field.serde.with.is_none();
        field.rust() == stored::HAS_EXTRAS && stored && field.attrs.denorm.is_empty()
    })
}
