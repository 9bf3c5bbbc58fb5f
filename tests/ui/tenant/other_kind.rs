// The tenant of another kind, and an id in the place of a tenant.

use mongo_model::{Database, Id, MongoModel, Tenant, Tenants};
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

fn other_kind(db: &Database, org: Id<Org>, plan: Id<Plan>, id: Id<Invoice>) {
    let _ = Invoice::get(&db.tenant(plan), id);
    let _ = Invoice::get(&db.across_tenants::<Id<Plan>>("a run"), id);
    let _ = Invoice::get(&org, id);
    let _ = Invoice::get(&db.tenant("acme".to_owned()), id);
    let _: Tenant<Option<Id<Org>>>;
}

fn main() {}
