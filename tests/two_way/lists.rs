//! One reference and the list that is its other side.

use mongo_model::{Error, Id, MongoModel};
use mongo_model_dev_server::monitor::StartedCommand;

use crate::common::on_both;
use crate::two_way::models::{
    Chore, Club, Person, Task, chore, club, done, ids, list, person, stored, task, three,
};
use crate::two_way::settled::{everything, settled, shown};

#[tokio::test]
async fn a_new_task_is_in_the_list_of_its_owner() {
    on_both("2w_insert", async |bench| {
        let [ann, bob, _] = three(bench).await;
        let first = task(&ann);
        done(Task::insert(&bench.db, &first).await);
        let sent = bench.sent();
        // The look at the owner, the task with its flag, the list, the flag off, the mark off.
        assert_eq!(sent, ["update", "insert", "update", "update", "update"]);
        assert_eq!(list(bench, &ann, "tasks").await, stored(&[first.id]));
        let more = [task(&ann), task(&bob), task(&ann)];
        done(Task::insert_many(&bench.db, &more).await);
        assert_eq!(bench.sent().len(), 5);
        let all = [first.id, more[0].id, more[2].id];
        assert_eq!(list(bench, &ann, "tasks").await, stored(&all));
        assert_eq!(list(bench, &bob, "tasks").await, stored(&[more[1].id]));
        settled(bench).await;
    })
    .await;
}

// A document that is stored after the documents that refer to it has them in its lists.
#[tokio::test]
async fn a_person_comes_after_the_tasks() {
    on_both("2w_late", async |bench| {
        let [ann, ..] = three(bench).await;
        let db = &bench.db;
        let (dan, eve, fay) = (person("dan"), person("eve"), person("fay"));
        let tasks = [task(&dan), task(&dan), task(&eve), task(&ann)];
        bench.place(&tasks).await;
        bench.place([&club(&[&dan, &fay])]).await;
        done(Person::insert(db, &dan).await);
        assert_eq!(
            list(bench, &dan, "tasks").await,
            stored(&[tasks[0].id, tasks[1].id])
        );
        done(Person::insert_many(db, [&eve, &fay]).await);
        assert_eq!(list(bench, &eve, "tasks").await, stored(&[tasks[2].id]));
        for member in [&dan, &fay] {
            assert_eq!(list(bench, member, "clubs").await.len(), 1);
        }
        // A reference that another program stored to an existing person needs `repair`.
        assert!(list(bench, &ann, "tasks").await.is_empty());
        bench.forget();
        done(person("gus").save(db).await);
        // The document, a look for each of the four lists, and the marks off. Then the revision: `save` does not know if the person
        // was there before, so it looks for copies, raises the revision above them, reads the person and updates the copies. Last,
        // the person's own flags.
        let quiet = [
            "findAndModify",
            "find",
            "find",
            "find",
            "find",
            "update",
            "aggregate",
            "update",
            "findAndModify",
            "update",
            "update",
        ];
        assert_eq!(bench.sent(), quiet);
        mongo_model::repair(db).await.expect("repaired");
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_reassigned_task_changes_lists_and_is_reassigned_once() {
    on_both("2w_reassign", async |bench| {
        let [ann, bob, cay] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(&bench.db, &task).await);
        for to in [&bob, &cay, &ann, &bob] {
            let moved = done(Task::reassign_owner(&bench.db, task.id, to.id).await);
            assert_eq!(moved.matched, 1);
            for person in [&ann, &bob, &cay] {
                let tasks = list(bench, person, "tasks").await;
                let here = person.id == to.id;
                assert_eq!(tasks, if here { stored(&[task.id]) } else { vec![] });
            }
            settled(bench).await;
        }
        let before = everything(bench).await;
        done(Task::reassign_owner(&bench.db, task.id, bob.id).await);
        done(
            Task::update(&bench.db, task.id)
                .set(|t| t.owner, bob.id)
                .await,
        );
        assert_eq!(everything(bench).await, before);
        done(
            Task::update(&bench.db, task.id)
                .set(|t| t.owner, cay.id)
                .await,
        );
        assert_eq!(list(bench, &cay, "tasks").await, stored(&[task.id]));
        assert_eq!(list(bench, &bob, "tasks").await, []);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_not_there_and_what_has_no_room_is_refused_before_anything_is_written() {
    on_both("2w_refused", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let nobody = person("nobody");
        let lost = task(&nobody);
        let before = everything(bench).await;
        bench.forget();
        let refused = Task::insert(db, &lost).await;
        assert!(matches!(refused, Err(Error::Dangling { field, .. }) if field == "owner"));
        // She is not there; nor is she being deleted.
        assert_eq!(bench.sent(), ["update", "find", "find"]);
        assert_eq!(everything(bench).await, before);
        // Nor does a task with her `_id` stand for her.
        let same = Task {
            id: Id::from_raw(nobody.id.into_raw()),
            ..task(&nobody)
        };
        let refused = Task::insert(db, &same).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        let refused = Task::insert_many(db, [&task(&ann), &same]).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(everything(bench).await, before);
        let four = [task(&ann), task(&ann), task(&ann), task(&ann)];
        done(Task::insert_many(db, &four).await);
        let fifth = task(&bob);
        done(Task::insert(db, &fifth).await);
        let before = everything(bench).await;
        let full = |result: mongo_model::Result<_>| match result {
            Err(Error::Full { field, max }) => assert_eq!((&*field, max), ("Person.tasks", 4)),
            other => panic!("{other:?}"),
        };
        full(Task::reassign_owner(db, fifth.id, ann.id).await);
        full(Task::insert(db, &task(&ann)).await);
        full(Person::add_task(db, ann.id, fifth.id).await);
        let saved = Task {
            owner: ann.id,
            ..fifth.clone()
        };
        full(saved.save(db).await);
        // An id that is already in the full list still fits.
        done(Task::reassign_owner(db, four[0].id, ann.id).await);
        done(four[1].save(db).await);
        let unknown = Task::reassign_owner(db, lost.id, ann.id).await;
        assert!(unknown.is_err());
        let unknown = Task::reassign_owner(db, lost.id, bob.id).await;
        assert!(
            matches!(unknown, Err(Error::NotFound { model: "Task", .. })),
            "{unknown:?}"
        );
        let unknown = Person::add_task(db, nobody.id, fifth.id).await;
        assert!(
            matches!(
                unknown,
                Err(Error::NotFound {
                    model: "Person",
                    ..
                })
            ),
            "{unknown:?}"
        );
        let unknown = Person::add_task(db, bob.id, lost.id).await;
        assert!(
            matches!(unknown, Err(Error::Dangling { .. })),
            "{unknown:?}"
        );
        let mut own = person("own");
        own.tasks.push(fifth.id);
        let derived = Person::insert(db, &own).await;
        assert!(
            matches!(derived, Err(Error::DerivedField { .. })),
            "{derived:?}"
        );
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_list_is_changed_from_its_side() {
    on_both("2w_one_side", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let chores = [
            chore(Some(&ann)),
            chore(None),
            chore(None),
            chore(Some(&bob)),
        ];
        let ids: Vec<_> = chores.iter().map(|chore| chore.id).collect();
        for chore in &chores {
            done(Chore::insert(db, chore).await);
        }
        let name = async |n: usize| {
            let stored = shown::<Chore>(bench, &ids[n]).await;
            stored.get_str("who_name").ok().map(str::to_owned)
        };
        for _ in 0..2 {
            done(Person::add_chore(db, ann.id, ids[1]).await);
            assert_eq!(list(bench, &ann, "chores").await, stored(&ids[..2]));
            assert_eq!(name(1).await.as_deref(), Some("ann"));
        }
        for _ in 0..2 {
            done(Person::remove_chore(db, ann.id, ids[0]).await);
            assert_eq!(list(bench, &ann, "chores").await, stored(&ids[1..2]));
            assert_eq!(name(0).await, None);
        }
        // A removal does not take a chore from another person, but an addition does.
        done(Person::remove_chore(db, ann.id, ids[3]).await);
        assert_eq!(list(bench, &bob, "chores").await, stored(&ids[3..]));
        for _ in 0..2 {
            done(Person::add_chore(db, ann.id, ids[3]).await);
            assert_eq!(list(bench, &ann, "chores").await, stored(&[ids[1], ids[3]]));
            assert_eq!(list(bench, &bob, "chores").await, []);
            settled(bench).await;
        }
        done(Person::update(db, ann.id).set(|p| p.name, "anna").await);
        assert_eq!(name(3).await.as_deref(), Some("anna"));
        done(Chore::reassign_who(db, ids[3], None).await);
        assert_eq!(list(bench, &ann, "chores").await, stored(&[ids[1]]));
        settled(bench).await;
    })
    .await;
}

// A10, C02, C03: a saved document moves, and its own lists stay what they are.
#[tokio::test]
async fn what_is_saved_moves_and_keeps_its_lists() {
    on_both("2w_save", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let mut task = task(&ann);
        done(Task::insert(db, &task).await);
        task.owner = bob.id;
        done(task.save(db).await);
        assert_eq!(list(bench, &ann, "tasks").await, []);
        assert_eq!(list(bench, &bob, "tasks").await, stored(&[task.id]));
        done(bob.save(db).await);
        assert_eq!(list(bench, &bob, "tasks").await, stored(&[task.id]));
        let many = Task::update_many(db, |t| t.id.eq(task.id))
            .set(|t| t.owner, ann.id)
            .await;
        assert_eq!(done(many).modified, 1);
        assert_eq!(list(bench, &ann, "tasks").await, stored(&[task.id]));
        settled(bench).await;
        let fresh = person("new");
        done(fresh.save(db).await);
        let stored = shown::<Person>(bench, &fresh.id).await;
        assert!(stored.get_array("tasks").is_ok_and(Vec::is_empty));
        settled(bench).await;
    })
    .await;
}

// C04, C09, C11: a document that is deleted is in no list, and a reference to it does what it says.
#[tokio::test]
async fn what_is_deleted_is_in_no_list() {
    on_both("2w_deleted", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let (one, two) = (task(&ann), task(&ann));
        done(Task::insert_many(db, [&one, &two]).await);
        let chess = club(&[&ann, &bob]);
        done(Club::insert(db, &chess).await);
        done(Person::add_friend(db, ann.id, bob.id).await);
        Task::delete(db, one.id).await.expect("gone");
        assert_eq!(list(bench, &ann, "tasks").await, stored(&[two.id]));
        settled(bench).await;
        let refused = Person::delete(db, ann.id).await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        settled(bench).await;
        Task::delete(db, two.id).await.expect("gone");
        Person::delete(db, ann.id).await.expect("gone");
        assert_eq!(list(bench, &bob, "friends").await, []);
        let stored_club = shown::<Club>(bench, &chess.id).await;
        assert_eq!(ids(&stored_club, "members"), stored(&[bob.id]));
        Club::delete(db, chess.id).await.expect("gone");
        assert_eq!(list(bench, &bob, "clubs").await, []);
        settled(bench).await;
    })
    .await;
}

// The commands of a reassignment: on a replica set one transaction; after its commit only the flag is left to clear.
#[tokio::test]
async fn a_reassignment_is_few_commands() {
    on_both("2w_commands", async |bench| {
        let [ann, bob, _] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(&bench.db, &task).await);
        bench.forget();
        done(Task::reassign_owner(&bench.db, task.id, bob.id).await);
        let sent = bench.sent();
        let in_set = sent.iter().any(|name| name == "commitTransaction");
        let expected: &[&str] = if in_set {
            &[
                "update",
                "findAndModify",
                "update",
                "commitTransaction",
                "update",
                "update",
            ]
        } else {
            // A standalone server has no transactions.
            &["update", "findAndModify", "update", "update", "update"]
        };
        assert_eq!(sent, expected);
    })
    .await;
}

// The array of the other side follows by its link: nothing is pulled from it once more, whichever side is the truth.
#[tokio::test]
async fn a_delete_updates_each_other_side_once() {
    on_both("both_once", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let task = task(&ann);
        Task::insert(db, &task).await.expect("stored");
        let chess = club(&[&ann, &bob]);
        Club::insert(db, &chess).await.expect("stored");
        bench.forget();
        // The names of the commands on persons, and whether one of them pulls an id as a delete rule does.
        let on_persons = || {
            let mut sent = bench.take();
            sent.retain(|sent| {
                let on = sent.command.get_str(&sent.name).ok();
                on == Some("both_persons")
            });
            let pulls = |sent: &StartedCommand| sent.command.to_string().contains("\"$pull\"");
            let pulled = sent.iter().any(pulls);
            let names = sent.into_iter().map(|sent| sent.name);
            (names.collect::<Vec<String>>(), pulled)
        };
        Task::delete(db, task.id).await.expect("gone");
        // The owner loses the id under a mark, which is compared with the deleted task before it goes.
        let (names, pulled) = on_persons();
        assert_eq!(names, ["update", "find", "update", "update"]);
        assert!(!pulled);
        Club::delete(db, chess.id).await.expect("gone");
        let (names, pulled) = on_persons();
        assert!(!pulled, "{names:?}");
        assert_eq!(names[0], "update", "no index is looked for: {names:?}");
        assert_eq!(list(bench, &ann, "tasks").await, []);
        assert_eq!(list(bench, &ann, "clubs").await, []);
        assert_eq!(list(bench, &bob, "clubs").await, []);
        bench.forget();
        // A friend's array is the truth of its own side, so those of others are looked through.
        done(Person::add_friend(db, ann.id, cay.id).await);
        bench.forget();
        Person::delete(db, ann.id).await.expect("gone");
        assert_eq!(list(bench, &cay, "friends").await, []);
        settled(bench).await;
    })
    .await;
}
