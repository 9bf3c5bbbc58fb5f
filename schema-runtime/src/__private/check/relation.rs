//! Rules 4.B and 4.C: the target of a reference, and the values that the reference holds.

use crate::__private::text::{refuse, say};
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
    let mut text =
        say!("`{owner}` refers to `{target}`, which is not a model [{code}]"; owner, target, code);
    if !foreign {
        text = say!(
            text => "\n\
             help: add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{target}`";
            target
        );
    }
    text = say!(
        text => "\n\
         help: if it never stands alone, embed it: a field of type `{target}`\n\
         note: a reference points to a document in a collection of its own";
        target
    );
    panic!("{}", text.as_str());
}

/// A copy comes from a model, which `denies` nothing that the library stores in it.
#[track_caller]
pub const fn source((is_model, denies): (bool, bool), owner: &'static str, source: &'static str) {
    if is_model {
        return super::unknown::target(denies, owner, source);
    }
    refuse!(
        "`{owner}` copies from `{source}`, which is not a model [DENORM_SOURCE]\n\
         help: add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{source}`\n\
         help: if it never stands alone, embed it: a field of type `{source}`\n\
         note: a copy is kept right through a reference to a document in a collection of its own";
        owner, source
    );
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
    refuse!(
        "`{owner}` refers to `{target}` by its `_id`, {pattern}{code}\n\
         help: give the `_id` of `{target}` a narrower type: `Id<{target}>`, `String`, an integer, a struct with `#[derive(MongoEmbed)]`{matched}";
        owner, target, pattern = PATTERN, code = if parent {
            " [PARENT_ID_TYPE]"
        } else {
            " [REFS_ID_TYPE]"
        }, matched = MATCHED
    );
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
    refuse!(
        "`{owner}` of type `{ty}{what}{target}` [{code}]\n\
         help: use the type of the `_id` of `{target}`, for example `Id<{target}>`\n\
         note: ids of different types never compare equal, so a join would silently find nothing";
        owner, ty, what, target, code
    );
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
    let mut text = say!(
        "`{owner}` of type `{ty}` is not stored in the form of `{target}::{what}{difference}{code}]";
        owner, ty, target, what, difference = if own.is_empty() {
            "`, which has a `#[serde(with = ..)]` ["
        } else if of_target.is_empty() {
            "`, which has no `#[serde(with = ..)]` ["
        } else {
            "`, which has another `#[serde(with = ..)]` ["
        }, code = if parent {
            "PARENT_ID_TYPE"
        } else {
            "REFS_ID_TYPE"
        }
    );
    if of_target.is_empty() {
        text = say!(
            text => "\n\
             help: remove the attribute that writes this field"
        );
    } else {
        text = say!(
            text => "\n\
             help: write both by the same function: `#[serde(with = \"{of_target}\")]` on one id, `#[serde_as(as = \"Vec<{of_target}>\")]` (crate `serde_with`) on an array";
            of_target
        );
    }
    text = say!(
        text => "\n\
         help: or let one type say how it is stored: `struct {target}Id(#[serde(with = \"..\")] ..)` with `#[derive(MongoEmbed)]`, here and in `{target}`\n\
         note: ids in different forms never compare equal, so a join would silently find nothing";
        target
    );
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
    let what = say!("`{owner}` refers to `{target}` by `{key}`, "; owner, target, key);
    let text = if N == HIDDEN {
        say!(
            what => "which is less visible than its model [REFS_KEY_TYPE]\n\
             help: give the field the visibility of its model\n\
             note: the reference's type would name a type that may be private to the target's module"
        )
    } else if M::WITH {
        say!(
            what => "which is stored through a `#[serde(with = ..)]` [REFS_KEY_TYPE]\n\
             help: refer by a field that is stored as its type says\n\
             note: what a reference holds is compared with what is stored"
        )
    } else if !<M::Type as Value>::COMPARED_IN_LISTS {
        say!(
            what => "{pattern} [REFS_KEY_TYPE]\n\
             help: refer by a field of a narrower type: `String`, an integer, `bson::Uuid`{matched}";
            pattern = PATTERN, matched = MATCHED
        )
    } else if !matches!(<M::Type as Value>::CARD, Cardinality::One) {
        say!(
            what => "which holds many values [REFS_KEY_TYPE]\n\
             help: refer by a field that holds one\n\
             note: a reference leads to the one document that has the key"
        )
    } else {
        let found = slot(unique, key);
        if found != MISSING && (found != HIDDEN || !<M::Type as Value>::NULLABLE) {
            return;
        }
        say!(
            what => "which has no unique index over all documents [REFS_KEY_UNIQUE]\n\
             help: add `#[index(unique)]` to `{target}::{key}`\n\
             note: without it a join scans the collection, and a key may lead to several documents";
            target, key
        )
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
    let mut text = say!(
        "both the keys and the values of `{owner}` may be references to `{target}` [REFS_MAP]\n\
         help: values that are no references can be embedded documents: `struct Note {{ text: String }}` with `#[derive(MongoEmbed)]`";
        owner, target
    );
    if what.is_empty() {
        text = say!(
            text => "\n\
             help: or give the `_id` of `{target}` a type of its own: `Id<{target}, String>`";
            target
        );
    }
    text = say!(
        text => "\n\
         note: a map holds its references in its keys or in its values, not both"
    );
    panic!("{}", text.as_str());
}

#[track_caller]
const fn no_keys(owner: &'static str, ty: &'static str, target: &'static str, key: &'static str) {
    refuse!(
        "`{owner}` of type `{ty}` holds values of `{target}::{key}` neither in its keys nor in its values [REFS_KEY_TYPE]\n\
         help: use the type of `{target}::{key}`\n\
         note: values of different types never compare equal, so a join would silently find nothing";
        owner, ty, target, key
    );
}

/// A map behind an alias does not show where its ids are.
#[track_caller]
pub(super) const fn hidden_map(owner: &'static str) {
    refuse!(
        "`{owner}` is a map behind an alias, which does not show where its ids are [REFS_MAP]\n\
         help: write the map's own type in the field: `BTreeMap<.., ..>`\n\
         note: a map holds its references in its keys or in its values";
        owner
    );
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
    let mut text = say!(
        "`{owner}` is always there, but `on_delete = pull` on `{holder}::{field}` would remove it [PARENT_PULL]";
        owner, holder, field
    );
    if !row.name.is_empty() {
        text = say!(
            text => "\n\
             help: make it optional: `Option<{name}>`";
            name = shape.name
        );
    }
    text = say!(
        text => "\n\
         help: or give `{holder}::{field}` another rule: `on_delete = deny`, `cascade` or `keep`\n\
         note: `pull` removes the element of an array, the entry of a map or the optional document that holds the reference";
        holder, field
    );
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
    refuse!(
        "`{owner}` is an array of fixed length, but `on_delete = pull` on `{holder}::{field}` would remove an element [PARENT_PULL]\n\
         help: an array that may be shorter: `Vec<{name}>` with `#[embed(max = ..)]`\n\
         help: or give `{holder}::{field}` another rule: `on_delete = deny`, `cascade` or `keep`\n\
         note: a document whose array has another length cannot be read";
        owner, holder, field, name = shape.name
    );
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
    refuse!(
        "`{owner}` is a map of embedded documents with a `checked` reference [REFS_MAP]\n\
         help: an array of them: `Vec<..>` with `#[embed(max = ..)]`\n\
         note: a reference under a map's keys, which are data, cannot be found by id when its target goes";
        owner
    );
}

/// Many references stand in an array.
#[track_caller]
pub(super) const fn refs_field_type(owner: &'static str) {
    refuse!(
        "`#[refs(..)]` on `{owner}` needs an array of ids, but its type holds one value [REFS_FIELD_TYPE]\n\
         help: one reference: `#[parent(..)]`\n\
         note: an array of references is for one-to-many (rule of thumb 3)";
        owner
    );
}

/// A single reference stands alone.
#[track_caller]
pub(super) const fn parent_field_type(owner: &'static str) {
    refuse!(
        "`#[parent(..)]` on `{owner}` needs one id, but its type holds many values [PARENT_FIELD_TYPE]\n\
         help: many references: `#[refs(..)]`";
        owner
    );
}
