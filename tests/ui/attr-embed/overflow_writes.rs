// What overflows is written by its own methods alone.

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

pub fn calls(db: &mongo_model::Database, book: Book, id: Id<Book>, customer: Customer) {
    let _ = book.save(db);
    let _ = Book::update(db, id).push(|b| b.customers, customer);
    let _ = Book::update(db, id).set(|b| b.has_extras, false);
    let _ = Book::push_customer(db, id, 7);
    let _ = Book::remove_customer(db, id, "an id");
}

fn main() {}
