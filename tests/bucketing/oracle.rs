//! A random history, compared with the effects on a list.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::bucketing::Host;
use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Note {
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "note_pages", bucket(notes))]
pub struct NotePage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, unchecked)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 3)]
    pub notes: Vec<Note>,
}

/// The expected buckets: the items that each one holds, and the number that it has taken.
#[derive(Default)]
struct Oracle {
    buckets: Vec<(Vec<String>, usize)>,
}

impl Oracle {
    fn holds(&self, id: &str) -> bool {
        self.buckets
            .iter()
            .any(|(items, _)| items.iter().any(|item| item == id))
    }

    fn push(&mut self, id: &str) -> bool {
        if self.holds(id) {
            return false;
        }
        if self.buckets.last().is_none_or(|(_, taken)| *taken == 3) {
            self.buckets.push((Vec::new(), 0));
        }
        if let Some((items, taken)) = self.buckets.last_mut() {
            items.push(id.to_owned());
            *taken += 1;
        }
        true
    }

    fn remove(&mut self, id: &str) -> bool {
        let there = self.holds(id);
        for (items, _) in &mut self.buckets {
            items.retain(|item| item != id);
        }
        there
    }
}

/// Numbers by chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn note(id: u64) -> Note {
    Note {
        id: format!("n{id}"),
    }
}

#[tokio::test]
async fn a_list_does_the_same() {
    alone("bucket_oracle", async |bench| {
        let db = &bench.db;
        bench.index(&[NotePage::meta()]).await;
        for seed in 0..12 {
            let (mut chance, mut oracle, host) = (Chance(seed), Oracle::default(), Id::new());
            for _ in 0..80 {
                match chance.below(5) {
                    0 | 1 => {
                        let item = note(chance.below(30));
                        let done = NotePage::push(db, host, &item).await.expect("sent");
                        assert_eq!(done.added, oracle.push(&item.id));
                    }
                    2 => {
                        let len = chance.below(9);
                        let items: Vec<Note> = (0..len).map(|_| note(chance.below(30))).collect();
                        let done = NotePage::push_many(db, host, &items).await.expect("sent");
                        let before = oracle.buckets.len() as u64;
                        let added =
                            items.iter().filter(|item| oracle.push(&item.id)).count() as u64;
                        assert_eq!((done.added, done.there), (added, len - added));
                        assert_eq!(done.opened, oracle.buckets.len() as u64 - before);
                    }
                    3 => {
                        let id = note(chance.below(30)).id;
                        let done = NotePage::remove_item(db, host, &id).await.expect("sent");
                        assert_eq!(done.removed, oracle.remove(&id));
                    }
                    _ => {
                        let n = chance.below(12);
                        let at = i64::try_from(n).expect("few");
                        let page = NotePage::page(db, host, at).await.expect("read");
                        let page =
                            page.map(|page| page.notes.into_iter().map(|note| note.id).collect());
                        let expected = oracle.buckets.get(usize::try_from(n).expect("few"));
                        assert_eq!(page, expected.map(|(items, _)| items.clone()));
                    }
                }
            }
            let all: Vec<String> = oracle
                .buckets
                .iter()
                .flat_map(|(items, _)| items.clone())
                .collect();
            let count = NotePage::count_items(db, host).await.expect("counted");
            assert_eq!(count, all.len() as u64);
            let read = NotePage::iterate(db, host).await.expect("read");
            let read: Vec<String> = read.into_iter().map(|note| note.id).collect();
            assert_eq!(read, all);
        }
    })
    .await;
}
