//! The operations of clients on these models, with the library and, for comparison, by hand.

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Database, Error, Id, MongoModel};

use super::members;
use super::models::{
    Author, Host, LAST, LogMsg, Note, Person, Post, PostAuthor, PostTag, Review, Section, Tag,
    Task, Word, key, moment,
};
use crate::client::Mode;
use crate::random::Random;

const PEOPLE: u8 = 4;
const TASKS: u8 = 6;
const HOSTS: u8 = 3;
const MESSAGES: u8 = 24;
const AUTHORS: u8 = 3;
const TAGS: u8 = 4;
const POSTS: u8 = 6;
const REVIEWS: u8 = 3;

/// A person without tasks.
#[must_use]
pub fn person(n: u8) -> Person {
    Person {
        id: key(n),
        tasks: Vec::new(),
    }
}

/// A task with or without an owner.
#[must_use]
pub fn task(n: u8, owner: Option<u8>) -> Task {
    Task {
        id: key(n),
        owner: owner.map(key),
        title: "new".to_owned(),
    }
}

/// A host without messages.
#[must_use]
pub fn host(n: u8) -> Host {
    Host {
        id: key(n),
        ipaddr: fresh(),
        logmsgs: Vec::new(),
        messages: 0,
    }
}

/// A message of a host, with a copy that is wrong.
#[must_use]
pub fn message(n: u8, host: u8, time: i64) -> LogMsg {
    LogMsg {
        id: key(n),
        host: key(host),
        ipaddr: "wrong".to_owned(),
        time,
        message: fresh(),
        at: moment(time),
    }
}

/// An author without posts.
#[must_use]
pub fn author(n: u8) -> Author {
    Author {
        id: key(n),
        name: fresh(),
        posts: 0,
    }
}

/// A tag.
#[must_use]
pub fn tag(n: u8) -> Tag {
    Tag {
        id: key(n),
        name: fresh(),
    }
}

/// A post with copies that are wrong.
#[must_use]
pub fn post(n: u8, author: u8, tags: &[u8]) -> Post {
    let wrong = || "wrong".to_owned();
    let notes = |n: &u8| Note {
        tag: key(*n),
        name: wrong(),
    };
    let notes: Vec<Note> = tags.iter().map(notes).collect();
    let bare = Section { notes: Vec::new() };
    let words = tags
        .iter()
        .map(|n| (format!("${n}.word"), Word { tag: key(*n) }));
    let words = words.collect();
    let tags = tags.iter().map(|n| PostTag {
        id: key(*n),
        name: wrong(),
    });
    Post {
        id: key(n),
        author: PostAuthor {
            id: key(author),
            name: wrong(),
        },
        tags: tags.collect(),
        sections: vec![bare, Section { notes }],
        words,
        title: fresh(),
    }
}

/// A review with a copy that is wrong.
#[must_use]
pub fn review(n: u8, post: u8) -> Review {
    Review {
        id: key(n),
        post: key(post),
        title: "wrong".to_owned(),
    }
}

fn fresh() -> String {
    format!("n{}", ObjectId::new().to_hex())
}

/// Stores the initial documents of a run.
///
/// # Errors
/// The library's.
pub async fn seed(db: &Database) -> mongo_model::Result<()> {
    Person::insert_many(db, &(0..PEOPLE).map(person).collect::<Vec<_>>()).await?;
    let tasks = (0..TASKS).map(|n| task(n, Some(n % PEOPLE)));
    Task::insert_many(db, &tasks.collect::<Vec<_>>()).await?;
    Host::insert_many(db, &(0..HOSTS).map(host).collect::<Vec<_>>()).await?;
    let messages = (0..MESSAGES).map(|n| message(n, n % HOSTS, i64::from(n)));
    LogMsg::insert_many(db, &messages.collect::<Vec<_>>()).await?;
    Author::insert_many(db, &(0..AUTHORS).map(author).collect::<Vec<_>>()).await?;
    Tag::insert_many(db, &(0..TAGS).map(tag).collect::<Vec<_>>()).await?;
    let posts = (0..POSTS).map(|n| post(n, n % AUTHORS, &[n % TAGS]));
    Post::insert_many(db, &posts.collect::<Vec<_>>()).await?;
    members::seed(db).await
}

/// True if a call may return this error while other clients delete the documents that it needs.
#[must_use]
pub fn expected(error: &Error) -> bool {
    matches!(
        error,
        Error::Dangling { .. } | Error::Referenced { .. } | Error::Unsettled { .. }
    ) || members::expected(error)
}

/// One operation of the library, on documents that every other client uses as well.
///
/// # Errors
/// The library's.
pub(crate) async fn step(
    db: &Database,
    mode: Mode,
    random: &mut Random,
) -> mongo_model::Result<()> {
    match mode {
        Mode::Model => with_the_library(db, random).await,
        Mode::Naive => Ok(by_hand(db, random).await?),
    }
}

async fn with_the_library(db: &Database, random: &mut Random) -> mongo_model::Result<()> {
    let time = i64::from(random.below(40));
    let (m, h) = (random.below(MESSAGES), random.below(HOSTS));
    let (t, p) = (random.below(TASKS), random.below(PEOPLE));
    match random.below(34) {
        0..=2 => {
            Task::reassign_owner(db, key(t), key(p)).await?;
        }
        3 => {
            let owner = (random.below(3) > 0).then(|| key(p));
            Task::update(db, key(t)).set(|t| t.owner, owner).await?;
        }
        4 => {
            let saved = task(t, Some(p));
            saved.save(db).await?;
        }
        5 => {
            Task::delete(db, key(t)).await?;
        }
        6 => {
            Task::insert(db, &task(t, Some(p))).await?;
        }
        7 => {
            Person::delete(db, key(p)).await?;
            Person::insert(db, &person(p)).await?;
        }
        8..=10 => {
            LogMsg::insert(db, &message(m, h, time)).await?;
        }
        11 | 12 => {
            LogMsg::delete(db, key(m)).await?;
        }
        13 => {
            LogMsg::update(db, key(m)).set(|m| m.host, key(h)).await?;
        }
        14 => {
            let moved = LogMsg::update(db, key(m)).set(|m| m.time, time);
            match random.below(3) {
                0 => moved.await?,
                1 => moved.set(|m| m.at, moment(time)).await?,
                _ => {
                    let later = LogMsg::update(db, key(m)).set(|m| m.at, moment(time));
                    later.await?
                }
            };
        }
        15 => {
            LogMsg::update(db, key(m))
                .set(|m| m.message, fresh())
                .await?;
        }
        16 => {
            let first = random.below(MESSAGES - 3);
            let new: Vec<_> = (first..first + 3).map(|n| message(n, h, time)).collect();
            LogMsg::insert_many(db, &new).await?;
        }
        17 => {
            Host::delete(db, key(h)).await?;
            Host::insert(db, &host(h)).await?;
        }
        18 => {
            // A client that deleted one of these may have died before it stored it again.
            Person::insert(db, &person(p)).await?;
            Host::insert(db, &host(h)).await?;
        }
        19 => {
            Host::update(db, key(h)).set(|h| h.ipaddr, fresh()).await?;
        }
        20..=23 => members::stickers(db, random, (TAGS, AUTHORS)).await?,
        24..=27 => members::clubs(db, random).await?,
        _ => posts(db, random).await?,
    }
    Ok(())
}

async fn posts(db: &Database, random: &mut Random) -> mongo_model::Result<()> {
    let (a, g) = (random.below(AUTHORS), random.below(TAGS));
    let (p, r) = (random.below(POSTS), random.below(REVIEWS));
    match random.below(11) {
        0 | 1 => {
            Post::insert(db, &post(p, a, &[g])).await?;
        }
        8 => {
            Tag::update(db, key(g)).set(|t| t.name, fresh()).await?;
        }
        9 => {
            // Elements are stored with the document that holds them.
            post(p, a, &[g, random.below(TAGS)]).save(db).await?;
        }
        2 => {
            Author::delete(db, key(a)).await?;
            Author::insert(db, &author(a)).await?;
        }
        3 => {
            Tag::delete(db, key(g)).await?;
            Tag::insert(db, &tag(g)).await?;
        }
        4 => {
            Review::insert(db, &review(r, p)).await?;
        }
        5 => {
            Review::delete(db, key(r)).await?;
        }
        6 => {
            Author::insert(db, &author(a)).await?;
            Tag::insert(db, &tag(g)).await?;
        }
        7 => {
            Post::update(db, key(p)).set(|p| p.title, fresh()).await?;
        }
        _ => {
            Post::delete(db, key(p)).await?;
        }
    }
    Ok(())
}

/// The same as most programs do it: one write after the other, and no flag for the pending ones.
async fn by_hand(db: &Database, random: &mut Random) -> mongodb::error::Result<()> {
    let raw = |name: &str| db.collection::<Document>(name);
    let (m, h) = (random.below(MESSAGES), random.below(HOSTS));
    let (t, p) = (random.below(TASKS), random.below(PEOPLE));
    let task = doc! { "_id": *key::<Task>(t).as_raw() };
    let host = *key::<Host>(h).as_raw();
    let late = |random: &mut Random| {
        let pause = random.below(40);
        tokio::time::sleep(std::time::Duration::from_millis(pause.into()))
    };
    match random.below(3) {
        0 => {
            let owner = *key::<Person>(p).as_raw();
            let to = doc! { "$set": { "owner": owner } };
            let before = raw("tasks").find_one_and_update(task.clone(), to).await?;
            late(random).await;
            let id = task.get("_id").cloned();
            if let Some(before) = before.and_then(|task| task.get_i64("owner").ok()) {
                let pull = doc! { "$pull": { "tasks": id.clone() } };
                raw("people")
                    .update_one(doc! { "_id": before }, pull)
                    .await?;
            }
            late(random).await;
            let push = doc! { "$addToSet": { "tasks": id } };
            raw("people")
                .update_one(doc! { "_id": owner }, push)
                .await?;
        }
        1 => {
            let new = message(m, h, i64::from(random.below(40)));
            let new = bson::serialize_to_document(&new).expect("encoded");
            raw("logmsg").insert_one(new.clone()).await?;
            late(random).await;
            let shown = doc! { "id": new.get("_id"), "time": new.get("time"), "message": new.get("message") };
            let last = i32::try_from(LAST).unwrap_or(i32::MAX);
            let push = doc! {
                "$push": { "logmsgs": { "$each": [shown], "$sort": { "time": 1, "id": 1 }, "$slice": -last } },
            };
            raw("hosts").update_one(doc! { "_id": host }, push).await?;
            late(random).await;
            let count = doc! { "$inc": { "messages": 1_i64 } };
            raw("hosts").update_one(doc! { "_id": host }, count).await?;
            late(random).await;
            let time = new.get_i64("time").unwrap_or_default();
            let day = doc! { "_id": { "p": host, "d": moment(time / 4 * 4) } };
            let extremes = doc! { "$inc": { "messages": 1_i64 }, "$min": { "first": time }, "$max": { "last": time } };
            raw("host_days")
                .update_one(day, extremes)
                .upsert(true)
                .await?;
        }
        _ => {
            let id: Id<LogMsg, i64> = key(m);
            let gone = raw("logmsg")
                .find_one_and_delete(doc! { "_id": *id.as_raw() })
                .await?;
            late(random).await;
            if let Some(host) = gone.and_then(|gone| gone.get_i64("host").ok()) {
                let less = doc! {
                    "$pull": { "logmsgs": { "id": *id.as_raw() } },
                    "$inc": { "messages": -1_i64 },
                };
                raw("hosts").update_one(doc! { "_id": host }, less).await?;
            }
        }
    }
    Ok(())
}
