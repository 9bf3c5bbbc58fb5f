//! Songs and their ratings: lists and numbers through every life of a child.

use bson::doc;
use bson::oid::ObjectId;
use mongo_model::denorm::Defect;
use mongo_model::{Id, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rate_songs")]
pub(crate) struct Song {
    #[serde(rename = "_id")]
    id: Id<Song, i64>,
    #[recent(Rating, max = 10, sort = time, fields(note))]
    notes: Vec<SongNote>,
    #[count(Rating)]
    ratings: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rate_ratings")]
pub(crate) struct Rating {
    #[serde(rename = "_id")]
    id: Id<Rating, i64>,
    #[parent(Song, unchecked)]
    song: Option<Id<Song, i64>>,
    time: i64,
    note: i64,
}

/// Refers to a song that knows nothing of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rate_plays")]
pub(crate) struct Play {
    #[serde(rename = "_id")]
    id: Id<Play, i64>,
    #[parent(Song, unchecked)]
    song: Id<Song, i64>,
}

fn song(n: i64) -> Song {
    Song {
        id: Id::from_raw(n),
        notes: Vec::new(),
        ratings: 0,
    }
}

fn rating(n: i64, song: Option<i64>, note: i64) -> Rating {
    Rating {
        id: Id::from_raw(n),
        song: song.map(Id::from_raw),
        time: n,
        note,
    }
}

async fn start(bench: &Bench) {
    bench
        .index(&[Song::meta(), Rating::meta(), Play::meta()])
        .await;
    Song::insert_many(&bench.db, &[song(1), song(2)])
        .await
        .expect("stored");
    bench.forget();
}

/// Nothing is flagged; tokens of what was counted are taken off first.
async fn at_rest(bench: &Bench) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
}

/// The notes of a song, of which there are as many as it says.
async fn notes(bench: &Bench, n: i64) -> Vec<i64> {
    let song = Song::get(&bench.db, Id::from_raw(n)).await.expect("read");
    let song = song.expect("stored");
    let notes: Vec<i64> = song.notes.iter().map(|rating| rating.note).collect();
    assert_eq!(i64::try_from(notes.len()).ok(), Some(song.ratings));
    let found = Rating::count(&bench.db, |r| r.song.eq(song.id)).await;
    assert_eq!(
        i64::try_from(found.expect("counted")).ok(),
        Some(song.ratings)
    );
    bench.forget();
    notes
}

// The second of two equal notes changes.
#[tokio::test]
async fn a_changed_rating_changes_its_own_note() {
    on_both("rate_change", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let set = async |n: i64, note: i64| {
            let change = Rating::update(db, Id::from_raw(n)).set(|r| r.note, note);
            change.await.expect("changed");
        };
        Rating::insert(db, &rating(1, Some(1), 5))
            .await
            .expect("stored");
        assert_eq!(notes(bench, 1).await, [5]);
        set(1, 4).await;
        assert_eq!(notes(bench, 1).await, [4]);
        set(1, 5).await;
        Rating::insert(db, &rating(2, Some(1), 5))
            .await
            .expect("stored");
        assert_eq!(notes(bench, 1).await, [5, 5]);
        set(2, 4).await;
        assert_eq!(notes(bench, 1).await, [5, 4]);
        set(2, 3).await;
        assert_eq!(notes(bench, 1).await, [5, 3]);
        assert_eq!(notes(bench, 2).await, [0_i64; 0]);
        at_rest(bench).await;
    })
    .await;
}

// B45, B46: ratings that go and that move; an entry that leaves a list with room leaves no mark behind.
#[tokio::test]
async fn ratings_go_and_move() {
    on_both("rate_go", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let five: Vec<Rating> = (1..=5).map(|n| rating(n, Some(1), n)).collect();
        Rating::insert_many(db, &five).await.expect("stored");
        assert_eq!(notes(bench, 1).await, [1, 2, 3, 4, 5]);
        for n in [2, 5] {
            Rating::delete(db, Id::from_raw(n)).await.expect("deleted");
        }
        assert_eq!(notes(bench, 1).await, [1, 3, 4]);
        let moved = Rating::update(db, Id::from_raw(3)).set(|r| r.song, Id::from_raw(2));
        moved.await.expect("moved");
        assert_eq!(notes(bench, 1).await, [1, 4]);
        assert_eq!(notes(bench, 2).await, [3]);
        let marked = bench.raw("rate_songs");
        let marked = marked.count_documents(doc! { "_dn.v": { "$exists": true } });
        assert_eq!(marked.await.expect("counted"), 0);
        Rating::delete_many(db, |r| r.song.eq(Id::from_raw(1)))
            .await
            .expect("deleted");
        assert_eq!(notes(bench, 1).await, [0_i64; 0]);
        at_rest(bench).await;
    })
    .await;
}

// B49, C05: a child without a parent, or of a song without derived data of it, is one command.
#[tokio::test]
async fn who_belongs_to_nobody_changes_nobody() {
    on_both("rate_nobody", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let song = Id::from_raw(1);
        Rating::insert(db, &rating(1, None, 5))
            .await
            .expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        let id = Id::from_raw(1);
        Play::insert(db, &Play { id, song }).await.expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        assert_eq!(notes(bench, 1).await, [0_i64; 0]);
        at_rest(bench).await;
    })
    .await;
}

// A47, A49, A50: counts of children by parent, without reading a child; a parent without children has 0, and is not left out.
#[tokio::test]
async fn children_are_counted_without_being_read() {
    on_both("rate_count", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let all = [
            rating(1, Some(1), 1),
            rating(2, Some(1), 2),
            rating(3, Some(2), 3),
            rating(4, None, 4),
        ];
        Rating::insert_many(db, &all).await.expect("stored");
        bench.forget();
        for (n, count) in [(1, 2), (2, 1), (3, 0)] {
            let found = Rating::count(db, |r| r.song.eq(Id::from_raw(n))).await;
            assert_eq!(found.expect("counted"), count);
        }
        assert_eq!(bench.sent(), ["aggregate", "aggregate", "aggregate"]);
        for (n, left) in [(3, [2, 0]), (1, [1, 0]), (2, [0, 0])] {
            Rating::delete(db, Id::from_raw(n)).await.expect("deleted");
            let songs = [notes(bench, 1).await.len(), notes(bench, 2).await.len()];
            assert_eq!(songs, left);
        }
        at_rest(bench).await;
    })
    .await;
}

/// One of each way to store a song.
async fn store(bench: &Bench, how: &str, n: i64) {
    let db = &bench.db;
    match how {
        "insert" => drop(Song::insert(db, &song(n)).await.expect("stored")),
        "insert_many" => {
            let songs = [song(n), song(n + 1_000)];
            drop(Song::insert_many(db, &songs).await.expect("stored"));
        }
        _ => drop(song(n).save(db).await.expect("stored")),
    }
}

// A song that comes after its ratings has them.
#[tokio::test]
async fn a_song_comes_after_its_ratings() {
    on_both("rate_late", async |bench| {
        start(bench).await;
        let db = &bench.db;
        for (n, how) in (3..).zip(["insert", "insert_many", "save"]) {
            for (child, note) in [(n * 10, 5), (n * 10 + 1, 3)] {
                let rating = rating(child, Some(n), note);
                Rating::insert(db, &rating).await.expect("stored");
            }
            store(bench, how, n).await;
            assert_eq!(notes(bench, n).await, [5, 3], "{how}");
            let new = rating(n * 10 + 2, Some(n), 4);
            Rating::insert(db, &new).await.expect("stored");
            assert_eq!(notes(bench, n).await, [5, 3, 4], "{how}");
            at_rest(bench).await;
        }
        assert!(notes(bench, 1_004).await.is_empty());
        at_rest(bench).await;
    })
    .await;
}

// The same under a key that another song had, whose ratings stayed when it went.
#[tokio::test]
async fn a_song_comes_again_under_its_key() {
    on_both("rate_again", async |bench| {
        start(bench).await;
        let db = &bench.db;
        for n in 1..4 {
            Rating::insert(db, &rating(n, Some(1), n))
                .await
                .expect("stored");
        }
        for how in ["insert", "save"] {
            Song::delete(db, Id::from_raw(1))
                .without_rules()
                .await
                .expect("deleted");
            // This one propagates to no parent.
            Rating::update(db, Id::from_raw(2))
                .set(|r| r.song, Some(Id::from_raw(2)))
                .await
                .expect("moved");
            store(bench, how, 1).await;
            assert_eq!(notes(bench, 1).await, [1, 3], "{how}");
            assert_eq!(notes(bench, 2).await, [2], "{how}");
            at_rest(bench).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_new_song_asks_once_whether_it_is_expected() {
    on_both("rate_new", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Song::insert(db, &song(3)).await.expect("stored");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["insert", "find", "find", "update"]);
        for (n, key) in [(1, "song"), (2, "_dn.c.t")] {
            let plan = bench.explain(sent[n].command.clone()).await;
            plan.assert_served_by(key);
            assert_eq!(plan.documents, 0, "{plan:?}");
        }
        let songs: Vec<Song> = (10..500).map(song).collect();
        bench.forget();
        Song::insert_many(db, &songs).await.expect("stored");
        assert_eq!(bench.sent(), ["insert", "find", "find", "update"]);
        song(3).save(db).await.expect("saved");
        assert_eq!(bench.sent(), ["findAndModify"]);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_song_that_comes_in_a_transaction_has_its_ratings_after_it() {
    in_set("rate_within", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Rating::insert(db, &rating(1, Some(3), 5))
            .await
            .expect("stored");
        Rating::insert(db, &rating(2, Some(4), 2))
            .await
            .expect("stored");
        let done = mongo_model::transaction(db, async |tx| {
            Song::insert(db, &song(3)).within(tx).await?;
            song(4).save(db).within(tx).await?;
            Rating::insert(db, &rating(3, Some(3), 4))
                .within(tx)
                .await?;
            Ok(())
        });
        done.await.expect("committed");
        assert_eq!(notes(bench, 3).await, [5, 4]);
        assert_eq!(notes(bench, 4).await, [2]);
        at_rest(bench).await;
    })
    .await;
}

// If the writer stops after the insert, the rest is done later; until then `verify` reports the song as flagged.
#[tokio::test]
async fn a_song_that_was_left_alone_is_flagged() {
    on_both("rate_left", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Rating::insert(db, &rating(1, Some(3), 5))
            .await
            .expect("stored");
        let marks =
            |names: [&str; 2]| names.map(|e| doc! { "t": ObjectId::new(), "e": e, "f": true });
        let marked = doc! {
            "_id": 3_i64, "notes": [], "ratings": 0_i64,
            "_dn": {
                "v": marks(["rate_songs.notes", "rate_songs.ratings"]).to_vec(),
                "k": { "e": ObjectId::new() },
            },
        };
        bench.seed("rate_songs", [marked]).await;
        let found = verify(db).await.expect("verified");
        let flagged = |edge: &str, kind| {
            let edge = found.reference(edge).expect("looked at");
            (edge.defects(), edge.flagged(kind))
        };
        assert_eq!(
            flagged("rate_songs.notes", Defect::Missing),
            (0, 1),
            "{found}"
        );
        assert_eq!(
            flagged("rate_songs.ratings", Defect::Stale),
            (0, 1),
            "{found}"
        );
        recover(db).await.expect("recovered");
        assert_eq!(notes(bench, 3).await, [5]);
        at_rest(bench).await;
    })
    .await;
}
