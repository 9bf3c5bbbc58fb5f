//! Rules on models whose deletes only mark a document.

use crate::__private::probe::Stored;
use crate::__private::text::refuse;
use crate::schema::rows::Kind;

/// The time of a soft delete is an optional BSON date.
#[track_caller]
pub const fn deleted(option: bool, stored: Stored, owner: &'static str, ty: &'static str) {
    if option && matches!(stored.kind(), Kind::Date | Kind::Any) {
        return;
    }
    refuse!(
        "`{owner}` is the time of a soft delete, and is of type `{ty}` [SOFT_DELETE_FIELD]\n\
         help: `Option<bson::DateTime>`\n\
         note: the server writes a BSON date, and a live document has none";
        owner, ty
    );
}

/// No model uses another one with `soft_delete` as if its deletes removed documents: `does` and `how` are the words
/// before and behind the name of that model.
#[track_caller]
pub const fn soft_delete(
    is_soft: bool,
    owner: &'static str,
    other: &'static str,
    (does, how, help): (&'static str, &'static str, &'static str),
) {
    if !is_soft {
        return;
    }
    refuse!(
        "`{owner}` {does} `{other}`{how}, and a delete of `{other}` only marks a document [SOFT_DELETE_WITH]\n\
         help: {help}\n\
         help: or remove `soft_delete` from `{other}`\n\
         note: a marked document is still stored";
        owner, does, other, how, help
    );
}

/// A reference that refuses a purge, and no delete, leads to a model whose deletes only mark documents.
#[track_caller]
pub const fn purged(is_soft: bool, owner: &'static str, other: &'static str) {
    if is_soft {
        return;
    }
    refuse!(
        "`{owner}` refuses the purge of a `{other}`, which has no `soft_delete` [DENY_PURGE]\n\
         help: `on_delete = deny`, which refuses the delete\n\
         help: or `#[model(soft_delete)]` and a `#[deleted]` field on `{other}`\n\
         note: without `soft_delete` a delete removes the document, and nothing is left to purge";
        owner, other
    );
}
