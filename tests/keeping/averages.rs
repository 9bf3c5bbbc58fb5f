//! Averages of a field of the children: beside a bounded count, which reserves the sum and the number with the place.

use bson::doc;
use mongo_model::{Average, Error, Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "avg_halls")]
pub(crate) struct Hall {
    #[serde(rename = "_id")]
    id: Id<Hall, i64>,
    #[count(Booking, max = 3)]
    booked: i64,
    #[avg(Booking, field = price)]
    price: Average,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "avg_bookings")]
pub(crate) struct Booking {
    #[serde(rename = "_id")]
    id: Id<Booking, i64>,
    #[parent(Hall)]
    hall: Id<Hall, i64>,
    price: i32,
    #[index(unique)]
    seat: i32,
}

#[tokio::test]
async fn an_average_follows_beside_a_count_with_a_bound() {
    on_both("avg_bound", async |bench| {
        let db = &bench.db;
        bench.index(&[Hall::meta(), Booking::meta()]).await;
        let hall = Hall {
            id: Id::from_raw(1),
            booked: 0,
            price: Average::default(),
        };
        Hall::insert(db, &hall).await.expect("a hall");
        let booking = |n: i32, price, seat| Booking {
            id: Id::from_raw(n.into()),
            hall: Id::from_raw(1),
            price,
            seat,
        };
        let price = async || {
            settled(bench).await;
            let hall = Hall::get(db, Id::from_raw(1)).await.expect("read");
            let hall = hall.expect("a hall");
            (hall.booked, hall.price.sum(), hall.price.count())
        };
        let two = [booking(1, 10, 1), booking(2, 20, 2)];
        Booking::insert_many(db, &two).await.expect("booked");
        assert_eq!(price().await, (2, 30, 2));
        // The place of a child that the server refuses is given back, with its price.
        let taken = Booking::insert(db, &booking(3, 50, 2)).await;
        assert!(matches!(taken, Err(Error::Duplicate { .. })), "{taken:?}");
        assert_eq!(price().await, (2, 30, 2));
        Booking::insert(db, &booking(3, 60, 3))
            .await
            .expect("booked");
        assert_eq!(price().await, (3, 90, 3));
        let full = Booking::insert(db, &booking(4, 1, 4)).await;
        assert!(matches!(full, Err(Error::Full { .. })), "{full:?}");
        assert_eq!(price().await, (3, 90, 3));
        let cheaper = Booking::update(db, Id::from_raw(3)).set(|b| b.price, 15);
        cheaper.await.expect("cheaper");
        Booking::delete(db, Id::from_raw(1)).await.expect("freed");
        assert_eq!(price().await, (2, 35, 2));
        let found = verify(db).models(&[Hall::meta(), Booking::meta()]).await;
        assert!(found.expect("looked").is_settled());
        let stored = bench.stored("avg_halls", 1_i64).await;
        let average = doc! { "sum": 35_i64, "n": 2_i64 };
        assert_eq!(stored.get("price"), Some(&average.into()));
    })
    .await;
}
