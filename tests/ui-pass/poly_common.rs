// A common field, filtered by and set, beside fields of variants; one variant, and names that are keywords.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[model(collection = "employees", common(name))]
pub enum Employee {
    PartTime(PartTime),
    #[serde(rename = "s")]
    Static(Fixed),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct PartTime {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    #[index]
    pub hours: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Fixed {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "t")]
#[model(collection = "alone", schema_version = 2, migrate = keep, unversioned = 1)]
pub enum Alone {
    One(Fixed),
}

fn keep(old: bson::Document, _version: i32) -> bson::Document {
    old
}

pub fn main() {
    let _ = |db: &mongo_model::Database| {
        let _ = Employee::find(db, |e| e.name.eq("a").and(e.part_time.hours.gt(1)));
        let _ = Employee::find_part_time(db, |p| p.hours.gt(1));
        let _ = Employee::update(db, 1).set(|e| e.r#static.name, "b");
        let _ = Employee::find_static(db, |e| e.name.eq("b"));
    };
}
