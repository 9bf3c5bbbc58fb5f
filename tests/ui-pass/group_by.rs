// An index leads with the key, or a filter says which documents are grouped.

use mongo_model::geo::Point;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

const HERE: Point = Point { lng: 12.5, lat: 41.9 };

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", index(keys(customer, status)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub customer: i64,
    pub status: String,
    pub placed: bson::DateTime,
    pub cents: i64,
    pub rebate: Option<bson::Decimal128>,
    #[index(geo)]
    pub place: [f64; 2],
}

fn day() -> bson::DateTime {
    bson::DateTime::now()
}

pub fn calls(db: &mongo_model::Database) {
    let _ = Order::group_by(db, |o| o.customer).count().sum(|o| o.cents).max(|o| o.placed);
    let _ = Order::find(db, |o| o.customer.eq(1)).group_by(|o| o.status).avg(|o| o.rebate);
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.placed).min(|o| o.status);
    let paris = mongo_model::crud::Zone::named("Europe/Paris").expect("a name");
    let _ = Order::scan(db, |o| o.all())
        .group_by(|o| (o.placed.week_in(paris), o.status, o.customer))
        .count()
        .sum_product(|o| (o.rebate, o.cents))
        .having(|(orders, rebate)| orders.gt(3).and(rebate.lt(bson::Decimal128::from_bytes([0; 16]))))
        .sort(|(orders, _)| orders.desc())
        .limit(3);
    let _ = Order::find(db, |o| o.customer.eq(1)).group_by(|o| o.placed.day_in(mongo_model::zone!("UTC")).fill(day()..day())).count();
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.status).count().only(|o| o.cents.gt(5)).count();
    let _ = Order::find(db, |o| o.place.within_circle(HERE, 1_000.0)).group_by(|o| o.status);
}

pub fn main() {}
