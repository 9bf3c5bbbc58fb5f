//! Pending work of a writer that dies or is overtaken, and the functions that find it.

use bson::{Document, doc};
use mongo_model::denorm::{Defect, Difference};
use mongo_model::{Id, MongoModel, Sweeper, after_commit, recover, repair, verify};
use mongo_model_dev_server::Topology;
use mongo_model_dev_server::monitor::StartedCommand;
use mongodb::options::UpdateModifications;

use crate::common::{Bench, in_set, on, on_both};
use crate::two_way::models::{
    Chore, Club, Person, Task, chore, club, done, ids, list, person, stored, task, three,
};
use crate::two_way::settled::{everything, settled, shown};

const LIST: &str = "both_persons.tasks";

/// W1 alone, as a writer leaves it that dies before anything else.
async fn reassign_and_die(bench: &Bench, task: &Task, from: &Person, to: &Person) {
    let w1 = doc! {
        "$set": { "owner": *to.id.as_raw(), "_dn.o.owner": [*from.id.as_raw()] },
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": LIST },
    };
    let tasks = bench.raw("both_tasks");
    let id = doc! { "_id": *task.id.as_raw() };
    tasks.update_one(id, w1).await.expect("W1");
    bench.forget();
}

/// Everything that `verify` finds, by the person it is found at.
async fn found(bench: &Bench) -> Vec<Difference> {
    use futures::TryStreamExt;
    let found = verify(&bench.db).stream().try_collect().await;
    let mut found: Vec<Difference> = found.expect("compared");
    found.sort_by_key(|finding| finding.id.to_string());
    bench.forget();
    found
}

/// The `update` commands since the log was cleared, in a form that can be sent again.
fn updates(bench: &Bench) -> Vec<Document> {
    let own = ["lsid", "txnNumber", "autocommit", "startTransaction"];
    let again = |command: Document| {
        let command = command.into_iter();
        let command = command.filter(|(key, _)| !key.starts_with('$') && !own.contains(&&**key));
        command.collect::<Document>()
    };
    let sent = bench.take().into_iter();
    let sent = sent.filter(|sent| sent.name == "update");
    sent.map(|sent| again(sent.command)).collect()
}

async fn send(bench: &Bench, command: &Document) {
    let reply = bench.db.run_command(command.clone()).await.expect("sent");
    assert!(!reply.contains_key("writeErrors"), "{reply}");
    bench.forget();
}

// Sets hold an id once; what another program writes need not.
#[tokio::test]
async fn an_id_that_stands_twice_is_found_and_goes() {
    on_both("2w_twice", async |bench| {
        let [ann, ..] = three(bench).await;
        let (one, two) = (task(&ann), task(&ann));
        done(Task::insert_many(&bench.db, [&one, &two]).await);
        let twice = [two.id, one.id, two.id, two.id].map(|id| *id.as_raw());
        let persons = bench.raw("both_persons");
        let set = doc! { "$set": { "tasks": twice.to_vec() } };
        persons
            .update_one(doc! { "_id": *ann.id.as_raw() }, set)
            .await
            .expect("set");
        let wrong = found(bench).await;
        assert_eq!(wrong.len(), 2, "{wrong:#?}");
        for finding in wrong {
            assert_eq!((finding.kind, finding.flagged), (Defect::Extra, false));
            assert_eq!(finding.have, Some((*two.id.as_raw()).into()));
        }
        repair(&bench.db).await.expect("repaired");
        let tasks = shown::<Person>(bench, &ann.id).await;
        let want = [two.id, one.id].map(|id| (*id.as_raw()).into());
        assert_eq!(ids(&tasks, "tasks"), want);
        settled(bench).await;
        assert!(repair(&bench.db).await.expect("repaired").is_idle());
    })
    .await;
}

// Exactly the two documents that are wrong are found, and both are known.
#[tokio::test]
async fn a_reassignment_that_stopped_is_found_and_finished() {
    on_both("2w_died", async |bench| {
        let [ann, bob, _] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(&bench.db, &task).await);
        reassign_and_die(bench, &task, &ann, &bob).await;
        let found = found(bench).await;
        let shown: Vec<_> = found.iter().map(|f| (&f.id, f.kind, f.flagged)).collect();
        let [ann_id, bob_id] = [&ann, &bob].map(|person| bson::Bson::from(*person.id.as_raw()));
        assert_eq!(
            shown,
            [
                (&ann_id, Defect::Extra, true),
                (&bob_id, Defect::Missing, true)
            ]
        );
        let report = verify(&bench.db).await.expect("compared");
        assert!(report.is_clean(), "{report}");
        let mut sweeper = Sweeper::new(&bench.db);
        assert_eq!(sweeper.sweep().await.expect("a look").sources, 0);
        assert_eq!(sweeper.sweep().await.expect("a look").sources, 1);
        assert_eq!(list(bench, &ann, "tasks").await, []);
        assert_eq!(list(bench, &bob, "tasks").await, stored(&[task.id]));
        settled(bench).await;
    })
    .await;
}

// Other programs have updated the lists by now: a late update leaves a mark, and is reverted.
#[tokio::test]
async fn what_comes_late_is_marked_and_taken_back() {
    on(Topology::Standalone, "2w_late", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(db, &task).await);
        bench.forget();
        done(Task::reassign_owner(db, task.id, bob.id).await);
        let late = updates(bench);
        let [_, lists, unflag, unmark] = late.as_slice() else {
            panic!("{late:#?}");
        };
        for back in [&ann, &cay, &bob] {
            done(Task::reassign_owner(db, task.id, back.id).await);
            let before = everything(bench).await;
            for late in [unflag, unmark] {
                send(bench, late).await;
            }
            assert_eq!(everything(bench).await, before);
            send(bench, lists).await;
            let found = found(bench).await;
            assert!(found.iter().all(|finding| finding.flagged), "{found:?}");
            let owner = back.id == bob.id;
            assert_eq!(found.is_empty(), owner, "{found:?}");
            // Its W3 finds another revision, so it checks its marks at once; so does a sweeper that finds them.
            let parents = recover(db).await.expect("recovered").parents;
            assert_eq!(
                parents,
                if owner {
                    0
                } else if back.id == ann.id {
                    2
                } else {
                    1
                }
            );
            for person in [&ann, &bob, &cay] {
                let tasks = list(bench, person, "tasks").await;
                let here = person.id == back.id;
                assert_eq!(tasks, if here { stored(&[task.id]) } else { vec![] });
            }
            settled(bench).await;
        }
    })
    .await;
}

// Two writers overtake each other: the flag of the second keeps the parents of the first.
#[tokio::test]
async fn every_parent_of_before_is_told() {
    on_both("2w_overtaken", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(db, &task).await);
        reassign_and_die(bench, &task, &ann, &bob).await;
        done(Task::reassign_owner(db, task.id, cay.id).await);
        assert_eq!(list(bench, &ann, "tasks").await, []);
        assert_eq!(list(bench, &cay, "tasks").await, stored(&[task.id]));
        settled(bench).await;
        reassign_and_die(bench, &task, &cay, &bob).await;
        done(Task::reassign_owner(db, task.id, cay.id).await);
        assert_eq!(list(bench, &cay, "tasks").await, stored(&[task.id]));
        settled(bench).await;
        reassign_and_die(bench, &task, &cay, &bob).await;
        Task::delete(db, task.id).await.expect("gone");
        assert_eq!(list(bench, &cay, "tasks").await, []);
        settled(bench).await;
    })
    .await;
}

// Another program writes without the library: the reference decides.
#[tokio::test]
async fn what_others_broke_is_found_and_repaired() {
    on_both("2w_broken", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let tasks = [task(&ann), task(&ann), task(&bob)];
        done(Task::insert_many(db, &tasks).await);
        let chess = club(&[&ann, &bob]);
        done(Club::insert(db, &chess).await);
        done(Person::add_friend(db, ann.id, cay.id).await);
        assert_eq!(found(bench).await, []);
        let right = everything(bench).await;
        let stranger = Id::<Task>::new();
        let [a, b, c] = [&ann, &bob, &cay].map(|person| doc! { "_id": *person.id.as_raw() });
        let persons = bench.raw("both_persons");
        let break_it = async |filter: &Document, update: Document| {
            let done = persons.update_one(filter.clone(), update).await;
            assert_eq!(done.expect("changed").modified_count, 1);
        };
        break_it(&a, doc! { "$pull": { "tasks": *tasks[0].id.as_raw() } }).await;
        break_it(&b, doc! { "$push": { "tasks": *stranger.as_raw() } }).await;
        break_it(&b, doc! { "$push": { "tasks": *tasks[1].id.as_raw() } }).await;
        break_it(&b, doc! { "$unset": { "clubs": "" } }).await;
        break_it(&c, doc! { "$set": { "clubs": [*chess.id.as_raw()] } }).await;
        break_it(&c, doc! { "$set": { "friends": [] } }).await;
        let found = found(bench).await;
        assert!(found.iter().all(Difference::is_defect), "{found:?}");
        let at = |person: &Person| {
            let id = bson::Bson::from(*person.id.as_raw());
            let mut at: Vec<_> = found
                .iter()
                .filter(|finding| finding.id == id)
                .map(|finding| (finding.path.as_str(), finding.kind))
                .collect();
            at.sort_by_key(|(path, _)| path.to_string());
            at
        };
        assert_eq!(at(&ann), [("tasks", Defect::Missing)]);
        assert_eq!(
            at(&bob),
            [
                ("clubs", Defect::Missing),
                ("tasks", Defect::Extra),
                ("tasks", Defect::Extra)
            ]
        );
        assert_eq!(
            at(&cay),
            [("clubs", Defect::Extra), ("friends", Defect::Missing)]
        );
        let done = repair(db).await.expect("repaired");
        assert_eq!(done.documents, 5, "{done}");
        let sorted = |mut all: Vec<(String, Document)>| {
            for (_, document) in &mut all {
                let again = Document::from_iter(document.clone());
                let mut keys: Vec<_> = again.into_iter().collect();
                for (_, value) in &mut keys {
                    if let bson::Bson::Array(ids) = value {
                        ids.sort_by_key(ToString::to_string);
                    }
                }
                keys.sort_by(|(a, _), (b, _)| a.cmp(b));
                *document = keys.into_iter().collect();
            }
            all
        };
        assert_eq!(sorted(everything(bench).await), sorted(right));
        assert!(repair(db).await.expect("repaired").is_idle());
        settled(bench).await;
    })
    .await;
}

// In a transaction both sides are visible at once; the writes after the commit clear the flags.
#[tokio::test]
async fn a_transaction_shows_both_sides() {
    in_set("2w_session", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let (one, two) = (task(&ann), task(&ann));
        done(Task::insert(db, &one).await);
        for commit in [false, true] {
            let mut session = bench.transaction().await;
            let moved = Task::reassign_owner(db, one.id, bob.id)
                .driver_session(&mut session)
                .await;
            let mut pending = moved.expect("moved").pending;
            let inserted = Task::insert(db, &two).driver_session(&mut session).await;
            pending.extend(inserted.expect("stored").pending);
            let inside = bench.raw("both_persons");
            let inside = inside
                .find_one(doc! { "_id": *bob.id.as_raw() })
                .session(&mut session);
            let inside = inside.await.expect("read").expect("stored");
            assert_eq!(ids(&inside, "tasks"), stored(&[one.id]));
            if !commit {
                session.abort_transaction().await.expect("aborted");
                assert_eq!(after_commit(db, pending).await.expect("nothing"), []);
                assert_eq!(list(bench, &ann, "tasks").await, stored(&[one.id]));
                settled(bench).await;
                continue;
            }
            session.commit_transaction().await.expect("committed");
            assert_eq!(list(bench, &ann, "tasks").await, stored(&[two.id]));
            assert_eq!(list(bench, &bob, "tasks").await, stored(&[one.id]));
            assert_eq!(after_commit(db, pending).await.expect("finished"), []);
            settled(bench).await;
        }
    })
    .await;
}

// Many children of one parent are one update of it, and of many parents one command.
#[tokio::test]
async fn many_children_are_few_commands() {
    on_both("2w_many", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let crowd: Vec<Person> = (0..100).map(|n| person(&format!("p{n}"))).collect();
        done(Person::insert_many(db, &crowd).await);
        let big = club(&[]);
        done(Club::insert(db, &big).await);
        bench.forget();
        let tasks: Vec<Task> = crowd
            .iter()
            .flat_map(|one| [task(one), task(one)])
            .collect();
        done(Task::insert_many(db, &tasks).await);
        assert_eq!(
            bench.sent(),
            ["update", "insert", "update", "update", "update"]
        );
        for one in crowd.iter().step_by(20) {
            assert_eq!(list(bench, one, "tasks").await.len(), 2);
        }
        let chores: Vec<Chore> = (0..1_000).map(|_| chore(Some(&ann))).collect();
        Chore::insert_many(db, &chores).await.expect("stored");
        let of_ann = |sent: &StartedCommand| {
            sent.command
                .get_str("update")
                .is_ok_and(|name| name == "both_persons")
        };
        let sent = bench.take();
        // Their places, the list, the marks off.
        assert_eq!(sent.iter().filter(|sent| of_ann(sent)).count(), 3);
        assert_eq!(list(bench, &ann, "chores").await.len(), 1_000);
        recover(db).await.expect("copies");
        let clubs = [club(&[&ann, &bob]), club(&[&ann])];
        done(Club::insert_many(db, &clubs).await);
        bench.forget();
        done(Person::replace_clubs(db, bob.id, [clubs[1].id, big.id]).await);
        let sent = bench.sent();
        assert!(sent.len() <= 16, "{sent:?}");
        assert_eq!(
            list(bench, &bob, "clubs").await,
            stored(&[clubs[1].id, big.id])
        );
        settled(bench).await;
    })
    .await;
}

// Idle sweeps read nothing but two empty indexes, and busy ones no more than is flagged.
#[tokio::test]
async fn sweeps_are_served_by_indexes() {
    on_both("2w_plans", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let task = task(&ann);
        done(Task::insert(db, &task).await);
        bench.forget();
        assert!(recover(db).await.expect("recovered").is_idle());
        for find in bench.take() {
            let plan = bench.explain(find.command).await;
            assert_eq!((plan.keys, plan.documents), (0, 0), "{plan:?}");
        }
        let marked = doc! { "_dn.v": [{ "t": bson::oid::ObjectId::new(), "k": *task.id.as_raw(), "e": LIST }] };
        let persons = bench.raw("both_persons");
        let mark = UpdateModifications::Document(doc! { "$set": marked });
        persons.update_one(doc! { "_id": *bob.id.as_raw() }, mark).await.expect("marked");
        bench.forget();
        assert_eq!(recover(db).await.expect("recovered").parents, 1);
        for sent in bench.take().into_iter().filter(|sent| sent.name == "find") {
            let plan = bench.explain(sent.command).await;
            assert!(!plan.has("COLLSCAN") && plan.documents <= 1, "{plan:?}");
        }
        assert_eq!(shown::<Person>(bench, &bob.id).await.get("_dn"), shown::<Person>(bench, &ann.id).await.get("_dn"));
        settled(bench).await;
    })
    .await;
}
