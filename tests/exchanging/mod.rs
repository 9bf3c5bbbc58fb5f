//! The structs of a web API: views, patches, and new documents that are read from JSON.

mod defaults;
mod guarded;
mod mutated;
mod nested;
mod patches;
mod schemas;
mod values;
mod views;

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Decimal128, Uuid};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::common::Bench;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sellers", new = NewSeller, view(SellerView, derive(Debug, Clone)))]
pub(crate) struct Seller {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Seller>,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Stop {
    pub(crate) at: DateTime,
    pub(crate) fee: Option<Decimal128>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Place {
    pub(crate) opened: DateTime,
    #[parent(Seller)]
    pub(crate) guide: Id<Seller>,
    #[denorm(from = Seller, field = name, snapshot)]
    #[serde(default)]
    pub(crate) guide_name: String,
    #[embed(max = 5)]
    pub(crate) stops: Vec<Stop>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) enum Kind {
    Tour,
    Talk,
}

fn usual() -> Kind {
    Kind::Tour
}

/// Has a field of every role.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "offers",
    soft_delete,
    new(NewOffer, deserialize, skip(views), derive(Debug)),
    view(OfferView, skip(secret, deleted), derive(Debug, Clone)),
    view(OfferLine, only(id, title)),
    view(
        OfferPoster,
        only(id, slogan as text, seller as by),
        with(loud: String = Self::loud, guide: SellerView, at: Option<DateTime>),
        derive(Debug, Clone)
    ),
    patch(OfferPatch, skip(secret), derive(Debug, Clone)),
    patch = OfferAnyPatch,
    patch(OfferNames, only(title as name, note as remark, sponsor as by)),
)]
pub(crate) struct Offer {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Offer>,
    #[index(unique)]
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    #[serde(rename = "motto")]
    pub(crate) slogan: Option<String>,
    pub(crate) price: Decimal128,
    #[serde(with = "mongo_model::decimal")]
    pub(crate) rate: rust_decimal::Decimal,
    pub(crate) starts: DateTime,
    pub(crate) ends: Option<DateTime>,
    #[embed(max = 5)]
    pub(crate) again: Vec<DateTime>,
    #[embed(max = 5)]
    pub(crate) days: BTreeMap<String, DateTime>,
    pub(crate) place: Place,
    #[serde(default = "usual")]
    pub(crate) kind: Kind,
    pub(crate) token: Uuid,
    #[parent(Seller)]
    pub(crate) seller: Id<Seller>,
    #[denorm(from = Seller, field = name, via = seller)]
    pub(crate) seller_name: String,
    #[refs(Seller, max = 5)]
    #[denorm(from = Seller, field = name)]
    pub(crate) partners: Vec<Partner>,
    #[parent(Seller)]
    #[denorm(from = Seller, field = name, snapshot)]
    pub(crate) sponsor: Option<Sponsor>,
    #[refs(Seller, max = 5)]
    pub(crate) fans: Vec<Id<Seller>>,
    #[immutable]
    pub(crate) code: String,
    pub(crate) secret: String,
    #[volatile]
    #[serde(default)]
    pub(crate) views: i64,
    #[count(Review)]
    #[serde(default)]
    pub(crate) reviews: i64,
    #[sum(Review, field = stars)]
    #[serde(default)]
    pub(crate) stars: i64,
    #[recent(Review, max = 2, sort = -stars, fields(stars))]
    #[serde(default)]
    pub(crate) best: Vec<BestReview>,
    #[version]
    pub(crate) version: i64,
    #[created]
    pub(crate) created: DateTime,
    #[updated]
    pub(crate) updated: DateTime,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted: Option<DateTime>,
    #[serde(skip)]
    pub(crate) cached: u8,
}

impl Offer {
    fn loud(&self) -> String {
        self.title.to_uppercase()
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub(crate) struct Review {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Review>,
    #[parent(Offer)]
    pub(crate) offer: Id<Offer>,
    pub(crate) stars: i64,
}

/// The JSON of a new offer of this seller.
fn body(seller: Id<Seller>) -> Value {
    json!({
        "title": "Harbour",
        "motto": null,
        "price": "12.50",
        "rate": "0.19",
        "starts": "2030-05-01T08:00:00Z",
        "again": ["2030-05-02T08:00:00Z", "2030-05-03T08:00:00.5Z"],
        "days": { "first": "2030-05-01T08:00:00Z" },
        "place": {
            "opened": "1990-01-01T00:00:00Z",
            "guide": seller.to_string(),
            "stops": [{ "at": "2030-05-01T09:00:00Z", "fee": "1.5" }, { "at": "2030-05-01T10:00:00Z", "fee": null }]
        },
        "token": "00112233-4455-6677-8899-aabbccddeeff",
        "seller": seller.to_string(),
        "partners": [seller.to_string()],
        "sponsor": seller.to_string(),
        "fans": [seller.to_string()],
        "code": "H1",
        "secret": "xyzzy"
    })
}

/// A seller, and an offer that a client has made.
async fn offer(bench: &Bench) -> (Seller, Offer) {
    let db = &bench.db;
    bench
        .index(&[Seller::meta(), Offer::meta(), Review::meta()])
        .await;
    let name = "Ann".to_owned();
    let seller = Seller::from(NewSeller { name });
    Seller::insert(db, &seller).await.expect("stored");
    let new: NewOffer = serde_json::from_value(body(seller.id)).expect("read");
    let stored = Offer::insert(db, &new.into()).returning().await;
    (seller, stored.expect("stored").document)
}

fn date(text: &str) -> DateTime {
    DateTime::parse_rfc3339_str(text).expect("a date")
}

/// What serde says of a JSON text that it refuses.
fn refused<T: serde::de::DeserializeOwned>(json: Value) -> String {
    match serde_json::from_value::<T>(json.clone()) {
        Ok(_) => panic!("accepted: {json}"),
        Err(error) => error.to_string(),
    }
}

fn text(value: &str) -> Bson {
    Bson::String(value.to_owned())
}
