//! Orders and tickets.

use futures::StreamExt;
use futures::future::join_all;
use mongo_model::bson::DateTime;
use mongo_model::bson::oid::ObjectId;
use mongo_model::{Id, MongoModel};
use mongo_model_service::models::{Order, Ticket};
use serde_json::json;

use crate::shop::{Answer, Shop};

/// A path that no order has.
fn new_order() -> String {
    format!("/orders/{}", ObjectId::new())
}

async fn buy(shop: &Shop, path: &str, customer: &str, event: &Answer, seats: i64) -> Answer {
    let body = json!({ "customer": customer, "event": event.id(), "seats": seats });
    shop.put(path, body).await
}

async fn sold(shop: &Shop, event: &Answer) -> i64 {
    let event = shop.get(&format!("/events/{}", event.id())).await;
    event.with(200).body["sold"].as_i64().expect("a number")
}

#[tokio::test]
async fn an_order_that_is_sent_twice_is_one_order() {
    let shop = Shop::open("twice").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let ann = shop.customer("ann").await;
    let path = new_order();

    let first = buy(&shop, &path, &ann, &event, 2).await.with(201);
    assert_eq!(first.body["total_cents"], 5_000);
    assert_eq!(first.text("customer_name"), "ann");
    assert_eq!(first.body["tickets"].as_array().map(Vec::len), Some(2));
    let again = buy(&shop, &path, &ann, &event, 2).await.with(200);
    assert_eq!(again.body, first.body);
    buy(&shop, &path, &ann, &event, 3).await.with(409);
    assert_eq!(sold(&shop, &event).await, 2);

    let path = new_order();
    let at_once = (0..8).map(|_| buy(&shop, &path, &ann, &event, 1));
    let answers = join_all(at_once).await;
    let mut statuses: Vec<u16> = answers.iter().map(|a| a.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    assert_eq!(sold(&shop, &event).await, 3);
    shop.close().await;
}

#[tokio::test]
async fn an_order_of_nobody_or_for_nothing_is_refused() {
    let shop = Shop::open("dangling").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let nobody = ObjectId::new().to_string();
    let refused = buy(&shop, &new_order(), &nobody, &event, 1).await.with(422);
    let detail = refused.text("detail");
    assert!(detail.contains("Order.customer"), "{detail}");
    let ann = shop.customer("ann").await;
    let body = json!({ "customer": ann, "event": nobody, "seats": 1 });
    shop.put(&new_order(), body).await.with(422);
    buy(&shop, &new_order(), &ann, &event, 0).await.with(422);
    shop.delete(&format!("/customers/{ann}")).await.with(204);
    let refused = buy(&shop, &new_order(), &ann, &event, 1).await.with(409);
    assert_eq!(refused.text("detail"), "the customer is deleted");
    let orders = Order::scan(&shop.tenant, |o| o.all()).with_deleted();
    assert_eq!(orders.count().await.expect("counted"), 0);
    shop.close().await;
}

#[tokio::test]
async fn fifty_buyers_get_thirty_seats() {
    let shop = Shop::open("sold_out").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 30).await.with(201);
    let ann = shop.customer("ann").await;
    let paths: Vec<String> = (0..50).map(|_| new_order()).collect();
    let answers = join_all(paths.iter().map(|path| buy(&shop, path, &ann, &event, 1))).await;
    let number = |status: u16| answers.iter().filter(|a| a.status == status).count();
    assert_eq!((number(201), number(409)), (30, 20), "{answers:?}");
    assert_eq!(sold(&shop, &event).await, 30);
    let tickets = Ticket::scan(&shop.tenant, |t| t.all()).count().await;
    assert_eq!(tickets.expect("counted"), 30);

    let sales = shop.get(&format!("/events/{}/sales", event.id())).await;
    assert_eq!(sales.body, json!({ "tickets": 30, "cents": 75_000 }));

    // An event cannot lose seats that are sold, and sales do not disturb its editors.
    let path = format!("/events/{}", event.id());
    let read = event.tag.clone().expect("a tag");
    shop.patch_if(&path, &read, json!({ "seats": 29 }))
        .await
        .with(409);
    shop.patch_if(&path, &read, json!({ "seats": 31 }))
        .await
        .with(200);
    buy(&shop, &new_order(), &ann, &event, 2).await.with(409);
    buy(&shop, &new_order(), &ann, &event, 1).await.with(201);
    shop.close().await;
}

#[tokio::test]
async fn a_cancelled_order_frees_its_seats() {
    let shop = Shop::open("cancelled").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 3).await.with(201);
    let ann = shop.customer("ann").await;
    let last_sale = async || {
        let shown = shop.get(&format!("/events/{}", event.id())).await;
        shown.body["last_sale"].clone()
    };
    assert_eq!(last_sale().await, json!(null));
    let path = new_order();
    let order = buy(&shop, &path, &ann, &event, 3).await.with(201);
    assert_eq!(last_sale().await, order.body["placed"]);
    buy(&shop, &new_order(), &ann, &event, 1).await.with(409);

    shop.delete(&path).await.with(204);
    assert_eq!(sold(&shop, &event).await, 0);
    assert_eq!(last_sale().await, json!(null));
    let sales = shop.get(&format!("/events/{}/sales", event.id())).await;
    assert_eq!(sales.body, json!({ "tickets": 0, "cents": 0 }));
    let shown = shop.get(&path).await.with(200);
    assert_eq!(shown.body["tickets"], json!([]));
    assert!(shown.body["cancelled"].is_string());
    shop.delete(&path).await.with(404);
    let ticket = order.body["tickets"][0].as_str().expect("an id");
    shop.post(&format!("/tickets/{ticket}/admission"), json!(null))
        .await
        .with(404);

    // The request arrives again: the order stays cancelled.
    buy(&shop, &path, &ann, &event, 3).await.with(200);
    assert_eq!(sold(&shop, &event).await, 0);
    buy(&shop, &new_order(), &ann, &event, 3).await.with(201);
    shop.close().await;
}

#[tokio::test]
async fn a_ticket_lets_one_person_in() {
    let shop = Shop::open("admission").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 3).await.with(201);
    let ann = shop.customer("ann").await;
    let order = buy(&shop, &new_order(), &ann, &event, 1).await.with(201);
    let ticket = order.body["tickets"][0].as_str().expect("an id");
    let path = format!("/tickets/{ticket}/admission");
    let at_once = join_all((0..5).map(|_| shop.post(&path, json!(null)))).await;
    let number = |status: u16| at_once.iter().filter(|a| a.status == status).count();
    assert_eq!((number(204), number(409)), (1, 4), "{at_once:?}");
    shop.close().await;
}

#[tokio::test]
async fn what_orders_refer_to_is_not_deleted() {
    let shop = Shop::open("deletes").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 3).await.with(201);
    let ann = shop.customer("ann").await;
    let path = new_order();
    buy(&shop, &path, &ann, &event, 1).await.with(201);

    let refused = shop.delete(&format!("/events/{}", event.id())).await;
    assert!(refused.with(409).text("detail").contains("Order.event"));
    let refused = shop.delete(&format!("/customers/{ann}")).await;
    assert!(refused.with(409).text("detail").contains("Order.customer"));

    let orders = shop
        .get(&format!("/customers/{ann}/orders"))
        .await
        .with(200);
    assert_eq!(orders.body["items"][0]["event_title"], "Quartet");
    shop.delete(&path).await.with(204);
    let orders = shop
        .get(&format!("/customers/{ann}/orders"))
        .await
        .with(200);
    assert_eq!(orders.body["items"], json!([]));
    shop.delete(&format!("/customers/{ann}")).await.with(204);
    shop.close().await;
}

#[tokio::test]
async fn a_venue_shows_the_sales_of_each_day() {
    let mut shop = Shop::open("days").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 30).await.with(201);
    let ann = shop.customer("ann").await;
    let path = new_order();
    buy(&shop, &path, &ann, &event, 3).await.with(201);
    buy(&shop, &new_order(), &ann, &event, 2).await.with(201);
    // Two tickets are of the days before and after the clocks change: the day between has 23 hours.
    for (nth, sold_at) in ["2026-03-28T23:59:00Z", "2026-03-29T23:00:00Z"]
        .iter()
        .enumerate()
    {
        let order = buy(&shop, &new_order(), &ann, &event, 1).await.with(201);
        let id = order.body["tickets"][0].as_str().expect("an id");
        let id: Id<Ticket> = id.parse().expect("an id");
        let sold_at = DateTime::parse_rfc3339_str(sold_at).expect("a time");
        let moved = Ticket::update(&shop.tenant, id);
        let moved = moved.set(|t| t.sold_at, sold_at);
        moved.await.unwrap_or_else(|error| panic!("{nth}: {error}"));
    }
    let path_of = |time: &str| format!("/venues/{venue}/sales?{time}");
    let spring = path_of("from=2026-03-28T12:00:00Z&to=2026-03-30T12:00:00Z");
    let day = |starts: &str, tickets: i64| json!({ "starts": starts, "tickets": tickets, "cents": tickets * 2_500 });
    let want = json!([
        day("2026-03-28T00:00:00Z", 1),
        day("2026-03-29T00:00:00Z", 0),
        day("2026-03-29T23:00:00Z", 1),
    ]);
    assert_eq!(shop.get(&spring).await.with(200).body, want);
    let tickets = async |shop: &Shop| -> i64 {
        let hour = 3_600_000;
        let now = DateTime::now().timestamp_millis();
        let [from, to] = [now - hour, now + hour].map(|at| {
            let at = DateTime::from_millis(at).try_to_rfc3339_string();
            at.expect("text")
        });
        let days = shop.get(&path_of(&format!("from={from}&to={to}"))).await;
        let days = days.with(200).body;
        let tickets = days
            .as_array()
            .expect("days")
            .iter()
            .map(|day| &day["tickets"]);
        tickets
            .map(|tickets| tickets.as_i64().expect("a number"))
            .sum()
    };
    assert_eq!(tickets(&shop).await, 5);
    shop.delete(&path).await.with(204);
    assert_eq!(tickets(&shop).await, 2);
    shop.get(&path_of("from=yesterday&to=now")).await.with(422);
    let years = path_of("from=2026-01-01T00:00:00Z&to=2036-01-01T00:00:00Z");
    shop.get(&years).await.with(422);
    shop.sign_up("two").await;
    shop.get(&spring).await.with(404);
    shop.close().await;
}

#[tokio::test]
async fn sales_are_told_as_they_are_made() {
    let shop = Shop::open("live").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 10).await.with(201);
    let ann = shop.customer("ann").await;
    let path = format!("/events/{}/sales/live", event.id());
    let mut told = shop.stream(&path).await;
    let mut wait_for = async |text: &str| {
        while let Some(message) = told.next().await {
            let message = String::from_utf8(message.expect("read").to_vec()).expect("text");
            if message.contains(text) {
                return;
            }
        }
        panic!("the answer ended before {text}");
    };
    wait_for(r#"data: {"tickets":0,"cents":0}"#).await;
    for seats in 1..=3 {
        buy(&shop, &new_order(), &ann, &event, seats)
            .await
            .with(201);
    }
    wait_for(r#"data: {"tickets":6,"cents":15000}"#).await;
    // It ends by itself, so that the service can.
    assert!(told.map(drop).collect::<Vec<()>>().await.len() < 10);
    shop.get("/events/000000000000000000000000/sales/live")
        .await
        .with(404);
    shop.close().await;
}

/// The customer and a cancelled order, which are both marked as deleted, lose the name and the address.
#[tokio::test]
async fn an_erased_customer_is_nowhere() {
    let shop = Shop::open("erased").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 30).await.with(201);
    let (ann, bob) = (shop.customer("ann").await, shop.customer("bob").await);
    let (order, cancelled) = (new_order(), new_order());
    buy(&shop, &order, &bob, &event, 1).await.with(201);
    buy(&shop, &cancelled, &ann, &event, 2).await.with(201);
    shop.delete(&cancelled).await.with(204);
    shop.delete(&format!("/customers/{ann}")).await.with(204);

    let path = format!("/customers/{ann}/personal");
    let data = shop.get(&path).await.with(200);
    assert_eq!(
        data.body["documents"][0]["values"]["email"],
        "ann@example.com"
    );
    let certificate = shop.delete(&path).await.with(200);
    assert_eq!(certificate.body["finished"], true, "{certificate:?}");
    assert_eq!(certificate.body["copies"][0]["path"], "customer_name");
    let orders = Order::scan(&shop.tenant, |o| o.all()).with_deleted().await;
    let orders = orders.expect("read");
    let names = orders.iter().map(|order| &*order.customer_name);
    let names: std::collections::BTreeSet<&str> = names.collect();
    assert_eq!(names, ["bob", "former customer"].into());
    let again = shop.get(&path).await.with(200);
    assert!(!again.body.to_string().contains("ann@"), "{again:?}");
    let nobody = ObjectId::new();
    shop.delete(&format!("/customers/{nobody}/personal"))
        .await
        .with(404);
    shop.close().await;
}
