//! Texts that are found by their parts: the commands, the results beside a scan, and the parts after every kind of write.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoModel, backfill, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "part_films", patch = FilmPatch)]
struct Film {
    #[serde(rename = "_id")]
    id: i32,
    #[index(contains, min = 3)]
    #[check(len = ..=200)]
    title: String,
    #[index]
    #[index(contains, min = 2)]
    #[model(max_len = 60)]
    #[serde(skip_serializing_if = "Option::is_none")]
    aka: Option<String>,
    #[index]
    year: i32,
}

/// A model whose writes are pipelines: others copy its name, it copies another one, and it keeps a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "part_makers", history, schema_version = 2, migrate = shout, unversioned = 1)]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    #[index(contains)]
    #[model(max_len = 80)]
    name: String,
    #[parent(Maker, on_delete = unset)]
    owner: Option<Id<Maker>>,
    #[denorm(from = Maker, field = name)]
    owner_name: Option<String>,
}

fn shout(mut old: Document, _: i32) -> Document {
    let name = old
        .get_str("name")
        .map(str::to_uppercase)
        .unwrap_or_default();
    old.insert("name", name);
    old
}

const TITLES: &[&str] = &[
    "Aïda, Act 2",
    "The Odyssey",
    "ODYSSEUS comes home",
    "Ulysses",
    "It",
    "ΟΔΥΣΣΕΙΑ",
    "Οδύσσεια",
    "七人の侍",
    "七人",
    "Броненосец «Потёмкин»",
    "броненосец",
    "नमस्ते लंदन",
    "Straße nach Süden",
    "STRASSE",
    "a^b (draft) [1]",
    "dot.dot",
    "dotXdot",
    "İstanbul",
    "ISTANBUL",
    "ıslak",
    "Don Giovanni",
    "Giovanni di Marco",
    "x\0y zero",
    "ſpät und spät",
    "K is the Kelvin sign",
    "k is a letter",
    "",
];

fn film(id: i32, title: &str) -> Film {
    Film {
        id,
        title: title.to_owned(),
        aka: (id % 3 == 0).then(|| format!("aka {title}")),
        year: 1950 + id,
    }
}

async fn films(bench: &Bench) {
    bench.index(&[Film::meta()]).await;
    let all: Vec<Film> = (0..)
        .zip(TITLES)
        .map(|(id, title)| film(id, title))
        .collect();
    Film::insert_many(&bench.db, &all).await.expect("inserted");
    bench.forget();
}

fn ids(found: &[Film]) -> Vec<i32> {
    let mut ids: Vec<i32> = found.iter().map(|film| film.id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn a_part_finds_what_a_scan_finds() {
    on_both("parts", async |bench| {
        films(bench).await;
        let db = &bench.db;
        let mut found_some = 0;
        for title in TITLES {
            let letters: Vec<char> = title.chars().collect();
            for (from, to) in [(0, 3), (1, 5), (2, 9), (0, letters.len())] {
                let (from, to) = (from.min(letters.len()), to.min(letters.len()));
                let part: String = letters[from..to].iter().collect();
                if part.chars().count() < 3 {
                    continue;
                }
                let pattern: String = part
                    .chars()
                    .map(|c| match c {
                        '\0' => "\\x00".to_owned(),
                        c if c.is_ascii_punctuation() => format!("\\{c}"),
                        c => c.to_string(),
                    })
                    .collect();
                let scan = doc! { "title": { "$regex": pattern, "$options": "i" } };
                let scanned = db
                    .collection::<Film>("part_films")
                    .find(scan)
                    .await
                    .expect("asked");
                let scanned: Vec<Film> = scanned.try_collect().await.expect("scanned");
                bench.forget();
                let found = Film::find(db, |f| f.title.contains_ci(&part))
                    .await
                    .expect("found");
                assert_eq!(ids(&found), ids(&scanned), "{part:?}");
                found_some += found.len();
                bench
                    .explain(bench.only())
                    .await
                    .assert_served_by("_ng.title");
            }
        }
        assert!(found_some > TITLES.len() * 3, "{found_some}");
        let found = Film::find(db, |f| f.title.contains_ci("odyss"))
            .await
            .expect("found");
        assert_eq!(ids(&found), [1, 2]);
        let found = Film::find(db, |f| f.aka.contains_ci("七人").and(f.year.gt(1950))).await;
        assert!(found.expect("found").is_empty());
        let count = Film::count(db, |f| {
            f.title.contains_ci("BRO").or(f.title.contains_ci("брон"))
        })
        .await;
        assert_eq!(count.expect("counted"), 2);
    })
    .await;
}

#[tokio::test]
async fn words_are_found_by_their_beginnings() {
    alone("parts_words", async |bench| {
        films(bench).await;
        let db = &bench.db;
        for (words, want) in [
            ("gio", vec![20, 21]),
            ("MAR giovanni", vec![21]),
            ("don d", vec![20]),
            ("don x", vec![]),
            ("i", vec![4, 17, 18, 24, 25].into_iter().filter(|id| *id != 17).collect()),
            ("потём", vec![9]),
            ("2", vec![0]),
            ("b", vec![14]),
        ] {
            let found = Film::find(db, |f| f.title.has_words_ci(words)).await.expect("found");
            assert_eq!(ids(&found), want, "{words}");
            bench.explain(bench.only()).await.assert_served_by("_ng.title");
        }
        // The document with most of the words comes first.
        let any = || Film::find(db, |f| f.title.has_any_word_ci("marco gio di"));
        assert_eq!(ids(&any().await.expect("found")), [20, 21]);
        bench
            .explain(bench.only())
            .await
            .assert_served_by("_ng.title");
        let ranked = any().most_words_first(|f| f.title, "marco gio di").await;
        let ranked: Vec<(i32, u64)> = ranked
            .expect("found")
            .iter()
            .map(|film| (film.document.id, film.words))
            .collect();
        assert_eq!(ranked, [(21, 3), (20, 1)]);
        bench.only();
        let first = any().limit(1).most_words_first(|f| f.title, "don");
        assert_eq!(first.await.expect("found")[0].document.id, 20);
        bench.forget();
        for short in ["", "ab"] {
            let refused = Film::find(db, |f| f.title.contains_ci(short)).await;
            let given = short.len();
            assert!(
                matches!(&refused, Err(Error::PartTooShort { field, given: n, least: 3 }) if field == "Film.title" && *n == given),
                "{refused:?}"
            );
        }
        let refused = Film::find(db, |f| f.title.has_words_ci("?!")).await;
        assert!(matches!(refused, Err(Error::PartTooShort { least: 1, .. })));
        assert!(bench.sent().is_empty(), "nothing is sent");
        // Two letters are enough where the index says so.
        let found = Film::find(db, |f| f.aka.contains_ci("七人")).await.expect("found");
        assert_eq!(ids(&found), Vec::<i32>::new());
        let found = Film::find(db, |f| f.aka.contains_ci("AK")).await.expect("found");
        assert_eq!(found.len(), TITLES.len().div_ceil(3));
    })
    .await;
}

async fn stored(bench: &Bench, collection: &str) -> Vec<Document> {
    let collection = bench.db.collection::<Document>(collection);
    collection
        .find(doc! {})
        .await
        .expect("asked")
        .try_collect()
        .await
        .expect("read")
}

/// Every document has the parts of its texts, and nothing is wrong to `verify`.
async fn assert_kept(bench: &Bench, what: &str) {
    let found = verify(&bench.db).await.expect("verified");
    assert!(found.is_settled(), "{what}: {found}");
    for document in stored(bench, "part_films")
        .await
        .into_iter()
        .chain(stored(bench, "part_makers").await)
    {
        let parts = document.get_document("_ng").expect("parts");
        for field in ["title", "aka", "name"] {
            let is_text = document.get_str(field).is_ok();
            assert_eq!(parts.contains_key(field), is_text, "{what}: {document}");
        }
    }
}

#[tokio::test]
async fn every_write_of_a_text_stores_its_parts() {
    on_both("parts_written", async |bench| {
        bench.index(&[Film::meta(), Maker::meta()]).await;
        let db = &bench.db;
        let one = film(3, "The Odyssey");
        Film::insert(db, &one).await.expect("inserted");
        assert_kept(bench, "insert").await;
        Film::update(db, 3)
            .set(|f| f.title, "Ulysses")
            .await
            .expect("updated");
        assert_kept(bench, "set").await;
        let found = Film::find(db, |f| f.title.contains_ci("ULY"))
            .await
            .expect("found");
        assert_eq!(ids(&found), [3]);
        let found = Film::find(db, |f| f.title.contains_ci("odyss"))
            .await
            .expect("found");
        assert!(found.is_empty());
        Film::update(db, 3)
            .set(|f| f.aka, None)
            .await
            .expect("updated");
        assert_kept(bench, "set none").await;
        Film::update_many(db, |f| f.year.gt(0))
            .set(|f| f.aka, "Bloom's day")
            .await
            .expect("updated");
        assert_kept(bench, "update_many").await;
        Film::update(db, 3).unset(|f| f.aka).await.expect("updated");
        assert_kept(bench, "unset").await;
        film(3, "Ulisse").save(db).await.expect("saved");
        film(4, "New").save(db).await.expect("saved");
        assert_kept(bench, "save").await;
        let found = Film::find(db, |f| f.title.contains_ci("uliss"))
            .await
            .expect("found");
        assert_eq!(ids(&found), [3]);

        let other = film(5, "By upsert");
        Film::upsert(db, &other).await.expect("stored");
        assert_kept(bench, "upsert").await;

        Film::update(db, 5)
            .patch(FilmPatch {
                title: Some("By patch".to_owned()),
                ..FilmPatch::default()
            })
            .await
            .expect("updated");
        assert_kept(bench, "patch").await;
        let found = Film::find(db, |f| f.title.contains_ci("Y PATCH"))
            .await
            .expect("found");
        assert_eq!(ids(&found), [5]);

        let owner = Maker {
            id: Id::new(),
            name: "Cinecittà".to_owned(),
            owner: None,
            owner_name: None,
        };
        let maker = Maker {
            id: Id::new(),
            name: "Titanus".to_owned(),
            owner: Some(owner.id),
            owner_name: None,
        };
        Maker::insert(db, &owner).await.expect("inserted");
        Maker::insert(db, &maker).await.expect("inserted");
        assert_kept(bench, "insert with copies").await;
        Maker::update(db, owner.id)
            .set(|m| m.name, "Cinecittà Studios")
            .await
            .expect("updated");
        assert_kept(bench, "update that propagates").await;
        let found = Maker::find(db, |m| m.name.has_words_ci("cine stu"))
            .await
            .expect("found");
        assert_eq!(found.len(), 1);
        let saved = Maker {
            name: "Titanus S.p.A.".to_owned(),
            ..maker.clone()
        };
        saved.save(db).await.expect("saved");
        let without = Maker {
            name: "Titanus".to_owned(),
            owner: None,
            ..maker.clone()
        };
        without.save(db).await.expect("saved");
        assert_kept(bench, "saves with copies").await;
        Maker::update_many(db, |m| m.id.is_in([owner.id, maker.id]))
            .set(|m| m.name, "Both")
            .await
            .expect("updated");
        assert_kept(bench, "update_many that propagates").await;
        let history = Maker::history(db, maker.id)
            .entries(None)
            .await
            .expect("read");
        assert!(history.len() > 3, "{history:?}");
        for entry in &history {
            assert!(
                !entry
                    .changes
                    .iter()
                    .any(|change| change.path.starts_with("_ng")),
                "{entry:?}"
            );
        }
        // A document of an older version.
        let old = doc! { "_id": bson::oid::ObjectId::new(), "name": "lux" };
        db.collection::<Document>("part_makers")
            .insert_one(old)
            .await
            .expect("inserted");
        Maker::migrate(db).await.expect("migrated");
        let found = Maker::find(db, |m| m.name.contains_ci("lux"))
            .await
            .expect("found");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "LUX");
    })
    .await;
}

#[tokio::test]
async fn parts_of_other_programs_are_verified_and_repaired() {
    alone("parts_repaired", async |bench| {
        films(bench).await;
        let db = &bench.db;
        let raw = db.collection::<Document>("part_films");
        raw.update_one(doc! { "_id": 1 }, doc! { "$set": { "title": "The Iliad" } })
            .await
            .expect("updated");
        raw.update_one(doc! { "_id": 3 }, doc! { "$unset": { "_ng": "" } })
            .await
            .expect("updated");
        raw.update_one(doc! { "_id": 6 }, doc! { "$unset": { "aka": "" } })
            .await
            .expect("updated");
        let found = verify(db).await.expect("verified");
        let report = found.reference("part_films._ng.title").expect("compared");
        assert_eq!(report.count(Defect::Stale), 2, "{found}");
        let aka = found.reference("part_films._ng.aka").expect("compared");
        assert_eq!(aka.count(Defect::Stale), 2, "{found}");
        let all: Vec<_> = verify(db).stream().try_collect().await.expect("compared");
        assert_eq!(all.len(), 4);
        let repaired = repair(db).await.expect("repaired");
        assert_eq!(repaired.documents, 3, "{repaired}");
        assert_kept(bench, "repair").await;
        assert!(repair(db).await.expect("repaired").is_idle());
        // Documents that are older than the index.
        raw.update_many(doc! {}, doc! { "$unset": { "_ng": "" } })
            .await
            .expect("updated");
        let filled = backfill(db).await.expect("filled");
        assert_eq!(filled.changed, TITLES.len() as u64, "{filled:?}");
        assert_kept(bench, "backfill").await;
        assert!(backfill(db).await.expect("filled").is_idle());
    })
    .await;
}

/// Letters that the server's patterns take for the same are found alike.
#[tokio::test]
async fn all_letters_are_folded_as_the_server_compares_them() {
    alone("parts_letters", async |bench| {
        let db = &bench.db;
        bench.index(&[Film::meta()]).await;
        let cased = |c: &char| {
            !c.is_ascii_punctuation() && (c.to_lowercase().ne([*c]) || c.to_uppercase().ne([*c]))
        };
        let letters: Vec<char> = ('\0'..='\u{1ffff}').filter(cased).collect();
        let all: Vec<Film> = letters
            .iter()
            .map(|letter| Film {
                id: i32::try_from(u32::from(*letter)).expect("a letter"),
                title: format!("..{letter}"),
                aka: None,
                year: 0,
            })
            .collect();
        Film::insert_many(db, &all).await.expect("inserted");
        let mut pairs = 0;
        for chunk in letters.chunks(200) {
            let any: Vec<Bson> = chunk
                .iter()
                .map(|letter| {
                    doc! { "title": { "$regex": format!("^\\.\\.{letter}$"), "$options": "i" } }
                        .into()
                })
                .collect();
            let scanned: Vec<Film> = db
                .collection::<Film>("part_films")
                .find(doc! { "$or": any })
                .await
                .expect("asked")
                .try_collect()
                .await
                .expect("read");
            let mut want = ids(&scanned);
            let mut have = Vec::new();
            for letter in chunk {
                let found = Film::find(db, |f| f.title.contains_ci(&format!("..{letter}")))
                    .await
                    .expect("found");
                have.extend(ids(&found));
            }
            have.sort_unstable();
            have.dedup();
            want.dedup();
            pairs += want.len();
            assert_eq!(have, want);
        }
        assert!(pairs > letters.len());
    })
    .await;
}

/// The parts count in the size of the largest document.
#[tokio::test]
async fn the_largest_document_has_the_parts_of_the_longest_texts() {
    alone("parts_size", async |bench| {
        bench.index(&[Film::meta()]).await;
        let letters: Vec<char> = ('\u{20000}'..).take(200).collect();
        let words = letters.iter().flat_map(|letter| [*letter, ' ']);
        for (id, title) in [
            (1, letters.iter().collect::<String>()),
            (2, words.take(200).collect()),
        ] {
            let film = Film {
                id,
                aka: Some(title.chars().take(60).collect()),
                title,
                year: 2000,
            };
            Film::insert(&bench.db, &film).await.expect("inserted");
            let document = bench.stored("part_films", id).await;
            let size = bson::serialize_to_vec(&document).expect("encodes").len() as u64;
            let most = Film::meta().size.most;
            assert!((size..size * 4).contains(&most), "{size} of {most}");
        }
    })
    .await;
}
