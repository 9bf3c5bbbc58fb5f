// Ways to write `events` that mean nothing.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Paid {
    cents: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "empty", events())]
struct Empty {
    #[serde(rename = "_id")]
    id: Id<Empty>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "untyped", events(readers(mails)))]
struct Untyped {
    #[serde(rename = "_id")]
    id: Id<Untyped>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "misspelt", events(Paid, reader(mails)))]
struct Misspelt {
    #[serde(rename = "_id")]
    id: Id<Misspelt>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "twice", events(Paid, readers(mails, billing, mails)))]
struct Twice {
    #[serde(rename = "_id")]
    id: Id<Twice>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "host_lines", bucket(lines), events = Paid)]
struct Lines {
    #[serde(rename = "_id")]
    id: BucketId<Twice>,
    #[parent(Twice)]
    host: Id<Twice>,
    count: i64,
    #[embed(max = 10)]
    lines: Vec<Paid>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "denying", events = Paid)]
#[serde(deny_unknown_fields)]
struct Denying {
    #[serde(rename = "_id")]
    id: Id<Denying>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(events = Paid)]
struct Address {
    city: String,
}

fn main() {}
