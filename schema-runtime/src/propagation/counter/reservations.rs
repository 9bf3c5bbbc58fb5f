//! The reservations on a parent, and the updates by which C2 and a release remove them.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::Delta;
use crate::bson_util::amount::{self, Amount};
use crate::bson_util::number::integer;
use crate::bson_util::path::at;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Bound, Link, exact_decimal};
use crate::schema::stored;

/// True if a number of this collection's documents has a bound.
pub(super) fn is_bounded(host: &str) -> bool {
    let mut links = Edges::get().links().iter();
    links.any(|link| link.host.collection == host && link.bound.is_some())
}

/// True if operators cannot change the numbers of this collection's documents: one number has a bound, or is a decimal, which the server
/// would round.
pub(super) fn needs_pipeline(host: &str) -> bool {
    let is_decimal = |link: &Link| link.host.collection == host && link.is_decimal();
    is_bounded(host) || Edges::get().links().iter().any(is_decimal)
}

/// The error if a bounded number of the parent, as it was read, does not admit this many more; otherwise `None`.
pub(super) fn bound_error(
    link: &Link,
    bound: &Bound,
    parent: &Document,
    gain: i64,
) -> Option<Error> {
    let max = bound.of(parent)?;
    let now = integer(parent.get(link.field)).unwrap_or(0);
    (now.saturating_add(gain) > max).then(|| Error::Full {
        field: link.shown(),
        max: u64::try_from(max).unwrap_or(0),
    })
}

/// Refuses the amounts that children add in a session, if a bounded number of the parent, as it was read, does not admit them.
pub(super) fn check_bounds(
    host: &str,
    parent: &Document,
    delta: &Delta,
    token: ObjectId,
) -> Result<()> {
    for link in Edges::get().links() {
        if link.host.collection != host {
            continue;
        }
        let gain = delta.inc.get(link.field).copied().unwrap_or_default();
        let reserved = reserved_amount(parent, link.field, Some(token));
        let gain = gain.plus(reserved.negated());
        if !gain.is_positive() {
            continue;
        }
        let gain = gain.as_i64().unwrap_or(i64::MAX);
        let bound = link.bound.as_ref();
        if let Some(error) = bound.and_then(|bound| bound_error(link, bound, parent, gain)) {
            return Err(error);
        }
    }
    Ok(())
}

/// The fields of a parent that [`check_bounds`] reads.
pub(super) fn fields_of_bounds(host: &str) -> Document {
    let links = Edges::get().links().iter();
    let bounded = links.filter(|link| link.host.collection == host && link.bound.is_some());
    let names = bounded.flat_map(|link| {
        let bound = link.bound.as_ref().and_then(Bound::field);
        std::iter::once(link.field).chain(bound)
    });
    names.map(|name| (name.to_owned(), Bson::from(1))).collect()
}

/// The reservations on a parent.
pub(super) fn reservations(parent: &Document) -> Vec<Document> {
    let own = parent.get_document(stored::OWN).ok();
    let counts = own.and_then(|own| own.get_document(stored::key::COUNTS).ok());
    let reserved = counts.and_then(|counts| counts.get_array(stored::key::RESERVED).ok());
    let reserved = reserved.into_iter().flatten();
    reserved.filter_map(Bson::as_document).cloned().collect()
}

/// True if the number of this parent has children that are not counted yet.
pub(crate) fn has_reservations(parent: &Document) -> bool {
    !reservations(parent).is_empty()
}

pub(super) fn has_token(entry: &Document, token: ObjectId) -> bool {
    entry.get_object_id(stored::TOKEN).ok() == Some(token)
}

/// The amount that reservations on a parent have added to this number: all reservations, or those of one token.
pub(super) fn reserved_amount(parent: &Document, field: &str, token: Option<ObjectId>) -> Amount {
    let reserved = reservations(parent);
    let of_token = |entry: &&Document| token.is_none_or(|token| has_token(entry, token));
    let amounts = reserved.iter().filter(of_token).filter_map(|entry| {
        let amounts = entry.get_document(stored::key::RESERVED_AMOUNTS).ok()?;
        Amount::read(at(amounts, field)?)
    });
    amounts.fold(Amount::default(), Amount::plus)
}

pub(super) fn all_reserved() -> Document {
    doc! { "$ifNull": [stored::value::RESERVED, []] }
}

/// The fields of a `$set` by which C2 and a release change a parent with reservations. It removes the reservations for which `these` holds,
/// an expression about `$$this`; the numbers gain `amounts`, less the amounts of these reservations. `None` if operators can do the same,
/// because no number of this parent has a bound or is a decimal.
pub(super) fn convert_reservations(
    host: &str,
    amounts: &[(&'static str, Bson)],
    these: Document,
) -> Option<Document> {
    if !needs_pipeline(host) {
        return None;
    }
    let which = doc! { "$filter": { "input": all_reserved(), "cond": &these } };
    let mut set = Document::new();
    for link in reserved_numbers(host) {
        let name = format!("$$this.{}.{}", stored::key::RESERVED_AMOUNTS, link.field);
        let reserved = doc! { "$sum": { "$map": { "input": &which, "in": name } } };
        let n = amounts.iter().find(|(name, _)| *name == link.field);
        let n = n.map(|(_, n)| n.clone()).or_else(|| link.zero().to_bson());
        set.insert(link.field, gain(link.field, n.as_ref(), Some(reserved)));
    }
    for (field, n) in amounts {
        if !set.contains_key(field) {
            set.insert(*field, gain(field, Some(n), None));
        }
    }
    if !is_bounded(host) {
        return Some(set);
    }
    let left = doc! { "$filter": { "input": all_reserved(), "cond": { "$not": [these] } } };
    let some = doc! { "$cond": [{ "$eq": ["$$left", []] }, "$$REMOVE", "$$left"] };
    let left = doc! { "$let": { "vars": { "left": left }, "in": some } };
    set.insert(stored::RESERVED, left);
    Some(set)
}

/// The fields of a `$set` by which numbers gain these amounts.
pub(super) fn gains(amounts: &[(&'static str, Bson)]) -> Document {
    let gains = amounts.iter();
    let gains = gains.map(|(field, n)| ((*field).to_owned(), gain(field, Some(n), None).into()));
    gains.collect()
}

/// A number after it has gained `n` and lost `less`, as an expression.
fn gain(field: &str, n: Option<&Bson>, less: Option<Document>) -> Document {
    let mut terms = vec![Bson::from(doc! { "$ifNull": [format!("${field}"), 0_i64] })];
    terms.extend(n.cloned());
    terms.extend(less.map(|less| Bson::from(doc! { "$multiply": [less, -1_i64] })));
    let sum = doc! { "$add": terms };
    match n {
        Some(Bson::Decimal128(_)) => exact_decimal(sum.into(), amount::SUM_DIGITS, Vec::new()),
        // If the number exceeds 64 bits, the server would continue with a float.
        _ => doc! { "$toLong": sum },
    }
}

/// The numbers that a reservation of a parent in this collection may have changed: all that depend on the children of a bounded number.
fn reserved_numbers(host: &str) -> Vec<&'static Link> {
    let links = Edges::get().links();
    let here = || {
        let here = links.iter().filter(|link| link.host.collection == host);
        here.filter(|link| link.counts())
    };
    let is_beside = |link: &&Link| {
        let mut bounded = here().filter(|other| other.bound.is_some());
        bounded.any(|other| other.child.collection == link.child.collection)
    };
    here().filter(is_beside).collect()
}

/// An expression about `$$this` that is true for the reservation of this child under this token.
pub(super) fn is_of(token: ObjectId, child: &Bson) -> Document {
    let name = format!("$$this.{}", stored::key::RESERVED_CHILD);
    doc! { "$and": [
        { "$eq": [stored::THIS_TOKEN, token] },
        { "$eq": [name, { "$literal": child }] },
    ] }
}
