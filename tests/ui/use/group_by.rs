// A grouping of everything needs an index that leads with its key, sums need numbers, and days need dates and zones.

use mongo_model::geo::Point;
use mongo_model::{Id, MongoEmbed, MongoModel, zone};
use serde::{Deserialize, Serialize};

const HERE: Point = Point { lng: 12.5, lat: 41.9 };

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub sku: String,
    pub cents: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", index(keys(customer, status)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub customer: i64,
    pub status: String,
    #[index(sparse)]
    pub coupon: Option<String>,
    #[index(hashed)]
    pub token: String,
    pub placed: bson::DateTime,
    pub price: bson::Decimal128,
    pub share: f64,
    #[index(geo)]
    pub place: [f64; 2],
    #[embed(max = 20)]
    pub lines: Vec<Line>,
}

fn day() -> bson::DateTime {
    bson::DateTime::now()
}

pub fn calls(db: &mongo_model::Database) {
    let _ = Order::group_by(db, |o| o.status).count();
    let _ = Order::group_by(db, |o| o.coupon).count();
    let _ = Order::group_by(db, |o| o.token).count();
    let _ = Order::group_by(db, |o| o.customer).sum(|o| o.status);
    let _ = Order::group_by(db, |o| o.customer).avg(|o| o.placed);
    let _ = Order::group_by(db, |o| o.customer).sum(|o| o.lines.cents);
    let _ = Order::group_by(db, |o| o.placed.day_in(zone!("Europe/Rome")));
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.status.day_in(zone!("Europe/Rome")));
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.placed.day_in("Europe/Rome"));
    let _ = Order::scan(db, |o| o.all()).group_by(|o| (o.placed.day_in(zone!("Europe/Rom")), o.status));
    let filled = || Order::scan(db, |o| o.all()).group_by(|o| o.placed.day_in(zone!("UTC")).fill(day()..day()));
    let _ = filled().count().having(|(n,)| n.gt(1));
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.status).max(|o| o.placed).having(|(last,)| last.gt(1));
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.status).sum_product(|o| (o.price, o.share));
    let _ = Order::find(db, |o| o.place.near(HERE, 1_000.0)).group_by(|o| o.status);
    let _ = Order::scan(db, |o| o.all()).group_by(|o| o.status).only(|o| o.customer.gt(5)).count();
}

fn main() {}
