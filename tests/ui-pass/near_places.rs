// `near` stands at the top of the filter of a `find`; `within` may stand anywhere and be counted.

use mongo_model::geo::Point;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

const HERE: Point = Point { lng: 12.5, lat: 41.9 };

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "harbours")]
pub struct Harbour {
    #[serde(rename = "_id")]
    pub id: Id<Harbour>,
    #[index]
    pub country: String,
    #[index(geo)]
    pub place: [f64; 2],
}

pub fn calls(db: &mongo_model::Database) {
    let _ = Harbour::find(db, |h| h.place.near(HERE, 1_000.0)).exists();
    let _ = Harbour::find(db, |h| h.country.eq("it").and(h.place.near(HERE, 1_000.0))).ids();
    let _ = Harbour::scan(db, |h| h.place.near(HERE, 1_000.0).and(h.place.within_circle(HERE, 500.0)));
    let _ = Harbour::count(db, |h| h.place.within_circle(HERE, 1_000.0).or(h.country.eq("it")));
    let _ = Harbour::find(db, |h| h.country.eq("it")).filter(|h| !h.place.within_circle(HERE, 1_000.0)).count();
}

pub fn main() {}
