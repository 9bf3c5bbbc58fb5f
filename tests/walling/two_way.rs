//! Two-way references between models of one tenant: both sides change inside of the wall.

use bson::{Bson, doc};
use mongo_model::update::Swapped;
use mongo_model::{
    Error, Id, MongoModel, Result, Tenant, Tenants, recover, repair, settle, verify,
};
use serde::{Deserialize, Serialize};

use super::proof::open_filters;
use super::{Org, org, tenant};
use crate::common::{Bench, in_set, on_both};

/// Its artists refer to it, its genres are on both sides arrays, and its likes are their own other side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "labels", tenant = org)]
pub(super) struct Label {
    #[serde(rename = "_id")]
    id: Id<Label>,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[refs(Artist, inverse = label, max = 2)]
    artists: Vec<Id<Artist>>,
    #[refs(Genre, inverse = labels, max = 2)]
    genres: Vec<Id<Genre>>,
    #[refs(Label, inverse = likes, max = 3)]
    likes: Vec<Id<Label>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "artists", tenant = org)]
pub(super) struct Artist {
    #[serde(rename = "_id")]
    id: Id<Artist>,
    org: Id<Org>,
    #[parent(Label, inverse = artists)]
    label: Option<Id<Label>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "genres", tenant = org)]
pub(super) struct Genre {
    #[serde(rename = "_id")]
    id: Id<Genre>,
    org: Id<Org>,
    #[refs(Label, inverse = genres, max = 2)]
    labels: Vec<Id<Label>>,
}

pub(super) fn label(of: u8) -> Label {
    Label {
        id: Id::new(),
        org: org(of),
        artists: Vec::new(),
        genres: Vec::new(),
        likes: Vec::new(),
    }
}

pub(super) fn artist(of: u8, label: Option<&Label>) -> Artist {
    Artist {
        id: Id::new(),
        org: org(of),
        label: label.map(|label| label.id),
    }
}

pub(super) fn genre(of: u8, labels: &[&Label]) -> Genre {
    Genre {
        id: Id::new(),
        org: org(of),
        labels: labels.iter().map(|label| label.id).collect(),
    }
}

/// Indexes, and two labels of each of two tenants.
async fn prepare(bench: &Bench) -> [Label; 4] {
    let models = [Label::meta(), Artist::meta(), Genre::meta()];
    bench.index(&models).await;
    let labels = [label(1), label(1), label(2), label(2)];
    for label in &labels {
        let own = bench.db.tenant(label.org);
        Label::insert(&own, label).await.expect("stored");
    }
    settle(&bench.db).await;
    bench.forget();
    labels
}

async fn read(db: &Tenant<Id<Org>>, label: &Label) -> Label {
    let read = Label::get(db, label.id).await;
    read.expect("read").expect("there")
}

#[track_caller]
fn assert_dangling<T: std::fmt::Debug>(result: Result<T>) {
    assert!(matches!(&result, Err(Error::Dangling { .. })), "{result:?}");
}

/// The library's own work: it finds documents by the `_id`s and tokens of documents that the call has found in its tenant.
const OWN_WORK: &[&str] = &[
    "update labels: _dn.v.t",
    "find labels: _dn.v.t",
    "find labels: _id",
    "find genres: _dn.p _dn.b",
    "find artists: _dn.p _dn.b",
    "findAndModify genres: _id",
    "findAndModify artists: _id",
];

/// Each command of the first tenant's calls has the tenant, or is the library's own work; the number of filters that were looked at.
#[track_caller]
fn assert_inside(bench: &Bench) -> usize {
    let (seen, mut open) = open_filters(&bench.take(), &org(1).into());
    open.retain(|shape| !OWN_WORK.contains(&shape.as_str()));
    assert!(open.is_empty(), "{open:?}");
    seen.len()
}

/// Nothing is wrong for either tenant, or over all, and repairs find nothing.
async fn assert_right(bench: &Bench) {
    settle(&bench.db).await;
    for n in [1, 2] {
        let own = tenant(bench, n);
        let found = verify(&own).await.expect("verified");
        assert!(found.is_clean(), "{found:?}");
        let repaired = repair(&own).await.expect("repaired");
        assert_eq!(repaired.documents, 0, "{repaired:?}");
    }
    let found = verify(&bench.db).await.expect("verified");
    assert!(found.is_clean(), "{found:?}");
}

#[tokio::test]
async fn both_sides_of_a_reference_change_inside_of_the_wall() {
    on_both("wall_two_way", async |bench| {
        let [red, blue, ..] = prepare(bench).await;
        let db = &tenant(bench, 1);
        let (ann, bob) = (artist(1, Some(&red)), artist(1, None));
        Artist::insert_many(db, [&ann, &bob]).await.expect("stored");
        Label::add_artist(db, red.id, bob.id).await.expect("added");
        Artist::reassign_label(db, ann.id, Some(blue.id))
            .await
            .expect("moved");
        let swing = genre(1, &[&red]);
        Genre::insert(db, &swing).await.expect("stored");
        Label::add_genre(db, blue.id, swing.id)
            .await
            .expect("added");
        Genre::remove_label(db, swing.id, red.id)
            .await
            .expect("removed");
        Label::add_like(db, red.id, blue.id).await.expect("added");
        settle(&bench.db).await;
        assert!(assert_inside(bench) > 20);

        let (red, blue) = (read(db, &red).await, read(db, &blue).await);
        assert_eq!(
            (&red.artists, &blue.artists),
            (&vec![bob.id], &vec![ann.id])
        );
        assert_eq!((&red.genres, &blue.genres), (&vec![], &vec![swing.id]));
        assert_eq!((&red.likes, &blue.likes), (&vec![blue.id], &vec![red.id]));
        // Documents that are listed by others, or list them, keep their tenant.
        let across = &bench.db.across_tenants::<Id<Org>>("a test");
        let moved = Artist::move_tenant(across, bob.id, org(2)).await;
        assert!(matches!(moved, Ok(Swapped::Not(_))), "{moved:?}");
        let moved = Genre::move_tenant(across, swing.id, org(2)).await;
        assert!(matches!(moved, Ok(Swapped::Not(_))), "{moved:?}");
        let moved = Label::move_tenant(across, blue.id, org(2)).await;
        assert!(matches!(moved, Err(Error::Impossible { .. })), "{moved:?}");
        bench.forget();

        // Deletes of either side follow.
        Artist::delete(db, bob.id).await.expect("deleted");
        Label::replace_genres(db, blue.id, [] as [Id<Genre>; 0])
            .await
            .expect("replaced");
        assert_eq!(read(db, &blue).await.genres, []);
        Label::add_genre(db, blue.id, swing.id)
            .await
            .expect("added");
        Genre::delete(db, swing.id).await.expect("deleted");
        settle(&bench.db).await;
        assert_inside(bench);
        let (red, blue) = (read(db, &red).await, read(db, &blue).await);
        assert_eq!((red.artists, blue.genres), (vec![], vec![]));
        assert_right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn no_two_way_reference_leads_to_another_tenant() {
    on_both("wall_two_way_cross", async |bench| {
        let [red, _, other, _] = prepare(bench).await;
        let (one, two) = (&tenant(bench, 1), &tenant(bench, 2));
        let (ann, zoe) = (artist(1, None), artist(2, None));
        Artist::insert(one, &ann).await.expect("stored");
        Artist::insert(two, &zoe).await.expect("stored");
        let swing = genre(1, &[]);
        Genre::insert(one, &swing).await.expect("stored");

        assert_dangling(Artist::insert(one, &artist(1, Some(&other))).await);
        assert_dangling(Genre::insert(one, &genre(1, &[&other])).await);
        assert_dangling(Artist::reassign_label(one, ann.id, Some(other.id)).await);
        assert_dangling(Label::add_artist(one, red.id, zoe.id).await);
        assert_dangling(Genre::add_label(one, swing.id, other.id).await);
        assert_dangling(Label::add_like(one, red.id, other.id).await);
        let gone = |result: Result<_>| {
            let gone: bool = matches!(result, Err(Error::NotFound { .. }));
            assert!(gone, "{result:?}");
            drop::<Result<mongo_model::Outcome>>(result);
        };
        gone(Label::add_artist(one, other.id, ann.id).await);
        gone(Label::add_genre(one, other.id, swing.id).await);
        gone(Artist::reassign_label(one, zoe.id, Some(red.id)).await);
        let across = &bench.db.across_tenants::<Id<Org>>("a test");
        let moved = Artist::update(across, ann.id).set(|a| a.label, Some(red.id));
        let refused = moved.await;
        assert!(
            matches!(refused, Err(Error::Impossible { .. })),
            "{refused:?}"
        );
        let set = Artist::update(one, ann.id).set(|a| a.label, Some(other.id));
        assert_dangling(set.await);
        let mut saved = artist(1, Some(&other));
        saved.id = ann.id;
        assert_dangling(saved.save(one).await);
        let many =
            Artist::update_many(one, |a| a.id.is_in([ann.id])).set(|a| a.label, Some(other.id));
        assert_dangling(many.await);
        let refused = Label::add_artist(across, red.id, ann.id).await;
        assert!(
            matches!(refused, Err(Error::Impossible { .. })),
            "{refused:?}"
        );
        for label in [&red, &other] {
            let stored = bench.raw("labels").find_one(doc! { "_id": label.id }).await;
            let stored = stored.expect("read").expect("there");
            for list in ["artists", "genres", "likes"] {
                let list = stored.get_array(list).map_or(0, Vec::len);
                assert_eq!(list, 0, "{stored}");
            }
        }
        assert_right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn several_tenants_of_one_insert_take_places_in_their_own_parents() {
    on_both("wall_two_way_many", async |bench| {
        let [red, _, other, _] = prepare(bench).await;
        let across = &bench.db.across_tenants::<Id<Org>>("an import");
        let all = [
            artist(1, Some(&red)),
            artist(2, Some(&other)),
            artist(1, Some(&red)),
        ];
        Artist::insert_many(across, &all).await.expect("stored");
        let more = [artist(2, Some(&other)), artist(1, Some(&red))];
        let refused = Artist::insert_many(across, &more).await;
        assert!(matches!(refused, Err(Error::Full { .. })), "{refused:?}");
        settle(&bench.db).await;
        let read = read(&tenant(bench, 1), &red).await;
        assert_eq!(read.artists.len(), 2);
        // The place in the list of the second tenant was given back.
        let (two, last) = (&tenant(bench, 2), artist(2, Some(&other)));
        Artist::insert(two, &last).await.expect("stored");
        assert_right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_list_that_names_a_child_of_another_tenant_is_repaired() {
    on_both("wall_two_way_repair", async |bench| {
        let [red, _, other, _] = prepare(bench).await;
        let (one, two) = (&tenant(bench, 1), &tenant(bench, 2));
        let (ann, zoe) = (artist(1, Some(&red)), artist(2, Some(&other)));
        Artist::insert(one, &ann).await.expect("stored");
        Artist::insert(two, &zoe).await.expect("stored");
        settle(&bench.db).await;
        // Another program lists a foreign artist, takes the own one out, and makes the foreign one refer here.
        let (labels, artists) = (bench.raw("labels"), bench.raw("artists"));
        let foreign = doc! { "$set": { "artists": [zoe.id] } };
        let done = labels.update_one(doc! { "_id": red.id }, foreign).await;
        done.expect("changed");
        let crossing = doc! { "$set": { "label": red.id } };
        let done = artists.update_one(doc! { "_id": zoe.id }, crossing).await;
        done.expect("changed");
        bench.forget();
        let found = verify(one).await.expect("verified");
        assert!(!found.is_clean());
        repair(one).await.expect("repaired");
        assert_eq!(read(one, &red).await.artists, [ann.id]);
        let found = verify(one).await.expect("verified");
        assert!(found.is_clean(), "{found:?}");
        assert!(recover(one).await.expect("recovered").is_idle());
        let stored = artists.find_one(doc! { "_id": zoe.id }).await;
        let stored = stored.expect("read").expect("there");
        assert_eq!(stored.get("label"), Some(&Bson::from(red.id)));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_changes_both_sides_inside_of_the_wall() {
    in_set("wall_two_way_tx", async |bench| {
        let [red, blue, ..] = prepare(bench).await;
        let db = &tenant(bench, 1);
        let ann = artist(1, Some(&red));
        Artist::insert(db, &ann).await.expect("stored");
        settle(&bench.db).await;
        bench.forget();
        let (id, to) = (ann.id, blue.id);
        let moved = mongo_model::transaction(&bench.db, async |tx| {
            Artist::reassign_label(db, id, Some(to)).within(tx).await
        });
        moved.await.expect("moved");
        settle(&bench.db).await;
        assert!(assert_inside(bench) > 0);
        assert_eq!(read(db, &blue).await.artists, [ann.id]);
        assert_eq!(read(db, &red).await.artists, []);
        assert_right(bench).await;
    })
    .await;
}
