//! `GET /openapi.json`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::shop::Shop;

/// `GET /venues/{id}` of each route that a file of `src/api` declares.
fn declared() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api");
    let mut routes = BTreeSet::new();
    for file in fs::read_dir(folder).expect("a folder") {
        let source = fs::read_to_string(file.expect("a file").path()).expect("text");
        for route in source.split(".route(\"").skip(1) {
            let (path, rest) = route.split_once('"').expect("a path");
            let handlers = rest.split(['\n', ';']).next().expect("a line");
            let methods = ["get", "post", "put", "patch", "delete"].into_iter();
            let methods = methods.filter(|method| handlers.contains(&format!("{method}(")));
            routes.extend(methods.map(|method| format!("{method} {path}")));
        }
    }
    routes.remove("get /openapi.json");
    routes
}

/// The names of the schemas that a part of the document refers to.
fn references(part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            if let Some(Value::String(path)) = fields.get("$ref") {
                let name = path.rsplit('/').next().expect("a name");
                names.insert(name.to_owned());
            }
            fields.values().for_each(|part| references(part, names));
        }
        Value::Array(all) => all.iter().for_each(|part| references(part, names)),
        _ => {}
    }
}

#[tokio::test]
async fn it_has_every_route_with_its_types_and_the_rules_of_the_models() {
    let shop = Shop::open("openapi").await;
    let api = shop.get("/openapi.json").await.with(200).body;
    assert_eq!(api["openapi"], "3.1.0");
    let paths = api["paths"].as_object().expect("paths");
    let described = paths.iter().flat_map(|(path, operations)| {
        let methods = operations.as_object().expect("operations").keys();
        methods.map(move |method| format!("{method} {path}"))
    });
    assert_eq!(described.collect::<BTreeSet<_>>(), declared());

    let schemas = api["components"]["schemas"].as_object().expect("schemas");
    let mut named = BTreeSet::new();
    references(&api["paths"], &mut named);
    assert_eq!(named, schemas.keys().cloned().collect());
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().expect("operations") {
            let has_body = operation.get("requestBody").is_some();
            let takes_body = matches!(method.as_str(), "post" | "put" | "patch");
            assert_eq!(
                has_body,
                takes_body && path != "/tickets/{id}/admission",
                "{method} {path}"
            );
        }
    }

    assert_eq!(api["security"], json!([{ "session": [] }]));
    assert_eq!(paths["/organisations"]["post"]["security"], json!([]));
    assert_eq!(paths["/venues"]["post"].get("security"), None);

    let venue = &api["components"]["schemas"]["NewVenue"];
    assert_eq!(venue["required"], json!(["name", "city", "seats"]));
    let seats = json!({ "type": "integer", "minimum": 1, "maximum": 1_000_000 });
    assert_eq!(venue["properties"]["seats"], seats);
    assert_eq!(venue["properties"]["name"]["maxLength"], 200);
    let customer = &api["components"]["schemas"]["CustomerPatch"];
    let email =
        json!({ "type": "string", "maxLength": 254, "pattern": r"^[^@\s]+@[^@\s]+\.[^@\s]+$" });
    assert_eq!(customer["properties"]["email"], email);
    assert_eq!(customer.get("required"), None);
    shop.close().await;
}
