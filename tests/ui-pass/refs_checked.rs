// References that are checked: one, in an array, in an embedded document, by another key; and one that may dangle.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    #[parent(Part, checked)]
    pub part: Id<Part>,
    pub qty: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[embed(max = 50)]
    pub lines: Vec<Line>,
    #[refs(Part, on_delete = pull, checked)]
    pub seen: Vec<Id<Part>>,
    #[parent(Part, key = partno, on_delete = cascade, checked)]
    pub gift: String,
    #[parent(Part, on_delete = keep)]
    pub last: Id<Part>,
}

pub fn main() {
    let checked: Vec<(&str, bool)> = Order::meta()
        .shape
        .fields
        .iter()
        .filter_map(|row| Some((row.name, row.relation?.checked)))
        .collect();
    assert_eq!(checked, [("seen", true), ("gift", true), ("last", false)]);
}
