//! Rules 4.A on embedded documents and arrays, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::rules;
use crate::syntax::{Body, Field, Item};
use crate::types;

/// "A couple of hundred" (rule of thumb 3).
pub(crate) const EMBED_MAX: u64 = 200;
/// Atlas reports a longer array as unbounded.
pub(crate) const ATLAS_MAX: u64 = 10_000;

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for field in item.body.fields() {
        cx.set_place(field.place);
        check_recursion(item, field, cx);
        check_generic(item, field, cx);
        let newtype = matches!(item.body, Body::Newtype(_));
        if let Some(max_len) = field.attrs.max_len.as_ref().filter(|_| newtype) {
            let belongs = "it belongs on the fields that hold one";
            cx.push(diag::option_misplaced(
                &max_len.tokens,
                "max_len",
                &field.owner,
                belongs,
            ));
        }
        let Some(embed) = &field.attrs.embed else {
            continue;
        };
        if let Some(refs) = &field.attrs.refs {
            cx.push(diag::refs_and_embed(
                &embed.site,
                &field.owner,
                "refs",
                &refs.target,
            ));
            continue;
        }
        if let Some(parent) = &field.attrs.parent {
            cx.push(diag::refs_and_embed(
                &embed.site,
                &field.owner,
                "parent",
                &parent.target,
            ));
            continue;
        }
        let Some(max) = &embed.max else { continue };
        // Scalars are small: their array is bounded by what Atlas reports, without a reason. How many items a bucket holds is advice.
        let few = if check_scalars(field) || super::bucket::holds_items(item, field) {
            ATLAS_MAX
        } else {
            EMBED_MAX
        };
        if max.value == 0 {
            cx.push(diag::zero_bound(&max.tokens, "embed", &field.owner));
        } else if max.value > ATLAS_MAX {
            cx.push(diag::embed_over_atlas(&max.tokens, &field.owner, max.value));
        } else if max.value > few
            && !embed.allow_large
            && !crate::check::allowed(item, Some(field), &rules::EMBED_TOO_MANY)
        {
            cx.push(diag::embed_too_many(
                &max.tokens,
                &field.owner,
                max.value,
                element(field),
            ));
        } else if max.value <= few && embed.allow_large {
            cx.push(diag::allow_large_unused(
                &embed.site,
                "embed",
                &field.owner,
                few,
            ));
        }
        if types::option_inner(&field.ty)
            .and_then(types::array_element)
            .is_some()
            && !crate::check::allowed(item, Some(field), &rules::EMBED_OPTION_VEC)
        {
            cx.push(diag::option_vec(
                &field.ty,
                &field.owner,
                types::option_inner(&field.ty),
            ));
        }
    }
}

/// True if the elements of the array or map are certainly no documents.
fn check_scalars(field: &Field) -> bool {
    let ty = types::option_inner(&field.ty).unwrap_or(&field.ty);
    let element = types::array_element(ty).or_else(|| types::map_value(ty).map(|(_, value)| value));
    element.is_some_and(types::well_known)
}

/// In a generic type no const can ask the field's type, so an array is judged as it is written.
fn check_generic(item: &Item, field: &Field, cx: &Ctxt) {
    let bounded = field.attrs.embed.is_some()
        || field.attrs.refs.is_some()
        || !field.attrs.broken.is_empty()
        || field.serde.skip.is_some()
        || field.attrs.opaque.is_some();
    if bounded || item.generics.type_params().next().is_none() {
        return;
    }
    let rule = if types::array_element(&field.ty).is_some() {
        &rules::EMBED_UNBOUNDED
    } else if types::map_value(&field.ty).is_some() {
        &rules::EMBED_MAP
    } else {
        return;
    };
    if !crate::check::allowed(item, Some(field), rule) {
        cx.push(diag::unbounded_generic(&field.ty, rule, &field.owner));
    }
}

/// A type that embeds itself: its own name anywhere in a field that is not a reference.
fn check_recursion(item: &Item, field: &Field, cx: &Ctxt) {
    let reference = field.attrs.refs.is_some() || field.attrs.parent.is_some();
    let ids_only = types::last_ident(&field.ty).is_some_and(|ident| ident == "Id");
    if reference || ids_only || field.serde.skip.is_some() || field.attrs.opaque.is_some() {
        return;
    }
    if types::embeds(&field.ty, &item.ident) {
        cx.push(diag::embed_recursive(
            &field.ty,
            &field.owner,
            &item.ident,
            item.kind,
        ));
    }
}

/// How the element of an array is named in a message.
fn element(field: &Field) -> String {
    types::array_element(&field.ty)
        .and_then(types::last_ident)
        .map_or_else(|| "Item".to_owned(), ToString::to_string)
}
