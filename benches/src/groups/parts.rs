//! Texts that are found by their parts, beside a collection scan with a regular expression, and beside a driver that stores the same parts.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use futures::{FutureExt, TryStreamExt};
use mongo_model::{Database, Id, MongoModel, sync_indexes};
use mongo_model_dev_server::Topology;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::Context;
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "part_titles")]
struct Title {
    #[serde(rename = "_id")]
    id: Id<Title, i64>,
    #[index(contains)]
    #[model(max_len = 200)]
    text: String,
}

/// The letters of which the words of five scripts are made: consonants and vowels in turn; without vowels, signs.
const SCRIPTS: [(&str, &str); 5] = [
    ("bcdfghjklmnprstvz", "aeiouyáö"),
    ("бвгджзклмнпрстфхцчш", "аеиоуыюя"),
    ("βγδζθκλμνξπρστφχψ", "αεηιουω"),
    ("कखगघचजटडतदनपबमयरलवशसह", "ािीुूेैोौ"),
    (
        "山川大人火水木金土日本月風雨天地上下中小高安新古東西南北春夏秋冬花草石田町村車馬犬魚鳥手足目耳口心力男女子父母兄弟",
        "",
    ),
];

/// The number of words of each script.
const WORDS: f64 = 20_000.0;

/// A word: the smaller its number, the more frequent it is.
fn word(script: usize, number: usize) -> String {
    let (consonants, vowels) = SCRIPTS[script];
    let [consonants, vowels] =
        [consonants, vowels].map(|letters| letters.chars().collect::<Vec<_>>());
    let mut state = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut any = |letters: &[char]| {
        state ^= state >> 29;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        letters
            .get((state >> 33) as usize % letters.len().max(1))
            .copied()
    };
    let syllables = 3 + number % 2;
    let pairs = (0..syllables).flat_map(|_| [any(&consonants), any(&vowels)]);
    pairs.flatten().collect()
}

/// The title with this number.
fn title(number: usize) -> String {
    let script = number % SCRIPTS.len();
    let mut state = number as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut words = Vec::new();
    for _ in 0..5 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 40) as f64 / f64::from(1 << 24);
        // A power law.
        let rank = (WORDS.powf(uniform) - 1.0) as usize;
        words.push(word(script, rank));
    }
    words.join(" ")
}

/// The document as a program would store it by hand.
fn by_hand(number: i64, text: &str) -> Document {
    let letters: Vec<char> = text.to_lowercase().chars().collect();
    let run = |from: usize| {
        letters[from..letters.len().min(from + 7)]
            .iter()
            .collect::<String>()
    };
    let runs = (0..letters.len().saturating_sub(2)).map(run);
    let words = text
        .split(' ')
        .map(|word| format!("^{}", word.to_lowercase()));
    let parts: BTreeSet<String> = runs.chain(words).collect();
    let parts: Vec<Bson> = parts.into_iter().map(Bson::String).collect();
    doc! { "_id": number, "text": text, "_ng": { "text": parts } }
}

const SCAN: &str = "a regular expression over all";
const BY_HAND: &str = "by hand, with the same parts";
/// The searches: selective words of each script, and the first one's middle.
const RANKS: [usize; 3] = [1_000, 5_000, 15_000];

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let context = context.on(Topology::Standalone).await?;
    let db = &context.db;
    sync_indexes(db).models(&[Title::meta()]).await?;
    let all = context.size(200_000, 2_000);
    let titles: Vec<Title> = (0..all)
        .map(|number| Title {
            id: Id::from_raw(number as i64),
            text: title(number),
        })
        .collect();
    for batch in titles.chunks(10_000) {
        Title::insert_many(db, batch).await?;
    }
    let searched: Vec<String> = (0..SCRIPTS.len())
        .flat_map(|script| RANKS.map(|rank| word(script, rank)))
        .collect();
    let mut section = Section {
        name: "parts",
        ..Section::default()
    };
    let work = format!("a part of {all} titles");
    let found = context
        .race(&work, 5)
        .sends(SCAN, || scan(db.clone(), searched.clone()).boxed())
        .sends("mongo-model", || {
            search(db.clone(), searched.clone()).boxed()
        })
        .run()
        .await?;
    section.rows.push(Row::wall(
        &work,
        &found,
        "mongo-model",
        SCAN,
        Limit::AtMost(0.2),
    ));
    section.tables.push(found.table("search", Measure::Client));
    let (keys, documents) = examined(db, &searched).await?;
    let work = "index keys for each title that is found";
    section.rows.push(Row::number(
        work,
        "selective words in five scripts",
        keys / documents,
        3.0,
        "",
    ));
    section
        .rows
        .extend(writes(&context, &mut section.tables).await?);
    Ok(section)
}

async fn scan(db: Database, searched: Vec<String>) -> Result<usize> {
    let titles = db.collection::<Title>("part_titles");
    for part in &searched {
        let found = titles.find(doc! { "text": { "$regex": part, "$options": "i" } });
        let _: Vec<Title> = found.await?.try_collect().await?;
    }
    Ok(searched.len())
}

async fn search(db: Database, searched: Vec<String>) -> Result<usize> {
    for part in &searched {
        Title::find(&db, |t| t.text.contains_ci(part)).await?;
    }
    Ok(searched.len())
}

/// The index keys that the searches examine, and the documents that they find.
async fn examined(db: &Database, searched: &[String]) -> Result<(f64, f64)> {
    let (mut keys, mut documents) = (0.0, 0.0);
    for part in searched {
        let text = doc! { "$regex": part, "$options": "i" };
        let letters: Vec<char> = part.chars().collect();
        let parts = match letters.len() {
            0..7 => doc! { "$regex": format!("^{part}") },
            _ => {
                let runs = letters.windows(7).map(|run| run.iter().collect::<String>());
                doc! { "$all": runs.collect::<Vec<_>>() }
            }
        };
        let filter = doc! { "_ng.text": parts, "text": text };
        let find = doc! { "find": "part_titles", "filter": filter };
        let explained = db
            .run_command(doc! { "explain": find, "verbosity": "executionStats" })
            .await?;
        let stats = explained
            .get_document("executionStats")
            .cloned()
            .unwrap_or_default();
        let number = |key: &str| stats.get_i32(key).map_or(0.0, f64::from);
        keys += number("totalKeysExamined");
        documents += number("nReturned");
        let found = Title::find(db, |t| t.text.contains_ci(part)).await?;
        assert_eq!(found.len() as f64, number("nReturned"), "the same titles");
    }
    Ok((keys, documents))
}

async fn writes(context: &Context, tables: &mut Vec<crate::report::Table>) -> Result<Vec<Row>> {
    let db = &context.db;
    let many = context.size(2_000, 100);
    let first = std::cell::Cell::new(1_000_000_i64);
    let next = || first.replace(first.get() + many as i64);
    let mut rows = Vec::new();
    let work = format!("insert_many of {many} titles");
    let stored = context
        .race(&work, 10)
        .sends(BY_HAND, || insert_by_hand(db.clone(), next(), many).boxed())
        .sends("mongo-model", || insert(db.clone(), next(), many).boxed())
        .run()
        .await?;
    rows.push(Row::wall(
        &work,
        &stored,
        "mongo-model",
        BY_HAND,
        Limit::AtMost(1.3),
    ));
    tables.push(stored.table("title", Measure::Client));
    let changes = context.size(300, 10);
    let work = "a title changes";
    let changed = context
        .race(work, 10)
        .sends(BY_HAND, || change_by_hand(db.clone(), changes).boxed())
        .sends("mongo-model", || change(db.clone(), changes).boxed())
        .run()
        .await?;
    rows.push(Row::wall(
        work,
        &changed,
        "mongo-model",
        BY_HAND,
        Limit::AtMost(1.3),
    ));
    tables.push(changed.table("call", Measure::Client));
    Ok(rows)
}

async fn insert(db: Database, from: i64, many: usize) -> Result<usize> {
    let titles = (from..).take(many).map(|number| Title {
        id: Id::from_raw(number),
        text: title(number as usize),
    });
    let titles: Vec<Title> = titles.collect();
    Title::insert_many(&db, &titles).await?;
    Ok(many)
}

async fn insert_by_hand(db: Database, from: i64, many: usize) -> Result<usize> {
    let numbers = (from..).take(many);
    let titles: Vec<Document> = numbers
        .map(|number| by_hand(number, &title(number as usize)))
        .collect();
    db.collection::<Document>("part_titles")
        .insert_many(titles)
        .await?;
    Ok(many)
}

async fn change(db: Database, changes: usize) -> Result<usize> {
    for number in 0..changes {
        let id = Id::from_raw(number as i64);
        Title::update(&db, id)
            .set(|t| t.text, title(number + 7))
            .await?;
    }
    Ok(changes)
}

async fn change_by_hand(db: Database, changes: usize) -> Result<usize> {
    let titles = db.collection::<Document>("part_titles");
    for number in 0..changes {
        let mut to = by_hand(number as i64, &title(number + 11));
        let id = to.remove("_id").unwrap_or(Bson::Null);
        let parts = to
            .get_document("_ng")
            .ok()
            .and_then(|parts| parts.get("text").cloned());
        let set = doc! { "text": to.remove("text"), "_ng.text": parts };
        titles
            .update_one(doc! { "_id": id }, doc! { "$set": set })
            .await?;
    }
    Ok(changes)
}
