//! Ten thousand messages of one host, stored and deleted by one call each.

use std::time::Instant;

use bson::{DateTime, Document, doc};
use mongo_model::{MongoModel, recover};
use mongo_model_dev_server::monitor::StartedCommand;
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::keeping::settled::{number, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "big_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    #[recent(Message, max = 1000, sort = time, fields(time, text))]
    last: Vec<RecentMessage>,
    #[count(Message)]
    messages: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "big_messages")]
struct Message {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, sort = -time, unchecked)]
    host: i32,
    time: DateTime,
    text: String,
}

/// Each moment has three messages.
fn messages(ids: std::ops::Range<i32>) -> Vec<Message> {
    let message = |id: i32| Message {
        id,
        host: 1,
        time: DateTime::from_millis(i64::from(id / 3)),
        text: format!("message {id}"),
    };
    ids.map(message).collect()
}

async fn start(bench: &Bench, stored: i32) {
    bench.index(&[Host::meta(), Message::meta()]).await;
    let host = Host {
        id: 1,
        last: Vec::new(),
        messages: 0,
    };
    Host::insert(&bench.db, &host).await.expect("stored");
    if stored > 0 {
        let stored = messages(0..stored);
        Message::insert_many(&bench.db, &stored)
            .await
            .expect("stored");
        recover(&bench.db).await.expect("recovered");
    }
    bench.forget();
}

/// How many messages the host has, and the ids of the last ones, the last one last.
async fn kept(bench: &Bench) -> (i64, Vec<i64>) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    let host = shown::<Host>(bench, &1).await;
    let last = host.get_array("last").expect("a list").iter();
    let ids = last.map(|one| number(one.as_document().expect("an entry"), "id"));
    (number(&host, "messages"), ids.collect())
}

/// The updates of lists that were sent, with their sizes.
fn lists(sent: &[StartedCommand]) -> Vec<usize> {
    let lists = sent.iter().map(|sent| sent.command.to_string());
    let lists = lists.filter(|command| command.contains("sortArray"));
    lists.map(|command| command.len()).collect()
}

// A batch sends only those children to the list that can enter it.
#[tokio::test]
async fn many_new_ones() {
    on_both("big_new", async |bench| {
        start(bench, 0).await;
        // Not in their order, and with equals at the end of the list.
        let mut many = messages(0..3_001);
        many.rotate_left(1_234);
        many.swap(7, 2_900);
        Message::insert_many(&bench.db, &many)
            .await
            .expect("stored");
        let sent = bench.take();
        assert_eq!(lists(&sent).len(), 1);
        assert_eq!(kept(bench).await, (3_001, (2_001..3_001).collect()));
        // Older ones change nothing, and leave no mark.
        let older = messages(-1_500..0);
        Message::insert_many(&bench.db, &older)
            .await
            .expect("stored");
        let host = shown::<Host>(bench, &1).await;
        assert!(
            !host.get_document("_dn").expect("flags").contains_key("v"),
            "{host}"
        );
        assert_eq!(kept(bench).await, (4_501, (2_001..3_001).collect()));
    })
    .await;
}

// A list that has lost its entries, page by page, is filled up once.
#[tokio::test]
async fn many_that_go() {
    on_both("big_gone", async |bench| {
        start(bench, 4_000).await;
        let done = Message::delete_many(&bench.db, |m| m.id.gte(1_500)).await;
        assert_eq!(done.expect("deleted").deleted, 2_500);
        let sent = bench.take();
        let looks = sent.iter().filter(|sent| {
            let sort = sent.command.get_document("sort");
            sent.name == "find" && sort.is_ok_and(|sort| sort.contains_key("time"))
        });
        // The second finds that nothing is left to do.
        assert!(looks.count() <= 2);
        assert_eq!(kept(bench).await, (1_500, (500..1_500).collect()));
    })
    .await;
}

async fn measured(bench: &Bench) {
    start(bench, 0).await;
    let many = messages(0..10_000);
    let begun = Instant::now();
    Message::insert_many(&bench.db, &many)
        .await
        .expect("stored");
    println!("insert_many of 10,000: {:?}", begun.elapsed());
    recover(&bench.db).await.expect("recovered");
    let plain: Vec<Document> = (0..10_000)
        .map(|n| doc! { "host": 1, "time": DateTime::from_millis(n), "text": format!("message {n}") })
        .collect();
    let begun = Instant::now();
    bench
        .raw("big_plain")
        .insert_many(plain)
        .await
        .expect("stored");
    println!("10,000 without a model: {:?}", begun.elapsed());
    let more = messages(10_000..20_000);
    let begun = Instant::now();
    Message::insert_many(&bench.db, &more)
        .await
        .expect("stored");
    println!("insert_many of 10,000 more: {:?}", begun.elapsed());
    recover(&bench.db).await.expect("recovered");
    bench.forget();
    let begun = Instant::now();
    Message::delete_many(&bench.db, |m| m.id.gte(10_000))
        .await
        .expect("deleted");
    println!(
        "delete_many of the last 10,000: {:?}, {} commands",
        begun.elapsed(),
        bench.take().len()
    );
    assert_eq!(kept(bench).await, (10_000, (9_000..10_000).collect()));
}

#[tokio::test]
#[ignore = "prints how long it takes"]
async fn measure() {
    alone("big_measured", measured).await;
    in_set("big_measured_set", measured).await;
}
