//! The check of the indexes that a delete needs, before anything is written: if a delete found a missing index after its tombstones, it
//! could neither continue nor be undone.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::join_all;
use mongodb::error::ErrorKind;

use super::plan::Plan;
use super::tomb;
use crate::driver::rows::Rows;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::Keys;
use crate::propagation::recent;
use crate::schema::relation::OnDelete;

/// A required index, and a query of the kind that will use the index.
struct Required<'e> {
    /// The name in error messages: an edge, or the collection itself for its index of flags.
    edge: &'e str,
    collection: &'static str,
    keys: Document,
    query: Document,
}

/// Checks that every index that the delete may need exists, with one `find` each that reads no document.
///
/// # Errors
/// [`Error::MissingIndex`], [`Error::Unsupported`], and the driver's.
pub(crate) async fn check_indexes(db: &Database, plan: &Plan) -> Result<()> {
    for collection in &plan.closure {
        recent::check_server(db, collection).await?;
    }
    let probes = required(plan).into_iter().map(|index| async move {
        let Required {
            edge,
            collection,
            keys,
            query,
        } = index;
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            limit: Some(-1),
            hint: Some(keys),
            ..FindArgs::default()
        };
        open_hinted(db, edge, collection, query, args, None)
            .await
            .map(drop)
    });
    // Wait for all answers, so that the error names the first missing index of the plan, no matter which answer comes first.
    join_all(probes).await.into_iter().collect()
}

/// The number of indexes that a plan checks, each by one `find`.
pub(crate) fn probes(plan: &Plan) -> usize {
    required(plan).len()
}

/// The indexes of a plan, each once.
fn required<'e>(plan: &'e Plan) -> Vec<Required<'e>> {
    let edges = Edges::get();
    let mut found = Found::default();
    for collection in plan.closure.iter().copied() {
        for relation in plan.relations.to(collection) {
            // Skip references that may refuse the call's own documents: the check before the first tombstone uses the same index.
            let asked_anyway = relation.rule == OnDelete::Deny && collection == plan.root;
            if relation.rule == OnDelete::Keep || asked_anyway {
                continue;
            }
            if let Some(keys) = relation.hint() {
                let query = relation.referring(&Keys::of_nothing(&[Bson::MinKey]));
                found.add(&relation.edge.name, relation.child(), keys, query);
            }
            // Siblings of a removed reference are copies, and may have copies of their own.
            if relation.acts() {
                for name in relation.onward() {
                    found.add_fan_out(relation.child(), name);
                }
            }
        }
        // A document with pending changes is propagated before its delete; a document whose delete is undone is propagated after that.
        let entombed = plan.entombed().any(|entombed| entombed == collection);
        let finished = !entombed && edges.links_of(collection).next().is_some();
        if finished || entombed && plan.denied {
            for edge in edges.out_of(collection) {
                found.add_fan_out(collection, &edge.name);
            }
        }
    }
    if plan.is_deep() {
        for collection in plan.entombed() {
            let query = tomb::match_entombed(ObjectId::new());
            found.add(collection, collection, tomb::index(), query);
        }
    }
    found.indexes
}

#[derive(Default)]
struct Found<'e> {
    indexes: Vec<Required<'e>>,
}

impl<'e> Found<'e> {
    fn add(&mut self, edge: &'e str, collection: &'static str, keys: Document, query: Document) {
        let same = |index: &Required<'_>| index.collection == collection && index.keys == keys;
        if keys != doc! { "_id": 1 } && !self.indexes.iter().any(same) {
            self.indexes.push(Required {
                edge,
                collection,
                keys,
                query,
            });
        }
    }

    /// Adds the index of a live edge out of a collection, and the indexes of the edges that copy its copies. Copies form no circle.
    fn add_fan_out(&mut self, source: &str, name: &str) {
        let edges = Edges::get();
        let Some(edge) = edges.named(source, name) else {
            return;
        };
        let target = edge.target;
        let query = edge.place.referring(&[Bson::MinKey]);
        self.add(&edge.name, target.collection, edge.hint(), query);
        for next in edges.onward(edge) {
            self.add_fan_out(target.collection, next);
        }
    }
}

/// Opens a query that has to use the index of its hint.
///
/// # Errors
/// [`Error::MissingIndex`] if the index does not exist, and the driver's.
pub(crate) async fn open_hinted<'a>(
    db: &Database,
    edge: &str,
    collection: &'static str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    let keys = args.hint.as_ref().map(Document::to_string);
    let opened = driver::open(db, collection, filter, args, session).await;
    opened.map_err(|error| match keys {
        Some(keys) if has_no_hinted_index(&error) => Error::MissingIndex {
            reference: edge.to_owned(),
            collection,
            keys,
        },
        _ => error,
    })
}

fn has_no_hinted_index(error: &Error) -> bool {
    let Error::Driver(driver) = error else {
        return false;
    };
    match &*driver.kind {
        ErrorKind::Command(command) => {
            command.code == 2 && command.message.contains("hint provided")
        }
        _ => false,
    }
}
