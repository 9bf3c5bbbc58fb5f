//! After any sequence of operations every copy agrees with its source, and nothing is flagged.

use std::collections::BTreeMap;

use mongo_model::{Error, MongoModel, Transaction};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::models::{
    Bin, Label, Part, Product, ProductPart, Stock, bin, entry, index, key, label, part, product,
    stock,
};
use mongo_model_soak::oracle::{audit, flagged};
use mongodb::Database;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// How many parts, products and stocks there may be.
const EACH: u8 = 3;
/// The most parts of a product.
const MAX: usize = 8;

/// One operation. Numbers are those of documents; names are short, so that one is given again.
#[derive(Debug, Clone)]
enum Op {
    Rename(u8, u8),
    RenameMany(Vec<u8>, u8),
    Unit(u8, Option<u8>),
    SavePart(u8, u8, Option<u8>),
    /// A part that is remembered, to be saved later.
    ReadPart(u8),
    SaveStalePart(u8),
    InsertProduct(u8, Vec<u8>),
    Push(u8, u8),
    Pull(u8, u8),
    ReadProduct(u8),
    SaveStaleProduct(u8, bool),
    SaveProduct(u8, Vec<u8>),
    InsertStocks(Vec<u8>, u8, bool),
    SaveStock(u8, u8, bool),
    Repoint(u8, u8),
    Qty(u8, i64),
    SaveBin(u8, Option<u8>),
    RepointBin(u8, Option<u8>),
    UnsetBin(u8),
    SaveLabel(u8, u8),
    RepointLabel(u8, u8),
    /// In a transaction that is committed, or aborted.
    Together(Vec<Op>, bool),
}

fn op() -> impl Strategy<Value = Op> + Clone {
    let n = || 0..EACH;
    let name = || 0..4_u8;
    let unit = || proptest::option::of(0..2_u8);
    let of = || proptest::option::of(0..EACH);
    prop_oneof![
        3 => (n(), name()).prop_map(|(n, name)| Op::Rename(n, name)),
        2 => (vec(n(), 1..3), name()).prop_map(|(ids, name)| Op::RenameMany(ids, name)),
        2 => (n(), unit()).prop_map(|(n, unit)| Op::Unit(n, unit)),
        2 => (n(), name(), unit()).prop_map(|(n, name, unit)| Op::SavePart(n, name, unit)),
        1 => n().prop_map(Op::ReadPart),
        1 => n().prop_map(Op::SaveStalePart),
        2 => (n(), vec(n(), 0..4)).prop_map(|(n, parts)| Op::InsertProduct(n, parts)),
        3 => (n(), n()).prop_map(|(n, part)| Op::Push(n, part)),
        2 => (n(), n()).prop_map(|(n, part)| Op::Pull(n, part)),
        2 => n().prop_map(Op::ReadProduct),
        2 => (n(), any::<bool>()).prop_map(|(n, refresh)| Op::SaveStaleProduct(n, refresh)),
        2 => (n(), vec(n(), 0..4)).prop_map(|(n, parts)| Op::SaveProduct(n, parts)),
        2 => (vec(n(), 1..3), n(), any::<bool>()).prop_map(|(ids, of, lazy)| Op::InsertStocks(ids, of, lazy)),
        2 => (n(), n(), any::<bool>()).prop_map(|(n, of, refresh)| Op::SaveStock(n, of, refresh)),
        3 => (n(), n()).prop_map(|(n, of)| Op::Repoint(n, of)),
        2 => (n(), 0..9_i64).prop_map(|(n, qty)| Op::Qty(n, qty)),
        2 => (n(), of()).prop_map(|(n, of)| Op::SaveBin(n, of)),
        2 => (n(), of()).prop_map(|(n, of)| Op::RepointBin(n, of)),
        1 => n().prop_map(Op::UnsetBin),
        1 => (n(), n()).prop_map(|(n, of)| Op::SaveLabel(n, of)),
        2 => (n(), n()).prop_map(|(n, of)| Op::RepointLabel(n, of)),
    ]
}

/// The same on a replica set, which has transactions as well.
fn op_in_set() -> impl Strategy<Value = Op> {
    let together = (vec(op(), 1..5), proptest::bool::weighted(0.75));
    prop_oneof![
        5 => op(),
        1 => together.prop_map(|(ops, commit)| Op::Together(ops, commit)),
    ]
}

/// The expected contents of the database, and the documents read from it earlier.
#[derive(Default, Clone)]
struct World {
    parts: BTreeMap<u8, Part>,
    products: BTreeMap<u8, Product>,
    stocks: BTreeMap<u8, Stock>,
    bins: BTreeMap<u8, Bin>,
    labels: BTreeMap<u8, Label>,
    old_parts: BTreeMap<u8, Part>,
    old_products: BTreeMap<u8, Product>,
}

fn named(name: u8) -> String {
    // Some of them would be a field, an operator or a number if the server did not get them as literals.
    ["bolt", "$qty", "1", ""][usize::from(name)].to_owned()
}

fn unit(unit: Option<u8>) -> Option<String> {
    unit.map(|unit| ["g", "$name"][usize::from(unit)].to_owned())
}

/// Sends a call, in the transaction if there is one.
macro_rules! sent {
    ($tx:expr, $call:expr) => {
        match $tx {
            Some(tx) => $call.within(tx).await,
            None => $call.await,
        }
    };
}

impl World {
    /// Brings every copy to its source.
    fn copy(&mut self) {
        let parts: BTreeMap<_, _> = self.parts.values().map(|part| (part.id, part)).collect();
        for product in self.products.values_mut() {
            for entry in &mut product.parts {
                entry.name.clone_from(&parts[&entry.id].name);
                entry.unit.clone_from(&parts[&entry.id].unit);
            }
        }
        for stock in self.stocks.values_mut() {
            stock.part_name.clone_from(&parts[&stock.part].name);
        }
        for bin in self.bins.values_mut() {
            bin.part_name = bin.part.map(|part| parts[&part].name.clone());
        }
        let bins: BTreeMap<_, _> = self.bins.values().map(|bin| (bin.id, bin)).collect();
        for label in self.labels.values_mut() {
            label.says.clone_from(&bins[&label.bin].part_name);
        }
    }

    /// A stock refers to this part from now on; the snapshot is taken again if the part is another one.
    fn point(&mut self, n: u8, of: u8) {
        let qty = self.parts[&of].qty;
        let stock = self.stocks.get_mut(&n).expect("checked");
        if stock.part != key(of) {
            stock.part = key(of);
            stock.first_qty = qty;
        }
    }

    /// Runs the same operation on the database and on this, and compares the results.
    async fn step(
        &mut self,
        db: &Database,
        op: &Op,
        tx: Option<&mut Transaction>,
    ) -> Result<(), TestCaseError> {
        let wrong = |parts: &[u8]| -> Vec<ProductPart> {
            parts.iter().map(|n| entry(*n, "wrong")).collect()
        };
        let done = match op {
            Op::Rename(n, name) => {
                self.parts.get_mut(n).expect("seeded").name = named(*name);
                sent!(tx, Part::update(db, key(*n)).set(|p| p.name, named(*name)))
            }
            Op::RenameMany(ids, name) => {
                for n in ids {
                    self.parts.get_mut(n).expect("seeded").name = named(*name);
                }
                let ids = ids.iter().map(|n| key(*n));
                let rename = Part::update_many(db, |p| p.id.is_in(ids));
                sent!(tx, rename.set(|p| p.name, named(*name)))
            }
            Op::Unit(n, to) => {
                self.parts.get_mut(n).expect("seeded").unit = unit(*to);
                sent!(tx, Part::update(db, key(*n)).set(|p| p.unit, unit(*to)))
            }
            Op::SavePart(n, name, to) => {
                let new = Part {
                    unit: unit(*to),
                    ..part(*n, &named(*name))
                };
                self.parts.insert(*n, new.clone());
                sent!(tx, new.save(db))
            }
            Op::ReadPart(n) => {
                self.old_parts.insert(*n, self.parts[n].clone());
                return Ok(());
            }
            Op::SaveStalePart(n) => {
                let Some(old) = self.old_parts.get(n) else {
                    return Ok(());
                };
                self.parts.insert(*n, old.clone());
                sent!(tx, old.save(db))
            }
            Op::InsertProduct(n, parts) => {
                let new = product(*n, wrong(parts));
                if self.products.contains_key(n) {
                    if tx.is_some() {
                        // The server would end the transaction.
                        return Ok(());
                    }
                    let refused = Product::insert(db, &new).await;
                    prop_assert!(
                        matches!(refused, Err(Error::Duplicate { .. })),
                        "{refused:?}"
                    );
                    return Ok(());
                }
                self.products.insert(*n, new.clone());
                sent!(tx, Product::insert(db, &new))
            }
            Op::Push(n, of) => return self.push(db, *n, *of, tx).await,
            Op::Pull(n, of) => {
                let pull = Product::update(db, key(*n));
                let pull = pull.pull_where(|p| p.parts, |e| e.id.eq(key(*of)));
                let pull = sent!(tx, pull);
                let Some(product) = self.products.get_mut(n) else {
                    prop_assert!(matches!(pull, Err(Error::NotFound { .. })), "{pull:?}");
                    return Ok(());
                };
                product.parts.retain(|entry| entry.id != key(*of));
                pull
            }
            Op::ReadProduct(n) => {
                if let Some(product) = self.products.get(n) {
                    self.old_products.insert(*n, product.clone());
                }
                return Ok(());
            }
            Op::SaveStaleProduct(n, refresh) => {
                let Some(old) = self.old_products.get(n) else {
                    return Ok(());
                };
                self.products.insert(*n, old.clone());
                let save = old.save(db);
                if *refresh {
                    sent!(tx, save.refresh())
                } else {
                    sent!(tx, save)
                }
            }
            Op::SaveProduct(n, parts) => {
                let new = product(*n, wrong(parts));
                self.products.insert(*n, new.clone());
                sent!(tx, new.save(db))
            }
            Op::InsertStocks(ids, of, lazy) => {
                let mut ids = ids.clone();
                ids.sort_unstable();
                ids.dedup();
                ids.retain(|n| !self.stocks.contains_key(n));
                let new: Vec<Stock> = ids.iter().map(|n| stock(*n, *of, "wrong")).collect();
                for (n, new) in ids.into_iter().zip(&new) {
                    let first_qty = self.parts[of].qty;
                    let new = new.clone();
                    self.stocks.insert(n, Stock { first_qty, ..new });
                }
                sent!(tx, Stock::insert_many(db, &new).lazy(*lazy))
            }
            Op::SaveStock(n, of, refresh) => {
                let new = stock(*n, *of, "wrong");
                if self.stocks.contains_key(n) {
                    self.point(*n, *of);
                } else {
                    let first_qty = self.parts[of].qty;
                    let new = new.clone();
                    self.stocks.insert(*n, Stock { first_qty, ..new });
                }
                let save = new.save(db);
                if *refresh {
                    sent!(tx, save.refresh())
                } else {
                    sent!(tx, save)
                }
            }
            Op::Repoint(n, of) => {
                let repoint = Stock::update(db, key(*n)).set(|s| s.part, key(*of));
                let done = sent!(tx, repoint);
                if !self.stocks.contains_key(n) {
                    prop_assert!(matches!(done, Err(Error::NotFound { .. })), "{done:?}");
                    return Ok(());
                }
                self.point(*n, *of);
                done
            }
            Op::Qty(n, qty) => {
                self.parts.get_mut(n).expect("seeded").qty = *qty;
                sent!(tx, Part::update(db, key(*n)).set(|p| p.qty, *qty))
            }
            Op::SaveBin(n, of) => {
                let new = bin(*n, *of);
                self.bins.insert(*n, new.clone());
                sent!(tx, new.save(db))
            }
            Op::RepointBin(n, of) => {
                self.bins.get_mut(n).expect("seeded").part = of.map(key);
                let of = of.map(key);
                sent!(tx, Bin::update(db, key(*n)).set(|b| b.part, of))
            }
            Op::UnsetBin(n) => {
                self.bins.get_mut(n).expect("seeded").part = None;
                sent!(tx, Bin::update(db, key(*n)).unset(|b| b.part))
            }
            Op::SaveLabel(n, of) => {
                let new = label(*n, *of);
                self.labels.insert(*n, new.clone());
                sent!(tx, new.save(db))
            }
            Op::RepointLabel(n, of) => {
                let repoint = Label::update(db, key(*n)).set(|l| l.bin, key(*of));
                let done = sent!(tx, repoint);
                let Some(label) = self.labels.get_mut(n) else {
                    prop_assert!(matches!(done, Err(Error::NotFound { .. })), "{done:?}");
                    return Ok(());
                };
                label.bin = key(*of);
                done
            }
            Op::Together(ops, commit) => return self.together(db, ops, *commit).await,
        };
        prop_assert!(done.is_ok(), "{done:?}");
        Ok(())
    }

    async fn together(
        &mut self,
        db: &Database,
        ops: &[Op],
        commit: bool,
    ) -> Result<(), TestCaseError> {
        let before = self.clone();
        // Nothing runs this transaction again after a conflict, and earlier writes still remove their flags.
        let left = mongo_model::settle(db).await;
        prop_assert!(left.error.is_none(), "{left:?}");
        let mut tx = Transaction::begin(db).await.expect("begun");
        for op in ops {
            Box::pin(self.step(db, op, Some(&mut tx))).await?;
        }
        if commit {
            let left = tx.commit(db).await;
            prop_assert!(left.as_ref().is_ok_and(Vec::is_empty), "{left:?}");
        } else {
            tx.abort().await.expect("aborted");
            *self = before;
        }
        Ok(())
    }

    async fn push(
        &mut self,
        db: &Database,
        n: u8,
        of: u8,
        tx: Option<&mut Transaction>,
    ) -> Result<(), TestCaseError> {
        let push = Product::update(db, key(n)).push(|p| p.parts, entry(of, "wrong"));
        let push = sent!(tx, push);
        let Some(product) = self.products.get_mut(&n) else {
            prop_assert!(matches!(push, Err(Error::NotFound { .. })), "{push:?}");
            return Ok(());
        };
        let there = product.parts.iter().any(|entry| entry.id == key(of));
        if !there && product.parts.len() == MAX {
            prop_assert!(matches!(push, Err(Error::Full { .. })), "{push:?}");
            return Ok(());
        }
        if !there {
            product.parts.push(entry(of, "wrong"));
        }
        prop_assert!(push.is_ok(), "{push:?}");
        Ok(())
    }

    /// Checks that the database has these contents.
    async fn same(&mut self, db: &Database) -> Result<(), TestCaseError> {
        self.copy();
        for n in 0..EACH {
            let stored = Part::get(db, key(n)).await.expect("read");
            prop_assert_eq!(stored.as_ref(), self.parts.get(&n));
            let stored = Product::get(db, key(n)).await.expect("read");
            prop_assert_eq!(stored.as_ref(), self.products.get(&n));
            let stored = Stock::get(db, key(n)).await.expect("read");
            prop_assert_eq!(stored.as_ref(), self.stocks.get(&n));
            let stored = Bin::get(db, key(n)).await.expect("read");
            prop_assert_eq!(stored.as_ref(), self.bins.get(&n));
            let stored = Label::get(db, key(n)).await.expect("read");
            prop_assert_eq!(stored.as_ref(), self.labels.get(&n));
        }
        Ok(())
    }
}

async fn run(db: &Database, ops: &[Op]) -> Result<(), TestCaseError> {
    index(db).await.expect("indexes");
    let mut world = World::default();
    for n in 0..EACH {
        let new = part(n, "bolt");
        Part::insert(db, &new).await.expect("stored");
        world.parts.insert(n, new);
        let new = bin(n, None);
        Bin::insert(db, &new).await.expect("stored");
        world.bins.insert(n, new);
    }
    for op in ops {
        world.step(db, op, None).await?;
        world.same(db).await?;
    }
    let audit = audit(db).await.expect("read");
    prop_assert!(
        audit.stale.is_empty() && audit.dangling.is_empty(),
        "{audit:?}"
    );
    // A lazy insert has filled its copies from their sources, and only leaves marks.
    mongo_model::recover(db).await.expect("recovered");
    prop_assert_eq!(flagged(db).await.expect("counted"), 0);
    world.same(db).await
}

fn holds(topology: Topology, op: impl Strategy<Value = Op>, cases: u32) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime
        .block_on(DevServer::shared(topology))
        .expect("a server");
    let client = runtime.block_on(server.client()).expect("a client");
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&vec(op, 1..32), |ops| {
        runtime.block_on(async {
            let db = client.database(&server.unique_db("property"));
            let outcome = run(&db, &ops).await;
            db.drop().await.expect("dropped");
            outcome
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn copies_are_what_their_sources_are_on_a_standalone() {
    holds(Topology::Standalone, op(), 24);
}

#[test]
fn copies_are_what_their_sources_are_in_a_set() {
    holds(Topology::ReplicaSet(1), op_in_set(), 24);
}
