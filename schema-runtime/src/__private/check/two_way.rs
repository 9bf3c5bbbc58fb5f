//! Rules 4.B on two-way references: that each side names the other.

use crate::__private::text::{Text, refuse, say};
use crate::schema::lookup::{MISSING, Referring, same, slot};

/// A side of a two-way reference, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// `Person::tasks`
    pub owner: &'static str,
    /// `Person`
    pub model: &'static str,
    /// See [`Lookup::PLACE`](crate::schema::lookup::Lookup::PLACE).
    pub place: &'static str,
    /// `tasks`
    pub field: &'static str,
    /// True for an array of references, false for a single one.
    pub many: bool,
    /// The references in the fields of the model.
    pub references: Option<&'static [Referring]>,
    /// True if a delete on one of the two sides only marks a document.
    pub soft_delete: bool,
}

/// The reference in the field `name`.
const fn find(references: &[Referring], name: &str) -> Option<Referring> {
    let mut n = 0;
    while n < references.len() {
        if same(references[n].field, name) {
            return Some(references[n]);
        }
        n += 1;
    }
    None
}

/// The field `inverse` of the model `target` refers back. `fields` are the names of all fields of the target, `place` is its place.
#[track_caller]
pub const fn inverse(
    side: Side,
    target: &'static str,
    place: &'static str,
    inverse: &'static str,
    references: Option<&'static [Referring]>,
    fields: &[&str],
) {
    // Skip a target that is no model, or has mistakes itself: another check reports it.
    let Some(references) = references else { return };
    let Some(other) = find(references, inverse) else {
        no_reference(side, target, inverse, references, fields);
    };
    if !same(other.to, side.place) {
        let text = say!(
            says(side, target, inverse) => "` refers to another model [REFS_TWO_WAY_MISMATCH]\n\
             help: name the field of `{target}` that refers to `{model}`";
            target, model = side.model
        );
        panic!("{}", noted(text).as_str());
    }
    match other.inverse {
        Some(back) if same(back, side.field) => {
            let own = match side.references {
                Some(references) => find(references, side.field),
                None => None,
            };
            if let Some(Referring {
                entries: true,
                many: true,
                ..
            }) = own
                && (!other.many || other.entries && !after(side, place, inverse))
            {
                no_list_of_ids(side, target, inverse, other);
            }
            if side.soft_delete && side.many && other.many && !after(side, place, inverse) {
                two_arrays(side, target, inverse);
            }
            // Both sides find this error: only one reports it.
            if !other.many && !side.many && !after(side, place, inverse) {
                two_single(side, target, inverse);
            }
        }
        // If the field that the other side names is missing, or names another, the check of the other side reports that.
        Some(back) if !names(side.references, back, inverse) => {}
        _ => {
            let attribute = if other.many { "refs(" } else { "parent(" };
            let text = say!(
                says(side, target, inverse) => "` does not say `inverse = {field}` [REFS_TWO_WAY_MISMATCH]\n\
                 help: `#[{attribute}{model}, inverse = {field})]` on `{target}::{inverse}`";
                field = side.field, attribute, model = side.model, target, inverse
            );
            panic!("{}", noted(text).as_str());
        }
    }
}

/// With an array on both sides, only one would lose a document that is marked as deleted: the other is the truth, and keeps it.
#[track_caller]
const fn two_arrays(side: Side, target: &'static str, inverse: &'static str) -> ! {
    refuse!(
        "`{owner}` and `{target}::{inverse}` are arrays of each other, and a delete on one of the two sides only marks a document [SOFT_DELETE_WITH]\n\
         help: remove `inverse` on both: the loader `by_..` of either finds what refers to a document\n\
         help: or remove `soft_delete`\n\
         note: only one of the two arrays would lose a document that is marked as deleted";
        owner = side.owner, target, inverse
    );
}

/// True if the field `name` declares this `inverse`.
const fn names(references: Option<&[Referring]>, name: &str, inverse: &str) -> bool {
    match references {
        Some(references) => match find(references, name) {
            Some(Referring {
                inverse: Some(other),
                ..
            }) => same(other, inverse),
            _ => false,
        },
        None => false,
    }
}

/// True if this side comes after the field `field` of the model at `place`.
const fn after(side: Side, place: &str, field: &str) -> bool {
    if same(side.place, place) {
        less(field, side.field)
    } else {
        less(place, side.place)
    }
}

const fn less(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() {
        if a[n] != b[n] {
            return a[n] < b[n];
        }
        n += 1;
    }
    a.len() < b.len()
}

/// `` `Person::tasks` says `inverse = owner`, but `Task::owner ``
const fn says(side: Side, target: &'static str, inverse: &'static str) -> Text<1024> {
    say!(
        "`{owner}` says `inverse = {inverse}`, but `{target}::{inverse}";
        owner = side.owner, inverse, target
    )
}

const fn noted(text: Text<1024>) -> Text<1024> {
    say!(
        text => "\n\
         note: each side of a two-way reference names the other, so that a change of one is one of both"
    )
}

#[track_caller]
const fn no_reference(
    side: Side,
    target: &'static str,
    inverse: &'static str,
    references: &[Referring],
    fields: &[&str],
) -> ! {
    let mut text = says(side, target, inverse).push_str("` ");
    if slot(fields, inverse) == MISSING {
        text = text.push_str("is no field [REFS_TWO_WAY_MISMATCH]");
    } else {
        text = text.push_str("is no reference [REFS_TWO_WAY_MISMATCH]");
    }
    let mut found = 0;
    let mut n = 0;
    while n < references.len() {
        if same(references[n].to, side.place) {
            text = say!(
                text => "\n\
                 help: `{target}` refers to `{model}` by `{field}`";
                target, model = side.model, field = references[n].field
            );
            found += 1;
        }
        n += 1;
    }
    if found == 0 {
        text = say!(
            text => "\n\
             help: `#[parent({model}, inverse = {field})] {inverse}: Id<{model}>` in `{target}`";
            model = side.model, field = side.field, inverse, target
        );
    }
    panic!("{}", noted(text).as_str());
}

#[track_caller]
const fn two_single(side: Side, target: &'static str, inverse: &'static str) {
    refuse!(
        "`{owner}` and `{target}::{inverse}` are one reference each, and name each other as `inverse` [REFS_TWO_WAY_MISMATCH]\n\
         help: keep one of them; `by_{inverse}` leads the other way\n\
         note: a two-way reference has an array (`refs`) on one side at least";
        owner = side.owner, target, inverse
    );
}

/// Entries are the truth, so their other side is a list of ids that follows them.
#[track_caller]
const fn no_list_of_ids(
    side: Side,
    target: &'static str,
    inverse: &'static str,
    other: Referring,
) -> ! {
    let mut text = say!(
        "`{owner}` holds entries, but `{target}::{inverse}";
        owner = side.owner, target, inverse
    );
    text = match other.many {
        true => text.push_str("` holds entries too [REFS_MEMBERS]"),
        false => text.push_str("` is one reference [REFS_MEMBERS]"),
    };
    refuse!(
        text => "\n\
         help: ids alone in `{owner}`, or `#[refs({model}, inverse = {field}, max = ..)] {inverse}: Vec<Id<{model}>>` in `{target}`\n\
         note: one side holds the entries, the other a list of ids that follows them";
        owner = side.owner, model = side.model, field = side.field, inverse, target
    );
}

/// True if the other side may add an id to the array: it cannot add an entry, which holds more than an id.
#[must_use]
pub const fn addable(references: Option<&[Referring]>, inverse: &str) -> bool {
    match references {
        Some(references) => match find(references, inverse) {
            Some(other) => !other.members,
            None => true,
        },
        None => true,
    }
}

/// Implemented for `true` alone: see [`addable`].
#[diagnostic::on_unimplemented(
    message = "an id alone cannot be added: the other side of this array holds entries with fields of their own [REFS_MEMBERS]",
    label = "no membership",
    note = "add the entry on the other side: `add_<element>(&db, id, entry)` of its model; this array follows"
)]
pub trait Added<const ADDABLE: bool> {}
impl<T> Added<true> for T {}

/// True if an element of the array can be removed without a replacement: the reference back is an array, or one reference
/// that may be absent.
#[must_use]
pub const fn removable(references: Option<&[Referring]>, inverse: &str) -> bool {
    match references {
        Some(references) => match find(references, inverse) {
            Some(other) => other.many || other.optional,
            None => true,
        },
        None => true,
    }
}

/// True if several elements of the array may change at once: the reference back is an array too.
#[must_use]
pub const fn replaceable(references: Option<&[Referring]>, inverse: &str) -> bool {
    match references {
        Some(references) => match find(references, inverse) {
            Some(other) => other.many,
            None => true,
        },
        None => true,
    }
}

/// Implemented for `true` alone: see [`removable`].
#[diagnostic::on_unimplemented(
    message = "what refers back must be there: it cannot be taken out of this array",
    label = "would be left without its reference",
    note = "give it another with `reassign_<field>` of its model, or make the `parent` field there an `Option`"
)]
pub trait Removed<const REMOVABLE: bool> {}
impl<T> Removed<true> for T {}

/// Implemented for `true` alone: see [`replaceable`].
#[diagnostic::on_unimplemented(
    message = "several elements of this array cannot change at once: what refers back is one reference of each document",
    label = "the other side of a `parent`",
    note = "add and remove one at a time (`add_<element>`, `remove_<element>`), or change the `parent` field of each with `reassign_<field>` of its model"
)]
pub trait Replaced<const REPLACEABLE: bool> {}
impl<T> Replaced<true> for T {}
