//! Pages that start where the last one ended, by value.

use bson::{DateTime, doc};
use mongo_model::crud::Cursor;
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Size {
    pub height: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    pub id: i32,
    pub time: DateTime,
    pub weight: Option<f64>,
    pub name: Option<String>,
    pub size: Size,
    #[embed(max = 5)]
    pub tags: Vec<String>,
    #[parent(Shelf, sort = -time)]
    pub shelf: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
pub struct Shelf {
    #[serde(rename = "_id")]
    pub id: i32,
}

fn item(id: i32) -> Item {
    let weights = [
        None,
        Some(f64::NAN),
        Some(f64::NEG_INFINITY),
        Some(-1.5),
        Some(0.0),
        Some(3.25),
    ];
    let weight = weights[usize::try_from(id).expect("positive") % weights.len()];
    Item {
        id,
        time: DateTime::from_millis(i64::from(id / 7)),
        weight,
        name: (id % 4 > 0).then(|| format!("name-{}", id % 4)),
        size: Size {
            height: (id % 3 > 0).then_some(id % 5),
        },
        tags: vec![],
        shelf: 1,
    }
}

impl Bench {
    async fn items(&self, n: i32) {
        self.index(&[Item::meta()]).await;
        let items: Vec<Item> = (0..n).map(item).collect();
        Item::insert_many(&self.db, &items).await.expect("stored");
        // Absent is another null.
        self.raw("items")
            .update_many(
                doc! { "_id": { "$mod": [12, 0] } },
                doc! { "$unset": { "weight": 1, "name": 1 } },
            )
            .await
            .expect("unset");
        self.forget();
    }
}

/// Reads page after page: the pages together are what one query gives.
macro_rules! assert_pages {
    ($db:expr, $size:expr, |$m:ident| $order:expr) => {{
        let whole = Item::scan($db, |m| m.all())
            .sort(|$m| $order.then($m.id.asc()))
            .await
            .expect("found");
        let (mut read, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = Item::scan($db, |m| m.all())
                .sort(|$m| $order.then($m.id.asc()))
                .page($size)
                .after(after)
                .await
                .expect("a page");
            assert!(
                page.items.len() == $size || page.next.is_none(),
                "only the last page is short"
            );
            read.extend(page.items.into_iter().map(|item| item.id));
            pages += 1;
            // Through a client and back.
            after = page
                .next
                .map(|next| next.to_string().parse::<Cursor>().expect("its own token"));
            if after.is_none() {
                break;
            }
        }
        let whole: Vec<i32> = whole.into_iter().map(|item| item.id).collect();
        assert_eq!(
            (read, pages),
            (whole, 100_usize.div_ceil($size)),
            "{}",
            stringify!($order)
        );
    }};
}

#[tokio::test]
async fn the_pages_together_are_the_whole() {
    on_both("pages", async |bench| {
        let db = &bench.db;
        bench.items(100).await;
        assert_pages!(db, 7, |m| m.time.desc());
        assert_pages!(db, 10, |m| m.time.asc());
        // Nulls, absent fields, infinities and what is no number, each way.
        assert_pages!(db, 3, |m| m.weight.asc());
        assert_pages!(db, 3, |m| m.weight.desc());
        assert_pages!(db, 4, |m| m.name.desc());
        assert_pages!(db, 4, |m| m.name.asc());
        assert_pages!(db, 1, |m| m.size.height.desc().then(m.weight.asc()));
        assert_pages!(db, 6, |m| m
            .name
            .asc()
            .then(m.weight.desc())
            .then(m.time.asc()));
        assert_pages!(db, 100, |m| m.id.desc());
    })
    .await;
}

#[tokio::test]
async fn each_page_starts_in_the_index() {
    on_both("page_index", async |bench| {
        let db = &bench.db;
        bench.items(1_000).await;
        let mut after = None;
        for n in 0..20 {
            let page = Item::by_shelf(db, 1)
                .page(50)
                .after(after)
                .await
                .expect("a page");
            let plan = bench.plan().await;
            plan.assert_served_by("shelf");
            assert!(
                !plan.has("SORT") && plan.documents <= 60,
                "page {n}: {plan:#?}"
            );
            assert_eq!(page.items.len(), 50);
            assert_eq!(page.items[0].id / 7, (999 - n * 50) / 7, "newest first");
            after = page.next;
        }
        assert_eq!(
            after, None,
            "1,000 are 20 pages of 50, and the last one knows"
        );
    })
    .await;
}

#[tokio::test]
async fn inserts_between_pages_disturb_nothing() {
    alone("page_inserts", async |bench| {
        let db = &bench.db;
        bench.items(30).await;
        let first = Item::by_shelf(db, 1).page(10).await.expect("a page");
        // One before the place, one after it.
        Item::insert(
            db,
            &Item {
                time: DateTime::from_millis(900),
                ..item(900)
            },
        )
        .await
        .expect("stored");
        Item::insert(
            db,
            &Item {
                time: DateTime::from_millis(0),
                ..item(901)
            },
        )
        .await
        .expect("stored");
        let mut seen: Vec<i32> = first.items.iter().map(|item| item.id).collect();
        let rest = Item::by_shelf(db, 1)
            .page(100)
            .after(first.next)
            .await
            .expect("a page");
        seen.extend(rest.items.iter().map(|item| item.id));
        assert_eq!(
            seen.len(),
            31,
            "each once, and the new one behind the place"
        );
        assert!(seen.contains(&901) && !seen.contains(&900));
        assert_eq!(rest.next, None);
    })
    .await;
}

#[tokio::test]
async fn a_cursor_of_another_query_is_refused() {
    alone("wrong_cursor", async |bench| {
        let db = &bench.db;
        bench.items(20).await;
        let page = Item::by_shelf(db, 1).page(5).await.expect("a page");
        let next = page.next.expect("more");
        bench.forget();
        let other = Item::by_shelf(db, 1)
            .sort(|m| m.name.asc())
            .page(5)
            .after(next.clone())
            .await;
        assert!(matches!(other, Err(Error::WrongCursor { .. })), "{other:?}");
        let shelves = Shelf::scan(db, |s| s.all())
            .page(5)
            .after(next.clone())
            .await;
        assert!(
            matches!(shelves, Err(Error::WrongCursor { .. })),
            "{shelves:?}"
        );
        let token = next.to_string();
        for damaged in ["", "zz", "00", &token[..token.len() - 2], &token[1..], "é"] {
            let damaged = damaged.parse::<Cursor>();
            assert!(
                matches!(damaged, Err(Error::WrongCursor { .. })),
                "{damaged:?}"
            );
        }
        let arrays = Item::scan(db, |m| m.all())
            .sort(|m| m.tags.asc())
            .page(5)
            .await;
        assert!(
            matches!(arrays, Err(Error::NotPageable { .. })),
            "{arrays:?}"
        );
        assert!(bench.sent().is_empty());
    })
    .await;
}
