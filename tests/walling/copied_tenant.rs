//! All documents of one tenant, copied to a new tenant.

use std::collections::HashMap;

use bson::{Bson, DateTime, Document, doc};
use futures::{FutureExt, TryStreamExt};
use mongo_model::denorm::CopiedTenant;
use mongo_model::{
    Error, Id, MongoModel, Period, Tenants, copy_tenant, purge_tenant, recover, settle, verify,
};
use serde::{Deserialize, Serialize};

use super::inside::{Match, Member, Team, game, member, prepare_teams};
use super::proof::open_filters;
use super::queues_and_locks::{Book, Books, Job, Shelf, job, shelf};
use super::two_way::{Artist, Genre, Label, artist, genre, label};
use super::{Note, Org, Plan, note, org, plan, tenant};
use crate::common::{Bench, alone, on_both};

/// With an `_id` that is a UUID, and a field that is its own other side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kiosks", tenant = org)]
struct Kiosk {
    #[serde(rename = "_id")]
    id: Id<Kiosk, bson::Uuid>,
    org: Id<Org>,
    name: String,
    #[refs(Kiosk, inverse = likes, max = 3)]
    likes: Vec<Id<Kiosk, bson::Uuid>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sales", tenant = org)]
struct Sale {
    #[serde(rename = "_id")]
    id: Id<Sale>,
    org: Id<Org>,
    #[parent(Kiosk)]
    kiosk: Id<Kiosk, bson::Uuid>,
    cents: i64,
    sold_at: DateTime,
    #[refs(Kiosk, max = 3)]
    #[denorm(from = Kiosk, field = name)]
    seen_in: Vec<SaleKiosk>,
    #[parent(Plan)]
    plan: Id<Plan>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kiosk_days", tenant = org)]
struct KioskDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Kiosk>,
    org: Id<Org>,
    #[sum(Sale, field = cents, at = sold_at)]
    #[serde(default)]
    cents: i64,
    #[max(Sale, field = cents, at = sold_at)]
    best: Option<i64>,
}

/// The walled collections, each with the field of its tenant.
const COLLECTIONS: [(&str, &str); 12] = [
    ("artists", "org"),
    ("books", "o"),
    ("genres", "org"),
    ("kiosk_days", "org"),
    ("kiosks", "org"),
    ("labels", "o"),
    ("matches", "o"),
    ("members", "org"),
    ("notes", "org"),
    ("sales", "org"),
    ("shelves", "org"),
    ("teams", "org"),
];

fn kiosk(name: &str) -> Kiosk {
    Kiosk {
        id: Id::from_raw(bson::Uuid::new()),
        org: org(1),
        name: name.to_owned(),
        likes: Vec::new(),
    }
}

fn sale(kiosk: &Kiosk, cents: i64) -> Sale {
    Sale {
        id: Id::new(),
        org: org(1),
        kiosk: kiosk.id,
        cents,
        sold_at: DateTime::from_millis(1_772_000_000_000 + cents * 40_000_000),
        seen_in: vec![SaleKiosk {
            id: kiosk.id,
            name: kiosk.name.clone(),
        }],
        plan: plan().id,
    }
}

/// Documents of all kinds in the first tenant, a team and a member in the second.
async fn prepare(bench: &Bench) {
    let (mine, theirs) = prepare_teams(bench).await;
    let more = [
        Plan::meta(),
        Note::meta(),
        Kiosk::meta(),
        Sale::meta(),
        KioskDay::meta(),
        Shelf::meta(),
        Books::meta(),
        Job::meta(),
        Label::meta(),
        Artist::meta(),
        Genre::meta(),
    ];
    bench.index(&more).await;
    Plan::insert(&bench.db, &plan()).await.expect("stored");
    let (one, two) = (tenant(bench, 1), tenant(bench, 2));
    let all: Vec<Member> = (1..=4).map(|key| member(1, key, &mine)).collect();
    Member::insert_many(&one, &all).await.expect("stored");
    let other = Member::insert(&two, &member(2, 1, &theirs)).await;
    other.expect("stored");
    let first = game(1, &[&mine]);
    let mut second = game(1, &[&mine]);
    (second.after, second.host) = (Some(first.id), Some(mine.id));
    for game in [&first, &second] {
        Match::insert(&one, game).await.expect("stored");
    }
    let gone = note(1, "gone");
    Note::insert(&one, &gone).await.expect("stored");
    Note::delete(&one, gone.id).await.expect("deleted");
    let kiosks = [kiosk("left"), kiosk("right")];
    Kiosk::insert_many(&one, &kiosks).await.expect("stored");
    let likes = Kiosk::add_like(&one, kiosks[0].id, kiosks[1].id).await;
    likes.expect("added");
    for cents in 1..=4 {
        let sale = sale(&kiosks[usize::from(cents > 2)], cents);
        Sale::insert(&one, &sale).await.expect("stored");
    }
    let shelf = shelf(bench, 1).await;
    let books = (1..=5).map(|id| Book { id });
    Books::push_many(&one, shelf, books).await.expect("stored");
    let label = label(1);
    Label::insert(&one, &label).await.expect("stored");
    let artist = Artist::insert(&one, &artist(1, Some(&label))).await;
    artist.expect("stored");
    let genre = Genre::insert(&one, &genre(1, &[&label])).await;
    genre.expect("stored");
    Job::queue(&one).push(&job(1, 1, 0)).await.expect("stored");
    settle(&bench.db).await;
    // Tokens of changes that the numbers include are removed.
    recover(&bench.db).await.expect("recovered");
    bench.forget();
}

async fn stored(bench: &Bench, (collection, field): (&str, &str), of: u8) -> Vec<Document> {
    let raw = bench.raw(collection);
    let rows = raw.find(doc! { field: org(of) });
    let rows = rows.sort(doc! { "_id": 1 }).await.expect("found");
    rows.try_collect().await.expect("read")
}

async fn all_stored(bench: &Bench, of: u8) -> Vec<Vec<Document>> {
    let mut all = Vec::new();
    for collection in COLLECTIONS {
        all.push(stored(bench, collection, of).await);
    }
    bench.forget();
    all
}

/// Calls a function for every value in a value.
fn each(value: &mut Bson, with: &mut impl FnMut(&mut Bson)) {
    with(value);
    match value {
        Bson::Document(inner) => inner.iter_mut().for_each(|(_, one)| each(one, with)),
        Bson::Array(all) => all.iter_mut().for_each(|one| each(one, with)),
        _ => {}
    }
}

/// Asserts that the documents of a tenant are those of another one under other `_id`s, and that all references lead to them.
#[track_caller]
fn assert_copied(from: &[Vec<Document>], to: &[Vec<Document>]) {
    let id = |one: &Document| one.get("_id").cloned().expect("an id");
    let is_plain = |(id, _): &(Bson, Bson)| !matches!(id, Bson::Document(_));
    let pairs = from.iter().flatten().zip(to.iter().flatten());
    let pairs = pairs.map(|(from, to)| (id(from), id(to))).filter(is_plain);
    let mut ids: HashMap<String, Bson> = pairs.map(|(from, to)| (from.to_string(), to)).collect();
    let unlike = ids.iter().all(|(from, to)| *from != to.to_string());
    assert!(unlike, "an `_id` is the same");
    let tenant = |of: u8| Bson::from(org(of));
    ids.insert(tenant(1).to_string(), tenant(3));
    let mut wanted = from.to_vec();
    for one in wanted.iter_mut().flatten() {
        // An empty list of changes means nothing.
        let own = one.get_document_mut("_dn");
        if let Ok(counts) = own.and_then(|own| own.get_document_mut("k")) {
            counts.remove("a");
        }
        for (_, value) in one.iter_mut() {
            each(value, &mut |value| {
                if let Some(other) = ids.get(&value.to_string()) {
                    *value = other.clone();
                }
            });
        }
    }
    for (wanted, to) in wanted.iter_mut().zip(to) {
        wanted.sort_by_key(|one| id(one).to_string());
        let mut to = to.clone();
        to.sort_by_key(|one| id(one).to_string());
        assert_equal(wanted, &to);
    }
}

#[track_caller]
fn assert_equal(wanted: &[Document], to: &[Document]) {
    for (wanted, to) in wanted.iter().zip(to) {
        assert_eq!(wanted, to);
    }
    assert_eq!(wanted.len(), to.len());
}

#[tokio::test]
async fn a_copy_has_every_document_with_new_ids_and_references() {
    on_both("wall_copy", async |bench| {
        prepare(bench).await;
        let (before, others) = (all_stored(bench, 1).await, all_stored(bench, 2).await);
        let (from, to) = (tenant(bench, 1), tenant(bench, 3));
        let mut told = Vec::new();
        let done = copy_tenant(&from, &to).progress(|so_far| told.push(so_far.copied));
        let done = done.await.expect("copied");
        let documents = before.iter().map(Vec::len).sum::<usize>() as u64;
        assert_eq!((done.copied, told.last()), (documents, Some(&documents)));
        assert_eq!(done.models.iter().map(|(_, n)| n).sum::<u64>(), documents);
        assert!(done.repaired.is_idle(), "{:?}", done.repaired);
        assert_copied(&before, &all_stored(bench, 3).await);
        assert_eq!(all_stored(bench, 1).await, before);
        assert_eq!(all_stored(bench, 2).await, others);
        assert_eq!(
            (bench.len("jobs").await, bench.len("_dn.copies").await),
            (1, 0)
        );
        for found in [verify(&to).await, verify(&bench.db).await] {
            let found = found.expect("verified");
            assert!(found.is_settled(), "{found}");
        }
        // Its lists and numbers go on.
        let team = Team::find_one(&to, |t| t.key.eq(1)).await.expect("found");
        let team = team.expect("copied");
        let new = Member {
            org: org(3),
            ..member(3, 9, &team)
        };
        Member::insert(&to, &new).await.expect("stored");
        let team = Team::get(&to, team.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!((team.members, team.best), (5, Some(9)));
        let again = copy_tenant(&from, &to).await;
        assert!(matches!(again, Err(Error::Impossible { .. })), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn the_commands_of_a_copy_stay_in_their_tenants() {
    alone("wall_copy_commands", async |bench| {
        prepare(bench).await;
        let (from, to) = (tenant(bench, 1), tenant(bench, 3));
        bench.forget();
        copy_tenant(&from, &to).await.expect("copied");
        let commands = bench.take();
        let sent = |name: &str| commands.iter().filter(|sent| sent.name == name).count();
        // One for the mark, one per model with documents, and one for the mark again.
        let written = ["findAndModify", "update", "delete", "insert"].map(sent);
        assert_eq!(written, [1, COLLECTIONS.len(), 1, 0]);
        let (seen, open) = open_filters(&commands, &Bson::from(org(3)));
        assert!(seen.len() > 30, "{seen:?}");
        let of_first = |shape: &&String| shape.ends_with(": org") || shape.ends_with(": o");
        let (first, open): (Vec<_>, Vec<_>) = open.iter().partition(of_first);
        assert!(
            first.iter().all(|shape| shape.starts_with("find ")),
            "{first:?}"
        );
        // Numbers and lists are compared with the children of parents that were found in the new tenant.
        let children = ["find kiosk_days: _id", "find teams: _id"];
        let mut open = open.iter();
        assert!(
            open.all(|shape| children.contains(&shape.as_str())),
            "{seen:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_interrupted_copy_is_finished_by_the_next_without_doubles() {
    on_both("wall_copy_again", async |bench| {
        prepare(bench).await;
        let (from, to) = (tenant(bench, 1), tenant(bench, 3));
        for stop in [1, 9] {
            let copy = copy_tenant(&from, &to).progress(|so_far| assert!(so_far.copied < stop));
            let cut_off = std::panic::AssertUnwindSafe(copy.into_future());
            assert!(cut_off.catch_unwind().await.is_err());
            assert_eq!(bench.len("_dn.copies").await, 1);
        }
        // Nor may another tenant be copied to it meanwhile, unless what is there is purged.
        let two = tenant(bench, 2);
        let other = copy_tenant(&two, &to).await;
        assert!(matches!(other, Err(Error::Impossible { .. })), "{other:?}");
        let four = tenant(bench, 4);
        let cut_off = copy_tenant(&from, &four).progress(|_| panic!("it ends here"));
        let cut_off = std::panic::AssertUnwindSafe(cut_off.into_future());
        assert!(cut_off.catch_unwind().await.is_err());
        purge_tenant(&four).await.expect("deleted");
        let other = copy_tenant(&two, &four).await.expect("copied");
        assert_eq!(other.copied, 2);
        let done = copy_tenant(&from, &to).await.expect("copied");
        let before = all_stored(bench, 1).await;
        let documents = before.iter().map(Vec::len).sum::<usize>() as u64;
        assert_eq!(done.copied, documents);
        assert_copied(&before, &all_stored(bench, 3).await);
        assert_eq!(bench.len("_dn.copies").await, 0);
        let found = verify(&bench.db).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn a_copy_that_could_not_be_whole_is_refused_before_anything_is_stored() {
    alone("wall_copy_refused", async |bench| {
        prepare(bench).await;
        let refused = async |done: mongo_model::Result<CopiedTenant>, why: &str| {
            match done {
                Err(Error::Impossible { what }) => assert!(what.contains(why), "{what}"),
                other => panic!("{other:?}"),
            }
            assert_eq!(bench.len("_dn.copies").await, 0);
        };
        let (one, three) = (tenant(bench, 1), tenant(bench, 3));
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        refused(copy_tenant(&across, &three).await, "across tenants").await;
        refused(copy_tenant(&one, &across).await, "across tenants").await;
        refused(copy_tenant(&one, &one).await, "to itself").await;
        let nobody = [bench.db.tenant(7_i32), bench.db.tenant(8_i32)];
        let done = copy_tenant(&nobody[0], &nobody[1]).await;
        refused(done, "that no model has").await;
        let done = copy_tenant(&one, &tenant(bench, 2)).await;
        refused(done, "that has documents").await;
        // An index that is unique over all tenants, and an `_id` that is a number.
        let person = doc! { "_id": bson::oid::ObjectId::new(), "shop": 7_i64 };
        bench.seed("people", [person]).await;
        let shops = [bench.db.tenant(7_i64), bench.db.tenant(8_i64)];
        let done = copy_tenant(&shops[0], &shops[1]).await;
        refused(done, "Person, which has an index that is unique across").await;
        let market = doc! { "_id": 1_i64, "org": org(1) };
        bench.seed("markets", [market]).await;
        let done = copy_tenant(&one, &three).await;
        refused(done, "Market, whose `_id` is no ObjectId").await;
        let stored = all_stored(bench, 3).await;
        assert!(stored.iter().all(Vec::is_empty), "{stored:?}");
    })
    .await;
}
