// Personal fields of a person and of documents that refer to one.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub street: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    #[index(unique)]
    #[personal(erased = "gone-{id}")]
    pub email: String,
    #[index(unique, sparse)]
    #[personal]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    #[personal]
    pub address: Option<Address>,
    #[model(personal(erased = 0))]
    pub age: u8,
    #[personal(keep_for = "7y", reason = "tax")]
    pub tax_number: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Customer, on_delete = unset)]
    pub by: Option<Id<Customer>>,
    #[personal(of = by, erased = "")]
    pub text: String,
    #[personal(of = by)]
    pub grade: Option<Grade>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Grade {
    Good,
    Bad,
}

pub fn main() {
    let of = |name: &str| {
        let row = Review::meta().shape.fields.iter().find(|row| row.name == name);
        row.and_then(|row| row.personal?.of)
    };
    assert_eq!((of("text"), of("by")), (Some("by"), None));
}
