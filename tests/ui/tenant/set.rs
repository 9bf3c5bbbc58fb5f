// No write moves a document to another tenant.

use mongo_model::{Id, MongoModel, Tenant};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub struct Org {
    #[serde(rename = "_id")]
    pub id: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub struct Plan {
    #[serde(rename = "_id")]
    pub id: Id<Plan>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "invoices", tenant = org, soft_delete, access(numbered(number)))]
pub struct Invoice {
    #[serde(rename = "_id")]
    pub id: Id<Invoice>,
    pub org: Id<Org>,
    #[index(unique)]
    pub number: i32,
    #[parent(Plan)]
    pub plan: Id<Plan>,
    #[version]
    pub version: i64,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

fn moves(tenant: &Tenant<Id<Org>>, org: Id<Org>, id: Id<Invoice>) {
    let _ = Invoice::update(tenant, id).set(|i| i.org, org);
    let _ = Invoice::update_many(tenant, |i| i.number.eq(1)).set(|i| i.org, org);
    let _ = Invoice::update(tenant, id).set_some(|i| i.org, Some(org));
    let _ = Invoice::update(tenant, id).max(|i| i.org, org);
}

fn main() {}
