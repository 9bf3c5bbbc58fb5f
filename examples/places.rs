//! Indexes and the queries that they serve: words in a text, points nearby, documents that expire, and a declared access pattern.
//!
//! Each index is declared on the model. `access(best(city, ..))` generates a method, and does not compile unless an index serves
//! it with its order.
//!
//! `cargo run --example places` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! The program first prints the indexes that it creates. Each step then prints a sentence and, below it, the commands that the
//! driver sent, in order. Each query is one command, which scans no collection and sorts nothing in memory.

use bson::DateTime;
use mongo_model::geo::Point;
use mongo_model::{Database, Id, MongoModel, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

/// Each pattern in `access` becomes a method, and the compiler looks for the index that serves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "places",
    index(keys(city, -stars)),
    access(best(city, sort = -stars, limit = 3))
)]
pub struct Place {
    #[serde(rename = "_id")]
    pub id: Id<Place>,
    #[model(max_len = 80)]
    pub city: String,
    #[check(range = 0..=5)]
    pub stars: i32,
    #[index(text)]
    pub about: String,
    #[index(geo)]
    pub location: Point,
}

/// A visit to a place's page: an hour after the last look the server deletes the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "visits")]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    #[parent(Place, on_delete = cascade)]
    pub place: Id<Place>,
    #[index(expire_after = "1h")]
    pub seen: DateTime,
}

/// The results of the run.
#[derive(Debug)]
pub struct Found {
    /// The places whose description has the word.
    pub with_word: Vec<String>,
    /// The places nearby and their distances, the nearest first.
    pub near: Vec<String>,
    /// The best of a city.
    pub best: Vec<i32>,
    /// After how many seconds the server deletes a visit.
    pub expires: i32,
}

fn place(city: &str, stars: i32, about: &str, lng: f64, lat: f64) -> Place {
    Place {
        id: Id::new(),
        city: city.to_owned(),
        stars,
        about: about.to_owned(),
        location: Point { lng, lat },
    }
}

pub async fn places(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        println!("{what}\n    sent: {}", sent.join(", "));
    };
    let report = sync_indexes(db)
        .models(&[Place::meta(), Visit::meta()])
        .await?;
    say(&format!("Create the indexes of both models:\n{report}"));
    let all = [
        place("Rome", 5, "a garden with lemon trees", 12.49, 41.90),
        place("Rome", 3, "a cellar with wine", 12.48, 41.91),
        place("Rome", 4, "a roof above the garden", 12.50, 41.89),
        place("Rome", 1, "a bench", 12.60, 41.80),
        place("Oslo", 5, "a garden under snow", 10.75, 59.91),
    ];
    Place::insert_many(db, &all).await?;
    Visit::insert(
        db,
        &Visit {
            id: Id::new(),
            place: all[0].id,
            seen: DateTime::now(),
        },
    )
    .await?;
    say("Insert five places, and a visit that expires after an hour.");

    let gardens = Place::find(db, |p| p.about.text("garden")).await?;
    let mut with_word: Vec<String> = gardens.into_iter().map(|place| place.about).collect();
    with_word.sort();
    say(&format!(
        "Find the places whose text has the word `garden`: {with_word:?}."
    ));

    let here = Point {
        lng: 12.48,
        lat: 41.91,
    };
    let near = Place::find(db, |p| p.location.near(here, 3_000.0)).with_distance();
    let near = near.await?.into_iter();
    let near: Vec<String> = near
        .map(|near| format!("{} at {:.0} m", near.document.about, near.meters))
        .collect();
    say(&format!(
        "Find the places within three kilometres and their distances, the nearest first: {near:?}."
    ));

    let best = Place::best(db, "Rome").await?;
    let best: Vec<i32> = best.into_iter().map(|place| place.stars).collect();
    say(&format!(
        "Find the stars of the three best places in Rome; the index has their order: {best:?}."
    ));

    let indexes = db.collection::<Visit>("visits").list_indexes().await?;
    let indexes: Vec<mongodb::IndexModel> = futures::TryStreamExt::try_collect(indexes).await?;
    let expiry = indexes
        .iter()
        .filter_map(|index| index.options.as_ref()?.expire_after);
    let expires = i32::try_from(expiry.map(|after| after.as_secs()).sum::<u64>())?;
    say(&format!(
        "Read the index of the visits: they expire after {expires} seconds."
    ));
    Ok(Found {
        with_word,
        near,
        best,
        expires,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("places"));
    places(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
