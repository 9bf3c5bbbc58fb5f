//! Answers, and new documents that clients send.

use std::collections::BTreeMap;

use bson::{Decimal128, doc};
use mongo_model::validator::api_schema;
use mongo_model::{Average, DecimalAverage, Error, Id, MongoModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Kind, NewOffer, Offer, OfferLine, OfferPoster, OfferView, body, date, offer, refused};
use crate::common::alone;

#[tokio::test]
async fn json_has_text_for_ids_dates_and_decimals_at_every_depth() {
    alone("view", async |bench| {
        let (seller, offer) = offer(bench).await;
        let id = seller.id.to_string();
        let json = serde_json::to_value(OfferView::from(&offer)).expect("written");
        let stamp = |date: bson::DateTime| json!(date.try_to_rfc3339_string().expect("text"));
        let mut wanted = body(seller.id);
        let more = json!({
            "id": offer.id.to_string(),
            "ends": null,
            "kind": "Tour",
            "seller_name": "Ann",
            "partners": [{ "id": id, "name": "Ann" }],
            "sponsor": { "id": id, "name": "Ann" },
            "views": 0, "reviews": 0, "stars": 0, "best": [],
            "version": offer.version,
            "created": stamp(offer.created),
            "updated": stamp(offer.updated),
        });
        let fields = wanted.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        // It is skipped, and an absent `note` is not written: so its model says.
        fields.remove("secret");
        fields["place"]["guide_name"] = json!("Ann");
        assert_eq!(json, wanted);
        assert!(!json.to_string().contains("xyzzy"));

        let line = serde_json::to_string(&OfferLine::from(offer.clone())).expect("written");
        let wanted = format!(r#"{{"id":"{}","title":"Harbour"}}"#, offer.id);
        assert_eq!(line, wanted);
    })
    .await;
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "judged", view = JudgedView)]
struct Judged {
    #[serde(rename = "_id")]
    id: i32,
    #[avg(Judgement, field = stars)]
    rating: Average,
    #[avg(Judgement, field = price)]
    mean: DecimalAverage,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "judgements")]
struct Judgement {
    #[serde(rename = "_id")]
    id: Id<Judgement>,
    #[parent(Judged)]
    judged: i32,
    stars: i32,
    price: Decimal128,
}

#[test]
fn an_average_is_its_quotient() {
    let price: Decimal128 = "3.00".parse().expect("a decimal");
    let stored = doc! { "_id": 1, "rating": { "sum": 7_i64, "n": 2_i64 }, "mean": { "sum": price, "n": 2_i64 } };
    let judged: Judged = bson::deserialize_from_document(stored).expect("read");
    let none = Judged {
        id: 2,
        rating: Average::default(),
        mean: DecimalAverage::default(),
    };
    let shown = [&judged, &none]
        .map(|judged| serde_json::to_value(JudgedView::from(judged)).expect("written"));
    assert_eq!(shown[0], json!({ "id": 1, "rating": 3.5, "mean": "1.50" }));
    assert_eq!(shown[1], json!({ "id": 2, "rating": null, "mean": null }));
    let schema = serde_json::to_value(api_schema::<JudgedView>()).expect("JSON");
    assert_eq!(schema["required"], json!(["id", "rating", "mean"]));
    assert_eq!(
        schema["properties"]["rating"],
        json!({ "type": ["number", "null"] })
    );
    assert_eq!(
        schema["properties"]["mean"],
        json!({ "type": ["string", "null"] })
    );
}

/// An answer with more than a document has.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    offer: OfferLine,
    likes: i64,
}

#[tokio::test]
async fn a_view_is_a_part_of_an_answer() {
    alone("view_part", async |bench| {
        let (_, offer) = offer(bench).await;
        let id = offer.id.to_string();
        let answer = Answer {
            offer: offer.into(),
            likes: 3,
        };
        let json = serde_json::to_value(answer).expect("written");
        assert_eq!(json, json!({ "id": id, "title": "Harbour", "likes": 3 }));
    })
    .await;
}

#[tokio::test]
async fn a_view_has_fields_under_other_names_and_values_of_a_function_and_of_the_program() {
    alone("view_more", async |bench| {
        let (seller, offer) = offer(bench).await;
        let at = date("2030-05-01T08:00:00Z");
        let id = json!(seller.id.to_string());
        let wanted = json!({
            "id": offer.id.to_string(),
            "text": null,
            "by": id,
            "loud": "HARBOUR",
            "guide": { "id": id, "name": "Ann" },
            "at": "2030-05-01T08:00:00Z",
        });
        let poster = OfferPoster::from((&offer, seller.clone().into(), Some(at)));
        assert_eq!((&*poster.loud, poster.by), ("HARBOUR", seller.id));
        assert_eq!(serde_json::to_value(poster).expect("written"), wanted);
        let poster: OfferPoster = (offer, seller.into(), Some(at)).into();
        assert_eq!(serde_json::to_value(poster).expect("written"), wanted);
    })
    .await;
}

#[tokio::test]
async fn a_value_without_a_form_in_json_is_an_error() {
    alone("view_wrong", async |bench| {
        let (_, mut offer) = offer(bench).await;
        offer.place.stops[0].at = bson::DateTime::MAX;
        let error = serde_json::to_string(&OfferView::from(offer)).expect_err("no text");
        assert!(error.to_string().contains("RFC 3339"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_new_document_is_read_from_json() {
    alone("new_json", async |bench| {
        let (seller, offer) = offer(bench).await;
        assert_eq!(offer.price, "12.50".parse().expect("a number"));
        assert_eq!(offer.rate.to_string(), "0.19");
        assert_eq!(offer.starts, date("2030-05-01T08:00:00Z"));
        assert_eq!(offer.again[1], date("2030-05-03T08:00:00.5Z"));
        assert_eq!(offer.days["first"], offer.starts);
        assert_eq!(offer.place.guide, seller.id);
        assert_eq!(offer.place.stops[0].fee, Some("1.5".parse().expect("one")));
        assert_eq!(offer.place.stops[1].fee, None);
        assert_eq!(
            (offer.kind, offer.ends, offer.cached),
            (Kind::Tour, None, 0)
        );
        assert_eq!(offer.partners[0].name, "Ann");
        assert_eq!(offer.sponsor.expect("one").id, seller.id);

        // The JSON of an answer is that of a request, but for what the library fills in.
        let stored = Offer::get(&bench.db, offer.id).await.expect("read");
        let stored = stored.expect("stored");
        assert_eq!(stored.token.to_string(), body(seller.id)["token"]);
        let again: NewOffer = serde_json::from_value(body(seller.id)).expect("read");
        let duplicate = Offer::insert(&bench.db, &again.into()).await;
        assert!(matches!(duplicate, Err(Error::Duplicate { .. })));
    })
    .await;
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_the_field() {
    let with = |name: &str, value: Value| {
        let mut body = body(Id::new());
        body[name] = value;
        refused::<NewOffer>(body)
    };
    let said = with("starts", json!("tomorrow"));
    assert!(
        said.starts_with("`starts`: expected a date as in RFC 3339"),
        "{said}"
    );
    let said = with("seller", json!("7"));
    assert!(said.starts_with("`seller`: expected an id of 24"), "{said}");
    let said = with("partners", json!(["7"]));
    assert!(
        said.starts_with("`partners`: expected an id of 24"),
        "{said}"
    );
    let said = with("place", json!({ "opened": "x" }));
    assert!(
        said.starts_with("`place`: opened: expected a date"),
        "{said}"
    );
    let said = with("price", json!(12.5));
    assert!(said.starts_with("`price`: "), "{said}");
    let said = with("title", json!(null));
    assert!(said.starts_with("`title`: "), "{said}");
    let said = with("token", json!("7"));
    assert_eq!(said, "`token`: expected a UUID");
    let said = with("titel", json!("Harbour"));
    assert!(
        said.starts_with("unknown field `titel`, expected one of `title`, "),
        "{said}"
    );

    let mut body = body(Id::new());
    body.as_object_mut().expect("an object").remove("title");
    assert_eq!(refused::<NewOffer>(body), "missing field `title`");
    let twice = serde_json::from_str::<NewOffer>(r#"{ "title": "a", "title": "b" }"#);
    let twice = twice.expect_err("given twice").to_string();
    assert!(twice.starts_with("duplicate field `title`"), "{twice}");
    let list = refused::<NewOffer>(json!([1]));
    assert!(list.contains("the fields of a `NewOffer`"), "{list}");
}

/// The flattened field stands before the `_id`, and in the other behind it.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "view_bags", view = BagView)]
struct Bag {
    #[serde(flatten)]
    more: BTreeMap<String, String>,
    #[serde(rename = "_id")]
    id: Id<Bag>,
    title: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "view_sacks", view(SackView, only(id, title as name, more)))]
struct Sack {
    #[serde(rename = "_id")]
    id: Id<Sack>,
    title: String,
    #[serde(flatten)]
    more: BTreeMap<String, String>,
}

/// The keys of a flattened map are data: none of them takes the place of the `_id`, or of another field under its name in JSON.
#[test]
fn no_key_of_a_flattened_map_replaces_a_field_of_a_view() {
    let pairs = [("id", "forged"), ("name", "forged"), ("size", "2")];
    let more = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let (title, more) = ("a".to_owned(), BTreeMap::from(more));
    let bag = Bag {
        more: more.clone(),
        id: Id::new(),
        title: title.clone(),
    };
    let json = serde_json::to_value(BagView::from(&bag)).expect("written");
    let wanted = json!({ "id": bag.id.to_string(), "title": "a", "name": "forged", "size": "2" });
    assert_eq!(json, wanted);
    let sack = Sack {
        id: Id::new(),
        title,
        more,
    };
    let json = serde_json::to_value(SackView::from(&sack)).expect("written");
    let wanted = json!({ "id": sack.id.to_string(), "name": "a", "size": "2" });
    assert_eq!(json, wanted);
}
