//! The update of a parent that reserves places (P1). While one is under way, the requests of other calls for places in the same parent
//! gather, and the next update is for all of them, if there is room for all. Otherwise each call has an update of its own.

use std::ptr;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::channel::oneshot;
use futures::future::join_all;

use super::reservations::{all_reserved, gains};
use super::{Delta, Parent};
use crate::bson_util::number::integer;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::finisher::{self, Batches, Open};
use crate::graph::links::{Bound, Link};
use crate::schema::stored;

/// The largest number of reservations on a parent.
pub(super) const ROOM: usize = 1_000;

/// The largest number of reservations on a parent that calls leave there when they return, and of those that calls request together: fewer
/// than a parent holds, so that other calls find room.
pub(super) const FEW: usize = 256;

/// The field of the reply that has the number of reservations.
const RESERVED: &str = "reserved";

static REQUESTS: Batches<Request, Parent> = Batches::new(Duration::ZERO, 1);

/// The places of one call, or of several, in one parent.
#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) at: Parent,
    /// The bounded numbers, each with the amount that it gains.
    pub(super) bounded: Vec<(&'static Link, &'static Bound, i64)>,
    /// The amounts that the numbers of the parent gain.
    pub(super) total: Delta,
    /// The reservations, as expressions.
    pub(super) entries: Vec<Document>,
    pub(super) tokens: Vec<ObjectId>,
}

/// The request of one call.
struct Request {
    places: Places,
    reply: oneshot::Sender<Result<Option<usize>>>,
}

impl Places {
    /// Reserves the places. Returns the number of reservations on the parent; `None` if the parent is not there, is full, or has
    /// reservations of the call.
    ///
    /// # Errors
    /// The driver's.
    pub(super) async fn reserve(&self, db: &Database) -> Result<Option<usize>> {
        // A call with write options of its own shares no command with other calls.
        if !finisher::is_behind() || driver::call::has_write_options() {
            return self.send(db).await;
        }
        let (reply, reserved) = oneshot::channel();
        let places = self.clone();
        let request = Request { places, reply };
        let open = Open::unbounded(db);
        REQUESTS.push(db, self.at.clone(), request, open, |db, _, requests| {
            Box::pin(async move { send_all(&db, requests).await })
        });
        match reserved.await {
            Ok(reserved) => reserved,
            // The task has ended with its runtime.
            Err(oneshot::Canceled) => self.send(db).await,
        }
    }

    /// Sends P1, for all of these places or for none.
    async fn send(&self, db: &Database) -> Result<Option<usize>> {
        let fields = doc! { "_id": 1, RESERVED: { "$size": all_reserved() } };
        let (filter, update) = (self.filter(), vec![self.stage()?]);
        let done = driver::change_and_read(db, self.at.0, filter, update, fields, true).await?;
        Ok(done.map(|parent| {
            let reserved = integer(parent.get(RESERVED));
            reserved.map_or(ROOM, |all| usize::try_from(all).unwrap_or(ROOM))
        }))
    }

    fn filter(&self) -> Document {
        let fits = self.bounded.iter();
        let fits = fits.map(|(link, bound, gain)| bound.admits(link.field, *gain));
        let full = stored::reserved_at(ROOM.saturating_sub(self.entries.len()));
        let mut filter = self.total.parent();
        filter.extend(doc! {
            stored::TOMBSTONE: { "$exists": false },
            stored::RESERVED_TOKEN: { "$nin": &self.tokens },
            full: { "$exists": false },
            "$expr": { "$and": fits.collect::<Vec<_>>() },
        });
        filter
    }

    fn stage(&self) -> Result<Document> {
        let mut set = gains(&self.total.amounts()?);
        let entries: Vec<Bson> = self.entries.iter().map(Bson::from).collect();
        let all = doc! { "$concatArrays": [all_reserved(), entries] };
        set.insert(stored::RESERVED, all);
        Ok(doc! { "$set": set })
    }

    /// True if one update can reserve these places too.
    fn has_room_for(&self, other: &Places) -> bool {
        self.entries.len() + other.entries.len() <= FEW
            && self.total.parent() == other.total.parent()
    }

    fn add(&mut self, other: &Places) {
        self.total.add(&other.total);
        self.entries.extend(other.entries.iter().cloned());
        self.tokens.extend(&other.tokens);
        for (link, bound, gain) in &other.bounded {
            let mut known = self.bounded.iter_mut();
            match known.find(|(known, ..)| ptr::eq(*known, *link)) {
                Some((.., sum)) => *sum = sum.saturating_add(*gain),
                None => self.bounded.push((link, bound, *gain)),
            }
        }
    }
}

/// Sends requests for places in one parent.
async fn send_all(db: &Database, mut requests: Vec<Request>) {
    // Callers that have gone need no places.
    requests.retain(|request| !request.reply.is_canceled());
    let mut requests = requests.into_iter();
    let Some(first) = requests.next() else { return };
    let mut all = first.places.clone();
    let (mut together, mut others) = (vec![first], Vec::new());
    for request in requests {
        if all.has_room_for(&request.places) {
            all.add(&request.places);
            together.push(request);
        } else {
            others.push(request);
        }
    }
    if together.len() > 1
        && let Ok(Some(reserved)) = all.send(db).await
    {
        for request in together {
            let _ = request.reply.send(Ok(Some(reserved)));
        }
    } else {
        // There is no room for all of them, or the reply was lost: then each finds its own reservation.
        others.append(&mut together);
    }
    let each = others
        .into_iter()
        .map(|Request { places, reply }| async move {
            let _ = reply.send(places.send(db).await);
        });
    join_all(each).await;
}
