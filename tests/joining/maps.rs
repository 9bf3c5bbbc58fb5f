//! References in the keys or the values of maps.

use std::collections::{BTreeMap, HashMap};

use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoEmbed, MongoModel, plan_indexes};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, assert_too_long, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "gears")]
struct Gear {
    #[serde(rename = "_id")]
    id: Id<Gear, String>,
    #[index(unique)]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Shelf {
    #[refs(Gear, max = 10)]
    #[serde(rename = "g")]
    gears: BTreeMap<Id<Gear, String>, i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stores")]
struct Store {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Gear, max = 4)]
    stock: BTreeMap<Id<Gear, String>, i32>,
    #[refs(Gear, max = 4, missing = strict)]
    spare: BTreeMap<String, Option<Id<Gear, String>>>,
    #[refs(Gear, max = 4, key = code, missing = keep_slots)]
    codes: HashMap<String, i32>,
    #[embed(max = 3)]
    shelves: Vec<Shelf>,
}

/// Its members have an ObjectId.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fans")]
struct Fan {
    #[serde(rename = "_id")]
    id: Id<Fan>,
    #[refs(Fan, max = 3)]
    follows: HashMap<Id<Fan>, Since>,
    #[refs(Fan, max = 3, on_delete = keep)]
    knew: BTreeMap<Id<Fan>, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Since {
    year: i32,
}

fn id(n: i32) -> Id<Gear, String> {
    Id::from_raw(format!("gear.{n}"))
}

fn gear(n: i32) -> Gear {
    Gear {
        id: id(n),
        code: format!("c{n}"),
    }
}

fn stock(numbers: &[i32]) -> BTreeMap<Id<Gear, String>, i32> {
    numbers.iter().map(|&n| (id(n), n * 10)).collect()
}

fn store(n: i32) -> Store {
    Store {
        id: n,
        stock: BTreeMap::new(),
        spare: BTreeMap::new(),
        codes: HashMap::new(),
        shelves: vec![],
    }
}

impl Bench {
    async fn gears(&self, numbers: impl IntoIterator<Item = i32>) {
        self.index(&[Gear::meta(), Store::meta()]).await;
        let gears: Vec<Gear> = numbers.into_iter().map(gear).collect();
        Gear::insert_many(&self.db, &gears).await.expect("stored");
        self.forget();
    }

    /// The values of this field in the filter of the only command, a `find` of gears.
    #[track_caller]
    fn wanted(&self, field: &str) -> Vec<Bson> {
        let sent = self.only();
        assert_eq!(sent.get_str("find").ok(), Some("gears"), "{sent}");
        let filter = sent.get_document("filter").expect("a filter");
        let asked = filter.get_document(field).expect("by this field");
        asked.get_array("$in").expect("ids").clone()
    }
}

fn gears(numbers: &[i32]) -> Vec<Gear> {
    numbers.iter().copied().map(gear).collect()
}

#[tokio::test]
async fn ids_in_keys() {
    on_both("map_keys", async |bench| {
        let db = &bench.db;
        bench.gears(1..=5).await;
        let stores = [
            Store {
                stock: stock(&[4, 1, 9]),
                ..store(1)
            },
            Store {
                stock: stock(&[1]),
                ..store(2)
            },
            store(3),
        ];
        Store::insert_many(db, &stores).await.expect("stored");
        let stored = bench.stored("stores", 1).await;
        assert_eq!(
            *stored.get_document("stock").expect("a map"),
            doc! { "gear.1": 10, "gear.4": 40, "gear.9": 90 }
        );

        let loaded = stores[0].load_stock(db).await.expect("loaded");
        assert_eq!(loaded.values(), gears(&[1, 4]));
        assert_eq!(loaded.missing(), [id(9)]);
        assert_eq!(
            bench.wanted("_id"),
            ["gear.1", "gear.4", "gear.9"].map(Bson::from)
        );
        let many = Store::load_stock_many(db, &stores).await.expect("loaded");
        let found: Vec<_> = many
            .iter()
            .map(|(_, gears)| gears.values().to_vec())
            .collect();
        assert_eq!(found, [gears(&[1, 4]), gears(&[1]), vec![]]);
        assert_eq!(bench.wanted("_id").len(), 3, "each id once");
        let empty = store(4).load_stock(db).await.expect("nothing to do");
        assert!(empty.is_empty());
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn ids_in_values() {
    on_both("map_values", async |bench| {
        let db = &bench.db;
        bench.gears(1..=5).await;
        let spare = |numbers: &[Option<i32>]| {
            let places = numbers.iter().enumerate();
            places
                .map(|(n, gear)| (format!("place {n}"), gear.map(id)))
                .collect()
        };
        let mut stored = Store {
            spare: spare(&[Some(3), None, Some(1), Some(3)]),
            ..store(1)
        };
        let loaded = stored.load_spare(db).await.expect("loaded");
        assert_eq!(
            loaded.values(),
            gears(&[3, 1, 3]),
            "in the order of the keys"
        );
        assert_eq!(bench.wanted("_id"), ["gear.1", "gear.3"].map(Bson::from));
        let at = Store::load(db, std::slice::from_ref(&stored), |s| s.spare)
            .await
            .expect("loaded");
        assert_eq!(at[0].1.values(), gears(&[3, 1, 3]));
        bench.forget();

        stored.spare = spare(&[Some(8)]);
        let strict = stored.load_spare(db).await;
        assert!(matches!(strict, Err(Error::Dangling { .. })), "{strict:?}");
        let dropped = stored.load_spare(db).drop_missing().await.expect("loaded");
        assert_eq!(
            (dropped.values(), dropped.missing()),
            (&[][..], &[id(8)][..])
        );
    })
    .await;
}

#[tokio::test]
async fn another_key_of_the_target_in_keys() {
    alone("map_by_key", async |bench| {
        let db = &bench.db;
        bench.gears(1..=5).await;
        let codes = [("c2", 1), ("c9", 2)];
        let stored = Store {
            codes: codes.map(|(code, n)| (code.to_owned(), n)).into(),
            ..store(1)
        };
        let slots = stored.load_codes(db).await.expect("loaded");
        let mut asked = bench.wanted("code");
        asked.sort_by_key(ToString::to_string);
        assert_eq!(asked, ["c2", "c9"].map(Bson::from));
        assert_eq!((slots.len(), slots.missing()), (2, &["c9".to_owned()][..]));
        let found: Vec<_> = slots.into_iter().flatten().collect();
        assert_eq!(found, gears(&[2]));
    })
    .await;
}

#[tokio::test]
async fn inside_arrays_of_documents() {
    alone("map_inside", async |bench| {
        let db = &bench.db;
        bench.gears(1..=5).await;
        let shelf = |numbers: &[i32]| Shelf {
            gears: stock(numbers),
        };
        let stores = [
            Store {
                shelves: vec![shelf(&[2, 1]), shelf(&[]), shelf(&[2, 7])],
                ..store(1)
            },
            store(2),
        ];
        let loaded = Store::load(db, &stores, |s| s.shelves.gears)
            .await
            .expect("loaded");
        assert_eq!(loaded[0].1.values(), gears(&[1, 2, 2]));
        assert_eq!(loaded[0].1.missing(), [id(7)]);
        assert!(loaded[1].1.is_empty());
        assert_eq!(bench.wanted("_id").len(), 3);
    })
    .await;
}

#[tokio::test]
async fn bounds_hold_and_no_index_is_made() {
    alone("map_bounds", async |bench| {
        let db = &bench.db;
        let full = Store {
            stock: stock(&[1, 2, 3, 4]),
            ..store(1)
        };
        Store::insert(db, &full).await.expect("as many as fit");
        bench.forget();
        let over = Store {
            stock: stock(&[1, 2, 3, 4, 5]),
            ..store(2)
        };
        let refused = Store::insert(db, &over).await;
        assert_too_long(refused, "stock", 4);
        let refused = Store::update(db, 1).set(|s| s.stock, over.stock).await;
        assert_too_long(refused, "stock", 4);
        assert_eq!(bench.sent(), [""; 0]);
        let plan = plan_indexes(db).models(&[Store::meta()]).await;
        assert!(plan.expect("planned").is_empty());
    })
    .await;
}

// An ObjectId as a key is its text, and an id again when it is read.
#[tokio::test]
async fn object_ids_in_keys() {
    on_both("map_object_ids", async |bench| {
        let db = &bench.db;
        bench.index(&[Fan::meta()]).await;
        let fan = |follows: &[&Fan], knew: &[&Fan]| Fan {
            id: Id::new(),
            follows: follows
                .iter()
                .map(|fan| (fan.id, Since { year: 2001 }))
                .collect(),
            knew: knew.iter().map(|fan| (fan.id, "well".to_owned())).collect(),
        };
        let (ann, bob) = (fan(&[], &[]), fan(&[], &[]));
        let cay = fan(&[&ann, &bob], &[&ann]);
        let dan = fan(&[], &[&ann]);
        Fan::insert_many(db, [&ann, &bob, &cay, &dan])
            .await
            .expect("stored");
        let stored = bench.stored("fans", *cay.id.as_raw()).await;
        assert_eq!(
            *stored.get_document("knew").expect("a map"),
            doc! { ann.id.to_string(): "well" }
        );
        let read = Fan::get(db, cay.id).await.expect("read");
        assert_eq!(read.as_ref(), Some(&cay));

        // They are loaded, and found.
        let loaded = cay.load_follows(db).await.expect("loaded");
        let mut ids: Vec<Id<Fan>> = loaded.iter().map(|fan| fan.id).collect();
        ids.sort();
        let mut both = [ann.id, bob.id];
        both.sort();
        assert_eq!((ids, loaded.missing()), (both.to_vec(), &[][..]));
        for (key, found) in [(ann.id, vec![cay.id]), (cay.id, vec![])] {
            let with = Fan::scan(db, |f| f.follows.has_key(key))
                .await
                .expect("found");
            let with: Vec<Id<Fan>> = with.iter().map(|fan| fan.id).collect();
            assert_eq!(with, found);
        }

        // They have a bound, in an insert and in an update.
        let over = fan(&[&ann, &bob, &cay, &dan], &[]);
        let refused = Fan::insert(db, &over).await;
        assert_too_long(refused, "follows", 3);
        let refused = Fan::update(db, dan.id)
            .set(|f| f.follows, over.follows)
            .await;
        assert_too_long(refused, "follows", 3);

        // A key refuses the delete of its document, or stays.
        let refused = Fan::delete(db, bob.id).await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        Fan::delete(db, cay.id).await.expect("deleted");
        Fan::delete(db, ann.id).await.expect("deleted");
        let kept = Fan::get(db, dan.id).await.expect("read").expect("there");
        assert_eq!(kept, dan);
        let loaded = kept.load_knew(db).await.expect("loaded");
        assert_eq!(loaded.missing(), [ann.id]);
    })
    .await;
}

// A key of the program is data, whatever its letters say.
#[tokio::test]
async fn keys_are_no_paths() {
    on_both("map_key_filters", async |bench| {
        let db = &bench.db;
        bench.gears(1..=2).await;
        let spare = |key: &str| BTreeMap::from([(key.to_owned(), None)]);
        let stores: Vec<Store> = ["a", "a.b", "$a", "", "b"]
            .iter()
            .zip(1..)
            .map(|(key, n)| Store {
                spare: spare(key),
                ..store(n)
            })
            .collect();
        Store::insert_many(db, &stores).await.expect("stored");
        for (key, found) in [("a", 1), ("a.b", 2), ("$a", 3), ("", 4), ("b", 5)] {
            let with = Store::scan(db, |s| s.spare.has_key(key))
                .await
                .expect("found");
            let with: Vec<i32> = with.iter().map(|store| store.id).collect();
            assert_eq!(with, [found], "{key}");
        }
        let by_id = Store::scan(db, |s| s.stock.has_key("gear.1")).await;
        assert_eq!(by_id.expect("none"), []);
        let inside = Store::scan(db, |s| s.shelves.gears.has_key("gear.1")).await;
        assert!(
            matches!(inside, Err(Error::Impossible { .. })),
            "{inside:?}"
        );
    })
    .await;
}
