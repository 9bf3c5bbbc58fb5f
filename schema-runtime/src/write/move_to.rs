//! Moves of documents in their tree.

use std::fmt;
use std::marker::PhantomData;

use bson::Bson;

use crate::builder::{CallOptions, answers, settles};
use crate::document::id::encode_id;
use crate::driver::Database;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::Model;
use crate::schema::tree::{Tree, TreeFields};
use crate::tenant::{Confined, Wall};
use crate::write::send::moving::{Listener, Moves};

/// A document of a tree, about to get another parent.
#[must_use = "nothing is sent before it is awaited"]
pub struct MoveTo<'a, M> {
    db: &'a Database,
    node: Result<Bson>,
    to: Result<Bson>,
    listener: Option<Listener<'a>>,
    /// The tenant of the handle; `None` across tenants.
    tenant: Option<Bson>,
    call: CallOptions,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for MoveTo<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (node, to) = (self.node.as_ref().ok(), self.to.as_ref().ok());
        let mut shown = f.debug_struct("MoveTo");
        shown
            .field("node", &node)
            .field("to", &to)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Tree> MoveTo<'a, M> {
    pub(crate) fn new(db: &'a Database, node: &M::DocumentId, to: Option<&M::DocumentId>) -> Self {
        MoveTo {
            db,
            node: encode_id::<M>(node),
            to: to.map_or(Ok(Bson::Null), encode_id::<M>),
            listener: None,
            tenant: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }

    /// Calls the listener with the number of documents below that have their new ancestors, after every 1,000 of them.
    pub fn progress(mut self, listener: impl FnMut(u64) + Send + 'a) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }
}

impl<M: Model> Confined for MoveTo<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.tenant = wall.tenant().cloned();
        self
    }
}

settles!(MoveTo, call);

answers!(['a, M: Tree] MoveTo<'a, M> => Outcome, self, self.call.clone(), {
    let MoveTo { db, node, to, mut listener, tenant, .. } = self;
    let meta = M::model_meta();
    let Some(tree) = TreeFields::of(meta) else {
        return Ok(Outcome::default());
    };
    let moves = Moves { db, meta, tree };
    Box::pin(moves.move_to((node?, to?), tenant.as_ref(), &mut listener)).await
});
