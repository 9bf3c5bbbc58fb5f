//! How results come back: one, many, counted, streamed, in order, in a session.

use bson::doc;
use futures::TryStreamExt;
use mongo_model::{ClientSession, Database, Error, MongoModel};

use crate::common::{alone, in_set, on_both};
use crate::finding::{Order, order};

fn placed(orders: &[Order]) -> Vec<(String, i32)> {
    orders
        .iter()
        .map(|order| (order.status.clone(), order.id))
        .collect()
}

#[tokio::test]
async fn one_document_is_asked_for_as_one() {
    on_both("one", async |bench| {
        let db = &bench.db;
        bench.orders(&[order(1), order(2)]).await;
        let found = Order::find_one(db, |o| o.code.eq("code-2"))
            .await
            .expect("found");
        assert_eq!(found, Some(order(2)));
        let sent = bench.only();
        assert_eq!(sent.get_str("find").ok(), Some("orders"));
        assert_eq!(
            sent.get_document("filter").ok(),
            Some(&doc! { "code": { "$eq": "code-2" } })
        );
        assert_eq!(sent.get("limit").map(crate::common::number), Some(1));
        assert_eq!(sent.get_bool("singleBatch").ok(), Some(true));
        assert_eq!(
            Order::find_one(db, |o| o.code.eq("none"))
                .await
                .expect("asked"),
            None
        );
        assert_eq!(Order::get(db, 9).await.expect("asked"), None);
        bench.forget();
        let last = Order::find_one(db, |o| o.code.gte(""))
            .sort(|o| o.id.desc())
            .await;
        assert_eq!(last.expect("found"), Some(order(2)));
        let second = Order::find_one(db, |o| o.code.gte(""))
            .sort(|o| o.id.desc())
            .skip(1)
            .await;
        assert_eq!(second.expect("found"), Some(order(1)));
    })
    .await;
}

#[tokio::test]
async fn nothing_is_sent_before_it_is_awaited() {
    alone("lazy", async |bench| {
        bench.orders(&[order(1)]).await;
        drop(Order::find(&bench.db, |o| o.code.eq("x")));
        drop(Order::find(&bench.db, |o| o.code.eq("x")).stream());
        drop(Order::get(&bench.db, 1));
        drop(Order::count(&bench.db, |o| o.code.eq("x")));
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn sort_limit_and_skip() {
    alone("page", async |bench| {
        let db = &bench.db;
        let mut orders: Vec<_> = (1..=6).map(order).collect();
        for order in &mut orders {
            order.status = if order.id % 2 == 0 { "even" } else { "odd" }.to_owned();
        }
        bench.orders(&orders).await;
        let page = Order::scan(db, |o| o.all())
            .sort(|o| o.status.desc().then(o.placed.asc()))
            .skip(1)
            .limit(4)
            .await
            .expect("found");
        let expected = [("odd", 3), ("odd", 5), ("even", 2), ("even", 4)];
        assert_eq!(
            placed(&page),
            expected.map(|(status, id)| (status.to_owned(), id))
        );
        let sent = bench.only();
        let sort = sent.get_document("sort").expect("sorted");
        let keys: Vec<&str> = sort.keys().map(String::as_str).collect();
        assert_eq!(keys, ["status", "placed"], "{sort}");
        assert_eq!(sort, &doc! { "status": -1, "placed": 1 });
    })
    .await;
}

#[tokio::test]
async fn a_count_counts() {
    on_both("count", async |bench| {
        let db = &bench.db;
        assert_eq!(
            Order::count(db, |o| o.code.gte("")).await.expect("counted"),
            0
        );
        bench.orders(&[order(1), order(2), order(3)]).await;
        let many = Order::count(db, |o| o.code.is_in(["code-1", "code-3"])).await;
        assert_eq!(many.expect("counted"), 2);
        assert_eq!(bench.sent(), ["aggregate"]);
    })
    .await;
}

#[tokio::test]
async fn a_stream_reads_batch_by_batch() {
    on_both("stream", async |bench| {
        let db = &bench.db;
        let orders: Vec<_> = (0..25).map(order).collect();
        bench.orders(&orders).await;
        {
            let stream = Order::scan(db, |o| o.all())
                .sort(|o| o.id.asc())
                .batch_size(10)
                .stream();
            let mut stream = std::pin::pin!(stream);
            assert_eq!(bench.sent(), [""; 0]);
            for n in 0..10 {
                let next = stream.try_next().await.expect("read").expect("there");
                assert_eq!(next.id, n);
            }
            assert_eq!(bench.sent(), ["find"]);
            stream.try_next().await.expect("read").expect("there");
            assert_eq!(bench.sent(), ["getMore"]);
            let rest: Vec<_> = stream.try_collect().await.expect("read");
            assert_eq!(rest.len(), 14);
            assert_eq!(bench.sent(), ["getMore"]);
        }
        let all = Order::scan(db, |o| o.all())
            .sort(|o| o.id.asc())
            .batch_size(10)
            .await;
        assert_eq!(all.expect("found"), orders);
    })
    .await;
}

#[tokio::test]
async fn a_document_of_another_shape_is_an_error_that_names_it() {
    alone("shape", async |bench| {
        let db = &bench.db;
        bench.orders(&[order(1)]).await;
        let wrong = doc! { "_id": 7, "code": 12, "status": "x" };
        bench.seed("orders", [wrong]).await;
        let one = Order::find_one(db, |o| o.id.eq(7)).await;
        let Err(Error::Decode { model, id, source }) = &one else {
            panic!("{one:?}");
        };
        assert_eq!((*model, id.as_str()), ("Order", "7"));
        assert!(source.to_string().contains("expected a string"), "{source}");
        let mut stream = std::pin::pin!(Order::scan(db, |o| o.all()).sort(|o| o.id.asc()).stream());
        assert_eq!(stream.try_next().await.expect("read"), Some(order(1)));
        let second = stream.try_next().await;
        assert!(matches!(second, Err(Error::Decode { .. })), "{second:?}");
        let all = Order::scan(db, |o| o.all()).await;
        assert!(matches!(all, Err(Error::Decode { .. })), "{all:?}");
    })
    .await;
}

#[tokio::test]
async fn a_transaction_sees_its_own_writes() {
    in_set("session", async |bench| {
        let db = &bench.db;
        bench.orders(&[order(1)]).await;
        let mut session = bench.transaction().await;
        Order::insert(db, &order(2))
            .driver_session(&mut session)
            .await
            .expect("stored");
        bench.forget();

        let inside = Order::scan(db, |o| o.all())
            .driver_session(&mut session)
            .await;
        assert_eq!(inside.expect("found").len(), 2);
        let one = Order::find_one(db, |o| o.code.eq("code-2"))
            .driver_session(&mut session)
            .await;
        assert_eq!(one.expect("found"), Some(order(2)));
        let got = Order::get(db, 2).driver_session(&mut session).await;
        assert_eq!(got.expect("found"), Some(order(2)));
        let count = Order::count(db, |o| o.code.gte(""))
            .driver_session(&mut session)
            .await;
        assert_eq!(count.expect("counted"), 2);
        let streamed = Order::scan(db, |o| o.all())
            .batch_size(1)
            .driver_session(&mut session)
            .stream();
        let streamed: Vec<_> = streamed.try_collect().await.expect("read");
        assert_eq!(streamed.len(), 2);
        let sent = bench.take();
        assert!(sent.len() > 5, "{sent:?}");
        for sent in sent {
            assert_eq!(
                sent.command.get_bool("autocommit").ok(),
                Some(false),
                "{sent:?}"
            );
        }

        assert_eq!(Order::get(db, 2).await.expect("asked"), None, "outside");
        session.abort_transaction().await.expect("aborted");
        assert_eq!(bench.len("orders").await, 1);
    })
    .await;
}

/// Every builder's future can be spawned, and so can the streams. It is compiled, not run.
#[allow(dead_code, reason = "the compiler is the test")]
fn everything_is_send(db: &Database, session: &mut ClientSession) {
    fn send<T: Send>(_: T) {}
    let one = order(1);
    send(
        Order::find(db, |o| o.code.eq("x"))
            .driver_session(session)
            .into_future(),
    );
    send(Order::find(db, |o| o.code.eq("x")).stream());
    send(
        Order::scan(db, |o| o.all())
            .driver_session(session)
            .stream(),
    );
    send(
        Order::find_one(db, |o| o.code.eq("x"))
            .driver_session(session)
            .into_future(),
    );
    send(Order::get(db, 1).into_future());
    send(
        Order::count(db, |o| o.code.eq("x"))
            .driver_session(session)
            .into_future(),
    );
    send(
        Order::insert(db, &one)
            .driver_session(session)
            .into_future(),
    );
    send(Order::insert_many(db, [&one]).into_future());
    send(one.save(db).driver_session(session).into_future());
    send(
        Order::update(db, 1)
            .set(|o| o.code, "x")
            .driver_session(session)
            .into_future(),
    );
    send(
        Order::update_many(db, |o| o.code.eq("x"))
            .set(|o| o.code, "y")
            .driver_session(session)
            .into_future(),
    );
    send(Order::delete(db, 1).driver_session(session).into_future());
}
