// Unique over all tenants, for a reason: on a field, over several keys, and sparse.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "users",
    tenant = org,
    index(keys(site, badge), unique, across_tenants = "doors are shared by all tenants of a site")
)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub org: i64,
    #[index(unique, across_tenants = "a person signs in before the tenant is known")]
    pub email: String,
    #[index(unique, sparse, across_tenants = "a phone belongs to one person")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    pub site: i64,
    pub badge: i64,
}

pub fn main() {}
