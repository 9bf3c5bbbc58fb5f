//! `run --dry-run`: runs what is pending on copies of some documents, in a database of its own, and shows what that changed. Runs it a second time,
//! since a migration that is interrupted runs again, and shows what that changed.

use std::collections::{BTreeMap, BTreeSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::model::{FieldRow, Fixed};
use mongo_model::stored::{is_own_collection, is_own_field};
use mongo_model::{Error, migrate_all, models};
use mongodb::{Database, IndexModel};
use serde::Serialize;

use super::progress::watch;
use crate::cli::RunMigrations;
use crate::commands::Verdict;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::{shown, shown_or_nothing};
use crate::output::{BAD, FAINT, FORMAT, GOOD, Output, STRONG, count, paint};

/// The ledger of migrations.
const LEDGER: &str = "_dn.migrations";

/// The documents that are shown of each collection.
const EXAMPLES: usize = 3;

/// The documents of a database, by collection and `_id`.
type Contents = BTreeMap<String, BTreeMap<String, Document>>;

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    migrations: Vec<&'static str>,
    collections: Vec<Difference>,
    /// The changes of a second run, which should make none.
    repeated: Vec<Difference>,
}

/// The changes of the copies of one collection.
#[derive(Serialize)]
struct Difference {
    collection: String,
    /// The number of documents that were copied.
    copied: u64,
    changed: u64,
    inserted: u64,
    deleted: u64,
    examples: Vec<Example>,
}

/// A document that was changed.
#[derive(Serialize)]
struct Example {
    id: Bson,
    fields: Vec<ChangedField>,
}

/// A field with its values before and after.
#[derive(Serialize)]
struct ChangedField {
    field: String,
    old: Option<Bson>,
    new: Option<Bson>,
}

/// Runs what is pending on copies, and drops them.
pub(super) async fn run(
    connection: &Connection,
    args: &RunMigrations,
    pending: &str,
    out: Output,
) -> Result<Verdict> {
    let copies = format!("mongo_model_dry_run_{}", ObjectId::new());
    let documents = count(args.samples.into(), "document");
    let place = connection.place();
    let question = format!(
        "Copy up to {documents} of each collection of {place} into the database `{copies}`, run {pending} there, and drop it?"
    );
    out.confirm(&args.confirm, &question)?;
    let copies = connection.db.client().database(&copies);
    let compared = compare(connection, &copies, args, out).await;
    copies.drop().await?;
    let (migrations, collections, repeated) = compared?;
    let report = Report {
        format: FORMAT,
        command: "migrations run",
        database: connection.db.name(),
        ok: repeated.is_empty(),
        migrations,
        collections,
        repeated,
    };
    out.both(text(&report, &documents), &report);
    Ok(Verdict::of(report.ok))
}

/// The migrations that ran on the copies, the changes that they made, and those that they made when they ran again.
async fn compare(
    connection: &Connection,
    copies: &Database,
    args: &RunMigrations,
    out: Output,
) -> Result<(Vec<&'static str>, Vec<Difference>, Vec<Difference>)> {
    copy(connection, copies, args.samples).await?;
    let before = read(copies).await?;
    let ran = run_pending(copies, args, "on the copies", out).await?;
    let after = read(copies).await?;
    let ledger = copies.collection::<Document>(LEDGER);
    ledger.delete_many(doc! { "_id": { "$in": &ran } }).await?;
    run_pending(copies, args, "when it runs again", out).await?;
    let again = read(copies).await?;
    let repeated = differences(&after, &again, &names_of_clocks());
    Ok((ran, differences(&before, &after, &[]), repeated))
}

/// Runs what is pending on the copies; gives the names.
async fn run_pending(
    copies: &Database,
    args: &RunMigrations,
    when: &str,
    out: Output,
) -> Result<Vec<&'static str>> {
    let run = migrate_all(copies);
    let run = match args.allow_ahead {
        true => run.allow_ahead(),
        false => run,
    };
    match watch(run, "the same command", out).await? {
        Err(Error::MigrationFailed { name, source }) => {
            let why = format!("the migration `{name}` fails {when}: {source}");
            Err(Failure::new(why))
        }
        ran => Ok(ran?.ran),
    }
}

/// The collections and fields that every update changes: `#[updated]` and `#[version]`.
fn names_of_clocks() -> Vec<(&'static str, &'static str)> {
    let rows = models()
        .into_iter()
        .flat_map(|model| model.shape.fields.iter().map(|row| (model.collection, row)));
    let is_clock = |row: &FieldRow| row.version.is_some() || row.fixed == Some(Fixed::Updated);
    rows.filter(|(_, row)| is_clock(row))
        .map(|(collection, row)| (collection, row.name))
        .collect()
}

/// Copies the ledger, and of each other collection the documents with the lowest `_id`s, which are the oldest of generated ones, and its
/// indexes.
async fn copy(connection: &Connection, copies: &Database, samples: u32) -> Result<()> {
    for listed in connection.collections().await? {
        let name = name_of(&listed);
        let is_ledger = name == LEDGER;
        let is_left_out = is_own_collection(name) && !is_ledger;
        if is_left_out || listed.get_str("type").ok() != Some("collection") {
            continue;
        }
        let source = connection.db.collection::<Document>(name);
        let mut pipeline = vec![doc! { "$sort": { "_id": 1 } }];
        pipeline.extend((!is_ledger).then(|| doc! { "$limit": i64::from(samples) }));
        pipeline.push(doc! { "$out": { "db": copies.name(), "coll": name } });
        source.aggregate(pipeline).await?;
        let indexes = source.list_indexes().await?;
        let indexes: Vec<IndexModel> = indexes.try_collect().await?;
        let added = indexes
            .into_iter()
            .filter(|index| index.keys != doc! { "_id": 1 });
        let added: Vec<IndexModel> = added.collect();
        if !added.is_empty() {
            let target = copies.collection::<Document>(name);
            target.create_indexes(added).await?;
        }
    }
    Ok(())
}

async fn read(copies: &Database) -> Result<Contents> {
    let mut contents = Contents::new();
    for name in copies.list_collection_names().await? {
        if is_own_collection(&name) {
            continue;
        }
        let documents = copies.collection::<Document>(&name).find(doc! {}).await?;
        let documents: Vec<Document> = documents.try_collect().await?;
        let by_id = documents
            .into_iter()
            .map(|one| (id_of(&one).to_string(), one));
        contents.insert(name, by_id.collect());
    }
    Ok(contents)
}

fn id_of(document: &Document) -> &Bson {
    document.get("_id").unwrap_or(&Bson::Null)
}

/// The differences between the copies then and now, without these fields of these collections.
fn differences(before: &Contents, after: &Contents, without: &[(&str, &str)]) -> Vec<Difference> {
    let nothing = BTreeMap::new();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut out = Vec::new();
    for name in names {
        let old = before.get(name).unwrap_or(&nothing);
        let new = after.get(name).unwrap_or(&nothing);
        let both = old.iter().filter_map(|(id, old)| Some((old, new.get(id)?)));
        let is_left_out = |field: &str| without.contains(&(name.as_str(), field));
        let changed = both.map(|(old, new)| {
            let mut fields = changed_fields(old, new);
            fields.retain(|changed| !is_left_out(&changed.field));
            (old, fields)
        });
        let changed: Vec<_> = changed.filter(|(_, fields)| !fields.is_empty()).collect();
        let difference = Difference {
            collection: name.clone(),
            copied: old.len() as u64,
            changed: changed.len() as u64,
            inserted: new.keys().filter(|id| !old.contains_key(*id)).count() as u64,
            deleted: old.keys().filter(|id| !new.contains_key(*id)).count() as u64,
            examples: changed
                .into_iter()
                .take(EXAMPLES)
                .map(|(old, fields)| Example {
                    id: id_of(old).clone(),
                    fields,
                })
                .collect(),
        };
        if difference.changed + difference.inserted + difference.deleted > 0 {
            out.push(difference);
        }
    }
    out
}

/// The fields that differ, without those that the library keeps for itself.
fn changed_fields(old: &Document, new: &Document) -> Vec<ChangedField> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = names
        .into_iter()
        .filter(|name| !is_own_field(name) && old.get(*name) != new.get(*name));
    differ
        .map(|name| ChangedField {
            field: name.clone(),
            old: old.get(name).cloned(),
            new: new.get(name).cloned(),
        })
        .collect()
}

fn text(report: &Report<'_>, documents: &str) -> String {
    let mut text = String::new();
    for name in &report.migrations {
        text.push_str(&format!("{} would run\n", paint(STRONG, name)));
    }
    text.push_str(&differences_text(&report.collections));
    if !report.repeated.is_empty() {
        let again = "a second run changes more, as one would after an interruption:";
        text.push_str(&format!("\n{}\n", paint(BAD, again)));
        text.push_str(&differences_text(&report.repeated));
    }
    let changes = match report.collections.is_empty() {
        true => "no changes",
        false => "changes",
    };
    let database = report.database;
    let end = format!(
        "{changes} of copies, which are dropped: up to {documents} of each collection of `{database}`"
    );
    text.push_str(&format!("\n{}\n", paint(GOOD, end)));
    text
}

fn differences_text(collections: &[Difference]) -> String {
    let mut text = String::new();
    for one in collections {
        let counts = [
            (one.changed, "changed"),
            (one.inserted, "inserted"),
            (one.deleted, "deleted"),
        ];
        let counts = counts.iter().filter(|(number, _)| *number > 0);
        let counts: Vec<String> = counts
            .map(|(number, verb)| format!("{number} {verb}"))
            .collect();
        let copied = count(one.copied, "document");
        text.push_str(&format!(
            "{}: {} of {copied}\n",
            one.collection,
            counts.join(", ")
        ));
        for example in &one.examples {
            for field in &example.fields {
                let (id, name) = (shown(&example.id), &field.field);
                let [old, new] =
                    [&field.old, &field.new].map(|value| shown_or_nothing(value.as_ref()));
                text.push_str(&format!(
                    "    {}  {name}: {old} -> {new}\n",
                    paint(FAINT, id)
                ));
            }
        }
    }
    text
}
