// A tenant is no database: what has no wall does not get one by being called with it.

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

async fn not_confined(tenant: &Tenant<Id<Org>>, id: Id<Plan>) {
    let _ = Plan::get(tenant, id);
    let _ = Plan::get(tenant.database(), id);
    let _ = mongo_model::backfill(tenant);
    let _ = mongo_model::Sweeper::new(tenant);
    let _ = Invoice::migrate(tenant);
    tenant.collection::<Invoice>("invoices");
}

fn main() {}
