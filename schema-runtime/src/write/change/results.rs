//! The results of updates that have a condition, or return the document.

use std::ops::Deref;

use crate::outcome::Outcome;

/// The result of a change with a condition.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the change may not have been made"]
pub enum Swapped<M> {
    /// The condition held, and the change was made.
    Done(Outcome),
    /// The condition did not hold, and nothing was changed: the document as it is now.
    Not(Box<M>),
}

impl<M> Swapped<M> {
    /// True if the change was made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Swapped::Done(_))
    }

    /// The outcome of the change, if it was made.
    #[must_use]
    pub fn done(self) -> Option<Outcome> {
        match self {
            Swapped::Done(outcome) => Some(outcome),
            Swapped::Not(_) => None,
        }
    }

    /// The document that did not meet the condition, if the change was not made.
    #[must_use]
    pub fn current(self) -> Option<M> {
        match self {
            Swapped::Done(_) => None,
            Swapped::Not(current) => Some(*current),
        }
    }
}

/// A document, and the result of the write. It dereferences to the document: `returned.name`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[must_use = "copies that have yet to follow are in `outcome.pending`"]
pub struct Returned<M> {
    /// The document.
    pub document: M,
    /// The result of the write.
    pub outcome: Outcome,
}

impl<M> Returned<M> {
    pub(crate) fn new(document: M, outcome: Outcome) -> Self {
        Returned { document, outcome }
    }

    /// The document, without the result of the write.
    #[must_use]
    pub fn into_document(self) -> M {
        self.document
    }
}

impl<M> Deref for Returned<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.document
    }
}

/// The result of a change with a condition that returns the document.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the change may not have been made"]
pub enum ReturnedIf<M> {
    /// The condition held, and the change was made: the document and the result of the write.
    Done(Returned<M>),
    /// The condition did not hold, and nothing was changed: the document as it is now.
    Not(Box<M>),
}

impl<M> ReturnedIf<M> {
    /// True if the change was made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, ReturnedIf::Done(_))
    }

    /// The document and the result of the write, if the change was made.
    #[must_use]
    pub fn done(self) -> Option<Returned<M>> {
        match self {
            ReturnedIf::Done(returned) => Some(returned),
            ReturnedIf::Not(_) => None,
        }
    }

    /// The document that did not meet the condition, if the change was not made.
    #[must_use]
    pub fn current(self) -> Option<M> {
        match self {
            ReturnedIf::Done(_) => None,
            ReturnedIf::Not(current) => Some(*current),
        }
    }
}
