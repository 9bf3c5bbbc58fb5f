//! What parents keep: the last children.

use bson::Document;

use crate::Database;
use crate::denorm::links::{Kept, Link, Recent, Take};
use crate::denorm::source::Source;
use crate::error::{Error, Result};

/// Brings the parents' lists to what these children say.
pub(crate) async fn apply(
    _db: &Database,
    link: &'static Link,
    _list: &Recent,
    _children: &[&Source],
) -> Result<Kept> {
    Err(Error::Unsupported {
        what: link.name.clone(),
    })
}

/// Compares what marks in the parents' lists stand for with the children, and takes them off; gives how many parents were looked at.
pub(crate) async fn verify(
    _db: &Database,
    link: &'static Link,
    _list: &Recent,
    _filter: Document,
    _take: &mut Take<'_>,
) -> Result<u64> {
    Err(Error::Unsupported {
        what: link.name.clone(),
    })
}
