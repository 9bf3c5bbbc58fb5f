//! `fresh` never gives a copy that is older than the call.

use std::time::Duration;

use bson::{Document, doc, oid::ObjectId};
use mongo_model::{Error, Id, MongoModel, Transaction, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_rates")]
struct Rate {
    #[serde(rename = "_id")]
    id: Id<Rate>,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_offers")]
struct Offer {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Rate)]
    rate: Id<Rate>,
    #[denorm(from = Rate, field = value, via = rate)]
    rate_value: i64,
}

async fn start(bench: &Bench) {
    bench.index(&[Rate::meta(), Offer::meta()]).await;
}

fn offer(id: i64, rate: ObjectId, value: i64) -> Document {
    doc! { "_id": id, "rate": rate, "rate_value": value, "_r_rate": 1 }
}

async fn values(bench: &Bench) -> Vec<i64> {
    let offers = Offer::find(&bench.db, |o| o.id.gte(0))
        .sort(|o| o.id.asc())
        .fresh()
        .await
        .expect("read");
    offers.iter().map(|offer| offer.rate_value).collect()
}

#[tokio::test]
async fn one_probe_of_an_empty_index_is_all_it_takes() {
    on_both("fresh_probe", async |bench| {
        start(bench).await;
        let (a, b) = (ObjectId::new(), ObjectId::new());
        let rates = (0..200).map(|n| doc! { "_id": if n == 0 { a } else { ObjectId::new() }, "value": 1_i64, "_dn": { "r": 1 } });
        bench.seed("n_rates", rates).await;
        bench.seed("n_offers", [offer(1, a, 1), offer(2, a, 1)]).await;
        assert_eq!(values(bench).await, [1, 1]);
        let sent = bench.take();
        let asked: Vec<&str> = sent
            .iter()
            .map(|sent| sent.command.get_str("find").expect("a find"))
            .collect();
        assert_eq!(asked, ["n_rates", "n_offers"]);
        let plan = bench.explain(sent[0].command.clone()).await;
        plan.assert_served_by("_dn.p");
        assert_eq!((plan.keys, plan.documents), (0, 0), "{plan:#?}");

        // This call ignores a pending change that none of the documents copies, or that is along another edge.
        bench
            .seed("n_rates", [doc! { "_id": b, "value": 2_i64, "_dn": { "r": 2, "p": ["n_offers.rate"] } }])
            .await;
        assert_eq!(values(bench).await, [1, 1]);
        assert_eq!(bench.sent(), ["find", "find"]);
        // A model without copies has nothing to probe.
        Rate::find(&bench.db, |r| r.id.eq(Id::from(a))).limit(1).fresh().await.expect("read");
        assert_eq!(bench.sent(), ["find"]);
    })
    .await;
}

#[tokio::test]
async fn a_change_on_its_way_is_brought_to_its_copies_first() {
    on_both("fresh_help", async |bench| {
        start(bench).await;
        let a = ObjectId::new();
        bench
            .seed("n_rates", [doc! { "_id": a, "value": 2_i64, "_dn": { "r": 2, "p": ["n_offers.rate"] } }])
            .await;
        // The last one is new: it has no revision, and a mark.
        let new = doc! { "_id": 3_i64, "rate": a, "rate_value": 0_i64, "_dn": { "u": [{ "t": ObjectId::new() }] } };
        bench
            .seed("n_offers", [offer(1, a, 1), offer(2, a, 1), new])
            .await;
        assert_eq!(values(bench).await, [2, 2, 2]);
        bench.forget();
        assert!(recover(&bench.db).await.expect("looked").is_idle());
        bench.forget();
        assert_eq!(values(bench).await, [2, 2, 2]);
        assert_eq!(bench.sent(), ["find", "find"]);
    })
    .await;
}

#[tokio::test]
async fn copies_that_cannot_follow_are_an_error() {
    alone("fresh_refused", async |bench| {
        let create = bench.db.create_collection("n_offers");
        let create = create.validator(doc! { "rate_value": { "$lt": 2 } });
        create.await.expect("created");
        start(bench).await;
        let a = ObjectId::new();
        bench
            .seed(
                "n_rates",
                [doc! { "_id": a, "value": 2_i64, "_dn": { "r": 2, "p": ["n_offers.rate"] } }],
            )
            .await;
        bench.seed("n_offers", [offer(1, a, 1)]).await;
        let error = Offer::find(&bench.db, |o| o.id.eq(1)).fresh().await;
        let error = error.expect_err("refused");
        assert!(
            matches!(error, Error::NotFresh { model: "Offer", .. }),
            "{error}"
        );
        assert!(error.to_string().contains("(121)"), "{error}");
    })
    .await;
}

// One document and the children of a parent are read fresh too. A transaction does not see what others bring up to date meanwhile.
#[tokio::test]
async fn other_reads_are_fresh_and_a_transaction_refuses() {
    in_set("fresh_reads", async |bench| {
        start(bench).await;
        let (db, a) = (&bench.db, ObjectId::new());
        let rate = doc! { "_id": a, "value": 2_i64, "_dn": { "r": 2, "p": ["n_offers.rate"] } };
        bench.seed("n_rates", [rate]).await;
        let stale = [offer(1, a, 1), offer(2, a, 1)];
        bench.seed("n_offers", stale).await;
        let one = Offer::get(db, 1).fresh().await.expect("read");
        assert_eq!(one.map(|offer| offer.rate_value), Some(2));
        assert!(Offer::get(db, 9).fresh().await.expect("read").is_none());
        let all = Offer::by_rate(db, Id::from(a)).fresh().await.expect("read");
        assert!(all.iter().all(|offer| offer.rate_value == 2), "{all:?}");

        let mut tx = Transaction::begin(db).await.expect("begun");
        bench.forget();
        let refused = Offer::get(db, 1).within(&mut tx).fresh().await;
        assert!(
            matches!(refused, Err(Error::Impossible { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.sent(), [""; 0]);
        let read = Offer::get(db, 1).within(&mut tx).await.expect("read");
        assert!(read.is_some());
        tx.abort().await.expect("ended");
    })
    .await;
}

/// Writers that die between two steps, and a reader: what it gets is never older than what the source said before.
#[tokio::test]
async fn writers_that_die_half_way_leave_nothing_old_to_be_read() {
    on_both("fresh_race", async |bench| {
        start(bench).await;
        let rate = Rate {
            id: Id::new(),
            value: 0,
        };
        Rate::insert(&bench.db, &rate).await.expect("stored");
        for id in 1..=3 {
            let offer = Offer {
                id,
                rate: rate.id,
                rate_value: 0,
            };
            Offer::insert(&bench.db, &offer).await.expect("stored");
        }
        let mut behind = 0;
        for n in 1..=1_000_i64 {
            let update = Rate::update(&bench.db, rate.id).set(|r| r.value, n);
            // The longer it takes until one dies half way, the longer they live.
            let turn = n.unsigned_abs();
            let lifetime = Duration::from_micros(turn * 97 % 3_000 * (1 + turn / 30));
            let _ = tokio::time::timeout(lifetime, async move { update.await }).await;
            let before = Rate::get(&bench.db, rate.id)
                .await
                .expect("read")
                .expect("there");
            let plain = Offer::get(&bench.db, 1)
                .await
                .expect("read")
                .expect("there");
            behind += i64::from(plain.rate_value < before.value);
            for value in values(bench).await {
                assert!(value >= before.value, "{value} < {}", before.value);
            }
            if n >= 30 && behind > 0 {
                break;
            }
        }
        // Otherwise nothing was at stake.
        assert!(behind > 0, "no writer died half way");
    })
    .await;
}
