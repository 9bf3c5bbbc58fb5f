//! The rows of values that are about a person.

/// A `#[personal]` field, as its derive writes it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalRow {
    /// The Rust name of the reference to the person; `None` where the document is the person.
    pub of: Option<&'static str>,
    /// The expression of the value that stands in place of an erased one; `None` for an absent value.
    pub erased: Option<&'static str>,
    /// The time for which the value stays, and the reason; `None` where it is erased.
    pub kept: Option<(&'static str, &'static str)>,
}

impl PersonalRow {
    /// A value of the person whose document it is in.
    #[must_use]
    pub const fn own() -> Self {
        PersonalRow {
            of: None,
            erased: None,
            kept: None,
        }
    }

    /// A value of the person that this field refers to.
    #[must_use]
    pub const fn of(reference: &'static str) -> Self {
        PersonalRow {
            of: Some(reference),
            ..Self::own()
        }
    }

    /// The row of a value that another one replaces.
    #[must_use]
    pub const fn erased(mut self, value: &'static str) -> Self {
        self.erased = Some(value);
        self
    }

    /// The row of a value that stays.
    #[must_use]
    pub const fn kept(mut self, keep_for: &'static str, reason: &'static str) -> Self {
        self.kept = Some((keep_for, reason));
        self
    }
}
