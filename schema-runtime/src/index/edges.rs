//! The copies that a program knows, as part of the name of an index.
//!
//! Programs that share a database may have been compiled from different declarations. One that does not know a copy neither flags
//! its sources nor propagates to it, and no error would show that. So the name of the index of the flags says for which copies it was
//! made.

use crate::index_spec::edges::EdgesDiffer;

use crate::graph::edges::Edges;
use crate::index_spec::definition::Definition;
use crate::index_spec::definition::fnv;
use crate::index_spec::live::LiveIndex;
use crate::schema::stored::PENDING_INDEX_PREFIX;

/// The name of the index of the flags of changed sources in `collection`.
pub(super) fn name(edges: &Edges, collection: &str) -> String {
    name_of(&described(edges, collection))
}

fn name_of(described: &[String]) -> String {
    format!("{PENDING_INDEX_PREFIX}{:08x}", fnv(&described.join("\n")))
}

/// The largest number of copies of one collection of which all subsets are tried.
const SUBSETS: usize = 12;

/// True if the name was made for some of these copies, and for no others.
fn knows_fewer(name: &str, described: &[String]) -> bool {
    if described.len() > SUBSETS {
        return false;
    }
    (0..1_usize << described.len()).any(|chosen| {
        let some = described.iter().enumerate();
        let some = some.filter(|(n, _)| chosen & (1 << n) != 0);
        let some: Vec<String> = some.map(|(_, one)| one.clone()).collect();
        name_of(&some) == name
    })
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

/// Checks if an index that exists as declared was made for other copies.
pub(super) fn edges_differ(
    collection: &str,
    declared: &Definition,
    live: &LiveIndex,
) -> Option<EdgesDiffer> {
    let wanted = declared.name.as_deref()?;
    // An index with a name of its own says nothing about copies.
    let differ = wanted.starts_with(PENDING_INDEX_PREFIX)
        && live.name.starts_with(PENDING_INDEX_PREFIX)
        && live.name != wanted;
    let edges = described(Edges::get(), collection);
    differ.then(|| EdgesDiffer {
        collection: collection.to_owned(),
        fewer: knows_fewer(&live.name, &edges),
        live: live.clone(),
        declared: declared.clone(),
        edges,
    })
}

#[cfg(test)]
mod tests;
