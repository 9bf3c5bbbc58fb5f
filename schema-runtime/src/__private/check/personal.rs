//! Rules for fields that are about a person.

use crate::__private::text::refuse;
use crate::schema::lookup::{HasField, same};
use crate::schema::person::{
    Inside, Person, Wanted, are_persons, find, follows_others, is_personal_at,
};
use crate::schema::rows::FieldRow;

/// The reference of a personal field leads to a person.
pub const fn person<M: Person>() {}

/// A copy that does not certainly follow its source is no copy of a personal field, at any number of steps. `way` says what the copy is,
/// `fields` are those of the source, and `path` the Rust names of the steps to the copied one.
#[track_caller]
pub const fn follows_person<M: HasField<N>, const N: usize>(
    owner: &'static str,
    (source, fields): (&'static str, &'static [FieldRow]),
    (field, path): (&'static str, &[&'static str]),
    way: &'static str,
) {
    let steps = [M::ORIGIN_1, M::ORIGIN_2, M::ORIGIN_3, M::ORIGIN_4];
    let (mut is_personal, mut n) = (is_personal_at(fields, path), 0);
    while n < steps.len() {
        if let Some(origin) = steps[n] {
            is_personal |= origin.personal;
        }
        n += 1;
    }
    if !is_personal {
        return;
    }
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is personal, and {way} [PERSONAL_COPY]\n\
         help: a copy that follows: remove the option\n\
         help: a copy that stays, in a field of its own beside the reference: `#[personal(of = .., keep_for = \"7y\", reason = \"tax\")]`\n\
         note: an erase changes the source, and only copies that follow it change with it";
        owner, source, field, way
    );
}

/// The model that holds an embedded document, as the checks of what is personal in it see it.
#[derive(Clone, Copy)]
pub struct Holder {
    /// The name of the model.
    pub model: &'static str,
    /// All fields of the model.
    pub fields: &'static [FieldRow],
    /// The reason why no erase changes the field that holds the embedded document; empty where there is none.
    pub fixed: &'static str,
    /// True if a history of the model keeps what the field was before.
    pub recorded: bool,
}

/// An erase finds and changes the personal fields inside of a field of a model, and no history keeps them.
#[track_caller]
pub const fn personal_inside(row: &FieldRow, owner: &'static str, holder: Holder) {
    // A personal field is erased with everything inside of it, and the rules about it are those about the whole.
    if let Some(inside) = find(row, Wanted::Any, false) {
        if !holder.fixed.is_empty() {
            unreachable_inside(
                owner,
                inside,
                holder.fixed,
                "mark no field of the embedded document, or hold it in a field that updates set",
            );
        }
        if holder.recorded && row.personal.is_none() {
            recorded_inside(owner, inside);
        }
    }
    if let Some(inside) = find(row, Wanted::Unreachable, false) {
        unreachable_inside(
            owner,
            inside,
            "it is inside of a map, of an array of arrays or of an embedded enum",
            "`#[personal]` on the field that holds it: it is erased as a whole",
        );
    }
    if let Some(inside) = find(row, Wanted::Own, false)
        && !are_persons(holder.fields)
    {
        nobody_inside(owner, inside, holder.model);
    }
}

/// The same for the fields of one variant of a model that is an enum.
#[track_caller]
pub const fn personal_in_variant(variant: &[FieldRow], owner: &'static str, holder: Holder) {
    let mut n = 0;
    while n < variant.len() {
        personal_inside(&variant[n], owner, holder);
        if let Some(personal) = variant[n].personal
            && let Some(of) = personal.of
            && is_named(holder.fields, variant[n].rust)
            && !is_named(holder.fields, of)
        {
            refuse!(
                "all variants of `{model}` have `{rust}`, which is personal, and not all have `{of}` [PERSONAL_FIELD]\n\
                 help: store one of the fields under another name: `#[serde(rename = \"..\")]`\n\
                 note: they stand in one collection: an erase finds such a field by one reference";
                model = holder.model, rust = variant[n].rust, of
            );
        }
        n += 1;
    }
}

/// No event has a personal field.
#[track_caller]
pub const fn personal_in_events(fields: &[FieldRow], event: &'static str, model: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        let inside = match row.personal {
            Some(_) => Some(Inside {
                shape: event,
                field: row.rust,
            }),
            None => find(row, Wanted::Any, false),
        };
        if let Some(Inside { shape, field }) = inside {
            refuse!(
                "`{shape}::{field}` is personal in the events of `{model}`, where no erase changes it [PERSONAL_FIELD]\n\
                 help: put the `_id` of the person into the event\n\
                 note: events stay in their log as they were emitted, for readers that may go through them again";
                shape, field, model
            );
        }
        n += 1;
    }
}

/// True if one of the rows has this Rust name.
const fn is_named(fields: &[FieldRow], rust: &str) -> bool {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].rust, rust) {
            return true;
        }
        n += 1;
    }
    false
}

/// The erased values of a personal field are distinct, if the field is inside of an embedded document and a key of a unique index. `path` has
/// the Rust names of the steps to it; `leaves_out` says that the index has no documents without the field.
#[track_caller]
pub const fn unique_inside(
    fields: &[FieldRow],
    path: &[&str],
    owner: &'static str,
    leaves_out: bool,
) {
    let [step, rest @ ..] = path else { return };
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        n += 1;
        if !same(row.rust, step) || follows_others(row) {
            continue;
        }
        match (rest, row.personal, row.shape) {
            // The rules about the field itself are about what is inside.
            ([], Some(personal), _) if personal.kept.is_none() => {
                let is_distinct = match personal.erased {
                    Some(text) => has_id(text),
                    None => leaves_out,
                };
                if !is_distinct {
                    same_inside(owner);
                }
            }
            ([_, ..], None, Some(shape)) => unique_inside(shape.fields, rest, owner, leaves_out),
            _ => {}
        }
    }
}

/// True if the text has `{id}`.
const fn has_id(text: &str) -> bool {
    let (text, mut n) = (text.as_bytes(), 0);
    while n + 4 <= text.len() {
        if text[n] == b'{' && text[n + 1] == b'i' && text[n + 2] == b'd' && text[n + 3] == b'}' {
            return true;
        }
        n += 1;
    }
    false
}

#[track_caller]
const fn same_inside(owner: &'static str) {
    refuse!(
        "`{owner}` is a key of a unique index, and has the same value in all erased documents [PERSONAL_FIELD]\n\
         help: a text with the `_id` of the person: `#[personal(erased = \"gone-{{id}}\")]`\n\
         help: an `Option` under an index that is `sparse`, of this key alone, or `partial`\n\
         note: the second erase would be refused as a duplicate";
        owner
    );
}

#[track_caller]
const fn unreachable_inside(
    owner: &'static str,
    inside: Inside,
    why: &'static str,
    help: &'static str,
) {
    refuse!(
        "`{shape}::{field}` is personal in `{owner}`, where no erase changes it: {why} [PERSONAL_FIELD]\n\
         help: {help}\n\
         note: an erase sets the field at its path, in the documents and elements that are about the person";
        shape = inside.shape, field = inside.field, owner, why, help
    );
}

#[track_caller]
const fn nobody_inside(owner: &'static str, inside: Inside, model: &'static str) {
    refuse!(
        "`{shape}::{field}` is personal in `{owner}`, and `{model}` is no person [PERSONAL_FIELD]\n\
         help: if the documents are about another person: `#[personal(of = ..)]` on `{owner}`, which is then erased as a whole\n\
         help: if they are persons: `#[personal]` on a field of `{model}` itself\n\
         note: without `of` a value is about the person whose document it is in";
        shape = inside.shape, field = inside.field, owner, model
    );
}

#[track_caller]
const fn recorded_inside(owner: &'static str, inside: Inside) {
    refuse!(
        "`{shape}::{field}` is personal in `{owner}`, and the history would keep its values [HISTORY_PERSONAL]\n\
         help: leave `{owner}` out: name it in `history(skip(..))`, or not in `history(fields(..))`\n\
         note: an erase cannot change a log";
        shape = inside.shape, field = inside.field, owner
    );
}
