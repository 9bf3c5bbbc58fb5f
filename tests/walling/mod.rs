//! Models whose documents belong to tenants: every command of a call has the tenant, and no call sees what another tenant stores.

mod calls;
mod copied_tenant;
mod crossing;
mod indexes;
mod inside;
mod kinds;
mod migrated;
mod move_tenant;
mod overflowing;
mod own_work;
mod periods;
mod proof;
mod queues_and_locks;
mod random;
mod reasons;
mod related;
mod taken;
mod trees;
mod two_way;
mod whole_tenant;

use bson::oid::ObjectId;
use mongo_model::{Id, MongoModel, Tenant, Tenants};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

/// A tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub(crate) struct Org {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Org>,
}

/// What all tenants share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub(crate) struct Plan {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Plan>,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "invoices",
    tenant = org,
    index(keys(status, -cents, -id)),
    access(open(status, sort = -cents, limit = 50)),
    patch = InvoicePatch
)]
pub(crate) struct Invoice {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Invoice>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[index(unique)]
    pub(crate) number: i32,
    pub(crate) status: i32,
    pub(crate) cents: i64,
    #[model(max_len = 100)]
    pub(crate) text: String,
    #[embed(max = 5)]
    pub(crate) lines: Vec<String>,
    #[parent(Plan)]
    pub(crate) plan: Id<Plan>,
    #[denorm(from = Plan, field = name)]
    pub(crate) plan_name: String,
}

/// With a version, and deletes that only mark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", tenant = org, soft_delete)]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Note>,
    pub(crate) org: Id<Org>,
    #[index(unique)]
    pub(crate) title: String,
    pub(crate) stars: i32,
    #[version]
    pub(crate) version: i64,
    #[deleted]
    #[index]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Ids that two tenants have nothing of.
pub(crate) fn org(n: u8) -> Id<Org> {
    Id::from_raw(ObjectId::from_bytes([n; 12]))
}

pub(crate) fn tenant(bench: &Bench, n: u8) -> Tenant<Id<Org>> {
    bench.db.tenant(org(n))
}

pub(crate) fn plan() -> Plan {
    Plan {
        id: Id::from_raw(ObjectId::from_bytes([7; 12])),
        name: "large".to_owned(),
    }
}

pub(crate) fn invoice(of: u8, number: i32) -> Invoice {
    Invoice {
        id: Id::new(),
        org: org(of),
        number,
        status: number % 2,
        cents: i64::from(number) * 100,
        text: String::new(),
        lines: Vec::new(),
        plan: plan().id,
        plan_name: plan().name,
    }
}

pub(crate) fn note(of: u8, title: &str) -> Note {
    Note {
        id: Id::new(),
        org: org(of),
        title: title.to_owned(),
        stars: 1,
        version: 0,
        deleted_at: None,
    }
}

/// Indexes, and a plan.
pub(crate) async fn prepare(bench: &Bench) {
    bench
        .index(&[Plan::meta(), Invoice::meta(), Note::meta()])
        .await;
    Plan::insert(&bench.db, &plan()).await.expect("stored");
    bench.forget();
}
