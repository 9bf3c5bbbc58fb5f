//! Which copies a program knows of, as part of the name of an index.
//!
//! Programs that share a database may have been compiled from different declarations. One that does not know of a copy neither flags
//! its sources nor brings them to it, and nobody would notice. So the index of the flags says in its name for which copies it was
//! made.

#[cfg(feature = "driver")]
use std::fmt;

#[cfg(feature = "driver")]
use super::definition::Definition;
use super::definition::fnv;
#[cfg(feature = "driver")]
use super::live::LiveIndex;
use crate::denorm::edges::Edges;

const PREFIX: &str = "_dn.p_edges_";

/// The name of the index of the flags of changed sources in `collection`.
pub(super) fn name(edges: &Edges, collection: &str) -> String {
    format!(
        "{PREFIX}{:08x}",
        fnv(&described(edges, collection).join("\n"))
    )
}

/// The copies of a collection's documents, each edge with its fields, in an order that does not depend on the declarations'.
fn described(edges: &Edges, collection: &str) -> Vec<String> {
    let mut out: Vec<String> = edges
        .out_of(collection)
        .map(|edge| {
            let copied = edge.live.iter();
            let mut copied: Vec<String> = copied
                .map(|copied| format!("{} -> {}", copied.from, edge.full(copied)))
                .collect();
            copied.sort();
            format!("{} by {} ({})", edge.name, edge.key, copied.join(", "))
        })
        .collect();
    out.extend(edges.links_of(collection).map(|link| {
        let mut seen: Vec<&str> = link.seen().collect();
        seen.sort_unstable();
        format!("{} of {}", link.name, seen.join(", "))
    }));
    out.sort();
    out
}

/// The copies that this program knows of a collection are not those that its indexes were made for: another program, or an earlier
/// version of this one, knows others. A program that does not know a copy does not bring its changes there.
///
/// Deploy the same declarations everywhere; then [`accept_edges`](super::SyncIndexes::accept_edges) says that this is done, and
/// [`backfill`](crate::backfill), [`repair`](crate::repair) and [`verify`](crate::verify) see to what was missed.
#[cfg(feature = "driver")]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EdgesDiffer {
    /// The collection copied from.
    pub collection: String,
    /// The index that was made for other copies.
    pub live: LiveIndex,
    /// The same index under the name that says what this program knows.
    pub declared: Definition,
    /// What this program knows: `products.parts by _id (name -> parts.name)`.
    pub edges: Vec<String>,
}

/// What there is to say about an index that exists as it should, but perhaps for other copies.
#[cfg(feature = "driver")]
pub(super) fn edges_differ(
    collection: &str,
    declared: &Definition,
    live: &LiveIndex,
) -> Option<EdgesDiffer> {
    let wanted = declared.name.as_deref()?;
    // An index with a name of its own says nothing about copies.
    let differ = wanted.starts_with(PREFIX) && live.name.starts_with(PREFIX) && live.name != wanted;
    differ.then(|| EdgesDiffer {
        collection: collection.to_owned(),
        live: live.clone(),
        declared: declared.clone(),
        edges: described(Edges::get(), collection),
    })
}

#[cfg(feature = "driver")]
impl fmt::Display for EdgesDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` was made by a program that knows other copies of `{}` than this one ({}); deploy the same declarations everywhere, \
             then run sync_indexes(..).accept_edges(), backfill, repair and verify",
            self.live.name,
            self.collection,
            self.edges.join("; ")
        )
    }
}

#[cfg(test)]
mod tests;
