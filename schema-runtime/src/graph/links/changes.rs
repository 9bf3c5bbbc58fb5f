//! The paths whose change in a child changes the data of its parents, and the numbers that links keep.

use super::{Addend, Keeps, Link};
use crate::bson_util::amount::Amount;
use crate::bson_util::operators::without_elements;
use crate::bson_util::path::overlap;

impl Link {
    /// True if the link is flagged in `_dn.p`; counters have flags of their own.
    pub(crate) fn is_pending_by_name(&self) -> bool {
        !self.counts()
    }

    /// True if the link is a number: of children, or a sum over them.
    pub(crate) fn counts(&self) -> bool {
        matches!(self.keeps, Keeps::Number(_))
    }

    /// True if the number is a decimal.
    pub(crate) fn is_decimal(&self) -> bool {
        self.zero().is_decimal()
    }

    /// The number of a parent without children, an integer or a decimal.
    pub(crate) fn zero(&self) -> Amount {
        self.addend().map_or_else(Amount::default, Addend::zero)
    }

    /// The amount that each child adds to the number; `None` if each adds one, and if the link is no number.
    pub(crate) fn addend(&self) -> Option<&Addend> {
        match &self.keeps {
            Keeps::Number(addend) => Some(addend).filter(|addend| !addend.is_one()),
            Keeps::Ids { .. } | Keeps::Recent(_) => None,
        }
    }

    /// The stored paths of the fields of the children, beside their reference, that decide which number a child adds to, and how much.
    pub(crate) fn weighs(&self) -> impl Iterator<Item = &'static str> {
        let added = self.addend().into_iter().flat_map(Addend::fields);
        added.chain(self.periods.map(|periods| periods.at))
    }

    /// The stored paths of the children's fields that the derived data depends on.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &'static str> {
        let shown = match &self.keeps {
            Keeps::Recent(recent) => recent.shown.as_slice(),
            Keeps::Ids { .. } | Keeps::Number(_) => &[],
        };
        let own = std::iter::once(self.row).chain(self.decisive());
        own.chain(shown.iter().map(|(from, _)| *from))
    }

    /// True if a change at this path may change the number of a parent.
    pub(crate) fn counts_at(&self, path: &str) -> bool {
        self.counts() && self.regroups_at(path)
    }

    /// True if a change at this path may give the child other parents or another period, or change what it adds to a number.
    pub(crate) fn regroups_at(&self, path: &str) -> bool {
        self.moves_at(path) || self.weighs().any(|name| overlap(name, path))
    }

    /// True if a change at one of these stored paths changes the derived data of the parents.
    pub(crate) fn sees(&self, changed: &[&str]) -> bool {
        changed
            .iter()
            .any(|path| self.moves_at(path) || self.seen().skip(1).any(|name| overlap(name, path)))
    }

    /// True if a change at this path may give the child other parents. A change of the other fields of an entry does not.
    pub(crate) fn moves_at(&self, path: &str) -> bool {
        match self.entry_id {
            None => overlap(self.row, path),
            Some(_) => overlap(&self.reference, &without_elements(path)),
        }
    }
}
