//! Rules 4.B and 4.C: the target of a reference, and the values that the reference holds.

use crate::__private::text::Text;
use crate::schema::lookup::{HIDDEN, HasField, MISSING, same, slot};
use crate::schema::relation::OnDelete;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Cardinality, Value};

/// The target of a reference is a model, and `denies` nothing that the library stores in it.
#[track_caller]
pub const fn target(
    (is_model, denies): (bool, bool),
    parent: bool,
    owner: &'static str,
    target: &'static str,
    foreign: bool,
) {
    if is_model {
        return super::unknown::target(denies, owner, target);
    }
    let code = if parent {
        "PARENT_TARGET"
    } else {
        "REFS_TARGET"
    };
    let mut text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` refers to `")
        .push_str(target)
        .push_str("`, which is not a model [")
        .push_str(code)
        .push_str("]");
    if !foreign {
        text = text
            .push_str(
                "\nhelp: add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `",
            )
            .push_str(target)
            .push_str("`");
    }
    text = text
        .push_str("\nhelp: if it never stands alone, embed it: a field of type `")
        .push_str(target)
        .push_str("`\nnote: a reference points to a document in a collection of its own");
    panic!("{}", text.as_str());
}

/// A copy comes from a model, which `denies` nothing that the library stores in it.
#[track_caller]
pub const fn source((is_model, denies): (bool, bool), owner: &'static str, source: &'static str) {
    if is_model {
        return super::unknown::target(denies, owner, source);
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` copies from `")
        .push_str(source)
        .push_str("`, which is not a model [DENORM_SOURCE]\nhelp: add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `")
        .push_str(source)
        .push_str("`\nhelp: if it never stands alone, embed it: a field of type `")
        .push_str(source)
        .push_str("`\nnote: a copy is kept right through a reference to a document in a collection of its own");
    panic!("{}", text.as_str());
}

/// The reason why some values are no keys, and the rule that they break.
const PATTERN: &str = "which can be a pattern or operators";
const MATCHED: &str = "\nnote: references are looked up by lists of keys, where the server takes a regular expression for a pattern: deleting one document would reach what refers to others";

/// The `_id` of the target can be what a reference holds; `is_compared` is [`Value::COMPARED_IN_LISTS`] of its type.
#[track_caller]
pub const fn id_key(is_compared: bool, parent: bool, owner: &'static str, target: &'static str) {
    if is_compared {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` refers to `")
        .push_str(target)
        .push_str("` by its `_id`, ")
        .push_str(PATTERN)
        .push_str(if parent {
            " [PARENT_ID_TYPE]"
        } else {
            " [REFS_ID_TYPE]"
        })
        .push_str("\nhelp: give the `_id` of `")
        .push_str(target)
        .push_str("` a narrower type: `Id<")
        .push_str(target)
        .push_str(">`, `String`, an integer, a struct with `#[derive(MongoEmbed)]`")
        .push_str(MATCHED);
    panic!("{}", text.as_str());
}

/// The field holds ids of the target, in the form in which the target stores them: `forms` are the functions that write the
/// field and the `_id`.
#[track_caller]
pub const fn ids(
    holds: bool,
    forms: (&'static str, &'static str),
    parent: bool,
    owner: &'static str,
    ty: &'static str,
    target: &'static str,
) {
    if holds {
        same_form(forms, parent, owner, ty, target, "_id");
        return;
    }
    let (what, code) = if parent {
        ("` is not the id of `", "PARENT_ID_TYPE")
    } else {
        ("` does not hold ids of `", "REFS_ID_TYPE")
    };
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` of type `")
        .push_str(ty)
        .push_str(what)
        .push_str(target)
        .push_str("` [")
        .push_str(code)
        .push_str("]\nhelp: use the type of the `_id` of `")
        .push_str(target)
        .push_str("`, for example `Id<")
        .push_str(target)
        .push_str(">`\nnote: ids of different types never compare equal, so a join would silently find nothing");
    panic!("{}", text.as_str());
}

/// The function that writes the reference is the one that writes the field `what` of the target. Both functions are compared by
/// their names, which may be written with more or less of the path.
#[track_caller]
pub const fn same_form(
    (own, of_target): (&'static str, &'static str),
    parent: bool,
    owner: &'static str,
    ty: &'static str,
    target: &'static str,
    what: &'static str,
) {
    if same(own, of_target) || ends_in(own, of_target) || ends_in(of_target, own) {
        return;
    }
    let mut text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` of type `")
        .push_str(ty)
        .push_str("` is not stored in the form of `")
        .push_str(target)
        .push_str("::")
        .push_str(what)
        .push_str(if own.is_empty() {
            "`, which has a `#[serde(with = ..)]` ["
        } else if of_target.is_empty() {
            "`, which has no `#[serde(with = ..)]` ["
        } else {
            "`, which has another `#[serde(with = ..)]` ["
        })
        .push_str(if parent {
            "PARENT_ID_TYPE"
        } else {
            "REFS_ID_TYPE"
        })
        .push_str("]");
    if of_target.is_empty() {
        text = text.push_str("\nhelp: remove the attribute that writes this field");
    } else {
        text = text
            .push_str("\nhelp: write both by the same function: `#[serde(with = \"")
            .push_str(of_target)
            .push_str("\")]` on one id, `#[serde_as(as = \"Vec<")
            .push_str(of_target)
            .push_str(">\")]` (crate `serde_with`) on an array");
    }
    text = text
        .push_str("\nhelp: or let one type say how it is stored: `struct ")
        .push_str(target)
        .push_str("Id(#[serde(with = \"..\")] ..)` with `#[derive(MongoEmbed)]`, here and in `")
        .push_str(target)
        .push_str("`\nnote: ids in different forms never compare equal, so a join would silently find nothing");
    panic!("{}", text.as_str());
}

/// True if `long` is a path that ends in the path `short`.
const fn ends_in(long: &str, short: &str) -> bool {
    let (long, short) = (long.as_bytes(), short.as_bytes());
    if short.is_empty() || long.len() < short.len() + 2 {
        return false;
    }
    let (start, end) = long.split_at(long.len() - short.len());
    let mut n = 0;
    while n < short.len() {
        if end[n] != short[n] {
            return false;
        }
        n += 1;
    }
    start[start.len() - 1] == b':' && start[start.len() - 2] == b':'
}

/// The field `key` of the target, its slot `N`, can be what a reference holds. `unique` are the fields of the target that a unique
/// index keeps apart.
#[track_caller]
pub const fn key<M: HasField<N>, const N: usize>(
    unique: &[&str],
    owner: &'static str,
    target: &'static str,
    key: &'static str,
) where
    M::Type: Value,
{
    // The compiler itself reports a missing field.
    if N == MISSING {
        return;
    }
    let what = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` refers to `")
        .push_str(target)
        .push_str("` by `")
        .push_str(key)
        .push_str("`, ");
    let text = if N == HIDDEN {
        what.push_str("which is less visible than its model [REFS_KEY_TYPE]\nhelp: give the field the visibility of its model\nnote: the reference's type would name a type that may be private to the target's module")
    } else if M::WITH {
        what.push_str("which is stored through a `#[serde(with = ..)]` [REFS_KEY_TYPE]\nhelp: refer by a field that is stored as its type says\nnote: what a reference holds is compared with what is stored")
    } else if !<M::Type as Value>::COMPARED_IN_LISTS {
        what.push_str(PATTERN)
            .push_str(" [REFS_KEY_TYPE]\nhelp: refer by a field of a narrower type: `String`, an integer, `bson::Uuid`")
            .push_str(MATCHED)
    } else if !matches!(<M::Type as Value>::CARD, Cardinality::One) {
        what.push_str("which holds many values [REFS_KEY_TYPE]\nhelp: refer by a field that holds one\nnote: a reference leads to the one document that has the key")
    } else {
        let found = slot(unique, key);
        if found != MISSING && (found != HIDDEN || !<M::Type as Value>::NULLABLE) {
            return;
        }
        what.push_str("which has no unique index over all documents [REFS_KEY_UNIQUE]\nhelp: add `#[index(unique)]` to `")
            .push_str(target)
            .push_str("::")
            .push_str(key)
            .push_str("`\nnote: without it a join scans the collection, and a key may lead to several documents")
    };
    panic!("{}", text.as_str());
}

/// A map of references says by its types where they are. `what` is the field of the target whose values they are, empty for
/// its `_id`; `known` is false if the types cannot be checked at all.
#[track_caller]
pub const fn map(
    (in_keys, in_values, known): (bool, bool, bool),
    owner: &'static str,
    ty: &'static str,
    target: &'static str,
    what: &'static str,
) {
    if in_keys != in_values {
        return;
    }
    if !in_keys {
        if what.is_empty() {
            ids(!known, ("", ""), false, owner, ty, target);
        } else if known {
            no_keys(owner, ty, target, what);
        }
        return;
    }
    let mut text = Text::<1024>::new()
        .push_str("both the keys and the values of `")
        .push_str(owner)
        .push_str("` may be references to `")
        .push_str(target)
        .push_str("` [REFS_MAP]\nhelp: values that are no references can be embedded documents: `struct Note { text: String }` with `#[derive(MongoEmbed)]`");
    if what.is_empty() {
        text = text
            .push_str("\nhelp: or give the `_id` of `")
            .push_str(target)
            .push_str("` a type of its own: `Id<")
            .push_str(target)
            .push_str(", String>`");
    }
    text =
        text.push_str("\nnote: a map holds its references in its keys or in its values, not both");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn no_keys(owner: &'static str, ty: &'static str, target: &'static str, key: &'static str) {
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` of type `")
        .push_str(ty)
        .push_str("` holds values of `")
        .push_str(target)
        .push_str("::")
        .push_str(key)
        .push_str("` neither in its keys nor in its values [REFS_KEY_TYPE]\nhelp: use the type of `")
        .push_str(target)
        .push_str("::")
        .push_str(key)
        .push_str("`\nnote: values of different types never compare equal, so a join would silently find nothing");
    panic!("{}", text.as_str());
}

/// A map behind an alias does not show where its ids are.
#[track_caller]
pub(super) const fn hidden_map(owner: &'static str) {
    let text = Text::<512>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is a map behind an alias, which does not show where its ids are [REFS_MAP]\nhelp: write the map's own type in the field: `BTreeMap<.., ..>`\nnote: a map holds its references in its keys or in its values");
    panic!("{}", text.as_str());
}

/// A reference with `pull` in an embedded document, which the model's field `owner` cannot lose.
#[track_caller]
pub const fn pulled(row: &FieldRow, owner: &'static str) {
    if !matches!(row.kind, Kind::Document) || row.is_optional() {
        return;
    }
    let Some(shape) = row.shape else { return };
    let Some((holder, field)) = pulls(shape) else {
        return;
    };
    let mut text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is always there, but `on_delete = pull` on `")
        .push_str(holder)
        .push_str("::")
        .push_str(field)
        .push_str("` would remove it [PARENT_PULL]");
    if !row.name.is_empty() {
        text = text
            .push_str("\nhelp: make it optional: `Option<")
            .push_str(shape.name)
            .push_str(">`");
    }
    text = text
        .push_str("\nhelp: or give `")
        .push_str(holder)
        .push_str("::")
        .push_str(field)
        .push_str("` another rule: `on_delete = deny`, `cascade` or `keep`\nnote: `pull` removes the element of an array, the entry of a map or the optional document that holds the reference");
    panic!("{}", text.as_str());
}

/// A reference with `pull` in an element of an array of fixed length, which cannot lose one.
#[track_caller]
pub(super) const fn pulled_from_fixed(row: &FieldRow, owner: &'static str) {
    let facts = &row.facts;
    let fixed = matches!((row.kind, facts.card), (Kind::Array, Cardinality::One))
        || matches!(
            (facts.elem_kind, facts.elem_card),
            (Kind::Array, Cardinality::One)
        );
    let (Some(shape), None) = (row.shape, row.relation) else {
        return;
    };
    if !fixed {
        return;
    }
    let Some((holder, field)) = pulls(shape) else {
        return;
    };
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is an array of fixed length, but `on_delete = pull` on `")
        .push_str(holder)
        .push_str("::")
        .push_str(field)
        .push_str("` would remove an element [PARENT_PULL]\nhelp: an array that may be shorter: `Vec<")
        .push_str(shape.name)
        .push_str(">` with `#[embed(max = ..)]`\nhelp: or give `")
        .push_str(holder)
        .push_str("::")
        .push_str(field)
        .push_str("` another rule: `on_delete = deny`, `cascade` or `keep`\nnote: a document whose array has another length cannot be read");
    panic!("{}", text.as_str());
}

/// The first reference with `pull` in a document of this shape for which the document would be removed: its type, and its name there.
const fn pulls(shape: &'static Shape) -> Option<(&'static str, &'static str)> {
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        match row.relation {
            Some(relation) if !relation.many && matches!(relation.on_delete, OnDelete::Pull) => {
                return Some((shape.name, row.rust));
            }
            None if matches!(row.kind, Kind::Document) && !row.is_optional() => {
                if let Some(inner) = row.shape
                    && let Some(found) = pulls(inner)
                {
                    return Some(found);
                }
            }
            _ => {}
        }
        n += 1;
    }
    None
}

/// References inside the values of a map are not found by their targets.
#[track_caller]
pub(super) const fn checked_in_map(owner: &'static str) {
    let text = Text::<512>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is a map of embedded documents with a `checked` reference [REFS_MAP]\nhelp: an array of them: `Vec<..>` with `#[embed(max = ..)]`\nnote: a reference under a map's keys, which are data, cannot be found by id when its target goes");
    panic!("{}", text.as_str());
}

/// Many references stand in an array.
#[track_caller]
pub(super) const fn refs_field_type(owner: &'static str) {
    let text = Text::<512>::new()
        .push_str("`#[refs(..)]` on `")
        .push_str(owner)
        .push_str("` needs an array of ids, but its type holds one value [REFS_FIELD_TYPE]\nhelp: one reference: `#[parent(..)]`\nnote: an array of references is for one-to-many (rule of thumb 3)");
    panic!("{}", text.as_str());
}

/// A single reference stands alone.
#[track_caller]
pub(super) const fn parent_field_type(owner: &'static str) {
    let text = Text::<512>::new()
        .push_str("`#[parent(..)]` on `")
        .push_str(owner)
        .push_str("` needs one id, but its type holds many values [PARENT_FIELD_TYPE]\nhelp: many references: `#[refs(..)]`");
    panic!("{}", text.as_str());
}
