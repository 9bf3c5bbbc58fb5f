// References that are checked because nothing else is written, or because they say so: one, in an array, in an embedded document, by another
// key; and those that are not: one that may dangle, one that says so, also beside copies that need no mark, a map, and a two-way reference.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    #[refs(Order, inverse = main, max = 100)]
    pub orders: Vec<Id<Order>>,
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
    #[parent(Part)]
    pub next: Id<Part>,
    #[refs(Part, on_delete = pull)]
    pub all: Vec<Id<Part>>,
    #[parent(Part, on_delete = keep)]
    pub last: Id<Part>,
    #[parent(Part, unchecked)]
    pub hot: Id<Part>,
    #[refs(Part, unchecked)]
    pub many: Vec<Id<Part>>,
    #[parent(Part, unchecked)]
    pub sold: Id<Part>,
    #[denorm(from = Part, field = partno, via = sold, snapshot)]
    pub sold_as: String,
    #[parent(Part, unchecked)]
    pub shown: Id<Part>,
    #[denorm(from = Part, field = partno, via = shown, level = fire_and_forget)]
    pub shown_as: String,
    #[refs(Part, max = 10)]
    pub stock: BTreeMap<String, Id<Part>>,
    // Both directions name the other field: its writes read the other side.
    #[parent(Part, inverse = orders)]
    pub main: Id<Part>,
    // The values of a map are no place where a reference is found by its id.
    #[embed(max = 10)]
    pub places: BTreeMap<String, Place>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    #[parent(Part)]
    pub part: Id<Part>,
    pub shelf: i32,
}

pub fn main() {
    let checked: Vec<(&str, bool)> = Order::meta()
        .shape
        .fields
        .iter()
        .filter_map(|row| Some((row.name, row.relation?.checked)))
        .collect();
    assert_eq!(
        checked,
        [
            ("seen", true),
            ("gift", true),
            ("next", true),
            ("all", true),
            ("last", false),
            ("hot", false),
            ("many", false),
            ("sold", false),
            ("shown", false),
            ("stock", false),
            ("main", false)
        ]
    );
}
