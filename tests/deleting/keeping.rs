//! Derived data of parents under deletes: last-N lists, counts, and lists of ids.

use bson::{Document, doc};
use mongo_model::{Id, MongoModel, recover, transaction};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, number, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_desks")]
struct Desk {
    #[serde(rename = "_id")]
    id: Id<Desk>,
    #[count(Note)]
    notes: i64,
    #[recent(Note, max = 3, sort = time, fields(time))]
    last: Vec<LastNote>,
    #[refs(Task, inverse = desk, max = 100)]
    tasks: Vec<Id<Task>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_folders")]
struct Folder {
    #[serde(rename = "_id")]
    id: Id<Folder>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_notes")]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    #[parent(Desk)]
    desk: Id<Desk>,
    #[parent(Folder, on_delete = cascade)]
    folder: Id<Folder>,
    time: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_tasks")]
struct Task {
    #[serde(rename = "_id")]
    id: Id<Task>,
    #[parent(Desk, inverse = tasks, on_delete = unset)]
    desk: Option<Id<Desk>>,
    #[parent(Folder, on_delete = cascade)]
    folder: Id<Folder>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    #[count(Log)]
    logs: i64,
    #[recent(Log, max = 3, sort = time, fields(time))]
    last: Vec<LastLog>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_logs")]
struct Log {
    #[serde(rename = "_id")]
    id: Id<Log>,
    #[parent(Host, on_delete = cascade)]
    host: Id<Host>,
    time: i64,
}

fn desk() -> Desk {
    Desk {
        id: Id::new(),
        notes: 0,
        last: vec![],
        tasks: vec![],
    }
}

/// Two desks; two folders with three notes and a task of each desk.
async fn start(bench: &Bench) -> ([Desk; 2], [Folder; 2], Vec<Note>, Vec<Task>) {
    let db = &bench.db;
    bench
        .index(&[Desk::meta(), Folder::meta(), Note::meta(), Task::meta()])
        .await;
    let desks = [desk(), desk()];
    Desk::insert_many(db, &desks).await.expect("stored");
    let folders = [Folder { id: Id::new() }, Folder { id: Id::new() }];
    Folder::insert_many(db, &folders).await.expect("stored");
    let mut notes = Vec::new();
    let mut tasks = Vec::new();
    for folder in &folders {
        for desk in &desks {
            for _ in 0..3 {
                notes.push(Note {
                    id: Id::new(),
                    desk: desk.id,
                    folder: folder.id,
                    time: i64::try_from(notes.len()).expect("small"),
                });
            }
            tasks.push(Task {
                id: Id::new(),
                desk: Some(desk.id),
                folder: folder.id,
            });
        }
    }
    Note::insert_many(db, &notes).await.expect("stored");
    Task::insert_many(db, &tasks).await.expect("stored");
    (desks, folders, notes, tasks)
}

/// How many notes a desk has, the times of the last ones, and how many tasks; with nothing under way.
async fn kept(bench: &Bench, desk: &Desk) -> (i64, Vec<i64>, usize) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    let stored = bench.stored("keep_desks", *desk.id.as_raw()).await;
    let last = stored.get_array("last").expect("a list").iter();
    let last = last.map(|one| {
        number(
            one.as_document()
                .and_then(|one| one.get("time"))
                .expect("a time"),
        )
    });
    let tasks = stored.get_array("tasks").expect("a list");
    (
        number(stored.get("notes").expect("a number")),
        last.collect(),
        tasks.len(),
    )
}

// D18, D32, D37: a document deleted by itself or with its folder is in no count and in no list.
#[tokio::test]
async fn parents_lose_what_goes() {
    on_both("keep_gone", async |bench| {
        let db = &bench.db;
        let (desks, folders, notes, tasks) = start(bench).await;
        assert_eq!(kept(bench, &desks[0]).await, (6, vec![6, 7, 8], 2));
        Note::delete(db, notes[8].id).await.expect("deleted");
        assert_eq!(kept(bench, &desks[0]).await, (5, vec![2, 6, 7], 2));
        Task::delete(db, tasks[0].id).await.expect("deleted");
        assert_eq!(kept(bench, &desks[0]).await, (5, vec![2, 6, 7], 1));
        let done = Folder::delete(db, folders[1].id).await.expect("deleted");
        // Five notes and two tasks.
        assert_eq!((done.deleted, done.cascaded), (1, 7));
        assert_eq!(kept(bench, &desks[0]).await, (3, vec![0, 1, 2], 0));
        assert_eq!(kept(bench, &desks[1]).await, (3, vec![3, 4, 5], 1));
        let done = Note::delete_many(db, |n| n.folder.eq(folders[0].id)).await;
        assert_eq!(done.expect("deleted").deleted, 6);
        assert_eq!(kept(bench, &desks[0]).await, (0, vec![], 0));
        assert_eq!(kept(bench, &desks[1]).await, (0, vec![], 1));
        // The task is left without its desk.
        Desk::delete(db, desks[1].id).await.expect("deleted");
        let task = bench.stored("keep_tasks", *tasks[1].id.as_raw()).await;
        assert!(!task.contains_key("desk"), "{task}");
        recover(db).await.expect("recovered");
        settled(bench).await;
    })
    .await;
}

// A parent's derived data is deleted with it: its children are marked and deleted by the page, not one by one.
#[tokio::test]
async fn children_that_only_their_parent_counts() {
    on_both("keep_along", async |bench| {
        let db = &bench.db;
        bench.index(&[Host::meta(), Log::meta()]).await;
        let hosts: [Host; 2] = std::array::from_fn(|_| Host {
            id: Id::new(),
            logs: 0,
            last: vec![],
        });
        Host::insert_many(db, &hosts).await.expect("stored");
        let log = |n: usize| Log {
            id: Id::new(),
            host: hosts[n % 2].id,
            time: n as i64,
        };
        let logs: Vec<Log> = (0..20).map(log).collect();
        Log::insert_many(db, &logs).await.expect("stored");
        recover(db).await.expect("recovered");
        bench.forget();
        let done = Host::delete(db, hosts[0].id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 10));
        // A page of messages, the host, and messages that came meanwhile: as many commands for ten messages as for one.
        let sent = bench.sent();
        let count = |name: &str| sent.iter().filter(|sent| *sent == name).count();
        assert_eq!(count("delete"), 3, "{sent:?}");
        assert!(sent.len() <= 36, "{} commands: {sent:?}", sent.len());
        Log::delete(db, logs[19].id).await.expect("deleted");
        recover(db).await.expect("recovered");
        let stored: Document = bench.stored("keep_hosts", *hosts[1].id.as_raw()).await;
        assert_eq!(number(stored.get("logs").expect("a number")), 9);
        settled(bench).await;
    })
    .await;
}

/// Two hosts with four messages each, of which the last of the first was moved to the second by a program that stopped before it told
/// either of them.
async fn just_moved(bench: &Bench) -> ([Host; 2], Id<Log>) {
    let db = &bench.db;
    bench.index(&[Host::meta(), Log::meta()]).await;
    let hosts: [Host; 2] = std::array::from_fn(|_| Host {
        id: Id::new(),
        logs: 0,
        last: vec![],
    });
    Host::insert_many(db, &hosts).await.expect("stored");
    let log = |n: usize| Log {
        id: Id::new(),
        host: hosts[n % 2].id,
        time: n as i64,
    };
    let logs: Vec<Log> = (0..8).map(log).collect();
    Log::insert_many(db, &logs).await.expect("stored");
    recover(db).await.expect("recovered");
    let [from, to] = hosts.each_ref().map(|host| *host.id.as_raw());
    let moved = doc! { "$set": {
        "host": to,
        "_dn": {
            "r": 3,
            "p": ["keep_hosts.last"],
            "o": { "host": [from] },
            "c": [{ "t": bson::oid::ObjectId::new(), "f": { "host": from }, "to": { "host": to } }],
        },
    } };
    let id = doc! { "_id": *logs[6].id.as_raw() };
    let raw = bench.raw("keep_logs");
    assert_eq!(
        raw.update_one(id, moved)
            .await
            .expect("moved")
            .matched_count,
        1
    );
    bench.forget();
    (hosts, logs[6].id)
}

/// How many messages a host has, and the times of the last ones.
async fn messages(bench: &Bench, host: &Host) -> (i64, Vec<i64>) {
    let stored = bench.stored("keep_hosts", *host.id.as_raw()).await;
    let last = stored.get_array("last").expect("a list").iter();
    let times = last.map(|one| one.as_document().and_then(|one| one.get("time")));
    (
        number(stored.get("logs").expect("a number")),
        times.map(|time| number(time.expect("a time"))).collect(),
    )
}

// A child has just moved in, and its old host is pending: the delete propagates to the old host before it deletes the child.
#[tokio::test]
async fn a_child_that_has_just_moved_in() {
    on_both("keep_moved", async |bench| {
        let db = &bench.db;
        let (hosts, _) = just_moved(bench).await;
        assert_eq!(messages(bench, &hosts[0]).await, (4, vec![2, 4, 6]));
        bench.forget();
        let done = Host::delete(db, hosts[1].id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 5));
        let deletes = bench.take();
        let deletes = deletes.iter().filter(|sent| sent.name == "delete");
        // Children without flags, the pending one, the host, and twice the children that came meanwhile.
        assert!(deletes.count() <= 5);
        assert_eq!(bench.len("keep_logs").await, 3);
        assert_eq!(messages(bench, &hosts[0]).await, (3, vec![0, 2, 4]));
        settled(bench).await;
    })
    .await;
}

// The same where another delete of that child stopped before it propagated.
#[tokio::test]
async fn a_child_that_is_being_deleted_itself() {
    on_both("keep_entombed", async |bench| {
        let db = &bench.db;
        let (hosts, moved) = just_moved(bench).await;
        let tomb = doc! {
            "$set": { "_dn.del": bson::oid::ObjectId::new(), "_dn.d": { "s": "commit", "n": 0 } },
            "$push": { "_dn.p": "~del" },
        };
        let id = doc! { "_id": *moved.as_raw() };
        let raw = bench.raw("keep_logs");
        raw.update_one(id, tomb).await.expect("marked");
        Host::delete(db, hosts[1].id).await.expect("deleted");
        assert_eq!(bench.len("keep_logs").await, 3);
        assert_eq!(messages(bench, &hosts[0]).await, (3, vec![0, 2, 4]));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_child_that_has_just_moved_in_within_a_transaction() {
    in_set("keep_moved_tx", async |bench| {
        let db = &bench.db;
        let (hosts, _) = just_moved(bench).await;
        let done = transaction(db, async |tx| {
            Host::delete(db, hosts[1].id).within(tx).await
        });
        let done = done.await.expect("committed");
        assert_eq!((done.deleted, done.cascaded), (1, 5));
        assert_eq!(bench.len("keep_logs").await, 3);
        assert_eq!(messages(bench, &hosts[0]).await, (3, vec![0, 2, 4]));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction() {
    in_set("keep_tx", async |bench| {
        let db = &bench.db;
        let (desks, folders, ..) = start(bench).await;
        let done = transaction(db, async |tx| {
            Folder::delete(db, folders[1].id).within(tx).await
        });
        let done = done.await.expect("committed");
        assert_eq!((done.deleted, done.cascaded), (1, 8));
        assert_eq!(kept(bench, &desks[0]).await, (3, vec![0, 1, 2], 1));
        let mut session = bench.transaction().await;
        let undone = Folder::delete(db, folders[0].id)
            .driver_session(&mut session)
            .await;
        undone.expect("deleted");
        session.abort_transaction().await.expect("aborted");
        assert_eq!(kept(bench, &desks[0]).await, (3, vec![0, 1, 2], 1));
        let left = bench.raw("keep_notes").count_documents(doc! {}).await;
        assert_eq!(left.expect("counted"), 6);
    })
    .await;
}
