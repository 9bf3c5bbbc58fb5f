//! The updates of W2, which make copies equal to their source.

use bson::{Bson, Document, doc};

use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::source::Source;

/// Adds to an update the operators that make copies match a source. They write every copied field, not only the changed one, so that a copy
/// of revision r is the source of revision r. They remove a field that the source lacks.
fn copies(edge: &Edge, n: usize, source: &Source, set: &mut Document, unset: &mut Document) {
    for copied in &edge.live {
        let path = edge.place.filtered(n, &copied.to);
        match source.value(copied) {
            Some(value) => set.insert(path, value.clone()),
            None => unset.insert(path, ""),
        };
    }
    set.insert(edge.place.filtered_revision(n), source.r.clone());
}

/// The update of W2 for one source and edge.
pub(crate) fn to_copies(edge: &Edge, source: &Source, key: &Bson) -> Document {
    let mut update = correct(edge, &[(key, source)], source.same_tenant(edge));
    update.insert("multi", true);
    update.insert("hint", edge.hint());
    update
}

/// The update of W2 for all documents at once. If the copies are in an array, the array filters guard them, and the server need not look
/// for an older copy beforehand: an update that no element meets changes nothing. Two cases need the guard in the query: flags that the
/// same update sets, and documents without an array there, for which the server refuses the whole update.
pub(super) fn to_all_copies(
    edge: &Edge,
    source: &Source,
    key: &Bson,
    guarded: &Document,
) -> Document {
    let mut update = guarded.clone();
    // A sharded cluster is asked afterwards for those that it has passed over.
    let asks_again = edge.target.shard_key.is_some();
    if !edge.place.is_single() && Edges::get().onward(edge).is_empty() && !asks_again {
        let mut referring = edge.place.referring_to(key);
        referring.extend(source.same_tenant(edge));
        update.insert("q", referring);
    }
    update
}

/// The update that makes older copies match their sources, in the documents that `q` selects. It covers several references only if they are
/// in an array. If copies have copies of their own, the same write makes their document pending.
pub(crate) fn correct(edge: &Edge, references: &[(&Bson, &Source)], mut q: Document) -> Document {
    let (mut set, mut unset) = (Document::new(), Document::new());
    let mut filters = Vec::new();
    for (n, (key, source)) in references.iter().enumerate() {
        copies(edge, n, source, &mut set, &mut unset);
        let r = Some(source.revision());
        filters.extend(edge.place.array_filters(n, key, r));
    }
    match references {
        [(key, source)] => q.extend(edge.place.holding(key, Some(source.revision()))),
        several => {
            let keys: Vec<&Bson> = several.iter().map(|(key, _)| *key).collect();
            q.extend(edge.place.holding_any(&keys));
        }
    }
    let mut operators = doc! { "$set": set };
    if !unset.is_empty() {
        operators.insert("$unset", unset);
    }
    let onward = Edges::get().onward(edge);
    if !onward.is_empty() {
        flags::bump(&mut operators, &onward);
    }
    let mut update = doc! { "q": q, "u": operators };
    if !filters.is_empty() {
        update.insert("arrayFilters", filters);
    }
    update
}

/// The update that gives new copies, which have no revision yet, the values of these sources, in the documents that `q` selects.
pub(crate) fn provisional(
    edge: &Edge,
    references: &[(&Bson, &Source)],
    mut q: Document,
) -> Document {
    // Every revision is greater than this number.
    let none = Some(-1);
    let (mut set, mut unset) = (Document::new(), Document::new());
    let mut filters = Vec::new();
    for (n, (key, source)) in references.iter().enumerate() {
        copies(edge, n, source, &mut set, &mut unset);
        set.remove(edge.place.filtered_revision(n));
        filters.extend(edge.place.array_filters(n, key, none));
    }
    match references {
        [(key, _)] => q.extend(edge.place.holding(key, none)),
        several => {
            let keys: Vec<&Bson> = several.iter().map(|(key, _)| *key).collect();
            q.extend(edge.place.holding_any(&keys));
        }
    }
    let mut operators = doc! {};
    for (operator, paths) in [("$set", set), ("$unset", unset)] {
        if !paths.is_empty() {
            operators.insert(operator, paths);
        }
    }
    let mut update = doc! { "q": q, "u": operators };
    if !filters.is_empty() {
        update.insert("arrayFilters", filters);
    }
    update
}
