// Fields inside embedded documents: two deep, in a `Box`, renamed, with functions of their own, in a document that may be absent, in a
// generated entry, beside a copy of the whole document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub city: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    pub display_name: String,
    pub motto: Option<String>,
    #[model(max_len = 20)]
    pub initials: String,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub seen: bson::DateTime,
    pub place: Box<Place>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nested_users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique)]
    pub login: String,
    pub profile: Profile,
    pub former: Option<Profile>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nested_comments")]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    #[parent(User, key = login)]
    pub author: String,
    #[denorm(from = User, field = profile.display_name)]
    pub author_name: String,
    #[denorm(from = User, field = profile.motto)]
    pub motto: Option<String>,
    #[denorm(from = User, field = profile.initials)]
    #[model(max_len = 20)]
    pub initials: String,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    #[denorm(from = User, field = profile.seen)]
    pub seen: bson::DateTime,
    #[denorm(from = User, field = profile.place.city)]
    pub city: String,
    #[denorm(from = User, field = former.display_name)]
    pub former_name: Option<String>,
    #[denorm(from = User, field = former.motto)]
    pub former_motto: Option<String>,
    #[denorm(from = User, field = profile)]
    pub profile: Profile,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "nested_talks")]
pub struct Talk {
    #[serde(rename = "_id")]
    pub id: Id<Talk>,
    #[refs(User, max = 5)]
    #[denorm(from = User, fields(login, profile.display_name))]
    #[denorm(from = User, field = profile.place.city, into = home)]
    #[denorm(from = User, field = former.display_name, into = former_name, default)]
    pub speakers: Vec<Speaker>,
}

pub fn main() {
    let field = |name: &str| {
        let mut rows = Comment::meta().shape.fields.iter();
        rows.find(|row| row.rust == name).expect("a field")
    };
    let copied = |name: &str| field(name).copy.expect("a copy").field;
    assert_eq!(copied("author_name"), "profile.display_name");
    assert_eq!(copied("city"), "profile.place.city");
    assert_eq!(field("initials").max_len, 20);
    let speaker = Speaker {
        id: Id::new(),
        login: "ann".to_owned(),
        display_name: "Ann".to_owned(),
        home: "Ulm".to_owned(),
        former_name: String::new(),
    };
    assert_eq!(speaker.home, "Ulm");
}
