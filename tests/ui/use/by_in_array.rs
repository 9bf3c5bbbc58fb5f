// `by` asks about one place.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Loan {
    #[parent(Book)]
    pub book: Id<Book>,
    pub days: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "readers")]
pub struct Reader {
    #[serde(rename = "_id")]
    pub id: Id<Reader>,
    #[embed(max = 5)]
    pub loans: Vec<Loan>,
}

pub async fn calls(db: &mongo_model::Database, book: Id<Book>) {
    let _ = Reader::by(db, |r| r.loans.book, book);
    let _ = Reader::find(db, |r| r.loans.book.eq(book));
}

fn main() {}
