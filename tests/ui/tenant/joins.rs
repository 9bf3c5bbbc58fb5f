// Inside a join there is a plain database, which does not reach documents of tenants.

use mongo_model::{Database, Id, MongoModel};
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

fn joins(db: &Database) {
    let _ = Plan::scan(db, |p| p.all()).join(Invoice::by_plan_many);
    let _ = Plan::scan(db, |p| p.all()).join(|db, plans| Invoice::by_plan_many(db, plans));
}

fn main() {}
