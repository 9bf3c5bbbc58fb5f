//! Outliers: a book has a few buyers, and a bestseller has thousands.
//!
//! The first fifty buyers are stored in the book's own document, and the others go to buckets. So the many books with
//! few buyers are read with one command, and no document grows beyond its bound.
//!
//! `cargo run --example books` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! The output is four lines. The first two say how many commands it takes to read all buyers: one where they fit, two for the
//! bestseller. The third says where its 300 buyers are stored, although two of them were pushed twice. The last says that a
//! deleted book takes its buckets with it.

use mongo_model::{BucketId, Database, Id, MongoEmbed, MongoModel, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Buyer {
    pub id: i64,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    pub title: String,
    #[embed(max = 50, overflow = MoreBuyers)]
    pub buyers: Vec<Buyer>,
    pub has_extras: bool,
}

/// Two hundred more buyers of a bestseller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "more_buyers", bucket(buyers))]
pub struct MoreBuyers {
    #[serde(rename = "_id")]
    pub id: BucketId<Book>,
    #[parent(Book, on_delete = cascade)]
    pub book: Id<Book>,
    pub count: i64,
    #[embed(max = 200)]
    pub buyers: Vec<Buyer>,
}

/// The results of the run.
#[derive(Debug)]
pub struct Sold {
    /// How many buyers the quiet book has, and how many commands it took to read it with all of them.
    pub quiet: (usize, usize),
    /// The same of the bestseller.
    pub bestseller: (usize, usize),
    /// How many of its buyers lie in its own document.
    pub embedded: usize,
    /// How many buckets it has.
    pub buckets: usize,
    /// How many there are after it was deleted.
    pub left: usize,
}

fn book(title: &str) -> Book {
    Book {
        id: Id::new(),
        title: title.to_owned(),
        buyers: Vec::new(),
        has_extras: false,
    }
}

fn buyer(n: i64) -> Buyer {
    Buyer {
        id: n,
        name: format!("buyer {n}"),
    }
}

/// A book with all its buyers; and how many commands that took.
async fn read(
    db: &Database,
    id: Id<Book>,
    log: &CommandLog,
) -> mongo_model::Result<(usize, usize)> {
    drop(log.take());
    let mut buyers = 0;
    if let Some(book) = Book::get(db, id).await? {
        buyers = Book::all_buyers(db, &book).await?.len();
    }
    Ok((buyers, log.take().len()))
}

pub async fn books(db: &Database, log: &CommandLog) -> Result<Sold, Box<dyn std::error::Error>> {
    sync_indexes(db)
        .models(&[Book::meta(), MoreBuyers::meta()])
        .await?;
    let (quiet, bestseller) = (book("A quiet book"), book("A bestseller"));
    Book::insert_many(db, [&quiet, &bestseller]).await?;
    for n in 0..3 {
        Book::push_buyer(db, quiet.id, buyer(n)).await?;
    }
    for n in 0..300 {
        Book::push_buyer(db, bestseller.id, buyer(n)).await?;
    }
    // A receipt that comes twice is one buyer, wherever the first one lies.
    Book::push_buyer(db, bestseller.id, buyer(7)).await?;
    Book::push_buyer(db, bestseller.id, buyer(222)).await?;

    let of_quiet = read(db, quiet.id, log).await?;
    println!(
        "The quiet book: {} buyers, read with {} command.",
        of_quiet.0, of_quiet.1
    );
    let of_bestseller = read(db, bestseller.id, log).await?;
    println!(
        "The bestseller: {} buyers, read with {} commands.",
        of_bestseller.0, of_bestseller.1
    );
    let stored = Book::get(db, bestseller.id).await?;
    let embedded = stored.map_or(0, |book| book.buyers.len());
    let buckets = MoreBuyers::by_book(db, bestseller.id).await?.len();
    println!("{embedded} of them are in the book, the others in {buckets} buckets.");

    Book::delete(db, bestseller.id).await?;
    let left = MoreBuyers::by_book(db, bestseller.id).await?.len();
    println!("The bestseller is deleted with its buckets; {left} are left.");
    Ok(Sold {
        quiet: of_quiet,
        bestseller: of_bestseller,
        embedded,
        buckets,
        left,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("books"));
    books(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
