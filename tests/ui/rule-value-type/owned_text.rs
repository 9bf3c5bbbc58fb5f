// Text that is no `String`.

use std::borrow::Cow;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: Box<str>,
    pub nick: Option<Cow<'static, str>>,
}

fn main() {}
