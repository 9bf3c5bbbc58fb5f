//! Reverse joins of many parents: limits per parent in one command, counts with zeros.

use std::collections::BTreeMap;

use bson::{DateTime, doc};
use futures::TryStreamExt;
use mongo_model::geo::Point;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::loading::{Kit, Part, kit, part};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "child_hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "child_logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: i32,
    pub time: DateTime,
    pub level: i32,
    #[parent(Host, sort = -time, unchecked)]
    pub host: Option<String>,
}

fn host(name: &str) -> Host {
    Host {
        id: name.to_owned(),
    }
}

fn message(id: i32, host: Option<&str>) -> LogMsg {
    LogMsg {
        id,
        time: DateTime::from_millis(i64::from(id / 2) * 1000),
        level: id % 3,
        host: host.map(str::to_owned),
    }
}

fn ids(messages: &[LogMsg]) -> Vec<i32> {
    messages.iter().map(|message| message.id).collect()
}

impl Bench {
    /// Two hosts with 100 messages each, one of them named like a field, and ten messages without a host.
    async fn logs(&self) -> [Host; 3] {
        self.index(&[LogMsg::meta(), Kit::meta()]).await;
        let messages: Vec<LogMsg> = (0..210)
            .map(|n| {
                message(
                    n,
                    (n < 200).then_some(if n % 2 == 0 { "a" } else { "$time" }),
                )
            })
            .collect();
        LogMsg::insert_many(&self.db, &messages)
            .await
            .expect("stored");
        self.forget();
        [host("a"), host("nobody"), host("$time")]
    }
}

#[tokio::test]
async fn the_latest_of_each_host_in_one_command() {
    on_both("latest", async |bench| {
        let db = &bench.db;
        let hosts = bench.logs().await;
        let many = LogMsg::by_host_many(db, &hosts)
            .limit(3)
            .await
            .expect("found");
        assert_eq!(many[0].0, &hosts[0]);
        let found: Vec<Vec<i32>> = many.iter().map(|(_, messages)| ids(messages)).collect();
        assert_eq!(found, [vec![198, 196, 194], vec![], vec![199, 197, 195]]);
        let sent = bench.only();
        assert_eq!(sent.get_i32("aggregate").expect("over no collection"), 1);
        let plan = bench.explain(sent).await;
        assert!(plan.documents <= 6 && plan.keys <= 6, "{plan:#?}");

        let many = LogMsg::by_host_many(db, &hosts)
            .skip(1)
            .limit(2)
            .await
            .expect("found");
        let found: Vec<Vec<i32>> = many.iter().map(|(_, messages)| ids(messages)).collect();
        assert_eq!(found, [vec![196, 194], vec![], vec![197, 195]]);
        let join = LogMsg::by_host_many(db, &hosts)
            .filter(|m| m.level.eq(0))
            .sort(|m| m.id.asc())
            .limit(2);
        let many = join.await.expect("found");
        let found: Vec<Vec<i32>> = many.iter().map(|(_, messages)| ids(messages)).collect();
        assert_eq!(found, [vec![0, 6], vec![], vec![3, 9]]);
    })
    .await;
}

/// A host that was checked at some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_hosts")]
pub struct Checked {
    #[serde(rename = "_id")]
    pub id: String,
    pub at: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "child_events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: i32,
    pub time: DateTime,
    #[parent(Checked, sort = -time, on_delete = keep)]
    pub host: String,
}

#[tokio::test]
async fn a_filter_that_depends_on_the_parent() {
    on_both("filter_each", async |bench| {
        let db = &bench.db;
        bench.index(&[Event::meta()]).await;
        let at = |second: i64| DateTime::from_millis(second * 1000);
        let hosts: Vec<Checked> = (0..450)
            .map(|n| Checked {
                id: if n == 1 {
                    "$time".to_owned()
                } else {
                    n.to_string()
                },
                at: at(n),
            })
            .collect();
        let events: Vec<Event> = (0..1000)
            .map(|n| Event {
                id: n,
                time: at(i64::from(n)),
                host: if n % 2 == 0 {
                    "2".to_owned()
                } else {
                    "$time".to_owned()
                },
            })
            .collect();
        Event::insert_many(db, &events).await.expect("stored");
        bench.forget();

        let few = &hosts[..4];
        let many = Event::by_host_many(db, few)
            .filter_each(|host, e| e.time.gt(host.at))
            .sort(|e| e.time.asc())
            .limit(2);
        let many = many.await.expect("found");
        let found: Vec<Vec<i32>> = many
            .iter()
            .map(|(_, events)| events.iter().map(|event| event.id).collect())
            .collect();
        assert_eq!(found, [vec![], vec![3, 5], vec![4, 6], vec![]]);
        let sent = bench.only();
        let plan = bench.explain(sent).await;
        plan.assert_served_by("host");
        assert!(plan.documents <= 4 && plan.keys <= 4, "{plan:#?}");

        // In the declared order; with the filter for all.
        let many = Event::by_host_many(db, few)
            .filter(|e| e.id.lt(9))
            .filter_each(|host, e| e.time.gt(host.at))
            .filter_each(|host, e| e.id.ne(if host.id == "2" { 6 } else { 7 }))
            .await;
        let many = many.expect("found");
        let ids = |n: usize| many[n].1.iter().map(|event| event.id).collect::<Vec<_>>();
        assert_eq!((ids(0), ids(1), ids(2)), (vec![], vec![5, 3], vec![8, 4]));
        bench.forget();

        let counts = Event::by_host_many(db, &hosts)
            .filter_each(|host, e| e.time.gt(host.at))
            .count();
        let counts = counts.await.expect("counted");
        assert_eq!(bench.sent(), ["aggregate"; 3]);
        let counts: Vec<u64> = counts.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts[..4], [0, 499, 498, 0]);
        assert_eq!(counts[4..].iter().sum::<u64>(), 0);
    })
    .await;
}

#[tokio::test]
async fn all_children_of_all_parents_in_one_find() {
    on_both("all_children", async |bench| {
        let db = &bench.db;
        let hosts = bench.logs().await;
        let many = LogMsg::by_host_many(db, &hosts)
            .filter(|m| m.level.ne(7))
            .await
            .expect("found");
        let one = LogMsg::by_host(db, "a").await.expect("found");
        assert_eq!(many[0].1, one, "in the declared order");
        assert_eq!((many[1].1.len(), many[2].1.len()), (0, 100));
        let sent = bench.take();
        let find = sent
            .into_iter()
            .find(|sent| sent.name == "find")
            .expect("a find");
        assert_eq!(
            find.command.get_document("sort").expect("sorted"),
            &doc! { "host": 1, "time": -1, "_id": -1 }
        );
        let plan = bench.explain(find.command).await;
        plan.assert_served_by("host");
        assert!(!plan.has("SORT"), "{plan:#?}");
        let nobody: [Host; 0] = [];
        assert!(
            LogMsg::by_host_many(db, &nobody)
                .await
                .expect("nothing")
                .is_empty()
        );
        assert!(
            LogMsg::by_host_many(db, &nobody)
                .limit(2)
                .await
                .expect("nothing")
                .is_empty()
        );
        assert!(
            LogMsg::by_host_many(db, &nobody)
                .count()
                .await
                .expect("nothing")
                .is_empty()
        );
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn counts_are_the_servers_and_never_absent() {
    on_both("counts", async |bench| {
        let db = &bench.db;
        let hosts = bench.logs().await;
        let counts = async || -> BTreeMap<String, u64> {
            let many = LogMsg::by_host_many(db, &hosts)
                .skip(2)
                .limit(1)
                .count()
                .await;
            many.expect("counted")
                .into_iter()
                .map(|(host, n)| (host.id.clone(), n))
                .collect()
        };
        let expected = |a, dollar| {
            BTreeMap::from([
                ("a".to_owned(), a),
                ("nobody".to_owned(), 0),
                ("$time".to_owned(), dollar),
            ])
        };
        assert_eq!(counts().await, expected(100, 100));
        let sent = bench.only();
        assert_eq!(
            sent.get_str("aggregate").expect("a collection"),
            "child_logmsg"
        );
        let plan = bench.explain(sent).await;
        plan.assert_served_by("host");
        assert_eq!(plan.documents, 0, "the index says it all: {plan:#?}");
        bench
            .raw("child_logmsg")
            .delete_many(doc! { "host": "a" })
            .await
            .expect("deleted");
        bench.forget();
        assert_eq!(counts().await, expected(0, 100));
        bench
            .raw("child_logmsg")
            .delete_many(doc! { "host": "$time" })
            .await
            .expect("deleted");
        bench.forget();
        assert_eq!(counts().await, expected(0, 0));
        assert_eq!(bench.sent(), ["aggregate"]);
        let even = LogMsg::by_host(db, "a")
            .filter(|m| m.level.eq(0))
            .count()
            .await
            .expect("counted");
        assert_eq!((even, bench.sent()), (0, vec!["aggregate".to_owned()]));
    })
    .await;
}

#[tokio::test]
async fn arrays_of_references_are_joined_back_too() {
    on_both("back_arrays", async |bench| {
        let db = &bench.db;
        bench.index(&[Kit::meta()]).await;
        let kits = [
            kit(1, &[100, 300]),
            kit(2, &[200]),
            kit(3, &[300, 100, 100]),
        ];
        bench.place(&kits).await;
        let parts = [part(100), part(5), part(300)];
        let of = |many: Vec<(&Part, Vec<Kit>)>| -> Vec<Vec<i32>> {
            let kits = |kits: Vec<Kit>| kits.iter().map(|kit| kit.id).collect();
            many.into_iter().map(|(_, found)| kits(found)).collect()
        };
        let all = Kit::by_parts_many(db, &parts)
            .sort(|k| k.id.asc())
            .await
            .expect("found");
        assert_eq!(of(all), [vec![1, 3], vec![], vec![1, 3]]);
        assert_eq!(bench.sent(), ["find"]);
        let last = Kit::by_parts_many(db, &parts)
            .sort(|k| k.id.desc())
            .limit(1)
            .await
            .expect("found");
        assert_eq!(of(last), [vec![3], vec![], vec![3]]);
        assert_eq!(bench.sent(), ["aggregate"]);
        let counts = Kit::by_parts_many(db, &parts)
            .count()
            .await
            .expect("counted");
        let counts: Vec<u64> = counts.into_iter().map(|(_, n)| n).collect();
        assert_eq!(
            counts,
            [2, 0, 2],
            "a kit that lists a part twice is one kit"
        );
        assert_eq!(bench.sent(), ["aggregate"]);
    })
    .await;
}

/// A key of several fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct AccountId {
    pub tenant: String,
    pub code: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: AccountId,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "entries")]
pub struct Posting {
    #[serde(rename = "_id")]
    pub id: Id<Posting>,
    #[parent(Account, unchecked)]
    pub account: AccountId,
}

#[tokio::test]
async fn only_children_whose_whole_key_matches() {
    on_both("compound_key", async |bench| {
        let db = &bench.db;
        let account = |tenant: &str, code| Account {
            id: AccountId {
                tenant: tenant.to_owned(),
                code,
            },
        };
        let accounts = [account("x", 1), account("x", 2), account("y", 1)];
        let posting = |account: &Account| Posting {
            id: Id::new(),
            account: account.id.clone(),
        };
        let postings = [
            posting(&accounts[0]),
            posting(&accounts[2]),
            posting(&accounts[2]),
        ];
        Posting::insert_many(db, &postings).await.expect("stored");
        let counts = Posting::by_account_many(db, &accounts)
            .count()
            .await
            .expect("counted");
        assert_eq!(
            counts.iter().map(|(_, n)| *n).collect::<Vec<_>>(),
            [1, 0, 2]
        );
        let some = Posting::by_account_many(db, &accounts)
            .limit(1)
            .await
            .expect("found");
        assert_eq!(
            some.iter()
                .map(|(_, found)| found.len())
                .collect::<Vec<_>>(),
            [1, 0, 1]
        );
        assert_eq!(
            Posting::by_account(db, &accounts[0].id)
                .await
                .expect("found"),
            [postings[0].clone()]
        );
    })
    .await;
}

#[tokio::test]
async fn a_transaction_sees_its_own_children() {
    in_set("children_session", async |bench| {
        let db = &bench.db;
        let hosts = bench.logs().await;
        let mut session = bench.transaction().await;
        LogMsg::insert(db, &message(500, Some("nobody")))
            .driver_session(&mut session)
            .await
            .expect("stored");
        let many = LogMsg::by_host_many(db, &hosts)
            .limit(1)
            .driver_session(&mut session)
            .await
            .expect("found");
        assert_eq!(ids(&many[1].1), [500]);
        let counts = LogMsg::by_host_many(db, &hosts)
            .count()
            .driver_session(&mut session)
            .await
            .expect("counted");
        assert_eq!(counts[1].1, 1);
        session.abort_transaction().await.expect("aborted");
        let counts = LogMsg::by_host_many(db, &hosts)
            .count()
            .await
            .expect("counted");
        assert_eq!(counts[1].1, 0);
    })
    .await;
}

#[tokio::test]
async fn more_children_than_one_document_could_hold() {
    alone("wide", async |bench| {
        let db = &bench.db;
        bench.index(&[LogMsg::meta()]).await;
        let text = "x".repeat(4 << 20);
        for n in 0..6 {
            let padded = doc! { "_id": n, "time": DateTime::from_millis(n.into()), "level": 0, "host": "a", "pad": &text };
            bench.seed("child_logmsg", [padded]).await;
        }
        let hosts = [host("a")];
        let many = LogMsg::by_host_many(db, &hosts).limit(10).await.expect("24 MiB of children");
        assert_eq!(ids(&many[0].1), [5, 4, 3, 2, 1, 0]);
    })
    .await;
}

/// A document in a place, with words, of one part and of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stalls")]
pub struct Stall {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Part)]
    pub part: i32,
    #[refs(Part, max = 5)]
    pub parts: Vec<i32>,
    #[index(geo)]
    pub place: [f64; 2],
    #[index(text)]
    pub title: String,
}

#[tokio::test]
async fn what_only_a_find_answers_is_refused_elsewhere() {
    alone("children_near", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Stall::meta()]).await;
        let stall = Stall {
            id: 1,
            part: 1,
            parts: vec![1, 2],
            place: [12.5, 41.9],
            title: "blue hose".to_owned(),
        };
        bench.place([&stall]).await;
        let of = [part(1), part(2)];
        let near = |s: <Stall as MongoModel>::Fields| {
            s.place.near(
                Point {
                    lng: 12.5,
                    lat: 41.9,
                },
                1_000.0,
            )
        };
        let text = |s: <Stall as MongoModel>::Fields| s.title.text("hose");
        // All children are found; of some, and of a number, the server says why it cannot.
        let all = Stall::by_part_many(db, &of)
            .filter(near)
            .await
            .expect("found");
        assert_eq!((all[0].1.len(), all[1].1.len()), (1, 0));
        let counts = Stall::by_part_many(db, &of).filter(text).count().await;
        assert_eq!(counts.expect("counted")[0].1, 1);
        bench.forget();
        let limited = || Stall::by_part_many(db, &of).limit(1);
        for (refused, says) in [
            (
                limited().filter(near).await.map(drop),
                "a limit per parent of Stall has a filter with `near`",
            ),
            (
                limited().filter(text).await.map(drop),
                "a limit per parent of Stall has a filter with `text`",
            ),
            (
                Stall::by_part_many(db, &of)
                    .filter(near)
                    .count()
                    .await
                    .map(drop),
                "a count per parent of Stall has a filter with `near`",
            ),
            (
                Stall::by_parts_many(db, &of)
                    .filter(text)
                    .count()
                    .await
                    .map(drop),
                "a count per parent of Stall has a filter with `text`",
            ),
        ] {
            let error = refused.expect_err("refused").to_string();
            assert!(error.starts_with(says), "{error}");
        }
        assert!(bench.sent().is_empty());
    })
    .await;
}

/// Every builder takes every limit.
#[tokio::test]
async fn limits_have_no_end() {
    alone("limits", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Kit::meta()]).await;
        bench.kit_parts(0..3).await;
        let kits: Vec<Kit> = (0..3)
            .map(|id| Kit {
                main: Some(1),
                ..kit(id, &[0, 1])
            })
            .collect();
        Kit::insert_many(db, &kits).await.expect("stored");
        let large = (1_u64 << 31, 1_u64 << 32, 1_u64 << 63);
        let limits = [
            large.0 - 2,
            large.0 - 1,
            large.0,
            large.1 - 1,
            large.1,
            large.2 - 1,
            large.2,
            u64::MAX,
        ];
        for limit in limits {
            let find = || Kit::find(db, |k| k.main.eq(1)).limit(limit);
            assert_eq!(find().await.expect("found").len(), 3, "{limit}");
            assert_eq!(find().skip(1).await.expect("found").len(), 2, "{limit}");
            let streamed: Vec<Kit> = find().stream().try_collect().await.expect("found");
            assert_eq!(streamed.len(), 3, "{limit}");
            assert_eq!(find().ids().await.expect("found").len(), 3, "{limit}");
            let counted = Kit::count(db, |k| k.main.eq(1)).limit(limit).await;
            assert_eq!(counted.expect("counted"), 3, "{limit}");
            assert_eq!(
                Kit::by_main(db, 1).limit(limit).await.expect("found").len(),
                3,
                "{limit}"
            );
            let of = [part(1), part(2)];
            let many = Kit::by_main_many(db, &of).limit(limit);
            assert_eq!(many.await.expect("found")[0].1.len(), 3, "{limit}");
            let many = Kit::by_main_many(db, &of).skip(1).limit(limit);
            assert_eq!(many.await.expect("found")[0].1.len(), 2, "{limit}");
            let loaded = kits[0]
                .load_parts(db)
                .limit(usize::try_from(limit).unwrap_or(usize::MAX));
            assert_eq!(loaded.await.expect("loaded").len(), 2, "{limit}");
            let none = Kit::find(db, |k| k.main.eq(1)).skip(limit).await;
            assert_eq!(none.expect("found"), [], "{limit}");
            let none = Kit::by_main_many(db, &of).skip(limit).await;
            assert_eq!(none.expect("found")[0].1, [], "{limit}");
        }
        bench.forget();
        let of = [part(1)];
        let many = Kit::by_main_many(db, &of).limit(0).await;
        assert!(many.expect("found")[0].1.is_empty());
        let loaded = kits[0].load_parts(db).limit(0).await;
        assert!(loaded.expect("loaded").is_empty());
        assert_eq!(bench.sent(), [""; 0]);
        for size in [1 << 30, (1 << 31) - 2, (1 << 31) - 1, 1 << 31, u32::MAX] {
            let page = Kit::by_main(db, 1).page(size).await.expect("a page");
            assert_eq!((page.items.len(), page.next), (3, None), "{size}");
            let batches = Kit::find(db, |k| k.main.eq(1)).batch_size(size).await;
            assert_eq!(batches.expect("found").len(), 3, "{size}");
        }
    })
    .await;
}
