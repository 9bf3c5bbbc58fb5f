//! Unique indexes over copies: the write that stores a reference has the values of its source.

use bson::doc;
use mongo_model::{MongoEmbed, MongoModel, settle};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "unique_users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    mail: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "unique_cards")]
struct Card {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(User)]
    user: i32,
    #[index(unique)]
    #[denorm(from = User, field = mail, via = user)]
    user_mail: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Seat {
    #[parent(User)]
    user: i32,
    #[denorm(from = User, field = mail, via = user)]
    mail: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "unique_tables",
    index(keys(seats.mail), unique),
    allow(idx_unique_array, reason = "a person has one seat")
)]
struct Table {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 5)]
    seats: Vec<Seat>,
}

fn card(id: i32, user: i32) -> Card {
    Card {
        id,
        user,
        user_mail: String::new(),
    }
}

fn seat(user: i32) -> Seat {
    Seat {
        user,
        mail: String::new(),
    }
}

async fn start(bench: &Bench) {
    let models = [User::meta(), Card::meta(), Table::meta()];
    bench.index(&models).await;
    let users: Vec<User> = (0..20)
        .map(|id| User {
            id,
            mail: format!("m{id}"),
        })
        .collect();
    User::insert_many(&bench.db, &users).await.expect("stored");
}

#[tokio::test]
async fn a_new_copy_is_compared_by_its_value() {
    on_both("unique_copy", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let all = (0..10).map(|n| async move { Card::insert(db, &card(n, n)).await });
        for stored in futures::future::join_all(all).await {
            stored.expect("stored");
        }
        let taken = Card::insert(db, &card(20, 3)).await.expect_err("taken");
        assert!(Card::is_duplicate_user_mail(&taken), "{taken}");
        settle(db).await;
        Card::insert(db, &card(10, 10)).await.expect("stored");
        // A reference that is set takes its copy with it.
        let moved = Card::update(db, 10).set(|c| c.user, 4).await;
        assert!(moved.is_err_and(|error| Card::is_duplicate_user_mail(&error)));
        settle(db).await;
        let empty = doc! { "user_mail": "" };
        let left = bench.raw("unique_cards").count_documents(empty).await;
        assert_eq!(left.expect("counted"), 0);
        assert_eq!(bench.len("unique_cards").await, 11);
    })
    .await;
}

#[tokio::test]
async fn a_pushed_entry_is_compared_by_its_value() {
    on_both("unique_entry", async |bench| {
        start(bench).await;
        let db = &bench.db;
        for id in 0..2 {
            let seats = vec![seat(10 + id)];
            let table = Table { id, seats };
            Table::insert(db, &table).await.expect("stored");
        }
        let pushes =
            (0..2).map(|id| async move { Table::update(db, id).push(|t| t.seats, seat(id)).await });
        for pushed in futures::future::join_all(pushes).await {
            pushed.expect("pushed");
        }
        let taken = Table::update(db, 1).push(|t| t.seats, seat(0)).await;
        assert!(taken.is_err_and(|error| error.is_duplicate()));
        settle(db).await;
        let stored = Table::get(db, 1).await.expect("read").expect("stored");
        let mails: Vec<&str> = stored.seats.iter().map(|seat| seat.mail.as_str()).collect();
        assert_eq!(mails, ["m11", "m1"]);
    })
    .await;
}
