// Where `overflow` means nothing.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Customer {
    pub id: i64,
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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Inside {
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "t")]
pub struct Twice {
    #[serde(rename = "_id")]
    pub id: Id<Twice>,
    #[embed(max = 50, overflow = ExtraTwice)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
    #[embed(max = 50, overflow = ExtraTwice)]
    pub others: Vec<Customer>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "et", bucket(customers))]
pub struct ExtraTwice {
    #[serde(rename = "_id")]
    pub id: BucketId<Twice>,
    #[parent(Twice)]
    pub twice: Id<Twice>,
    pub count: i64,
    #[embed(max = 50)]
    pub customers: Vec<Customer>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", bucket(customers))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: BucketId<Book>,
    #[parent(Book)]
    pub book: Id<Book>,
    pub count: i64,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "text")]
pub struct Text {
    #[serde(rename = "_id")]
    pub id: Id<Text>,
    #[embed(max = 50, overflow = "ExtraCustomers")]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

fn main() {}
