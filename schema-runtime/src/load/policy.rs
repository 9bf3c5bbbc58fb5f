//! Policies: the ways in which a load turns the documents that it found into its result.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::result::{Container, Loaded, LoadedOne, Matching, Slots};
use crate::error::Result;

/// The way in which a load turns the documents that it found into its result, in the order of the references.
pub trait Policy: Send + 'static {
    /// The value that each reference gets of a document that is read as `O`.
    type Given<O: Send + Sync>: Send;
    /// The type that the loader returns.
    type Loaded<O: Send + Sync, K: Send>: Container<Item = Self::Given<O>>;

    /// Gives one reference its value. All references to the same document share one `kept`; it is `None` for a document that
    /// belongs to one reference alone.
    #[doc(hidden)]
    fn give<O: Send + Sync>(
        kept: Option<&mut Option<Arc<O>>>,
        read: impl FnOnce() -> Result<O>,
    ) -> Result<Self::Given<O>>;

    /// True if a decoded document is stored and shared between its references.
    #[doc(hidden)]
    const KEEPS: bool = false;

    /// True if the result lists the ambiguous keys; if false, they are an error.
    #[doc(hidden)]
    const REPORTS: bool = true;

    /// True if a null in an array of references has a slot.
    #[doc(hidden)]
    const KEEPS_NULLS: bool = false;

    /// Builds the result from one slot per reference, the ids that no document has, and the ids that several documents have.
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

/// A single reference ([`LoadedOne`]).
#[derive(Debug)]
pub enum Single {}

/// Works like `Y`, but uses the copies stored beside the reference if its document was not found.
pub struct Viewed<Y>(PhantomData<Y>);

impl<Y> fmt::Debug for Viewed<Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Viewed")
    }
}

/// Works like `Y`, but all references to a document share one value.
pub struct SharedBy<Y>(PhantomData<Y>);

impl<Y> fmt::Debug for SharedBy<Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedBy")
    }
}

/// Policies whose documents can be shared.
pub trait Sharing: Policy {}

/// Implements each policy, and its variant with shared documents.
macro_rules! policies {
    ($($policy:ident => $loaded:ident<O $(, $k:ident)?>, $reports:literal, $nulls:literal, |$slots:ident, $missing:ident, $ambiguous:ident| $gather:expr;)*) => {$(
        impl Policy for $policy {
            type Given<O: Send + Sync> = O;
            type Loaded<O: Send + Sync, K: Send> = $loaded<O $(, $k)?>;

            fn give<O: Send + Sync>(_: Option<&mut Option<Arc<O>>>, read: impl FnOnce() -> Result<O>) -> Result<O> {
                read()
            }

            const REPORTS: bool = $reports;
            const KEEPS_NULLS: bool = $nulls;

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
            const KEEPS_NULLS: bool = $nulls;

            fn gather<O: Send + Sync, K: Send>(slots: Vec<Option<Arc<O>>>, missing: Vec<K>, ambiguous: Vec<K>) -> $loaded<Arc<O> $(, $k)?> {
                $policy::gather(slots, missing, ambiguous)
            }
        }
    )*};
}

policies! {
    Dense => Loaded<O, K>, true, false, |slots, missing, ambiguous| Loaded {
        values: slots.into_iter().flatten().collect(),
        missing,
        ambiguous,
    };
    Slotted => Slots<O, K>, true, true, |slots, missing, ambiguous| Slots { slots, missing, ambiguous };
    Filtered => Matching<O>, false, false, |slots, _missing, _ambiguous| Matching { values: slots.into_iter().flatten().collect() };
    Single => LoadedOne<O, K>, true, false, |slots, missing, ambiguous| LoadedOne {
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
