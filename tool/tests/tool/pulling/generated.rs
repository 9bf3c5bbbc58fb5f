//! Precision and recall on databases that a generator draws: names, types, relations and dirt (10 to 20 per cent) follow from a seed.
//! No inference was tuned on them, so some are missed; the numbers are what a user may expect.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use mongodb::Database;

use super::answers::{Scores, compare_kinds, part};
use super::data::Random;
use super::{folder, pull};
use crate::support::Place;

const SEEDS: std::ops::Range<u64> = 200..208;
/// The inferences that are measured.
const KINDS: [&str; 15] = [
    "reference",
    "dangling",
    "copy",
    "stale",
    "count",
    "wrong_count",
    "recent",
    "enum",
    "nearly_enum",
    "map",
    "date_as_string",
    "money_as_float",
    "mixed_types",
    "mixed_widths",
    "null_array",
];
const NOUNS: [&str; 16] = [
    "artist", "building", "patient", "course", "vendor", "device", "recipe", "journey", "station",
    "contract", "lesson", "ship", "farm", "parcel", "bottle", "museum",
];
const ROLES: [&str; 8] = [
    "owner",
    "created by",
    "assigned to",
    "origin",
    "belongs to",
    "primary",
    "previous",
    "contact",
];
const VALUES: [&str; 14] = [
    "draft",
    "final",
    "north",
    "south",
    "red",
    "green",
    "Large",
    "Small",
    "ON_HOLD",
    "READY",
    "first class",
    "economy",
    "wet",
    "dry",
];

/// The form of a collection's `_id`s.
#[derive(Clone, Copy, PartialEq)]
enum Ids {
    ObjectId,
    Number,
    Code,
}

/// A collection while it is drawn.
struct Table {
    noun: &'static str,
    name: String,
    ids: Vec<Bson>,
    form: Ids,
    /// The field that others copy, and its values.
    title: String,
    titles: Vec<String>,
    documents: Vec<Document>,
}

/// The generator.
struct Generator {
    random: Random,
    camel: bool,
    tables: Vec<Table>,
    answers: Vec<String>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let camel = random.percent(50);
        Generator {
            random,
            camel,
            tables: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// A name in the style of the database.
    fn style(&self, words: &str) -> String {
        let mut out = String::new();
        for (n, word) in words.split(' ').enumerate() {
            match (n, self.camel) {
                (0, _) => out.push_str(word),
                (_, true) => {
                    out.push_str(&word[..1].to_uppercase());
                    out.push_str(&word[1..]);
                }
                (_, false) => {
                    out.push('_');
                    out.push_str(word);
                }
            }
        }
        out
    }

    fn answer(&mut self, kind: &str, table: usize, path: &str) {
        let name = self.tables[table].name.clone();
        self.answers.push(format!("{kind} {name}.{path}"));
    }

    /// Sets a field of every document.
    fn set(
        &mut self,
        table: usize,
        field: &str,
        mut value: impl FnMut(&mut Random, usize) -> Bson,
    ) {
        for n in 0..self.tables[table].documents.len() {
            let value = value(&mut self.random, n);
            self.tables[table].documents[n].insert(field, value);
        }
    }

    /// How much dirt a field has: none, or 10 to 20 per cent.
    fn dirt(&mut self) -> usize {
        match self.random.percent(60) {
            true => 10 + self.random.below(11),
            false => 0,
        }
    }

    /// Draws the tables: first what stands alone, then what leads from one to another.
    fn draw(mut self) -> (Vec<(String, Vec<Document>)>, Vec<String>) {
        let mut nouns = NOUNS.to_vec();
        for _ in 0..6 {
            let noun = nouns.swap_remove(self.random.below(nouns.len()));
            self.table(noun);
        }
        for table in 0..self.tables.len() {
            for _ in 0..3 {
                self.property(table);
            }
            self.decoys(table);
        }
        for table in 1..self.tables.len() {
            let target = self.random.below(table);
            self.relation(table, target);
            let other = self.random.below(table);
            if other != target && self.random.percent(50) {
                self.many(table, other);
            }
        }
        let tables = self.tables.into_iter();
        let all = tables.map(|table| (table.name, table.documents)).collect();
        (all, self.answers)
    }

    fn table(&mut self, noun: &'static str) {
        let name = match self.random.below(4) {
            0 => noun.to_owned(),
            1 => self.style(&format!("all {noun}s")),
            _ => format!("{noun}s"),
        };
        let form = match self.random.below(5) {
            0 => Ids::Number,
            1 => Ids::Code,
            _ => Ids::ObjectId,
        };
        let size = 80 + self.random.below(250);
        let prefix = noun[..2].to_uppercase();
        let ids: Vec<Bson> = (0..size)
            .map(|n| match form {
                Ids::ObjectId => ObjectId::new().into(),
                Ids::Number => Bson::Int32(n as i32 + 1),
                Ids::Code => format!("{prefix}-{:05}", n * 7).into(),
            })
            .collect();
        let titles: Vec<String> = (0..size)
            .map(|_| format!("{} {}", self.random.word(), self.random.word()))
            .collect();
        let title = self
            .random
            .of(&["name", "title", "label", "caption"])
            .to_owned();
        let documents = ids
            .iter()
            .zip(&titles)
            .map(|(id, text)| doc! { "_id": id.clone(), &title: text })
            .collect();
        self.tables.push(Table {
            noun,
            name,
            ids,
            form,
            title,
            titles,
            documents,
        });
    }

    /// A property of one of several kinds.
    fn property(&mut self, table: usize) {
        let dirt = self.dirt().max(10);
        match self.random.below(7) {
            0 => self.strings(table),
            1 => {
                let field = self.style("opened on");
                self.set(table, &field, |random, _| {
                    if random.percent(dirt) {
                        return random.word().into();
                    }
                    let (month, day) = (1 + random.below(12), 1 + random.below(28));
                    format!("20{:02}-{month:02}-{day:02}", random.below(24)).into()
                });
                self.answer("date_as_string", table, &field);
            }
            2 => {
                let word = self
                    .random
                    .of(&["price", "net amount", "fare", "toll", "bounty"])
                    .to_owned();
                let field = self.style(&word);
                self.set(table, &field, |random, _| {
                    Bson::Double((100 + random.below(90_000)) as f64 / 100.0)
                });
                self.answer("money_as_float", table, &field);
            }
            3 => {
                let field = self.style("floor number");
                self.set(table, &field, |random, _| match random.percent(dirt) {
                    true => random.word().into(),
                    false => Bson::Int32(random.below(500) as i32),
                });
                self.answer("mixed_types", table, &field);
            }
            4 => {
                self.set(table, "height", |random, _| match random.percent(dirt) {
                    true => Bson::Int32(random.below(90) as i32),
                    false => Bson::Double(random.below(9_000) as f64 / 7.0),
                });
                self.answer("mixed_widths", table, "height");
            }
            5 => {
                self.set(table, "readings", |random, _| {
                    let mut map = doc! {};
                    for _ in 0..1 + random.below(6) {
                        let key = format!("20{:02}-{:02}", random.below(24), 1 + random.below(12));
                        map.insert(key, random.below(900) as i32);
                    }
                    map.into()
                });
                self.answer("map", table, "readings");
            }
            _ => {
                self.set(table, "tags", |random, _| match random.percent(dirt) {
                    true => Bson::Null,
                    false => (0..random.below(4))
                        .map(|_| random.word())
                        .collect::<Vec<_>>()
                        .into(),
                });
                self.answer("null_array", table, "tags");
            }
        }
    }

    /// Few values, some of them rare; perhaps with values that are none of them.
    fn strings(&mut self, table: usize) {
        let field = self.style(&format!("{} class", self.tables[table].noun));
        let first = self.random.below(VALUES.len() - 5);
        let values = &VALUES[first..first + 2 + self.random.below(4)];
        let dirt = self.dirt();
        self.set(table, &field, |random, _| {
            if random.percent(dirt) {
                return random.word().into();
            }
            // The first is the most usual.
            let n = random
                .below(values.len())
                .min(random.below(values.len() + 2));
            values[n].into()
        });
        let kind = if dirt == 0 { "enum" } else { "nearly_enum" };
        self.answer(kind, table, &field);
    }

    /// Fields that look like relations, and are none.
    fn decoys(&mut self, table: usize) {
        self.set(table, "rank", |random, _| {
            Bson::Int32(1 + random.below(9) as i32)
        });
        let trace = self.style("trace id");
        self.set(table, &trace, |_, _| ObjectId::new().into());
        self.set(table, "remark", |random, _| random.word().into());
        let total = self.style("total seen");
        self.set(table, &total, |random, _| {
            Bson::Int32(random.below(12) as i32)
        });
    }

    /// A reference from one table to another, perhaps with a copy, a count, and a list of the newest.
    fn relation(&mut self, table: usize, target: usize) {
        let noun = self.tables[target].noun;
        let (ids, titles) = (
            self.tables[target].ids.clone(),
            self.tables[target].titles.clone(),
        );
        let role = self.random.of(&ROLES).to_owned();
        // Numbers and codes under the name of a role are not told from other numbers.
        let words = match (self.random.below(3), self.tables[target].form) {
            (0, Ids::ObjectId) => role,
            (1, _) => noun.to_owned(),
            _ => format!("{noun} id"),
        };
        let field = self.style(&words);
        let (dangling, stale, wrong) = (self.dirt(), self.dirt(), self.dirt());
        let form = self.tables[target].form;
        let mut chosen = Vec::new();
        self.set(table, &field, |random, _| {
            let n = random.below(ids.len());
            chosen.push(Some(n).filter(|_| !random.percent(dangling)));
            match (chosen.last(), form) {
                (Some(Some(n)), _) => ids[*n].clone(),
                (_, Ids::ObjectId) => ObjectId::new().into(),
                (_, Ids::Number) => Bson::Int32(90_000 + n as i32),
                (_, Ids::Code) => format!("ZZ-{n}").into(),
            }
        });
        self.answer("reference", table, &field);
        if chosen.iter().any(Option::is_none) {
            self.answer("dangling", table, &field);
        }
        if self.random.percent(60) {
            let title = self.tables[target].title.clone();
            let copy = self.style(&format!("{noun} {title}"));
            let mut differs = false;
            self.set(table, &copy, |random, n| match chosen[n] {
                Some(at) if !random.percent(stale) => titles[at].clone().into(),
                Some(_) => {
                    differs = true;
                    random.word().into()
                }
                None => random.word().into(),
            });
            self.answer("copy", table, &copy);
            if differs {
                self.answer("stale", table, &copy);
            }
        }
        if self.random.percent(60) {
            let count = self.style(&format!("number of {}s", self.tables[table].noun));
            let mut differs = false;
            self.set(target, &count, |random, n| {
                let own = chosen.iter().filter(|at| **at == Some(n)).count() as i32;
                let off = i32::from(random.percent(wrong));
                differs |= off > 0;
                Bson::Int32(own + off)
            });
            self.answer("count", target, &count);
            if differs {
                self.answer("wrong_count", target, &count);
            }
        }
        if self.random.percent(50) {
            self.newest(table, target, &chosen);
        }
    }

    /// A list of the newest children in the target.
    fn newest(&mut self, table: usize, target: usize, chosen: &[Option<usize>]) {
        let field = self.style(&format!("latest {}s", self.tables[table].noun));
        let at = self.style("stored at");
        let dirt = self.dirt().min(15);
        self.set(table, &at, |random, _| {
            DateTime::from_millis(1_650_000_000_000 + random.below(2_000_000_000) as i64 * 37)
                .into()
        });
        let children: Vec<(usize, Document)> = chosen
            .iter()
            .zip(&self.tables[table].documents)
            .filter_map(|(parent, child)| Some(((*parent)?, child.clone())))
            .collect();
        let max = 2;
        self.set(target, &field, |random, n| {
            let own = children.iter().filter(|(parent, _)| *parent == n);
            let mut own: Vec<&Document> = own.map(|(_, child)| child).collect();
            own.sort_by_key(|child| std::cmp::Reverse(*child.get_datetime(&at).expect("a date")));
            let skipped = usize::from(random.percent(dirt));
            let shown = own.into_iter().skip(skipped).take(max);
            let shown = shown.map(
                |child| doc! { "id": child["_id"].clone(), "remark": child["remark"].clone() },
            );
            shown.collect::<Vec<_>>().into()
        });
        self.answer("recent", target, &field);
    }

    /// An array of references.
    fn many(&mut self, table: usize, target: usize) {
        let field = self.style(&format!("{} ids", self.tables[target].noun));
        let ids = self.tables[target].ids.clone();
        self.set(table, &field, |random, _| {
            let some = (0..random.below(5)).map(|_| ids[random.below(ids.len())].clone());
            Bson::Array(some.collect())
        });
        self.answer("reference", table, &field);
    }
}

/// Fills a database with what a seed gives, and returns the answers.
pub(super) async fn fill(db: &Database, seed: u64) -> Vec<String> {
    let (tables, answers) = Generator::new(seed).draw();
    for (name, documents) in tables {
        let stored = db.collection::<Document>(&name);
        stored.insert_many(documents).await.expect("stored");
    }
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn generated_databases_are_understood_well() {
    let mut all = Scores::default();
    for seed in SEEDS {
        let place = Place::new(&format!("generated_{seed}")).await;
        let answers = fill(&place.db, seed).await;
        let out = folder(&format!("generated-{seed}"));
        let ran = pull(&place, out.to_str().expect("a path"), &["--json"]);
        all.add(compare_kinds(&ran.json(), &answers, &KINDS));
    }
    all.print();
    let (right, wrong, missed) = (all.right(), all.wrong(), all.missed());
    let (precision, recall) = (part(right, wrong), part(right, missed));
    assert!(precision >= 0.9 && recall >= 0.9, "{precision} {recall}");
}
