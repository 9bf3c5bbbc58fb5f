//! The library's own statements for one document of a tenant: where they named its `_id` alone, all shards would be asked, and a document
//! that moves would be passed over.

use bson::doc;
use mongo_model::{Id, MongoModel, Tenants};

use super::Bench;
use super::models::{Org, Task, Team, task, team};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_follows_a_change_of_a_tenant_names_its_shard() {
    let bench = Bench::start().await;
    let org = Org { id: Id::new() };
    Org::insert(&bench.db, &org).await.expect("stored");
    let tenant = &bench.db.tenant(org.id);
    let one = team(org.id, "a");
    let tasks: Vec<Task> = (0..3).map(|_| task(&one)).collect();
    let check = |call: &str| {
        let writes = ["insert", "update", "findAndModify", "delete"];
        let of_tenant = ["teams", "tasks"].map(|name| bench.namespace(name));
        for command in bench.router.take_commands() {
            if of_tenant.contains(&command.namespace) && writes.contains(&&*command.name) {
                assert_eq!(command.shards.len(), 1, "{call}: {command:?}");
            }
        }
    };
    let _ = bench.router.take_commands();
    Team::insert(tenant, &one).await.expect("stored");
    check("insert a parent");
    Task::insert(tenant, &tasks[0]).await.expect("stored");
    check("insert a child");
    Task::insert_many(tenant, &tasks[1..])
        .await
        .expect("stored");
    let _ = bench.router.take_commands();
    Team::update(tenant, one.id)
        .set(|t| t.name, "b")
        .await
        .expect("changed");
    check("update a source");
    Task::delete(tenant, tasks[0].id).await.expect("deleted");
    check("delete a child");
    Team::delete(tenant, one.id).await.expect("deleted");
    check("delete a parent");
    assert_eq!(bench.count("tasks", doc! {}).await, 0);
    bench.check().await;
}
