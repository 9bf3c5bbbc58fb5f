//! Documents of several kinds in one collection, and documents that older programs have stored: employees who are paid by the hour
//! or by the year.
//!
//! The model is an enum with a tag. Its documents have a schema version, and those of version 1 are migrated when they are read,
//! or all at once.
//!
//! `cargo run --example staff` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Two things to look for: a migration
//! of 2,000 documents is four `update` commands, and a second one only reads; a document that a newer program stored is an error.

use bson::{Bson, Document, doc};
use mongo_model::{Database, Error, Id, MongoEmbed, MongoModel, report, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

/// Each document says in `kind` which of them it is. Version 1 of the schema had `first` and `last` names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(
    collection = "employees",
    common(name),
    schema_version = 2,
    migrate = one_name,
    unversioned = 1
)]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[index]
    pub name: String,
    /// In an index of its own, which holds hourly employees alone.
    #[index]
    pub rate: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[index]
    pub name: String,
    pub yearly: i64,
    /// New: a document without it can be read, and nothing has to be migrated for that.
    #[serde(default)]
    pub bonus: i64,
}

/// Migrates a document of version 1 to version 2.
fn one_name(mut old: Document, _version: i32) -> Result<Document, String> {
    let mut part = |key: &str| match old.remove(key) {
        Some(Bson::String(text)) => Ok(text),
        _ => Err(format!("no `{key}`")),
    };
    let name = format!("{} {}", part("first")?, part("last")?);
    old.insert("name", name);
    Ok(old)
}

/// The results of the run.
#[derive(Debug)]
pub struct Found {
    /// The employees that get more than 20 an hour.
    pub well_paid: Vec<String>,
    /// The employees that were read while the documents were old, with their bonus.
    pub old: Vec<(String, i64)>,
    /// How many documents the first and the second migration wrote.
    pub migrated: [u64; 2],
    /// The error for a document that a newer program has stored.
    pub newer: String,
    /// The report.
    pub report: String,
}

pub async fn staff(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        println!("{what}\n    sent: {}", sent.join(", "));
    };
    sync_indexes(db).models(&[Employee::meta()]).await?;
    say("Create the indexes.");

    // Documents that a program of version 1 has left behind.
    let old = (0..2_000).map(|n| {
        let last = format!("Smith {n:04}");
        doc! { "kind": "Salary", "first": "Ann", "last": last, "yearly": 50_000_i64 }
    });
    db.collection("employees").insert_many(old).await?;
    let new: Vec<Employee> = [("Bob", 15), ("Cid", 25), ("Dan", 35)]
        .map(|(name, rate)| {
            let (id, name) = (Id::new(), name.to_owned());
            Employee::Hourly(Hourly { id, name, rate })
        })
        .into();
    Employee::insert_many(db, &new).await?;
    say("Insert 2,000 documents of version 1 and three of version 2.");

    let mut well_paid = Employee::find_hourly(db, |h| h.rate.gt(20)).await?;
    well_paid.sort_by_key(|hourly| hourly.rate);
    let well_paid: Vec<String> = well_paid.into_iter().map(|hourly| hourly.name).collect();
    say("Find the hourly employees above 20 with the index of their kind.");

    let some = Employee::scan_salary(db, |s| s.yearly.gt(0))
        .limit(2)
        .await?;
    let old = some.into_iter().map(|one| (one.name, one.bonus)).collect();
    say("Read two old documents, which are migrated in memory.");

    let mut migrated = [0; 2];
    for written in &mut migrated {
        let run = Employee::migrate(db).batch(500);
        let run = run.progress(|done| println!("    {} documents migrated", done.migrated));
        *written = run.await?.migrated;
        say(&format!(
            "Migrate the whole collection: {written} documents."
        ));
    }

    let (id, label) = (Id::<Employee>::new(), "of the future");
    let newer =
        doc! { "_id": id.into_raw(), "kind": "Hourly", "label": label, "schema_version": 3 };
    db.collection("employees").insert_one(newer).await?;
    let newer = match Employee::get(db, id).await {
        Err(error @ Error::NewerSchema { .. }) => error.to_string(),
        other => return Err(format!("a newer document was read: {other:?}").into()),
    };
    say("Read a document of a newer program: an error, not a guess.");

    let report = report().to_string();
    println!("{report}");
    Ok(Found {
        well_paid,
        old,
        migrated,
        newer,
        report,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("staff"));
    staff(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
