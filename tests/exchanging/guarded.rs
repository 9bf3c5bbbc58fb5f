//! A client sets no field that its struct does not have.

use std::collections::BTreeSet;

use bson::Document;
use mongo_model::MongoModel;
use serde_json::{Value, json};

use super::{NewOffer, Offer, OfferAnyPatch, OfferPatch, body, offer};
use crate::common::{alone, on_both};

/// The keys that a client may try: the fields of the model by both of their names, and what the library stores itself.
fn keys() -> BTreeSet<String> {
    let own = [
        "_id",
        "id",
        "_dn",
        "_dn.v",
        "_dn.p",
        "_dn.r",
        "_r",
        "_n",
        "_job",
        "_schema",
        "_v",
        "__v",
        "$set",
        "$inc",
        "$where",
        "",
        "place.opened",
        "partners.0.name",
        "sponsor.name",
        "cached",
        "Offer",
        "version",
        "title.x",
    ];
    let rows = Offer::meta().shape.fields;
    let rows = rows.iter().flat_map(|row| [row.rust, row.name]);
    rows.chain(own).map(str::to_owned).collect()
}

/// The values that a client may try.
fn values() -> Vec<Value> {
    let of = |name: &str| body(mongo_model::Id::new())[name].clone();
    vec![
        json!(7),
        json!("text"),
        json!(true),
        json!("65f000000000000000000001"),
        json!(["65f000000000000000000001"]),
        json!([{ "id": "65f000000000000000000001", "name": "Mallory" }]),
        json!({ "id": "65f000000000000000000001", "name": "Mallory" }),
        json!({ "$inc": 1 }),
        json!({ "$oid": "65f000000000000000000001" }),
        json!("2030-05-01T08:00:00Z"),
        of("price"),
        of("place"),
        of("days"),
        of("token"),
        json!([]),
        json!({}),
        json!("Talk"),
    ]
}

/// The keys that a struct takes some value for.
fn taken<T: serde::de::DeserializeOwned>(with: impl Fn(&str, Value) -> Value) -> BTreeSet<String> {
    let takes = |key: &String| {
        let mut values = values().into_iter();
        values.any(|value| serde_json::from_value::<T>(with(key, value)).is_ok())
    };
    keys().into_iter().filter(takes).collect()
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().copied().map(str::to_owned).collect()
}

const SETTABLE: [&str; 16] = [
    "title", "note", "motto", "price", "rate", "starts", "ends", "again", "days", "place", "kind",
    "token", "seller", "partners", "sponsor", "fans",
];

#[test]
fn no_other_field_is_read() {
    let alone = |key: &str, value| json!({ key: value });
    let mut settable = names(&SETTABLE);
    settable.insert("views".to_owned());
    assert_eq!(taken::<OfferPatch>(alone), settable);
    settable.insert("secret".to_owned());
    assert_eq!(taken::<OfferAnyPatch>(alone), settable);

    let whole = |key: &str, value| {
        let mut body = body(mongo_model::Id::new());
        body[key] = value;
        body
    };
    let mut fields = names(&SETTABLE);
    fields.extend(names(&["code", "secret"]));
    assert_eq!(taken::<NewOffer>(whole), fields);
}

#[tokio::test]
async fn no_other_field_is_changed() {
    alone("guarded", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        let id = offer.id;
        let before = bench.stored("offers", id).await;
        let mut changed = BTreeSet::new();
        for key in keys() {
            for value in values() {
                let Ok(patch) =
                    serde_json::from_value::<OfferAnyPatch>(json!({ key.as_str(): value }))
                else {
                    continue;
                };
                // Some name sellers that do not exist.
                if Offer::update(db, id).patch(patch).await.is_ok() {
                    let now = bench.stored("offers", id).await;
                    changed.extend(different(&before, &now));
                }
            }
        }
        let mut may = names(&SETTABLE);
        may.extend(names(&[
            "views",
            "secret",
            "seller_name",
            "version",
            "updated",
            "_dn",
        ]));
        assert_eq!(
            changed.difference(&may).collect::<Vec<_>>(),
            Vec::<&String>::new()
        );
        assert!(changed.len() > 12, "{changed:?}");
        let now = bench.stored("offers", id).await;
        assert_eq!(now.get("seller"), before.get("seller"));
        assert_eq!(now.get("seller_name"), before.get("seller_name"));
    })
    .await;
}

#[tokio::test]
async fn the_copies_inside_an_embedded_document_are_those_of_the_source() {
    on_both("guarded_copies", async |bench| {
        let db = &bench.db;
        let (seller, offer) = offer(bench).await;
        let mut place = body(seller.id)["place"].take();
        place["guide_name"] = json!("Mallory");
        place["_dn"] = json!({ "p": ["x"] });
        place["_r"] = json!(9);
        let patch: OfferPatch = serde_json::from_value(json!({ "place": place })).expect("read");
        Offer::update(db, offer.id)
            .patch(patch)
            .await
            .expect("changed");
        let mut new = body(seller.id);
        new["title"] = json!("Other");
        new["place"] = place;
        let new: NewOffer = serde_json::from_value(new).expect("read");
        let new = Offer::from(new);
        Offer::insert(db, &new).await.expect("stored");
        for id in [offer.id, new.id] {
            let stored = bench.stored("offers", id).await;
            let place = stored.get_document("place").expect("one");
            assert_eq!(place.get_str("guide_name").ok(), Some("Ann"), "{place}");
            assert!(!place.to_string().contains("\"x\""), "{place}");
        }
    })
    .await;
}

/// The keys whose values differ.
fn different(before: &Document, now: &Document) -> BTreeSet<String> {
    let keys = before.keys().chain(now.keys());
    let differ = |key: &&String| before.get(*key) != now.get(*key);
    keys.filter(differ).cloned().collect()
}
