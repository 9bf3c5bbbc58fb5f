// What a model with a tenant may have: references to what all tenants share, with copies; soft deletes; a version; partial indexes.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub struct Plan {
    #[serde(rename = "_id")]
    pub id: Id<Plan>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org, soft_delete, index(keys(plan, name)))]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
    pub name: String,
    #[index(unique, partial(exists))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[parent(Plan)]
    pub plan: Id<Plan>,
    #[denorm(from = Plan, field = name)]
    pub plan_name: String,
    #[version]
    pub version: i64,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

pub fn main() {}
