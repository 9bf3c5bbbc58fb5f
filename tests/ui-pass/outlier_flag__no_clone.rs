// Items that cannot be cloned are pushed and removed; the document and its buckets are read one by one.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Unique {
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
    pub customers: Vec<Unique>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 50, overflow = ExtraCustomers)]
    pub customers: Vec<Unique>,
    pub has_extras: bool,
}

pub fn calls(db: &mongo_model::Database, book: &Book, unique: Unique) {
    let _ = Book::push_customer(db, book.id, &unique);
    if book.has_extras {
        let _ = ExtraCustomers::iterate(db, book.id);
    }
}

pub fn main() {}
