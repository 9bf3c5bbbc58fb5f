//! Joins: the number of commands, and the results made of the replies.

mod any;
mod back;
mod groups;
mod keys;
mod many;
mod maps;
mod places;

use bson::oid::ObjectId;
use bson::{Bson, doc};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "joined_products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part, max = 3000, unchecked)]
    pub parts: Vec<Id<Part>>,
    #[refs(Part, max = 20)]
    #[denorm(from = Part, field = name)]
    pub entries: Vec<ProductPart>,
    #[parent(Part, unchecked)]
    pub main: Option<Id<Part>>,
    #[parent(Part, unchecked)]
    pub first: Id<Part>,
}

/// The id of part `n`.
pub(crate) fn id(n: u32) -> Id<Part> {
    let [a, b, c, d] = n.to_be_bytes();
    Id::from_raw(ObjectId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]))
}

pub(crate) fn part(n: u32) -> Part {
    Part {
        id: id(n),
        name: format!("part-{n}"),
    }
}

pub(crate) fn product(number: i32, parts: &[u32]) -> Product {
    Product {
        id: number,
        parts: parts.iter().copied().map(id).collect(),
        entries: vec![],
        main: None,
        first: id(1),
    }
}

pub(crate) fn entry(n: u32) -> ProductPart {
    ProductPart {
        id: id(n),
        name: "copied".to_owned(),
    }
}

pub(crate) fn parts(numbers: &[u32]) -> Vec<Part> {
    numbers.iter().copied().map(part).collect()
}

pub(crate) fn part_ids(numbers: &[u32]) -> Vec<Id<Part>> {
    numbers.iter().copied().map(id).collect()
}

impl Bench {
    /// Stores the parts with these numbers; clears the command log.
    pub(crate) async fn parts(&self, numbers: impl IntoIterator<Item = u32>) {
        let parts: Vec<Part> = numbers.into_iter().map(part).collect();
        Part::insert_many(&self.db, &parts).await.expect("stored");
        self.forget();
    }

    /// The ids in the only command since the log was cleared, which must be a `find` in `collection`.
    #[track_caller]
    pub(crate) fn asked(&self, collection: &str) -> Vec<Bson> {
        let sent = self.only();
        assert_eq!(sent.get_str("find").ok(), Some(collection), "{sent}");
        let filter = sent.get_document("filter").expect("a filter");
        assert_eq!(filter.keys().collect::<Vec<_>>(), ["_id"], "{sent}");
        let ids = filter.get_document("_id").expect("an operator");
        ids.get_array("$in").expect("ids").clone()
    }
}

#[tokio::test]
async fn stored_order_duplicates_and_missing_ids() {
    on_both("order", async |bench| {
        let db = &bench.db;
        bench.parts(1..=9).await;
        let product = product(1, &[5, 1, 77, 5, 3, 88, 77, 1]);
        let mut loaded = product.load_parts(db).await.expect("loaded");
        assert_eq!(loaded.values(), parts(&[5, 1, 5, 3, 1]));
        assert_eq!(loaded.missing(), part_ids(&[77, 88]));
        assert_eq!(bench.asked("parts").len(), 5, "each id once");
        assert_eq!(loaded.len(), 5);
        assert_eq!(
            loaded.iter().filter(|part| part.name == "part-5").count(),
            2
        );

        // Each is a value of its own.
        let again = product.load_parts(db).await.expect("loaded");
        let mut values = again.into_vec();
        values[0].name.push_str(" changed");
        assert_eq!(
            (values[0].name.as_str(), values[2].name.as_str()),
            ("part-5 changed", "part-5")
        );
        loaded = product.load_parts(db).await.expect("loaded");
        assert_eq!(loaded.into_iter().next(), Some(part(5)));
    })
    .await;
}

#[tokio::test]
async fn nothing_is_asked_for_nothing() {
    alone("nothing", async |bench| {
        let db = &bench.db;
        let empty = product(1, &[]);
        let loaded = empty.load_parts(db).await.expect("nothing to do");
        assert!(loaded.is_empty() && loaded.missing().is_empty());
        let loaded = empty.load_entries(db).await.expect("nothing to do");
        assert!(loaded.is_empty() && loaded.missing().is_empty());
        let none = empty.load_main(db).await.expect("nothing to do");
        assert_eq!((none.value(), none.missing()), (None, None));
        let many = Product::load_parts_many(db, &[] as &[Product])
            .await
            .expect("nothing to do");
        assert!(many.is_empty());
        let two = [empty.clone(), product(2, &[])];
        let many = Product::load_parts_many(db, &two)
            .await
            .expect("nothing to do");
        assert!(many.len() == 2 && many.iter().all(|(_, loaded)| loaded.is_empty()));
        let many = Product::load(db, &two, |p| p.main)
            .await
            .expect("nothing to do");
        assert!(many.len() == 2 && many.iter().all(|(_, loaded)| loaded.is_empty()));
        drop(product(3, &[1]).load_parts(db));
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_single_reference_is_there_dangling_or_none() {
    on_both("single", async |bench| {
        let db = &bench.db;
        bench.parts(1..=2).await;
        let mut product = product(1, &[]);
        product.main = Some(id(2));
        let main = product.load_main(db).await.expect("loaded");
        assert_eq!((main.value(), main.missing()), (Some(&part(2)), None));
        assert_eq!(main.into_option(), Some(part(2)));
        assert_eq!(bench.asked("parts").len(), 1);
        product.first = id(9);
        let dangling = product.load_first(db).await.expect("loaded");
        assert_eq!((dangling.value(), dangling.missing()), (None, Some(&id(9))));

        let products = [
            product.clone(),
            Product {
                id: 2,
                main: None,
                ..product
            },
        ];
        let many = Product::load_main_many(db, &products)
            .await
            .expect("loaded");
        let found: Vec<(i32, Option<Part>)> = many
            .into_iter()
            .map(|(product, loaded)| (product.id, loaded.into_option()))
            .collect();
        assert_eq!(found, [(1, Some(part(2))), (2, None)]);
    })
    .await;
}

#[tokio::test]
async fn entries_are_loaded_by_their_ids() {
    on_both("entries", async |bench| {
        bench.parts(1..=3).await;
        let stored = Product {
            entries: vec![entry(3), entry(9), entry(1), entry(3)],
            ..product(1, &[])
        };
        let loaded = stored.load_entries(&bench.db).await.expect("loaded");
        assert_eq!(loaded.values(), parts(&[3, 1, 3]));
        assert_eq!(loaded.missing(), part_ids(&[9]));
        let asked: Vec<Bson> = part_ids(&[1, 3, 9])
            .into_iter()
            .map(|id| id.into_raw().into())
            .collect();
        assert_eq!(bench.asked("parts"), asked);
    })
    .await;
}

#[tokio::test]
async fn a_target_of_another_shape_is_an_error_that_names_it() {
    alone("shape", async |bench| {
        let wrong = doc! { "_id": id(1).into_raw(), "name": 5 };
        bench.seed("parts", [wrong]).await;
        let loaded = product(1, &[1]).load_parts(&bench.db).await;
        let Err(mongo_model::Error::Decode {
            model: "Part",
            id: found,
            ..
        }) = &loaded
        else {
            panic!("{loaded:?}");
        };
        assert!(found.contains(&id(1).to_string()), "{found}");
    })
    .await;
}

#[tokio::test]
async fn a_join_sees_the_transaction_it_is_in() {
    in_set("session", async |bench| {
        let db = &bench.db;
        bench.parts(1..=1).await;
        bench.index(&[Product::meta()]).await;
        let mut session = bench.transaction().await;
        Part::insert(db, &part(2))
            .driver_session(&mut session)
            .await
            .expect("stored");
        let stored = Product {
            main: Some(id(2)),
            first: id(2),
            ..product(1, &[1, 2])
        };
        Product::insert(db, &stored)
            .driver_session(&mut session)
            .await
            .expect("stored");
        bench.forget();

        let outside = stored.load_parts(db).await.expect("loaded");
        assert_eq!(
            (outside.values(), outside.missing()),
            (&parts(&[1])[..], &part_ids(&[2])[..])
        );
        bench.forget();
        let loaded = stored
            .load_parts(db)
            .driver_session(&mut session)
            .await
            .expect("loaded");
        assert_eq!(loaded.values(), parts(&[1, 2]));
        let one = stored
            .load_main(db)
            .driver_session(&mut session)
            .await
            .expect("loaded");
        assert_eq!(one.value(), Some(&part(2)));
        let products = [stored.clone()];
        let many = Product::load_parts_many(db, &products)
            .driver_session(&mut session)
            .await;
        assert_eq!(many.expect("loaded")[0].1.values(), parts(&[1, 2]));
        let at = Product::load(db, &products, |p| p.first)
            .driver_session(&mut session)
            .await;
        assert_eq!(at.expect("loaded")[0].1.values(), parts(&[2]));
        let back = Product::by_parts(db, id(2))
            .driver_session(&mut session)
            .await;
        assert_eq!(back.expect("found"), [stored]);
        let sent = bench.take();
        assert_eq!(sent.len(), 5, "{sent:?}");
        for sent in sent {
            assert_eq!(
                sent.command.get_bool("autocommit").ok(),
                Some(false),
                "{sent:?}"
            );
        }
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}

/// Every join can be spawned. It is compiled, not run.
#[allow(dead_code, reason = "the compiler is the test")]
fn everything_is_send(
    db: &mongo_model::Database,
    session: &mut mongo_model::ClientSession,
    products: &[Product],
) {
    fn send<T: Send>(_: T) {}
    send(
        products[0]
            .load_parts(db)
            .driver_session(session)
            .into_future(),
    );
    send(
        products[0]
            .load_main(db)
            .driver_session(session)
            .into_future(),
    );
    send(
        Product::load_parts_many(db, products)
            .driver_session(session)
            .into_future(),
    );
    send(
        Product::load(db, products, |p| p.main)
            .driver_session(session)
            .into_future(),
    );
    send(
        Product::by_parts(db, id(1))
            .driver_session(session)
            .into_future(),
    );
    send(Product::by_parts(db, id(1)).stream());
}
