//! Queues, buckets, locks and sagas of tenants.

use std::time::Duration;

use bson::{Bson, DateTime, doc};
use mongo_model::{BucketId, Error, Id, Lock, MongoEmbed, MongoModel, Saga, SagaOutcome, Tenants};
use serde::{Deserialize, Serialize};

use super::proof::{assert_walled, open_filters};
use super::{Org, org, tenant};
use crate::common::{Bench, alone, on_both};

const LONG: Duration = Duration::from_secs(3_600);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs", tenant = org, queue(priority = urgency, max_attempts = 1))]
pub(super) struct Job {
    #[serde(rename = "_id")]
    id: i64,
    org: Id<Org>,
    urgency: i32,
}

pub(super) fn job(of: u8, id: i64, urgency: i32) -> Job {
    Job {
        id,
        org: org(of),
        urgency,
    }
}

#[tokio::test]
async fn a_queue_gives_a_tenant_its_own_jobs() {
    on_both("wall_queue", async |bench| {
        bench.index(&[Job::meta()]).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let (mine, theirs) = (Job::queue(&one), Job::queue(&other));
        theirs
            .push_many(&[job(2, 1, 9), job(2, 2, 9)])
            .await
            .expect("stored");
        bench.forget();
        mine.push(&job(1, 3, 0)).await.expect("stored");
        let stolen = mine.push(&job(2, 4, 0)).await;
        assert!(matches!(stolen, Err(Error::OtherTenant { .. })));
        // The jobs of the other tenant come first, but are not this one's.
        let mut leased = mine.pop("w", LONG).await.expect("sent").expect("a job");
        assert_eq!(leased.job.id, 3);
        assert!(mine.pop("w", LONG).await.expect("sent").is_none());
        leased.extend(&one, LONG).await.expect("held");
        let wanted = Bson::from(org(1));
        assert!(assert_walled(&bench.take(), &wanted) >= 5);
        let not_theirs = leased.ack(&other).await;
        assert!(matches!(not_theirs, Err(Error::LeaseLost { .. })));
        let not_theirs = leased.nack(&other, Duration::ZERO).await;
        assert!(matches!(not_theirs, Err(Error::LeaseLost { .. })));
        bench.forget();
        leased.nack(&one, Duration::ZERO).await.expect("held");
        // Its one attempt is used up.
        assert_eq!(mine.dead().await.expect("found").len(), 1);
        assert_eq!(mine.revive(1_i64).await.map_err(is_missing), Err(true));
        mine.revive(3_i64).await.expect("a dead letter");
        let leased = mine.pop("w", LONG).await.expect("sent").expect("a job");
        leased.ack(&one).await.expect("held");
        assert!(assert_walled(&bench.take(), &wanted) >= 6);
        assert!(theirs.dead().await.expect("found").is_empty());
        assert_eq!(bench.len("jobs").await, 2);
    })
    .await;
}

fn is_missing(error: Error) -> bool {
    matches!(error, Error::NotFound { .. })
}

#[tokio::test]
async fn ended_leases_of_another_tenant_stay_and_a_worker_takes_those_of_all() {
    on_both("wall_worker", async |bench| {
        bench.index(&[Job::meta()]).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        for (db, of) in [(&one, 1), (&other, 2)] {
            let queue = Job::queue(db);
            queue
                .push(&job(of, of.into(), of.into()))
                .await
                .expect("stored");
            let leased = queue.pop("w", LONG).await.expect("sent");
            assert!(leased.is_some());
        }
        let past = doc! { "$set": { "_dn.q.at": DateTime::from_millis(1) } };
        let jobs = bench.raw("jobs");
        jobs.update_many(doc! {}, past).await.expect("changed");
        assert!(
            Job::queue(&one)
                .pop("w", LONG)
                .await
                .expect("sent")
                .is_none()
        );
        assert_eq!(Job::queue(&one).dead().await.expect("found").len(), 1);
        assert!(
            Job::queue(&other).dead().await.expect("found").is_empty(),
            "changed"
        );
        let all = bench.db.across_tenants::<Id<Org>>("the worker");
        let queue = Job::queue(&all);
        assert!(queue.pop("w", LONG).await.expect("sent").is_none());
        for id in [1_i64, 2] {
            queue.revive(id).await.expect("a dead letter");
        }
        let first = queue.pop("w", LONG).await.expect("sent").expect("a job");
        assert_eq!(first.job.org, org(2), "the most urgent");
        first
            .ack(&bench.db.tenant(first.job.org))
            .await
            .expect("done");
        let next = queue.pop("w", LONG).await.expect("sent").expect("a job");
        next.ack(&all).await.expect("done");
        assert_eq!(bench.len("jobs").await, 0);
    })
    .await;
}

#[tokio::test]
async fn indexes_serve_the_pops_of_one_tenant_and_of_all() {
    alone("wall_queue_index", async |bench| {
        bench.index(&[Job::meta()]).await;
        let (one, all) = (tenant(bench, 1), bench.db.across_tenants::<Id<Org>>("all"));
        for of in [2, 1] {
            let first = i64::from(of) * 1_000;
            let jobs = (first..first + 200).map(|id| job(of, id, of.into()));
            let jobs: Vec<Job> = jobs.collect();
            let db = tenant(bench, of);
            Job::queue(&db).push_many(&jobs).await.expect("stored");
        }
        for (db, key) in [(&one, "org"), (&all, "_dn.q.at")] {
            bench.forget();
            let leased = Job::queue(db).pop("w", LONG).await.expect("sent");
            assert!(leased.is_some());
            let claim = bench.take().pop().expect("a command");
            let plan = bench.explain(claim.command).await;
            plan.assert_served_by(key);
            assert!(!plan.has("SORT") && plan.keys <= 2, "{plan:#?}");
        }
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves", tenant = org)]
pub(super) struct Shelf {
    #[serde(rename = "_id")]
    id: Id<Shelf>,
    org: Id<Org>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(super) struct Book {
    pub(super) id: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "books", tenant = owner, bucket(books))]
pub(super) struct Books {
    #[serde(rename = "_id")]
    id: BucketId<Shelf>,
    #[serde(rename = "o")]
    owner: Id<Org>,
    #[parent(Shelf, on_delete = cascade)]
    shelf: Id<Shelf>,
    count: i64,
    #[embed(max = 3)]
    books: Vec<Book>,
}

pub(super) async fn shelf(bench: &Bench, of: u8) -> Id<Shelf> {
    let shelf = Shelf {
        id: Id::new(),
        org: org(of),
    };
    let db = tenant(bench, of);
    Shelf::insert(&db, &shelf).await.expect("stored");
    shelf.id
}

#[tokio::test]
async fn buckets_are_those_of_a_tenant() {
    on_both("wall_buckets", async |bench| {
        bench.index(&[Shelf::meta(), Books::meta()]).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let (mine, theirs) = (shelf(bench, 1).await, shelf(bench, 2).await);
        Books::push(&other, theirs, Book { id: 1 })
            .await
            .expect("stored");
        bench.forget();
        let many = (1..=4).map(|id| Book { id });
        let pushed = Books::push_many(&one, mine, many).await.expect("stored");
        assert_eq!((pushed.added, pushed.opened), (4, 2));
        let again = Books::push(&one, mine, Book { id: 2 }).await.expect("sent");
        assert!(!again.added);
        Books::push(&one, mine, Book { id: 5 })
            .await
            .expect("stored");
        let all = Books::iterate(&one, mine).await.expect("read");
        assert_eq!(
            all.iter().map(|book| book.id).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5]
        );
        assert_eq!(Books::count_items(&one, mine).await.expect("counted"), 5);
        let removed = Books::remove_item(&one, mine, &5).await.expect("sent");
        assert!(removed.removed);
        let page = Books::page(&one, mine, 0).await.expect("read");
        assert_eq!(page.expect("a page").owner, org(1));
        let (seen, open) = open_filters(&bench.take(), &Bson::from(org(1)));
        assert!(seen.len() >= 12, "{seen:?}");
        // The shelf was read with the tenant before.
        assert!(
            open.iter()
                .all(|shape| shape == "findAndModify shelves: _id"),
            "{open:?}"
        );
        // The shelf of another tenant.
        assert!(Books::iterate(&one, theirs).await.expect("read").is_empty());
        assert_eq!(Books::count_items(&one, theirs).await.expect("counted"), 0);
        assert!(Books::page(&one, theirs, 0).await.expect("read").is_none());
        let removed = Books::remove_item(&one, theirs, &1).await.expect("sent");
        assert!(!removed.removed);
        let stolen = Books::push(&one, theirs, Book { id: 9 }).await;
        assert!(matches!(stolen, Err(Error::Dangling { .. })), "{stolen:?}");
        assert!(assert_walled(&bench.take(), &Bson::from(org(1))) >= 6);
        let all = bench.db.across_tenants::<Id<Org>>("all");
        let pushed = Books::push(&all, mine, Book { id: 9 }).await;
        assert!(matches!(pushed, Err(Error::Impossible { .. })));
        assert_eq!(Books::count_items(&all, theirs).await.expect("counted"), 1);
        let kept = Books::iterate(&other, theirs).await.expect("read");
        assert_eq!(kept, [Book { id: 1 }]);
    })
    .await;
}

#[tokio::test]
async fn the_names_of_locks_are_those_of_a_tenant() {
    on_both("wall_locks", async |bench| {
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let all = bench.db.across_tenants::<Id<Org>>("all");
        let name = || Lock::new("nightly");
        let locks = [name().of(&one), name().of(&other), name().of(&all)];
        let mut held = Vec::new();
        for lock in &locks {
            let lease = lock.try_acquire(&bench.db, LONG).await.expect("sent");
            held.push(lease.expect("free"));
            let again = lock.try_acquire(&bench.db, LONG).await.expect("sent");
            assert!(again.is_none(), "held");
        }
        let plain = name().try_acquire(&bench.db, LONG).await.expect("sent");
        assert!(plain.is_none(), "that of all tenants has the plain name");
        held.swap_remove(0)
            .release(one.database())
            .await
            .expect("held");
        let again = locks[0].try_acquire(&bench.db, LONG).await.expect("sent");
        assert_eq!(again.expect("free").token(), 2);
        let still = locks[1].try_acquire(&bench.db, LONG).await.expect("sent");
        assert!(still.is_none(), "held");
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "purses", tenant = org)]
struct Purse {
    #[serde(rename = "_id")]
    id: i32,
    org: Id<Org>,
    coins: i64,
    #[version]
    version: i64,
}

fn purse(of: u8, id: i32) -> Purse {
    Purse {
        id,
        org: org(of),
        coins: 10,
        version: 0,
    }
}

#[tokio::test]
async fn no_step_of_a_saga_reaches_another_tenant() {
    on_both("wall_sagas", async |bench| {
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        for (db, purse) in [
            (&one, purse(1, 1)),
            (&one, purse(1, 2)),
            (&other, purse(2, 3)),
        ] {
            Purse::insert(db, &purse).await.expect("stored");
        }
        let add = |id: i32, coins: i64| Purse::update(&one, id).inc(|p| p.coins, coins);
        let give = |to: i32| {
            Saga::new(one.database(), "give")
                .step(add(1, -2).only_if(|p| p.coins.gte(2)), add(1, 2))
                .step(add(to, 2), add(to, -2))
        };
        bench.forget();
        let ended = give(2).run().await.expect("ended");
        assert!(matches!(ended, SagaOutcome::Done));
        let ended = give(3).run().await.expect("ended");
        let SagaOutcome::Undone { step: 1, why } = ended else {
            panic!("a purse of another tenant was changed");
        };
        assert!(matches!(why.as_deref(), Some(Error::NotFound { .. })));
        let (seen, open) = open_filters(&bench.take(), &Bson::from(org(1)));
        assert!(open.is_empty(), "{open:?}");
        assert!(seen.len() > 8, "{seen:?}");
        let theirs = Purse::get(&other, 3).await.expect("read");
        assert_eq!(theirs, Some(purse(2, 3)), "another tenant's");
        let coins = async |id: i32| {
            let found = Purse::get(&one, id).await.expect("read");
            found.expect("a purse").coins
        };
        assert_eq!((coins(1).await, coins(2).await), (8, 12));
        let mixed = Saga::new(one.database(), "mixed")
            .step(add(1, 1), Purse::update(&other, 1).inc(|p| p.coins, -1));
        let mixed = mixed.run().await;
        assert!(matches!(mixed, Err(Error::Impossible { .. })), "{mixed:?}");
    })
    .await;
}

/// Dies after every one of its commands, and is resumed by a program that has no `Tenant`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saga_that_died_is_ended_inside_of_the_wall() {
    on_both("wall_sagas_died", async |bench| {
        let raw = bench.raw("purses");
        // The second purse is one of another tenant: the saga that gives to it is undone.
        for (to, whole) in [(2, (8, 12)), (3, (10, 10))] {
            for commands in 1..30 {
                raw.delete_many(doc! {}).await.expect("emptied");
                bench
                    .place([&purse(1, 1), &purse(1, 2), &purse(2, 3)])
                    .await;
                bench.forget();
                let stranger = bench.stranger().await;
                let db = stranger.db.tenant(org(1));
                let running = tokio::spawn(async move {
                    let add = |id: i32, by: i64| Purse::update(&db, id).inc(|p| p.coins, by);
                    let saga = Saga::new(db.database(), "give").step(add(1, -2), add(1, 2));
                    saga.step(add(to, 2), add(to, -2)).run().await
                });
                while bench.count() < commands && !running.is_finished() {
                    tokio::task::yield_now().await;
                }
                let is_done = running.is_finished();
                running.abort();
                running.await.ok();
                bench.end(stranger).await;
                let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
                let journals = bench.raw("_dn.sagas");
                journals.update_many(doc! {}, past).await.expect("changed");
                bench.forget();
                let resumed = mongo_model::resume(&bench.db).await.expect("resumed");
                assert!(resumed.failed.is_empty(), "{resumed:?}");
                let (_, open) = open_filters(&bench.take(), &Bson::from(org(1)));
                assert!(open.is_empty(), "{open:?}");
                let theirs = Purse::get(&tenant(bench, 2), 3).await.expect("read");
                assert_eq!(theirs, Some(purse(2, 3)), "{commands}");
                let one = tenant(bench, 1);
                let coins = async |id: i32| {
                    let found = Purse::get(&one, id).await.expect("read");
                    found.expect("a purse").coins
                };
                let now = (coins(1).await, coins(2).await);
                // If it died before the saga began, nothing is done.
                assert!(
                    now == whole || (commands <= 2 && now == (10, 10)),
                    "{commands}: {now:?}"
                );
                if is_done {
                    break;
                }
            }
        }
    })
    .await;
}

/// A purse and a job of the tenant, made and undone; another tenant has the `_id` of the second purse.
#[tokio::test]
async fn a_saga_inserts_inside_of_the_wall() {
    on_both("wall_saga_inserts", async |bench| {
        bench.index(&[Job::meta()]).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        Purse::insert(&other, &purse(2, 3)).await.expect("stored");
        bench.forget();
        for (id, is_done) in [(3, false), (4, true)] {
            let saga = Saga::new(one.database(), "open")
                .insert(Job::queue(&one).push(&job(1, 1, 0)))
                .insert(Purse::insert(&one, &purse(1, id)));
            let ended = saga.run().await.expect("ended");
            let (_, open) = open_filters(&bench.take(), &Bson::from(org(1)));
            assert!(open.is_empty(), "{open:?}");
            match ended {
                SagaOutcome::Done => assert!(is_done, "{id}"),
                SagaOutcome::Undone { step, why } => {
                    assert!(!is_done && step == 1, "{id}");
                    assert!(why.is_some_and(|why| why.is_duplicate()), "{id}");
                }
            }
            let mine = Purse::get(&one, id).await.expect("read");
            assert_eq!(mine.is_some(), is_done, "{id}");
            let jobs = Job::queue(&one).pop("w", LONG).await.expect("sent");
            assert_eq!(jobs.is_some(), is_done, "{id}");
            bench.forget();
        }
        let theirs = Purse::get(&other, 3).await.expect("read");
        assert_eq!(theirs, Some(purse(2, 3)), "another tenant's");
        let stolen = Saga::new(one.database(), "steal").insert(Purse::insert(&one, &purse(2, 5)));
        let stolen = stolen.run().await;
        assert!(
            matches!(stolen, Err(Error::OtherTenant { .. })),
            "{stolen:?}"
        );
    })
    .await;
}
