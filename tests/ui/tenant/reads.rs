// Reads of a model with a tenant take no plain database: each would see the documents of all.

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

fn reads(db: &Database, id: Id<Invoice>, plan: Id<Plan>, plans: &[Plan]) {
    let _ = Invoice::find(db, |i| i.number.eq(1));
    let _ = Invoice::find_one(db, |i| i.number.eq(1));
    let _ = Invoice::get(db, id);
    let _ = Invoice::get_many(db, [id]);
    let _ = Invoice::scan(db, |i| i.all());
    let _ = Invoice::exists(db, |i| i.number.eq(1));
    let _ = Invoice::count(db, |i| i.number.gt(1));
    let _ = Invoice::group_by(db, |i| i.number).count();
    let _ = Invoice::by(db, |i| i.plan, plan);
    let _ = Invoice::by_plan(db, plan);
    let _ = Invoice::by_plan_many(db, plans);
    let _ = Invoice::numbered(db, 1);
}

fn main() {}
