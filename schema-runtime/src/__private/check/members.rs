//! Rule REFS_MEMBERS: the elements of a two-way array that are embedded documents refer to the other side.

use crate::__private::text::{Text, refuse, say};
use crate::schema::lookup::{Referring, same};
use crate::schema::relation::OnDelete;
use crate::schema::rows::FieldRow;

/// An array of memberships, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Members {
    /// `Team::members`
    pub owner: &'static str,
    /// `Member`
    pub element: &'static str,
    /// `User`
    pub target: &'static str,
    /// `user`
    pub lower: &'static str,
    /// See [`Lookup::PLACE`](crate::schema::lookup::Lookup::PLACE), of the target.
    pub place: &'static str,
    /// The field that the option `via` names; empty without one.
    pub via: &'static str,
    /// The delete rule of the array.
    pub on_delete: OnDelete,
    /// The references in the fields of the element.
    pub references: Option<&'static [Referring]>,
    /// The fields of the element.
    pub fields: &'static [FieldRow],
}

impl Members {
    /// True if this field of the element may be the one that names the other side.
    const fn is_meant(&self, row: Referring) -> bool {
        same(row.to, self.place) && !row.many && (self.via.is_empty() || same(self.via, row.field))
    }

    /// The one reference to the target; none if there is none, or more than one.
    const fn reference(&self) -> (usize, Option<Referring>) {
        let Some(references) = self.references else {
            return (0, None);
        };
        let (mut n, mut found, mut first) = (0, 0, None);
        while n < references.len() {
            if self.is_meant(references[n]) {
                if found == 0 {
                    first = Some(references[n]);
                }
                found += 1;
            }
            n += 1;
        }
        (found, first)
    }

    /// The row of a field of the element.
    const fn row(&self, rust: &str) -> Option<&'static FieldRow> {
        let mut n = 0;
        while n < self.fields.len() {
            if same(self.fields[n].rust, rust) {
                return Some(&self.fields[n]);
            }
            n += 1;
        }
        None
    }

    /// The stored name of the id in an element; empty if a mistake is reported.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self.reference() {
            (1, Some(reference)) => match self.row(reference.field) {
                Some(row) => row.name,
                None => "",
            },
            _ => "",
        }
    }

    /// True if the elements are entries, and no ids.
    #[must_use]
    pub const fn are_meant(&self) -> bool {
        !self.id().is_empty()
    }

    /// `` `Team::members` of `Member` ``
    const fn says(&self) -> Text<1024> {
        say!(
            "the elements `{element}` of `{owner}` ";
            element = self.element, owner = self.owner
        )
    }

    /// `` `#[parent(User)] user: Id<User>` ``
    const fn wanted(&self, text: Text<1024>) -> Text<1024> {
        say!(
            text => "`#[parent({target})] {lower}: Id<{target}>`";
            target = self.target, lower = self.lower
        )
    }
}

const NOTE: &str = "\nnote: each entry of a two-way array names one document of the other side, and no two name the same";

/// The elements, which are no ids, are embedded documents with one reference to the target. `is_embedded` is true if they are embedded
/// documents.
#[track_caller]
pub const fn members(all: Members, is_embedded: bool) {
    if !is_embedded {
        no_document(all);
    }
    let (found, reference) = all.reference();
    let Some(reference) = reference else {
        if !all.via.is_empty() {
            no_via(all);
        }
        let text = say!(
            all.says() => "do not refer to `{target}` [REFS_MEMBERS]\n\
             help: ";
            target = all.target
        );
        let text = say!(all.wanted(text) => " in `{element}"; element = all.element);
        refuse!(
            text => "`\n\
             help: for ids alone: `Vec<Id<{target}>>`{note}";
            target = all.target, note = NOTE
        );
    };
    if found > 1 {
        refuse!(
            all.says() => "refer to `{target}` by several fields [REFS_MEMBERS]\n\
             help: say which: `via = {field}`{note}";
            target = all.target, field = reference.field, note = NOTE
        );
    }
    if reference.optional || reference.by_key {
        let text = say!(all.says() => "refer to `{target}"; target = all.target);
        let text = match reference.optional {
            true => text.push_str("` by an `Option`"),
            false => text.push_str("` by a `key`"),
        };
        let text = all.wanted(say!(
            text => " [REFS_MEMBERS]\n\
             help: "
        ));
        refuse!(text => "{note}"; note = NOTE);
    }
    let row = all.row(reference.field);
    if let Some(FieldRow {
        relation: Some(relation),
        ..
    }) = row
        && !matches!(relation.on_delete, OnDelete::Deny)
        && relation.on_delete as u8 != all.on_delete as u8
    {
        refuse!(
            all.says() => "declare `on_delete` for `{field}`, and the array has another rule [REFS_MEMBERS]\n\
             help: declare it on `{owner}` alone\n\
             note: the array decides what a delete of `{target}` does to its entries";
            field = reference.field, owner = all.owner, target = all.target
        );
    }
}

#[track_caller]
const fn no_via(all: Members) -> ! {
    let text = say!(
        "`via = {via}` on `{owner}` names no reference of `{element}` to `{target}` [REFS_MEMBERS]\n\
         help: ";
        via = all.via, owner = all.owner, element = all.element, target = all.target
    );
    let text = say!(all.wanted(text) => " in `{element}"; element = all.element);
    refuse!(text => "`{note}"; note = NOTE);
}

#[track_caller]
const fn no_document(all: Members) -> ! {
    let text = say!(
        all.says() => "are neither ids of `{target}` nor embedded documents [REFS_MEMBERS]\n\
         help: ids: `Vec<Id<{target}>>`\n\
         help: documents: `#[derive(MongoEmbed)]` on `{element}`, with ";
        target = all.target, element = all.element
    );
    refuse!(all.wanted(text) => "{note}"; note = NOTE);
}
