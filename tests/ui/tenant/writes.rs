// Writes of a model with a tenant take no plain database: each would change the documents of all.

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

fn writes(db: &Database, id: Id<Invoice>, mut invoice: Invoice) {
    let _ = Invoice::insert(db, &invoice);
    let _ = Invoice::insert_many(db, [&invoice]);
    let _ = Invoice::update(db, id);
    let _ = Invoice::update_many(db, |i| i.number.eq(1));
    let _ = Invoice::upsert(db, &invoice);
    let _ = Invoice::update_with(db, id, |i| i.number = 1);
    let _ = Invoice::delete(db, id);
    let _ = Invoice::delete_many(db, |i| i.number.eq(1));
    let _ = Invoice::restore(db, id);
    let _ = Invoice::restore_many(db, |i| i.number.eq(1));
    let _ = Invoice::purge(db, id);
    let _ = Invoice::purge_many(db, |i| i.number.eq(1));
    let _ = invoice.delete_if_unchanged(db);
    let _ = Invoice::save_many_if_unchanged(db, [&mut invoice]);
    let _ = invoice.save_if_unchanged(db);
}

fn main() {}
