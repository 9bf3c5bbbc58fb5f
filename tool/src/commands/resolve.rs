//! `resolve`: brings the values of a field to one type, where that is exact. Shows the updates first; writes with `--apply`.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::Collection;
use serde::Serialize;

use super::Verdict;
use crate::cli::{self, Target};
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::interrupt::or_stop;
use crate::output::{BAD, FAINT, FORMAT, GOOD, Output, count, paint};
use crate::walk::id_of;

/// Documents that are changed together.
const BATCH: i64 = 1_000;
/// The number of documents that are named.
const EXAMPLES: i64 = 3;
const AGAIN: &str = "the same command: what is done is not done twice";

/// An update of the documents that a filter finds; both are what the server is sent.
struct Step {
    filter: Document,
    update: Vec<Document>,
}

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    database: &'a str,
    collection: &'a str,
    field: &'a str,
    updates: Vec<Shown>,
    /// The number of documents that were changed.
    changed: u64,
    /// The documents that no update can change exactly.
    left: Matches,
}

/// An update and the documents that it finds.
#[derive(Serialize)]
struct Shown {
    /// The update as mongosh takes it.
    mongosh: String,
    #[serde(flatten)]
    matches: Matches,
}

/// Documents that a filter finds: their number, and some `_id`s.
#[derive(Serialize)]
struct Matches {
    documents: u64,
    examples: Vec<serde_json::Value>,
}

/// Runs the command.
pub(crate) async fn run(
    connection: &Connection,
    args: &cli::Resolve,
    out: Output,
) -> Result<Verdict> {
    check_path(&args.field)?;
    let listed = connection.collections().await?;
    let name = &args.collection;
    match listed.iter().find(|one| name_of(one) == name.as_str()) {
        None => return Err(Failure::new(format!("no collection is called `{name}`"))),
        Some(view) if view.get_str("type").is_ok_and(|kind| kind == "view") => {
            return Err(Failure::new(format!(
                "`{name}` is a view: its source has the documents"
            )));
        }
        Some(_) => {}
    }
    let collection = connection.db.collection::<Document>(name);
    let steps = steps(args);
    let mut updates = Vec::new();
    for step in &steps {
        updates.push(Shown {
            mongosh: mongosh(name, step),
            matches: or_stop(find(&collection, &step.filter), AGAIN).await??,
        });
    }
    let mut left = or_stop(find(&collection, &left_filter(args)), AGAIN).await??;
    let mut changed = 0;
    if args.apply {
        let all: u64 = updates.iter().map(|shown| shown.matches.documents).sum();
        if all > 0 {
            let about = count(all.min(args.limit), "document");
            let question = format!("Change `{}` in {about} of `{name}`?", args.field);
            out.text(preview(&updates, &left));
            out.confirm(&args.confirm, &question)?;
        }
        changed = change(&collection, &steps, args.limit).await?;
        for (step, shown) in steps.iter().zip(&mut updates) {
            shown.matches = or_stop(find(&collection, &step.filter), AGAIN).await??;
        }
        left = or_stop(find(&collection, &left_filter(args)), AGAIN).await??;
    }
    let ok = left.documents == 0 && updates.iter().all(|shown| shown.matches.documents == 0);
    let text = match args.apply {
        true => done(changed, &updates, &left),
        false => {
            preview(&updates, &left) + "\nnothing was written: `--apply` changes the documents\n"
        }
    };
    let report = Report {
        format: FORMAT,
        command: "resolve",
        ok,
        database: connection.db.name(),
        collection: name,
        field: &args.field,
        updates,
        changed,
        left,
    };
    out.both(text, &report);
    Ok(Verdict::of(ok))
}

/// An update with an operator or an empty name in its path would be another one.
fn check_path(path: &str) -> Result<()> {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('$');
    if path == "_id" || path.starts_with("_id.") {
        return Err(Failure::new("the server changes no `_id`"));
    }
    match path.split('.').all(is_name) {
        true => Ok(()),
        false => Err(Failure::new(format!("`{path}` is no path of a field"))),
    }
}

/// The type of the field's own value: `array` where the path crosses an array, so that no update goes into one.
fn has_type(path: &str, names: &[&str]) -> Document {
    doc! { "$in": [{ "$type": format!("${path}") }, names] }
}

/// The steps, each with a filter that is true only of values whose conversion loses nothing.
fn steps(args: &cli::Resolve) -> Vec<Step> {
    let path = args.field.as_str();
    let value = format!("${path}");
    let set = |value: Document| vec![doc! { "$set": { path: value } }];
    let convert = |to: &str| doc! { "$convert": { "input": &value, "to": to, "onError": null } };
    let from_text = |to: &str, texts: &dyn Fn(Document) -> Vec<Document>| {
        let same = doc! { "$in": [&value, texts(convert(to))] };
        // `NaN` is a number for the server.
        let text = match to {
            "double" | "decimal" => doc! { "$type": "string", "$regex": "^[-+.E0-9]+$" },
            _ => doc! { "$type": "string" },
        };
        Step {
            // The first condition may use an index, the others are exact.
            filter: doc! {
                path: text,
                "$expr": { "$and": [has_type(path, &["string"]), same] },
            },
            update: set(convert(to)),
        }
    };
    let as_written = |value: Document| vec![doc! { "$toString": value }];
    let as_date = |value: Document| {
        let formats = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%LZ"];
        let text = |format| doc! { "$dateToString": { "date": &value, "format": format } };
        formats.into_iter().map(text).collect()
    };
    let main = match args.to {
        Target::Int => from_text("int", &as_written),
        Target::Long => from_text("long", &as_written),
        Target::Double => from_text("double", &as_written),
        Target::Decimal => from_text("decimal", &as_written),
        Target::ObjectId => from_text("objectId", &as_written),
        Target::Date => from_text("date", &as_date),
        Target::String => Step {
            filter: doc! {
                path: { "$type": ["int", "long"] },
                "$expr": has_type(path, &["int", "long"]),
            },
            update: set(doc! { "$toString": &value }),
        },
        Target::Array => Step {
            filter: doc! { path: { "$type": "null" }, "$expr": has_type(path, &["null"]) },
            update: vec![doc! { "$set": { path: [] } }],
        },
    };
    let mut steps = vec![main];
    if args.remove_empty {
        steps.push(Step {
            filter: doc! { path: "", "$expr": has_type(path, &["string"]) },
            update: vec![doc! { "$unset": path }],
        });
    }
    steps
}

/// Finds the documents whose values have another type and that no step changes.
fn left_filter(args: &cli::Resolve) -> Document {
    let path = args.field.as_str();
    let types: &[&str] = match args.to {
        // Integers and doubles are read as one type.
        Target::Int | Target::Long | Target::Double => &["int", "long", "double"],
        Target::Decimal => &["decimal"],
        Target::ObjectId => &["objectId"],
        Target::Date => &["date"],
        Target::String => &["string"],
        Target::Array => &["array"],
    };
    let fine = [types, &["missing", "null"]].concat();
    let fine = match args.to {
        Target::Array => has_type(path, &["array", "missing"]),
        _ => has_type(path, &fine),
    };
    let mut others = vec![doc! { "$expr": fine }];
    others.extend(steps(args).into_iter().map(|step| step.filter));
    doc! { "$nor": others }
}

async fn find(
    collection: &Collection<Document>,
    filter: &Document,
) -> Result<Matches, mongodb::error::Error> {
    let documents = collection.count_documents(filter.clone()).await?;
    let some = collection
        .find(filter.clone())
        .projection(doc! { "_id": 1 });
    let some: Vec<Document> = some.limit(EXAMPLES).await?.try_collect().await?;
    let id = |document: &Document| serde_json::to_value(id_of(document)).unwrap_or_default();
    Ok(Matches {
        documents,
        examples: some.iter().map(id).collect(),
    })
}

/// Changes at most `limit` documents, in batches. The filter of the step stands in each update: what others write meanwhile stays.
async fn change(collection: &Collection<Document>, steps: &[Step], limit: u64) -> Result<u64> {
    let mut changed = 0;
    for step in steps {
        while changed < limit {
            let size = BATCH.min(i64::try_from(limit - changed).unwrap_or(BATCH));
            let some = collection.find(step.filter.clone());
            let some = some.projection(doc! { "_id": 1 }).limit(size);
            let some: Vec<Document> =
                or_stop(async { some.await?.try_collect().await }, AGAIN).await??;
            let ids: Vec<Bson> = some.iter().map(id_of).collect();
            if ids.is_empty() {
                break;
            }
            let filter = doc! { "$and": [{ "_id": { "$in": ids } }, step.filter.clone()] };
            let update = collection.update_many(filter, step.update.clone());
            let done = or_stop(async { update.await }, AGAIN)
                .await??
                .modified_count;
            if done == 0 {
                break;
            }
            changed += done;
        }
    }
    Ok(changed)
}

/// The update as mongosh takes it.
fn mongosh(collection: &str, step: &Step) -> String {
    let json = |value: Bson| serde_json::to_string(&value).unwrap_or_default();
    let update = step.update.iter().cloned().map(Bson::Document).collect();
    format!(
        "db.getCollection({collection:?}).updateMany(\n  {},\n  {}\n)",
        json(Bson::Document(step.filter.clone())),
        json(Bson::Array(update))
    )
}

fn preview(updates: &[Shown], left: &Matches) -> String {
    let mut out = String::new();
    for shown in updates {
        let about = count(shown.matches.documents, "document");
        out.push_str(&format!("{}\n{about} would change\n", shown.mongosh));
        out.push_str(&ids(&shown.matches));
    }
    out + &left_text(left)
}

fn done(changed: u64, updates: &[Shown], left: &Matches) -> String {
    let mut out = format!("{} changed\n", paint(GOOD, count(changed, "document")));
    let more: u64 = updates.iter().map(|shown| shown.matches.documents).sum();
    if more > 0 {
        let more = paint(BAD, count(more, "document"));
        out.push_str(&format!("{more} to go: the same command goes on\n"));
    }
    out + &left_text(left)
}

fn left_text(left: &Matches) -> String {
    if left.documents == 0 {
        return String::new();
    }
    let about = paint(BAD, count(left.documents, "document"));
    format!(
        "{about} left as they are: no exact conversion\n{}",
        ids(left)
    )
}

fn ids(matches: &Matches) -> String {
    let line = |id: &serde_json::Value| format!("      {}\n", paint(FAINT, id));
    matches.examples.iter().map(line).collect()
}
