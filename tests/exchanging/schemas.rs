//! The JSON Schema of the structs of a web API.

use mongo_model::validator::api_schema;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::nested::HousePatch;
use super::{NewOffer, OfferLine, OfferPatch, OfferPoster, OfferView};

fn schema<T: mongo_model::validator::ApiStruct>() -> Value {
    serde_json::to_value(api_schema::<T>()).expect("JSON")
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "ruled", new(NewRuled, deserialize), view(RuledView))]
struct Ruled {
    #[serde(rename = "_id")]
    id: Id<Ruled>,
    #[check(len = 3..=8, pattern = r"^[a-z]+$")]
    slug: String,
    #[check(range = 0.0..1.0)]
    ratio: f64,
    weight: f64,
    #[check(one_of("new", "paid"))]
    state: Option<String>,
    #[check(len = 1..=3, each(range = 1..=9))]
    #[embed(max = 20)]
    marks: Vec<i32>,
    #[check(keys(len = 2), values(range = 0..))]
    #[embed(max = 5)]
    scores: BTreeMap<String, i64>,
    #[check(range = 5.., on = write)]
    #[serde(default)]
    least: i64,
}

#[test]
fn rules_are_in_the_words_of_json() {
    let mut expected = json!({
        "title": "NewRuled",
        "type": "object",
        "required": ["slug", "ratio", "weight", "marks", "scores"],
        "properties": {
            "slug": { "type": "string", "minLength": 3, "maxLength": 8, "pattern": "^[a-z]+$" },
            "ratio": { "type": "number", "minimum": 0.0, "exclusiveMaximum": 1.0 },
            "weight": { "type": "number" },
            "state": { "type": ["string", "null"], "enum": ["new", "paid", null] },
            "marks": {
                "type": "array",
                "minItems": 1,
                "maxItems": 3,
                "items": { "type": "integer", "minimum": 1, "maximum": 9 }
            },
            "scores": {
                "type": "object",
                "maxProperties": 5,
                "additionalProperties": { "type": "integer", "minimum": 0 },
                "allOf": [{ "patternProperties": { "^[\\s\\S]{2,2}$": {} }, "additionalProperties": false }]
            },
            "least": { "type": "integer", "minimum": 5 }
        },
        "additionalProperties": false
    });
    assert_eq!(schema::<NewRuled>(), expected);
    // An answer says what is stored, which may break a rule of writes, and has all of its fields.
    let answer = schema::<RuledView>();
    let properties = &mut expected["properties"];
    properties["least"] = json!({ "type": "integer" });
    properties["id"] = json!({ "type": "string", "pattern": "^[0-9a-f]{24}$" });
    assert_eq!(&answer["properties"], properties);
    let all = [
        "id", "slug", "ratio", "weight", "state", "marks", "scores", "least",
    ];
    assert_eq!(answer["required"], json!(all));
    assert_eq!(answer.get("additionalProperties"), None);
}

#[test]
fn a_request_has_text_for_ids_and_dates_and_no_field_of_the_library() {
    let new = schema::<NewOffer>();
    let id = json!({ "type": "string", "pattern": "^[0-9a-f]{24}$" });
    let date = json!({ "type": "string", "format": "date-time" });
    let properties = &new["properties"];
    assert_eq!(properties["seller"], id);
    assert_eq!(properties["sponsor"]["type"], json!(["string", "null"]));
    assert_eq!(properties["partners"]["items"], id);
    assert_eq!(properties["starts"], date);
    assert_eq!(
        properties["again"],
        json!({ "type": "array", "maxItems": 5, "items": date })
    );
    assert_eq!(
        properties["place"]["properties"]["stops"]["items"]["properties"]["at"],
        date
    );
    assert_eq!(properties["place"]["properties"]["guide"], id);
    assert_eq!(properties["price"], json!({ "type": "string" }));
    // Its form is that of functions, or one of several.
    assert_eq!(
        (&properties["rate"], &properties["token"]),
        (&json!({}), &json!({}))
    );
    assert_eq!(
        properties["kind"],
        json!({ "type": "string", "enum": ["Tour", "Talk"] })
    );
    for name in [
        "id",
        "_id",
        "version",
        "seller_name",
        "reviews",
        "created",
        "views",
    ] {
        assert_eq!(properties.get(name), None, "{name}");
    }
    let required = new["required"].as_array().expect("some");
    assert!(required.contains(&json!("title")) && !required.contains(&json!("kind")));
    assert!(!required.contains(&json!("motto")), "it is optional");

    let patch = schema::<OfferPatch>();
    assert_eq!(patch.get("required"), None, "an absent field stays");
    assert_eq!(patch["additionalProperties"], json!(false));
    assert_eq!(patch["properties"].get("code"), None, "it is immutable");
}

#[test]
fn an_answer_has_the_values_beside_its_fields() {
    let line = schema::<OfferLine>();
    assert_eq!(line["required"], json!(["id", "title"]));
    let poster = schema::<OfferPoster>();
    let properties = &poster["properties"];
    assert_eq!(properties["loud"], json!({ "type": "string" }));
    assert_eq!(
        properties["at"],
        json!({ "type": ["string", "null"], "format": "date-time" })
    );
    assert_eq!(properties["guide"]["title"], "SellerView");
    assert_eq!(properties["guide"]["required"], json!(["id", "name"]));
    assert_eq!(properties["text"]["type"], json!(["string", "null"]));
    let all = schema::<OfferView>();
    let entry = &all["properties"]["partners"]["items"];
    assert_eq!(
        entry["properties"]["name"]["type"],
        json!(["string", "null"])
    );
}

#[test]
fn a_patch_inside_a_patch_is_described_with_its_rules() {
    let house = schema::<HousePatch>();
    let (address, second) = (
        &house["properties"]["address"],
        &house["properties"]["second"],
    );
    assert_eq!(address["type"], "object");
    assert_eq!(second["type"], json!(["object", "null"]));
    assert_eq!(
        address["properties"]["city"],
        json!({ "type": "string", "minLength": 1, "maxLength": 20 })
    );
    let lat = json!({ "type": "number", "minimum": -90, "maximum": 90 });
    assert_eq!(address["properties"]["spot"]["properties"]["lat"], lat);
    assert_eq!(address["properties"].get("secret"), None);
    assert_eq!(address.get("required"), None);
    assert_eq!(address["additionalProperties"], json!(false));
}

/// A struct of the program that holds structs of the API.
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Batch {
    new: Vec<NewRuled>,
    answer: Option<RuledView>,
}

#[test]
fn schemars_gives_the_same_schemas() {
    let one = schemars::schema_for!(NewRuled);
    let mut one = one.to_value();
    one.as_object_mut().expect("an object").remove("$schema");
    assert_eq!(one, schema::<NewRuled>());
    let all = schemars::schema_for!(Batch).to_value();
    let inside = &all["properties"]["new"]["items"];
    assert_eq!(inside, &json!({ "$ref": "#/$defs/NewRuled" }));
    assert_eq!(all["$defs"]["NewRuled"], schema::<NewRuled>());
    assert_eq!(all["$defs"]["RuledView"], schema::<RuledView>());
}
