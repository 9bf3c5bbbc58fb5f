// A new document has a tenant beside its struct, which a client may have sent.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub struct Org {
    #[serde(rename = "_id")]
    pub id: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "invoices", tenant = org, new(NewInvoice, deserialize))]
pub struct Invoice {
    #[serde(rename = "_id")]
    pub id: Id<Invoice>,
    pub org: Id<Org>,
    pub number: i32,
}

fn creates(new: NewInvoice, other: NewInvoice, third: NewInvoice, id: Id<Invoice>, org: Id<Org>) {
    let _ = Invoice::from(new);
    let _: Invoice = other.into();
    let _ = Invoice::from((third, id));
    let _ = NewInvoice { org, number: 7 };
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "offers", tenant = org, new(NewOffer, only(org, number)))]
pub struct Offer {
    #[serde(rename = "_id")]
    pub id: Id<Offer>,
    pub org: Id<Org>,
    pub number: i32,
}

fn main() {}
