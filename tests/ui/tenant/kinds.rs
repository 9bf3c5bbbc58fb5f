// Queues, buckets, joins, sagas and locks of a model with a tenant take no plain database.

use std::time::Duration;

use mongo_model::queue::Leased;
use mongo_model::{BucketId, Database, Id, Lock, MongoEmbed, MongoModel, Saga, Tenant};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs", tenant = org, queue)]
pub struct Job {
    #[serde(rename = "_id")]
    pub id: Id<Job>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", tenant = org, patch = HostPatch)]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub org: i64,
    pub name: String,
    #[version]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "disks", tenant = org)]
pub struct Disk {
    #[serde(rename = "_id")]
    pub id: Id<Disk>,
    pub org: i64,
    #[parent(Host)]
    pub host: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logs", bucket(lines), tenant = org)]
pub struct Log {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    pub org: i64,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Line>,
}

async fn queues(db: &Database, mut leased: Leased<Job>) {
    let _ = Job::queue(db);
    let _ = leased.extend(db, Duration::ZERO).await;
    let _ = leased.nack(db, Duration::ZERO).await;
    let _ = leased.ack(db).await;
}

fn buckets(db: &Database, host: Id<Host>) {
    let _ = Log::push(db, host, Line { id: 1 });
    let _ = Log::push_many(db, host, [Line { id: 1 }]);
    let _ = Log::page(db, host, 0);
    let _ = Log::iterate(db, host);
    let _ = Log::count_items(db, host);
    let _ = Log::remove_item(db, host, &1);
}

fn joins(db: &Database, disks: &[Disk], disk: &Disk) {
    let _ = disk.load_host(db);
    let _ = Disk::load_host_many(db, disks);
    let _ = Disk::load(db, disks, |d| d.host);
    let _ = Disk::by_host(db, disk.host);
}

fn whole(db: &Database, host: &Host, disk: &Disk) {
    let _ = disk.save(db);
    let _ = Host::update(db, host.id).patch(HostPatch::default());
}

fn sagas(db: &Database, tenant: &Tenant<i64>, id: Id<Host>) {
    let _ = Saga::new(tenant, "rename");
    let _ = Host::update(db, id);
    let _ = Lock::new("rename").of(db);
}

fn main() {}
