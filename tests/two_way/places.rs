//! Bounded arrays beside several writers: a child has its place in its parent's array before it is written.

use bson::{DateTime, doc};
use futures::future::join_all;
use mongo_model::{Error, Id, MongoModel, recover, verify};

use crate::common::{Bench, on_both};
use crate::two_way::models::{Club, Person, Task, club, done, list, task, three};

fn is_full(error: &Error, of: &str) -> bool {
    matches!(error, Error::Full { field, .. } if field == of)
}

/// The number of these writes that were refused because an array is full. No other error is expected.
fn count_refused<T>(all: &[mongo_model::Result<T>], of: &str) -> usize {
    let refused = all.iter().filter(|one| match one {
        Ok(_) => false,
        Err(error) => is_full(error, of) || panic!("{error}"),
    });
    refused.count()
}

/// No array is over its bound, all sides agree, and nothing waits.
async fn check(bench: &Bench, what: &str) {
    let found = verify(&bench.db).await.expect("verified");
    let defects: u64 = found.references.iter().map(|edge| edge.defects()).sum();
    assert_eq!(defects, 0, "{what}: {found}");
    mongo_model::settle(&bench.db).await;
    let persons = bench.raw("both_persons");
    let marked = persons.count_documents(doc! { "_dn.v": { "$exists": true } });
    assert_eq!(marked.await.expect("counted"), 0, "{what}");
}

#[tokio::test]
async fn eight_children_stored_at_once_fill_the_two_free_places() {
    on_both("2w_places", async |bench| {
        let db = &bench.db;
        let [ann, ..] = three(bench).await;
        done(Task::insert_many(db, &[task(&ann), task(&ann)]).await);
        let more: Vec<Task> = (0..8).map(|_| task(&ann)).collect();
        let stored = join_all(more.iter().map(|task| Task::insert(db, task).into_future())).await;
        assert_eq!(count_refused(&stored, "Person.tasks"), 6);
        assert_eq!(list(bench, &ann, "tasks").await.len(), 4);
        assert_eq!(bench.len("both_tasks").await, 4);
        check(bench, "inserts").await;
        let mut read = Person::get(db, ann.id).await.expect("read").expect("ann");
        read.name = "anna".to_owned();
        done(read.save(db).await);
    })
    .await;
}

#[tokio::test]
async fn children_moved_at_once_fill_the_free_places() {
    on_both("2w_moves", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let tasks: Vec<Task> = [&ann, &ann, &ann, &bob, &bob, &bob, &bob, &cay, &cay]
            .map(task)
            .into();
        done(Task::insert_many(db, &tasks).await);
        let moves = tasks[3..7].iter().map(|task| {
            let to = Task::update(db, task.id).set(|t| t.owner, ann.id);
            to.into_future()
        });
        let moved = join_all(moves).await;
        assert_eq!(count_refused(&moved, "Person.tasks"), 3);
        check(bench, "updates").await;
        done(Task::update(db, tasks[0].id).set(|t| t.owner, cay.id).await);
        done(Task::update(db, tasks[1].id).set(|t| t.owner, cay.id).await);
        let of = |person: &Person| Task::update_many(db, |t| t.owner.eq(person.id));
        let (of_bob, of_cay) = (of(&bob), of(&cay));
        let to_ann = futures::join!(
            of_bob.set(|t| t.owner, ann.id).into_future(),
            of_cay.set(|t| t.owner, ann.id).into_future()
        );
        let both = [to_ann.0, to_ann.1];
        assert!(count_refused(&both, "Person.tasks") >= 1);
        check(bench, "update_many").await;
        let mut saved = tasks[3..7].to_vec();
        saved.iter_mut().for_each(|task| task.owner = ann.id);
        let saved = join_all(saved.iter().map(|task| task.save(db).into_future())).await;
        assert!(count_refused(&saved, "Person.tasks") >= 1);
        check(bench, "saves").await;
        assert!(list(bench, &ann, "tasks").await.len() <= 4);
    })
    .await;
}

#[tokio::test]
async fn both_sides_of_two_arrays_stay_within_their_bounds() {
    on_both("2w_both_sides", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        // The clubs hold the truth; a person is in at most three of them.
        let clubs: Vec<Club> = (0..6).map(|_| club(&[])).collect();
        done(Club::insert_many(db, &clubs).await);
        let join = clubs
            .iter()
            .map(|club| Club::add_member(db, club.id, ann.id).into_future());
        let joined = join_all(join).await;
        assert_eq!(count_refused(&joined, "Person.clubs"), 3);
        check(bench, "members").await;
        let join = clubs
            .iter()
            .map(|club| Person::add_club(db, bob.id, club.id).into_future());
        let joined = join_all(join).await;
        assert_eq!(count_refused(&joined, "Person.clubs"), 3);
        check(bench, "clubs").await;
        // A club has at most three members.
        let one = club(&[]);
        done(Club::insert(db, &one).await);
        let others: Vec<Person> = (0..5)
            .map(|n| crate::two_way::models::person(&n.to_string()))
            .collect();
        done(Person::insert_many(db, &others).await);
        let join = others
            .iter()
            .map(|person| Person::add_club(db, person.id, one.id).into_future());
        let joined = join_all(join).await;
        assert_eq!(count_refused(&joined, "Club.members"), 2);
        check(bench, "a full club").await;
        // A field that is its own other side.
        let friends = others
            .iter()
            .map(|other| Person::add_friend(db, cay.id, other.id).into_future());
        let befriended = join_all(friends).await;
        assert_eq!(count_refused(&befriended, "Person.friends"), 2);
        assert_eq!(list(bench, &cay, "friends").await.len(), 3);
        check(bench, "friends").await;
    })
    .await;
}

#[tokio::test]
async fn a_refused_child_leaves_no_place_behind() {
    on_both("2w_refused", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let first = task(&ann);
        done(Task::insert(db, &first).await);
        let duplicate = Task {
            owner: bob.id,
            ..first.clone()
        };
        let refused = Task::insert(db, &duplicate).await.expect_err("a duplicate");
        assert!(refused.is_duplicate(), "{refused}");
        let absent: Id<Task> = Id::new();
        let lost = Task::update(db, absent).set(|t| t.owner, bob.id).await;
        assert!(matches!(lost, Err(Error::NotFound { .. })), "{lost:?}");
        check(bench, "refused").await;
    })
    .await;
}

/// Makes all places older than a minute.
pub(crate) async fn age_places(bench: &Bench) {
    let old = DateTime::from_millis(DateTime::now().timestamp_millis() - 61_000);
    let older = doc! { "$set": { "_dn.v.$[place].at": old } };
    let places = doc! { "_dn.v.at": { "$exists": true } };
    let raw = bench.raw("both_persons");
    let update = raw.update_many(places, older);
    let place = doc! { "place.at": { "$exists": true } };
    update.array_filters([place]).await.expect("set");
}

/// A place whose program ended, as it is stored.
async fn place(bench: &Bench, person: &Person, at: DateTime) {
    let child = bson::oid::ObjectId::new();
    let mark =
        doc! { "t": bson::oid::ObjectId::new(), "k": child, "e": "both_persons.tasks", "at": at };
    let raw = bench.raw("both_persons");
    let push = doc! { "$push": { "_dn.v": mark } };
    raw.update_one(doc! { "_id": person.id }, push)
        .await
        .expect("pushed");
}

#[tokio::test]
async fn an_abandoned_place_is_free_after_a_minute() {
    on_both("2w_abandoned", async |bench| {
        let db = &bench.db;
        let [ann, ..] = three(bench).await;
        done(Task::insert_many(db, &[task(&ann), task(&ann), task(&ann)]).await);
        place(bench, &ann, DateTime::now()).await;
        // Its child may still come.
        let full = Task::insert(db, &task(&ann)).await.expect_err("full");
        assert!(is_full(&full, "Person.tasks"), "{full}");
        recover(db).await.expect("recovered");
        let full = Task::insert(db, &task(&ann)).await.expect_err("full");
        assert!(is_full(&full, "Person.tasks"), "{full}");
        age_places(bench).await;
        done(Task::insert(db, &task(&ann)).await);
        assert_eq!(list(bench, &ann, "tasks").await.len(), 4);
        check(bench, "a place that was abandoned").await;
        Task::delete_many(db, |t| t.owner.eq(ann.id))
            .await
            .expect("deleted");
        place(bench, &ann, DateTime::now()).await;
        age_places(bench).await;
        recover(db).await.expect("recovered");
        check(bench, "a sweep").await;
    })
    .await;
}
