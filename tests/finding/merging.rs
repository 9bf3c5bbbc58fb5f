//! Pages of queries whose documents the server reads from several parts of an index.

use bson::{Bson, Document, doc};
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "merged_rows",
    index(keys(a, -b, id)),
    index(keys(b, a, id)),
    index(keys(c, a, id))
)]
struct Row {
    #[serde(rename = "_id")]
    id: i32,
    a: Option<i64>,
    b: i32,
    c: i32,
}

/// Rows whose `a` is null, absent or a number, in every combination with the other fields.
async fn rows(bench: &Bench) {
    bench.index(&[Row::meta()]).await;
    let row = |id: i32| {
        let mut row = doc! { "_id": id, "b": (id / 3) % 2, "c": (id / 2) % 3 };
        match (id * 7) % 5 {
            0 | 3 => drop(row.insert("a", Bson::Null)),
            1 | 4 => {}
            _ => drop(row.insert("a", i64::from(id % 2))),
        }
        row
    };
    let rows: Vec<Document> = (0..60).map(row).collect();
    let raw = bench.raw("merged_rows");
    raw.insert_many(rows).await.expect("stored");
}

/// The pages together are the documents of the query, each once.
macro_rules! assert_pages {
    ($find:expr) => {{
        let mut whole: Vec<i32> = $find.await.expect("found").iter().map(|r| r.id).collect();
        let (mut read, mut after) = (Vec::new(), None);
        loop {
            let page = $find.page(2).after(after).await.expect("a page");
            read.extend(page.items.iter().map(|row| row.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        read.sort_unstable();
        whole.sort_unstable();
        assert_eq!(read, whole, "{}", stringify!($find));
    }};
}

#[tokio::test]
async fn no_page_passes_over_absent_values_among_nulls() {
    on_both("merged_pages", async |bench| {
        rows(bench).await;
        let db = &bench.db;
        assert_pages!(
            Row::scan(db, |r| r.all()).sort(|r| r.a.asc().then(r.b.desc()).then(r.id.asc()))
        );
        assert_pages!(
            Row::scan(db, |r| r.all()).sort(|r| r.a.desc().then(r.b.asc()).then(r.id.desc()))
        );
        assert_pages!(
            Row::scan(db, |r| r.all()).sort(|r| r.b.asc().then(r.a.asc()).then(r.id.asc()))
        );
        assert_pages!(
            Row::scan(db, |r| r.all()).sort(|r| r.b.desc().then(r.a.desc()).then(r.c.asc()))
        );
    })
    .await;
}

#[tokio::test]
async fn no_page_passes_over_documents_of_alternatives() {
    on_both("merged_parts", async |bench| {
        rows(bench).await;
        let db = &bench.db;
        assert_pages!(Row::find(db, |r| r.b.is_in([0, 1])).sort(|r| r.a.asc().then(r.id.asc())));
        assert_pages!(Row::find(db, |r| r.b.is_in([0, 1])).sort(|r| r.a.desc().then(r.id.desc())));
        let either = || {
            Row::find(db, |r| {
                r.b.eq(1).and(r.c.ne(7)).or(r.c.eq(2).and(r.b.ne(7)))
            })
        };
        assert_pages!(either().sort(|r| r.a.asc().then(r.id.asc())));
        assert_pages!(either().sort(|r| r.a.desc().then(r.id.desc())));
    })
    .await;
}
