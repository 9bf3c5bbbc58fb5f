//! Bounded numbers of children: a child has its place in the parent before it is stored.

use bson::{DateTime, doc};
use futures::future::join_all;
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoModel, recover, repair, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_halls")]
pub(crate) struct Hall {
    #[serde(rename = "_id")]
    id: Id<Hall, i64>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "s")]
    seats: Option<i64>,
    #[count(Seat, max = seats)]
    #[serde(rename = "n")]
    sold: i64,
    #[sum(Seat, field = price)]
    income: i64,
    #[count(Guard, max = 2)]
    guards: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_seats", soft_delete)]
pub(crate) struct Seat {
    #[serde(rename = "_id")]
    id: Id<Seat, i64>,
    #[parent(Hall)]
    hall: Id<Hall, i64>,
    price: i64,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_guards")]
pub(crate) struct Guard {
    #[serde(rename = "_id")]
    id: Id<Guard, i64>,
    #[parent(Hall)]
    hall: Id<Hall, i64>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn hall(n: i64, seats: impl Into<Option<i64>>) -> Hall {
    Hall {
        id: key(n),
        seats: seats.into(),
        sold: 0,
        income: 0,
        guards: 0,
    }
}

fn seat(n: i64, hall: i64) -> Seat {
    Seat {
        id: key(n),
        hall: key(hall),
        price: 10 + n,
        deleted: None,
    }
}

async fn start(bench: &Bench, halls: &[Hall]) {
    let models = [Hall::meta(), Seat::meta(), Guard::meta()];
    bench.index(&models).await;
    Hall::insert_many(&bench.db, halls).await.expect("halls");
    bench.forget();
}

async fn numbers(bench: &Bench, n: i64) -> (i64, i64) {
    let hall = Hall::get(&bench.db, key(n)).await.expect("read");
    let hall = hall.expect("a hall");
    (hall.sold, hall.income)
}

/// The numbers are those of the stored seats, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for hall in Hall::find(&bench.db, |h| h.id.lte(key(9)))
        .await
        .expect("read")
    {
        let seats = Seat::find(&bench.db, |s| s.hall.eq(hall.id)).await;
        let seats = seats.expect("read");
        let sum: i64 = seats.iter().map(|seat| seat.price).sum();
        assert_eq!(
            (hall.sold, hall.income),
            (seats.len() as i64, sum),
            "{what}"
        );
        let stored = bench.stored("place_halls", hall.id.into_raw()).await;
        let counts = stored
            .get_document("_dn")
            .and_then(|dn| dn.get_document("k"));
        let counts = counts.expect("counts");
        assert!(!counts.contains_key("r"), "{what}: {stored}");
    }
}

fn is_full(error: &Error) -> bool {
    matches!(error, Error::Full { field, .. } if field == "Hall.sold")
}

#[tokio::test]
async fn an_insert_into_a_full_parent_is_refused() {
    on_both("place_inserts", async |bench| {
        start(bench, &[hall(1, 2), hall(2, None)]).await;
        let db = &bench.db;
        Seat::insert(db, &seat(1, 1)).await.expect("stored");
        Seat::insert(db, &seat(2, 1)).await.expect("stored");
        let full = Seat::insert(db, &seat(3, 1)).await.expect_err("full");
        assert!(
            matches!(&full, Error::Full { field, max: 2 } if field == "Hall.sold"),
            "{full}"
        );
        assert_eq!(bench.len("place_seats").await, 2);
        check(bench, "inserts").await;
        // A hall without a bound.
        let others = [seat(4, 2), seat(5, 2), seat(6, 2)];
        for other in others {
            Seat::insert(db, &other).await.expect("stored");
        }
        check(bench, "no bound").await;
        // What is there keeps its place, whatever the bound.
        let again = Seat::insert(db, &seat(1, 1))
            .await
            .expect_err("a duplicate");
        assert!(again.is_duplicate(), "{again}");
        let mut there = seat(1, 1);
        there.price = 1;
        there.save(db).await.expect("saved");
        check(bench, "a save of one that is there").await;
        let full = seat(8, 1).save(db).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        seat(8, 2).save(db).await.expect("stored");
        let full = Seat::upsert(db, &seat(9, 1)).set(|s| s.price, 3).await;
        assert!(is_full(&full.expect_err("full")));
        check(bench, "saves").await;
        Seat::delete(db, key(1)).await.expect("deleted");
        Seat::upsert(db, &seat(9, 1))
            .set(|s| s.price, 3)
            .await
            .expect("stored");
        check(bench, "a place that was free").await;
        let full = Seat::restore(db, key(1)).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        Seat::delete(db, key(9)).await.expect("deleted");
        Seat::purge(db, key(9)).await.expect("purged");
        Seat::restore(db, key(1)).await.expect("restored");
        check(bench, "a restore").await;
        // A move takes a place as well, unless the seat is there.
        let full = Seat::update(db, key(4)).set(|s| s.hall, key(1)).await;
        assert!(is_full(&full.expect_err("full")));
        let same = Seat::update(db, key(2))
            .set(|s| s.hall, key(1))
            .set(|s| s.price, 99);
        same.await.expect("set");
        check(bench, "a move that was refused").await;
        Seat::update(db, key(2))
            .set(|s| s.hall, key(2))
            .await
            .expect("moved");
        Seat::update(db, key(4))
            .set(|s| s.hall, key(1))
            .await
            .expect("moved");
        let lost = Seat::update(db, key(70)).set(|s| s.hall, key(1)).await;
        assert!(is_full(&lost.expect_err("full")));
        Seat::update(db, key(4))
            .set(|s| s.hall, key(2))
            .await
            .expect("moved");
        let lost = Seat::update(db, key(70)).set(|s| s.hall, key(1)).await;
        assert!(matches!(lost, Err(Error::NotFound { .. })), "{lost:?}");
        check(bench, "moves").await;
        assert_eq!(numbers(bench, 1).await.0, 1);
        let of_second = || Seat::update_many(db, |s| s.hall.eq(key(2)));
        let full = of_second().set(|s| s.hall, key(1)).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        check(bench, "a move of too many").await;
        let some = Seat::update_many(db, |s| s.id.is_in([1, 2].map(key)));
        let moved = some.set(|s| s.hall, key(1)).set(|s| s.price, 5).await;
        assert_eq!(moved.expect("moved").matched, 2);
        check(bench, "a move of many").await;
        let mut saved = Seat::get(db, key(4)).await.expect("read").expect("a seat");
        saved.hall = key(1);
        assert!(is_full(&saved.save(db).await.expect_err("full")));
        Seat::delete(db, key(2)).await.expect("deleted");
        saved.save(db).await.expect("moved");
        check(bench, "a save that moves").await;
    })
    .await;
}

#[tokio::test]
async fn many_children_get_their_places_together_or_not_at_all() {
    on_both("place_many", async |bench| {
        start(bench, &[hall(1, 3), hall(2, 3)]).await;
        let db = &bench.db;
        let five: Vec<Seat> = [(1, 1), (2, 1), (3, 2), (4, 2), (5, 2)]
            .map(|(n, h)| seat(n, h))
            .into();
        Seat::insert_many(db, &five).await.expect("stored");
        check(bench, "insert_many").await;
        // The first hall has room for one, the second for none.
        let both = [seat(6, 1), seat(7, 2)];
        let full = Seat::insert_many(db, &both).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        assert_eq!(bench.len("place_seats").await, 5);
        check(bench, "a full one among them").await;
        // Some are stored, others refused by the server.
        Seat::delete(db, key(3)).await.expect("deleted");
        let some = [seat(6, 1), seat(1, 1)];
        let full = Seat::insert_many(db, &some).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        let some = [seat(6, 1), seat(3, 2)];
        let refused = Seat::insert_many(db, &some).await.expect_err("a duplicate");
        assert!(refused.is_duplicate(), "{refused}");
        check(bench, "a duplicate").await;
        assert_eq!(
            (numbers(bench, 1).await.0, numbers(bench, 2).await.0),
            (3, 2)
        );
        Seat::delete_many(db, |s| s.hall.eq(key(1)))
            .await
            .expect("deleted");
        Seat::insert_many(db, &[seat(10, 1), seat(11, 1)])
            .await
            .expect("stored");
        let full = Seat::restore_many(db, |s| s.hall.eq(key(1))).await;
        assert!(is_full(&full.expect_err("full")));
        check(bench, "a restore of too many").await;
        Seat::restore_many(db, |s| s.id.eq(key(2)))
            .await
            .expect("restored");
        check(bench, "a restore").await;
        assert_eq!(numbers(bench, 1).await.0, 3);
    })
    .await;
}

#[tokio::test]
async fn fifty_buyers_get_thirty_seats() {
    on_both("place_buyers", async |bench| {
        start(bench, &[hall(1, 30)]).await;
        let db = &bench.db;
        let bought = (0..50).map(|n| async move { Seat::insert(db, &seat(n, 1)).await });
        let bought = join_all(bought).await;
        let full = bought.iter().filter(|bought| match bought {
            Ok(_) => false,
            Err(error) => is_full(error) || panic!("{error}"),
        });
        assert_eq!(full.count(), 20);
        assert_eq!(numbers(bench, 1).await.0, 30);
        check(bench, "fifty buyers").await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_fails_at_the_bound() {
    in_set("place_transaction", async |bench| {
        start(bench, &[hall(1, 2)]).await;
        let db = &bench.db;
        let buy = async |seats: &[Seat]| {
            let seats = seats.to_vec();
            let bought = transaction(db, async move |tx| {
                Seat::insert_many(db, &seats).within(tx).await?;
                Ok(())
            });
            bought.await
        };
        buy(&[seat(1, 1)]).await.expect("stored");
        let full = buy(&[seat(2, 1), seat(3, 1)]).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        check(bench, "a transaction that failed").await;
        assert_eq!(bench.len("place_seats").await, 1);
        let (second, third, fourth) = ([seat(2, 1)], [seat(3, 1)], [seat(4, 1)]);
        let all = [buy(&second), buy(&third), buy(&fourth)];
        let all = join_all(all).await;
        assert_eq!(
            all.iter().filter(|bought| bought.is_ok()).count(),
            1,
            "{all:?}"
        );
        check(bench, "transactions side by side").await;
    })
    .await;
}

/// A reservation whose program ended, as it is stored.
async fn reserve(bench: &Bench, at: DateTime) {
    let entry = doc! { "t": bson::oid::ObjectId::new(), "i": 77_i64, "at": at, "n": { "n": 1_i64, "income": 5_i64 } };
    let raw = bench.raw("place_halls");
    let reserved = doc! { "$inc": { "n": 1_i64, "income": 5_i64 }, "$push": { "_dn.k.r": entry } };
    raw.update_one(doc! { "_id": 1_i64 }, reserved)
        .await
        .expect("reserved");
}

#[tokio::test]
async fn an_abandoned_place_is_given_back() {
    on_both("place_abandoned", async |bench| {
        start(bench, &[hall(1, 2)]).await;
        let db = &bench.db;
        Seat::insert(db, &seat(1, 1)).await.expect("stored");
        reserve(bench, DateTime::now()).await;
        // It may still be used: it is neither released nor wrong.
        let full = Seat::insert(db, &seat(2, 1)).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        recover(db).await.expect("recovered");
        assert_eq!(numbers(bench, 1).await, (2, 16));
        let models = [Hall::meta(), Seat::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        assert_eq!(
            found
                .references
                .iter()
                .map(|edge| edge.defects())
                .sum::<u64>(),
            0,
            "{found}"
        );
        repair(db).models(&models).await.expect("repaired");
        Hall::recount_sold(db, key(1)).await.expect("counted");
        assert_eq!(numbers(bench, 1).await, (2, 16));
        // A minute later the next buyer gets it.
        let old = DateTime::from_millis(DateTime::now().timestamp_millis() - 61_000);
        let raw = bench.raw("place_halls");
        let older = doc! { "$set": { "_dn.k.r.0.at": old } };
        raw.update_one(doc! { "_id": 1_i64 }, older)
            .await
            .expect("set");
        Seat::insert(db, &seat(2, 1)).await.expect("stored");
        check(bench, "a place that was abandoned").await;
        Seat::delete(db, key(2)).await.expect("deleted");
        reserve(bench, old).await;
        check(bench, "a sweep").await;
        assert_eq!(numbers(bench, 1).await, (1, 11));
    })
    .await;
}

#[tokio::test]
async fn each_bound_is_of_its_own_children() {
    on_both("place_guards", async |bench| {
        start(bench, &[hall(1, 1)]).await;
        let db = &bench.db;
        Seat::insert(db, &seat(1, 1)).await.expect("stored");
        let guard = |n| Guard {
            id: key(n),
            hall: key(1),
        };
        Guard::insert_many(db, &[guard(1), guard(2)])
            .await
            .expect("stored");
        let full = Guard::insert(db, &guard(3)).await.expect_err("full");
        assert!(
            matches!(&full, Error::Full { field, max: 2 } if field == "Hall.guards"),
            "{full}"
        );
        // A bound that is lowered takes no place away.
        Hall::update(db, key(1))
            .set(|h| h.seats, 0)
            .allow_over_bound()
            .await
            .expect("lowered");
        let full = Seat::insert(db, &seat(2, 1)).await.expect_err("full");
        assert!(is_full(&full), "{full}");
        check(bench, "two bounds").await;
    })
    .await;
}

fn is_below(result: Result<impl Sized, Error>) -> bool {
    let below = |error: &Error| matches!(error, Error::BelowCount { field, count } if field == "Hall.seats" && count == "Hall.sold");
    result.as_ref().err().is_some_and(below)
}

#[tokio::test]
async fn a_bound_is_lowered_below_the_number_only_on_demand() {
    on_both("place_lowered", async |bench| {
        start(bench, &[hall(1, 12), hall(2, 12)]).await;
        let db = &bench.db;
        let seats: Vec<Seat> = (0..3).map(|n| seat(n, 1)).collect();
        Seat::insert_many(db, &seats).await.expect("stored");
        mongo_model::settle(db).await;
        let one = || Hall::update(db, key(1));
        let stored = async || Hall::get(db, key(1)).await.expect("read").expect("a hall");
        assert!(is_below(one().set(|h| h.seats, 2).await));
        assert!(is_below(one().set_some(|h| h.seats, Some(Some(2))).await));
        assert!(is_below(one().inc(|h| h.seats, -10).await));
        assert!(is_below(one().min(|h| h.seats, 2).await));
        assert!(is_below(
            one().only_if(|h| h.sold.gt(0)).set(|h| h.seats, 2).await
        ));
        assert!(is_below(
            Hall::upsert(db, &hall(1, 12)).set(|h| h.seats, 2).await
        ));
        let mut lower = stored().await;
        lower.seats = Some(2);
        assert!(is_below(lower.save(db).await));
        assert_eq!(stored().await.seats, Some(12));
        // A hall that is not there is no hall that is too small.
        let lost = Hall::update(db, key(9)).set(|h| h.seats, 2).await;
        assert!(matches!(lost, Err(Error::NotFound { .. })), "{lost:?}");
        bench.forget();
        one()
            .set(|h| h.seats, 3)
            .await
            .expect("as many as there are");
        assert_eq!(bench.sent().len(), 1);
        one().inc(|h| h.seats, 2).await.expect("raised");
        lower.seats = Some(4);
        lower.save(db).await.expect("saved");
        Hall::update(db, key(2))
            .set(|h| h.seats, 0)
            .await
            .expect("an empty hall");
        let all = || Hall::update_many(db, |h| h.id.lte(key(2)));
        let many = all().set(|h| h.seats, 2).await.expect_err("refused");
        assert!(
            many.to_string()
                .contains("lower Hall.seats below Hall.sold"),
            "{many}"
        );
        all()
            .set(|h| h.seats, 2)
            .allow_over_bound()
            .await
            .expect("lowered");
        let models = [Hall::meta(), Seat::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        let over: u64 = found
            .references
            .iter()
            .map(|edge| edge.count(Defect::OverBound))
            .sum();
        assert_eq!(over, 1, "{found}");
        // It stays usable, and may be raised step by step.
        let mut over = stored().await;
        over.save(db).await.expect("saved");
        over.seats = None;
        over.save(db).await.expect("saved");
        one().unset(|h| h.seats).await.expect("no bound");
        check(bench, "lowered").await;
    })
    .await;
}

#[tokio::test]
async fn a_save_in_a_transaction_lowers_no_bound_below_the_number() {
    in_set("place_lowered_tx", async |bench| {
        start(bench, &[hall(1, 12)]).await;
        let db = &bench.db;
        let seats: Vec<Seat> = (0..3).map(|n| seat(n, 1)).collect();
        Seat::insert_many(db, &seats).await.expect("stored");
        let save = async |seats| {
            let saved = transaction(db, async move |tx| {
                let mut hall = hall(1, seats);
                hall.sold = 3;
                hall.save(db).within(tx).await?;
                Ok(())
            });
            saved.await
        };
        assert!(is_below(save(2).await));
        save(3).await.expect("as many as there are");
        check(bench, "a transaction").await;
    })
    .await;
}

/// The place, the seat; then the count, the flag and the token.
#[tokio::test]
async fn a_place_costs_one_command_before_the_insert() {
    on_both("place_commands", async |bench| {
        start(bench, &[hall(1, 100)]).await;
        let db = &bench.db;
        for n in 0..3 {
            Seat::insert(db, &seat(n, 1)).await.expect("stored");
            let sent = bench.sent();
            assert_eq!(
                sent,
                [
                    "findAndModify",
                    "insert",
                    "findAndModify",
                    "update",
                    "update"
                ],
                "{n}"
            );
        }
    })
    .await;
}
