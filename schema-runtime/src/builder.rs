//! Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.

#[cfg(feature = "driver")]
use std::future::Future;
#[cfg(feature = "driver")]
use std::pin::Pin;

#[cfg(feature = "driver")]
use crate::error::Result;

/// The future of a builder that is awaited.
#[cfg(feature = "driver")]
pub type Sent<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Makes a builder awaitable: `$body` runs when it is.
#[cfg(feature = "driver")]
macro_rules! awaits {
    ([$($generics:tt)*] $builder:ty => $output:ty, $self:ident $body:block) => {
        #[cfg(feature = "driver")]
        impl<$($generics)*> IntoFuture for $builder {
            type Output = Result<$output>;
            type IntoFuture = $crate::builder::Sent<'a, $output>;

            fn into_future($self) -> Self::IntoFuture {
                Box::pin(async move $body)
            }
        }
    };
}
#[cfg(feature = "driver")]
pub(crate) use awaits;

/// The options that say how the server answers a read: those of the builder's field at `$path`.
macro_rules! read_options {
    ([$($generics:tt)*] $builder:ty, $($path:ident).+) => {
        #[cfg(feature = "driver")]
        impl<$($generics)*> $builder {
            /// Which server answers. By default as the database handle says, which takes it from the client.
            pub fn read_preference(mut self, preference: mongodb::options::ReadPreference) -> Self {
                self.$($path).+.criteria = Some(mongodb::options::SelectionCriteria::ReadPreference(preference));
                self
            }

            /// How settled the answer is. By default as the database handle says. A transaction has one of its own, and the driver
            /// refuses another inside it.
            pub fn read_concern(mut self, concern: mongodb::options::ReadConcern) -> Self {
                self.$($path).+.concern = Some(concern);
                self
            }

            /// The server gives up after so long, with its error 50 (`MaxTimeMSExpired`).
            pub fn max_time(mut self, time: std::time::Duration) -> Self {
                self.$($path).+.max_time = Some(time);
                self
            }

            /// The name of the index to use. The server refuses one that is not there, error 2.
            pub fn hint(mut self, index: impl Into<String>) -> Self {
                self.$($path).+.hint = Some(index.into());
                self
            }

            /// A text that the server's log and profiler show beside the command.
            pub fn comment(mut self, comment: impl Into<String>) -> Self {
                self.$($path).+.comment = Some(comment.into());
                self
            }

            /// How many documents the server sends at a time; by default as many as `limit` allows, without a limit 101 first,
            /// then as many as fit 16 MiB.
            pub fn batch_size(mut self, documents: u32) -> Self {
                self.$($path).+.batch_size = Some(documents);
                self
            }

            /// Lets the server sort on disk what does not fit into 100 MiB of memory, or not, whatever is its default.
            pub fn allow_disk_use(mut self, allow: bool) -> Self {
                self.$($path).+.allow_disk_use = Some(allow);
                self
            }
        }
    };
}
pub(crate) use read_options;

/// The sessions that a write can be made in.
macro_rules! in_sessions {
    ($builder:ident) => {
        impl<'a, M: Model> $builder<'a, M> {
            /// In this session, and in its transaction if one is open. What has to follow waits for
            /// [`after_commit`](crate::after_commit).
            pub fn session(mut self, session: &'a mut ClientSession) -> Self {
                self.session = Some(session);
                self
            }

            /// In this transaction; what has to follow its commit is noted in it.
            #[cfg(feature = "driver")]
            pub fn within(mut self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
                let (session, notes) = tx.parts();
                self.session = Some(session);
                self.notes = Some(notes);
                self
            }
        }
    };
}
pub(crate) use in_sessions;

/// The options of a builder that stores whole documents: how its copies are propagated and refreshed.
macro_rules! with_copies {
    ($builder:ident) => {
        impl<M: Model> $builder<'_, M> {
            /// How copies of the document's fields follow, whatever they declare.
            pub fn level(mut self, level: Level) -> Self {
                self.level = Some(level);
                self
            }

            /// Brings every copy in the document to what its source is now, also where the document refers to what it referred to before.
            /// Otherwise such copies are left alone: propagation keeps them right. A `snapshot` stays what it is either way.
            pub fn refresh(mut self) -> Self {
                self.refresh = true;
                self
            }
        }
    };
}

pub(crate) use with_copies;

/// How often a write is sent again because others changed the document between its failure and the check of the cause. Each round
/// needs another writer to have succeeded.
#[cfg(feature = "driver")]
pub(crate) const ROUNDS: usize = 64;
