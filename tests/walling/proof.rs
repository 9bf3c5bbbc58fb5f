//! Looks through the commands of a call for the tenant.

use bson::{Bson, Document};
use mongo_model_dev_server::monitor::StartedCommand;

/// The walled collections, and the stored field of their tenant.
const WALLED: &[(&str, &str)] = &[
    ("invoices", "o"),
    ("notes", "org"),
    ("teams", "org"),
    ("members", "org"),
    ("matches", "o"),
    ("sheets", "org"),
    ("jobs", "org"),
    ("shelves", "org"),
    ("books", "o"),
    ("purses", "org"),
    ("labels", "o"),
    ("artists", "org"),
    ("genres", "org"),
    ("markets", "org"),
    ("takings", "org"),
    ("market_days", "o"),
    ("kiosks", "org"),
    ("sales", "org"),
    ("kiosk_days", "org"),
    ("albums", "o"),
    ("more_songs", "org"),
];

fn tenant_of(collection: &str) -> Option<&'static str> {
    let mut all = WALLED.iter();
    all.find(|(name, _)| *name == collection)
        .map(|(_, field)| *field)
}

/// True if a filter demands the tenant, at its top or in an `$and`.
fn demands(filter: &Document, field: &str, tenant: &Bson) -> bool {
    let equal = filter.get_document(field);
    if equal.is_ok_and(|equal| equal.len() == 1 && equal.get("$eq") == Some(tenant)) {
        return true;
    }
    let parts = filter.get_array("$and").into_iter().flatten();
    let mut parts = parts.filter_map(Bson::as_document);
    parts.any(|part| demands(part, field, tenant))
}

/// True if a filter is of the library's own work: it finds documents by their `_id`s and by a token that a write of the call has left.
fn is_own_work(filter: &Document) -> bool {
    filter.contains_key("_id") && filter.keys().any(|key| key.starts_with("_dn."))
}

/// True if a filter finds nothing: the library asks the server if an index is there.
fn is_probe(filter: &Document) -> bool {
    let nothing = bson::bson!({ "$in": [Bson::MinKey] });
    filter.len() == 1 && filter.values().all(|value| *value == nothing)
}

/// What a command asks a collection for.
enum Asked<'c> {
    Filter(&'c Document),
    Stored(&'c Document),
}

fn documents<'c>(command: &'c Document, list: &str) -> Vec<&'c Document> {
    let list = command.get_array(list).into_iter().flatten();
    list.filter_map(Bson::as_document).collect()
}

/// The collections that a pipeline reads, each with the filter of its first stage.
fn of_pipeline<'c>(
    collection: Option<&'c str>,
    pipeline: &'c [Bson],
    out: &mut Vec<(&'c str, Asked<'c>)>,
) {
    static NOTHING: std::sync::LazyLock<Document> = std::sync::LazyLock::new(Document::new);
    let stages = || pipeline.iter().filter_map(Bson::as_document);
    if let Some(collection) = collection {
        let first = stages()
            .next()
            .and_then(|stage| stage.get_document("$match").ok());
        out.push((collection, Asked::Filter(first.unwrap_or(&NOTHING))));
    }
    for stage in stages() {
        for (name, from) in [("$lookup", "from"), ("$unionWith", "coll")] {
            let Ok(stage) = stage.get_document(name) else {
                continue;
            };
            let inner = stage.get_array("pipeline").map_or(&[][..], Vec::as_slice);
            of_pipeline(stage.get_str(from).ok(), inner, out);
        }
    }
}

fn asked(sent: &StartedCommand) -> Vec<(&str, Asked<'_>)> {
    let (name, command) = (sent.name.as_str(), &sent.command);
    let collection = command.get_str(name).unwrap_or_default();
    let filter = |key: &str| command.get_document(key).expect("a filter");
    match name {
        "find" => vec![(collection, Asked::Filter(filter("filter")))],
        "findAndModify" => vec![(collection, Asked::Filter(filter("query")))],
        "insert" => {
            let documents = documents(command, "documents").into_iter();
            documents
                .map(|one| (collection, Asked::Stored(one)))
                .collect()
        }
        "update" | "delete" => {
            let list = if name == "update" {
                "updates"
            } else {
                "deletes"
            };
            let statements = documents(command, list).into_iter();
            let filters = statements.map(|one| one.get_document("q").expect("a filter"));
            filters
                .map(|one| (collection, Asked::Filter(one)))
                .collect()
        }
        "aggregate" => {
            let mut out = Vec::new();
            let pipeline = command.get_array("pipeline").expect("a pipeline");
            of_pipeline(command.get_str("aggregate").ok(), pipeline, &mut out);
            out
        }
        // It goes on with an answer.
        "getMore" | "killCursors" | "commitTransaction" | "abortTransaction" | "hello"
        | "createIndexes" | "listIndexes" | "listCollections" | "buildInfo" => Vec::new(),
        other => panic!("{other} is not looked through"),
    }
}

/// Every filter on a walled collection demands the tenant, and what is stored there belongs to it. Gives how many were looked at.
#[track_caller]
pub(super) fn assert_walled(sent: &[StartedCommand], tenant: &Bson) -> usize {
    let (seen, open) = open_filters(sent, tenant);
    assert!(open.is_empty(), "{open:?}");
    seen.len()
}

/// The filters on walled collections and the documents that are stored there, and those of them that do not demand the tenant, or belong to
/// it: each as its command, its collection and its paths.
pub(super) fn open_filters(sent: &[StartedCommand], tenant: &Bson) -> (Vec<String>, Vec<String>) {
    let (mut seen, mut open) = (Vec::new(), Vec::new());
    for one in sent {
        for (collection, asked) in asked(one) {
            let Some(field) = tenant_of(collection) else {
                continue;
            };
            if matches!(asked, Asked::Filter(filter) if is_probe(filter)) {
                continue;
            }
            let (is_walled, paths) = match asked {
                Asked::Filter(filter) => (
                    demands(filter, field, tenant) || is_own_work(filter),
                    paths(filter),
                ),
                Asked::Stored(document) => {
                    (document.get(field) == Some(tenant), "a document".to_owned())
                }
            };
            let shape = format!("{} {collection}: {paths}", one.name);
            if !is_walled {
                open.push(shape.clone());
            }
            seen.push(shape);
        }
    }
    (seen, open)
}

/// The paths that a filter names.
fn paths(filter: &Document) -> String {
    let parts = filter.iter().map(|(path, value)| match value {
        Bson::Array(all) if path == "$and" || path == "$or" => {
            let all = all.iter().filter_map(Bson::as_document).map(paths);
            format!("{path}[{}]", all.collect::<Vec<_>>().join("; "))
        }
        _ => path.clone(),
    });
    parts.collect::<Vec<_>>().join(" ")
}
