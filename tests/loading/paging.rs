//! Pages that start where the last one ended, by value.

use bson::{Bson, DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::crud::PageToken;
use mongo_model::{Error, MongoEmbed, MongoModel, MongoProjection};
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
    #[parent(Shelf, sort = -time, unchecked)]
    pub shelf: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "paged_shelves")]
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
    pub(super) async fn items(&self, n: i32) {
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
            after = page.next.map(|next| {
                next.to_string()
                    .parse::<PageToken>()
                    .expect("its own token")
            });
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
            let damaged = damaged.parse::<PageToken>();
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

/// A model that says too little of what its collection holds: fields that older documents lack, and values of any type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "mixed",
    index(keys(shelf, score, id)),
    index(keys(shelf, -score, -id))
)]
pub struct Mixed {
    #[serde(rename = "_id")]
    pub id: Bson,
    pub shelf: i32,
    #[serde(default)]
    pub score: f64,
    #[serde(default)]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Mixed)]
struct MixedId {
    #[serde(rename = "_id")]
    id: Bson,
}

/// Values of all types that a model can meet, some of which the server takes for equal.
fn values() -> Vec<Bson> {
    let decimal = |text: &str| Bson::Decimal128(text.parse().expect("a decimal"));
    vec![
        Bson::MinKey,
        Bson::Null,
        Bson::Double(f64::NAN),
        decimal("NaN"),
        Bson::Double(f64::NEG_INFINITY),
        decimal("-Infinity"),
        Bson::Int32(-2),
        Bson::Double(0.5),
        decimal("0.5"),
        Bson::Int64(3),
        Bson::Double(3.0),
        decimal("3.00"),
        Bson::Int64(i64::MAX),
        Bson::Double(f64::INFINITY),
        "".into(),
        "$score".into(),
        "b".into(),
        Bson::Document(doc! {}),
        Bson::Document(doc! { "$gt": 1 }),
        Bson::Document(doc! { "x": Bson::Null }),
        Bson::Binary(bson::Binary {
            subtype: bson::spec::BinarySubtype::Generic,
            bytes: vec![1],
        }),
        bson::oid::ObjectId::from_bytes([7; 12]).into(),
        false.into(),
        true.into(),
        DateTime::from_millis(-1).into(),
        DateTime::from_millis(1).into(),
        Bson::Timestamp(bson::Timestamp {
            time: 1,
            increment: 1,
        }),
        Bson::JavaScriptCode("x".to_owned()),
        Bson::MaxKey,
    ]
}

/// Documents of one shelf whose ids, scores and names are of all types and may be absent.
fn mixed(seed: &mut u64) -> Vec<Document> {
    let mut next = |below: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(*seed >> 33).expect("small") % below
    };
    let values = values();
    let own = |id: usize| match values.get(id) {
        // Ids that the server takes for equal exist once.
        Some(Bson::Decimal128(_) | Bson::Double(3.0)) => {
            Bson::Int32(-1_000 - i32::try_from(id).expect("small"))
        }
        // No `_id` holds a field with the name of an operator.
        Some(Bson::Document(id)) if id.contains_key("$gt") => doc! { "y": 1 }.into(),
        Some(id) => id.clone(),
        None => Bson::Int32(1_000 + i32::try_from(id).expect("small")),
    };
    (0..70)
        .map(|id| {
            let mut document = doc! { "_id": own(id), "shelf": 1 };
            for name in ["score", "name"] {
                if let Some(value) = values.get(next(values.len() + 4)) {
                    document.insert(name, value.clone());
                }
            }
            document
        })
        .collect()
}

/// The pages of one order, of which each is read by the index where there is one, are what the server sorts.
async fn assert_mixed(bench: &Bench, order: &[(&str, i32)], size: u32) {
    let db = &bench.db;
    let sort: Document = order
        .iter()
        .map(|(path, direction)| ((*path).to_owned(), Bson::Int32(*direction)))
        .collect();
    let mut by_id = sort.clone();
    if !by_id.contains_key("_id") {
        let last = order.last().map_or(1, |(_, direction)| *direction);
        by_id.insert("_id", last);
    }
    let stored = bench.raw("mixed");
    let whole: Vec<Document> = stored
        .find(doc! {})
        .sort(by_id)
        .await
        .expect("found")
        .try_collect()
        .await
        .expect("read");
    let whole: Vec<String> = whole
        .into_iter()
        .map(|found| found.get("_id").map(|id| format!("{id:?}")).expect("an id"))
        .collect();
    let (mut read, mut after) = (Vec::new(), None);
    while read.len() <= whole.len() {
        let mut find = Mixed::scan(db, |m| m.shelf.eq(1));
        if !order.is_empty() {
            find = find.sort(|m| {
                let key = |(path, direction): &(&str, i32)| match (*path, direction) {
                    ("score", 1) => m.score.asc(),
                    ("score", _) => m.score.desc(),
                    ("name", 1) => m.name.asc(),
                    ("name", _) => m.name.desc(),
                    (_, 1) => m.id.asc(),
                    (_, _) => m.id.desc(),
                };
                let first = key(&order[0]);
                order[1..]
                    .iter()
                    .fold(first, |sort, next| sort.then(key(next)))
            });
        }
        bench.forget();
        let page = find
            .project::<MixedId>()
            .page(size)
            .after(after)
            .await
            .expect("a page");
        if matches!(order, [("score", _)]) {
            let plan = bench.plan().await;
            plan.assert_served_by("shelf");
            // A page that starts between two equal values is read from two places at once.
            assert!(
                !plan.has("SORT") && plan.keys <= 2 * i64::from(size) + 4,
                "{plan:#?}"
            );
        }
        let ids = page
            .items
            .into_iter()
            .map(|found| format!("{:?}", found.id));
        read.extend(ids);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(read, whole, "{sort} by {size}");
}

#[tokio::test]
async fn pages_follow_the_order_of_all_types() {
    alone("page_types", async |bench| {
        bench.index(&[Mixed::meta()]).await;
        let mut seed = 1;
        for round in 0..3 {
            bench
                .raw("mixed")
                .delete_many(doc! {})
                .await
                .expect("deleted");
            bench.seed("mixed", mixed(&mut seed)).await;
            for direction in [1, -1] {
                assert_mixed(bench, &[("score", direction)], 1 + round).await;
                assert_mixed(bench, &[("_id", direction)], 3).await;
                for second in [1, -1] {
                    let order = [("name", direction), ("score", second)];
                    assert_mixed(bench, &order, 5).await;
                }
            }
            assert_mixed(bench, &[], 4).await;
        }
    })
    .await;
}
