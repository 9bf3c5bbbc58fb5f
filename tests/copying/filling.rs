//! New copies agree with their sources, whichever program stores them.

use bson::doc;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, Sweeper, recover, sweeping};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{plain, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_goods")]
struct Good {
    #[serde(rename = "_id")]
    id: Id<Good>,
    name: String,
    tag: String,
    price: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_baskets")]
struct Basket {
    #[serde(rename = "_id")]
    id: Id<Basket>,
    note: String,
    #[refs(Good, max = 3)]
    #[denorm(from = Good, fields(name, tag))]
    #[denorm(from = Good, field = price, into = price_then, snapshot)]
    goods: Vec<BasketGood>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_reviews")]
struct Review {
    #[serde(rename = "_id")]
    id: Id<Review>,
    #[parent(Good)]
    good: Id<Good>,
    #[denorm(from = Good, field = name)]
    #[index]
    good_name: String,
    text: String,
}

/// A line of an order: its price is a snapshot, whatever the good costs later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[parent(Good)]
    good: Id<Good>,
    #[denorm(from = Good, field = name)]
    name: String,
    #[denorm(from = Good, field = price, snapshot)]
    price: i64,
    count: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_orders")]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order>,
    #[embed(max = 5)]
    lines: Vec<Line>,
    note: String,
}

/// The price of a good at the sale is a snapshot; its name is a copy that follows the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_sales")]
struct Sale {
    #[serde(rename = "_id")]
    id: Id<Sale>,
    #[parent(Good)]
    good: Id<Good>,
    #[denorm(from = Good, field = name)]
    name: String,
    #[denorm(from = Good, field = price, snapshot)]
    price: i64,
    count: i64,
}

/// A reference that may come before what it refers to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_wishes")]
struct Wish {
    #[serde(rename = "_id")]
    id: Id<Wish>,
    #[parent(Late, on_delete = keep)]
    late: Id<Late>,
    #[denorm(from = Late, field = name)]
    name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_late")]
struct Late {
    #[serde(rename = "_id")]
    id: Id<Late>,
    name: Option<String>,
}

/// Documents that refer to each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fill_peers")]
struct Peer {
    #[serde(rename = "_id")]
    id: Id<Peer>,
    name: String,
    #[parent(Peer)]
    peer: Id<Peer>,
    #[denorm(from = Peer, field = name)]
    peer_name: String,
}

fn good(name: &str, price: i64) -> Good {
    Good {
        id: Id::new(),
        name: name.to_owned(),
        tag: "light".to_owned(),
        price,
    }
}

/// An entry by a caller that has only the id.
fn entry(good: &Good) -> BasketGood {
    BasketGood {
        id: good.id,
        name: "?".to_owned(),
        tag: "?".to_owned(),
        price_then: -1,
    }
}

fn basket(goods: &[&Good]) -> Basket {
    Basket {
        id: Id::new(),
        note: "n".to_owned(),
        goods: goods.iter().map(|good| entry(good)).collect(),
    }
}

fn review(good: &Good) -> Review {
    Review {
        id: Id::new(),
        good: good.id,
        good_name: "?".to_owned(),
        text: "fine".to_owned(),
    }
}

async fn start(bench: &Bench) -> (Good, Good) {
    bench
        .index(&[
            Good::meta(),
            Basket::meta(),
            Review::meta(),
            Order::meta(),
            Sale::meta(),
            Wish::meta(),
            Late::meta(),
            Peer::meta(),
        ])
        .await;
    let (hat, cap) = (good("hat", 5), good("cap", 7));
    let stored = Good::insert_many(&bench.db, [&hat, &cap]).await;
    stored.expect("stored");
    bench.forget();
    (hat, cap)
}

async fn basket_of(bench: &Bench, id: Id<Basket>) -> Basket {
    let found = Basket::get(&bench.db, id).await.expect("read");
    bench.forget();
    found.expect("stored")
}

fn filled(good: &Good) -> BasketGood {
    BasketGood {
        id: good.id,
        name: good.name.clone(),
        tag: good.tag.clone(),
        price_then: good.price,
    }
}

// B09, B10: an element that is pushed, or added as to a set, is stored with its copies; one that is there is not added again.
#[tokio::test]
async fn pushed_elements_are_filled() {
    on_both("fill_push", async |bench| {
        let db = &bench.db;
        let (hat, cap) = start(bench).await;
        let basket = basket(&[]);
        Basket::insert(db, &basket).await.expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        let update = || Basket::update(db, basket.id);
        let done = update().push(|b| b.goods, entry(&hat)).await;
        assert_eq!(done.expect("pushed").pending, []);
        assert_eq!(bench.sent(), ["find", "update", "findAndModify", "update"]);
        let done = update().add_to_set(|b| b.goods, entry(&cap)).await;
        assert_eq!(done.expect("added").pending, []);
        let right = vec![filled(&hat), filled(&cap)];
        assert_eq!(basket_of(bench, basket.id).await.goods, right);
        settled(bench).await;
        let before = shown::<Basket>(bench, &basket.id).await;
        update()
            .add_to_set(|b| b.goods, entry(&cap))
            .await
            .expect("there already");
        assert_eq!(shown::<Basket>(bench, &basket.id).await, before);
        settled(bench).await;

        // Full: nothing is written, and no mark stays.
        let (scarf, boot) = (good("scarf", 1), good("boot", 1));
        let stored = Good::insert_many(db, [&scarf, &boot]).await;
        stored.expect("stored");
        let both = [entry(&scarf), entry(&boot)];
        let refused = update().push_all(|b| b.goods, both).await;
        assert!(
            matches!(refused, Err(Error::Full { max: 3, .. })),
            "{refused:?}"
        );
        assert_eq!(shown::<Basket>(bench, &basket.id).await, before);
        settled(bench).await;
    })
    .await;
}

// A reference that leads nowhere is an error that names model, field and ids, and nothing of the write stays.
#[tokio::test]
async fn references_that_lead_nowhere_are_refused() {
    on_both("fill_nowhere", async |bench| {
        let db = &bench.db;
        let (hat, _) = start(bench).await;
        let gone = good("gone", 1);
        let dangles = |error: Error, expected: (&str, &str)| match error {
            Error::Dangling {
                model,
                field,
                target,
                ids,
            } => {
                assert_eq!(
                    (model, field.as_str(), target),
                    (expected.0, expected.1, "Good")
                );
                assert_eq!(ids, [bson::Bson::from(*gone.id.as_raw())]);
            }
            other => panic!("{other}"),
        };
        let refused = Review::insert(db, &review(&gone)).await;
        dangles(refused.expect_err("refused"), ("Review", "good"));
        let refused = Review::insert_many(db, [&review(&hat), &review(&gone)]).await;
        dangles(refused.expect_err("refused"), ("Review", "good"));
        let refused = Basket::insert(db, &basket(&[&hat, &gone, &gone])).await;
        dangles(refused.expect_err("refused"), ("Basket", "goods.id"));
        assert_eq!(bench.len("fill_reviews").await, 0);
        assert_eq!(bench.len("fill_baskets").await, 0);

        let basket = basket(&[&hat]);
        Basket::insert(db, &basket).await.expect("stored");
        let before = shown::<Basket>(bench, &basket.id).await;
        let refused = Basket::update(db, basket.id)
            .push_all(|b| b.goods, [entry(&hat), entry(&gone)])
            .await;
        dangles(refused.expect_err("refused"), ("Basket", "goods.id"));
        assert_eq!(shown::<Basket>(bench, &basket.id).await, before);
        let changed = Basket {
            goods: vec![entry(&gone)],
            ..basket.clone()
        };
        let refused = changed.save(db).await;
        dangles(refused.expect_err("refused"), ("Basket", "goods.id"));
        assert_eq!(shown::<Basket>(bench, &basket.id).await, before);
        settled(bench).await;
    })
    .await;
}

// B04, B05: while the references stay, saving writes what is the document's own and reads no source; `refresh` makes the copies
// right again.
#[tokio::test]
async fn saving_leaves_unchanged_copies_alone() {
    on_both("fill_save", async |bench| {
        let db = &bench.db;
        let (hat, cap) = start(bench).await;
        let (mut review, mut basket) = (review(&hat), basket(&[&hat, &cap]));
        Review::insert(db, &review).await.expect("stored");
        Basket::insert(db, &basket).await.expect("stored");
        let by_hand = doc! { "$set": { "good_name": "Cowboy" } };
        let reviews = bench.raw("fill_reviews");
        reviews.update_one(doc! {}, by_hand).await.expect("edited");
        let by_hand = doc! { "$set": { "goods.0.name": "Cowboy" } };
        let baskets = bench.raw("fill_baskets");
        baskets.update_one(doc! {}, by_hand).await.expect("edited");
        bench.forget();
        "better".clone_into(&mut review.text);
        "better".clone_into(&mut basket.note);
        review.save(db).await.expect("saved");
        basket.save(db).await.expect("saved");
        assert_eq!(bench.sent(), ["update", "update"]);
        let stored = shown::<Review>(bench, &review.id).await;
        assert_eq!(
            (
                stored.get_str("good_name").ok(),
                stored.get_str("text").ok()
            ),
            (Some("Cowboy"), Some("better"))
        );
        let stored = basket_of(bench, basket.id).await;
        assert_eq!(stored.note, "better");
        assert_eq!(stored.goods[0].name, "Cowboy");
        assert_eq!(stored.goods[1], filled(&cap));
        settled(bench).await;

        review.save(db).refresh().await.expect("saved");
        basket.save(db).refresh().await.expect("saved");
        let stored = shown::<Review>(bench, &review.id).await;
        assert_eq!(stored.get_str("good_name").ok(), Some("hat"));
        let right = vec![filled(&hat), filled(&cap)];
        assert_eq!(basket_of(bench, basket.id).await.goods, right);
        settled(bench).await;
    })
    .await;
}

// B05, snapshots: what was copied when the reference was stored stays, through changes of the source, saves and pushes.
#[tokio::test]
async fn snapshots_are_filled_once() {
    on_both("fill_snapshot", async |bench| {
        let db = &bench.db;
        let (hat, cap) = start(bench).await;
        let line = |good: &Good| Line {
            good: good.id,
            name: "?".to_owned(),
            price: -1,
            count: 1,
        };
        let order = Order {
            id: Id::new(),
            lines: vec![line(&hat)],
            note: String::new(),
        };
        Order::insert(db, &order).await.expect("stored");
        let basket = basket(&[&hat]);
        Basket::insert(db, &basket).await.expect("stored");
        Good::update(db, hat.id)
            .set(|g| g.price, 100)
            .set(|g| g.name, "top hat")
            .await
            .expect("changed");
        // Frozen and live copies beside each other.
        let mut stored = Order::get(db, order.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(
            (stored.lines[0].price, stored.lines[0].name.as_str()),
            (5, "top hat")
        );
        let element = &basket_of(bench, basket.id).await.goods[0];
        assert_eq!((element.price_then, element.name.as_str()), (5, "top hat"));
        settled(bench).await;

        // A line more: the old one keeps its price, the new one gets today's.
        stored.lines[0].count = 2;
        stored.lines.push(line(&cap));
        stored.save(db).await.expect("saved");
        let stored = Order::get(db, order.id)
            .await
            .expect("read")
            .expect("stored");
        let lines = stored.lines.iter();
        let lines: Vec<_> = lines.map(|l| (l.name.as_str(), l.price, l.count)).collect();
        assert_eq!(lines, [("top hat", 5, 2), ("cap", 7, 1)]);
        Basket::update(db, basket.id)
            .push_all(|b| b.goods, [entry(&hat), entry(&cap)])
            .await
            .expect("pushed");
        let goods = basket_of(bench, basket.id).await.goods;
        let prices: Vec<i64> = goods.iter().map(|good| good.price_then).collect();
        assert_eq!(prices, [5, 7]);
        settled(bench).await;
    })
    .await;
}

// A document is found by its copy, without a join.
#[tokio::test]
async fn documents_are_found_by_their_copies() {
    on_both("fill_found", async |bench| {
        let db = &bench.db;
        let (hat, cap) = start(bench).await;
        for good in [&hat, &cap, &cap] {
            Review::insert(db, &review(good)).await.expect("stored");
        }
        bench.forget();
        let found = Review::count(db, |r| r.good_name.eq("hat")).await;
        assert_eq!(found.expect("counted"), 1);
        bench.plan().await.assert_served_by("good_name");
    })
    .await;
}

// The copy of something that is not there yet is filled when it comes.
#[tokio::test]
async fn what_comes_later_fills_the_copies() {
    on_both("fill_later", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let late = Late {
            id: Id::new(),
            name: Some("late".to_owned()),
        };
        let wish = Wish {
            id: Id::new(),
            late: late.id,
            name: None,
        };
        let done = Wish::insert(db, &wish).await.expect("stored");
        assert_eq!(done.pending, []);
        settled(bench).await;
        let done = Late::insert(db, &late).await.expect("stored");
        assert_eq!(done.pending, []);
        let stored = shown::<Wish>(bench, &wish.id).await;
        assert_eq!(stored.get_str("name").ok(), Some("late"));
        settled(bench).await;
        Late::update(db, late.id)
            .unset(|l| l.name)
            .await
            .expect("changed");
        let stored = shown::<Wish>(bench, &wish.id).await;
        assert!(!stored.contains_key("name"), "{stored}");
        settled(bench).await;
    })
    .await;
}

// 100 documents, each of which refers to another one of the same batch.
#[tokio::test]
async fn a_batch_may_refer_to_itself() {
    on_both("fill_batch", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let ids: Vec<Id<Peer>> = (0..100).map(|_| Id::new()).collect();
        let peers: Vec<Peer> = (0..100)
            .map(|n| Peer {
                id: ids[n],
                name: format!("peer {n}"),
                peer: ids[(n + 50) % 100],
                peer_name: "?".to_owned(),
            })
            .collect();
        let done = Peer::insert_many(db, &peers).await.expect("stored");
        assert_eq!((done.inserted, done.pending.len()), (100, 0));
        for (n, peer) in peers.iter().enumerate() {
            let stored = shown::<Peer>(bench, &peer.id).await;
            let right = format!("peer {}", (n + 50) % 100);
            assert_eq!(stored.get_str("peer_name").ok(), Some(right.as_str()));
        }
        settled(bench).await;
        // One that refers to itself.
        let id = Id::new();
        let alone = Peer {
            id,
            name: "alone".to_owned(),
            peer: id,
            peer_name: "?".to_owned(),
        };
        Peer::insert(db, &alone).await.expect("stored");
        Peer::update(db, id)
            .set(|p| p.name, "all alone")
            .await
            .expect("renamed");
        let stored = plain(shown::<Peer>(bench, &id).await);
        assert_eq!(stored.get_str("peer_name").ok(), Some("all alone"));
        settled(bench).await;
    })
    .await;
}

// A large batch is compared with its sources later, and is right at once all the same; the marks say what is left to do.
#[tokio::test]
async fn a_lazy_batch_is_marked_and_swept() {
    on_both("fill_lazy", async |bench| {
        let db = &bench.db;
        let (hat, cap) = start(bench).await;
        let reviews: Vec<Review> = (0..200)
            .map(|n| review(if n % 2 == 0 { &hat } else { &cap }))
            .collect();
        let done = Review::insert_many(db, &reviews).await.expect("stored");
        assert_eq!(done.pending.len(), 1);
        assert_eq!(done.pending[0].reference(), "fill_reviews.good");
        assert_eq!(bench.sent(), ["find", "insert"]);
        let hats = Review::count(db, |r| r.good_name.eq("hat")).await;
        assert_eq!(hats.expect("counted"), 100);
        let mut sweeper = Sweeper::new(db);
        assert_eq!(sweeper.sweep().await.expect("looked").targets, 0);
        let waiting = sweeping(db);
        assert_eq!(
            (waiting.looks, waiting.flags[0].1, waiting.finished),
            (1, 200, 0)
        );
        assert_eq!(waiting.flags[5].1, 0, "none is an hour old");
        assert_eq!(sweeper.sweep().await.expect("looked").targets, 200);
        assert_eq!(sweeping(db).finished, 200);
        sweeper.sweep().await.expect("looked");
        let after = sweeping(db);
        assert_eq!((after.looks, after.flags[0].1, after.oldest), (3, 0, None));
        assert_eq!((after.failed, after.stuck), (0, 0));
        assert!(recover(db).await.expect("recovered").is_idle());
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_snapshot_stays_while_its_reference_does() {
    on_both("stays", async |bench| {
        let (hat, cap) = start(bench).await;
        let sale = Sale {
            id: Id::new(),
            good: hat.id,
            name: "?".to_owned(),
            price: -1,
            count: 1,
        };
        Sale::insert(&bench.db, &sale).await.expect("stored");
        let raise = Good::update(&bench.db, hat.id).set(|g| g.price, 100);
        raise.await.expect("raised");
        let now = async || {
            let found = Sale::get(&bench.db, sale.id).await.expect("read");
            let found = found.expect("stored");
            (found.name, found.price, found.count)
        };

        let again = Sale::update(&bench.db, sale.id).set(|s| s.good, hat.id);
        again.inc(|s| s.count, 1).await.expect("set again");
        assert_eq!(now().await, ("hat".to_owned(), 5, 2));
        let save = sale.save(&bench.db).refresh();
        save.await.expect("saved");
        assert_eq!(now().await, ("hat".to_owned(), 5, 1));

        let other = Sale::update(&bench.db, sale.id).set(|s| s.good, cap.id);
        other.await.expect("set");
        assert_eq!(now().await, ("cap".to_owned(), 7, 1));
        let back = sale.save(&bench.db);
        back.await.expect("saved");
        assert_eq!(now().await, ("hat".to_owned(), 100, 1));
        assert!(recover(&bench.db).await.expect("recovered").is_idle());

        let gone = Sale::update(&bench.db, Id::new()).set(|s| s.good, hat.id);
        let gone = gone.await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
    })
    .await;
}
