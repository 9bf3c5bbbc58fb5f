//! A database that an older program has filled.

use bson::oid::ObjectId;
use bson::{DateTime, Document, doc};
use mongo_model::{migrate_all, sync_indexes};
use serde_json::json;

use crate::shop::Shop;

/// The tickets that the venue has sold in the last hour, by the sales of each day.
async fn sold(shop: &Shop, venue: &str) -> i64 {
    let hour = 3_600_000;
    let now = DateTime::now().timestamp_millis();
    let [from, to] = [now - hour, now + hour].map(|at| {
        DateTime::from_millis(at)
            .try_to_rfc3339_string()
            .expect("text")
    });
    let days = shop
        .get(&format!("/venues/{venue}/sales?from={from}&to={to}"))
        .await;
    let days = days.with(200).body;
    let days = days.as_array().expect("days").iter();
    days.map(|day| day["tickets"].as_i64().expect("a number"))
        .sum()
}

#[tokio::test]
async fn tickets_of_older_programs_get_their_venue_and_time() {
    let shop = Shop::open("migrated").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 30).await.with(201);
    let ann = shop.customer("ann").await;
    let orders = [3, 2].map(|seats| (format!("/orders/{}", ObjectId::new()), seats));
    for (path, seats) in &orders {
        let body = json!({ "customer": ann, "event": event.id(), "seats": seats });
        shop.put(path, body).await.with(201);
    }
    shop.delete(&orders[1].0).await.with(204);
    let tickets = shop.db.collection::<Document>("tickets");
    let older = doc! { "$unset": { "venue": "", "sold_at": "" } };
    tickets.update_many(doc! {}, older).await.expect("changed");
    let days = shop.db.collection::<Document>("venue_days");
    days.drop().await.expect("dropped");
    for index in ["venue_1__id_1", "venue_1_sold_at_1"] {
        tickets.drop_index(index).await.expect("dropped");
    }
    assert_eq!(sold(&shop, &venue).await, 0);

    let done = migrate_all(&shop.db).await.expect("migrated");
    assert_eq!(done.ran, ["date_tickets"]);
    assert_eq!(sold(&shop, &venue).await, 3);
    let undated = doc! { "$or": [{ "venue": null }, { "sold_at": null }] };
    let undated = tickets.count_documents(undated).await.expect("counted");
    assert_eq!(undated, 0, "those of the cancelled order too");
    let again = migrate_all(&shop.db).await.expect("nothing to do");
    assert!(again.ran.is_empty());
    sync_indexes(&shop.db).await.expect("created");
    shop.close().await;
}
