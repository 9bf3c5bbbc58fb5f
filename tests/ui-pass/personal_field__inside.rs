// Personal fields in embedded documents, in arrays of them, and in the variants of an enum.

use mongo_model::personal::personal_fields;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[personal(erased = "")]
    pub street: String,
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub address: Address,
    #[embed(max = 5)]
    pub earlier: Vec<Address>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Comment<T> {
    #[parent(Customer)]
    pub author: Id<Customer>,
    #[personal(of = author, erased = "")]
    pub text: String,
    #[personal(of = author)]
    pub mood: Option<T>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", history(skip(sent_to, comments)))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(Customer)]
    pub author: Id<Customer>,
    #[denorm(from = Customer, field = address)]
    pub from: Address,
    #[denorm(from = Customer, field = address.city, snapshot)]
    pub city: String,
    #[personal(of = author)]
    pub sent_to: Option<Address>,
    #[embed(max = 20)]
    pub comments: Vec<Comment<i32>>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Caller {
    #[serde(rename = "_id")]
    pub id: Id<Contact>,
    #[personal(erased = "gone")]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Visitor {
    #[serde(rename = "_id")]
    pub id: Id<Contact>,
    #[personal(erased = "gone")]
    pub name: String,
    pub address: Address,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "contacts")]
pub enum Contact {
    Caller(Caller),
    Visitor(Visitor),
}

pub fn main() {
    let paths = |fields: Vec<mongo_model::personal::PersonalField>| -> Vec<String> {
        fields.into_iter().map(|field| field.path).collect()
    };
    let of_customer = paths(personal_fields(Customer::meta()));
    assert_eq!(of_customer, ["name", "address.street", "earlier.street"]);
    let of_post = paths(personal_fields(Post::meta()));
    assert_eq!(of_post, ["sent_to", "comments.text", "comments.mood"]);
    let of_contact = paths(personal_fields(Contact::meta()));
    assert_eq!(of_contact, ["name", "address.street"]);
}
