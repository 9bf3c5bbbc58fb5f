//! Rules on models whose deletes only mark a document.

use crate::__private::probe::Stored;
use crate::__private::text::Text;
use crate::schema::rows::Kind;

/// The time of a soft delete is an optional BSON date.
#[track_caller]
pub const fn deleted(option: bool, stored: Stored, owner: &'static str, ty: &'static str) {
    if option && matches!(stored.kind(), Kind::Date | Kind::Any) {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is the time of a soft delete, and is of type `")
        .push_str(ty)
        .push_str("` [SOFT_DELETE_FIELD]\nhelp: `Option<bson::DateTime>`\nnote: the server writes a BSON date, and a live document has none");
    panic!("{}", text.as_str());
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
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` ")
        .push_str(does)
        .push_str(" `")
        .push_str(other)
        .push_str("`")
        .push_str(how)
        .push_str(", and a delete of `")
        .push_str(other)
        .push_str("` only marks a document [SOFT_DELETE_WITH]\nhelp: ")
        .push_str(help)
        .push_str("\nhelp: or remove `soft_delete` from `")
        .push_str(other)
        .push_str("`\nnote: a marked document is still stored");
    panic!("{}", text.as_str());
}

/// A reference that refuses a purge, and no delete, leads to a model whose deletes only mark documents.
#[track_caller]
pub const fn purged(is_soft: bool, owner: &'static str, other: &'static str) {
    if is_soft {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` refuses the purge of a `")
        .push_str(other)
        .push_str("`, which has no `soft_delete` [DENY_PURGE]\nhelp: `on_delete = deny`, which refuses the delete\nhelp: or `#[model(soft_delete)]` and a `#[deleted]` field on `")
        .push_str(other)
        .push_str("`\nnote: without `soft_delete` a delete removes the document, and nothing is left to purge");
    panic!("{}", text.as_str());
}
