//! Numbers and lists of parents show live children alone.

use bson::{Bson, doc};
use mongo_model::model::ModelMeta;
use mongo_model::{Database, Error, Id, MongoModel, backfill, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::soft_deleting::object_id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
pub(crate) struct Shelf {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Shelf>,
    #[count(Book)]
    pub(crate) books: i64,
    #[recent(Book, max = 2, sort = at, fields(at))]
    pub(crate) last: Vec<ShelfBook>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "books", soft_delete)]
pub(crate) struct Book {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Book>,
    #[parent(Shelf)]
    pub(crate) shelf: Id<Shelf>,
    #[index(unique)]
    pub(crate) at: i32,
    #[deleted]
    #[serde(rename = "gone", skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 2] {
    [Shelf::meta(), Book::meta()]
}

fn shelf() -> Shelf {
    Shelf {
        id: Id::new(),
        books: 0,
        last: Vec::new(),
    }
}

fn book(shelf: &Shelf, at: i32) -> Book {
    Book {
        id: Id::new(),
        shelf: shelf.id,
        at,
        deleted_at: None,
    }
}

/// Two shelves, the first with books 1 to 4; the indexes are there.
async fn shelves(bench: &Bench) -> (Shelf, Shelf, Vec<Book>) {
    bench.index(&[Shelf::meta(), Book::meta()]).await;
    let (first, second) = (shelf(), shelf());
    Shelf::insert_many(&bench.db, [&first, &second])
        .await
        .expect("stored");
    let books: Vec<Book> = (1..=4).map(|at| book(&first, at)).collect();
    for book in &books {
        Book::insert(&bench.db, book).await.expect("stored");
    }
    bench.forget();
    (first, second, books)
}

/// Checks what a shelf says, that it is right, and that nothing is left to do.
#[track_caller]
fn assert_shelf<'a>(
    db: &'a Database,
    shelf: &'a Shelf,
    books: i64,
    last: &'a [i32],
) -> impl Future<Output = ()> + 'a {
    let place = std::panic::Location::caller();
    async move {
        let read = Shelf::get(db, shelf.id)
            .await
            .expect("read")
            .expect("there");
        let times: Vec<i32> = read.last.iter().map(|book| book.at).collect();
        assert_eq!((read.books, &*times), (books, last), "{place}");
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_clean(), "{place}: {report:?}");
        assert!(recover(db).await.expect("recovered").is_idle(), "{place}");
    }
}

#[tokio::test]
async fn parents_lose_a_deleted_child_and_get_it_back() {
    on_both("counted", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        let newest = books[3].id;
        Book::delete(db, newest).await.expect("deleted");
        // The mark with its flags; the list; the children that fill it up and the list with them; the number. Then the flags.
        let sent = bench.sent();
        assert_eq!(sent[0], "findAndModify", "{sent:?}");
        let stored = bench.stored("books", object_id(newest)).await;
        assert!(stored.get_datetime("gone").is_ok(), "{stored}");
        assert_shelf(db, &first, 3, &[2, 3]).await;
        let again = Book::delete(db, newest).await;
        assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
        assert_shelf(db, &first, 3, &[2, 3]).await;

        Book::restore(db, newest).await.expect("restored");
        let stored = bench.stored("books", object_id(newest)).await;
        assert!(!stored.contains_key("gone"), "{stored}");
        assert_shelf(db, &first, 4, &[3, 4]).await;
        let again = Book::restore(db, newest).await;
        assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");

        Book::delete(db, newest).await.expect("deleted");
        let purged = Book::purge(db, newest).await.expect("purged");
        assert_eq!(purged.deleted, 1);
        assert_shelf(db, &first, 3, &[2, 3]).await;
    })
    .await;
}

#[tokio::test]
async fn each_call_sends_this_many_commands() {
    on_both("commands", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        // The mark and its flags; the number; the flag of the number, and its token; the list, and the flag of the list.
        let moved = [
            "findAndModify",
            "findAndModify",
            "update",
            "update",
            "findAndModify",
            "update",
        ];
        Book::delete(db, books[0].id).await.expect("deleted");
        assert_eq!(bench.sent(), moved);
        Book::restore(db, books[0].id).await.expect("restored");
        assert_eq!(bench.sent(), moved);
        Book::delete(db, books[0].id)
            .without_rules()
            .await
            .expect("deleted");
        assert_eq!(bench.sent(), moved);
        Book::purge(db, books[0].id).await.expect("purged");
        bench.forget();
        // A list that was full is filled up.
        Book::delete(db, books[3].id).await.expect("deleted");
        let sent = bench.sent();
        assert_eq!(
            (&sent[..6], sent.len()),
            (&moved.map(str::to_owned)[..], 15)
        );
        assert_shelf(db, &first, 2, &[2, 3]).await;
        bench.forget();
        // Many are marked by one update.
        Book::delete_many(db, |b| b.at.lt(4))
            .await
            .expect("deleted");
        let sent = bench.take();
        let of_books = |command: &bson::Document| {
            let update = command.get_array("updates").ok()?.first()?;
            let change = update.as_document()?.get_array("u").ok()?;
            let sets = |stage: &Bson| stage.to_string().contains("$$NOW");
            change.iter().any(sets).then_some(())
        };
        let marks = sent.iter().filter(|sent| of_books(&sent.command).is_some());
        assert_eq!(marks.count(), 1, "{sent:?}");
    })
    .await;
}

#[tokio::test]
async fn many_children_leave_and_come_back() {
    on_both("counted_many", async |bench| {
        let (db, (first, _, _)) = (&bench.db, shelves(bench).await);
        let deleted = Book::delete_many(db, |b| b.at.gt(1))
            .await
            .expect("deleted");
        assert_eq!(deleted.deleted, 3);
        assert_shelf(db, &first, 1, &[1]).await;
        // Those that are deleted already keep their time.
        let deleted = Book::delete_many(db, |b| b.at.gt(0)).without_rules().await;
        assert_eq!(deleted.expect("deleted").deleted, 1);
        assert_shelf(db, &first, 0, &[]).await;
        let restored = Book::restore_many(db, |b| b.at.lt(4))
            .await
            .expect("restored");
        assert_eq!((restored.matched, restored.modified), (3, 3));
        assert_shelf(db, &first, 3, &[2, 3]).await;
        assert_eq!(
            Book::purge_many(db, |b| b.at.gt(0))
                .await
                .expect("purged")
                .deleted,
            1
        );
        assert_shelf(db, &first, 3, &[2, 3]).await;
    })
    .await;
}

#[tokio::test]
async fn a_deleted_child_stays_out_whatever_is_written() {
    on_both("counted_writes", async |bench| {
        let (db, (first, second, books)) = (&bench.db, shelves(bench).await);
        let archived = Book {
            deleted_at: Some(bson::DateTime::from_millis(5_000)),
            ..book(&first, 9)
        };
        Book::insert(db, &archived).await.expect("stored");
        let more = Book {
            deleted_at: Some(bson::DateTime::from_millis(5_000)),
            ..book(&first, 10)
        };
        Book::insert_many(db, [&more]).await.expect("stored");
        assert_shelf(db, &first, 4, &[3, 4]).await;
        let saved = Book {
            deleted_at: Some(bson::DateTime::from_millis(5_000)),
            ..book(&first, 11)
        };
        saved.save(db).await.expect("saved");
        assert_shelf(db, &first, 4, &[3, 4]).await;

        // It is saved with another parent, by a program that has read it as live and by one that has not.
        Book::delete(db, books[3].id).await.expect("deleted");
        let mut read = Book::get(db, books[3].id)
            .with_deleted()
            .await
            .expect("read")
            .expect("stored");
        read.shelf = second.id;
        read.deleted_at = None;
        read.save(db).await.expect("saved");
        assert_shelf(db, &first, 3, &[2, 3]).await;
        assert_shelf(db, &second, 0, &[]).await;
        Book::restore(db, books[3].id).await.expect("restored");
        assert_shelf(db, &second, 1, &[4]).await;
        // A stale value of the field does not hide a live document.
        read.deleted_at = Some(bson::DateTime::now());
        read.shelf = first.id;
        read.save(db).await.expect("saved");
        assert_shelf(db, &second, 0, &[]).await;
        assert_shelf(db, &first, 4, &[3, 4]).await;

        Book::delete(db, books[0].id).await.expect("deleted");
        let moved = Book::update(db, books[0].id)
            .set(|b| b.shelf, second.id)
            .await;
        assert!(matches!(moved, Err(Error::NotFound { .. })), "{moved:?}");
        let moved = Book::update_many(db, |b| b.at.gt(0))
            .set(|b| b.shelf, second.id)
            .await;
        assert_eq!(moved.expect("moved").matched, 3);
        assert_shelf(db, &first, 0, &[]).await;
        assert_shelf(db, &second, 3, &[3, 4]).await;
        Book::restore(db, books[0].id).await.expect("restored");
        assert_shelf(db, &first, 1, &[1]).await;
    })
    .await;
}

#[tokio::test]
async fn a_restore_that_is_refused_changes_nothing() {
    on_both("counted_refused", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        Book::delete(db, books[3].id).await.expect("deleted");
        Book::insert(db, &book(&first, 4))
            .await
            .expect("the number is free");
        assert_shelf(db, &first, 4, &[3, 4]).await;
        let error = Book::restore(db, books[3].id)
            .await
            .expect_err("it is taken");
        assert!(error.is_duplicate(), "{error:?}");
        let error = Book::restore_many(db, |b| b.at.eq(4))
            .await
            .expect_err("it is taken");
        assert!(error.is_duplicate(), "{error:?}");
        assert_shelf(db, &first, 4, &[3, 4]).await;
    })
    .await;
}

#[tokio::test]
async fn the_upkeep_of_parents_counts_live_children() {
    on_both("counted_upkeep", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        Book::delete(db, books[3].id).await.expect("deleted");
        bench.forget();
        Shelf::recount_books(db, first.id).await.expect("recounted");
        let sent = bench.take();
        let count = sent
            .iter()
            .find(|sent| sent.name == "aggregate" || sent.name == "count");
        let count = count.map(|sent| sent.command.clone()).expect("a count");
        bench.explain(count).await.assert_served_by("shelf");
        assert_shelf(db, &first, 3, &[2, 3]).await;
        bench.forget();
        Shelf::rebuild_last(db, first.id).await.expect("rebuilt");
        let sent = bench.take();
        let of_books =
            |command: &bson::Document| command.get_str("find").is_ok_and(|name| name == "books");
        let find = sent
            .iter()
            .map(|sent| &sent.command)
            .find(|sent| of_books(sent) && sent.contains_key("sort"));
        let plan = bench.explain(find.expect("a find").clone()).await;
        plan.assert_served_by("shelf");
        // The deleted one is read and passed over; nothing is sorted.
        assert!(!plan.has("SORT") && plan.documents == 3, "{plan:?}");
        assert_shelf(db, &first, 3, &[2, 3]).await;

        // Another program marks a book, and makes another one live.
        let by_other = doc! { "$set": { "gone": bson::DateTime::now() } };
        bench
            .raw("books")
            .update_one(doc! { "at": 3 }, by_other)
            .await
            .expect("marked");
        let report = verify(db).models(&models()).await.expect("verified");
        assert_eq!(
            report
                .references
                .iter()
                .map(|edge| edge.defects())
                .sum::<u64>(),
            3,
            "{report:?}"
        );
        let repaired = repair(db).await.expect("repaired");
        assert!(repaired.refused.is_empty(), "{repaired:?}");
        assert_shelf(db, &first, 2, &[1, 2]).await;
        let by_other = doc! { "$unset": { "books": "", "last": "" } };
        bench
            .raw("shelves")
            .update_many(doc! {}, by_other)
            .await
            .expect("changed");
        backfill(db).await.expect("filled");
        assert_shelf(db, &first, 2, &[1, 2]).await;
        // A second look finds nothing to do.
        let all = bench.stored("shelves", object_id(first.id)).await;
        backfill(db).await.expect("filled");
        repair(db).await.expect("repaired");
        assert_eq!(bench.stored("shelves", object_id(first.id)).await, all);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_moves_children_away_and_back() {
    in_set("counted_transaction", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        for commits in [false, true] {
            let mut tx = mongo_model::Transaction::begin(db).await.expect("begun");
            Book::delete(db, books[3].id)
                .within(&mut tx)
                .await
                .expect("deleted");
            Book::delete_many(db, |b| b.at.eq(1))
                .within(&mut tx)
                .await
                .expect("deleted");
            match commits {
                true => drop(tx.commit(db).await.expect("committed")),
                false => tx.abort().await.expect("aborted"),
            }
            let (number, last): (i64, &[i32]) = if commits { (2, &[2, 3]) } else { (4, &[3, 4]) };
            assert_shelf(db, &first, number, last).await;
        }
        let mut tx = mongo_model::Transaction::begin(db).await.expect("begun");
        Book::restore(db, books[3].id)
            .within(&mut tx)
            .await
            .expect("restored");
        Book::restore_many(db, |b| b.at.eq(1))
            .within(&mut tx)
            .await
            .expect("restored");
        tx.commit(db).await.expect("committed");
        assert_shelf(db, &first, 4, &[3, 4]).await;
    })
    .await;
}

#[tokio::test]
async fn a_parent_is_refused_its_removal_by_a_deleted_child() {
    alone("counted_parent", async |bench| {
        let (db, (first, _, books)) = (&bench.db, shelves(bench).await);
        Book::delete_many(db, |b| b.at.gt(0)).await.expect("deleted");
        let error = Shelf::delete(db, first.id).await.expect_err("it is referred to");
        assert!(matches!(error, Error::Referenced { .. }), "{error:?}");
        Book::purge_many(db, |b| b.at.gt(0)).await.expect("purged");
        Shelf::delete(db, first.id).await.expect("removed");
        // A shelf that is stored again under its `_id` counts live books.
        let read = Shelf::get(db, first.id).await.expect("read");
        assert_eq!(read, None);
        let back = doc! { "_id": object_id(books[0].id), "shelf": object_id(first.id), "at": 1, "gone": bson::DateTime::now() };
        bench.seed("books", [back, doc! { "shelf": object_id(first.id), "at": 2, "gone": Bson::Null }]).await;
        Shelf::insert(db, &first).await.expect("stored");
        assert_shelf(db, &first, 1, &[2]).await;
    })
    .await;
}
