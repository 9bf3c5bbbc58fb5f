//! What a load makes of the documents that it found.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::result::{Container, Loaded, LoadedOne, Matching, Slots};
use crate::error::Result;

/// What a load makes of the documents it found, in the order of the references.
pub trait Policy: Send + 'static {
    /// What each reference gets of a document that is read as `O`.
    type Given<O: Send + Sync>: Send;
    /// What the loader returns.
    type Loaded<O: Send + Sync, K: Send>: Container<Item = Self::Given<O>>;

    /// What one reference gets. `kept` is there for all references to the same document; it is `None` for a document that
    /// belongs to one reference alone.
    #[doc(hidden)]
    fn give<O: Send + Sync>(
        kept: Option<&mut Option<Arc<O>>>,
        read: impl FnOnce() -> Result<O>,
    ) -> Result<Self::Given<O>>;

    /// Whether what was read is kept.
    #[doc(hidden)]
    const KEEPS: bool = false;

    /// The result says which keys are ambiguous; else they are an error.
    #[doc(hidden)]
    const REPORTS: bool = true;

    /// One slot per reference, the ids that no document has, and those that several have.
    #[doc(hidden)]
    fn gather<O: Send + Sync, K: Send>(
        slots: Vec<Option<Self::Given<O>>>,
        missing: Vec<K>,
        ambiguous: Vec<K>,
    ) -> Self::Loaded<O, K>;
}

/// Many references: the values found, and the missing ids ([`Loaded`]).
#[derive(Debug)]
pub enum Dense {}

/// Many references: one slot each ([`Slots`]).
#[derive(Debug)]
pub enum Slotted {}

/// Many references, of which a filter keeps some ([`Matching`]).
#[derive(Debug)]
pub enum Filtered {}

/// One reference ([`LoadedOne`]).
#[derive(Debug)]
pub enum Single {}

/// As `Y`, with the copies beside the reference where its document was not found.
pub struct Viewed<Y>(PhantomData<Y>);

impl<Y> fmt::Debug for Viewed<Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Viewed")
    }
}

/// As `Y`, where all references to a document get the same.
pub struct SharedBy<Y>(PhantomData<Y>);

impl<Y> fmt::Debug for SharedBy<Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedBy")
    }
}

/// Policies whose documents can be shared.
pub trait Sharing: Policy {}

/// A policy, and the same with shared documents.
macro_rules! policies {
    ($($policy:ident => $loaded:ident<O $(, $k:ident)?>, $reports:literal, |$slots:ident, $missing:ident, $ambiguous:ident| $gather:expr;)*) => {$(
        impl Policy for $policy {
            type Given<O: Send + Sync> = O;
            type Loaded<O: Send + Sync, K: Send> = $loaded<O $(, $k)?>;

            fn give<O: Send + Sync>(_: Option<&mut Option<Arc<O>>>, read: impl FnOnce() -> Result<O>) -> Result<O> {
                read()
            }

            const REPORTS: bool = $reports;

            fn gather<O: Send + Sync, K: Send>($slots: Vec<Option<O>>, $missing: Vec<K>, $ambiguous: Vec<K>) -> $loaded<O $(, $k)?> {
                $gather
            }
        }

        impl Sharing for $policy {}

        impl Policy for SharedBy<$policy> {
            type Given<O: Send + Sync> = Arc<O>;
            type Loaded<O: Send + Sync, K: Send> = $loaded<Arc<O> $(, $k)?>;

            fn give<O: Send + Sync>(kept: Option<&mut Option<Arc<O>>>, read: impl FnOnce() -> Result<O>) -> Result<Arc<O>> {
                share(kept, read)
            }

            const KEEPS: bool = true;
            const REPORTS: bool = $reports;

            fn gather<O: Send + Sync, K: Send>(slots: Vec<Option<Arc<O>>>, missing: Vec<K>, ambiguous: Vec<K>) -> $loaded<Arc<O> $(, $k)?> {
                $policy::gather(slots, missing, ambiguous)
            }
        }
    )*};
}

policies! {
    Dense => Loaded<O, K>, true, |slots, missing, ambiguous| Loaded {
        values: slots.into_iter().flatten().collect(),
        missing,
        ambiguous,
    };
    Slotted => Slots<O, K>, true, |slots, missing, ambiguous| Slots { slots, missing, ambiguous };
    Filtered => Matching<O>, false, |slots, _missing, _ambiguous| Matching { values: slots.into_iter().flatten().collect() };
    Single => LoadedOne<O, K>, true, |slots, missing, ambiguous| LoadedOne {
        value: slots.into_iter().flatten().next(),
        missing: missing.into_iter().next(),
        ambiguous: ambiguous.into_iter().next(),
    };
}

fn share<O>(kept: Option<&mut Option<Arc<O>>>, read: impl FnOnce() -> Result<O>) -> Result<Arc<O>> {
    match kept {
        Some(Some(shared)) => Ok(Arc::clone(shared)),
        Some(kept) => Ok(Arc::clone(kept.insert(Arc::new(read()?)))),
        None => read().map(Arc::new),
    }
}

impl<Y: Policy> Policy for Viewed<Y> {
    type Given<O: Send + Sync> = Y::Given<O>;
    type Loaded<O: Send + Sync, K: Send> = Y::Loaded<O, K>;

    fn give<O: Send + Sync>(
        kept: Option<&mut Option<Arc<O>>>,
        read: impl FnOnce() -> Result<O>,
    ) -> Result<Y::Given<O>> {
        Y::give(kept, read)
    }

    const REPORTS: bool = Y::REPORTS;

    fn gather<O: Send + Sync, K: Send>(
        slots: Vec<Option<Y::Given<O>>>,
        missing: Vec<K>,
        ambiguous: Vec<K>,
    ) -> Y::Loaded<O, K> {
        Y::gather(slots, missing, ambiguous)
    }
}

/// Policies of many references, whose result is a list.
pub trait Many: Policy {}
impl Many for Dense {}
impl Many for Filtered {}

/// Policies whose results may hold views with a fallback.
pub trait Viewable: Policy {}
impl Viewable for Dense {}
impl Viewable for Single {}
