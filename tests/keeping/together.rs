//! A copy, a list and a number that hang on one reference: what a new message sends.

use bson::{DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoModel, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::keeping::settled::{number, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "one_hosts")]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    ipaddr: String,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    logmsgs: Vec<RecentLogMsg>,
    #[count(LogMsg)]
    messages: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "one_logmsgs")]
pub(crate) struct LogMsg {
    #[serde(rename = "_id")]
    id: Id<LogMsg>,
    #[parent(Host, sort = -time)]
    host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    ipaddr: String,
    time: DateTime,
    message: String,
}

fn host() -> Host {
    Host {
        id: Id::new(),
        ipaddr: "10.0.0.1".to_owned(),
        logmsgs: Vec::new(),
        messages: 0,
    }
}

pub(crate) fn message(host: &Host, time: i64) -> LogMsg {
    LogMsg {
        id: Id::new(),
        host: host.id,
        ipaddr: "not known".to_owned(),
        time: DateTime::from_millis(time),
        message: format!("message {time}"),
    }
}

pub(crate) async fn start(bench: &Bench) -> Host {
    bench.index(&[Host::meta(), LogMsg::meta()]).await;
    let host = host();
    Host::insert(&bench.db, &host).await.expect("stored");
    bench.forget();
    host
}

#[tokio::test]
async fn a_message_tells_its_host_everything_in_one_command() {
    on_both("one_command", async |bench| {
        let host = start(bench).await;
        let db = &bench.db;
        for n in 1..=20 {
            let new = message(&host, n);
            let done = LogMsg::insert(db, &new).await.expect("stored");
            assert!(done.pending.is_empty(), "{done:?}");
            let sent = bench.take();
            let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
            assert_eq!(names, ["insert", "findAndModify", "update", "update"]);
            let stored = shown::<LogMsg>(bench, &new.id).await;
            assert_eq!(stored.get_str("ipaddr").ok(), Some("10.0.0.1"));
            assert_eq!(stored.get_document("_dn").ok(), Some(&doc! { "r": 2 }));
        }
        let stored = shown::<Host>(bench, &host.id).await;
        assert_eq!(number(&stored, "messages"), 20);
        assert_eq!(stored.get_array("logmsgs").map(Vec::len).ok(), Some(20));
        recover(db).await.expect("recovered");
        settled(bench).await;

        // The list is in the order of the index that the reference has anyway.
        let indexes = bench
            .raw("one_logmsgs")
            .list_index_names()
            .await
            .expect("listed");
        let by_time: Vec<&String> = indexes
            .iter()
            .filter(|name| name.contains("time"))
            .collect();
        assert_eq!(by_time.len(), 1, "{indexes:?}");

        // The host does not exist: the stored document is deleted again.
        let lost = message(&self::host(), 1);
        let refused = LogMsg::insert(db, &lost).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.len("one_logmsgs").await, 20);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn many_messages_tell_a_host_once() {
    on_both("one_many", async |bench| {
        let host = start(bench).await;
        let many: Vec<LogMsg> = (1..=100).map(|n| message(&host, n)).collect();
        LogMsg::insert_many(&bench.db, &many).await.expect("stored");
        let updates: Vec<Document> = bench
            .take()
            .into_iter()
            .map(|sent| sent.command)
            .filter(|command| command.to_string().contains("sortArray"))
            .collect();
        assert_eq!(updates.len(), 1, "{updates:?}");
        recover(&bench.db).await.expect("recovered");
        settled(bench).await;
        let stored = shown::<Host>(bench, &host.id).await;
        assert_eq!(number(&stored, "messages"), 100);
        assert_eq!(stored.get_array("logmsgs").map(Vec::len).ok(), Some(100));
    })
    .await;
}

#[tokio::test]
async fn what_other_programs_wrote_is_found_and_put_right() {
    on_both("one_repair", async |bench| {
        let host = start(bench).await;
        let db = &bench.db;
        let empty = self::host();
        Host::insert(db, &empty).await.expect("stored");
        let many: Vec<LogMsg> = (1..=5).map(|n| message(&host, n)).collect();
        LogMsg::insert_many(db, &many).await.expect("stored");
        recover(db).await.expect("recovered");
        assert!(verify(db).await.expect("verified").is_clean());
        let right = shown::<Host>(bench, &host.id).await;

        let hosts = bench.raw("one_hosts");
        let one = doc! { "_id": host.id.into_raw() };
        let lie = doc! {
            "$set": { "messages": 9_i64, "logmsgs.1.message": "wrong" },
            "$pop": { "logmsgs": 1 },
        };
        // Two operators on one array are refused: one after the other.
        for (operator, paths) in lie {
            let paths = paths.as_document().expect("paths").clone();
            hosts.update_one(one.clone(), doc! { operator: paths }).await.expect("written");
        }
        let ghost = doc! { "id": bson::oid::ObjectId::new(), "time": DateTime::from_millis(0), "message": "ghost" };
        hosts
            .update_one(one, doc! { "$push": { "logmsgs": { "$each": [ghost], "$position": 0 } } })
            .await
            .expect("written");
        let found = verify(db).await.expect("verified");
        assert!(!found.is_clean());
        let list = found.reference("one_hosts.logmsgs").expect("a report");
        assert_eq!(list.references, 2);
        let kinds = [Defect::Missing, Defect::Extra, Defect::Stale];
        assert_eq!(kinds.map(|kind| list.count(kind)), [1, 1, 1], "{found}");
        let counter = found.reference("one_hosts.messages").expect("a report");
        assert_eq!((counter.references, counter.count(Defect::Stale)), (2, 1), "{found}");
        assert_eq!(counter.findings[0].want, Some(bson::Bson::Int64(5)));
        let streamed: Vec<_> = verify(db).stream().try_collect().await.expect("verified");
        assert_eq!(streamed.len(), 4);

        let repaired = repair(db).await.expect("repaired");
        assert_eq!((repaired.documents, repaired.refused.len()), (2, 0), "{repaired}");
        assert!(verify(db).await.expect("verified").is_clean());
        let now = shown::<Host>(bench, &host.id).await;
        assert_eq!((now.get("logmsgs"), now.get("messages")), (right.get("logmsgs"), right.get("messages")));
        assert!(repair(db).await.expect("repaired").is_idle());
        settled(bench).await;
    })
    .await;
}
