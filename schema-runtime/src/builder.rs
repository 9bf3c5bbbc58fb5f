//! Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::driver::call::Call;
use crate::error::Result;

/// The future of a builder that is awaited.
pub type Sent<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The options of a write: the point at which its call returns, the reason to see the documents of all tenants, and its actor.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallOptions {
    /// True if the call waits for the work that otherwise follows its answer.
    pub(crate) settled: bool,
    pub(crate) reason: Option<Arc<str>>,
    pub(crate) actor: Option<Arc<str>>,
}

impl CallOptions {
    /// The options of a call that waits for all of its work.
    pub(crate) fn settled() -> Self {
        CallOptions {
            settled: true,
            ..CallOptions::default()
        }
    }
}

/// The future of a builder of type `B`, as a call.
#[track_caller]
pub(crate) fn send<'a, B, T: 'a>(future: Sent<'a, T>) -> Sent<'a, T> {
    match Call::of::<B>(std::panic::Location::caller()) {
        Some(call) => Box::pin(call.run(future)),
        None => future,
    }
}

/// The future of a builder of type `B`, as a call with options that reach all of its commands.
#[track_caller]
pub(crate) fn send_with<'a, B, T: 'a>(mut options: Call, future: Sent<'a, T>) -> Sent<'a, T> {
    if let Some(call) = Call::of::<B>(std::panic::Location::caller()) {
        options = options.of_place(call);
    }
    Box::pin(options.run(future))
}

/// The future of a builder of type `B`, as a call that sees the documents of all tenants for this reason.
#[track_caller]
pub(crate) fn send_because<'a, B, T: 'a>(
    reason: Option<Arc<str>>,
    future: Sent<'a, T>,
) -> Sent<'a, T> {
    if reason.is_none() {
        return send::<B, T>(future);
    }
    let mut options = Call::default();
    options.read.reason = reason;
    send_with::<B, T>(options, future)
}

/// Makes a builder awaitable: `$body` runs when it is.
macro_rules! awaits {
    ([$($generics:tt)*] $builder:ty => $output:ty, $self:ident $(where ($($bounds:tt)*))? $body:block) => {
        impl<$($generics)*> IntoFuture for $builder $(where $($bounds)*)? {
            type Output = Result<$output>;
            type IntoFuture = $crate::builder::Sent<'a, $output>;

            #[track_caller]
            fn into_future($self) -> Self::IntoFuture {
                $crate::builder::send::<$builder, _>(Box::pin(async move $body))
            }
        }
    };
}
pub(crate) use awaits;

/// As `awaits`, for a call with [`CallOptions`], which may answer before its flags are removed.
macro_rules! answers {
    ([$($generics:tt)*] $builder:ty => $output:ty, $self:ident, $options:expr, $body:block) => {
        impl<$($generics)*> IntoFuture for $builder {
            type Output = Result<$output>;
            type IntoFuture = $crate::builder::Sent<'a, $output>;

            #[track_caller]
            fn into_future($self) -> Self::IntoFuture {
                let $crate::builder::CallOptions { settled, reason, actor } = $options;
                $crate::builder::send_because::<$builder, _>(
                    reason,
                    Box::pin(async move {
                        let caller = $crate::outcome::recorded::Caller {
                            builder: std::any::type_name::<$builder>(),
                            actor,
                        };
                        // A large future is not moved from one wrapper to the next.
                        let call: $crate::builder::Sent<'a, $output> = Box::pin(async move $body);
                        $crate::outbox::call(caller, settled, call).await
                    }),
                )
            }
        }
    };
}
pub(crate) use answers;

/// The option to wait for what a write does behind its answer.
macro_rules! settles {
    ($builder:ident $(<$n:ident>)?, $($options:ident).+) => {
        impl<'a, M: Model $(, $n)?> $builder<'a, M $(, $n)?> {
            /// Waits until the write's flags are removed as well. Without it, the call returns once the write and
            /// everything that follows from it in other documents are stored; the flags are removed within
            /// milliseconds, together with those of other calls, and [`settle`](crate::settle) waits for all of them. A
            /// crash before that loses nothing: the flags stay, and [`recover`](crate::recover) finishes them.
            pub fn settled(mut self) -> Self {
                self.$($options).+.settled = true;
                self
            }
        }
    };
}
pub(crate) use settles;

/// The options that say how the server answers a read. They are in the builder's field at `$path`.
macro_rules! read_options {
    ([$($generics:tt)*] $builder:ty, $($path:ident).+) => {
        impl<$($generics)*> $builder {
            /// Sets which server answers. The default is the read preference of the database handle, which takes it from the client.
            pub fn read_preference(mut self, preference: mongodb::options::ReadPreference) -> Self {
                self.$($path).+.criteria = Some(mongodb::options::SelectionCriteria::ReadPreference(preference));
                self
            }

            /// Sets the read concern. The default is that of the database handle. A transaction has its own, and the
            /// driver refuses another inside it.
            pub fn read_concern(mut self, concern: mongodb::options::ReadConcern) -> Self {
                self.$($path).+.concern = Some(concern);
                self
            }

            /// Makes the server give up after this time, with its error 50 (`MaxTimeMSExpired`). Less than a millisecond is sent as
            /// one, because the server takes 0 for no limit.
            pub fn max_time(mut self, time: std::time::Duration) -> Self {
                self.$($path).+.max_time = Some(time.max(std::time::Duration::from_millis(1)));
                self
            }

            /// Names the index to use. If there is no such index, the server refuses the call with error 2.
            pub fn hint(mut self, index: impl Into<String>) -> Self {
                self.$($path).+.hint = Some(index.into());
                self
            }

            /// Sets a text that the server's log and profiler show beside the command.
            pub fn comment(mut self, comment: impl Into<String>) -> Self {
                self.$($path).+.comment = Some(comment.into());
                self
            }

            /// Sets how many documents the server sends at a time. The default is as many as `limit` allows; without a
            /// limit, first 101, then as many as fit 16 MiB.
            pub fn batch_size(mut self, documents: u32) -> Self {
                self.$($path).+.batch_size = Some(documents);
                self
            }

            /// Allows or forbids the server to sort on disk what does not fit into 100 MiB of memory, whatever its
            /// default is.
            pub fn allow_disk_use(mut self, allow: bool) -> Self {
                self.$($path).+.allow_disk_use = Some(allow);
                self
            }
        }
    };
}
pub(crate) use read_options;

/// The options of a read that say if it sees documents that are marked as deleted: the scope is the builder's field at `$path`.
macro_rules! document_scopes {
    ([$($generics:tt)*] $builder:ty, $model:ident, $($path:ident).+) => {
        impl<$($generics)*> $builder {
            /// Also documents that are marked as deleted: see [`MongoModel::delete`](crate::MongoModel::delete) of a model with
            /// `soft_delete`.
            pub fn with_deleted(mut self) -> Self
            where
                $model: crate::schema::soft_delete::SoftDeleted,
            {
                self.$($path).+ = crate::schema::soft_delete::DocumentScope::WithDeleted;
                self
            }

            /// Only documents that are marked as deleted.
            pub fn only_deleted(mut self) -> Self
            where
                $model: crate::schema::soft_delete::SoftDeleted,
            {
                self.$($path).+ = crate::schema::soft_delete::DocumentScope::OnlyDeleted;
                self
            }
        }
    };
}
pub(crate) use document_scopes;

/// A write with options, about to be sent: the last step of its builder.
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct WithOptions<B> {
    builder: B,
    options: Call,
}

impl<B> WithOptions<B> {
    pub(crate) fn new(builder: B) -> Self {
        WithOptions {
            builder,
            options: Call::default(),
        }
    }

    /// Sets the write concern. The default is that of the database handle, which takes it from the client. Writes that
    /// keep copies, lists, counts and delete rules right are acknowledged by a majority with their journal, unless a later
    /// command of the same call confirms them.
    pub fn write_concern(mut self, concern: mongodb::options::WriteConcern) -> Self {
        self.options.write.concern = Some(concern);
        self
    }

    /// Names the index through which the filter of `update_many`, `delete_many` or `restore_many` finds its documents. If there is no
    /// such index, the server refuses the call with error 2. A write of one document finds it by its `_id`, and has no hint.
    pub fn hint(mut self, index: impl Into<String>) -> Self
    where
        B: FindsByFilter,
    {
        self.options.write.hint = Some(index.into());
        self
    }

    /// Sets a text that the server's log and profiler show beside each command of this call.
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.options.comment = Some(comment.into());
        self
    }
}

impl<'a, T: 'a, B> IntoFuture for WithOptions<B>
where
    B: IntoFuture<Output = Result<T>, IntoFuture = Sent<'a, T>>,
{
    type Output = Result<T>;
    type IntoFuture = Sent<'a, T>;

    #[track_caller]
    fn into_future(self) -> Self::IntoFuture {
        // The place of the `.await` goes to the inner future, which then is part of this call.
        send_with::<B, T>(self.options, self.builder.into_future())
    }
}

/// A call that ends by a deadline, about to be sent: see [`Deadline`].
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct WithDeadline<B> {
    builder: B,
    limit: Duration,
}

/// Ends all calls that a future makes after this time: a request of a service has one deadline, whatever it asks the database. Each of them may
/// have an earlier one of its own: see [`Deadline`].
///
/// ```
/// # use std::time::Duration;
/// # use mongo_model::{Database, Id, MongoModel, Result};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "parts")]
/// # pub struct Part {
/// #     #[serde(rename = "_id")]
/// #     pub id: Id<Part>,
/// #     pub name: String,
/// # }
/// # async fn example(db: &Database, id: Id<Part>) -> Result<()> {
/// let renamed = mongo_model::deadline(Duration::from_secs(2), async {
///     Part::update(db, id).set(|p| p.name, "nut").await?;
///     Part::get(db, id).required().await
/// });
/// println!("{:?}", renamed.await?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::DeadlineExceeded`](crate::Error::DeadlineExceeded), and those of the future.
pub fn deadline<'a, T: 'a>(
    limit: Duration,
    calls: impl Future<Output = Result<T>> + Send + 'a,
) -> WithDeadline<Sent<'a, T>> {
    let calls: Sent<'a, T> = Box::pin(calls);
    calls.deadline(limit)
}

/// The last option of every call of the library: the time by which it has ended.
pub trait Deadline<'a, T>:
    IntoFuture<Output = Result<T>, IntoFuture = Sent<'a, T>> + Sized
{
    /// Ends the call after this time, counted from when it is first polled, however many commands it sends. Reads get what is left of the
    /// time as their `maxTimeMS`, so the server gives up, too; the client waits for no command beyond it. A call inside of another one (in a
    /// transaction, in `update_with`) ends by the earlier of both deadlines.
    ///
    /// A write that has begun is cut off where it is, as if the program had ended there: its flags stay, and
    /// [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes what other documents need. The server may still apply the last
    /// command. A [transaction](crate::transaction()) that is cut off is aborted by the server.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// use mongo_model::{Deadline, Error};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "parts")]
    /// # pub struct Part {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Part>,
    /// #     pub name: String,
    /// # }
    /// # async fn example(db: &Database, id: Id<Part>) -> Result<()> {
    /// let renamed = Part::update(db, id).set(|p| p.name, "nut").deadline(Duration::from_millis(500)).await;
    /// if let Err(Error::DeadlineExceeded { may_have_written, .. }) = renamed {
    ///     println!("no answer in time; written: {may_have_written}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::DeadlineExceeded`](crate::Error::DeadlineExceeded), and those of the call.
    fn deadline(self, limit: Duration) -> WithDeadline<Self> {
        WithDeadline {
            builder: self,
            limit,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: 'a, B> Deadline<'a, T> for B where
    B: IntoFuture<Output = Result<T>, IntoFuture = Sent<'a, T>>
{
}

impl<'a, T: 'a, B> IntoFuture for WithDeadline<B>
where
    B: IntoFuture<Output = Result<T>, IntoFuture = Sent<'a, T>>,
{
    type Output = Result<T>;
    type IntoFuture = Sent<'a, T>;

    #[track_caller]
    fn into_future(self) -> Self::IntoFuture {
        let options = Call {
            limit: Some(self.limit),
            ..Call::default()
        };
        send_with::<B, T>(options, self.builder.into_future())
    }
}

/// The options of a write, as last steps of its builder.
macro_rules! write_options {
    ($($builder:ident $(<$n:ident>)?),*) => {$(
        impl<'a, M: Model $(, $n)?> $builder<'a, M $(, $n)?> {
            /// Sets the write concern: see [`WithOptions::write_concern`](crate::crud::WithOptions::write_concern).
            /// Options come last in a call.
            pub fn write_concern(self, concern: mongodb::options::WriteConcern) -> crate::builder::WithOptions<Self> {
                crate::builder::WithOptions::new(self).write_concern(concern)
            }

            /// A text that the server's log and profiler show beside each command of this call. Options come last in a call.
            pub fn comment(self, comment: impl Into<String>) -> crate::builder::WithOptions<Self> {
                crate::builder::WithOptions::new(self).comment(comment)
            }
        }
    )*};
}
pub(crate) use write_options;

/// A write of the documents that a filter of the program finds.
#[diagnostic::on_unimplemented(
    message = "a write of one document finds it by its `_id`, and takes no `hint`",
    label = "not by a filter",
    note = "`update_many`, `delete_many` and `restore_many` take one"
)]
pub trait FindsByFilter {}

/// The option of a write that finds its documents by a filter.
macro_rules! write_hint {
    ($builder:ident) => {
        #[diagnostic::do_not_recommend]
        impl<M: Model> crate::builder::FindsByFilter for $builder<'_, M> {}

        impl<M: Model> $builder<'_, M> {
            /// Names the index to use: see [`WithOptions::hint`](crate::crud::WithOptions::hint). Options come last in
            /// a call.
            pub fn hint(self, index: impl Into<String>) -> crate::builder::WithOptions<Self> {
                crate::builder::WithOptions::new(self).hint(index)
            }
        }
    };
}
pub(crate) use write_hint;

/// The transactions that a write can be made in. Its session is in the builder, or in the builder's field at `$inner`.
macro_rules! writes_in_transactions {
    ($builder:ident $(<$n:ident>)? $(, $inner:ident)*) => {
        impl<'a, M: Model $(, $n)?> $builder<'a, M $(, $n)?> {
            /// Runs in this transaction, which records the pending changes that have to follow its commit.
            pub fn within(mut self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
                let (session, notes) = tx.parts();
                self$(.$inner)*.session = Some(session);
                self$(.$inner)*.notes = Some(notes);
                self
            }

            /// Runs in a session of the driver, and in its transaction if one is open. Nothing follows the commit by itself: changes of
            /// other documents wait for [`after_commit`](crate::after_commit), or for a [`Sweeper`](crate::Sweeper).
            pub fn driver_session(mut self, session: &'a mut crate::driver::ClientSession) -> Self {
                self$(.$inner)*.session = Some(session);
                self
            }
        }
    };
}
pub(crate) use writes_in_transactions;

/// The transactions that a read can be made in. Its session is the builder's field at `$path`.
macro_rules! reads_in_transactions {
    ([$($generics:tt)*] $builder:ty, $($path:ident).+) => {
        impl<$($generics)*> $builder {
            /// Runs in this transaction, and sees its writes.
            pub fn within(self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
                self.driver_session(tx.driver_session())
            }

            /// Runs in a session of the driver, and in its transaction if one is open.
            pub fn driver_session(mut self, session: &'a mut crate::driver::ClientSession) -> Self {
                self.$($path).+ = Some(session);
                self
            }
        }
    };
}
pub(crate) use reads_in_transactions;

/// The options of a builder that stores whole documents: how its copies are propagated and refreshed.
macro_rules! with_copies {
    ($builder:ident) => {
        impl<M: Model> $builder<'_, M> {
            /// Sets how copies of the document's fields follow, whatever they declare.
            pub fn level(mut self, level: Level) -> Self {
                self.level = Some(level);
                self
            }

            /// Updates every copy in the document from its source, even if its references have not changed.
            /// Otherwise such copies are left alone: propagation keeps them right. A `snapshot` stays as it is either way.
            pub fn refresh(mut self) -> Self {
                self.refresh = true;
                self
            }
        }
    };
}

pub(crate) use with_copies;

/// The largest number of attempts of a write, if others change the document between a failure and the check of its cause. Each attempt
/// after the first needs another writer to have succeeded.
pub(crate) const ROUNDS: usize = 64;
