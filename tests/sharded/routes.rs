//! The shards that the commands of each call go to.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs, path};

use bson::oid::ObjectId;
use mongo_model::{Id, MongoModel, Tenants, recover};

use super::models::{
    Host, Log, Org, Part, Product, Task, Team, all, host, log, part, product, task, team,
};
use super::routing::Keys;
use crate::common::{Bench, in_set};

/// The calls that were made, and the ways of their commands.
struct Routes<'b> {
    bench: &'b Bench,
    keys: Keys,
    text: String,
    refused: Vec<String>,
}

impl Routes<'_> {
    /// Writes down the commands since the last call of this.
    fn note(&mut self, call: &str) {
        let sent = self.bench.take();
        for sent in &sent {
            let ways = self.keys.ways(sent);
            if ways.iter().any(|way| way.ends_with("Refused")) {
                let command = &sent.command;
                self.refused.push(format!("{call}: {ways:?} {command}"));
            }
        }
        let ways = sent.iter().flat_map(|sent| self.keys.ways(sent));
        let ways: BTreeSet<String> = ways.collect();
        writeln!(self.text, "{call}").expect("text");
        for way in ways {
            writeln!(self.text, "    {way}").expect("text");
        }
    }
}

#[tokio::test]
async fn every_write_of_one_document_names_its_shard() {
    in_set("shard_routes", async |bench| {
        bench.index(&all()).await;
        let mut routes = Routes {
            bench,
            keys: Keys::of(&all()),
            text: String::new(),
            refused: Vec::new(),
        };
        by_hash(&mut routes).await;
        by_tenant(&mut routes).await;
        assert!(routes.refused.is_empty(), "{}", routes.refused.join("\n"));
        let golden = path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sharded/routes.txt");
        if env::var_os("BLESS").is_some() {
            fs::write(&golden, &routes.text).expect("written");
        }
        let golden = fs::read_to_string(golden).expect("BLESS=1 writes tests/sharded/routes.txt");
        assert_eq!(routes.text, golden, "BLESS=1 writes it again");
    })
    .await;
}

async fn by_hash(routes: &mut Routes<'_>) {
    let db = &routes.bench.db;
    let one = host("a");
    Host::insert(db, &one).await.expect("stored");
    routes.note("insert a parent");
    let logs: Vec<Log> = (0..3).map(|n| log(&one, n)).collect();
    Log::insert(db, &logs[0]).await.expect("stored");
    routes.note("insert a child");
    Log::insert_many(db, &logs[1..]).await.expect("stored");
    routes.note("insert_many of children");
    Host::get(db, one.id).await.expect("read");
    routes.note("get");
    Log::get_many(db, logs.iter().map(|log| log.id))
        .await
        .expect("read");
    routes.note("get_many");
    Log::find(db, |l| l.host.eq(one.id)).await.expect("read");
    routes.note("find children");
    Host::update(db, one.id)
        .set(|h| h.name, "b")
        .await
        .expect("changed");
    routes.note("update a source");
    let _ = Host::update(db, one.id)
        .set(|h| h.name, "c")
        .returning()
        .await
        .expect("changed");
    routes.note("update a source, returning");
    Log::update_many(db, |l| l.host.eq(one.id))
        .set(|l| l.text, "x")
        .await
        .expect("changed");
    routes.note("update_many by the parent");
    Log::delete(db, logs[0].id).await.expect("deleted");
    routes.note("delete a child");
    Host::delete(db, one.id).await.expect("deleted");
    routes.note("delete a parent, with its children");

    let (nut, bolt) = (part("nut"), part("bolt"));
    Part::insert_many(db, [&nut, &bolt]).await.expect("stored");
    routes.note("insert_many");
    let mut wheel = product(&[&nut, &bolt]);
    Product::insert(db, &wheel).await.expect("stored");
    routes.note("insert with references");
    wheel.save_if_unchanged(db).await.expect("saved");
    routes.note("save_if_unchanged");
    Part::update(db, bolt.id)
        .set(|p| p.name, "screw")
        .await
        .expect("changed");
    routes.note("update what an array copies");
    Part::delete(db, nut.id).await.expect("deleted");
    routes.note("delete what an array refers to");
    recover(db).await.expect("recovered");
    routes.note("recover");
}

async fn by_tenant(routes: &mut Routes<'_>) {
    let db = &routes.bench.db;
    let org = Org {
        id: Id::from_raw(ObjectId::from_bytes([1; 12])),
    };
    Org::insert(db, &org).await.expect("stored");
    let tenant = &db.tenant(org.id);
    routes.bench.forget();
    let one = team(org.id, "a");
    Team::insert(tenant, &one).await.expect("stored");
    routes.note("a tenant: insert a parent");
    let mut tasks: Vec<Task> = (0..3).map(|_| task(&one)).collect();
    Task::insert(tenant, &tasks[0]).await.expect("stored");
    routes.note("a tenant: insert a child");
    Task::insert_many(tenant, &tasks[1..])
        .await
        .expect("stored");
    routes.note("a tenant: insert_many of children");
    Team::get(tenant, one.id).await.expect("read");
    routes.note("a tenant: get");
    Task::find(tenant, |t| t.done.eq(false))
        .await
        .expect("read");
    routes.note("a tenant: find");
    Team::update(tenant, one.id)
        .set(|t| t.name, "b")
        .await
        .expect("changed");
    routes.note("a tenant: update a source");
    let _ = Team::update(tenant, one.id)
        .set(|t| t.name, "c")
        .returning()
        .await
        .expect("changed");
    routes.note("a tenant: update a source, returning");
    tasks[2] = Task::get(tenant, tasks[2].id)
        .await
        .expect("read")
        .expect("stored");
    tasks[2].save_if_unchanged(tenant).await.expect("saved");
    routes.note("a tenant: save_if_unchanged");
    Task::update_many(tenant, |t| t.done.eq(false))
        .set(|t| t.done, true)
        .await
        .expect("changed");
    routes.note("a tenant: update_many");
    Task::delete(tenant, tasks[0].id).await.expect("deleted");
    routes.note("a tenant: delete a child");
    Team::delete(tenant, one.id).await.expect("deleted");
    routes.note("a tenant: delete a parent, with its children");
    recover(db).await.expect("recovered");
    routes.note("a tenant: recover");
}
