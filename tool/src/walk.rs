//! Walks over large collections in steps, by `_id`: each step is a filter, and the last `_id` of a step is where to go on.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use crate::connection::Connection;
use crate::failure::{Failure, Result};

/// The `_id` of a document.
pub(crate) fn id_of(document: &Document) -> Bson {
    document.get("_id").cloned().unwrap_or(Bson::Null)
}

/// A part of a collection.
#[derive(Debug)]
pub(crate) struct Step {
    /// The condition on the `_id`s of the step; empty where it is the whole collection.
    pub(crate) range: Document,
    /// The last `_id` of the step; `None` for the last step.
    pub(crate) last: Option<Bson>,
    /// The number of documents in the step; an upper bound for the last step.
    pub(crate) documents: u64,
}

impl Step {
    /// The filter of its documents.
    pub(crate) fn filter(&self) -> Document {
        filter_of(&self.range)
    }
}

fn filter_of(range: &Document) -> Document {
    match range.is_empty() {
        true => doc! {},
        false => doc! { "_id": range },
    }
}

/// A walk over one collection in the order of its `_id`s.
#[derive(Debug)]
pub(crate) struct Steps {
    collection: String,
    batch: u32,
    after: Option<Bson>,
    /// `_id`s of several types cannot be compared by a filter: the collection is then one step.
    comparable: bool,
    done: bool,
}

impl Steps {
    /// A walk that begins after an `_id`, or at the first.
    pub(crate) async fn new(
        connection: &Connection,
        collection: &str,
        batch: u32,
        after: Option<Bson>,
    ) -> Result<Self> {
        let first = edge_id(connection, collection, 1).await?;
        let last = edge_id(connection, collection, -1).await?;
        let class = |id: &Option<Bson>| id.as_ref().map(type_class);
        let comparable = class(&first) == class(&last)
            && after
                .as_ref()
                .is_none_or(|after| Some(type_class(after)) == class(&first));
        if !comparable && after.is_some() {
            let message = format!(
                "the walk over `{collection}` cannot go on after that `_id`: the collection has `_id`s of another type"
            );
            return Err(Failure::new(message).help("leave out `--from`"));
        }
        Ok(Steps {
            collection: collection.to_owned(),
            batch,
            after,
            comparable,
            done: first.is_none(),
        })
    }

    /// The next part; `None` at the end.
    pub(crate) async fn next(&mut self, connection: &Connection) -> Result<Option<Step>> {
        if self.done {
            return Ok(None);
        }
        let after = self.after.take();
        let mut range = Document::new();
        if let Some(after) = &after {
            range.insert("$gt", after.clone());
        }
        let last = match self.comparable {
            true => self.last_id(connection, filter_of(&range)).await?,
            false => None,
        };
        if let Some(last) = &last {
            range.insert("$lte", last.clone());
        }
        self.done = last.is_none();
        self.after.clone_from(&last);
        Ok(Some(Step {
            range,
            last,
            documents: u64::from(self.batch),
        }))
    }

    /// The `_id` of the last document of the next batch, where more follow.
    async fn last_id(&self, connection: &Connection, filter: Document) -> Result<Option<Bson>> {
        let found = connection.db.collection::<Document>(&self.collection);
        let found = found
            .find(filter)
            .sort(doc! { "_id": 1 })
            .skip(u64::from(self.batch) - 1)
            .limit(1);
        let mut found = found.projection(doc! { "_id": 1 }).await?;
        Ok(found.try_next().await?.map(|document| id_of(&document)))
    }
}

/// The least or the greatest `_id`.
async fn edge_id(
    connection: &Connection,
    collection: &str,
    direction: i32,
) -> Result<Option<Bson>> {
    let found = connection.db.collection::<Document>(collection);
    let found = found
        .find_one(doc! {})
        .sort(doc! { "_id": direction })
        .projection(doc! { "_id": 1 });
    Ok(found.await?.map(|document| id_of(&document)))
}

/// Types that a filter compares with each other.
fn type_class(value: &Bson) -> u8 {
    match value {
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => 0,
        Bson::String(_) | Bson::Symbol(_) => 1,
        other => other.element_type() as u8 + 2,
    }
}

/// The place where a walk over collections begins or is: a collection, and the last `_id` of it that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// The collection.
    pub(crate) collection: String,
    /// The last `_id` that was looked at; `None` at the beginning of the collection.
    pub(crate) id: Option<Bson>,
}

impl Place {
    /// The beginning of a collection, or what follows an `_id` of it.
    pub(crate) fn new(collection: &str, id: Option<Bson>) -> Self {
        Place {
            collection: collection.to_owned(),
            id,
        }
    }

    /// Reads `comments`, `comments:{"$oid":"5a9427648b0beebeb69579cc"}`, or `comments:5a9427648b0beebeb69579cc`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let Some((collection, id)) = text.split_once(':') else {
            return Ok(Place::new(text, None));
        };
        let id = match id.parse() {
            Ok(id) => Bson::ObjectId(id),
            Err(_) => serde_json::from_str(id).map_err(|_| {
                Failure::new(format!("`--from {text}` is not a collection and an `_id`"))
                    .help("the form is `--from 'comments:{\"$oid\":\"5a9427648b0beebeb69579cc\"}'`")
            })?,
        };
        Ok(Place::new(collection, Some(id)))
    }

    /// The text that [`parse`](Self::parse) reads.
    fn text(&self) -> String {
        let id = match &self.id {
            None => return self.collection.clone(),
            Some(Bson::ObjectId(id)) => id.to_hex(),
            Some(id) => serde_json::to_string(id).unwrap_or_default(),
        };
        format!("{}:{id}", self.collection)
    }

    /// The advice on how to go on with a command that was stopped here.
    pub(crate) fn resume(&self, command: &str) -> String {
        let quoted = self.text().replace('\'', "'\\''");
        format!("`mongo-model {command} --from '{quoted}'`, with the other options as before")
    }
}

/// The place where a walk starts: it skips the collections before it.
#[derive(Debug)]
pub(crate) struct Start {
    from: Option<Place>,
}

impl Start {
    /// A start at the first of these collections, or where `--from` says.
    pub(crate) fn new<'a>(
        from: Option<&str>,
        collections: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let from = from.map(Place::parse).transpose()?;
        if let Some(Place { collection, .. }) = &from {
            let known: Vec<&str> = collections.into_iter().collect();
            if !known.contains(&collection.as_str()) {
                return Err(
                    Failure::new(format!("no model is stored in `{collection}`"))
                        .help(format!("`--from` names one of {}", known.join(", "))),
                );
            }
        }
        Ok(Start { from })
    }

    /// The beginning of the walk over a collection; `None` if the walk starts behind it.
    pub(crate) fn enter(&mut self, collection: &str) -> Option<Place> {
        match &self.from {
            Some(from) if from.collection != collection => None,
            _ => self.from.take().or(Some(Place::new(collection, None))),
        }
    }
}

/// The number of documents after a place, for a bar: by the collection's metadata where it is the beginning.
pub(crate) async fn remaining(connection: &Connection, place: &Place) -> Result<u64> {
    match &place.id {
        None => connection.estimated_count(&place.collection).await,
        Some(id) => {
            let collection = connection.db.collection::<Document>(&place.collection);
            Ok(collection
                .count_documents(doc! { "_id": { "$gt": id } })
                .await?)
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::{bson, oid::ObjectId};

    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        for id in [
            None,
            Some(bson!(1)),
            Some(bson!("a:b")),
            Some(Bson::ObjectId(ObjectId::from_bytes([1; 12]))),
            Some(bson!({ "h": 1, "s": "x" })),
        ] {
            let place = Place::new("comments", id);
            assert_eq!(Place::parse(&place.text()).expect("it was written"), place);
        }
        assert!(Place::parse("comments:x").is_err());
    }

    #[test]
    fn a_shell_reads_the_place_as_it_is() {
        let place = Place::new("users", Some(bson!("O'Brien")));
        let shown = place.resume("verify");
        assert!(shown.contains(r#"--from 'users:"O'\''Brien"'`"#), "{shown}");
    }
}
