//! A field that changes beside what people edit: its updates are no conflict for them, and their saves do not put it back.

use bson::Bson;
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::versioning::conflict;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Views {
    pub today: i32,
    pub ratio: f64,
}

/// Text that people edit beside numbers that fall and rise by themselves. Another model copies one of these all the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "volatile_articles")]
pub struct Article {
    #[serde(rename = "_id")]
    pub id: i32,
    pub title: String,
    #[volatile]
    #[serde(rename = "qty")]
    pub stock: i64,
    #[volatile]
    pub views: Views,
    #[volatile]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    #[version]
    pub version: i64,
}

/// Holds a copy of a volatile field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "volatile_lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Article)]
    pub article: i32,
    #[denorm(from = Article, field = stock)]
    #[model(allow(denorm_hot, reason = "a test"))]
    pub stock: i64,
}

/// Nothing refers to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "volatile_alone")]
pub struct Counter {
    #[serde(rename = "_id")]
    pub id: i32,
    pub title: String,
    #[volatile]
    pub hits: f64,
    #[version]
    pub version: i32,
}

fn article(id: i32) -> Article {
    Article {
        id,
        title: "nut".to_owned(),
        stock: 10,
        views: Views {
            today: 0,
            ratio: f64::NAN,
        },
        seen: None,
        version: 0,
    }
}

impl Bench {
    async fn article(&self, id: i32) -> (String, i64, i64, i32, Option<String>) {
        let stored = Article::get(&self.db, id).await.expect("read");
        let stored = stored.expect("stored");
        let views = stored.views.today;
        (
            stored.title,
            stored.version,
            stored.stock,
            views,
            stored.seen,
        )
    }
}

#[tokio::test]
async fn updates_of_volatile_fields_are_no_conflict_and_stay() {
    on_both("volatile_stays", async |bench| {
        let db = &bench.db;
        bench.index(&[Article::meta(), Line::meta()]).await;
        let mut mine = article(1);
        Article::insert(db, &mine).await.expect("stored");
        let line = Line {
            id: 1,
            article: 1,
            stock: 0,
        };
        Line::insert(db, &line).await.expect("stored");

        let sell = Article::update(db, 1).inc(|a| a.stock, -3);
        let sell = sell
            .inc(|a| a.views.today, 2)
            .set(|a| a.seen, Some("x".to_owned()));
        sell.await.expect("changed");
        Article::update_many(db, |a| a.id.eq(1))
            .inc(|a| a.stock, -1)
            .await
            .expect("changed");
        let seen = || Some("x".to_owned());
        assert_eq!(bench.article(1).await, ("nut".to_owned(), 0, 6, 2, seen()));

        mine.title = "hex nut".to_owned();
        mine.save_if_unchanged(db).await.expect("no conflict");
        assert_eq!(
            bench.article(1).await,
            ("hex nut".to_owned(), 1, 6, 2, seen())
        );
        let copy = bench.stored("volatile_lines", 1).await;
        assert_eq!(copy.get("stock"), Some(&Bson::Int64(6)));

        // Together with another field it is a change like any other.
        let both = Article::update(db, 1)
            .inc(|a| a.stock, 1)
            .set(|a| a.title, "bolt");
        both.await.expect("changed");
        mine.title = "lock nut".to_owned();
        conflict(
            mine.save_if_unchanged(db)
                .await
                .expect_err("another was first"),
        );
        assert_eq!(bench.article(1).await, ("bolt".to_owned(), 2, 7, 2, seen()));
    })
    .await;
}

#[tokio::test]
async fn saves_of_many_and_of_plain_models_leave_them() {
    on_both("volatile_many", async |bench| {
        let db = &bench.db;
        let new = |id| Counter {
            id,
            title: "a".to_owned(),
            hits: 1.0,
            version: 0,
        };
        let mut mine = [new(1), new(2)];
        Counter::insert_many(db, &mine).await.expect("stored");
        for id in [1, 2] {
            Counter::update(db, id)
                .inc(|c| c.hits, 2.0)
                .await
                .expect("changed");
        }
        for counter in &mut mine {
            counter.title = "b".to_owned();
        }
        let saved = Counter::save_many_if_unchanged(db, &mut mine)
            .await
            .expect("sent");
        let saved = saved.complete().expect("no conflicts");
        assert_eq!(saved.saved, 2);
        mine[0].title = "c".to_owned();
        mine[0].save_if_unchanged(db).await.expect("no conflict");
        for (id, title, version) in [(1, "c", 2), (2, "b", 1)] {
            let stored = Counter::get(db, id).await.expect("read").expect("stored");
            let expected = Counter {
                id,
                title: title.to_owned(),
                hits: 3.0,
                version,
            };
            assert_eq!(stored, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn a_function_changes_no_volatile_field() {
    on_both("volatile_function", async |bench| {
        let db = &bench.db;
        Article::insert(db, &article(1)).await.expect("stored");
        let changed = Article::update_with(db, 1, |a| {
            a.title = "bolt".to_owned();
            a.stock -= 1;
        });
        let Err(Error::Impossible { what }) = changed.await else {
            panic!("it is refused");
        };
        assert!(
            what.contains("`update_with` changes Article.stock, which is volatile"),
            "{what}"
        );
        assert_eq!(bench.article(1).await, ("nut".to_owned(), 0, 10, 0, None));
        let changed = Article::update_with(db, 1, |a| a.title = "bolt".to_owned());
        changed.await.expect("a NaN is no change");
        assert_eq!(bench.article(1).await, ("bolt".to_owned(), 1, 10, 0, None));
    })
    .await;
}
