//! Writes that are stopped half way, each on documents that [`prepare`] stores.

use bson::doc;
use mongo_model::{Database, Error, MongoModel, transaction};

use super::client::{author, host, message, person, post, review, tag, task};
use super::members::{club, fellow, member, sticker};
use super::models::{
    Author, COLLECTIONS, Club, Fellow, Host, LogMsg, Person, Post, Review, Sticker, Tag, Task, key,
};

/// The writes by name.
pub const STEPS: [&str; 34] = [
    "reassign",
    "set an owner",
    "set no owner",
    "save another owner",
    "insert a task",
    "insert tasks",
    "delete a task",
    "delete a person",
    "insert a message",
    "insert messages",
    "edit a message",
    "move a message in time",
    "move a message",
    "move messages",
    "save a message elsewhere",
    "delete a message",
    "delete messages",
    "delete a host",
    "rebuild",
    "recount",
    "delete a tag",
    "delete an author",
    "delete an author with a review",
    "delete a post",
    "insert an author",
    "insert a person after tasks",
    "insert a sticker",
    "move a sticker",
    "save a sticker elsewhere",
    "join a club",
    "leave a club",
    "replace the members of a club",
    "delete a fellow",
    "delete a club",
];

/// Writes that need a replica set.
pub const IN_TRANSACTION: [&str; 3] = [
    "reassign in a transaction",
    "insert and move in a transaction",
    "delete in a transaction",
];

/// Every point of the library where one of these writes can stop.
pub const POINTS: [&str; 30] = [
    "before_w1",
    "after_w1",
    "after_w2",
    "after_w3",
    "before_i1",
    "after_i1",
    "after_i2",
    "after_i3",
    "before_d1",
    "after_d1",
    "mid_d1",
    "mid_d2",
    "after_d2",
    "after_freeze",
    "before_d3",
    "after_d3",
    "after_c1",
    "after_c2",
    "after_c3",
    "after_c4",
    "begin_after_children",
    "begin_after_list",
    "after_fused",
    "after_fused_clear",
    "recent_after_pull",
    "recent_after_refill",
    "2w_after_p1",
    "2w_after_w1",
    "2w_mid_bulk",
    "2w_after_w3",
];

/// Stores two people with two tasks, two hosts, the first with more messages than it keeps, two authors with three posts of two
/// tags, one of them with a review, two stickers, three fellows and two clubs; and nothing else. The indexes have to be there.
///
/// # Errors
/// The library's, and the driver's.
pub async fn prepare(db: &Database) -> mongo_model::Result<()> {
    for collection in COLLECTIONS {
        let all = db.collection::<bson::Document>(collection);
        all.delete_many(doc! {}).await?;
    }
    Person::insert_many(db, [&person(0), &person(1)]).await?;
    Task::insert_many(db, [&task(0, Some(0)), &task(1, Some(0))]).await?;
    Host::insert_many(db, [&host(0), &host(1)]).await?;
    let messages: Vec<_> = (0..8).map(|n| message(n, 0, i64::from(n) * 10)).collect();
    LogMsg::insert_many(db, &messages).await?;
    LogMsg::insert(db, &message(8, 1, 5)).await?;
    Author::insert_many(db, [&author(0), &author(1)]).await?;
    Tag::insert_many(db, [&tag(0), &tag(1)]).await?;
    let posts = [post(0, 0, &[0, 1]), post(1, 0, &[0]), post(2, 1, &[1])];
    Post::insert_many(db, &posts).await?;
    Review::insert(db, &review(0, 2)).await?;
    Sticker::insert_many(db, [&sticker(0, 0, Some(0)), &sticker(1, 1, None)]).await?;
    Fellow::insert_many(db, [&fellow(0), &fellow(1), &fellow(2)]).await?;
    Club::insert_many(db, [&club(0, &[0, 1]), &club(1, &[])]).await?;
    // Another program's task, of a person that is stored later.
    let tasks = db.collection::<Task>("tasks");
    let later = [task(20, Some(5)), task(21, Some(5))];
    tasks.insert_many(later).await?;
    Ok(())
}

/// Runs one write. It can be run twice.
///
/// # Errors
/// The library's errors, and those that a fail point causes.
///
/// # Panics
/// If there is no step of this name.
pub async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    match step {
        "reassign" => {
            Task::reassign_owner(db, key(0), key(1)).await?;
        }
        "set an owner" => {
            Task::update(db, key(0))
                .set(|t| t.owner, Some(key(1)))
                .await?;
        }
        "set no owner" => {
            Task::update(db, key(0)).unset(|t| t.owner).await?;
        }
        "save another owner" => {
            task(0, Some(1)).save(db).await?;
        }
        "insert a task" => {
            Task::insert(db, &task(2, Some(1))).await?;
        }
        "insert tasks" => {
            Task::insert_many(db, [&task(2, Some(0)), &task(3, Some(1)), &task(4, None)]).await?;
        }
        "delete a task" => gone(Task::delete(db, key(0)).await.map(drop))?,
        "delete a person" => gone(Person::delete(db, key(0)).await.map(drop))?,
        "insert a message" => {
            LogMsg::insert(db, &message(9, 0, 45)).await?;
        }
        "insert messages" => {
            let new: Vec<_> = (9..12).map(|n| message(n, n % 2, 100)).collect();
            LogMsg::insert_many(db, &new).await?;
        }
        "edit a message" => {
            LogMsg::update(db, key(6)).set(|m| m.message, "hm").await?;
        }
        "move a message in time" => {
            LogMsg::update(db, key(6)).set(|m| m.time, 1).await?;
        }
        "move a message" => {
            LogMsg::update(db, key(7)).set(|m| m.host, key(1)).await?;
        }
        "move messages" => {
            LogMsg::update_many(db, |m| m.host.eq(key(0)))
                .set(|m| m.host, key(1))
                .await?;
        }
        "save a message elsewhere" => {
            message(7, 1, 3).save(db).await?;
        }
        "delete a message" => gone(LogMsg::delete(db, key(7)).await.map(drop))?,
        "delete messages" => {
            LogMsg::delete_many(db, |m| m.host.eq(key(0))).await?;
        }
        "delete a host" => gone(Host::delete(db, key(0)).await.map(drop))?,
        "rebuild" => Host::rebuild_logmsgs(db, key(0)).await?,
        "recount" => Host::recount_messages(db, key(0)).await?,
        "delete a tag" => gone(Tag::delete(db, key(0)).await.map(drop))?,
        "delete an author" => gone(Author::delete(db, key(0)).await.map(drop))?,
        "delete an author with a review" => match Author::delete(db, key(1)).await {
            Err(Error::Referenced { .. }) => {}
            Err(error) => return Err(error),
            Ok(_) => panic!("it is reviewed"),
        },
        "delete a post" => gone(Post::delete(db, key(0)).await.map(drop))?,
        "insert an author" => {
            Author::insert(db, &author(5)).await?;
        }
        "insert a person after tasks" => {
            Person::insert(db, &person(5)).await?;
        }
        "insert a sticker" => {
            Sticker::insert(db, &sticker(2, 0, Some(0))).await?;
        }
        "move a sticker" => {
            Sticker::update(db, key(0)).set(|s| s.tag, key(1)).await?;
        }
        "save a sticker elsewhere" => {
            sticker(1, 0, Some(0)).save(db).await?;
        }
        "join a club" => {
            Club::add_member(db, key(1), member(0, 1)).await?;
        }
        "leave a club" => {
            Fellow::remove_club(db, key(0), key(0)).await?;
        }
        "replace the members of a club" => {
            Club::replace_members(db, key(0), [member(0, 7), member(2, 8)]).await?;
        }
        "delete a fellow" => gone(Fellow::delete(db, key(0)).await.map(drop))?,
        "delete a club" => gone(Club::delete(db, key(0)).await.map(drop))?,
        "reassign in a transaction" => {
            transaction(db, async |tx| {
                Task::reassign_owner(db, key(0), key(1)).within(tx).await?;
                Task::insert(db, &task(2, Some(1))).within(tx).await?;
                Ok(())
            })
            .await?;
        }
        "insert and move in a transaction" => {
            transaction(db, async |tx| {
                LogMsg::insert(db, &message(9, 0, 45)).within(tx).await?;
                let other = LogMsg::update(db, key(7)).set(|m| m.host, key(1));
                other.within(tx).await?;
                Ok(())
            })
            .await?;
        }
        "delete in a transaction" => {
            transaction(db, async |tx| {
                gone(LogMsg::delete(db, key(7)).within(tx).await.map(drop))?;
                gone(Tag::delete(db, key(0)).within(tx).await.map(drop))?;
                gone(Author::delete(db, key(0)).within(tx).await.map(drop))
            })
            .await?;
        }
        _ => panic!("there is no step {step}"),
    }
    Ok(())
}

/// `NotFound` is success: the document is deleted already.
fn gone(deleted: mongo_model::Result<()>) -> mongo_model::Result<()> {
    match deleted {
        Err(Error::NotFound { .. }) => Ok(()),
        other => other,
    }
}
