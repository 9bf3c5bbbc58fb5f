//! The shards that the commands of each call go to.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs, path};

use bson::oid::ObjectId;
use mongo_model::{Id, MongoModel, Tenants, recover, transaction};

use super::models::{
    Club, Host, Log, Note, Org, Page, Part, Person, Product, Task, Team, all, club, host, log,
    note, page, part, person, product, task, team,
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
            if ways
                .iter()
                .any(|way| way.ends_with("Refused") || way.ends_with("ById"))
            {
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
            keys: Keys::from_models(&all()),
            text: String::new(),
            refused: Vec::new(),
        };
        by_hash(&mut routes).await;
        by_whole_documents(&mut routes).await;
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
    let (club, person) = (club(&[]), person("ann"));
    Club::insert(db, &club).await.expect("stored");
    Person::insert(db, &person).await.expect("stored");
    routes.bench.forget();
    Club::add_member(db, club.id, person.id)
        .await
        .expect("changed");
    routes.note("add to a two-way array");
    Person::remove_club(db, person.id, club.id)
        .await
        .expect("changed");
    routes.note("remove from a two-way array");
    recover(db).await.expect("recovered");
    routes.note("recover");
}

/// Saves, upserts and transactions.
async fn by_whole_documents(routes: &mut Routes<'_>) {
    let db = &routes.bench.db;
    let mut one = part("a");
    one.save(db).await.expect("saved");
    routes.note("save what is new");
    one.name = "b".to_owned();
    one.save(db).await.expect("saved");
    routes.note("save what is stored");
    Part::upsert(db, &one)
        .set(|p| p.name, "c")
        .await
        .expect("changed");
    routes.note("upsert what is stored");
    Part::upsert(db, &part("d"))
        .set(|p| p.name, "c")
        .await
        .expect("stored");
    routes.note("upsert what is new");
    log(&host("a"), 1).save(db).await.expect_err("no such host");
    routes.note("save a child without a parent");
    let parent = host("a");
    transaction(db, async |tx| {
        Host::insert(db, &parent).within(tx).await?;
        Log::insert(db, &log(&parent, 1)).within(tx).await?;
        Host::update(db, parent.id)
            .set(|h| h.name, "b")
            .within(tx)
            .await?;
        Host::delete(db, parent.id).within(tx).await
    })
    .await
    .expect("committed");
    routes.note("a transaction");
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
    let mut saved = team(org.id, "d");
    saved.save(tenant).await.expect("saved");
    routes.note("a tenant: save what is new");
    saved.name = "e".to_owned();
    saved.save(tenant).await.expect("saved");
    routes.note("a tenant: save what is stored");
    Team::upsert(tenant, &saved)
        .set(|t| t.name, "f")
        .await
        .expect("changed");
    routes.note("a tenant: upsert what is stored");
    Team::upsert(tenant, &team(org.id, "g"))
        .set(|t| t.name, "f")
        .await
        .expect("stored");
    routes.note("a tenant: upsert what is new");
    Page::roots(tenant).await.expect("read");
    routes.note("a tenant: find roots");
    of_trees_and_notes(routes, org.id).await;
    recover(db).await.expect("recovered");
    routes.note("a tenant: recover");
}

async fn of_trees_and_notes(routes: &mut Routes<'_>, org: Id<Org>) {
    let db = &routes.bench.db;
    let tenant = &db.tenant(org);
    let (top, other) = (page(org, None), page(org, None));
    let below = page(org, Some(&top));
    for page in [&top, &other, &below] {
        Page::insert(tenant, page).await.expect("stored");
    }
    routes.note("a tenant: insert into a tree");
    Page::move_to(tenant, below.id, Some(other.id))
        .await
        .expect("moved");
    routes.note("a tenant: move in a tree");
    Page::delete(tenant, other.id).await.expect("deleted");
    routes.note("a tenant: delete in a tree");
    let one = note(org);
    Note::insert(tenant, &one)
        .emit("stored".to_owned())
        .await
        .expect("stored");
    routes.note("a tenant: insert with an event");
    Note::update(tenant, one.id)
        .set(|n| n.text, "b")
        .emit("changed".to_owned())
        .await
        .expect("changed");
    routes.note("a tenant: update with an event");
    Note::delete(tenant, one.id).await.expect("deleted");
    routes.note("a tenant: soft delete");
    Note::restore(tenant, one.id).await.expect("restored");
    routes.note("a tenant: restore");
    Note::delete(tenant, one.id).await.expect("deleted");
    Note::purge(tenant, one.id).await.expect("purged");
    routes.note("a tenant: purge");
    let across = &db.across_tenants::<Id<Org>>("a test");
    let two = note(org);
    Note::insert(across, &two).await.expect("stored");
    routes.note("across tenants: insert");
    let _ = Note::update(across, two.id)
        .set(|n| n.text, "b")
        .returning()
        .await
        .expect("changed");
    routes.note("across tenants: update, returning");
    Note::delete(across, two.id).await.expect("deleted");
    routes.note("across tenants: soft delete");
    let moved = Note::move_tenant(across, two.id, org).await;
    let error = moved
        .expect_err("the tenant is in the shard key")
        .to_string();
    assert!(error.contains("shard key"), "{error}");
    routes.note("across tenants: move_tenant");
}
