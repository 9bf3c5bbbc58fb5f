//! Streams that lose the server's cursor: they go on behind the last document, where their order says which documents are left.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use futures::{Stream, StreamExt, TryStreamExt};
use mongo_model::{Error, MongoModel, Result};
use mongodb::options::ReadConcern;
use serde::{Deserialize, Serialize};

use super::paging::Item;
use crate::common::{Bench, alone, in_set, on_both};

impl Bench {
    /// Kills the cursors of a collection, as an operator does. Returns how many there were.
    async fn kill_cursors(&self, collection: &str) -> usize {
        let admin = self.client.database("admin");
        let namespace = format!("{}.{collection}", self.db.name());
        let idle = [
            doc! { "$currentOp": { "allUsers": true, "idleCursors": true } },
            doc! { "$match": { "ns": namespace, "type": "idleCursor" } },
        ];
        let idle = admin.aggregate(idle).await.expect("listed");
        let idle: Vec<Document> = idle.try_collect().await.expect("listed");
        let ids = idle.iter().map(|cursor| {
            let cursor = cursor.get_document("cursor").expect("a cursor");
            cursor.get("cursorId").expect("its id").clone()
        });
        let ids: Vec<Bson> = ids.collect();
        if !ids.is_empty() {
            let kill = doc! { "killCursors": collection, "cursors": &ids };
            self.db.run_command(kill).await.expect("killed");
        }
        ids.len()
    }

    /// Reads a stream whose cursor is killed after every tenth document.
    async fn read_disturbed<T>(&self, stream: impl Stream<Item = Result<T>>) -> Result<Vec<T>> {
        let mut stream = std::pin::pin!(stream);
        let mut read = Vec::new();
        while let Some(document) = stream.next().await {
            read.push(document?);
            if read.len() % 10 == 0 {
                self.kill_cursors("items").await;
            }
        }
        Ok(read)
    }

    /// The names of the commands about documents since the log was cleared.
    fn counted(&self) -> BTreeMap<String, usize> {
        let mut counted = BTreeMap::new();
        for name in self.sent() {
            if matches!(&*name, "find" | "getMore") {
                *counted.entry(name).or_default() += 1;
            }
        }
        counted
    }
}

/// A stream in this order that loses its cursor gives the same documents as one that does not, to the last.
macro_rules! assert_goes_on {
    ($bench:expr, |$m:ident| $order:expr) => {{
        let db = &$bench.db;
        let find = || Item::scan(db, |i| i.shelf.eq(1)).sort(|$m| $order);
        let whole = find().skip(3).limit(77).await.expect("found");
        let stream = find().skip(3).limit(77).batch_size(7).stream();
        $bench.forget();
        let read = $bench.read_disturbed(stream).await.expect("read");
        let ids = |items: Vec<Item>| items.into_iter().map(|item| item.id).collect::<Vec<_>>();
        assert_eq!(ids(read), ids(whole), "{}", stringify!($order));
        // The cursor is gone at the end of the batch in which it was killed.
        assert!($bench.counted()["find"] >= 7, "{}", stringify!($order));
    }};
}

#[tokio::test]
async fn a_stream_goes_on_behind_the_last_document() {
    on_both("walks", async |bench| {
        bench.items(100).await;
        assert_goes_on!(bench, |m| m.id.asc());
        assert_goes_on!(bench, |m| m.id.desc());
        assert_goes_on!(bench, |m| m.time.desc().then(m.id.asc()));
        assert_goes_on!(bench, |m| m.weight.asc().then(m.id.asc()));
        assert_goes_on!(bench, |m| m
            .name
            .desc()
            .then(m.weight.asc())
            .then(m.id.desc()));
    })
    .await;
}

/// The number of documents that a stream had read when it lost its cursor.
fn read_before<T: std::fmt::Debug>(result: Result<Vec<T>>) -> u64 {
    match result {
        Err(Error::CursorLost { read, .. }) => read,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_such_an_order_the_error_says_how_far_it_came() {
    alone("walk_lost", async |bench| {
        let db = &bench.db;
        bench.items(100).await;
        let all = || Item::scan(db, |_| mongo_model::filter::everything()).batch_size(7);
        let unordered = bench.read_disturbed(all().stream()).await;
        assert_eq!(read_before(unordered), 14);
        // Documents of the same time are in no order.
        let by_time = all().sort(|i| i.time.asc()).stream();
        assert_eq!(read_before(bench.read_disturbed(by_time).await), 14);
    })
    .await;
    in_set("walk_snapshot", async |bench| {
        bench.items(100).await;
        // Another `find` would read another snapshot.
        let in_order = |concern| {
            Item::scan(&bench.db, |_| mongo_model::filter::everything())
                .sort(|i| i.id.asc())
                .batch_size(7)
                .read_concern(concern)
                .stream()
        };
        let snapshot = in_order(ReadConcern::snapshot());
        assert_eq!(read_before(bench.read_disturbed(snapshot).await), 14);
        let majority = in_order(ReadConcern::majority());
        let read = bench.read_disturbed(majority).await.expect("read");
        assert_eq!(read.len(), 100);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "walk_words",
    index(keys(kind), collation(locale = "en", strength = 2))
)]
pub struct Word {
    #[serde(rename = "_id")]
    pub id: String,
    pub kind: String,
}

#[tokio::test]
async fn ids_that_are_equal_by_a_collation_are_not_left_out() {
    alone("walk_words", async |bench| {
        let db = &bench.db;
        bench.index(&[Word::meta()]).await;
        let words = ["a", "A", "b", "c"];
        let words = words.map(|id| doc! { "_id": id, "kind": "Letter" });
        bench.seed("walk_words", words).await;
        let find = || Word::find(db, |w| w.kind.eq_ci("letter"));
        // A page that ends between the two would lose the second one.
        let first = find().page(1).await.expect("a page");
        let second = find().page(1).after(first.next).await;
        assert!(
            matches!(&second, Err(Error::NotPageable { field, .. }) if field == "_id"),
            "{second:?}"
        );
        // A page that ends elsewhere goes on.
        let first = find().page(3).await.expect("a page");
        let second = find().page(3).after(first.next).await.expect("a page");
        assert_eq!(second.items.len(), 1);
        // A stream in this order does not go on, because it would lose one too.
        let stream = find().sort(|w| w.id.asc()).batch_size(1).stream();
        let mut stream = std::pin::pin!(stream);
        stream.next().await.expect("one").expect("read");
        assert_eq!(bench.kill_cursors("walk_words").await, 1);
        let rest: Result<Vec<Word>> = stream.try_collect().await;
        assert_eq!(read_before(rest), 1);
    })
    .await;
}
