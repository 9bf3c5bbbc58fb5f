//! The one update of a parent's list.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;

/// What a parent's list is told about some children.
#[derive(Debug)]
pub(crate) struct Change {
    /// The parent.
    pub(crate) parent: Bson,
    /// Children that belong there, as entries with their revisions.
    pub(crate) puts: Vec<Document>,
    /// Children that do not, as `{id, r}`: entries up to this revision go.
    pub(crate) gone: Vec<Document>,
    /// The children by their place among those that the caller has.
    pub(crate) children: Vec<usize>,
    /// Whether some of them are left out, since they come after so many others.
    pub(crate) thinned: bool,
}

impl Change {
    pub(crate) fn of(parent: Bson) -> Self {
        Change {
            parent,
            puts: Vec::new(),
            gone: Vec::new(),
            children: Vec::new(),
            thinned: false,
        }
    }

    /// Tells the parent of a child.
    pub(crate) fn tell(&mut self, list: &Recent, n: usize, child: &Source, put: bool) {
        if put {
            self.puts.push(entry(list, child));
        } else {
            let (id, r) = (child.id.clone(), child.r.clone());
            self.gone.push(doc! { "id": id, "r": r });
        }
        self.children.push(n);
    }

    /// Whether this is the revision of a child that no list has had before.
    pub(crate) fn is_new(r: &Bson) -> bool {
        *r == Bson::Int32(2)
    }

    /// Whether an entry may go, or become older. Only new children cannot do that.
    pub(crate) fn may_make_room(&self) -> bool {
        let new = |put: &Document| put.get("_r").is_some_and(Self::is_new);
        !self.gone.is_empty() || !self.puts.iter().all(new)
    }
}

/// The marks that one attempt leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens {
    /// Of entries that were put into the list: a late one may be of a child that is not there any more.
    pub(crate) put: ObjectId,
    /// Of a list that may lack children, since it was full before, and its oldest entry then was not as old as that of now.
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

/// A child as an entry.
pub(crate) fn entry(list: &Recent, child: &Source) -> Document {
    let mut entry = doc! { "id": child.id.clone() };
    for (from, to) in &list.shown {
        if let Some(value) = child.fields.get(from) {
            entry.insert(*to, value.clone());
        }
    }
    entry.insert("_r", child.r.clone());
    entry
}

/// The pipeline that puts and takes entries. An entry of the same or a later revision stays what it is; the list stays sorted, and
/// not longer than it may be. What changes nothing leaves no mark.
pub(crate) fn pipeline(
    link: &Link,
    list: &Recent,
    change: &Change,
    tokens: Tokens,
) -> Vec<Document> {
    let stored = doc! { "$ifNull": [format!("${}", link.field), []] };
    let told = change.puts.iter().chain(&change.gone);
    let told: Vec<Bson> = told.filter_map(|one| one.get("id").cloned()).collect();
    // Seldom any: what is told of children that the list does not have compares nothing.
    let both = doc! { "$setIntersection": ["$$list.id", { "$literal": told }] };
    let none = doc! { "$eq": ["$$both", []] };
    let known = doc! { "$in": ["$$this.id", "$$both"] };
    let others = doc! { "$filter": { "input": "$$list", "cond": { "$not": [&known] } } };
    // Looked up, not compared one by one with all: many may be told of many.
    let told_of = |ids: &str, of: &str, then: Document| {
        doc! { "$let": {
            "vars": { "at": { "$indexOfArray": [ids, "$$e.id"] } },
            "in": { "$and": [{ "$gte": ["$$at", 0] }, { "$let": {
                "vars": { "n": { "$arrayElemAt": [of, "$$at"] } },
                "in": then,
            } }] },
        } }
    };
    let newer = told_of("$$put", "$$puts", doc! { "$gt": ["$$n._r", "$$e._r"] });
    let left = told_of("$$left", "$$gone", doc! { "$gte": ["$$n.r", "$$e._r"] });
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
    let direction = if list.newest_first { -1 } else { 1 };
    let (max, by) = (i64::try_from(list.max).unwrap_or(i64::MAX), list.by.1);
    let sorted =
        doc! { "$sortArray": { "input": all, "sortBy": { by: direction, "id": direction } } };
    let kept = if list.newest_first { max } else { -max };
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
    vec![
        doc! { "$set": { AFTER: after } },
        doc! { "$set": { "_dn": marked(link, list, change, tokens, &stored) } },
        doc! { "$set": { link.field: format!("${AFTER}") } },
        doc! { "$unset": AFTER },
    ]
}

/// The list that comes, for as long as the one that goes is looked at.
const AFTER: &str = "_dn_after";

fn marked(
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
        let ids = change.puts.iter().filter_map(|put| put.get("id").cloned());
        let mut ids: Vec<Bson> = ids.collect();
        let k = if ids.len() == 1 {
            ids.remove(0)
        } else {
            Bson::Array(ids)
        };
        let mut mark =
            doc! { "t": tokens.put, "k": { "$literal": k }, "e": { "$literal": &link.name } };
        if change.thinned {
            mark.insert("f", true);
        }
        vec![Bson::Document(mark)]
    };
    // A full list that is as long as before, and whose oldest entry is not older than its oldest one was, has no room for a child
    // that it did not have. Every other that was full may lack one.
    let older = doc! { "$let": {
        "vars": { "was": oldest(stored.clone().into()), "is": oldest(format!("${AFTER}").into()) },
        "in": { "$or": [
            { "$lt": [format!("$$is.{by}"), format!("$$was.{by}")] },
            { "$and": [
                { "$eq": [format!("$$is.{by}"), format!("$$was.{by}")] },
                { "$lt": ["$$is.id", "$$was.id"] },
            ] },
        ] },
    } };
    let lacks = doc! { "$and": [
        { "$gte": [{ "$size": stored }, max] },
        { "$or": [{ "$lt": [{ "$size": format!("${AFTER}") }, max] }, older] },
    ] };
    let refill = doc! { "t": tokens.refill, "e": { "$literal": &link.name }, "f": true };
    let marks = doc! { "$concatArrays": [
        { "$ifNull": ["$_dn.v", []] },
        put,
        { "$cond": [lacks, [refill], []] },
    ] };
    let changed = match change.thinned {
        // Also a list that stays as it is may have had one of them as it is not any more.
        true => Bson::Boolean(true),
        false => doc! { "$ne": [stored, format!("${AFTER}")] }.into(),
    };
    // What is only pulled may leave no mark.
    let some = doc! { "$cond": [
        { "$ne": ["$$marks", []] },
        { "$mergeObjects": ["$_dn", { "v": "$$marks" }] },
        "$_dn",
    ] };
    let marked = doc! { "$let": { "vars": { "marks": marks }, "in": some } };
    doc! { "$cond": [changed, marked, "$_dn"] }
}
