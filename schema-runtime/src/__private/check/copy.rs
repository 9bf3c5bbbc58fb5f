//! Rules 4.D: the requirements of a copy on its source.

use super::allow;
use crate::__private::text::{refuse, say};
use crate::schema::lookup::{HIDDEN, HasField, MISSING, Origin, same};
use crate::schema::rows::{FieldRow, Kind};
use crate::schema::value::Value;

/// A copied field: `owner` is `Product::parts`, `source` is `Part`, `field` the copied field, `N` its slot. `place` is the place of the
/// model of the copy, empty where the copy follows nothing; `own` is the copy's name.
#[track_caller]
pub const fn copied<M: HasField<N>, const N: usize>(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    place: &'static str,
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
    if M::VERSION {
        version_of(owner, source, field);
    }
    if M::UPDATED {
        updated(owner, source, field);
    }
    if !M::WRITES.is_empty() && allowed & allow::HOT == 0 {
        written(owner, source, field, M::WRITES);
    }
    if M::VOLATILE && allowed & allow::HOT == 0 {
        hot(owner, source, field);
    }
    if M::DERIVED {
        derived(owner, source, field);
    }
    if <M::Type as Value>::HOLDS_COPIES {
        entries(owner, source, field);
    }
    let steps = [M::ORIGIN_1, M::ORIGIN_2, M::ORIGIN_3, M::ORIGIN_4];
    let mut n = 0;
    while n < steps.len() {
        if let Some(origin) = steps[n]
            && !place.is_empty()
            && same(origin.place, place)
            && same(origin.field, own)
        {
            cycle(owner, source, field, &steps, n);
        }
        n += 1;
    }
}

/// A step on the way to a field inside an embedded document, which is copied or that a number depends on.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The fields among which the step is.
    pub fields: &'static [FieldRow],
    /// The Rust name of the step.
    pub step: &'static str,
    /// True if fields inside the step can be copied one by one. If not, the handles report a copy.
    pub nested: bool,
    /// True if the step may be absent, and the copy may not.
    pub absent: bool,
}

impl Step {
    /// The row of the step; `None` if there is none.
    const fn row(&self) -> Option<&'static FieldRow> {
        let mut n = 0;
        while n < self.fields.len() {
            if same(self.fields[n].rust, self.step) {
                return Some(&self.fields[n]);
            }
            n += 1;
        }
        None
    }

    /// True if the type of the step shows the form in which it is stored.
    pub(super) const fn is_known(&self) -> bool {
        match self.row() {
            Some(row) => row.facts.known,
            None => false,
        }
    }
}

/// A step of the path to a copied field is one embedded document. `names` are `Product::maker`, `Part`, the path to the step and the
/// path to the field.
#[track_caller]
pub const fn embedded<M: HasField<N>, const N: usize>(
    step: Step,
    names: [&'static str; 4],
    allowed: u32,
) {
    let [owner, source, path, field] = names;
    if N == HIDDEN {
        hidden(owner, source, path);
    }
    if !M::WRITES.is_empty() && allowed & allow::HOT == 0 {
        written(owner, source, path, M::WRITES);
    }
    if M::VOLATILE && allowed & allow::HOT == 0 {
        hot(owner, source, path);
    }
    let Some(row) = step.row() else { return };
    if !step.nested {
        return;
    }
    match row.kind {
        Kind::Array => several(owner, source, path, field, "an array"),
        Kind::Map => several(owner, source, path, field, "a map"),
        _ if !row.facts.known => opaque(owner, source, path, field),
        _ if step.absent => absent(owner, source, path, field),
        _ => {}
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
    refuse!(
        "`{owner}` and its source `{source}::{field}` are stored in different forms: one has `#[serde(with = ..)]` and the other has not [DENORM_TYPE]\n\
         help: put the same `#[serde(with = ..)]` on both\n\
         note: a copy is written as its source stores it";
        owner, source, field
    );
}

/// A plain copy that declares a bound (`what` is `max_len` or `max`) holds all that its source may.
#[track_caller]
pub const fn as_long<M: HasField<N>, const N: usize>(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    what: &'static str,
    own: u64,
) {
    let length = same(what, "max_len");
    let of_source = if length { M::MAX_LEN } else { M::MAX };
    // Skip a field that is missing, hidden or must not be copied: another check reports it.
    if N == HIDDEN || N == MISSING || M::DERIVED || (of_source > 0 && own >= of_source) {
        return;
    }
    let text = say!(
        "`{owner}` holds at most {own}{joint}{source}::{field}";
        owner, own: Number, joint = if length {
            ", and `"
        } else {
            " elements, and `"
        }, source, field
    );
    let text = if of_source > 0 {
        say!(text => "` up to {of_source}"; of_source: Number)
    } else {
        text.push_str("` has no bound")
    };
    refuse!(
        text => " [DENORM_LEN]\n\
         help: remove `{what}{place}\n\
         note: a copy follows its source, whatever that holds";
        what, place = if of_source > 0 {
            " = ..` here: a copy has that of its source"
        } else {
            " = ..` here, and put it on the source: its copies have it too"
        }
    );
}

/// The relations between the types of a plain copy, of its source field and of the reference beside it.
#[derive(Debug, Clone, Copy)]
pub struct CopyTypes {
    /// The copy has the source's type.
    pub same: bool,
    /// The copy is an `Option` of the source's type.
    pub option_of_source: bool,
    /// The source is an `Option` of the copy's type.
    pub source_is_option_of_it: bool,
    /// The source is an `Option`.
    pub source_is_option: bool,
    /// The reference is an `Option`.
    pub beside_option: bool,
    /// The document that the source field is inside, as `User::profile`, where it is an `Option`; else empty.
    pub through: &'static str,
    /// A document without the copy cannot be read.
    pub unread: bool,
}

/// A plain copy has the type of its source; beside a reference, or from inside a document, that may be absent it is an `Option`.
/// `written` is the copy's type, `inner` what its `Option` holds if it is written as one, `beside` the reference.
#[track_caller]
pub const fn copy_type<M: HasField<N>, const N: usize>(
    types: CopyTypes,
    owner: &'static str,
    written: &'static str,
    inner: &'static str,
    source: &'static str,
    field: &'static str,
    beside: &'static str,
) {
    // Skip a field that is missing or hidden: another check reports it.
    if N == HIDDEN || N == MISSING {
        return;
    }
    let through = !types.through.is_empty();
    let may_lack = if types.beside_option {
        beside
    } else {
        types.through
    };
    let absent = types.beside_option || through;
    let optional = absent && !types.source_is_option;
    let right = if optional {
        types.option_of_source
    } else {
        types.same
    };
    let text = say!("`{owner}` is `{written}"; owner, written);
    if right {
        if absent && types.unread {
            refuse!(
                text => "` with a `#[serde(with = ..)]`, and cannot be read where it is absent: without `{may_lack}` there is no copy [DENORM_TYPE]\n\
                 help: add `#[serde(default)]`\n\
                 note: serde takes an absent `Option` as `None` only where it reads it in its own way";
                may_lack
            );
        }
        return;
    }
    let text = if optional && types.same {
        say!(
            text => "`, but `{may_lack}{cause}{written}>`";
            may_lack, cause = if types.beside_option {
                "` beside it may be absent, and then there is no copy [DENORM_TYPE]\nhelp: `Option<"
            } else {
                "` may be absent, and then there is no copy [DENORM_TYPE]\nhelp: `Option<"
            }, written
        )
    } else if types.source_is_option_of_it {
        say!(
            text => "`, but its source `{source}::{field}` is an `Option` [DENORM_TYPE]\n\
             help: `Option<{written}>`";
            source, field, written
        )
    } else if types.option_of_source && !inner.is_empty() {
        let text = say!(text => "`, but its source `{source}::{field}`"; source, field);
        let text = if types.source_is_option {
            text.push_str(" is an `Option` already")
        } else {
            say!(text => " is no `Option`, and `{beside}` beside it is always there"; beside)
        };
        say!(
            text => " [DENORM_TYPE]\n\
             help: `{inner}`";
            inner
        )
    } else {
        say!(
            text => "`, which is not the type of its source `{source}::{field}` [DENORM_TYPE]\n\
             help: give it {what} of `{source}::{field}`";
            source, field,
            what = if optional { "an `Option<..>` of the type" } else { "the type" }
        )
    };
    let note = if optional && !types.beside_option {
        "a copy from inside an optional document is an `Option` of its source's type: a source without that document has nothing to copy"
    } else if optional {
        "a copy beside an optional reference is an `Option` of its source's type: a document without the reference has no copy"
    } else {
        "a copy has exactly the type of its source field, `Option` included"
    };
    refuse!(text => "\nnote: {note}"; note);
}

#[track_caller]
const fn written(owner: &str, source: &str, field: &str, writes: &str) -> ! {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is written {writes} times per read [DENORM_HOT]\n\
         help: remove the copy, and load the source where it is needed\n\
         help: to keep it: `#[model(allow(denorm_hot, reason = \"..\"))]`\n\
         note: copy fields that are read at least ten times as often as they are updated (rule of thumb 5): each write is repeated in every copy";
        owner, source, field, writes
    );
}

#[track_caller]
const fn hot(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is marked `#[volatile]` [DENORM_HOT]\n\
         help: remove the copy, and load the source where it is needed\n\
         help: to keep it: `#[model(allow(denorm_hot, reason = \"..\"))]`\n\
         note: copy fields that are mostly read and seldom updated (rule of thumb 5): the name, not the quantity on hand";
        owner, source, field
    );
}

#[track_caller]
const fn version_of(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is the version [CAS_VERSION]\n\
         help: remove the copy, and load the source where it is needed\n\
         note: every write of the source adds 1 to its version: a copy would be written as often";
        owner, source, field
    );
}

#[track_caller]
const fn updated(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is the time of the last write [STAMP_DATE]\n\
         help: remove the copy, and load the source where it is needed\n\
         note: every write of the source sets it: a copy would be written as often";
        owner, source, field
    );
}

#[track_caller]
const fn id(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is the `_id` [DENORM_ID]\n\
         help: use the reference itself\n\
         note: an `_id` never changes: a copy of it is a reference";
        owner, source, field
    );
}

#[track_caller]
const fn hidden(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which is less visible than its model [DENORM_FIELD]\n\
         help: give the field the visibility of its model\n\
         note: the copy's type would name a type that may be private to the source's module";
        owner, source, field
    );
}

#[track_caller]
const fn several(owner: &str, source: &str, path: &str, field: &str, what: &str) -> ! {
    refuse!(
        "`{owner}` copies `{source}::{field}`, but `{source}::{path}` is {what} [DENORM_FIELD]\n\
         help: copy `{path}` as a whole, or load the source where it is needed\n\
         note: a copy is one value: there is none among several that it could follow";
        owner, source, field, what, path
    );
}

#[track_caller]
const fn opaque(owner: &str, source: &str, path: &str, field: &str) -> ! {
    refuse!(
        "`{owner}` copies `{source}::{field}`, but `{source}::{path}` is stored in a form that its type does not show [DENORM_FIELD]\n\
         help: copy `{path}` as a whole\n\
         note: where a field is inside an `opaque` document, or one with a `#[serde(with = ..)]`, is not known";
        owner, source, field, path
    );
}

#[track_caller]
const fn absent(owner: &str, source: &str, path: &str, field: &str) -> ! {
    refuse!(
        "`{owner}` copies `{source}::{field}`, but `{source}::{path}` may be absent, and then the entry has no copy [DENORM_TYPE]\n\
         help: `#[denorm(from = {source}, field = {field}, default)]`\n\
         note: with `default` an entry without the copy is read as one with the `Default` of its type";
        owner, source, field, path
    );
}

#[track_caller]
const fn entries(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which holds copies itself [DENORM_ENTRIES]\n\
         help: copy from the model that those copies come from\n\
         note: a copy of entries would have to be kept right in two steps at once";
        owner, source, field
    );
}

#[track_caller]
const fn derived(owner: &'static str, source: &'static str, field: &'static str) {
    refuse!(
        "`{owner}` copies `{source}::{field}`, which follows from other documents [DENORM_DERIVED]\n\
         help: load the source where it is needed\n\
         note: a list or number of children, and an array that a two-way reference keeps, change without a write of their own document";
        owner, source, field
    );
}

/// The source of the copy is, by way of the first `between` of `steps`, a copy of this copy.
#[track_caller]
const fn cycle(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    steps: &[Option<Origin>],
    between: usize,
) {
    let mut text = say!("`{owner}` copies `{source}::{field}"; owner, source, field);
    let mut n = 0;
    while n < between {
        if let Some(origin) = steps[n] {
            text = say!(
                text => "`, which copies `{model}::{field}";
                model = origin.model, field = origin.field
            );
        }
        n += 1;
    }
    refuse!(
        text => "`, which is a copy of it [DENORM_CYCLE]\n\
         help: keep one of them as the origin\n\
         note: a change would go round in a cycle forever"
    );
}
