//! Models of which one side keeps something of the other, and which are deleted: people and their tasks, hosts and their
//! messages, authors with posts, reviews and tags, stickers with checked references to those, and the members of clubs.

use std::collections::BTreeMap;

use bson::DateTime;
use mongo_model::{Database, Id, MongoEmbed, MongoModel, Period, sync_indexes};
use serde::{Deserialize, Serialize};

/// Keeps the ids of its tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Person, i64>,
    /// Derived from the owners of tasks.
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task, i64>>,
}

/// Belongs to a person or to none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Task, i64>,
    /// The person.
    #[parent(Person, inverse = tasks, on_delete = unset)]
    pub owner: Option<Id<Person, i64>>,
    /// Its own.
    pub title: String,
}

/// How many messages a host keeps.
pub const LAST: usize = 5;

/// Keeps its last messages, and how many there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Host, i64>,
    /// Copied into messages.
    pub ipaddr: String,
    /// The last messages.
    #[recent(LogMsg, max = 5, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
    /// How many there are.
    #[count(LogMsg)]
    pub messages: i64,
}

/// Belongs to a host, and goes with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<LogMsg, i64>,
    /// The host.
    #[parent(Host, sort = -time, on_delete = cascade)]
    pub host: Id<Host, i64>,
    /// A copy.
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
    /// The sort key of the list.
    pub time: i64,
    /// Shown in the list.
    pub message: String,
    /// The day that it belongs to.
    pub at: DateTime,
}

/// The number of the messages of a host on one day, and the least and the greatest of their sort keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "host_days")]
pub struct HostDay {
    /// The host and the day.
    #[serde(rename = "_id")]
    #[period(per = day, zone = "UTC")]
    pub id: Period<Host>,
    /// How many there are.
    #[count(LogMsg, at = at)]
    pub messages: i64,
    /// The least sort key.
    #[min(LogMsg, field = time, at = at)]
    pub first: Option<i64>,
    /// The greatest sort key.
    #[max(LogMsg, field = time, at = at)]
    pub last: Option<i64>,
}

/// A moment: four of them are on one day.
#[must_use]
pub fn moment(n: i64) -> DateTime {
    DateTime::from_millis(n * 21_600_000)
}

/// Its delete cascades to its posts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "authors")]
pub struct Author {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Author, i64>,
    /// Copied into posts.
    pub name: String,
    /// How many posts there are.
    #[count(Post)]
    pub posts: i64,
}

/// Is pulled out of posts when it is deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Tag, i64>,
    /// Copied into posts.
    pub name: String,
}

/// Goes with its tag, which it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Note {
    /// The tag.
    #[parent(Tag, on_delete = pull)]
    pub tag: Id<Tag, i64>,
    /// A copy.
    #[denorm(from = Tag, field = name, via = tag)]
    pub name: String,
}

/// Holds elements that go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Section {
    /// One per tag, or several.
    #[embed(max = 20)]
    pub notes: Vec<Note>,
}

/// Goes with its tag out of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Word {
    /// The tag.
    #[parent(Tag, on_delete = pull)]
    pub tag: Id<Tag, i64>,
}

/// Goes with its author.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Post, i64>,
    /// The author.
    #[parent(Author, on_delete = cascade)]
    #[denorm(from = Author, field = name)]
    pub author: PostAuthor,
    /// The tags.
    #[refs(Tag, max = 8, on_delete = pull)]
    #[denorm(from = Tag, field = name)]
    pub tags: Vec<PostTag>,
    /// Notes on tags.
    #[embed(max = 4)]
    pub sections: Vec<Section>,
    /// Tags by the words that they are about.
    #[embed(max = 8)]
    pub words: BTreeMap<String, Word>,
    /// Copied into reviews.
    pub title: String,
}

/// Keeps its post, and with it the post's author, from being deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub struct Review {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Review, i64>,
    /// The post.
    #[parent(Post)]
    pub post: Id<Post, i64>,
    /// A copy: no review of a post that is being deleted goes unseen.
    #[denorm(from = Post, field = title)]
    pub title: String,
}

/// Goes with its tag, and loses its author. It holds no copies: its references are checked like foreign keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stickers")]
pub struct Sticker {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Sticker, i64>,
    /// The tag.
    #[parent(Tag, on_delete = cascade, checked)]
    pub tag: Id<Tag, i64>,
    /// The author.
    #[parent(Author, on_delete = unset, checked)]
    pub by: Option<Id<Author, i64>>,
}

/// Lists the clubs that name it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "fellows")]
pub struct Fellow {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Fellow, i64>,
    /// Copied into memberships.
    pub name: String,
    /// Derived from the members of clubs.
    #[refs(Club, inverse = members)]
    pub clubs: Vec<Id<Club, i64>>,
}

/// Holds memberships.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Club, i64>,
    /// The members.
    #[refs(Fellow, inverse = clubs, max = 8)]
    pub members: Vec<Member>,
}

/// A membership.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    /// The member.
    #[parent(Fellow)]
    pub fellow: Id<Fellow, i64>,
    /// Its own.
    pub role: i64,
    /// A copy.
    #[denorm(from = Fellow, field = name)]
    pub name: String,
}

/// The same key in every process. What is deleted comes again under the same one, so it is none of those that are never used twice.
#[must_use]
pub fn key<M>(n: u8) -> Id<M, i64> {
    Id::from_raw(i64::from(n) + 1)
}

/// The collections of these models.
pub const COLLECTIONS: [&str; 12] = [
    "people",
    "tasks",
    "hosts",
    "logmsg",
    "host_days",
    "authors",
    "tags",
    "posts",
    "reviews",
    "stickers",
    "fellows",
    "clubs",
];

/// Creates the declared indexes.
///
/// # Errors
/// Those of [`sync_indexes`].
pub async fn index(db: &Database) -> mongo_model::Result<()> {
    sync_indexes(db)
        .models(&[
            Person::meta(),
            Task::meta(),
            Host::meta(),
            LogMsg::meta(),
            HostDay::meta(),
            Author::meta(),
            Tag::meta(),
            Post::meta(),
            Review::meta(),
            Sticker::meta(),
            Fellow::meta(),
            Club::meta(),
        ])
        .await?;
    Ok(())
}
