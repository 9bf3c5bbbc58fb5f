//! References that lead nowhere, and what they say about that.

use bson::{Bson, Document, doc};

use super::Tell;
use super::run::{Which, delete};
use crate::Database;
use crate::crud::driver;
use crate::denorm::edges::{Edge, Edges};
use crate::denorm::relations::Relations;
use crate::denorm::source;
use crate::error::{Error, Result};
use crate::model::OnDelete;

/// Does with a reference to a document that is not there what it says. `false` where it stays: the rule refuses or keeps, the
/// document that holds it may not go, or functions of its own store the reference.
pub(crate) async fn apply(
    db: &Database,
    edges: &'static Edges,
    edge: &Edge,
    id: &Bson,
    key: &Bson,
) -> Result<bool> {
    let relations = Relations::get();
    let Some(relation) = relations.along(edge) else {
        return Ok(false);
    };
    // That no source has the stored value says little about what it means.
    if edge.opaque {
        return Ok(false);
    }
    let keys = std::slice::from_ref(key);
    let mut this: Document = doc! { "_id": { "$eq": id } };
    this.extend(relation.referring(keys));
    if relation.rule == OnDelete::Cascade {
        let model = relation.edge.target;
        let mut tell = Tell::default();
        let gone = Box::pin(delete(db, model, Which::Many(this), None, &mut tell)).await;
        return match gone {
            Ok(_) => Ok(true),
            Err(Error::Referenced { .. }) => Ok(false),
            Err(error) => Err(error),
        };
    }
    let Some(mut update) = relation.applied(edges, keys) else {
        return Ok(false);
    };
    update.insert("q", this);
    update.insert("multi", false);
    update.insert("hint", doc! { "_id": 1 });
    let done = driver::statements(db, relation.child(), &[update], true, None).await?;
    let onward = relation.onward(edges);
    if !onward.is_empty() {
        let filter = doc! { "_id": { "$eq": id }, "_dn.p": { "$in": onward } };
        source::resume(db, edges, relation.child(), filter, &mut |_| true).await?;
    }
    Ok(done.failed.is_empty())
}
