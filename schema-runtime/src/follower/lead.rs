//! A leader's term: from the claim of the position to the loss of the lock, of the connection, or of the place in the stream.

use std::time::{Duration, Instant};

use bson::{DateTime, Document, Timestamp, doc};
use tokio::task::AbortHandle;

use super::batch::{self, Entombed};
use super::effects::Effects;
use super::fanned::Fanned;
use super::gaps::{self, Gaps};
use super::interest::Interests;
use super::position::{Gap, Pen, Scope, identity, position_update, time_of, why_void};
use super::status::{Role, between};
use super::{Settings, Shared};
use crate::driver;
use crate::driver::stream::{self, Deployment, Stream, has_lost_place};
use crate::error::server::Feature;
use crate::error::{Error, Result};

/// The intervals at which the position is stored: while events come, and while none do.
const STORE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// The largest number of events in the first reply of a term; it doubles from reply to reply. So a term that ends early has moved the
/// position all the same, however long the effects of an event take.
const FIRST: u32 = 16;

/// The interval between reads of the oplog's oldest entry.
const WINDOW: Duration = Duration::from_secs(10);

/// A window shorter than this is reported.
const SHORT_WINDOW: Duration = Duration::from_secs(3_600);

/// Ends a task with the term that began it.
struct Bound(AbortHandle);

impl Drop for Bound {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A term.
pub(crate) struct Term<'a> {
    pen: Pen,
    interests: &'a Interests,
    settings: &'a Settings,
    shared: &'a Shared,
    deployment: Deployment,
    gaps: Gaps,
    entombed: Entombed,
    effects: Effects<'a>,
    /// The largest number of events in the next reply.
    batch: u32,
    stored: Instant,
    looked: Option<Instant>,
    counted: (Instant, u64),
}

/// The end of a stream without an error.
enum Ended {
    /// The server closed the stream, because the database was dropped. The next stream continues behind this place.
    Closed(Option<Document>),
}

/// Follows the stream from the stored position until something ends the term.
///
/// # Errors
/// [`Error::LeaseLost`] when another program leads. The driver's.
pub(crate) async fn lead(
    pen: Pen,
    interests: &Interests,
    settings: &Settings,
    shared: &Shared,
    deployment: Deployment,
) -> Result<()> {
    let position = pen.claim().await?;
    let here = identity(&pen.db, &deployment).await?;
    let void = why_void(&position, &here, deployment.now);
    let gaps = Gaps::new(position.gaps.clone(), position.dangling.clone());
    let db = pen.db.clone();
    let mut term = Term {
        interests,
        settings,
        shared,
        deployment,
        gaps: gaps.clone(),
        entombed: Entombed::default(),
        effects: Effects {
            db: &db,
            interests,
            fanned: Fanned::default(),
        },
        batch: settings.batch.min(FIRST),
        stored: Instant::now(),
        looked: None,
        counted: (Instant::now(), 0),
        pen: pen.clone(),
    };
    // A place of another cluster says nothing about the time up to which this one was followed.
    let place = position.token.as_ref().filter(|_| void.is_none());
    let from = place.and_then(time_of);
    let from = from.map(|from| DateTime::from_millis(i64::from(from.time) * 1_000));
    let mut start = match (position.token, void) {
        (Some(token), None) => Start::After(token),
        (Some(_), Some(reason)) => Start::Gap(true, reason),
        (None, _) => Start::Gap(false, "the stream was never followed"),
    };
    term.pen.write(doc! { "$set": { "cluster": here } }).await?;
    let times = settings.times.clone();
    let repairs = gaps::run(pen, gaps, times, shared.clone());
    let _repairs = Bound(tokio::spawn(repairs).abort_handle());
    shared.change(|status| {
        status.role = Role::Leading;
        status.gaps = term.gaps.all();
    });
    loop {
        let continues = matches!(start, Start::After(_));
        let (stream, first) = match term.open(start, from).await {
            Ok(open) => open,
            Err(error) if continues && has_lost_place(&error) => {
                term.shared.change(|status| status.note(error.to_string()));
                start = Start::Gap(true, "the oplog does not hold the stored position any more");
                continue;
            }
            Err(error) => return Err(error),
        };
        match term.follow(stream, first).await {
            Ok(Ended::Closed(Some(token))) => start = Start::After(token),
            Ok(Ended::Closed(None)) => start = Start::Gap(true, "the server closed the stream"),
            Err(error) if has_lost_place(&error) => {
                term.shared.change(|status| status.note(error.to_string()));
                start = Start::Gap(true, "the oplog has lost the place of the stream");
            }
            Err(error) => return Err(error),
        }
    }
}

/// The place where a stream begins.
enum Start {
    /// The stream begins behind this place.
    After(Document),
    /// The stream begins now, because of a gap. The flag is true if the stream was followed before; the text is the reason.
    Gap(bool, &'static str),
}

impl Term<'_> {
    /// Opens the stream. If there is a gap, it is stored together with the first place of the new stream, before anything is repaired: what
    /// happens later is in the stream, what happened before is in the gap. `from` is the time up to which the stream was followed before.
    async fn open(
        &mut self,
        start: Start,
        from: Option<DateTime>,
    ) -> Result<(Stream, stream::Events)> {
        let (options, gap) = match start {
            Start::After(token) => (doc! { "startAfter": token }, None),
            Start::Gap(followed, reason) => (
                Document::new(),
                Some(Gap::new(Scope::Everything { followed }, reason).from(from)),
            ),
        };
        let images =
            self.deployment.server.supports(Feature::PreImages) && self.records_images().await?;
        let pipeline = self.interests.pipeline(options, images);
        let (stream, first) = Stream::open(&self.pen.db, None, pipeline, self.batch).await?;
        fault!("follow_after_open");
        if let Some(gap) = gap {
            self.pen
                .write(position_update(
                    first.token.as_ref(),
                    std::slice::from_ref(&gap),
                    &[],
                ))
                .await?;
            fault!("follow_after_gap");
            self.add_gaps(vec![gap]);
        }
        Ok((stream, first))
    }

    /// True if a collection whose documents are counted, or referred to by a natural key, records what they were before a change.
    async fn records_images(&self) -> Result<bool> {
        let natural = |one: &super::interest::Interest| {
            let mut referred = one.referred.iter();
            referred.any(|relation| relation.edge.by_natural_key())
        };
        let wanted = self
            .interests
            .all()
            .filter(|one| one.counted().next().is_some() || natural(one));
        let names: Vec<&str> = wanted.map(|one| one.collection).collect();
        if names.is_empty() {
            return Ok(false);
        }
        let infos = stream::collection_infos(&self.pen.db, &names).await?;
        Ok(infos.iter().any(stream::records_images))
    }

    fn add_gaps(&self, gaps: Vec<Gap>) {
        #[cfg(feature = "tracing")]
        for gap in &gaps {
            tracing::warn!(target: "mongo_model::follower", reason = gap.reason, scope = ?gap.scope, "gap");
        }
        self.gaps.add(gaps);
        self.shared.change(|status| status.gaps = self.gaps.all());
    }

    async fn follow(&mut self, mut stream: Stream, first: stream::Events) -> Result<Ended> {
        let mut events = first;
        loop {
            let token = events.token.clone();
            let busy = self.handle(&events).await?;
            self.store(token.as_ref(), busy).await?;
            self.report(&events).await?;
            if stream.is_closed() {
                return Ok(Ended::Closed(token));
            }
            events = stream.next(self.batch, self.settings.wait).await?;
        }
    }

    /// Applies a batch; returns whether it held anything. The gaps that it says are stored at once, because their repair begins at once.
    async fn handle(&mut self, events: &stream::Events) -> Result<bool> {
        if events.events.is_empty() {
            return Ok(false);
        }
        let batch = batch::read(self.interests, &mut self.entombed, &events.events);
        let mut done = super::effects::Done::default();
        if !batch.is_idle() {
            let awaited = self.gaps.awaited(self.interests);
            match self.effects.apply(&batch, &awaited).await {
                Ok(applied) => done = applied,
                Err(error) if ends_term(&error) => return Err(error),
                // The batch would fail for ever. The data that it is about is compared as a whole, when that is possible again.
                Err(error) => {
                    let gap = |collection: &&str| {
                        Gap::new(
                            Scope::Collection((*collection).to_owned()),
                            error.to_string(),
                        )
                    };
                    done.gaps = batch.changes.keys().map(gap).collect();
                    done.refused.push(error.to_string());
                }
            }
        }
        let mut gaps = done.gaps;
        gaps.extend(batch.gaps);
        let gaps = self.gaps.without_waiting(gaps);
        let dangling = self.gaps.without_dangling(done.dangling);
        if !gaps.is_empty() || !dangling.is_empty() {
            self.pen
                .write(position_update(None, &gaps, &dangling))
                .await?;
            self.gaps.await_sources(dangling);
            self.add_gaps(gaps);
        }
        self.shared.change(|status| {
            status.events += events.events.len() as u64;
            status.foreign += batch.foreign;
            status.sources += done.sources;
            status.targets += done.targets;
            status.parents += done.parents;
            status.ruled += done.ruled;
            for problem in done.refused.into_iter().chain(batch.poison) {
                status.note(problem);
            }
        });
        Ok(true)
    }

    /// Stores the place behind a batch whose effects are made: at once behind each small batch in the beginning of a term.
    async fn store(&mut self, token: Option<&Document>, busy: bool) -> Result<()> {
        let small = busy && self.batch < self.settings.batch;
        let every = match (busy, small) {
            (_, true) => Duration::ZERO,
            (true, _) => STORE.0,
            (false, _) => STORE.1,
        };
        if small {
            self.batch = self.batch.saturating_mul(2).min(self.settings.batch);
        }
        let Some(token) = token.filter(|_| self.stored.elapsed() >= every) else {
            return Ok(());
        };
        self.pen
            .write(position_update(Some(token), &[], &[]))
            .await?;
        fault!("follow_after_store");
        self.stored = Instant::now();
        Ok(())
    }

    async fn report(&mut self, events: &stream::Events) -> Result<()> {
        let followed = events.token.as_ref().and_then(time_of);
        if self.looked.is_none_or(|looked| looked.elapsed() >= WINDOW) {
            self.looked = Some(Instant::now());
            let oldest = stream::oldest_in_oplog(&self.pen.db).await?;
            let left = oldest
                .zip(followed)
                .map(|(oldest, followed)| between(oldest, followed));
            let short = left.filter(|left| *left < SHORT_WINDOW);
            let lags = |now: Option<Timestamp>| {
                now.zip(followed).is_some_and(|(now, followed)| {
                    between(followed, now) > left.unwrap_or_default() / 2
                })
            };
            self.shared.change(|status| {
                status.window_left = left;
                if let (Some(left), true) = (short, lags(events.now)) {
                    status.note(format!(
                        "the oplog keeps what was not followed yet for {left:?} more"
                    ));
                }
            });
        }
        let elapsed = self.counted.0.elapsed();
        let since = (elapsed >= Duration::from_secs(1)).then_some(elapsed.as_secs_f64());
        let before = self.counted.1;
        let mut seen = before;
        self.shared.change(|status| {
            if followed.is_some() {
                status.followed = followed;
            }
            status.lag = followed
                .zip(events.now)
                .map(|(followed, now)| between(followed, now));
            seen = status.events;
            if let Some(since) = since {
                status.rate = (seen - before) as f64 / since;
            }
        });
        if since.is_some() {
            self.counted = (Instant::now(), seen);
        }
        Ok(())
    }
}

/// True if an error is about the connection or the lock, so that the same batch can succeed later.
fn ends_term(error: &Error) -> bool {
    matches!(error, Error::LeaseLost { .. } | Error::NotDurable { .. })
        || driver::is_batch_wide(error)
}
