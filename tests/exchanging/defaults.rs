//! New documents have the values that serde declares for absent fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(default)]
#[model(
    collection = "exchanged_limits",
    new(NewLimits, deserialize, skip(most, unit))
)]
struct Limits {
    #[serde(rename = "_id")]
    id: Id<Limits>,
    least: i64,
    most: i64,
    #[serde(default = "pieces")]
    unit: String,
    #[serde(default = "pieces")]
    label: String,
    #[serde(default)]
    note: String,
    step: Option<i64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            id: Id::new(),
            least: 3,
            most: 8,
            unit: "of the item".to_owned(),
            label: "of the item".to_owned(),
            note: "of the item".to_owned(),
            step: Some(2),
        }
    }
}

fn pieces() -> String {
    "pieces".to_owned()
}

/// The document that serde reads.
fn by_serde(mut body: serde_json::Value, id: Id<Limits>) -> Limits {
    body["_id"] = json!(id);
    serde_json::from_value(body).expect("read")
}

#[test]
fn an_absent_field_has_the_default_that_serde_gives_it() {
    for body in [
        json!({}),
        json!({ "least": 4 }),
        json!({ "label": "a", "note": "b", "step": null }),
        json!({ "step": 7 }),
    ] {
        let new: NewLimits = serde_json::from_value(body.clone()).expect("read");
        let made = Limits::from(new);
        assert_eq!(made, by_serde(body, made.id));
    }
}

#[test]
fn a_field_that_the_struct_leaves_out_has_the_declared_default() {
    let made = Limits::from(NewLimits {
        least: 1,
        label: String::new(),
        note: String::new(),
        step: None,
    });
    assert_eq!((made.most, &*made.unit), (8, "pieces"));
}
