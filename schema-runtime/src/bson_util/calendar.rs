//! Periods of the calendar in a time zone, as expressions of the server. Only the server knows the time zones.

use std::ops::Range;

use bson::{Bson, DateTime, Document, doc};

/// Periods of one length in one zone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calendar<'z> {
    /// The length, by the server's name.
    pub(crate) unit: &'static str,
    /// The name of the zone, as the IANA database has it.
    pub(crate) zone: &'z str,
}

impl Calendar<'_> {
    /// An expression for the beginning of the period that contains a date.
    pub(crate) fn start(&self, date: Bson) -> Bson {
        let Calendar { unit, zone } = self;
        let start =
            doc! { "date": date, "unit": *unit, "timezone": *zone, "startOfWeek": "monday" };
        doc! { "$dateTrunc": start }.into()
    }

    /// An expression for the date that is so many periods later.
    pub(crate) fn later(&self, date: &str, amount: Bson) -> Bson {
        let Calendar { unit, zone } = self;
        let later = doc! { "startDate": date, "unit": *unit, "amount": amount, "timezone": *zone };
        doc! { "$dateAdd": later }.into()
    }

    /// An expression for the beginnings of the periods, from one beginning up to another at most.
    fn until(&self, first: &str, last: &str) -> Document {
        let Calendar { unit, zone } = self;
        let count = doc! { "$dateDiff": {
            "startDate": first, "endDate": last, "unit": *unit, "timezone": *zone,
            "startOfWeek": "monday",
        } };
        let numbers = doc! { "$range": [0, { "$add": [count, 1] }] };
        let start = self.start(self.later(first, "$$this".into()));
        doc! { "$map": { "input": numbers, "in": start } }
    }

    /// A pipeline without a collection that makes a document for each period which has a part of a time: `{ start }`.
    pub(crate) fn periods_of(&self, time: &Range<DateTime>) -> Vec<Document> {
        let first = self.start(Bson::DateTime(time.start));
        let end = DateTime::from_millis(time.end.timestamp_millis() - 1);
        let last = self.start(Bson::DateTime(end));
        vec![
            doc! { "$documents": [{ "first": first, "last": last }] },
            doc! { "$project": { "last": 1, "start": self.until("$first", "$last") } },
            doc! { "$unwind": "$start" },
            doc! { "$match": { "$expr": { "$lte": ["$start", "$last"] } } },
        ]
    }
}

/// An expression that is true if a value is a date.
pub(crate) fn is_date(date: &Bson) -> Document {
    doc! { "$eq": [{ "$type": date.clone() }, "date"] }
}
