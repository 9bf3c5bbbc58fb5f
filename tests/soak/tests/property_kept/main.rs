//! Any sequence of operations leaves in what the one side keeps what the other side says, deletes what is to be deleted and nothing
//! else, and leaves nothing flagged.

mod world;

use mongo_model::{Error, MongoModel, Transaction, recover, verify};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::kept::models::{
    Author, Host, LogMsg, Person, Post, PostAuthor, PostTag, Review, Tag, Task, index, key,
};
use mongo_model_soak::kept::oracle::flagged;
use mongodb::Database;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use self::world::{EACH, MESSAGES, Op, Says, World, named};

fn op() -> impl Strategy<Value = Op> + Clone {
    prop_oneof![
        5 => of_tasks(),
        6 => of_messages(),
        5 => of_posts(),
        1 => Just(Op::Recover),
    ]
}

fn of_tasks() -> impl Strategy<Value = Op> + Clone {
    let n = || 0..EACH;
    let of = || proptest::option::of(0..EACH);
    prop_oneof![
        3 => n().prop_map(Op::InsertPerson),
        1 => n().prop_map(Op::SavePerson),
        2 => n().prop_map(Op::DeletePerson),
        1 => vec(n(), 1..3).prop_map(Op::DeletePeople),
        3 => (n(), of()).prop_map(|(n, of)| Op::InsertTask(n, of)),
        2 => vec((n(), of()), 1..4).prop_map(Op::InsertTasks),
        3 => (n(), n()).prop_map(|(n, to)| Op::Reassign(n, to)),
        2 => (n(), of()).prop_map(|(n, to)| Op::Own(n, to)),
        1 => (vec(n(), 1..3), of()).prop_map(|(ids, to)| Op::OwnMany(ids, to)),
        1 => n().prop_map(Op::Disown),
        2 => (n(), of()).prop_map(|(n, to)| Op::SaveTask(n, to)),
        2 => (n(), n()).prop_map(|(n, task)| Op::AddTask(n, task)),
        2 => (n(), n()).prop_map(|(n, task)| Op::RemoveTask(n, task)),
        1 => n().prop_map(Op::DeleteTask),
        1 => vec(n(), 1..3).prop_map(Op::DeleteTasks),
    ]
}

fn of_messages() -> impl Strategy<Value = Op> + Clone {
    let n = || 0..EACH;
    let m = || 0..MESSAGES;
    let time = || 0..6_i64;
    let text = || 0..3_u8;
    prop_oneof![
        3 => (n(), text()).prop_map(|(n, ip)| Op::InsertHost(n, ip)),
        1 => (n(), text()).prop_map(|(n, ip)| Op::SaveHost(n, ip)),
        1 => n().prop_map(Op::ReadHost),
        1 => n().prop_map(Op::SaveStaleHost),
        1 => (n(), text()).prop_map(|(n, ip)| Op::Ip(n, ip)),
        1 => n().prop_map(Op::DeleteHost),
        3 => (m(), n(), time()).prop_map(|(n, of, time)| Op::InsertMessage(n, of, time)),
        4 => (vec(m(), 1..MESSAGES as usize), n(), time()).prop_map(|(ids, of, time)| Op::InsertMessages(ids, of, time)),
        2 => (m(), n(), time(), text()).prop_map(|(n, of, time, text)| Op::SaveMessage(n, of, time, text)),
        2 => (m(), n()).prop_map(|(n, to)| Op::Move(n, to)),
        2 => (n(), n()).prop_map(|(from, to)| Op::MoveMany(from, to)),
        2 => (m(), time()).prop_map(|(n, time)| Op::Retime(n, time)),
        1 => (n(), time()).prop_map(|(of, time)| Op::RetimeMany(of, time)),
        2 => (m(), text()).prop_map(|(n, text)| Op::Edit(n, text)),
        1 => (n(), text()).prop_map(|(of, text)| Op::EditMany(of, text)),
        2 => m().prop_map(Op::DeleteMessage),
        2 => (n(), time()).prop_map(|(of, before)| Op::DeleteMessages(of, before)),
        1 => n().prop_map(Op::Rebuild),
        1 => n().prop_map(Op::Recount),
    ]
}

fn of_posts() -> impl Strategy<Value = Op> + Clone {
    let n = || 0..EACH;
    let name = || 0..3_u8;
    prop_oneof![
        3 => (n(), name()).prop_map(|(n, name)| Op::InsertAuthor(n, name)),
        1 => (n(), name()).prop_map(|(n, name)| Op::NameAuthor(n, name)),
        2 => n().prop_map(Op::DeleteAuthor),
        2 => (n(), name()).prop_map(|(n, name)| Op::InsertTag(n, name)),
        1 => (n(), name()).prop_map(|(n, name)| Op::NameTag(n, name)),
        1 => n().prop_map(Op::DeleteTag),
        1 => vec(n(), 1..3).prop_map(Op::DeleteTags),
        3 => (n(), n(), vec(n(), 0..3)).prop_map(|(n, by, tags)| Op::InsertPost(n, by, tags)),
        2 => (n(), n(), vec(n(), 0..3)).prop_map(|(n, by, tags)| Op::SavePost(n, by, tags)),
        1 => (n(), name()).prop_map(|(n, title)| Op::Title(n, title)),
        2 => (n(), n()).prop_map(|(n, by)| Op::Author(n, by)),
        1 => (n(), n()).prop_map(|(n, tag)| Op::Tag(n, tag)),
        1 => (n(), n()).prop_map(|(n, tag)| Op::Untag(n, tag)),
        1 => n().prop_map(Op::DeletePost),
        1 => n().prop_map(Op::DeletePosts),
        1 => n().prop_map(Op::RecountPosts),
        2 => (n(), n()).prop_map(|(n, of)| Op::InsertReview(n, of)),
        1 => (n(), n()).prop_map(|(n, of)| Op::SaveReview(n, of)),
        1 => (n(), n()).prop_map(|(n, to)| Op::MoveReview(n, to)),
        1 => n().prop_map(Op::DeleteReview),
    ]
}

/// The same on a replica set, which has transactions as well.
fn op_in_set() -> impl Strategy<Value = Op> {
    let together = (vec(op(), 1..5), proptest::bool::weighted(0.75));
    prop_oneof![
        5 => op(),
        1 => together.prop_map(|(ops, commit)| Op::Together(ops, commit)),
    ]
}

fn said<T>(result: mongo_model::Result<T>) -> Result<Says, TestCaseError> {
    let error = match result {
        Ok(_) => return Ok(Says::Done),
        Err(error) => error,
    };
    Ok(match &error {
        Error::Dangling { .. } => Says::Dangling,
        Error::Referenced { .. } => Says::Referenced,
        Error::NotFound { .. } => Says::NotFound,
        Error::DerivedField { .. } => Says::Derived,
        Error::Duplicate { .. } => Says::Duplicate,
        _ => return Err(TestCaseError::fail(format!("{error:?}"))),
    })
}

/// Sends a call, in the transaction if there is one.
macro_rules! sent {
    ($tx:expr, $call:expr) => {
        match $tx {
            Some(tx) => said($call.within(tx).await),
            None => said($call.await),
        }
    };
}

/// Does one of them to the database.
async fn send(
    db: &Database,
    world: &World,
    op: &Op,
    tx: Option<&mut Transaction>,
) -> Result<Says, TestCaseError> {
    match op {
        Op::InsertPerson(n) => sent!(tx, Person::insert(db, &world::person(*n))),
        Op::SavePerson(n) => sent!(tx, world::person(*n).save(db)),
        Op::DeletePerson(n) => sent!(tx, Person::delete(db, key(*n))),
        Op::DeletePeople(ids) => {
            let ids = ids.iter().map(|n| key(*n));
            sent!(tx, Person::delete_many(db, |p| p.id.is_in(ids)))
        }
        Op::InsertTask(n, of) => sent!(tx, Task::insert(db, &world::task(*n, *of))),
        Op::InsertTasks(_) => {
            let new = world.new_tasks(op);
            sent!(tx, Task::insert_many(db, &new))
        }
        Op::Reassign(n, to) => sent!(tx, Task::reassign_owner(db, key(*n), key(*to))),
        Op::Own(n, to) => {
            let own = Task::update(db, key(*n)).set(|t| t.owner, to.map(key));
            sent!(tx, own)
        }
        Op::OwnMany(ids, to) => {
            let ids = ids.iter().map(|n| key(*n));
            let own = Task::update_many(db, |t| t.id.is_in(ids));
            sent!(tx, own.set(|t| t.owner, to.map(key)))
        }
        Op::Disown(n) => sent!(tx, Task::update(db, key(*n)).unset(|t| t.owner)),
        Op::SaveTask(n, of) => sent!(tx, world::task(*n, *of).save(db)),
        Op::AddTask(n, task) => sent!(tx, Person::add_task(db, key(*n), key(*task))),
        Op::RemoveTask(n, task) => sent!(tx, Person::remove_task(db, key(*n), key(*task))),
        Op::DeleteTask(n) => sent!(tx, Task::delete(db, key(*n))),
        Op::DeleteTasks(ids) => {
            let ids = ids.iter().map(|n| key(*n));
            sent!(tx, Task::delete_many(db, |t| t.id.is_in(ids)))
        }
        Op::InsertHost(n, ip) => sent!(tx, Host::insert(db, &world::host(*n, named(*ip)))),
        Op::SaveHost(n, ip) => sent!(tx, world::host(*n, named(*ip)).save(db)),
        Op::SaveStaleHost(n) => sent!(tx, world.read[n].save(db)),
        Op::Ip(n, ip) => sent!(tx, Host::update(db, key(*n)).set(|h| h.ipaddr, named(*ip))),
        Op::DeleteHost(n) => sent!(tx, Host::delete(db, key(*n))),
        Op::InsertMessage(n, of, time) => {
            sent!(tx, LogMsg::insert(db, &world::message(*n, *of, *time, 0)))
        }
        Op::InsertMessages(..) => {
            let new = world.new_messages(op);
            sent!(tx, LogMsg::insert_many(db, &new))
        }
        Op::SaveMessage(n, of, time, text) => {
            sent!(tx, world::message(*n, *of, *time, *text).save(db))
        }
        Op::Move(n, to) => {
            sent!(tx, LogMsg::update(db, key(*n)).set(|m| m.host, key(*to)))
        }
        Op::MoveMany(from, to) => {
            let moved = LogMsg::update_many(db, |m| m.host.eq(key(*from)));
            sent!(tx, moved.set(|m| m.host, key(*to)))
        }
        Op::Retime(n, time) => sent!(tx, LogMsg::update(db, key(*n)).set(|m| m.time, *time)),
        Op::RetimeMany(of, time) => {
            let retimed = LogMsg::update_many(db, |m| m.host.eq(key(*of)));
            sent!(tx, retimed.set(|m| m.time, *time))
        }
        Op::Edit(n, text) => {
            let edited = LogMsg::update(db, key(*n)).set(|m| m.message, named(*text));
            sent!(tx, edited)
        }
        Op::EditMany(of, text) => {
            let edited = LogMsg::update_many(db, |m| m.host.eq(key(*of)));
            sent!(tx, edited.set(|m| m.message, named(*text)))
        }
        Op::DeleteMessage(n) => sent!(tx, LogMsg::delete(db, key(*n))),
        Op::DeleteMessages(of, before) => {
            let these = LogMsg::delete_many(db, |m| m.host.eq(key(*of)).and(m.time.lt(*before)));
            sent!(tx, these)
        }
        Op::Rebuild(n) => said(Host::rebuild_logmsgs(db, key(*n)).await),
        Op::Recount(n) => said(Host::recount_messages(db, key(*n)).await),
        Op::RecountPosts(n) => said(Author::recount_posts(db, key(*n)).await),
        Op::Recover => said(recover(db).await),
        Op::ReadHost(_) | Op::Together(..) => unreachable!("done elsewhere"),
        posts => send_posts(db, posts, tx).await,
    }
}

async fn send_posts(
    db: &Database,
    op: &Op,
    tx: Option<&mut Transaction>,
) -> Result<Says, TestCaseError> {
    match op {
        Op::InsertAuthor(n, name) => {
            sent!(tx, Author::insert(db, &world::author(*n, named(*name))))
        }
        Op::NameAuthor(n, name) => {
            sent!(
                tx,
                Author::update(db, key(*n)).set(|a| a.name, named(*name))
            )
        }
        Op::DeleteAuthor(n) => sent!(tx, Author::delete(db, key(*n))),
        Op::InsertTag(n, name) => sent!(tx, Tag::insert(db, &world::tag(*n, named(*name)))),
        Op::NameTag(n, name) => sent!(tx, Tag::update(db, key(*n)).set(|t| t.name, named(*name))),
        Op::DeleteTag(n) => sent!(tx, Tag::delete(db, key(*n))),
        Op::DeleteTags(ids) => {
            let ids = ids.iter().map(|n| key(*n));
            sent!(tx, Tag::delete_many(db, |t| t.id.is_in(ids)))
        }
        Op::InsertPost(n, by, tags) => sent!(tx, Post::insert(db, &world::post(*n, *by, tags))),
        Op::SavePost(n, by, tags) => sent!(tx, world::post(*n, *by, tags).save(db)),
        Op::Title(n, title) => {
            sent!(
                tx,
                Post::update(db, key(*n)).set(|p| p.title, named(*title))
            )
        }
        Op::Author(n, by) => {
            let by = PostAuthor {
                id: key(*by),
                name: "wrong".to_owned(),
            };
            sent!(tx, Post::update(db, key(*n)).set(|p| p.author, by))
        }
        Op::Tag(n, tag) => {
            let tag = PostTag {
                id: key(*tag),
                name: "wrong".to_owned(),
            };
            sent!(tx, Post::update(db, key(*n)).push(|p| p.tags, tag))
        }
        Op::Untag(n, tag) => {
            let pull = Post::update(db, key(*n));
            sent!(tx, pull.pull_where(|p| p.tags, |e| e.id.eq(key(*tag))))
        }
        Op::DeletePost(n) => sent!(tx, Post::delete(db, key(*n))),
        Op::DeletePosts(by) => {
            sent!(tx, Post::delete_many(db, |p| p.author.id.eq(key(*by))))
        }
        Op::InsertReview(n, of) => sent!(tx, Review::insert(db, &world::review(*n, *of))),
        Op::SaveReview(n, of) => sent!(tx, world::review(*n, *of).save(db)),
        Op::MoveReview(n, to) => {
            sent!(tx, Review::update(db, key(*n)).set(|r| r.post, key(*to)))
        }
        Op::DeleteReview(n) => sent!(tx, Review::delete(db, key(*n))),
        other => unreachable!("{other:?} is none of posts"),
    }
}

/// Runs the same operation on the database and on the world, and compares the results.
async fn step(
    db: &Database,
    world: &mut World,
    op: &Op,
    tx: Option<&mut Transaction>,
) -> Result<(), TestCaseError> {
    match op {
        Op::Together(ops, commit) => return together(db, world, ops, *commit).await,
        Op::ReadHost(n) => {
            if tx.is_none()
                && let Some(host) = Host::get(db, key(*n)).await.expect("read")
            {
                world.read.insert(*n, host);
            }
            return Ok(());
        }
        Op::SaveStaleHost(n) if !world.read.contains_key(n) => return Ok(()),
        // These take no session.
        Op::Rebuild(_) | Op::Recount(_) | Op::RecountPosts(_) | Op::Recover if tx.is_some() => {
            return Ok(());
        }
        _ => {}
    }
    let mut after = world.clone();
    let says = after.apply(op);
    if tx.is_some() && says.contains(&Says::Duplicate) {
        // The server would end the transaction.
        return Ok(());
    }
    if tx.is_some() {
        let (before, now) = (world.keys(), after.keys());
        if now.iter().any(|key| world.gone.contains(key)) {
            // Documents deleted in a transaction stay stored until it ends, as tombstones.
            return Ok(());
        }
        after.gone.extend(before.difference(&now));
    }
    let said = send(db, world, op, tx).await?;
    prop_assert!(
        says.contains(&said),
        "{op:?} says {said:?}, and should {says:?}"
    );
    *world = after;
    Ok(())
}

async fn together(
    db: &Database,
    world: &mut World,
    ops: &[Op],
    commit: bool,
) -> Result<(), TestCaseError> {
    let before = world.clone();
    let mut tx = Transaction::begin(db).await.expect("begun");
    for op in ops {
        Box::pin(step(db, world, op, Some(&mut tx))).await?;
    }
    if commit {
        let left = tx.commit(db).await;
        prop_assert!(left.as_ref().is_ok_and(Vec::is_empty), "{left:?}");
    } else {
        tx.abort().await.expect("aborted");
        *world = before;
    }
    world.gone.clear();
    Ok(())
}

async fn run(db: &Database, ops: &[Op]) -> Result<(), TestCaseError> {
    index(db).await.expect("indexes");
    let mut world = World::default();
    for op in ops {
        step(db, &mut world, op, None).await?;
        world.same(db).await?;
    }
    let found = verify(db).await.expect("verified");
    prop_assert!(found.is_clean() && found.unsettled == 0, "{found}");
    // Tokens of counted children may stay until a sweeper removes them.
    recover(db).await.expect("recovered");
    prop_assert_eq!(flagged(db).await.expect("counted"), 0);
    let stored = world::stored(db).await;
    let again = recover(db).await.expect("recovered");
    prop_assert!(again.is_idle(), "{again:?}");
    prop_assert_eq!(world::stored(db).await, stored);
    world.same(db).await
}

fn holds(topology: Topology, op: impl Strategy<Value = Op>, cases: u32) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime
        .block_on(DevServer::shared(topology))
        .expect("a server");
    let client = runtime.block_on(server.client()).expect("a client");
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&vec(op, 1..48), |ops| {
        runtime.block_on(async {
            let db = client.database(&server.unique_db("property_kept"));
            let outcome = run(&db, &ops).await;
            db.drop().await.expect("dropped");
            outcome
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn parents_keep_what_their_children_say_on_a_standalone() {
    holds(Topology::Standalone, op(), 24);
}

#[test]
fn parents_keep_what_their_children_say_in_a_set() {
    holds(Topology::ReplicaSet(1), op_in_set(), 24);
}
