//! References by another field of their target than its `_id`.

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", index(keys(number), unique))]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    #[index(unique)]
    #[serde(rename = "ip")]
    ipaddr: String,
    number: i64,
    #[index(unique)]
    level: f64,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Hop {
    #[parent(Host, key = ipaddr, unchecked)]
    via: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
struct LogMsg {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, key = ipaddr, sort = -id, unchecked)]
    host: String,
    #[parent(Host, key = ipaddr, unchecked)]
    relay: Option<String>,
    #[refs(Host, key = number, unchecked)]
    numbers: Vec<i64>,
    #[refs(Host, key = level, missing = keep_slots, unchecked)]
    levels: Vec<f64>,
    #[refs(Host, key = ipaddr)]
    #[denorm(from = Host, field = name)]
    entries: Vec<HostRef>,
    #[embed(max = 5)]
    hops: Vec<Hop>,
    #[parent(Host, key = id, unchecked)]
    by_id: Option<i32>,
}

fn host(n: i32) -> Host {
    Host {
        id: n,
        ipaddr: ip(n),
        number: i64::from(n),
        level: f64::from(n),
        name: format!("host-{n}"),
    }
}

fn ip(n: i32) -> String {
    format!("10.0.0.{n}")
}

fn message(id: i32, on: i32) -> LogMsg {
    LogMsg {
        id,
        host: ip(on),
        relay: None,
        numbers: vec![],
        levels: vec![],
        entries: vec![],
        hops: vec![],
        by_id: None,
    }
}

fn ids<'h>(hosts: impl IntoIterator<Item = &'h Host>) -> Vec<i32> {
    hosts.into_iter().map(|host| host.id).collect()
}

impl Bench {
    /// Stores hosts with these numbers, and the indexes of both models; clears the command log.
    async fn hosts(&self, numbers: impl IntoIterator<Item = i32>) {
        self.index(&[Host::meta(), LogMsg::meta()]).await;
        let hosts: Vec<Host> = numbers.into_iter().map(host).collect();
        Host::insert_many(&self.db, &hosts).await.expect("stored");
        self.forget();
    }

    /// The only command asks for hosts by these values of `key`, and an index on it serves that.
    async fn assert_asked(&self, key: &str, values: impl Into<Bson>) {
        let sent = self.only();
        assert_eq!(sent.get_str("find").ok(), Some("hosts"), "{sent}");
        let filter = sent.get_document("filter").expect("a filter");
        assert_eq!(*filter, doc! { key: { "$in": values.into() } });
        let plan = self.explain(sent).await;
        plan.assert_served_by(key);
    }
}

#[tokio::test]
async fn one_reference_leads_to_the_document_with_its_key() {
    on_both("key_one", async |bench| {
        let db = &bench.db;
        bench.hosts(1..=50).await;
        let mut stored = message(1, 3);
        let found = stored.load_host(db).await.expect("loaded");
        assert_eq!((found.value(), found.missing()), (Some(&host(3)), None));
        bench.assert_asked("ip", vec![ip(3)]).await;

        stored.host = ip(99);
        let gone = stored.load_host(db).await.expect("loaded");
        assert_eq!((gone.value(), gone.missing()), (None, Some(&ip(99))));
        bench.forget();
        let strict = stored.load_host(db).strict().await;
        let Err(Error::Dangling { field, ids, .. }) = &strict else {
            panic!("{strict:?}");
        };
        assert_eq!(
            (field.as_str(), &ids[..]),
            ("host", &[Bson::from(ip(99))][..])
        );
        bench.forget();

        let none = stored.load_relay(db).await.expect("nothing to do");
        assert_eq!((none.value(), none.missing()), (None, None));
        assert_eq!(bench.sent(), [""; 0]);
        stored.by_id = Some(7);
        let by_id = stored.load_by_id(db).await.expect("loaded");
        assert_eq!(by_id.value(), Some(&host(7)));
        bench.assert_asked("_id", vec![7]).await;
    })
    .await;
}

#[tokio::test]
async fn many_references_in_order_with_duplicates_and_missing_keys() {
    on_both("key_many", async |bench| {
        let db = &bench.db;
        bench.hosts(1..=50).await;
        let first = LogMsg {
            numbers: vec![5, 1, 77, 5, 78, 77],
            ..message(1, 4)
        };
        let loaded = first.load_numbers(db).await.expect("loaded");
        assert_eq!(ids(&loaded), [5, 1, 5]);
        assert_eq!(loaded.missing(), [77_i64, 78]);
        bench.assert_asked("number", vec![1_i64, 5, 77, 78]).await;

        let second = LogMsg {
            numbers: vec![2],
            ..message(2, 99)
        };
        let messages = [first, second, message(3, 4)];
        let many = LogMsg::load_numbers_many(db, &messages)
            .await
            .expect("loaded");
        let found: Vec<_> = many
            .iter()
            .map(|(message, loaded)| (message.id, ids(loaded)))
            .collect();
        assert_eq!(found, [(1, vec![5, 1, 5]), (2, vec![2]), (3, vec![])]);
        assert_eq!(bench.sent(), ["find"]);
        let many = LogMsg::load_host_many(db, &messages).await.expect("loaded");
        let found: Vec<_> = many
            .iter()
            .map(|(_, one)| (one.value().map(|host| host.id), one.missing().cloned()))
            .collect();
        assert_eq!(
            found,
            [(Some(4), None), (None, Some(ip(99))), (Some(4), None)]
        );
        bench.assert_asked("ip", vec![ip(4), ip(99)]).await;
    })
    .await;
}

#[tokio::test]
async fn numbers_match_as_the_server_compares_them() {
    on_both("key_numbers", async |bench| {
        let db = &bench.db;
        bench.index(&[Host::meta()]).await;
        let stored = |id: i32, number: Bson, level: Bson| -> Document {
            doc! { "_id": id, "ip": ip(id), "number": number, "level": level, "name": "" }
        };
        bench
            .seed(
                "hosts",
                [
                    stored(1, Bson::Int32(1), Bson::Int32(1)),
                    stored(2, Bson::Int64(2), Bson::Int64(2)),
                    stored(3, Bson::Int64(1 << 53), Bson::Double(3.0)),
                ],
            )
            .await;
        let message = LogMsg {
            numbers: vec![1 << 53, 2, 1, (1 << 53) + 1],
            levels: vec![3.0, 2.5, 2.0, 1.0],
            ..message(1, 1)
        };
        let loaded = message.load_numbers(db).await.expect("loaded");
        assert_eq!(ids(&loaded), [3, 2, 1]);
        assert_eq!(loaded.missing(), [(1 << 53) + 1]);
        let slots = message.load_levels(db).await.expect("loaded");
        let found: Vec<Option<i32>> = slots
            .iter()
            .map(|slot| slot.as_ref().map(|host| host.id))
            .collect();
        assert_eq!(found, [Some(3), None, Some(2), Some(1)]);
        assert_eq!(slots.missing(), [2.5]);
    })
    .await;
}

#[tokio::test]
async fn entries_hold_the_key_as_their_id() {
    alone("key_entries", async |bench| {
        let db = &bench.db;
        bench.hosts(1..=3).await;
        let entry = |n| HostRef {
            id: ip(n),
            name: "copied".to_owned(),
        };
        let messages = [LogMsg {
            entries: vec![entry(2), entry(9), entry(1)],
            ..message(1, 1)
        }];
        bench.place(&messages).await;
        let stored = bench.stored("logmsg", 1).await;
        let first = doc! { "id": ip(2), "name": "copied" };
        assert_eq!(
            stored.get_array("entries").expect("entries")[0],
            first.into()
        );

        let loaded = messages[0].load_entries(db).await.expect("loaded");
        assert_eq!((ids(&loaded), loaded.missing()), (vec![2, 1], &[ip(9)][..]));
        bench.assert_asked("ip", vec![ip(1), ip(2), ip(9)]).await;
        for loaded in [
            LogMsg::load(db, &messages, |m| m.entries).await,
            LogMsg::load(db, &messages, |m| m.entries.id).await,
        ] {
            let loaded = loaded.expect("loaded");
            assert_eq!(ids(&loaded[0].1), [2, 1]);
            assert_eq!(loaded[0].1.missing(), [ip(9)]);
        }
        bench.forget();
        let found = LogMsg::by_entries(db, ip(9)).await.expect("found");
        assert_eq!(found, messages);
        bench.plan().await.assert_served_by("entries.id");
    })
    .await;
}

#[tokio::test]
async fn inside_documents_and_arrays_of_them() {
    on_both("key_inside", async |bench| {
        let db = &bench.db;
        bench.hosts(1..=9).await;
        let hop = |n: Option<i32>| Hop { via: n.map(ip) };
        let messages = [
            LogMsg {
                hops: vec![hop(Some(3)), hop(None), hop(Some(77)), hop(Some(3))],
                ..message(1, 1)
            },
            message(2, 1),
        ];
        let loaded = LogMsg::load(db, &messages, |m| m.hops.via)
            .await
            .expect("loaded");
        bench.assert_asked("ip", vec![ip(3), ip(77)]).await;
        assert_eq!(ids(&loaded[0].1), [3, 3]);
        assert_eq!(loaded[0].1.missing(), [ip(77)]);
        assert!(loaded[1].1.is_empty() && loaded[1].1.missing().is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_way_back_takes_the_key() {
    on_both("key_back", async |bench| {
        let db = &bench.db;
        bench.hosts(1..=3).await;
        let messages: Vec<LogMsg> = (0..20)
            .map(|n| LogMsg {
                numbers: vec![i64::from(n % 2)],
                ..message(n, n % 3)
            })
            .collect();
        LogMsg::insert_many(db, &messages).await.expect("stored");
        bench.forget();

        let newest = LogMsg::by_host(db, "10.0.0.1")
            .limit(3)
            .await
            .expect("found");
        let numbers = |messages: &[LogMsg]| messages.iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(numbers(&newest), [19, 16, 13]);
        let plan = bench.plan().await;
        plan.assert_served_by("host");
        assert!(!plan.has("SORT") && plan.keys == 3, "{plan:#?}");
        let of_array = LogMsg::by_numbers(db, 1).limit(1).await.expect("found");
        assert_eq!(of_array[0].numbers, [1]);
        bench.plan().await.assert_served_by("numbers");

        let hosts = [host(1), host(9), host(2)];
        let many = LogMsg::by_host_many(db, &hosts)
            .limit(2)
            .await
            .expect("found");
        let found: Vec<_> = many
            .iter()
            .map(|(host, messages)| (host.id, numbers(messages)))
            .collect();
        assert_eq!(found, [(1, vec![19, 16]), (9, vec![]), (2, vec![17, 14])]);
        assert_eq!(bench.sent(), ["aggregate"]);
        let counts = LogMsg::by_host_many(db, &hosts)
            .count()
            .await
            .expect("counted");
        let counts: Vec<u64> = counts.into_iter().map(|(_, count)| count).collect();
        assert_eq!(counts, [7, 0, 6]);
    })
    .await;
}

/// The type of a missing key is the key's own.
#[allow(dead_code, reason = "the compiler is the test")]
async fn typed(db: &mongo_model::Database, message: &LogMsg) -> mongo_model::Result<()> {
    let _: Option<&String> = message.load_host(db).await?.missing();
    let _: &[i64] = message.load_numbers(db).await?.missing();
    let _: &[f64] = message.load_levels(db).await?.missing();
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Host)]
struct HostName {
    name: String,
}

/// Stores these documents as they are, in a collection whose unique indexes were never created.
async fn unindexed(bench: &Bench, levels: impl IntoIterator<Item = (i32, Bson)>) {
    let hosts = levels.into_iter().map(|(id, level)| {
        doc! { "_id": id, "ip": ip(3), "number": 3_i64, "level": level, "name": format!("host-{id}") }
    });
    bench.seed("hosts", hosts).await;
}

#[tokio::test]
async fn a_key_that_several_documents_have_is_reported() {
    alone("key_ambiguous", async |bench| {
        let db = &bench.db;
        let stored = LogMsg {
            numbers: vec![4, 3, 3],
            levels: vec![1.5, 1.5],
            ..message(1, 3)
        };
        for order in [[9, 7, 8], [7, 8, 9], [8, 9, 7]] {
            bench.raw("hosts").drop().await.expect("dropped");
            unindexed(bench, order.map(|id| (id, Bson::Double(1.5)))).await;
            let one = stored.load_host(db).await.expect("loaded");
            let id = one.value().map(|host| host.id);
            assert_eq!((id, one.missing()), (Some(7), None));
            assert_eq!(one.ambiguous(), Some(&ip(3)));
            let many = stored.load_numbers(db).await.expect("loaded");
            assert_eq!(ids(many.values()), [7, 7]);
            assert_eq!((many.missing(), many.ambiguous()), (&[4][..], &[3][..]));
            let slots = stored.load_levels(db).await.expect("loaded");
            assert_eq!(slots.iter().flatten().count(), 2);
            assert_eq!((slots.missing(), slots.ambiguous()), (&[][..], &[1.5][..]));
            let named = stored.load_numbers(db).project::<HostName>().await;
            let named = named.expect("loaded");
            assert_eq!((named[0].name.as_str(), named.ambiguous()), ("host-7", &[3][..]));
            let last = stored.load_numbers(db).sort(|h| h.id.desc()).await;
            let last = last.expect("loaded");
            assert_eq!((ids(last.values()), last.ambiguous()), (vec![9, 9], &[3][..]));

            let filtered = stored.load_numbers(db).filter(|h| h.name.ne("x")).await;
            for refused in [
                stored.load_host(db).strict().await.map(drop),
                filtered.map(drop),
            ] {
                let error = refused.expect_err("refused");
                let text = error.to_string();
                let Error::Ambiguous { target: "Host", documents, .. } = error else {
                    panic!("{text}");
                };
                let [(key, ids)] = &documents[..] else {
                    panic!("{documents:?}");
                };
                assert!(*key == ip(3).into() || *key == Bson::Int64(3));
                let ids: Vec<i32> = ids.iter().filter_map(Bson::as_i32).collect();
                assert_eq!(ids, order, "{text}");
            }
        }
        let error = stored.load_host(db).strict().await.expect_err("refused");
        assert_eq!(
            error.to_string(),
            "LogMsg.host refers to Host by ip, which several documents have: \"10.0.0.3\" (`_id`s 8, 9, 7); make ip unique (`sync_indexes` creates the declared index)"
        );
        // A filter that leaves one says which.
        let found = stored.load_numbers(db).filter(|h| h.id.eq(8)).await;
        assert_eq!(ids(found.expect("loaded").values()), [8, 8]);
    })
    .await;
}

#[tokio::test]
async fn a_key_of_another_numeric_type_is_found() {
    alone("key_decimal", async |bench| {
        let db = &bench.db;
        let decimal = |text: &str| Bson::Decimal128(text.parse().expect("a decimal"));
        unindexed(bench, [(1, decimal("0.50")), (2, decimal("1E+19"))]).await;
        let stored = LogMsg {
            levels: vec![0.5, 1e19, 0.1],
            ..message(1, 3)
        };
        let found = stored.load_levels(db).project::<HostName>().await;
        let found = found.expect("loaded");
        let names = found
            .iter()
            .map(|slot| slot.as_ref().map(|host| host.name.as_str()));
        assert_eq!(
            names.collect::<Vec<_>>(),
            [Some("host-1"), Some("host-2"), None]
        );
        assert_eq!(found.missing(), [0.1]);
    })
    .await;
}
