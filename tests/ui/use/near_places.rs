// The server sorts by distance, so it takes `near` once, at the top of a filter, in a `find`.

use mongo_model::geo::Point;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

const HERE: Point = Point { lng: 12.5, lat: 41.9 };
const THERE: Point = Point { lng: 9.2, lat: 45.5 };

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Stop {
    #[index(geo)]
    pub at: [f64; 2],
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "harbours")]
pub struct Harbour {
    #[serde(rename = "_id")]
    pub id: Id<Harbour>,
    #[index]
    pub country: String,
    #[index(geo)]
    pub place: [f64; 2],
    #[embed(max = 20)]
    pub stops: Vec<Stop>,
}

pub fn calls(db: &mongo_model::Database) {
    let _ = Harbour::count(db, |h| h.place.near(HERE, 1_000.0));
    let _ = Harbour::find(db, |h| h.place.near(HERE, 1_000.0)).count();
    let _ = Harbour::find(db, |h| h.country.eq("it")).filter(|h| h.place.near(HERE, 1_000.0)).count();
    let _ = Harbour::find(db, |h| h.place.near(HERE, 1_000.0).or(h.country.eq("it")));
    let _ = Harbour::scan(db, |h| h.country.eq("it").or(h.place.near(HERE, 1_000.0)));
    let _ = Harbour::scan(db, |h| !h.place.near(HERE, 1_000.0));
    let _ = Harbour::find(db, |h| h.place.near(HERE, 1_000.0).and(h.place.near(THERE, 1_000.0)));
    let _ = Harbour::scan(db, |h| h.stops.any(|s| s.at.near(HERE, 1_000.0)));
    let _ = Harbour::find(db, |h| h.stops.at.within_circle(HERE, 1_000.0).or(h.country.within_circle(HERE, 1_000.0)));
}

fn main() {}
