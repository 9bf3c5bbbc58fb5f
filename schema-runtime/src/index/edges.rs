//! The copies that a program knows, as part of the name of an index.
//!
//! Programs that share a database may have been compiled from different declarations. One that does not know a copy neither flags
//! its sources nor propagates to it, and no error would show that. So the name of the index of the flags says for which copies it was
//! made.

use std::collections::BTreeSet;

use crate::graph::edges::Edges;
use crate::index_spec::definition::Definition;
use crate::index_spec::definition::fnv;
use crate::index_spec::edges::CopiesDiffer;
use crate::index_spec::live::LiveIndex;
use crate::schema::stored::PENDING_INDEX_PREFIX;

/// The name of the index of the flags of changed sources in `collection`: the hash of each copied field and of each link, so that a program
/// can tell one that knows fewer of them from one that knows others.
pub(super) fn name(edges: &Edges, collection: &str) -> String {
    let hashes = hashes(edges, collection);
    let hashes = hashes.iter().map(|hash| format!("{hash:08x}"));
    format!("{PENDING_INDEX_PREFIX}{}", hashes.collect::<String>())
}

/// True if the name was made for some of these hashes, and for no others.
fn knows_fewer(name: &str, hashes: &BTreeSet<u32>) -> bool {
    let theirs = name.strip_prefix(PENDING_INDEX_PREFIX).unwrap_or("-");
    let is_ours = |hash: &[u8]| {
        let hash = std::str::from_utf8(hash)
            .ok()
            .filter(|hash| hash.len() == 8);
        let hash = hash.and_then(|hash| u32::from_str_radix(hash, 16).ok());
        hash.is_some_and(|hash| hashes.contains(&hash))
    };
    theirs.as_bytes().chunks(8).all(is_ours)
}

/// The hashes of all that a program knows of a collection's documents: each reference to them whose copies follow, each copied field, each
/// link, and each field that a link looks at.
fn hashes(edges: &Edges, collection: &str) -> BTreeSet<u32> {
    let mut out = BTreeSet::new();
    for edge in edges.out_of(collection) {
        let reference = format!("{} by {}", edge.name, edge.key);
        let copies = edge.live.iter();
        out.extend(copies.map(|copied| {
            fnv(&format!(
                "{reference}: {} -> {}",
                copied.from,
                edge.full(copied)
            ))
        }));
        out.insert(fnv(&reference));
    }
    for link in edges.links_of(collection) {
        out.insert(fnv(&link.name));
        out.extend(
            link.seen()
                .map(|seen| fnv(&format!("{} of {seen}", link.name))),
        );
    }
    out
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
pub(super) fn copies_differ(
    collection: &str,
    declared: &Definition,
    live: &LiveIndex,
) -> Option<CopiesDiffer> {
    let wanted = declared.name.as_deref()?;
    // An index with a name of its own says nothing about copies.
    let differ = wanted.starts_with(PENDING_INDEX_PREFIX)
        && live.name.starts_with(PENDING_INDEX_PREFIX)
        && live.name != wanted;
    let edges = described(Edges::get(), collection);
    differ.then(|| CopiesDiffer {
        collection: collection.to_owned(),
        fewer: knows_fewer(&live.name, &hashes(Edges::get(), collection)),
        live: live.clone(),
        declared: declared.clone(),
        references: edges,
    })
}

#[cfg(test)]
mod tests;
