//! Arrays whose rest is in buckets.

use bson::doc;
use futures::TryStreamExt;
use mongo_model::{BucketId, Error, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::lossy::Lossy;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Customer {
    #[serde(rename = "c")]
    pub id: i64,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 5, overflow = ExtraCustomers)]
    #[serde(rename = "cs")]
    pub customers: Vec<Customer>,
    #[serde(rename = "more")]
    pub has_extras: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "extra_customers", bucket(customers))]
pub struct ExtraCustomers {
    #[serde(rename = "_id")]
    pub id: BucketId<Book>,
    #[parent(Book, on_delete = cascade, unchecked)]
    pub book: Id<Book>,
    pub count: i64,
    #[embed(max = 4)]
    pub customers: Vec<Customer>,
}

fn customer(id: i64) -> Customer {
    Customer {
        id,
        name: format!("customer {id}"),
    }
}

async fn book(bench: &Bench, few: i64) -> Id<Book> {
    bench.index(&[Book::meta(), ExtraCustomers::meta()]).await;
    let customers = (0..few).map(customer).collect();
    let book = Book {
        id: Id::new(),
        customers,
        has_extras: false,
    };
    Book::insert(&bench.db, &book).await.expect("stored");
    bench.forget();
    book.id
}

async fn read(bench: &Bench, id: Id<Book>) -> Book {
    let read = Book::get(&bench.db, id)
        .await
        .expect("read")
        .expect("it is there");
    bench.forget();
    read
}

/// The ids of all customers, the book's own first; each once.
async fn all(bench: &Bench, id: Id<Book>) -> Vec<i64> {
    let book = read(bench, id).await;
    let all = Book::all_customers(&bench.db, &book).await.expect("read");
    bench.forget();
    let all: Vec<i64> = all.iter().map(|customer| customer.id).collect();
    let mut once = all.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), all.len(), "one is there twice: {all:?}");
    all
}

#[tokio::test]
async fn nearly_every_book_is_one_document() {
    on_both("overflow_few", async |bench| {
        let db = &bench.db;
        let id = book(bench, 3).await;
        let placed = Book::push_customer(db, id, customer(3))
            .await
            .expect("stored");
        assert!(placed.added && placed.bucket.is_none());
        assert_eq!(bench.sent(), ["update"]);
        let placed = Book::push_customer(db, id, customer(1))
            .await
            .expect("asked");
        assert!(!placed.added && placed.bucket.is_none());
        assert_eq!(bench.sent(), ["update", "find", "find"]);
        let found = read(bench, id).await;
        assert!(!found.has_extras);
        // Where the document says that there is no more, nothing is sent for it.
        let customers = Book::all_customers(db, &found).await.expect("read");
        assert_eq!(customers, found.customers);
        assert!(bench.sent().is_empty());
        let gone = Book::remove_customer(db, id, &2).await.expect("removed");
        assert!(gone.removed);
        assert_eq!(bench.sent(), ["update"]);
        assert_eq!(all(bench, id).await, [0, 1, 3]);
        let missing = Book::push_customer(db, Id::new(), customer(1)).await;
        assert!(matches!(
            missing,
            Err(Error::NotFound { model: "Book", .. })
        ));
    })
    .await;
}

#[tokio::test]
async fn a_bestseller_goes_on_in_buckets() {
    on_both("overflow_many", async |bench| {
        let db = &bench.db;
        let id = book(bench, 5).await;
        let placed = Book::push_customer(db, id, customer(5))
            .await
            .expect("stored");
        assert_eq!((placed.added, placed.bucket), (true, Some(0)));
        // The document says so before there is a bucket.
        assert_eq!(
            bench.sent(),
            ["update", "find", "find", "update", "aggregate", "insert"]
        );
        assert!(read(bench, id).await.has_extras);
        let placed = Book::push_customer(db, id, customer(6))
            .await
            .expect("stored");
        assert_eq!((placed.added, placed.bucket), (true, Some(0)));
        assert_eq!(
            bench.sent(),
            ["update", "find", "find", "aggregate", "update"]
        );
        for n in 7..12 {
            Book::push_customer(db, id, customer(n))
                .await
                .expect("stored");
        }
        // Sent again: in the book, in a closed bucket, in the open one.
        for (n, bucket) in [(0, None), (5, Some(0)), (11, Some(1))] {
            let placed = Book::push_customer(db, id, customer(n))
                .await
                .expect("asked");
            assert_eq!((placed.added, placed.bucket), (false, bucket));
        }
        assert_eq!(all(bench, id).await, (0..12).collect::<Vec<_>>());
        // A book that has overflowed takes no more items into its array, even after removals.
        for n in [1, 7] {
            let gone = Book::remove_customer(db, id, &n).await.expect("removed");
            assert!(gone.removed);
        }
        let gone = Book::remove_customer(db, id, &1).await.expect("asked");
        assert!(!gone.removed);
        let placed = Book::push_customer(db, id, customer(12))
            .await
            .expect("stored");
        assert_eq!(placed.bucket, Some(1));
        assert_eq!(all(bench, id).await, [0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]);
        let found = read(bench, id).await;
        let stream = Book::all_customers(db, &found).stream();
        let streamed: Vec<Customer> = stream.try_collect().await.expect("read");
        assert_eq!(streamed.len(), 11);
        assert_eq!(bench.sent(), ["find"]);
        let gone = Book::delete(db, id).await.expect("deleted");
        assert_eq!((gone.deleted, gone.cascaded), (1, 2));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_edge_each_is_stored_once() {
    on_both("overflow_race", async |bench| {
        for round in 0..6 {
            let id = book(bench, round % 3).await;
            // Each of 30 customers is sent by two tasks.
            let tasks = (0..6).map(|task| {
                let db = bench.db.clone();
                tokio::spawn(async move {
                    let mut added = 0;
                    for n in 0..10 {
                        let n = 100 + (task % 3) * 10 + (n + task) % 10;
                        let placed = Book::push_customer(&db, id, customer(n)).await;
                        added += usize::from(placed.expect("stored").added);
                    }
                    added
                })
            });
            let mut added = 0;
            for task in tasks.collect::<Vec<_>>() {
                added += task.await.expect("done");
            }
            assert_eq!(added, 30);
            let few = usize::try_from(round % 3).expect("few");
            assert_eq!(all(bench, id).await.len(), 30 + few);
            let found = read(bench, id).await;
            assert_eq!((found.customers.len(), found.has_extras), (5, true));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_reads_the_flag_misses_nothing_that_was_acknowledged() {
    alone("overflow_reader", async |bench| {
        for _ in 0..4 {
            let id = book(bench, 2).await;
            let (said, heard) = tokio::sync::watch::channel(1_i64);
            let db = bench.db.clone();
            let writer = tokio::spawn(async move {
                for n in 2..14 {
                    Book::push_customer(&db, id, customer(n))
                        .await
                        .expect("stored");
                    said.send(n).expect("somebody reads");
                }
            });
            let mut reads = 0;
            loop {
                let acknowledged = *heard.borrow();
                let found = Book::get(&bench.db, id)
                    .await
                    .expect("read")
                    .expect("there");
                let seen = Book::all_customers(&bench.db, &found).await.expect("read");
                let missing = (0..=acknowledged).find(|n| seen.iter().all(|seen| seen.id != *n));
                assert_eq!(missing, None, "of {acknowledged}, with {found:?}");
                reads += 1;
                if acknowledged == 13 {
                    break;
                }
            }
            writer.await.expect("done");
            assert!(reads > 1);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_the_steps_loses_nothing() {
    alone("overflow_crash", async |bench| {
        // The server has answered: that the document has no room, that it says so, that the bucket has taken the customer.
        let steps = [
            ("cs.4", false, false),
            ("$set", false, false),
            ("$lte", true, true),
        ];
        for (marked, overflown, stored) in steps {
            let id = book(bench, 5).await;
            if overflown {
                let first = Book::push_customer(&bench.db, id, customer(6)).await;
                assert_eq!(first.expect("stored").bucket, Some(0));
            }
            let lossy = Lossy::open().await;
            let db = lossy.database(bench.db.name()).await;
            let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
            let mut stop = Some(stop);
            lossy.lose(1, marked, move || {
                if let Some(stop) = stop.take() {
                    let _ = stop.send(());
                }
            });
            let pushing = Book::push_customer(&db, id, customer(7));
            tokio::select! {
                biased;
                _ = stopped => {}
                done = pushing.into_future() => panic!("it was to be stopped: {done:?}"),
            }
            let before = all(bench, id).await;
            assert_eq!(before.contains(&7), stored, "{marked}: {before:?}");
            let placed = Book::push_customer(&bench.db, id, customer(7))
                .await
                .expect("stored");
            assert_eq!((placed.added, placed.bucket), (!stored, Some(0)));
            assert!(all(bench, id).await.contains(&7));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_lost_stores_nothing_twice() {
    alone("overflow_lost", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        let id = book(bench, 3).await;
        for n in 3..12 {
            lossy.lose(1, "customer ", || {});
            let placed = Book::push_customer(&db, id, customer(n))
                .await
                .expect("stored");
            assert_eq!(lossy.left(), 0, "{placed:?}");
        }
        assert_eq!(all(bench, id).await, (0..12).collect::<Vec<_>>());
        let found = bench.stored("books", id.into_raw()).await;
        assert_eq!(found.get_bool("more").ok(), Some(true));
        assert_eq!(
            bench
                .raw("extra_customers")
                .count_documents(doc! {})
                .await
                .expect("counted"),
            2
        );
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_document_and_bucket_along() {
    in_set("overflow_transaction", async |bench| {
        let id = book(bench, 4).await;
        for commit in [false, true] {
            let mut session = bench.transaction().await;
            for n in [4, 5, 6] {
                let placed = Book::push_customer(&bench.db, id, customer(n))
                    .driver_session(&mut session)
                    .await;
                assert!(placed.expect("stored").added);
            }
            let gone = Book::remove_customer(&bench.db, id, &5)
                .driver_session(&mut session)
                .await;
            assert!(gone.expect("removed").removed);
            if commit {
                session.commit_transaction().await.expect("committed");
            } else {
                session.abort_transaction().await.expect("aborted");
                assert_eq!(all(bench, id).await, [0, 1, 2, 3]);
            }
        }
        assert_eq!(all(bench, id).await, [0, 1, 2, 3, 4, 6]);
    })
    .await;
}
