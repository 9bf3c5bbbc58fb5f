//! Random calls, while chunks move between them and during them.

use bson::oid::ObjectId;
use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Id, MongoModel, Result, Tenants};

use super::Bench;
use super::models::{Club, Person, club, person};
use super::models::{Host, Log, Org, Part, Product, Task, Team};
use super::models::{host, log, part, product, task, team};

const COLLECTIONS: [&str; 8] = [
    "hosts", "logs", "parts", "products", "people", "clubs", "teams", "tasks",
];

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap_or(0)
    }
}

struct Program<'a> {
    bench: &'a Bench,
    org: Id<Org>,
    numbers: Numbers,
    /// The number of moves that wait for a command, or did.
    plans: usize,
}

impl Program<'_> {
    /// The `_id` of a stored document.
    async fn pick(&mut self, collection: &str) -> Option<ObjectId> {
        let document = self.pick_key(collection).await?;
        document.get_object_id("_id").ok()
    }

    /// The shard key of a stored document.
    async fn pick_key(&mut self, collection: &str) -> Option<Document> {
        let stored = self.bench.db.collection::<Document>(collection);
        let ids = stored.find(doc! {}).projection(doc! { "_id": 1, "o": 1 });
        let ids = ids.sort(doc! { "_id": 1 }).await.expect("found");
        let ids: Vec<Document> = ids.try_collect().await.expect("read");
        if ids.is_empty() {
            return None;
        }
        let n = self.numbers.below(ids.len());
        ids.into_iter().nth(n)
    }

    /// The `_id` of a document of the program's own tenant, if the random document is one.
    async fn pick_of_tenant(&mut self, collection: &str) -> Option<ObjectId> {
        let key = self.pick_key(collection).await?;
        let is_own = key
            .get_object_id("o")
            .is_ok_and(|org| org == self.org.into_raw());
        key.get_object_id("_id").ok().filter(|_| is_own)
    }

    fn name(&mut self) -> String {
        format!("n{}", self.numbers.below(1000))
    }

    async fn move_something(&mut self) {
        let collection = COLLECTIONS[self.numbers.below(COLLECTIONS.len())];
        let Some(key) = self.pick_key(collection).await else {
            return;
        };
        let (chunk, _) = self.bench.place(collection, &key);
        let to = self.numbers.below(2);
        let namespace = self.bench.namespace(collection);
        let router = &self.bench.router;
        let kind = self.numbers.below(3);
        if kind == 0 {
            let moved = router.move_chunk(&namespace, chunk, to).await;
            moved.expect("moved");
            return;
        }
        self.plans += 1;
        let command = ["update", "delete"][kind - 1];
        router.move_during(&namespace, command, chunk, to);
    }

    async fn step(&mut self) -> Result<()> {
        let db = &self.bench.db;
        let kind = self.numbers.below(16);
        match kind {
            0 => Host::insert(db, &host(&self.name())).await.map(drop),
            1 | 2 => match self.pick("hosts").await {
                Some(id) => self.log_of(Id::from_raw(id)).await,
                None => Ok(()),
            },
            3 | 4 => match self.pick("hosts").await {
                Some(id) => {
                    let update = Host::update(db, Id::<Host>::from_raw(id));
                    update.set(|h| h.name, self.name()).await.map(drop)
                }
                None => Ok(()),
            },
            5 => match self.pick("logs").await {
                Some(id) => Log::delete(db, Id::<Log>::from_raw(id)).await.map(drop),
                None => Ok(()),
            },
            6 if self.numbers.below(3) == 0 => match self.pick("hosts").await {
                Some(id) => Host::delete(db, Id::<Host>::from_raw(id)).await.map(drop),
                None => Ok(()),
            },
            7 => {
                let new = part(&self.name());
                Part::insert(db, &new).await?;
                let others = Part::find(db, |p| {
                    p.id.gte(Id::from_raw(ObjectId::from_bytes([0; 12])))
                });
                let others: Vec<Part> = others.await?;
                let others: Vec<&Part> = others.iter().take(5).collect();
                Product::insert(db, &product(&others)).await.map(drop)
            }
            8 => match self.pick("parts").await {
                Some(id) if self.numbers.below(4) == 0 => {
                    Part::delete(db, Id::<Part>::from_raw(id)).await.map(drop)
                }
                Some(id) => {
                    let update = Part::update(db, Id::<Part>::from_raw(id));
                    update.set(|p| p.name, self.name()).await.map(drop)
                }
                None => Ok(()),
            },
            9 | 10 => self.change_club().await,
            11 | 12 => self.change_tenant().await,
            _ => {
                self.move_something().await;
                Ok(())
            }
        }
    }

    async fn log_of(&mut self, id: Id<Host>) -> Result<()> {
        let db = &self.bench.db;
        let Some(host) = Host::get(db, id).await? else {
            return Ok(());
        };
        let n = self.numbers.below(3);
        let logs: Vec<Log> = (0..=n)
            .map(|_| log(&host, self.numbers.below(1000) as i64))
            .collect();
        Log::insert_many(db, &logs).await.map(drop)
    }

    async fn change_tenant(&mut self) -> Result<()> {
        let tenant = &self.bench.db.tenant(self.org);
        let Some(of) = self.pick_of_tenant("teams").await else {
            return Team::insert(tenant, &team(self.org, &self.name()))
                .await
                .map(drop);
        };
        let of = Id::<Team>::from_raw(of);
        match self.numbers.below(8) {
            0 => Team::insert(tenant, &team(self.org, &self.name()))
                .await
                .map(drop),
            1 if self.numbers.below(3) == 0 => Team::delete(tenant, of).await.map(drop),
            1 | 2 => {
                let update = Team::update(tenant, of).set(|t| t.name, self.name());
                update.await.map(drop)
            }
            3 => match self.pick_of_tenant("tasks").await {
                Some(id) => Task::delete(tenant, Id::<Task>::from_raw(id))
                    .await
                    .map(drop),
                None => Ok(()),
            },
            _ => {
                let Some(team) = Team::get(tenant, of).await? else {
                    return Ok(());
                };
                let tasks = [task(&team), task(&team), task(&team)];
                let middle = doc! { "o": self.org.into_raw(), "_id": tasks[1].id.into_raw() };
                let namespace = self.bench.namespace("tasks");
                let split = self.bench.router.split(&namespace, &middle).await;
                split.expect("split");
                Task::insert_many(tenant, &tasks).await.map(drop)
            }
        }
    }

    async fn change_club(&mut self) -> Result<()> {
        let db = &self.bench.db;
        let (someone, of) = (self.pick("people").await, self.pick("clubs").await);
        let (Some(someone), Some(of)) = (someone, of) else {
            let people = [person(&self.name()), person(&self.name())];
            Person::insert_many(db, &people).await?;
            return Club::insert(db, &club(&people)).await.map(drop);
        };
        let (of, someone) = (Id::<Club>::from_raw(of), Id::<Person>::from_raw(someone));
        match self.numbers.below(8) {
            0 => Club::delete(db, of).await.map(drop),
            1 => Person::delete(db, someone).await.map(drop),
            2 => Person::insert(db, &person(&self.name())).await.map(drop),
            3 => Club::insert(db, &club(&[])).await.map(drop),
            4 => Club::remove_member(db, of, someone).await.map(drop),
            _ => Club::add_member(db, of, someone).await.map(drop),
        }
    }
}

async fn program(bench: &Bench, seed: u64) -> Program<'_> {
    let org = Org { id: Id::new() };
    Org::insert(&bench.db, &org).await.expect("stored");
    Program {
        bench,
        org: org.id,
        numbers: Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        plans: 0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_calls_while_chunks_move() {
    let bench = Bench::start().await;
    let mut plans = 0;
    for seed in 1..=2_u64 {
        let mut program = program(&bench, seed).await;
        for n in 0..200 {
            let done = program.step().await;
            done.unwrap_or_else(|error| panic!("seed {seed}, step {n}: {error:?}"));
            if n % 50 == 49 {
                bench.check().await;
            }
        }
        plans += program.plans;
    }
    let moves = plans - bench.router.planned_moves();
    assert!(moves > 10, "{moves} of {plans} planned moves");
}

/// Calls of several writers meet, so some are refused; what is stored is right.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_calls_of_several_writers_while_chunks_move() {
    let bench = Bench::start().await;
    let writers = (1..=3_u64).map(async |seed| {
        let mut program = program(&bench, seed + 10).await;
        let mut refused = Vec::new();
        for _ in 0..80 {
            if let Err(error) = program.step().await {
                refused.push(error.to_string());
            }
        }
        refused
    });
    let refused = futures::future::join_all(writers).await.concat();
    assert!(refused.len() < 60, "{refused:#?}");
    let pending = mongo_model::recover(&bench.db).await.expect("recovered");
    let report = mongo_model::verify(&bench.db).models(&super::all()).await;
    let report = report.expect("compared");
    assert!(report.is_settled(), "{report}\n{pending:?}\n{refused:#?}");
}
