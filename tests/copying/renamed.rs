//! Generated entries store their fields as the struct that holds them says: under its `rename_all`, and the id under `id = ".."`.

use bson::doc;
use mongo_model::{Id, MongoModel, MongoProjection, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{plain, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "renamed_readers")]
#[serde(rename_all = "camelCase")]
struct Reader {
    #[serde(rename = "_id")]
    id: Id<Reader>,
    full_name: String,
    #[recent(Loan, max = 2, sort = lent_at, fields(lent_at, due_on))]
    last_loans: Vec<LastLoan>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "renamed_books")]
struct Book {
    #[serde(rename = "_id")]
    id: Id<Book>,
    full_title: String,
    shelf_mark: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "renamed_loans")]
#[serde(rename_all = "camelCase")]
struct Loan {
    #[serde(rename = "_id")]
    id: Id<Loan>,
    lent_at: i64,
    due_on: String,
    #[parent(Reader, on_delete = cascade)]
    #[denorm(from = Reader, field = full_name, id = "_id")]
    lent_to: LoanReader,
    #[refs(Book, max = 5, on_delete = pull)]
    #[denorm(from = Book, fields(full_title, shelf_mark), id = "bookId")]
    lent_books: Vec<LoanBook>,
}

/// A loaded book, or the loan's copy of it.
#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Book, fallback = LoanBook)]
struct BookView {
    #[serde(rename = "_id")]
    id: Id<Book>,
    full_title: String,
}

fn loan(n: i64, reader: &Reader, books: &[&Book]) -> Loan {
    let entry = |book: &&Book| LoanBook {
        id: book.id,
        full_title: book.full_title.clone(),
        shelf_mark: book.shelf_mark.clone(),
    };
    Loan {
        id: Id::new(),
        lent_at: n,
        due_on: format!("day {n}"),
        lent_to: LoanReader {
            id: reader.id,
            full_name: reader.full_name.clone(),
        },
        lent_books: books.iter().map(entry).collect(),
    }
}

async fn stored_renamed(bench: &Bench) {
    let db = &bench.db;
    bench
        .index(&[Reader::meta(), Book::meta(), Loan::meta()])
        .await;
    let reader = Reader {
        id: Id::new(),
        full_name: "Ann".to_owned(),
        last_loans: Vec::new(),
    };
    let books = ["Emma", "Ulysses"].map(|title| Book {
        id: Id::new(),
        full_title: title.to_owned(),
        shelf_mark: "A".to_owned(),
    });
    Reader::insert(db, &reader).await.expect("inserted");
    Book::insert_many(db, &books).await.expect("inserted");
    let loans: Vec<Loan> = (0..3)
        .map(|n| loan(n, &reader, &[&books[0], &books[1]]))
        .collect();
    for loan in &loans {
        Loan::insert(db, loan).await.expect("inserted");
    }

    let id = |n: usize| loans[n].id.into_raw();
    assert_eq!(
        plain(shown::<Loan>(bench, &loans[2].id).await),
        doc! {
            "_id": id(2), "lentAt": 2_i64, "dueOn": "day 2",
            "lentTo": { "_id": reader.id.into_raw(), "fullName": "Ann" },
            "lentBooks": [
                { "bookId": books[0].id.into_raw(), "fullTitle": "Emma", "shelfMark": "A" },
                { "bookId": books[1].id.into_raw(), "fullTitle": "Ulysses", "shelfMark": "A" },
            ],
        }
    );
    let last =
        [1, 2].map(|n| doc! { "id": id(n), "lentAt": n as i64, "dueOn": format!("day {n}") });
    let found = plain(shown::<Reader>(bench, &reader.id).await);
    assert_eq!(
        found.get_array("lastLoans").expect("a list").to_vec(),
        last.map(bson::Bson::from)
    );

    // They are read, loaded and found.
    let read = Loan::get(db, loans[2].id).await.expect("read");
    assert_eq!(read.as_ref(), Some(&loans[2]));
    assert_eq!(
        loans[2].load_lent_books(db).await.expect("loaded").to_vec(),
        books
    );
    let loaded = Loan::load(db, &loans, |loan| loan.lent_to.id)
        .await
        .expect("loaded");
    assert!(loaded.iter().all(|(_, read)| read.len() == 1));
    let lent = Loan::by_lent_books(db, books[0].id).await.expect("found");
    assert_eq!(lent.len(), 3);
    // Inside an array, too.
    let lent = Loan::by(db, |loan| loan.lent_books.id, books[0].id).await;
    assert_eq!(lent.expect("found").len(), 3);
    let lent = Loan::by_lent_to(db, reader.id).await.expect("found");
    assert_eq!(lent.len(), 3);
    let titled = Loan::scan(db, |loan| loan.lent_books.full_title.eq("Emma")).await;
    assert_eq!(titled.expect("found").len(), 3);

    // They follow.
    Book::update(db, books[0].id)
        .set(|book| book.full_title, "Persuasion")
        .await
        .expect("updated");
    Reader::update(db, reader.id)
        .set(|reader| reader.full_name, "Anne")
        .await
        .expect("updated");
    Loan::update(db, loans[0].id)
        .pull(|loan| loan.lent_books, loans[0].lent_books[1].clone())
        .await
        .expect("pulled");
    let read = Loan::get(db, loans[0].id)
        .await
        .expect("read")
        .expect("there");
    assert_eq!(read.lent_to.full_name, "Anne");
    assert_eq!(read.lent_books.len(), 1);
    assert_eq!(read.lent_books[0].full_title, "Persuasion");
    settled(bench).await;
    assert!(verify(db).await.expect("verified").is_clean());

    // A copy stands in for a book that is gone.
    Book::delete(db, books[1].id)
        .without_rules()
        .await
        .expect("deleted");
    let loan = Loan::get(db, loans[1].id)
        .await
        .expect("read")
        .expect("there");
    let views = loan.load_lent_books(db);
    let views = views.with_fallback::<BookView, _>(&loan);
    let views = views.await.expect("loaded").into_vec();
    assert_eq!(
        views
            .iter()
            .map(|view| &*view.full_title)
            .collect::<Vec<_>>(),
        ["Persuasion", "Ulysses"]
    );
    Book::delete(db, books[0].id).await.expect("deleted");
    let read = Loan::get(db, loans[2].id)
        .await
        .expect("read")
        .expect("there");
    assert_eq!(read.lent_books.len(), 1);
    Reader::delete(db, reader.id).await.expect("deleted");
    assert_eq!(bench.len("renamed_loans").await, 0);
}

#[tokio::test]
async fn entries_are_stored_under_the_names_of_their_holder() {
    on_both("renamed", stored_renamed).await;
}
