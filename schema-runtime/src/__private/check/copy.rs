//! Rules 4.D: what a copy may ask of its source.

use super::super::Text;
use super::allow;
use crate::lookup::{HIDDEN, HasField};
use crate::value::Value;

/// A copied field: `owner` is `Product::parts`, `source` is `Part`, `field` the field copied, `N` its slot. `with` says whether
/// the copy itself has a `#[serde(with = ..)]`, for a plain copy.
#[track_caller]
pub const fn copied<M: HasField<N>, const N: usize>(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    model: &'static str,
    own: &'static str,
    allowed: u32,
) where
    M::Type: Value,
{
    if N == HIDDEN {
        hidden(owner, source, field);
    }
    if M::IS_ID {
        id(owner, source, field);
    }
    if M::VOLATILE && allowed & allow::HOT == 0 {
        hot(owner, source, field);
    }
    if <M::Type as Value>::HOLDS_COPIES {
        entries(owner, source, field);
    }
    if let Some((from, from_field)) = M::COPIED_FROM
        && same(from, model)
        && same(from_field, own)
    {
        cycle(owner, source, field);
    }
}

/// A plain copy stores its value as its source does.
#[track_caller]
pub const fn same_with<M: HasField<N>, const N: usize>(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    with: bool,
) {
    if M::WITH == with {
        return;
    }
    let text = Text::<512>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` and its source `")
        .push_str(source)
        .push_str("::")
        .push_str(field)
        .push_str("` are stored in different forms: one has `#[serde(with = ..)]` and the other has not [DENORM_TYPE]\nhelp: put the same `#[serde(with = ..)]` on both\nnote: a copy is written as its source stores it");
    panic!("{}", text.as_str());
}

const fn same(a: &str, b: &str) -> bool {
    crate::lookup::slot(&[a], b) == 0
}

const fn names(
    owner: &'static str,
    verb: &'static str,
    source: &'static str,
    field: &'static str,
) -> Text<1024> {
    Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str(verb)
        .push_str(source)
        .push_str("::")
        .push_str(field)
}

#[track_caller]
const fn hot(owner: &'static str, source: &'static str, field: &'static str) {
    let text = names(owner, "` copies `", source, field)
        .push_str("`, which is marked `#[volatile]` [DENORM_HOT]\nhelp: remove the copy, and load the source where it is needed\nhelp: to keep it: `#[model(allow(denorm_hot, reason = \"..\"))]`\nnote: copy fields that are mostly read and seldom updated (rule of thumb 5): the name, not the quantity on hand");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn id(owner: &'static str, source: &'static str, field: &'static str) {
    let text = names(owner, "` copies `", source, field)
        .push_str("`, which is the `_id` [DENORM_ID]\nhelp: use the reference itself\nnote: an `_id` never changes: a copy of it is a reference");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn hidden(owner: &'static str, source: &'static str, field: &'static str) {
    let text = names(owner, "` copies `", source, field)
        .push_str("`, which is less visible than its model [DENORM_FIELD]\nhelp: give the field the visibility of its model\nnote: the copy's type would name a type that may be private to the source's module");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn entries(owner: &'static str, source: &'static str, field: &'static str) {
    let text = names(owner, "` copies `", source, field)
        .push_str("`, which holds copies itself [DENORM_ENTRIES]\nhelp: copy from the model that those copies come from\nnote: a copy of entries would have to be kept right in two steps at once");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn cycle(owner: &'static str, source: &'static str, field: &'static str) {
    let text = names(owner, "` copies `", source, field)
        .push_str("`, which is a copy of it [DENORM_CYCLE]\nhelp: keep one of them as the origin\nnote: a change would run in a circle for ever");
    panic!("{}", text.as_str());
}
