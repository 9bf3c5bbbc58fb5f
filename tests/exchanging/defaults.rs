//! New documents have the values that serde declares for absent fields.

use mongo_model::validator::api_schema;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::common::alone;

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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "exchanged_drafts",
    new(NewDraft, deserialize, skip(state))
)]
struct Draft {
    #[serde(rename = "_id")]
    id: Id<Draft>,
    #[default("untitled".to_owned())]
    title: String,
    #[default(1 + 2)]
    #[serde(default)]
    copies: i64,
    #[default(Some(usual()))]
    note: Option<String>,
    #[default(usual())]
    state: String,
    owner: String,
}

fn usual() -> String {
    "usual".to_owned()
}

/// A stored document without the field has the default of serde: `#[default(..)]` is of new ones alone.
#[tokio::test]
async fn a_new_document_has_the_declared_defaults() {
    alone("drafts", async |bench| {
        let new: NewDraft = serde_json::from_value(json!({ "owner": "ann" })).expect("read");
        let draft = Draft::from(new);
        Draft::insert(&bench.db, &draft).await.expect("stored");
        let stored: Draft = Draft::get(&bench.db, draft.id)
            .required()
            .await
            .expect("stored");
        let by_hand = Draft {
            id: draft.id,
            ..Draft::from(NewDraft {
                title: "untitled".to_owned(),
                copies: 3,
                note: Some("usual".to_owned()),
                owner: "ann".to_owned(),
            })
        };
        assert_eq!((&stored, &*stored.state), (&by_hand, "usual"));
        let text = json!({ "_id": draft.id, "title": "a", "state": "b", "owner": "c" });
        let old: Draft = serde_json::from_value(text).expect("read");
        assert_eq!((old.copies, old.note), (0, None));
    })
    .await;
}

#[test]
fn what_is_given_replaces_the_declared_default() {
    let body = json!({ "title": "a", "copies": 9, "note": null, "owner": "ann" });
    let draft = Draft::from(serde_json::from_value::<NewDraft>(body).expect("read"));
    assert_eq!((&*draft.title, draft.copies, draft.note), ("a", 9, None));
    for body in [
        json!({}),
        json!({ "owner": "ann", "title": null }),
        json!({ "owner": "ann", "copies": "three" }),
        json!({ "owner": "ann", "state": "done" }),
    ] {
        let refused = serde_json::from_value::<NewDraft>(body.clone());
        assert!(refused.is_err(), "{body}");
    }
    let schema = serde_json::to_value(api_schema::<NewDraft>()).expect("JSON");
    assert_eq!(schema["required"], json!(["owner"]));
}
