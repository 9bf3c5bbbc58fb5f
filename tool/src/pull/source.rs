//! The collections of a database as they are: options, indexes, and a profile from one pass over their documents.

use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;
use mongo_model::stored::is_own_collection;
use mongodb::error::{Error, ErrorKind};

use super::profile::{Fields, schema_of, tags};
use super::sample::{Documents, sample_ids, with_ids};
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
/// The number of documents in a sample.
pub(crate) const SAMPLE: u32 = 10_000;
/// The largest number of parts in which documents that speak against a sample are read, and the size of a part.
const PARTS: usize = 20;
const PART: usize = 1_000;
/// The time for which the server looks for such documents.
const PATIENCE: Duration = Duration::from_secs(300);
const UNAUTHORIZED: i32 = 13;
const TIMED_OUT: i32 = 50;
const AGAIN: &str = "the same command";

/// The part of each collection that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    /// All documents.
    Full,
    /// This many random documents.
    Sample(u32),
    /// All documents, or a sample of a large collection.
    BySize,
}

/// The fate of the model of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelFile {
    /// The model is written.
    Written,
    /// The model was not asked for, and lies in the folder: others may refer to it.
    There,
    /// The model was not asked for, and is not in the folder.
    Outside,
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
    /// The options, as `listCollections` has them.
    pub(crate) options: Document,
    pub(crate) indexes: Vec<Document>,
    /// The number of documents in it, by its metadata.
    pub(crate) documents: u64,
    /// The number of documents that were read.
    pub(crate) read: u64,
    pub(crate) root: Fields,
    /// The reason why it was not read.
    pub(crate) unread: Option<String>,
    /// The `_id`s of the documents that are read, if these are not all.
    pub(crate) sample: Option<Vec<Bson>>,
    /// The reason why the server did not compare all documents with the sample.
    pub(crate) unseen: Option<String>,
    pub(crate) file: ModelFile,
}

impl Source {
    /// True if documents were left out.
    pub(crate) fn is_sampled(&self) -> bool {
        self.read < self.documents
    }

    /// The validator, if there is one.
    pub(crate) fn validator(&self) -> Option<&Document> {
        self.options.get_document("validator").ok()
    }

    /// The validator's schema of the values at a path; arrays have no step of their own.
    pub(crate) fn schema_at(&self, path: &str) -> Option<&Document> {
        let mut schema = self.validator()?.get_document("$jsonSchema").ok()?;
        for step in path.split('.') {
            while let Ok(items) = schema.get_document("items") {
                schema = items;
            }
            schema = schema
                .get_document("properties")
                .ok()?
                .get_document(step)
                .ok()?;
        }
        Some(schema)
    }
}

/// Lists the collections and views, by name; with true if the user sees all of them.
pub(crate) async fn list(connection: &Connection) -> Result<(Vec<Source>, bool)> {
    let command = doc! { "listCollections": 1 };
    let (listed, is_complete): (Vec<Document>, _) =
        match connection.db.run_cursor_command(command).await {
            Ok(cursor) => (cursor.try_collect().await?, true),
            // Names are listed to a user who may not see options.
            Err(error) if has_code(&error, UNAUTHORIZED) => {
                (connection.collections().await?, false)
            }
            Err(error) => return Err(error.into()),
        };
    let mut sources: Vec<Source> = listed
        .iter()
        .filter(|listed| {
            let name = name_of(listed);
            !name.starts_with("system.") && !is_own_collection(name)
        })
        .map(source_of)
        .collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    note_buckets(&mut sources);
    Ok((sources, is_complete))
}

/// Notes the collections in which drivers store files.
fn note_buckets(sources: &mut [Source]) {
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for source in sources {
        let parts = [(".files", ".chunks"), (".chunks", ".files")];
        for (own, other) in parts {
            if let Some(bucket) = source.name.strip_suffix(own)
                && names.contains(&format!("{bucket}{other}"))
            {
                let why = format!(
                    "it is a part of the GridFS bucket `{bucket}`, which the driver reads and writes"
                );
                source.unread = Some(why);
            }
        }
    }
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
        options,
        indexes: Vec::new(),
        documents: 0,
        read: 0,
        root: Fields::default(),
        unread: None,
        sample: None,
        unseen: None,
        file: ModelFile::Written,
    }
}

/// True if the option is set.
pub(crate) fn flag(options: &Document, name: &str) -> bool {
    options.get_bool(name).unwrap_or(false)
}

fn has_code(error: &Error, code: i32) -> bool {
    matches!(error.kind.as_ref(), ErrorKind::Command(refused) if refused.code == code)
}

/// Reads indexes and documents of a collection. A collection that the user may not read is noted as unread.
pub(crate) async fn read(
    connection: &Connection,
    source: &mut Source,
    extent: Extent,
    bar: &ProgressBar,
) -> Result<()> {
    match or_stop(read_all(connection, source, extent, bar), AGAIN).await? {
        Err(error) if has_code(&error, UNAUTHORIZED) => {
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
    source.indexes = read_indexes(connection, &source.name).await?;
    source.documents = collection.estimated_document_count().await?;
    bar.set_length(source.documents);
    if let Some(size) = sample_size(source, extent) {
        // A time series has no index by `_id`.
        if source.class != Class::TimeSeries {
            source.sample = sample_ids(&collection, source.documents, size).await?;
        }
        bar.set_length(u64::from(size));
    }
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
    drop(documents);
    source.documents = source.documents.max(source.read);
    if source.is_sampled() {
        bar.set_message("the server compares all documents with the sample");
        match complete(connection, source).await {
            Err(error) if has_code(&error, TIMED_OUT) => {
                let why = format!("the server needed more than {} s", PATIENCE.as_secs());
                source.unseen = Some(why);
            }
            Err(error) => source.unseen = Some(Failure::from(error).to_string()),
            Ok(()) => {}
        }
        bar.set_message("");
    }
    Ok(())
}

/// The indexes of a collection, as `listIndexes` has them.
pub(crate) async fn read_indexes(
    connection: &Connection,
    collection: &str,
) -> Result<Vec<Document>, Error> {
    let command = doc! { "listIndexes": collection };
    match connection.db.run_cursor_command(command).await {
        Ok(indexes) => indexes.try_collect().await,
        Err(error) if has_code(&error, UNAUTHORIZED) => Err(error),
        // Time series have none before version 5.0.
        Err(_) => Ok(Vec::new()),
    }
}

/// Reads the documents that speak against the sample: with other fields, other types, without a field that all have. One pass of the
/// server finds them; another follows only where they are many.
async fn complete(connection: &Connection, source: &mut Source) -> Result<(), Error> {
    let collection = connection.db.collection::<RawDocumentBuf>(&source.name);
    for _ in 0..PARTS {
        let others = doc! { "$nor": [{ "$jsonSchema": schema_of(&source.root) }] };
        let others = collection.find(others).limit(PART as i64);
        let mut others = others.max_time(PATIENCE).await?;
        let mut some = 0;
        while let Some(document) = others.try_next().await? {
            source.root.add(&document, 0);
            some += 1;
        }
        source.read += some as u64;
        if some < PART {
            return Ok(());
        }
    }
    let many = PARTS * PART;
    source.unseen = Some(format!("over {many} documents differ from the sample"));
    Ok(())
}

/// The number of documents in a sample of the collection; `None` if all are read.
pub(crate) fn sample_size(source: &Source, extent: Extent) -> Option<u32> {
    match extent {
        Extent::Full => None,
        Extent::Sample(size) => (u64::from(size) < source.documents).then_some(size),
        Extent::BySize => (source.documents > READ_WHOLE).then_some(SAMPLE),
    }
}

/// The documents that are to be read.
pub(crate) async fn open(
    connection: &Connection,
    source: &Source,
    extent: Extent,
) -> Result<Documents, Error> {
    let collection = connection.db.collection::<RawDocumentBuf>(&source.name);
    Ok(match (&source.sample, sample_size(source, extent)) {
        (Some(ids), _) => with_ids(collection, ids.clone()),
        (None, None) => Box::pin(collection.find(doc! {}).await?),
        (None, Some(size)) => {
            let sample = doc! { "$sample": { "size": i64::from(size) } };
            let cursor = collection.aggregate([sample]).allow_disk_use(true);
            Box::pin(cursor.with_type::<RawDocumentBuf>().await?)
        }
    })
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
