//! The days of hosts: how many messages each has, and the least and the greatest of them.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Document, doc};

use super::{Place, Stored, marked, note, own, pending};
use crate::oracle::{ANY, Audit};

/// How many messages, the least, and the greatest sort key.
type Day = (i64, Option<i64>, Option<i64>);

/// The length of a day in milliseconds.
const DAY: i64 = 86_400_000;

/// Every day of a host has exactly its messages.
pub(super) fn compare(stored: &Stored, out: &mut Audit) {
    let mut want: BTreeMap<(i64, i64), Day> = BTreeMap::new();
    let messages = stored.of("logmsg").iter();
    for message in messages.filter(|message| own(message, "del").is_none()) {
        let at = message.get_datetime("at").map(|at| at.timestamp_millis());
        if let (Ok(host), Ok(at), Ok(time)) = (message.get_i64("host"), at, message.get_i64("time"))
        {
            let (n, first, last) = want.entry((host, at.div_euclid(DAY))).or_default();
            *n += 1;
            *first = Some(first.map_or(time, |first| first.min(time)));
            *last = Some(last.map_or(time, |last| last.max(time)));
        }
    }
    let mut have: BTreeMap<(i64, i64), &Document> = BTreeMap::new();
    for day in stored.of("host_days") {
        let id = day.get_document("_id").expect("an id");
        let start = id.get_datetime("d").expect("a date").timestamp_millis();
        let key = (id.get_i64("p").expect("a host"), start.div_euclid(DAY));
        have.insert(key, day);
        want.entry(key).or_default();
    }
    for (key, (n, first, last)) in want {
        out.copies += 3;
        let day = have.get(&key).copied();
        let is = |field| day.and_then(|day| day.get_i64(field).ok());
        let numbers = [
            ("messages", is("messages").or(Some(0)), Some(n)),
            ("_dn.e.first", is("first"), first),
            ("_dn.e.last", is("last"), last),
        ];
        for (field, is, should) in numbers.into_iter().filter(|(_, is, should)| is != should) {
            let link = format!("host_days.{field}");
            let on_its_way = |child: &Document| match field {
                "messages" => own(child, "c").is_some() || own(child, "del").is_some(),
                _ => pending(child, &link),
            };
            let flagged = day.is_some_and(|day| marked(day, &link, None))
                || stored.of("logmsg").iter().any(on_its_way);
            let start = DateTime::from_millis(key.1 * DAY);
            let id = Bson::from(doc! { "p": key.0, "d": start });
            let place = Place {
                name: &link,
                documents: vec![("host_days", id), ("logmsg", ANY)],
            };
            let what = format!("{link} of {key:?} is {is:?}, and should {should:?}; {day:?}");
            note(out, place, what, flagged);
        }
    }
}
