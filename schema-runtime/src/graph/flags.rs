//! The library's own fields, as parts of commands: the revision and pending edges of a source, the marks of a target.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

mod written;

pub(crate) use self::written::WrittenFlags;
pub(crate) use crate::bson_util::number::far_revision;

use super::edges::Edges;
use crate::bson_util::operators::merge;
use crate::schema::stored;
use crate::schema::stored::key;

/// The revision of a new source. An `_id` that is never used twice may start at 1; all other sources that are stored together share `far`,
/// so that one statement clears their flags.
pub(crate) fn first_revision(collection: &str, id: &Bson, far: i64) -> Bson {
    let unique = matches!(id, Bson::ObjectId(_))
        || matches!(id, Bson::Binary(bytes) if bytes.subtype == bson::spec::BinarySubtype::Uuid);
    let natural = Edges::get()
        .out_of(collection)
        .any(|edge| edge.by_natural_key());
    if unique && !natural {
        Bson::Int32(1)
    } else {
        Bson::Int64(far)
    }
}

/// Adds to an update's operators that copied fields may change: the next revision, and the edges that have to follow.
pub(crate) fn bump(operators: &mut Document, pending: &[&str]) {
    merge(
        operators,
        "$inc",
        doc! { stored::REVISION: 1, stored::RAISES: 1 },
    );
    if !pending.is_empty() {
        let each = doc! { "$each": pending.to_vec() };
        merge(operators, "$addToSet", doc! { stored::PENDING: each });
    }
    // A bulk write may have changed this source and not propagated it yet: this write takes it over.
    if !operators
        .get_document("$set")
        .is_ok_and(|set| set.contains_key(stored::BATCH))
    {
        merge(operators, "$unset", doc! { stored::BATCH: "" });
    }
}

/// The revision of a document that has lost its own to another program: before its copies are updated, it gets a revision above theirs.
pub(crate) const WIPED: i64 = 1;

/// An expression that is true if a raised document had lost its revision to another program before. See `Source::is_wiped`.
pub(crate) fn wiped() -> Document {
    doc! { "$or": [
        { "$lte": [stored::value::REVISION, WIPED] },
        { "$eq": [stored::value::RAISES, stored::value::REVISION] },
    ] }
}

/// The expression for `_dn` that does the same as [`bump`]; `changed` is true if a copied field changes. If the revision is missing,
/// another program has wiped it: then every edge becomes pending, and the revision says so.
pub(crate) fn bumped(changed: Bson, pending: &[&str], all: &[&str]) -> Document {
    let known = doc! { "$isNumber": stored::value::REVISION };
    let next = next_revision(&known, WIPED);
    // The number of raises changes only in a document that has lost its revision: there it equals the revision.
    let kept = doc! { "$ne": [stored::value::RAISES, stored::value::REVISION] };
    let raises = doc! { "$cond": [{ "$and": [&known, kept] }, stored::value::RAISES, &next] };
    let mut next = doc! { key::REVISION: next, key::RAISES: raises };
    if !all.is_empty() {
        let union = doc! { "$setUnion": [
            { "$ifNull": [stored::value::PENDING, []] },
            { "$cond": [known, { "$literal": pending.to_vec() }, { "$literal": all.to_vec() }] },
        ] };
        let some = doc! { "$cond": [{ "$eq": ["$$p", []] }, "$$REMOVE", "$$p"] };
        next.insert(
            key::PENDING,
            doc! { "$let": { "vars": { "p": union }, "in": some } },
        );
    }
    doc! { "$cond": [changed, { "$mergeObjects": [stored::value::OWN, next] }, stored::value::OWN] }
}

/// An expression that is true if the stored value at `path` differs from `value` (`None`: if there is any value). Neither a collation nor
/// a numeric width affects it. Where a cheap comparison is impossible, the value counts as different.
pub(crate) fn differs(path: &str, value: Option<&Bson>) -> Bson {
    let field = format!("${path}");
    let of_type = |name: &str| doc! { "$ne": [{ "$type": &field }, name] };
    let unlike = |name: &str, unlike: Document| {
        Bson::Document(doc! { "$cond": [of_type(name), true, unlike] })
    };
    match value {
        None => Bson::Document(of_type("missing")),
        Some(Bson::Null) => Bson::Document(of_type("null")),
        Some(Bson::String(text)) => {
            let len = i64::try_from(text.len()).unwrap_or(i64::MAX);
            let other_len = doc! { "$ne": [{ "$strLenBytes": &field }, len] };
            let other_text =
                doc! { "$ne": [{ "$indexOfBytes": [&field, { "$literal": text }] }, 0] };
            unlike("string", doc! { "$or": [other_len, other_text] })
        }
        Some(Bson::Decimal128(number)) => unlike(
            "decimal",
            doc! { "$ne": [{ "$toString": &field }, number.to_string()] },
        ),
        Some(value) => {
            let name = match value {
                Bson::Int32(_) => "int",
                Bson::Int64(_) => "long",
                Bson::Boolean(_) => "bool",
                Bson::DateTime(_) => "date",
                Bson::ObjectId(_) => "objectId",
                _ => return Bson::Boolean(true),
            };
            unlike(name, doc! { "$ne": [&field, { "$literal": value }] })
        }
    }
}

/// The next revision, as an expression. If `known` is not true of the stored revision, the next one is `far`.
pub(crate) fn next_revision(known: impl Into<Bson>, far: impl Into<Bson>) -> Document {
    doc! { "$cond": [known.into(), { "$add": [stored::value::REVISION, 1] }, far.into()] }
}

/// A revision above those of all copies and of all writers that have read the document: as [`next_revision`], and at least `far`.
pub(crate) fn revision_above_all(known: impl Into<Bson>, far: i64) -> Document {
    doc! { "$max": [next_revision(known, far), far] }
}

/// The stage that raises a document to this revision, and makes these edges and links pending, whatever another program has stored in the
/// library's fields.
pub(crate) fn raised(r: impl Into<Bson>, pending: Option<&[&str]>) -> Document {
    let is_document = doc! { "$eq": [{ "$type": stored::value::OWN }, "object"] };
    let old = doc! { "$cond": [is_document, stored::value::OWN, {}] };
    let mut new = doc! { key::REVISION: r.into() };
    if let Some(names) = pending {
        let is_list = doc! { "$isArray": stored::value::PENDING };
        let list = doc! { "$cond": [is_list, stored::value::PENDING, []] };
        new.insert(
            key::PENDING,
            doc! { "$setUnion": [list, { "$literal": names.to_vec() }] },
        );
    }
    doc! { "$set": { stored::OWN: { "$mergeObjects": [old, new] } } }
}

/// The fields of `_dn` that children and sources need only while an edge or link is pending.
pub(crate) const WHILE_PENDING: [&str; 2] = [key::BATCH, key::EARLIER_PARENTS];

/// True if a name in `_dn.p` belongs to a delete, whose own steps remove it.
pub(crate) fn is_of_delete(name: &str) -> bool {
    name.starts_with('~')
}

/// Clears finished edges of these sources, unless another writer has changed the source since it was read at revision `r`.
///
/// `beside` names the fields of `_dn` that are needed only while an edge is pending: they are removed with the last pending edge. The
/// number of raises is removed with it as well.
pub(crate) fn unflag(ids: &[&Bson], r: i64, done: &[&str], beside: &[&str]) -> Document {
    doc! {
        "q": { "_id": ids_of(ids), stored::REVISION: r },
        "multi": ids.len() > 1,
        "u": unflagged(done, beside),
    }
}

/// The stages of an update that does the same as [`unflag`].
pub(crate) fn unflagged(done: &[&str], beside: &[&str]) -> Vec<Document> {
    let rest = beside.iter().chain(&[key::RAISES]).map(|name| {
        let kept = doc! { "$cond": [
            { "$isArray": stored::value::PENDING },
            stored::own_value(name),
            "$$REMOVE",
        ] };
        (stored::own(name), Bson::Document(kept))
    });
    let rest: Document = rest.collect();
    let left = doc! { "$setDifference": [
        { "$ifNull": [stored::value::PENDING, []] },
        { "$literal": done.to_vec() },
    ] };
    vec![
        doc! { "$set": { stored::PENDING: { "$let": {
            "vars": { "left": left },
            "in": { "$cond": [{ "$eq": ["$$left", []] }, "$$REMOVE", "$$left"] },
        } } } },
        doc! { "$set": rest },
    ]
}

/// The condition on `_id` that matches these documents.
pub(crate) fn ids_of(ids: &[&Bson]) -> Document {
    match ids {
        [one] => doc! { "$eq": one },
        many => doc! { "$in": many.to_vec() },
    }
}

/// The mark of copies that have not been compared with their sources yet.
pub(crate) fn mark(token: ObjectId) -> Document {
    doc! { stored::TOKEN: token }
}

/// The mark of a parent whose array or list one write has changed for these children.
pub(crate) fn link_mark(
    token: ObjectId,
    children: impl Into<Bson>,
    link: impl Into<Bson>,
) -> Document {
    doc! {
        stored::TOKEN: token,
        key::UNCONFIRMED_CHILDREN: children.into(),
        key::UNCONFIRMED_LINK: link.into(),
    }
}

/// The mark of a parent whose list or number may lack a child.
pub(crate) fn lacking_mark(token: ObjectId, link: impl Into<Bson>) -> Document {
    doc! {
        stored::TOKEN: token,
        key::UNCONFIRMED_LINK: link.into(),
        key::UNCONFIRMED_LACKS: true,
    }
}

/// An expression for a list of stored marks, such as `$_dn.u`, with one more mark.
pub(crate) fn with_mark(list: &str, mark: Document) -> Document {
    doc! { "$concatArrays": [{ "$ifNull": [list, []] }, [mark]] }
}

/// An expression for the stored [marks](mark) of copies with one more.
pub(crate) fn with_unverified(token: ObjectId) -> Document {
    with_mark(stored::value::UNVERIFIED, mark(token))
}

/// The update that clears marks, and the fields that held them if they are empty then.
pub(crate) fn unmark(tokens: &[ObjectId]) -> Vec<Document> {
    without_marks(key::UNVERIFIED, tokens)
}

/// The update that clears marks of links in a parent.
pub(crate) fn unmark_links(tokens: &[ObjectId]) -> Vec<Document> {
    without_marks(key::UNCONFIRMED, tokens)
}

/// The update that clears flags of a counted child.
pub(crate) fn uncount(tokens: &[ObjectId]) -> Vec<Document> {
    without_marks(key::UNCOUNTED, tokens)
}

fn without_marks(field: &str, tokens: &[ObjectId]) -> Vec<Document> {
    without(field, has_one_of(tokens))
}

/// The condition that the mark `$$this` has one of these tokens.
pub(crate) fn has_one_of(tokens: &[ObjectId]) -> Document {
    doc! { "$in": [stored::THIS_TOKEN, tokens.to_vec()] }
}

/// The stages that remove from a list the marks for which `these` holds, an expression about `$$this`.
pub(crate) fn without(field: &str, these: Document) -> Vec<Document> {
    let left = doc! { "$filter": {
        "input": { "$ifNull": [stored::own_value(field), []] },
        "cond": { "$not": [these] },
    } };
    let rest = doc! { "$arrayToObject": { "$filter": {
        // Another writer may have cleared the last mark first.
        "input": { "$objectToArray": { "$ifNull": [stored::value::OWN, {}] } },
        "cond": { "$ne": ["$$this.k", field] },
    } } };
    let without = doc! { "$let": {
        "vars": { "rest": rest },
        "in": { "$cond": [{ "$eq": ["$$rest", {}] }, "$$REMOVE", "$$rest"] },
    } };
    vec![doc! { "$set": { stored::OWN: { "$let": {
        "vars": { "left": left },
        "in": { "$cond": [
            { "$eq": ["$$left", []] },
            without,
            { "$mergeObjects": [stored::value::OWN, { field: "$$left" }] },
        ] },
    } } } }]
}

/// The marks or flags of a document in `list`, one of the lists of the library.
pub(crate) fn marks<'d>(
    document: &'d Document,
    list: &str,
) -> impl Iterator<Item = &'d Document> + use<'d> {
    let dn = document.get_document(stored::OWN).ok();
    let marks = dn.and_then(|dn| dn.get_array(list).ok());
    marks.into_iter().flatten().filter_map(Bson::as_document)
}

/// The token of a mark, a flag, or a change that counts include.
pub(crate) fn token_of(mark: &Document) -> Option<ObjectId> {
    mark.get_object_id(stored::TOKEN).ok()
}

/// True if one of these marks has this token.
pub(crate) fn has_token<'d>(
    mut marks: impl Iterator<Item = &'d Document>,
    token: ObjectId,
) -> bool {
    marks.any(|mark| token_of(mark) == Some(token))
}

/// The tokens of a document's marks.
pub(crate) fn tokens(dn: Option<&Document>) -> Vec<ObjectId> {
    let marks = dn.and_then(|dn| dn.get_array(key::UNVERIFIED).ok());
    let marks = marks.map(Vec::as_slice).unwrap_or_default();
    marks
        .iter()
        .filter_map(|mark| token_of(mark.as_document()?))
        .collect()
}
