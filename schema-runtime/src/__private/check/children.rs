//! Rules 4.A and 4.D on the data about its children that a parent keeps: `#[recent(..)]` and `#[count(..)]`.

use super::allow;
use crate::__private::text::{Text, refuse, say};
use crate::schema::lookup::{HIDDEN, HasField, MISSING, Referring, same};
use crate::schema::rows::FieldRow;
use crate::schema::value::{Cardinality, Value};

/// A field that says something about children, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// `Host::messages`
    pub owner: &'static str,
    /// `Host`
    pub model: &'static str,
    /// A name for a field that refers to the model: `host`.
    pub lower: &'static str,
    /// See [`Lookup::PLACE`](crate::schema::lookup::Lookup::PLACE).
    pub place: &'static str,
    /// `LogMsg`
    pub child: &'static str,
    /// `counts` or `lists`
    pub verb: &'static str,
}

impl About {
    const fn says(self) -> Text<1024> {
        say!(
            "`{owner}` {verb} `{child}";
            owner = self.owner, verb = self.verb, child = self.child
        )
    }
}

/// The children are documents of a model, of which one field refers to this one: the field `via`, where that is not empty.
#[track_caller]
pub const fn children(
    about: About,
    is_model: bool,
    references: Option<&'static [Referring]>,
    via: &'static str,
) {
    if !is_model {
        refuse!(
            about.says() => "`, which is not a model [CHILD_PARENT]\n\
             help: add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{child}`\n\
             note: children are documents in a collection of their own that refer to this one";
            child = about.child
        );
    }
    let Some(references) = references else { return };
    let mut found = 0;
    let mut first = None;
    let mut chosen = None;
    let mut n = 0;
    while n < references.len() {
        let reference = references[n];
        if same(reference.to, about.place) && !reference.many {
            if found == 0 {
                first = Some(reference);
            }
            if same(reference.field, via) {
                chosen = Some(reference);
            }
            found += 1;
        }
        n += 1;
    }
    if !via.is_empty() {
        match chosen {
            Some(reference) => by_id(about, reference),
            None => unknown(about, references, found, via),
        }
        return;
    }
    match first {
        None => none(about),
        Some(reference) if found == 1 => by_id(about, reference),
        Some(reference) => several(about, references, reference.field),
    }
}

#[track_caller]
const fn by_id(about: About, reference: Referring) {
    if !reference.by_key {
        return;
    }
    refuse!(
        about.says() => "` documents, but `{child}::{field}` refers to `{model}` by another field than its `_id` [CHILD_PARENT]\n\
         help: refer by the `_id`: `#[parent({model})] {field}: Id<{model}>`\n\
         note: what follows from children is found and written by the `_id`, which never changes";
        child = about.child, field = reference.field, model = about.model
    );
}

#[track_caller]
const fn none(about: About) {
    refuse!(
        add(about, say!(
        about.says() => "` documents, but no `parent` field of `{child}` refers to `{model}` [CHILD_PARENT]";
        child = about.child, model = about.model
    ), about.lower) => "\n\
         note: the children of a document are those whose `parent` it is; references in arrays or in embedded documents do not count"
    );
}

const fn add(about: About, text: Text<1024>, field: &'static str) -> Text<1024> {
    say!(
        text => "\n\
         help: `#[parent({model})] {field}: Id<{model}>` in `{child}`";
        model = about.model, field, child = about.child
    )
}

/// The parent fields, each in backticks.
const fn parents(about: About, references: &[Referring], mut text: Text<1024>) -> Text<1024> {
    let mut n = 0;
    let mut found = 0;
    while n < references.len() {
        if same(references[n].to, about.place) && !references[n].many {
            if found > 0 {
                text = text.push_str(", ");
            }
            text = say!(text => "`{field}`"; field = references[n].field);
            found += 1;
        }
        n += 1;
    }
    text
}

#[track_caller]
const fn unknown(about: About, references: &[Referring], found: usize, via: &'static str) {
    let text = say!(
        "`via = {via}` on `{owner}` names no `#[parent({model})]` field of `{child}` [CHILD_PARENT]";
        via, owner = about.owner, model = about.model, child = about.child
    );
    let text = if found == 0 {
        add(about, text, via)
    } else {
        parents(
            about,
            references,
            say!(
                text => "\n\
                 help: it has "
            ),
        )
    };
    panic!("{}", text.as_str());
}

#[track_caller]
const fn several(about: About, references: &[Referring], first: &'static str) {
    let text = say!(
        about.says() => "` documents, of which several fields refer to `{model}`: ";
        model = about.model
    );
    refuse!(
        parents(about, references, text) => " [CHILD_PARENT]\n\
         help: say which: `via = {first}`";
        first
    );
}

/// The field that says which children are the last, in slot `N`: `fields` are the names of all.
#[track_caller]
pub const fn sorted<M: HasField<N>, const N: usize>(
    is_model: bool,
    owner: &'static str,
    child: &'static str,
    field: &'static str,
    fields: &[&str],
) where
    M::Type: Value,
{
    let text = say!("`sort = {field}` on `{owner}"; field, owner);
    if M::UPDATED {
        refuse!(
            text => "` is the time of the last write of `{child}` [STAMP_DATE]\n\
             help: sort by a field that changes less often, such as the one with `#[created]`\n\
             note: every write of a child sets it: the list would be written as often";
            child
        );
    }
    // Skip a type that is no model: another check reports it.
    if N == MISSING && is_model {
        let mut text = say!(
            text => "` names no field of `{child}` [RECENT_SORT_FIELD]\n\
             help: ";
            child
        );
        text = match nearest(fields, field) {
            Some(meant) => say!(text => "did you mean `{meant}`?"; meant),
            None => say!(text => "name the field of `{child}` that says which are the last"; child),
        };
        panic!("{}", text.as_str());
    }
    if N != HIDDEN && !matches!(<M::Type as Value>::CARD, Cardinality::One) {
        refuse!(
            text => "` names a field of `{child}` that holds many values [RECENT_SORT_FIELD]\n\
             help: sort by a field that holds one: a date, a number\n\
             note: an array has no one place in an order";
            child
        );
    }
}

/// The name that `written` most likely stands for.
pub(super) const fn nearest<'a>(names: &[&'a str], written: &str) -> Option<&'a str> {
    let mut best = 3;
    let mut found = None;
    let mut n = 0;
    while n < names.len() {
        let name = names[n].as_bytes();
        let distance = distance(name, written.as_bytes());
        if distance < best && distance < name.len() && name[0] != b'!' {
            best = distance;
            found = Some(names[n]);
        }
        n += 1;
    }
    found
}

/// The number of letters to put in, take out or change to turn one word into the other; a large number for long words.
const fn distance(a: &[u8], b: &[u8]) -> usize {
    const LONG: usize = 48;
    if a.len() > LONG || b.len() > LONG {
        return LONG;
    }
    let mut row = [0; LONG + 1];
    let mut n = 0;
    while n <= b.len() {
        row[n] = n;
        n += 1;
    }
    let mut i = 0;
    while i < a.len() {
        let mut corner = row[0];
        row[0] = i + 1;
        let mut j = 0;
        while j < b.len() {
            let changed = corner + (a[i] != b[j]) as usize;
            corner = row[j + 1];
            let other = if row[j] < row[j + 1] {
                row[j]
            } else {
                row[j + 1]
            } + 1;
            row[j + 1] = if changed < other { changed } else { other };
            j += 1;
        }
        i += 1;
    }
    row[b.len()]
}

/// A count of children has the sign and the 64 bits of the server's count.
#[track_caller]
pub const fn count_type(
    right: bool,
    owner: &'static str,
    ty: &'static str,
    child: &'static str,
    verb: &'static str,
) {
    if right {
        return;
    }
    let text = say!(
        "`{owner}` {verb} `{child}` documents in `{ty}` [COUNT_TYPE]\n\
         help: ";
        owner, verb, child, ty
    );
    refuse!(
        text => "`i64`\n\
         note: children are many: their number is counted on the server, with the sign and the 64 bits that it counts in"
    );
}

/// Counted children do not expire. `verb` stands before their name: `counts`. `expires` is true if an index of their model deletes them.
#[track_caller]
pub const fn count_ttl(
    owner: &'static str,
    child: &'static str,
    verb: &'static str,
    expires: bool,
    fields: &[FieldRow],
    allowed: u32,
) {
    if allowed & allow::COUNT_TTL != 0 || !(expires || expiring(fields)) {
        return;
    }
    let text = say!(
        "`{owner}` {verb} `{child}` documents, which an index with `expire_after` deletes [COUNT_TTL]\n\
         help: ";
        owner, verb, child
    );
    let text = match verb.as_bytes() {
        b"counts" => {
            say!(text => "count them when it is asked: `{child}::by_..(..).count()`"; child)
        }
        b"keeps the least of" | b"keeps the greatest of" => {
            say!(text => "find it when it is asked: `{child}::group_by(..)`"; child)
        }
        _ => say!(text => "add them up when it is asked: `{child}::group_by(..)`"; child),
    };
    refuse!(
        text => "\n\
         help: to keep it, for a number of all that ever were: `#[model(allow(count_ttl, reason = \"..\"))]`\n\
         note: the server deletes expired documents by itself: the number does not hear of it"
    );
}

/// True if an index that a field declares, at whatever depth, makes documents expire.
const fn expiring(fields: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        let mut i = 0;
        while i < row.indexes.len() {
            if row.indexes[i].expire_after.is_some() {
                return true;
            }
            i += 1;
        }
        if let Some(shape) = row.shape
            && expiring(shape.fields)
        {
            return true;
        }
        n += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_misspelt_name_is_near() {
        const FIELDS: &[&str] = &["id", "time", "message", "!tame"];
        for (written, meant) in [
            ("tme", Some("time")),
            ("timee", Some("time")),
            ("mesage", Some("message")),
            ("host", None),
            ("x", None),
        ] {
            assert_eq!(nearest(FIELDS, written), meant, "{written}");
        }
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"", b"ab"), 2);
    }
}
