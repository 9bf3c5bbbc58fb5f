//! The error sink. Every stage reports here and goes on, so that one compilation shows all mistakes of a struct.

use std::cell::{Cell, RefCell};

use proc_macro2::TokenStream;

use crate::diag::Diag;

/// Collects the diagnostics of one derive and hands them out in source order.
#[derive(Debug, Default)]
pub(crate) struct Ctxt {
    place: Cell<usize>,
    found: RefCell<Vec<(usize, Diag)>>,
}

impl Ctxt {
    /// Says which part of the item is being looked at: 0 is the item and its own attributes, `n + 1` its `n`-th field.
    /// Diagnostics are sorted by place, so that a rule that runs late still reports in source order.
    pub(crate) fn set_place(&self, place: usize) {
        self.place.set(place);
    }

    /// Reports one mistake.
    pub(crate) fn push(&self, diag: Diag) {
        self.found.borrow_mut().push((self.place.get(), diag));
    }

    /// True if anything was reported so far.
    pub(crate) fn has_failed(&self) -> bool {
        !self.found.borrow().is_empty()
    }

    /// The number of reports so far: a parser compares it to see whether it reported something itself.
    pub(crate) fn report_count(&self) -> usize {
        self.found.borrow().len()
    }

    /// True if anything was reported for the part of the item that the derive checks now.
    pub(crate) fn has_failed_here(&self) -> bool {
        let here = self.place.get();
        self.found.borrow().iter().any(|(place, _)| *place == here)
    }

    /// All diagnostics as `compile_error!` items, in source order.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let mut found = self.found.into_inner();
        found.sort_by_key(|(place, diag)| (*place, diag.position()));
        found.iter().map(|(_, diag)| diag.to_tokens()).collect()
    }
}
