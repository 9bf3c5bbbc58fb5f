//! C1: the part of a child's write that flags the child.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};

use super::counting_links;
use crate::bson_util::amount::{Amount, inexact};
use crate::bson_util::calendar::is_date;
use crate::bson_util::path::at;
use crate::bson_util::stored_id::id_of;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::{Addend, ChildWrite, Link, Moving};
use crate::schema::stored;

/// The references with a counter: each once for the parents themselves, and once for each kind of periods.
fn references(collection: &str) -> Vec<&Link> {
    let mut out: Vec<&Link> = Vec::new();
    for link in counting_links(collection) {
        if out.iter().all(|known| known.key != link.key) {
            out.push(link);
        }
    }
    out
}

/// The numbers along this reference to which a child adds an amount other than one.
fn weighed(link: &Link) -> impl Iterator<Item = (&Link, &Addend)> {
    let links = Edges::get().links_of(link.child.collection);
    let along = links.filter(|other| other.key == link.key);
    along.filter_map(|other| Some((other, other.addend()?)))
}

/// The flag of a new child; `None` if no parent counts the child. Call
/// [`learn_periods`](crate::propagation::periods::learn_periods) before it.
///
/// # Errors
/// [`Error::Impossible`] if an amount of the child cannot be added exactly.
pub(crate) fn new_child_flag(
    collection: &str,
    child: &RawDocument,
    token: ObjectId,
) -> Result<Option<Document>> {
    flag_along(references(collection), child, token)
}

fn flag_along(links: Vec<&Link>, child: &RawDocument, token: ObjectId) -> Result<Option<Document>> {
    let mut to = Document::new();
    let mut gain = Vec::new();
    for link in links {
        let parent = link.parents(child).into_iter().next();
        if parent.is_none() && link.is_of_unknown_period(child) {
            return Err(Error::Busy {
                what: format!("the periods of {}", link.name),
            });
        }
        if let Some(parent) = parent {
            to.insert(&link.key, parent);
            for (link, addend) in weighed(link) {
                let added = addend.amount_of(child).ok().and_then(Amount::to_bson);
                gain.push(amount(link, added.ok_or_else(|| refused(link))?));
            }
        }
    }
    if to.is_empty() {
        return Ok(None);
    }
    let mut flag = doc! { stored::TOKEN: token, stored::key::UNCOUNTED_TO: to };
    if !gain.is_empty() {
        flag.insert(stored::key::UNCOUNTED_GAIN, gain);
    }
    Ok(Some(flag))
}

/// A child with the flag that a new child would have, without its periods, which have no bounds; `None` if no parent counts the child.
///
/// # Errors
/// As [`new_child_flag`].
pub(crate) fn as_new_child(
    collection: &str,
    child: &RawDocument,
    token: ObjectId,
) -> Result<Option<Document>> {
    let mut links = references(collection);
    links.retain(|link| link.periods.is_none());
    let flag = flag_along(links, child, token)?;
    let own = flag.map(|flag| doc! { stored::key::UNCOUNTED: [flag] });
    Ok(own.map(|own| doc! { "_id": id_of(child), stored::OWN: own }))
}

/// The error about a child whose amount is refused.
fn refused(link: &Link) -> Error {
    Error::Impossible {
        what: inexact(&format!("`{}`", link.shown())),
    }
}

/// A child with the flag that it gets if an update with this `$set` gives it other parents. The flag has only the amounts that every child
/// adds. `None` if no parent counts the child.
pub(crate) fn as_moved_child(
    collection: &str,
    id: &Bson,
    set: &Document,
    token: ObjectId,
) -> Option<Document> {
    let mut to = Document::new();
    for link in references(collection) {
        // A period has no bound.
        let set = (link.periods.is_none()).then_some(set);
        let parent = set.and_then(|set| at(set, &link.reference));
        let parent = parent.filter(|parent| **parent != Bson::Null);
        to.extend(parent.map(|parent| (link.key.clone(), parent.clone())));
    }
    if to.is_empty() {
        return None;
    }
    let flag = doc! { stored::TOKEN: token, stored::key::UNCOUNTED_TO: to };
    let own = doc! { stored::key::UNCOUNTED: [flag] };
    Some(doc! { "_id": id, stored::OWN: own })
}

/// An amount in a flag: the amount that a child adds to the number of this link.
fn amount(link: &Link, amount: Bson) -> Document {
    doc! { stored::key::UNCOUNTED_LINK: &link.name, stored::key::UNCOUNTED_AMOUNT: amount }
}

/// The pipeline stages that flag a child if its write changes which parent counts it, or how much it adds there. They go before the stages
/// that write its fields and the mark of a deleted child. `computed` are expressions for the values that the server computes for fields.
/// References and amounts that the write does not change are skipped.
pub(crate) fn flag_stages(
    collection: &str,
    token: ObjectId,
    moving: Moving<'_>,
    computed: &Document,
    written: impl Fn(&str) -> bool,
) -> Vec<Document> {
    let write = ChildWrite {
        moving,
        computed,
        written: &written,
    };
    let links = references(collection).into_iter();
    let moves: Vec<Move<'_>> = links.filter_map(|link| write.plan(link)).collect();
    stage(token, &moves).into_iter().collect()
}

/// The stages that flag a child which is going to be removed, once: after that no parent counts it.
pub(crate) fn removal_stages(collection: &str, token: ObjectId) -> Vec<Document> {
    let mut stages = flag_stages(collection, token, Moving::Away, &Document::new(), |_| true);
    stages.push(doc! { "$set": { stored::LEFT_COUNTS: true } });
    stages
}

/// The change of the parent that counts a child along one reference, as expressions.
struct Move<'l> {
    link: &'l Link,
    /// An expression that is true if the parent or an amount changes.
    differs: Bson,
    /// True if, in that case, the stored parent loses the child, or the amounts that it had.
    leaves: bool,
    /// The parent that gets the child, or keeps it with other amounts.
    next: Option<Bson>,
    /// The amounts that the parents lose and gain, by number.
    amounts: Vec<AmountChange<'l>>,
}

struct AmountChange<'l> {
    link: &'l Link,
    before: Bson,
    after: Bson,
}

impl ChildWrite<'_> {
    /// Plans the change along a reference; `None` if the write changes neither the reference nor an amount.
    fn plan<'l>(&self, link: &'l Link) -> Option<Move<'l>> {
        let stored = || Bson::from(format!("${}", link.reference));
        let amounts = weighed(link).map(|(link, addend)| AmountChange {
            link,
            before: addend.stored(),
            after: addend.expression(|name| self.value_after(name)),
        });
        let amounts: Vec<AmountChange<'_>> = amounts.collect();
        if link.periods.is_some() {
            return self.plan_period(link, amounts);
        }
        let is_written = (self.written)(link.row);
        let (differs, next) = match self.moving {
            Moving::To(_) if !is_written => {
                let mut fields = weighed(link).flat_map(|(_, addend)| addend.fields());
                if !fields.any(|name| self.changes(name)) {
                    return None;
                }
                let changed = doc! { "$and": [there(link), any_differs(&amounts)] };
                (Bson::Document(changed), Some(stored()))
            }
            Moving::To(after) => {
                let next = at(after, &link.reference).filter(|next| **next != Bson::Null);
                let differs = match next {
                    Some(next) => flags::differs(&link.reference, Some(next)),
                    None => Bson::Document(there(link)),
                };
                let differs = match next {
                    Some(_) if !amounts.is_empty() => {
                        doc! { "$or": [differs, any_differs(&amounts)] }.into()
                    }
                    _ => differs,
                };
                let next = next.map(|next| Bson::Document(doc! { "$literal": next }));
                (differs, next)
            }
            Moving::Away | Moving::Back if !is_written => return None,
            Moving::Away => (Bson::Document(there(link)), None),
            Moving::Back => (Bson::Document(there(link)), Some(stored())),
        };
        Some(self.change(link, differs, next, amounts))
    }

    /// Plans the change along a reference whose parents are documents of periods: the date of the child decides as the reference does.
    fn plan_period<'l>(&self, link: &'l Link, amounts: Vec<AmountChange<'l>>) -> Option<Move<'l>> {
        let (before, there) = (link.stored_parent(), Bson::Document(there(link)));
        let Moving::To(_) = self.moving else {
            let next = matches!(self.moving, Moving::Back).then_some(before);
            return Some(self.change(link, there, next, amounts));
        };
        let mut decisive = weighed(link).flat_map(|(link, _)| link.weighs());
        let mut decisive = decisive.by_ref().chain(link.weighs());
        if !(self.written)(link.row) && !decisive.any(|name| self.changes(name)) {
            return None;
        }
        let next = self.period_after(link);
        let moves = doc! { "$ne": [&before, &next] };
        let differs = match amounts.is_empty() {
            true => moves,
            false => doc! { "$or": [moves, { "$and": [there, any_differs(&amounts)] }] },
        };
        Some(self.change(link, differs.into(), Some(next), amounts))
    }

    fn change<'l>(
        &self,
        link: &'l Link,
        differs: Bson,
        next: Option<Bson>,
        amounts: Vec<AmountChange<'l>>,
    ) -> Move<'l> {
        let differs = match self.moving.may_move(link) {
            Some(may_move) => Bson::Document(doc! { "$and": [may_move, differs] }),
            None => differs,
        };
        Move {
            link,
            differs,
            leaves: !matches!(self.moving, Moving::Back),
            next,
            amounts,
        }
    }
}

/// The operators of an update that a pipeline can compute, each with the effect of the operator.
pub(crate) const COMPUTED: [&str; 4] = ["$inc", "$mul", "$min", "$max"];

/// An expression for the value of a field after one of these operators. A sum or product is a number of the type of the operand, or an
/// error of the server.
pub(crate) fn computed(operator: &str, name: &str, operand: &Bson) -> Bson {
    let stored = format!("${name}");
    let operand_value = doc! { "$literal": operand };
    let number = |expression: &str| {
        let value = doc! { expression: [{ "$ifNull": [&stored, 0] }, &operand_value] };
        match operand {
            Bson::Int32(_) => doc! { "$toInt": value },
            Bson::Decimal128(_) => doc! { "$toDecimal": value },
            _ => doc! { "$toLong": value },
        }
    };
    let value = match operator {
        "$inc" => number("$add"),
        "$mul" => number("$multiply"),
        // `$min` and `$max` ignore values that are absent or null.
        "$min" => doc! { "$min": [stored, operand_value] },
        _ => doc! { "$max": [stored, operand_value] },
    };
    value.into()
}

fn any_differs(amounts: &[AmountChange<'_>]) -> Document {
    let differ = amounts.iter();
    let differ = differ.map(|amount| doc! { "$ne": [&amount.before, &amount.after] });
    doc! { "$or": differ.collect::<Vec<_>>() }
}

fn there(link: &Link) -> Document {
    let refers =
        doc! { "$ne": [{ "$ifNull": [format!("${}", link.reference), Bson::Null] }, Bson::Null] };
    match link.periods {
        None => refers,
        Some(periods) => {
            let date = is_date(&format!("${}", periods.at).into());
            doc! { "$and": [refers, date] }
        }
    }
}

fn stage(token: ObjectId, moves: &[Move<'_>]) -> Option<Document> {
    if moves.is_empty() {
        return None;
    }
    let (mut from, mut to, mut any) = (Document::new(), Document::new(), Vec::new());
    let (mut loss, mut gain) = (Vec::new(), Vec::new());
    for Move {
        link,
        differs,
        leaves,
        next,
        amounts,
    } in moves
    {
        if *leaves {
            let lost = doc! { "$and": [there(link), differs] };
            let stored = link.stored_parent();
            from.insert(&link.key, doc! { "$cond": [lost, stored, "$$REMOVE"] });
            let before = amounts.iter();
            loss.extend(before.map(|one| amount(one.link, one.before.clone())));
        }
        if let Some(next) = next {
            to.insert(&link.key, doc! { "$cond": [differs, next, "$$REMOVE"] });
            let after = amounts.iter();
            gain.extend(after.map(|one| amount(one.link, one.after.clone())));
        }
        any.push(differs.clone());
    }
    let mut flag = doc! {
        stored::TOKEN: token,
        stored::key::UNCOUNTED_FROM: from,
        stored::key::UNCOUNTED_TO: to,
    };
    let amounts = [
        (stored::key::UNCOUNTED_LOSS, loss),
        (stored::key::UNCOUNTED_GAIN, gain),
    ];
    for (key, amounts) in amounts.into_iter().filter(|(_, all)| !all.is_empty()) {
        flag.insert(key, amounts);
    }
    let flags = flags::with_mark(stored::value::UNCOUNTED, flag);
    let with = doc! { "$mergeObjects": [stored::value::OWN, { stored::key::UNCOUNTED: flags }] };
    Some(doc! { "$set": { stored::OWN: { "$cond": [{ "$or": any }, with, stored::value::OWN] } } })
}
