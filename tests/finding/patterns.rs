//! Declared access patterns: the commands of their methods, which the server runs with the indexes that the compiler chose.

use bson::doc;
use mongo_model::{Error, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{self, Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
struct Person {
    #[serde(rename = "_id")]
    id: Id<Person>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, -time, level)),
    index(keys(level, -time), partial(open = true)),
    index(keys(ticket), partial(ticket(exists))),
    index(keys(host)),
    index(keys(place.city, -place.zip)),
    index(keys(owner.name, -id)),
    access(
        recent(host, sort = -time, limit = 5),
        oldest(host, sort(time, -level)),
        since(host, range = time, sort = -time),
        severe(host, range = level, sort = -time),
        exactly(time, host, level),
    ),
    access(
        open_of(level, only(open = true), sort = -time),
        of_ticket(ticket),
        tagged(tags),
        of_owner(owner, sort = -id),
        newest(sort = -id, limit = 3),
        in_city(place.city, range = place.zip, sort = -place.zip),
        of_name(owner.name, sort = -id),
    )
)]
struct Message {
    #[serde(rename = "_id")]
    id: i32,
    host: String,
    time: i64,
    level: i32,
    #[serde(rename = "isOpen")]
    open: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
    #[index]
    #[embed(max = 3)]
    tags: Vec<String>,
    #[denorm(from = Person, field = name)]
    #[parent(Person)]
    owner: MessageOwner,
    place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Place {
    city: String,
    #[serde(rename = "plz")]
    zip: i32,
}

async fn messages(bench: &Bench) -> Id<Person> {
    bench.index(&[Person::meta(), Message::meta()]).await;
    let ada = Person {
        id: Id::new(),
        name: "Ada".to_owned(),
    };
    ada.save(&bench.db).await.expect("stored");
    let all: Vec<Message> = (0..60)
        .map(|n| Message {
            id: n,
            host: format!("web-{}", n % 3),
            time: i64::from(n / 2),
            level: n % 4,
            open: n % 5 == 0,
            ticket: (n % 10 == 0).then(|| format!("T-{n}")),
            tags: vec![format!("tag-{}", n % 6), "all".to_owned()],
            owner: MessageOwner {
                id: ada.id,
                name: String::new(),
            },
            place: Some(Place {
                city: format!("city-{}", n % 2),
                zip: n,
            }),
        })
        .collect();
    Message::insert_many(&bench.db, &all).await.expect("stored");
    bench.forget();
    ada.id
}

fn ids(found: &[Message]) -> Vec<i32> {
    found.iter().map(|message| message.id).collect()
}

/// Runs the pattern; the command has this filter, and the plan reads no more documents than are found and sorts nothing.
macro_rules! served {
    ($bench:expr, $find:expr, $key:literal, $filter:expr, $ids:expr) => {{
        let found = $find.await.expect("found");
        assert_eq!(ids(&found), $ids);
        let command = $bench.only();
        assert_eq!(
            command.get_document("filter").ok(),
            Some(&$filter),
            "{command}"
        );
        let plan = $bench.explain(command).await;
        plan.assert_served_by($key);
        assert!(!plan.has("SORT"), "{plan:#?}");
        assert_eq!(plan.documents, found.len() as i64, "{plan:#?}");
        $bench.forget();
    }};
}

#[tokio::test]
async fn equality_sort_and_range_are_served_without_a_sort() {
    alone("patterns", async |bench| {
        messages(bench).await;
        let db = &bench.db;
        let of_host = doc! { "host": { "$eq": "web-1" } };
        let find = Message::recent(db, "web-1");
        served!(bench, find, "host", of_host, [58, 55, 52, 49, 46]);
        let find = Message::oldest(db, String::from("web-1")).limit(2);
        served!(bench, find, "host", of_host, [1, 4]);
        let filter = doc! { "host": { "$eq": "web-1" }, "time": { "$gte": 24_i64, "$lt": 29_i64 } };
        let find = Message::since(db, "web-1", 24..29);
        served!(bench, find, "host", filter, [55, 52, 49]);
        let filter = doc! { "host": { "$eq": "web-1" }, "level": { "$gte": 3 } };
        let find = Message::severe(db, "web-1", 3..).limit(2);
        served!(bench, find, "host", filter, [55, 43]);
        let filter =
            doc! { "time": { "$eq": 5_i64 }, "host": { "$eq": "web-1" }, "level": { "$eq": 2 } };
        let find = Message::exactly(db, 5, "web-1", 2);
        served!(bench, find, "host", filter, [10]);
    })
    .await;
}

#[tokio::test]
async fn arrays_ids_partial_indexes_and_references_are_served() {
    alone("patterns_special", async |bench| {
        let ada = messages(bench).await;
        let db = &bench.db;
        let filter = doc! { "isOpen": { "$eq": true }, "level": { "$eq": 1 } };
        let find = Message::open_of(db, 1).limit(2);
        served!(bench, find, "level", filter, [45, 25]);
        let filter = doc! { "ticket": { "$eq": "T-10" } };
        served!(
            bench,
            Message::of_ticket(db, "T-10"),
            "ticket",
            filter,
            [10]
        );
        let filter = doc! { "tags": { "$eq": "tag-5" } };
        let find = Message::tagged(db, "tag-5").limit(2);
        served!(bench, find, "tags", filter, [5, 11]);
        let filter = doc! { "owner.id": { "$eq": ada.into_raw() } };
        let find = Message::of_owner(db, ada).limit(2);
        served!(bench, find, "owner.id", filter, [59, 58]);
        let filter =
            doc! { "place.city": { "$eq": "city-1" }, "place.plz": { "$gte": 51, "$lt": 57 } };
        let find = Message::in_city(db, "city-1", 51..57);
        served!(bench, find, "place.city", filter, [55, 53, 51]);
        let filter = doc! { "owner.name": { "$eq": "Ada" } };
        let find = Message::of_name(db, "Ada").limit(2);
        served!(bench, find, "owner.name", filter, [59, 58]);
        served!(bench, Message::newest(db), "_id", doc! {}, [59, 58, 57]);
    })
    .await;
}

#[tokio::test]
async fn the_limit_and_the_order_are_those_of_the_pattern_until_they_are_changed() {
    alone("patterns_options", async |bench| {
        messages(bench).await;
        Message::recent(&bench.db, "web-0").await.expect("found");
        let command = bench.only();
        assert_eq!(common::number(&command["limit"]), 5, "{command}");
        assert_eq!(command["sort"], bson::Bson::Document(doc! { "time": -1 }));
        bench.forget();
        let find = Message::recent(&bench.db, "web-0")
            .limit(2)
            .sort(|m| m.time.asc());
        assert_eq!(find.await.expect("found").len(), 2);
        let command = bench.only();
        assert_eq!(common::number(&command["limit"]), 2, "{command}");
        assert_eq!(command["sort"], bson::Bson::Document(doc! { "time": 1 }));
    })
    .await;
}

#[test]
fn the_tables_say_which_index_serves_and_which_none_asks_for() {
    let meta = Message::meta();
    let row = |name: &str| {
        let found = meta.accesses.iter().find(|row| row.name == name);
        found.expect("a pattern")
    };
    let keys = |name: &str| -> Vec<&str> { row(name).index.iter().map(|key| key.path).collect() };
    assert_eq!(keys("recent"), ["host", "time", "level"]);
    assert_eq!(keys("open_of"), ["level", "time"]);
    assert_eq!(keys("of_owner"), ["owner.id", "id"]);
    assert_eq!((row("recent").limit, row("oldest").limit), (5, 0));
    assert!(meta.accesses.iter().all(|row| !row.covered));
    let unused = meta
        .advice
        .iter()
        .filter(|advice| advice.rule == "IDX_UNUSED");
    assert_eq!(unused.count(), 1, "{:?}", meta.advice);
}

/// An index that ends before the `_id` serves a pattern and no page of it.
#[tokio::test]
async fn pages_of_a_pattern_need_the_id_in_the_index() {
    alone("pattern_pages", async |bench| {
        let ada = messages(bench).await;
        let db = &bench.db;
        for (page, index) in [
            (
                Message::recent(db, "web-1").page(5).await,
                "index(keys(host, -time, -id))",
            ),
            (
                Message::oldest(db, "web-1").page(5).await,
                "index(keys(host, time, -level, -id))",
            ),
            (
                Message::open_of(db, 1).page(5).await,
                "index(keys(level, -time, -id), partial(..))",
            ),
            (
                Message::of_ticket(db, "T-1".to_owned()).page(5).await,
                "index(keys(ticket, id))",
            ),
        ] {
            match page {
                Err(Error::PageNotIndexed {
                    model: "Message",
                    index: wanted,
                    ..
                }) => assert_eq!(wanted, index),
                other => panic!("{other:?}"),
            }
        }
        let refused = Message::recent(db, "web-1").page(5).await;
        assert_eq!(
            refused.expect_err("refused").to_string(),
            "`recent` of Message cannot be read page by page: no index goes on with its order to the `_id`, so that the server would read and sort all of its documents for every page; declare `index(keys(host, -time, -id))`"
        );
        assert!(bench.sent().is_empty());
        // These end with it.
        let newest = Message::newest(db).page(4).await.expect("a page");
        bench.forget();
        let next = Message::newest(db).page(4).after(newest.next).await;
        assert_eq!(ids(&next.expect("a page").items), [55, 54, 53, 52]);
        let plan = bench.plan().await;
        assert!(!plan.has("SORT") && plan.documents <= 5, "{plan:#?}");
        for page in [
            Message::of_owner(db, ada).page(3).await,
            Message::of_name(db, "Ada").page(3).await,
        ] {
            assert_eq!(ids(&page.expect("a page").items), [59, 58, 57]);
        }
    })
    .await;
}
