//! Organisations: none sees or changes what belongs to another one.

use mongo_model::bson::Uuid;
use mongo_model::bson::oid::ObjectId;
use serde_json::{Value, json};

use crate::shop::Shop;

/// The answers that an organisation gets about all that it has.
async fn everything(shop: &Shop, paths: &[String]) -> Vec<Value> {
    let mut all = Vec::new();
    for path in paths {
        all.push(shop.get(path).await.with(200).body);
    }
    all
}

#[tokio::test]
async fn nobody_gets_in_without_a_session() {
    let mut shop = Shop::open("sessions").await;
    let venue = shop.venue("Blue Note", 100).await;
    for session in ["", "7", &Uuid::new().to_string()] {
        shop.sign_in(session);
        shop.get(&format!("/venues/{venue}")).await.with(401);
        shop.get("/events").await.with(401);
        let body = json!({ "name": "Bar", "city": "Lisbon", "seats": 10 });
        shop.post("/venues", body).await.with(401);
    }
    shop.close().await;
}

#[tokio::test]
async fn another_organisation_sees_and_changes_nothing() {
    let mut shop = Shop::open("organisations").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let (event_id, tag) = (event.id(), event.tag.clone().expect("a tag"));
    let ann = shop.customer("ann").await;
    let order = format!("/orders/{}", ObjectId::new());
    let body = json!({ "customer": ann, "event": event_id, "seats": 2 });
    let placed = shop.put(&order, body.clone()).await.with(201);
    let ticket = placed.body["tickets"][0]
        .as_str()
        .expect("an id")
        .to_owned();
    let resources = [
        format!("/venues/{venue}"),
        format!("/events/{event_id}"),
        format!("/events/{event_id}/sales"),
        format!("/customers/{ann}"),
        order.clone(),
    ];
    let before = everything(&shop, &resources).await;

    let one = shop.sign_up("two").await;
    for path in &resources {
        shop.get(path).await.with(404);
        if !path.ends_with("/sales") {
            shop.delete(path).await.with(404);
        }
    }
    let lists = [
        "/events".to_owned(),
        format!("/venues/{venue}/events"),
        format!("/customers/{ann}/orders"),
    ];
    for path in &lists {
        let page = shop.get(path).await.with(200);
        assert_eq!(page.body["items"], json!([]), "{path}");
    }
    let path = format!("/venues/{venue}");
    shop.patch(&path, json!({ "city": "Porto" }))
        .await
        .with(404);
    let path = format!("/customers/{ann}");
    shop.patch(&path, json!({ "name": "Bob" })).await.with(404);
    let path = format!("/events/{event_id}");
    shop.patch_if(&path, &tag, json!({ "title": "Trio" }))
        .await
        .with(404);
    let path = format!("/tickets/{ticket}/admission");
    shop.post(&path, json!(null)).await.with(404);

    // Its ids lead nowhere in what the other one stores, and its natural keys are free.
    shop.event(&venue, "Trio", 1, 5).await.with(422);
    shop.put(&order, body.clone()).await.with(422);
    shop.put(&format!("/orders/{}", ObjectId::new()), body)
        .await
        .with(422);
    let bob = shop.customer("ann").await;
    let hall = shop.venue("Blue Note", 50).await;
    let own = shop.event(&hall, "Duo", 1, 50).await.with(201);
    let body = json!({ "customer": bob, "event": own.id(), "seats": 1 });
    shop.put(&order, body).await.with(409);
    for (customer, event) in [(&bob, &event_id), (&ann, &own.id())] {
        let body = json!({ "customer": customer, "event": event, "seats": 1 });
        let path = format!("/orders/{}", ObjectId::new());
        shop.put(&path, body).await.with(422);
    }

    shop.sign_in(&one);
    assert_eq!(everything(&shop, &resources).await, before);
    shop.close().await;
}
