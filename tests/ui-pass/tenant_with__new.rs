// A struct of new documents has no field for the tenant, which stands beside it.

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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "wallets", tenant = org, new(NewWallet, skip(cents)))]
pub struct Wallet {
    #[serde(rename = "_id")]
    pub id: Id<Wallet>,
    pub org: i64,
    #[serde(default)]
    pub cents: i64,
}

pub fn main() {
    let org = Id::new();
    let invoice = Invoice::from((NewInvoice { number: 7 }, org));
    assert_eq!((invoice.org, invoice.number), (org, 7));
    let wallet: Wallet = (NewWallet {}, 7).into();
    assert_eq!((wallet.org, wallet.cents), (7, 0));
}
