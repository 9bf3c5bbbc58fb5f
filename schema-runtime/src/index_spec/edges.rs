//! An index that was made for other copies.

use std::fmt;

use crate::index_spec::definition::Definition;
use crate::index_spec::live::LiveIndex;

/// The copies that this program knows of a collection are not those that its indexes were made for: another program, or an earlier
/// version of this one, knows others. A program that does not know a copy does not propagate its changes to it.
///
/// Deploy the same declarations everywhere; then [`accept_copies`](crate::index::SyncIndexes::accept_copies) states that
/// this is done, and [`backfill`](crate::backfill), [`repair`](crate::repair) and [`verify`](crate::verify) take care
/// of missed changes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CopiesDiffer {
    /// The collection copied from.
    pub collection: String,
    /// The index that was made for other copies.
    pub live: LiveIndex,
    /// The same index under the name for the copies that this program knows.
    pub declared: Definition,
    /// True if the other program knows some of the copies that this program knows, and no others: it has yet to be replaced
    /// by a version that knows all of them, and this is not an error of this program.
    pub fewer: bool,
    /// The copies that this program knows: `products.parts by _id (name -> parts.name)`.
    pub references: Vec<String>,
}

impl fmt::Display for CopiesDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` was made by a program that knows {} copies of `{}` than this one ({}); deploy the same declarations everywhere, \
             then run sync_indexes(..).accept_copies(), backfill, repair and verify",
            self.live.name,
            if self.fewer { "fewer" } else { "other" },
            self.collection,
            self.references.join("; ")
        )
    }
}
