//! The statement that changes the lists of some parents: set semantics, and a mark for every id that is added or removed.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};

use crate::graph::flags;
use crate::graph::links::Link;
use crate::schema::stored;

/// The children that parents gain and lose.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    /// The condition that the parents belong to the tenant of the children.
    pub(crate) inside: Document,
    pub(crate) gained: Vec<Bson>,
    pub(crate) lost: Vec<Bson>,
}

impl Change {
    /// The statement that changes these parents alike. It does not write a list that is right already. `token` is the token of the marks,
    /// absent if the children are written in the same transaction.
    pub(crate) fn statement(
        &self,
        link: &Link,
        parents: &[&Bson],
        token: Option<ObjectId>,
    ) -> Document {
        let mut q = doc! { "_id": flags::ids_of(parents) };
        if self.gained.is_empty() {
            q.insert(link.field, doc! { "$in": self.lost.clone() });
        }
        q.extend(self.inside.clone());
        let list = list(link);
        let all = doc! { "$literal": self.gained.clone() };
        let mut gained = doc! { "$setDifference": [&all, &list] };
        let bounded = link.max() > 0 && !self.gained.is_empty();
        if bounded && token.is_some() {
            // The place of a child is removed even if another program has put its id into the list already.
            let placed = doc! { "$setIntersection": [all, placed(link)] };
            let listed = doc! { "$setIntersection": [placed, &list] };
            gained = doc! { "$concatArrays": [gained, listed] };
        }
        let lost = doc! { "$setIntersection": [{ "$literal": self.lost.clone() }, &list] };
        let mut update = vec![doc! { "$set": set(link, gained, lost, token) }];
        if bounded && token.is_none() {
            let these =
                doc! { "$in": [stored::THIS_CHILDREN, { "$literal": self.gained.clone() }] };
            let these = doc! { "$and": [is_place(link), these] };
            update.extend(flags::without(stored::key::UNCONFIRMED, these));
        }
        doc! {
            "q": q,
            "u": update,
            "multi": parents.len() > 1,
            // The update moves keys in the list's index while it scans, so it scans by `_id`.
            "hint": { "_id": 1 },
        }
    }

    /// The statement that changes one parent, only for those children whose marks there are still among those that were seen.
    pub(crate) fn while_marked(
        &self,
        link: &Link,
        parent: &Bson,
        seen: &[(ObjectId, Bson)],
        token: ObjectId,
    ) -> Document {
        let marked = doc! { "$map": {
            "input": { "$filter": { "input": marks(), "cond": among(link, seen) } },
            "in": stored::THIS_CHILDREN,
        } };
        let list = list(link);
        let gained = doc! { "$setDifference": [
            { "$setIntersection": [{ "$literal": self.gained.clone() }, &marked] },
            &list,
        ] };
        let lost = doc! { "$setIntersection": [{ "$literal": self.lost.clone() }, &marked, &list] };
        let mut q = doc! { "_id": { "$eq": parent }, stored::UNCONFIRMED_TOKEN: tokens_of(seen) };
        q.extend(self.inside.clone());
        doc! {
            "q": q,
            "u": [{ "$set": set(link, gained, lost, Some(token)) }],
            "hint": { "_id": 1 },
        }
    }
}

/// The statement that marks a parent for these children, and removes repeated ids from its list.
pub(crate) fn mark(
    link: &Link,
    (parent, inside): (&Bson, Document),
    children: &[Bson],
    token: ObjectId,
) -> Document {
    let replaced = doc! { "$and": [
        { "$eq": [stored::THIS_LINK, &link.name] },
        { "$in": [stored::THIS_CHILDREN, { "$literal": children.to_vec() }] },
    ] };
    let others = doc! { "$filter": { "input": marks(), "cond": { "$not": [replaced] } } };
    let new = children
        .iter()
        .map(|child| flags::link_mark(token, child.clone(), &link.name));
    let new: Vec<Document> = new.collect();
    let once = doc! { "$reduce": {
        "input": list(link),
        "initialValue": [],
        "in": { "$cond": [
            { "$in": ["$$this", "$$value"] },
            "$$value",
            { "$concatArrays": ["$$value", ["$$this"]] },
        ] },
    } };
    let mut q = doc! { "_id": { "$eq": parent } };
    q.extend(inside);
    doc! {
        "q": q,
        "u": [{ "$set": {
            link.field: once,
            stored::UNCONFIRMED: { "$concatArrays": [others, { "$literal": new }] },
        } }],
    }
}

/// The statement that clears exactly these marks of a parent.
pub(crate) fn unmark(
    link: &Link,
    (parent, inside): (&Bson, Document),
    seen: &[(ObjectId, Bson)],
) -> Document {
    let mut q = doc! { "_id": { "$eq": parent }, stored::UNCONFIRMED_TOKEN: tokens_of(seen) };
    q.extend(inside);
    doc! {
        "q": q,
        "u": flags::without(stored::key::UNCONFIRMED, among(link, seen)),
    }
}

/// The time at which a place was reserved; `None` for a mark that is no place.
pub(super) fn place_time(mark: &Document) -> Option<DateTime> {
    mark.get_datetime(stored::key::UNCONFIRMED_AT).ok().copied()
}

/// The children that have places along a link, as an expression about the parent.
pub(crate) fn placed(link: &Link) -> Document {
    doc! { "$map": {
        "input": { "$filter": { "input": marks(), "cond": is_place(link) } },
        "in": stored::THIS_CHILDREN,
    } }
}

/// The condition that a mark is a place along this link.
fn is_place(link: &Link) -> Document {
    let at = format!("$$this.{}", stored::key::UNCONFIRMED_AT);
    doc! { "$and": [
        { "$eq": [stored::THIS_LINK, &link.name] },
        { "$gt": [at, Bson::Null] },
    ] }
}

pub(super) fn list(link: &Link) -> Document {
    let stored = format!("${}", link.field);
    doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] }
}

pub(super) fn marks() -> Document {
    doc! { "$ifNull": [stored::value::UNCONFIRMED, []] }
}

fn tokens_of(seen: &[(ObjectId, Bson)]) -> Document {
    let mut tokens: Vec<ObjectId> = seen.iter().map(|(token, _)| *token).collect();
    tokens.sort_unstable();
    tokens.dedup();
    doc! { "$in": tokens }
}

/// The condition that a mark is one of those that were seen.
fn among(link: &Link, seen: &[(ObjectId, Bson)]) -> Document {
    let seen = seen.iter().map(
        |(token, child)| doc! { stored::TOKEN: token, stored::key::UNCONFIRMED_CHILDREN: child },
    );
    let seen: Vec<Document> = seen.collect();
    let this = doc! {
        stored::TOKEN: stored::THIS_TOKEN,
        stored::key::UNCONFIRMED_CHILDREN: stored::THIS_CHILDREN,
    };
    doc! { "$and": [
        { "$eq": [stored::THIS_LINK, &link.name] },
        { "$in": [this, { "$literal": seen }] },
    ] }
}

/// Sets the list and the marks. Both stay as they are if no id is added or removed.
fn set(link: &Link, gained: Document, lost: Document, token: Option<ObjectId>) -> Document {
    let stored = format!("${}", link.field);
    let with = |then: Document, otherwise: &str| {
        doc! { "$let": {
            "vars": { "gained": &gained, "lost": &lost },
            "in": { "$cond": [
                { "$eq": [{ "$concatArrays": ["$$gained", "$$lost"] }, []] },
                otherwise,
                then,
            ] },
        } }
    };
    let rest = doc! { "$filter": {
        "input": list(link),
        "cond": { "$not": [{ "$in": ["$$this", "$$lost"] }] },
    } };
    let new = doc! { "$setDifference": ["$$gained", list(link)] };
    let next = doc! { "$concatArrays": [rest, new] };
    let mut set = doc! { link.field: with(next, &stored) };
    if let Some(token) = token {
        let moved = doc! { "$concatArrays": ["$$gained", "$$lost"] };
        let replaced = doc! { "$and": [
            { "$eq": [stored::THIS_LINK, &link.name] },
            { "$in": [stored::THIS_CHILDREN, &moved] },
        ] };
        let others = doc! { "$filter": { "input": marks(), "cond": { "$not": [replaced] } } };
        let new = doc! { "$map": {
            "input": moved,
            "in": flags::link_mark(token, "$$this", &link.name),
        } };
        let marked = doc! { "$mergeObjects": [
            stored::value::OWN,
            { stored::key::UNCONFIRMED: { "$concatArrays": [others, new] } },
        ] };
        set.insert(stored::OWN, with(marked, stored::value::OWN));
    }
    set
}
