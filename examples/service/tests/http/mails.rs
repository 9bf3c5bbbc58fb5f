//! Mails about orders.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;

use futures::future::join_all;
use mongo_model::bson::oid::ObjectId;
use mongo_model::{Id, settle};
use mongo_model_service::mails::{self, Mail, Post};
use mongo_model_service::models::Ticket;
use serde_json::json;

use crate::shop::Shop;

/// Keeps the mails, by their tickets.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<Id<Ticket>, Mail>>);

impl Post for Kept {
    async fn deliver(&self, mail: Mail) -> io::Result<()> {
        self.0.lock().expect("no panic").insert(mail.ticket, mail);
        Ok(())
    }
}

#[tokio::test]
async fn each_ticket_that_is_sold_has_one_mail() {
    let shop = Shop::open("mails").await;
    let venue = shop.venue("Blue Note", 100).await;
    let event = shop.event(&venue, "Quartet", 1, 9).await.with(201);
    let ann = shop.customer("ann").await;
    let orders = (0..8).map(async |_| {
        let body = json!({ "customer": ann, "event": event.id(), "seats": 2 });
        shop.put(&format!("/orders/{}", ObjectId::new()), body)
            .await
    });
    let answers = join_all(orders).await;
    let sold = answers.iter().filter(|answer| answer.status == 201);
    let tickets = sold.flat_map(|order| order.body["tickets"].as_array().expect("tickets"));
    let tickets = tickets.map(|id| id.as_str().expect("an id").parse().expect("an id"));
    let mut tickets: Vec<Id<Ticket>> = tickets.collect();
    tickets.sort_unstable();
    assert_eq!(tickets.len(), 8); // the fifth order finds one seat

    settle(&shop.db).await;
    let post = Kept::default();
    let worked = mails::work(&shop.db, &post).await.expect("worked");
    assert_eq!((worked.handled, worked.failed, worked.dead), (4, 0, 0));
    let mailed = || -> Vec<Id<Ticket>> {
        let mails = post.0.lock().expect("no panic");
        assert!(
            mails
                .values()
                .all(|mail| mail.subject == "Your ticket for Quartet"
                    && mail.to == "ann@example.com")
        );
        mails.keys().copied().collect()
    };
    assert_eq!(mailed(), tickets);

    // A second look finds nothing, and a reader that gets all once more makes no other mails.
    let worked = mails::work(&shop.db, &post).await.expect("worked");
    assert_eq!(worked.handled, 0);
    assert_eq!(mails::replay(&shop.db).await.expect("replayed"), 4);
    let worked = mails::work(&shop.db, &post).await.expect("worked");
    assert_eq!(worked.handled, 4);
    assert_eq!(mailed(), tickets);
    shop.close().await;
}
