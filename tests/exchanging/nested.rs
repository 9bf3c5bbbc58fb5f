//! Patches of embedded documents by field.

use bson::{Bson, Document, doc};
use mongo_model::update::ReturnedIf;
use mongo_model::{Error, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NewSeller, Seller, refused, text};
use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[model(patch(SpotPatch, derive(Debug, Clone)))]
pub(crate) struct Spot {
    #[check(range = -90..=90)]
    pub(crate) lat: f64,
    pub(crate) label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[model(patch(
    AddressPatch,
    skip(secret),
    nested(spot = SpotPatch, other = SpotPatch),
    derive(Debug, Clone)
))]
pub(crate) struct Address {
    #[check(len = 1..=20)]
    pub(crate) city: String,
    #[serde(rename = "zip")]
    pub(crate) code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    pub(crate) since: bson::DateTime,
    pub(crate) floors: i8,
    pub(crate) spot: Spot,
    pub(crate) other: Option<Spot>,
    pub(crate) secret: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "houses",
    patch(
        HousePatch,
        nested(address = AddressPatch, second = AddressPatch, view = SpotPatch),
        derive(Debug, Clone)
    ),
    patch(HouseMove, only(address as to), nested(address = AddressPatch))
)]
pub(crate) struct House {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
    pub(crate) address: Address,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) second: Option<Address>,
    pub(crate) view: Option<Spot>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[model(patch = OfficePatch)]
pub(crate) struct Office {
    pub(crate) floor: i32,
    #[parent(Seller)]
    pub(crate) agent: Id<Seller>,
    #[denorm(from = Seller, field = name)]
    pub(crate) agent_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "firms", patch(FirmPatch, nested(office = OfficePatch)))]
pub(crate) struct Firm {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) office: Office,
    #[version]
    pub(crate) version: i64,
}

fn address() -> Address {
    Address {
        city: "Oslo".to_owned(),
        code: Some("0150".to_owned()),
        note: Some("old".to_owned()),
        since: bson::DateTime::from_millis(0),
        floors: 3,
        spot: Spot {
            lat: 59.9,
            label: None,
        },
        other: None,
        secret: "xyzzy".to_owned(),
    }
}

pub(crate) async fn house(bench: &Bench) -> Document {
    let house = House {
        id: 1,
        name: "Blue".to_owned(),
        address: address(),
        second: None,
        view: None,
    };
    House::insert(&bench.db, &house).await.expect("stored");
    bench.stored("houses", 1).await
}

fn patch(json: Value) -> HousePatch {
    serde_json::from_value(json).expect("read")
}

#[tokio::test]
async fn only_the_fields_that_are_given_are_set() {
    on_both("nested", async |bench| {
        let (db, mut expected) = (&bench.db, house(bench).await);
        let given = patch(json!({
            "name": "Red",
            "address": {
                "city": "Bergen",
                "zip": null,
                "note": null,
                "since": "2030-05-01T08:00:00Z",
                "spot": { "lat": 60.4, "label": "quay" }
            }
        }));
        let update = House::update(db, 1).patch(given);
        update.await.expect("changed");
        let command = bench.only();
        let sent = command.get_array("updates").expect("updates")[0].as_document();
        let sent = sent.and_then(|update| update.get_document("u").ok());
        let since = super::date("2030-05-01T08:00:00Z");
        let set = doc! {
            "name": "Red",
            "address.city": "Bergen",
            "address.zip": null,
            "address.since": since,
            "address.spot.lat": 60.4,
            "address.spot.label": "quay",
        };
        let unset = doc! { "address.note": "" };
        assert_eq!(sent, Some(&doc! { "$set": set, "$unset": unset }));
        let address = expected.get_document_mut("address").expect("there");
        address.extend(doc! { "city": "Bergen", "zip": null, "since": since });
        address.insert("spot", doc! { "lat": 60.4, "label": "quay" });
        address.remove("note");
        expected.insert("name", "Red");
        assert_eq!(bench.stored("houses", 1).await, expected);
        let moved: HouseMove =
            serde_json::from_value(json!({ "to": { "floors": 4 } })).expect("read");
        let update = House::update(db, 1).patch(moved).returning();
        assert_eq!(update.await.expect("changed").address.floors, 4);
    })
    .await;
}

#[tokio::test]
async fn an_empty_one_changes_nothing() {
    alone("nested_empty", async |bench| {
        let (db, before) = (&bench.db, house(bench).await);
        for given in [
            json!({ "address": {} }),
            json!({ "second": {}, "view": {} }),
            json!({ "address": { "spot": {}, "other": {} } }),
        ] {
            let update = House::update(db, 1).patch(patch(given));
            assert_eq!(update.await.expect("nothing to do").modified, 0);
        }
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(bench.stored("houses", 1).await, before);
    })
    .await;
}

#[tokio::test]
async fn null_removes_an_optional_document_and_a_missing_one_is_no_place_for_a_field() {
    alone("nested_null", async |bench| {
        let db = &bench.db;
        house(bench).await;
        let change = |json| House::update(db, 1).patch(patch(json));
        // A spot is readable with its latitude alone, an address not without its city.
        let done = change(json!({ "view": { "lat": 1.5 }, "address": { "other": { "lat": 2 } } }));
        done.await.expect("stored");
        let stored = bench.stored("houses", 1).await;
        assert_eq!(stored.get("view"), Some(&doc! { "lat": 1.5 }.into()));
        let address = stored.get_document("address").expect("there");
        assert_eq!(address.get("other"), Some(&doc! { "lat": 2.0 }.into()));
        let missing = change(json!({ "second": { "city": "Rome" } })).await;
        assert!(missing.is_err(), "{missing:?}");
        // By another program.
        let null = doc! { "$set": { "second": null } };
        let houses = bench.raw("houses");
        houses
            .update_one(doc! { "_id": 1 }, null)
            .await
            .expect("stored");
        let missing = change(json!({ "second": { "city": "Rome" } })).await;
        let by_hand = House::update(db, 1).set(|h| h.second.city, "Rome").await;
        assert_eq!(format!("{missing:?}"), format!("{by_hand:?}"));
        assert!(missing.is_err(), "{missing:?}");
        let label = change(json!({ "view": { "label": "sea" } })).await;
        label.expect("it has a latitude");

        let none = json!({ "view": null, "second": null, "address": { "other": null } });
        change(none).await.expect("removed");
        let stored = bench.stored("houses", 1).await;
        assert_eq!(stored.get("view"), Some(&Bson::Null));
        assert_eq!(stored.get("second"), None);
        let address = stored.get_document("address").expect("there");
        assert_eq!(address.get("other"), Some(&Bson::Null));
    })
    .await;
}

#[tokio::test]
async fn values_are_checked_as_everywhere() {
    alone("nested_checks", async |bench| {
        let (db, before) = (&bench.db, house(bench).await);
        let given =
            json!({ "address": { "city": "", "spot": { "lat": 91 } }, "view": { "lat": -90.5 } });
        let refused_by_rules = House::update(db, 1).patch(patch(given)).await;
        let Err(Error::Invalid { violations, .. }) = refused_by_rules else {
            panic!("{refused_by_rules:?}");
        };
        let mut paths: Vec<&str> = violations.iter().map(|one| one.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["address.city", "address.spot.lat", "view.lat"]);
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(bench.stored("houses", 1).await, before);
        for (given, says) in [
            (json!({ "address": null }), "`address`: "),
            (json!({ "address": { "floors": 300 } }), "`floors`: "),
            (json!({ "address": { "city": null } }), "`city`: "),
            (
                json!({ "address": { "secret": "x" } }),
                "unknown field `secret`",
            ),
            (
                json!({ "address": { "code": "x" } }),
                "unknown field `code`",
            ),
            (
                json!({ "address": { "spot": { "_id": 1 } } }),
                "unknown field `_id`",
            ),
            (
                json!({ "address.city": "x" }),
                "unknown field `address.city`",
            ),
            (
                json!({ "address": { "spot.lat": 1 } }),
                "unknown field `spot.lat`",
            ),
            (json!({ "address": [] }), "`address`: "),
        ] {
            let said = refused::<HousePatch>(given);
            assert!(said.contains(says), "{said}");
        }
    })
    .await;
}

#[tokio::test]
async fn copies_beside_a_reference_follow_and_versions_count() {
    on_both("nested_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[Seller::meta(), Firm::meta()]).await;
        let [ann, bob] = ["Ann", "Bob"].map(|name| {
            Seller::from(NewSeller {
                name: name.to_owned(),
            })
        });
        Seller::insert_many(db, [&ann, &bob]).await.expect("stored");
        let office = Office {
            floor: 1,
            agent: ann.id,
            agent_name: String::new(),
        };
        let firm = Firm {
            id: 1,
            office,
            version: 0,
        };
        Firm::insert(db, &firm).await.expect("stored");
        let patch = |json| -> FirmPatch { serde_json::from_value(json).expect("read") };
        let given = json!({ "office": { "agent": bob.id.to_string() } });
        let update = Firm::update(db, 1).patch(patch(given)).if_version(0);
        let done = update.returning().await.expect("changed");
        let ReturnedIf::Done(done) = done else {
            panic!("{done:?}");
        };
        assert_eq!((done.document.version, done.document.office.floor), (1, 1));
        let stored = bench.stored("firms", 1).await;
        let office = stored.get_document("office").expect("there");
        assert_eq!(office.get("agent_name"), Some(&text("Bob")));
        let nobody = json!({ "office": { "agent": Id::<Seller>::new().to_string() } });
        let nobody = Firm::update(db, 1).patch(patch(nobody)).await;
        assert!(matches!(nobody, Err(Error::Dangling { .. })), "{nobody:?}");
        let said = refused::<FirmPatch>(json!({ "office": { "agent_name": "Eve" } }));
        assert!(said.contains("unknown field `agent_name`"), "{said}");
    })
    .await;
}
