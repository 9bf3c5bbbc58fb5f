//! What the library refuses is what the server's validator refuses: random values and operators, sent by the library to one collection and by
//! the driver to a twin with the same validator.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Error, MongoEmbed, MongoModel, Outcome, Result, sync_validators, validator};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

const TWIN: &str = "checked_twins";
const STEPS: u64 = 600;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Item {
    #[check(len = 1..=2)]
    name: String,
    #[check(range = 1..=9)]
    n: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_samples")]
struct Sample {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = 0..=100)]
    percent: i32,
    #[check(range = -5..5)]
    around: i64,
    #[check(range = 10..)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    least: Option<i64>,
    #[check(range = ..=-3)]
    most: i32,
    #[check(range = 6..=6)]
    fixed: i64,
    #[check(range = 0.0..1.0)]
    ratio: f64,
    #[check(range = -1.5..=2.5)]
    signed: f64,
    #[check(finite)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[check(range = 0..10)]
    whole: f64,
    #[check(finite, range = 0.25..)]
    above: f64,
    #[check(len = 1..=3)]
    code: String,
    #[check(not_empty)]
    title: Option<String>,
    #[check(pattern = r"^[a-zä]+.?(?:\d{2}|-)$", len = ..=6)]
    slug: String,
    #[check(email)]
    mail: Option<String>,
    #[check(url)]
    link: Option<String>,
    #[check(one_of("new", ""))]
    state: String,
    #[check(one_of(-1, 0, 7))]
    step: i64,
    #[check(len = 1..=3, each(len = 1..=2, pattern = "^[^ ]*$"))]
    #[embed(max = 20)]
    tags: Vec<String>,
    #[embed(max = 2)]
    items: Vec<Item>,
}

/// A repeatable source of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<T: Clone>(&mut self, values: &[T]) -> T {
        let n = self.below(values.len() as u64);
        values[usize::try_from(n).expect("an index")].clone()
    }

    fn int(&mut self) -> i32 {
        self.of(&[
            -100, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 99, 100, 101,
        ])
    }

    fn float(&mut self) -> f64 {
        let values = [
            -2.0,
            -1.5,
            -1.0,
            -0.1,
            -0.0,
            0.0,
            0.1,
            0.2,
            0.25,
            0.3,
            0.5,
            0.7,
            0.999,
            1.0,
            2.5,
            3.0,
            9.9,
            10.0,
            1e300,
            f64::MAX,
            f64::MIN,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::EPSILON,
        ];
        self.of(&values)
    }

    fn text(&mut self) -> String {
        let values = [
            "",
            " ",
            "\u{a0}",
            "\u{2003}\n",
            "a",
            "ä",
            "a-",
            "ab12",
            "abä.33",
            "a\n-",
            "a-\n",
            "ab1",
            "new",
            "\u{10348}\u{10348}\u{10348}",
            "abcd",
            "\u{85}",
            "x y",
            "٣",
            "a٣٣",
            "zz",
            "abcdefgh-",
        ];
        self.of(&values).to_owned()
    }

    fn address(&mut self) -> String {
        let values = [
            "ann@example.com",
            "ann@localhost",
            "a.b+c@x-y.org",
            "ann@",
            "@x",
            "ann@x..y",
            "ann@-x.y",
            "ann@x.y\n",
            "änn@x.y",
            "http://x",
            "https://x.org:80/a?b#c",
            "https://ä.org/ä",
            "ftp://x",
            "http://",
            "http:///a",
            "http://x y",
            "http://x/a b",
            "http://ann@x",
            "http://x/a\n",
            "http://x\u{a0}",
            " http://x",
            "http://x/\u{2003}",
        ];
        self.of(&values).to_owned()
    }

    fn item(&mut self) -> Item {
        Item {
            name: self.text(),
            n: self.int(),
        }
    }

    fn tags(&mut self) -> Vec<String> {
        (0..self.below(5)).map(|_| self.text()).collect()
    }

    /// A right document with one random field, and sometimes another one.
    fn sample(&mut self, id: i32) -> Sample {
        let mut one = right(id);
        for _ in 0..=self.below(2) {
            match self.below(19) {
                0 => one.percent = self.int(),
                1 => one.around = self.int().into(),
                2 => one.least = Some(self.int().into()),
                3 => one.most = self.int(),
                4 => one.fixed = self.int().into(),
                5 => one.ratio = self.float(),
                6 => one.signed = self.float(),
                7 => one.weight = Some(self.float()),
                8 => one.whole = self.float(),
                9 => one.above = self.float(),
                10 => one.code = self.text(),
                11 => one.title = Some(self.text()),
                12 => one.slug = self.text(),
                13 => one.state = self.text(),
                14 => one.step = self.int().into(),
                15 => one.tags = self.tags(),
                16 => one.mail = Some(self.address()),
                17 => one.link = Some(self.address()),
                _ => one.items = (0..self.below(4)).map(|_| self.item()).collect(),
            }
        }
        one
    }
}

fn right(id: i32) -> Sample {
    Sample {
        id,
        percent: 50,
        around: 0,
        least: None,
        most: -50,
        fixed: 6,
        ratio: 0.5,
        signed: 0.1,
        weight: None,
        whole: 3.0,
        above: 1.0,
        code: "a".to_owned(),
        title: None,
        slug: "a-".to_owned(),
        mail: None,
        link: None,
        state: "new".to_owned(),
        step: 0,
        tags: vec!["a".to_owned()],
        items: vec![Item {
            name: "a".to_owned(),
            n: 5,
        }],
    }
}

/// Both did it, or both refused it.
fn agree<T: std::fmt::Debug>(what: &str, ours: Result<T>, theirs: mongodb::error::Result<u64>) {
    match (&ours, &theirs) {
        (Ok(_), Ok(_)) | (Err(Error::Invalid { .. } | Error::Full { .. }), Err(_)) => {}
        _ => panic!("{what}\nthe library: {ours:?}\nthe server: {theirs:?}"),
    }
}

async fn twin_update(bench: &Bench, id: i32, update: &Document) -> mongodb::error::Result<u64> {
    let done = bench
        .raw(TWIN)
        .update_one(doc! { "_id": id }, update.clone())
        .await;
    done.map(|done| done.matched_count)
}

async fn whole_document(bench: &Bench, random: &mut Random, id: i32) {
    let db = &bench.db;
    let sample = random.sample(id);
    let stored = bson::serialize_to_document(&sample).expect("encoded");
    let ours: Result<()> = match random.below(3) {
        0 => sample.save(db).await.map(drop),
        1 => Sample::upsert(db, &sample).await.map(drop),
        _ => Sample::insert_many(db, std::slice::from_ref(&sample))
            .await
            .map(drop),
    };
    let is_there = bench
        .raw(TWIN)
        .find_one(doc! { "_id": id })
        .await
        .expect("read")
        .is_some();
    assert!(!is_there);
    let theirs = bench.raw(TWIN).insert_one(stored).await.map(|_| 1);
    agree(&format!("{sample:?}"), ours, theirs);
}

/// One operator, by the library and as the driver sends it.
async fn operator(bench: &Bench, random: &mut Random, id: i32) {
    let update = || Sample::update(&bench.db, id);
    let (int, float, text) = (random.int(), random.float(), random.text());
    let long = i64::from(int);
    macro_rules! both {
        ($call:expr, $($update:tt)+) => {{
            let update = doc! $($update)+;
            let what = format!("{update}, of {:?}", bench.raw(TWIN).find_one(doc! { "_id": id }).await);
            let ours: Result<Outcome> = $call.await;
            agree(&what, ours, twin_update(bench, id, &update).await);
        }};
    }
    match random.below(27) {
        0 => both!(update().inc(|s| s.percent, int), { "$inc": { "percent": int } }),
        1 => both!(update().mul(|s| s.percent, int), { "$mul": { "percent": int } }),
        2 => both!(update().inc(|s| s.around, long), { "$inc": { "around": long } }),
        3 => both!(update().mul(|s| s.around, long), { "$mul": { "around": long } }),
        4 => both!(update().inc(|s| s.least, long), { "$inc": { "least": long } }),
        5 => both!(update().mul(|s| s.least, long), { "$mul": { "least": long } }),
        6 => both!(update().inc(|s| s.most, int), { "$inc": { "most": int } }),
        7 => both!(update().mul(|s| s.most, int % 3), { "$mul": { "most": int % 3 } }),
        8 => both!(update().inc(|s| s.fixed, long), { "$inc": { "fixed": long } }),
        9 => both!(update().mul(|s| s.fixed, long), { "$mul": { "fixed": long } }),
        10 => both!(update().inc(|s| s.ratio, float), { "$inc": { "ratio": float } }),
        11 => both!(update().mul(|s| s.ratio, float), { "$mul": { "ratio": float } }),
        12 => both!(update().inc(|s| s.signed, float), { "$inc": { "signed": float } }),
        13 => both!(update().mul(|s| s.signed, float), { "$mul": { "signed": float } }),
        14 => both!(update().inc(|s| s.weight, float), { "$inc": { "weight": float } }),
        15 => both!(update().mul(|s| s.weight, float), { "$mul": { "weight": float } }),
        16 => both!(update().mul(|s| s.whole, float), { "$mul": { "whole": float } }),
        17 => both!(update().set(|s| s.slug, &text), { "$set": { "slug": &text } }),
        18 => {
            both!(update().set(|s| s.title, Some(&text).cloned()), { "$set": { "title": &text } })
        }
        19 => both!(update().set(|s| s.state, &text), { "$set": { "state": &text } }),
        20 => both!(update().set(|s| s.step, long), { "$set": { "step": long } }),
        21 => both!(update().push(|s| s.tags, &text), { "$push": { "tags": &text } }),
        22 => {
            let tags = random.tags();
            both!(update().set(|s| s.tags, tags.clone()), { "$set": { "tags": tags.clone() } });
        }
        23 => {
            let item = random.item();
            let stored = bson::serialize_to_bson(&item).expect("encoded");
            both!(update().push(|s| s.items, item), { "$push": { "items": stored } });
        }
        24 => both!(update().set(|s| s.above, float), { "$set": { "above": float } }),
        25 => both!(update().inc(|s| s.above, float), { "$inc": { "above": float } }),
        _ => {
            let every = |update| async move {
                let filters = vec![doc! { "e.name": "a" }];
                let twins = bench.raw(TWIN);
                let one = twins
                    .update_one(doc! { "_id": id }, update)
                    .array_filters(filters);
                one.await.map(|done| done.matched_count)
            };
            let ours = update()
                .inc_where(|s| s.items, |i| i.name.eq("a"), |i| i.n, int)
                .await;
            let theirs = every(doc! { "$inc": { "items.$[e].n": int } }).await;
            agree(&format!("inc_where {int}"), ours, theirs);
        }
    }
}

async fn all(bench: &Bench, collection: &str) -> Vec<Document> {
    let collection = bench.raw(collection);
    let found = collection.find(doc! {}).sort(doc! { "_id": 1 });
    found
        .await
        .expect("found")
        .try_collect()
        .await
        .expect("read")
}

#[tokio::test]
async fn random_writes_are_refused_by_both_or_by_none() {
    alone("checked_agreeing", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Sample>()
            .error()
            .await
            .expect("applied");
        let schema = validator::json_schema(Sample::meta());
        let twin = doc! { "create": TWIN, "validator": { "$jsonSchema": schema } };
        db.run_command(twin).await.expect("created");
        let mut random = Random(20_260_101);
        let mut stored = 0;
        for n in 1..=STEPS {
            let id = i32::try_from(n).expect("small");
            whole_document(bench, &mut random, id).await;
            let one = bench
                .raw("checked_samples")
                .find_one(doc! { "_id": id })
                .await
                .expect("read");
            stored += u64::from(one.is_some());
            if one.is_some() {
                for _ in 0..3 {
                    operator(bench, &mut random, id).await;
                }
            }
        }
        assert!(stored > STEPS / 5 && stored < STEPS, "{stored}");
        let (ours, theirs) = (all(bench, "checked_samples").await, all(bench, TWIN).await);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(
                Bson::from(ours.clone()).to_string(),
                Bson::from(theirs.clone()).to_string()
            );
        }
        assert_eq!(ours.len(), theirs.len());
    })
    .await;
}
