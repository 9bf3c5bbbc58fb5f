//! Random programs beside a list of all states: each revision leads back to its state, whoever writes at the same time.

use mongo_model::{Error, Id, MongoModel, recover, settle};

use super::common::{Bench, on_both};
use super::{Line, Member, assert_follow_each_other, library, line};

/// A small generator (xorshift) with a fixed seed: a failure comes again.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// One random change.
pub(super) async fn change(bench: &Bench, random: &mut Random) -> Result<(), Error> {
    let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
    let (n, text) = (random.below(4) as i32, format!("t{}", random.below(5)));
    let update = Member::update(db, id);
    let done = match random.below(11) {
        0 => update.set(|m| m.name, text).inc(|m| m.visits, 1).await,
        1 => update.push(|m| m.tags, text).await,
        2 => update.pull(|m| m.tags, text).await,
        3 => {
            update
                .pop_first(|m| m.tags)
                .set(|m| m.rate, f64::from(n))
                .await
        }
        4 => {
            update
                .push_all(|m| m.lines, [line(&text, n), line("s", n)])
                .await
        }
        5 => update.pull_where(|m| m.lines, |line| line.qty.eq(n)).await,
        6 => {
            update
                .inc_where(|m| m.lines, |line| line.sku.eq("s"), |line| line.qty, 1)
                .await
        }
        7 => update.set(|m| m.address.zip, Some(text)).await,
        8 => update.unset(|m| m.address.zip).unset(|m| m.nick).await,
        9 => {
            update
                .set(|m| m.lines, Vec::<Line>::new())
                .min(|m| m.visits, 3)
                .await
        }
        _ => {
            let mut saved = super::member(1);
            saved.name = text;
            saved.visits = i64::from(n);
            saved.save(db).await
        }
    };
    match done {
        Ok(_) | Err(Error::Invalid { .. } | Error::Full { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

#[tokio::test]
async fn each_revision_leads_back_to_its_state() {
    on_both("history_random", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let stored = async || {
            let mut stored = bench.stored("members", 1).await;
            stored.remove("_dn");
            stored
        };
        let mut states = vec![(stored().await, super::member(1))];
        for _ in 0..120 {
            change(bench, &mut random).await.expect("changed");
            let now = Member::get(db, id).await.expect("read").expect("stored");
            let stored = stored().await;
            if states.last().is_none_or(|(last, _)| *last != stored) {
                states.push((stored, now));
            }
        }
        let of = || Member::history(db, id);
        let all = of().entries(None).await.expect("read");
        assert_follow_each_other(&all);
        // A conditional change of elements that finds none has an entry without changes.
        let all: Vec<_> = all
            .iter()
            .filter(|entry| !entry.changes.is_empty())
            .collect();
        assert_eq!(all.len(), states.len());
        for (entry, (_, state)) in all.iter().zip(&states) {
            let then = of().at(entry.revision).await.expect("read");
            assert_eq!(then.as_ref(), Some(state));
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn eight_writers_leave_no_gap() {
    on_both("history_writers", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        let writers = (1..=8_u64).map(|seed| async move {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            for _ in 0..25 {
                change(bench, &mut random).await.expect("changed");
            }
        });
        futures::future::join_all(writers).await;
        settle(db).await;
        let of = || Member::history(db, id);
        let all = of().entries(None).await.expect("read");
        assert_follow_each_other(&all);
        let first = of().at(all[0].revision).await.expect("read");
        assert_eq!(first, Some(super::member(1)));
        let before = of().at(all[0].revision - 1).await.expect("read");
        assert_eq!(before, None);
    })
    .await;
}
