// Structs, newtypes and enums inside; generic ones too.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Page<T> {
    pub items: T,
    pub next: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Meters(pub f64);

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Size {
    Small,
    Large,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Shape {
    Circle { radius: Meters },
    Square(Page<i64>),
    Nothing,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "drawings")]
pub struct Drawing {
    #[serde(rename = "_id")]
    pub id: Id<Drawing>,
    pub shape: Shape,
    pub page: Page<Size>,
    pub scale: Meters,
}

pub fn main() {}
