//! The user's call that a command belongs to: its comment, and the options that apply to all of its commands. It is set
//! while the call's future is polled, so it need not be passed to commands.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bson::Bson;
use futures::Stream;
use mongodb::options::WriteConcern;

use super::Reads;
use super::deadline::Deadline;
use super::options::{ReadOptions, of_collection};
#[cfg(feature = "tracing")]
use super::span::CallSpan;
use crate::error::Result;

/// True if commands carry the call that sent them as their comment.
static COMMENTS: AtomicBool = AtomicBool::new(cfg!(debug_assertions));

/// Makes the `comment` of every command name the call that sent it, with the place of its `.await`: `Product::find
/// src/orders.rs:42`. The server's log and profiler show it. On in debug builds, off in others; a call's own
/// `.comment(..)` replaces it.
///
/// ```
/// mongo_model::set_comments(true);
/// ```
pub fn set_comments(on: bool) {
    COMMENTS.store(on, Ordering::Relaxed);
}

/// The options of a write.
#[derive(Debug, Clone, Default)]
pub(crate) struct WriteOptions {
    pub(crate) concern: Option<WriteConcern>,
    /// The name of the index that finds the documents of an update or a delete.
    pub(crate) hint: Option<String>,
}

/// A call of the user's.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// The comment that the user has given.
    pub(crate) comment: Option<String>,
    /// The name of the call and its place in the user's code.
    pub(crate) place: Option<String>,
    pub(crate) read: ReadOptions,
    pub(crate) write: WriteOptions,
    /// The time that the call may take.
    pub(crate) limit: Option<Duration>,
    /// The end of that time, and of the time of the calls that this one is part of.
    pub(crate) deadline: Option<Arc<Deadline>>,
    /// The place of the call, whether or not commands carry it.
    #[cfg(feature = "tracing")]
    pub(crate) name: Option<String>,
    #[cfg(feature = "tracing")]
    pub(crate) span: Option<Arc<CallSpan>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Call>>> = const { RefCell::new(None) };
}

/// The call whose future is polled.
pub(crate) fn current() -> Option<Arc<Call>> {
    CURRENT.with_borrow(Clone::clone)
}

/// The deadline of the call whose future is polled.
fn deadline() -> Option<Arc<Deadline>> {
    CURRENT.with_borrow(|call| call.as_ref()?.deadline.clone())
}

/// The time that a command of the present call may take: no more than this, and no more than is left until the deadline.
pub(super) fn limit(time: Option<Duration>) -> Option<Duration> {
    let left = deadline().map(|deadline| deadline.left());
    time.into_iter().chain(left).min()
}

/// Notes that the present call sends a command that writes.
pub(super) fn note_write() {
    if let Some(deadline) = deadline() {
        deadline.note_write();
    }
}

/// The comment of a command of the call whose future is polled.
pub(crate) fn comment() -> Option<Bson> {
    ReadOptions::default().comment()
}

/// True if the call whose future is polled has options for its writes, so that no other call may share their commands.
pub(crate) fn has_write_options() -> bool {
    current().is_some_and(|call| {
        call.comment.is_some() || call.read.reason.is_some() || call.write.concern.is_some()
    })
}

/// The call that was current before.
struct Entered(Option<Arc<Call>>);

impl Entered {
    fn enter(call: &Arc<Call>) -> Self {
        Entered(CURRENT.replace(Some(Arc::clone(call))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Call {
    /// The call of a builder of this type that is awaited at this place. `None` where nothing is to be said of it.
    pub(crate) fn of<B>(at: &Location<'_>) -> Option<Self> {
        let has_comments = COMMENTS.load(Ordering::Relaxed);
        #[cfg(feature = "tracing")]
        let is_wanted = super::span::is_wanted();
        #[cfg(not(feature = "tracing"))]
        let is_wanted = false;
        if !has_comments && !is_wanted {
            return None;
        }
        let call = describe(std::any::type_name::<B>(), at);
        Some(Call {
            #[cfg(feature = "tracing")]
            name: is_wanted.then(|| call.clone()),
            place: has_comments.then_some(call),
            ..Call::default()
        })
    }

    /// These options, for the call at the place of `other`.
    pub(crate) fn of_place(self, other: Call) -> Self {
        Call {
            place: other.place,
            #[cfg(feature = "tracing")]
            name: other.name,
            ..self
        }
    }

    /// Begins the span of a call that is part of no other.
    #[cfg(feature = "tracing")]
    fn traced(mut self) -> Self {
        self.span = self
            .name
            .as_deref()
            .map(|name| Arc::new(CallSpan::begin(name)));
        self
    }

    #[cfg(not(feature = "tracing"))]
    fn traced(self) -> Self {
        self
    }

    /// This call as part of another call: with the options of the outer call where it has none itself.
    fn inside(self, outer: &Call) -> Self {
        let write = outer.write.clone();
        Call {
            limit: self.limit,
            deadline: outer.deadline.clone(),
            comment: self.comment.or_else(|| outer.comment.clone()),
            place: outer.place.clone().or(self.place),
            read: self.read.or(&outer.read),
            write: WriteOptions {
                concern: self.write.concern.or(write.concern),
                hint: self.write.hint.or(write.hint),
            },
            #[cfg(feature = "tracing")]
            name: outer.name.clone(),
            #[cfg(feature = "tracing")]
            span: outer.span.clone(),
        }
    }

    /// Polls a future as part of this call.
    pub(crate) async fn run<T, F>(self, mut future: Pin<Box<F>>) -> Result<T>
    where
        F: Future<Output = Result<T>> + ?Sized,
    {
        // The call that this one is part of is known when it is polled.
        let outer = current();
        // An inner call may fail and be made again.
        #[cfg(feature = "tracing")]
        let is_inner = outer.is_some();
        let mut call = match outer {
            Some(outer) => self.inside(&outer),
            None => self.traced(),
        };
        let own = call
            .limit
            .map(|limit| Deadline::new(limit, call.deadline.take()));
        if own.is_some() {
            call.deadline.clone_from(&own);
        }
        let call = Arc::new(call);
        #[cfg(feature = "tracing")]
        if let (Some(span), Some(reason)) = (&call.span, &call.read.reason) {
            span.span.record("mongo_model.across", &**reason);
        }
        let polled = poll_fn(|context| {
            let _entered = Entered::enter(&call);
            #[cfg(feature = "tracing")]
            let _span = call.span.as_ref().map(|call| call.span.enter());
            let polled = future.as_mut().poll(context);
            #[cfg(feature = "tracing")]
            if let (Poll::Ready(Err(error)), Some(span), false) = (&polled, &call.span, is_inner) {
                span.fail(error);
            }
            polled
        });
        match own {
            None => polled.await,
            Some(deadline) => deadline.end(Box::pin(polled)).await,
        }
    }
}

impl ReadOptions {
    /// The comment that is set, or the comment of the call, behind the reason to see all tenants.
    pub(crate) fn comment(&self) -> Option<Bson> {
        let call = current();
        let reason = || call.as_ref()?.read.reason.as_ref();
        let text = || {
            let call = call.as_ref()?;
            call.comment.as_ref().or(call.place.as_ref())
        };
        let text = self.comment.as_ref().or_else(text);
        let Some(reason) = self.reason.as_ref().or_else(reason) else {
            return text.cloned().map(Bson::String);
        };
        let reason = format!("across tenants: {reason}");
        let all = text.map_or_else(|| reason.clone(), |text| format!("{reason}; {text}"));
        Some(Bson::String(all))
    }

    /// The options that a read of a collection sends. If the answer is the user's, the call that the read is part of adds its own options,
    /// and then the model. A transaction has one read preference and read concern, which no model changes.
    pub(crate) fn resolve(self, reads: Reads, collection: &str, in_session: bool) -> Self {
        if reads == Reads::FromPrimary {
            let criteria = self.criteria.or_else(|| reads.criteria());
            let max_time = limit(self.max_time);
            return ReadOptions {
                criteria,
                max_time,
                ..self
            };
        }
        traced!(across(self.reason.as_deref()));
        let own = match current() {
            Some(call) => self.or(&call.read),
            None => self,
        };
        let mut all = match of_collection(collection) {
            Some(row) => own.or(&ReadOptions::of_model(row, in_session)),
            None => own,
        };
        all.max_time = limit(all.max_time);
        all
    }
}

/// A stream that is polled as part of a call.
pub(crate) struct Streamed<S> {
    call: Option<Arc<Call>>,
    stream: Pin<Box<S>>,
}

impl<S> Streamed<S> {
    /// The stream of a builder of type `B`.
    #[track_caller]
    pub(crate) fn of<B>(stream: S) -> Self {
        Streamed {
            call: Call::of::<B>(Location::caller()).map(|call| Arc::new(call.traced())),
            stream: Box::pin(stream),
        }
    }
}

impl<S: Stream> Stream for Streamed<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let call = match CURRENT.with_borrow(Option::is_some) {
            // The stream belongs to the call that reads it.
            true => None,
            false => self.call.clone(),
        };
        let _entered = call.as_ref().map(Entered::enter);
        #[cfg(feature = "tracing")]
        let span = call.as_ref().and_then(|call| call.span.clone());
        #[cfg(feature = "tracing")]
        let _span = span.as_ref().map(|call| call.span.enter());
        self.stream.as_mut().poll_next(context)
    }
}

/// `Product::find src/orders.rs:42` of `mongo_model::find::Find<shop::Product, ..>`.
fn describe(builder: &str, at: &Location<'_>) -> String {
    format!("{} {}:{}", name(builder), at.file(), at.line())
}

/// `Product::find` of `mongo_model::find::Find<shop::Product, ..>`.
pub(crate) fn name(builder: &str) -> String {
    let (name, types) = builder.split_once('<').unwrap_or((builder, ""));
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let mut call = String::new();
    for letter in last(name).chars() {
        if letter.is_uppercase() && !call.is_empty() {
            call.push('_');
        }
        call.extend(letter.to_lowercase());
    }
    // The first type that is the user's.
    let own = concat!(env!("CARGO_CRATE_NAME"), "::");
    let mut types = types.split(['<', '>', ',']).map(str::trim);
    let model = types.find(|ty| ty.contains("::") && !ty.starts_with(own));
    // The kind of a builder is a parameter of its type.
    let mut kinds = types.filter(|ty| ty.starts_with(own)).map(last);
    match kinds.next().as_deref() {
        Some("Many") => call.push_str("_many"),
        Some("WithCondition") => call.push_str("_if"),
        Some("OrInsert") => "upsert".clone_into(&mut call),
        _ => {}
    }
    match model {
        None => call,
        Some(model) => format!("{}::{call}", last(model)),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::describe;

    #[test]
    fn a_call_is_named_by_its_model_and_builder() {
        let here = Location::caller();
        let place = format!("{}:{}", here.file(), here.line());
        for (builder, call) in [
            (
                "mongo_model::find::Find<shop::orders::Order>",
                "Order::find",
            ),
            (
                "mongo_model::find::one::FindOne<'_, shop::Order, shop::Line>",
                "Order::find_one",
            ),
            (
                "mongo_model::load::join::Load<mongo_model::load::refs::Refs<(), shop::Order>>",
                "Order::load",
            ),
            (
                "mongo_model::write::delete::Delete<'_, shop::Order, mongo_model::write::cardinality::Many>",
                "Order::delete_many",
            ),
            (
                "mongo_model::write::delete::Delete<'_, shop::Order, mongo_model::write::cardinality::One>",
                "Order::delete",
            ),
            (
                "mongo_model::write::change::update::Update<'_, shop::Order, mongo_model::write::change::update::OrInsert>",
                "Order::upsert",
            ),
            ("mongo_model::service::Recover", "recover"),
            ("a::Related<b::Pair<c::D>>", "Pair::related"),
        ] {
            assert_eq!(describe(builder, here), format!("{call} {place}"));
        }
    }
}
