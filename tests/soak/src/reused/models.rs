//! Six pairs of parents and children. They differ in what the parent keeps of its children, in what the children copy, and in what
//! becomes of them when the parent is deleted.

use bson::oid::ObjectId;
use mongo_model::{Average, Database, Id, MongoModel, sync_indexes};
use serde::{Deserialize, Serialize};

/// Copied into items, which go with it. It keeps nothing of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Shop, i64>,
    /// Copied into items.
    pub name: String,
}

/// Goes with its shop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Item, i64>,
    /// The shop.
    #[parent(Shop, on_delete = cascade)]
    pub shop: Id<Shop, i64>,
    /// A copy.
    #[denorm(from = Shop, field = name)]
    pub name: String,
    /// Its own.
    pub time: i64,
}

/// Keeps its last essays and their number; they go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "writers")]
pub struct Writer {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Writer, i64>,
    /// Copied into essays.
    pub name: String,
    /// The last essays.
    #[recent(Essay, max = 3, sort = time, fields(time))]
    pub last: Vec<RecentEssay>,
    /// How many there are.
    #[count(Essay)]
    pub number: i64,
}

/// Goes with its writer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "essays")]
pub struct Essay {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Essay, i64>,
    /// The writer, with a copy.
    #[parent(Writer, on_delete = cascade)]
    #[denorm(from = Writer, field = name)]
    pub writer: EssayWriter,
    /// The sort key of the list.
    pub time: i64,
}

/// Lists its last things and counts them; its delete cascades to them, and they copy nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "owners")]
pub struct Owner {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Owner, i64>,
    /// The last things.
    #[recent(Thing, max = 3, sort = time, fields(time))]
    pub last: Vec<RecentThing>,
    /// How many there are.
    #[count(Thing)]
    pub number: i64,
}

/// Goes with its owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "things")]
pub struct Thing {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Thing, i64>,
    /// The owner.
    #[parent(Owner, on_delete = cascade, unchecked)]
    pub owner: Id<Owner, i64>,
    /// The sort key of the list.
    pub time: i64,
}

/// Lists its players and the last of them, and counts them; they stay when it is deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    /// Its key, of a type that is seldom used twice.
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    /// The players.
    #[refs(Player, inverse = team)]
    pub players: Vec<Id<Player>>,
    /// The last players.
    #[recent(Player, max = 3, sort = time, fields(time))]
    pub last: Vec<RecentPlayer>,
    /// How many there are.
    #[count(Player)]
    pub number: i64,
}

/// Belongs to a team or to none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "players")]
pub struct Player {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Player>,
    /// The team.
    #[parent(Team, inverse = players, on_delete = unset)]
    pub team: Option<Id<Team>>,
    /// The sort key of the list.
    pub time: i64,
}

/// Counts its stories and adds up their sizes; its delete cascades to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "blogs")]
pub struct Blog {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Blog, i64>,
    /// Copied into stories.
    pub name: String,
    /// How many stories there are.
    #[count(Story)]
    pub number: i64,
    /// How large they are together.
    #[sum(Story, field = size)]
    pub size: i64,
    /// Their average size.
    #[avg(Story, field = size)]
    pub mean: Average,
    /// The largest.
    #[max(Story, field = size)]
    pub extreme: Option<i64>,
}

/// A second parent of stories, with which they go as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "desks")]
pub struct Desk {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Desk, i64>,
    /// Copied into stories.
    pub name: String,
    /// How many stories there are.
    #[count(Story)]
    pub number: i64,
    /// How large the open ones are together.
    #[sum(Story, field = size, only(open = true))]
    pub size: i64,
    /// Their average size.
    #[avg(Story, field = size, only(open = true))]
    pub mean: Average,
    /// The smallest of these.
    #[min(Story, field = size, only(open = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extreme: Option<i64>,
}

/// Goes with its blog and with its desk, and takes its remarks along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stories")]
pub struct Story {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Story, i64>,
    /// The blog, with a copy.
    #[parent(Blog, on_delete = cascade)]
    #[denorm(from = Blog, field = name)]
    pub blog: StoryBlog,
    /// The desk, with a copy.
    #[parent(Desk, on_delete = cascade)]
    #[denorm(from = Desk, field = name)]
    pub desk: StoryDesk,
    /// Copied into remarks.
    pub name: String,
    /// Added up.
    pub size: i64,
    /// True if its desk adds it up.
    pub open: bool,
}

/// Goes with its story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "remarks")]
pub struct Remark {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Remark, i64>,
    /// The story.
    #[parent(Story, on_delete = cascade)]
    pub story: Id<Story, i64>,
    /// A copy.
    #[denorm(from = Story, field = name)]
    pub name: String,
    /// Its own.
    pub time: i64,
}

/// Is referred to by its address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    /// Its key, which is another one each time.
    #[serde(rename = "_id")]
    pub id: Id<User>,
    /// The key that references to it use.
    #[index(unique)]
    pub email: String,
    /// Copied into notes.
    pub name: String,
}

/// Deleted with its user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Note, i64>,
    /// The address of the user.
    #[parent(User, key = email, on_delete = cascade)]
    pub user: String,
    /// A copy.
    #[denorm(from = User, field = name)]
    pub name: String,
    /// Its own.
    pub time: i64,
}

/// The same key in every process.
#[must_use]
pub fn key<M>(n: u8) -> Id<M, i64> {
    Id::from_raw(i64::from(n) + 1)
}

/// The same.
#[must_use]
pub fn oid<M>(n: u8) -> Id<M> {
    let mut bytes = [7; 12];
    bytes[11] = n + 1;
    Id::from_raw(ObjectId::from_bytes(bytes))
}

/// An address.
#[must_use]
pub fn email(n: u8) -> String {
    format!("u{n}@example.org")
}

/// The collections of these models.
pub const COLLECTIONS: [&str; 14] = [
    "shops", "items", "writers", "essays", "owners", "things", "teams", "players", "blogs",
    "desks", "stories", "remarks", "users", "notes",
];

/// Creates the declared indexes.
///
/// # Errors
/// Those of [`sync_indexes`].
pub async fn index(db: &Database) -> mongo_model::Result<()> {
    sync_indexes(db)
        .models(&[
            Shop::meta(),
            Item::meta(),
            Writer::meta(),
            Essay::meta(),
            Owner::meta(),
            Thing::meta(),
            Team::meta(),
            Player::meta(),
            Blog::meta(),
            Desk::meta(),
            Story::meta(),
            Remark::meta(),
            User::meta(),
            Note::meta(),
        ])
        .await?;
    Ok(())
}
