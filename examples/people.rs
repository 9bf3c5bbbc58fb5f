//! One-to-few and two-way references: persons with a few addresses, and with tasks that know their owner.
//!
//! Addresses are embedded with a bound of 20. A task refers to its owner, and the owner lists the tasks: whichever side changes,
//! the other follows.
//!
//! `cargo run --example people` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Two things to look for: giving a task
//! to another person updates the task and both lists; after a program has died between these writes, `verify` reports the two
//! flagged lists, and `recover` corrects them.

use bson::{Document, doc};
use mongo_model::denorm::Defect;
use mongo_model::{Database, Error, Id, MongoEmbed, MongoModel, recover, sync_indexes, verify};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    /// One to few: no query reads an address without its person.
    #[embed(max = 20)]
    pub addresses: Vec<Address>,
    /// The other side of `Task::owner`. It follows: there is no setter for it.
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub street: String,
    pub city: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    pub description: String,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

fn person(name: &str) -> Person {
    Person {
        id: Id::new(),
        name: name.to_owned(),
        addresses: Vec::new(),
        tasks: Vec::new(),
    }
}

fn task(description: &str, owner: &Person) -> Task {
    Task {
        id: Id::new(),
        description: description.to_owned(),
        owner: owner.id,
    }
}

/// The results of the run.
#[derive(Debug)]
pub struct Found {
    /// How many addresses were there when there was no room for another.
    pub addresses: usize,
    /// The text of the error.
    pub full: String,
    /// The tasks of each person, after the tasks were stored and after one was reassigned.
    pub lists: [[Vec<String>; 2]; 2],
    /// The same when a program had died, and when another had recovered.
    pub interrupted: [[Vec<String>; 2]; 2],
    /// How many wrong lists `verify` found while they were wrong, all of them known.
    pub flagged: u64,
}

/// The tasks of these persons, from the persons' documents and the tasks that these name.
async fn lists(
    db: &Database,
    persons: [&Person; 2],
) -> Result<[Vec<String>; 2], Box<dyn std::error::Error>> {
    let mut out = [Vec::new(), Vec::new()];
    for (person, list) in persons.into_iter().zip(&mut out) {
        let person = Person::get(db, person.id).await?.ok_or("it was stored")?;
        let tasks = person.load_tasks(db).await?;
        list.extend(tasks.iter().map(|task| task.description.clone()));
    }
    Ok(out)
}

pub async fn people(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    // Each step waits for all of its commands, so that they are printed with it.
    mongo_model::settle_in_calls(true);
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        let sent = if sent.is_empty() {
            "nothing".to_owned()
        } else {
            sent.join(", ")
        };
        println!("{what}\n    sent: {sent}");
    };
    sync_indexes(db)
        .models(&[Person::meta(), Task::meta()])
        .await?;
    say("Create the indexes.");

    let (kate, simon) = (person("Kate"), person("Simon"));
    Person::insert_many(db, [&kate, &simon]).await?;
    let mut full = String::new();
    for number in 1.. {
        let address = Address {
            street: format!("{number} Oak Street"),
            city: "Cold Water".to_owned(),
        };
        let push = Person::update(db, kate.id).push(|p| p.addresses, address);
        match push.await {
            Ok(_) => {}
            Err(error @ Error::Full { .. }) => {
                full = error.to_string();
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let stored = Person::get(db, kate.id).await?.ok_or("it was stored")?;
    let addresses = stored.addresses.len();
    drop(log.take());
    println!("After {addresses} addresses the next push fails: {full}.");

    let (paint, sand) = (
        task("paint the fence", &kate),
        task("sand the floor", &kate),
    );
    let wax = task("wax the car", &simon);
    Task::insert_many(db, [&paint, &sand, &wax]).await?;
    say("Insert three tasks. The lists of both owners follow.");
    let before = lists(db, [&kate, &simon]).await?;
    say(&format!("The tasks of Kate, and of Simon: {before:?}."));

    Task::reassign_owner(db, paint.id, simon.id).await?;
    say("Give the fence to Simon. The task and both lists change.");
    let after = lists(db, [&kate, &simon]).await?;
    say(&format!("Their tasks now: {after:?}."));

    // The state after a program crashed between giving a task to another person and changing the lists: the task says
    // durably which lists are pending.
    let first_write = doc! {
        "$set": { "owner": simon.id.as_raw(), "_dn.o.owner": [kate.id.as_raw()] },
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": "persons.tasks" },
    };
    db.collection::<Document>("tasks")
        .update_one(doc! { "_id": sand.id.as_raw() }, first_write)
        .await?;
    let stale = lists(db, [&kate, &simon]).await?;
    say(&format!(
        "A program dies while it gives the floor to Simon, and both lists are wrong: {stale:?}."
    ));
    let report = verify(db).await?;
    let edge = report
        .reference("persons.tasks")
        .ok_or("it was looked at")?;
    let flagged = [Defect::Missing, Defect::Extra].map(|kind| edge.flagged(kind));
    let flagged = flagged.iter().sum();
    say(&format!("Verify finds both lists flagged:\n{report}"));
    let recovered = recover(db).await?;
    let fresh = lists(db, [&kate, &simon]).await?;
    say(&format!(
        "The next program recovers {} task: {fresh:?}.",
        recovered.sources
    ));
    Ok(Found {
        addresses,
        full,
        lists: [before, after],
        interrupted: [stale, fresh],
        flagged,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("people"));
    people(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
