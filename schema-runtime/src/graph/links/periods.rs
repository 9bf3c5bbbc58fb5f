//! The period that the date of a child belongs to. Only the server knows the time zones: a program caches the periods that it has asked
//! for.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::{Bson, DateTime, Document, RawDocument, doc};
use futures::TryStreamExt;

use super::{Keeps, Link};
use crate::bson_util::calendar::{Calendar, is_date};
use crate::bson_util::path::at;
use crate::driver::capabilities::require;
use crate::driver::{self, Database};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::source::Source;
use crate::schema::model::ModelMeta;
use crate::schema::relation::Per;
use crate::schema::stored;

/// The largest number of periods of one zone in the cache. When it is reached, the cache starts empty again.
const PERIODS: usize = 50_000;

/// The largest number of hours by which the clocks of a zone are put forward or back, and some more.
const SHIFT: i64 = 26;

/// The largest number of dates that one command asks about.
const DATES: usize = 1_000;

/// The largest number of times that periods are asked for, while other calls empty the cache.
const ROUNDS: usize = 20;

/// The periods of a number, and the date by which a child belongs to one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Periods {
    /// The stored name of the children's date.
    pub(crate) at: &'static str,
    pub(crate) per: Per,
    pub(crate) zone: &'static str,
    /// The model whose children are in the periods.
    pub(crate) parent: &'static ModelMeta,
}

/// Cached times of one length in one zone, by their first moment: the moment after them, and the beginning of the period that contains
/// them.
type Known = BTreeMap<DateTime, (DateTime, DateTime)>;

fn cache() -> MutexGuard<'static, HashMap<(Per, &'static str), Known>> {
    static CACHE: OnceLock<Mutex<HashMap<(Per, &'static str), Known>>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Periods {
    /// The beginning of the period that contains this moment, if it is cached.
    pub(crate) fn cached(&self, moment: DateTime) -> Option<DateTime> {
        let cache = cache();
        let known = cache.get(&(self.per, self.zone))?;
        let (_, (end, start)) = known.range(..=moment).next_back()?;
        (moment < *end).then_some(*start)
    }

    /// The condition on the date of the children for the moments that may belong to the periods from one beginning to another.
    pub(crate) fn around(&self, first: DateTime, last: DateTime) -> Document {
        let hours = match self.per {
            Per::Hour => 1,
            Per::Day => 24,
            Per::Week => 7 * 24,
            Per::Month => 31 * 24,
        };
        let after = |start: DateTime, hours: i64| {
            let millis = start.timestamp_millis().saturating_add(hours * 3_600_000);
            DateTime::from_millis(millis)
        };
        doc! { "$gte": after(first, -SHIFT), "$lt": after(last, hours + SHIFT) }
    }

    /// Asks the server for those periods of these moments that are not cached.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) async fn learn(&self, db: &Database, mut unknown: Vec<DateTime>) -> Result<()> {
        unknown.retain(|moment| self.cached(*moment).is_none());
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            require(db, Feature::Periods).await?;
        }
        if let Some(known) = cache().get_mut(&(self.per, self.zone))
            && known.len() >= PERIODS
        {
            known.clear();
        }
        for some in unknown.chunks(DATES) {
            let moments = some.iter().map(|moment| doc! { "t": *moment });
            let pipeline = vec![
                doc! { "$documents": moments.collect::<Vec<Document>>() },
                doc! { "$set": { "s": self.start("$t".into()) } },
                doc! { "$set": { "e": self.start(self.calendar().later("$s", 1_i32.into())) } },
                doc! { "$set": { "l": self.start(doc! { "$subtract": ["$e", 1] }.into()) } },
            ];
            let read = |raw: &RawDocument| {
                let at = |name| raw.get_datetime(name).ok();
                Ok(at("t").zip(at("s")).zip(at("e").zip(at("l"))))
            };
            let reads = driver::Reads::FromPrimary;
            let mut rows = pin!(driver::aggregate(
                db, None, pipeline, None, reads, None, read
            ));
            while let Some(row) = rows.try_next().await? {
                let Some(((moment, start), (end, last))) = row else {
                    continue;
                };
                // Where the clocks are put back to midnight, the server's day begins an hour after its first moment: such moments are
                // remembered one by one.
                let is_plain = start <= moment && moment < end && last == start;
                let (first, end) = match is_plain {
                    true => (start, end),
                    false => (moment, DateTime::from_millis(moment.timestamp_millis() + 1)),
                };
                let mut cache = cache();
                let known = cache.entry((self.per, self.zone)).or_default();
                known.insert(first, (end, start));
            }
        }
        Ok(())
    }

    /// The lengths and the zone of the periods.
    pub(crate) fn calendar(&self) -> Calendar<'static> {
        Calendar {
            unit: self.per.unit(),
            zone: self.zone,
        }
    }

    /// An expression for the beginning of the period that contains a date.
    pub(crate) fn start(&self, date: Bson) -> Bson {
        self.calendar().start(date)
    }

    /// The `_id` of a period's document.
    pub(crate) fn id(parent: &Bson, start: DateTime) -> Bson {
        doc! { stored::PERIOD_PARENT: parent.clone(), stored::PERIOD_START: start }.into()
    }

    /// The parent and the beginning in the `_id` of a period's document.
    pub(crate) fn parts(id: &Bson) -> Option<(&Bson, DateTime)> {
        let id = id.as_document()?;
        let start = id.get_datetime(stored::PERIOD_START).ok()?;
        Some((id.get(stored::PERIOD_PARENT)?, *start))
    }
}

impl Link {
    /// The documents of the periods of these parents that the date of the child belongs to; the parents themselves if the link has no
    /// periods.
    pub(super) fn parents_by_date(
        &self,
        ids: Vec<Bson>,
        at: impl Fn(&str) -> Option<Bson>,
    ) -> Vec<Bson> {
        self.in_period(ids, |periods| match at(periods.at) {
            Some(Bson::DateTime(moment)) => periods.cached(moment),
            _ => None,
        })
    }

    fn in_period(
        &self,
        ids: Vec<Bson>,
        start: impl FnOnce(&Periods) -> Option<DateTime>,
    ) -> Vec<Bson> {
        let Some(periods) = &self.periods else {
            return ids;
        };
        let ids = start(periods).map(|start| ids.iter().map(move |id| Periods::id(id, start)));
        ids.into_iter().flatten().collect()
    }

    /// The documents that a child refers to, also while a list leaves it out. The periods of the child must have been
    /// [found](find_periods).
    pub(super) fn referred_by(&self, child: &Source) -> Vec<Bson> {
        let ids = self.ids(at(&child.fields, self.path_read()));
        self.in_period(ids, |_| child.starts.get(&*self.key).copied())
    }

    /// True if the child has no date of a period, or its period has been [found](find_periods).
    pub(crate) fn is_dated(&self, child: &Source) -> bool {
        let moment = self
            .periods
            .map(|periods| child.fields.get_datetime(periods.at));
        moment.is_none_or(|moment| moment.is_err()) || child.starts.contains_key(&*self.key)
    }

    /// True if a child belongs to a period that is no longer cached.
    pub(crate) fn is_of_unknown_period(&self, child: &RawDocument) -> bool {
        let moment = self.periods.and_then(|periods| {
            let moment = child.get_datetime(periods.at).ok()?;
            Some((periods, moment))
        });
        moment.is_some_and(|(periods, moment)| periods.cached(moment).is_none())
    }

    /// The parent of a child as an expression of its reference and of its date; no value if the child has no parent.
    pub(crate) fn parent_of(&self, reference: Bson, at: impl FnOnce(&str) -> Bson) -> Bson {
        let Some(periods) = &self.periods else {
            return reference;
        };
        let date = at(periods.at);
        let is_there = doc! { "$ne": [{ "$ifNull": [&reference, Bson::Null] }, Bson::Null] };
        let is_there = doc! { "$and": [is_there, is_date(&date)] };
        let id =
            doc! { stored::PERIOD_PARENT: reference, stored::PERIOD_START: periods.start(date) };
        doc! { "$cond": [is_there, id, "$$REMOVE"] }.into()
    }
}

/// Finds the periods of these children that lists of their parents depend on. Asks the server for those that are not cached.
///
/// # Errors
/// The driver's, and [`Error::Busy`].
pub(crate) async fn find_periods<'c>(
    db: &Database,
    collection: &str,
    children: impl IntoIterator<Item = &'c mut Source>,
) -> Result<()> {
    let links = Edges::get().links().iter();
    let listed = links.filter(|link| {
        link.child.collection == collection && matches!(link.keeps, Keeps::Recent(_))
    });
    let listed: Vec<_> = listed
        .filter_map(|link| Some((link, link.periods?)))
        .collect();
    if listed.is_empty() {
        return Ok(());
    }
    let mut children: Vec<&mut Source> = children.into_iter().collect();
    for (link, periods) in listed {
        let moment = |child: &Source| child.fields.get_datetime(periods.at).ok().copied();
        for _ in 0..ROUNDS {
            let unknown = children.iter().filter(|child| !link.is_dated(child));
            let unknown: Vec<DateTime> = unknown.filter_map(|child| moment(child)).collect();
            if unknown.is_empty() {
                break;
            }
            periods.learn(db, unknown).await?;
            for child in &mut children {
                if let Some(start) = moment(child).and_then(|moment| periods.cached(moment)) {
                    child.starts.insert(&link.key, start);
                }
            }
        }
        if !children.iter().all(|child| link.is_dated(child)) {
            return Err(Error::Busy {
                what: format!("the periods of {}", link.name),
            });
        }
    }
    Ok(())
}
