//! Random calls of further kinds: documents of an older schema, elements of arrays, projections, returned documents, transactions.

use bson::{Bson, Document, doc};
use mongo_model::{Error, Id, MongoEmbed, MongoModel, MongoProjection, Tenant, transaction};
use mongo_model_dev_server::monitor::StartedCommand;
use serde::{Deserialize, Serialize};

use super::proof::assert_walled;
use super::random::{Random, refused, seen};
use super::{Org, org, tenant};
use crate::common::{Bench, on_both};

/// How many calls a test makes on each server.
const CALLS: u32 = 500;

/// Version 1 called its title `name`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "sheets",
    tenant = org,
    schema_version = 2,
    migrate = titled,
    unversioned = 1
)]
struct Sheet {
    #[serde(rename = "_id")]
    id: Id<Sheet>,
    org: Id<Org>,
    #[index]
    n: i32,
    title: String,
    #[embed(max = 4)]
    rows: Vec<SheetRow>,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct SheetRow {
    key: i32,
    cents: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoProjection)]
#[projection(of = Sheet)]
struct SheetOrg {
    org: Id<Org>,
    title: String,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Sheet)]
struct SheetTitle<'a> {
    org: Id<Org>,
    title: &'a str,
}

fn titled(mut old: Document, _version: i32) -> Document {
    if let Some(title) = old.remove("name") {
        old.insert("title", title);
    }
    old
}

fn sheet(of: u8, n: i32) -> Sheet {
    Sheet {
        id: Id::new(),
        org: org(of),
        n,
        title: format!("sheet {n}"),
        rows: vec![SheetRow { key: 1, cents: 7 }],
        version: 0,
    }
}

/// Stores a document as the version before did.
async fn store_old(bench: &Bench, of: u8, n: i32) -> Id<Sheet> {
    let id = Id::new();
    let rows = vec![doc! { "key": 1, "cents": 7_i64 }];
    let old =
        doc! { "_id": id, "org": org(of), "n": n, "name": "old", "rows": rows, "version": 0_i64 };
    let stored = bench.raw("sheets").insert_one(old).await;
    stored.expect("stored");
    bench.forget();
    id
}

/// A read.
async fn reads(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, ids: &[Id<Sheet>]) {
    let n = i32::try_from(random.below(9)).expect("small");
    let id = random.of(ids).unwrap_or_default();
    let own = |found: Vec<Sheet>| seen(org(of), found.iter().map(|one| one.org));
    match random.below(10) {
        0 => own(refused(Sheet::get(db, id).required().await)
            .into_iter()
            .collect()),
        1 => {
            let one = Sheet::get(db, id).project::<SheetOrg>().await;
            seen(org(of), one.expect("read").map(|one| one.org));
        }
        2 => {
            let some = Sheet::find(db, |s| s.n.gte(n)).project::<SheetOrg>();
            seen(
                org(of),
                some.await.expect("found").iter().map(|one| one.org),
            );
        }
        3 => {
            let some = Sheet::find(db, |s| s.n.gte(n)).ids().await.expect("found");
            own(Sheet::get_many(db, some).await.expect("found").into_vec());
        }
        4 => {
            let sorted = Sheet::find(db, |s| s.n.gte(n)).sort(|s| s.n.desc());
            own(sorted.skip(1).limit(3).await.expect("found"));
        }
        5 => {
            let mut all = Vec::new();
            let each =
                Sheet::scan(db, |s| s.all()).for_each::<SheetTitle<'_>>(|one| all.push(one.org));
            each.await.expect("read");
            seen(org(of), all);
        }
        6 => {
            let sums = Sheet::group_by(db, |s| s.n).count();
            drop(sums.await.expect("grouped"));
        }
        7 => drop(Sheet::get(db, id).exists().await.expect("asked")),
        8 => drop(
            Sheet::find(db, |s| s.n.eq(n))
                .count()
                .await
                .expect("counted"),
        ),
        _ => own(Sheet::find(db, |s| s.n.eq(n)).fresh().await.expect("found")),
    }
}

/// A write.
async fn writes(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, ids: &mut Vec<Id<Sheet>>) {
    let n = i32::try_from(random.below(9)).expect("small");
    let id = random.of(ids).unwrap_or_default();
    let changed = |found: Option<Sheet>| seen(org(of), found.iter().map(|one| one.org));
    match random.below(13) {
        0 => {
            let stored = Sheet::insert(db, &sheet(of, n)).returning().await;
            let stored = stored.expect("stored").document;
            ids.push(stored.id);
            changed(Some(stored));
        }
        1 => {
            let two = [sheet(of, n), sheet(of, n + 1)];
            Sheet::insert_many(db, &two).await.expect("stored");
            ids.extend(two.iter().map(|one| one.id));
        }
        2 => {
            let update = Sheet::update(db, id);
            let set = update.set_where(|s| s.rows, |r| r.key.eq(1), |r| r.cents, 9);
            drop(refused(set.await));
        }
        3 => {
            let update = Sheet::update(db, id);
            let inc = update.inc_where(|s| s.rows, |r| r.key.eq(1), |r| r.cents, 1);
            changed(refused(inc.returning().await).map(|one| one.document));
        }
        4 => {
            let set = Sheet::update(db, id).set(|s| s.title, "new");
            changed(refused(set.returning_before().await).map(|one| one.document));
        }
        5 => {
            let many = Sheet::update_many(db, |s| s.n.eq(n)).set(|s| s.title, "many");
            many.await.expect("changed");
        }
        6 => changed(refused(
            Sheet::update_with(db, id, |s| s.title.push('!')).await,
        )),
        7 => {
            if let Some(mut read) = Sheet::get(db, id).await.expect("read") {
                read.title = "read".to_owned();
                drop(refused(read.save_if_unchanged(db).await));
            }
        }
        8 => {
            let read = Sheet::get(db, id).await.expect("read");
            if let Some(read) = read.filter(|_| random.below(4) == 0) {
                drop(refused(read.delete_if_unchanged(db).await));
            }
        }
        9 => {
            let some = Sheet::delete_many(db, |s| s.n.eq(n).and(s.title.eq("many")));
            some.await.expect("deleted");
        }
        10 => {
            let mut made = sheet(of, n);
            made.id = id;
            let upsert = Sheet::upsert(db, &made).set(|s| s.title, "upsert");
            drop(refused(upsert.await));
        }
        11 => {
            let mut made = sheet(of, n);
            made.id = id;
            let saved = Sheet::save_many_if_unchanged(db, [&mut made]).await;
            for one in saved.expect("sent").unsaved {
                if let Error::Conflict(conflict) = one.error {
                    changed(Some(conflict.current::<Sheet>().expect("read")));
                }
            }
        }
        _ => {
            let update = Sheet::update(db, id).only_if(|s| s.n.eq(n));
            let found = refused(update.set(|s| s.title, "if").returning().await);
            drop(found);
        }
    }
}

/// Writes and reads in a transaction, which may be taken back.
async fn in_transaction(
    bench: &Bench,
    (of, db): (u8, &Tenant<Id<Org>>),
    random: &mut Random,
    ids: &mut Vec<Id<Sheet>>,
) {
    let id = random.of(ids).unwrap_or_default();
    let new = sheet(of, 5);
    let keeps = random.below(2) == 0;
    let done = transaction(&bench.db, async |tx| {
        Sheet::insert(db, &new).within(tx).await?;
        let found = Sheet::find(db, |s| s.n.eq(5)).within(tx).await?;
        seen(org(of), found.iter().map(|one| one.org));
        Sheet::update(db, new.id)
            .set(|s| s.title, "within")
            .within(tx)
            .await?;
        Sheet::update(db, id)
            .set(|s| s.title, "other")
            .within(tx)
            .await?;
        match keeps {
            true => Ok(()),
            false => Sheet::delete(db, Id::new()).within(tx).await.map(drop),
        }
    });
    if refused(done.await).is_some() {
        ids.push(new.id);
    }
}

#[tokio::test]
async fn random_calls_of_further_kinds_have_the_tenant() {
    on_both("wall_kinds", async |bench| {
        bench.index(&[Sheet::meta()]).await;
        let hello = bench.db.run_command(doc! { "hello": 1 }).await;
        let in_set = hello.expect("answered").contains_key("setName");
        let mut random = Random(2_040);
        let (mut ids, mut looked_at, mut migrated) = (Vec::new(), 0, 0);
        for n in 0..CALLS {
            let of = if random.below(2) == 0 { 1 } else { 2 };
            let db = tenant(bench, of);
            if n % 20 == 0 {
                ids.push(store_old(bench, of, 4).await);
            }
            match random.below(8) {
                0..=2 => reads(&db, of, &mut random, &ids).await,
                3 if in_set => in_transaction(bench, (of, &db), &mut random, &mut ids).await,
                _ => writes(&db, of, &mut random, &mut ids).await,
            }
            let sent = bench.take();
            looked_at += assert_walled(&sent, &Bson::from(org(of)));
            // A document is migrated as long as it is the one that was read.
            let compares = |one: &&StartedCommand| one.command.to_string().contains("$$ROOT");
            migrated += sent.iter().filter(compares).count();
        }
        assert!(looked_at > 600, "{looked_at} filters and documents");
        assert!(migrated > 5, "{migrated} migrated");
    })
    .await;
}
