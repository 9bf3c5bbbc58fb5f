//! Projections that borrow: what they read is what lies in the reply, and what serde would have read.

use bson::{Binary, Document, doc};
use mongo_model::{Error, Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "borrowed_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Host, sort = -time)]
    host: Id<Host>,
    time: bson::DateTime,
    the_message: String,
    level: Option<String>,
    payload: Binary,
    trace: Option<Binary>,
    #[embed(max = 4)]
    tags: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Line)]
#[serde(rename_all = "camelCase")]
struct Seen<'l> {
    #[serde(rename = "_id")]
    id: i64,
    the_message: &'l str,
    #[serde(borrow)]
    level: Option<&'l str>,
    payload: &'l [u8],
    #[serde(borrow)]
    trace: Option<&'l [u8]>,
    host: Id<Host>,
    tags: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Line)]
struct Message<'l> {
    #[serde(rename = "theMessage")]
    the_message: &'l str,
}

fn bytes(bytes: Vec<u8>) -> Binary {
    Binary {
        subtype: bson::spec::BinarySubtype::Generic,
        bytes,
    }
}

fn line(n: i64, host: Id<Host>) -> Line {
    Line {
        id: n,
        host,
        time: bson::DateTime::from_millis(n),
        the_message: format!("message {n} äöü"),
        level: (n % 3 == 0).then(|| format!("level {n}")),
        payload: bytes(vec![1, 2, n.to_le_bytes()[0]]),
        trace: (n % 2 == 0).then(|| bytes(Vec::new())),
        tags: vec!["a".to_owned(); usize::try_from(n % 4).expect("small")],
    }
}

/// The fields of a line that its view shows.
fn shown(seen: &Seen<'_>) -> (i64, String, Option<String>, Vec<u8>, bool, usize) {
    let level = seen.level.map(str::to_owned);
    let message = seen.the_message.to_owned();
    let tags = seen.tags.len();
    (
        seen.id,
        message,
        level,
        seen.payload.to_vec(),
        seen.trace.is_some(),
        tags,
    )
}

#[tokio::test]
async fn text_and_bytes_are_read_where_they_lie() {
    on_both("borrowing", async |bench| {
        bench.index(&[Line::meta(), Host::meta()]).await;
        let host: Id<Host> = Id::new();
        let lines: Vec<Line> = (0..350).map(|n| line(n, host)).collect();
        bench.place(&lines).await;
        let mut all = Vec::new();
        let count = Line::by_host(&bench.db, host)
            .for_each::<Seen<'_>>(|seen| {
                assert_eq!(seen.host, host);
                all.push(shown(&seen));
            })
            .await
            .expect("read");
        assert_eq!((count, all.len()), (350, 350));
        // By the generated order: newest first. In two batches, and only the projected fields and that of the order.
        let commands = bench.take();
        assert_eq!(commands.iter().map(|c| &*c.name).collect::<Vec<_>>(), ["find", "getMore"]);
        assert_eq!(
            commands[0].command.get_document("projection").expect("a projection"),
            &doc! { "_id": 1, "theMessage": 1, "level": 1, "payload": 1, "trace": 1, "host": 1, "tags": 1, "time": 1 }
        );
        for (line, seen) in lines.iter().rev().zip(&all) {
            let trace = line.trace.is_some();
            let payload = line.payload.bytes.clone();
            let message = line.the_message.clone();
            assert_eq!(seen, &(line.id, message, line.level.clone(), payload, trace, line.tags.len()));
        }
        let count = Line::find(&bench.db, |l| l.id.lt(5)).for_each::<Message<'_>>(|_| ()).await;
        assert_eq!(count.expect("read"), 5);
        let sent = bench.take();
        let projection = sent.last().expect("sent").command.get_document("projection");
        assert_eq!(projection.expect("a projection"), &doc! { "_id": 0, "theMessage": 1 });
    })
    .await;
}

#[tokio::test]
async fn fields_in_any_order_and_in_old_forms_are_read_as_serde_does() {
    alone("borrowing_forms", async |bench| {
        let host: Id<Host> = Id::new();
        let stored = |n: i64| {
            Document::try_from(
                &bson::serialize_to_raw_document_buf(&line(n, host)).expect("encoded"),
            )
            .expect("well formed")
        };
        let mut reordered = Document::new();
        for (key, value) in stored(6).into_iter().collect::<Vec<_>>().into_iter().rev() {
            reordered.insert(key, value);
        }
        let mut sparse = stored(7);
        sparse.remove("level");
        sparse.remove("trace");
        bench.seed("lines", [reordered, sparse]).await;
        let mut all = Vec::new();
        let found =
            Line::scan(&bench.db, |_| mongo_model::filter::everything()).sort(|l| l.id.asc());
        found
            .for_each::<Seen<'_>>(|seen| all.push(shown(&seen)))
            .await
            .expect("read");
        let six = (
            6,
            "message 6 äöü".to_owned(),
            Some("level 6".to_owned()),
            vec![1, 2, 6],
            true,
            2,
        );
        let seven = (7, "message 7 äöü".to_owned(), None, vec![1, 2, 7], false, 3);
        assert_eq!(all, [six, seven]);

        // An unreadable document is an error, after the readable ones were passed on.
        let mut wrong = stored(8);
        wrong.insert("theMessage", 8);
        bench.seed("lines", [wrong]).await;
        let mut before = 0;
        let found =
            Line::scan(&bench.db, |_| mongo_model::filter::everything()).sort(|l| l.id.asc());
        let error = found
            .for_each::<Seen<'_>>(|_| before += 1)
            .await
            .expect_err("not text");
        assert_eq!(before, 2);
        let Error::Decode { model, id, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((*model, &**id), ("Line", "8"));
        assert!(error.to_string().contains("theMessage"), "{error}");
    })
    .await;
}

/// A reply is let go with its batch: more documents than one batch holds, in a transaction's session.
#[tokio::test]
async fn a_session_is_used() {
    crate::common::in_set("borrowing_session", async |bench| {
        bench.index(&[Line::meta(), Host::meta()]).await;
        let host: Id<Host> = Id::new();
        let mut session = bench.client.start_session().await.expect("a session");
        session.start_transaction().await.expect("started");
        let lines: Vec<Line> = (0..120).map(|n| line(n, host)).collect();
        bench
            .raw("lines")
            .insert_many(
                lines
                    .iter()
                    .map(|line| bson::serialize_to_document(line).expect("encoded")),
            )
            .session(&mut session)
            .await
            .expect("inserted");
        let found = Line::by_host(&bench.db, host).driver_session(&mut session);
        assert_eq!(
            found.for_each::<Message<'_>>(|_| ()).await.expect("read"),
            120
        );
        // Other sessions do not see them yet.
        let found = Line::by_host(&bench.db, host);
        assert_eq!(
            found.for_each::<Message<'_>>(|_| ()).await.expect("read"),
            0
        );
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}
