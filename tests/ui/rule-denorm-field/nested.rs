// Steps of a path into an embedded document: a misspelt field, one of a type without fields, arrays and maps on the way, a document of
// unknown form, an enum, and a field less visible than its document.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub mod people {
    use mongo_model::MongoEmbed;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoEmbed)]
    pub struct Profile {
        pub name: String,
        pub(crate) place: Place,
    }

    #[derive(Serialize, Deserialize, MongoEmbed)]
    pub(crate) struct Place {
        pub(crate) city: String,
    }
}
use people::Profile;

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Contact {
    Mail { address: String },
    Phone { number: String },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub login: String,
    pub profile: Profile,
    #[embed(max = 3)]
    pub former: Vec<Profile>,
    #[model(allow(embed_map, reason = "few"))]
    pub by_site: BTreeMap<String, Profile>,
    #[model(opaque)]
    pub opaque: Profile,
    pub contact: Contact,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    #[parent(User)]
    pub author: Id<User>,
    #[denorm(from = User, field = profile.nmae)]
    pub last: String,
    #[denorm(from = User, field = profil.name)]
    pub first: String,
    #[denorm(from = User, field = login.name)]
    pub scalar: String,
    #[denorm(from = User, field = former.name)]
    pub array: String,
    #[denorm(from = User, field = by_site.name)]
    pub map: String,
    #[denorm(from = User, field = opaque.name)]
    pub unknown: String,
    #[denorm(from = User, field = contact.address)]
    pub variant: Option<String>,
    #[denorm(from = User, field = profile.place)]
    pub hidden: String,
    #[denorm(from = User, field = profile.place.city)]
    pub hidden_step: String,
}

fn main() {}
