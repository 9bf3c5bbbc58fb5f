//! Histories that leave out the personal fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_customers", history(skip(name)))]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub language: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_reviews", history(skip(text, r#type)))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Customer)]
    pub by: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub by_name: String,
    #[personal(of = by, erased = "")]
    pub text: String,
    #[personal(of = by)]
    pub r#type: Option<String>,
    pub stars: i32,
}

/// A history of chosen fields, none of which is personal.
#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_guests", history(fields(language), keep_last = 1000000, by = required))]
pub struct Guest {
    #[serde(rename = "_id")]
    pub id: Id<Guest>,
    #[personal(erased = "gone")]
    pub name: String,
    pub language: String,
}

pub fn main() {
    let fields = Guest::meta().history.map(|row| (row.fields, row.keep_last));
    assert_eq!(fields, Some((&["language"][..], Some(1_000_000))));
    let skipped = Review::meta().history.map(|row| row.skip);
    assert_eq!(skipped, Some(&["text", "type"][..]));
}
