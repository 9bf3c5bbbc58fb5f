//! The tables of an enum model: the fields that all variants have stand at the top, the others in one row per
//! variant.

use crate::schema::lookup::{Referring, same};
use crate::schema::rows::{FieldRow, Shape};
use crate::schema::value::row_unknown;

/// The fields of each variant.
pub type Variants<'a> = &'a [&'a [FieldRow]];

const NONE: FieldRow = row_unknown("", "", crate::schema::rows::Kind::Any);

/// The row in `rows` that is stored under this name.
const fn stored(rows: &[FieldRow], name: &str) -> Option<FieldRow> {
    let mut n = 0;
    while n < rows.len() {
        if same(rows[n].name, name) {
            return Some(rows[n]);
        }
        n += 1;
    }
    None
}

/// True if every variant has this field.
const fn in_all(row: &FieldRow, variants: Variants<'_>) -> bool {
    if row.name.is_empty() {
        return false;
    }
    let mut n = 0;
    while n < variants.len() {
        match stored(variants[n], row.name) {
            Some(other) if same(other.rust, row.rust) => {}
            _ => return false,
        }
        n += 1;
    }
    true
}

/// The number of fields that all variants have, or (`shared` false) the number of those that the variant `of` has beside them.
#[must_use]
pub const fn count(variants: Variants<'_>, of: usize, shared: bool) -> usize {
    let (mut n, mut found) = (0, 0);
    while n < variants[of].len() {
        if in_all(&variants[of][n], variants) == shared {
            found += 1;
        }
        n += 1;
    }
    found
}

/// The fields that all variants have, or (`shared` false) the others, in the order of the variant `of`.
#[must_use]
pub const fn rows<const N: usize>(
    variants: Variants<'_>,
    of: usize,
    shared: bool,
) -> [FieldRow; N] {
    let mut out = [NONE; N];
    let (mut n, mut at) = (0, 0);
    while n < variants[of].len() {
        if in_all(&variants[of][n], variants) == shared {
            out[at] = variants[of][n];
            at += 1;
        }
        n += 1;
    }
    out
}

/// The rows of the tag, of the fields that all variants have, and of the variants.
#[must_use]
pub const fn table<const N: usize>(
    tag: FieldRow,
    shared: &[FieldRow],
    variants: &[FieldRow],
) -> [FieldRow; N] {
    let mut out = [NONE; N];
    out[0] = tag;
    let mut n = 0;
    while n < shared.len() {
        out[n + 1] = shared[n];
        n += 1;
    }
    let mut n = 0;
    while n < variants.len() {
        out[n + 1 + shared.len()] = variants[n];
        n += 1;
    }
    out
}

/// True if every variant has this reference; the variants agree about it.
const fn is_shared(reference: &Referring, shared: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < shared.len() {
        if same(shared[n].rust, reference.field) {
            return true;
        }
        n += 1;
    }
    false
}

/// The number of references that all variants have.
#[must_use]
pub const fn referring(shared: &[FieldRow], first: Option<&'static [Referring]>) -> usize {
    let Some(first) = first else {
        return 0;
    };
    let (mut n, mut found) = (0, 0);
    while n < first.len() {
        if is_shared(&first[n], shared) {
            found += 1;
        }
        n += 1;
    }
    found
}

/// The references that all variants have.
#[must_use]
pub const fn references<const N: usize>(
    shared: &[FieldRow],
    first: Option<&'static [Referring]>,
) -> [Referring; N] {
    let mut out = [Referring::NONE; N];
    let Some(first) = first else {
        return out;
    };
    let (mut n, mut at) = (0, 0);
    while n < first.len() {
        if is_shared(&first[n], shared) {
            out[at] = first[n];
            at += 1;
        }
        n += 1;
    }
    out
}

impl FieldRow {
    /// The row as the fields of one variant: those of the documents whose `tag` is `value`.
    #[must_use]
    pub const fn variant(
        mut self,
        tag: &'static str,
        value: &'static str,
        shape: &'static Shape,
    ) -> Self {
        self.variant = Some((tag, value));
        self.shape = Some(shape);
        self
    }
}
