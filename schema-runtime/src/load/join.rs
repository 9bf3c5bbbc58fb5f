//! The builders that loads and joins share, and joins of joins.

use std::fmt;
use std::sync::Arc;

use super::Joined;
use super::result::Container;
use crate::builder::{read_options, reads_in_transactions};
use crate::driver::{ClientSession, Database, ReadOptions};

/// A load for one document, about to be sent; `S` describes the load, and `.await` gives its result.
#[must_use = "nothing is sent before it is awaited"]
pub struct Load<'a, S> {
    pub(super) db: &'a Database,
    pub(super) session: Option<&'a mut ClientSession>,
    options: ReadOptions,
    pub(super) spec: S,
}

/// A load for many documents at once, about to be sent; `S` describes the load. `.await` gives the documents, each with the
/// result of its load, in the order of the input: [`LoadedMany`](super::LoadedMany).
#[must_use = "nothing is sent before it is awaited"]
pub struct Join<'a, 'd, D, S> {
    pub(super) db: &'a Database,
    pub(super) documents: &'d [D],
    pub(super) session: Option<&'a mut ClientSession>,
    options: ReadOptions,
    pub(super) spec: S,
}

impl<S: fmt::Debug> fmt::Debug for Load<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Load")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl<D, S: fmt::Debug> fmt::Debug for Join<'_, '_, D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join")
            .field("documents", &self.documents.len())
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl<'a, S> Load<'a, S> {
    pub(super) fn new(db: &'a Database, spec: S) -> Self {
        Load {
            db,
            session: None,
            options: ReadOptions::default(),
            spec,
        }
    }

    /// The load with this reason to see the documents of all tenants.
    pub(super) fn because(mut self, reason: Option<Arc<str>>) -> Self {
        self.options.reason = reason;
        self
    }

    pub(super) fn with<T>(self, change: impl FnOnce(S) -> T) -> Load<'a, T> {
        Load {
            db: self.db,
            session: self.session,
            options: self.options,
            spec: change(self.spec),
        }
    }
}

impl<'a, 'd, D, S> Join<'a, 'd, D, S> {
    pub(super) fn new(db: &'a Database, documents: &'d [D], spec: S) -> Self {
        Join {
            db,
            documents,
            session: None,
            options: ReadOptions::default(),
            spec,
        }
    }

    /// The load with this reason to see the documents of all tenants.
    pub(super) fn because(mut self, reason: Option<Arc<str>>) -> Self {
        self.options.reason = reason;
        self
    }

    pub(super) fn with<T>(self, change: impl FnOnce(S) -> T) -> Join<'a, 'd, D, T> {
        Join {
            db: self.db,
            documents: self.documents,
            session: self.session,
            options: self.options,
            spec: change(self.spec),
        }
    }
}

read_options!(['a, S] Load<'a, S>, options);
reads_in_transactions!(['a, S] Load<'a, S>, session);
read_options!(['a, 'd, D, S] Join<'a, 'd, D, S>, options);
reads_in_transactions!(['a, 'd, D, S] Join<'a, 'd, D, S>, session);

/// The description of a load; running it gives one result per document.
pub trait Spec: Send {
    /// The result of the load for one document.
    type Loaded: Send;

    /// Sends the commands.
    #[doc(hidden)]
    fn run<'x>(
        self,
        db: &'x Database,
        session: Option<&'x mut ClientSession>,
    ) -> crate::builder::Sent<'x, Vec<Self::Loaded>>
    where
        Self: 'x;
}

mod run {
    use super::*;
    use crate::builder::{Sent, send, send_with};
    use crate::driver::call::Call;
    use crate::error::Result;

    /// Sends a load with these options, which loads inside it have too.
    #[track_caller]
    fn send_load<'a, B, T: 'a>(read: ReadOptions, future: Sent<'a, T>) -> Sent<'a, T> {
        if read.is_empty() {
            return send::<B, T>(future);
        }
        let call = Call {
            comment: read.comment.clone(),
            read,
            ..Call::default()
        };
        send_with::<B, T>(call, future)
    }

    impl<'a, S: Spec + 'a> IntoFuture for Load<'a, S> {
        type Output = Result<S::Loaded>;
        type IntoFuture = Sent<'a, S::Loaded>;

        #[track_caller]
        fn into_future(self) -> Self::IntoFuture {
            let Load {
                db,
                session,
                options,
                spec,
            } = self;
            send_load::<Self, _>(
                options,
                Box::pin(async move {
                    let mut loaded = spec.run(db, session).await?;
                    // A load for one document gives one result.
                    Ok(loaded.swap_remove(0))
                }),
            )
        }
    }

    impl<'a, 'd: 'a, D: Sync, S: Spec + 'a> IntoFuture for Join<'a, 'd, D, S> {
        type Output = Result<Vec<(&'d D, S::Loaded)>>;
        type IntoFuture = Sent<'a, Vec<(&'d D, S::Loaded)>>;

        #[track_caller]
        fn into_future(self) -> Self::IntoFuture {
            let Join {
                db,
                documents,
                session,
                options,
                spec,
            } = self;
            send_load::<Self, _>(
                options,
                Box::pin(async move {
                    let loaded = spec.run(db, session).await?;
                    Ok(documents.iter().zip(loaded).collect())
                }),
            )
        }
    }

    type Item<S> = <<S as Spec>::Loaded as Container>::Item;
    type Inner<'f, O, T> =
        Box<dyn for<'x> FnOnce(&'x Database, &'x [O]) -> Join<'x, 'x, O, T> + Send + 'f>;

    /// A load of `S`, and one load of `T` for all of its documents together.
    pub struct Nested<'f, S: Spec, T>
    where
        S::Loaded: Container,
    {
        outer: S,
        inner: Inner<'f, Item<S>, T>,
    }

    impl<S: Spec + fmt::Debug, T> fmt::Debug for Nested<'_, S, T>
    where
        S::Loaded: Container,
    {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Nested")
                .field("outer", &self.outer)
                .finish_non_exhaustive()
        }
    }

    impl<S, T> Spec for Nested<'_, S, T>
    where
        S: Spec,
        S::Loaded: Container,
        <S::Loaded as Container>::Rest: Send,
        Item<S>: Send + Sync,
        T: Spec,
        <S::Loaded as Container>::Of<Joined<Item<S>, T::Loaded>>: Send,
    {
        type Loaded = <S::Loaded as Container>::Of<Joined<Item<S>, T::Loaded>>;

        fn run<'x>(
            self,
            db: &'x Database,
            mut session: Option<&'x mut ClientSession>,
        ) -> Sent<'x, Vec<Self::Loaded>>
        where
            Self: 'x,
        {
            let Nested { outer, inner } = self;
            Box::pin(async move {
                let groups = outer.run(db, session.as_deref_mut()).await?;
                let mut all = Vec::new();
                let mut sizes = Vec::with_capacity(groups.len());
                for group in groups {
                    let (values, rest) = group.into_parts();
                    sizes.push((values.len(), rest));
                    all.extend(values);
                }
                let spec = inner(db, &all).spec;
                let loaded = spec.run(db, session).await?;
                let mut joined = all
                    .into_iter()
                    .zip(loaded)
                    .map(|(document, loaded)| Joined { document, loaded });
                let regroup = |(len, rest)| {
                    let values = joined.by_ref().take(len).collect();
                    <S::Loaded as Container>::from_parts(values, rest)
                };
                Ok(sizes.into_iter().map(regroup).collect())
            })
        }
    }

    impl<'a, S: Spec> Load<'a, S>
    where
        S::Loaded: Container,
    {
        /// Loads the next level, for all loaded documents at once: one more command, however many documents there are.
        /// Each document becomes a [`Joined`].
        ///
        /// The inner load runs in the session of the outer one. The type of a chain contains its depth, so no cycle of
        /// references is followed endlessly.
        pub fn nest<'f, T>(
            self,
            inner: impl for<'x> FnOnce(&'x Database, &'x [Item<S>]) -> Join<'x, 'x, Item<S>, T>
            + Send
            + 'f,
        ) -> Load<'a, Nested<'f, S, T>> {
            let inner = Box::new(inner);
            self.with(|outer| Nested { outer, inner })
        }
    }

    impl<'a, 'd, D, S: Spec> Join<'a, 'd, D, S>
    where
        S::Loaded: Container,
    {
        /// Loads the next level, for all loaded documents at once: one more command. Each loaded document becomes a
        /// [`Joined`]. See [`Load::nest`].
        pub fn nest<'f, T>(
            self,
            inner: impl for<'x> FnOnce(&'x Database, &'x [Item<S>]) -> Join<'x, 'x, Item<S>, T>
            + Send
            + 'f,
        ) -> Join<'a, 'd, D, Nested<'f, S, T>> {
            let inner = Box::new(inner);
            self.with(|outer| Nested { outer, inner })
        }
    }
}

pub use run::Nested;
