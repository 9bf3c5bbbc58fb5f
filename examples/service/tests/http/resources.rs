//! Venues, events and customers.

use serde_json::{Value, json};

use crate::shop::Shop;

#[tokio::test]
async fn a_venue_is_created_shown_changed_and_removed() {
    let shop = Shop::open("venue").await;
    let venue = shop.venue("Blue Note", 100).await;
    let path = format!("/venues/{venue}");

    let shown = shop.get(&path).await.with(200);
    assert_eq!(shown.text("name"), "Blue Note");
    assert_eq!(shown.body["events"], 0);

    let changed = shop.patch(&path, json!({ "city": "Porto" })).await;
    assert_eq!(changed.with(200).text("city"), "Porto");
    shop.patch(&path, json!({})).await.with(200);

    shop.delete(&path).await.with(204);
    shop.get(&path).await.with(404);
    shop.patch(&path, json!({ "city": "Faro" })).await.with(404);
    shop.delete(&path).await.with(404);
    shop.get("/venues/7").await.with(404);
    shop.close().await;
}

#[tokio::test]
async fn venues_are_found_by_their_distance() {
    let shop = Shop::open("near").await;
    for (name, lng, lat) in [
        ("Blue Note", -9.14, 38.71),
        ("Opera", -8.61, 41.15),
        ("Bar", -9.15, 38.72),
    ] {
        let place = json!({ "type": "Point", "coordinates": [lng, lat] });
        let body = json!({ "name": name, "city": "-", "seats": 10, "place": place });
        let venue = shop.post("/venues", body).await.with(201);
        assert_eq!(venue.body["place"], place);
    }
    shop.venue("Nowhere", 10).await;
    let near = shop
        .get("/venues?lng=-9.14&lat=38.71&meters=5000")
        .await
        .with(200);
    let names: Vec<_> = near
        .body
        .as_array()
        .expect("a list")
        .iter()
        .map(|near| &near["venue"]["name"])
        .collect();
    assert_eq!(names, ["Blue Note", "Bar"]);
    let found = shop.get("/venues/search?words=no%20BL").await.with(200);
    assert_eq!(found.body[0]["name"], "Blue Note");
    assert_eq!(found.body.as_array().map(Vec::len), Some(1));
    shop.get("/venues/search?words=").await.with(400);
    let meters = near.body[1]["meters"].as_f64().expect("a number");
    assert!((1_400.0..1_420.0).contains(&meters), "{meters}");

    shop.get("/venues?lng=-190&lat=38&meters=5").await.with(422);
    let place = json!({ "type": "Point", "coordinates": [-9.14, 98.0] });
    let body = json!({ "name": "Moon", "city": "-", "seats": 10, "place": place });
    let refused = shop.post("/venues", body).await.with(422);
    assert!(
        refused
            .text("detail")
            .contains("the latitude is not within -90..=90")
    );
    shop.close().await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_refused_with_a_reason() {
    let shop = Shop::open("refused").await;
    let venue = shop.venue("Blue Note", 100).await;

    let long = "x".repeat(201);
    let body = json!({ "name": long, "city": "Lisbon", "seats": 10 });
    let refused = shop.post("/venues", body).await.with(422);
    assert_eq!(
        refused.text("detail"),
        "Venue: name must have a length of at most 200"
    );
    let body = json!({ "name": " ", "city": "", "seats": 0 });
    let refused = shop.post("/venues", body).await.with(422);
    assert_eq!(
        refused.body["errors"],
        json!([
            { "path": "name", "rule": "not_empty", "message": "must not be empty" },
            { "path": "city", "rule": "not_empty", "message": "must not be empty" },
            { "path": "seats", "rule": "range", "message": "must be 1 to 1000000" },
        ])
    );
    let body = json!({ "name": "Bar", "city": "Lisbon", "seats": 10, "events": 7 });
    let refused = shop.post("/venues", body).await.with(422);
    assert!(refused.text("detail").contains("unknown field `events`"));
    shop.post("/venues", json!("Bar")).await.with(422);

    shop.event(&venue, "Quartet", 1, 101).await.with(422);
    shop.event("65f000000000000000000001", "Quartet", 1, 10)
        .await
        .with(422);
    shop.event("7", "Quartet", 1, 10).await.with(422);
    shop.close().await;
}

#[tokio::test]
async fn copies_counts_and_lists_follow() {
    let shop = Shop::open("follow").await;
    let venue = shop.venue("Blue Note", 100).await;
    let mut events = Vec::new();
    for day in 1..=4 {
        let event = shop.event(&venue, &format!("Day {day}"), day, 10).await;
        events.push(event.with(201).id());
    }
    let path = format!("/venues/{venue}");
    shop.patch(&path, json!({ "name": "Red Note" }))
        .await
        .with(200);
    let event = shop.get(&format!("/events/{}", events[0])).await.with(200);
    assert_eq!(event.text("venue_name"), "Red Note");

    let titles = |shown: &Value| -> Vec<String> {
        let latest = shown["latest"].as_array().expect("a list");
        let titles = latest.iter().map(|event| event["title"].as_str());
        titles
            .map(|title| title.expect("a title").to_owned())
            .collect()
    };
    let shown = shop.get(&path).await.with(200);
    assert_eq!(shown.body["events"], 4);
    assert_eq!(titles(&shown.body), ["Day 4", "Day 3", "Day 2"]);
    shop.delete(&format!("/events/{}", events[3]))
        .await
        .with(204);
    let shown = shop.get(&path).await.with(200);
    assert_eq!(shown.body["events"], 3);
    assert_eq!(titles(&shown.body), ["Day 3", "Day 2", "Day 1"]);

    let refused = shop.delete(&path).await.with(409);
    assert!(
        refused.text("detail").contains("Event.venue"),
        "{refused:?}"
    );
    shop.close().await;
}

#[tokio::test]
async fn an_event_is_changed_by_whoever_has_read_it() {
    let shop = Shop::open("versions").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let path = format!("/events/{}", event.id());
    let read = event.tag.expect("a tag");

    let body = json!({ "title": "Quintet", "description": "With a guest.", "price_cents": 3_000 });
    shop.patch(&path, body.clone()).await.with(428);
    let changed = shop.patch_if(&path, &read, body).await.with(200);
    assert_eq!(changed.text("title"), "Quintet");
    assert_eq!(changed.text("starts"), "2100-01-01T20:00:00Z");

    let stale = shop
        .patch_if(&path, &read, json!({ "title": "Trio" }))
        .await
        .with(412);
    assert_eq!(
        stale.text("detail"),
        "the event has changed since you read it"
    );

    let read = changed.tag.expect("a tag");
    let changed = shop
        .patch_if(&path, &read, json!({ "description": null }))
        .await
        .with(200);
    assert_eq!(changed.body["description"], Value::Null);
    assert_eq!(changed.text("title"), "Quintet");

    let read = changed.tag.expect("a tag");
    shop.patch_if(&path, &read, json!({})).await.with(200);
    shop.patch_if(&path, "\"0\"", json!({})).await.with(412);
    let body = json!({ "seats": 101 });
    shop.patch_if(&path, &read, body).await.with(422);
    let body = json!({ "seats": 100 });
    let changed = shop.patch_as("nina", &path, &read, body).await.with(200);
    assert_eq!(changed.body["seats"], 100);

    let history = shop.get(&format!("{path}/history")).await.with(200).body;
    let entries = history.as_array().expect("entries").iter();
    let calls = entries.map(|entry| entry["call"].as_str().expect("a call"));
    let calls: Vec<&str> = calls.collect();
    let update = "Event::update_if";
    assert_eq!(calls, [update, update, update, "Event::insert"]);
    let price = history[2]["changes"].as_array().expect("changes").iter();
    let price = price.filter(|change| change["path"] == "price_cents");
    let price: Vec<&Value> = price.collect();
    assert_eq!(
        price,
        [&json!({ "path": "price_cents", "before": 2_500, "after": 3_000 })]
    );
    assert_eq!(history[0]["by"], "nina");
    assert_eq!(history[1].get("by"), None);
    shop.close().await;
}

#[tokio::test]
async fn pages_go_to_the_end() {
    let shop = Shop::open("pages").await;
    let venue = shop.venue("Blue Note", 100).await;
    for day in 1..=7 {
        let title = format!("Day {day}");
        shop.event(&venue, &title, day, 10).await.with(201);
    }
    for list in ["/events".to_owned(), format!("/venues/{venue}/events")] {
        let (mut path, mut sizes, mut titles) = (format!("{list}?limit=3"), vec![], vec![]);
        loop {
            let page = shop.get(&path).await.with(200);
            let items = page.body["items"].as_array().expect("items");
            sizes.push(items.len());
            titles.extend(items.iter().map(|item| item["title"].clone()));
            let Some(next) = page.body["next"].as_str() else {
                break;
            };
            path = format!("{list}?limit=3&after={next}");
        }
        let days: Vec<String> = (1..=7).map(|day| format!("Day {day}")).collect();
        assert_eq!(
            (sizes, titles),
            (vec![3, 3, 1], days.iter().map(|d| json!(d)).collect())
        );
    }
    shop.get("/events?after=12").await.with(400);
    shop.get("/events?limit=many").await.with(400);
    shop.close().await;
}

#[tokio::test]
async fn an_address_belongs_to_one_customer() {
    let shop = Shop::open("customers").await;
    let ann = shop.customer("ann").await;
    let bob = shop.customer("bob").await;
    let body = json!({ "name": "Ann", "email": "ANN@example.com" });
    let taken = shop.post("/customers", body.clone()).await.with(409);
    assert!(!taken.text("detail").contains("ann"), "{taken:?}");
    let path = format!("/customers/{bob}");
    shop.patch(&path, body.clone()).await.with(409);
    shop.patch(&path, json!({ "email": "bob" })).await.with(422);

    shop.delete(&format!("/customers/{ann}")).await.with(204);
    shop.get(&format!("/customers/{ann}")).await.with(404);
    shop.post("/customers", body).await.with(201);
    shop.close().await;
}

#[tokio::test]
async fn comments_form_threads() {
    let shop = Shop::open("comments").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let (event, path) = (event.id(), format!("/events/{}", event.id()));
    let say = async |text: &str, above: Option<&str>| {
        let body = json!({ "event": event, "above": above, "text": text });
        shop.post("/comments", body).await
    };
    let question = say("When do doors open?", None).await.with(201);
    let id = question.id();
    assert_eq!(question.body["path"], json!([]));
    let answer = say("At eight.", Some(&id)).await.with(201);
    assert_eq!(answer.body["path"], json!([id]));
    let thanks = say("Thanks!", Some(&answer.id())).await.with(201);
    assert_eq!(thanks.body["path"], json!([id, answer.id()]));
    say("Is there a bar?", None).await.with(201);

    let texts = |of: &Value| -> Vec<String> {
        let all = of.as_array().expect("a list").iter();
        let text = |one: &Value| one["text"].as_str().expect("a text").to_owned();
        all.map(text).collect()
    };
    let answers = shop.get(&format!("/comments/{id}/answers")).await.with(200);
    assert_eq!(texts(&answers.body), ["At eight.", "Thanks!"]);
    let all = shop
        .get(&format!("{path}/comments?limit=10"))
        .await
        .with(200);
    assert_eq!(all.body["items"].as_array().map(Vec::len), Some(4));
    assert_eq!(all.body["items"][0]["answers"], 1);

    // An answer belongs to the event of the comment.
    let other = shop.event(&venue, "Trio", 2, 10).await.with(201);
    let body = json!({ "event": other.id(), "above": id, "text": "-" });
    shop.post("/comments", body).await.with(422);

    shop.delete(&format!("/comments/{id}")).await.with(204);
    let all = shop
        .get(&format!("{path}/comments?limit=10"))
        .await
        .with(200);
    assert_eq!(texts(&all.body["items"]), ["Is there a bar?"]);
    shop.delete(&path).await.with(204);
    shop.close().await;
}
