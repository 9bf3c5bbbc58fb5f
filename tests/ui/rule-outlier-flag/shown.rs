// An array that overflows without saying so, or is none.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Customer {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Customer>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct Scalars {
    #[serde(rename = "_id")]
    pub id: Id<Scalars>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<String>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
pub struct Single {
    #[serde(rename = "_id")]
    pub id: Id<Single>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Customer,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "extras", bucket(customers))]
pub struct ExtraCustomers {
    #[serde(rename = "_id")]
    pub id: BucketId<Book>,
    #[parent(Book)]
    pub book: Id<Book>,
    pub count: i64,
    #[embed(max = 50)]
    pub customers: Vec<Customer>,
}

fn main() {}
