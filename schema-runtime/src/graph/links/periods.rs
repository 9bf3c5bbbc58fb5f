//! The period that the date of a child belongs to. Only the server knows the time zones: a program caches the periods that it has asked
//! for.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::{Bson, DateTime, Document, RawDocument, doc};
use futures::TryStreamExt;

use crate::driver::capabilities::require;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::error::server::Feature;
use crate::schema::model::ModelMeta;
use crate::schema::relation::Per;
use crate::schema::stored;

/// The largest number of periods of one zone in the cache. When it is reached, the cache starts empty again.
const PERIODS: usize = 50_000;

/// The largest number of hours by which the clocks of a zone are put forward or back, and some more.
const SHIFT: i64 = 26;

/// The largest number of dates that one command asks about.
const DATES: usize = 1_000;

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
                doc! { "$set": { "e": self.start(self.later("$s", 1_i32.into())) } },
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

    /// An expression for the beginning of the period that contains a date.
    pub(crate) fn start(&self, date: Bson) -> Bson {
        let (unit, zone) = (self.per.unit(), self.zone);
        let start = doc! { "date": date, "unit": unit, "timezone": zone, "startOfWeek": "monday" };
        doc! { "$dateTrunc": start }.into()
    }

    /// An expression for the date that is so many periods later.
    pub(crate) fn later(&self, date: &str, amount: Bson) -> Bson {
        let (unit, zone) = (self.per.unit(), self.zone);
        let later = doc! { "startDate": date, "unit": unit, "amount": amount, "timezone": zone };
        doc! { "$dateAdd": later }.into()
    }

    /// An expression for the beginnings of the periods, from one beginning up to another at most.
    pub(crate) fn until(&self, first: &str, last: &str) -> Document {
        let (unit, zone) = (self.per.unit(), self.zone);
        let count = doc! { "$dateDiff": {
            "startDate": first, "endDate": last, "unit": unit, "timezone": zone,
            "startOfWeek": "monday",
        } };
        let numbers = doc! { "$range": [0, { "$add": [count, 1] }] };
        let start = self.start(self.later(first, "$$this".into()));
        doc! { "$map": { "input": numbers, "in": start } }
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

    /// An expression that is true if a value is a date.
    pub(crate) fn is_date(date: &Bson) -> Document {
        doc! { "$eq": [{ "$type": date.clone() }, "date"] }
    }
}
