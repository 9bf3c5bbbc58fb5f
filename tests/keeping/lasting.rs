//! Last-N lists of children, stored in their parent.

use bson::{Document, doc};
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::keeping::settled::{settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "last_hosts")]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    name: String,
    #[recent(Log, max = 3, sort = time, fields(time, text))]
    #[serde(rename = "l")]
    logs: Vec<RecentLog>,
    #[recent(Log, max = 2, sort = -time, fields(text))]
    newest: Vec<NewestLog>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "last_logs")]
pub(crate) struct Log {
    #[serde(rename = "_id")]
    id: Id<Log>,
    #[parent(Host, unchecked)]
    host: Option<Id<Host>>,
    #[serde(rename = "t")]
    time: i64,
    text: String,
    /// No list contains it.
    level: i64,
}

fn host(name: &str) -> Host {
    Host {
        id: Id::new(),
        name: name.to_owned(),
        logs: Vec::new(),
        newest: Vec::new(),
    }
}

fn log(host: &Host, time: i64) -> Log {
    Log {
        id: Id::new(),
        host: Some(host.id),
        time,
        text: format!("at {time}"),
        level: 1,
    }
}

async fn start<const N: usize>(bench: &Bench) -> [Host; N] {
    bench.index(&[Host::meta(), Log::meta()]).await;
    let hosts = std::array::from_fn(|n| host(&format!("host {n}")));
    Host::insert_many(&bench.db, &hosts).await.expect("stored");
    bench.forget();
    hosts
}

/// The two log lists of a host: oldest first, and newest first.
async fn kept(bench: &Bench, host: &Host) -> (Vec<String>, Vec<String>) {
    let found = Host::get(&bench.db, host.id)
        .await
        .expect("read")
        .expect("stored");
    bench.forget();
    let all = found.logs.iter().map(|log| {
        assert_eq!(
            log.text.split('#').next(),
            Some(format!("at {}", log.time).as_str())
        );
        log.text.clone()
    });
    (
        all.collect(),
        found.newest.iter().map(|log| log.text.clone()).collect(),
    )
}

/// The times of the logs in a host's list, once nothing is pending.
async fn times(bench: &Bench, host: &Host) -> Vec<i64> {
    settled(bench).await;
    let found = Host::get(&bench.db, host.id)
        .await
        .expect("read")
        .expect("stored");
    bench.forget();
    let times: Vec<i64> = found.logs.iter().map(|log| log.time).collect();
    let last = times.iter().rev().take(2).map(|time| format!("at {time}"));
    let newest: Vec<String> = found
        .newest
        .iter()
        .map(|log| log.text.split('#').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(newest, last.collect::<Vec<_>>());
    times
}

#[tokio::test]
async fn the_last_ones_are_kept_in_order_wherever_they_come_from() {
    on_both("last_order", async |bench| {
        let [a, b] = start(bench).await;
        for time in [5, 1, 9, 7, 3] {
            Log::insert(&bench.db, &log(&a, time))
                .await
                .expect("stored");
        }
        assert_eq!(
            kept(bench, &a).await,
            (
                vec!["at 5".to_owned(), "at 7".to_owned(), "at 9".to_owned()],
                vec!["at 9".to_owned(), "at 7".to_owned()]
            )
        );
        assert_eq!(times(bench, &a).await, [5, 7, 9]);
        assert_eq!(times(bench, &b).await, [0_i64; 0]);

        let many: Vec<Log> = (10..20)
            .map(|time| log(if time % 2 == 0 { &a } else { &b }, time))
            .collect();
        let done = Log::insert_many(&bench.db, &many).await.expect("stored");
        assert!(done.pending.is_empty(), "{done:?}");
        assert_eq!(times(bench, &a).await, [14, 16, 18]);
        assert_eq!(times(bench, &b).await, [15, 17, 19]);
    })
    .await;
}

#[tokio::test]
async fn a_log_that_leaves_makes_room_for_the_one_before() {
    on_both("last_leave", async |bench| {
        let [a, b] = start(bench).await;
        let logs: Vec<Log> = (1..=6).map(|time| log(&a, time)).collect();
        Log::insert_many(&bench.db, &logs).await.expect("stored");
        assert_eq!(times(bench, &a).await, [4, 5, 6]);

        Log::update(&bench.db, logs[4].id)
            .set(|l| l.host, b.id)
            .await
            .expect("moved");
        assert_eq!(times(bench, &a).await, [3, 4, 6]);
        assert_eq!(times(bench, &b).await, [5]);

        // One that is not in the list leaves nothing behind, and nothing is read for it.
        Log::update(&bench.db, logs[0].id)
            .set(|l| l.host, b.id)
            .await
            .expect("moved");
        assert_eq!(times(bench, &a).await, [3, 4, 6]);
        assert_eq!(times(bench, &b).await, [1, 5]);

        Log::update(&bench.db, logs[5].id)
            .set(|l| l.host, None)
            .await
            .expect("moved");
        assert_eq!(times(bench, &a).await, [2, 3, 4]);

        // The same once more changes nothing.
        let before = shown::<Host>(bench, &a.id).await;
        Log::update(&bench.db, logs[5].id)
            .set(|l| l.host, None)
            .await
            .expect("moved");
        assert_eq!(shown::<Host>(bench, &a.id).await, before);

        let mut last = logs[3].clone();
        last.host = Some(b.id);
        last.save(&bench.db).await.expect("saved");
        assert_eq!(times(bench, &a).await, [2, 3]);
        assert_eq!(times(bench, &b).await, [1, 4, 5]);

        let moved = Log::update_many(&bench.db, |l| l.host.eq(b.id))
            .set(|l| l.host, a.id)
            .await
            .expect("moved");
        assert_eq!(moved.modified, 3, "{moved:?}");
        assert!(moved.pending.is_empty(), "{moved:?}");
        assert_eq!(times(bench, &a).await, [3, 4, 5]);
        assert_eq!(times(bench, &b).await, [0_i64; 0]);
    })
    .await;
}

#[tokio::test]
async fn an_edit_is_followed_and_may_put_a_log_out_of_the_list() {
    on_both("last_edit", async |bench| {
        let [a] = start(bench).await;
        let logs: Vec<Log> = (1..=6).map(|time| log(&a, time * 10)).collect();
        Log::insert_many(&bench.db, &logs).await.expect("stored");
        Log::update(&bench.db, logs[4].id)
            .set(|l| l.text, "at 50#edited")
            .await
            .expect("edited");
        assert_eq!(kept(bench, &a).await.0, ["at 40", "at 50#edited", "at 60"]);
        assert_eq!(times(bench, &a).await, [40, 50, 60]);

        // Older than a log that is not in the list.
        let set = |id, time: i64| {
            Log::update(&bench.db, id)
                .set(|l| l.time, time)
                .set(|l| l.text, format!("at {time}"))
        };
        set(logs[5].id, 25).await.expect("edited");
        assert_eq!(times(bench, &a).await, [30, 40, 50]);
        // Older, and still one of the last.
        set(logs[4].id, 35).await.expect("edited");
        assert_eq!(times(bench, &a).await, [30, 35, 40]);
        // Back from beyond the list.
        set(logs[5].id, 70).await.expect("edited");
        assert_eq!(times(bench, &a).await, [35, 40, 70]);

        // A field that no list contains causes no propagation.
        Log::update(&bench.db, logs[5].id)
            .set(|l| l.level, 9)
            .await
            .expect("edited");
        assert_eq!(bench.sent(), ["update"]);
    })
    .await;
}

#[tokio::test]
async fn of_the_same_time_the_later_id_is_the_later_one() {
    on_both("last_ties", async |bench| {
        let [a] = start(bench).await;
        let mut logs: Vec<Log> = (0..6).map(|_| log(&a, 7)).collect();
        logs.sort_by_key(|log| log.id.into_raw());
        for n in [3, 0, 5, 1, 4, 2] {
            Log::insert(&bench.db, &logs[n]).await.expect("stored");
        }
        let ids = async || -> Vec<Id<Log>> {
            settled(bench).await;
            let found = Host::get(&bench.db, a.id)
                .await
                .expect("read")
                .expect("stored");
            found.logs.iter().map(|log| log.id).collect()
        };
        assert_eq!(ids().await, [logs[3].id, logs[4].id, logs[5].id]);
        Log::update(&bench.db, logs[4].id)
            .set(|l| l.host, None)
            .await
            .expect("moved");
        assert_eq!(ids().await, [logs[2].id, logs[3].id, logs[5].id]);
    })
    .await;
}

#[tokio::test]
async fn a_list_is_made_again_from_its_logs() {
    on_both("last_rebuild", async |bench| {
        let [a] = start(bench).await;
        let logs: Vec<Log> = (1..=6).map(|time| log(&a, time)).collect();
        Log::insert_many(&bench.db, &logs).await.expect("stored");
        let right = shown::<Host>(bench, &a.id).await;
        let garbage: [Document; 4] = [
            doc! { "$set": { "l": [] } },
            doc! { "$unset": { "l": "" } },
            doc! { "$set": { "l.1.text": "wrong", "l.2.time": 4_i64 } },
            doc! { "$push": { "l": { "id": bson::oid::ObjectId::new(), "time": 99_i64, "text": "ghost", "_r": 99 } } },
        ];
        for garbage in garbage {
            bench.raw("last_hosts").update_one(doc! {}, garbage).await.expect("written");
            Host::rebuild_logs(&bench.db, a.id).await.expect("rebuilt");
            assert_eq!(times(bench, &a).await, [4, 5, 6]);
        }
        let mut again = shown::<Host>(bench, &a.id).await;
        again.remove("_dn");
        let mut right = right;
        right.remove("_dn");
        assert_eq!(again.get("l"), right.get("l"));
        assert_eq!(recover(&bench.db).await.expect("recovered").parents, 0);
        assert!(Host::rebuild_logs(&bench.db, Id::new()).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn what_is_deleted_makes_room_as_well() {
    on_both("last_delete", async |bench| {
        let [a, b] = start(bench).await;
        let db = &bench.db;
        let logs: Vec<Log> = (1..=9).map(|time| log(&a, time)).collect();
        Log::insert_many(db, &logs).await.expect("stored");
        Log::delete(db, logs[8].id).await.expect("deleted");
        assert_eq!(times(bench, &a).await, [6, 7, 8]);
        // One that is not in the list.
        Log::delete(db, logs[0].id).await.expect("deleted");
        assert_eq!(times(bench, &a).await, [6, 7, 8]);
        Log::delete_many(db, |l| l.id.is_in([logs[4].id, logs[5].id, logs[6].id]))
            .await
            .expect("deleted");
        assert_eq!(times(bench, &a).await, [3, 4, 8]);
        Log::delete_many(db, |l| l.host.eq(a.id))
            .await
            .expect("deleted");
        assert_eq!(times(bench, &a).await, [0_i64; 0]);
        assert_eq!(times(bench, &b).await, [0_i64; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_new_log_costs_four_commands_and_a_full_list_is_filled_up_through_an_index() {
    on_both("last_commands", async |bench| {
        let [a, b] = start(bench).await;
        let db = &bench.db;
        bench.index(&[Log::meta()]).await;
        let one = log(&a, 5);
        Log::insert(db, &one).await.expect("stored");
        // One command updates both lists.
        assert_eq!(
            bench.sent(),
            ["insert", "findAndModify", "update", "update"]
        );

        let many: Vec<Log> = (10..110).map(|time| log(&a, time)).collect();
        Log::insert_many(db, &many).await.expect("stored");
        // Each list is updated once, however many there are, and then loses its mark.
        assert_eq!(
            bench.sent(),
            [
                "insert",
                "findAndModify",
                "findAndModify",
                "update",
                "update",
                "update"
            ]
        );

        Log::update(db, many[99].id)
            .set(|l| l.host, b.id)
            .await
            .expect("moved");
        let finds: Vec<Document> = bench
            .take()
            .into_iter()
            .filter(|sent| {
                sent.name == "find"
                    && sent
                        .command
                        .get_str("find")
                        .is_ok_and(|name| name == "last_logs")
                    && sent.command.contains_key("sort")
            })
            .map(|sent| sent.command)
            .collect();
        assert!(!finds.is_empty());
        for find in finds {
            let plan = bench.explain(find).await;
            assert!(plan.has("IXSCAN") && !plan.has("SORT"), "{plan:?}");
            assert!(plan.documents <= 3, "{plan:?}");
        }
        assert_eq!(times(bench, &a).await, [106, 107, 108]);
    })
    .await;
}

/// Writers at the same time, of lists that are always full.
#[tokio::test]
async fn whoever_writes_at_the_same_time_the_lists_are_exact_at_the_end() {
    on_both("last_race", async |bench| {
        let hosts: [Host; 3] = start(bench).await;
        let work = (0..8_i64).map(|task| {
            let (db, hosts) = (bench.db.clone(), hosts.clone());
            async move {
                let mut own: Vec<Id<Log>> = Vec::new();
                let mut random = 7 + task.unsigned_abs();
                for n in 0..18_i64 {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let dice = usize::try_from(random >> 40).expect("24 bits");
                    let host = &hosts[dice % 3];
                    let time = i64::try_from(dice % 40).expect("small");
                    let known = (!own.is_empty()).then(|| own[dice % own.len()]);
                    match (dice / 64 % 6, known) {
                        (0, Some(id)) => drop(
                            Log::update(&db, id)
                                .set(|l| l.host, host.id)
                                .await
                                .expect("moved"),
                        ),
                        (1, Some(id)) => drop(
                            Log::update(&db, id)
                                .set(|l| l.time, time)
                                .set(|l| l.text, format!("at {time}#{n}"))
                                .await
                                .expect("edited"),
                        ),
                        (2, Some(id)) => {
                            own.retain(|known| *known != id);
                            Log::delete(&db, id).await.expect("deleted");
                        }
                        (3, Some(id)) => drop(
                            Log::update(&db, id)
                                .set(|l| l.host, None)
                                .await
                                .expect("moved"),
                        ),
                        _ => {
                            let new = log(host, time);
                            own.push(new.id);
                            Log::insert(&db, &new).await.expect("stored");
                        }
                    }
                }
            }
        });
        futures::future::join_all(work).await;
        recover(&bench.db).await.expect("recovered");
        settled(bench).await;
        for host in &hosts {
            let mut all = Log::find(&bench.db, |l| l.host.eq(host.id))
                .await
                .expect("read");
            all.sort_by_key(|log| (log.time, log.id.into_raw()));
            let right: Vec<(Id<Log>, String)> = all
                .iter()
                .rev()
                .take(3)
                .rev()
                .map(|log| (log.id, log.text.clone()))
                .collect();
            let found = Host::get(&bench.db, host.id)
                .await
                .expect("read")
                .expect("stored");
            let have: Vec<_> = found
                .logs
                .iter()
                .map(|log| (log.id, log.text.clone()))
                .collect();
            assert_eq!(have, right);
            let newest: Vec<_> = found
                .newest
                .iter()
                .map(|log| (log.id, log.text.clone()))
                .collect();
            assert_eq!(newest, right.into_iter().rev().take(2).collect::<Vec<_>>());
        }
    })
    .await;
}
