//! C2 to C4 by the writer itself.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::epochs::{self, Moment};
use super::resume::{clear, forget, make_room};
use super::{Counted, Delta, Op, Parent, ROOM, deltas, ops};
use crate::crud::driver::{self, Lasting, UpdateArgs};
use crate::denorm::edges::Edges;
use crate::error::{Error, Result};
use crate::{ClientSession, Database};

/// How often a parent is tried that others change meanwhile.
const ROUNDS: usize = 200;

/// A write of children that are counted, from before it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) token: ObjectId,
    moment: Moment,
}

impl Begun {
    /// To be taken before the children are written: epochs that were known by now are older than their flags.
    pub(crate) fn now() -> Self {
        Begun {
            token: ObjectId::new(),
            moment: epochs::now(),
        }
    }
}

/// Counts children that a write of this program has flagged, all of which it knows to be written, and takes their flags off. The
/// children are as they were written.
///
/// # Errors
/// The driver's, and [`Error::Busy`]. What is not counted stays flagged.
pub(crate) async fn finish(
    db: &Database,
    edges: &'static Edges,
    collection: &str,
    begun: Begun,
    children: &[&Document],
) -> Result<()> {
    let written = Written::by(begun, children);
    if written.children.is_empty() {
        return Ok(());
    }
    fault!("after_c1");
    let parents = written.parents(edges, collection);
    for (parent, delta) in &parents {
        if !written.count(db, edges, collection, parent, delta).await? {
            // Somebody else has begun to finish these children one by one.
            let flagged = doc! { "_dn.c.t": begun.token };
            super::resume(db, edges, collection, flagged, &mut |_, _| true).await?;
            return Ok(());
        }
    }
    fault!("after_c2");
    let ids: Vec<&Bson> = written.children.keys().collect_ids();
    clear(db, collection, &[begun.token], &ids).await?;
    fault!("after_c3");
    for (parent, delta) in &parents {
        let tokens = epochs::finished(db, parent, begun.token);
        forget(db, parent, &delta.id, &tokens).await?;
    }
    fault!("after_c4");
    Ok(())
}
