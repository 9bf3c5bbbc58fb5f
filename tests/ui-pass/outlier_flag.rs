// A flag and an id with stored names of their own, a version, and calls.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Customer {
    pub id: i64,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Reader {
    #[serde(rename = "r")]
    pub id: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "papers")]
pub struct Paper {
    #[serde(rename = "_id")]
    pub id: Id<Paper>,
    pub title: String,
    #[embed(max = 20, overflow = papers::MoreReaders)]
    #[serde(rename = "rs", default)]
    pub readers: Vec<Reader>,
    #[serde(rename = "x", default)]
    pub has_extras: bool,
    #[version]
    pub version: i64,
}

pub mod papers {
    use super::{BucketId, Deserialize, Id, MongoModel, Paper, Reader, Serialize};

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "more_readers", bucket(all))]
    pub struct MoreReaders {
        #[serde(rename = "_id")]
        pub id: BucketId<Paper>,
        #[parent(Paper, on_delete = cascade)]
        pub of: Id<Paper>,
        pub count: i64,
        #[embed(max = 100)]
        pub all: Vec<Reader>,
    }
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

pub fn calls(db: &mongo_model::Database, mut paper: Paper, reader: Reader, book: Book, customer: Customer) {
    let _ = Paper::push_reader(db, paper.id, &reader);
    let _ = Paper::push_reader(db, &paper.id, reader);
    let _ = Paper::remove_reader(db, paper.id, &"an id".to_owned());
    let _ = Paper::all_readers(db, &paper);
    let _ = Paper::update(db, paper.id).set(|p| p.title, "another");
    let _ = Paper::insert(db, &paper);
    let _ = paper.save_if_unchanged(db);
    let _ = Paper::find(db, |p| p.id.eq(Id::new()));
    let _ = Book::push_customer(db, book.id, customer);
}

pub fn main() {}
