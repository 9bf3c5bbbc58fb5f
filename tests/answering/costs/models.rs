//! Models of different roles; `cost_` is before the names of their collections.

use bson::DateTime;
use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// Takes part in nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_tags")]
pub(crate) struct Tag {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index]
    pub(crate) label: String,
}

/// The source of most copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_makers")]
pub(crate) struct Maker {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
    #[index]
    pub(crate) city: String,
    pub(crate) note: String,
}

/// Holds a copy of two fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_items")]
pub(crate) struct Item {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) size: i32,
    #[parent(Maker)]
    pub(crate) maker: i32,
    #[denorm(from = Maker, field = name)]
    pub(crate) maker_name: String,
    #[denorm(from = Maker, field = city)]
    pub(crate) maker_city: String,
}

/// Copies a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_offers")]
pub(crate) struct Offer {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Item)]
    pub(crate) item: i32,
    #[denorm(from = Item, field = maker_name)]
    pub(crate) maker_name: String,
    #[denorm(from = Item, field = size, snapshot)]
    pub(crate) size: i32,
}

/// Holds copies in an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_shelves")]
pub(crate) struct Shelf {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Maker, max = 5, on_delete = pull)]
    #[denorm(from = Maker, field = name)]
    pub(crate) makers: Vec<ShelfMaker>,
}

/// Its reference is checked, and copies nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_badges")]
pub(crate) struct Badge {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Maker, checked)]
    pub(crate) maker: i32,
}

/// Stands below another one in a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_branches")]
pub(crate) struct Branch {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Branch, tree(depth = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) above: Option<i32>,
    #[ancestors]
    pub(crate) path: Vec<i32>,
}

/// Lists and counts posts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_topics")]
pub(crate) struct Topic {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) title: String,
    #[recent(Post, max = 500, sort = at, fields(at, text))]
    pub(crate) last: Vec<RecentPost>,
    #[count(Post)]
    pub(crate) posts: i64,
}

/// Listed and counted, with a copy of its parent and one of another source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_posts")]
pub(crate) struct Post {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Topic, sort = -at)]
    pub(crate) topic: i32,
    #[denorm(from = Topic, field = title)]
    pub(crate) topic_title: String,
    #[parent(Maker)]
    pub(crate) maker: i32,
    #[denorm(from = Maker, field = name)]
    pub(crate) maker_name: String,
    pub(crate) at: DateTime,
    pub(crate) text: String,
    pub(crate) hidden: bool,
}

/// Counts its guests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_rooms")]
pub(crate) struct Room {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[count(Guest)]
    pub(crate) guests: i64,
    #[count(Errand)]
    pub(crate) errands: i64,
}

/// Lists its guests, and shows when they came by the server's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_hotels")]
pub(crate) struct Hotel {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[recent(Guest, max = 500, sort = came, fields(came, name))]
    pub(crate) last: Vec<RecentGuest>,
}

/// Counted by one parent and listed by another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_guests")]
pub(crate) struct Guest {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Room)]
    pub(crate) room: i32,
    #[parent(Hotel, sort = -came)]
    pub(crate) hotel: i32,
    pub(crate) name: String,
    #[created]
    pub(crate) came: DateTime,
}

/// The one side of a two-way reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_persons")]
pub(crate) struct Person {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Task, inverse = owner, max = 100)]
    pub(crate) tasks: Vec<i32>,
    #[refs(Errand, inverse = owner, max = 100)]
    pub(crate) errands: Vec<i32>,
}

/// The other side of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_tasks")]
pub(crate) struct Task {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) title: String,
    #[parent(Person, inverse = tasks)]
    pub(crate) owner: i32,
}

/// Counts wishes, and adds up their prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_baskets")]
pub(crate) struct Basket {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[count(Wish)]
    pub(crate) wishes: i64,
    #[sum(Wish, field = price)]
    pub(crate) total: i64,
}

/// Counted and added up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_wishes")]
pub(crate) struct Wish {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Basket)]
    pub(crate) basket: i32,
    pub(crate) price: i32,
    pub(crate) note: String,
}

/// Sells seats, as many as it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_shows")]
pub(crate) struct Show {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) seats: i64,
    #[count(Seat, max = seats)]
    pub(crate) sold: i64,
    #[sum(Seat, field = price)]
    pub(crate) income: i64,
}

/// Reserved before it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_seats")]
pub(crate) struct Seat {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Show)]
    pub(crate) show: i32,
    pub(crate) price: i32,
    pub(crate) note: String,
}

/// The other side of a two-way reference, counted by another parent, with a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_errands")]
pub(crate) struct Errand {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Person, inverse = errands)]
    pub(crate) owner: i32,
    #[parent(Room)]
    pub(crate) room: i32,
    #[parent(Maker)]
    pub(crate) maker: i32,
    #[denorm(from = Maker, field = name)]
    pub(crate) maker_name: String,
}

/// Lists and counts chapters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_volumes")]
pub(crate) struct Volume {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[recent(Chapter, max = 500, sort = page, fields(page))]
    pub(crate) last: Vec<RecentChapter>,
    #[count(Chapter)]
    pub(crate) chapters: i64,
}

/// Listed and counted, with copies in an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_chapters")]
pub(crate) struct Chapter {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Volume, sort = -page)]
    pub(crate) volume: i32,
    pub(crate) page: i32,
    #[refs(Maker, max = 5, on_delete = pull)]
    #[denorm(from = Maker, field = name)]
    pub(crate) makers: Vec<ChapterMaker>,
}

/// Found by a natural key; documents that name one that is not there keep their references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_hosts")]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index(unique)]
    pub(crate) code: String,
    pub(crate) name: String,
}

/// Its reference is kept when its host is deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_lines")]
pub(crate) struct Line {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Host, key = code, on_delete = keep)]
    pub(crate) host: String,
    #[denorm(from = Host, field = name)]
    pub(crate) host_name: String,
}

/// Documents that refer to it refuse its delete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_depots")]
pub(crate) struct Depot {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
}

/// Refers without copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_crates")]
pub(crate) struct Crate {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Depot)]
    pub(crate) depot: i32,
}

/// Its photos go with it, and frames lose it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_albums")]
pub(crate) struct Album {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) title: String,
}

/// Goes with its album, and has the title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_photos")]
pub(crate) struct Photo {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Album, on_delete = cascade)]
    pub(crate) album: i32,
    #[denorm(from = Album, field = title, via = album)]
    pub(crate) title: String,
}

/// Loses its album, and the copy of its title, which follows without a flag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_frames")]
pub(crate) struct Frame {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Album, on_delete = unset)]
    pub(crate) album: Option<i32>,
    #[denorm(from = Album, field = title, level = fire_and_forget)]
    pub(crate) album_title: Option<String>,
}

/// Has the ids of the clubs whose members it is among.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_players")]
pub(crate) struct Player {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
    #[refs(Club, inverse = members, max = 200)]
    pub(crate) clubs: Vec<i32>,
}

/// Has members with roles, and copies of their names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_clubs")]
pub(crate) struct Club {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Player, inverse = clubs, max = 200)]
    pub(crate) members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Member {
    #[parent(Player)]
    pub(crate) player: i32,
    pub(crate) role: i32,
    #[denorm(from = Player, field = name, via = player)]
    pub(crate) name: String,
}

/// Keeps its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_ledgers", history)]
pub(crate) struct Ledger {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index]
    pub(crate) label: String,
}

/// Emits events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_bills", events = String)]
pub(crate) struct Bill {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) label: String,
}

/// Keeps the changes of its array, which follows the references of its soldiers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_squads", history)]
pub(crate) struct Squad {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Soldier, inverse = squad, max = 100)]
    pub(crate) soldiers: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cost_soldiers")]
pub(crate) struct Soldier {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Squad, inverse = soldiers)]
    pub(crate) squad: i32,
}
