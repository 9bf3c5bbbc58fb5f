//! The time of places that programs have reserved and left.

use bson::{DateTime, Document, doc};
use mongo_model::Database;

/// The marks of parents that are no places: those that a recovery removes at once.
#[must_use]
pub fn marked() -> Document {
    doc! { "_dn.v": { "$elemMatch": { "at": { "$exists": false } } } }
}

/// Makes the places in bounded arrays of these collections old enough to be removed.
///
/// # Panics
/// If the server refuses it.
pub async fn pass_time(db: &Database, collections: &[&str]) {
    let old = DateTime::from_millis(DateTime::now().timestamp_millis() - 61_000);
    for name in collections {
        let parents = db.collection::<Document>(name);
        let placed = doc! { "_dn.v.at": { "$exists": true } };
        let older = doc! { "$set": { "_dn.v.$[place].at": old } };
        let update = parents.update_many(placed, older);
        let place = doc! { "place.at": { "$exists": true } };
        update.array_filters([place]).await.expect("set");
    }
}
