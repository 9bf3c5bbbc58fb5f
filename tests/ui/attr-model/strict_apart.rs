// Of a strict model every advice is an error: one model per advice.

use bson::{Binary, DateTime};
use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "polls", strict, schema_version = 1)]
pub struct Poll {
    #[serde(rename = "_id")]
    pub id: Id<Poll>,
    #[embed(max = 10)]
    pub votes: Vec<i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "playlists", strict, schema_version = 1)]
pub struct Playlist {
    #[serde(rename = "_id")]
    pub id: Id<Playlist>,
    #[refs(Song, max = 3000)]
    #[serde(default)]
    pub songs: Vec<Id<Song>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "songs")]
pub struct Song {
    #[serde(rename = "_id")]
    pub id: Id<Song>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks", strict, schema_version = 1)]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Person)]
    pub owner: Option<Id<Person>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", strict, schema_version = 1)]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[recent(LogMsg, max = 1500, sort = time, fields(time))]
    #[serde(default)]
    pub logmsgs: Vec<RecentLog>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "threads", strict, schema_version = 1)]
pub struct Thread {
    #[serde(rename = "_id")]
    pub id: Id<Thread>,
    #[count(Answer)]
    pub answers: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "answers")]
pub struct Answer {
    #[serde(rename = "_id")]
    pub id: Id<Answer>,
    #[parent(Thread)]
    pub thread: Id<Thread>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: DateTime,
    #[parent(Host)]
    pub host: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events", strict, schema_version = 1, index(keys(time, level)))]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    #[index]
    pub time: DateTime,
    pub level: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "trips", strict, schema_version = 1)]
pub struct Trip {
    #[serde(rename = "_id")]
    pub id: Id<Trip>,
    #[index(expire_after = "1d")]
    #[embed(max = 5)]
    #[serde(default)]
    pub days: Vec<DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions", strict, schema_version = 1)]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "1d")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", strict, schema_version = 1)]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[index]
    pub paid: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hotels", strict, schema_version = 1)]
pub struct Hotel {
    #[serde(rename = "_id")]
    pub id: Id<Hotel>,
    #[index]
    #[embed(max = 20)]
    #[serde(default)]
    pub rooms: Vec<Room>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Room {
    pub number: i32,
    pub beds: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lotteries", strict, schema_version = 1)]
pub struct Lottery {
    #[serde(rename = "_id")]
    pub id: Id<Lottery>,
    #[index]
    #[embed(max = 2000)]
    #[serde(default)]
    pub tickets: Vec<i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books", strict, schema_version = 1, access(of_year(year)))]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[index]
    pub year: i32,
    #[index]
    pub pages: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stations")]
pub struct Station {
    #[serde(rename = "_id")]
    pub id: Id<Station>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Reading {
    pub id: i64,
    pub level: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "readings", strict, bucket(readings))]
pub struct ReadingPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Station>,
    #[parent(Station)]
    pub station: Id<Station>,
    pub count: i64,
    #[embed(max = 2000)]
    #[serde(default)]
    pub readings: Vec<Reading>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "alarms", strict, bucket(alarms))]
#[model(index(keys(alarms.level)), access(of_level(alarms.level)))]
pub struct AlarmPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Station>,
    #[parent(Station)]
    pub station: Id<Station>,
    pub count: i64,
    #[embed(max = 100)]
    #[serde(default)]
    pub alarms: Vec<Reading>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", strict, schema_version = 1)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "avatars", strict, schema_version = 1)]
pub struct Avatar {
    #[serde(rename = "_id")]
    pub id: Id<Avatar>,
    pub image: Binary,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "counters", strict, schema_version = 1)]
pub struct Counter {
    #[serde(rename = "_id")]
    pub id: Id<Counter>,
    pub hits: u64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clips", strict, schema_version = 1)]
pub struct Clip {
    #[serde(rename = "_id")]
    pub id: Id<Clip>,
    pub views: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "goods", strict, schema_version = 1)]
pub struct Good {
    #[serde(rename = "_id")]
    pub id: Id<Good>,
    pub price: f64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "devices", strict, schema_version = 1)]
pub struct Device {
    #[serde(rename = "_id")]
    pub id: Id<Device>,
    #[serde(flatten)]
    pub settings: BTreeMap<String, i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cities", strict)]
pub struct City {
    #[serde(rename = "_id")]
    pub id: Id<City>,
    pub inhabitants: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films", strict, schema_version = 1)]
pub struct Film {
    #[serde(rename = "_id")]
    pub id: Id<Film>,
    pub rating: Option<i32>,
}

fn main() {}
