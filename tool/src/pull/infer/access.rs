//! Access patterns that would need an index: what references ask, and what the profiler recorded.

use super::fields::rust_names;
use super::places::kinds_of;
use super::{Builder, Place, rust_path};
use crate::findings::Level;
use crate::output::{count, number};
use crate::pull::profiled::Query;
use crate::pull::source::flag;

/// Proposals for one collection.
const MOST: usize = 20;

impl Builder<'_> {
    /// Notes references that no index leads back along, and recorded queries that none serves.
    pub(super) fn note_access(&mut self) {
        let declared: Vec<Place> = self.links.refs.keys().cloned().collect();
        for place in declared {
            let keys = [(place.path.clone(), false), ("_id".to_owned(), false)];
            if !self.is_indexed(place.source, &keys) {
                let message = format!(
                    "index {{ {}: 1, _id: 1 }} is missing: the reference declares it, and `cargo mongo-model apply` builds it",
                    place.path
                );
                self.note(&place, "needs_index", Level::Note, message, None);
            }
        }
        let mut written = vec![0; self.notes.len()];
        for query in self.data.queries {
            let done = &mut written[query.source];
            if *done == MOST || self.names[query.source].is_none() {
                continue;
            }
            *done += 1;
            let place = Place::new(query.source, "");
            let message = self.proposal(query);
            self.note(&place, "proposed_index", Level::Note, message, None);
        }
    }

    /// The sentence about a recorded query.
    fn proposal(&self, query: &Query) -> String {
        let list = |paths: Vec<String>| paths.join(", ");
        let quoted = |path: &String| format!("`{path}`");
        let shape = &query.shape;
        let mut asked = Vec::new();
        if !shape.equal.is_empty() {
            asked.push(format!(
                "by {}",
                list(shape.equal.iter().map(quoted).collect())
            ));
        }
        if !shape.ranges.is_empty() {
            let ranges = shape.ranges.iter().map(quoted).collect();
            asked.push(format!("by ranges of {}", list(ranges)));
        }
        if !shape.order.is_empty() {
            let order = shape.order.iter().map(|(path, _)| quoted(path)).collect();
            asked.push(format!("in the order of {}", list(order)));
        }
        let keys = shape.keys();
        let advice = if self.is_indexed(query.source, &keys) {
            "an index serves it now".to_owned()
        } else {
            self.attribute_for(query.source, &keys)
        };
        format!(
            "the profiler recorded {} {} that read up to {} or sorted them in memory (the slowest took {} ms): {advice}",
            count_of_queries(query.times),
            asked.join(", "),
            count(
                u64::try_from(query.examined).unwrap_or_default(),
                "document"
            ),
            number(u64::try_from(query.slowest).unwrap_or_default()),
        )
    }

    /// The attribute that declares an index of these keys.
    fn attribute_for(&self, source: usize, keys: &[(String, bool)]) -> String {
        let root = &self.data.sources[source].root;
        let texts: Vec<String> = keys
            .iter()
            .map(|(path, descends)| {
                let sign = if *descends { "-" } else { "" };
                format!("{sign}{}", rust_path(&rust_names(root, path)))
            })
            .collect();
        match texts.as_slice() {
            [only] if kinds_of(root).is_some() || !only.contains('.') => {
                let name = only.trim_start_matches('-');
                let options = if only.len() == name.len() {
                    ""
                } else {
                    "(desc)"
                };
                format!("`#[index{options}]` on `{name}` would serve it")
            }
            texts => format!("`index(keys({}))` would serve it", texts.join(", ")),
        }
    }

    /// True if an index of all documents begins with these keys; the first ones may stand in any order.
    fn is_indexed(&self, source: usize, keys: &[(String, bool)]) -> bool {
        self.data.sources[source].indexes.iter().any(|index| {
            let partial = flag(index, "sparse") || index.contains_key("partialFilterExpression");
            let Ok(own) = index.get_document("key") else {
                return false;
            };
            let own: Vec<&String> = own.keys().take(keys.len()).collect();
            !partial && own.len() == keys.len() && keys.iter().all(|(path, _)| own.contains(&path))
        })
    }
}

fn count_of_queries(n: u64) -> String {
    match n {
        1 => "1 query".to_owned(),
        n => format!("{} queries", number(n)),
    }
}
