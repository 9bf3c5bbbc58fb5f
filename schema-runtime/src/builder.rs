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

/// The same for a call that may answer before its flags are removed, unless `$settled` is true.
#[cfg(feature = "driver")]
macro_rules! answers {
    ([$($generics:tt)*] $builder:ty => $output:ty, $self:ident, $settled:expr, $body:block) => {
        $crate::builder::awaits!([$($generics)*] $builder => $output, $self {
            let settled: bool = $settled;
            $crate::finisher::call(settled, async move $body).await
        });
    };
}
#[cfg(feature = "driver")]
pub(crate) use answers;

/// The option to wait for what a write does behind its answer.
macro_rules! settles {
    ($builder:ident, $($settled:ident).+) => {
        impl<'a, M: Model> $builder<'a, M> {
            /// Waits until the write's flags are removed as well. Without it, the call answers when the write and all that follows from it
            /// in other documents are stored; the flags go within milliseconds, together with those of other calls, and
            /// [`settle`](crate::settle) waits for all of them. A crash before that loses nothing: the flags stay, and
            /// [`recover`](crate::recover) finishes them.
            pub fn settled(mut self) -> Self {
                self.$($settled).+ = true;
                self
            }
        }
    };
}
pub(crate) use settles;

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
