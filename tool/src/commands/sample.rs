//! `sample`: documents with every value replaced, which keep what a defect may depend on.

use std::fs::OpenOptions;
use std::io::Write as _;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::TryStreamExt;

use super::Verdict;
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::interrupt::or_stop;
use crate::output::{Output, count, write_out};
use crate::pull::disguise::{Disguise, canonical};
use crate::pull::profile::Fields;
use crate::pull::source::{Class, Source, list};

const AGAIN: &str = "the same command";

/// The documents of a collection.
struct Read<'a> {
    name: &'a str,
    documents: Vec<Document>,
    profile: Fields,
}

/// Runs the command.
pub(crate) async fn run(
    connection: &Connection,
    args: &cli::Sample,
    out: Output,
) -> Result<Verdict> {
    let (sources, _) = or_stop(list(connection), AGAIN).await??;
    for name in &args.collections {
        if !sources.iter().any(|source| source.name == *name) {
            return Err(Failure::new(format!("no collection is called `{name}`")));
        }
    }
    let is_chosen = |source: &&Source| {
        let is_named = args.collections.is_empty() || args.collections.contains(&source.name);
        is_named && source.class != Class::View
    };
    let mut all = Vec::new();
    for source in sources.iter().filter(is_chosen) {
        all.push(read(connection, &source.name, args.documents).await?);
    }
    let number = all.iter().map(|read| read.documents.len() as u64).sum();
    let text = text(&all, args.names);
    match &args.out {
        None => write_out(&text),
        Some(path) => {
            let failed = |error: std::io::Error| {
                Failure::new(format!("{} cannot be written: {error}", path.display()))
            };
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(failed)?;
            out.remark(format!(
                "wrote {} into {}",
                count(number, "document"),
                path.display()
            ));
        }
    }
    Ok(Verdict::Fine)
}

async fn read<'a>(connection: &Connection, name: &'a str, documents: u32) -> Result<Read<'a>> {
    let collection = connection.db.collection::<RawDocumentBuf>(name);
    let some = collection.find(doc! {}).sort(doc! { "_id": 1 });
    let some = some.limit(i64::from(documents));
    let some = async { some.await?.try_collect::<Vec<RawDocumentBuf>>().await };
    let mut read = Read {
        name,
        documents: Vec::new(),
        profile: Fields::default(),
    };
    for raw in or_stop(some, AGAIN).await?? {
        read.profile.add(&raw, 0);
        let document = Document::try_from(&*raw);
        let document = document.map_err(|error| {
            Failure::new(format!("a document of `{name}` cannot be read: {error}"))
        })?;
        read.documents.push(document);
    }
    Ok(read)
}

/// An object with an array for each collection, and a line for each document.
fn text(all: &[Read<'_>], names: bool) -> String {
    let mut disguise = Disguise::new(names);
    for read in all {
        if names {
            disguise.avoid(&Bson::from(read.name));
        }
        let documents = read.documents.iter().cloned();
        documents.for_each(|document| disguise.avoid(&Bson::Document(document)));
    }
    let mut collections = Vec::new();
    for read in all {
        let name = serde_json::Value::from(disguise.collection(read.name));
        let mut lines = Vec::new();
        for document in &read.documents {
            let document = disguise.document(document, Some(&read.profile));
            let line = serde_json::to_string(&canonical(Bson::Document(document)));
            lines.extend(line);
        }
        collections.push(format!("{name}: [\n{}\n]", lines.join(",\n")));
    }
    format!("{{\n{}\n}}\n", collections.join(",\n"))
}
