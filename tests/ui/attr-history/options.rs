// Options of `history` that mean nothing together, or nothing at all.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "both", history(skip(notes), fields(name)))]
struct Both {
    #[serde(rename = "_id")]
    id: Id<Both>,
    name: String,
    notes: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "misspelt", history(fields(nam, notes, notes)))]
struct Misspelt {
    #[serde(rename = "_id")]
    id: Id<Misspelt>,
    name: String,
    notes: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "none", history(keep_last = 0))]
struct Nothing {
    #[serde(rename = "_id")]
    id: Id<Nothing>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "words", history(keep_last = "100", by = optional))]
struct Words {
    #[serde(rename = "_id")]
    id: Id<Words>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "actors", history(by))]
struct Actors {
    #[serde(rename = "_id")]
    id: Id<Actors>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", history(fields(name, language)))]
struct Customer {
    #[serde(rename = "_id")]
    id: Id<Customer>,
    #[personal(erased = "gone")]
    name: String,
    language: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "guests", history(fields(name)))]
struct Guest {
    #[serde(rename = "_id")]
    id: Id<Guest>,
    #[personal(erased = "gone")]
    name: String,
}

fn main() {}
