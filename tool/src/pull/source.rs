//! The collections of a database as they are: options, indexes, and a profile from one pass over their documents.

use bson::{Document, RawDocumentBuf, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;
use mongodb::Cursor;
use mongodb::error::{Error, ErrorKind};

use super::profile::{Fields, tags};
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::interrupt::or_stop;

/// The first documents of a collection choose the tags.
const HEAD: usize = 1_000;
const HEAD_BYTES: usize = 32 << 20;
/// A sample ends here, however few documents it has.
const SAMPLE_BYTES: u64 = 256 << 20;
/// Larger collections are sampled.
pub(crate) const READ_WHOLE: u64 = 100_000;
/// Documents of a sample.
pub(crate) const SAMPLE: u32 = 10_000;
const UNAUTHORIZED: i32 = 13;
const AGAIN: &str = "the same command";

/// How much of each collection is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    /// All of it.
    Full,
    /// So many random documents.
    Sample(u32),
    /// All of it, or a sample of a large one.
    BySize,
}

/// The kind of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Plain,
    Capped,
    TimeSeries,
    View,
}

/// A collection as it is.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) class: Class,
    pub(crate) validator: bool,
    pub(crate) indexes: Vec<Document>,
    /// How many documents it has, by its metadata.
    pub(crate) documents: u64,
    /// How many were read.
    pub(crate) read: u64,
    pub(crate) root: Fields,
    /// Why it was not read.
    pub(crate) unread: Option<String>,
}

impl Source {
    /// True if documents were left out.
    pub(crate) fn is_sampled(&self) -> bool {
        self.read < self.documents
    }
}

/// Lists the collections and views, by name.
pub(crate) async fn list(connection: &Connection) -> Result<Vec<Source>> {
    let command = doc! { "listCollections": 1 };
    let listed: Vec<Document> = match connection.db.run_cursor_command(command).await {
        Ok(cursor) => cursor.try_collect().await?,
        // Names are listed to a user who may not see options.
        Err(error) if is_unauthorized(&error) => connection.collections().await?,
        Err(error) => return Err(error.into()),
    };
    let mut sources: Vec<Source> = listed
        .iter()
        .filter(|listed| !name_of(listed).starts_with("system."))
        .map(source_of)
        .collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(sources)
}

fn source_of(listed: &Document) -> Source {
    let options = listed.get_document("options").cloned().unwrap_or_default();
    let class = match listed.get_str("type").unwrap_or_default() {
        "view" => Class::View,
        "timeseries" => Class::TimeSeries,
        _ if flag(&options, "capped") => Class::Capped,
        _ => Class::Plain,
    };
    Source {
        name: name_of(listed).to_owned(),
        class,
        validator: options.contains_key("validator"),
        indexes: Vec::new(),
        documents: 0,
        read: 0,
        root: Fields::default(),
        unread: None,
    }
}

/// True if the option is set.
pub(crate) fn flag(options: &Document, name: &str) -> bool {
    options.get_bool(name).unwrap_or(false)
}

fn is_unauthorized(error: &Error) -> bool {
    matches!(error.kind.as_ref(), ErrorKind::Command(refused) if refused.code == UNAUTHORIZED)
}

/// Reads indexes and documents of a collection. A collection that the user may not read is said to be one.
pub(crate) async fn read(
    connection: &Connection,
    source: &mut Source,
    extent: Extent,
    bar: &ProgressBar,
) -> Result<()> {
    match or_stop(read_all(connection, source, extent, bar), AGAIN).await? {
        Err(error) if is_unauthorized(&error) => {
            source.unread = Some("the user may not read it".to_owned());
            Ok(())
        }
        Err(error) => {
            let failure = Failure::from(error);
            Err(Failure::new(format!(
                "`{}` cannot be read: {failure}",
                source.name
            )))
        }
        Ok(()) => Ok(()),
    }
}

async fn read_all(
    connection: &Connection,
    source: &mut Source,
    extent: Extent,
    bar: &ProgressBar,
) -> Result<(), Error> {
    let collection = connection.db.collection::<RawDocumentBuf>(&source.name);
    let indexes = doc! { "listIndexes": &source.name };
    source.indexes = match connection.db.run_cursor_command(indexes).await {
        Ok(indexes) => indexes.try_collect().await?,
        Err(error) if is_unauthorized(&error) => return Err(error),
        // Time series have none before version 5.0.
        Err(_) => Vec::new(),
    };
    source.documents = collection.estimated_document_count().await?;
    let mut documents = open(connection, source, extent).await?;
    let mut head = Vec::new();
    let mut bytes = 0;
    while head.len() < HEAD && bytes < HEAD_BYTES {
        let Some(document) = documents.try_next().await? else {
            break;
        };
        bytes += document.as_bytes().len();
        head.push(document);
    }
    source.root = prepared(&head);
    source.read = head.len() as u64;
    drop(head);
    let mut bytes = bytes as u64;
    while let Some(document) = documents.try_next().await? {
        source.root.add(&document, 0);
        source.read += 1;
        bar.inc(1);
        bytes += document.as_bytes().len() as u64;
        if bytes > SAMPLE_BYTES && sample_size(source, extent).is_some() {
            break;
        }
    }
    source.documents = source.documents.max(source.read);
    Ok(())
}

/// How many documents a sample of the collection has; `None` if all are read.
pub(crate) fn sample_size(source: &Source, extent: Extent) -> Option<u32> {
    match extent {
        Extent::Full => None,
        Extent::Sample(size) => (u64::from(size) < source.documents).then_some(size),
        Extent::BySize => (source.documents > READ_WHOLE).then_some(SAMPLE),
    }
}

/// A cursor over the documents that are to be read.
pub(crate) async fn open(
    connection: &Connection,
    source: &Source,
    extent: Extent,
) -> Result<Cursor<RawDocumentBuf>, Error> {
    let collection = connection.db.collection::<RawDocumentBuf>(&source.name);
    match sample_size(source, extent) {
        None => collection.find(doc! {}).await,
        Some(size) => {
            let sample = doc! { "$sample": { "size": i64::from(size) } };
            let cursor = collection.aggregate([sample]).allow_disk_use(true);
            cursor.with_type::<RawDocumentBuf>().await
        }
    }
}

/// The profile of the first documents, with tags where some are found.
fn prepared(head: &[RawDocumentBuf]) -> Fields {
    let fill = |mut fields: Fields| {
        head.iter().for_each(|document| fields.add(document, 0));
        fields
    };
    let plain = fill(Fields::default());
    let tried: Vec<Fields> = (0..tags::CANDIDATES)
        .map(|nth| fill(tags::skeleton(&plain, nth)))
        .collect();
    fill(tags::best(&tried))
}
