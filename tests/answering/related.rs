//! Two-way references.

use mongo_model::{Database, Id, MongoModel, recover, settle, verify};
use serde::{Deserialize, Serialize};

use crate::bulk::behind_answers;
use crate::common::{Bench, behind};
use crate::inserting::commands;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_workers")]
struct Worker {
    #[serde(rename = "_id")]
    id: Id<Worker>,
    name: String,
    #[refs(Job, inverse = worker)]
    jobs: Vec<Id<Job>>,
    #[refs(Guild, inverse = members, max = 9)]
    guilds: Vec<Id<Guild>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_jobs")]
struct Job {
    #[serde(rename = "_id")]
    id: Id<Job>,
    #[parent(Worker, inverse = jobs)]
    worker: Option<Id<Worker>>,
    #[denorm(from = Worker, field = name)]
    worker_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_guilds")]
struct Guild {
    #[serde(rename = "_id")]
    id: Id<Guild>,
    #[refs(Worker, inverse = guilds, max = 9)]
    members: Vec<Id<Worker>>,
}

fn worker(name: &str) -> Worker {
    Worker {
        id: Id::new(),
        name: name.to_owned(),
        jobs: Vec::new(),
        guilds: Vec::new(),
    }
}

fn job(worker: &Worker) -> Job {
    Job {
        id: Id::new(),
        worker: Some(worker.id),
        worker_name: Some(worker.name.clone()),
    }
}

async fn workers(bench: &Bench) -> (Worker, Worker) {
    bench
        .index(&[Worker::meta(), Job::meta(), Guild::meta()])
        .await;
    let (ann, bob) = (worker("Ann"), worker("Bob"));
    let both = Worker::insert_many(&bench.db, [&ann, &bob]);
    both.await.expect("stored");
    settle(&bench.db).await;
    bench.forget();
    (ann, bob)
}

async fn stored(db: &Database, worker: &Worker) -> Worker {
    let stored = Worker::get(db, worker.id).await.expect("read");
    stored.expect("there")
}

/// The commands that change something, of those since the log was cleared, without an attempt at a transaction on a server that has none.
fn writes(bench: &Bench) -> Vec<String> {
    let sent = commands(bench).into_iter();
    let sent = sent.filter(|(name, _)| name != "find" && name != "commitTransaction");
    let sent: Vec<String> = sent.map(|(name, to)| format!("{name} {to}")).collect();
    let failed = sent.iter().position(|one| one.starts_with("abort"));
    sent[failed.map_or(0, |at| at + 1)..].to_vec()
}

/// The first three of them, which the call waits for: the places in the arrays, the write, the arrays. It compares copies at the same time or later.
fn first(bench: &Bench) -> Vec<String> {
    let mut writes = writes(bench);
    writes.truncate(3);
    writes
}

async fn sound(bench: &Bench) {
    let finishing = settle(&bench.db).await;
    assert_eq!((finishing.open, finishing.failed), (0, 0), "{finishing:?}");
    let recovered = recover(&bench.db).await.expect("recovered");
    assert!(recovered.is_idle(), "{recovered:?}");
    let verified = verify(&bench.db).await.expect("verified");
    assert!(verified.is_clean(), "{verified}");
    bench.forget();
}

#[tokio::test]
async fn a_new_job_is_held_by_its_worker_when_the_call_answers() {
    behind("answer_job", async |bench| {
        let (ann, _) = workers(bench).await;
        let db = &bench.db;
        let new = job(&ann);
        Job::insert(db, &new).await.expect("stored");
        let early = writes(bench);
        let awaited = ["update workers", "insert jobs", "update workers"];
        assert_eq!(early[..3], awaited);
        assert_eq!(stored(db, &ann).await.jobs, [new.id]);
        let mut rest = early[3..].to_vec();
        rest.extend(behind_answers(bench).await);
        rest.sort_unstable();
        let each = [
            "findAndModify workers",
            "update jobs",
            "update jobs",
            "update workers",
        ];
        assert_eq!(rest, each);
        sound(bench).await;

        let mut new = job(&ann);
        new.worker_name = Some("not known".to_owned());
        Job::insert(db, &new).await.expect("stored");
        let corrected = Job::get(db, new.id).await.expect("read").expect("there");
        assert_eq!(corrected.worker_name.as_deref(), Some("Ann"));
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn many_new_jobs_are_held_by_their_workers_when_the_call_answers() {
    behind("answer_jobs", async |bench| {
        let (ann, bob) = workers(bench).await;
        let db = &bench.db;
        let new: Vec<Job> = [&ann, &bob, &ann, &bob].map(job).into();
        Job::insert_many(db, &new).await.expect("stored");
        let awaited = ["update workers", "insert jobs", "update workers"];
        assert_eq!(first(bench), awaited);
        assert_eq!(stored(db, &ann).await.jobs, [new[0].id, new[2].id]);
        assert_eq!(stored(db, &bob).await.jobs, [new[1].id, new[3].id]);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_job_that_gets_another_worker_is_compared_behind_the_answer() {
    behind("answer_reassign", async |bench| {
        let (ann, bob) = workers(bench).await;
        let db = &bench.db;
        let new = job(&ann);
        Job::insert(db, &new).settled().await.expect("stored");
        bench.forget();
        Job::reassign_worker(db, new.id, Some(bob.id))
            .await
            .expect("reassigned");
        let awaited = ["update workers", "findAndModify jobs", "update workers"];
        assert_eq!(first(bench), awaited);
        assert_eq!(stored(db, &ann).await.jobs, []);
        assert_eq!(stored(db, &bob).await.jobs, [new.id]);
        let moved = Job::get(db, new.id).await.expect("read").expect("there");
        assert_eq!(moved.worker_name.as_deref(), Some("Bob"));
        sound(bench).await;

        Worker::add_job(db, ann.id, new.id).await.expect("added");
        assert_eq!(first(bench), awaited);
        assert_eq!(stored(db, &ann).await.jobs, [new.id]);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn arrays_on_both_sides_are_right_when_the_call_answers() {
    behind("answer_guilds", async |bench| {
        let (ann, bob) = workers(bench).await;
        let db = &bench.db;
        let guild = Guild {
            id: Id::new(),
            members: vec![ann.id],
        };
        Guild::insert(db, &guild).await.expect("stored");
        let awaited = ["update workers", "insert guilds", "update workers"];
        assert_eq!(writes(bench), awaited);
        assert_eq!(stored(db, &ann).await.guilds, [guild.id]);
        sound(bench).await;

        // From the side whose array is the truth, and from the other one.
        Guild::add_member(db, guild.id, bob.id)
            .await
            .expect("added");
        let awaited = ["update workers", "findAndModify guilds", "update workers"];
        assert_eq!(writes(bench), awaited);
        assert_eq!(stored(db, &bob).await.guilds, [guild.id]);
        sound(bench).await;

        let remove = Worker::remove_guild(db, ann.id, guild.id);
        remove.await.expect("removed");
        // The second one is the durable read.
        let each = ["update guilds", "findAndModify guilds", "update workers"];
        assert_eq!(writes(bench), each);
        assert_eq!(stored(db, &ann).await.guilds, []);
        sound(bench).await;

        let replace = Guild::replace_members(db, guild.id, [ann.id]);
        replace.await.expect("replaced");
        assert_eq!(stored(db, &ann).await.guilds, [guild.id]);
        assert_eq!(stored(db, &bob).await.guilds, []);
        sound(bench).await;
    })
    .await;
}
