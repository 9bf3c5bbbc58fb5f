//! Changes that no pipeline makes: the removal of elements that meet a condition, and changes of such elements. The update is made only if
//! the fields that it changes are those that were read before it, and stores them as they were.

use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;
use mongodb::{ClientSession, Database};

use super::super::update_args::UpdateArgs;
use super::super::{FindArgs, find, unpack};
use super::{Entry, entry};
use crate::bson_util::number::far_revision;
use crate::bson_util::operators::merge;
use crate::bson_util::path::{at, first_step};
use crate::error::{Error, Result};
use crate::schema::outbox::RecordedFields;
use crate::schema::stored;

/// Reads the fields that an update of one document changes, and makes it store them in the entry. Where another program changes them in
/// between, the update matches nothing. False if there is no such document now.
///
/// # Errors
/// The driver's; [`Error::Impossible`] if the update is one of many documents.
pub(super) async fn store_before(
    (db, collection): (&Database, &str),
    history: &RecordedFields,
    entry: &Entry,
    args: &mut UpdateArgs,
    session: Option<&mut ClientSession>,
) -> Result<bool> {
    let UpdateModifications::Document(operators) = &mut args.changes else {
        return Ok(false);
    };
    if args.many {
        let what = format!(
            "an update of many documents of {collection}, which keep a history, that changes or removes elements by a condition: send one update per document"
        );
        return Err(Error::Impossible { what });
    }
    let paths = operators.values().filter_map(Bson::as_document);
    let paths = paths.flat_map(Document::keys);
    let mut names: Vec<&str> = paths
        .filter(|path| history.records(path))
        .map(|path| first_step(path))
        .collect();
    names.sort_unstable();
    names.dedup();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let read = names.iter().map(String::as_str);
    let read = read.chain([stored::HISTORY_NUMBER]);
    let projection = read.map(|name| (name.to_owned(), 1.into())).collect();
    let read = FindArgs {
        projection: Some(projection),
        strings: args.strings,
        ..FindArgs::default()
    };
    let filter = args.filter.clone();
    let found = find::first(db, collection, filter, read, session, unpack).await?;
    let Some(found) = found else {
        // The answer of the server to an update that matches nothing is that of any other.
        args.filter = doc! { "$and": [std::mem::take(&mut args.filter), { "_id": { "$in": [] } }] };
        return Ok(false);
    };
    let same = names.iter().map(|name| is_still(name, found.get(name)));
    let mut same: Vec<Document> = same.collect();
    let is_numbered = at(&found, stored::HISTORY_NUMBER).is_some();
    if !is_numbered {
        same.push(is_still(stored::HISTORY_NUMBER, None));
    }
    let before = names.iter().map(|name| {
        let mut field = doc! { "k": name };
        field.extend(found.get(name).map(|value| ("v".to_owned(), value.clone())));
        field
    });
    let mut value = entry.facts.clone();
    value.insert(entry::BEFORE, before.collect::<Vec<_>>());
    let item = doc! { stored::TOKEN: entry.token, stored::key::EVENTS_LEFT_VALUE: value };
    merge(operators, "$push", doc! { stored::HISTORY_LEFT: item });
    merge(
        operators,
        "$inc",
        doc! { stored::HISTORY_NUMBER: if is_numbered { 1 } else { far_revision() } },
    );
    let same = doc! { "$expr": { "$and": same } };
    args.filter = doc! { "$and": [std::mem::take(&mut args.filter), same] };
    Ok(true)
}

/// True if a field has this value.
fn is_still(name: &str, value: Option<&Bson>) -> Document {
    let field = format!("${name}");
    match value {
        Some(value) => doc! { "$eq": [field, { "$literal": value }] },
        None => doc! { "$eq": [{ "$type": field }, "missing"] },
    }
}
