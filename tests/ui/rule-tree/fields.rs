use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories")]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    pub name: String,
    #[parent(Category, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Id<Category>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "folders")]
pub struct Folder {
    #[serde(rename = "_id")]
    pub id: Id<Folder>,
    #[parent(Folder)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Id<Folder>>,
    #[ancestors]
    pub all: Vec<Id<Folder>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "places")]
pub struct Place {
    #[serde(rename = "_id")]
    pub id: Id<Place>,
    #[parent(Category, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Id<Category>>,
    #[ancestors]
    pub path: Vec<Id<Category>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[parent(Team, tree(depth = 0))]
    pub above: Id<Team>,
    #[ancestors]
    pub path: Vec<Id<Team>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[parent(Page, tree)]
    pub above: Option<Id<Page>>,
    #[ancestors]
    pub path: Vec<Id<Page>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "topics")]
pub struct Topic {
    #[serde(rename = "_id")]
    pub id: Id<Topic>,
    #[parent(Topic, tree(depth = 4), on_delete = unset)]
    pub above: Option<Id<Topic>>,
    #[parent(Topic, tree(depth = 4))]
    pub beside: Option<Id<Topic>>,
    #[ancestors]
    #[immutable]
    pub path: Vec<Id<Topic>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    #[parent(Room, tree(depth = 4))]
    pub above: Option<Id<Room>>,
    #[ancestors]
    pub path: Vec<String>,
}

fn main() {}
