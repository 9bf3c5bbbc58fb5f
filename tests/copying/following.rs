//! A changed source reaches its copies.

use bson::doc;
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
    unit: Option<String>,
    qty: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
struct Product {
    #[serde(rename = "_id")]
    id: Id<Product>,
    title: String,
    #[refs(Part, max = 100)]
    #[denorm(from = Part, fields(name, unit))]
    parts: Vec<ProductPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stocks")]
struct Stock {
    #[serde(rename = "_id")]
    id: Id<Stock>,
    #[parent(Part)]
    part: Id<Part>,
    #[denorm(from = Part, field = name)]
    part_name: String,
    count: i64,
}

fn part(name: &str) -> Part {
    Part {
        id: Id::new(),
        name: name.to_owned(),
        unit: None,
        qty: 1,
    }
}

fn product(parts: &[&Part]) -> Product {
    Product {
        id: Id::new(),
        title: "shifter".to_owned(),
        parts: parts
            .iter()
            .map(|part| ProductPart {
                id: part.id,
                name: part.name.clone(),
                unit: part.unit.clone(),
            })
            .collect(),
    }
}

async fn start(bench: &Bench) {
    bench
        .index(&[Part::meta(), Product::meta(), Stock::meta()])
        .await;
}

/// Nothing is flagged, and a look at the flags finds nothing to do.
async fn idle(bench: &Bench) {
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    for collection in ["parts", "products", "stocks"] {
        let flagged =
            doc! { "$or": [{ "_dn.p": { "$exists": true } }, { "_dn.u": { "$exists": true } }] };
        let flagged = bench.raw(collection).count_documents(flagged).await;
        assert_eq!(flagged.expect("counted"), 0, "{collection}");
    }
    bench.forget();
}

#[tokio::test]
async fn a_renamed_part_is_renamed_in_every_product() {
    on_both("renamed", async |bench| {
        start(bench).await;
        let (bolt, nut) = (part("bolt"), part("nut"));
        Part::insert_many(&bench.db, [&bolt, &nut])
            .await
            .expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        let shifter = product(&[&bolt, &nut, &bolt]);
        let done = Product::insert(&bench.db, &shifter).await.expect("stored");
        assert_eq!(done.pending, []);
        assert_eq!(bench.sent(), ["insert", "find", "update", "update"]);
        idle(bench).await;

        let done = Part::update(&bench.db, bolt.id)
            .set(|p| p.name, "#2 bolt")
            .await
            .expect("renamed");
        assert_eq!(done.pending, []);
        assert_eq!(
            bench.sent(),
            ["findAndModify", "update", "update", "update"]
        );
        let stored = Product::get(&bench.db, shifter.id)
            .await
            .expect("read")
            .expect("stored");
        let names: Vec<&str> = stored.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["#2 bolt", "nut", "#2 bolt"]);
        bench.forget();
        idle(bench).await;

        // The same again: the source says that nothing changed, and nothing follows.
        Part::update(&bench.db, bolt.id)
            .set(|p| p.name, "#2 bolt")
            .await
            .expect("nothing to do");
        assert_eq!(bench.sent(), ["findAndModify"]);
        // An update of a field without copies is a plain update.
        Part::update(&bench.db, bolt.id)
            .inc(|p| p.qty, 1)
            .await
            .expect("counted");
        assert_eq!(bench.sent(), ["update"]);
    })
    .await;
}
