//! The single update that changes a parent's list.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::bson_util::operators::merge;
use crate::bson_util::path::at;
use crate::graph::flags;
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::schema::stored;

/// The changes of one parent's list that some children cause.
#[derive(Debug)]
pub(crate) struct Change {
    /// The parent.
    pub(crate) parent: Bson,
    /// The condition that the parent belongs to the tenant of the children.
    pub(crate) inside: Document,
    /// The children that belong into the list, as entries with their revisions.
    pub(crate) puts: Vec<Document>,
    /// The children that do not belong into the list, as `{id, r}`: their entries up to this revision are removed.
    pub(crate) gone: Vec<Document>,
    /// The indexes of the children in the caller's list of children.
    pub(crate) children: Vec<usize>,
    /// True if children were left out because they cannot make the last-N list.
    pub(crate) thinned: bool,
}

impl Change {
    pub(crate) fn new(parent: Bson) -> Self {
        Change {
            parent,
            inside: Document::new(),
            puts: Vec::new(),
            gone: Vec::new(),
            children: Vec::new(),
            thinned: false,
        }
    }

    /// The filter that matches the parent.
    pub(crate) fn filter(&self) -> Document {
        let mut filter = doc! { "_id": { "$eq": &self.parent } };
        filter.extend(self.inside.clone());
        filter
    }

    /// Adds a child to the change, as an entry to put or as an entry to remove.
    pub(crate) fn add_child(&mut self, list: &Recent, n: usize, child: &Source, put: bool) {
        if put {
            self.puts.push(entry(list, child));
        } else {
            let (id, r) = (child.id.clone(), child.r.clone());
            self.gone.push(removed(id, r));
        }
        self.children.push(n);
    }

    /// True if a child with this revision is new: no list has had it before.
    pub(crate) fn is_new(r: &Bson) -> bool {
        *r == Bson::Int32(2)
    }

    /// True if the change may remove an entry or make one older. Only a change of new children alone cannot do that.
    pub(crate) fn may_make_room(&self) -> bool {
        let new = |put: &Document| put.get(stored::COPY_REVISION).is_some_and(Self::is_new);
        !self.gone.is_empty() || !self.puts.iter().all(new)
    }
}

/// A child that does not belong into a list, with the revision up to which its entries are removed.
pub(crate) fn removed(id: Bson, r: impl Into<Bson>) -> Document {
    doc! { stored::ENTRY_ID: id, stored::key::REVISION: r.into() }
}

/// The tokens of the marks that one attempt leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens {
    /// The mark of entries that were put into the list: a late update may add a child that no longer exists.
    pub(crate) put: ObjectId,
    /// The mark of a list that may lack children: it was full before, and its oldest entry then was newer than its oldest entry is now.
    pub(crate) refill: ObjectId,
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Tokens {
            put: ObjectId::new(),
            refill: ObjectId::new(),
        }
    }
}

/// A child as a list entry.
pub(crate) fn entry(list: &Recent, child: &Source) -> Document {
    let mut entry = doc! { stored::ENTRY_ID: child.id.clone() };
    for (from, to) in &list.shown {
        if let Some(value) = at(&child.fields, from) {
            entry.insert(*to, value.clone());
        }
    }
    entry.insert(stored::COPY_REVISION, child.r.clone());
    entry
}

/// The pipeline that adds and removes entries. An entry of the same or a later revision stays as it is. The list stays sorted and within
/// its bound. An update that changes nothing leaves no mark.
pub(crate) fn pipeline(
    link: &Link,
    list: &Recent,
    change: &Change,
    tokens: Tokens,
) -> Vec<Document> {
    let stored = doc! { "$ifNull": [format!("${}", link.field), []] };
    let told = change.puts.iter().chain(&change.gone);
    let told: Vec<Bson> = told
        .filter_map(|one| one.get(stored::ENTRY_ID).cloned())
        .collect();
    // This set is usually empty: children that are not in the list cost no comparison.
    let both = doc! { "$setIntersection": ["$$list.id", { "$literal": told }] };
    let none = doc! { "$eq": ["$$both", []] };
    let known = doc! { "$in": ["$$this.id", "$$both"] };
    let others = doc! { "$filter": { "input": "$$list", "cond": { "$not": [&known] } } };
    // Look up the ids instead of comparing each id with all others: many entries may meet many children.
    let told_of = |ids: &str, of: &str, then: Document| {
        doc! { "$let": {
            "vars": { "at": { "$indexOfArray": [ids, "$$e.id"] } },
            "in": { "$and": [{ "$gte": ["$$at", 0] }, { "$let": {
                "vars": { "n": { "$arrayElemAt": [of, "$$at"] } },
                "in": then,
            } }] },
        } }
    };
    let put = format!("$$n.{}", stored::COPY_REVISION);
    let gone = format!("$$n.{}", stored::key::REVISION);
    let listed = format!("$$e.{}", stored::COPY_REVISION);
    let newer = told_of("$$put", "$$puts", doc! { "$gt": [&put, &listed] });
    let left = told_of("$$left", "$$gone", doc! { "$gte": [&gone, listed] });
    let stays = doc! { "$cond": [&none, [], { "$let": {
        "vars": { "put": "$$puts.id", "left": "$$gone.id" },
        "in": { "$filter": {
            "input": { "$filter": { "input": "$$list", "cond": known } },
            "as": "e",
            "cond": { "$not": [{ "$or": [newer, left] }] },
        } },
    } }] };
    let new = doc! { "$filter": {
        "input": "$$puts",
        "cond": { "$not": [{ "$in": ["$$this.id", "$$stays.id"] }] },
    } };
    let all = doc! { "$cond": [
        none,
        { "$concatArrays": ["$$list", "$$puts"] },
        { "$concatArrays": [others, "$$stays", new] },
    ] };
    let (kept, direction) = limit_and_direction(list);
    let sort = doc! { list.by.1: direction, stored::ENTRY_ID: direction };
    let sorted = doc! { "$sortArray": { "input": all, "sortBy": sort } };
    let after = doc! { "$let": {
        "vars": {
            "list": &stored,
            "puts": { "$literal": change.puts.clone() },
            "gone": { "$literal": change.gone.clone() },
        },
        "in": { "$let": { "vars": { "both": both }, "in": {
            "$let": { "vars": { "stays": stays }, "in": { "$slice": [sorted, kept] } },
        } } },
    } };
    let mut stages = vec![
        doc! { "$set": { stored::LIST_AFTER: after } },
        doc! { "$set": { stored::OWN: mark_changed(link, list, change, tokens, &stored) } },
        doc! { "$set": { link.field: stored::value::LIST_AFTER } },
        doc! { "$unset": stored::LIST_AFTER },
    ];
    stages.extend(link.show());
    stages
}

/// The same change as operators and a part of their filter, for new children that the list does not have. It removes only entries that are
/// older than the new children, so that the list cannot lack a child after it. The mark stays even if all new children are too old for the
/// list.
pub(crate) fn push(
    link: &Link,
    list: &Recent,
    change: &Change,
    tokens: Tokens,
    query: &mut Document,
    operators: &mut Document,
) {
    let (max, direction) = limit_and_direction(list);
    let ids = change
        .puts
        .iter()
        .filter_map(|put| put.get(stored::ENTRY_ID).cloned());
    let ids: Vec<Bson> = ids.collect();
    query.insert(format!("{}.id", link.field), doc! { "$nin": &ids });
    let entries = doc! {
        "$each": change.puts.clone(),
        "$sort": { list.by.1: direction, stored::ENTRY_ID: direction },
        "$slice": max,
    };
    merge(operators, "$push", doc! { link.field: entries });
    let mark = flags::link_mark(tokens.put, one_or_all(ids), &link.name);
    let marks = operators.get_document_mut("$push");
    let marks = marks
        .ok()
        .and_then(|push| push.get_document_mut(stored::UNCONFIRMED).ok());
    match marks.and_then(|marks| marks.get_array_mut("$each").ok()) {
        Some(marks) => marks.push(mark.into()),
        None => merge(
            operators,
            "$push",
            doc! { stored::UNCONFIRMED: { "$each": [mark] } },
        ),
    }
}

/// The children that a mark is about: an `_id`, or an array of them.
fn one_or_all(mut ids: Vec<Bson>) -> Bson {
    match ids.len() {
        1 => ids.remove(0),
        _ => Bson::Array(ids),
    }
}

/// The number of entries to keep, negative to count from the end, and the direction in which they are sorted.
fn limit_and_direction(list: &Recent) -> (i64, i32) {
    let max = i64::try_from(list.max).unwrap_or(i64::MAX);
    match (list.newest_first, list.least) {
        (true, false) => (max, -1),
        (true, true) => (max, 1),
        (false, _) => (-max, 1),
    }
}

fn mark_changed(
    link: &Link,
    list: &Recent,
    change: &Change,
    tokens: Tokens,
    stored: &Document,
) -> Document {
    let (max, by) = (i64::try_from(list.max).unwrap_or(i64::MAX), list.by.1);
    let oldest = |of: Bson| {
        let place = if list.newest_first { -1 } else { 0 };
        doc! { "$arrayElemAt": [of, place] }
    };
    let put: Vec<Bson> = if change.puts.is_empty() {
        Vec::new()
    } else {
        let ids = change
            .puts
            .iter()
            .filter_map(|put| put.get(stored::ENTRY_ID).cloned());
        let k = one_or_all(ids.collect());
        let literal = |value: Bson| doc! { "$literal": value };
        let mut mark = flags::link_mark(tokens.put, literal(k), literal(link.name.as_str().into()));
        if change.thinned {
            mark.insert(stored::key::UNCONFIRMED_LACKS, true);
        }
        vec![Bson::Document(mark)]
    };
    // A full list that is as long as before, and whose oldest entry is not older than before, has no room for a child that was not in it.
    // Every other list that was full may lack a child.
    let before = if list.least { "$gt" } else { "$lt" };
    let older = doc! { "$let": {
        "vars": { "was": oldest(stored.clone().into()), "is": oldest(stored::value::LIST_AFTER.into()) },
        "in": { "$or": [
            { before: [format!("$$is.{by}"), format!("$$was.{by}")] },
            { "$and": [
                { "$eq": [format!("$$is.{by}"), format!("$$was.{by}")] },
                { before: ["$$is.id", "$$was.id"] },
            ] },
        ] },
    } };
    let lacks = doc! { "$and": [
        { "$gte": [{ "$size": stored }, max] },
        { "$or": [{ "$lt": [{ "$size": stored::value::LIST_AFTER }, max] }, older] },
    ] };
    let refill = flags::lacking_mark(tokens.refill, doc! { "$literal": &link.name });
    let marks = doc! { "$concatArrays": [
        { "$ifNull": [stored::value::UNCONFIRMED, []] },
        put,
        { "$cond": [lacks, [refill], []] },
    ] };
    let changed = match change.thinned {
        // Even if the list does not change, it may have had an outdated entry of one of these children.
        true => Bson::Boolean(true),
        false => doc! { "$ne": [stored, stored::value::LIST_AFTER] }.into(),
    };
    // A change that only removes entries may leave no mark.
    let some = doc! { "$cond": [
        { "$ne": ["$$marks", []] },
        { "$mergeObjects": [stored::value::OWN, { stored::key::UNCONFIRMED: "$$marks" }] },
        stored::value::OWN,
    ] };
    let marked = doc! { "$let": { "vars": { "marks": marks }, "in": some } };
    doc! { "$cond": [changed, marked, stored::value::OWN] }
}
