//! Rule REFS_MEMBERS: the elements of a two-way array that are embedded documents refer to the other side.

use crate::__private::text::Text;
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
        Text::<1024>::new()
            .push_str("the elements `")
            .push_str(self.element)
            .push_str("` of `")
            .push_str(self.owner)
            .push_str("` ")
    }

    /// `` `#[parent(User)] user: Id<User>` ``
    const fn wanted(&self, text: Text<1024>) -> Text<1024> {
        text.push_str("`#[parent(")
            .push_str(self.target)
            .push_str(")] ")
            .push_str(self.lower)
            .push_str(": Id<")
            .push_str(self.target)
            .push_str(">`")
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
        let text = all
            .says()
            .push_str("do not refer to `")
            .push_str(all.target)
            .push_str("` [REFS_MEMBERS]\nhelp: ");
        let text = all.wanted(text).push_str(" in `").push_str(all.element);
        let text = text
            .push_str("`\nhelp: for ids alone: `Vec<Id<")
            .push_str(all.target)
            .push_str(">>`")
            .push_str(NOTE);
        panic!("{}", text.as_str());
    };
    if found > 1 {
        let text = all
            .says()
            .push_str("refer to `")
            .push_str(all.target)
            .push_str("` by several fields [REFS_MEMBERS]\nhelp: say which: `via = ")
            .push_str(reference.field)
            .push_str("`")
            .push_str(NOTE);
        panic!("{}", text.as_str());
    }
    if reference.optional || reference.by_key {
        let text = all.says().push_str("refer to `").push_str(all.target);
        let text = match reference.optional {
            true => text.push_str("` by an `Option`"),
            false => text.push_str("` by a `key`"),
        };
        let text = all.wanted(text.push_str(" [REFS_MEMBERS]\nhelp: "));
        panic!("{}", text.push_str(NOTE).as_str());
    }
    let row = all.row(reference.field);
    if let Some(FieldRow {
        relation: Some(relation),
        ..
    }) = row
        && !matches!(relation.on_delete, OnDelete::Deny)
        && relation.on_delete as u8 != all.on_delete as u8
    {
        let text = all
            .says()
            .push_str("declare `on_delete` for `")
            .push_str(reference.field)
            .push_str("`, and the array has another rule [REFS_MEMBERS]\nhelp: declare it on `")
            .push_str(all.owner)
            .push_str("` alone\nnote: the array decides what a delete of `")
            .push_str(all.target)
            .push_str("` does to its entries");
        panic!("{}", text.as_str());
    }
}

#[track_caller]
const fn no_via(all: Members) -> ! {
    let text = Text::<1024>::new()
        .push_str("`via = ")
        .push_str(all.via)
        .push_str("` on `")
        .push_str(all.owner)
        .push_str("` names no reference of `")
        .push_str(all.element)
        .push_str("` to `")
        .push_str(all.target)
        .push_str("` [REFS_MEMBERS]\nhelp: ");
    let text = all.wanted(text).push_str(" in `").push_str(all.element);
    panic!("{}", text.push_str("`").push_str(NOTE).as_str());
}

#[track_caller]
const fn no_document(all: Members) -> ! {
    let text = all
        .says()
        .push_str("are neither ids of `")
        .push_str(all.target)
        .push_str("` nor embedded documents [REFS_MEMBERS]\nhelp: ids: `Vec<Id<")
        .push_str(all.target)
        .push_str(">>`\nhelp: documents: `#[derive(MongoEmbed)]` on `")
        .push_str(all.element)
        .push_str("`, with ");
    panic!("{}", all.wanted(text).push_str(NOTE).as_str());
}
