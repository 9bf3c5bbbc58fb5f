// What overflows into something else than a bucket of the model with the same items.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Customer {
    pub id: i64,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Other {
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
#[model(collection = "o", bucket(others))]
pub struct ExtraOthers {
    #[serde(rename = "_id")]
    pub id: BucketId<Book>,
    #[parent(Book)]
    pub book: Id<Book>,
    pub count: i64,
    #[embed(max = 50)]
    pub others: Vec<Other>,
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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "w")]
pub struct Wrong {
    #[serde(rename = "_id")]
    pub id: Id<Wrong>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "p")]
pub struct Plain {
    #[serde(rename = "_id")]
    pub id: Id<Plain>,
    #[embed(max = 50, overflow = Book)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "i")]
pub struct Items {
    #[serde(rename = "_id")]
    pub id: Id<Items>,
    #[embed(max = 50, overflow = ExtraItems)]
    pub customers: Vec<Customer>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "ei", bucket(others))]
pub struct ExtraItems {
    #[serde(rename = "_id")]
    pub id: BucketId<Items>,
    #[parent(Items)]
    pub items: Id<Items>,
    pub count: i64,
    #[embed(max = 50)]
    pub others: Vec<Other>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "n")]
pub struct Number {
    #[serde(rename = "_id")]
    pub id: Id<Number>,
    #[embed(max = 50, overflow = ExtraNumbers)]
    pub customers: Vec<Customer>,
    pub has_extras: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "en", bucket(customers))]
pub struct ExtraNumbers {
    #[serde(rename = "_id")]
    pub id: BucketId<Number>,
    #[parent(Number)]
    pub number: Id<Number>,
    pub count: i64,
    #[embed(max = 50)]
    pub customers: Vec<Customer>,
}

fn main() {}
