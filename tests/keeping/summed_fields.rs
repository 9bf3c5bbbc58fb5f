//! Sums over fields that a write leaves as they are stored: frozen copies, copies that go with their reference, immutable and volatile fields.

use bson::doc;
use mongo_model::{Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::keeping::settled::settled;
use crate::keeping::sums::key;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_shows")]
pub(crate) struct Show {
    #[serde(rename = "_id")]
    id: Id<Show, i64>,
    price: i64,
    #[sum(Seat, field = price)]
    income: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_seats")]
pub(crate) struct Seat {
    #[serde(rename = "_id")]
    id: Id<Seat, i64>,
    #[parent(Show)]
    show: Id<Show, i64>,
    #[denorm(from = Show, field = price, snapshot)]
    price: i64,
}

/// The price that a seat was sold for, which the library fills in before it stores the seat.
#[tokio::test]
async fn a_frozen_copy_is_added_up() {
    on_both("sum_frozen", async |bench| {
        let db = &bench.db;
        bench.index(&[Show::meta(), Seat::meta()]).await;
        let show = |n, price| Show {
            id: key(n),
            price,
            income: 0,
        };
        let shows = [show(1, 20), show(2, 50)];
        Show::insert_many(db, &shows).await.expect("shows");
        let seat = |n, show| Seat {
            id: key(n),
            show: key(show),
            price: -1,
        };
        Seat::insert(db, &seat(1, 1)).await.expect("sold");
        let dearer = Show::update(db, key(1)).set(|s| s.price, 30);
        dearer.await.expect("dearer");
        Seat::insert_many(db, &[seat(2, 1), seat(3, 2)])
            .await
            .expect("sold");
        let income = async |n| {
            settled(bench).await;
            let show = Show::get(db, key(n)).await.expect("read");
            show.expect("a show").income
        };
        assert_eq!((income(1).await, income(2).await), (20 + 30, 50));
        let moved = Seat::update(db, key(1)).set(|s| s.show, key(2));
        moved.await.expect("moved");
        assert_eq!((income(1).await, income(2).await), (30, 50 + 50));
        Seat::delete(db, key(3)).await.expect("given back");
        assert_eq!((income(1).await, income(2).await), (30, 50));
        let found = verify(db).models(&[Show::meta(), Seat::meta()]).await;
        let found = found.expect("looked");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_fares")]
pub(crate) struct Fare {
    #[serde(rename = "_id")]
    id: Id<Fare, i64>,
    price: i64,
}

/// The price goes with its fare.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_rides")]
pub(crate) struct Ride {
    #[serde(rename = "_id")]
    id: Id<Ride, i64>,
    #[parent(Taxi)]
    taxi: Id<Taxi, i64>,
    #[parent(Fare, on_delete = unset)]
    #[serde(skip_serializing_if = "Option::is_none")]
    fare: Option<Id<Fare, i64>>,
    #[denorm(from = Fare, field = price, snapshot)]
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_taxis")]
pub(crate) struct Taxi {
    #[serde(rename = "_id")]
    id: Id<Taxi, i64>,
    #[sum(Ride, field = price)]
    income: i64,
}

#[tokio::test]
async fn a_copy_that_goes_with_its_reference_leaves_the_sum() {
    on_both("sum_unset", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Fare::meta(), Ride::meta(), Taxi::meta()])
            .await;
        let taxi = Taxi {
            id: key(1),
            income: 0,
        };
        Taxi::insert(db, &taxi).await.expect("a taxi");
        let fares = [(1, 5), (2, 7)].map(|(n, price)| Fare { id: key(n), price });
        Fare::insert_many(db, &fares).await.expect("fares");
        let ride = |n, fare| Ride {
            id: key(n),
            taxi: key(1),
            fare: Some(key(fare)),
            price: None,
        };
        let rides = [ride(1, 1), ride(2, 2), ride(3, 2)];
        Ride::insert_many(db, &rides).await.expect("rides");
        let income = async || {
            settled(bench).await;
            let taxi = Taxi::get(db, key(1)).await.expect("read");
            taxi.expect("a taxi").income
        };
        assert_eq!(income().await, 5 + 7 + 7);
        Fare::delete(db, key(2)).await.expect("deleted");
        assert_eq!(income().await, 5);
        let free = Ride::update(db, key(1)).set(|r| r.fare, None);
        free.await.expect("free");
        assert_eq!(income().await, 0);
    })
    .await;
}

/// A save leaves an immutable field as it is stored, and so does the sum; of a new document it stores what it is given.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_bills")]
pub(crate) struct Bill {
    #[serde(rename = "_id")]
    id: Id<Bill, i64>,
    #[parent(Account)]
    account: Id<Account, i64>,
    #[immutable]
    amount: i64,
    note: String,
}

/// The same of a volatile field of a model with a version.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_meters")]
pub(crate) struct Meter {
    #[serde(rename = "_id")]
    id: Id<Meter, i64>,
    #[parent(Account)]
    account: Id<Account, i64>,
    #[volatile]
    used: i64,
    rate: i32,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_accounts")]
pub(crate) struct Account {
    #[serde(rename = "_id")]
    id: Id<Account, i64>,
    #[sum(Bill, field = amount)]
    due: i64,
    #[sum(Meter, field = used)]
    used: i64,
    #[sum(Meter, field = rate)]
    rates: i64,
}

#[tokio::test]
async fn what_a_save_leaves_as_it_is_stays_in_the_sum() {
    on_both("sum_kept", async |bench| {
        let db = &bench.db;
        let models = [Account::meta(), Bill::meta(), Meter::meta()];
        bench.index(&models).await;
        let accounts = [1, 2].map(|n| Account {
            id: key(n),
            due: 0,
            used: 0,
            rates: 0,
        });
        Account::insert_many(db, &accounts).await.expect("accounts");
        let sums = async |n| {
            settled(bench).await;
            let account = Account::get(db, key(n)).await.expect("read");
            let account = account.expect("an account");
            (account.due, account.used, account.rates)
        };
        let mut bill = Bill {
            id: key(1),
            account: key(1),
            amount: 20,
            note: "a".to_owned(),
        };
        bill.save(db).await.expect("stored");
        assert_eq!(sums(1).await, (20, 0, 0));
        (bill.amount, bill.note) = (7, "b".to_owned());
        bill.save(db).await.expect("saved");
        assert_eq!(sums(1).await, (20, 0, 0));
        bill.account = key(2);
        bill.save(db).await.expect("moved");
        assert_eq!((sums(1).await, sums(2).await), ((0, 0, 0), (20, 0, 0)));

        let meter = Meter {
            id: key(1),
            account: key(1),
            used: 3,
            rate: 5,
            version: 0,
        };
        Meter::insert(db, &meter).await.expect("stored");
        for (account, rate) in [(1, 6), (2, 9)] {
            let mut read = Meter::get(db, key(1))
                .await
                .expect("read")
                .expect("a meter");
            Meter::update(db, key(1))
                .inc(|m| m.used, 4)
                .await
                .expect("used");
            (read.used, read.rate, read.account) = (100, rate, key(account));
            read.save_if_unchanged(db).await.expect("saved");
        }
        assert_eq!((sums(1).await, sums(2).await), ((0, 0, 0), (20, 11, 9)));
    })
    .await;
}
