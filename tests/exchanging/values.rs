//! Values of a client stay values, wherever a field takes any: no operator, path, expression, or key of the library.

use std::collections::BTreeMap;

use bson::{Bson, Document};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NewSeller, Seller};
use crate::common::on_both;

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Label {
    size: i64,
    #[serde(flatten)]
    rest: BTreeMap<String, Bson>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "exchanged_crates",
    new(NewCrate, deserialize, skip(rest)),
    patch = CratePatch
)]
pub(crate) struct Crate {
    #[serde(rename = "_id")]
    id: Id<Crate>,
    #[parent(Seller)]
    seller: Id<Seller>,
    #[denorm(from = Seller, field = name)]
    seller_name: String,
    any: Option<Bson>,
    document: Document,
    #[embed(max = 20)]
    map: BTreeMap<String, String>,
    label: Label,
    #[version]
    version: i64,
    #[serde(flatten)]
    rest: BTreeMap<String, Bson>,
}

/// Texts that mean something to the server or to the library somewhere.
const WORDS: [&str; 12] = [
    "_id",
    "_dn",
    "_dn.v",
    "_r",
    "_v",
    "seller_name",
    "version",
    "$set",
    "$inc",
    "$$ROOT",
    "$literal",
    "a.b",
];

fn new(seller: &Seller) -> Crate {
    let body = json!({
        "seller": seller.id.to_string(),
        "document": {}, "map": {}, "label": { "size": 1 }
    });
    let new: NewCrate = serde_json::from_value(body).expect("read");
    new.into()
}

/// The fields of the library and of the model beside what a client has changed.
fn others(stored: &Document, changed: &[&str]) -> Document {
    let fields = stored.iter();
    let fields = fields.filter(|(key, _)| !changed.contains(&key.as_str()));
    fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

#[tokio::test]
async fn no_value_is_an_operator_an_expression_or_a_stored_key() {
    on_both("exchanged_values", async |bench| {
        let db = &bench.db;
        bench.index(&[Seller::meta(), Crate::meta()]).await;
        let name = "Ann".to_owned();
        let seller = Seller::from(NewSeller { name });
        Seller::insert(db, &seller).await.expect("stored");
        let mut taken = 0;
        for word in WORDS {
            let inner = json!({ word: 1 });
            let texts: [Value; 3] = [
                json!(format!("${word}")),
                inner.clone(),
                json!([inner, word]),
            ];
            let mut bodies = vec![
                json!({ "document": inner }),
                json!({ "map": { word: word } }),
                json!({ "label": { "size": 2, word: 1 } }),
                json!({ "label": { "size": 2, "rest": inner } }),
            ];
            bodies.extend(texts.map(|text| json!({ "any": text })));
            for mut body in bodies {
                let before = new(&seller);
                Crate::insert(db, &before).await.expect("stored");
                let raw = bench.stored("exchanged_crates", before.id).await;
                for with_reference in [false, true] {
                    if with_reference {
                        body["seller"] = json!(seller.id.to_string());
                    }
                    let Ok(patch) = serde_json::from_value::<CratePatch>(body.clone()) else {
                        continue;
                    };
                    if Crate::update(db, before.id).patch(patch).await.is_err() {
                        continue;
                    }
                    taken += 1;
                    let field = body
                        .as_object()
                        .and_then(|body| body.keys().next().cloned());
                    let field = field.expect("a field");
                    let now = bench.stored("exchanged_crates", before.id).await;
                    let changed = [field.as_str(), "version", "_dn"];
                    assert_eq!(others(&now, &changed), others(&raw, &changed), "{body}");
                    let value = serde_json::to_value(now.get(&field)).expect("written");
                    assert_eq!(value, body[&field], "{body}");
                    assert_eq!(
                        now.get_i64("version").ok().map(|v| v > before.version),
                        Some(true)
                    );
                }
            }
        }
        assert!(taken > 60, "{taken}");
    })
    .await;
}

#[test]
fn a_flattened_field_is_in_no_struct_that_is_read() {
    let body = |key: &str| {
        let mut body = json!({
            "seller": Id::<Seller>::new().to_string(),
            "document": {}, "map": {}, "label": { "size": 1 }
        });
        body[key] = json!(1);
        body
    };
    for key in WORDS.into_iter().chain(["rest", "free", ""]) {
        assert!(
            serde_json::from_value::<NewCrate>(body(key)).is_err(),
            "{key}"
        );
        assert!(
            serde_json::from_value::<CratePatch>(json!({ key: 1 })).is_err(),
            "{key}"
        );
    }
}
