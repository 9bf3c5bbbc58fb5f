//! A delete that is refused has changed nothing, whatever else refers to what it would have deleted: random documents of models with every
//! rule, and what is left of them by the rules alone.

use std::collections::{BTreeMap, BTreeSet};

use bson::doc;
use mongo_model::model::ModelMeta;
use mongo_model::{Error, MongoEmbed, MongoModel, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{everything, settled};

/// Keeps lists and numbers of those that live in it, and is kept by them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_towns")]
struct Town {
    #[serde(rename = "_id")]
    id: i32,
    #[count(Root)]
    number: i64,
    #[recent(Root, max = 2, sort = -rank, fields(name))]
    last: Vec<TownRoot>,
    #[refs(Child, inverse = home)]
    children: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_roots")]
struct Root {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    rank: i32,
    #[parent(Town, sort = -rank)]
    town: i32,
    #[refs(Pact, inverse = roots, max = 10)]
    pacts: Vec<i32>,
}

/// Refuses through a two-way array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_pacts")]
struct Pact {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Root, inverse = pacts, max = 10, on_delete = deny)]
    roots: Vec<i32>,
}

/// Is deleted with its root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_children")]
struct Child {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Root, on_delete = cascade)]
    root: i32,
    #[denorm(from = Root, field = name, via = root)]
    root_name: String,
    #[parent(Town, inverse = children)]
    home: i32,
}

/// Refuses one level below a cascade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_guards")]
struct Guard {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Child)]
    child: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_leaves")]
struct Leaf {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Child, on_delete = cascade)]
    child: i32,
}

/// Refuses two levels below, from the values of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_watches")]
struct Watch {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Leaf, max = 10)]
    by_name: BTreeMap<String, i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[parent(Root, on_delete = pull)]
    root: i32,
    #[denorm(from = Root, field = name, via = root)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Slot {
    #[parent(Child, on_delete = pull)]
    child: i32,
}

/// Loses what goes, in every form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "refuse_books")]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Root, max = 10, on_delete = pull)]
    #[denorm(from = Root, field = name)]
    roots: Vec<BookRoot>,
    #[embed(max = 10)]
    lines: Vec<Line>,
    #[embed(max = 10)]
    slots: BTreeMap<String, Slot>,
    #[parent(Root, on_delete = unset)]
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<i32>,
    #[denorm(from = Root, field = name, via = first)]
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    #[parent(Child, on_delete = unset, checked)]
    #[serde(skip_serializing_if = "Option::is_none")]
    child: Option<i32>,
}

fn name_of(root: i32) -> String {
    format!("root {root}")
}

/// Everything that is stored, by its key.
#[derive(Debug, Clone, Default, PartialEq)]
struct World {
    towns: BTreeMap<i32, Town>,
    roots: BTreeMap<i32, Root>,
    pacts: BTreeMap<i32, Pact>,
    children: BTreeMap<i32, Child>,
    guards: BTreeMap<i32, Guard>,
    leaves: BTreeMap<i32, Leaf>,
    watches: BTreeMap<i32, Watch>,
    books: BTreeMap<i32, Book>,
}

/// xorshift64*: the same numbers for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i32) -> i32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        i32::try_from(high % n.unsigned_abs().max(1) as u64).expect("small")
    }

    fn some(&mut self, most: i32, of: i32) -> Vec<i32> {
        let n = self.below(most + 1);
        let all: BTreeSet<i32> = (0..n).map(|_| self.below(of)).collect();
        all.into_iter().collect()
    }
}

const TOWNS: i32 = 3;
const ROOTS: i32 = 6;
const CHILDREN: i32 = 7;
const LEAVES: i32 = 5;

impl World {
    fn random(seed: u64) -> World {
        let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut world = World::default();
        for id in 0..TOWNS {
            let empty = Town {
                id,
                number: 0,
                last: Vec::new(),
                children: Vec::new(),
            };
            world.towns.insert(id, empty);
        }
        for id in 0..ROOTS {
            let (rank, town) = (id * 10 + random.below(9), random.below(TOWNS - 1));
            let root = Root {
                id,
                name: name_of(id),
                rank,
                town,
                pacts: Vec::new(),
            };
            world.roots.insert(id, root);
        }
        for id in 0..CHILDREN {
            let (root, home) = (random.below(ROOTS), random.below(TOWNS));
            let child = Child {
                id,
                root,
                root_name: name_of(root),
                home,
            };
            world.children.insert(id, child);
        }
        for id in 0..LEAVES {
            let child = random.below(CHILDREN);
            world.leaves.insert(id, Leaf { id, child });
        }
        if random.below(2) == 0 {
            let roots = random.some(2, ROOTS);
            world.pacts.insert(0, Pact { id: 0, roots });
        }
        for id in 0..random.below(3) {
            let child = random.below(CHILDREN);
            world.guards.insert(id, Guard { id, child });
        }
        if random.below(2) == 0 {
            let by_name = random.some(2, LEAVES).into_iter();
            let by_name = by_name.map(|leaf| (format!("leaf.{leaf}"), leaf)).collect();
            world.watches.insert(0, Watch { id: 0, by_name });
        }
        for id in 0..3 {
            let entry = |id| BookRoot {
                id,
                name: name_of(id),
            };
            let line = |root| Line {
                root,
                name: name_of(root),
            };
            let slot = |child| (format!("$slot.{child}"), Slot { child });
            let first = (random.below(2) == 0).then(|| random.below(ROOTS));
            let book = Book {
                id,
                roots: random.some(3, ROOTS).into_iter().map(entry).collect(),
                lines: random.some(3, ROOTS).into_iter().map(line).collect(),
                slots: random.some(3, CHILDREN).into_iter().map(slot).collect(),
                first,
                first_name: first.map(name_of),
                child: (random.below(2) == 0).then(|| random.below(CHILDREN)),
            };
            world.books.insert(id, book);
        }
        world
    }

    /// Fills in what towns and roots derive from others.
    fn derive(&mut self) {
        for town in self.towns.values_mut() {
            let mut here: Vec<&Root> = self.roots.values().filter(|r| r.town == town.id).collect();
            here.sort_by_key(|root| -root.rank);
            town.number = i64::try_from(here.len()).expect("few");
            let entry = |root: &&Root| TownRoot {
                id: root.id,
                name: root.name.clone(),
            };
            town.last = here.iter().take(2).map(entry).collect();
            let home = self.children.values().filter(|child| child.home == town.id);
            town.children = home.map(|child| child.id).collect();
        }
        for root in self.roots.values_mut() {
            let with = self
                .pacts
                .values()
                .filter(|pact| pact.roots.contains(&root.id));
            root.pacts = with.map(|pact| pact.id).collect();
        }
    }

    /// The same without these, and by the rules; `None` if that is refused.
    fn without(&self, what: &Delete) -> Option<World> {
        let mut left = self.clone();
        match what {
            Delete::Roots(ids) => left.roots.retain(|id, _| !ids.contains(id)),
            Delete::Child(id) => drop(left.children.remove(id)),
            Delete::Town(id) => drop(left.towns.remove(id)),
        }
        left.children
            .retain(|_, child| left.roots.contains_key(&child.root));
        left.leaves
            .retain(|_, leaf| left.children.contains_key(&leaf.child));
        let watched = left
            .watches
            .values()
            .flat_map(|watch| watch.by_name.values());
        let kept = left
            .roots
            .values()
            .all(|root| left.towns.contains_key(&root.town))
            && left
                .children
                .values()
                .all(|child| left.towns.contains_key(&child.home))
            && left
                .guards
                .values()
                .all(|guard| left.children.contains_key(&guard.child))
            && watched
                .into_iter()
                .all(|leaf| left.leaves.contains_key(leaf))
            && left
                .pacts
                .values()
                .flat_map(|pact| &pact.roots)
                .all(|root| left.roots.contains_key(root));
        if !kept {
            return None;
        }
        for book in left.books.values_mut() {
            book.roots
                .retain(|entry| left.roots.contains_key(&entry.id));
            book.lines
                .retain(|line| left.roots.contains_key(&line.root));
            book.slots
                .retain(|_, slot| left.children.contains_key(&slot.child));
            book.first = book.first.filter(|root| left.roots.contains_key(root));
            book.first_name = book.first.map(name_of);
            book.child = book.child.filter(|child| left.children.contains_key(child));
        }
        left.derive();
        Some(left)
    }

    async fn store(&self, bench: &Bench) {
        macro_rules! store {
            ($($model:ident $all:ident),*) => {$(
                let all: Vec<&$model> = self.$all.values().collect();
                if !all.is_empty() {
                    let stored = $model::insert_many(&bench.db, all).await;
                    stored.expect("stored");
                }
            )*};
        }
        // The library fills in what towns and roots derive.
        store!(Town towns, Root roots, Child children, Leaf leaves);
        store!(Book books, Pact pacts, Guard guards, Watch watches);
    }

    async fn read(bench: &Bench) -> World {
        macro_rules! all {
            ($model:ident) => {{
                let all = $model::scan(&bench.db, |m| m.all()).await.expect("read");
                all.into_iter().map(|one| (one.id, one)).collect()
            }};
        }
        let mut world = World {
            towns: all!(Town),
            roots: all!(Root),
            pacts: all!(Pact),
            children: all!(Child),
            guards: all!(Guard),
            leaves: all!(Leaf),
            watches: all!(Watch),
            books: all!(Book),
        };
        world
            .towns
            .values_mut()
            .for_each(|town| town.children.sort_unstable());
        world
            .roots
            .values_mut()
            .for_each(|root| root.pacts.sort_unstable());
        bench.forget();
        world
    }
}

#[derive(Debug, Clone)]
enum Delete {
    Roots(Vec<i32>),
    Child(i32),
    Town(i32),
}

impl Delete {
    /// All that can be asked for, from the widest to the narrowest.
    fn all() -> Vec<Delete> {
        let mut all = vec![Delete::Roots((0..ROOTS).collect())];
        all.extend((0..TOWNS).map(Delete::Town));
        all.extend((1..ROOTS).map(|id| Delete::Roots(vec![id - 1, id])));
        all.extend((0..ROOTS).map(|id| Delete::Roots(vec![id])));
        all.extend((0..CHILDREN).map(Delete::Child));
        all
    }

    async fn run(&self, bench: &Bench, inside: bool) -> Result<(), Error> {
        let db = &bench.db;
        if inside {
            return transaction(db, async |tx| {
                match self {
                    Delete::Roots(ids) => {
                        Root::delete_many(db, |r| r.id.is_in(ids.clone()))
                            .within(tx)
                            .await?
                    }
                    Delete::Child(id) => Child::delete(db, *id).within(tx).await?,
                    Delete::Town(id) => Town::delete(db, *id).within(tx).await?,
                };
                Ok(())
            })
            .await
            .map(drop);
        }
        match self {
            Delete::Roots(ids) if ids.len() == 1 => Root::delete(db, ids[0]).await?,
            Delete::Roots(ids) => Root::delete_many(db, |r| r.id.is_in(ids.clone())).await?,
            Delete::Child(id) => Child::delete(db, *id).await?,
            Delete::Town(id) => Town::delete(db, *id).await?,
        };
        Ok(())
    }
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 8] {
    [
        Town::meta(),
        Root::meta(),
        Pact::meta(),
        Child::meta(),
        Guard::meta(),
        Leaf::meta(),
        Watch::meta(),
        Book::meta(),
    ]
}

/// Asks for every delete in turn. Returns how many were refused and how many were done.
async fn ask(bench: &Bench, mut world: World, inside: bool) -> (u32, u32) {
    let (mut refused, mut done) = (0, 0);
    for delete in Delete::all() {
        let before = everything(bench).await;
        bench.forget();
        let answer = delete.run(bench, inside).await;
        let sent = bench.take();
        match (world.without(&delete), answer) {
            (None, Err(Error::Referenced { .. })) => {
                refused += 1;
                let looks = ["find", "aggregate", "getMore", "abortTransaction"];
                let wrote = sent
                    .iter()
                    .find(|sent| !looks.contains(&sent.name.as_str()));
                assert!(wrote.is_none(), "{delete:?}: {wrote:?}");
                assert_eq!(everything(bench).await, before, "{delete:?}");
            }
            (Some(left), Ok(())) => {
                done += u32::from(left != world);
                world = left;
                assert_eq!(World::read(bench).await, world, "{delete:?}");
            }
            // It is gone with another.
            (Some(left), Err(Error::NotFound { .. })) => assert_eq!(left, world, "{delete:?}"),
            (expected, answer) => panic!("{delete:?}: {answer:?}, and expected {expected:#?}"),
        }
        bench.forget();
    }
    (refused, done)
}

#[tokio::test]
async fn a_refused_delete_has_changed_nothing() {
    on_both("refuse_random", async |bench| {
        bench.index(&models()).await;
        let hello = bench
            .db
            .run_command(doc! { "hello": 1 })
            .await
            .expect("answered");
        let inside: &[bool] = match hello.contains_key("setName") {
            true => &[false, true],
            false => &[false],
        };
        let (mut refused, mut done) = (0, 0);
        for seed in 1..=6 {
            for inside in inside {
                for name in bench.db.list_collection_names().await.expect("listed") {
                    bench
                        .raw(&name)
                        .delete_many(doc! {})
                        .await
                        .expect("emptied");
                }
                let mut world = World::random(seed);
                world.store(bench).await;
                world.derive();
                assert_eq!(World::read(bench).await, world, "seed {seed}");
                let asked = ask(bench, world, *inside).await;
                (refused, done) = (refused + asked.0, done + asked.1);
                let found = verify(&bench.db).models(&models()).await.expect("looked");
                assert!(found.is_clean(), "{found}");
                settled(bench).await;
            }
        }
        // Either answer is given often, or the documents are no test.
        assert!(refused > 20 && done > 20, "{refused} refused, {done} done");
    })
    .await;
}
