//! The expected contents of the database and the expected results of calls, for operations on the models of `kept`.

mod says;

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model_soak::kept::models::{
    Author, COLLECTIONS, Host, LAST, LogMsg, Person, Post, PostAuthor, PostTag, Review, Tag, Task,
    key, moment,
};
use mongodb::Database;
use proptest::prelude::*;

/// How many documents of a model there may be.
pub(super) const EACH: u8 = 3;
/// How many messages: more than a host lists.
pub(super) const MESSAGES: u8 = 8;

/// One operation. Numbers are those of documents, titles, texts and times; of references the last.
#[derive(Debug, Clone)]
pub(super) enum Op {
    InsertPerson(u8),
    SavePerson(u8),
    DeletePerson(u8),
    DeletePeople(Vec<u8>),
    InsertTask(u8, Option<u8>),
    InsertTasks(Vec<(u8, Option<u8>)>),
    Reassign(u8, u8),
    Own(u8, Option<u8>),
    OwnMany(Vec<u8>, Option<u8>),
    Disown(u8),
    SaveTask(u8, Option<u8>),
    AddTask(u8, u8),
    RemoveTask(u8, u8),
    DeleteTask(u8),
    DeleteTasks(Vec<u8>),
    InsertHost(u8, u8),
    SaveHost(u8, u8),
    /// A host that is remembered with all that it keeps, to be saved later.
    ReadHost(u8),
    SaveStaleHost(u8),
    Ip(u8, u8),
    DeleteHost(u8),
    InsertMessage(u8, u8, i64),
    InsertMessages(Vec<u8>, u8, i64),
    SaveMessage(u8, u8, i64, u8),
    Move(u8, u8),
    MoveMany(u8, u8),
    Retime(u8, i64),
    RetimeMany(u8, i64),
    Edit(u8, u8),
    EditMany(u8, u8),
    DeleteMessage(u8),
    /// Those of a host that are older.
    DeleteMessages(u8, i64),
    Rebuild(u8),
    Recount(u8),
    InsertAuthor(u8, u8),
    NameAuthor(u8, u8),
    DeleteAuthor(u8),
    InsertTag(u8, u8),
    NameTag(u8, u8),
    DeleteTag(u8),
    DeleteTags(Vec<u8>),
    InsertPost(u8, u8, Vec<u8>),
    SavePost(u8, u8, Vec<u8>),
    Title(u8, u8),
    Author(u8, u8),
    Tag(u8, u8),
    Untag(u8, u8),
    DeletePost(u8),
    /// Those of an author.
    DeletePosts(u8),
    RecountPosts(u8),
    InsertReview(u8, u8),
    SaveReview(u8, u8),
    MoveReview(u8, u8),
    DeleteReview(u8),
    Recover,
    /// In a transaction that is committed, or aborted.
    Together(Vec<Op>, bool),
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Done,
    Dangling,
    Referenced,
    NotFound,
    Derived,
    Duplicate,
}

/// A name that is given again soon.
pub(super) fn named(name: u8) -> String {
    // Some of them would be an operator or a field if the server did not get them as literals.
    ["new", "$time", "$$ROOT"][usize::from(name)].to_owned()
}

pub(super) fn person(n: u8) -> Person {
    Person {
        id: key(n),
        tasks: Vec::new(),
    }
}

pub(super) fn task(n: u8, owner: Option<u8>) -> Task {
    Task {
        id: key(n),
        owner: owner.map(key),
        title: named(0),
    }
}

pub(super) fn host(n: u8, ipaddr: String) -> Host {
    Host {
        id: key(n),
        ipaddr,
        logmsgs: Vec::new(),
        messages: 0,
    }
}

pub(super) fn message(n: u8, host: u8, time: i64, text: u8) -> LogMsg {
    LogMsg {
        id: key(n),
        host: key(host),
        ipaddr: "wrong".to_owned(),
        time,
        message: named(text),
        at: moment(time),
    }
}

pub(super) fn author(n: u8, name: String) -> Author {
    Author {
        id: key(n),
        name,
        posts: 0,
    }
}

pub(super) fn tag(n: u8, name: String) -> Tag {
    Tag { id: key(n), name }
}

pub(super) fn post(n: u8, by: u8, tags: &[u8]) -> Post {
    let wrong = || "wrong".to_owned();
    let tags = distinct(tags).into_iter().map(|n| PostTag {
        id: key(n),
        name: wrong(),
    });
    Post {
        id: key(n),
        author: PostAuthor {
            id: key(by),
            name: wrong(),
        },
        tags: tags.collect(),
        sections: Vec::new(),
        words: BTreeMap::new(),
        title: named(0),
    }
}

pub(super) fn review(n: u8, post: u8) -> Review {
    Review {
        id: key(n),
        post: key(post),
        title: "wrong".to_owned(),
    }
}

fn distinct(ids: &[u8]) -> Vec<u8> {
    let mut seen = BTreeSet::new();
    ids.iter().copied().filter(|n| seen.insert(*n)).collect()
}

#[derive(Debug, Clone, PartialEq)]
struct Message {
    of: u8,
    time: i64,
    /// The number of its moment.
    at: i64,
    text: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Written {
    by: u8,
    tags: Vec<u8>,
    title: String,
}

/// The expected contents of the database, and the documents read from it earlier.
#[derive(Debug, Default, Clone)]
pub(super) struct World {
    people: BTreeSet<u8>,
    tasks: BTreeMap<u8, Option<u8>>,
    hosts: BTreeMap<u8, String>,
    messages: BTreeMap<u8, Message>,
    authors: BTreeMap<u8, String>,
    tags: BTreeMap<u8, String>,
    posts: BTreeMap<u8, Written>,
    reviews: BTreeMap<u8, u8>,
    /// The documents read from the database earlier.
    pub(super) read: BTreeMap<u8, Host>,
    /// The keys deleted in the transaction: their tombstones may occupy them until it ends.
    pub(super) gone: BTreeSet<(&'static str, u8)>,
}

impl World {
    /// The tasks that are inserted together: those that are not there.
    pub(super) fn new_tasks(&self, op: &Op) -> Vec<Task> {
        let Op::InsertTasks(tasks) = op else {
            return Vec::new();
        };
        let new: BTreeMap<u8, Option<u8>> = tasks.iter().copied().collect();
        let new = new.into_iter().filter(|(n, _)| !self.tasks.contains_key(n));
        new.map(|(n, of)| task(n, of)).collect()
    }

    /// The messages that are inserted together: those that are not there.
    pub(super) fn new_messages(&self, op: &Op) -> Vec<LogMsg> {
        let Op::InsertMessages(ids, of, time) = op else {
            return Vec::new();
        };
        let new = distinct(ids).into_iter();
        let new = new.filter(|n| !self.messages.contains_key(n));
        new.map(|n| message(n, *of, *time, 0)).collect()
    }

    /// Every document.
    pub(super) fn keys(&self) -> BTreeSet<(&'static str, u8)> {
        let mut keys = BTreeSet::new();
        let mut add = |name, ids: Vec<u8>| keys.extend(ids.into_iter().map(|n| (name, n)));
        add("people", self.people.iter().copied().collect());
        add("tasks", self.tasks.keys().copied().collect());
        add("hosts", self.hosts.keys().copied().collect());
        add("logmsg", self.messages.keys().copied().collect());
        add("authors", self.authors.keys().copied().collect());
        add("tags", self.tags.keys().copied().collect());
        add("posts", self.posts.keys().copied().collect());
        add("reviews", self.reviews.keys().copied().collect());
        keys
    }

    fn nobody(&self, n: Option<u8>) -> bool {
        n.is_some_and(|n| !self.people.contains(&n))
    }

    /// The expected documents of each collection.
    fn documents(&self) -> BTreeMap<&'static str, Vec<Document>> {
        let id = |n: u8| i64::from(n) + 1;
        let people = self.people.iter().map(|n| {
            let mine = self.tasks.iter().filter(|(_, of)| **of == Some(*n));
            let mine: Vec<i64> = mine.map(|(task, _)| id(*task)).collect();
            doc! { "_id": id(*n), "tasks": mine }
        });
        let tasks = self.tasks.iter().map(|(n, of)| {
            let mut task = doc! { "_id": id(*n), "title": named(0) };
            if let Some(of) = of {
                task.insert("owner", id(*of));
            }
            task
        });
        let hosts = self.hosts.iter().map(|(n, ip)| {
            let mut mine: Vec<_> = self.messages.iter().filter(|(_, m)| m.of == *n).collect();
            let all = i64::try_from(mine.len()).expect("few");
            mine.sort_by_key(|(n, message)| (message.time, **n));
            let last = mine.split_off(mine.len().saturating_sub(LAST)).into_iter();
            let last = last.map(|(n, m)| doc! { "id": id(*n), "time": m.time, "message": &m.text });
            let last: Vec<Document> = last.collect();
            doc! { "_id": id(*n), "ipaddr": ip, "logmsgs": last, "messages": all }
        });
        let messages = self.messages.iter().map(|(n, m)| {
            let ip = &self.hosts[&m.of];
            doc! { "_id": id(*n), "host": id(m.of), "ipaddr": ip, "time": m.time, "message": &m.text, "at": moment(m.at) }
        });
        let authors = self.authors.iter().map(|(n, name)| {
            let posts = self.posts.values().filter(|post| post.by == *n).count();
            let posts = i64::try_from(posts).expect("few");
            doc! { "_id": id(*n), "name": name, "posts": posts }
        });
        let tags = self.tags.iter();
        let tags = tags.map(|(n, name)| doc! { "_id": id(*n), "name": name });
        let posts = self.posts.iter().map(|(n, post)| {
            let tags = post.tags.iter();
            let tags = tags.map(|tag| doc! { "id": id(*tag), "name": &self.tags[tag] });
            let tags: Vec<Document> = tags.collect();
            let by = doc! { "id": id(post.by), "name": &self.authors[&post.by] };
            doc! {
                "_id": id(*n),
                "author": by,
                "tags": tags,
                "sections": [],
                "words": {},
                "title": &post.title,
            }
        });
        let reviews = self.reviews.iter().map(|(n, post)| {
            doc! { "_id": id(*n), "post": id(*post), "title": &self.posts[post].title }
        });
        BTreeMap::from([
            ("people", people.collect()),
            ("tasks", tasks.collect()),
            ("hosts", hosts.collect()),
            ("logmsg", messages.collect()),
            ("host_days", self.days()),
            ("authors", authors.collect()),
            ("tags", tags.collect()),
            ("posts", posts.collect()),
            ("reviews", reviews.collect()),
        ])
    }

    /// The days of hosts that have messages.
    fn days(&self) -> Vec<Document> {
        let mut days: BTreeMap<(u8, i64), Vec<i64>> = BTreeMap::new();
        for message in self.messages.values() {
            // Four moments are on one day.
            let day = message.at.div_euclid(4);
            days.entry((message.of, day))
                .or_default()
                .push(message.time);
        }
        let days = days.into_iter().map(|((of, day), times)| {
            let id = doc! { "p": i64::from(of) + 1, "d": moment(day * 4) };
            let messages = i64::try_from(times.len()).expect("few");
            let (first, last) = (times.iter().min().copied(), times.iter().max().copied());
            doc! { "_id": id, "messages": messages, "first": first, "last": last }
        });
        days.collect()
    }

    /// Checks that the database has these contents, and that nothing in it is pending once all work behind the answers is done.
    ///
    /// # Errors
    /// The difference.
    pub(super) async fn same(&self, db: &Database) -> Result<(), TestCaseError> {
        mongo_model::settle(db).await;
        let expected = self.documents();
        for (collection, mut stored) in stored(db).await {
            for document in &mut stored {
                let own = document.remove("_dn");
                without_revisions(document);
                let own = own.as_ref().and_then(Bson::as_document);
                let waits = ["p", "u", "v", "c", "o", "del"]
                    .into_iter()
                    .filter(|flag| own.is_some_and(|own| own.contains_key(flag)));
                let waits: Vec<_> = waits.collect();
                prop_assert!(waits.is_empty(), "{collection} {document}: {own:?}");
                // An order is not promised.
                if let Ok(tasks) = document.get_array_mut("tasks") {
                    tasks.sort_by_key(Bson::as_i64);
                }
                // None may be stored, or left out.
                let none = document.get("owner") == Some(&Bson::Null);
                if none {
                    document.remove("owner");
                }
            }
            // A day whose messages have gone, or were refused, may stay.
            let empty = doc! { "messages": 0_i64, "first": null, "last": null };
            stored.retain(|document| {
                let mut rest = document.clone();
                rest.remove("_id");
                rest != empty
            });
            // The other collections of the family stay empty.
            let expected = expected.get(collection).map_or(&[][..], Vec::as_slice);
            prop_assert_eq!(&stored[..], expected, "{}", collection);
        }
        Ok(())
    }
}

/// Removes the revisions of copies.
fn without_revisions(document: &mut Document) {
    for name in ["_r", "_r_host", "_r_post"] {
        document.remove(name);
    }
    for (_, value) in document.iter_mut() {
        match value {
            Bson::Document(inner) => without_revisions(inner),
            Bson::Array(elements) => elements
                .iter_mut()
                .filter_map(Bson::as_document_mut)
                .for_each(without_revisions),
            _ => {}
        }
    }
}

/// Everything that is stored, as it is.
///
/// # Panics
/// If it cannot be read.
pub(super) async fn stored(db: &Database) -> BTreeMap<&'static str, Vec<Document>> {
    let mut all = BTreeMap::new();
    for collection in COLLECTIONS {
        let rows = db.collection::<Document>(collection);
        let rows = rows
            .find(doc! {})
            .sort(doc! { "_id": 1 })
            .await
            .expect("read");
        all.insert(collection, rows.try_collect().await.expect("read"));
    }
    all
}
