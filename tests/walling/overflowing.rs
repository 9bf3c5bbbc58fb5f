//! Arrays that overflow into buckets of the same tenant: random calls of two tenants on each other's documents, each confined.

use std::collections::BTreeMap;

use bson::Bson;
use mongo_model::{BucketId, Error, Id, MongoEmbed, MongoModel, Tenants, verify};
use serde::{Deserialize, Serialize};

use super::proof::{assert_walled, open_filters};
use super::random::Random;
use super::{Org, org, tenant};
use crate::common::{Bench, alone, on_both};

/// The number of calls that the test makes on each server.
const CALLS: u32 = 250;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "albums", tenant = org)]
pub(crate) struct Album {
    #[serde(rename = "_id")]
    id: Id<Album>,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[embed(max = 3, overflow = MoreSongs)]
    songs: Vec<Song>,
    has_extras: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Song {
    id: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "more_songs", tenant = org, bucket(songs))]
pub(crate) struct MoreSongs {
    #[serde(rename = "_id")]
    id: BucketId<Album>,
    org: Id<Org>,
    #[parent(Album, on_delete = cascade)]
    album: Id<Album>,
    count: i64,
    #[embed(max = 4)]
    songs: Vec<Song>,
}

/// Indexes, and two albums of each of two tenants.
async fn prepare(bench: &Bench) -> Vec<(u8, Id<Album>)> {
    bench.index(&[Album::meta(), MoreSongs::meta()]).await;
    let mut albums = Vec::new();
    for of in [1, 2, 1, 2] {
        let album = Album {
            id: Id::new(),
            org: org(of),
            songs: Vec::new(),
            has_extras: false,
        };
        let db = tenant(bench, of);
        Album::insert(&db, &album).await.expect("stored");
        albums.push((of, album.id));
    }
    bench.forget();
    albums
}

/// Before the first bucket is opened, the album that was found in the tenant is read again durably.
#[track_caller]
fn assert_confined(bench: &Bench, of: u8) -> usize {
    let (seen, open) = open_filters(&bench.take(), &Bson::from(org(of)));
    let mut open = open.iter();
    assert!(
        open.all(|shape| shape == "findAndModify albums: _id"),
        "{seen:?}"
    );
    seen.len()
}

#[tokio::test]
async fn every_command_of_an_array_that_overflows_has_the_tenant() {
    on_both("wall_overflow", async |bench| {
        let albums = prepare(bench).await;
        let mut random = Random(20_261_128);
        let mut songs: BTreeMap<(u8, Id<Album>), Vec<i64>> = BTreeMap::new();
        let mut looked_at = 0;
        for _ in 0..CALLS {
            let (of, db) = match random.below(2) {
                0 => (1, tenant(bench, 1)),
                _ => (2, tenant(bench, 2)),
            };
            let (owner, id) = random.of(&albums).expect("an album");
            let own = songs.entry((owner, id)).or_default();
            let song = i64::try_from(random.below(14)).expect("small");
            match random.below(5) {
                0..=2 => {
                    let pushed = Album::push_song(&db, id, Song { id: song }).await;
                    match pushed {
                        Ok(placed) => {
                            assert_eq!(placed.added, !own.contains(&song));
                            own.extend(placed.added.then_some(song));
                        }
                        Err(Error::NotFound { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                3 => {
                    let removed = Album::remove_song(&db, id, &song).await.expect("sent");
                    let was_there = own.contains(&song) && owner == of;
                    assert_eq!(removed.removed, was_there);
                    own.retain(|one| owner != of || *one != song);
                }
                _ => {
                    let album = Album::get(&tenant(bench, owner), id).await.expect("read");
                    let album = album.expect("stored");
                    bench.forget();
                    let inside = album.songs.len();
                    let all = Album::all_songs(&db, &album).await.expect("read");
                    let mut all: Vec<i64> = all.iter().map(|one| one.id).collect();
                    // The caller sees nothing of another tenant's album but the part that it holds itself.
                    assert!(owner == of || all.len() == inside);
                    if owner == of {
                        own.sort_unstable();
                        all.sort_unstable();
                        assert_eq!(all, *own);
                    }
                }
            }
            looked_at += assert_confined(bench, of);
        }
        assert!(looked_at > 300, "{looked_at} filters and documents");
        assert!(bench.len("more_songs").await >= 4);
        let found = verify(&bench.db).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn the_delete_of_an_album_takes_its_buckets_and_no_others() {
    alone("wall_overflow_delete", async |bench| {
        let albums = prepare(bench).await;
        for (of, album) in &albums {
            let db = tenant(bench, *of);
            for id in 0..6 {
                let pushed = Album::push_song(&db, *album, Song { id }).await;
                assert_eq!(pushed.expect("stored").bucket.is_some(), id >= 3);
            }
        }
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let (_, mine) = albums[0];
        bench.forget();
        let gone = Album::delete(&two, mine).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        assert!(assert_walled(&bench.take(), &Bson::from(org(2))) > 0);
        Album::delete(&one, mine).await.expect("deleted");
        assert_eq!(bench.len("more_songs").await, 3);
        let all = bench.db.across_tenants::<Id<Org>>("a test");
        let (_, theirs) = albums[1];
        let pushed = Album::push_song(&all, theirs, Song { id: 9 }).await;
        assert!(
            matches!(pushed, Err(Error::Impossible { .. })),
            "{pushed:?}"
        );
        let removed = Album::remove_song(&all, theirs, &5).await.expect("sent");
        assert!(removed.removed);
        let album = Album::get(&all, theirs)
            .await
            .expect("read")
            .expect("stored");
        let left = Album::all_songs(&all, &album).await.expect("read");
        assert_eq!(left.len(), 5);
    })
    .await;
}
