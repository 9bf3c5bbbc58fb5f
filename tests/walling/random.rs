//! Random calls of two tenants with equal keys: each command has the tenant, and nobody sees what the other stores.

use bson::Bson;
use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoModel, Result, Tenant};

use super::proof::assert_walled;
use super::{Invoice, InvoicePatch, Note, Org, Plan, invoice, note, org, plan, prepare, tenant};
use crate::common::on_both;

/// How many calls a test makes on each server.
const CALLS: u32 = 600;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % most
    }

    pub(super) fn of<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let most = all.len() as u64;
        (most > 0).then(|| all[usize::try_from(self.below(most)).expect("an index")].clone())
    }
}

pub(super) fn seen(of: Id<Org>, found: impl IntoIterator<Item = Id<Org>>) {
    assert!(found.into_iter().all(|one| one == of), "another tenant's");
}

/// What is no defect: the call is refused because of what is stored.
pub(super) fn refused<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(
            Error::NotFound { .. }
            | Error::Duplicate { .. }
            | Error::Full { .. }
            | Error::Gone { .. }
            | Error::Conflict(_)
            | Error::Unsettled { .. }
            | Error::Dangling { .. }
            | Error::Invalid { .. },
        ) => None,
        Err(error) => panic!("{error}"),
    }
}

/// A read or write of invoices; `ids` are of both tenants.
async fn of_invoices(
    db: &Tenant<Id<Org>>,
    of: u8,
    random: &mut Random,
    ids: &mut Vec<Id<Invoice>>,
) {
    let number = i32::try_from(random.below(20)).expect("small");
    let id = random.of(ids).unwrap_or_default();
    let own = |found: Vec<Invoice>| seen(org(of), found.iter().map(|one| one.org));
    match random.below(24) {
        0..=4 => {
            let new = invoice(of, number);
            if refused(Invoice::insert(db, &new).await).is_some() {
                ids.push(new.id);
            }
        }
        5 => own(refused(Invoice::get(db, id).await)
            .flatten()
            .into_iter()
            .collect()),
        6 => {
            let found = Invoice::find_one(db, |i| i.number.eq(number)).await;
            own(found.expect("found").into_iter().collect());
        }
        7 => own(Invoice::scan(db, |i| i.text.eq("")).await.expect("found")),
        8 => own(Invoice::open(db, 1).await.expect("found")),
        9 => {
            let all = Invoice::get_many(db, ids.iter().copied())
                .await
                .expect("found");
            seen(org(of), all.values().iter().map(|one| one.org));
        }
        10 => drop(
            Invoice::count(db, |i| i.status.eq(0))
                .await
                .expect("counted"),
        ),
        11 => {
            let groups = Invoice::group_by(db, |i| i.status).count();
            drop(groups.await.expect("grouped"));
            let some = Invoice::find(db, |i| i.status.eq(0))
                .group_by(|i| i.cents)
                .count();
            drop(some.await.expect("grouped"));
        }
        12 => {
            let update = Invoice::update(db, id)
                .inc(|i| i.cents, 1)
                .push(|i| i.lines, "line");
            drop(refused(update.await));
            let patch = InvoicePatch {
                status: Some(1),
                ..InvoicePatch::default()
            };
            drop(refused(Invoice::update(db, id).patch(patch).await));
        }
        13 => {
            let many = Invoice::update_many(db, |i| i.status.eq(1)).set(|i| i.text, "many");
            drop(many.await.expect("changed"));
        }
        14 => {
            let update = Invoice::update(db, id)
                .only_if(|i| i.cents.gt(500))
                .set(|i| i.plan, plan().id);
            drop(refused(update.await));
        }
        15 => drop(refused(Invoice::delete(db, id).await)),
        16 => drop(
            Invoice::delete_many(db, |i| i.number.eq(number))
                .await
                .expect("deleted"),
        ),
        17 => drop(refused(Invoice::delete(db, id).without_rules().await)),
        18 => {
            let mut whole = invoice(of, number);
            whole.id = id;
            drop(refused(whole.save(db).await));
        }
        19 => {
            let upsert = Invoice::upsert(db, &invoice(of, number)).on_key(|i| i.number);
            drop(refused(upsert.inc(|i| i.cents, 1).await));
        }
        20 => {
            let update = Invoice::update(db, id)
                .set(|i| i.text, "returned")
                .returning();
            let found = refused(update.await);
            seen(org(of), found.iter().map(|one| one.org));
        }
        21 => {
            let page = Invoice::open(db, 0).page(3).await.expect("a page");
            let more = page
                .next
                .map(|next| Invoice::open(db, 0).page(3).after(next));
            seen(org(of), page.items.iter().map(|one| one.org));
            if let Some(more) = more {
                own(more.await.expect("a page").items);
            }
        }
        22 => {
            own(Invoice::by_plan(db, plan().id)
                .limit(5)
                .await
                .expect("found"));
            let plans = [plan()];
            let many = Invoice::by_plan_many(db, &plans)
                .limit(2)
                .await
                .expect("found");
            own(many.into_iter().flat_map(|(_, all)| all).collect());
            let many = Invoice::by_plan_many(db, &plans).filter_each(|_, i| i.status.eq(1));
            own(many
                .await
                .expect("found")
                .into_iter()
                .flat_map(|(_, all)| all)
                .collect());
            drop(
                Invoice::by_plan_many(db, &plans)
                    .count()
                    .await
                    .expect("counted"),
            );
        }
        _ => {
            let fresh = Invoice::find(db, |i| i.number.gte(0))
                .fresh()
                .await
                .expect("found");
            own(fresh);
            let stream = Invoice::find(db, |i| i.number.gte(0)).stream();
            own(stream.try_collect().await.expect("found"));
            assert!(
                !Invoice::exists(db, |i| i.number.eq(-1))
                    .await
                    .expect("asked")
            );
        }
    }
}

async fn of_notes(db: &Tenant<Id<Org>>, of: u8, random: &mut Random, ids: &mut Vec<Id<Note>>) {
    let title = format!("note {}", random.below(8));
    let id = random.of(ids).unwrap_or_default();
    match random.below(11) {
        0..=2 => {
            let new = note(of, &title);
            if refused(Note::insert_many(db, [&new]).await).is_some() {
                ids.push(new.id);
            }
        }
        3 => drop(refused(Note::delete(db, id).await)),
        4 => drop(refused(Note::restore(db, id).await)),
        5 => drop(refused(Note::purge(db, id).await)),
        6 => {
            let changed = Note::update_with(db, id, |note| note.stars += 1).await;
            seen(org(of), refused(changed).iter().map(|one| one.org));
        }
        7 => {
            let found = Note::get(db, id).with_deleted().await.expect("read");
            seen(org(of), found.iter().map(|one| one.org));
            let mut made = note(of, &title);
            made.id = id;
            let error = made.save_if_unchanged(db).await.err();
            if let Some(Error::Conflict(conflict)) = error {
                seen(org(of), [conflict.current::<Note>().expect("read").org]);
            }
            let made = &mut made;
            let saved = Note::save_many_if_unchanged(db, [made])
                .await
                .expect("sent");
            for one in saved.unsaved {
                if let Error::Conflict(conflict) = one.error {
                    seen(org(of), [conflict.current::<Note>().expect("read").org]);
                }
            }
        }
        8 => {
            let made = Note {
                id,
                ..note(of, &title)
            };
            drop(refused(made.delete_if_unchanged(db).await));
        }
        9 => {
            let upsert = Note::upsert(db, &note(of, &title)).on_key(|n| n.title);
            drop(refused(upsert.inc(|n| n.stars, 1).await));
        }
        _ => {
            let gone = Note::restore_many(db, |n| n.title.eq(&title)).await;
            drop(refused(gone));
            let gone = Note::purge_many(db, |n| n.deleted_at.lt(bson::DateTime::now())).await;
            drop(refused(gone));
        }
    }
}

#[tokio::test]
async fn every_command_of_random_calls_has_the_tenant() {
    on_both("wall_random", async |bench| {
        prepare(bench).await;
        let mut random = Random(20_261_126);
        let (mut invoices, mut notes) = (Vec::new(), Vec::new());
        let mut looked_at = 0;
        for _ in 0..CALLS {
            let of = if random.below(2) == 0 { 1 } else { 2 };
            let db = tenant(bench, of);
            match random.below(3) {
                0 => of_notes(&db, of, &mut random, &mut notes).await,
                _ => of_invoices(&db, of, &mut random, &mut invoices).await,
            }
            let wanted = Bson::from(org(of));
            looked_at += assert_walled(&bench.take(), &wanted);
        }
        assert!(looked_at > 800, "{looked_at} filters and documents");
        let both = Plan::find_one(&bench.db, |p| p.id.eq(plan().id)).await;
        assert!(both.expect("read").is_some());
    })
    .await;
}
