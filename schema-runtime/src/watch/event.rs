//! The events of a change stream, reduced to which document changed, and where.

use bson::{Bson, Document, doc};

use crate::bson_util::id_key::{IdKey, IdMap};
use crate::bson_util::path::without_indexes;
use crate::driver::stream::changed_paths;
use crate::schema::stored;

/// The fate of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Inserted,
    Updated,
    /// The whole document was replaced: any field may have changed.
    Replaced,
    Deleted,
}

/// A document that was inserted, changed or deleted.
#[derive(Debug)]
pub(super) struct Touched {
    pub(super) id: Bson,
    pub(super) fate: Fate,
    pub(super) paths: Vec<String>,
}

/// The documents of a reply, each once, and what is not about one document.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) touched: Vec<Touched>,
    /// True if the collection was dropped or renamed. What was touched before that is left out.
    pub(super) dropped: bool,
    /// True if the server has forgotten a deleted document, and its tenant with it.
    pub(super) missed: bool,
}

/// Operations that end a collection.
const DROPS: [&str; 3] = ["drop", "rename", "dropDatabase"];

/// The stages of the stream: of one document, or of all; with the deletes of one tenant, or of all.
pub(super) fn pipeline(
    start: Document,
    id: Option<&Bson>,
    wall: Option<&Document>,
) -> Vec<Document> {
    let mut stream = start;
    let mut fields = doc! { "operationType": 1, "documentKey._id": 1 };
    fields.extend(changed_paths());
    let mut ends = DROPS.to_vec();
    ends.push("invalidate");
    let ends = doc! { "operationType": { "$in": ends } };
    let touches = doc! { "operationType": { "$in": ["insert", "update", "replace", "delete"] } };
    let mut conditions = vec![touches];
    conditions.extend(id.map(|id| doc! { "documentKey._id": { "$eq": id } }));
    if let Some(wall) = wall {
        stream.insert("fullDocumentBeforeChange", "whenAvailable");
        let is_delete = doc! { "$eq": ["$operationType", "delete"] };
        let unknown = doc! { "$lte": ["$fullDocumentBeforeChange", Bson::Null] };
        fields.insert("unknown", doc! { "$and": [is_delete, unknown] });
        let before = |(field, condition): (&String, &Bson)| {
            let path = format!("fullDocumentBeforeChange.{field}");
            doc! { path: condition.clone() }
        };
        let mut of_tenant = vec![
            doc! { "operationType": { "$ne": "delete" } },
            doc! { "fullDocumentBeforeChange": Bson::Null },
        ];
        of_tenant.extend(wall.iter().map(before));
        conditions.push(doc! { "$or": of_tenant });
    }
    let not_own = doc! { "$elemMatch": { "$not": { "$regex": stored::own_pattern() } } };
    vec![
        doc! { "$changeStream": stream },
        doc! { "$match": { "$or": [ends, { "$and": conditions }] } },
        doc! { "$project": fields },
        doc! { "$match": { "$or": [
            { "operationType": { "$ne": "update" } },
            { "set": &not_own },
            { "gone": &not_own },
        ] } },
    ]
}

impl Batch {
    /// The batch of these events: several of one document are one.
    pub(super) fn read(events: &[Document]) -> Self {
        let mut batch = Batch::default();
        let mut places: IdMap<usize> = IdMap::default();
        let mut touched: Vec<Option<Touched>> = Vec::new();
        for event in events {
            let kind = event.get_str("operationType").unwrap_or_default();
            if DROPS.contains(&kind) {
                batch.dropped = true;
                places.clear();
                touched.clear();
                continue;
            }
            if event.get_bool("unknown").unwrap_or(false) {
                batch.missed = true;
                continue;
            }
            let Some(next) = Touched::read(kind, event) else {
                continue;
            };
            let place = places.insert(IdKey::new(&next.id), touched.len());
            let earlier = place.and_then(|place| touched[place].take());
            touched.push(Some(next.behind(earlier)));
        }
        batch.touched = touched.into_iter().flatten().collect();
        batch
    }
}

impl Touched {
    fn read(kind: &str, event: &Document) -> Option<Self> {
        let key = event.get_document("documentKey").ok()?;
        let fate = match kind {
            "insert" => Fate::Inserted,
            "update" => Fate::Updated,
            "replace" => Fate::Replaced,
            "delete" => Fate::Deleted,
            _ => return None,
        };
        let names = |list: &str| event.get_array(list).into_iter().flatten();
        let names = names("set").chain(names("gone")).filter_map(Bson::as_str);
        let mut paths: Vec<String> = names
            .filter(|name| !stored::is_own_field(name))
            .map(without_indexes)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Some(Touched {
            id: key.get("_id")?.clone(),
            fate,
            paths,
        })
    }

    /// This event and an earlier one of the same document, as one.
    fn behind(mut self, earlier: Option<Touched>) -> Self {
        let Some(earlier) = earlier else {
            return self;
        };
        self.fate = match (earlier.fate, self.fate) {
            (Fate::Inserted, Fate::Updated | Fate::Replaced) => Fate::Inserted,
            // The document came back: it is another one now.
            (Fate::Deleted, Fate::Inserted) | (Fate::Replaced, Fate::Updated) => Fate::Replaced,
            (_, fate) => fate,
        };
        match self.fate {
            Fate::Updated => {
                self.paths.extend(earlier.paths);
                self.paths.sort_unstable();
                self.paths.dedup();
            }
            _ => self.paths.clear(),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, id: i32, set: &[&str]) -> Document {
        doc! { "operationType": kind, "documentKey": { "_id": id }, "set": set.to_vec(), "gone": [] }
    }

    fn fates(events: &[Document]) -> Vec<(Bson, Fate, Vec<String>)> {
        let batch = Batch::read(events).touched.into_iter();
        batch.map(|one| (one.id, one.fate, one.paths)).collect()
    }

    #[test]
    fn events_of_one_document_are_one_at_the_place_of_the_last() {
        let events = [
            event("update", 1, &["name", "_dn.r"]),
            event("update", 2, &["a"]),
            event("update", 1, &["tags.3", "_r_host"]),
        ];
        let paths = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            fates(&events),
            [
                (2.into(), Fate::Updated, paths(&["a"])),
                (1.into(), Fate::Updated, paths(&["name", "tags"])),
            ]
        );
    }

    #[test]
    fn the_last_event_says_what_is_there() {
        for (events, fate) in [
            (["insert", "update"], Fate::Inserted),
            (["insert", "delete"], Fate::Deleted),
            (["delete", "insert"], Fate::Replaced),
            (["replace", "update"], Fate::Replaced),
            (["update", "replace"], Fate::Replaced),
        ] {
            let events = events.map(|kind| event(kind, 1, &[]));
            assert_eq!(fates(&events), [(Bson::Int32(1), fate, Vec::new())]);
        }
    }

    #[test]
    fn a_drop_ends_what_came_before_it() {
        let drop = doc! { "operationType": "drop" };
        let batch = Batch::read(&[event("insert", 1, &[]), drop, event("insert", 2, &[])]);
        assert!(batch.dropped);
        assert_eq!(batch.touched.len(), 1);
    }
}
