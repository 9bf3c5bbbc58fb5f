//! Fields that equal the number of children, or the sum of an integer of theirs: of all children, or of those with a value in a field; and
//! fields that equal the average, the least or the greatest value of a field of all children. An average is a number, or a document with the sum
//! and the number.

use std::collections::HashMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use super::{Amount, Count, Reference, Total};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::profile::{Key, Kind, Values, share};
use crate::pull::source::{Class, Source};

/// Parents whose children are counted.
const PARENTS: i64 = 500;
const EQUAL: f64 = 0.75;
/// The share of equal totals that sums and conditions need: many of them are tried.
const EQUAL_OF_MANY: f64 = 0.8;
/// The fields of a stored average.
const AVERAGE: [&str; 2] = ["sum", "n"];
/// The number of fields that are added up, and the number of conditions that are tried.
const SUMS: usize = 8;
const CONDITIONS: usize = 12;
/// A text with more values than this is no condition.
const VALUES: usize = 6;

/// Finds the fields of parents that hold the number of their children, or a sum, an average or an extreme of theirs.
pub(crate) async fn count_children(
    connection: &Connection,
    sources: &[Source],
    references: &[Reference],
) -> Result<Vec<Count>> {
    let mut found = Vec::new();
    for (at, reference) in references.iter().enumerate() {
        let single = reference.key == "_id"
            && !reference.in_array
            && !reference.path.contains('.')
            && !reference.as_text;
        let parents = &sources[reference.to];
        let fields = parents
            .root
            .in_order()
            .into_iter()
            .filter(|(name, values)| {
                *name != "_id" && (is_count(values) || is_average_document(values))
            });
        let fields: Vec<&str> = fields.map(|(name, _)| name).collect();
        if !single || fields.is_empty() || parents.class != Class::Plain {
            continue;
        }
        found.extend(compare(connection, sources, (at, reference), &fields).await?);
    }
    Ok(found)
}

fn is_count(values: &Values) -> bool {
    let is_total = |kind| {
        matches!(
            kind,
            Kind::Int32 | Kind::Int64 | Kind::Double | Kind::Decimal | Kind::Date
        )
    };
    values
        .main_kind()
        .is_some_and(|(kind, share)| is_total(kind) && share > 0.5)
}

/// True if the values are documents of a sum and a number.
pub(crate) fn is_average_document(values: &Values) -> bool {
    let is_integer =
        |values: &Values| values.nulls == 0 && values.is_only(&[Kind::Int32, Kind::Int64]);
    let fields = values.fields.as_deref();
    fields.is_some_and(|fields| {
        let named = || AVERAGE.map(|name| fields.get(name));
        let everywhere = |of: &Values| is_integer(of) && of.count == fields.documents;
        values.nulls == 0
            && values.only_kind() == Some(Kind::Document)
            && fields.named.len() == AVERAGE.len()
            && named().into_iter().all(|of| of.is_some_and(everywhere))
    })
}

/// The amounts that are compared: the plain count, then sums of all children, then both with a condition; and then averages and extremes.
fn amounts(children: &Source, reference: &str) -> Vec<Amount> {
    let named = children.root.in_order().into_iter();
    let named: Vec<(&str, &Values)> = named
        .filter(|(name, _)| *name != "_id" && *name != reference)
        .collect();
    let integers = named
        .iter()
        .filter(|(_, values)| values.is_only(&[Kind::Int32, Kind::Int64]));
    let integers: Vec<&str> = integers.take(SUMS).map(|(name, _)| *name).collect();
    let sums = integers.iter().map(|name| Total::Sum((*name).to_owned()));
    let sums: Vec<Total> = std::iter::once(Total::Children).chain(sums).collect();
    let everywhere = named
        .iter()
        .filter(|(_, values)| values.nulls == 0 && values.count == children.read);
    let conditions = everywhere.flat_map(|(name, values)| {
        let values = condition_values(values).into_iter();
        values.map(|value| Some(((*name).to_owned(), value)))
    });
    let conditions: Vec<_> = std::iter::once(None)
        .chain(conditions.take(CONDITIONS))
        .collect();
    let pairs = conditions.into_iter().flat_map(|only| {
        let sums = sums.iter().cloned();
        sums.map(move |of| Amount {
            of,
            only: only.clone(),
        })
    });
    let averages = integers.iter().flat_map(|name| {
        let name = || (*name).to_owned();
        [Total::Average(name()), Total::Quotient(name())]
    });
    let ordered = named.iter().filter(|(_, values)| is_ordered(values));
    let extremes = ordered.take(SUMS).flat_map(|(name, _)| {
        let name = || (*name).to_owned();
        [Total::Least(name()), Total::Greatest(name())]
    });
    let others = averages.chain(extremes);
    pairs
        .chain(others.map(|of| Amount { of, only: None }))
        .collect()
}

/// True if all values are numbers of one kind, or dates.
fn is_ordered(values: &Values) -> bool {
    let kinds: [&[Kind]; 4] = [
        &[Kind::Int32, Kind::Int64],
        &[Kind::Double],
        &[Kind::Decimal],
        &[Kind::Date],
    ];
    kinds.iter().any(|kinds| values.is_only(kinds))
}

/// The values that a condition on the field may name.
fn condition_values(values: &Values) -> Vec<Bson> {
    let text = &values.text;
    match values.only_kind() {
        Some(Kind::Bool) => vec![Bson::Boolean(true), Bson::Boolean(false)],
        Some(Kind::String) if text.others == 0 && text.distinct.len() <= VALUES => {
            let distinct = text.distinct.keys();
            distinct.map(|value| Bson::from(&**value)).collect()
        }
        _ => Vec::new(),
    }
}

/// The number that the children make, as an accumulator.
fn accumulator(amount: &Amount) -> Document {
    let added = match amount.of.field() {
        Some(field) => Bson::from(format!("${field}")),
        None => Bson::Int64(1),
    };
    let value = match &amount.only {
        Some((field, value)) => {
            let meets = doc! { "$eq": [format!("${field}"), { "$literal": value }] };
            doc! { "$cond": [meets, added, 0_i64] }.into()
        }
        None => added,
    };
    match amount.of {
        Total::Children | Total::Sum(_) => doc! { "$sum": value },
        // The sum is a total of its own.
        Total::Average(_) => {
            doc! { "$sum": { "$cond": [{ "$isNumber": value }, 1_i64, 0_i64] } }
        }
        Total::Quotient(_) => doc! { "$avg": value },
        Total::Least(_) => doc! { "$min": value },
        Total::Greatest(_) => doc! { "$max": value },
    }
}

/// The fields of one parent collection beside the amounts of its children.
struct Comparison {
    parents: Vec<Document>,
    amounts: Vec<Amount>,
    /// The totals of each parent that has children, by the names of the amounts.
    totals: HashMap<Key, Document>,
}

async fn compare(
    connection: &Connection,
    sources: &[Source],
    (at, reference): (usize, &Reference),
    fields: &[&str],
) -> Result<Vec<Count>> {
    let comparison = read(connection, sources, reference, fields).await?;
    let best = fields.iter().filter_map(|field| {
        let (amount, looked, equal) = comparison.best(field)?;
        Some(Count {
            parent: reference.to,
            field: (*field).to_owned(),
            reference: at,
            amount: amount.clone(),
            looked,
            equal,
        })
    });
    Ok(best.collect())
}

async fn read(
    connection: &Connection,
    sources: &[Source],
    reference: &Reference,
    fields: &[&str],
) -> Result<Comparison> {
    let collection = |source: usize| connection.db.collection::<Document>(&sources[source].name);
    let mut projection = doc! { "_id": 1 };
    fields.iter().for_each(|field| {
        projection.insert(*field, 1);
    });
    let sample = [
        doc! { "$sample": { "size": PARENTS } },
        doc! { "$project": projection },
    ];
    let parents: Vec<Document> = collection(reference.to)
        .aggregate(sample)
        .await?
        .try_collect()
        .await?;
    let ids = parents.iter().filter_map(|parent| parent.get("_id"));
    let ids: Vec<Bson> = ids.cloned().collect();
    let amounts = amounts(&sources[reference.from], &reference.path);
    let mut totals = doc! { "_id": format!("${}", reference.path) };
    for (nth, amount) in amounts.iter().enumerate() {
        totals.insert(total(nth), accumulator(amount));
    }
    let group = [
        doc! { "$match": { &reference.path: { "$in": ids } } },
        doc! { "$group": totals },
    ];
    let groups: Vec<Document> = collection(reference.from)
        .aggregate(group)
        .allow_disk_use(true)
        .await?
        .try_collect()
        .await?;
    let totals = groups
        .into_iter()
        .filter_map(|group| Some((Key::of(group.get("_id")?)?, group)));
    Ok(Comparison {
        totals: totals.collect(),
        parents,
        amounts,
    })
}

/// The name of a total in a group.
fn total(nth: usize) -> String {
    format!("n{nth}")
}

impl Comparison {
    /// The amount whose totals a field holds in most parents, with the numbers of parents that were compared and that are equal. Of several
    /// that are equally good it is the first, which is the simplest.
    fn best(&self, field: &str) -> Option<(&Amount, u64, u64)> {
        let mut best: Option<(&Amount, u64, u64)> = None;
        for (nth, amount) in self.amounts.iter().enumerate() {
            let Some((looked, equal)) = self.equal(field, nth) else {
                continue;
            };
            if best.is_none_or(|(_, _, most)| equal > most) {
                best = Some((amount, looked, equal));
            }
        }
        best
    }

    /// The number of parents that were compared with the totals of an amount, and of those that hold the total; `None` if that is chance.
    fn equal(&self, field: &str, nth: usize) -> Option<(u64, u64)> {
        let (mut looked, mut equal, mut some, mut chance) = (0, 0, 0, 0);
        let of = &self.amounts[nth].of;
        let adds_up = matches!(of, Total::Children | Total::Sum(_) | Total::Average(_));
        let digits = match of {
            Total::Quotient(_) => self.digits(field),
            _ => 0,
        };
        let is_total = |stored: &Bson, total: &Bson| match of {
            Total::Quotient(_) => is_quotient(digits, stored, total),
            // Integers of both widths are one number.
            _ => stored == total || Key::of(stored).is_some_and(|key| Key::of(total) == Some(key)),
        };
        let mut previous = None;
        for parent in &self.parents {
            let Some(key) = parent.get("_id").and_then(Key::of) else {
                continue;
            };
            let stored = parent.get(field).filter(|value| **value != Bson::Null);
            let totals = self.totals.get(&key);
            let total = totals.and_then(|totals| self.total(totals, nth));
            let total = total.filter(|value| *value != Bson::Null);
            let (total, is_telling) = match adds_up {
                true => {
                    let nothing = || match of {
                        Total::Average(_) => average([Some(Bson::Int64(0)), Some(Bson::Int64(0))]),
                        _ => Some(Bson::Int64(0)),
                    };
                    let is_telling = total.is_some() && total != nothing();
                    (total.or_else(nothing), is_telling)
                }
                // One child is equal to its own average and extremes.
                false => (
                    total,
                    totals.is_some_and(|totals| self.has_several(totals, of)),
                ),
            };
            let is_compared = stored.is_some() || total.is_some();
            let (Some(stored), Some(total)) = (stored, total) else {
                looked += u64::from(!adds_up && is_compared);
                continue;
            };
            let stored = match of {
                Total::Average(_) => &as_average(stored).unwrap_or(Bson::Null),
                _ => stored,
            };
            let has_kind = match of {
                Total::Average(_) => *stored != Bson::Null,
                _ => !adds_up || matches!(Key::of(stored), Some(Key::Int(_))),
            };
            if !has_kind {
                continue;
            }
            let is_equal = is_total(stored, &total);
            looked += 1;
            equal += u64::from(is_equal);
            some += u64::from(is_telling && is_equal);
            chance += u64::from(previous.is_some_and(|previous| is_total(stored, &previous)));
            previous = Some(total);
        }
        let (enough, least) = match nth {
            0 => (EQUAL, 3),
            _ => (EQUAL_OF_MANY, 10),
        };
        let (equals, by_chance) = (share(equal, looked), share(chance, looked));
        let beyond_chance = (equals - by_chance) / (1.0 - by_chance).max(0.01);
        (equals >= enough && some >= least && beyond_chance >= 0.5).then_some((looked, equal))
    }

    /// The total of an amount, among the totals of one parent.
    fn total(&self, totals: &Document, nth: usize) -> Option<Bson> {
        let own = totals.get(total(nth)).cloned();
        match &self.amounts.get(nth)?.of {
            Total::Average(field) => {
                let sum = self.value(totals, &Total::Sum(field.clone())).cloned();
                average([sum, own])
            }
            _ => own,
        }
    }

    fn value<'t>(&self, totals: &'t Document, of: &Total) -> Option<&'t Bson> {
        let nth = self.amounts.iter().position(|amount| amount.of == *of)?;
        totals.get(total(nth))
    }

    /// True if the children of these totals have several values in the field.
    fn has_several(&self, totals: &Document, of: &Total) -> bool {
        let value = |of: Total| self.value(totals, &of);
        let name = || of.field().unwrap_or_default().to_owned();
        value(Total::Least(name())) != value(Total::Greatest(name()))
    }

    /// The largest number of digits after the point of a field of the parents.
    fn digits(&self, field: &str) -> i32 {
        let stored = self.parents.iter().filter_map(|parent| parent.get(field));
        let digits = stored.filter_map(double).map(|value| {
            let text = value.to_string();
            text.split_once('.').map_or(0, |(_, digits)| digits.len())
        });
        i32::try_from(digits.max().unwrap_or(0)).unwrap_or(i32::MAX)
    }
}

/// An average as it is stored, of the sum and the number; integers of both widths are one number.
fn average(parts: [Option<Bson>; 2]) -> Option<Bson> {
    let mut average = Document::new();
    for (name, part) in AVERAGE.iter().zip(parts) {
        let Some(Key::Int(part)) = Key::of(&part?) else {
            return None;
        };
        average.insert(*name, part);
    }
    Some(average.into())
}

/// The average that a field of a parent stores.
fn as_average(stored: &Bson) -> Option<Bson> {
    let stored = stored.as_document()?;
    average(AVERAGE.map(|name| stored.get(name).cloned()))
}

/// True if a stored number is the average, rounded to so many digits after the point.
fn is_quotient(digits: i32, stored: &Bson, average: &Bson) -> bool {
    let (Some(stored), Some(average)) = (double(stored), double(average)) else {
        return false;
    };
    let precision = 0.5 / 10_f64.powi(digits) + average.abs() * f64::EPSILON * 4.0;
    (average - stored).abs() <= precision
}

/// A number as a double.
fn double(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => {
            value.to_string().parse().ok()
        }
        _ => None,
    }
}
